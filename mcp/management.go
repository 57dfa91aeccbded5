package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// managementTool is one tool for all that is changed rarely, so that it costs a model little. Each operation takes its
// own arguments and refuses those of others; what the schema shows is the union of all.
func managementTool() *tool {
	t := &tool{
		name: "docs_management", title: "Manage shelves and links", destroys: true,
		about: "Changes shelves and how documents are linked; only on the user's wish. Files are never touched. Actions and operations:\n" +
			"manage_shelves: list, add(root), remove(shelf), rename(shelf, new_name), forget(shelf whose folder is gone).\n" +
			"manage_shelf_links: which shelf extends which: list, add_parent, remove_parent, set_parents.\n" +
			"manage_document_links: list, add, remove, replace_for_document, prune_heuristic_links(max_confidence).\n" +
			"correlate(mode): links worked out from shared titles, headings, tags, words; says what would be linked and why.\n" +
			"export(shelf), import(manifest).\n" +
			"correlate and prune_heuristic_links only show what they would do until apply is true. Links you are sure of belong in manage_document_links add.",
	}
	t.actions = managementActions()
	t.params = unionOf(t.actions)
	return t
}

func managementActions() map[string]action {
	return map[string]action{
		"manage_shelves": {operations: map[string]action{
			"list":   taking("", listShelves),
			"add":    managed(taking("root! name shelf description", addShelf)),
			"remove": managed(taking("shelf name", removeShelf)),
			"rename": managed(taking("shelf name new_name!", renameShelf)),
			"forget": managed(taking("shelf name", forgetShelf)),
		}},
		"manage_shelf_links": {operations: map[string]action{
			"list":          taking("shelf", listParents),
			"add_parent":    managed(taking("shelf! parent_shelf!", addParent)),
			"remove_parent": managed(taking("shelf! parent_shelf!", removeParent)),
			"set_parents":   managed(taking("shelf! parent_shelves!", setParents)),
		}},
		"manage_document_links": {operations: map[string]action{
			"list":                  taking("shelf source source_document source_document_id target target_document target_document_id origin limit offset", listLinks),
			"add":                   taking("source_document source_document_id target_document target_document_id relation! confidence label rationale", addLink),
			"remove":                taking("source_document source_document_id target_document target_document_id relation", removeLink),
			"replace_for_document":  taking("source_document source_document_id links!", replaceLinks),
			"prune_heuristic_links": managed(taking("shelf max_confidence! apply", pruneLinks)),
		}},
		"correlate": managed(withAction(taking("mode! document document_id shelf scope min_confidence min_signal_count max_links_per_document apply", correlateDocuments))),
		"export":    withAction(taking("shelf! part", exportShelf)),
		"import":    managed(withAction(taking("manifest! shelf dry_run", importManifest))),
	}
}

// taking is an operation with its arguments by name, required ones marked.
func taking(names string, run func(context.Context, call) (json.RawMessage, error)) action {
	a := action{run: run}
	all := managementParams()
	for _, name := range append([]string{"action!", "operation!"}, strings.Fields(names)...) {
		bare, required := strings.CutSuffix(name, "!")
		i := slices.IndexFunc(all, func(p param) bool { return p.name == bare })
		p := all[i] // a name without a param is a mistake that every test of the contract finds
		p.required = required
		a.params = append(a.params, p)
	}
	return a
}

// managed is an action that is not for everybody who sees what it is about.
func managed(a action) action {
	a.managed = true
	return a
}

// withAction is an action that has no operations.
func withAction(a action) action {
	a.params = slices.DeleteFunc(a.params, func(p param) bool { return p.name == "operation" })
	return a
}

// unionOf are all arguments of all operations; those that every one requires are required.
func unionOf(actions map[string]action) []param {
	union := managementParams()
	for i := range union {
		p := &union[i]
		p.required = p.name == "action"
		if p.name == "action" {
			p.choices = slices.Sorted(maps.Keys(actions))
		}
		if p.name == "operation" {
			p.choices = nil
			for _, a := range actions {
				p.choices = append(p.choices, slices.Collect(maps.Keys(a.operations))...)
			}
			slices.Sort(p.choices)
			p.choices = slices.Compact(p.choices)
		}
	}
	return union
}

// managementParams are all arguments, in the order in which a model should read them.
func managementParams() []param {
	text := func(name, about string) param {
		return param{name: name, kind: aString, min: 1, max: maxArgument, about: about}
	}
	id := func(name, about string) param { return param{name: name, kind: anInt, min: 1, about: about} }
	return []param{
		text("action", "What to manage."),
		text("operation", "What to do; needed by the manage_ actions."),
		text("shelf", "Name of a shelf: the one to change, to look at, to correlate, to export, to import into."),
		text("name", "add: name of the new shelf; the folder's name when left out."),
		text("root", "add: absolute path of the folder."),
		text("description", "add: one sentence that helps choose this shelf."),
		text("new_name", "rename: the shelf's name from now on."),
		text("parent_shelf", "add_parent, remove_parent: the shelf that shelf extends."),
		{name: "parent_shelves", kind: aList, max: 100, about: "set_parents: all shelves that shelf extends, [] for none."},
		text("source_document", "doc_path of the document that a link starts from."),
		id("source_document_id", "The same by its id."),
		text("target_document", "doc_path of the document that a link leads to."),
		id("target_document_id", "The same by its id."),
		text("relation", "What the link says: references_standard, extends_standard, references_custom, mentions, or a word of your own. remove without it removes every relation."),
		{name: "confidence", kind: aNumber, max: 1, absent: 1.0, about: "How sure it is."},
		text("label", "A few words shown with the link."),
		text("rationale", "Why the link is right."),
		{name: "links", kind: aList, max: maxLinks, entries: linkParams(), about: "replace_for_document: all manual links of the source from now on, [] for none."},
		text("source", "list: only links from this doc_path."),
		text("target", "list: only links to this doc_path."),
		{name: "origin", kind: aString, choices: []string{"text", "heuristic", "manual"}, about: "list: only links of this origin."},
		{name: "limit", kind: anInt, min: 1, max: 100, absent: 50, about: "list: how many links a page holds."},
		{name: "offset", kind: anInt, absent: 0, about: "list: where to go on: next_offset of the answer before."},
		{name: "max_confidence", kind: aNumber, max: 1, about: "prune_heuristic_links: heuristic links of at most this confidence."},
		{name: "mode", kind: aString, choices: []string{"document", "shelf"}, about: "correlate: the links of one document, or of all of a shelf."},
		text("document", "correlate with mode document: its doc_path."),
		id("document_id", "The same by its id."),
		{name: "scope", kind: aString, choices: []string{"shelf", "shelf_with_parents", "cross_shelf"}, about: "correlate: where targets may stand. What is left out of these four stays as it is."},
		{name: "min_confidence", kind: aNumber, max: 1, about: "correlate: weaker links are left out."},
		{name: "min_signal_count", kind: anInt, max: 6, about: "correlate: links that fewer signals support are left out."},
		{name: "max_links_per_document", kind: anInt, max: 1000, about: "correlate: only so many of the best of each document, 0 for all."},
		{name: "apply", kind: aBool, absent: false, about: "correlate: these settings hold for the shelf or document from now on. prune_heuristic_links: remove the links for good. false only shows."},
		partOf(),
		{name: "manifest", kind: anObject, about: "import: what export gave, one part at a time."},
		{name: "dry_run", kind: aBool, absent: false, about: "import: only say what would change."},
	}
}

// maxLinks is how many links replace_for_document takes.
const maxLinks = 200

func linkParams() []param {
	return []param{
		{name: "target_document", kind: aString, min: 1, max: maxArgument, about: "doc_path of the document that the link leads to."},
		{name: "target_document_id", kind: anInt, min: 1, about: "The same by its id."},
		{name: "relation", kind: aString, required: true, min: 1, max: maxArgument, about: "What the link says."},
		{name: "confidence", kind: aNumber, max: 1, absent: 1.0, about: "How sure it is."},
		{name: "label", kind: aString, min: 1, max: maxArgument, about: "A few words shown with the link."},
		{name: "rationale", kind: aString, min: 1, max: maxArgument, about: "Why the link is right."},
	}
}
