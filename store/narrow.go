package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"strings"

	"modernc.org/sqlite"
)

// A View with a Sight runs on connections of their own. On each of them, from its first moment, every table is hidden
// behind a temporary view of the same name, which SQLite finds first: the statements of all other files see what the
// Sight leaves, and a statement that nobody has written yet will too. A table that is not named here has no rows there.
// FTS tables can't stand behind views; what they find is narrowed where it comes in (seenChunks, seenDocuments,
// seenSummaries, seenTerms).

// seenTables say what of a table is seen, given the ids in temp.seen.
func seenTables() map[string]string {
	by := func(column string) string { return `+` + column + ` IN (SELECT id FROM temp.seen)` }
	where := func(table, condition string) string { return `SELECT * FROM main.` + table + ` WHERE ` + condition }
	tables := map[string]string{
		"documents":      where("documents", by("id")),
		"document_links": seenLinks,
		"document_names": where("document_names", by("document_id")),
		"meta":           `SELECT * FROM main.meta`,
		"shelves": `SELECT id, name, description, commonRoot, origin, state, CASE WHEN w.whole THEN reason ELSE '' END AS reason, since, device,
			reconciled_at, second_looks, options, created_at, updated_at FROM main.shelves JOIN temp.seen_shelves w USING (name)`,
		"shelf_links": where("shelf_links", `parent_shelf_id IN (SELECT id FROM temp.shelves) AND child_shelf_id IN (SELECT id FROM temp.shelves)`),
		// Who else links where is not told.
		"unresolved_links": `SELECT source, place, text, raw, fragment, kind, line, '[]' AS candidates FROM main.unresolved_links WHERE ` + by("source"),
		"inbound": where("inbound", by("document_id")+` AND document_id NOT IN (SELECT id FROM temp.seen_called)`) +
			` UNION ALL SELECT document_id, links, texts FROM temp.seen_inbound`,
		"problems": `SELECT * FROM main.problems p WHERE CASE
			WHEN EXISTS (SELECT 1 FROM main.files f WHERE f.shelf_id = p.shelf_id AND f.file = p.file)
			THEN EXISTS (SELECT 1 FROM main.files f JOIN temp.seen s ON s.id = f.document_id WHERE f.shelf_id = p.shelf_id AND f.file = p.file)
			ELSE (SELECT asks_disk FROM temp.seen_state) = 0 AND ` + inSpans("p.path") + ` END`,
	}
	for _, table := range []string{"files", "features", "nodes", "chunks", "past_chunks", "outlines", "summaries", "boxes"} {
		tables[table] = where(table, by("document_id"))
	}
	return tables
}

// inSpans says whether a path lies in a range of the Sight.
func inSpans(path string) string {
	return `coalesce((SELECT until FROM temp.seen_spans WHERE start <= ` + path + ` ORDER BY start DESC LIMIT 1) > ` + path + `, 0)`
}

// seenSchema is what a connection holds of the Sight that it is used with; empty, it shows nothing.
const seenSchema = `
CREATE TEMP TABLE seen_state (one INTEGER PRIMARY KEY CHECK (one = 1), sight TEXT, version INTEGER, stamp TEXT, asks_disk INTEGER) STRICT;
INSERT INTO temp.seen_state VALUES (1, '', 0, '', 1);
CREATE TEMP TABLE seen (id INTEGER PRIMARY KEY) STRICT;            -- documents
CREATE TEMP TABLE seen_shelves (name TEXT PRIMARY KEY, whole INTEGER) STRICT, WITHOUT ROWID;
CREATE TEMP TABLE seen_spans (start TEXT PRIMARY KEY, until TEXT) STRICT, WITHOUT ROWID;
CREATE TEMP TABLE seen_called (id INTEGER PRIMARY KEY) STRICT;     -- documents whose names differ for want of unseen ones (fillNames)
CREATE TEMP TABLE seen_inbound (document_id INTEGER PRIMARY KEY, links INTEGER, texts TEXT) STRICT;
CREATE VIRTUAL TABLE temp.seen_names USING fts5(title, alias, tag, path, link, ident, scope, content='', contentless_delete=1,
  tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_` + "`" + `{|}~'");
`

// narrowConnector opens connections that are narrow before anybody gets them.
type narrowConnector struct {
	driver *sqlite.Driver
	dsn    string
}

func (c *narrowConnector) Driver() driver.Driver { return c.driver }

func (c *narrowConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	if err := hideTables(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// hideTables puts the views before the tables.
func hideTables(ctx context.Context, conn driver.Conn) error {
	names, err := plainTables(ctx, conn)
	if err != nil {
		return err
	}
	var script strings.Builder
	script.WriteString(seenSchema + seenLinksSchema)
	seen := seenTables()
	for _, name := range names {
		selected, known := seen[name]
		if !known {
			selected = `SELECT * FROM main."` + name + `" WHERE 0`
		}
		script.WriteString(`CREATE TEMP VIEW "` + name + `" AS ` + selected + ";\n")
	}
	_, err = conn.(driver.ExecerContext).ExecContext(ctx, script.String(), nil)
	return err
}

// plainTables lists the tables but virtual ones and those behind them.
func plainTables(ctx context.Context, conn driver.Conn) ([]string, error) {
	rows, err := conn.(driver.QueryerContext).QueryContext(ctx, `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var names []string
	for row := make([]driver.Value, 1); ; {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return names, nil
		case err != nil:
			return nil, err
		}
		name, ok := row[0].(string)
		if !ok {
			return nil, fmt.Errorf("store: a table with the name %v", row[0])
		}
		names = append(names, name)
	}
}

// narrowPool opens the connections of Views with a Sight when the first one asks.
func (s *Store) narrowPool() *sql.DB {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.narrow == nil {
		// Not query_only, which would keep the temporary tables empty; mode=ro keeps the file as it is.
		s.narrow = sql.OpenDB(&narrowConnector{&sqlite.Driver{}, dsn(s.path, "mode=ro&_pragma=busy_timeout(5000)&_pragma=cache_size(-4096)&_pragma=temp_store(MEMORY)")})
		s.narrow.SetMaxOpenConns(maxViews + 2)
		s.narrow.SetMaxIdleConns(maxViews + 2) // each holds what a reader sees, which takes longer to find than most questions
		s.narrow.SetConnMaxIdleTime(idleReader)
	}
	return s.narrow
}

// ViewAs runs f on a consistent picture of what a reader may see.
func (s *Store) ViewAs(ctx context.Context, sight *Sight, f func(*View) error) error {
	if sight == nil {
		return s.View(ctx, f)
	}
	if err := sight.verdict.settled(ctx); err != nil {
		return err
	}
	return s.picture(ctx, s.narrowPool, func(v *View) error {
		v.sight = sight
		if err := v.narrow(); err != nil {
			return err
		}
		if err := f(v); err != nil {
			return err // what the connection holds of the Sight is rolled back as well
		}
		return cmpErr(ctx.Err(), v.tx.Commit())
	})
}

// narrow makes the connection hold what the Sight sees of this picture, unless it does already.
func (v *View) narrow() error {
	var had, stamp string
	var version, before int64
	err := v.queryRow(`SELECT data_version, sight, version, stamp FROM pragma_data_version, temp.seen_state`, nil, &version, &had, &before, &stamp)
	if err != nil {
		return err
	}
	if had == v.sight.key && version == before && !v.sight.verdict.stale() {
		v.seen = stamp
		return nil
	}
	for _, table := range []string{"seen", "seen_shelves", "seen_spans", "seen_called", "seen_inbound", "seen_names", "seen_text"} {
		if err := v.put(`DELETE FROM temp.` + table); err != nil {
			return err
		}
	}
	if err := v.fillSight(); err != nil {
		return err
	}
	return v.put(`UPDATE temp.seen_state SET sight = ?, version = ?, stamp = ?, asks_disk = ?`, v.sight.key, version, v.seen, v.sight.verdict != nil)
}

// put changes a temporary table.
func (v *View) put(text string, args ...any) error {
	stmt, err := v.stmt(text)
	if err == nil {
		_, err = stmt.ExecContext(v.ctx, args...)
	}
	if err != nil {
		return fmt.Errorf("store: narrow: %w", err)
	}
	return nil
}

func (v *View) fillSight() error {
	for _, s := range v.sight.shelves {
		if err := v.put(`INSERT INTO temp.seen_shelves VALUES (?, ?)`, s.name, s.whole); err != nil {
			return err
		}
	}
	if v.sight.rest {
		if err := v.put(`INSERT OR IGNORE INTO temp.seen_shelves SELECT name, ? FROM main.shelves`, v.sight.verdict == nil); err != nil {
			return err
		}
	}
	for _, x := range v.sight.spans {
		if err := v.put(`INSERT INTO temp.seen_spans VALUES (?, ?)`, x.from, x.to); err != nil {
			return err
		}
	}
	if err := v.put(`INSERT INTO temp.seen SELECT id FROM main.documents d WHERE ` + inSpans("d.file_path")); err != nil {
		return err
	}
	if err := v.askDisk(); err != nil {
		return err
	}
	if err := v.fillLinks(); err != nil {
		return err
	}
	return v.fillNames()
}

// askDisk leaves out what the reader could not read.
func (v *View) askDisk() error {
	if v.sight.verdict == nil {
		return nil
	}
	var ids []int64
	var files, paths []string
	err := v.each(`SELECT d.id, d.file_path, s.commonRoot, f.file FROM temp.seen x JOIN main.documents d ON d.id = x.id JOIN main.files f ON f.document_id = x.id
		JOIN main.shelves s ON s.id = f.shelf_id`, nil, func(rows *sql.Rows) error {
		var id int64
		var path, root string
		var file []byte
		err := rows.Scan(&id, &path, &root, &file)
		ids, paths, files = append(ids, id), append(paths, path), append(files, onDisk(root, file))
		return err
	})
	if err != nil {
		return err
	}
	readable, changes, err := v.sight.verdict.of(v.ctx, files)
	if err != nil {
		return fmt.Errorf("store: ask the disk what may be read: %w", err)
	}
	v.seen = strconv.FormatInt(changes, 10)
	var unread []int64
	shown := make(map[string]bool, len(paths))
	for i, ok := range readable {
		if ok {
			shown[paths[i]] = true
		} else {
			unread = append(unread, ids[i])
		}
	}
	v.sight.verdict.show(shown)
	return v.put(`DELETE FROM temp.seen WHERE id IN (SELECT value FROM json_each(?))`, jsonNumbers(unread))
}

// fillNames works out what documents are called by those that are seen, where unseen ones link to them too or a link is
// theirs only because another document is unseen.
func (v *View) fillNames() error {
	err := v.put(`INSERT INTO temp.seen_called SELECT target_document_id FROM main.document_links
		WHERE origin = 'text' AND +target_document_id IN (SELECT id FROM temp.seen) AND +source_document_id NOT IN (SELECT id FROM temp.seen)
		UNION SELECT target_document_id FROM temp.seen_text`)
	if err != nil {
		return err
	}
	called, err := v.ints(`SELECT id FROM temp.seen_called ORDER BY id`)
	said := fnv.New64a()
	for _, id := range called {
		if err := v.fillNamesOf(id, said); err != nil {
			return err
		}
	}
	v.seen += " " + strconv.FormatUint(said.Sum64(), 36)
	return err
}

// fillNamesOf writes to said what a document is called.
func (v *View) fillNamesOf(id int64, said io.Writer) error {
	in, err := v.countInbound(id)
	fmt.Fprintf(said, "%d %d %q ", id, in.Links, in.Texts)
	if err != nil {
		return err
	}
	if in.Links > 0 {
		if err := v.put(`INSERT INTO temp.seen_inbound VALUES (?, ?, ?)`, id, in.Links, jsonList(in.Texts)); err != nil {
			return err
		}
	}
	d, err := v.DocumentByID(id)
	if err != nil {
		return err
	}
	t := nameTerms(d.Shelf, d.Path, namesOf(d)).withLinks(in.Texts)
	return v.put(`INSERT INTO temp.seen_names (rowid, title, alias, tag, path, link, ident, scope) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		id, t.title, t.alias, t.tag, t.path, t.link, t.ident, scopeTerms(d.Shelf, d.Path, d.Language, id))
}
