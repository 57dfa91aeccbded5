package chunker_test

import (
	"testing"

	"shelfd/chunker"
)

func TestAnIDThatTheAuthorGaveAHeadingIsKept(t *testing.T) {
	for heading, want := range map[string][2]string{
		"# Valves {#boiler-valves}":            {"Valves", "boiler-valves"},
		"## Valves {.wide #boiler-valves}  ##": {"Valves", "boiler-valves"},
		"## Valves {.wide #boiler-valves}":     {"Valves", "boiler-valves"},
		"# Valves {.wide}":                     {"Valves", ""},
		"# Valves {#}":                         {"Valves", ""},
		"# Valves {/*boiler-valves*/}":         {"Valves", "boiler-valves"},
		"Valves {#below}\n===":                 {"Valves", "below"},
		"# Valves {of brass}":                  {"Valves {of brass}", ""},
		"# Valves":                             {"Valves", ""},
	} {
		d := chunker.Parse("valves.md", []byte(heading+"\n\nText.\n"), chunker.Options{})
		if n := d.Nodes[0]; n.Title != want[0] || n.Anchor != want[1] {
			t.Errorf("%q: title %q, id %q, want %q", heading, n.Title, n.Anchor, want)
		}
	}
}
