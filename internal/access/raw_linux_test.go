package access_test

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

func pointer(list []uint32) uintptr { return uintptr(unsafe.Pointer(&list[0])) }

func rawCall(number, a, b, c uintptr) error {
	if _, _, errno := unix.RawSyscall(number, a, b, c); errno != 0 {
		return errno
	}
	return nil
}
