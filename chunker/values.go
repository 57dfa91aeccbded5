package chunker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// plainValue brings what the TOML and JSON decoders return to the types that FrontMatter promises.
func plainValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plainValue(v[k])
		}
		return v
	case []map[string]any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plainValue(v[i])
		}
		return list
	case []any:
		for i := range v {
			v[i] = plainValue(v[i])
		}
		return v
	case json.Number:
		return jsonNumber(v)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) { // JSON has no number for them
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	case time.Time:
		return tomlTime(v)
	}
	return v
}

func jsonNumber(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	if f, err := n.Float64(); err == nil {
		return f
	}
	return n.String()
}

// tomlTime writes a TOML date the way it stood: the decoder names the zone of local ones.
func tomlTime(t time.Time) string {
	switch t.Location().String() {
	case "date-local":
		return t.Format(time.DateOnly)
	case "datetime-local":
		return t.Format("2006-01-02T15:04:05.999999999")
	case "time-local":
		return t.Format("15:04:05.999999999")
	}
	return t.Format(time.RFC3339Nano)
}

// duplicateJSONKeys reports the keys that stand twice in the outermost object; the decoder kept the last value.
func duplicateJSONKeys(raw []byte) []Problem {
	var problems []Problem
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			break
		}
		name, _ := key.(string)
		if seen[name] && len(problems) < maxDuplicates {
			line := bytes.Count(raw[:d.InputOffset()], []byte("\n")) + 1
			problems = append(problems, Problem{StageFrontMatter, fmt.Sprintf("duplicate key %q; the last value is kept", name), line})
		}
		seen[name] = true
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
	}
	return problems
}

// word is the text of a scalar front matter value.
func word(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}
