package chunker

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// rank is the place of a structure heading among those of contracts and laws: a lower one contains the higher.
type rank int

const (
	rankTitle   rank = iota + 1 // 编, Title, Titolo
	rankChapter                 // 章, Chapter, Capo, Capitolo
	rankSection                 // 节, Section, Sezione
	rankArticle                 // 条, Article, Art., Articolo
)

// What separates a heading from prose that names one ("Section 5 describes…", "第五条规定的情形") is what follows the
// number:
//
//   - nothing: the marker stands alone on its line
//   - punctuation that ends a number: ". ", ": ", ") ", a dash
//   - a caption in brackets: Art. 5 (Oggetto), 第一条【目的】
//   - a capital letter: in an article, which may run on in the same line, when a capitalised word follows; else when the
//     paragraph is this line alone, short, and no sentence
//   - for 条 anything but the words by which prose refers to an article; for 编, 章, 节 a space or punctuation, or
//     anything when the line stands alone, is short and no sentence

const (
	maxTitleLine = 100 // runes of a line that is a title as a whole
	maxCaption   = 40  // runes of a caption in brackets
)

// heading is a structure heading: its rank, its title, and whether its line says nothing else.
type heading struct {
	rank  rank
	title string
	alone bool
}

// structureHeading reads the first line of a paragraph, in plain text; alone says that the paragraph has no other.
func structureHeading(line string, alone bool) (heading, bool) {
	if len(line) == 0 || len(line) > maxParagraphLine {
		line = line[:runeBoundary(line, min(len(line), maxParagraphLine))]
		alone = false
	}
	if strings.HasPrefix(line, "第") {
		return hanHeading(line, alone)
	}
	return latinHeading(line, alone)
}

// maxParagraphLine bounds what is looked at of a line.
const maxParagraphLine = 2 << 10

var hanRanks = map[rune]rank{
	'编': rankTitle, '編': rankTitle, '章': rankChapter, '节': rankSection, '節': rankSection, '条': rankArticle, '條': rankArticle,
}

const hanDigits = "零〇一二三四五六七八九十百千两0123456789０１２３４５６７８９"

// hanProse are the words that follow a number in prose: what refers to an article, and the things that 条 counts.
var hanProse = []string{
	"规定", "規定", "所", "的", "和", "与", "與", "及", "至", "到", "或", "、", "，", "第", "中的", "中规定", "中，", "介绍", "描述", "说明",
	"命令", "指令", "语句", "记录", "规则", "消息", "信息", "日志", "数据", "评论", "建议", "新闻", "路由", "路径", "查询", "线", "边",
}

func hanHeading(line string, alone bool) (heading, bool) {
	rest := strings.TrimLeft(line[len("第"):], " \u3000")
	number := strings.TrimLeft(rest, hanDigits)
	if number == rest {
		return heading{}, false
	}
	rest = strings.TrimLeft(number, " \u3000")
	unit, size := utf8.DecodeRuneInString(rest)
	level, ok := hanRanks[unit]
	if !ok {
		return heading{}, false
	}
	rest = rest[size:]
	if after, inserted := strings.CutPrefix(rest, "之"); inserted { // 第一百二十条之一
		if tail := strings.TrimLeft(after, hanDigits); tail != after {
			rest = tail
		}
	}
	for _, word := range hanProse {
		if strings.HasPrefix(rest, word) {
			return heading{}, false
		}
	}
	marker := line[:len(line)-len(rest)]
	sentence := strings.ContainsAny(line, "。；！？，")
	short := utf8.RuneCountInString(line) <= maxCaption && !sentence
	if level == rankArticle {
		if rest == "" || alone && short {
			return heading{level, line, alone}, true
		}
		return heading{level, marker + caption(rest), false}, true
	}
	first, _ := utf8.DecodeRuneInString(rest)
	separated := rest == "" || unicode.IsSpace(first) || unicode.IsPunct(first)
	if sentence || !separated && !(alone && short) {
		return heading{}, false
	}
	return heading{level, line, alone}, true
}

var latinRanks = map[string]rank{
	"title": rankTitle, "titolo": rankTitle,
	"chapter": rankChapter, "capo": rankChapter, "capitolo": rankChapter,
	"section": rankSection, "sezione": rankSection,
	"article": rankArticle, "articolo": rankArticle, "art.": rankArticle,
}

// numerals are the numbers that headings spell out.
var numerals = map[string]bool{
	"one": true, "two": true, "three": true, "four": true, "five": true, "six": true, "seven": true, "eight": true, "nine": true,
	"ten": true, "eleven": true, "twelve": true, "first": true, "second": true, "third": true,
	"primo": true, "secondo": true, "terzo": true, "quarto": true, "quinto": true, "sesto": true, "settimo": true, "ottavo": true,
	"nono": true, "decimo": true, "prima": true, "seconda": true, "terza": true, "quarta": true, "quinta": true, "sesta": true,
}

func latinHeading(line string, alone bool) (heading, bool) {
	level, n := latinMarker(line)
	if level == 0 {
		return heading{}, false
	}
	size := numberLength(line[n:])
	if size == 0 {
		return heading{}, false
	}
	marker, rest := line[:n+size], line[n+size:]
	titleLine := alone && utf8.RuneCountInString(line) <= maxTitleLine && !strings.ContainsAny(line[len(line)-1:], ".!?;,:")
	if !latinCue(rest, level, titleLine) {
		return heading{}, false
	}
	if strings.TrimRight(rest, " .:") == "" {
		return heading{level, marker, alone}, true
	}
	if titleLine {
		return heading{level, line, true}, true
	}
	return heading{level, marker + caption(rest), false}, true
}

// latinMarker is the rank of the marker at the start of a line and its length with the space behind it.
func latinMarker(line string) (rank, int) {
	end := strings.IndexAny(line, " .\u00a0")
	if end <= 0 || line[0] < 'A' || line[0] > 'Z' {
		return 0, 0
	}
	word := line[:end]
	if word[1:] != strings.ToLower(word[1:]) && word != strings.ToUpper(word) {
		return 0, 0
	}
	if line[end] == '.' {
		end++
	}
	level, ok := latinRanks[strings.ToLower(line[:end])]
	if !ok { // Article. I
		level, ok = latinRanks[strings.TrimSuffix(strings.ToLower(line[:end]), ".")]
	}
	number := strings.TrimLeft(line[end:], " \u00a0")
	if !ok || number == line[end:] && line[end-1] != '.' {
		return 0, 0
	}
	return level, len(line) - len(number)
}

// numberLength is the length of the number at the start of s, 0 when there is none: 5, 5.1, 12-bis, 12 bis, 5A, IV, One.
func numberLength(s string) int {
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(s)
	}
	word := s[:end]
	if word == "" {
		return 0
	}
	if word[0] < '0' || word[0] > '9' {
		if roman(word) || numerals[strings.ToLower(word)] {
			return end
		}
		return 0
	}
	if suffix := strings.TrimLeft(word, "0123456789"); len(suffix) > 1 && !ordinals[suffix] {
		return 0
	}
	for end+1 < len(s) && s[end] == '.' && s[end+1] >= '0' && s[end+1] <= '9' {
		end++
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
	}
	if end < len(s) && (s[end] == '-' || s[end] == ' ') {
		next, _, _ := strings.Cut(strings.TrimRight(s[end+1:min(len(s), end+16)], ".:"), " ")
		if ordinals[strings.TrimRight(next, ".:")] {
			return end + 1 + len(strings.TrimRight(next, ".:"))
		}
	}
	return end
}

// ordinals number the articles that a later law put between two others.
var ordinals = map[string]bool{
	"bis": true, "ter": true, "quater": true, "quinquies": true, "sexies": true, "septies": true, "octies": true, "novies": true,
	"decies": true,
}

// roman says whether s is a Roman numeral in capitals up to 399, the single letters L and C left to other uses.
func roman(s string) bool {
	if s == "L" || s == "C" || len(s) > 12 {
		return false
	}
	rest := s
	for _, step := range []struct {
		one, five, ten string
	}{{"C", "", ""}, {"X", "L", "C"}, {"I", "V", "X"}} {
		rest = cutRoman(rest, step.one, step.five, step.ten)
	}
	return rest == "" && s != ""
}

func cutRoman(s, one, five, ten string) string {
	if five != "" {
		for _, pair := range []string{one + ten, one + five} {
			if rest, ok := strings.CutPrefix(s, pair); ok {
				return rest
			}
		}
		s = strings.TrimPrefix(s, five)
	}
	for range 3 {
		s = strings.TrimPrefix(s, one)
	}
	return s
}

// latinCue says whether what follows the number makes a heading of it.
func latinCue(rest string, level rank, titleLine bool) bool {
	if rest == "" {
		return true
	}
	after := strings.TrimLeft(rest, " \u00a0\u3000")
	spaced := after != rest
	first, size := utf8.DecodeRuneInString(after)
	next, _ := utf8.DecodeRuneInString(after[size:])
	ends := len(after) == size || unicode.IsSpace(next)
	switch {
	case first == '.' || first == ':' || first == ')' || first == '-':
		return ends
	case first == '–' || first == '—':
		return !unicode.IsDigit(next)
	case first == '(' || first == '[' || first == '«' || first == '"' || first == '“':
		return spaced && unicode.IsUpper(next)
	case spaced && unicode.IsUpper(first):
		return titleLine || level == rankArticle && unicode.IsLower(next)
	}
	return false
}

// caption is what stands in brackets at the start of s, with the space before it; "" when there is nothing.
func caption(s string) string {
	inner := strings.TrimLeft(s, " .\u00a0\u3000")
	for _, pair := range [][2]string{{"(", ")"}, {"（", "）"}, {"【", "】"}, {"[", "]"}, {"〔", "〕"}} {
		if !strings.HasPrefix(inner, pair[0]) {
			continue
		}
		end := strings.Index(inner, pair[1])
		if end < 0 || utf8.RuneCountInString(inner[:end]) > maxCaption {
			return ""
		}
		return s[:len(s)-len(inner)+end+len(pair[1])]
	}
	return ""
}
