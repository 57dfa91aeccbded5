package watcher

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// filter holds the rules of a root that don't depend on what stands in its folders.
type filter struct {
	include []glob
	exclude *rules // of the configuration; they decide before any ignore file
	ignores bool   // honour ignore files
	follow  bool
}

// glob is an include pattern. Wildcards in it don't match hidden names: these must be spelled with their dot.
type glob struct {
	segments []segment
}

// defaultInclude is what counts as a document where the configuration says nothing.
func defaultInclude() []string { return []string{"**/*.md", "**/*.markdown", "**/*.mdx"} }

// hiddenNames are left out without being asked for, beside all names that begin with a dot.
func hidden(name string) bool {
	return name == "node_modules" || name == "__pycache__" || strings.HasPrefix(name, ".")
}

// Check says what is wrong with the patterns of r; nil when all is well.
func (r Root) Check() error {
	_, err := compile(r)
	return err
}

func compile(r Root) (*filter, error) {
	include := r.Include
	if len(include) == 0 {
		include = defaultInclude()
	}
	f := &filter{ignores: !r.NoGitignore, follow: r.FollowSymlinks, exclude: &rules{}}
	var faults []error
	for _, pattern := range include {
		globs, err := compileGlobs(pattern)
		if err != nil {
			faults = append(faults, fmt.Errorf("watcher: include of %q: %w", r.Shelf, err))
		}
		f.include = append(f.include, globs...)
	}
	f.exclude.own = parseRules([]byte(strings.Join(r.Exclude, "\n")))
	return f, errors.Join(faults...)
}

func compileGlobs(pattern string) ([]glob, error) {
	alternatives, err := expandBraces(strings.Trim(pattern, "/"))
	var out []glob
	for _, p := range alternatives {
		if p == "" {
			continue
		}
		folder, name := p[:len(p)-len(lastName(p))], lastName(p)
		out = append(out, glob{compileSegments(folder + lowerExtension(name))})
	}
	return out, err
}

// lastName is the last name of a pattern or path.
func lastName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// lowerExtension lowers ASCII letters after the last dot; it returns name itself where there are none.
func lowerExtension(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return name
	}
	for i := dot; i < len(name); i++ {
		if 'A' <= name[i] && name[i] <= 'Z' {
			return name[:dot] + strings.ToLower(name[dot:])
		}
	}
	return name
}

// includeTakes matches one name as an include pattern does: what is hidden must be spelled out.
func includeTakes(s segment, name string) bool {
	if hidden(name) && s.manner != literal && !(s.dot && name[0] == '.') {
		return false
	}
	return s.match(name)
}

// mayBeFile says by its last name only whether a path can be a document; it spares building the path.
func (f *filter) mayBeFile(name string) bool {
	name = lowerExtension(name)
	for _, g := range f.include {
		if includeTakes(g.segments[len(g.segments)-1], name) {
			return true
		}
	}
	return false
}

// file says whether the include patterns take path.
func (f *filter) file(path string) bool {
	var space [32]string
	names := splitPath(space[:0], path)
	last := len(names) - 1
	names[last] = lowerExtension(names[last])
	for _, g := range f.include {
		if matchPath(g.segments, names, includeTakes) {
			return true
		}
	}
	return false
}

// folder says whether the include patterns can take anything below path.
func (f *filter) folder(path string) bool {
	if path == "" {
		return true
	}
	var space [32]string
	names := splitPath(space[:0], path)
	return slices.ContainsFunc(f.include, func(g glob) bool { return reachesBelow(g.segments, names) })
}

// reachesBelow says whether the pattern can match a path that begins with names.
func reachesBelow(pattern []segment, names []string) bool {
	for len(names) > 0 {
		if len(pattern) < 2 {
			return false // only a last name is left: it can't be a folder's
		}
		if pattern[0].manner != deep {
			if !includeTakes(pattern[0], names[0]) {
				return false
			}
			pattern, names = pattern[1:], names[1:]
			continue
		}
		if reachesBelow(pattern[1:], names) {
			return true
		}
		if !includeTakes(pattern[0], names[0]) {
			return false
		}
		names = names[1:]
	}
	return true
}

// ignored asks the configuration, then the ignore files.
func (f *filter) ignored(r *rules, path string, folder bool) bool {
	if verdict, ok := f.exclude.decide(path, folder); ok {
		return verdict
	}
	return r.ignored(path, folder)
}

// isIgnoreFile says whether name holds rules that are honoured here.
func (f *filter) isIgnoreFile(name string) bool {
	return f.ignores && (name == gitignoreName || name == shelfignoreName)
}
