package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	languageSample = 4 << 10 // bytes looked at
	wordSample     = 400     // words looked at
	// stopShare is the share of stop words that prose has at the very least. Measured: prose of the languages below
	// has 25–50 %, program text under 10 %.
	stopShare = 0.12
	// stopLead is how far the best language must be ahead of the second.
	stopLead = 1.15
)

// Language guesses the language of s from its script and commonest words: a BCP 47 primary subtag ("en", "it", "zh",
// "de", "fr", "es", "pt", "nl", "ru", "ja", "ko" …), "" when unsure. It looks at the first few kilobytes only.
func Language(s string) string {
	if len(s) > languageSample {
		s = s[:languageSample]
	}
	s = prose(s)
	n := countScripts(s)
	switch {
	case n.cjk() == 0 && n.latin+n.other() == 0:
		return ""
	case n.cjk()*6 >= n.latin && n.cjk() >= n.other():
		return n.eastAsian()
	case n.other() > n.latin/2:
		return n.single(s)
	}
	return latinLanguage(s)
}

// scriptLanguages are those that Language tells by their script.
var scriptLanguages = []string{"zh", "ja", "ko", "ru", "uk", "be", "sr", "bg", "el", "ar", "fa", "he", "th", "hi"}

// NamedLanguage is the primary subtag of a language tag ("it-CH", "pt_BR", "EN"), "" when it is none that Language tells.
func NamedLanguage(tag string) string {
	primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(tag)), "_", "-"), "-")
	known := slices.Contains(scriptLanguages, primary)
	for _, p := range profiles {
		known = known || p.language == primary
	}
	if !known {
		return ""
	}
	return primary
}

// prose is s without code, link targets, addresses and HTML tags, as far as a line by line look can tell.
func prose(s string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(s) {
		if trimmed := strings.TrimLeft(line, " \t"); strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
			continue
		}
		if !fenced {
			appendProse(&b, line)
		}
	}
	return b.String()
}

// appendProse appends a line without `code`, ](target), <tag> and whatever holds "://".
func appendProse(b *strings.Builder, line string) {
	for line != "" {
		i := strings.IndexAny(line, "`<]:")
		if i < 0 {
			break
		}
		b.WriteString(line[:i])
		b.WriteByte(' ')
		line = line[i:]
		line = line[max(1, skipped(line)):]
	}
	b.WriteString(line)
}

// skipped is the length of what is no prose at the start of s.
func skipped(s string) int {
	end := -1
	switch {
	case s[0] == '`':
		end = strings.IndexByte(s[1:], '`')
	case s[0] == '<':
		end = strings.IndexByte(s[1:], '>')
	case strings.HasPrefix(s, "]("):
		end = strings.IndexByte(s[1:], ')')
	case strings.HasPrefix(s, "://"):
		end = strings.IndexAny(s[1:], " \t\n)>") - 1
	}
	return end + 2
}

// scripts counts letters by script.
type scripts struct {
	latin, han, kana, hangul, cyrillic, greek, arabic, hebrew, thai, devanagari int
}

func countScripts(s string) (n scripts) {
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if ascii[r]&(classLower|classUpper) != 0 {
				n.latin++
			}
		case r >= 0x3041 && r <= 0x30FF:
			n.kana++
		case r >= 0xAC00 && r <= 0xD7A3:
			n.hangul++
		case unicode.Is(unicode.Han, r):
			n.han++
		case !unicode.IsLetter(r):
		case r < 0x250:
			n.latin++
		case unicode.Is(unicode.Cyrillic, r):
			n.cyrillic++
		case unicode.Is(unicode.Greek, r):
			n.greek++
		case unicode.Is(unicode.Arabic, r):
			n.arabic++
		case unicode.Is(unicode.Hebrew, r):
			n.hebrew++
		case unicode.Is(unicode.Thai, r):
			n.thai++
		case unicode.Is(unicode.Devanagari, r):
			n.devanagari++
		}
	}
	return n
}

func (n scripts) cjk() int { return n.han + n.kana + n.hangul }

func (n scripts) other() int {
	return n.cyrillic + n.greek + n.arabic + n.hebrew + n.thai + n.devanagari
}

// eastAsian tells the three apart: Japanese prose is a third and more kana, Korean is hangul with few ideographs.
func (n scripts) eastAsian() string {
	switch {
	case n.hangul > n.han+n.kana:
		return "ko"
	case n.kana*12 > n.han:
		return "ja"
	}
	return "zh"
}

// single names the language of a script that one language uses above all.
func (n scripts) single(s string) string {
	switch max(n.cyrillic, n.greek, n.arabic, n.hebrew, n.thai, n.devanagari) {
	case n.cyrillic:
		return cyrillicLanguage(s)
	case n.greek:
		return "el"
	case n.arabic:
		if strings.ContainsAny(s, "پچگ") {
			return "fa"
		}
		return "ar"
	case n.hebrew:
		return "he"
	case n.thai:
		return "th"
	}
	return "hi"
}

func cyrillicLanguage(s string) string {
	switch {
	case strings.ContainsAny(s, "іїєґІЇЄҐ"):
		if strings.ContainsAny(s, "ўЎ") {
			return "be"
		}
		return "uk"
	case strings.ContainsAny(s, "ыэЫЭ"):
		return "ru"
	case strings.ContainsAny(s, "јљњћђЈЉЊЋЂ"):
		return "sr"
	case strings.ContainsAny(s, "ъЪ") && !strings.ContainsAny(s, "ёЁ"):
		return "bg"
	}
	return "ru"
}

// latinLanguage counts stop words: each word votes for the languages that have it.
func latinLanguage(s string) string {
	var votes [len(profiles)]float64
	words, keywords := 0, 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(s), notInWord) {
		if len(word) == 1 { // more often a variable than a word
			continue
		}
		words++
		if strings.Contains(englishKeywords, " "+word+" ") {
			keywords++
		}
		listed := profileWords[word]
		for _, language := range listed {
			votes[language] += 1 / float64(len(listed)+1)
		}
		if words == wordSample {
			break
		}
	}
	if votes[profileEnglish] > 0 {
		votes[profileEnglish] += float64(keywords) / 3
	}
	best, second := 0, -1
	for i := 1; i < len(votes); i++ {
		switch {
		case votes[i] > votes[best]:
			best, second = i, best
		case second < 0 || votes[i] > votes[second]:
			second = i
		}
	}
	// A vote counts half when no other language has the word, so the share is doubled. One such word is enough for a short
	// text, if it is enough by its share.
	if votes[best]*2 < stopShare*float64(words) || votes[best] < 0.5 || votes[best] < stopLead*votes[second] {
		return ""
	}
	return profiles[best].language
}

func notInWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
