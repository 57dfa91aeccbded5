package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// screen prints for people: with colours on a terminal, plain elsewhere.
type screen struct {
	out    io.Writer
	colour bool
}

func (p *program) screen() screen {
	return screen{p.out, p.colour || terminal(p.out) && p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb"}
}

// The colours, as SGR parameters that every terminal has.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	yellow = "33"
	cyan   = "36"
)

func (s screen) paint(sgr, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

func (s screen) line(format string, args ...any) {
	fmt.Fprintln(s.out, visible(fmt.Sprintf(format, args...)))
}

// table prints rows in columns two spaces apart.
func (s screen) table(rows [][]string) {
	t := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, visible(strings.Join(row, "\t")))
	}
	t.Flush()
}

// ago says how long ago t was, in the largest unit that fits.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return count(int(d.Minutes()), "minute") + " ago"
	case d < 48*time.Hour:
		return count(int(d.Hours()), "hour") + " ago"
	}
	return t.Format(time.DateOnly)
}

// count is n and the word, plural where it is not one.
func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// sizeOf is a size in the unit that leaves up to four digits.
func sizeOf(n int64) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d B", n)
	case n < 10<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
