package mcp

import (
	"shelfd/store"
)

// What an answer gives to a summary and what belongs to it, in encoded units.
const (
	clipSummary  = 900 // a section's longest summary, unless its characters are rare
	clipFacts    = 1500
	clipKeys     = 600
	roomForLeads = 5000 // all related sections of an answer together
	mostLeads    = 5
)

// summaries are what is said about a document, by node id; "" is the document.
type summaries struct {
	status   store.OutlineStatus
	document string
	sections map[string]store.OutlineSection
}

func summariesOf(v *store.View, document int64) (summaries, error) {
	o, err := v.Outline(document)
	s := summaries{o.Status, o.Summary, make(map[string]store.OutlineSection, len(o.Sections))}
	for _, section := range o.Sections {
		s.sections[section.NodeID] = section
	}
	return s, err
}

// fill adds what is said about a section to its node in an outline.
func (s summaries) fill(n *outlineNode, id string) {
	section, said := s.sections[id]
	n.SummaryStatus = string(store.OutlineNone)
	if said {
		n.SummaryStatus = string(s.status)
	}
	n.Summary, n.KeyFacts, n.SourceChunkKeys = clip(section.Summary, clipSummary), some(section.KeyFacts, clipFacts), some(section.ChunkKeys, clipKeys)
}

// around is the summary of a node, or of the nearest one above it that has any.
func (s summaries) around(nodes []store.Node, ordinal int) string {
	for ; ordinal >= 0 && ordinal < len(nodes); ordinal = nodes[ordinal].Parent {
		if section, ok := s.sections[nodes[ordinal].ID]; ok {
			return section.Summary
		}
	}
	return ""
}

// summarise adds what is said about the document of a hit and the section around it.
func (l *levelsOf) summarise(out *hit, h store.Hit, nodes []store.Node) error {
	s, ok := l.said[h.Document.ID]
	if !ok {
		var err error
		if s, err = summariesOf(l.v, h.Document.ID); err != nil {
			return err
		}
		if l.said == nil {
			l.said = map[int64]summaries{}
		}
		l.said[h.Document.ID] = s
	}
	out.SummaryStatus = string(s.status)
	out.DocSummary = clip(s.document, clipProse)
	out.SectionSummary = clip(s.around(nodes, h.Chunk.Node), clipProse)
	return nil
}

// lead is a summary that answers a query. It has no citation: it leads to evidence and is none.
type lead struct {
	DocPath         string   `json:"doc_path"`
	NodeID          string   `json:"node_id,omitempty"` // none: the document as a whole
	TitlePath       []string `json:"title_path"`
	Kind            string   `json:"kind"`
	Summary         string   `json:"summary"`
	SourceChunkKeys []string `json:"source_chunk_keys"`
	Score           float64  `json:"score"`
}

// leads are the summaries that answer a query, on its first page only.
func leads(v *store.View, q store.Query) ([]lead, error) {
	list := []lead{}
	if q.Offset > 0 {
		return list, nil
	}
	sections, err := v.RelatedSections(q, mostLeads)
	room := roomForLeads
	for _, s := range sections {
		l := leadOf(s)
		if room -= units(encode(l)); room < 0 {
			break
		}
		list = append(list, l)
	}
	return list, err
}

func leadOf(s store.RelatedSection) lead {
	l := lead{
		DocPath: clip(s.Path, clipPath), TitlePath: clipTrailOf(s.TitlePath), Kind: "doc_summary",
		Summary: clip(s.Summary, clipProse), SourceChunkKeys: some(s.ChunkKeys, clipKeys), Score: significant(s.Score),
	}
	if s.NodeID != "" {
		l.Kind, l.NodeID = "section_summary", shownID(store.Node{ID: s.NodeID, Ordinal: s.Ordinal})
	}
	return l
}

// read is the call that reads what a lead leads to.
func (l lead) read() string {
	if l.NodeID == "" {
		return callText("get_document_structure", "doc_path", arg(l.DocPath))
	}
	return readCall(l.DocPath, []string{l.NodeID})
}
