package store

import (
	"database/sql"
	"encoding/json"
)

type dumpOutline struct {
	Kind        string           `json:"kind"`
	Path        string           `json:"path"`
	SummaryKind OutlineKind      `json:"summary_kind"`
	Status      OutlineStatus    `json:"status"`
	SourceHash  string           `json:"source_hash"`
	Version     string           `json:"version"`
	Summary     string           `json:"summary"`
	Sections    []OutlineSection `json:"sections"`
}

func (v *View) dumpOutlines(out *json.Encoder, partial map[string]string) error {
	type place struct {
		id   int64
		path string
	}
	var list []place
	err := v.each(`SELECT d.id, d.file_path FROM outlines o JOIN documents d ON d.id = o.document_id ORDER BY d.file_path`, nil, func(rows *sql.Rows) error {
		var p place
		err := rows.Scan(&p.id, &p.path)
		list = append(list, p)
		return err
	})
	if err != nil {
		return err
	}
	for _, p := range list {
		if partial[shelfOf(p.path)] != "" {
			continue
		}
		o, err := v.Outline(p.id)
		if err != nil {
			return err
		}
		if o.Sections == nil {
			o.Sections = []OutlineSection{}
		}
		if err := out.Encode(dumpOutline{"outline", p.path, o.Kind, o.Status, o.SourceHash, o.Version, o.Summary, o.Sections}); err != nil {
			return err
		}
	}
	return nil
}
