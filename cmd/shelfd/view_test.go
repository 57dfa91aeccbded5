package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestTheLiveViewIsDrawnAtEveryTickAndLeavesTheScreenAsItWas(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	tick := make(chan time.Time, 2)
	tick <- time.Time{}
	tick <- time.Time{}
	var out bytes.Buffer
	drawn := 0
	err := draw(ctx, &out, tick, func() ([]byte, error) {
		if drawn++; drawn == 3 {
			stop()
		}
		return fmt.Appendf(nil, "queue %d\nready\n", drawn), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := enterView + topLeft + "queue 1" + lineEnd + "ready" + lineEnd + restEmpty +
		topLeft + "queue 2" + lineEnd + "ready" + lineEnd + restEmpty + leaveView
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestALiveViewThatFailsLeavesTheScreenBeforeItSaysWhy(t *testing.T) {
	var out bytes.Buffer
	broken := errors.New("no index")
	err := draw(t.Context(), &out, nil, func() ([]byte, error) { return nil, broken })
	if !errors.Is(err, broken) || !strings.HasSuffix(out.String(), leaveView) {
		t.Errorf("%v after %q", err, out.String())
	}
}
