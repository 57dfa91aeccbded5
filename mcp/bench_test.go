package mcp

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// calls of the benchmarks, cheapest first.
func benchCalls() map[string]string {
	return map[string]string{
		"ping":   `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"browse": toolCall("1", "browse_documents", fields{"folder": "Standard/boiler"}),
		"read":   toolCall("1", "get_node_content", fields{"doc_path": "Standard/boiler/valves.md", "node_ids": []string{"valves"}}),
		"search": toolCall("1", "search_documents", fields{"query": "torque"}),
	}
}

// BenchmarkCall is one client calling over a real Unix socket, one call after the other.
func BenchmarkCall(b *testing.B) {
	l := newLibrary(b, manual())
	for name, line := range benchCalls() {
		b.Run(name, func(b *testing.B) {
			p := l.dial(b)
			took := make([]time.Duration, 0, b.N)
			for b.Loop() {
				start := time.Now()
				p.exchange(line)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-p50")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
		})
	}
}

// BenchmarkFiftyClients is fifty clients calling at once.
func BenchmarkFiftyClients(b *testing.B) {
	l := newLibrary(b, manual())
	for name, line := range benchCalls() {
		b.Run(name, func(b *testing.B) {
			var peers []*peer
			for range 50 {
				peers = append(peers, l.dial(b))
			}
			each := b.N/len(peers) + 1
			var clients sync.WaitGroup
			start := time.Now()
			b.ResetTimer()
			for _, p := range peers {
				clients.Go(func() {
					for range each {
						p.exchange(line)
					}
				})
			}
			clients.Wait()
			b.ReportMetric(float64(each*len(peers))/time.Since(start).Seconds(), "calls/s")
		})
	}
}

// exchange sends a line and reads the answer's, without looking at it.
func (p *peer) exchange(line string) {
	if _, err := fmt.Fprintln(p.conn, line); err != nil {
		p.t.Error(err)
	}
	if _, err := p.in.ReadSlice('\n'); err != nil {
		p.t.Error(err)
	}
}
