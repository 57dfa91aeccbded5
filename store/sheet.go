package store

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"shelfd/chunker"
)

// isSheet says whether a source is a spreadsheet: a section of its text is a sheet, a row of the table a row of it.
func isSheet(source string) bool {
	return slices.Contains([]string{".xlsx", ".xlsm", ".xls", ".ods"}, strings.ToLower(path.Ext(source)))
}

// cell is the cell that holds the most of the words looked for among the rows of a chunk, such as "B7"; "" where it
// cannot be told: the table does not begin the section, or none of the words stands in it. section is the text of the
// chunk's section without those below it.
func (m *marks) cell(content string, section, span chunker.Span) string {
	best, name := 0.0, ""
	row := 0
	begun := false
	for at := section.Start; at < section.End; {
		line, _, _ := strings.Cut(content[at:section.End], "\n")
		start := at
		at += len(line) + 1
		switch line = strings.TrimSpace(line); {
		case line == "" && !begun, start == section.Start && !strings.HasPrefix(line, "|"): // the heading
			continue
		case !strings.HasPrefix(line, "|"):
			if !begun {
				return "" // something stands before the table: its first row need not be the sheet's
			}
			return name
		case begun && strings.Trim(line, "|:- \t") == "":
			continue
		}
		begun = true
		row++
		if start < span.Start || start >= span.End {
			continue
		}
		if sights, column := m.bestCell(line); sights > best {
			best, name = sights, columnName(column)+strconv.Itoa(row)
		}
	}
	return name
}

// bestCell is the cell of a row with the most of the words looked for, and how much the row holds.
func (m *marks) bestCell(line string) (sights float64, column int) {
	best := 0.0
	for i, text := range cellsOf(line) {
		s := m.sights(text)
		sights += s
		if s > best {
			best, column = s, i
		}
	}
	return sights, column
}

// cellsOf cuts a row at the bars that no backslash stands before.
func cellsOf(line string) []string {
	line = strings.TrimPrefix(line, "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = line[:len(line)-1]
	}
	var cells []string
	start := 0
	for i := range len(line) {
		if line[i] == '|' && (i == 0 || line[i-1] != '\\') {
			cells = append(cells, strings.TrimSpace(line[start:i]))
			start = i + 1
		}
	}
	return append(cells, strings.TrimSpace(line[start:]))
}

// columnName is the letter of a column, from 0: A … Z, AA ….
func columnName(n int) string {
	name := ""
	for n++; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}

// sheet says where a passage of a spreadsheet stands: its section's title is the sheet.
func (r *reader) sheet(e *Evidence, h Hit, m *marks) {
	if !isSheet(h.Document.Source) {
		return
	}
	if n := len(h.TitlePath); n > 0 {
		e.Sheet = h.TitlePath[n-1]
	}
	nodes := r.nodes[h.Document.ID]
	if h.Chunk.Node >= len(nodes) {
		return
	}
	section := nodes[h.Chunk.Node].Span
	if below := h.Chunk.Node + 1; below < len(nodes) {
		section.End = min(section.End, nodes[below].Span.Start)
	}
	e.Cell = m.cell(r.documents[h.Document.ID].content, section, h.Chunk.Span)
}
