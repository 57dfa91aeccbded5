package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestExampleShowsEveryDefault keeps config.example.yaml true: it parses, it names every key, and its values are the
// defaults.
func TestExampleShowsEveryDefault(t *testing.T) {
	src, err := os.ReadFile("../../config.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("config.example.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Shelves) != 1 {
		t.Fatalf("the example has %d shelves, want 1", len(got.Shelves))
	}
	shelf := got.Shelves[0]
	want := DefaultShelf("Standard", shelf.Root)
	want.Origin, want.ParentsOrigin = "config.example.yaml:9", "config.example.yaml:12"
	if !equal(shelf, want) {
		t.Errorf("shelf\n got %+v\nwant %+v", shelf, want)
	}
	got.File, got.Warnings, got.Shelves = "", nil, nil
	if !equal(got, Default()) {
		t.Errorf("config\n got %+v\nwant %+v", got, Default())
	}
	for _, key := range schemaKeys() {
		if !strings.Contains(string(src), key+":") {
			t.Errorf("the example doesn't name the key %q", key)
		}
	}
}

// equal is reflect.DeepEqual that takes nil and empty lists and tables as the same.
func equal(a, b any) bool {
	return reflect.DeepEqual(emptied(reflect.ValueOf(a)).Interface(), emptied(reflect.ValueOf(b)).Interface())
}

func emptied(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Slice, reflect.Map:
			if v.Len() == 0 {
				v.SetZero()
			}
		}
	}
	walk(c)
	return c
}

// schemaKeys lists the keys that the reader knows, by asking for one that it doesn't.
func schemaKeys() []string {
	var keys []string
	probe := "nonesuchkey: 1\nshelves: [{nonesuchkey: 1}]\nhttp: {nonesuchkey: 1}\ncorrelate: {nonesuchkey: 1, weights: {nonesuchkey: 1}}\n" +
		"embedding: {nonesuchkey: 1}\nlog: {nonesuchkey: 1}\naccess_admins: {nonesuchkey: 1}\n"
	_, err := Parse("probe", []byte(probe))
	for line := range strings.Lines(err.Error()) {
		if _, list, found := strings.Cut(strings.TrimSpace(line), "known here: "); found {
			keys = append(keys, strings.Split(list, ", ")...)
		}
	}
	return keys
}

func TestEmptyFileIsTheDefault(t *testing.T) {
	for _, src := range []string{"", "# only a comment\n", "---\n", "shelves:\nlog:\n", "\ufeff# marked\n"} {
		got, err := Parse("c.yaml", []byte(src))
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		got.File = ""
		if !equal(got, Default()) {
			t.Errorf("%q: %+v", src, got)
		}
	}
}

func TestEveryFaultIsReportedWithItsPlace(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"notes/inner/deep", "other", "folders/one", "folders/two/sub"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "notes"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range faultCases {
		t.Run(tc.name, func(t *testing.T) {
			src := strings.ReplaceAll(tc.src, "$D", dir)
			_, err := Parse("config.yaml", []byte(src))
			if err == nil {
				t.Fatal("no fault")
			}
			got := strings.ReplaceAll(err.Error(), dir, "$D")
			if want := strings.TrimSpace(tc.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

var faultCases = []struct{ name, src, want string }{
	{
		"an address that other machines reach",
		"http:\n  listen: 0.0.0.0:80\n",
		`config.yaml:2:3: http.listen: "0.0.0.0:80": only this machine is served over TCP: use 127.0.0.1:80, [::1]:80 or unix:PATH; for others put a proxy that asks who they are in front`,
	},
	{
		"an address without a port",
		"http:\n  listen: localhost\n",
		`config.yaml:2:3: http.listen: "localhost": want unix:PATH or an address such as 127.0.0.1:8765`,
	},
	{
		"several at once in file order",
		`shelves:
  - name: a
    root: $D/notes
    exlude: []
  - nmae: b
    root: $D/notes/inner
settle: fast
log: {level: loud}
`,
		`
config.yaml:4:5: shelves[0].exlude: unknown key; did you mean "exclude"?
config.yaml:5:5: shelves[1].nmae: unknown key; did you mean "name"?
config.yaml:5:5: shelves[1].name: missing
config.yaml:6:5: shelves[1].root: "$D/notes/inner" is inside shelves[0].root "$D/notes"
config.yaml:7:1: settle: want a duration such as 25ms, 30s, 10m, got "fast"
config.yaml:8:7: log.level: want one of debug, info, warn, error, got "loud"
`,
	},
	{
		"a key far from all",
		"log: {colour: true}\n",
		`config.yaml:1:7: log.colour: unknown key; known here: format, level`,
	},
	{
		"names",
		`shelves:
  - {name: a/b, root: $D/notes}
  - {name: .c, root: $D/other}
  - {name: d, root: $D/folders/one}
  - {name: d, root: $D/folders/two}
  - {name: 2024, root: $D/x}
`,
		`
config.yaml:2:6: shelves[0].name: "a/b" holds a slash
config.yaml:3:6: shelves[1].name: ".c" begins with a dot
config.yaml:5:6: shelves[3].name: "d" is the name of shelves[2] already
config.yaml:6:6: shelves[4].name: want a text, got the number 2024; put it in quotes
`,
	},
	{
		"a root that is a file",
		"shelves:\n  - name: a\n    root: $D/file.md\n",
		`config.yaml:3:5: shelves[0].root: "$D/file.md" is a file; a shelf's root is a folder`,
	},
	{
		"overlaps through a symlink, around, and twice",
		`shelves:
  - {name: a, root: $D/notes/inner}
  - {name: b, root: $D/link}
  - {name: c, root: $D/other}
  - {name: d, root: $D/other/}
`,
		`
config.yaml:3:15: shelves[1].root: "$D/notes" holds shelves[0].root "$D/notes/inner"
config.yaml:5:15: shelves[3].root: "$D/other" is shelves[2].root already
`,
	},
	{
		"a missing root overlaps as well",
		`shelves:
  - {name: a, root: $D/notes}
  - {name: b, root: $D/link/later/on}
`,
		`config.yaml:3:15: shelves[1].root: "$D/notes/later/on" is inside shelves[0].root "$D/notes"`,
	},
	{
		"shelf folders hold direct subfolders only",
		`shelves:
  - {name: a, root: $D/folders/one}
  - {name: b, root: $D/folders/two/sub}
shelf_folders:
  - $D/folders
  - $D/file.md
`,
		`
config.yaml:3:15: shelves[1].root: "$D/folders/two/sub" is inside shelf_folders[0] "$D/folders"
config.yaml:6:5: shelf_folders[1]: "$D/file.md" is a file; want a folder of folders
`,
	},
	{
		"types",
		`shelves: yes please
settle: 25
reconcile: 10ms
correlate: {auto: 1, min_confidence: 1.5, min_signal_count: 0.5, weights: {title: -1}}
departments: [a]
http: off
summaries: short
`,
		`
config.yaml:1:1: shelves: want a list, got "yes please"
config.yaml:2:1: settle: want a duration such as 25ms, 30s, 10m, got the number 25
config.yaml:3:1: reconcile: want a duration from 1s to 168h0m0s, got 10ms
config.yaml:4:13: correlate.auto: want true or false, got the number 1
config.yaml:4:22: correlate.min_confidence: want a number from 0 to 1, got 1.5
config.yaml:4:43: correlate.min_signal_count: want a whole number, got the number 0.5
config.yaml:4:76: correlate.weights.title: want a number from 0 to 1e+06, got -1
config.yaml:5:1: departments: want a mapping, got a list
config.yaml:6:1: http: want a mapping, got "off"
config.yaml:7:1: summaries: want one of written, extractive, got "short"
`,
	},
	{
		"sizes",
		`shelves:
  - {name: a, max_file_size: big, root: $D/notes}
  - {name: b, max_file_size: 2GiB, root: $D/other}
`,
		`
config.yaml:2:15: shelves[0].max_file_size: want a size such as 8MiB, got "big"
config.yaml:3:15: shelves[1].max_file_size: want a size from 1B to 1GiB, got 2GiB
`,
	},
	{
		"a key twice",
		"settle: 25ms\nlog: {level: info}\nsettle: 30ms\n",
		`config.yaml:3:1: settle: stands twice; first in line 1`,
	},
	{
		"a wide socket without access rules",
		"socket_mode: 0660\n",
		`config.yaml:1:1: socket_mode: "0660" lets others connect, but no shelf has access rules; keep "0600" or say who may see what`,
	},
	{
		"scopes that contradict each other or lead elsewhere",
		`shelves:
  - name: a
    root: $D/notes
    scopes:
      - {path: people/, kind: personal}
      - {path: ./people, kind: global}
      - {path: ../other, kind: global}
      - {path: x}
`,
		`
config.yaml:6:10: shelves[0].scopes[1].path: "./people" is the path of shelves[0].scopes[0] already
config.yaml:7:10: shelves[0].scopes[2].path: "../other" leads out of a folder; want the path of a folder inside the root
config.yaml:8:10: shelves[0].scopes[3].kind: missing; say global, department or personal
`,
	},
	{
		"a socket that shuts out its owner",
		"socket_mode: \"0060\"\n",
		`config.yaml:1:1: socket_mode: "0060" would lock the daemon's own user out; want at least "0600"`,
	},
	{
		"parents in a circle",
		`shelves:
  - {name: a, parents: [b], root: $D/notes}
  - {name: b, parents: [a], root: $D/other}
`,
		`config.yaml:2:15: shelves[0].parents: cycle: a → b → a`,
	},
	{
		"settle_max below settle",
		"settle: 2s\nsettle_max: 1s\n",
		`config.yaml:2:1: settle_max: 1s is shorter than settle (2s)`,
	},
	{
		"a second document",
		"settle: 25ms\n---\nsettle: 30ms\n",
		`config.yaml:3:1: a second YAML document begins here; want one`,
	},
}

// TestPathsOfScopesAreThoseOfDocuments: NFC, without slashes around.
func TestPathsOfScopesAreThoseOfDocuments(t *testing.T) {
	c, err := Parse("c.yaml", []byte("shelves:\n  - {name: a, root: /nowhere/a, scopes: [{path: /le/cafe\u0301//x/, kind: personal}, {path: /, kind: global}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Shelves[0].Scopes; got[0].Path != "le/caf\u00e9/x" || got[1].Path != "" {
		t.Errorf("%q", got)
	}
}

// TestConfigurationsInTheManualAreRead: what docs/access.md shows is a configuration.
func TestConfigurationsInTheManualAreRead(t *testing.T) {
	page, err := os.ReadFile("../../docs/access.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```yaml\n")
	example, _, ended := strings.Cut(rest, "```")
	if !found || !ended {
		t.Fatal("no example in docs/access.md")
	}
	if _, err := Parse("access.yaml", []byte(example)); err != nil {
		t.Error(err)
	}
}

func TestTextThatIsNotYAML(t *testing.T) {
	for _, src := range []string{"a: [1, 2\n", "\tshelves: []\n", "a: b: c\n", "- x\n", "just words\n", "a: *nowhere\n"} {
		_, err := Parse("c.yaml", []byte(src))
		if err == nil || !strings.HasPrefix(err.Error(), "c.yaml:") {
			t.Errorf("%q: %v", src, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, tc := range faultCases {
		f.Add(tc.src)
	}
	f.Add("a: &x [*x]\nb: *x\n")
	f.Fuzz(func(t *testing.T, src string) {
		c, err := Parse("c.yaml", []byte(src))
		if err == nil && c.SettleMax < c.Settle {
			t.Error("a config that contradicts itself was accepted")
		}
	})
}

func TestTheWeightOfVectorsDependsOnTheirProvider(t *testing.T) {
	for text, want := range map[string]float64{
		"":                                1,
		"embedding: {provider: corpus}\n": corpusVectorWeight,
		"embedding: {provider: corpus, vector_weight: 1}\n":              1,
		"embedding: {provider: openai, url: \"http://localhost:1\"}\n":   1,
		"embedding: {vector_weight: 2, provider: corpus, rrf_k: 10}\n":   2,
		"embedding: {provider: ollama, url: \"http://h:1\", model: m}\n": 1,
		"embedding: {provider: none, candidates: 7, floor: 0}\n":         1,
	} {
		file := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(file)
		if err != nil || c.Embedding.VectorWeight != want {
			t.Errorf("%q: %v, %v, want %v", text, c.Embedding.VectorWeight, err, want)
		}
	}
}

func TestAProviderNeedsAnAddress(t *testing.T) {
	for text, want := range map[string]string{
		"embedding: {provider: openai}\n":                              "embedding.url: missing",
		"embedding: {provider: openai, url: \"localhost:11434\"}\n":    "is no address",
		"embedding: {provider: ollama, url: \"http://localhost:1\"}\n": "embedding.model: missing",
	} {
		file := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
