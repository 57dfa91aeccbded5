package main

import (
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	crowd     = 50
	crowdTime = 2 * time.Second
)

// crowdRates prints how many calls a second that many clients get answered together, each asking again as soon as it has
// its answer. The clients share the processors with the daemon, so they read answers without looking into them.
func crowdRates(socket string, calls []sample) error {
	peers := make([]*peer, crowd)
	for i := range peers {
		p, err := dialPeer(socket)
		if err != nil {
			return err
		}
		defer p.end()
		peers[i] = p
	}
	for _, call := range append([]sample{{}}, calls...) {
		name, method, params := "ping", "ping", map[string]any{}
		if call.name != "" {
			name, method, params = call.name, "tools/call", map[string]any{"name": call.name, "arguments": call.arguments}
		}
		line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		if err != nil {
			return err
		}
		n, took, err := together(peers, append(line, '\n'))
		if err != nil {
			return err
		}
		fmt.Printf("%-40s %6.0f calls/s\n", fmt.Sprintf("%d clients, %s", crowd, name), float64(n)/took.Seconds())
	}
	return nil
}

func together(peers []*peer, line []byte) (calls int, took time.Duration, err error) {
	start := time.Now()
	counts := make([]int, len(peers))
	var clients errgroup.Group
	for i, p := range peers {
		clients.Go(func() error {
			for time.Since(start) < crowdTime {
				if err := p.exchange(line); err != nil {
					return err
				}
				counts[i]++
			}
			return nil
		})
	}
	err = clients.Wait()
	for _, n := range counts {
		calls += n
	}
	return calls, time.Since(start), err
}

// exchange sends a line and reads the one that answers it.
func (p *peer) exchange(line []byte) error {
	if _, err := p.out.Write(line); err != nil {
		return err
	}
	for {
		_, more, err := p.in.ReadLine()
		if err != nil || !more {
			return err
		}
	}
}
