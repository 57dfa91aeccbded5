package text

import "testing"

func TestErrorsAreToldWithoutPackages(t *testing.T) {
	for in, want := range map[string]string{
		`indexer: sync "x": no such shelf`:                                      `sync "x": no such shelf`,
		`client: call sync: store: open "/x/index.db": schema 7 is newer`:       `call sync: open "/x/index.db": schema 7 is newer`,
		`indexer: store: commit: full`:                                          `commit: full`,
		`indexer: writing paused: the disk is full (store: begin: (13)); go on`: `writing paused: the disk is full (begin: (13)); go on`,
		`no document "notes: store: a.md"; close: "client: x"`:                  `no document "notes: store: a.md"; close: "client: x"`,
		`store: read "a \" store: b": gone`:                                     `read "a \" store: b": gone`,
		`the store: is closed`:                                                  `the store: is closed`,
		`service: install: exists`:                                              `service: install: exists`,
		`config.yaml:7:5: shelves[1].root: "/notes" is inside shelves[0].root`:  `config.yaml:7:5: shelves[1].root: "/notes" is inside shelves[0].root`,
		`an open quote "store: stays, and what follows it: indexer: goes`:       `an open quote "store: stays, and what follows it: goes`,
		"store: a\nindexer: b: store: c":                                        "a\nb: c",
		"":                                                                      "",
	} {
		if got := Plainly(in); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}
