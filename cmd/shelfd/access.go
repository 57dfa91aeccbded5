package main

import (
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
		rules.Shelves = append(rules.Shelves, ruledShelf(s))
	}
	return rules
}

func ruledShelf(s config.Shelf) access.Shelf {
	shelf := access.Shelf{Name: s.Name, Access: access.People(s.Access)}
	for _, scope := range s.Scopes {
		shelf.Scopes = append(shelf.Scopes, access.Scope(scope))
	}
	return shelf
}

// partsOf tells apart which documents of a shelf are seen by the same people.
func partsOf(s config.Shelf) (parts []indexer.Part) {
	for _, part := range ruledShelf(s).Parts() {
		parts = append(parts, indexer.Part(part))
	}
	return parts
}
