package chunker

import (
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"shelfd/internal/text"
)

// value is the front matter value of the first of the keys that is there. Case decides only between two spellings.
func (d *Document) value(keys ...string) any {
	for _, key := range keys {
		if v, ok := d.FrontMatter[key]; ok {
			return v
		}
		found := ""
		for k := range d.FrontMatter {
			if strings.EqualFold(k, key) && (found == "" || k < found) {
				found = k
			}
		}
		if found != "" {
			return d.FrontMatter[found]
		}
	}
	return nil
}

// describe fills what front matter says about the document; title and tags of the body follow later.
func (d *Document) describe() {
	if s, ok := word(d.value("title")); ok {
		d.Title = strings.TrimSpace(s)
	}
	if s, ok := word(d.value("description")); ok {
		d.Description = strings.TrimSpace(s)
	}
	d.Aliases = words(d.value("aliases", "alias"), "")
	if s, ok := word(d.value("lang", "language", "locale")); ok {
		d.Language = text.NamedLanguage(s)
	}
	tags := tagList{seen: map[string]bool{}}
	for _, key := range []string{"tags", "tag", "keywords"} {
		for _, tag := range words(d.value(key), ",，、") {
			tags.add(strings.TrimPrefix(tag, "#"))
		}
	}
	d.Tags = tags.list
	for _, key := range []string{"date", "updated", "lastmod", "created"} {
		s, ok := word(d.value(key))
		if date, parsed := parseDate(s); ok && parsed {
			d.Date = date
			return
		}
	}
}

// words lists a value that is a list or one scalar, the scalar cut at any of the separators.
func words(v any, separators string) []string {
	list, ok := v.([]any)
	if !ok {
		s, _ := word(v)
		for _, part := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
			list = append(list, part)
		}
	}
	var out []string
	for _, v := range list {
		s, _ := word(v)
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// maxTags bounds the tags of a document.
const maxTags = 1_000

// tagList collects tags, unique under case folding, the first spelling kept.
type tagList struct {
	list []string
	seen map[string]bool
}

func (t *tagList) add(tag string) {
	tag = strings.TrimSpace(tag)
	if len(t.list) >= maxTags {
		return
	}
	if key := text.Fold(tag); key != "" && !t.seen[key] {
		t.seen[key] = true
		t.list = append(t.list, tag)
	}
}

// dateLayouts are tried in this order. Those with numbers alone begin with the year: 03/04/2024 has two readings.
var dateLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05-0700", time.DateOnly,
	"2006-1-2", "2006/01/02 15:04:05", "2006/01/02 15:04", "2006/1/2", "2006.1.2", "2006-01", "2006", "20060102",
	"January 2, 2006", "Jan 2, 2006", "Jan. 2, 2006", "2 January 2006", "2 Jan 2006", "2006年1月2日",
	time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC, time.UnixDate,
}

func parseDate(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 64 {
		return time.Time{}, false
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// nameInWords makes a title of a file name: "guides/getting-started.md" is "Getting started".
func nameInWords(name string) string {
	base := path.Base(text.Path(name))
	if stem := strings.TrimSuffix(base, path.Ext(base)); stem != "" {
		base = stem
	}
	words := strings.FieldsFunc(base, func(r rune) bool { return r == '-' || r == '_' || r == '+' || unicode.IsSpace(r) })
	if len(words) == 0 {
		return path.Base(text.Path(name))
	}
	base = strings.Join(words, " ")
	first, size := utf8.DecodeRuneInString(base)
	return string(unicode.ToUpper(first)) + base[size:]
}
