package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"shelfd/indexer"
	"shelfd/internal/text"
	"shelfd/store"
)

// Code says what kind of refusal an envelope carries.
type Code string

// The codes.
const (
	NotFound     Code = "NOT_FOUND"
	InvalidInput Code = "INVALID_INPUT"
	Internal     Code = "INTERNAL_ERROR"
	Cancelled    Code = "CANCELLED"
	Forbidden    Code = "FORBIDDEN"   // not for this user
	Unavailable  Code = "UNAVAILABLE" // not now: out of time, no indexer, or another program holds the database
	DiskFull     Code = "DISK_FULL"   // the disk of the index or the ledger
)

// steps tell the model what to do next.
type steps struct {
	Summary string   `json:"summary"`
	Options []string `json:"options"`
}

// next makes steps. Empty options are left out.
func next(summary string, options ...string) steps {
	s := steps{Summary: summary, Options: []string{}}
	for _, o := range options {
		if o != "" {
			s.Options = append(s.Options, o)
		}
	}
	return s
}

// answer is what a tool found.
type answer struct {
	data  any
	steps steps
}

func (a answer) encode() json.RawMessage {
	return encode(struct {
		Success bool  `json:"success"`
		Data    any   `json:"data"`
		Next    steps `json:"next_steps"`
	}{true, a.data, a.steps})
}

// refusal is an error that the model reads.
type refusal struct {
	code    Code
	text    string
	details any
	steps   steps
}

func (r *refusal) Error() string { return r.text }

func (r *refusal) encode() json.RawMessage {
	return encode(struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
		Code    Code   `json:"code"`
		Details any    `json:"details,omitempty"`
		Next    steps  `json:"next_steps"`
	}{false, text.Plainly(r.text), r.code, r.details, r.steps})
}

// refusalOf turns any error of a tool into what the model reads.
func refusalOf(ctx context.Context, err error) *refusal {
	var r *refusal
	switch {
	case errors.As(err, &r):
		return r
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &refusal{
			code: Unavailable, text: "this call took too long and was stopped",
			steps: next("Ask for less, or try again in a moment.", "Narrow the call: a folder, a document, a smaller limit."),
		}
	case errors.Is(err, context.Canceled) || ctx.Err() != nil:
		return &refusal{code: Cancelled, text: "this call was cancelled", steps: next("Nothing was changed by it that sync would not finish.")}
	case errors.Is(err, indexer.ErrNotRunning):
		return &refusal{code: Unavailable, text: "the daemon is ending", steps: next("Try again when it runs.")}
	case store.IsFull(err):
		return &refusal{
			code: DiskFull, text: clip(err.Error(), 400),
			steps: next("The disk that holds the index is full: reading and searching go on, nothing can be written. Tell the user.", "Try again when there is room."),
		}
	case errors.Is(err, indexer.ErrPaused):
		return &refusal{
			code: Unavailable, text: clip(err.Error(), 400),
			steps: next("Nothing can be written at present; reading and searching go on. Tell the user.", "Try again in a while."),
		}
	case store.IsCorrupt(err):
		return &refusal{
			code: Unavailable, text: "the index is damaged and is being built anew from the files",
			steps: next("Until that is done answers say `indexing` and may lack documents. Nothing that was written or said is lost.", "Try again in a few seconds."),
		}
	case errors.Is(err, store.ErrNotFound), errors.Is(err, indexer.ErrUnknownShelf):
		return &refusal{
			code: NotFound, text: "what was asked for is not in the library any more",
			steps: next("The library changed while this call ran.", "Repeat the call.", "browse_documents() shows what is there now."),
		}
	}
	return &refusal{
		code: Internal, text: clip(err.Error(), 400),
		steps: next("The daemon could not answer; the call itself was well formed.", "Try once more.", "If it fails again, tell the user to look at `shelfd status` and the daemon's log."),
	}
}

// unwritable says that it is not the caller's fault: nothing can be written.
func unwritable(err error) bool { return store.IsFull(err) || errors.Is(err, indexer.ErrPaused) }

// encode is compact JSON with <, > and & as they are: they are common in Markdown and an escape costs six units.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		text, _ := json.Marshal(err.Error())
		return json.RawMessage(`{"success":false,"error":` + string(text) + `,"code":"INTERNAL_ERROR","next_steps":{"summary":"The answer could not be encoded.","options":[]}}`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// quoted shows a name in a sentence: cut when long, always on one line.
func quoted(name string) string { return fmt.Sprintf("%q", clip(name, 160)) }

// callText writes a call as the model would make it. A name too long to repeat is not repeated.
func callText(tool string, pairs ...string) string {
	var b strings.Builder
	b.WriteString(tool + "(")
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(pairs[i] + "=" + pairs[i+1])
	}
	b.WriteString(")")
	return b.String()
}

// arg is a string as an argument in callText.
func arg(s string) string {
	if clip(s, 200) != s {
		return "<as above>"
	}
	return string(encode(s))
}
