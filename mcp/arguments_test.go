package mcp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

var sample = []param{
	{name: "query", kind: aString, required: true, min: 1, max: maxArgument},
	{name: "folder", kind: aString, max: maxArgument, absent: ""},
	{name: "limit", kind: anInt, min: 1, max: 50, absent: 10},
	{name: "offset", kind: anInt, absent: 0},
	{name: "sort", kind: aString, choices: []string{"path", "updated", "title"}, absent: "path"},
	{name: "ids", kind: aList, min: 1, max: 3},
}

func readArguments(raw string) (values, error) {
	fields, err := decodeArguments(json.RawMessage(raw))
	if err != nil {
		return nil, err
	}
	return check(sample, fields)
}

func TestArgumentsAreReadWithTheirDefaults(t *testing.T) {
	for raw, want := range map[string]values{
		`{"query":"x"}`:                      {"query": "x", "folder": "", "limit": 10, "offset": 0, "sort": "path"},
		`{"query":"x","limit":10.0}`:         {"query": "x", "folder": "", "limit": 10, "offset": 0, "sort": "path"},
		`{"query":"x","limit":5e1}`:          {"query": "x", "folder": "", "limit": 50, "offset": 0, "sort": "path"},
		`{"query":"x","limit":null}`:         {"query": "x", "folder": "", "limit": 10, "offset": 0, "sort": "path"},
		`{"query":"e\u0301","sort":"title"}`: {"query": "é", "folder": "", "limit": 10, "offset": 0, "sort": "title"},
	} {
		got, err := readArguments(raw)
		if err != nil || string(encode(got)) != string(encode(want)) {
			t.Errorf("%s: %v %v, want %v", raw, got, err, want)
		}
	}
	got, err := readArguments(`{"query":"x","ids":["a","b"]}`)
	if err != nil || strings.Join(got.list("ids"), "+") != "a+b" {
		t.Errorf("list: %v %v", got, err)
	}
	long := strings.Repeat("界", maxArgument)
	if _, err := readArguments(`{"query":"` + long + `"}`); err != nil {
		t.Errorf("1,024 characters are allowed whatever their bytes: %v", err)
	}
}

func TestWrongArgumentsAreToldWithWhatIsExpected(t *testing.T) {
	for _, c := range []struct{ raw, field, reason, expected, nearest string }{
		{`{}`, "query", "required", "a string of 1-1024 characters", ""},
		{`null`, "query", "required", "a string", ""},
		{``, "query", "required", "a string", ""},
		{`[]`, "arguments", "not an object", "", ""},
		{`"x"`, "arguments", "not an object", "", ""},
		{`{"query":null}`, "query", "required", "", ""},
		{`{"query":""}`, "query", "empty", "", ""},
		{`{"query":5}`, "query", "the number 5, not a string", "", ""},
		{`{"query":["x"]}`, "query", "a list, not a string", "", ""},
		{`{"query":"` + strings.Repeat("x", maxArgument+1) + `"}`, "query", "1025 characters", "", ""},
		{`{"query":"x","limit":0}`, "limit", "0 is too small", "an integer 1-50", ""},
		{`{"query":"x","limit":51}`, "limit", "51 is too large", "an integer 1-50", ""},
		{`{"query":"x","limit":2.5}`, "limit", "2.5 is not an integer", "", ""},
		{`{"query":"x","limit":1e400}`, "limit", "not an integer", "", ""},
		{`{"query":"x","limit":"10"}`, "limit", "without quotes", "an integer 1-50", ""},
		{`{"query":"x","limit":true}`, "limit", "a boolean, not an integer", "", ""},
		{`{"query":"x","offset":-1}`, "offset", "-1 is too small", "an integer from 0", ""},
		{`{"query":"x","offset":9007199254740993}`, "offset", "too large", "", ""},
		{`{"query":"x","sort":"upd"}`, "sort", "not a choice", "path, updated, title", "updated"},
		{`{"query":"x","ids":[]}`, "ids", "0 entries", "a list of 1-3 strings", ""},
		{`{"query":"x","ids":"a"}`, "ids", "not a list", "", ""},
		{`{"query":"x","ids":["a",""]}`, "ids", "entry 2", "", ""},
		{`{"query":"x","ids":["a","b","c","d"]}`, "ids", "4 entries", "", ""},
		{`{"query":"x","foldr":"y"}`, "foldr", "no such argument", "query, folder", "folder"},
		{`{"query":"x","zzzzzz":1}`, "zzzzzz", "no such argument", "", ""},
	} {
		_, err := readArguments(c.raw)
		var r *refusal
		if !errors.As(err, &r) || r.code != InvalidInput {
			t.Errorf("%s: %v", c.raw, err)
			continue
		}
		faults := r.details.(map[string]any)["rejected"].([]rejected)
		f := faults[0]
		if f.Field != c.field || !strings.Contains(f.Reason, c.reason) || !strings.Contains(f.Expected, c.expected) || f.Nearest != c.nearest {
			t.Errorf("%s: %+v", c.raw, f)
		}
		if !strings.Contains(r.text, c.field) || len(r.steps.Options) == 0 {
			t.Errorf("%s: text %q steps %+v", c.raw, r.text, r.steps)
		}
	}
}

func TestAllFaultsAreToldAtOnce(t *testing.T) {
	_, err := readArguments(`{"limit":0,"sort":"x","nonsense":1}`)
	var r *refusal
	if !errors.As(err, &r) {
		t.Fatal(err)
	}
	if faults := r.details.(map[string]any)["rejected"].([]rejected); len(faults) != 4 {
		t.Errorf("%+v", faults)
	}
}
