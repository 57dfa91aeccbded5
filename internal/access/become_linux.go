package access

import (
	"context"
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
	asking := make(chan struct{}, 1) // a disk that hangs keeps one thread a user, not one a call
	return func(ctx context.Context, files []string) ([]bool, error) {
		select {
		case asking <- struct{}{}:
		case <-ctx.Done():
			return nil, fmt.Errorf("access: ask the disk as user %d: %w", who.UID, ctx.Err())
		}
		answers := make(chan answer, 1)
		go func() { // nobody waits for it longer than ctx allows: a system call on a disk that hangs cannot be cut short
			defer func() { <-asking }()
			answers <- askAs(who, files)
		}()
		select {
		case a := <-answers:
			return a.readable, a.err
		case <-ctx.Done():
			return nil, fmt.Errorf("access: ask the disk as user %d: %w", who.UID, ctx.Err())
		}
	}
}

// answer is what the disk says of files.
type answer struct {
	readable []bool
	err      error
}

// askAs leaves the calling goroutine, which must end then, locked to a thread that has become the user.
func askAs(who Who, files []string) answer {
	readable := make([]bool, len(files))
	err := onThreadOfItsOwn(func() error {
		if err := become(who); err != nil {
			return err
		}
		for i, file := range files {
			readable[i] = canRead(file)
		}
		return nil
	})
	if err != nil {
		return answer{err: fmt.Errorf("access: become user %d: %w", who.UID, err)}
	}
	return answer{readable: readable}
}

// onThreadOfItsOwn runs f and leaves the calling goroutine, which must end then, locked to its thread: one that has
// become somebody else ends with its goroutine, and Go starts no other thread from one that is locked. The first thread
// of a process would stay; it is held while another one does the work.
func onThreadOfItsOwn(f func() error) error {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		return f()
	}
	defer runtime.UnlockOSThread()
	result := make(chan error)
	go func() { result <- onThreadOfItsOwn(f) }()
	return <-result
}

// Capabilities that would open what the user could not read.
const openEverything = 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH

// canBecomeOthers says whether this program has the capabilities for that, as root has and the system service.
func canBecomeOthers() bool {
	const needed = 1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID
	effective, err := capabilities()
	return err == nil && effective&needed == needed
}

// capabilities are the effective ones of the calling thread, as far as they have numbers below 32.
func capabilities() (uint32, error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	err := unix.Capget(&header, &sets[0])
	return sets[0].Effective, err
}

// become makes the calling thread the user's for all that concerns files, for good. Its own ids stay: by them the kernel
// decides who may send signals, and the user must not be able to end the daemon. Raw calls, since those of package
// syscall would change every thread.
func become(who Who) error {
	if who.UID <= 0 || len(who.GIDs) == 0 {
		return errors.New("not a user to ask for")
	}
	groups := make([]uint32, len(who.GIDs))
	for i, gid := range who.GIDs {
		groups[i] = uint32(gid)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(&groups[0])), 0); errno != 0 {
		return fmt.Errorf("setgroups: %w", errno)
	}
	// By way of user 0: from there the kernel takes away the capabilities over files. From another user it leaves them.
	for _, step := range []struct{ call, id uintptr }{
		{unix.SYS_SETFSGID, uintptr(who.GIDs[0])},
		{unix.SYS_SETFSUID, 0},
		{unix.SYS_SETFSUID, uintptr(who.UID)},
	} {
		_, _, _ = unix.RawSyscall(step.call, step.id, 0, 0) // it tells no errors: what came of it is asked for
		const nobodys = ^uintptr(0)                         // changes nothing, and tells which one holds
		if now, _, _ := unix.RawSyscall(step.call, nobodys, 0, 0); uint32(now) != uint32(step.id) {
			return fmt.Errorf("set id %d: it stayed %d", step.id, uint32(now))
		}
	}
	if effective, err := capabilities(); err != nil || effective&openEverything != 0 {
		return fmt.Errorf("capabilities over files are left (%v)", err)
	}
	return nil
}

// canRead asks as the thread is: with the ids for files, where access(2) would take the real ones.
func canRead(file string) bool {
	path, err := unix.BytePtrFromString(file)
	if err != nil {
		return false
	}
	here := unix.AT_FDCWD
	_, _, errno := unix.Syscall6(unix.SYS_FACCESSAT2, uintptr(here), uintptr(unsafe.Pointer(path)), unix.R_OK, unix.AT_EACCESS, 0, 0)
	if errno != unix.ENOSYS && errno != unix.EPERM {
		return errno == 0
	}
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0) // before Linux 5.8
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}
