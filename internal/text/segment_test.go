package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"shelfd/internal/text"
)

func tokens(s string) (all []text.Token) {
	text.Segment(s, func(t text.Token) { all = append(all, t) })
	return all
}

func running(all []text.Token) (terms []string) {
	for _, t := range all {
		if t.Kind != text.Ident {
			terms = append(terms, t.Term)
		}
	}
	return terms
}

func idents(all []text.Token) (terms []string) {
	for _, t := range all {
		if t.Kind == text.Ident {
			terms = append(terms, t.Term)
		}
	}
	return terms
}

func TestRunningTextInOrder(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"Hello, World.", "hello world"},
		{"don't stop", "don t stop"},
		{"dell’articolo perché PERCHÉ perche\u0301", "dell articolo perche perche perche"},
		{"Straße Łódź Øre cœur", "strasse lodz ore coeur"},
		{"Ёлка, йод и\u0306", "елка йод й"},
		{"Ὀδυσσεύς ΟΔΥΣΣΕΎΣ", "οδυσσευσ οδυσσευσ"},
		{"h264 3d x86_64", "h264 3d x86 64"},
		{"ＡＢＣ１２ ﬁle m²", "abc12 file m2"},
		{"infor\u00admation a\u200db", "information ab"},
		{"今天讨论", "今天 天讨 讨论 论"},
		{"中", "中"},
		{"使用C++编程3章", "使用 用 c 编程 程 3 章"},
		{"ガギ か\u3099き", "ガギ ギ がき き"},
		{"ｶﾞｷﾞ", "ガギ ギ"},
		{"한국어 \u1112\u1161\u11ab\u1100\u116e\u11a8", "한국 국어 어 한국 국"},
		{"हिन्दी", "हिन्दी"},
		{"foo_bar.baz", "foo bar baz"},
		{"src/main.go:12", "src main go 12"},
		{"❤\ufe0f ok", "ok"},
		{"**bold** _em_ `code` [link](a.md)", "bold em code link a md"},
		{"\xff\xfeabc\x80def", "abc def"},
		{"(x) end.", "x end"},
	} {
		if got := strings.Join(running(tokens(c.in)), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestIdentifiersAreKeptWhole(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"C++", "c++"},
		{"C#, F#.", "c# f#"},
		{".NET", ".net"},
		{"ISO-27001", "iso-27001"},
		{"foo_bar.baz", "foo_bar.baz foo_bar"},
		{"v1.2.3", "v1.2.3"},
		{"use --dry-run or -x.", "--dry-run -x"},
		{"--flag=value", "--flag"},
		{"node.js", "node.js"},
		{"x86_64", "x86_64"},
		{"kube-apiserver", "kube-apiserver"},
		{"std::vector", "std::vector"},
		{"@nasa #tag", "@nasa #tag"},
		{"a/b/c", "a/b/c"},
		{"src/kube-api/main.go", "src/kube-api/main.go kube-api main.go"},
		{"getUserName", "get user name"},
		{"HTTPServer URLs OpenAI", "http server open ai"},
		{"C++11", "c++11 c++"},
		{"C#12", "c#12 c#"},
		{"C++/C#", "c++/c# c++ c#"},
		{"DEC-0054 gpt-4", "dec-0054 gpt-4"},
		{"使用C++和.NET编程", "c++ .net"},
		{"user@example.com", "user@example.com example.com"},
		{"https://example.com/a-b?q=1", "https://example.com/a-b example.com a-b"},
		{"`kb_id`, \"a-b\", 'c-d'", "kb_id a-b c-d"},
		{"well - known -- text --- . / :", ""},
		{"_em_ __bold__ **strong** end.", ""},
		{"# Title", ""},
		{"Über-Straße", "uber-strasse"},
		{"naïveTest", "naive test"},
		{"AT&T", "at&t"},
		{"3.14 2024-01-05", "3.14 2024-01-05"},
	} {
		if got := strings.Join(idents(tokens(c.in)), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestLongRunsDoNotGrowTheIndex(t *testing.T) {
	hash := strings.Repeat("deadbeef", 20)
	if got := running(tokens(hash)); len(got) != 1 || got[0] != hash[:64] {
		t.Errorf("hash: %q", got)
	}
	encoded := strings.Repeat("aGVsbG8+d29ybGQ/Zm9v", 500)
	size := 0
	for _, token := range tokens(encoded) {
		size += len(token.Term)
	}
	if size == 0 || size > 64 || len(tokens(encoded)) > 8 {
		t.Errorf("base64 of %d bytes gives %d bytes of terms", len(encoded), size)
	}
	umlauts := strings.Repeat("ü", 40) + "!"
	if got := running(tokens(umlauts)); len(got) != 1 || got[0] != strings.Repeat("u", 32) {
		t.Errorf("umlauts: %q", got)
	}
	path := strings.Repeat("folder/", 30) + "last-one.md"
	if got := idents(tokens(path)); !slices.Equal(got, []string{"last-one.md", "last-one"}) {
		t.Errorf("path: %q", got)
	}
}

func TestQueryLeavesOutTheLastCharacterOfARun(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"部署方案", "部署 署方 方案"},
		{"署", "署"},
		{"部署 方案", "部署 署 方案"},
		{"部署abc", "部署 署 abc"},
		{"部署。", "部署 署"},
		{"abc部署", "abc 部署"},
	} {
		var all []text.Token
		text.SegmentQuery(c.in, func(t text.Token) { all = append(all, t) })
		if got := strings.Join(running(all), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

// pieceOf draws what texts are made of, so that properties meet every branch and not only noise.
func pieceOf() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[a-z]{1,9}`),
		rapid.StringMatching(`[A-Z][a-z]{1,5}[A-Z]{1,3}[a-z]{0,3}`),
		rapid.StringMatching(`[a-zA-Z0-9._\-+#/:@&]{1,20}`),
		rapid.StringMatching(`[àéîõüßłøæœçñ]{1,6}`),
		rapid.StringMatching("[a-z][\u0300-\u0304]{1,2}[a-z]"),
		rapid.StringMatching(`[一-龥]{1,6}`),
		rapid.StringMatching(`[ぁ-んァ-ン가-힣]{1,5}`),
		rapid.StringMatching("[かきくハヒフ][\u3099\u309a]?"),
		rapid.StringMatching(`[Ａ-Ｚａ-ｚ０-９]{1,4}`),
		rapid.StringMatching(`[абвгдйё]{1,6}`),
		rapid.StringMatching(`[ \t\n.,;:!?'"()。，、“”]{1,3}`),
		rapid.String(),
	)
}

func textOf() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(pieceOf(), 0, 12).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(t, "glue"))
	})
}

// checkTokens states what must hold of the tokens of any input.
func checkTokens(t interface{ Fatalf(string, ...any) }, s string) {
	var words, ids []byte
	last := 0
	for _, token := range tokens(s) {
		if token.Start < last || token.End <= token.Start || token.End > len(s) {
			t.Fatalf("%q: token %+v after %d", s, token, last)
		}
		last = token.Start
		checkTerm(t, s, token)
		if token.Kind == text.Ident {
			ids = append(append(ids, token.Term...), ' ')
		} else {
			words = append(append(words, token.Term...), ' ')
		}
	}
	gotWords, gotIDs := text.AppendTerms([]byte("w:"), []byte("i:"), s)
	if string(gotWords) != "w:"+string(words) || string(gotIDs) != "i:"+string(ids) {
		t.Fatalf("%q: AppendTerms %q %q, Segment %q %q", s, gotWords, gotIDs, words, ids)
	}
}

func checkTerm(t interface{ Fatalf(string, ...any) }, s string, token text.Token) {
	if token.Term == "" || len(token.Term) > 16*64 || !utf8.ValidString(token.Term) {
		t.Fatalf("%q: term %+v", s, token)
	}
	for _, r := range token.Term {
		if unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("'\"`‘’“”", r) {
			t.Fatalf("%q: %q in term %+v", s, r, token)
		}
	}
	if !utf8.ValidString(s[token.Start:token.End]) {
		t.Fatalf("%q: span of %+v splits a character", s, token)
	}
}

func TestAppendTermsIsSegment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkTokens(t, textOf().Draw(t, "text")) })
}

func FuzzSegment(f *testing.F) {
	for _, s := range []string{"C++11/C# getUserName", "使用C++编程 ｶﾞ", "--dry-run @a/b#c..d", "\xff\u0301e\u00ad-\u200d", "ﷺ½ﬁ⒈"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkTokens(t, s)
		if once := text.Fold(s); text.Fold(once) != once {
			t.Fatalf("Fold(%q) = %q, folded again %q", s, once, text.Fold(once))
		}
		text.Slug(s)
		text.Path(s)
		text.Language(s)
		for _, language := range text.Stemmed() {
			text.Stem(language, s)
		}
	})
}

func TestQueryStandsInEveryTextThatHoldsIt(t *testing.T) {
	word := rapid.OneOf(
		rapid.StringMatching(`[a-zà-ü]{1,9}`),
		rapid.StringMatching(`[a-zA-Z0-9]{1,6}[._\-+#/:@&][a-zA-Z0-9]{1,6}`),
		rapid.StringMatching(`[一-龥ぁ-ん가-힣]{1,6}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SliceOfN(word, 0, 4).Draw(t, "before")
		query := rapid.SliceOfN(word, 1, 3).Draw(t, "query")
		after := rapid.SliceOfN(word, 0, 4).Draw(t, "after")
		glue := rapid.SampledFrom([]string{" ", ", ", "\n"}).Draw(t, "glue")
		whole := strings.Join(slices.Concat(before, query, after), glue)
		asked := strings.Join(query, glue)
		if chars := []rune(asked); text.IsCJK(chars[0]) && rapid.Bool().Draw(t, "shorten") {
			asked = string(chars[:1+rapid.IntRange(0, cjkPrefix(chars)-1).Draw(t, "n")])
		}
		var all []text.Token
		text.SegmentQuery(asked, func(t text.Token) { all = append(all, t) })
		if !standsIn(running(all), running(tokens(whole))) {
			t.Fatalf("%q %q not in %q %q", asked, running(all), whole, running(tokens(whole)))
		}
	})
}

func cjkPrefix(chars []rune) int {
	n := 0
	for n < len(chars) && text.IsCJK(chars[n]) {
		n++
	}
	return n
}

// standsIn looks for the phrase as a run of terms; its last one may be a single CJK character that begins a bigram.
// A phrase of signs alone has no terms and stands in everything.
func standsIn(phrase, terms []string) bool {
	if len(phrase) == 0 {
		return true
	}
	for i := 0; i+len(phrase) <= len(terms); i++ {
		last := len(phrase) - 1
		if slices.Equal(phrase[:last], terms[i:i+last]) && matchesLast(phrase[last], terms[i+last]) {
			return true
		}
	}
	return false
}

func matchesLast(asked, term string) bool {
	r, size := utf8.DecodeRuneInString(asked)
	if len(asked) == size && text.IsCJK(r) {
		return strings.HasPrefix(term, asked)
	}
	return asked == term
}

const english = `The valve opens when the pressure in the boiler exceeds the limit that you configured. Don't use --dry-run
with kube-apiserver v1.2.3; see docs/boiler/valves.md for the getPressure call. Most of this is ordinary prose, as it is
in the documents that people write about the things they run, and only now and then an identifier stands in it. `

func BenchmarkAppendTerms(b *testing.B) {
	for name, s := range map[string]string{
		"english": strings.Repeat(english, 20),
		"prose":   strings.Repeat("It is a truth that the ordinary words of a language are short and follow one another with spaces. ", 60),
		"italian": strings.Repeat("La perché è più utile dell'altra: così la società può già funzionare, però non sempre. ", 60),
		"chinese": strings.Repeat("当锅炉中的压力超过您配置的限制时，阀门就会打开。这是普通的文字。", 60),
	} {
		b.Run(name, func(b *testing.B) {
			var words, ids []byte
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				words, ids = text.AppendTerms(words[:0], ids[:0], s)
			}
		})
	}
}
