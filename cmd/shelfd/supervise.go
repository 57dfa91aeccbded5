package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"shelfd/internal/config"
	"shelfd/internal/service"
)

// Intervals of telling the service manager how things stand: often while the first comparison is under way, else as
// seldom as its watchdog allows, so that an idle daemon sleeps.
const (
	reportIndexing = time.Second
	reportIdle     = time.Minute
)

// adopt takes over the socket that the service manager holds for us, if it does. The program keeps it: serving may
// begin a second time in one run, and the manager hands over once.
func (d *daemon) adopt() error {
	var err error
	if d.program.socket == nil {
		if d.program.socket, err = service.Activated(); err != nil {
			return &exit{exitUsage, err}
		}
	}
	if d.program.socket == nil {
		return nil
	}
	if d.listener, err = service.Listener(d.program.socket); err != nil {
		return &exit{exitUsage, err}
	}
	d.activated, d.paths.Socket = true, d.listener.Addr().String()
	return nil
}

// report tells the service manager how far indexing is and, as long as the indexer's loop turns, that we are alive.
func (d *daemon) report(ctx context.Context) error {
	if d.program.getenv("NOTIFY_SOCKET") == "" {
		return nil
	}
	patience := watchdogInterval(d.program.getenv, os.Getpid())
	turned := make(chan struct{}, 1)
	asked := false
	var asking sync.WaitGroup
	defer asking.Wait()
	told := ""
	tick := time.NewTimer(0)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-turned:
			asked = false
			notify(d.program.getenv, "WATCHDOG=1")
			continue
		case <-tick.C:
		}
		status := d.indexer.Status()
		if status.LastError != "" { // Waiting for a full disk: started anew it would wait no less.
			notify(d.program.getenv, "WATCHDOG=1")
		}
		if patience > 0 && !asked {
			asked = true
			asking.Go(func() { d.ask(ctx, turned) })
		}
		if line := statusLine(status.Progress.State, status.Progress.Done, status.Progress.Total, status.LastError); line != told {
			told = line
			notify(d.program.getenv, "STATUS="+line)
		}
		tick.Reset(pause(status.Progress.State, patience))
	}
}

// ask sends on turned when the indexer's loop has answered. It ends with ctx.
func (d *daemon) ask(ctx context.Context, turned chan<- struct{}) {
	if err := d.indexer.Alive(ctx); err == nil {
		turned <- struct{}{}
	}
}

func pause(state string, patience time.Duration) time.Duration {
	wait := reportIdle
	if state != "ready" {
		wait = reportIndexing
	}
	if patience > 0 {
		wait = min(wait, patience/2)
	}
	return wait
}

func statusLine(state string, done, total int, paused string) string {
	switch {
	case paused != "":
		return paused
	case state == "ready":
		return "serving"
	}
	return fmt.Sprintf("serving, indexing %d of %d", done, total)
}

// watchdogInterval is how often the service manager wants to hear from process pid, 0 = it does not.
func watchdogInterval(getenv func(string) string, pid int) time.Duration {
	if meant := getenv("WATCHDOG_PID"); meant != "" && meant != strconv.Itoa(pid) {
		return 0
	}
	microseconds, err := strconv.ParseInt(getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || microseconds <= 0 {
		return 0
	}
	return time.Duration(microseconds) * time.Microsecond
}

// monotonicMicroseconds is the time by which the service manager tells a reload from the one before.
func monotonicMicroseconds() string {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return "0"
	}
	return strconv.FormatInt(now.Nano()/1000, 10)
}

// settled makes an end that starting again cannot mend (wrong configuration, database held by another) a success under
// launchd, which starts again after every failure. systemd is told by RestartPreventExitStatus= instead.
func (p *program) settled(err error) error {
	if err == nil || p.getenv("XPC_SERVICE_NAME") != service.Label {
		return err
	}
	if code := p.codeOf(err); code != exitUsage && code != exitDatabase {
		return err
	}
	log, _ := p.logger(config.Default().Log)
	log.Error("ended; mend this and start the service again", zap.Error(err))
	return nil
}
