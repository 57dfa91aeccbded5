package main

import (
	"bytes"
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
// its answer. The clients share the processors with the daemon, so they look into answers no further than to tell a
// refusal.
func crowdRates(socket string, calls []sample) error {
	peers, err := dialPeers(socket, crowd)
	if err != nil {
		return err
	}
	defer hangUp(peers)
	for _, call := range append([]sample{{}}, calls...) {
		name, method, params := "ping", "ping", map[string]any{}
		if call.name != "" {
			name, method, params = call.name, "tools/call", map[string]any{"name": call.name, "arguments": call.arguments}
		}
		line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		if err != nil {
			return err
		}
		if err := crowdRate(fmt.Sprintf("%d clients, %s", crowd, name), peers, append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// crowdRate has all of them send a line over and over.
func crowdRate(name string, peers []*peer, line []byte) error {
	answered, refused := make([]int, len(peers)), make([]int, len(peers))
	took, err := together(peers, func(n int, p *peer) error {
		for start := time.Now(); time.Since(start) < crowdTime; {
			granted, err := p.exchange(line)
			switch {
			case err != nil:
				return err
			case granted:
				answered[n]++
			default:
				refused[n]++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Printf("%-40s %6.0f calls/s", name, float64(sum(answered))/took.Seconds())
	if n := sum(refused); n > 0 {
		fmt.Printf(", %d refused beside them", n)
	}
	fmt.Println()
	return nil
}

func sum(counts []int) (total int) {
	for _, n := range counts {
		total += n
	}
	return total
}

// dialPeers opens so many sessions.
func dialPeers(socket string, n int) ([]*peer, error) {
	var peers []*peer
	for range n {
		p, err := dialPeer(socket)
		if err != nil {
			hangUp(peers)
			return nil, err
		}
		peers = append(peers, p)
	}
	return peers, nil
}

func hangUp(peers []*peer) {
	for _, p := range peers {
		p.end()
	}
}

// together has all of them do their work at once, and says how long it took until the last was done.
func together(peers []*peer, work func(n int, p *peer) error) (time.Duration, error) {
	start := time.Now()
	var clients errgroup.Group
	for n, p := range peers {
		clients.Go(func() error { return work(n, p) })
	}
	err := clients.Wait()
	return time.Since(start), err
}

// exchange sends a line, reads the one that answers it, and says whether that grants what was asked.
func (p *peer) exchange(line []byte) (granted bool, err error) {
	if _, err := p.out.Write(line); err != nil {
		return false, err
	}
	answer, err := p.in.ReadSlice('\n')
	return bytes.Contains(answer, []byte(`"result":`)) && !bytes.Contains(answer, []byte(`"isError":true`)), err
}
