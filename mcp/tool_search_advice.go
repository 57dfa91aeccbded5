package mcp

import (
	"fmt"
	"regexp"
	"strings"

	"shelfd/store"
)

// page shows the first n hits.
func (f found) page(hits []hit, n int, args values) answer {
	f.Hits = hits[:n]
	f.Floored = 0
	for _, h := range f.Hits {
		if h.floored {
			f.Floored++
		}
	}
	if f.Hits == nil {
		f.Hits = []hit{}
	}
	if f.Offset+n < f.Total && len(hits) > 0 {
		f.HasMore, f.NextOffset = true, f.Offset+n
	}
	return answer{f, f.advice(args)}
}

func (f found) advice(args values) steps {
	growing := ""
	if f.Index.State == "indexing" {
		growing = fmt.Sprintf("The index is still growing (%d of %d documents): search again later before you conclude that something is missing.", f.Index.Done, f.Index.Total)
	}
	if len(f.Hits) == 0 {
		return f.emptyAdvice(args, growing)
	}
	more := ""
	if f.HasMore {
		more = fmt.Sprintf("The same call with offset=%d for more.", f.NextOffset)
	}
	options := append(f.readings(), f.corrected(), more, growing)
	return next(f.looseness(), options...)
}

// looseness says how many of the hits shown have all the words.
func (f found) looseness() string {
	exact := 0
	for _, h := range f.Hits {
		if h.Match == store.MatchExact {
			exact++
		}
	}
	switch {
	case exact == len(f.Hits):
		return fmt.Sprintf("%s, best first. Read a section before you rely on it.", count(f.Total, "passage", "passages"))
	case exact == 0:
		return "No hit shown has all the words as typed (see match). Check whether these answer the question, or try other words."
	}
	which := fmt.Sprintf("Only the first %d", exact)
	if f.Retrieval != store.RetrievedByText { // vectors order them as well
		which = fmt.Sprintf("Only %d", exact)
	}
	return which + " of the hits shown have all the words as typed (see match). Check whether they answer the question, or try other words."
}

// readings are calls that read the best hits, of up to three documents: which of them fits is for the model to say.
func (f found) readings() (calls []string) {
	const documents = 3
	read := map[string]bool{}
	for _, h := range f.Hits {
		if len(read) == documents {
			break
		}
		if !read[h.DocPath] {
			read[h.DocPath] = true
			calls = append(calls, readCall(h.DocPath, []string{h.NodeID}))
		}
	}
	return calls
}

// writtenFilter is the first filter in a query.
var writtenFilter = regexp.MustCompile(`[\pL_][\pL\pN_-]*(?::|!=|[=<>])(?:"[^"]*"|\S+)`)

func (f found) emptyAdvice(args values, growing string) steps {
	wider := ""
	if args.text("folder") != "" || args.text("doc_path") != "" || args.text("where") != "" {
		wider = "Search without folder, doc_path and where."
	}
	if filtered := writtenFilter.FindString(args.text("query")); filtered != "" {
		wider = strings.TrimSpace(fmt.Sprintf("Search without the filter %s. %s", filtered, wider))
	}
	if f.Offset > 0 {
		return next("No more passages.", "Use a smaller offset, or other words.")
	}
	if len(f.RelatedSections) > 0 {
		return next("No passage has these words, but related_sections names sections whose summaries do: read them.", f.RelatedSections[0].read(), f.corrected(), wider)
	}
	return next("Nothing found. This is not yet proof that it is not there.", f.corrected(), wider,
		"Try synonyms, fewer words, and the other language of the library.", "browse_documents() and compare names and descriptions.", growing)
}

// corrected is the call with misspelled words as the library writes them.
func (f found) corrected() string {
	if len(f.Suggestions) == 0 {
		return ""
	}
	return callText("search_documents", "query", arg(f.Suggestions[0]))
}
