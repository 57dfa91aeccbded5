package correlate

import "slices"

// Comparison is what the Index is tested against.
type Comparison = comparison

// Compare compares two documents as the Index does, without pruning; mentioned says that the source's text names the
// target by a name that the source has not itself.
func Compare(source, target Features, mentioned bool, w Weights) Comparison {
	s := Signals{
		Title:   jaccard(source.Title, target.Title),
		Tag:     jaccard(source.Tags, target.Tags),
		Keyword: overlap(source.Keywords, target.Keywords),
		Path:    proximity(source.Folder, target.Folder),
		Mention: one(mentioned),
	}
	carried := s
	s.Heading, carried.Heading = headings(&source, &target)
	for _, name := range source.Said {
		if slices.Contains(target.Names, name) {
			s.Mention = 1
		}
	}
	return comparison{Signals: s, Score: w.score(s), Confidence: w.confidence(carried, shownBy(&source, &target))}
}

// Worth is the score and the confidence of signals; shown are the kinds that both documents can show.
func Worth(w Weights, all, carried Signals, heading, tag, keyword bool) (score, confidence float64) {
	return w.score(all), w.confidence(carried, shows{heading, tag, keyword})
}
