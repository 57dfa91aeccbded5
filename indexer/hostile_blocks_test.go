package indexer_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"shelfd/internal/shelftest"
	"shelfd/store"
)

const list = "notes/r.pdf.blocks.json"

// blocksProblem is what is told of a shelf: the path, stage and reason of each problem.
func blocksProblem(l *shelftest.Library) string {
	var told []string
	l.View(func(v *store.View) error {
		found, err := v.Problems("notes")
		for _, p := range found {
			told = append(told, p.Path+" "+p.Stage+" "+p.Reason)
		}
		return err
	})
	return strings.Join(told, "\n")
}

// sparse makes a file of a size that costs no disk.
func sparse(path string, size int64) error {
	if err := os.WriteFile(path, []byte("["), 0o644); err != nil {
		return err
	}
	return os.Truncate(path, size)
}

// What stands under the name of a list may be anything: it costs boxes and nothing else, is told with the name of the
// list, and is forgotten when a good list takes its place.
func TestWhateverStandsInPlaceOfTheBlocksTheTextStays(t *testing.T) {
	good := blocksOn(1)
	for name, c := range map[string]struct {
		put    func(path string) error
		boxes  string // of the chunks
		reason string // "" = no problem
	}{
		"100 MB":                {func(p string) error { return sparse(p, 100<<20) }, "", "larger than"},
		"millions of nothings":  {text("[" + strings.Repeat("0,", 1<<20) + "0]"), "", "cannot be used"},
		"nested deeply":         {text(strings.Repeat("[", 1<<20)), "", "cannot be read"},
		"nested inside a block": {text(`[{"page":1,"bbox":` + strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000) + `,"text":"x"}]`), "", "cannot be read"},
		"wrong types":           {text(`[{"page":"1","bbox":{},"text":7}]`), "", "1 of 1 blocks"},
		"an object of strings":  {text(`{"blocks":"none"}`), "", "unexpected string"},
		"NaN":                   {text(`[{"page":1,"bbox":[NaN,0,1,1],"text":"The year was good."}]`), "", "cannot be read"},
		"infinite":              {text(`[{"page":1,"bbox":[0,0,1e400,1],"text":"The year was good."}]`), "", "unexpected number"},
		"as good as infinite":   {text(`[{"page":1,"bbox":[0,0,1e300,1],"text":"The year was good."}]`), "", "1e+300"},
		"reversed":              {text(`[{"page":1,"bbox":[1,1,0,0],"text":"The year was good."}]`), "", "ends before it begins"},
		"off the page":          {text(`[{"page":1,"bbox":[-0.01,0,1,1],"text":"The year was good."}]`), " 0@1", ""},
		"a page of no book":     {text(`[{"page":-3,"bbox":[0,0,1,1],"text":"The year was good."}]`), "", "page -3"},
		"doubled keys":          {text(`[{"page":1,"page":2,"bbox":[0,0,1,1],"text":"x","text":"The year was good."}]`), " 0@2", ""},
		"not UTF-8":             {text(`[{"page":1,"bbox":[0,0,1,1],"text":"The year was good.` + "\xff" + `"}]`), " 0@1", "not UTF-8"},
		"UTF-16":                {text("\xff\xfe[\x00]\x00"), "", "cannot be read"},
		"BOM":                   {text("\ufeff" + good), " 0@1 1@2", ""},
		"empty":                 {text(""), "", "cannot be read"},
		"more after the end":    {text(good + " and so on"), "", "cannot be read"},
		"one bad of two":        {text(`[{"page":1,"bbox":[0,0,1,1],"text":"The year was good."},{"page":1}]`), " 0@1", "1 of 2 blocks"},
		"link inside":           {link("other.json", good), "", "is a link"},
		"link outside":          {link("../outside.json", good), "", "is a link"},
		"link to itself":        {func(p string) error { return os.Symlink(filepath.Base(p), p) }, "", "is a link"},
		"FIFO":                  {func(p string) error { return syscall.Mkfifo(p, 0o644) }, "", "is a special file"},
		"unreadable":            {func(p string) error { return os.WriteFile(p, []byte(good), 0) }, "", "permission denied"},
		"folder":                {func(p string) error { return os.Mkdir(p, 0o755) }, "", "is a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "unreadable" && os.Getuid() == 0 {
				t.Skip("root may read everything")
			}
			t.Parallel()
			l := shelftest.New(t, shelftest.Options{})
			l.Write("notes/r.pdf.md", derivedText)
			l.Write("notes/r.pdf", "%PDF")
			if err := c.put(l.Path(list)); err != nil {
				t.Fatal(err)
			}
			l.Sync()
			told := blocksProblem(l)
			if got := boxesOf(l, "notes/r.pdf.md"); got != "notes/r.pdf:"+c.boxes {
				t.Errorf("boxes %s", got)
			}
			if c.reason == "" && told != "" || !strings.Contains(told, c.reason) || c.reason != "" && !strings.HasPrefix(told, "notes/r.pdf.md blocks r.pdf.blocks.json: ") {
				t.Errorf("told %.300q", told)
			}
			if l.Finds("revenue") == 0 {
				t.Error("the text is not found")
			}
			l.Matches()
			l.Remove(list)
			l.Sync()
			if told := blocksProblem(l); told != "" {
				t.Errorf("told after it went: %.300q", told)
			}
			l.Write(list, good)
			l.Sync()
			if got, told := boxesOf(l, "notes/r.pdf.md"), blocksProblem(l); got != "notes/r.pdf: 0@1 1@2" || told != "" {
				t.Errorf("mended: %s, told %q", got, told)
			}
			l.Matches()
		})
	}
}

func text(s string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(s), 0o644) }
}

// link puts a list elsewhere and a link to it in its place.
func link(target, content string) func(string) error {
	return func(path string) error {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), target), []byte(content), 0o644); err != nil {
			return err
		}
		return os.Symlink(target, path)
	}
}

// Events alone tell when something odd takes the place of a list, and when a list takes its place.
func TestEventsTellWhatTakesThePlaceOfTheBlocks(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{})
	l.Write("notes/r.pdf.md", derivedText)
	state := func() string { return boxesOf(l, "notes/r.pdf.md") + "|" + blocksProblem(l) }
	becomes := func(what, boxes, reason string) {
		t.Helper()
		l.Eventually(what, func() bool {
			got, told, _ := strings.Cut(state(), "|")
			return got == boxes && (told == "") == (reason == "") && strings.Contains(told, reason)
		}, state)
	}
	for range 2 {
		if err := os.Mkdir(l.Path(list), 0o755); err != nil {
			t.Fatal(err)
		}
		becomes("a folder", "notes/r.pdf:", "is a folder")
		l.Remove(list)
		becomes("nothing", ":", "")
		l.Write(list, blocksOn(4))
		becomes("a list", "notes/r.pdf: 0@4 1@5", "")
		l.Remove(list)
		if err := syscall.Mkfifo(l.Path(list), 0o644); err != nil {
			t.Fatal(err)
		}
		becomes("a FIFO", "notes/r.pdf:", "is a special file")
		l.Remove(list)
		l.Write(list, `{`)
		becomes("half a list", "notes/r.pdf:", "unexpected end")
		l.Save(list, blocksOn(6))
		becomes("a list again", "notes/r.pdf: 0@6 1@7", "")
		l.Remove(list)
		becomes("nothing again", ":", "")
	}
	l.Follows()
}

// A text that is a link to another place of the shelf has the blocks that stand beside the link.
func TestALinkedTextHearsOfItsBlocks(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{})
	l.Write("notes/texts/r.md", derivedText)
	if err := os.Symlink("texts/r.md", l.Path("notes/r.pdf.md")); err != nil {
		t.Fatal(err)
	}
	l.Sync()
	for page := 1; page < 6; page += 2 {
		l.Write(list, blocksOn(page))
		want := strings.NewReplacer("P", string(rune('0'+page)), "Q", string(rune('1'+page))).Replace("notes/r.pdf: 0@P 1@Q")
		l.Eventually("boxes", func() bool { return boxesOf(l, "notes/r.pdf.md") == want }, func() string { return boxesOf(l, "notes/r.pdf.md") })
	}
	l.Matches()
}

// The limit on the size of a list follows max_file_size.
func TestBlocksTooLargeAreReadWhenTheLimitIsRaised(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{})
	l.Write("notes/r.pdf.md", derivedText)
	l.Write(list, blocksOn(1)+strings.Repeat(" ", 4096))
	old := time.Now().Add(-time.Hour)
	for _, path := range []string{"notes/r.pdf.md", list} {
		if err := os.Chtimes(l.Path(path), old, old); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		limit         int64
		boxes, reason string
	}{{0, " 0@1 1@2", ""}, {500, "", "larger than"}, {5000, " 0@1 1@2", ""}, {500, "", "larger than"}, {0, " 0@1 1@2", ""}} {
		shelves := l.Shelves()
		shelves[0].MaxFileSize = step.limit
		l.Declare(shelves...)
		l.Sync()
		if got, told := boxesOf(l, "notes/r.pdf.md"), blocksProblem(l); got != "notes/r.pdf:"+step.boxes || (told == "") != (step.reason == "") || !strings.Contains(told, step.reason) {
			t.Errorf("limit %d: %s, told %q", step.limit, got, told)
		}
		l.Matches()
	}
}

// However texts, sources and lists come, go and change places while events run, the index is that of a fresh build.
func TestDerivedTextsInAnyOrderEqualAFreshBuild(t *testing.T) {
	names := []string{"r.pdf", "q.pdf", "R.PDF", "b.docx", "\u00e9.pdf", "e\u0301.pdf"} // the last two come to one doc_path
	kinds := []string{"", ".md", ".blocks.json"}
	for seed := range uint64(4) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			l := shelftest.New(t, shelftest.Options{})
			r := rand.New(rand.NewPCG(seed, 7))
			pick := func() string { return "notes/" + names[r.IntN(len(names))] + kinds[r.IntN(len(kinds))] }
			for step := range 160 {
				path := pick()
				switch r.IntN(6) {
				case 0, 1:
					l.Remove(path)
				case 2:
					if to := pick(); to != path && l.Exists(path) && filepath.Ext(to) == filepath.Ext(path) {
						l.Remove(to)
						l.Move(path, to)
					}
				default:
					l.Remove(path)
					switch filepath.Ext(path) {
					case ".md":
						l.Write(path, strings.Repeat("# Preface\n\nNew.\n\n", r.IntN(3))+derivedText)
					case ".json":
						l.Write(path, []string{blocksOn(step + 1), "{", "[]", blocksOn(1)}[r.IntN(4)])
					default:
						l.Write(path, "%PDF")
					}
				}
				if r.IntN(12) == 0 {
					l.Sync()
				}
			}
			l.Follows()
			l.Sync()
			l.Matches()
		})
	}
}
