package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// hostile is a library of documents that fill every field of an answer as far as it goes.
func hostile() map[string]string {
	control := strings.Repeat("\x01", 60)     // six units a character in JSON
	long := strings.Repeat("\"\\<&>𝄞界 ", 900) // a heading of 8,000 characters
	deepPath := strings.Repeat("folder \"with\" quotes "+control[:20]+"/", 20)
	veryDeep := strings.Repeat(deepPath, 4) // longer than an argument may be
	files := map[string]string{
		"line.md":    "# One line\n\n" + strings.Repeat("\"𝄞\x02 word", 40000) + "\n\nafter\n",
		"heading.md": "# " + long + "\n\n## " + long + "\n\n### " + long + "\n\n#### " + long + "\n\n##### " + long + "\n\n###### " + long + "\n\ntext\n",
		"matter.md": "---\ntitle: " + strings.Repeat("title ", 2000) + "\ndescription: " + strings.Repeat("description ", 2000) +
			"\ntags: [" + strings.Repeat("tag of some length, ", 500) + "last]\naliases: [" + strings.Repeat("alias, ", 500) + "last]\n",
		deepPath + "deep.md":  "# Deep\n\nvalve valve valve\n",
		veryDeep + "valve.md": "# Very deep\n\nvalve valve valve valve\n",
	}
	for i := range 300 {
		files["matter.md"] += fmt.Sprintf("key%d: %s\n", i, strings.Repeat("value ", i*3))
	}
	files["matter.md"] += "---\n# Body\n\nvalve\n"
	var many, wide strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&many, "%s Section %d with a title of some length\n\nvalve %d\n\n", strings.Repeat("#", 1+i%6), i, i)
		fmt.Fprintf(&wide, "- valve number %d \x01\x02\x03, see [the line](line.md)\n", i)
	}
	files["many.md"], files["wide.md"] = many.String(), "# Wide\n\n"+wide.String()
	for i := range 60 {
		files[fmt.Sprintf("%s%d/%s%d.md", deepPath, i, control, i)] = "---\ntitle: " + long[:2000] + "\n---\n# valve " + long[:3000] + "\n\nvalve valve " + control + "\n\n[wide](/wide.md)\n"
	}
	return files
}

// Any tool, any argument: an envelope within the budget, never an internal error.
func TestNoAnswerIsOverTheBudget(t *testing.T) {
	l := newLibrary(t, hostile())
	var paths, folders, nodes []string
	collect(l, "", &paths, &folders)
	for _, p := range paths {
		var o outline
		if e := l.ask("get_document_structure", fields{"doc_path": p, "depth": 10}); e.Success {
			l.ok("get_document_structure", fields{"doc_path": p, "depth": 10}, &o)
			for _, n := range o.Nodes {
				nodes = append(nodes, n.NodeID)
			}
		}
	}
	if len(paths) < 60 || len(nodes) < 100 {
		t.Fatalf("only %d paths and %d nodes", len(paths), len(nodes))
	}
	odd := []string{"", "x", strings.Repeat("\x01", maxArgument), strings.Repeat("\"", maxArgument), strings.Repeat("界", maxArgument+1), "valve", "Standard", "../..", "valve -\"x", "shelf:Standard valve"}
	text := func(t *rapid.T, name string, from []string) string {
		if rapid.IntRange(0, 4).Draw(t, name+"?") == 0 || len(from) == 0 {
			return rapid.SampledFrom(odd).Draw(t, name)
		}
		return rapid.SampledFrom(from).Draw(t, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		args := fields{}
		tool := rapid.SampledFrom([]string{"browse_documents", "get_document", "get_document_structure", "get_node_content", "search_documents", "related_documents", "docs_management"}).Draw(t, "tool")
		for _, p := range l.tools[tool].params {
			if !p.required && rapid.Bool().Draw(t, "leave out "+p.name) {
				continue
			}
			switch p.name {
			case "doc_path":
				args[p.name] = text(t, p.name, paths)
			case "folder":
				args[p.name] = text(t, p.name, folders)
			case "node_id":
				args[p.name] = text(t, p.name, nodes)
			case "node_ids":
				list := []string{}
				for range rapid.IntRange(0, 21).Draw(t, "n") {
					list = append(list, text(t, "node", nodes))
				}
				args[p.name] = list
			case "query", "where":
				args[p.name] = text(t, p.name, []string{"valve", "section title", "\"valve number\"", "word"})
			case "document", "source", "source_document", "target", "target_document":
				args[p.name] = text(t, p.name, paths)
			case "shelf", "parent_shelf":
				args[p.name] = text(t, p.name, []string{"Standard"})
			default:
				args[p.name] = drawValue(t, p)
			}
		}
		if tool == "docs_management" {
			onlyKnown(t, l.tools[tool], args)
		}
		if e := l.ask(tool, args); e.Code == Internal {
			t.Fatalf("%s: %s", tool, e.Error)
		}
	})
}

// onlyKnown draws an action with an operation, and mostly leaves out what these do not take: a call that is refused
// for that says nothing about their answers.
func onlyKnown(t *rapid.T, tool *tool, args fields) {
	a := tool.actions[args["action"].(string)]
	if a.operations != nil {
		operation := rapid.SampledFrom(slices.Sorted(maps.Keys(a.operations))).Draw(t, "operation of the action")
		args["operation"], a = operation, a.operations[operation]
	}
	if rapid.IntRange(0, 9).Draw(t, "strangers") == 0 {
		return
	}
	for name := range args {
		if !slices.ContainsFunc(a.params, func(p param) bool { return p.name == name }) {
			delete(args, name)
		}
	}
}

func drawValue(t *rapid.T, p param) any {
	switch {
	case p.kind == aNumber:
		return rapid.Float64Range(-0.1, 1.1).Draw(t, p.name)
	case p.kind == aBool:
		return rapid.Bool().Draw(t, p.name)
	case p.kind == anObject:
		return fields{"format_version": 2, "shelf": fields{"name": "Standard"}}
	case p.kind == aList && p.choices == nil:
		return []string{"Standard"}
	case p.kind == anInt:
		return rapid.IntRange(p.min, max(p.max, 60)).Draw(t, p.name)
	case p.kind == aList:
		return rapid.SliceOfNDistinct(rapid.SampledFrom(p.choices), 1, len(p.choices), rapid.ID[string]).Draw(t, p.name)
	case p.choices != nil:
		return rapid.SampledFrom(p.choices).Draw(t, p.name)
	}
	return "x"
}

// collect walks the library as an agent would.
func collect(l *library, folder string, paths, folders *[]string) {
	*folders = append(*folders, folder)
	for offset := 0; ; {
		var page listing
		l.ok("browse_documents", fields{"folder": folder, "offset": offset, "limit": 50}, &page)
		for _, f := range page.Folders {
			if len([]rune(f.Path)) <= maxArgument {
				collect(l, f.Path, paths, folders)
			}
		}
		for _, d := range page.Documents {
			*paths = append(*paths, d.DocPath)
		}
		if !page.HasMore {
			return
		}
		offset = page.NextOffset
	}
}

func TestThePartsOfALongDocumentAreTheDocument(t *testing.T) {
	files := hostile()
	l := newLibrary(t, map[string]string{"line.md": files["line.md"], "wide.md": files["wide.md"], "many.md": files["many.md"]})
	for _, name := range []string{"line.md", "wide.md", "many.md"} {
		path := "Standard/" + name
		top := topNodes(l, path)
		for len(top) > 20 { // what one call may ask for
			top = top[:20]
		}
		got := map[int]string{}
		last := 0
		for part, parts := 1, 1; part <= parts; part++ {
			var r reading
			l.ok("get_node_content", fields{"doc_path": path, "node_ids": top, "part": part}, &r)
			parts = r.Pagination.Parts
			if r.Pagination.Part != part || r.Pagination.HasMore != (part < parts) {
				t.Fatalf("%s: %+v", name, r.Pagination)
			}
			for _, n := range r.Nodes {
				for _, line := range strings.Split(n.Content, "\n") {
					number, text := splitNumber(t, line)
					if number < last || number > last+1 {
						t.Fatalf("%s: line %d follows line %d", name, number, last)
					}
					got[number] += text
					last = number
				}
			}
			e := l.refused(InvalidInput, "get_node_content", fields{"doc_path": path, "node_ids": top, "part": parts + 1})
			if !strings.Contains(e.Error, "no part") {
				t.Errorf("%s", e.Error)
			}
		}
		want := strings.Split(strings.TrimSuffix(files[name], "\n"), "\n")
		for n := 1; n <= last; n++ {
			if got[n] != want[n-1] {
				t.Fatalf("%s: line %d is not the file's", name, n)
			}
		}
		if name != "many.md" && last != len(want) {
			t.Errorf("%s: %d of %d lines", name, last, len(want))
		}
	}
}

func topNodes(l *library, path string) []string {
	var o outline
	l.ok("get_document_structure", fields{"doc_path": path, "depth": 1}, &o)
	var ids []string
	for _, n := range o.Nodes {
		ids = append(ids, n.NodeID)
	}
	return ids
}

func TestThePartsOfALongOutlineAreTheOutline(t *testing.T) {
	l := newLibrary(t, map[string]string{"many.md": hostile()["many.md"], "one.md": "# One\n\n" + strings.ReplaceAll(hostile()["many.md"], "# Section", "## Section")})
	for _, name := range []string{"many.md", "one.md"} {
		seen := map[int]bool{}
		var starting []int
		for part, parts := 1, 1; part <= parts; part++ {
			var o outline
			l.ok("get_document_structure", fields{"doc_path": "Standard/" + name, "depth": 10, "part": part}, &o)
			parts = o.Pagination.Parts
			starts(o.Nodes, seen, &starting)
		}
		for i := 1; i < len(starting); i++ {
			if starting[i] <= starting[i-1] {
				t.Fatalf("%s: line %d after line %d", name, starting[i], starting[i-1])
			}
		}
		if len(starting) < 3300 { // seven number signs make no heading
			t.Errorf("%s: %d nodes", name, len(starting))
		}
	}
}

func TestANodeIdTooLongToBeAnArgumentHasAShortForm(t *testing.T) {
	title := strings.Repeat("very long heading ", 400)
	l := newLibrary(t, map[string]string{"x.md": "# " + title + "\n\nfirst text\n\n# " + title + "\n\nsecond text\n"})
	ids := topNodes(l, "Standard/x.md")
	if len(ids) != 2 || ids[0] == ids[1] || len([]rune(ids[0])) > maxArgument {
		t.Fatalf("%q", ids)
	}
	for i, want := range []string{"first text", "second text"} {
		var r reading
		l.ok("get_node_content", fields{"doc_path": "Standard/x.md", "node_ids": []string{ids[i]}}, &r)
		if !strings.Contains(r.Nodes[0].Content, want) {
			t.Errorf("node %d: %s", i, clip(r.Nodes[0].Content, 200))
		}
	}
	var f found
	l.ok("search_documents", fields{"query": "\"second text\""}, &f)
	if len(f.Hits) == 0 || f.Hits[0].NodeID != ids[1] {
		t.Errorf("a hit names the node otherwise: %+v", f.Hits)
	}
}
