package config

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// unbounded is the upper end of numbers for which no limit makes sense.
const unbounded = 1e6

// read fills c from the top of the file.
func (r *reader) read(c *Config, n ast.Node) {
	r.mapping("", n, fields{
		"shelves":       r.shelves(&c.Shelves),
		"shelf_folders": r.texts(&c.ShelfFolders),
		"departments":   r.table(&c.Departments),
		"access_admins": r.access(&c.AccessAdmins),
		"settle":        r.duration(&c.Settle, time.Millisecond, time.Minute),
		"settle_max":    r.duration(&c.SettleMax, time.Millisecond, 10*time.Minute),
		"reconcile":     r.duration(&c.Reconcile, time.Second, 7*24*time.Hour),
		"socket_mode":   r.mode(&c.SocketMode),
		"http":          r.http(&c.HTTP),
		"summaries":     r.choice(&c.Summaries, "written", "extractive"),
		"correlate":     r.correlate(&c.Correlate),
		"embedding":     r.embedding(&c.Embedding),
		"log":           r.log(&c.Log),
	})
}

func (r *reader) shelves(to *[]Shelf) field {
	return func(path string, n ast.Node) {
		r.list(path, n, func(inner string, value ast.Node) {
			s := DefaultShelf("", "")
			r.shelf(&s)(inner, value)
			s.Origin = fmt.Sprintf("%s:%d", r.file, r.at[inner].Line)
			if at := r.at[inner+".parents"]; at != nil {
				s.ParentsOrigin = fmt.Sprintf("%s:%d", r.file, at.Line)
			}
			*to = append(*to, s)
		})
	}
}

func (r *reader) shelf(s *Shelf) field {
	return func(path string, n ast.Node) {
		r.mapping(path, n, fields{
			"name":            r.text(&s.Name),
			"root":            r.text(&s.Root),
			"description":     r.text(&s.Description),
			"parents":         r.texts(&s.Parents),
			"include":         r.texts(&s.Include),
			"exclude":         r.texts(&s.Exclude),
			"gitignore":       r.boolean(&s.Gitignore),
			"watch":           r.choice(&s.Watch, "auto", "notify", "poll"),
			"poll_interval":   r.duration(&s.PollInterval, 100*time.Millisecond, 24*time.Hour),
			"max_file_size":   r.size(&s.MaxFileSize),
			"follow_symlinks": r.boolean(&s.FollowSymlinks),
			"labels":          r.table(&s.Labels),
			"contexts":        r.table(&s.Contexts),
			"access":          r.access(&s.Access),
			"scopes":          r.scopes(&s.Scopes),
		})
	}
}

func (r *reader) access(to *Access) field {
	return func(path string, n ast.Node) {
		r.mapping(path, n, fields{"users": r.texts(&to.Users), "groups": r.texts(&to.Groups)})
	}
}

func (r *reader) scopes(to *[]Scope) field {
	return func(path string, n ast.Node) {
		r.list(path, n, func(inner string, value ast.Node) {
			var s Scope
			r.mapping(inner, value, fields{
				"path": r.text(&s.Path),
				"kind": r.choice(&s.Kind, "global", "department", "personal"),
			})
			if s.Kind == "" && r.at[inner+".kind"] == nil {
				r.fault(inner+".kind", "missing; say global, department or personal")
			}
			*to = append(*to, s)
		})
	}
}

func (r *reader) http(to *HTTP) field {
	return func(path string, n ast.Node) {
		r.mapping(path, n, fields{"listen": r.text(&to.Listen), "token_file": r.text(&to.TokenFile)})
	}
}

func (r *reader) correlate(to *Correlate) field {
	return func(path string, n ast.Node) {
		r.mapping(path, n, fields{
			"auto":                   r.boolean(&to.Auto),
			"scope":                  r.choice(&to.Scope, "shelf", "shelf_with_parents", "cross_shelf"),
			"min_confidence":         r.number(&to.MinConfidence, 1),
			"min_signal_count":       r.integer(&to.MinSignalCount, 1, 6),
			"max_links_per_document": r.integer(&to.MaxLinksPerDocument, 0, 1000),
			"weights":                r.weights(&to.Weights),
		})
	}
}

func (r *reader) weights(to *Weights) field {
	return func(path string, n ast.Node) {
		r.mapping(path, n, fields{
			"title":   r.number(&to.Title, unbounded),
			"heading": r.number(&to.Heading, unbounded),
			"tag":     r.number(&to.Tag, unbounded),
			"keyword": r.number(&to.Keyword, unbounded),
			"path":    r.number(&to.Path, unbounded),
			"mention": r.number(&to.Mention, unbounded),
		})
		if *to == (Weights{}) {
			r.fault(path, "every weight is 0; at least one must count")
		}
	}
}

func (r *reader) embedding(to *Embedding) field {
	return func(path string, n ast.Node) {
		weighed := false
		r.mapping(path, n, fields{
			"provider":   r.choice(&to.Provider, "none", "openai", "ollama", "corpus"),
			"url":        r.text(&to.URL),
			"model":      r.text(&to.Model),
			"candidates": r.integer(&to.Candidates, 1, 10000),
			"rrf_k":      r.integer(&to.RRFK, 1, 10000),
			"fts_weight": r.number(&to.FTSWeight, unbounded),
			"vector_weight": func(path string, n ast.Node) {
				weighed = true
				r.number(&to.VectorWeight, unbounded)(path, n)
			},
			"floor": r.integer(&to.Floor, 0, 50),
		})
		if !weighed && to.Provider == "corpus" {
			to.VectorWeight = corpusVectorWeight
		}
	}
}

func (r *reader) log(to *Log) field {
	return func(path string, n ast.Node) {
		r.mapping(path, n, fields{
			"level":  r.choice(&to.Level, "debug", "info", "warn", "error"),
			"format": r.choice(&to.Format, "auto", "json", "console"),
		})
	}
}

// mode reads permission bits in octal, in quotes or not: YAML 1.2 would read 0660 as a decimal number.
func (r *reader) mode(to *fs.FileMode) field {
	return func(path string, n ast.Node) {
		written := n.GetToken().Value
		bits, err := strconv.ParseUint(strings.TrimPrefix(written, "0o"), 8, 32)
		if err != nil || bits > 0o777 {
			r.fault(path, `want permission bits such as "0600", got %s`, kind(n))
			return
		}
		if bits&0o600 != 0o600 {
			r.fault(path, `%q would lock the daemon's own user out; want at least "0600"`, written)
			return
		}
		*to = fs.FileMode(bits)
	}
}

// units of sizes, longest suffix first so that "MiB" is not read as "B".
var units = []struct {
	suffix string
	bytes  int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}

// size reads a number of bytes: 8MiB, 500KB, 1048576.
func (r *reader) size(to *int64) field {
	return func(path string, n ast.Node) {
		bytes, ok := parseSize(n.GetToken().Value)
		if !ok {
			r.fault(path, "want a size such as 8MiB, got %s", kind(n))
			return
		}
		// The index stores a document as one value and offsets as ints; beyond 1 GiB nothing in it is a document.
		if bytes < 1 || bytes > 1<<30 {
			r.fault(path, "want a size from 1B to 1GiB, got %s", n.GetToken().Value)
			return
		}
		*to = bytes
	}
}

func parseSize(s string) (int64, bool) {
	for _, unit := range units {
		digits, found := strings.CutSuffix(s, unit.suffix)
		if !found {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if err != nil || x < 0 || x > 1e12 {
			return 0, false
		}
		return int64(x * float64(unit.bytes)), true
	}
	return 0, false
}
