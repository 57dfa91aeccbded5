package main

import (
	"fmt"
	"slices"

	"shelfd/indexer"
	"shelfd/internal/access"
	"shelfd/internal/config"
	"shelfd/mcp"
)

// viewer is who a client of the socket acts for.
func (d *daemon) viewer(p mcp.Peer) mcp.Viewer {
	return d.access.Viewer(access.Peer{UID: p.UID, GID: p.GID, Groups: p.Groups, Known: p.Known})
}

// accessRules are the rules of a configuration. Shelves without any are left to the daemon's own user.
func accessRules(c config.Config, shelves []config.Shelf) access.Rules {
	rules := access.Rules{Departments: c.Departments, Admins: access.People(c.AccessAdmins)}
	for _, s := range shelves {
		shelf := access.Shelf{Name: s.Name, Access: access.People(s.Access)}
		for _, scope := range s.Scopes {
			shelf.Scopes = append(shelf.Scopes, access.Scope(scope))
		}
		rules.Shelves = append(rules.Shelves, shelf)
	}
	return rules
}

// partsOf tells apart which documents of a shelf are seen by the same people.
func partsOf(s config.Shelf) []indexer.Part {
	if len(s.Access.Users)+len(s.Access.Groups) == 0 {
		return nil
	}
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	readers := fmt.Sprintf("%q %q", sorted(s.Access.Users), sorted(s.Access.Groups))
	parts := []indexer.Part{{Readers: readers}}
	for _, scope := range s.Scopes {
		part := indexer.Part{Path: scope.Path, Readers: readers}
		if scope.Kind != access.Global {
			part.Readers, part.ByFolder = readers+" "+scope.Kind, true
		}
		parts = append(parts, part)
	}
	return parts
}
