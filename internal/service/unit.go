package service

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"

	"shelfd/systemd"
)

// Label names the job at launchd.
const Label = "org.shelfd.daemon"

// Manager is who starts and watches the daemon.
type Manager uint8

// The managers.
const (
	SystemdUser   Manager = iota // systemd, for the folders of one user
	SystemdSystem                // systemd, one daemon for the machine
	Launchd                      // launchd, for the folders of one user
)

func (m Manager) String() string {
	return [...]string{"systemd (user)", "systemd (system)", "launchd"}[m]
}

// Program is what the manager is told with.
func (m Manager) Program() string {
	if m == Launchd {
		return "launchctl"
	}
	return "systemctl"
}

// Places say where things stand. All but Root are absolute.
type Places struct {
	Root      string   // "" or a folder that stands for /: files go below it and nothing is started
	Home      string   // of the user
	Config    string   // $XDG_CONFIG_HOME, or what stands for it
	Socket    string   // of the daemon
	State     string   // folder of the database
	Program   string   // shelfd itself
	Arguments []string // of the program beyond serve, where they differ from what it would find by itself
	OwnSocket bool     // Socket is not where the units would have it
}

// File is a file that makes a manager start the daemon.
type File struct {
	Path    string
	Content []byte
	Kept    bool // a configuration: written where there is none, never replaced
}

// Files are what m needs, rendered for places.
func Files(m Manager, p Places) ([]File, error) {
	switch m {
	case SystemdSystem:
		units, err := units("system", filepath.Join("/etc", "systemd", "system"), p)
		return append(units,
			File{Path: "/etc/sysusers.d/shelfd.conf", Content: embedded("system/sysusers.conf")},
			File{Path: "/etc/shelfd/config.yaml", Content: embedded("system/config.yaml"), Kept: true}), err
	case Launchd:
		plist, err := plist(p)
		return []File{{Path: filepath.Join(p.Home, "Library", "LaunchAgents", Label+".plist"), Content: plist}}, err
	}
	return units("user", filepath.Join(p.Config, "systemd", "user"), p)
}

// units renders the service and the socket.
func units(kind, folder string, p Places) ([]File, error) {
	if strings.ContainsAny(p.Program, `"'\`) {
		return nil, fmt.Errorf("service: systemd takes no program whose path has quotes or backslashes: %s; put shelfd elsewhere", p.Program)
	}
	words := []string{`"` + strings.ReplaceAll(p.Program, "%", "%%") + `"`, "serve"} // $ means nothing in the first word
	if !strings.ContainsAny(p.Program, " \t;") {
		words[0] = strings.Trim(words[0], `"`)
	}
	for _, a := range p.Arguments {
		words = append(words, systemdWord(a))
	}
	var files []File
	for _, name := range []string{"shelfd.service", "shelfd.socket"} {
		content := embedded(kind + "/" + name)
		content = setLine(content, "ExecStart=", strings.Join(words, " "))
		if p.OwnSocket {
			content = setLine(content, "ListenStream=", strings.ReplaceAll(p.Socket, "%", "%%"))
		}
		files = append(files, File{Path: filepath.Join(folder, name), Content: content})
	}
	if strings.ContainsAny(strings.Join(append(p.Arguments, p.Program, p.Socket), ""), "\n\r") {
		return nil, fmt.Errorf("service: a path with a line break cannot stand in a unit")
	}
	return files, nil
}

func embedded(name string) []byte {
	content, err := systemd.Files.ReadFile(name)
	if err != nil {
		panic(err) // The name is one of ours, and the build has the file.
	}
	return content
}

// setLine gives the line that begins with key another value.
func setLine(text []byte, key, value string) []byte {
	lines := strings.SplitAfter(string(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, key) {
			lines[i] = key + value + "\n"
		}
	}
	return []byte(strings.Join(lines, ""))
}

// systemdWord quotes a word of a command line as systemd.service(5) reads it: % begins a specifier and $ a variable
// even inside quotes.
func systemdWord(word string) string {
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(word)
	if escaped != word || word == "" || strings.ContainsAny(word, " \t';") {
		return `"` + escaped + `"`
	}
	return word
}

// plist renders the job of launchd, which knows neither ~ nor variables.
func plist(p Places) ([]byte, error) {
	text := string(embedded("launchd/" + Label + ".plist"))
	var arguments strings.Builder
	for _, word := range append([]string{p.Program, "serve"}, p.Arguments...) {
		fmt.Fprintf(&arguments, "\t\t<string>%s</string>\n", escapeXML(word))
	}
	return []byte(strings.NewReplacer(
		"\t\t<string>/usr/local/bin/shelfd</string>\n\t\t<string>serve</string>\n", arguments.String(),
		"<string>/tmp/shelfd/mcp.sock</string>", "<string>"+escapeXML(p.Socket)+"</string>",
		"<string>/tmp/shelfd.log</string>", "<string>"+escapeXML(filepath.Join(p.State, "shelfd.log"))+"</string>",
	).Replace(text)), nil
}

func escapeXML(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // A buffer takes everything.
	return b.String()
}
