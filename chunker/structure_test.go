package chunker

import (
	"fmt"
	"testing"
)

func TestStructureHeadings(t *testing.T) {
	for _, test := range []struct {
		line  string
		alone bool
		want  string // "rank title", "" = prose
	}{
		// Chinese
		{"第一编 总则", true, "1 第一编 总则"},
		{"第三章 合同的效力", true, "2 第三章 合同的效力"},
		{"第3章 合同", true, "2 第3章 合同"},
		{"第 三 章　合同", true, "2 第 三 章　合同"},
		{"第三章合同", true, "2 第三章合同"},
		{"第二节：数额", false, "3 第二节：数额"},
		{"第二十二条", true, "4 第二十二条"},
		{"第二十二条", false, "4 第二十二条"},
		{"第二十二条　合同期限", true, "4 第二十二条　合同期限"},
		{"第二十二条 甲方应当付款。", true, "4 第二十二条"},
		{"第二十二条甲方应当付款。", true, "4 第二十二条"},
		{"第八条中标人应当付款。", true, "4 第八条"},
		{"第５条 甲方应当付款。", false, "4 第５条"},
		{"第一百二十条之一 甲方应当付款。", false, "4 第一百二十条之一"},
		{"第一条【目的】为了保护当事人。", true, "4 第一条【目的】"},
		{"第一条 （目的）为了保护当事人。", true, "4 第一条 （目的）"},
		{"第二十條 甲方應當付款。", true, "4 第二十條"},
		{"第五条规定的情形除外。", true, ""},
		{"第五条第二款所列情形。", true, ""},
		{"第五条、第六条适用于本合同。", true, ""},
		{"第五条中的期限为十日。", true, ""},
		{"第三章介绍了如何安装", true, ""},
		{"第三章 介绍如何安装设备，以及怎样使用。", true, ""},
		{"第三章合同的效力与履行", false, ""},
		{"第一 甲方应当付款。", true, ""},
		{"第一次会议", true, ""},
		{"第一条命令创建一个用户。", true, ""},
		{"第二条规则使用请求头。", true, ""},

		// English
		{"Title I", true, "1 Title I"},
		{"Title III - Final provisions", true, "1 Title III - Final provisions"},
		{"CHAPTER IV — GENERAL", true, "2 CHAPTER IV — GENERAL"},
		{"Chapter 2 General Provisions", true, "2 Chapter 2 General Provisions"},
		{"Section 5.2: How to", true, "3 Section 5.2: How to"},
		{"Section 1. Definitions. The words have their meaning.", true, "3 Section 1"},
		{"Article 5", false, "4 Article 5"},
		{"Article 5.", true, "4 Article 5"},
		{"ARTICLE 5 – TERM", true, "4 ARTICLE 5 – TERM"},
		{"Article One", true, "4 Article One"},
		{"Article. XIV. Of voting", true, "4 Article. XIV. Of voting"},
		{"Article 5A Term", true, "4 Article 5A Term"},
		{"Article 7 The Supplier shall deliver.", false, "4 Article 7"},
		{"Article 5 of the treaty says nothing.", true, ""},
		{"Article 5, paragraph 2, applies.", true, ""},
		{"Article 5(1) applies.", true, ""},
		{"Article 5-7 apply.", true, ""},
		{"Article 5th Avenue", true, ""},
		{"Article about cats", true, ""},
		{"article 5", true, ""},
		{"Articles 5", true, ""},
		{"Section 5 describes how to install.", true, ""},
		{"Section 5 Describes how to install the program and what to do.", true, ""},
		{"Chapter 3 Basics of the language and how", false, ""},
		{"Title I am the best", true, ""},
		{"Title: Foo", true, ""},
		{"Section C", true, ""},
		{"Section", true, ""},
		{"Chapter VIIII", true, ""},

		// Italian
		{"Titolo II", true, "1 Titolo II"},
		{"Capo Primo", true, "2 Capo Primo"},
		{"Capitolo 2: Soci", true, "2 Capitolo 2: Soci"},
		{"Sezione 1", true, "3 Sezione 1"},
		{"Art. 12", true, "4 Art. 12"},
		{"ART. 12 - OGGETTO", true, "4 ART. 12 - OGGETTO"},
		{"Art. 12-bis Il consiglio può decidere.", true, "4 Art. 12-bis"},
		{"Art. 12 bis. Sede", true, "4 Art. 12 bis. Sede"},
		{"Art.12 Organi", true, "4 Art.12 Organi"},
		{"Art. 5 (Oggetto) Il contratto ha per oggetto la casa.", true, "4 Art. 5 (Oggetto)"},
		{"Art. 5 (Oggetto)", true, "4 Art. 5 (Oggetto)"},
		{"Articolo 3", true, "4 Articolo 3"},
		{"Art. 12 Il conduttore paga il canone", false, "4 Art. 12"},
		{"Art. 3 del codice civile non si applica.", true, ""},
		{"Art 12", true, ""},
		{"", true, ""},
	} {
		h, ok := structureHeading(test.line, test.alone)
		got := ""
		if ok {
			got = fmt.Sprint(int(h.rank), " ", h.title)
		}
		if got != test.want {
			t.Errorf("%q alone %v: %q, want %q", test.line, test.alone, got, test.want)
		}
	}
}

// TestStructureHeadingsNest: each rank below the one above, all below the Markdown heading; a Markdown heading ends them.
func TestStructureHeadingsNest(t *testing.T) {
	d := check(t, "law.md", []byte(`# Law

## Part

Titolo I

Art. 1

Capo I

Sezione 1

Art. 2

Text.

Capo II

Art. 3

### Note

Art. 4

> Art. 5

- Art. 6
`))
	var got []string
	for _, n := range d.Nodes {
		got = append(got, fmt.Sprint(n.Level, " ", n.ID))
	}
	want := []string{
		"1 law", "2 law/part", "3 law/part/titolo-i", "4 law/part/titolo-i/art-1", "4 law/part/titolo-i/capo-i",
		"5 law/part/titolo-i/capo-i/sezione-1", "6 law/part/titolo-i/capo-i/sezione-1/art-2", "4 law/part/titolo-i/capo-ii",
		"5 law/part/titolo-i/capo-ii/art-3", "3 law/part/note", "4 law/part/note/art-4",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRomanNumerals(t *testing.T) {
	for s, want := range map[string]bool{
		"I": true, "II": true, "III": true, "IV": true, "V": true, "IX": true, "XIV": true, "XL": true, "XCIX": true, "CCCXCIX": true,
		"X": true, "IIII": false, "VX": false, "IXI": false, "L": false, "C": false, "ABC": false, "": false, "i": false,
	} {
		if roman(s) != want {
			t.Errorf("roman(%q) = %v", s, !want)
		}
	}
}
