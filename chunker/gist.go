package chunker

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"shelfd/internal/text"
)

const (
	gistSentences = 3    // a gist holds at most so many
	gistLength    = 600  // and so many characters
	gistLooked    = 400  // of a longer document the first sentences are looked at
	gistShortest  = 20   // characters of a sentence, and of a gist
	gistLongest   = 400  // characters of a sentence
	gistRepeats   = 0.60 // share of terms by which a sentence says again what was said
)

// Gist is what a document is about in its own words: the sentences of its prose that hold most of the terms it uses
// most, in their order; "" when it has no prose. It depends on nothing but the document.
func Gist(d *Document) string {
	var list []weighed
	frequency := map[string]float64{}
	for _, s := range proseSentences(d) {
		w := weighed{place: len(list), text: s, terms: contentTerms(s)}
		for term := range w.terms {
			frequency[term]++
		}
		list = append(list, w)
	}
	for term := range contentTerms(d.Title) {
		frequency[term] *= 2
	}
	for i := range list {
		list[i].weigh(frequency)
	}
	slices.SortStableFunc(list, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
	return joinGist(choose(list))
}

// weighed is a sentence with what speaks for it.
type weighed struct {
	place  int
	text   string
	terms  map[string]bool
	weight float64
}

// weigh adds up how often the document uses the terms, over the root of their number, so that length alone is no
// merit; what stands early counts a little more.
func (w *weighed) weigh(frequency map[string]float64) {
	for term := range w.terms {
		w.weight += math.Round(1024*math.Log1p(frequency[term])) / 1024 // exact sums, whatever the order of the terms
	}
	w.weight *= (1 + 1/(1+float64(w.place)/4)) / math.Sqrt(4+float64(len(w.terms)))
}

// choose takes the best sentences that say something new, in the order of the document.
func choose(best []weighed) []weighed {
	var chosen []weighed
	said := map[string]bool{}
	room := gistLength
	for _, w := range best {
		known := 0
		for term := range w.terms {
			if said[term] {
				known++
			}
		}
		n := utf8.RuneCountInString(w.text)
		if len(w.terms) == 0 || n > room || float64(known) > gistRepeats*float64(len(w.terms)) {
			continue
		}
		room -= n + 1
		for term := range w.terms {
			said[term] = true
		}
		if chosen = append(chosen, w); len(chosen) == gistSentences {
			break
		}
	}
	slices.SortFunc(chosen, func(a, b weighed) int { return a.place - b.place })
	return chosen
}

func joinGist(chosen []weighed) string {
	var b strings.Builder
	for i, w := range chosen {
		if i > 0 {
			if last, _ := utf8.DecodeLastRuneInString(chosen[i-1].text); last < 0x3000 {
				b.WriteByte(' ')
			}
		}
		b.WriteString(w.text)
	}
	if utf8.RuneCountInString(b.String()) < gistShortest {
		return ""
	}
	return b.String()
}

// contentTerms are the terms of s that are no stop words.
func contentTerms(s string) map[string]bool {
	terms := map[string]bool{}
	text.Segment(s, func(t text.Token) {
		if t.Kind != text.Ident && !text.Stop(t.Term) {
			terms[t.Term] = true
		}
	})
	return terms
}

// proseSentences are the sentences of the paragraphs of a document, Markdown removed; of a document without any, those
// of its lists and quotes.
func proseSentences(d *Document) []string {
	src := unixLines(d.Text)[d.Body.Start:]
	if heavy(src) {
		return nil
	}
	root, _, err := parseMarkdown(src)
	if err != nil {
		return nil
	}
	sentences := sentencesOf(root, src, func(n ast.Node) bool { return n.Parent() == root })
	if len(sentences) == 0 {
		sentences = sentencesOf(root, src, func(ast.Node) bool { return true })
	}
	return sentences
}

func sentencesOf(root ast.Node, src []byte, wanted func(ast.Node) bool) []string {
	var sentences []string
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		kind := n.Kind()
		if !entering || kind != ast.KindParagraph && kind != ast.KindTextBlock {
			return ast.WalkContinue, nil
		}
		if wanted(n) {
			sentences = appendSentences(sentences, plain(n, src))
		}
		if len(sentences) >= gistLooked {
			return ast.WalkStop, nil
		}
		return ast.WalkSkipChildren, nil
	})
	return sentences
}

// appendSentences cuts the text of a paragraph; what is too short or too long to stand for anything is left out.
func appendSentences(list []string, paragraph string) []string {
	for paragraph != "" {
		n := sentence(paragraph)
		s := strings.TrimSpace(paragraph[:n])
		paragraph = paragraph[n:]
		length := utf8.RuneCountInString(s)
		if length > gistLongest || length < gistShortest && text.Units(s) < gistShortest/2 {
			continue
		}
		list = append(list, s)
	}
	return list
}
