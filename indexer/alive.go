package indexer

import "context"

// Alive returns when Run has taken up a command: its loop turns. A loop that waits for a full disk does not, and says
// so in Status().LastError.
func (x *Indexer) Alive(ctx context.Context) error {
	return x.do(ctx, func(context.Context, *run) error { return nil })
}
