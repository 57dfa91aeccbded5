package indexer

import "context"

// command is something that another goroutine wants Run's to do.
type command struct {
	run func(context.Context, *run)
	// decline answers the caller before run has ended, or in its place: writing is paused. nil = the caller waits.
	decline func(error)
}

// ask runs f in Run's goroutine and returns what f does, or before that why writing is paused: what was begun then goes
// on by itself. So f must not write to variables of its caller.
func ask[T any](ctx context.Context, x *Indexer, f func(context.Context, *run) (T, error)) (T, error) {
	answers := make(chan answer[T], 1)
	give := func(a answer[T]) {
		select {
		case answers <- a:
		default: // it was declined
		}
	}
	return await(ctx, x, answers, command{
		run: func(ctx context.Context, r *run) {
			result, err := f(ctx, r)
			give(answer[T]{result, err})
		},
		decline: func(err error) { give(answer[T]{err: err}) },
	})
}

// answer is what a command came to.
type answer[T any] struct {
	result T
	err    error
}

func await[T any](ctx context.Context, x *Indexer, answers <-chan answer[T], c command) (none T, err error) {
	select {
	case x.commands <- c:
	case <-x.ended:
		return none, ErrNotRunning
	case <-ctx.Done():
		return none, ctx.Err()
	}
	select {
	case a := <-answers:
		return a.result, a.err
	case <-x.ended:
		return none, ErrNotRunning
	}
}

// do is ask for what has no result but an error.
func (x *Indexer) do(ctx context.Context, f func(context.Context, *run) error) error {
	_, err := ask(ctx, x, func(ctx context.Context, r *run) (struct{}, error) { return struct{}{}, f(ctx, r) })
	return err
}

// insist is do for what has to be done, however long writing is paused.
func (x *Indexer) insist(ctx context.Context, f func(context.Context, *run) error) error {
	answers := make(chan answer[struct{}], 1)
	_, err := await(ctx, x, answers, command{run: func(ctx context.Context, r *run) {
		answers <- answer[struct{}]{err: f(ctx, r)}
	}})
	return err
}

// command does what another goroutine wants.
func (r *run) command(ctx context.Context, c command) {
	r.current = c.decline
	c.run(ctx, r)
	r.current = nil
}
