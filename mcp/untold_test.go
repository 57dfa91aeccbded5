package mcp

import (
	"fmt"
	"testing"
)

// While a disk gives no answer names may come and go without end: what a session is to be told of stays bounded, and so
// does what is put back after a vain attempt.
func TestWhatASessionIsToBeToldIsBounded(t *testing.T) {
	var names []string
	for n := range mostListed + 5 {
		names = append(names, fmt.Sprint(n))
	}
	var u untold
	u.giveBack([]string{"watched"}, names)
	u.giveBack(nil, names)
	changed, listed, more := u.take()
	if len(changed) != 1 || len(listed) != mostListed || !more {
		t.Errorf("%d and %d, %t", len(changed), len(listed), more)
	}
	if _, _, more := u.take(); more {
		t.Error("it is not empty")
	}
}
