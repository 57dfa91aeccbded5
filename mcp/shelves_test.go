package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSyncReportsWhatChangedOnDisk(t *testing.T) {
	l := newLibrary(t, manual())
	l.write("boiler/new.md", "# New\n\nchiffchaff\n")
	if err := os.Remove(filepath.Join(l.root, "readme.md")); err != nil {
		t.Fatal(err)
	}
	var s synced
	l.ok("sync", fields{"shelf": "Standard"}, &s)
	if len(s.Shelves) != 1 || s.Shelves[0].Documents != 8 || s.Shelves[0].State != "watching" || s.UpdatedAt == "" {
		t.Errorf("%+v", s)
	}
	var f found
	l.ok("search_documents", fields{"query": "chiffchaff"}, &f)
	if len(f.Hits) != 1 {
		t.Errorf("the new document is not found: %+v", f)
	}
	l.refused(NotFound, "get_document", fields{"doc_path": "Standard/readme.md"})
}

func TestShelvesAreManaged(t *testing.T) {
	l := newLibrary(t, manual())
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "a.md"), []byte("# Sparrowhawk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	manage := func(args fields) fields { args["action"] = "manage_shelves"; return args }
	l.ok("docs_management", manage(fields{"operation": "add", "root": other, "name": "Birds", "description": "Of prey"}), nil)
	l.sync()
	var list shelfList
	l.ok("docs_management", manage(fields{"operation": "list"}), &list)
	if len(list.Shelves) != 2 || list.Shelves[0].Name != "Birds" || list.Shelves[0].Documents != 1 || list.Shelves[1].Chunks == 0 || list.Shelves[0].Description != "Of prey" {
		t.Errorf("%+v", list)
	}
	l.ok("docs_management", manage(fields{"operation": "rename", "shelf": "Birds", "new_name": "Raptors"}), nil)
	l.ok("get_document", fields{"doc_path": "Raptors/a.md"}, nil)
	l.ok("docs_management", manage(fields{"operation": "remove", "name": "Raptors"}), nil)
	l.refused(NotFound, "get_document", fields{"doc_path": "Raptors/a.md"})
	for _, bad := range []fields{
		{"operation": "add"},
		{"operation": "add", "root": "relative"},
		{"operation": "add", "root": filepath.Join(other, "missing")},
		{"operation": "add", "root": filepath.Join(l.root, "boiler")},
		{"operation": "remove"},
		{"operation": "remove", "shelf": "Standard"},
		{"operation": "rename", "shelf": "Standard"},
		{"operation": "explode"},
		{},
	} {
		if e := l.refused(InvalidInput, "docs_management", manage(bad)); e.Error == "" {
			t.Errorf("%v: no reason", bad)
		}
	}
	l.refused(NotFound, "docs_management", manage(fields{"operation": "remove", "shelf": "Nope"}))
	e := l.refused(InvalidInput, "docs_management", fields{"action": "manage_shelf", "anything": 1})
	if !strings.Contains(e.Details.Rejected[0].Expected, "manage_shelves") || e.Details.Rejected[0].Nearest != "manage_shelves" {
		t.Errorf("an unknown action must list the known ones: %+v", e)
	}
}

func TestWithoutAnIndexerReadingWorksAndChangesAreRefused(t *testing.T) {
	l := &library{t: t, served: serve(t, Options{})}
	l.ok("browse_documents", nil, nil)
	l.refused(Unavailable, "sync", nil)
	l.refused(Unavailable, "docs_management", fields{"action": "manage_shelves", "operation": "add", "root": "/x"})
	l.refused(InvalidInput, "no_such_tool", nil)
}

func TestProgressIsSentDuringSyncAndNeverAfterTheAnswer(t *testing.T) {
	l := newLibrary(t, manual())
	p := l.dial(t)
	for i := range 20 {
		l.write(fmt.Sprintf("more/%d.md", i), "# more\n")
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"sync","arguments":{},"_meta":{"progressToken":"tok"}}}`, i))
		last := -1.0
		for {
			r := p.receive()
			if r.Method == "notifications/progress" {
				at := r.Params["progress"].(float64)
				if r.Params["progressToken"] != "tok" || at <= last {
					t.Errorf("progress %v after %v: %v", at, last, r.Params)
				}
				last = at
				continue
			}
			if out := r.tool(t); out.IsError {
				t.Errorf("%+v", out)
			}
			break
		}
	}
	p.silent()
}

// The numbers are those of this sync, however much was indexed before.
func TestProgressOfASyncCountsWhatItReads(t *testing.T) {
	l := newLibrary(t, manual())
	p := l.dial(t)
	known := len(manual())
	for round := range 2 {
		for i := range 300 {
			l.write(fmt.Sprintf("round%d/%d.md", round, i), strings.Repeat("# Some title\n\nSome words of text.\n\n", 30))
		}
		known += 300
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sync","arguments":{},"_meta":{"progressToken":"tok"}}}`)
		told := 0
		for r := p.receive(); r.Method == "notifications/progress"; r = p.receive() {
			done, _ := r.Params["progress"].(float64)
			total, _ := r.Params["total"].(float64)
			if done > total || int(total) > known+300 { // events may have some read beside the sync
				t.Errorf("round %d: %v of %v, there are %d documents", round, done, total, known)
			}
			told++
		}
		if told == 0 {
			t.Errorf("round %d: no progress", round)
		}
	}
}

func TestProgressOfAnImportCountsLinks(t *testing.T) {
	l := newLibrary(t, manual())
	links := []fields{}
	for i := range 5000 {
		links = append(links, fields{"source": fields{"relative_path": fmt.Sprintf("no%d.md", i)}, "target": fields{"relative_path": "none.md"}, "relation": "related"})
	}
	arguments := fields{"action": "import", "dry_run": true, "manifest": fields{"format_version": 2, "shelf": fields{"name": "Standard"}, "documents": []any{}, "document_links": links}}
	p := l.dial(t)
	p.send(rpc("1", "tools/call", `"name":"docs_management","_meta":{"progressToken":7},"arguments":`+string(encode(arguments))))
	told := 0
	r := p.receive()
	for ; r.Method == "notifications/progress"; r = p.receive() {
		if r.Params["total"] != 5000.0 || r.Params["progressToken"] != 7.0 {
			t.Errorf("told %+v", r.Params)
		}
		told++
	}
	if out := r.tool(t); out.IsError || told == 0 {
		t.Errorf("told %d times; %.300s", told, out.Content[0].Text)
	}
}

func TestStructuredContentIsTheText(t *testing.T) {
	l := newLibrary(t, manual())
	p := l.dial(t)
	for i, args := range []fields{{"query": "valve <b> & \u2028"}, {"query": ""}} {
		p.send(toolCall(fmt.Sprint(i), "search_documents", args))
		out := p.receive().tool(t)
		var text, structured any
		if err := json.Unmarshal([]byte(out.Content[0].Text), &text); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out.Structured, &structured); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(text) != fmt.Sprint(structured) || len(out.Content) != 1 || out.IsError != (i == 1) {
			t.Errorf("%v: %+v", args, out)
		}
	}
}

// An unplugged disk: what was known stays readable, and every answer says how old it may be.
func TestAnswersFromAShelfThatIsOfflineSaySo(t *testing.T) {
	l := newLibrary(t, manual())
	if err := os.Rename(l.root, l.root+".gone"); err != nil {
		t.Fatal(err)
	}
	var s synced
	l.ok("sync", nil, &s)
	if s.Shelves[0].State != "offline" || s.Shelves[0].Documents != 8 {
		t.Fatalf("%+v", s)
	}
	var top, folder listing
	l.ok("browse_documents", nil, &top)
	e := l.ok("browse_documents", fields{"folder": "Standard/boiler"}, &folder)
	if top.Folders[0].State != "offline" || top.Folders[0].Reason == "" || folder.State != "offline" || !strings.Contains(e.Next.Summary, "offline") {
		t.Errorf("browse: %+v %+v %s", top, folder, e.Next.Summary)
	}
	var f found
	l.ok("search_documents", fields{"query": "torque"}, &f)
	if len(f.Hits) == 0 || f.Hits[0].ShelfState != "offline" {
		t.Errorf("search: %+v", f.Hits)
	}
	var card documentCard
	l.ok("get_document", fields{"doc_path": "Standard/readme.md"}, &card)
	if card.ShelfState != "offline" {
		t.Errorf("document: %+v", card)
	}
	for tool, arguments := range map[string]fields{
		"get_document_structure": {"doc_path": "Standard/readme.md"},
		"get_node_content":       {"doc_path": "Standard/readme.md", "node_ids": []string{f.Hits[0].NodeID}},
		"related_documents":      {"doc_path": "Standard/readme.md"},
		"get_chunk":              {"citation": f.Hits[0].Citation},
	} {
		if tool == "get_node_content" {
			arguments["doc_path"] = f.Hits[0].DocPath
		}
		var marked struct {
			ShelfState string `json:"shelf_state"`
		}
		l.ok(tool, arguments, &marked)
		if marked.ShelfState != "offline" {
			t.Errorf("%s does not say that the shelf is offline", tool)
		}
	}
}

func TestAReadingCallThatTakesTooLongIsStoppedAndSaysSo(t *testing.T) {
	l := &library{t: t, served: serve(t, Options{ReadDeadline: 1})}
	for tool, args := range map[string]fields{
		"browse_documents": nil, "search_documents": {"query": "x"}, "get_document": {"doc_path": "x"},
	} {
		if e := l.refused(Unavailable, tool, args); !strings.Contains(e.Error, "too long") {
			t.Errorf("%s: %s", tool, e.Error)
		}
	}
}

func TestACancelledCallIsToldAsSuch(t *testing.T) {
	l := &library{t: t, served: serve(t, Options{})}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	raw, failed := l.Call(ctx, "browse_documents", nil)
	if !failed || !strings.Contains(string(raw), `"code":"CANCELLED"`) {
		t.Errorf("%s", raw)
	}
}
