package service

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// fromLaunchd asks launchd for the sockets of our plist. A process that launchd did not start as a job is told ESRCH,
// a job without such a socket ENOENT: both mean that there is none.
func fromLaunchd() ([]*os.File, error) {
	name, err := syscall.BytePtrFromString(socketName)
	if err != nil {
		return nil, err
	}
	var fds *int32 // malloc'ed; a few bytes, once in a run, which are not worth a binding of free
	var count uintptr
	failed, _, _ := syscall_syscall(launchActivateSocketTrampolineAddr,
		uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&fds)), uintptr(unsafe.Pointer(&count)))
	switch errno := syscall.Errno(failed); errno {
	case 0:
	case syscall.ESRCH, syscall.ENOENT:
		return nil, nil
	default:
		return nil, fmt.Errorf("service: launch_activate_socket %q: %w", socketName, errno)
	}
	var files []*os.File
	for _, fd := range unsafe.Slice(fds, count) {
		syscall.CloseOnExec(int(fd))
		files = append(files, os.NewFile(uintptr(fd), socketName))
	}
	return files, nil
}

// launch_activate_socket of libSystem, called as golang.org/x/sys/unix calls libSystem: through a trampoline in
// assembly and the syscall package, so that no C compiler is needed.
var launchActivateSocketTrampolineAddr uintptr

//go:cgo_import_dynamic libc_launch_activate_socket launch_activate_socket "/usr/lib/libSystem.B.dylib"

//go:linkname syscall_syscall syscall.syscall
func syscall_syscall(fn, a1, a2, a3 uintptr) (r1, r2 uintptr, err syscall.Errno)
