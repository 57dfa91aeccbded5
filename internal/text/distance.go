package text

// Distance is the optimal string alignment distance between a and b in characters; any value above max comes back as
// max+1.
//
// It keeps the last three rows of the usual table and stops as soon as a whole row is above max.
func Distance(a, b string, max int) int {
	if a == b {
		return 0
	}
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > max || len(y)-len(x) > max {
		return max + 1
	}
	before, above, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(x); i++ {
		if alignRow(x, y, i, before, above, row) > max {
			return max + 1
		}
		before, above, row = above, row, before
	}
	return min(above[len(y)], max+1)
}

// alignRow fills row i of the table from the two rows above it and returns its smallest value, or that of the row
// above if it is smaller: a transposition reaches over one row.
func alignRow(x, y []rune, i int, before, above, row []int) int {
	row[0] = i
	least := i
	for j := 1; j <= len(y); j++ {
		cost := 1
		if x[i-1] == y[j-1] {
			cost = 0
		}
		best := min(above[j]+1, row[j-1]+1, above[j-1]+cost)
		if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
			best = min(best, before[j-2]+1)
		}
		row[j] = best
		least = min(least, best, above[j])
	}
	return least
}
