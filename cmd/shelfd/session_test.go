package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"shelfd/internal/client"
)

// session holds connections to the daemon over many lines of a script, each one session from its first line on:
//
//	session NAME open          makes it
//	session NAME ask QUERY     searches in it and prints the answer
//	session NAME keep QUERY    searches in it again and again from now on
//	session NAME close         ends it; fails when any search of keep did
func session(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: session NAME open|ask|keep|close [QUERY]")
	}
	key := ts.Getenv("WORK") + " " + args[0]
	if args[1] == "open" {
		c, err := client.Dial(context.Background(), ts.Getenv("SHELFD_SOCKET"))
		ts.Check(err)
		ts.Defer(func() { c.Close() })
		held.Store(key, &heldSession{client: c})
		return
	}
	found, _ := held.Load(key)
	h, ok := found.(*heldSession)
	if !ok {
		ts.Fatalf("session %s is not open", args[0])
	}
	switch args[1] {
	case "ask":
		answer, err := h.search(context.Background(), args[2])
		ts.Check(err)
		fmt.Fprintf(ts.Stdout(), "%s\n", answer)
	case "keep":
		ctx, stop := context.WithCancel(context.Background())
		h.stop, h.ended = stop, make(chan struct{})
		ts.Defer(stop)
		go h.keep(ctx, args[2])
	case "close":
		if h.stop != nil {
			h.stop()
			<-h.ended
		}
		ts.Check(h.failed)
		fmt.Fprintf(ts.Stdout(), "%d searches\n", h.searches)
		h.client.Close()
	}
}

// held are the sessions of all scripts.
var held sync.Map

type heldSession struct {
	client   *client.Client
	stop     context.CancelFunc
	ended    chan struct{}
	searches int
	failed   error
}

func (h *heldSession) search(ctx context.Context, query string) (json.RawMessage, error) {
	ctx, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	var answer json.RawMessage
	err := h.client.Call(ctx, client.Request{Tool: "search_documents", Arguments: map[string]any{"query": query}}, &answer)
	return answer, err
}

// keep searches until ctx ends. A search under way is finished, so that its end is no failure.
func (h *heldSession) keep(ctx context.Context, query string) {
	defer close(h.ended)
	for ctx.Err() == nil {
		if _, err := h.search(context.WithoutCancel(ctx), query); err != nil {
			h.failed = fmt.Errorf("search %d of a session that was kept: %w", h.searches+1, err)
			return
		}
		h.searches++
	}
}
