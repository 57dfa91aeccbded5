package access

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"shelfd/store"
)

// readableBy asks the kernel, as the user: modes, access lists and what the file system itself decides all count. nil
// where this program can't become another user; then it reads nothing that its own user could not give away anyway.
func readableBy(who Who) store.Readable {
	if !canBecomeOthers() {
		return nil
	}
	return func(files []string) ([]bool, error) {
		readable := make([]bool, len(files))
		failed := make(chan error)
		go func() {
			// Never unlocked: a thread that has become somebody else ends with its goroutine, and Go starts no other
			// thread from one that is locked.
			runtime.LockOSThread()
			err := become(who)
			for i, file := range files {
				if err != nil {
					break
				}
				readable[i] = unix.Access(file, unix.R_OK) == nil
			}
			failed <- err
		}()
		if err := <-failed; err != nil {
			return nil, fmt.Errorf("access: become user %d: %w", who.UID, err)
		}
		return readable, nil
	}
}

// canBecomeOthers says whether this program has the capabilities for that, as root has and the system service.
func canBecomeOthers() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if unix.Capget(&header, &sets[0]) != nil {
		return false
	}
	const needed = 1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID
	return sets[0].Effective&needed == needed
}

// become makes the calling thread the user's, for good. Raw calls: those of package syscall would change every thread.
func become(who Who) error {
	if who.UID == 0 || len(who.GIDs) == 0 {
		return errors.New("not a user to ask for")
	}
	groups := make([]uint32, len(who.GIDs))
	for i, gid := range who.GIDs {
		groups[i] = uint32(gid)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(&groups[0])), 0); errno != 0 {
		return fmt.Errorf("setgroups: %w", errno)
	}
	// By way of user 0: from there the kernel takes away every capability, the one to read everything among them. From
	// another user it would leave them.
	for _, step := range []struct{ call, id uintptr }{
		{unix.SYS_SETRESGID, uintptr(who.GIDs[0])},
		{unix.SYS_SETRESUID, 0},
		{unix.SYS_SETRESUID, uintptr(who.UID)},
	} {
		if _, _, errno := unix.RawSyscall(step.call, step.id, step.id, step.id); errno != 0 {
			return fmt.Errorf("set id %d: %w", step.id, errno)
		}
	}
	return nil
}
