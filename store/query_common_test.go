package store

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPackedPostingsComeOutAsTheyWentIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reach := rapid.SampledFrom([]int64{100, 10_000, 1 << 40}).Draw(t, "reach")
		p := sorted(rapid.SliceOf(rapid.Int64Range(1, reach)).Draw(t, "ids"))
		if got := pack(p).postings(); !slices.Equal(got, p) {
			t.Fatalf("got %v, want %v", got, p)
		}
	})
}

func TestPackedPostingsAreChangedAsPlainOnesAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := func(name string) postings {
			return sorted(rapid.SliceOf(rapid.Int64Range(1, rapid.SampledFrom([]int64{100, 10_000}).Draw(t, "reach"))).Draw(t, name))
		}
		p, gone, come := ids("ids"), ids("gone"), ids("come")
		want := union(subtract(p, gone), come)
		got := pack(p)
		if concerned := got.concerned(gone, come); !concerned && !slices.Equal(p, want) {
			t.Fatalf("%v is said to stay without %v and with %v", p, gone, come)
		}
		got.change(gone, come)
		if !slices.Equal(got.postings(), want) || got.bits != nil && got.n != len(want) {
			t.Fatalf("got %v (%d), want %v", got.postings(), got.n, want)
		}
	})
}

// TestKeptPostingsFollowEveryChange changes documents between searches for words that are common enough to be kept, and
// wants the answers that a store without anything kept gives.
func TestKeptPostingsFollowEveryChange(t *testing.T) {
	l := newLibrary(t)
	var pages []page
	for i := range commonFrom + 200 {
		pages = append(pages, page{path: fmt.Sprintf("S/metal/page%d.md", i), title: "Steel", body: "# Steel pipe\nA steel pipe.\n\nAnother steel valve.\n"})
	}
	l.put(pages...)
	queries := []string{"steel", "st*", "pipe steel", "title:steel valve", "another*", "path:metal pipe"}
	answers := func() (all []string) {
		for _, q := range queries {
			a := l.search(Query{Text: q, Limit: 50})
			all = append(all, fmt.Sprint(q, a.Total, foundPaths(a)))
		}
		return all
	}
	r := rand.New(rand.NewSource(1))
	answers()
	if len(l.s.censuses.last.common.sets) < 5 {
		t.Fatalf("kept: %v", l.s.censuses.last.common.age)
	}
	for round := range 12 {
		for range 3 {
			switch i := r.Intn(len(pages)); r.Intn(4) {
			case 0:
				l.edit(pages[i].path, "# Copper\nNo longer.\n\nstone\n")
			case 3:
				l.edit(pages[i].path, "")
			case 1:
				l.remove(pages[i].path)
				pages = slices.Delete(pages, i, i+1)
			default:
				p := page{path: fmt.Sprintf("S/new/%d-%d.md", round, r.Int()), title: "Stop", body: "# Steel\nsteam and steel\n"}
				l.put(p)
				pages = append(pages, p)
			}
		}
		kept := answers()
		followed := l.s.censuses.last
		l.s.censuses.forget(l.s.commits.Load())
		fresh := answers()
		if taken := l.s.censuses.last; fmt.Sprint(followed.documents, followed.places, followed.firsts, followed.chunks, followed.languages, followed.usual) !=
			fmt.Sprint(taken.documents, taken.places, taken.firsts, taken.chunks, taken.languages, taken.usual) {
			t.Fatalf("round %d: the census that follows is another than the one that is taken", round)
		}
		if !slices.Equal(kept, fresh) {
			t.Fatalf("round %d\nkept  %q\nfresh %q", round, kept, fresh)
		}
	}
}

// A census that is taken while somebody writes is followed from there, and not taken anew by everybody who comes next.
func TestACensusOfAnOlderPictureIsFollowed(t *testing.T) {
	l := newLibrary(t)
	write := func(n int) { l.put(page{path: fmt.Sprintf("S/page%d.md", n), title: "Steel", body: "steel"}) }
	write(1)
	err := l.s.View(t.Context(), func(old *View) error {
		if _, err := old.stamp(); err != nil { // the picture is taken
			return err
		}
		write(2)
		write(3)
		c, err := old.census()
		if err == nil && len(c.documents) != 1 {
			t.Errorf("the old picture has %d documents", len(c.documents))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if k := &l.s.censuses; k.last == nil || len(k.news) != 2 {
		t.Fatalf("kept: %v with %d changes", k.last, len(k.news))
	}
	write(4)
	if a := l.search(Query{Text: "steel", Limit: 9}); a.Total != 4 || len(l.s.censuses.news) != 0 {
		t.Errorf("%d found, %d changes left", a.Total, len(l.s.censuses.news))
	}
}

// What is committed while nobody searches is kept in bounds.
func TestFewChangesAreKeptForASearchThatMayNeverCome(t *testing.T) {
	l := newLibrary(t)
	l.put(page{path: "S/a.md", title: "Steel", body: "steel"})
	l.search(Query{Text: "steel"})
	for n := range 3*changesMost + 5 {
		l.edit("S/a.md", fmt.Sprintf("steel number%d", n))
		if kept := len(l.s.censuses.news); kept > changesMost {
			t.Fatalf("%d changes are kept", kept)
		}
	}
	if a := l.search(Query{Text: fmt.Sprintf("number%d", 3*changesMost+4)}); a.Total != 1 {
		t.Errorf("%d found", a.Total)
	}
}
