package correlate_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"shelfd/correlate"
)

// synthetic makes documents of a vocabulary in which few words are common and many rare, as in prose: titles of three
// words, headings that are shared or unique, some tags, bodies of 200 words. One in ten is a variant of the one before.
func synthetic(n int) []correlate.Source {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 4, 20_000)
	word := func() string { return fmt.Sprintf("w%dx", zipf.Uint64()) }
	sources := make([]correlate.Source, n)
	for i := range sources {
		if i%10 == 9 {
			sources[i] = sources[i-1]
			sources[i].Path = fmt.Sprintf("variants/page-%d.md", i)
			continue
		}
		s := correlate.Source{
			Path:  fmt.Sprintf("area%d/topic%d/page-%d.md", i%20, i%300, i),
			Title: word() + " " + word() + " " + fmt.Sprintf("w%dy", random.IntN(n/3+1)),
		}
		for j := range 6 {
			s.Headings = append(s.Headings, []string{"usage", "examples", "see also"}[j%3]+strings.Repeat(" "+word(), j/3))
		}
		if i%3 == 0 {
			s.Tags = []string{word(), word()}
		}
		body := make([]string, 200)
		for j := range body {
			body[j] = word()
		}
		s.Body = strings.Join(body, " ")
		sources[i] = s
	}
	return sources
}

func syntheticIndex(sources []correlate.Source) *correlate.Index {
	ix := correlate.NewIndex(nil)
	for i, s := range sources {
		ix.Put(int64(i), "s", "s/"+s.Path, correlate.Extract(s))
	}
	return ix
}

func BenchmarkLinks(b *testing.B) {
	sources := synthetic(14_000)
	ix := syntheticIndex(sources)
	p := correlate.DefaultParams()
	links := 0
	for i := 0; b.Loop(); i++ {
		id := i * 7 % len(sources)
		links += len(ix.Links(int64(id), ix.Mentioned(int64(id), sources[id].Body), p))
	}
	if links == 0 {
		b.Fatal("no links in a corpus with variants")
	}
	b.ReportMetric(float64(links)/float64(b.N), "links/op")
}

func BenchmarkChangeOne(b *testing.B) {
	sources := synthetic(14_000)
	ix := syntheticIndex(sources)
	p := correlate.DefaultParams()
	for i := 0; b.Loop(); i++ {
		id := int64(i * 7 % len(sources))
		s := sources[id]
		ix.Put(id, "s", "s/"+s.Path, correlate.Extract(s))
		ix.Links(id, ix.Mentioned(id, s.Body), p)
		ix.Suitors(id, nil, p, alike(p))
	}
}

func BenchmarkExtract(b *testing.B) {
	sources := synthetic(100)
	b.SetBytes(int64(len(sources[0].Body)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		correlate.Extract(sources[i%len(sources)])
	}
}

func BenchmarkIndexMemory(b *testing.B) {
	const n = 20_000
	sources := synthetic(n)
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		ix := syntheticIndex(sources)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/document")
		runtime.KeepAlive(ix)
	}
}
