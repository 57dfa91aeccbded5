// Command bench measures the daemon as a user meets it: the binary, a folder, the socket.
//
// It works on a copy of the folder, never in it, and prints what it measures in one run. go run ./bench --help lists what
// there is to measure.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // the daemon must end with it
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		var usage usageError
		if errors.As(err, &usage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// usageError is a fault of the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

// verb is something to measure.
type verb struct {
	name      string
	arguments string // as the usage shows them; none when ""
	about     string
	measure   func(ctx context.Context, work string, arguments []string) error
}

func verbs() []verb {
	return []verb{
		{"", "[FOLDER]", "cold build beside the sqlite3 shell, restart, save to searchable, searches", speed},
		{"relevance", "[CORPUS...]", "how well searches find the page that an author's link text names, beside two baselines", relevance},
		{"ablate", "[CORPUS...]", "the same of builds that go without one part of the ranking each", ablate},
		{"hybrid", "[CORPUS...]", "the same of full text, of vectors of the corpus model and of both", hybrid},
		{"vectors", "[FOLDER]", "what the corpus model costs: time, memory, disk, searches", vectors},
		{"correlate", "[FOLDER]", "how long links take to be worked out, all at once and of one document that changed", correlateSpeed},
		{"calibrate", "[CORPUS...]", "how many worked-out links are links that authors wrote, on copies without these", calibrate},
		{"translations", "", "how many pages are linked with what they translate, as shelf and parent", translations},
		{"mcp", "[FOLDER]", "what speaking costs: tokens of answers, the bridge, fifty clients, cancelled calls", protocol},
		{"scale", "[-files N] [FOLDER]", "a library of 100,000 files, or of N", scale},
		{"changes", "[FOLDER]", "every kind of change until a search shows it, many edits, and the rest after them", changes},
		{"idle", "", "what a daemon over 20,000 folders wakes up for in a minute", idle},
	}
}

// printUsage lists the verbs.
func printUsage(w io.Writer) {
	fmt.Fprint(w, "usage:\n")
	for _, v := range verbs() {
		fmt.Fprintf(w, "  %-42s %s\n", strings.Join(strings.Fields("go run ./bench "+v.name+" "+v.arguments), " "), v.about)
	}
	fmt.Fprint(w, `
FOLDER is measured on a copy; without one ../shared/corpora/work.tar.gz is unpacked. CORPUS is one of those whose truth
stands in ../shared/corpora/truth; without one all of them are measured.
`)
}

// Counts of what is measured; enough for a median and, with 300, for a p99 that is not the maximum.
const (
	edits   = 50
	queries = 300
)

func run(ctx context.Context, arguments []string, out io.Writer) error {
	asks := func(a string) bool { return slices.Contains([]string{"-h", "-help", "--help"}, a) }
	if len(arguments) > 0 && (arguments[0] == "help" || slices.ContainsFunc(arguments, asks)) {
		printUsage(out)
		return nil
	}
	v, arguments, err := chosen(arguments)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "shelfd-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	return v.measure(ctx, work, arguments)
}

// chosen is what the command line wants measured, and with which arguments. A first word that is no verb is a folder,
// which must be there: a verb with a slip of the pen is none.
func chosen(arguments []string) (verb, []string, error) {
	all := verbs()
	if len(arguments) == 0 {
		return all[0], nil, nil
	}
	at := slices.IndexFunc(all, func(v verb) bool { return v.name == arguments[0] })
	if at > 0 {
		v, rest := all[at], arguments[1:]
		if v.arguments == "" && len(rest) > 0 {
			return v, nil, usageError(fmt.Sprintf("%s takes no arguments: %q", v.name, rest))
		}
		return v, rest, nil
	}
	if stat, err := os.Stat(arguments[0]); err != nil || !stat.IsDir() {
		var names []string
		for _, v := range all[1:] {
			names = append(names, v.name)
		}
		return verb{}, nil, usageError(fmt.Sprintf("no such folder or verb %q; the verbs are %s; --help explains them", arguments[0], strings.Join(names, ", ")))
	}
	return all[0], arguments, nil
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
	return d.latencies(ctx, "search", list, nil)
}

// latencies asks one query after the other and prints how long they took. folder, if any, is where the nth looks.
func (d *daemon) latencies(ctx context.Context, name string, list []string, folder func(n int) string) error {
	var took []time.Duration
	for n, query := range list {
		arguments := map[string]any{"query": query}
		if folder != nil {
			arguments["folder"] = folder(n)
		}
		one, err := d.timed(ctx, arguments)
		if err != nil {
			return fmt.Errorf("%v: %w", arguments, err)
		}
		took = append(took, one)
	}
	percentiles(name, took)
	return nil
}

// timed is how long one search takes.
func (d *daemon) timed(ctx context.Context, arguments map[string]any) (time.Duration, error) {
	start := time.Now()
	_, err := d.find(ctx, arguments)
	return time.Since(start), err
}

func percentiles(name string, took []time.Duration) {
	slices.Sort(took)
	at := func(p int) float64 { return float64(took[(len(took)-1)*p/100].Microseconds()) / 1e3 }
	fmt.Printf("%-20s median %.2f ms, p99 %.1f ms, of %d\n", name, at(50), at(99), len(took))
}
