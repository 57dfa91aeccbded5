package bridge

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func FuzzGlance(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"id":2,"method":"x"}}`, `{"jsonrpc":"2.0","id":"a\"b","error":{}}`, `{"jsonrpc":"2.0","method":"m/n","params":{}}`,
		`{"jsonrpc":"2.0","id":5,"method":"ping"}`, `{"result":{},"id":3,"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","result":{},"id":3}`, `{"jsonrpc":"2.0","id":null,"error":{}}`,
		`{"jsonrpc":"2.0","method":"a\u0041"}`, `{"jsonrpc":"2.0","id":-1,"result":1,"id":2}`, `{"jsonrpc":"2.0", "id" : 1 ,"result":{}}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		want, ok := parse(line)
		if !ok || strings.Count(string(line), `"id"`) > 1 || strings.Count(string(line), `"method"`) > 1 {
			_ = glance(line) // a daemon writes no such line
			return
		}
		got := glance(line)
		if string(got.ID) != string(want.ID) || got.Method != want.Method {
			t.Errorf("%s: id %s method %q, want id %s method %q", line, got.ID, got.Method, want.ID, want.Method)
		}
	})
}

// BenchmarkRoundTrip compares a call over the socket with one over the bridge between pipes; the difference of the
// medians is what the bridge adds.
func BenchmarkRoundTrip(b *testing.B) {
	for _, size := range []int{100, 5000, 24000} {
		path := echo(b, size)
		b.Run(fmt.Sprintf("direct/%d", size), func(b *testing.B) {
			conn, err := net.Dial("unix", path)
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			roundTrips(b, conn, conn)
		})
		b.Run(fmt.Sprintf("bridge/%d", size), func(b *testing.B) {
			inRead, inWrite := io.Pipe()
			outRead, outWrite := io.Pipe()
			go func() { _ = Run(b.Context(), inRead, outWrite, Options{Dial: Dial(path)}) }()
			roundTrips(b, outRead, inWrite)
			inWrite.Close()
		})
	}
}

// echo answers each line with a result of some size.
func echo(b *testing.B, size int) string {
	b.Helper()
	path := filepath.Join(shortDir(b), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	answer := []byte(`{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", size) + `"}` + "\n")
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for in := bufio.NewReader(conn); ; {
					if _, err := in.ReadSlice('\n'); err != nil {
						return
					}
					if _, err := conn.Write(answer); err != nil {
						return
					}
				}
			}()
		}
	}()
	return path
}

func roundTrips(b *testing.B, from io.Reader, to io.Writer) {
	b.Helper()
	in := bufio.NewReaderSize(from, 64<<10)
	call := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_documents","arguments":{"query":"valve"}}}` + "\n")
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := to.Write(call); err != nil {
			b.Fatal(err)
		}
		if _, err := in.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "µs-median")
}
