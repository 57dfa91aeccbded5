// Package systemd holds the units and the launchd plist, so that the program can write what it ships.
package systemd

import "embed"

// Files are system/shelfd.{service,socket}, user/shelfd.{service,socket} and launchd/*.plist.
//
//go:embed system user launchd
var Files embed.FS
