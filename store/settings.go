package store

import "shelfd/correlate"

// Settings say how the links of a shelf or of one document are worked out. What is absent is as the shelf, and then
// the configuration, has it.
type Settings struct {
	Scope         string   `json:"scope,omitempty"` // as correlate.Scope is written
	MinConfidence *float64 `json:"min_confidence,omitempty"`
	MinSignals    *int     `json:"min_signal_count,omitempty"`
	MaxLinks      *int     `json:"max_links_per_document,omitempty"` // 0 = all
}

// With are the settings with what others say in place of what these say.
func (s Settings) With(others Settings) Settings {
	if others.Scope != "" {
		s.Scope = others.Scope
	}
	if others.MinConfidence != nil {
		s.MinConfidence = others.MinConfidence
	}
	if others.MinSignals != nil {
		s.MinSignals = others.MinSignals
	}
	if others.MaxLinks != nil {
		s.MaxLinks = others.MaxLinks
	}
	return s
}

// Over are the parameters p with what the settings say. A scope that is not known, of a newer program, says nothing.
func (s Settings) Over(p correlate.Params) correlate.Params {
	if scope, err := correlate.ParseScope(s.Scope); err == nil {
		p.Scope = scope
	}
	if s.MinConfidence != nil {
		p.MinConfidence = *s.MinConfidence
	}
	if s.MinSignals != nil {
		p.MinSignals = *s.MinSignals
	}
	if s.MaxLinks != nil {
		p.MaxLinks = *s.MaxLinks
	}
	return p
}
