package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// rpc is a request with params written as JSON, without the braces.
func rpc(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params)
}

func uriParam(uri string) string { return `"uri":` + string(encode(uri)) }

// request sends a request and decodes the result; an error fails the test.
func (p *peer) request(method, params string, into any) reply {
	p.t.Helper()
	p.send(rpc(`"r"`, method, params))
	r := p.receive()
	if r.Error != nil {
		p.t.Fatalf("%s: %+v", method, r.Error)
	}
	if into != nil {
		if err := json.Unmarshal(r.Result, into); err != nil {
			p.t.Fatal(err)
		}
	}
	return r
}

// fails sends a request that must be refused with that code.
func (p *peer) fails(code int, method, params string) {
	p.t.Helper()
	p.send(rpc(`"f"`, method, params))
	if r := p.receive(); r.Error == nil || r.Error.Code != code || string(r.ID) != `"f"` {
		p.t.Errorf("%s %s: %+v, want code %d", method, params, r, code)
	}
}

func TestEveryDocumentIsListedOnceAndReadsAsItsFile(t *testing.T) {
	files := map[string]string{
		"a b/ü?#%25 &+;=:@.md": "# Odd\n\nname\n", "folder/界.md": "---\ntitle: 界\n---\n\ntext\r\n", "bom.md": "\ufeff# Bom\n",
	}
	for i := range 230 {
		files[fmt.Sprintf("many/%03d.md", i)] = fmt.Sprintf("# Number %d\n", i)
	}
	l := newLibrary(t, files)
	p := l.dial(t)
	seen := map[string]bool{}
	for _, era := range []string{"", modern} {
		cursor, pages := "", 0
		for clear(seen); ; {
			var page resourceList
			params := era
			if cursor != "" {
				params = strings.TrimPrefix(era+`,"cursor":`+string(encode(cursor)), ",")
			}
			p.request("resources/list", params, &page)
			pages++
			for _, r := range page.Resources {
				name := strings.TrimPrefix(r.Name, "Standard/")
				if seen[name] {
					t.Errorf("%s is listed twice", name)
				}
				seen[name] = true
				text, there := files[name]
				var got resourceContents
				p.request("resources/read", uriParam(r.URI), &got)
				if !there || got.Contents[0].Text != text || got.Contents[0].URI != r.URI || r.Size != int64(len(text)) {
					t.Errorf("%s (%s, %d bytes) reads %q, want %q", name, r.URI, r.Size, got.Contents[0].Text, text)
				}
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		if len(seen) != len(files) || pages != 3 {
			t.Errorf("%d of %d documents on %d pages", len(seen), len(files), pages)
		}
	}
}

// Only requests of 2026-07-28 carry what that revision wants of results.
func TestResultsAreDecoratedForTheRevisionThatWantsIt(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n"})
	p := l.dial(t)
	for method, params := range map[string]string{"resources/list": "", "resources/read": uriParam("shelf://Standard/a.md")} {
		var old, new map[string]any
		p.request(method, params, &old)
		p.request(method, strings.TrimPrefix(params+","+modern, ","), &new)
		for _, field := range []string{"resultType", "ttlMs", "cacheScope", "_meta"} {
			if old[field] != nil || new[field] == nil {
				t.Errorf("%s: %s is %v before and %v from 2026-07-28 on", method, field, old[field], new[field])
			}
		}
	}
}

func TestAURIOfNothingIsRefusedInTheWordsOfTheRevision(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n", "ä.md": "# Ä\n"})
	p := l.dial(t)
	for _, uri := range []string{
		"shelf://Standard/none.md", "shelf://Standard", "shelf://", "shelf://Standard/../Standard/a.md", "shelf://Standard/%2e%2e/a.md",
		"shelf://Other/a.md", "shelf:///etc/passwd", "shelf://Standard/a.md%00", "shelf://Standard/%ff.md", "shelf://Standard/%zz", "file:///etc/passwd", "a.md",
	} {
		for _, method := range []string{"resources/read", "resources/subscribe"} {
			if method == "resources/subscribe" && !strings.HasPrefix(uri, uriScheme) {
				continue
			}
			p.fails(codeNoResource, method, uriParam(uri))
		}
		p.fails(codeInvalidParams, "resources/read", uriParam(uri)+","+modern)
	}
	for _, params := range []string{"", `"uri":5`, `"uri":""`} {
		p.fails(codeInvalidParams, "resources/read", params)
		p.fails(codeInvalidParams, "resources/subscribe", params)
	}
	for _, cursor := range []string{`"cursor":5`, `"cursor":"!"`, `"cursor":"_w"`} {
		p.fails(codeInvalidParams, "resources/list", cursor)
	}
	p.fails(codeMethodNotFound, "resources/subscribe", uriParam("shelf://Standard/a.md")+","+modern)
	p.fails(codeInvalidParams, "resources/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`)
	p.fails(-32022, "resources/list", strings.ReplaceAll(modern, "2026-07-28", "2999-01-01"))
	for _, uri := range []string{"shelf://Standard/none.md", "file:///etc/passwd"} { // the client is told which
		p.send(rpc("1", "resources/read", uriParam(uri)))
		if line := p.line(); !strings.Contains(string(line), `"data":{`+uriParam(uri)+`}`) {
			t.Errorf("%s: %s", uri, line)
		}
	}
	p.request("resources/read", uriParam("shelf://Standard/ä.md"), nil) // not escaped, and understood
	p.silent()
}

func TestTheTemplateAndTheCapabilitiesAreTold(t *testing.T) {
	p := newLibrary(t, nil).dial(t)
	var list struct {
		ResourceTemplates []struct{ URITemplate, Name, Description, MIMEType string }
	}
	p.request("resources/templates/list", "", &list)
	if len(list.ResourceTemplates) != 1 || list.ResourceTemplates[0].URITemplate != "shelf://{shelf}/{+path}" || list.ResourceTemplates[0].Description == "" {
		t.Errorf("templates %+v", list)
	}
	var found struct {
		Capabilities struct {
			Resources   struct{ Subscribe, ListChanged bool }
			Completions map[string]any
		}
	}
	p.request("server/discover", modern, &found)
	if r := found.Capabilities.Resources; !r.Subscribe || !r.ListChanged || found.Capabilities.Completions == nil {
		t.Errorf("capabilities %+v", found)
	}
}

func TestPathsAreCompleted(t *testing.T) {
	files := map[string]string{"guide/Perché.md": "# P\n", "guide/valves.md": "# V\n", "notes/guide.md": "# G\n"}
	for i := range 120 {
		files[fmt.Sprintf("many/%03d.md", i)] = "# N\n"
	}
	p := newLibrary(t, files).dial(t)
	for _, c := range []struct {
		ref, argument, context string
		values                 string // the first three
		total                  int
	}{
		{`{"type":"ref/resource","uri":"shelf://{shelf}/{+path}"}`, `{"name":"shelf","value":"st"}`, ``, "Standard", 1},
		{`{"type":"ref/resource","uri":"shelf://{shelf}/{+path}"}`, `{"name":"path","value":"GUI"}`, `,"context":{"arguments":{"shelf":"Standard"}}`, "guide/Perché.md guide/valves.md notes/guide.md", 3},
		{`{"type":"ref/resource","uri":"shelf://{shelf}/{+path}"}`, `{"name":"path","value":"perche"}`, `,"context":{"arguments":{"shelf":"Standard"}}`, "guide/Perché.md", 1},
		{`{"type":"ref/resource","uri":"shelf://{shelf}/{+path}"}`, `{"name":"path","value":"a"}`, `,"context":{"arguments":{"shelf":"Other"}}`, "", 0},
		{`{"type":"ref/resource","uri":"shelf://{shelf}/{+path}"}`, `{"name":"path","value":"a"}`, ``, "", 0},
		{`{"type":"ref/resource","uri":"other://{x}"}`, `{"name":"x","value":""}`, ``, "", 0},
		{`{"type":"ref/prompt","name":"any"}`, `{"name":"doc_path","value":"standard/many"}`, ``, "Standard/many/000.md Standard/many/001.md Standard/many/002.md", 120},
		{`{"type":"ref/prompt","name":"any"}`, `{"name":"folder","value":"Standard/g"}`, ``, "Standard/guide", 1},
		{`{"type":"ref/prompt","name":"any"}`, `{"name":"shelf","value":""}`, ``, "Standard", 1},
		{`{"type":"ref/prompt","name":"any"}`, `{"name":"question","value":"a"}`, ``, "", 0},
	} {
		var got struct {
			Completion struct {
				Values  []string
				Total   int
				HasMore bool
			}
		}
		p.request("completion/complete", `"ref":`+c.ref+`,"argument":`+c.argument+c.context, &got)
		v := got.Completion
		if strings.Join(v.Values[:min(3, len(v.Values))], " ") != c.values || v.Total != c.total || v.HasMore != (c.total > 100) || len(v.Values) != min(c.total, 100) {
			t.Errorf("%s %s: %+v, want %s of %d", c.ref, c.argument, v, c.values, c.total)
		}
	}
}
