package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"sort"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"go.uber.org/zap"

	"shelfd/indexer"
	"shelfd/store"
)

// tool is one of the tools that clients are offered.
type tool struct {
	name, title, about string
	params             []param
	reads              bool // changes nothing and has a deadline
	destroys           bool
	repeatable         bool // calling twice is calling once
	judges             bool // run is called whatever the arguments are, their faults in call.faults: it has more to say
	// actions, when set, take the place of run: the argument "action" chooses. params then holds those of all actions.
	actions map[string]action
	run     func(context.Context, call) (json.RawMessage, error)
}

// action is one of the things that docs_management does.
type action struct {
	params []param // action itself included
	run    func(context.Context, call) (json.RawMessage, error)
	// managed: only for who may change what everybody sees.
	managed bool
	// operations, when set, take the place of params and run: the argument "operation" chooses.
	operations map[string]action
}

// call is one call of a tool.
type call struct {
	server *Server
	args   values
	faults []rejected      // of the arguments, for a tool that judges; those that could not be read are not in args
	meta   *mcp.Meta       // of the request, nil without
	via    *exchange       // nil for a call that came over no transport
	fresh  *map[string]any // what the answer's _meta is to say of the index; nil = nobody reads it
}

// Call runs a tool for the program itself, without a transport, and returns its envelope. failed: the envelope is a refusal.
func (s *Server) Call(ctx context.Context, name string, args map[string]any) (envelope json.RawMessage, failed bool) {
	t, ok := s.tools[name]
	if !ok {
		return invalid("tool", quoted(name)+" is not a tool", "one of "+joinNames(s.tools)).encode(), true
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return invalid("arguments", err.Error(), "values that JSON can hold").encode(), true
	}
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic in a call", zap.String("tool", name), zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			envelope, failed = refusalOf(ctx, errors.New("internal error; the log says more")).encode(), true
		}
	}()
	return s.run(context.WithValue(ctx, ownCall{}, true), t, raw, call{server: s})
}

// run answers one call within the deadline and the budget.
func (s *Server) run(ctx context.Context, t *tool, raw json.RawMessage, c call) (envelope json.RawMessage, failed bool) {
	if answered := s.options.Answered; answered != nil {
		defer func(start time.Time) { answered(t.name, failed, time.Since(start)) }(time.Now())
	}
	if t.reads {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.options.ReadDeadline)
		defer cancel()
	}
	out, err := t.perform(ctx, raw, c)
	if err == nil && units(out) > budget {
		err = errors.New("the answer is larger than an answer may be")
	}
	if err == nil {
		return out, false
	}
	r := refusalOf(ctx, err)
	if r.code == Internal {
		s.log.Error("tool failed", zap.String("tool", t.name), zap.Error(err))
	}
	return r.encode(), true
}

func (t *tool) perform(ctx context.Context, raw json.RawMessage, c call) (json.RawMessage, error) {
	fields, err := decodeArguments(raw)
	if err != nil {
		return nil, err
	}
	params, run := t.params, t.run
	if t.actions != nil {
		a, err := t.choose(fields)
		if err != nil {
			return nil, err
		}
		if a.managed {
			if err := c.server.managing(ctx); err != nil {
				return nil, err
			}
		}
		params, run = a.params, a.run
	}
	c.args, c.faults = inspect(params, fields)
	if len(c.faults) > 0 && !t.judges {
		return nil, refuseArguments(c.faults)
	}
	if !t.reads {
		defer c.noteFreshness(ctx)
		return run(ctx, c)
	}
	c.catchUp(ctx)
	c.noteFreshness(ctx) // before the store is read: what is indexed meanwhile is better called pending than missed
	return run(ctx, c)
}

// choose finds the action, and the operation where it has several, before anything else is checked: what the other
// arguments may be depends on it.
func (t *tool) choose(fields map[string]any) (action, error) {
	a, err := among("action", t.actions, fields)
	if err != nil || a.operations == nil {
		return a, err
	}
	return among("operation", a.operations, fields)
}

func among(name string, actions map[string]action, fields map[string]any) (action, error) {
	p := param{name: name, kind: aString, required: true}
	for choice := range actions {
		p.choices = append(p.choices, choice)
	}
	sort.Strings(p.choices)
	v, err := check([]param{p}, map[string]any{name: fields[name]})
	if err != nil {
		return action{}, err
	}
	return actions[v.text(name)], nil
}

// view runs f on one picture of the store.
func (c call) view(ctx context.Context, f func(*store.View) error) error {
	c.server.options.Store.Warm() // who looks around searches soon
	return c.server.view(ctx, f)
}

// indexer is the one writer, or a refusal when this server has none.
func (c call) indexer() (*indexer.Indexer, error) {
	if x := c.server.options.Indexer; x != nil {
		return x, nil
	}
	return nil, &refusal{
		code: Unavailable, text: "this program only reads; no daemon is indexing",
		steps: next("Changes need the daemon.", "Ask the user to start it: shelfd serve"),
	}
}

// definition is the tool as tools/list shows it.
func (t *tool) definition() mcp.Tool {
	return mcp.Tool{
		Name:            t.name,
		Description:     t.about,
		RawInputSchema:  inputSchema(t.params),
		RawOutputSchema: json.RawMessage(envelopeSchema),
		Annotations: mcp.ToolAnnotation{
			Title:           t.title,
			ReadOnlyHint:    mcp.ToBoolPtr(t.reads),
			DestructiveHint: mcp.ToBoolPtr(t.destroys),
			IdempotentHint:  mcp.ToBoolPtr(t.repeatable),
			OpenWorldHint:   mcp.ToBoolPtr(false),
		},
	}
}

// envelopeSchema describes what every tool answers. The root stays an object: older revisions ask for it.
const envelopeSchema = `{"type":"object","properties":{` +
	`"success":{"type":"boolean"},"data":{"type":"object"},"error":{"type":"string"},"code":{"type":"string"},"details":{"type":"object"},` +
	`"next_steps":{"type":"object","properties":{"summary":{"type":"string"},"options":{"type":"array","items":{"type":"string"}}},"required":["summary","options"]}},` +
	`"required":["success","next_steps"]}`

// property is an argument in JSON Schema; the order of the fields is that of the text.
type property struct {
	Type        kind     `json:"type"`
	Description string   `json:"description"`
	Choices     []string `json:"enum,omitempty"`
	MinLength   *int     `json:"minLength,omitempty"`
	MaxLength   int      `json:"maxLength,omitempty"`
	Minimum     *int     `json:"minimum,omitempty"`
	Maximum     int      `json:"maximum,omitempty"`
	MinItems    int      `json:"minItems,omitempty"`
	MaxItems    int      `json:"maxItems,omitempty"`
	Items       any      `json:"items,omitempty"`
	Default     any      `json:"default,omitempty"`
}

func (p param) property() property {
	out := property{Type: p.kind, Description: p.about, Default: p.absent}
	switch {
	case p.kind == anInt, p.kind == aNumber:
		out.Minimum, out.Maximum = &p.min, p.max
	case p.kind == aBool, p.kind == anObject:
	case p.kind == aList && p.entries != nil:
		out.MinItems, out.MaxItems, out.Items = p.min, p.max, inputSchema(p.entries)
	case p.kind == aList:
		out.MinItems, out.MaxItems = p.min, p.max
		entry := param{kind: aString, min: 1, max: maxArgument, choices: p.choices}.property()
		out.Items = struct {
			Type      kind     `json:"type"`
			Choices   []string `json:"enum,omitempty"`
			MinLength *int     `json:"minLength,omitempty"`
			MaxLength int      `json:"maxLength,omitempty"`
		}{entry.Type, entry.Choices, entry.MinLength, entry.MaxLength}
	case p.choices != nil:
		out.Choices = p.choices
	default:
		out.MinLength, out.MaxLength = &p.min, p.max
	}
	return out
}

// inputSchema writes the properties in the order of params: a model reads them in it.
func inputSchema(params []param) json.RawMessage {
	var b bytes.Buffer
	required := []string{}
	b.WriteString(`{"type":"object","properties":{`)
	for i, p := range params {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(p.name))
		b.WriteByte(':')
		b.Write(encode(p.property()))
		if p.required {
			required = append(required, p.name)
		}
	}
	b.WriteString(`},`)
	if len(required) > 0 {
		b.WriteString(`"required":`)
		b.Write(encode(required))
		b.WriteByte(',')
	}
	b.WriteString(`"additionalProperties":false}`)
	return b.Bytes()
}

func joinNames(tools map[string]*tool) string {
	names := make([]string, 0, len(tools))
	for name := range tools {
		names = append(names, name)
	}
	sort.Strings(names)
	return string(encode(names))
}
