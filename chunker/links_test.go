package chunker

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestLinks(t *testing.T) {
	for _, test := range []struct {
		name, src string
		want      []string // "kind line text|target|fragment"
	}{
		{"inline", "[A *b* `c`](x.md)", []string{"inline 1 A b c|x.md|"}},
		{"with a title, fragment and query", "[a](x.md?v=1#part \"T\")", []string{"inline 1 a|x.md|part"}},
		{"percent decoded", "[a](my%20page.md#k%C3%A4se)", []string{"inline 1 a|my page.md|käse"}},
		{"not well encoded", "[a](100%.md)[b](a%ff.md)", []string{"inline 1 a|100%.md|", "inline 1 b|a%ff.md|"}},
		{"escapes and entities", `[a](x\_y\(1\).md)[b](a&amp;b.md)`, []string{"inline 1 a|x_y(1).md|", "inline 1 b|a&b.md|"}},
		{"angle brackets", "[a](<my page.md>)", []string{"inline 1 a|my page.md|"}},
		{"fragment alone", "[a](#part)", []string{"inline 1 a||part"}},
		{"absolute path", "[a](/docs/x)", []string{"inline 1 a|/docs/x|"}},
		{"file URL", "[a](file:///docs/x.md) <file:///y.md>", []string{"inline 1 a|/docs/x.md|", "auto 1 file:///y.md|/y.md|"}},
		{"full reference", "[a][r]\n\n[r]: x.md#y", []string{"reference 1 a|x.md|y"}},
		{"collapsed and shortcut", "\n[r][] [R]\n\n[r]: <x y.md>", []string{"reference 2 r|x y.md|", "reference 2 R|x y.md|"}},
		{"image with link inside a link", "[![logo](logo.png)](x.md)", []string{"inline 1 logo|x.md|"}},
		{"embedded Markdown", "![a](x.md) ![b](y.MDX#z) ![c](z.png)", []string{"embed 1 a|x.md|", "embed 1 b|y.MDX|z"}},
		{"file autolinks", "<x.md> <../a/b.markdown#c> <div.mdx> <a.txt> <b>", []string{
			"auto 1 x.md|x.md|", "auto 1 ../a/b.markdown#c|../a/b.markdown|c", "auto 1 div.mdx|div.mdx|",
		}},
		{"wiki", "[[Page]] [[Page|text]] [[a/b#Part one|t]] [[#here]]", []string{
			"wiki 1 Page|Page|", "wiki 1 text|Page|", "wiki 1 t|a/b|Part one", "wiki 1 #here||here",
		}},
		{"wiki names aren't URLs", "[[What now?]] [[100%]] [[Plan: B]]", []string{
			"wiki 1 What now?|What now?|", "wiki 1 100%|100%|", "wiki 1 Plan: B|Plan: B|",
		}},
		{"wiki embeds", "![[Page]] ![[pic.png|100]] ![[v1.2]]", []string{"embed 1 Page|Page|", "embed 1 v1.2|v1.2|"}},
		{"wiki in a table", "|a|\n|-|\n|[[Page\\|text]]|", []string{"wiki 3 text|Page|"}},
		{"no wiki link", "`[[a]]` [[ -f x ]] [[]] [[a\nb]] [[https://x.y/z]] \\[[a]]", nil},
		{"no wiki link in a fence", "```\n[[a]]\n```\n\n    [[b]]\n", nil},
		{"brackets that CommonMark reads", "[[1]](x.md) [[r]]\n\n[r]: y.md", []string{"inline 1 [1]|x.md|", "reference 1 r|y.md|"}},
		{"other schemes", "[a](https://x.y/z.md) [b](mailto:a@b.c) [c](//x.y/z) <https://x.y> <a@b.c> [d](javascript:x) https://x.y", nil},
		{"nothing to link to", "[a]() [b](?x=1) [c](<>)", nil},
		{"a Windows path", `[a](C:/docs/x.md)`, []string{"inline 1 a|C:/docs/x.md|"}},
		{"not in code", "`[a](x.md)`\n\n```\n[a](x.md)\n```\n\n<!-- [a](x.md) -->", nil},
		{"in a heading, a quote, a list, a table", "# [a](1.md)\n\n> [b](2.md)\n\n- [c](3.md)\n\n|h|\n|-|\n|[d](4.md)|\n", []string{
			"inline 1 a|1.md|", "inline 3 b|2.md|", "inline 5 c|3.md|", "inline 9 d|4.md|",
		}},
		{"lines of the file on disk", "\ufeff---\r\na: b\r\n---\r\n\r\ntext\r\n[a](x.md)\r\n", []string{"inline 6 a|x.md|"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, l := range check(t, "x.md", []byte(test.src)).Links {
				got = append(got, fmt.Sprintf("%s %d %s|%s|%s", l.Kind, l.Line, l.Text, l.Target, l.Fragment))
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestInlineTags(t *testing.T) {
	for _, test := range []struct {
		src, want string
	}{
		{"#a and #b-c, #d/e. #f_g!", "a b-c d/e f_g"},
		{"#标签 and #Città", "标签 Città"},
		{"#Tag #tag #TAG", "Tag"},
		{"# Heading\n\n## Other #x", "x"},
		{"#123 #2024-05 #1st", "1st"},
		{"see x.md#part and https://x.y/#z and C#sharp", ""},
		{"`#code` and\n\n```\n#fence\n```\n\n    #indented", ""},
		{"[text](x.md#part) [#a](y.md)", ""},
		{`\#escaped`, ""},
		{"- #item\n- b #other\n\n> #quote\n\n|h|\n|-|\n|#cell|", "item other quote cell"},
		{"#- #/ #-a #", ""},
		{"#" + strings.Repeat("a", 200), ""},
		{"---\ntags: [One]\n---\n#one #two", "One two"},
	} {
		if got := strings.Join(check(t, "x.md", []byte(test.src)).Tags, " "); got != test.want {
			t.Errorf("%q: %q, want %q", test.src, got, test.want)
		}
	}
}
