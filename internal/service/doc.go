// Package service is the program's side of a service manager: the socket that it holds for us, the files that make it
// start us, and the walls that the kernel puts around us.
//
// Invariant: what a manager owns is never removed by us, and install and uninstall touch only files that still are as
// install wrote them. It refuses to guess: a socket that is not ours, or a file that somebody edited, is an error.
package service
