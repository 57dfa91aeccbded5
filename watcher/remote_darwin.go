package watcher

import (
	"strings"

	"golang.org/x/sys/unix"
)

// Remote implements Disk.
func (OS) Remote(path string) (name string, remote bool) {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil {
		return "", false
	}
	return remoteName(unix.ByteSliceToString(st.Fstypename[:]))
}

// remoteName knows the file systems whose changes may be made elsewhere without an event here.
func remoteName(name string) (string, bool) {
	switch name {
	case "nfs", "smbfs", "cifs", "afpfs", "webdav", "ftp", "vmhgfs", "prl_fs", "acfs", "virtiofs", "9p":
		return name, true
	}
	return name, strings.Contains(name, "fuse")
}
