package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"shelfd/internal/text"
)

// check finds what only the whole file can show: names that clash, roots that overlap, values that contradict.
func (r *reader) check(c *Config) {
	for i := range c.Shelves {
		r.checkShelf(fmt.Sprintf("shelves[%d]", i), &c.Shelves[i])
	}
	r.checkNames(c.Shelves)
	r.checkFolders(c)
	r.checkOverlaps(c)
	r.checkParents(c)
	r.checkDepartments(c.Departments)
	if c.SettleMax < c.Settle {
		r.fault("settle_max", "%v is shorter than settle (%v)", c.SettleMax, c.Settle)
	}
	if c.SocketMode&^0o600 != 0 && !c.hasAccess() {
		r.fault("socket_mode", `"%04o" lets others connect, but no shelf has access rules; keep "0600" or say who may see what`, c.SocketMode)
	}
	r.checkEmbedding(&c.Embedding)
	if reason := listenFault(c.HTTP.Listen); reason != "" {
		r.fault("http.listen", "%s", reason)
	}
	if strings.HasPrefix(c.HTTP.TokenFile, "~") {
		c.HTTP.TokenFile = r.absolute("http.token_file", c.HTTP.TokenFile)
	}
}

// listenFault says why an address cannot be served on; "" = it can, or there is none. What is heard from other machines
// is refused: the token would cross the network in clear.
func listenFault(address string) string {
	if _, unix := strings.CutPrefix(address, "unix:"); unix || address == "" {
		return ""
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Sprintf("%q: want unix:PATH or an address such as 127.0.0.1:8765", address)
	}
	ip, err := netip.ParseAddr(host)
	if strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback() {
		return ""
	}
	return fmt.Sprintf("%q: only this machine is served over TCP: use 127.0.0.1:%s, [::1]:%s or unix:PATH; for others put a proxy that asks who they are in front", address, port, port)
}

func (r *reader) checkEmbedding(e *Embedding) {
	if e.Provider == "none" || e.Provider == "corpus" {
		return
	}
	if e.URL == "" {
		r.fault("embedding.url", "missing; provider %s needs one", e.Provider)
	} else if u, err := url.Parse(e.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		r.fault("embedding.url", "%q is no address; want http://host:port or https://host", e.URL)
	}
	if e.Provider == "ollama" && e.Model == "" {
		r.fault("embedding.model", "missing; provider ollama needs one")
	}
}

func (c *Config) hasAccess() bool {
	for i := range c.Shelves {
		if !c.Shelves[i].Access.Empty() {
			return true
		}
	}
	return !c.AccessAdmins.Empty()
}

func (r *reader) checkShelf(path string, s *Shelf) {
	if s.Name == "" {
		r.missing(path + ".name")
	} else if err := CheckName(s.Name); err != nil {
		r.fault(path+".name", "%v", err)
	}
	if s.Root == "" {
		r.missing(path + ".root")
	} else {
		s.Root = r.absolute(path+".root", s.Root)
		r.checkRoot(path+".root", s)
	}
	for i, pattern := range s.Include {
		if !doublestar.ValidatePattern(pattern) {
			r.fault(fmt.Sprintf("%s.include[%d]", path, i), "%q is not a pattern", pattern)
		}
	}
	r.checkScopes(path+".scopes", s.Scopes)
	if len(s.Include) == 0 {
		r.fault(path+".include", "no pattern, so no document; leave it out for the usual ones")
	}
}

// missing reports a key without a value, unless the value that stands there was reported already.
func (r *reader) missing(path string) {
	if !slices.ContainsFunc(r.faults, func(f Fault) bool { return f.Path == path }) {
		r.fault(path, "missing")
	}
}

// CheckName says why a name cannot be a shelf's: it begins every doc_path.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("a shelf needs a name")
	case strings.HasPrefix(name, "."):
		return fmt.Errorf("%q begins with a dot", name)
	case strings.ContainsAny(name, "/\\"):
		return fmt.Errorf("%q holds a slash", name)
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("%q begins or ends with a space", name)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("%q holds a control character or is not UTF-8", name)
	case utf8.RuneCountInString(name) > 255:
		return errors.New("the name is longer than 255 characters")
	}
	return nil
}

// absolute expands a leading ~ and anchors a relative path in the folder of the file.
func (r *reader) absolute(path, value string) string {
	expanded, err := Expand(value)
	if err != nil {
		r.fault(path, "%v", err)
		return value
	}
	if filepath.IsAbs(expanded) {
		return filepath.Clean(expanded)
	}
	base, err := filepath.Abs(filepath.Dir(r.file))
	if err != nil {
		r.fault(path, "%v", err)
		return value
	}
	return filepath.Join(base, expanded)
}

// checkRoot resolves the root where it exists. A missing one is a warning: disks come and go.
func (r *reader) checkRoot(path string, s *Shelf) {
	written := s.Root
	s.Root = Resolve(written)
	stat, err := os.Stat(s.Root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.warn(path, "%q is not there; the shelf is offline until it comes", written)
	case err != nil:
		r.warn(path, "%v; the shelf is offline until it can be read", err)
	case !stat.IsDir():
		r.fault(path, "%q is a file; a shelf's root is a folder", written)
	}
}

func (r *reader) checkNames(shelves []Shelf) {
	first := map[string]int{}
	for i := range shelves {
		name := shelves[i].Name
		if name == "" {
			continue
		}
		if earlier, taken := first[name]; taken {
			r.fault(fmt.Sprintf("shelves[%d].name", i), "%q is the name of shelves[%d] already", name, earlier)
			continue
		}
		first[name] = i
	}
}

func (r *reader) checkFolders(c *Config) {
	for i := range c.ShelfFolders {
		path := fmt.Sprintf("shelf_folders[%d]", i)
		if c.ShelfFolders[i] == "" {
			r.fault(path, "empty")
			continue
		}
		folder := r.absolute(path, c.ShelfFolders[i])
		c.ShelfFolders[i] = Resolve(folder)
		switch stat, err := os.Stat(folder); {
		case err != nil:
			r.warn(path, "%v; its shelves appear when it does", err)
		case !stat.IsDir():
			r.fault(path, "%q is a file; want a folder of folders", folder)
		}
	}
}

// checkOverlaps compares every pair of roots: a document must belong to one shelf.
func (r *reader) checkOverlaps(c *Config) {
	for i := range c.Shelves {
		for j := range i {
			r.overlap(fmt.Sprintf("shelves[%d].root", i), c.Shelves[i].Root, fmt.Sprintf("shelves[%d].root", j), c.Shelves[j].Root)
		}
		for j, folder := range c.ShelfFolders {
			// A direct subfolder that is configured by hand keeps its own settings; it is no overlap.
			if root := c.Shelves[i].Root; root != "" && folder != "" && filepath.Dir(root) != folder {
				r.overlap(fmt.Sprintf("shelves[%d].root", i), root, fmt.Sprintf("shelf_folders[%d]", j), folder)
			}
		}
	}
	for i, folder := range c.ShelfFolders {
		for j := range i {
			r.overlap(fmt.Sprintf("shelf_folders[%d]", i), folder, fmt.Sprintf("shelf_folders[%d]", j), c.ShelfFolders[j])
		}
	}
}

func (r *reader) overlap(path, root, otherPath, other string) {
	if reason := Overlap(root, otherPath, other); reason != "" {
		r.fault(path, "%s", reason)
	}
}

// Overlap says how root clashes with the root called otherPath; "" when it does not.
func Overlap(root, otherPath, other string) string {
	switch {
	case root == "" || other == "":
		return ""
	case root == other:
		return fmt.Sprintf("%q is %s already", root, otherPath)
	case Inside(root, other):
		return fmt.Sprintf("%q is inside %s %q", root, otherPath, other)
	case Inside(other, root):
		return fmt.Sprintf("%q holds %s %q", root, otherPath, other)
	}
	return ""
}

// checkParents looks for cycles only: a parent may be a shelf that is added at run time.
func (r *reader) checkParents(c *Config) {
	parents := map[string][]string{}
	for i := range c.Shelves {
		parents[c.Shelves[i].Name] = c.Shelves[i].Parents
	}
	for i := range c.Shelves {
		name := c.Shelves[i].Name
		if cycle := cycleFrom(parents, name); cycle != nil {
			r.fault(fmt.Sprintf("shelves[%d].parents", i), "cycle: %s", strings.Join(cycle, " → "))
			return
		}
	}
}

// cycleFrom is a path from name back to name along parents, nil without one.
func cycleFrom(parents map[string][]string, name string) []string {
	seen := map[string]bool{}
	var walk func(at string, trail []string) []string
	walk = func(at string, trail []string) []string {
		for _, parent := range parents[at] {
			if parent == name {
				return append(trail, at, name)
			}
			if seen[parent] {
				continue
			}
			seen[parent] = true
			if found := walk(parent, append(trail, at)); found != nil {
				return found
			}
		}
		return nil
	}
	return walk(name, nil)
}

// checkScopes writes the paths of scopes as those of documents are written.
func (r *reader) checkScopes(path string, scopes []Scope) {
	first := map[string]int{}
	for i := range scopes {
		at := fmt.Sprintf("%s[%d].path", path, i)
		written := scopes[i].Path
		cleaned := text.Path(strings.Trim(pathpkg.Clean("/"+written), "/"))
		if strings.Contains("/"+written+"/", "/../") {
			r.fault(at, "%q leads out of a folder; want the path of a folder inside the root", written)
			continue
		}
		if earlier, taken := first[cleaned]; taken {
			r.fault(at, "%q is the path of %s[%d] already", written, path, earlier)
			continue
		}
		first[cleaned] = i
		scopes[i].Path = cleaned
	}
}

func (r *reader) checkDepartments(parent map[string]string) {
	parents := map[string][]string{}
	for code, above := range parent {
		parents[code] = []string{above}
	}
	for code := range parent {
		if cycle := cycleFrom(parents, code); cycle != nil {
			r.fault("departments."+code, "cycle: %s", strings.Join(cycle, " → "))
			return
		}
	}
}
