package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// forgetCode lets go of the program's code pages. Starting touches most of them once (SQLite, Markdown, tables of
// Unicode), and a bridge that carries lines needs few of them again; those come back from the page cache when they
// run. The code is never written to, so nothing can be lost.
func forgetCode() {
	self, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	for in := bufio.NewScanner(maps); in.Scan(); {
		fields := strings.Fields(in.Text())
		if len(fields) != 6 || fields[1] != "r-xp" || fields[5] != self {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		start, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		if err1 == nil && err2 == nil {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(start), uintptr(end-start), syscall.MADV_DONTNEED)
		}
	}
}
