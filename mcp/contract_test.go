package mcp

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The names, texts and schemas of the tools are what models were tried with: a change must be seen.
func TestTheContractIsTheGoldenOne(t *testing.T) {
	p := serve(t, Options{}).dial(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(p.receive().Result, &list); err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(map[string]any{"instructions": strings.Split(instructions, "\n"), "tools": list.Tools}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/contract.golden.json"
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(got)+"\n" {
		t.Errorf("the contract differs from %s; if that is meant, run: go test ./mcp -run Contract -update", file)
	}
}

func TestInstructionsAndDescriptionsFitWhatClientsKeep(t *testing.T) {
	if n := utf8.RuneCountInString(instructions); n > 2000 {
		t.Errorf("instructions have %d characters", n)
	}
	for _, tool := range contract() {
		if n := utf8.RuneCountInString(tool.about); n > 1000 {
			t.Errorf("%s: %d characters", tool.name, n)
		}
		for _, p := range tool.params {
			if p.about == "" {
				t.Errorf("%s.%s has no description", tool.name, p.name)
			}
		}
	}
}

func TestSchemasAreStrictAndAnnotationsExplicit(t *testing.T) {
	for _, tool := range contract() {
		raw, err := json.Marshal(tool.definition())
		if err != nil {
			t.Fatal(err)
		}
		var shown struct {
			InputSchema struct {
				AdditionalProperties *bool          `json:"additionalProperties"`
				Properties           map[string]any `json:"properties"`
			} `json:"inputSchema"`
			Annotations map[string]any `json:"annotations"`
		}
		if err := json.Unmarshal(raw, &shown); err != nil {
			t.Fatal(err)
		}
		if a := shown.InputSchema.AdditionalProperties; a == nil || *a {
			t.Errorf("%s takes any argument", tool.name)
		}
		if len(shown.InputSchema.Properties) != len(tool.params) {
			t.Errorf("%s shows %d of %d arguments", tool.name, len(shown.InputSchema.Properties), len(tool.params))
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := shown.Annotations[hint].(bool); !ok {
				t.Errorf("%s leaves %s to the client", tool.name, hint)
			}
		}
	}
}

func TestEveryAnswerHasTheDeclaredForm(t *testing.T) {
	var schema struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
	}
	if err := json.Unmarshal([]byte(envelopeSchema), &schema); err != nil {
		t.Fatal(err)
	}
	for _, raw := range []json.RawMessage{answer{map[string]any{}, next("s", "o")}.encode(), invalid("f", "r", "e").encode()} {
		var fields map[string]any
		if err := json.Unmarshal(raw, &fields); err != nil {
			t.Fatal(err)
		}
		for _, name := range schema.Required {
			if _, ok := fields[name]; !ok {
				t.Errorf("%s is missing in %s", name, raw)
			}
		}
		for name := range fields {
			if _, ok := schema.Properties[name]; !ok {
				t.Errorf("%s is not declared", name)
			}
		}
	}
}
