package bridge

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// TestALineThatWasBegunIsWrittenToItsEnd, though the bridge is told to end; but a client that reads nothing is not
// waited for for long.
func TestALineThatWasBegunIsWrittenToItsEnd(t *testing.T) {
	for name, reads := range map[string]bool{"the client reads on": true, "the client reads no more": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, out := io.Pipe()
				o := openOutlet(out)
				o.lines <- []byte("a long line")
				part := make([]byte, 6)
				if _, err := io.ReadFull(in, part); err != nil {
					t.Fatal(err)
				}
				ctx, tell := context.WithCancel(t.Context())
				tell()
				closed, start := make(chan error, 1), time.Now()
				go func() {
					closed <- o.close(ctx, nil, [][]byte{[]byte("one that was not begun")})
					out.Close()
				}()
				synctest.Wait()
				if len(closed) != 0 {
					t.Fatal("half a line was left")
				}
				if !reads {
					if <-closed; time.Since(start) != lastLine {
						t.Errorf("waited %v", time.Since(start))
					}
					return
				}
				rest, err := io.ReadAll(in)
				if err != nil || string(rest) != " line\n" && string(rest) != " line\none that was not begun\n" {
					t.Errorf("the rest is %q, %v", rest, err)
				}
				if <-closed; time.Since(start) != 0 {
					t.Errorf("waited %v", time.Since(start))
				}
			})
		})
	}
}
