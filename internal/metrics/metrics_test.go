package metrics

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestScrapeShowsTheReadingOfThatMoment(t *testing.T) {
	r := Reading{
		Version: "1.2.3", Queue: 7, Commits: 3, LastCommit: time.Unix(1700000000, 0), Links: 5, ContentBytes: 1000, DatabaseBytes: 2000, WALBytes: 300,
		Shelves: []Shelf{{Name: `no"tes`, State: "watching", Documents: 2, Chunks: 9, Problems: 1, Watches: 4, Overflows: 1, ReconciledAt: time.Unix(1700000001, 0)}},
	}
	m := New(func(context.Context) (Reading, error) { return r, nil })
	m.Answered("search_documents", false, 2500*time.Microsecond)
	m.Answered("search_documents", true, time.Second)
	m.Committed(44 * time.Millisecond)
	text := scrape(t, m)
	for _, want := range []string{
		`shelfd_build_info{version="1.2.3"} 1`, "shelfd_queue 7", "shelfd_commits_total 3", "shelfd_links 5", "shelfd_content_bytes 1000",
		"shelfd_database_bytes 2000", "shelfd_wal_bytes 300", "shelfd_indexing 0", "shelfd_last_commit_timestamp_seconds 1.7e+09",
		`shelfd_shelf_state{shelf="no\"tes",state="watching"} 1`, `shelfd_documents{shelf="no\"tes"} 2`, `shelfd_chunks{shelf="no\"tes"} 9`,
		`shelfd_problems{shelf="no\"tes"} 1`, `shelfd_watches{shelf="no\"tes"} 4`, `shelfd_watch_overflows_total{shelf="no\"tes"} 1`,
		`shelfd_call_seconds_bucket{outcome="answered",tool="search_documents",le="0.003"} 1`,
		`shelfd_call_seconds_count{outcome="refused",tool="search_documents"} 1`,
		`shelfd_commit_lag_seconds_bucket{le="0.045"} 1`, `shelfd_commit_lag_seconds_bucket{le="0.04"} 0`, "go_goroutines ", "process_resident_memory_bytes ",
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("no %s", want)
		}
	}
	r.Embedding = &Embedding{Coverage: 0.25, Vectors: 40, Missing: 30, Paused: true, Queries: 9, Unanswered: 2}
	if strings.Contains(text, "shelfd_embedding") {
		t.Error("vectors without a provider")
	}
	text = scrape(t, m)
	for _, want := range []string{
		"shelfd_embedding_coverage 0.25", "shelfd_embedding_vectors 40", "shelfd_embedding_missing 30", "shelfd_embedding_paused 1",
		"shelfd_embedding_queries_total 9", "shelfd_embedding_queries_unanswered_total 2",
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("no %s", want)
		}
	}
	r.Shelves = nil
	if text := scrape(t, m); strings.Contains(text, "shelfd_documents{") {
		t.Error("a shelf that went is still shown")
	}
}

func TestScrapeAnswersWhileTheIndexCannotBeRead(t *testing.T) {
	m := New(func(context.Context) (Reading, error) { return Reading{}, errors.New("busy") })
	m.Committed(time.Second)
	scrape(t, m)
	text := scrape(t, m)
	if !strings.Contains(text, "shelfd_commit_lag_seconds_count 1") || !strings.Contains(text, "shelfd_reading_errors_total ") || strings.Contains(text, "shelfd_queue") {
		t.Error(text)
	}
}
