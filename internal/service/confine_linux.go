package service

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Rights by what a folder is for. Within one folder files can be renamed; between folders they cannot.
const (
	writing = ll.AccessFSWriteFile | ll.AccessFSMakeReg | ll.AccessFSRemoveFile | ll.AccessFSTruncate
	binding = ll.AccessFSMakeSock | ll.AccessFSRemoveFile
	handled = writing | binding | ll.AccessFSExecute | ll.AccessFSMakeDir | ll.AccessFSRemoveDir | ll.AccessFSMakeChar |
		ll.AccessFSMakeBlock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSRefer
)

// Versions of Landlock by which it learned what is asked of it.
const (
	withTruncate = 3 // Linux 6.2
	withTCP      = 4 // Linux 6.7
)

// Confine puts up walls with Landlock. missing says what this kernel cannot keep out, "" when it keeps to all of it. An
// error leaves the process as it was.
func Confine(w Walls) (missing string, err error) {
	version, err := ll.LandlockGetABIVersion()
	switch {
	case err != nil || version < 1:
		return "this kernel has no Landlock: nothing but file permissions keeps the daemon from writing to shelves", nil
	case version < withTruncate:
		missing = "this kernel's Landlock does not keep files from being truncated, nor TCP to what is configured"
	case version < withTCP:
		missing = "this kernel's Landlock does not keep TCP to what is configured"
	}
	config := landlock.Config{HandledAccessFS: landlock.AccessFSSet(handled), HandledAccessNet: landlock.AccessNetSet(ll.AccessNetBindTCP | ll.AccessNetConnectTCP)}
	rules := []landlock.Rule{
		landlock.PathAccess(writing, w.Write...),
		landlock.PathAccess(binding, w.Bind...),
	}
	for _, port := range w.Listen {
		rules = append(rules, landlock.BindTCP(port))
	}
	for _, port := range w.Connect {
		rules = append(rules, landlock.ConnectTCP(port))
	}
	if err := config.BestEffort().Restrict(rules...); err != nil {
		return "", fmt.Errorf("service: confine: %w", err)
	}
	return missing, nil
}
