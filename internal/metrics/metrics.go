// Package metrics shows the daemon's numbers in the form that Prometheus reads.
//
// What stands in the index and in the status is read when somebody asks; only what would be over by then (how long
// calls and commits took) is counted as it happens. It refuses to name documents or words: labels are shelves and tools.
package metrics

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Reading is how things stand at one moment.
type Reading struct {
	Version       string
	Indexing      bool // the first comparison with the disk is not through
	Paused        bool // writing waits for a full disk or a database that is held
	Queue         int
	Commits       int
	LastCommit    time.Time // zero = none since the start
	Links         int
	ContentBytes  int64
	DatabaseBytes int64
	WALBytes      int64
	Shelves       []Shelf
	Embedding     *Embedding // nil without a provider
}

// Embedding is how far the vectors of chunks have come.
type Embedding struct {
	Coverage            float64 // share of the chunks that have a vector
	Vectors, Missing    int
	Paused              bool // the provider failed
	Queries, Unanswered int
}

// Shelf is how one shelf stands.
type Shelf struct {
	Name, State                 string
	Documents, Chunks, Problems int
	Watches, Overflows          int
	ReconciledAt                time.Time // zero = never
}

// readLimit is how long a reading may take: a scraper that waits longer gives up itself.
const readLimit = 5 * time.Second

// Metrics counts, and reads the rest when asked. Its methods may be called from any goroutine.
type Metrics struct {
	read     func(context.Context) (Reading, error)
	registry *prometheus.Registry
	calls    *prometheus.HistogramVec
	lag      prometheus.Histogram
	failed   prometheus.Counter
	gauges   gauges
}

// New makes Metrics that take their readings from read.
func New(read func(context.Context) (Reading, error)) *Metrics {
	m := &Metrics{
		read:     read,
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "shelfd_call_seconds", Help: "How long calls of tools took.",
			Buckets: []float64{.0005, .001, .002, .003, .005, .01, .02, .03, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"tool", "outcome"}),
		lag: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "shelfd_commit_lag_seconds", Help: "From the first event of a batch to its commit, settle time included.",
			Buckets: []float64{.02, .03, .04, .045, .05, .075, .1, .12, .25, .5, 1, 2.5, 5, 10, 60},
		}),
		failed: prometheus.NewCounter(prometheus.CounterOpts{Name: "shelfd_reading_errors_total", Help: "Readings of the index that failed."}),
		gauges: newGauges(),
	}
	m.registry.MustRegister(m, m.calls, m.lag, m.failed, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Answered counts a call of a tool.
func (m *Metrics) Answered(tool string, failed bool, took time.Duration) {
	outcome := "answered"
	if failed {
		outcome = "refused"
	}
	m.calls.WithLabelValues(tool, outcome).Observe(took.Seconds())
}

// Committed counts a commit that came lag after the event that caused it.
func (m *Metrics) Committed(lag time.Duration) { m.lag.Observe(lag.Seconds()) }

// ServeHTTP answers a scrape.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// gauges are what a reading is told with.
type gauges struct {
	build, indexing, paused, queue, commits, lastCommit, links *prometheus.Desc
	content, database, wal                                     *prometheus.Desc
	state, documents, chunks, problems, watches, overflows     *prometheus.Desc
	reconciled                                                 *prometheus.Desc
	coverage, vectors, missing, asleep, asked, unanswered      *prometheus.Desc
}

func newGauges() gauges {
	of := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("shelfd_"+name, help, labels, nil)
	}
	return gauges{
		build:      of("build_info", "The version of the program.", "version"),
		indexing:   of("indexing", "1 until the first comparison with the disk is through."),
		paused:     of("writing_paused", "1 while writing waits for a full disk or a database that is held."),
		queue:      of("queue", "Files waiting to be looked at, second looks included."),
		commits:    of("commits_total", "Transactions written."),
		lastCommit: of("last_commit_timestamp_seconds", "When the last transaction was written."),
		links:      of("links", "Links between documents."),
		content:    of("content_bytes", "Text of all documents."),
		database:   of("database_bytes", "Size of the database file."),
		wal:        of("wal_bytes", "Size of the write-ahead log."),
		state:      of("shelf_state", "1 for the state that the shelf is in.", "shelf", "state"),
		documents:  of("documents", "Documents of a shelf.", "shelf"),
		chunks:     of("chunks", "Chunks of a shelf.", "shelf"),
		problems:   of("problems", "Files of a shelf that could not be read as they should.", "shelf"),
		watches:    of("watches", "Folders of a shelf under watch.", "shelf"),
		overflows:  of("watch_overflows_total", "Times the queue of events overflowed.", "shelf"),
		coverage:   of("embedding_coverage", "Share of the chunks that have a vector."),
		vectors:    of("embedding_vectors", "Vectors, those of texts that are gone included."),
		missing:    of("embedding_missing", "Chunks without a vector."),
		asleep:     of("embedding_paused", "1 while the embedding provider is not asked because it failed."),
		asked:      of("embedding_queries_total", "Searches that asked for the vector of their words."),
		unanswered: of("embedding_queries_unanswered_total", "Of those, searches that were answered by full text alone."),
		reconciled: of("reconciled_timestamp_seconds", "When a shelf was last compared with its folder.", "shelf"),
	}
}

// Describe implements prometheus.Collector. Naming nothing leaves the shelves free to come and go.
func (m *Metrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	ctx, stop := context.WithTimeout(context.Background(), readLimit)
	defer stop()
	r, err := m.read(ctx)
	if err != nil {
		m.failed.Inc() // What was counted is shown all the same.
		return
	}
	tell := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, kind, value, labels...)
	}
	g := m.gauges
	tell(g.build, prometheus.GaugeValue, 1, r.Version)
	tell(g.indexing, prometheus.GaugeValue, truth(r.Indexing))
	tell(g.paused, prometheus.GaugeValue, truth(r.Paused))
	tell(g.queue, prometheus.GaugeValue, float64(r.Queue))
	tell(g.commits, prometheus.CounterValue, float64(r.Commits))
	tell(g.links, prometheus.GaugeValue, float64(r.Links))
	tell(g.content, prometheus.GaugeValue, float64(r.ContentBytes))
	tell(g.database, prometheus.GaugeValue, float64(r.DatabaseBytes))
	tell(g.wal, prometheus.GaugeValue, float64(r.WALBytes))
	if !r.LastCommit.IsZero() {
		tell(g.lastCommit, prometheus.GaugeValue, seconds(r.LastCommit))
	}
	if e := r.Embedding; e != nil {
		tell(g.coverage, prometheus.GaugeValue, e.Coverage)
		tell(g.vectors, prometheus.GaugeValue, float64(e.Vectors))
		tell(g.missing, prometheus.GaugeValue, float64(e.Missing))
		tell(g.asleep, prometheus.GaugeValue, truth(e.Paused))
		tell(g.asked, prometheus.CounterValue, float64(e.Queries))
		tell(g.unanswered, prometheus.CounterValue, float64(e.Unanswered))
	}
	for _, s := range r.Shelves {
		tell(g.state, prometheus.GaugeValue, 1, s.Name, s.State)
		tell(g.documents, prometheus.GaugeValue, float64(s.Documents), s.Name)
		tell(g.chunks, prometheus.GaugeValue, float64(s.Chunks), s.Name)
		tell(g.problems, prometheus.GaugeValue, float64(s.Problems), s.Name)
		tell(g.watches, prometheus.GaugeValue, float64(s.Watches), s.Name)
		tell(g.overflows, prometheus.CounterValue, float64(s.Overflows), s.Name)
		if !s.ReconciledAt.IsZero() {
			tell(g.reconciled, prometheus.GaugeValue, seconds(s.ReconciledAt), s.Name)
		}
	}
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1e3 }
