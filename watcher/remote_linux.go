package watcher

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Remote implements Disk.
func (OS) Remote(path string) (name string, remote bool) {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil {
		return "", false
	}
	return remoteMagic(uint32(st.Type))
}

// remoteMagic knows the file systems whose changes may be made by another host, kernel or process without an inotify
// event here. The numbers are those of linux/magic.h, and of the drivers for those that aren't in it.
func remoteMagic(magic uint32) (name string, remote bool) {
	switch magic {
	case 0x6969:
		return "nfs", true
	case 0x517b, 0xfe534d42:
		return "smb", true
	case 0xff534d42:
		return "cifs", true
	case 0x65735546:
		return "fuse", true // virtiofs carries the same number
	case 0x01021997:
		return "9p", true
	case 0x786f4256:
		return "vboxsf", true
	case 0xbacbacbc:
		return "vmhgfs", true
	case 0x7c7c6673:
		return "prl_fs", true
	case 0x53464846:
		return "wslfs", true
	case 0x5346414f, 0x6b414653:
		return "afs", true
	case 0x73757245:
		return "coda", true
	case 0x564c:
		return "ncpfs", true
	case 0x00c36400:
		return "ceph", true
	case 0x01161970:
		return "gfs2", true
	case 0x7461636f:
		return "ocfs2", true
	case 0x0bd00bd0:
		return "lustre", true
	case 0x47504653:
		return "gpfs", true
	case 0x19830326:
		return "beegfs", true
	}
	return fmt.Sprintf("file system %#x", magic), false
}
