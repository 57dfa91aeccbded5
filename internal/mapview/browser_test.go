package mapview_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelfd/internal/mapview"
	"shelfd/internal/shelftest"
)

// browser is a headless Chromium with one page, spoken to over pipes: messages of JSON, each before a zero byte.
type browser struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	n       int
	session string
	faults  []string // errors of the page, and what it asked for beside itself
}

// chromium is the browser of the machine, "" = none.
func chromium() string {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// openPage shows a map to a browser; tests without one are skipped.
func openPage(t *testing.T, m mapview.Map) *browser {
	t.Helper()
	path := chromium()
	if path == "" {
		t.Skip("no Chromium on this machine")
	}
	file := filepath.Join(t.TempDir(), "map.html")
	if err := os.WriteFile(file, []byte(page(t, m)), 0o600); err != nil {
		t.Fatal(err)
	}
	b := startBrowser(t, path)
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Runtime", "Log", "Network", "Page"} {
		b.call(domain+".enable", nil, nil)
	}
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1200, "height": 800, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-reduced-motion", "value": "reduce"}}}, nil)
	b.call("Page.navigate", map[string]any{"url": "file://" + file}, nil)
	b.settle()
	return b
}

func startBrowser(t *testing.T, path string) *browser {
	t.Helper()
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	command.ExtraFiles = []*os.File{in, out} // 3 and 4
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	guard := time.AfterFunc(2*shelftest.Guard, func() { from.Close() })
	b := &browser{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		fmt.Fprintf(to, `{"id":%d,"method":"Browser.close"}`+"\x00", b.n+1)
		if _, err := io.Copy(io.Discard, b.from); err != nil { // its end is that of all its processes
			t.Log(err)
		}
		guard.Stop()
		to.Close()
		from.Close()
		if err := command.Wait(); err != nil {
			t.Log(err)
		}
	})
	return b
}

// call sends a command and waits for its answer, noting what the page tells meanwhile.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.n++
	message, err := json.Marshal(map[string]any{"id": b.n, "method": method, "params": params, "sessionId": b.session})
	if b.session == "" {
		message, err = json.Marshal(map[string]any{"id": b.n, "method": method, "params": params})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(message, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		line, err := b.from.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: the browser is silent: %v; seen %q", method, err, b.faults)
		}
		var answer struct {
			ID     int
			Method string
			Params json.RawMessage
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line[:len(line)-1], &answer); err != nil {
			b.t.Fatal(err)
		}
		b.note(answer.Method, answer.Params)
		if answer.ID != b.n {
			continue
		}
		if answer.Error != nil {
			b.t.Fatalf("%s: %s", method, answer.Error)
		}
		if result != nil {
			if err := json.Unmarshal(answer.Result, result); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

func (b *browser) note(method string, params json.RawMessage) {
	switch method {
	case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
		b.faults = append(b.faults, string(params))
	case "Network.requestWillBeSent":
		var sent struct{ Request struct{ URL string } }
		if err := json.Unmarshal(params, &sent); err != nil || !strings.HasSuffix(sent.Request.URL, "/map.html") {
			b.faults = append(b.faults, "asked for "+sent.Request.URL)
		}
	}
}

// eval runs an expression in the page; a promise is waited for.
func (b *browser) eval(expression string) (value any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, answer.ExceptionDetails)
	}
	return answer.Result.Value
}

// settle waits until the layout is at rest.
func (b *browser) settle() {
	b.t.Helper()
	b.eval(`new Promise(done => { const look = () => document.body && document.body.dataset.settled ? done(1) : requestAnimationFrame(look); look(); })`)
}

func (b *browser) want(expression string, want any) {
	b.t.Helper()
	if got := b.eval(expression); fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Errorf("%s: %v, want %v", expression, got, want)
	}
}

func (b *browser) key(key string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key}, nil)
	}
}

func (b *browser) sound() {
	b.t.Helper()
	if len(b.faults) > 0 {
		b.t.Errorf("the page complains: %q", b.faults)
	}
}

func TestABrowserDrawsWhatTheMapSays(t *testing.T) {
	b := openPage(t, gather(t, linkedLibrary(t), "client"))
	b.want(`document.body.dataset.documents`, 6)
	links := b.eval(`library.links.length`)
	b.want(`document.body.dataset.links`, links)
	b.want(`shown.every(n => Number.isFinite(n.x) && Number.isFinite(n.y))`, true)
	b.want(`new Set(shown.map(n => Math.round(n.x) + ',' + Math.round(n.y))).size === shown.length`, true)
	b.want(`pen.getImageData(0, 0, canvas.width, canvas.height).data.some(v => v > 0)`, true)

	b.key("/")
	b.want(`document.activeElement.id`, "search")
	b.call("Input.insertText", map[string]any{"text": "BOILER prod"}, nil)
	b.want(`document.body.dataset.found`, 1)
	b.key("Enter")
	b.settle()
	b.want(`chosen.name + ' in ' + library.shelves[chosen.shelf].name`, "Boiler valves in product")
	b.want(`[...panel.querySelectorAll('.badge')].some(e => e.textContent.startsWith('extends_standard 0.'))`, true)
	b.want(`panel.textContent.includes('same title')`, true)
	b.want(`panel.textContent.includes('Safety')`, true)

	b.eval(`document.querySelector('#origins input[value=heuristic]').click()`)
	b.want(`document.body.dataset.links`, b.eval(`library.links.filter(l => l.origin !== 'heuristic').length`))
	b.want(`panel.querySelectorAll('.badge.heuristic').length`, 0)
	b.eval(`[...document.querySelectorAll('#relations li')].find(e => e.querySelector('input').value === 'paid_by').querySelector('button').click()`)
	b.want(`document.body.dataset.links`, 1)
	b.want(`[...document.querySelectorAll('#relations input:checked')].map(e => e.value)`, "[paid_by]")
	b.eval(`[...document.querySelectorAll('#relations li')].find(e => e.querySelector('input').value === 'links_to').querySelector('input').click()`)
	b.want(`document.body.dataset.links`, 2)
	b.eval(`[...document.querySelectorAll('#relations li')].find(e => e.querySelector('input').value === 'links_to').querySelector('input').click(); [...document.querySelectorAll('#relations li')].find(e => e.querySelector('input').value === 'paid_by').querySelector('button').click()`)
	b.want(`document.querySelectorAll('#relations input:checked').length === relations.length`, true)
	b.eval(`$('confidence').value = 0.8; $('confidence').dispatchEvent(new Event('input'))`)
	b.want(`document.body.dataset.links`, b.eval(`library.links.filter(l => l.origin === 'text').length`))
	b.sound()
}

// TestEachRelationIsDrawnInItsColourAndEachOriginInItsStyle: what the legend says is what is on the canvas.
func TestEachRelationIsDrawnInItsColourAndEachOriginInItsStyle(t *testing.T) {
	m := mapview.Map{Shelf: "s", Shelves: []mapview.Shelf{{Name: "s"}}}
	relations := []string{"links_to", "extends_standard", "references_standard", "references_custom", "mentions", "related", "b_own", "a_own", "c_own", "d_own"}
	for i, relation := range relations {
		m.Documents = append(m.Documents, mapview.Document{Path: fmt.Sprintf("%02d-source.md", i), Title: "Source"}, mapview.Document{Path: fmt.Sprintf("%02d-target.md", i), Title: "Target"})
		origin := []string{"text", "heuristic", "manual"}[min(i, 1)+min(i/6, 1)]
		m.Links = append(m.Links, mapview.Link{Source: 2 * i, Target: 2*i + 1, Relation: relation, Origin: origin, Confidence: 1})
	}
	m.Links = append(m.Links, mapview.Link{Source: 13, Target: 12, Relation: "b_own", Origin: "manual", Confidence: 1}, mapview.Link{Source: 12, Target: 13, Relation: "related", Origin: "heuristic", Confidence: 1})
	b := openPage(t, m)
	b.want(`[...document.querySelectorAll('#relations bdi')].map(e => e.textContent).join()`, "links_to,extends_standard,references_standard,references_custom,mentions,related,b_own,a_own,c_own,d_own")
	b.want(`new Set(relations.map(r => colours[r.colour])).size`, 9) // c_own and d_own share the last
	b.want(`edges.filter(e => e.lanes === 2).map(e => [e.origin, e.colour, e.n, e.forth, e.back].join(' ')).sort().join()`, "heuristic related 1 true false,manual own 2 true true")
	b.eval(`seen = colour => {
		pen.fillStyle = colour;
		const [r, g, b] = pen.fillStyle.match(/[0-9a-f]{2}/g).map(x => parseInt(x, 16));
		const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
		copy.drawImage(canvas, 0, 0);
		const v = copy.getImageData(0, 0, canvas.width, canvas.height).data;
		let n = 0;
		for (let i = 0; i < v.length; i += 4) if (v[i + 3] > 200 && Math.hypot(v[i] - r, v[i + 1] - g, v[i + 2] - b) < 12) n++;
		return n;
	}; 1`)
	for i, relation := range relations {
		b.eval(fmt.Sprintf(`alone(%q); go(%d)`, relation, 2*i))
		b.settle()
		b.eval(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`)
		b.want(fmt.Sprintf(`seen(colours[colourOf.get(%q)]) > 30`, relation), true)
		b.eval(fmt.Sprintf(`alone(%q)`, relation))
	}
	styles := map[string]any{"links_to": "solid", "extends_standard": "dashed", "b_own": "dotted"}
	for i, relation := range relations {
		if style := styles[relation]; style != nil {
			b.eval(fmt.Sprintf(`go(%d)`, 2*i))
			b.want(`getComputedStyle(panel.querySelector('.badge')).borderTopStyle`, style)
			b.want(`getComputedStyle(panel.querySelector('.badge')).color === getComputedStyle([...document.querySelectorAll('#relations li')].find(e => e.querySelector('input').value === '`+relation+`').querySelector('i')).color`, true)
		}
	}
	b.want(`new Set(Object.values(dashes).map(String)).size`, 3)
	b.sound()
}

func TestTheMapIsUsedFromTheKeyboard(t *testing.T) {
	b := openPage(t, gather(t, linkedLibrary(t), "client"))
	b.eval(`canvas.focus(); choose(tree[0])`)
	b.want(`chosen.open`, true)
	b.key("Enter")
	b.settle()
	b.want(`chosen.open`, false)
	b.key("Enter")
	b.settle()
	b.eval(`choose(tree[0].children[0])`)
	b.key("ArrowRight")
	b.key("ArrowLeft")
	b.want(`chosen !== null && shown.includes(chosen)`, true)
	before := b.eval(`view.zoom`)
	b.key("+")
	b.want(fmt.Sprintf(`view.zoom > %v`, before), true)
	b.key("0")
	b.settle()
	b.want(`view.follow`, true)
	b.key("Escape")
	b.want(`chosen`, nil)
	b.want(`panel.querySelector('h2').textContent`, "Map of client")
	b.sound()
}

func TestHostileTitlesStayTextInABrowser(t *testing.T) {
	m := hostile()
	b := openPage(t, m)
	for i := range m.Documents {
		b.eval(fmt.Sprintf(`go(%d)`, i))
		b.settle()
	}
	b.eval(`go(0)`)
	b.want(`panel.querySelector('h2').textContent`, `</script><script>window.hacked = 1</script>`)
	b.want(`panel.querySelectorAll('img, script').length`, 0)
	b.want(`typeof window.hacked`, "undefined")
	b.eval(`go(3)`)
	b.want(`panel.querySelector('h2').textContent`, "txt.exe")
	b.sound()
}

// TestALargeShelfIsShownByItsFolders: of 14,000 documents nobody could tell the circles apart.
func TestALargeShelfIsShownByItsFolders(t *testing.T) {
	m := mapview.Map{Shelf: "s", Shelves: []mapview.Shelf{{Name: "s"}}}
	for i := range 14000 {
		m.Documents = append(m.Documents, mapview.Document{Path: fmt.Sprintf("f%d/g%d/d%05d.md", i%7, i%3, i), Title: fmt.Sprint("Document ", i)})
		if i > 100 {
			m.Links = append(m.Links, mapview.Link{Source: i, Target: i * 7 % 101, Relation: "related", Origin: "heuristic", Confidence: 0.7})
		}
	}
	b := openPage(t, m)
	b.want(`shown.length <= mostShown && shown.length > 20`, true)
	b.want(`shown.filter(n => !n.open).reduce((sum, n) => sum + n.size, 0)`, len(m.Documents))
	b.eval(`search.value = 'document 13999'; find(); go(found[0])`)
	b.settle()
	b.want(`shown.includes(chosen) && chosen.document`, b.eval(`found[0]`))
	b.want(`shown.length <= 2 * mostShown`, true)
	b.eval(`while (shown.some(n => !n.open && n.size > 1)) { const n = shown.length; press(shown.find(n => !n.open && n.size > 1)); if (shown.length < n) break; }`)
	b.settle()
	b.want(`shown.length <= 2 * mostShown`, true)
	b.sound()
}
