package store

import (
	"cmp"
	"slices"
	"sort"
)

// of are the extents of documents.
func (c *census) of(documents postings) extents {
	out := make(extents, 0, len(documents))
	rest := c.documents
	for _, id := range documents {
		rest = rest[ahead(len(rest), func(i int) bool { return rest[i].document < id }):]
		if len(rest) == 0 {
			break
		}
		if rest[0].document == id {
			out = append(out, rest[0])
		}
	}
	return out
}

// ahead is the first index below n for which before does not hold, else n. It is quick when that is near.
func ahead(n int, before func(i int) bool) int {
	step := 1
	for step <= n && before(step-1) {
		step *= 2
	}
	low := step / 2
	return low + sort.Search(min(step, n)-low, func(i int) bool { return !before(low + i) })
}

// document is the document that a chunk belongs to.
func (c *census) document(chunk int64) int64 {
	if i := c.place(chunk); i >= 0 {
		return c.places[i].document
	}
	return 0
}

// documentsOf are the documents that chunks belong to.
func (c *census) documentsOf(chunks postings) []int64 {
	documents := make([]int64, len(chunks))
	c.eachDocument(chunks, func(x extent, from, to int) {
		for i := from; i < to; i++ {
			documents[i] = x.document
		}
	})
	return documents
}

// place is the index in places of the document that a chunk belongs to, -1 before the first.
func (c *census) place(chunk int64) int {
	i, ok := slices.BinarySearchFunc(c.places, chunk, func(x extent, id int64) int { return cmp.Compare(x.first, id) })
	if !ok {
		i--
	}
	return i
}

// speaking are those of the chunks whose documents are in one of some languages, or may be.
func (c *census) speaking(chunks postings, languages []uint8) postings {
	var spoken [256]bool
	for _, language := range languages {
		spoken[language] = true
	}
	spoken[noLanguage] = spoken[c.usual]
	out := make(postings, 0, len(chunks))
	c.eachDocument(chunks, func(x extent, from, to int) {
		if spoken[x.language] {
			out = append(out, chunks[from:to]...)
		}
	})
	return out
}

// eachDocument calls f for each document of some chunks with the range of them that is its own.
func (c *census) eachDocument(chunks postings, f func(x extent, from, to int)) {
	rest := c.places
	for i := 0; i < len(chunks); {
		rest = rest[ahead(len(rest), func(k int) bool { return rest[k].first+int64(rest[k].n) <= chunks[i] }):]
		if len(rest) == 0 {
			return
		}
		end := i
		for end < len(chunks) && chunks[end] < rest[0].first+int64(rest[0].n) {
			end++
		}
		if chunks[i] >= rest[0].first {
			f(rest[0], i, end)
		}
		i = max(end, i+1)
	}
}
