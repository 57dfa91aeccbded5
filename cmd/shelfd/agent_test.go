package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shelfd/internal/client"
)

// agentTour is a daemon with a home of its own, and an agent's session on its socket.
type agentTour struct {
	*tour
	agent *client.Client
}

// newAgentTour serves a product's manual and a client's variant of it.
func newAgentTour(t *testing.T) *agentTour {
	s := &agentTour{tour: newTour(t)}
	page := func(folder, name, title, body string) {
		s.file(filepath.Join(folder, name), "---\ntags: [heat, water]\n---\n# "+title+"\n\n## Filling\n\n"+body+"\n\n## Venting\n\nLet air out of the circuit.\n")
	}
	page("product", "boiler.md", "Boiler pressure", "Open the valve and fill water until the gauge shows two bar.")
	page("product", "pump.md", "Pump pressure", "Open the valve and fill water until the gauge shows three bar.")
	page("product", "chimney.md", "Chimney", "Once a year, with a brush of steel.")
	page("client", "boiler.md", "Boiler pressure", "Open the valve in the cellar and fill water until the gauge shows one bar.")
	s.file("config.yaml", "shelves:\n  - {name: Product, root: product}\n  - {name: Client, root: client}\n")
	s.env = append(s.env, "SHELFD_CONFIG="+filepath.Join(s.home, "config.yaml"))
	s.run("shelfd serve 2> log &")
	s.run("shelfd status --wait 30s")
	s.dial()
	return s
}

func (s *agentTour) dial() {
	s.t.Helper()
	agent, err := client.Dial(s.t.Context(), filepath.Join(s.home, "s"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { agent.Close() })
	s.agent = agent
	s.call("sync", map[string]any{}, nil)
}

func (s *agentTour) file(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *agentTour) call(tool string, arguments map[string]any, data any) {
	s.t.Helper()
	if err := s.agent.Call(s.t.Context(), client.Request{Tool: tool, Arguments: arguments}, data); err != nil {
		s.t.Fatalf("%s %v: %v", tool, arguments, err)
	}
}

// manage calls docs_management with an action, an operation ("" = none) and arguments in pairs.
func (s *agentTour) manage(data any, action, operation string, pairs ...any) {
	s.t.Helper()
	s.call("docs_management", managed(action, operation, pairs), data)
}

func managed(action, operation string, pairs []any) map[string]any {
	m := map[string]any{"action": action}
	if operation != "" {
		m["operation"] = operation
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

// refused is the error of a call that must be refused.
func (s *agentTour) refused(code, action, operation string, pairs ...any) string {
	s.t.Helper()
	err := s.agent.Call(s.t.Context(), client.Request{Tool: "docs_management", Arguments: managed(action, operation, pairs)}, nil)
	var r *client.Refusal
	if !errors.As(err, &r) || r.Code != code {
		s.t.Fatalf("%s %s %v: %v, want %s", action, operation, pairs, err, code)
	}
	return r.Text
}

// mapLink is a link in an answer.
type mapLink struct {
	Source, Target, Relation, Origin string
	Confidence                       float64
	Stored                           bool
	SignalCount                      int `json:"signal_count"`
	Signals                          map[string]float64
	SourceID                         int64 `json:"source_document_id"`
	TargetID                         int64 `json:"target_document_id"`
}

type mapAnswer struct {
	Mode                    string
	Apply                   bool
	Candidates              json.RawMessage // a number, or the links to be pruned
	Changed, Proposed       int
	Written, Removed, Total int
	Links                   []mapLink
	Samples                 []mapLink `json:"sample_links"`
	Warnings                []string
}

// TestSmokeOfTheMindMap is the smoke test of the map of documents, from a client's side of the socket: hierarchy,
// correlation, pruning, links that someone states, a manifest there and back; at the end all of it outlives the database.
func TestSmokeOfTheMindMap(t *testing.T) {
	s := newAgentTour(t)
	s.hierarchy()
	s.correlation()
	s.pruning()
	s.statements()
	s.manifest()
	s.outlives()
}

func (s *agentTour) hierarchy() {
	var a mapAnswer
	s.manage(&a, "manage_shelf_links", "add_parent", "shelf", "Client", "parent_shelf", "Product")
	if a.Changed != 1 {
		s.t.Errorf("add_parent: %+v", a)
	}
	if text := s.refused("INVALID_INPUT", "manage_shelf_links", "add_parent", "shelf", "Product", "parent_shelf", "Client"); !strings.Contains(text, "cycle: Client → Product → Client") {
		s.t.Errorf("a cycle: %s", text)
	}
	s.manage(nil, "manage_shelf_links", "remove_parent", "shelf", "Client", "parent_shelf", "Product")
	s.manage(nil, "manage_shelf_links", "set_parents", "shelf", "Client", "parent_shelves", []string{"Product"})
	var list struct {
		Shelves []struct {
			Name    string
			Parents []string
		}
	}
	s.manage(&list, "manage_shelf_links", "list")
	if len(list.Shelves) != 2 || list.Shelves[0].Name != "Client" || !slices.Equal(list.Shelves[0].Parents, []string{"Product"}) {
		s.t.Errorf("list: %+v", list)
	}
}

func (s *agentTour) correlation() {
	var dry, applied, again mapAnswer
	ask := []any{"mode", "shelf", "shelf", "Client", "scope", "shelf_with_parents", "min_confidence", 0.3, "min_signal_count", 2, "max_links_per_document", 5}
	s.manage(&dry, "correlate", "", append(ask, "apply", false)...)
	if dry.Mode != "shelf" || dry.Apply || dry.Proposed < 2 || dry.Written != 0 || len(dry.Samples) != dry.Proposed {
		s.t.Errorf("dry: %+v", dry)
	}
	if first := dry.Samples[0]; first.Relation != "extends_standard" || len(first.Signals) != 6 || first.SignalCount < 2 || !first.Stored {
		s.t.Errorf("dry: %+v", first)
	}
	if last := dry.Samples[len(dry.Samples)-1]; last.Stored {
		s.t.Errorf("a weak link stands before it is applied: %+v", last)
	}
	s.manage(&applied, "correlate", "", append(ask, "apply", true)...)
	s.manage(&again, "correlate", "", ask...)
	if !applied.Apply || applied.Written == 0 || slices.ContainsFunc(again.Samples, func(l mapLink) bool { return !l.Stored }) {
		s.t.Errorf("applied: %+v, again: %+v", applied, again)
	}
	var parent mapAnswer
	s.manage(&parent, "correlate", "", "mode", "shelf", "shelf", "Product", "scope", "cross_shelf", "min_confidence", 0.1)
	if slices.ContainsFunc(parent.Samples, func(l mapLink) bool { return strings.HasPrefix(l.Target, "Client/") }) {
		s.t.Errorf("a parent links to its child: %+v", parent)
	}
	var one mapAnswer
	s.manage(&one, "correlate", "", "mode", "document", "document_id", dry.Samples[0].SourceID)
	if one.Mode != "document" || one.Proposed == 0 {
		s.t.Errorf("document: %+v", one)
	}
}

func (s *agentTour) pruning() {
	var dry, applied, none mapAnswer
	ask := []any{"shelf", "Client", "max_confidence", 0.55}
	s.manage(&dry, "manage_document_links", "prune_heuristic_links", append(ask, "apply", false)...)
	if dry.Total == 0 || dry.Removed != 0 {
		s.t.Errorf("dry: %+v", dry)
	}
	s.manage(&applied, "manage_document_links", "prune_heuristic_links", append(ask, "apply", true)...)
	s.manage(&none, "manage_document_links", "prune_heuristic_links", ask...)
	if applied.Removed != dry.Total || none.Total != 0 {
		s.t.Errorf("applied: %+v, then %+v", applied, none)
	}
}

func (s *agentTour) statements() {
	var added, listed, replaced, removed mapAnswer
	s.manage(&added, "manage_document_links", "add", "source_document", "Client/boiler.md", "target_document", "Product/chimney.md",
		"relation", "references_standard", "confidence", 1.0, "label", "flue", "rationale", "the flue is theirs")
	if added.Changed != 1 || len(added.Links) != 1 || added.Links[0].Origin != "manual" {
		s.t.Errorf("add: %+v", added)
	}
	s.manage(&listed, "manage_document_links", "list", "shelf", "Client", "origin", "manual")
	if listed.Total != 1 || listed.Links[0].Target != "Product/chimney.md" {
		s.t.Errorf("list: %+v", listed)
	}
	s.manage(&replaced, "manage_document_links", "replace_for_document", "source_document_id", added.Links[0].SourceID, "links", []any{
		map[string]any{"target_document": "Product/pump.md", "relation": "needs"},
		map[string]any{"target_document_id": added.Links[0].TargetID, "relation": "references_standard", "label": "flue"},
	})
	if replaced.Changed != 2 || len(replaced.Links) != 2 {
		s.t.Errorf("replace: %+v", replaced)
	}
	s.manage(&removed, "manage_document_links", "remove", "source_document", "Client/boiler.md", "target_document", "Product/chimney.md", "relation", "references_standard")
	if removed.Changed != 1 || len(removed.Links) != 1 {
		s.t.Errorf("remove: %+v", removed)
	}
	s.refused("INVALID_INPUT", "manage_document_links", "add", "source_document", "Client/boiler.md", "target_document", "Client/boiler.md", "relation", "x")
	s.refused("NOT_FOUND", "manage_document_links", "add", "source_document", "Client/boiler.md", "target_document", "Product/none.md", "relation", "x")
}

func (s *agentTour) manifest() {
	manifest := s.run("shelfd export Client > manifest.json; cat manifest.json")
	var exported struct{ Manifest json.RawMessage }
	s.manage(&exported, "export", "", "shelf", "Client")
	var indented bytes.Buffer
	if err := json.Indent(&indented, exported.Manifest, "", "  "); err != nil || indented.String()+"\n" != manifest {
		s.t.Errorf("%v\nthe tool exports\n%s\nthe command\n%s", err, &indented, manifest)
	}
	s.manage(nil, "manage_document_links", "replace_for_document", "source_document", "Client/boiler.md", "links", []any{})
	if out := s.run("shelfd import --dry-run manifest.json"); !strings.Contains(out, "1 would be new or changed") {
		s.t.Errorf("dry run: %s", out)
	}
	var imported mapAnswer
	s.manage(&imported, "import", "", "manifest", exported.Manifest)
	if imported.Changed != 1 || len(imported.Warnings) != 0 {
		s.t.Errorf("import: %+v", imported)
	}
	if again := s.run("shelfd export Client"); again != manifest {
		s.t.Errorf("before\n%s\nafter\n%s", manifest, again)
	}
}

// outlives takes the database away: the folders and the ledger bring all of it back.
func (s *agentTour) outlives() {
	before := s.run("shelfd dump")
	s.agent.Close()
	s.end()
	s.run("rm -f .local/state/shelfd/index.db*")
	s.run("shelfd serve 2> log &")
	s.run("shelfd status --wait 30s")
	s.dial()
	if after := s.run("shelfd dump"); after != before || !strings.Contains(before, `"origin":"manual"`) {
		s.t.Errorf("lost with the database\nbefore\n%s\nafter\n%s", before, after)
	}
	if out := s.run("shelfd check"); !strings.Contains(out, "no differences") {
		s.t.Errorf("check: %s", out)
	}
}
