package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"shelfd/internal/text"
)

// protocol measures what speaking costs: the tokens of answers, what shelfd connect adds to a call, how many calls many
// clients get answered, and how long a call that was cancelled goes on.
func protocol(ctx context.Context, work string, arguments []string) error {
	d, c, err := daemonOver(ctx, work, arguments)
	if err != nil {
		return err
	}
	defer d.stop()
	if _, err := d.start(ctx); err != nil {
		return err
	}
	direct, err := dialPeer(d.socket)
	if err != nil {
		return err
	}
	defer direct.end()
	calls, err := samples(direct, c)
	if err != nil {
		return err
	}
	if err := answerSizes(direct, calls); err != nil {
		return err
	}
	cheap := calls[slices.IndexFunc(calls, func(s sample) bool { return s.name == "get_document_structure" })]
	if err := bridgeCost(ctx, d, direct, c, cheap); err != nil {
		return err
	}
	if err := crowdRates(d.socket, calls); err != nil {
		return err
	}
	return cancelTimes(ctx, d, direct)
}

// sample is a call as a model makes it.
type sample struct {
	name      string
	arguments map[string]any
}

// samples follow one question: browse, search, look at the document found, read the section.
func samples(p *peer, c corpus) ([]sample, error) {
	queries, err := c.queries(1)
	if err != nil {
		return nil, err
	}
	found, err := p.tool("search_documents", map[string]any{"query": queries[0], "limit": 1})
	if err != nil {
		return nil, err
	}
	var first struct {
		Data struct {
			Hits []struct {
				DocPath  string `json:"doc_path"`
				NodeID   string `json:"node_id"`
				Citation string `json:"citation"`
			}
		}
	}
	if err := json.Unmarshal([]byte(found), &first); err != nil {
		return nil, err
	}
	if len(first.Data.Hits) == 0 {
		return nil, fmt.Errorf("no hit for %q", queries[0])
	}
	hit := first.Data.Hits[0]
	return []sample{
		{"browse_documents", nil},
		{"browse_documents", map[string]any{"folder": hit.DocPath[:strings.LastIndexByte(hit.DocPath, '/')]}},
		{"search_documents", map[string]any{"query": queries[0]}},
		{"search_documents", map[string]any{"query": queries[0], "detail": "evidence"}},
		{"get_document", map[string]any{"doc_path": hit.DocPath}},
		{"get_document_structure", map[string]any{"doc_path": hit.DocPath}},
		{"get_node_content", map[string]any{"doc_path": hit.DocPath, "node_ids": []string{hit.NodeID}}},
		{"get_chunk", map[string]any{"citation": hit.Citation}},
		{"related_documents", map[string]any{"doc_path": hit.DocPath}},
		{"docs_management", map[string]any{"action": "manage_shelves", "operation": "list"}},
		{"sync", nil},
	}, nil
}

// answerSizes prints the tokens of a typical answer of each tool, as shelfd itself counts tokens, and of the list of tools.
func answerSizes(p *peer, calls []sample) error {
	list, err := p.call("tools/list", struct{}{})
	if err != nil {
		return err
	}
	fmt.Printf("%-24s %6d tokens\n", "tools/list", text.Tokens(string(list)))
	for _, s := range calls {
		answer, err := p.tool(s.name, s.arguments)
		if err != nil {
			return err
		}
		written, err := json.Marshal(s.arguments)
		if err != nil {
			return err
		}
		fmt.Printf("%-24s %6d tokens  %s\n", s.name, text.Tokens(answer), written)
	}
	return nil
}

// bridgeCost alternates between the socket and the bridge, so that what else the machine does falls on both.
func bridgeCost(ctx context.Context, d *daemon, direct *peer, c corpus, cheap sample) error {
	bridged, command, err := bridgePeer(ctx, d.binary, d.socket)
	if err != nil {
		return err
	}
	defer bridged.end()
	list, err := c.queries(queries)
	if err != nil {
		return err
	}
	pings := make([]sample, 2000)
	searches := make([]sample, len(list))
	for i, query := range list {
		searches[i] = sample{"search_documents", map[string]any{"query": query}}
	}
	for _, set := range []struct {
		name  string
		calls []sample
	}{{"ping", pings}, {"structure", slices.Repeat([]sample{cheap}, len(pings))}, {"search", searches}} {
		var near, far []time.Duration
		for i, s := range set.calls {
			for turn := range 2 {
				p, took := direct, &near
				if (i+turn)%2 == 1 { // each is first as often as the other
					p, took = bridged, &far
				}
				one, err := timed(p, s)
				if err != nil {
					return err
				}
				*took = append(*took, one)
			}
		}
		percentiles(set.name+", socket", near)
		percentiles(set.name+", connect", far)
		added := far[len(far)/2] - near[len(near)/2]
		fmt.Printf("%-20s %.3f ms at the median\n", "  added", added.Seconds()*1e3)
	}
	fmt.Printf("%-20s %s\n", "connect, resident", memory(command.Process.Pid, "VmRSS"))
	return nil
}

// timed makes a call; a sample without a name is a ping.
func timed(p *peer, s sample) (time.Duration, error) {
	start := time.Now()
	var err error
	if s.name == "" {
		_, err = p.call("ping", struct{}{})
	} else {
		_, err = p.tool(s.name, s.arguments)
	}
	return time.Since(start), err
}

// cancelTimes cancels searches that read everything and watches for how long the daemon goes on working.
func cancelTimes(ctx context.Context, d *daemon, p *peer) error {
	const tries = 20
	var took []time.Duration
	for range tries {
		slow := map[string]any{"name": "search_documents", "arguments": map[string]any{"query": `(\w+\s+){6}\d{12}z`, "mode": "regex"}}
		id, err := p.request("tools/call", slow)
		if err != nil {
			return err
		}
		if !pauseFor(ctx, 100*time.Millisecond) { // it is at work
			return ctx.Err()
		}
		if err := p.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}}); err != nil {
			return err
		}
		one, err := untilIdle(d.command.Process.Pid)
		if err != nil {
			fmt.Println("cancel to idle       unknown on this system")
			return nil
		}
		took = append(took, one)
	}
	percentiles("cancel to idle", took)
	return nil
}

// untilIdle is how long the process goes on taking processor time, to 10 ms, the clock tick of Linux.
func untilIdle(pid int) (time.Duration, error) {
	begun := time.Now()
	last, lastAt := int64(-1), begun
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ; time.Since(lastAt) < 60*time.Millisecond; <-tick.C {
		ticks, err := ticksOf(pid)
		if err != nil {
			return 0, err
		}
		if ticks != last {
			last, lastAt = ticks, time.Now()
		}
	}
	return lastAt.Sub(begun), nil
}

// ticksOf is the processor time a process has taken, as proc_pid_stat(5) has it: fields 14 and 15.
func ticksOf(pid int) (int64, error) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(line[slices.Index(line, ')')+1:]))
	var user, system int64
	_, err = fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	return user + system, err
}
