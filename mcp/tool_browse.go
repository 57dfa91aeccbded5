package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"shelfd/store"
)

// folderPage is where offsets that page folders begin: offset folderPage+k lists folders from number k on. Documents
// are paged by plain offsets; folders only when they alone are too many for an answer.
const folderPage = 1_000_000_000

type folderEntry struct {
	Name        string           `json:"name"`
	Path        string           `json:"path"`
	Description string           `json:"description,omitempty"`
	Documents   int              `json:"documents"`
	State       store.ShelfState `json:"state,omitempty"`
	Reason      string           `json:"reason,omitempty"`
}

type documentEntry struct {
	DocPath     string `json:"doc_path"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Tokens      int    `json:"tokens"`
	UpdatedAt   string `json:"updated_at"`
}

type listing struct {
	Folder     string           `json:"folder,omitempty"`
	State      store.ShelfState `json:"state,omitempty"` // of the shelf, when it is not up to date
	Reason     string           `json:"reason,omitempty"`
	Folders    []folderEntry    `json:"folders"`
	Documents  []documentEntry  `json:"documents"`
	Total      int              `json:"total"`
	HasMore    bool             `json:"has_more"`
	NextOffset int              `json:"next_offset,omitempty"`
}

// shelved is one folder as the store has it: its folders from the page's first on, and one page of documents.
type shelved struct {
	folder      string
	shelf       store.Shelf // of the folder; zero at the top
	folders     []folderEntry
	skipped     int // folders shown on earlier pages
	documents   []documentEntry
	from, total int // documents before the page, and in all
}

func browse(ctx context.Context, c call) (json.RawMessage, error) {
	folder := strings.Trim(c.args.text("folder"), "/")
	var s shelved
	err := c.view(ctx, func(v *store.View) (err error) {
		s, err = look(v, folder, c.args)
		return err
	})
	if err != nil {
		return nil, err
	}
	return longest(len(s.folders)+len(s.documents), func(n int) answer { return s.page(n) }), nil
}

func look(v *store.View, folder string, args values) (shelved, error) {
	s := shelved{folder: folder, from: args.number("offset")}
	folders, err := v.Folders(folder)
	if errors.Is(err, store.ErrNotFound) {
		return s, noFolder(v, folder)
	}
	if err != nil {
		return s, err
	}
	withFolders := s.from == 0
	if s.from >= folderPage {
		withFolders, s.skipped, s.from = true, min(s.from-folderPage, len(folders)), 0
	}
	s.total = len(folders)
	if folder != "" {
		if s.shelf, err = v.Shelf(shelfOf(folder)); err != nil {
			return s, err
		}
		list, n, err := v.Browse(folder, store.BrowseOrder(args.text("sort")), s.from, args.number("limit"))
		if err != nil {
			return s, err
		}
		s.documents = documentEntries(list)
		s.total += n
	}
	if !withFolders {
		s.skipped = len(folders)
	}
	s.folders, err = folderEntries(v, folder, folders[s.skipped:])
	return s, err
}

func documentEntries(list []store.Document) []documentEntry {
	entries := make([]documentEntry, len(list))
	for i, d := range list {
		entries[i] = documentEntry{
			DocPath:     clip(d.Path, clipPath),
			Title:       clip(d.Title, clipTitle),
			Description: clip(d.Description, clipProse),
			Tokens:      d.Tokens,
			UpdatedAt:   stamp(d.Updated),
		}
	}
	return entries
}

// folderEntries describes folders; those at the top are shelves and tell their state.
func folderEntries(v *store.View, folder string, folders []store.Folder) ([]folderEntry, error) {
	entries := make([]folderEntry, len(folders))
	for i, f := range folders {
		entries[i] = folderEntry{Name: clip(f.Name, clipTitle), Path: clip(f.Path, clipPath), Documents: f.Documents}
	}
	if folder != "" {
		return entries, nil
	}
	shelves, err := v.Shelves()
	if err != nil {
		return nil, err
	}
	known := map[string]store.Shelf{}
	for _, s := range shelves {
		known[s.Name] = s
	}
	for i, f := range folders {
		s := known[f.Path]
		entries[i].Description, entries[i].State, entries[i].Reason = clip(s.Description, clipProse), s.State, clip(s.Reason, clipTitle)
	}
	return entries, nil
}

// page shows the first n of what was found, folders before documents.
func (s shelved) page(n int) answer {
	f := min(n, len(s.folders))
	d := n - f
	l := listing{Folder: clip(s.folder, clipPath), Folders: s.folders[:f], Documents: s.documents[:d], Total: s.total}
	if l.Documents == nil {
		l.Documents = []documentEntry{}
	}
	if s.shelf.State.Stale() {
		l.State, l.Reason = s.shelf.State, clip(s.shelf.Reason, clipTitle)
	}
	foldersShown := s.skipped + f
	documentsAfter := s.total - s.foldersInAll() - s.from - d
	switch {
	case f < len(s.folders) || (d == 0 && documentsAfter > 0 && len(s.documents) > 0 && f > 0):
		l.HasMore, l.NextOffset = true, folderPage+foldersShown
	case documentsAfter > 0 && len(s.documents) > 0:
		l.HasMore, l.NextOffset = true, s.from+d
	}
	return answer{l, s.advice(l)}
}

func (s shelved) foldersInAll() int { return s.skipped + len(s.folders) }

func (s shelved) advice(l listing) steps {
	var more, deeper, open string
	if l.HasMore {
		more = callText("browse_documents", "folder", arg(s.folder), "offset", fmt.Sprint(l.NextOffset)) + " for the rest."
	}
	if len(l.Folders) > 0 {
		deeper = callText("browse_documents", "folder", arg(l.Folders[0].Path)) + " opens a folder; choose the one that fits."
	}
	if len(l.Documents) > 0 {
		open = callText("get_document", "doc_path", arg(l.Documents[0].DocPath)) + " describes a document; choose the one that fits."
	}
	switch {
	case s.folder == "" && s.total == 0:
		return next("There are no shelves yet.", `docs_management(action="manage_shelves", operation="add", root="/absolute/folder") adds one, if the user wishes.`)
	case s.total == 0:
		return next("The folder is empty.", "browse_documents() lists the shelves.")
	case l.State != "":
		return next(fmt.Sprintf("The shelf is %s (%s): what is listed may be old or incomplete. Tell the user.", l.State, l.Reason), deeper, open, more)
	}
	return next(fmt.Sprintf("%s and %s here.", count(s.foldersInAll(), "folder", "folders"), count(s.total-s.foldersInAll(), "document", "documents")), deeper, open, more)
}

// noFolder refuses a folder that is not there, naming those that are close.
func noFolder(v *store.View, folder string) error {
	if d, err := v.Document(folder); err == nil {
		return &refusal{
			code: NotFound, text: quoted(folder) + " is a document, not a folder",
			steps: next("Describe the document instead.", callText("get_document", "doc_path", arg(d.Path))),
		}
	}
	near, err := v.NearFolders(folder, 5)
	if err != nil {
		return err
	}
	return missing("folder", folder, near, "browse_documents", "folder")
}

// missing refuses a name that is not there. resembling are the nearest that are; tool is to be called with one of them, ""
// being the same again.
func missing(noun, name string, resembling []string, tool, argument string) *refusal {
	r := &refusal{code: NotFound, text: fmt.Sprintf("no %s %s", noun, quoted(name))}
	options := []string{}
	near := []string{}
	for _, c := range resembling {
		if clip(c, 400) == c {
			near = append(near, c)
			option := fmt.Sprintf("The same call with %s=%s", argument, arg(c))
			if tool != "" {
				option = callText(tool, argument, arg(c))
			}
			options = append(options, option)
		}
	}
	if len(near) > 0 {
		r.text += "; close: " + strings.Join(near, ", ")
		r.details = map[string]any{"nearest": near}
		r.steps = next("Copy names exactly from an answer. If one of these was meant, use it.", append(options, "browse_documents() lists the shelves.")...)
		return r
	}
	r.steps = next("Copy names exactly from an answer; nothing here resembles this one.", "browse_documents() lists the shelves.", "search_documents(query=…) finds documents by their words and titles.")
	return r
}

// outOfDate is the state of a shelf that is not up to date, "" of any other.
func outOfDate(v *store.View, shelf string) (store.ShelfState, error) {
	s, err := v.Shelf(shelf)
	if err != nil || !s.State.Stale() {
		return "", err
	}
	return s.State, nil
}

func shelfOf(path string) string {
	shelf, _, _ := strings.Cut(path, "/")
	return shelf
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
