package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// mcpClient is a program that starts MCP servers, and how its configuration looks.
type mcpClient struct {
	name, place string
	snippet     func(command string, arguments []string) string
}

func mcpClients() []mcpClient {
	return []mcpClient{
		{"claude-code", "run this command, or add --scope user for all projects", claudeCode},
		{"claude-desktop", "claude_desktop_config.json (Settings, Developer, Edit Config)", servers("mcpServers", false)},
		{"cursor", "~/.cursor/mcp.json, or .cursor/mcp.json of a project", servers("mcpServers", false)},
		{"vscode", ".vscode/mcp.json, or the user's (MCP: Open User Configuration)", servers("servers", true)},
		{"zed", "settings.json (zed: open settings)", servers("context_servers", false)},
		{"codex", "~/.codex/config.toml", codex},
	}
}

func clientNames() []string {
	var names []string
	for _, c := range mcpClients() {
		names = append(names, c.name)
	}
	return names
}

// printClient prints the configuration; where it belongs goes to standard error, so that the output can be piped.
func (p *program) printClient(name string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	for _, c := range mcpClients() {
		if c.name == name {
			fmt.Fprintln(p.err, "#", c.place)
			fmt.Fprintln(p.out, c.snippet(self, append([]string{"connect"}, p.pathFlags()...)))
			return nil
		}
	}
	return usage("--print %q: want one of %s", name, strings.Join(clientNames(), ", "))
}

func claudeCode(command string, arguments []string) string {
	words := append([]string{"claude", "mcp", "add", "--transport", "stdio", "shelfd", "--", quoteShell(command)}, arguments...)
	for i := 8; i < len(words); i++ {
		words[i] = quoteShell(words[i])
	}
	return strings.Join(words, " ")
}

// quoteShell quotes a word for a POSIX shell when it needs it.
func quoteShell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// servers is the JSON that most clients read; they differ in the key above and in whether the transport is named.
func servers(key string, typed bool) func(string, []string) string {
	return func(command string, arguments []string) string {
		server := struct {
			Type    string   `json:"type,omitempty"`
			Command string   `json:"command"`
			Args    []string `json:"args"`
		}{Command: command, Args: arguments}
		if typed {
			server.Type = "stdio"
		}
		text, err := json.MarshalIndent(map[string]any{key: map[string]any{"shelfd": server}}, "", "  ")
		if err != nil {
			return err.Error() // Strings always encode.
		}
		return string(text)
	}
}

// codex writes TOML. A Go string literal is a TOML basic string for all that a path can hold but control characters.
func codex(command string, arguments []string) string {
	quoted := make([]string, len(arguments))
	for i, a := range arguments {
		quoted[i] = strconv.Quote(a)
	}
	return fmt.Sprintf("[mcp_servers.shelfd]\ncommand = %s\nargs = [%s]", strconv.Quote(command), strings.Join(quoted, ", "))
}
