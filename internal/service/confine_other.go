//go:build !linux

package service

// Confine does nothing where there is no Landlock, and says so.
func Confine(Walls) (missing string, err error) {
	return "this system has no Landlock: nothing but file permissions keeps the daemon from writing to shelves", nil
}
