package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// forgetCode lets go of the pages of the program's file. Starting touches most of them once (SQLite, Markdown, tables
// of Unicode), and a bridge that carries lines needs few of them again; those come back from the page cache when they
// are used. Only parts of which this process has no page of its own are let go: there the file has everything.
func forgetCode() {
	self, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer maps.Close()
	var start, end uint64 // of the part that the lines speak of, 0 when it is not one of the file, or may be written to
	for in := bufio.NewScanner(maps); in.Scan(); {
		fields := strings.Fields(in.Text())
		switch {
		case len(fields) >= 5 && strings.Contains(fields[0], "-"):
			start, end = 0, 0
			if from, to, ok := strings.Cut(fields[0], "-"); ok && len(fields) == 6 && fields[5] == self && !strings.Contains(fields[1], "w") {
				start, _ = strconv.ParseUint(from, 16, 64)
				end, _ = strconv.ParseUint(to, 16, 64)
			}
		case len(fields) == 3 && fields[0] == "Anonymous:" && fields[1] == "0" && start > 0 && end > start:
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(start), uintptr(end-start), syscall.MADV_DONTNEED)
		}
	}
}
