package mcp

import (
	"context"
	"os"

	"shelfd/store"
)

// Viewer is who a client acts for. What it may see can change while it is connected: it is asked anew for each call.
type Viewer interface {
	// Served says whether a client may connect at all.
	Served() bool
	// Manages says whether a client may change shelves, their hierarchy and what is worked out, and ask how the daemon is.
	Manages() bool
	// Sight is what is seen of a kind of documents (global, department, personal; "" = all). nil = everything.
	Sight(kind string) *store.Sight
}

// owner is the viewer without rules: this program's user and root see everything, others are not served.
type owner struct{ served bool }

// viewerWithoutRules serves this program's user and root, who can read the files anyway. A peer without credentials has
// come over a connection that the program made itself, or has shown the token.
func viewerWithoutRules(p Peer) Viewer {
	return owner{!p.Known || p.UID == os.Getuid() || p.UID == 0}
}

func (o owner) Served() bool  { return o.served }
func (o owner) Manages() bool { return o.served }

// Sight has no rules to tell kinds apart: every document is for everybody.
func (o owner) Sight(kind string) *store.Sight {
	if o.served && (kind == "" || kind == "global") {
		return nil
	}
	return store.NewSight(store.Seen{})
}

// stranger sees nothing: what a call sees that nobody said whose it is.
type stranger struct{ owner }

// ownCall marks the context of a call that the program makes itself.
type ownCall struct{}

// viewerOf is who a call is made for.
func (s *Server) viewerOf(ctx context.Context) Viewer {
	if e := exchangeOf(ctx); e != nil {
		return e.viewer
	}
	if ctx.Value(ownCall{}) != nil {
		return s.options.Viewer(Peer{})
	}
	return stranger{}
}

// view runs f on one picture of what the caller may see.
func (s *Server) view(ctx context.Context, f func(*store.View) error) error {
	return s.options.Store.ViewAs(ctx, s.viewerOf(ctx).Sight(""), f)
}

// managing refuses a call that changes what is everybody's.
func (s *Server) managing(ctx context.Context) error {
	if s.viewerOf(ctx).Manages() {
		return nil
	}
	return &refusal{
		code: Forbidden, text: "this changes what everybody sees, which only the daemon's own user and access_admins may",
		steps: next("Tell the user that someone who manages the library must do it."),
	}
}

// seesAll says whether nothing is hidden from the caller.
func (s *Server) seesAll(ctx context.Context) bool { return s.viewerOf(ctx).Sight("") == nil }
