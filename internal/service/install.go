package service

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Installer writes the files of a manager and tells the manager about them.
type Installer struct {
	Manager Manager
	Places  Places
	UID     int // of the user whose job launchd is to run
	Out     io.Writer
	DryRun  bool // say everything, do nothing
	Force   bool // replace and remove files that somebody edited, too
	Run     func(ctx context.Context, name string, arguments ...string) error
}

// Install makes the manager start the daemon now and at every login or boot. Doing it again changes nothing; files that
// are as an earlier version wrote them are brought up to date.
func (i Installer) Install(ctx context.Context) error {
	files, err := Files(i.Manager, i.Places)
	if err != nil {
		return err
	}
	var states []state
	for _, f := range files {
		s, err := i.look(f)
		if err != nil {
			return err
		}
		if s == edited && !f.Kept && !i.Force {
			return fmt.Errorf("service: install %q: somebody edited it; move it away, or replace it with --force", i.path(f))
		}
		states = append(states, s)
	}
	changed := false
	for n, f := range files {
		wrote, err := i.write(f, states[n])
		if err != nil {
			return fmt.Errorf("service: install: %w", err)
		}
		changed = changed || wrote
	}
	return i.run(ctx, i.starting(changed))
}

// Uninstall stops the daemon and removes what Install wrote. A file that somebody edited stays and is named.
func (i Installer) Uninstall(ctx context.Context) error {
	files, err := Files(i.Manager, i.Places)
	if err != nil {
		return err
	}
	there := false
	for _, f := range files {
		s, err := i.look(f)
		if err != nil {
			return err
		}
		there = there || s != absent
	}
	if !there {
		fmt.Fprintln(i.Out, "nothing is installed for", i.Manager)
		return nil
	}
	if err := i.run(ctx, i.stopping()); err != nil {
		return err
	}
	for _, f := range files {
		if err := i.remove(f); err != nil {
			return fmt.Errorf("service: uninstall: %w", err)
		}
	}
	return i.run(ctx, i.forgetting())
}

// state is how a file on disk compares with what Install would write.
type state uint8

const (
	absent state = iota
	same
	ours   // as some Install wrote it
	edited // by somebody
)

func (i Installer) path(f File) string { return filepath.Join(i.Places.Root, f.Path) }

func (i Installer) look(f File) (state, error) {
	there, err := os.ReadFile(i.path(f))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, nil
	case err != nil:
		return absent, fmt.Errorf("service: %w", err)
	case bytes.Equal(there, Signed(f)):
		return same, nil
	case signed(there):
		return ours, nil
	}
	return edited, nil
}

// write writes one file, unless it is there already. It says what it does.
func (i Installer) write(f File, s state) (bool, error) {
	path := i.path(f)
	if s == same || s != absent && f.Kept {
		fmt.Fprintln(i.Out, "unchanged", path)
		return false, nil
	}
	fmt.Fprintln(i.Out, "write    ", path)
	if i.DryRun {
		return true, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, err
	}
	return true, replace(path, Signed(f))
}

// replace writes a file whole or not at all. Managers read it as other users: it holds no secret.
func replace(path string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), ".shelfd-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // Gone by then, when all went well.
	_, err = temporary.Write(content)
	err = errors.Join(err, temporary.Chmod(0o644), temporary.Close())
	if err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

func (i Installer) remove(f File) error {
	path := i.path(f)
	switch s, err := i.look(f); {
	case err != nil || s == absent:
		return err
	case s == edited && !i.Force:
		fmt.Fprintln(i.Out, "keep     ", path, "(somebody edited it)")
		return nil
	}
	fmt.Fprintln(i.Out, "remove   ", path)
	if i.DryRun {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	if filepath.Base(filepath.Dir(path)) == "shelfd" {
		_ = os.Remove(filepath.Dir(path)) // A folder of that name is ours, and stays when it holds more.
	}
	return nil
}

// command is something to run. One that may fail undoes what may not be there.
type command struct {
	words   []string
	mayFail bool
}

func (i Installer) run(ctx context.Context, commands []command) error {
	for _, c := range commands {
		fmt.Fprintln(i.Out, "run      ", strings.Join(c.words, " "))
		if i.DryRun {
			continue
		}
		if err := i.Run(ctx, c.words[0], c.words[1:]...); err != nil && !c.mayFail {
			return fmt.Errorf("service: %s: %w; mend that and type the same again", strings.Join(c.words, " "), err)
		}
	}
	return nil
}

// systemctl begins a command of systemd.
func (i Installer) systemctl(arguments ...string) command {
	words := []string{"systemctl"}
	if i.Manager == SystemdUser {
		words = append(words, "--user")
	}
	if i.Places.Root != "" {
		words = append(words, "--root="+i.Places.Root)
	}
	return command{words: append(words, arguments...)}
}

// starting are the commands after the files are written. With a Root of its own nothing runs there that could be told.
func (i Installer) starting(changed bool) []command {
	if i.Manager == Launchd {
		return i.bootstrap(changed)
	}
	if i.Places.Root != "" {
		return []command{i.systemctl("enable", "shelfd.socket", "shelfd.service")}
	}
	var commands []command
	if changed {
		if i.Manager == SystemdSystem {
			commands = append(commands, command{words: []string{"systemd-sysusers", "/etc/sysusers.d/shelfd.conf"}})
		}
		commands = append(commands, i.systemctl("daemon-reload"))
	}
	commands = append(commands, i.systemctl("enable", "--now", "shelfd.socket", "shelfd.service"))
	if changed {
		commands = append(commands, i.systemctl("restart", "shelfd.socket", "shelfd.service"))
	}
	return commands
}

// bootstrap loads the job; one that was loaded before is unloaded first, which is how launchd learns of changes.
func (i Installer) bootstrap(changed bool) []command {
	if i.Places.Root != "" {
		return nil
	}
	domain := fmt.Sprintf("gui/%d", i.UID)
	load := command{words: []string{"launchctl", "bootstrap", domain, filepath.Join(i.Places.Home, "Library", "LaunchAgents", Label+".plist")}}
	if !changed {
		load.mayFail = true // It is loaded already.
		return []command{load}
	}
	return []command{{words: []string{"launchctl", "bootout", domain + "/" + Label}, mayFail: true}, load}
}

func (i Installer) stopping() []command {
	switch {
	case i.Manager == Launchd && i.Places.Root != "":
		return nil
	case i.Manager == Launchd:
		return []command{{words: []string{"launchctl", "bootout", fmt.Sprintf("gui/%d/%s", i.UID, Label)}, mayFail: true}}
	case i.Places.Root != "":
		return []command{i.systemctl("disable", "shelfd.socket", "shelfd.service")}
	}
	return []command{i.systemctl("disable", "--now", "shelfd.socket", "shelfd.service")}
}

func (i Installer) forgetting() []command {
	if i.Manager == Launchd || i.Places.Root != "" {
		return nil
	}
	return []command{i.systemctl("daemon-reload")}
}

// Status asks the manager.
func (i Installer) Status(ctx context.Context) error {
	if i.Manager == Launchd {
		return i.Run(ctx, "launchctl", "print", fmt.Sprintf("gui/%d/%s", i.UID, Label))
	}
	words := i.systemctl("status", "--no-pager", "--lines=5", "shelfd.socket", "shelfd.service").words
	return i.Run(ctx, words[0], words[1:]...)
}

// signature is the line by which a later install or uninstall knows that a file is as it was written.
var signature = regexp.MustCompile(`(?m)^(?:# |<!-- )written by shelfd service install, ([0-9a-f]{16})(?: -->)?\n`)

// Signed is what stands on disk: the content with the line that vouches for it. XML wants its declaration first.
func Signed(f File) []byte {
	sum := checksum(f.Content)
	if first, rest, ok := bytes.Cut(f.Content, []byte("?>\n")); ok && bytes.HasPrefix(first, []byte("<?xml")) {
		return fmt.Appendf(nil, "%s?>\n<!-- written by shelfd service install, %s -->\n%s", first, sum, rest)
	}
	return fmt.Appendf(nil, "# written by shelfd service install, %s\n%s", sum, f.Content)
}

func signed(content []byte) bool {
	at := signature.FindSubmatchIndex(content)
	if at == nil {
		return false
	}
	rest := append(bytes.Clone(content[:at[0]]), content[at[1]:]...)
	return string(content[at[2]:at[3]]) == checksum(rest)
}

func checksum(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content))[:16] }
