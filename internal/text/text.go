// Package text holds what several rooms must agree on about characters: folding, segments, stems, slugs, sizes.
//
// It is pure and knows nothing of files, Markdown or SQL. The index and the query are cut by the same Segment, so
// what is indexed can be found. Change what Segment, Fold or Stem return and store.ContentVersion must rise:
// every document is cut again.
package text
