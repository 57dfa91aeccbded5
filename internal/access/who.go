package access

import (
	"fmt"
	"os/user"
	"slices"
	"strconv"
)

// Peer is what the system says of the process at the other end.
type Peer struct {
	UID, GID int
	Groups   []int // besides GID, nil where the system does not tell
	Known    bool
}

// Who is a user with the groups that count. Names are "" where the system knows none.
type Who struct {
	UID    int
	GIDs   []int // the process's own first
	Name   string
	Groups []string // names of GIDs
}

// whoIs looks names up. What cannot be found out gives nothing: no name, no group.
func whoIs(p Peer) Who {
	who := Who{UID: p.UID, GIDs: append([]int{p.GID}, p.Groups...)}
	if u, err := user.LookupId(strconv.Itoa(p.UID)); err == nil {
		who.Name = u.Username
		if p.Groups == nil {
			who.GIDs = append(who.GIDs, groupsOf(u)...)
		}
	}
	for _, gid := range who.GIDs {
		if g, err := user.LookupGroupId(strconv.Itoa(gid)); err == nil && !slices.Contains(who.Groups, g.Name) {
			who.Groups = append(who.Groups, g.Name)
		}
	}
	return who
}

// groupsOf are the groups that a user is listed in.
func groupsOf(u *user.User) []int {
	ids, err := u.GroupIds()
	if err != nil {
		return nil
	}
	var gids []int
	for _, id := range ids {
		if gid, err := strconv.Atoi(id); err == nil {
			gids = append(gids, gid)
		}
	}
	return gids
}

// among says whether a rule names the user or one of the groups.
func (w Who) among(p People) bool {
	if w.Name != "" && slices.Contains(p.Users, w.Name) || slices.Contains(p.Users, strconv.Itoa(w.UID)) {
		return true
	}
	for _, group := range w.Groups {
		if slices.Contains(p.Groups, group) {
			return true
		}
	}
	return slices.ContainsFunc(w.GIDs, func(gid int) bool { return slices.Contains(p.Groups, strconv.Itoa(gid)) })
}

// key tells users apart, and one user with other groups.
func (w Who) key() string { return fmt.Sprintf("%d %q %v %q", w.UID, w.Name, w.GIDs, w.Groups) }
