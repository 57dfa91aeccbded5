package watcher

import (
	"path"
)

// links knows the links to files in a tree. A change of the file gives no event at the link, so its folder is watched
// too, wherever it is, and the link is looked at again.
type links struct {
	tree    *tree
	targets map[string]string          // link → absolute path of the file, "" = it leads nowhere
	from    map[string]map[string]bool // absolute path of a file → links to it
	subs    map[string]int             // folders that are watched for links → number of files
	lost    int                        // links that lead nowhere: any new name may be what they wait for
}

func newLinks(t *tree) *links {
	return &links{tree: t, targets: map[string]string{}, from: map[string]map[string]bool{}, subs: map[string]int{}}
}

// note remembers the link, which stands at real, with what it leads to now.
func (l *links) note(link, real string) {
	target, err := l.tree.disk.Resolve(real)
	if err != nil {
		target = ""
	}
	old, known := l.targets[link]
	if known && old == target {
		return
	}
	l.forget(link)
	l.targets[link] = target
	if target == "" {
		l.lost++
		return
	}
	if l.from[target] == nil {
		l.from[target] = map[string]bool{}
		l.listen(path.Dir(target), 1)
	}
	l.from[target][link] = true
}

func (l *links) forget(link string) {
	target, known := l.targets[link]
	if !known {
		return
	}
	delete(l.targets, link)
	if target == "" {
		l.lost--
		return
	}
	delete(l.from[target], link)
	if len(l.from[target]) == 0 {
		delete(l.from, target)
		l.listen(path.Dir(target), -1)
	}
}

// listen counts the files for which a folder is watched.
func (l *links) listen(folder string, by int) {
	s := sub{inbox: l.tree.inbox, asked: folder, target: true}
	l.subs[folder] += by
	switch {
	case l.subs[folder] == 0:
		delete(l.subs, folder)
		l.tree.reg.unsubscribe(s)
	case by > 0:
		_, _ = l.tree.reg.subscribe(s) // in vain: the periodic reconcile sees the change
	}
}

// all returns all links.
func (l *links) all() []string {
	out := make([]string, 0, len(l.targets))
	for link := range l.targets {
		out = append(out, link)
	}
	return out
}

// renew looks where the given links lead now, and returns them.
func (l *links) renew(some []string) []string {
	for _, link := range some {
		above := l.tree.find(parent(link))
		if above == nil {
			l.forget(link)
			continue
		}
		real := join(above.real, lastName(link))
		if st, err := l.tree.disk.Lstat(real); err != nil || st.Kind != KindLink {
			l.forget(link)
			continue
		}
		l.note(link, real)
	}
	return some
}

func (l *links) close() {
	for folder := range l.subs {
		l.tree.reg.unsubscribe(sub{inbox: l.tree.inbox, asked: folder, target: true})
	}
}

// at returns the links to the file at an absolute path.
func (l *links) at(target string) []string {
	var out []string
	for link := range l.from[target] {
		out = append(out, link)
	}
	return out
}
