package main

import (
	"fmt"
	"strings"

	"shelfd/store"
)

// renderIndex is the outline of a document as Markdown: title, summary, the tree of sections with what is said about
// each and where it stands. It is a function of the index, without times: rendered again it is the same.
func renderIndex(v *store.View, d store.Document) (string, error) {
	nodes, err := v.Nodes(d.ID)
	if err != nil {
		return "", err
	}
	o, err := v.Outline(d.ID)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n`%s`, %s, about %s\n", escaped(d.Title), d.Path, count(d.Lines, "line"), count(d.Tokens, "token"))
	if o.Status != store.OutlineNone {
		fmt.Fprintf(&b, "\n%s\n\n%s\n", escaped(o.Summary), provenance(o))
	}
	if len(nodes) > 0 {
		b.WriteString("\n## Sections\n\n")
	}
	said := map[string]store.OutlineSection{}
	for _, s := range o.Sections {
		said[s.NodeID] = s
	}
	depths := make([]int, len(nodes))
	for i, n := range nodes {
		if n.Parent >= 0 {
			depths[i] = depths[n.Parent] + 1
		}
		renderSection(&b, strings.Repeat("  ", depths[i]), n, said[n.ID])
	}
	return b.String(), nil
}

// provenance says where the summaries come from and what they are worth.
func provenance(o store.IndexedOutline) string {
	from := "Summaries written by a model"
	if o.Kind == store.OutlineExtractive {
		from = "Summary in the document's own sentences"
	}
	if o.Version != "" {
		from += ", version " + escaped(o.Version)
	}
	if o.Status == store.OutlineStale {
		from += "; stale: the document has changed since"
	}
	return "*" + from + ".*"
}

func renderSection(b *strings.Builder, indent string, n store.Node, s store.OutlineSection) {
	title := n.Title
	if n.Level == 0 {
		title = "(before the first heading)"
	}
	fmt.Fprintf(b, "%s- **%s** L%d-%d `%s`\n", indent, escaped(title), n.Lines.Start, n.Lines.End, n.ID)
	if s.Summary != "" {
		fmt.Fprintf(b, "\n%s  %s\n\n", indent, escaped(s.Summary))
	}
	for _, fact := range s.KeyFacts {
		fmt.Fprintf(b, "%s  - %s\n", indent, escaped(fact))
	}
}

// escaped is text on one line that Markdown shows as it is, at the start of a line too.
func escaped(s string) string {
	s = markdownSigns.Replace(strings.Join(strings.Fields(s), " "))
	if number := strings.TrimLeft(s, "0123456789"); number != s && strings.HasPrefix(number, ".") {
		return strings.Replace(s, ".", `\.`, 1)
	}
	if s != "" && strings.ContainsRune("-+>=|~", rune(s[0])) {
		return `\` + s
	}
	return s
}

var markdownSigns = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, "#", `\#`)
