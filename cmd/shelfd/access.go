package main

import (
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
