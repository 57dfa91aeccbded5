// Package access says what of the library the user at the other end of a connection may see.
//
// Invariant: what no rule gives is seen by the daemon's own user, root and the administrators only. It refuses to guess
// who somebody is: a user whom the system does not know by name has none.
package access

import (
	"os"
	"reflect"
	"sync"
	"sync/atomic"

	"shelfd/store"
)

// Kinds of documents, as rules tell them apart.
const (
	Global     = "global"
	Department = "department"
	Personal   = "personal"
)

// People are named in a rule: user and group names, or their numbers.
type People struct{ Users, Groups []string }

// Shelf is the rules of one shelf.
type Shelf struct {
	Name   string
	Access People
	Scopes []Scope
}

// Scope is the rule of a folder and what is below it; the one with the longest path counts.
type Scope struct {
	Path string // inside the shelf, "" = all of it
	Kind string
}

// Rules are all there is to say. The zero value lets the daemon's own user in and root.
type Rules struct {
	Shelves     []Shelf
	Departments map[string]string // code → code of the department above
	Admins      People
}

// Access holds the rules as they are now. Its methods may be called from any goroutine.
type Access struct {
	owner   int // uid of the daemon
	disk    func(Who) store.Readable
	current atomic.Pointer[ruled]
}

// ruled are rules and what was worked out of them: it lives as long as they do.
type ruled struct {
	Rules
	mu     sync.Mutex
	sights map[string]*store.Sight // by viewer and kind; guarded by mu
}

// maxSights is how many are kept: more than users who ask at one time. Working one out costs little.
const maxSights = 1024

// New makes an Access without rules, for this program's user. Where the program can become others, they see only what
// they could read from the disk themselves.
func New() *Access {
	a := &Access{owner: os.Getuid(), disk: readableBy}
	a.Set(Rules{})
	return a
}

// Set makes rules the ones that count, at once and for everybody who is connected, and returns those before.
func (a *Access) Set(r Rules) (before Rules) {
	if now := a.current.Load(); now != nil {
		if before = now.Rules; reflect.DeepEqual(before, r) {
			return before // what was worked out stays
		}
	}
	a.current.Store(&ruled{Rules: r, sights: map[string]*store.Sight{}})
	return before
}

// Viewer is one user, by the rules of the moment.
type Viewer struct {
	access *Access
	who    Who
}

// Viewer is the user at the other end of a connection. A peer without credentials acts for the daemon's own user.
func (a *Access) Viewer(p Peer) Viewer {
	if !p.Known {
		return Viewer{a, Who{UID: a.owner}}
	}
	return Viewer{a, whoIs(p)}
}

// Served says whether the user sees anything at all.
func (v Viewer) Served() bool {
	if v.Manages() {
		return true
	}
	for _, s := range v.access.current.Load().Shelves {
		if v.who.among(s.Access) {
			return true
		}
	}
	return false
}

// Manages says whether the user sees everything and may change it.
func (v Viewer) Manages() bool {
	return v.who.UID == v.access.owner || v.who.UID == 0 || v.who.among(v.access.current.Load().Admins)
}

// Sight is what the user sees of a kind of documents, "" = of all. nil = everything.
func (v Viewer) Sight(kind string) *store.Sight {
	if kind == "" && v.Manages() {
		return nil
	}
	return v.access.current.Load().sight(v, kind)
}

func (r *ruled) sight(v Viewer, kind string) *store.Sight {
	key := kind
	if !v.Manages() {
		key = v.who.key() + " " + kind
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.sights[key]; ok {
		return s
	}
	if len(r.sights) >= maxSights {
		r.sights = map[string]*store.Sight{}
	}
	var s *store.Sight
	if v.Manages() {
		s = store.NewSight(store.Seen{Shelves: r.ofKind(kind), Rest: kind == Global})
	} else {
		s = store.NewSight(store.Seen{Shelves: r.seenBy(v.who, kind), Readable: v.access.disk(v.who)})
	}
	r.sights[key] = s
	return s
}

// seenBy are the shelves that a user sees, and what of them is of a kind.
func (r *ruled) seenBy(who Who, kind string) []store.ShelfSight {
	departments := r.departmentsOf(who)
	var seen []store.ShelfSight
	for _, s := range r.Shelves {
		if !who.among(s.Access) {
			continue
		}
		shelf := store.ShelfSight{Name: s.Name, Blind: kind != "" && kind != Global}
		for _, scope := range s.Scopes {
			rule := store.PathSight{Path: scope.Path}
			switch {
			case kind != "" && scope.Kind != kind:
			case scope.Kind == Global:
				rule.All = true
			case scope.Kind == Department:
				rule.Folders = departments
			case scope.Kind == Personal && who.Name != "":
				rule.Folders = []string{who.Name}
			}
			shelf.Rules = append(shelf.Rules, rule)
		}
		seen = append(seen, shelf)
	}
	return seen
}

// ofKind is everything of a kind in the shelves that tell kinds apart.
func (r *ruled) ofKind(kind string) []store.ShelfSight {
	var seen []store.ShelfSight
	for _, s := range r.Shelves {
		shelf := store.ShelfSight{Name: s.Name, Blind: kind != Global}
		for _, scope := range s.Scopes {
			shelf.Rules = append(shelf.Rules, store.PathSight{Path: scope.Path, All: scope.Kind == kind})
		}
		seen = append(seen, shelf)
	}
	return seen
}

// departmentsOf are the codes of the departments that a user belongs to, of those above them and of those below.
func (r *ruled) departmentsOf(who Who) []string {
	codes := append([]string{}, who.Groups...)
	for _, group := range who.Groups {
		codes = append(codes, r.above(group)...)
		for code := range r.Departments {
			for _, above := range r.above(code) {
				if above == group {
					codes = append(codes, code)
				}
			}
		}
	}
	return codes
}

// above are the departments above one, the nearest first.
func (r *ruled) above(code string) []string {
	var list []string
	for parent := r.Departments[code]; parent != "" && len(list) <= len(r.Departments); parent = r.Departments[parent] {
		list = append(list, parent)
	}
	return list
}
