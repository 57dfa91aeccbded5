// Command bench measures the daemon as a user meets it: the binary, a folder, the socket.
//
// It works on a copy of the folder, never in it, and prints everything in one run:
//
//	go run ./bench [FOLDER]
//	go run ./bench relevance [CORPUS...]
//	go run ./bench ablate [CORPUS...]
//	go run ./bench hybrid [CORPUS...]
//	go run ./bench correlate [FOLDER]
//	go run ./bench calibrate [CORPUS...]
//	go run ./bench translations
//	go run ./bench mcp [FOLDER]
//	go run ./bench scale [FOLDER]
//	go run ./bench changes [FOLDER]
//	go run ./bench idle
//
// Without a FOLDER it unpacks ../shared/corpora/work.tar.gz. relevance asks the questions of ../shared/corpora/truth, of
// which the answers are known, on copies in which no link gives them away. ablate asks them of builds that go without one
// part of the ranking each, hybrid of full text, of vectors of the corpus model and of both. correlate measures how long
// the links between documents take, of all at once and of one that changed. calibrate measures how many of them are links
// that authors wrote, on copies without these. translations measures how many pages are linked with what they translate,
// as shelf and parent. mcp measures what speaking costs: tokens of answers, the bridge, fifty clients, cancelled
// calls. scale measures 100,000 files. changes measures how long every kind of change takes to be searchable, what an
// idle daemon does, and how its log and its memory stand after many edits. idle measures what a daemon over 20,000
// folders wakes up for in a minute.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// Counts of what is measured; enough for a median and, with 300, for a p99 that is not the maximum.
const (
	edits   = 50
	queries = 300
)

func run(ctx context.Context, arguments []string) error {
	work, err := os.MkdirTemp("", "shelfd-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	measures := map[string]func(context.Context, string, []string) error{
		"relevance": relevance, "ablate": ablate, "hybrid": hybrid, "correlate": correlateSpeed, "calibrate": calibrate, "translations": translations,
		"mcp": protocol, "scale": scale, "changes": changes, "idle": idle,
	}
	if len(arguments) > 0 {
		if measure, ok := measures[arguments[0]]; ok {
			return measure(ctx, work, arguments[1:])
		}
	}
	return speed(ctx, work, arguments)
}

// speed measures how long things take.
func speed(ctx context.Context, work string, arguments []string) error {
	d, c, err := daemonOver(ctx, work, arguments)
	if err != nil {
		return err
	}
	defer d.stop()
	fmt.Printf("corpus               %d files, %.1f MB\n", len(c.files), megabytes(c.bytes))
	cold, err := baseline(ctx, work, c)
	if err != nil {
		return err
	}
	if err := coldBuild(ctx, d, c, cold); err != nil {
		return err
	}
	if err := warmStart(ctx, d); err != nil {
		return err
	}
	if err := savesToSearchable(ctx, d, c); err != nil {
		return err
	}
	return searches(ctx, d, c)
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }

// rate prints a build: seconds, MB/s and files/s.
func rate(name string, took time.Duration, c corpus, rest string) {
	s := took.Seconds()
	fmt.Printf("%-20s %.2f s, %.1f MB/s, %.0f files/s%s\n", name, s, megabytes(c.bytes)/s, float64(len(c.files))/s, rest)
}

func coldBuild(ctx context.Context, d *daemon, c corpus, cold time.Duration) error {
	took, err := d.start(ctx)
	if err != nil {
		return err
	}
	rest := ""
	if cold > 0 {
		rest = fmt.Sprintf(", %.2f of C SQLite", cold.Seconds()/took.searchable.Seconds())
	}
	rate("cold build", took.searchable, c, rest)
	rate("  with all links", took.whole, c, "")
	fmt.Printf("peak RSS             %s\n", d.peak())
	size, err := d.databaseSize(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("database             %.1f MB, %.2f of the text\n", megabytes(size), float64(size)/float64(c.bytes))
	return nil
}

func warmStart(ctx context.Context, d *daemon) error {
	d.stop()
	took, err := d.start(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("restart, unchanged   %.0f ms, peak RSS %s\n", took.whole.Seconds()*1e3, d.peak())
	return nil
}

func savesToSearchable(ctx context.Context, d *daemon, c corpus) error {
	random := rand.New(rand.NewPCG(1, 2))
	var took []time.Duration
	for i := range edits {
		file := c.files[random.IntN(len(c.files))]
		one, err := saveToSearchable(ctx, d, file, fmt.Sprintf("benchmark%dword%x", i, random.Uint32()))
		if err != nil {
			return err
		}
		took = append(took, one)
	}
	percentiles("save to searchable", took)
	return nil
}

// saveToSearchable appends a word to a file and asks for it until it is found.
func saveToSearchable(ctx context.Context, d *daemon, file, word string) (time.Duration, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return 0, err
	}
	if _, err := f.WriteString("\n" + word + "\n"); err != nil {
		return 0, err
	}
	if err := f.Close(); err != nil {
		return 0, err
	}
	saved := time.Now()
	for {
		n, err := d.search(ctx, word)
		switch {
		case err != nil:
			return 0, err
		case n > 0:
			return time.Since(saved), nil
		case time.Since(saved) > 10*time.Second:
			return 0, fmt.Errorf("%q in %s is not found after 10 s", word, file)
		}
	}
}

func searches(ctx context.Context, d *daemon, c corpus) error {
	list, err := c.queries(queries)
	if err != nil {
		return err
	}
	var took []time.Duration
	for _, query := range list {
		start := time.Now()
		if _, err := d.search(ctx, query); err != nil {
			return fmt.Errorf("%q: %w", query, err)
		}
		took = append(took, time.Since(start))
	}
	percentiles("search", took)
	return nil
}

func percentiles(name string, took []time.Duration) {
	slices.Sort(took)
	at := func(p int) float64 { return float64(took[(len(took)-1)*p/100].Microseconds()) / 1e3 }
	fmt.Printf("%-20s median %.2f ms, p99 %.1f ms, of %d\n", name, at(50), at(99), len(took))
}
