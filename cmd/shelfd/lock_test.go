package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The lock is the kernel's, not the number in the file: that of a process which lives, but is no daemon, holds nothing,
// and who does hold it is named.
func TestAForeignPidInTheLockFileHoldsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db.lock")
	for _, left := range []string{"1\n", "4294967295\n", "rubbish", ""} {
		if err := os.WriteFile(path, []byte(left), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := lockDatabase(path)
		if err != nil {
			t.Fatalf("with %q in it: %v", left, err)
		}
		_, err = lockDatabase(path)
		if !errors.Is(err, errLocked) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d", os.Getpid())) {
			t.Errorf("the second one is told: %v", err)
		}
		l.release()
	}
}
