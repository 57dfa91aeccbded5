package chunker

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestFrontMatterValues(t *testing.T) {
	type m = map[string]any
	for _, test := range []struct {
		name, src string
		want      map[string]any
	}{
		{"YAML", "---\na: b\nn: 7\nf: 1.5\nt: true\nz: ~\nl: [x, y]\nd:\n  e: f\n---\n", m{
			"a": "b", "n": int64(7), "f": 1.5, "t": true, "z": nil, "l": []any{"x", "y"}, "d": m{"e": "f"},
		}},
		{"YAML 1.2: no, y and dates are strings", "---\na: no\nb: y\nc: 2024-05-01\nd: 12:30\ne: 2001-12-14t21:59:43.10-05:00\n---\n", m{
			"a": "no", "b": "y", "c": "2024-05-01", "d": "12:30", "e": "2001-12-14t21:59:43.10-05:00",
		}},
		{"YAML 1.2: numbers", "---\na: 007\nb: 0x1F\nc: 0o17\nd: 1_000\ne: 12345678901234567890\nf: .inf\ng: !!str 12\nh: -3\n---\n", m{
			"a": int64(7), "b": int64(31), "c": int64(15), "d": "1_000", "e": 12345678901234567890.0, "f": ".inf", "g": "12", "h": int64(-3),
		}},
		{"indented keys", "---\n a: b\n c: d\n---\n", m{"a": "b", "c": "d"}},
		{"blocks of text", "---\na: |\n  one\n  two\nb: >-\n  one\n  two\n---\n", m{"a": "one\ntwo\n", "b": "one two"}},
		{"aliases and merges", "---\na: &x {k: v, w: 1}\nb: *x\nc:\n  <<: *x\n  w: 2\n---\n", m{
			"a": m{"k": "v", "w": int64(1)}, "b": m{"k": "v", "w": int64(1)}, "c": m{"k": "v", "w": int64(2)},
		}},
		{"empty", "---\n---\ntext\n", m{}},
		{"comments alone", "---\n# nothing\n---\ntext\n", m{}},
		{"trailing spaces and blank lines above", "\n\n---  \na: b\n--- \ntext\n", m{"a": "b"}},
		{"TOML", "+++\na = \"b\"\nn = 7\nd = 2024-05-01\nt = 2024-05-01T10:00:00Z\nl = [1, 2]\n[s]\nk = 1.5\n+++\n", m{
			"a": "b", "n": int64(7), "d": "2024-05-01", "t": "2024-05-01T10:00:00Z", "l": []any{int64(1), int64(2)}, "s": m{"k": 1.5},
		}},
		{"JSON", ";;;\n{\"a\": \"b\", \"n\": 7, \"f\": 1.5, \"l\": [true, null]}\n;;;\n", m{
			"a": "b", "n": int64(7), "f": 1.5, "l": []any{true, nil},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := check(t, "x.md", []byte(test.src))
			if !reflect.DeepEqual(d.FrontMatter, test.want) || len(d.Problems) > 0 {
				t.Errorf("%#v %v, want %#v", d.FrontMatter, d.Problems, test.want)
			}
			if strings.Contains(d.Text[d.Body.Start:], "a: b") {
				t.Errorf("the block is in the body %q", d.Text[d.Body.Start:])
			}
		})
	}
}

// TestABrokenBlockIsBody: nothing of the file is lost, the problem says where, the keys that parse are kept.
func TestABrokenBlockIsBody(t *testing.T) {
	for _, test := range []struct {
		name, src string
		line      int
		kept      string // fmt of the front matter
	}{
		{"an unquoted colon", "---\ntitle: Foo: bar\ntags: [a]\n---\nbody\n", 2, "map[tags:[a]]"},
		{"an alias that isn't one", "---\na: 1\ntitle: *x*\n---\nbody\n", 3, "map[a:1]"},
		{"brackets and text", "---\nt: [[link]]x\nb: 2\n---\nbody\n", 2, "map[b:2]"},
		{"a tab", "---\na: 1\nb: x\n\tc: d\n---\nbody\n", 4, "map[a:1 b:x]"},
		{"a reserved character", "---\nwho: @joe\nb: 2\n---\nbody\n", 2, "map[b:2]"},
		{"no space behind the colon", "---\ntitle:A\n---\nbody\n", 2, "map[]"},
		{"a letterhead", "---\n**OFFICE**\nJane\n---\nbody tok\n", 2, "map[]"},
		{"TOML", "+++\na = 1\nb = \n+++\nbody\n", 3, "map[a:1]"},
		{"JSON", ";;;\n{\"a\": 1,}\n;;;\nbody\n", 2, "map[]"},
		{"an alias bomb", "---\nk: v\n" + bomb() + "---\nbody\n", 0, ""},
		{"brackets beyond counting", "---\na: " + strings.Repeat("[", 20_000) + "\nb: 2\n---\nbody\n", 2, "map[b:2]"},
		{"more than there is room for", "---\na: 1\n" + strings.Repeat("b: c\n", 100_000) + "---\n# Body\n", 1, "map[a:1 b:c]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := check(t, "x.md", []byte(test.src))
			if len(d.Problems) != 1 || d.Problems[0].Stage != StageFrontMatter || test.line > 0 && d.Problems[0].Line != test.line {
				t.Errorf("problems %v, want one on line %d", d.Problems, test.line)
			}
			if got := fmt.Sprint(d.FrontMatter); test.kept != "" && got != test.kept {
				t.Errorf("kept %s, want %s", got, test.kept)
			}
			if d.Body.Start != 0 || len(d.Nodes) == 0 || d.Nodes[0].ID != "~" {
				t.Errorf("body from %d, nodes %v; want the block to be body and no section", d.Body.Start, d.Nodes)
			}
		})
	}
}

func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	return b.String()
}

func TestAPlainDocumentMayBeginWithARule(t *testing.T) {
	for _, src := range []string{
		"---\n\nDear reader,\n\n---\n\nYours\n",
		"---\nSome words.\n---\nmore\n",
		"---\n- a list\n- of things\n---\nmore\n",
		"---\n\n**bold** words: here\n\n---\n",
		"---\n",
		"---\ntitle: never closed\n\ntext\n",
		"---\nhttps://example.org/\n---\n",
	} {
		d := check(t, "x.md", []byte(src))
		if len(d.Problems) > 0 || d.FrontMatter != nil || d.Body.Start != 0 {
			t.Errorf("%q: problems %v, front matter %v", src, d.Problems, d.FrontMatter)
		}
	}
}

func TestADuplicateKeyIsAProblemAndTheBlockIsRead(t *testing.T) {
	for _, test := range []struct {
		src, want string
		line      int
	}{
		{"---\na: 1\nb: 2\na: 3\n---\n# H\n", "map[a:1 b:2]", 4},
		{";;;\n{\"a\": 1,\n\"b\": 2,\n\"a\": 3}\n;;;\n# H\n", "map[a:3 b:2]", 4},
	} {
		d := check(t, "x.md", []byte(test.src))
		if fmt.Sprint(d.FrontMatter) != test.want || len(d.Problems) != 1 || d.Problems[0].Line != test.line ||
			!strings.Contains(d.Problems[0].Reason, `duplicate key "a"`) || d.Body.Start == 0 {
			t.Errorf("%v %v, want %s and a problem on line %d", d.FrontMatter, d.Problems, test.want, test.line)
		}
	}
}

func TestMetadata(t *testing.T) {
	for _, test := range []struct {
		name, src, title  string
		tags, aliases     []string
		description, date string
	}{
		{"lists", "---\ntitle: T\ntags: [a, 'B c', 7]\naliases: [x, y]\n---\n", "T", []string{"a", "B c", "7"}, []string{"x", "y"}, "", ""},
		{"comma strings", "---\ntag: 'a, b,#c'\nkeywords: A，d\nalias: one, two\n---\n", "X", []string{"a", "b", "c", "d"}, []string{"one, two"}, "", ""},
		{"capital keys", "---\nTitle: T\nTags: a\nDescription: D\nDate: 2024-01-02\n---\n", "T", []string{"a"}, nil, "D", "2024-01-02"},
		{"the first date that parses", "---\ndate: soon\nupdated: 2024-01-02 10:00\nlastmod: 2023-01-01\n---\n", "X", nil, nil, "", "2024-01-02"},
		{"a date in words", "---\ncreated: May 7, 2024\n---\n", "X", nil, nil, "", "2024-05-07"},
		{"a Chinese date", "---\ndate: 2024年5月7日\n---\n", "X", nil, nil, "", "2024-05-07"},
		{"a title that is a number", "---\ntitle: 1984\n---\n# H\n", "1984", nil, nil, "", ""},
		{"a title that is a list", "---\ntitle: [a]\n---\n# H\n", "H", nil, nil, "", ""},
		{"the first top heading", "## Two\n\n# One\n\n# Other\n", "One", nil, nil, "", ""},
		{"the first heading", "text\n\n### Three\n\n## Two\n", "Three", nil, nil, "", ""},
		{"no structure heading", "第一章 总则\n\ntext\n", "X", nil, nil, "", ""},
		{"an empty heading is no title", "#\n\n# One\n", "One", nil, nil, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := check(t, "x.md", []byte(test.src))
			date := ""
			if !d.Date.IsZero() {
				date = d.Date.Format(time.DateOnly)
			}
			if d.Title != test.title || !reflect.DeepEqual(d.Tags, test.tags) || !reflect.DeepEqual(d.Aliases, test.aliases) ||
				d.Description != test.description || date != test.date {
				t.Errorf("title %q tags %q aliases %q description %q date %s", d.Title, d.Tags, d.Aliases, d.Description, date)
			}
		})
	}
}

func TestTheFileNameInWords(t *testing.T) {
	for name, want := range map[string]string{
		"getting-started.md":     "Getting started",
		"guides/README.md":       "README",
		"a/b/how_to  use+it.mdx": "How to use it",
		"über-uns.markdown":      "Über uns",
		"合同/租赁.md":               "租赁",
		"caffe\u0301.md":         "Caffé",
		".md":                    ".md",
		"bad\xffname.md":         "Bad%FFname",
		"report.pdf.md":          "Report.pdf",
		"---.md":                 "---.md",
	} {
		if got := Parse(name, nil, Options{}).Title; got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// What the author says of the language counts, if it is the name of one.
func TestFrontMatterNamesTheLanguage(t *testing.T) {
	for front, want := range map[string]string{"lang: it-CH": "it", "language: de": "de", "Lang: zh_CN": "zh", "lang: go": "en", "lang: [it, en]": "en", "title: x": "en"} {
		if got := Parse("a.md", []byte("---\n"+front+"\n---\nThe boiler is what it was.\n"), Options{}).Language; got != want {
			t.Errorf("%s: %q, want %q", front, got, want)
		}
	}
}
