package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"shelfd/store"
)

// searchFlags are what search was asked beside the query.
type searchFlags struct {
	shelf, folder, mode string
	limit               int
	asJSON, files, open bool
}

func (p *program) searchCommand() *cobra.Command {
	var f searchFlags
	c := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find passages",
		Long: `Find passages, best first, grouped by document.

A query is words (all wanted), "a phrase", pre*, -not, OR, and filters: shelf: path: tag: title: heading: kind:
after: before: and any front matter key. Case and accents don't matter.`,
		Example: `  shelfd search heat exchanger
  shelfd search '"expansion vessel" -solar tag:safety'
  shelfd search --shelf manuals -n 3 --json valve
  shelfd search --open 'pressure after:2024-01-01'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return p.search(c, strings.Join(args, " "), f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.shelf, "shelf", "", "only in this `SHELF`")
	flags.StringVar(&f.folder, "folder", "", "only below this `FOLDER` (SHELF/FOLDER, or a folder of --shelf)")
	flags.IntVarP(&f.limit, "limit", "n", 10, "at most so many `HITS` (1-50)")
	flags.StringVar(&f.mode, "mode", "auto", "`MODE` of looking: auto, fts, literal, regex, vector, hybrid")
	flags.BoolVar(&f.files, "files", false, "print only the files, one a line")
	flags.BoolVar(&f.open, "open", false, "open the best hit in $EDITOR at its line")
	jsonFlag(c, &f.asJSON)
	c.MarkFlagsMutuallyExclusive("json", "files", "open")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fmt.Errorf("%w; a query with -not goes in quotes behind --: shelfd search -- 'boiler -solar'", err)
	})
	return c
}

func (p *program) search(c *cobra.Command, text string, f searchFlags) error {
	q, err := f.query(text)
	if err != nil {
		return err
	}
	if f.asJSON {
		return p.tool(c.Context(), "search_documents", map[string]any{
			"query": q.Text, "folder": q.Folder, "limit": q.Limit, "mode": q.Mode,
		})
	}
	defer p.askVectors(c.Context(), &q)()
	var place *place
	err = p.view(c.Context(), func(v *store.View) error {
		if err := folderExists(v, q.Folder); err != nil {
			return err
		}
		answer, err := v.Search(q)
		if err != nil {
			return err
		}
		if len(answer.Hits) == 0 {
			if !f.open && !f.files {
				if err := p.printRelated(v, q); err != nil {
					return err
				}
			}
			return p.nothingFound(answer)
		}
		switch {
		case f.open:
			place, err = placeOf(v, answer.Hits[0])
			return err
		case f.files:
			return p.printFiles(v, answer.Hits)
		}
		if err := p.printHits(v, answer); err != nil {
			return err
		}
		if err := p.printRelated(v, q); err != nil {
			return err
		}
		p.note(answer)
		return p.noteStale(v, answer.Hits)
	})
	if err != nil || place == nil {
		return err
	}
	return p.edit(c.Context(), place)
}

// query is what the flags and the words come to.
func (f searchFlags) query(text string) (store.Query, error) {
	q := store.Query{Text: text, Folder: canonical(f.folder), Limit: f.limit, Mode: store.Mode(f.mode)}
	if shelf := canonical(f.shelf); shelf != "" && q.Folder != shelf && !strings.HasPrefix(q.Folder, shelf+"/") {
		q.Folder = strings.Trim(shelf+"/"+q.Folder, "/")
	}
	switch q.Mode {
	case store.ModeAuto, store.ModeFTS, store.ModeLiteral, store.ModeRegex, store.ModeVector, store.ModeHybrid:
	default:
		return q, usage("--mode %q: want auto, fts, literal, regex, vector or hybrid", f.mode)
	}
	if q.Limit < 1 || q.Limit > 50 {
		return q, usage("-n %d: want 1 to 50", q.Limit)
	}
	if n := len([]rune(text)); n == 0 || n > 1024 {
		return q, usage("the query has %d characters; want 1 to 1024", n)
	}
	return q, nil
}

// nothingFound is exit code 1, as grep has it, and the words that might have been meant.
func (p *program) nothingFound(a store.Answer) error {
	text := "nothing found"
	if len(a.Suggestions) > 0 {
		text += "; try: " + strings.Join(a.Suggestions, ", ")
	}
	return &exit{exitWrong, fmt.Errorf("%s", text)}
}

// printHits groups the hits by document, in the order of each document's best hit.
func (p *program) printHits(v *store.View, a store.Answer) error {
	s := p.screen()
	for i, group := range grouped(a.Hits) {
		if i > 0 {
			s.line("")
		}
		d := group[0].Document
		s.line("%s  %s", s.paint(bold, d.Path), s.paint(dim, d.Title))
		if d.Source != "" {
			s.line("  %s", s.paint(dim, "text of "+d.Source))
		}
		for _, hit := range group {
			where, err := whereOf(v, hit)
			if err != nil {
				return err
			}
			s.hit(hit, where)
		}
	}
	return nil
}

func (s screen) hit(h store.Hit, where string) {
	at := breadcrumb(h.TitlePath)
	if where != "" {
		at = s.paint(cyan, where) + "  " + at
	}
	s.line("%s", strings.TrimRight("  "+at, " "))
	s.line("    %s", s.highlight(h.Snippet, h.Terms))
	if h.Context != "" {
		s.line("    %s", s.paint(dim, h.Context))
	}
}

// note says what the reader should know about the answer as a whole. It goes to standard error: it is no hit.
func (p *program) note(a store.Answer) {
	if a.Relaxed && len(a.Queries) > 1 {
		fmt.Fprintln(p.err, "shelfd: few hits as typed; also searched:", strings.Join(a.Queries[1:], " | "))
	}
	if len(a.Suggestions) > 0 {
		fmt.Fprintln(p.err, "shelfd: did you mean:", strings.Join(a.Suggestions, " | "))
	}
	if more := a.Total - len(a.Hits); more > 0 {
		fmt.Fprintf(p.err, "shelfd: %d of %s\n", len(a.Hits), count(a.Total, "passage"))
	}
}

// noteStale names the shelves among the hits whose documents may not be what is on the disk.
func (p *program) noteStale(v *store.View, hits []store.Hit) error {
	told := map[string]bool{}
	for _, h := range hits {
		name := h.Document.Shelf
		if told[name] {
			continue
		}
		told[name] = true
		s, err := v.Shelf(name)
		if err != nil {
			return err
		}
		if s.State.Stale() {
			fmt.Fprintf(p.err, "shelfd: %s is %s, so this may be old: %s\n", name, s.State, s.Reason)
		}
	}
	return nil
}

func breadcrumb(titles []string) string { return strings.Join(titles, " › ") }

// grouped are the hits of each document together.
func grouped(hits []store.Hit) [][]store.Hit {
	var groups [][]store.Hit
	at := map[int64]int{}
	for _, h := range hits {
		i, seen := at[h.Document.ID]
		if !seen {
			i = len(groups)
			at[h.Document.ID] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], h)
	}
	return groups
}

func (p *program) printFiles(v *store.View, hits []store.Hit) error {
	for _, group := range grouped(hits) {
		at, err := placeOf(v, group[0])
		if err != nil {
			return err
		}
		file := at.file
		if terminal(p.out) { // a program gets the name byte for byte
			file = visible(file)
		}
		fmt.Fprintln(p.out, file)
	}
	return nil
}
