// Command shelfd keeps folders of Markdown searchable for agents and people.
//
// This package reads flags and configuration, holds the lock, wires the rooms together and prints; what it finds out
// it asks of the rooms. Results go to standard output, everything else to standard error.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run()) }

// run is main with an exit code, so that the tests can be the program.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // A second signal ends the program at once.
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv}
	return p.run(ctx, os.Args[1:])
}
