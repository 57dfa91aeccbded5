package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"shelfd/store"
)

// release is the version of the program as CHANGELOG.md counts.
const release = "0.1.0"

// versions are what one must know to understand a report.
type versions struct {
	Program string `json:"program"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	System  string `json:"system"`
	Layout  int    `json:"layout"`  // of the database
	Content int    `json:"content"` // of cutting and segmentation
}

func theVersions() versions {
	v := versions{
		Program: release,
		Go:      runtime.Version(),
		System:  runtime.GOOS + "/" + runtime.GOARCH,
		Layout:  store.LayoutVersion,
		Content: store.ContentVersion,
	}
	build, _ := debug.ReadBuildInfo()
	for _, s := range build.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			v.Commit = s.Value[:12]
		}
	}
	return v
}

func (v versions) String() string {
	commit := ""
	if v.Commit != "" {
		commit = ", commit " + v.Commit
	}
	return fmt.Sprintf("shelfd %s (database layout %d, content %d%s, %s, %s)", v.Program, v.Layout, v.Content, commit, v.Go, v.System)
}

func (p *program) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Say which version this is",
		Example: "  shelfd version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return p.printJSON(theVersions())
			}
			fmt.Fprintln(p.out, theVersions())
			return nil
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

func jsonFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "json", false, "print JSON")
}

// printJSON prints v, indented, without the escapes that only HTML needs.
func (p *program) printJSON(v any) error {
	e := json.NewEncoder(p.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
