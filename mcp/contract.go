package mcp

// structureFirst is the size in tokens above which a document should be read by its outline.
const structureFirst = 8000

// glance is the size in tokens up to which reading all costs less than looking at the outline first.
const glance = 1500

// instructions is what a client tells its model about this server: only what no single tool says. At most 2,000
// characters, where clients cut.
const instructions = `shelfd keeps the user's Markdown folders ("shelves") indexed while they change. Every document is a tree of sections (nodes) with the line numbers of the file.

FIND
1. browse_documents() first: shelves, then folders, then documents; names and descriptions usually lead to the right one.
2. search_documents() is the escalation: an exact term, a folder too long to page through (name it in folder), or browsing has stalled. Use distinctive words as the text would have them, not a question.
3. One document clearly fits: read it. Several fit equally well: ask the user which.

READ
- get_document() tells the size. If read_structure_first is true, call get_document_structure() and read only the sections you need.
- get_node_content() reads sections. Take leaf nodes: a parent brings everything below it.
- related_documents() shows what a document links to, and what links to it.

NOT FOUND? Empty results and results that miss the point count alike. Before you say so: browse every plausible folder, read the outlines of plausible documents, search with the key words, then with synonyms and in the other language the library uses, then list the likely folder to its end (limit 50, offset = next_offset until has_more is false). Say what you tried. An example is not a default; never fill the gap from general knowledge.

RULES
- Copy doc_path, folder, node_id and kb:// citations exactly from an answer; never build or guess one, and never invent a value for an argument.
- Unknown node_id: call get_document_structure() again.
- After an error follow next_steps instead of repeating the call.
- Parts: raise part until pagination.has_more is false.
- If an answer says index.state "indexing" or a shelf is offline, tell the user that it may be incomplete or old.

CITE every claim as [doc_path, L<start>-<end>], with the numbers printed before the lines, as narrow as the claim. Only what you have read with get_node_content() or get_chunk() is evidence; snippets and summaries are not.`

func docPath() param {
	return param{
		name: "doc_path", kind: aString, required: true, min: 1, max: maxArgument,
		about: "Path of the document exactly as an answer gave it: shelf, folders, file name with extension.",
	}
}

func partOf() param {
	return param{
		name: "part", kind: anInt, min: 1, absent: 1,
		about: "Which part of a long answer, from 1. Raise it until pagination.has_more is false.",
	}
}

// contract is every tool with its texts, in the order in which a model should think of them.
func contract() []*tool {
	tools := []*tool{browseTool(), documentTool(), structureTool(), contentTool(), searchTool(), chunkTool(), relatedTool(), outlineTool(), syncTool(), managementTool()}
	for _, t := range tools {
		if t.reads {
			t.params = append(t.params, waitFor())
		}
	}
	return tools
}

func browseTool() *tool {
	return &tool{
		name: "browse_documents", title: "Browse the library", reads: true, repeatable: true, run: browse,
		about: "Lists one folder of the library: its subfolders, then the documents directly in it with title, description and size. " +
			"Without arguments it lists the shelves and their state. The first tool for any question a document may answer: go down by the `path` of a folder whose name or description fits. " +
			"Page a long folder with `offset` = `next_offset`. Search only when browsing does not lead there.",
		params: []param{
			{
				name: "folder", kind: aString, max: maxArgument, absent: "",
				about: `Folder to list, exactly as the "path" of a folder in an earlier answer. "" lists the shelves.`,
			},
			{name: "offset", kind: anInt, absent: 0, about: "Where to go on: next_offset of the answer before."},
			{name: "limit", kind: anInt, min: 1, max: 50, absent: 10, about: "How many documents a page holds."},
			{
				name: "sort", kind: aString, choices: []string{"path", "updated", "title"}, absent: "path",
				about: "Order of the documents; updated = last changed first.",
			},
		},
	}
}

func documentTool() *tool {
	return &tool{
		name: "get_document", title: "Describe a document", reads: true, repeatable: true, run: describeDocument,
		about: "What is known of one document without its text: title, front matter, tags, lines, tokens, links in and out, problems in reading it. " +
			"Tells how to go on: `read_structure_first` is true above 8,000 tokens; of smaller ones the top sections can be read whole.",
		params: []param{docPath()},
	}
}

func structureTool() *tool {
	return &tool{
		name: "get_document_structure", title: "Outline of a document", reads: true, repeatable: true, run: structure,
		about: "The outline of a document without its text: sections (nodes) with node_id, title, lines and tokens, nested. " +
			"Needed before reading a document over 8,000 tokens. Shows `depth` levels; a node with `child_count` has more below it: pass its node_id to open that subtree. " +
			"Long outlines come in parts.",
		params: []param{
			docPath(),
			{
				name: "node_id", kind: aString, min: 1, max: maxArgument,
				about: "Show only this section and what is below it; depth counts from it. Exactly as an answer gave it.",
			},
			{name: "depth", kind: anInt, min: 1, max: 10, absent: 3, about: "How many levels to show."},
			partOf(),
		},
	}
}

func contentTool() *tool {
	return &tool{
		name: "get_node_content", title: "Read sections", reads: true, repeatable: true, run: content,
		about: "The Markdown of one or more sections as it stands in the file, each line behind its line number (`123│ text`). " +
			"A section comes with all its subsections, so ask for leaves; a parent only when you want all of it. What it shows is evidence: cite the lines that carry a claim as [doc_path, L<start>-<end>]. " +
			"Long text comes in parts.",
		params: []param{
			docPath(),
			{
				name: "node_ids", kind: aList, required: true, min: 1, max: 20,
				about: "Sections to read, each node_id exactly as get_document_structure or search_documents gave it.",
			},
			partOf(),
		},
	}
}

func searchTool() *tool {
	return &tool{
		name: "search_documents", title: "Search the library", reads: true, repeatable: true, run: search,
		about: "Full-text search; returns passages with their section, lines and a snippet, best first. All words are wanted; with few hits it relaxes to some of the words, then to parts of words and to words spelled alike (`match` says so). " +
			"Also: \"a phrase\", pre*, -not, OR, and filters shelf: path: tag: title: heading: after:2025-01-01 before: or any front matter key. " +
			"Case and accents don't matter; Chinese, Japanese, Korean and identifiers (C++, ISO-27001, foo_bar) work. " +
			"Use it for exact terms, in long folders and when browsing has stalled, then read the hits with get_node_content.",
		params: []param{
			{
				name: "query", kind: aString, required: true, min: 1, max: maxArgument,
				about: `Distinctive words as the text would have them, such as "valve torque" or "离职 补偿"; not a question.`,
			},
			{
				name: "folder", kind: aString, max: maxArgument,
				about: `Search only below this folder or shelf, exactly as the "path" of a folder in an answer.`,
			},
			{name: "doc_path", kind: aString, min: 1, max: maxArgument, about: "Search only in this document; wins over folder."},
			{name: "limit", kind: anInt, min: 1, max: 50, absent: 10, about: "How many passages to return."},
			{name: "offset", kind: anInt, absent: 0, about: "Where to go on: next_offset of the answer before."},
			{
				name: "detail", kind: aString, choices: []string{"concise", "evidence"}, absent: "concise",
				about: "evidence adds what a viewer needs to point at the passage.",
			},
			{
				name: "where", kind: aString, min: 1, max: maxArgument,
				about: "Filters as they may also stand in the query, kept apart from the words: tag:safety after:2025-01-01 status=draft. A front matter key equals its whole value.",
			},
			{
				name: "mode", kind: aString, choices: []string{"auto", "fts", "vector", "hybrid", "literal", "regex"}, absent: "auto",
				about: "How to look; leave it at auto. literal and regex go through the stored text character by character; vector and hybrid look for the same meaning in other words, where the library has that.",
			},
			{
				name: "scope", kind: aString, choices: []string{"global", "department", "personal"},
				about: "Only documents for everyone, for a department, or of one person, where shelves make that difference.",
			},
			{name: "locale", kind: aString, min: 1, max: maxArgument, about: "Language of display_path in the hits, such as it; doc_path never changes."},
		},
	}
}

func relatedTool() *tool {
	return &tool{
		name: "related_documents", title: "Documents that belong together", reads: true, repeatable: true, run: related,
		about: "Documents linked with this one: by its author (text), worked out from shared titles, headings, tags and words (heuristic), or stated by someone (manual). " +
			"Strongest first. Use it to find the standard a document follows, what depends on it, or further reading.",
		params: []param{
			docPath(),
			{
				name: "direction", kind: aString, choices: []string{"both", "in", "out"}, absent: "both",
				about: "out = what it refers to, in = what refers to it.",
			},
			{
				name: "origins", kind: aList, min: 1, max: 3, choices: []string{"text", "heuristic", "manual"},
				about: "Only links of these origins; all when left out.",
			},
			{name: "depth", kind: anInt, min: 1, max: 3, absent: 1, about: "How many steps to follow."},
			{name: "limit", kind: anInt, min: 1, max: 50, absent: 20, about: "How many links to return."},
		},
	}
}

func syncTool() *tool {
	return &tool{
		name: "sync", title: "Bring the index up to date", repeatable: true, run: synchronise,
		about: "Compares the shelves with the disk now and returns when the index equals it. Shelves are watched, so this is only needed right after files were changed, or when an answer looks out of date. " +
			"May take minutes on a large new shelf; sends progress.",
		params: []param{
			{name: "shelf", kind: aString, min: 1, max: maxArgument, about: "Name of one shelf; all when left out."},
		},
	}
}
