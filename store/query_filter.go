package store

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"shelfd/internal/text"
)

// The keys of filters that every document answers to. Any other key is looked for in the front matter.
const (
	keyShelf   = "shelf"
	keyPath    = "path"
	keyTag     = "tag"
	keyTitle   = "title"
	keyHeading = "heading"
	keyKind    = "kind"
	keyAfter   = "after"
	keyBefore  = "before"
)

var builtInKeys = []string{keyAfter, keyBefore, keyHeading, keyKind, keyPath, keyShelf, keyTag, keyTitle}

func isBuiltIn(key string) bool { return slices.Contains(builtInKeys, key) }

// canonicalKey writes a built-in key in lower case and the value as it is compared.
func canonicalKey(u unit) unit {
	key := strings.ToLower(u.key)
	if !isBuiltIn(key) {
		return u
	}
	u.key = key
	switch key {
	case keyTag:
		u.text = strings.TrimPrefix(u.text, "#")
	case keyKind:
		u.text = strings.TrimPrefix(u.text, ".")
	}
	return u
}

// invalidFilter says what is wrong with a filter, "" when nothing is.
func invalidFilter(u unit) string {
	switch {
	case u.text == "":
		return "a value is missing after " + u.key + ":"
	case !isBuiltIn(u.key):
		return ""
	case u.op != equal && u.op != notEqual:
		return u.key + ": takes no " + string(u.op)
	}
	switch u.key {
	case keyAfter, keyBefore:
		if u.op != equal {
			return u.key + ": takes no " + string(u.op)
		}
		if _, ok := parseDay(u.text, time.UTC); !ok {
			return u.key + ": wants a day such as 2026-01-31, not " + u.text
		}
	case keyTitle, keyHeading:
		if len(cut(u.text).running) == 0 {
			return u.key + ": wants a word"
		}
	}
	return ""
}

// parseDay reads a year, a month or a day as its first moment in zone.
func parseDay(s string, zone *time.Location) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02", "2006-1-2", "2006-01", "2006"} {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

func number(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return f, err == nil && !math.IsNaN(f)
}

// compare says whether a value of a front matter stands to the wanted one as op says: as numbers when both are
// numbers, else as days when they are asked for an order and both are days, else as folded strings.
func compare(value, wanted string, op comparison) bool {
	order := strings.Compare(text.Fold(strings.TrimSpace(value)), text.Fold(strings.TrimSpace(wanted)))
	if a, ok := number(value); ok {
		if b, ok := number(wanted); ok {
			order = 0
			if a < b {
				order = -1
			} else if a > b {
				order = 1
			}
		}
	}
	if op != equal && op != notEqual {
		if a, ok := parseDay(strings.TrimSpace(value), time.UTC); ok {
			if b, ok := parseDay(strings.TrimSpace(wanted), time.UTC); ok {
				order = a.Compare(b)
			}
		}
	}
	switch op {
	case notEqual:
		return order != 0
	case less:
		return order < 0
	case lessOrEqual:
		return order <= 0
	case greater:
		return order > 0
	case greaterOrEqual:
		return order >= 0
	}
	return order == 0
}
