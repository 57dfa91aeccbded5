//go:build !darwin

package service

import "os"

// fromLaunchd has nothing where there is no launchd.
func fromLaunchd() ([]*os.File, error) { return nil, nil }
