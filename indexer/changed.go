package indexer

import "shelfd/store"

// Changed says which documents a commit changed, by doc_path. A document that moved has gone and come.
type Changed struct {
	Written []string // were there before and are read anew
	Come    []string
	Gone    []string
}

func (c *Changed) written(was before, path string) {
	switch {
	case was.known && was.path == path:
		c.Written = append(c.Written, path)
	case was.known:
		c.Gone = append(c.Gone, was.path)
		fallthrough
	default:
		c.Come = append(c.Come, path)
	}
}

// tell passes the news of a commit on.
func (r *run) tell(c Changed) {
	if r.changed != nil && len(c.Written)+len(c.Come)+len(c.Gone) > 0 {
		r.changed(c)
	}
}

// renaming are the paths that the documents of a shelf leave and take when it gets a new name. The index holds the old
// ones.
func (s *shelf) renaming(v *store.View, to string) (Changed, error) {
	files, err := v.Files(s.id, "")
	if err != nil {
		return Changed{}, err
	}
	var c Changed
	for _, f := range files {
		from := s.docPath(f.File)
		c.Gone = append(c.Gone, from)
		c.Come = append(c.Come, to+from[len(s.Name):])
	}
	return c, nil
}
