package indexer

import (
	"context"
	"errors"
)

// Alive returns when Run has taken up a command: its loop turns, be it to wait for a full disk.
func (x *Indexer) Alive(ctx context.Context) error {
	err := x.do(ctx, func(context.Context, *run) error { return nil })
	if errors.Is(err, ErrPaused) {
		return nil
	}
	return err
}
