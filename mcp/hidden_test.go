package mcp

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"shelfd/store"
)

// viewing is a viewer who sees what a test says.
type viewing struct{ sight *store.Sight }

func (r viewing) Served() bool  { return true }
func (r viewing) Manages() bool { return r.sight == nil }
func (r viewing) Sight(kind string) *store.Sight {
	if kind != "" {
		return store.NewSight(store.Seen{})
	}
	return r.sight
}

// secret begins every word that stands only in what the viewer must not see.
const secret = "zqsecret"

// likeness is an answer without what may differ: ids, scores, the order of what is about as good, where folders stand.
type likeness struct {
	ids   *regexp.Regexp
	roots *strings.Replacer
	cut   bool // not all hits of a search are on the page
}

func (n likeness) value(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range x {
			if n.cut && (key == "hits" || key == "has_more" || key == "next_offset") {
				continue // which ones are on the page depends on what is better than what
			}
			if list, ok := inner.([]any); ok && key == "related_sections" && len(list) == mostLeads {
				inner = nil // so it does with these
			}
			switch key {
			case "next_steps", "score", "fts_score", "fts_rank", "doc_id", "source_document_id", "target_document_id", "index", "since", "updated_at", "last_reconcile", "lastModified", "text":
				if key == "text" {
					if s, ok := inner.(string); ok && !strings.HasPrefix(s, `{"success"`) {
						out[key] = n.value(s)
					}
				}
				continue
			}
			out[key] = n.value(inner)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = n.value(x[i])
		}
		slices.SortStableFunc(out, func(a, b any) int {
			return strings.Compare(string(encode(a)), string(encode(b)))
		})
		return out
	case string:
		return n.roots.Replace(n.ids.ReplaceAllString(x, "${1}N"))
	}
	return v
}

// raw is the whole answer to a request with id 7, as it came.
func (p *peer) raw(frame string) string {
	p.t.Helper()
	p.send(frame)
	for {
		if err := p.conn.SetReadDeadline(time.Now().Add(guard)); err != nil {
			p.t.Fatal(err)
		}
		line, err := p.in.ReadString('\n')
		if err != nil {
			p.t.Fatal(err)
		}
		if strings.Contains(line, `"id":7`) {
			return line
		}
	}
}

type asked struct {
	method string
	params any
}

func calling(name string, args fields) asked {
	return asked{"tools/call", fields{"name": name, "arguments": args}}
}

// questions ask for everything, of what is seen, of what is not and of what never was.
func (a archive) questions(r *rand.Rand) []asked {
	paths := append(slices.Clone(a.all), "Closed/never.md", "Never/x.md", "Mixed/depts/hr/never.md", "Mixed/depts/it/never.md")
	var list []asked
	for _, path := range paths {
		list = append(list,
			calling("get_document", fields{"doc_path": path}),
			calling("get_document", fields{"doc_path": strings.TrimSuffix(path, ".md") + ".mb"}),
			calling("get_document_structure", fields{"doc_path": path}),
			calling("related_documents", fields{"doc_path": path, "depth": 3, "limit": 50}),
			calling("search_documents", fields{"query": "valve pump", "doc_path": path}),
			calling("get_chunk", fields{"doc_path": path, "line": 12}),
			asked{"resources/read", fields{"uri": uriOf(path)}},
			asked{"resources/subscribe", fields{"uri": uriOf(path)}},
			asked{"completion/complete", fields{"ref": fields{"type": "ref/prompt", "name": "summarise_document"}, "argument": fields{"name": "doc_path", "value": path[:len(path)-4]}}},
			calling("save_outline", fields{"doc_path": path, "summary": "short", "sections": []any{}, "source_hash": "0"}),
			calling("docs_management", fields{"action": "manage_document_links", "operation": "list", "source": path}),
			calling("docs_management", fields{"action": "manage_document_links", "operation": "add", "source_document": path, "target_document": "Closed/never.md", "relation": "x"}),
			calling("docs_management", fields{"action": "manage_document_links", "operation": "remove", "source_document": path, "target_document": a.all[r.Intn(len(a.all))], "relation": "never"}),
		)
	}
	folders := map[string]bool{"": true, "Never": true, "Closed/" + secret: true}
	for _, path := range paths {
		for folder := filepath.Dir(path); folder != "."; folder = filepath.Dir(folder) {
			folders[folder] = true
		}
	}
	for folder := range folders {
		for _, sort := range []string{"path", "title"} {
			list = append(list, calling("browse_documents", fields{"folder": folder, "sort": sort, "limit": 50}))
		}
		list = append(list,
			calling("browse_documents", fields{"folder": folder + "x"}),
			calling("search_documents", fields{"query": "boiler", "folder": folder, "limit": 50}),
			asked{"completion/complete", fields{"ref": fields{"type": "ref/prompt", "name": "answer_with_citations"}, "argument": fields{"name": "folder", "value": folder}}},
		)
	}
	for _, shelf := range []string{"Open", "Mixed", "Closed", "Never", "Clsed"} {
		list = append(list,
			calling("docs_management", fields{"action": "export", "shelf": shelf}),
			calling("docs_management", fields{"action": "manage_shelf_links", "operation": "list", "shelf": shelf}),
			calling("docs_management", fields{"action": "manage_document_links", "operation": "list", "shelf": shelf, "limit": 50}),
			calling("sync", fields{"shelf": shelf}),
		)
	}
	list = append(list,
		calling("docs_management", fields{"action": "manage_shelves", "operation": "list"}),
		calling("docs_management", fields{"action": "manage_shelf_links", "operation": "list"}),
		calling("sync", fields{}),
		asked{"resources/list", fields{}},
		asked{"shelfd/status", fields{}},
		asked{"completion/complete", fields{"ref": fields{"type": "ref/resource", "uri": uriTemplate}, "argument": fields{"name": "shelf", "value": ""}}},
	)
	for _, q := range a.queries(r) {
		list = append(list, calling("search_documents", q))
	}
	return list
}

func (a archive) queries(r *rand.Rand) []fields {
	var list []fields
	add := func(query string) {
		q := fields{"query": query, "limit": 50}
		if len(list)%4 == 0 {
			q["detail"] = "evidence"
		}
		list = append(list, q)
	}
	for i, word := range commonWords {
		other := commonWords[r.Intn(len(commonWords))]
		forms := []string{
			word, word + " " + other, word[:4], word[1:], word[:len(word)-1] + "x" + word[len(word)-1:], fmt.Sprintf("called%d %s", r.Intn(40), word),
			fmt.Sprintf("%s%d", secret, i), fmt.Sprintf("zqsecrat%d", i), "tag:" + word, "status:" + word, secret + "key:" + word, word + " -" + other,
		}
		for range 3 {
			add(forms[r.Intn(len(forms))])
		}
	}
	for i := range 40 {
		add(fmt.Sprintf("called%d", i))
	}
	for _, query := range []string{`"valve pump"`, "pum*", "zqs*", "zqsec", "secret", "eret", "shelf:Closed", "shelf:Open valve", "path:people", "path:zqs", "heading:pump", "after:2020-01-01", "valve OR " + secret + "3", "title:" + secret} {
		add(query)
	}
	for _, mode := range []string{"literal", "regex"} {
		for _, query := range []string{"valve", secret, "pump [a-z]+"} {
			list = append(list, fields{"query": query, "limit": 50, "mode": mode})
		}
	}
	return append(list, fields{"query": "valve", "where": "path:Closed"}, fields{"query": "valve", "where": "status!=pump"}, fields{"query": "pump", "scope": "personal"})
}

// comparison is a daemon that hides documents beside one that never had them.
type comparison struct {
	a               archive
	r               *rand.Rand
	hiding, lacking *library
	n               likeness
}

func newComparison(t *testing.T, seed int64) *comparison {
	t.Helper()
	r := rand.New(rand.NewSource(seed))
	c := &comparison{a: newArchive(r), r: r}
	full, hiding := serveArchive(t, c.a, c.a.all, []string{"Open", "Mixed", "Closed"}, c.a.sight)
	part, lacking := serveArchive(t, c.a, c.a.seen, []string{"Open", "Mixed"}, c.a.sight)
	c.hiding, c.lacking = hiding, lacking
	c.n = likeness{ids: regexp.MustCompile(`(kb://doc/|kb%3A%2F%2Fdoc%2F|document )\d+`), roots: strings.NewReplacer(full.Folder, "ROOT", part.Folder, "ROOT")}
	c.a.state(t, r, full, part)
	return c
}

// compare asks both the same questions.
func (c *comparison) compare(t *testing.T, questions []asked, hiding, lacking func(asked) string) {
	t.Helper()
	faults := 0
	for _, q := range questions {
		text, other := hiding(q), lacking(q)
		n := c.n
		n.cut = strings.Contains(text+other, `"hits":`) && strings.Contains(text+other, `"has_more":true`)
		g, w := n.of(t, text), n.of(t, other)
		if !reflect.DeepEqual(g, w) {
			faults++
			here, there := apart(string(encode(g)), string(encode(w)))
			t.Errorf("%s %s:\nhiding  %s\nlacking %s", q.method, encode(q.params), here, there)
		}
		if !strings.Contains(string(encode(q.params)), secret) && strings.Contains(text, secret) {
			t.Errorf("%s %s tells a secret: …%s", q.method, encode(q.params), text[strings.Index(text, secret)-100:][:200])
		}
		if faults > 8 {
			t.Fatal("and so on")
		}
	}
}

// TestWhatIsHiddenDoesNotExist asks a daemon that hides documents and one that never had them the same questions.
func TestWhatIsHiddenDoesNotExist(t *testing.T) {
	for seed := range int64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := newComparison(t, seed)
			c.compare(t, c.a.questions(c.r), c.hiding.ways(t)["line"], c.lacking.ways(t)["line"])
		})
	}
}

// apart is where two texts begin to differ.
func apart(a, b string) (string, string) {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-120)
	return a[from:min(len(a), i+240)], b[from:min(len(b), i+240)]
}

func (n likeness) of(t *testing.T, line string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatal(err)
	}
	return n.value(v)
}
