package correlate

// Comparison and Compare are the definition that the Index is tested against.
type Comparison = comparison

// Compare compares two documents as the Index does, without pruning.
func Compare(source, target Features, mentioned bool, w Weights) Comparison {
	return compare(source, target, mentioned, w)
}
