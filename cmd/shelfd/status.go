package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"shelfd/internal/client"
	"shelfd/internal/text"
	"shelfd/store"
)

// statusMethod is how the daemon is asked for what only it knows.
const statusMethod = "shelfd/status"

// live is what only a running daemon knows.
type live struct {
	PID       int       `json:"pid"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	Socket    string    `json:"socket"`
	Config    string    `json:"config,omitempty"`
	// ConfigError says why the configuration that stands there now was not taken.
	ConfigError string               `json:"config_error,omitempty"`
	Index       indexLine            `json:"index"`
	Queue       int                  `json:"queue"` // files waiting, second looks included
	Commits     int                  `json:"commits"`
	LastCommit  *time.Time           `json:"last_commit,omitempty"`
	LagMS       float64              `json:"lag_ms"` // from the first event of the last batch to its commit
	LastError   string               `json:"last_error,omitempty"`
	Notices     []noticeLine         `json:"notices,omitempty"` // what befell the files of the index, newest last
	Calls       callsLine            `json:"calls"`
	Watch       map[string]watchLine `json:"watch"`               // by shelf
	Embedding   *embeddingLine       `json:"embedding,omitempty"` // absent without a provider
}

// indexLine is how far the first comparison since the daemon's start has come.
type indexLine struct {
	State string `json:"state"` // indexing | ready
	Done  int    `json:"done"`
	Total int    `json:"total"`
}

// callsLine is how many calls of tools were answered since the start, and how long they took.
type callsLine struct {
	Total    int     `json:"total"`
	MedianMS float64 `json:"median_ms"`
	P99MS    float64 `json:"p99_ms"`
}

// noticeLine is something that befell the files of the index.
type noticeLine struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// watchLine is how a shelf is watched.
type watchLine struct {
	Root      string    `json:"root"`
	Mode      string    `json:"mode"` // notify | poll | degraded | missing
	Reason    string    `json:"reason,omitempty"`
	Since     time.Time `json:"since"`
	Watches   int       `json:"watches"`
	Overflows int       `json:"overflows"`
}

// statusReport is what status prints.
type statusReport struct {
	Daemon   *live         `json:"daemon"` // null when none runs
	Database string        `json:"database"`
	Shelves  []shelfLine   `json:"shelves"`
	Totals   totals        `json:"totals"`
	Problems []problemLine `json:"problems"`
	Versions versions      `json:"versions"`

	silent bool // one runs and does not answer
}

type totals struct {
	Shelves       int   `json:"shelves"`
	Documents     int   `json:"documents"`
	Chunks        int   `json:"chunks"`
	Links         int   `json:"links"`
	Problems      int   `json:"problems"`
	ContentBytes  int64 `json:"content_bytes"`
	DatabaseBytes int64 `json:"database_bytes"`
	WALBytes      int64 `json:"wal_bytes"`
}

type problemLine struct {
	Shelf  string    `json:"shelf"`
	Path   string    `json:"path"`
	Stage  string    `json:"stage"`
	Line   int       `json:"line,omitempty"`
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
}

func (p *program) statusCommand() *cobra.Command {
	var asJSON, follow bool
	var wait time.Duration
	c := &cobra.Command{
		Use:   "status",
		Short: "Show shelves, counts, problems and what the daemon is doing",
		Long: `Show shelves, counts, problems and what the daemon is doing.

--follow shows the progress of indexing. On a terminal it goes on as a live view until Ctrl-C; elsewhere it ends when
everything is indexed. --wait does the latter without a word, and also waits for a daemon that is still starting.`,
		Example: `  shelfd status
  shelfd status --follow
  shelfd serve ~/notes & shelfd status --wait 30s`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if wait > 0 {
				if err := p.waitReady(c.Context(), wait); err != nil {
					return err
				}
			}
			if follow {
				if err := p.follow(c.Context()); err != nil {
					return err
				}
				if terminal(p.out) && !asJSON {
					return p.liveView(c.Context())
				}
			}
			return p.status(c.Context(), asJSON)
		},
	}
	jsonFlag(c, &asJSON)
	c.Flags().BoolVar(&follow, "follow", false, "show the progress of indexing, then a live view on a terminal")
	c.Flags().DurationVar(&wait, "wait", 0, "wait up to `DURATION` for the daemon and its first comparison with the disk")
	return c
}

func (p *program) status(ctx context.Context, asJSON bool) error {
	report, err := p.statusReport(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return p.printJSON(report)
	}
	p.printStatus(report)
	return nil
}

func (p *program) statusReport(ctx context.Context) (statusReport, error) {
	paths, err := p.paths()
	if err != nil {
		return statusReport{}, err
	}
	report := statusReport{Database: paths.Database, Versions: theVersions(), Problems: []problemLine{}}
	report.Daemon, err = askLive(ctx, paths.Socket)
	if err != nil && !errors.Is(err, client.ErrNoDaemon) {
		report.silent = errors.Is(err, errSilent)
		fmt.Fprintln(p.err, "shelfd:", text.Plainly(err.Error()))
	}
	err = p.view(ctx, report.read)
	if report.Daemon != nil {
		for i := range report.Shelves {
			if shelf := &report.Shelves[i]; report.Daemon.LastError != "" && shelf.State != store.StateOffline {
				shelf.State, shelf.Reason = store.StateDegraded, report.Daemon.LastError
			}
			if w, known := report.Daemon.Watch[report.Shelves[i].Name]; known {
				report.Shelves[i].Watch = &w
			}
		}
	}
	return report, err
}

// read fills in what stands in the database.
func (r *statusReport) read(v *store.View) error {
	var err error
	if r.Shelves, err = shelfLines(v); err != nil {
		return err
	}
	counts, err := v.Counts()
	if err != nil {
		return err
	}
	r.Totals = totals{
		Shelves: counts.Shelves, Documents: counts.Documents, Chunks: counts.Chunks, Links: counts.Links, Problems: counts.Problems,
		ContentBytes: counts.ContentBytes, DatabaseBytes: counts.DatabaseBytes, WALBytes: counts.WALBytes,
	}
	problems, err := v.Problems("")
	for _, p := range problems {
		r.Problems = append(r.Problems, problemLine{p.Shelf, p.Path, p.Stage, p.Line, p.Reason, p.Since})
	}
	return err
}

// statusPatience is how long a daemon may take to say how it is.
const statusPatience = 5 * time.Second

// errSilent says that a daemon has the socket and gives no answer.
var errSilent = fmt.Errorf("the daemon does not answer within %s", statusPatience)

// askLive asks the daemon for what only it knows.
func askLive(ctx context.Context, socket string) (*live, error) {
	return askWithin(ctx, socket, statusPatience)
}

// askWithin is askLive with another patience.
func askWithin(ctx context.Context, socket string, wait time.Duration) (*live, error) {
	limit, stop := context.WithTimeout(ctx, wait)
	defer stop()
	var l live
	c, err := client.Dial(limit, socket)
	if err == nil {
		defer c.Close()
		err = c.Ask(limit, statusMethod, &l)
	}
	switch {
	case err == nil:
		return &l, nil
	case limit.Err() != nil && ctx.Err() == nil:
		return nil, errSilent
	}
	return nil, err
}

func (p *program) printStatus(r statusReport) {
	s := p.screen()
	switch d := r.Daemon; {
	case r.silent:
		s.line("daemon    %s", s.paint(red, "does not answer; the index as it is"))
	case d == nil:
		s.line("daemon    %s", s.paint(yellow, "not running; the index is as it was left"))
	default:
		s.line("daemon    pid %d, version %s, up since %s", d.PID, d.Version, d.StartedAt.Local().Format(time.DateTime))
		s.line("index     %s, queue %d, last write %s", d.Index, d.Queue, agoOr(d.LastCommit))
		if d.Calls.Total > 0 {
			s.line("calls     %d, median %.1f ms, p99 %.1f ms; last save searchable after %.0f ms", d.Calls.Total, d.Calls.MedianMS, d.Calls.P99MS, d.LagMS)
		}
		if d.Embedding != nil {
			s.line("vectors   %s", d.Embedding)
		}
		if d.ConfigError != "" {
			s.line("%s", s.paint(red, "configuration refused, the old one stays: "+d.ConfigError))
		}
		if d.LastError != "" {
			s.line("%s", s.paint(red, d.LastError))
		}
		for _, n := range d.Notices {
			s.line("%s", s.paint(yellow, n.At.Local().Format(time.DateTime)+" "+n.Text))
		}
	}
	t := r.Totals
	s.line("database  %s, %s for %s of text", r.Database, sizeOf(t.DatabaseBytes+t.WALBytes), sizeOf(t.ContentBytes))
	s.line("holds     %s, %s, %s, %s", count(t.Documents, "document"), count(t.Chunks, "chunk"), count(t.Links, "link"), count(t.Problems, "problem"))
	s.line("")
	p.printShelves(r.Shelves)
	for _, shelf := range r.Shelves {
		if w := shelf.Watch; w != nil {
			s.line("%s", s.paint(dim, fmt.Sprintf("%s: %s since %s, %s, last compared %s",
				shelf.Name, w.Mode, w.Since.Local().Format(time.TimeOnly), count(w.Watches, "watched folder"), agoOr(shelf.LastReconcile))))
		}
	}
	s.problems(r.Problems)
}

// shownProblems is how many problems a screen can take; --json has all.
const shownProblems = 20

func (s screen) problems(list []problemLine) {
	if len(list) == 0 {
		return
	}
	s.line("")
	for i, p := range list {
		if i == shownProblems {
			s.line("… and %d more; see: shelfd status --json", len(list)-i)
			return
		}
		place := p.Path
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d", p.Path, p.Line)
		}
		s.line("%s %s: %s", s.paint(yellow, "problem"), place, p.Reason)
	}
}

func (i indexLine) String() string {
	if i.State == "ready" {
		return "ready"
	}
	return fmt.Sprintf("%s %d of %d", i.State, i.Done, i.Total)
}

func agoOr(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return ago(*t, time.Now())
}
