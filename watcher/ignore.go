package watcher

import (
	"bytes"
	"strings"
)

// The names of the files that hold ignore rules; the later one overrides the earlier.
const (
	gitignoreName   = ".gitignore"
	shelfignoreName = ".shelfignore"
)

// rules are the ignore rules in force in a folder: its own and those of the folders above. They follow git: the last
// rule that matches decides, a deeper file before a higher one, and nothing below an ignored folder comes back. An
// own matcher, because the small libraries fail cases of git's manual (see docs/decisions.md).
type rules struct {
	parent *rules
	base   string // folder the own rules stand in, "" = root
	own    []rule
}

type rule struct {
	segments []segment
	negate   bool // !pattern
	folder   bool // pattern/
	anchored bool // has a slash: matches from the base; else the name alone
}

// parseRules reads the contents of an ignore file.
func parseRules(text []byte) []rule {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	var out []rule
	for line := range strings.SplitSeq(string(text), "\n") {
		if r, ok := parseRule(strings.TrimSuffix(line, "\r")); ok {
			out = append(out, r)
		}
	}
	return out
}

func parseRule(line string) (r rule, ok bool) {
	line = trimSpaces(line)
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	if line[0] == '!' {
		r.negate, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.folder, line = true, line[:len(line)-1]
	}
	r.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return rule{}, false
	}
	if !r.anchored {
		r.segments = []segment{compileSegment(line)}
		return r, true
	}
	r.segments = compileSegments(line)
	return r, true
}

// trimSpaces drops trailing blanks but for those after a backslash.
func trimSpaces(line string) string {
	end := len(line)
	for end > 0 && line[end-1] == ' ' {
		end--
	}
	slashes := 0
	for end-slashes > 0 && line[end-slashes-1] == '\\' {
		slashes++
	}
	if slashes%2 == 1 && end < len(line) {
		end++
	}
	return line[:end]
}

// ignored says whether the rules leave path out; the folders above it are taken to be in.
func (r *rules) ignored(path string, folder bool) bool {
	for ; r != nil; r = r.parent {
		if verdict, ok := r.decide(path, folder); ok {
			return verdict
		}
	}
	return false
}

// decide asks the own rules only.
func (r *rules) decide(path string, folder bool) (ignored, ok bool) {
	if len(r.own) == 0 {
		return false, false
	}
	if r.base != "" {
		path = path[len(r.base)+1:]
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(r.own) - 1; i >= 0; i-- {
		if r.own[i].match(path, name, folder) {
			return !r.own[i].negate, true
		}
	}
	return false, false
}

func (r *rule) match(path, name string, folder bool) bool {
	if r.folder && !folder {
		return false
	}
	if !r.anchored {
		return r.segments[0].match(name)
	}
	var space [32]string
	return matchPath(r.segments, splitPath(space[:0], path), segment.match)
}

// splitPath appends the names of a slash separated path.
func splitPath(names []string, path string) []string {
	for {
		i := strings.IndexByte(path, '/')
		if i < 0 {
			return append(names, path)
		}
		names = append(names, path[:i])
		path = path[i+1:]
	}
}
