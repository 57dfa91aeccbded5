package main

import (
	"database/sql"

	"github.com/rogpeppe/go-internal/testscript"
)

// damage runs a statement on the index beside the daemon, as no command of the program would: damage FILE STATEMENT.
// A statement that changes no row fails, for then nothing is damaged.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: damage FILE STATEMENT")
	}
	db, err := sql.Open("sqlite", "file:"+ts.MkAbs(args[0])+"?mode=rw&_pragma=busy_timeout(5000)")
	ts.Check(err)
	defer db.Close()
	result, err := db.Exec(args[1])
	ts.Check(err)
	if rows, err := result.RowsAffected(); err != nil || rows == 0 {
		ts.Fatalf("damage: %s: %d rows changed, %v", args[1], rows, err)
	}
}
