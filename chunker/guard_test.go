package chunker

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// hostilePatterns are what makes goldmark, the YAML decoder or a naive cutter slow: each but a few would cost the
// square of its length. make returns about n bytes.
var hostilePatterns = []struct {
	name string
	make func(n int) string
}{
	{"quotes on one line", unit("> ")},
	{"dashes on one line", unit("- ")},
	{"numbers on one line", unit("1. ")},
	{"quotes and lists on one line", unit("> - 1. ")},
	{"deep quotes on every line", unit(strings.Repeat("> ", 60) + "x\n")},
	{"deep lists on every line", unit(strings.Repeat("- ", 30) + "x\n")},
	{"indented nested list", numbered(func(i int) string { return strings.Repeat("  ", i) + "- a\n" })},
	{"indented nested lists", numbered(func(i int) string { return strings.Repeat("  ", i%30) + "- a\n" })},
	{"open links", unit("[a](")},
	{"open links with destination", unit("[a](b")},
	{"open links on lines", unit("[a](b\n")},
	{"open images", unit("![a](")},
	{"links in angle brackets", unit("[a](<b")},
	{"labels", unit("[a]")},
	{"labels on lines", unit("[a]\n")},
	{"long labels", unit("[" + strings.Repeat("w ", 450) + "]")},
	{"open references", unit("[a][")},
	{"open brackets", unit("[")},
	{"open wiki links", unit("[[a")},
	{"brackets open and closed", func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) }},
	{"nested links", func(n int) string { return strings.Repeat("[a ", n/9) + strings.Repeat("](b)", n/6) }},
	{"links with emphasis", unit("[*a_](b) ")},
	{"definitions", numbered(func(i int) string { return fmt.Sprintf("[a%d]: u\n", i) })},
	{"definitions with an open title", unit("[a]: u \"x\n")},
	{"definitions on two lines", unit("[a]:\nu\n")},
	{"code spans of growing length", numbered(func(i int) string { return strings.Repeat("`", i+1) + "a" })},
	{"emphasis that never closes", func(n int) string { return strings.Repeat("_a ", n/6) + strings.Repeat("b* ", n/6) }},
	{"emphasis inside emphasis", func(n int) string { return strings.Repeat("*a ", n/6) + strings.Repeat("b*", n/4) }},
	{"open tags", unit("x<a b='\" ")},
	{"one endless tag", func(n int) string { return "<div " + strings.Repeat("a=b ", n/4) }},
	{"tags", unit("x<a>")},
	{"open comments", unit("x <!--")},
	{"wide table of short rows", func(n int) string {
		return strings.Repeat("a|", n/8) + "a\n" + strings.Repeat("-|", n/8) + "-\n" + strings.Repeat("b\n", n/4)
	}},
	{"table with escaped bars in code", func(n int) string { return "|a|\n|-|\n" + strings.Repeat("|`c\\|`|\n", n/8) }},
	{"tables and rules", unit("a\n-:\n-\n")},
	{"headings", unit("# a\n")},
	{"setext headings", unit("a\n=\n")},
	{"long headings above many", func(n int) string {
		return "# " + strings.Repeat("word ", n/8) + "\n## " + strings.Repeat("word ", n/8) + "\n" + strings.Repeat("### a\n", n/12)
	}},
	{"articles", unit("第一条 甲方。\n\n")},
	{"tags of one letter", numbered(func(i int) string { return fmt.Sprintf("#tag%d ", i) })},
	{"full stops", unit(".")},
	{"ideographic full stops", unit("。")},
	{"carriage returns", unit("word\r")},
	{"blank lines", unit("\n")},
	{"spaces", unit(" ")},
	{"marks on one letter", func(n int) string { return "a" + strings.Repeat("\u0301", n/2) }},
	{"base64 on one line", unit("aGVsbG8gd29ybGQ")},
	{"front matter that never ends", func(n int) string { return "---\n" + strings.Repeat("a: b\n", n/5) }},
	{"front matter: brackets", fenced("---", "a: ", "[", "")},
	{"front matter: dashes", fenced("---", "a:\n ", "- ", "x")},
	{"front matter: documents", fenced("---", "", "--- a\n", "")},
	{"front matter: keys", func(n int) string {
		return "---\n" + numbered(func(i int) string { return fmt.Sprintf("k%d: v\n", i) })(min(n, maxFront-9)) + "---\n"
	}},
	{"front matter: aliases", func(int) string { return "---\n" + bomb() + "---\n" }},
	{"front matter: dotted keys", fenced("+++", "", "a.", "a = 1")},
	{"front matter: arrays", fenced("+++", "a = ", "[", "")},
	{"front matter: objects", fenced(";;;", "", "{\"a\":", "")},
}

func unit(s string) func(int) string {
	return func(n int) string { return strings.Repeat(s, n/len(s)+1) + "x" }
}

func numbered(line func(i int) string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(line(i))
		}
		return b.String()
	}
}

func fenced(fence, before, repeat, after string) func(int) string {
	return func(n int) string {
		return fence + "\n" + before + strings.Repeat(repeat, min(n, maxFront-20)/len(repeat)) + after + "\n" + fence + "\nbody\n"
	}
}

// TestHostileMarkupEndsInTime gives each pattern far more time than it needs, and far less than its square would take.
func TestHostileMarkupEndsInTime(t *testing.T) {
	for _, pattern := range hostilePatterns {
		t.Run(pattern.name, func(t *testing.T) {
			for _, size := range []int{4 << 10, 512 << 10} {
				src := []byte(pattern.make(size))
				done := make(chan string, 1)
				go func() { done <- broken(src, Parse("x.md", src, Options{})) }()
				select {
				case fault := <-done:
					if fault != "" {
						t.Error(fault)
					}
				case <-time.After(30 * time.Second):
					t.Fatalf("%d bytes take more than 30 s", len(src))
				}
			}
		})
	}
}

// BenchmarkHostile measures the patterns at the largest size that is read by default.
func BenchmarkHostile(b *testing.B) {
	for _, pattern := range hostilePatterns {
		src := []byte(pattern.make(8<<20 - 1024))
		b.Run(pattern.name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				Parse("x.md", src, Options{})
			}
		})
	}
}

func TestTooDeepNestingIsReadAsTextAndSaid(t *testing.T) {
	for _, marker := range []string{"> ", "- ", "1. "} {
		d := check(t, "x.md", []byte("# A\n\n"+strings.Repeat(marker, 500)+"deep\n\n# B\n\n[b](b.md)\n"))
		if len(d.Nodes) != 2 || len(d.Links) != 1 {
			t.Errorf("%q: %d sections and %d links, want the rest of the file read", marker, len(d.Nodes), len(d.Links))
		}
		wantProblem(t, d, "nested too deep", 3)
	}
}

func TestWhenTheStepsAreSpentMarkupIsTextAndSectionsStay(t *testing.T) {
	d := check(t, "x.md", []byte("# A\n\n[a](a.md)\n\n"+strings.Repeat("[a](", 50_000)+"\n\n# B\n\n[b](b.md)\n"))
	if len(d.Nodes) != 2 || len(d.Links) != 1 || d.Links[0].Target != "a.md" {
		t.Errorf("nodes %v, links %v", d.Nodes, d.Links)
	}
	wantProblem(t, d, "too many brackets", 5)
}

func TestTooMuchMarkupIsCutAsPlainText(t *testing.T) {
	d := check(t, "x.md", []byte("# A\n\nparagraph\n\n"+strings.Repeat("*a* `b` [c](d) ", 200_000)))
	if len(d.Nodes) != 1 || d.Nodes[0].ID != "~" || len(d.Links) > 0 || d.Title != "X" {
		t.Errorf("nodes %v, %d links, title %q", d.Nodes, len(d.Links), d.Title)
	}
	wantProblem(t, d, "plain text", 0)
}

func TestTooManyHeadingsOpenNoSection(t *testing.T) {
	d := check(t, "x.md", []byte(strings.Repeat("# a\n", maxNodes+10)))
	if len(d.Nodes) != maxNodes || d.Nodes[maxNodes-1].ID != fmt.Sprintf("a-%d", maxNodes) {
		t.Errorf("%d nodes", len(d.Nodes))
	}
	wantProblem(t, d, "headings", maxNodes+1)
}

func TestAFaultInALibraryIsAnError(t *testing.T) {
	if err := survive(func() { panic("invalid state") }); err == nil || !strings.Contains(err.Error(), "invalid state") {
		t.Errorf("got %v", err)
	}
	if err := survive(func() {}); err != nil {
		t.Error(err)
	}
}

func TestDocumentsAreParsedSideBySide(t *testing.T) {
	src := []byte(strings.Repeat("# A\n\n*text* [a](b.md) #tag `code`\n\n", 50))
	want := render(check(t, "x.md", src))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got := render(Parse("x.md", src, Options{})); got != want {
				t.Error("the same bytes gave another document")
			}
		})
	}
	group.Wait()
}

func TestALargeOrdinaryDocumentIsNoProblem(t *testing.T) {
	src := strings.Repeat("## Section\n\nSome *words* with `code` and [a link](x.md), and more words to fill the line.\n\n"+
		"- an item\n  - another one\n\n| a | b |\n|---|---|\n| c | d |\n\n```go\nfor i := range n {\n    f(i)\n}\n```\n\n", 4000)
	d := check(t, "x.md", []byte(src))
	if len(d.Problems) > 0 || len(d.Nodes) != 4000 || len(d.Links) != 4000 {
		t.Errorf("%d bytes: problems %v, %d nodes, %d links", len(src), d.Problems, len(d.Nodes), len(d.Links))
	}
}

func wantProblem(t *testing.T, d *Document, part string, line int) {
	t.Helper()
	if !slices.ContainsFunc(d.Problems, func(p Problem) bool {
		return p.Stage == StageParse && strings.Contains(p.Reason, part) && p.Line == line
	}) {
		t.Errorf("problems %v, want %q on line %d", d.Problems, part, line)
	}
}
