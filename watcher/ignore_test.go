package watcher

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

// git itself is asked, so the table holds rules and paths only. Paths that end in a slash are folders.
func TestIgnoreRulesAreThoseOfGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here to ask")
	}
	for _, c := range []struct {
		name  string
		rules map[string]string // folder → its .gitignore
		paths string
	}{
		{"name anywhere", map[string]string{"": "a.md\n"}, "a.md b.md d/a.md d/e/a.md aa.md"},
		{"comment and blank", map[string]string{"": "# a.md\n\n   \n\\#c.md\n"}, "a.md #c.md"},
		{"negation", map[string]string{"": "*.md\n!keep.md\n"}, "a.md keep.md d/keep.md d/a.md"},
		{"negated twice", map[string]string{"": "*.md\n!k*.md\nkeep.md\n"}, "keep.md kit.md"},
		{"escaped mark", map[string]string{"": "\\!a.md\n"}, "!a.md a.md"},
		{"trailing blanks", map[string]string{"": "a.md   \nb.md\\ \n"}, "a.md b.md"},
		{"carriage return", map[string]string{"": "a.md\r\nd/\r\n"}, "a.md d/x.md"},
		{"byte order mark", map[string]string{"": "\xef\xbb\xbfa.md\n"}, "a.md"},
		{"folder only", map[string]string{"": "d/\n"}, "d/x.md e/d/x.md e/d"},
		{"anchored", map[string]string{"": "/a.md\n/d/e\n"}, "a.md x/a.md d/e/x.md x/d/e/x.md"},
		{"slash inside anchors", map[string]string{"": "d/a.md\n"}, "d/a.md x/d/a.md"},
		{"star keeps to a name", map[string]string{"": "d/*.md\nd*/b.md\n"}, "d/a.md d/e/a.md dx/b.md d/x/b.md"},
		{"leading stars", map[string]string{"": "**/d\n**/e/a.md\n"}, "d/x.md x/d/x.md e/a.md x/y/e/a.md x/e/b.md"},
		{"trailing stars", map[string]string{"": "d/**\n"}, "d/x.md d/e/x.md x/d/x.md"},
		{"stars inside", map[string]string{"": "d/**/a.md\n"}, "d/a.md d/e/a.md d/e/f/a.md da.md x/d/a.md"},
		{"stars within a name", map[string]string{"": "d**e/a.md\n**f.md\ng**\n"}, "dxe/a.md d/e/a.md f.md xf.md x/f.md g/a.md gg/b.md x/g.md"},
		{"only stars", map[string]string{"": "**\n!a.md\n"}, "a.md b.md d/a.md"},
		{"only a slash", map[string]string{"": "/\n"}, "a.md d/a.md"},
		{"question mark", map[string]string{"": "?.md\nd?e\n"}, "a.md ab.md d/e/a.md dxe/a.md"},
		{"classes", map[string]string{"": "[ab].md\n[!x]y.md\n[^z]w.md\n[c-e]1.md\n"}, "a.md c.md xy.md ay.md zw.md aw.md d1.md f1.md"},
		{"posix classes", map[string]string{"": "[[:digit:]].md\n[[:upper:]x].md\n[[:nonsense:]]q.md\n"}, "1.md a.md A.md x.md aq.md"},
		{"odd classes", map[string]string{"": "[]].md\n[]-a].md\n[!]]z.md\n[a-]1.md\n[\\]]2.md\n"}, "].md _.md az.md ]z.md -1.md a1.md ]2.md"},
		{"unclosed class", map[string]string{"": "a[.md\nb[c\n"}, "a[.md b[c"},
		{"escapes", map[string]string{"": "\\*.md\na\\?.md\n\\a.txt\nend\\\n"}, "*.md x.md a?.md ab.md a.txt end end\\"},
		{"deeper file decides", map[string]string{"": "*.md\n", "d": "!a.md\n"}, "a.md d/a.md d/b.md d/e/a.md"},
		{"deeper file is anchored below", map[string]string{"d": "/a.md\ne/b.md\n"}, "a.md d/a.md d/x/a.md d/e/b.md e/b.md"},
		{"nothing comes back below an ignored folder", map[string]string{"": "d/\n!d/a.md\n", "d": "!a.md\n"}, "d/a.md"},
		{"comes back when its contents are ignored", map[string]string{"": "d/*\n!d/a.md\n"}, "d/a.md d/b.md d/e/a.md"},
		{"manual: everything but foo/bar", map[string]string{"": "/*\n!/foo\n/foo/*\n!/foo/bar\n"}, "a.md foo/a.md foo/bar/a.md foo/baz/a.md"},
		{"manual: doc/frotz/", map[string]string{"": "doc/frotz/\n"}, "doc/frotz/a.md a/doc/frotz/a.md"},
		{"manual: frotz/", map[string]string{"": "frotz/\n"}, "frotz/a.md a/frotz/a.md"},
		{"manual: foo/*", map[string]string{"": "foo/*\n"}, "foo/test.json foo/bar/a.md foo/bar/hello.c"},
		{"case counts", map[string]string{"": "A.md\n"}, "a.md A.md"},
		{"names beyond ASCII", map[string]string{"": "caffè*.md\n/笔记/\n"}, "caffè.md caffèx.md 笔记/a.md x/笔记/a.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			shell(t, dir, "git init -q . && git config core.ignorecase false && git config core.excludesFile /dev/null")
			for folder, text := range c.rules {
				write(t, dir, filepath.Join(folder, gitignoreName)+": "+text)
			}
			for _, p := range strings.Fields(c.paths) {
				if got, want := ownVerdict(c.rules, p), gitVerdict(t, dir, p); got != want {
					t.Errorf("%q: ignored is %t, git says %t", p, got, want)
				}
			}
		})
	}
}

func gitVerdict(t *testing.T, dir, p string) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "check-ignore", "-q", "--no-index", "--", p)
	cmd.Dir = dir
	err := cmd.Run()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("git check-ignore %q: %v", p, err)
	}
	return err == nil
}

// ownVerdict goes down from the root as a walk does.
func ownVerdict(files map[string]string, p string) bool {
	var r *rules
	folder := ""
	for _, name := range strings.Split(p, "/") {
		if text, ok := files[folder]; ok {
			r = &rules{parent: r, base: folder, own: parseRules([]byte(text))}
		}
		path := join(folder, name)
		if r.ignored(path, path != p) {
			return true
		}
		folder = path
	}
	return false
}

func TestHostileRulesEnd(t *testing.T) {
	deep := strings.Repeat("a/", 2000) + "b.md"
	many := parseRules([]byte(strings.Repeat("**/a/", 500) + "c\n" + strings.Repeat("*a", 500) + "\n" + strings.Repeat("[", 5000)))
	r := &rules{own: many}
	if r.ignored(deep, false) || r.ignored(strings.Repeat("a", 5000)+"b", false) {
		t.Error("ignored without a reason")
	}
}

func TestIncludePatterns(t *testing.T) {
	for _, c := range []struct {
		include []string
		yes, no string
	}{
		{
			nil, "a.md d/a.MD a.Markdown d/e/a.mdx d.md/a.md caffè.md build/a.md dist/a.md vendor/a.md target/a.md",
			"a.txt md a.md.bak .a.md .git/a.md d/.h/a.md node_modules/a.md d/__pycache__/a.md .obsidian/a.md",
		},
		{[]string{"*.md"}, "a.md", "d/a.md"},
		{[]string{"docs/**/*.md"}, "docs/a.md docs/x/y/a.md", "a.md x/docs/a.md docs/.h/a.md"},
		{[]string{"docs/**"}, "docs/a.txt docs/x/a", "docs docs/.h docs/.h/a"},
		{[]string{"{docs,notes/a}/*.{md,txt}"}, "docs/a.md notes/a/b.txt", "notes/b.md docs/a.rst"},
		{[]string{"**/*.md", ".github/**/*.md"}, "a.md .github/a.md .github/x/a.md", ".git/a.md x/.github/a.md .github/.h/a.md"},
		{[]string{"**/.notes/*.md"}, ".notes/a.md x/.notes/a.md", "x/.h/.notes/a.md .notes/.a.md a.md"},
		{[]string{"**/.*.md"}, ".a.md x/.b.md", "a.md .h/.a.md"},
		{[]string{"**/node_modules/*/README.md"}, "node_modules/x/README.md a/node_modules/x/README.md a/node_modules/x/README.MD", "node_modules/.h/README.md README.md"},
		{[]string{"/docs/*.md"}, "docs/a.md", "a.md"},
		{[]string{"[a-c]?.md"}, "ab.md cé.md", "a.md dx.md"},
	} {
		f, err := compile(Root{Include: c.include})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range strings.Fields(c.yes) {
			if !f.file(p) || !f.mayBeFile(lastName(p)) || !f.folder(parent(p)) {
				t.Errorf("%q leaves out %q", c.include, p)
			}
		}
		for _, p := range strings.Fields(c.no) {
			if f.file(p) {
				t.Errorf("%q takes %q", c.include, p)
			}
		}
	}
	f, _ := compile(Root{Include: []string{"docs/**/*.md"}})
	for folder, want := range map[string]bool{"": true, "docs": true, "docs/x": true, "src": false, "docs/.h": false} {
		if f.folder(folder) != want {
			t.Errorf("folder %q: %t", folder, !want)
		}
	}
}

func TestBadPatternsAreNamedAllAtOnce(t *testing.T) {
	err := Root{Shelf: "s", Include: []string{"a[", "**/*.md", "{b", strings.Repeat("{a,b}", 20)}}.Check()
	for _, want := range []string{`"a["`, `"{b"`, "alternatives"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v doesn't name %s", err, want)
		}
	}
}

// For names that aren't hidden, the patterns mean what doublestar says.
func TestIncludeAgreesWithDoublestar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", "b", "*", "?", "[ab]", "[^a]", "{a,b}", "{a/b,c}", "é", `\*`})
		segment := rapid.Custom(func(t *rapid.T) string {
			if rapid.IntRange(0, 3).Draw(t, "deep") == 0 {
				return "**"
			}
			return strings.Join(rapid.SliceOfN(piece, 1, 3).Draw(t, "pieces"), "")
		})
		pattern := strings.Join(append(rapid.SliceOfN(segment, 0, 3).Draw(t, "folders"), "x*"), "/")
		name := rapid.StringMatching(`[abé*]{1,3}`)
		path := strings.Join(append(rapid.SliceOfN(name, 0, 4).Draw(t, "path"), "xa"), "/")
		// doublestar lets [^a] take a slash: it is asked with what else there is in names.
		want, err := doublestar.Match(strings.ReplaceAll(pattern, "[^a]", "[bé*x]"), path)
		if err != nil {
			t.Skip(err)
		}
		f, err := compile(Root{Include: []string{pattern}})
		if err != nil {
			t.Fatal(err)
		}
		if f.file(path) != want {
			t.Fatalf("pattern %q, path %q: doublestar says %t", pattern, path, want)
		}
		if want && !f.folder(parent(path)) {
			t.Fatalf("pattern %q doesn't reach %q", pattern, path)
		}
	})
}

func TestShelfignoreAndExcludeOverride(t *testing.T) {
	root := tempDir(t)
	write(t, root, "a.md", "b.md", "c.md", "d.md", gitignoreName+": a.md\nb.md\nc.md\n", shelfignoreName+": !a.md\nd.md\n")
	for _, c := range []struct {
		root Root
		want []string
	}{
		{Root{}, []string{"a.md"}},
		{Root{NoGitignore: true}, []string{"a.md", "b.md", "c.md", "d.md"}},
		{Root{Exclude: []string{"a.md", "!b.md"}}, []string{"b.md"}},
	} {
		c.root.Path = root
		if got := paths(t, c.root, nil); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q", c.root, got)
		}
	}
}

func paths(t *testing.T, root Root, under []string) (out []string) {
	t.Helper()
	l, err := List(t.Context(), root, under)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range l.Entries {
		out = append(out, e.Path)
	}
	return out
}
