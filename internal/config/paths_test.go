package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFlagWinsOverEnvironmentWinsOverUsualPlace(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{"HOME": home, "XDG_RUNTIME_DIR": "/run/user/7"}
	getenv := func(name string) string { return env[name] }
	locate := func(f Flags) Paths {
		t.Helper()
		p, err := Locate(f, getenv)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := locate(Flags{})
	want := Paths{
		Database: home + "/.local/state/shelfd/index.db",
		Ledger:   home + "/.local/state/shelfd/ledger.jsonl",
		Lock:     home + "/.local/state/shelfd/index.db.lock",
		Socket:   "/run/user/7/shelfd/mcp.sock",
	}
	if p != want {
		t.Errorf("usual places\n got %+v\nwant %+v", p, want)
	}
	usual := filepath.Join(home, ".config/shelfd/config.yaml")
	if err := os.MkdirAll(filepath.Dir(usual), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(usual, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if p = locate(Flags{}); p.Config != usual {
		t.Errorf("config is %q, want %q now that it is there", p.Config, usual)
	}
	env["XDG_STATE_HOME"], env["XDG_CONFIG_HOME"] = "relative/is/ignored", "/nowhere"
	if p = locate(Flags{}); p.Database != want.Database || p.Config != "" {
		t.Errorf("relative XDG_STATE_HOME, empty XDG_CONFIG_HOME: %+v", p)
	}
	env["SHELFD_DB_PATH"], env["SHELFD_SOCKET"], env["SHELFD_CONFIG"] = "/e/x.db", "/e/s", "/e/c.yaml"
	if p = locate(Flags{}); p.Database != "/e/x.db" || p.Ledger != "/e/ledger.jsonl" || p.Socket != "/e/s" || p.Config != "/e/c.yaml" {
		t.Errorf("environment: %+v", p)
	}
	if p = locate(Flags{Database: "/f/y.db", Socket: "/f/s", Config: "/f/c"}); p.Database != "/f/y.db" || p.Socket != "/f/s" || p.Config != "/f/c" {
		t.Errorf("flags: %+v", p)
	}
}

func TestOwnFilesInsideARootAreRefused(t *testing.T) {
	dir := Resolve(t.TempDir())
	outside := Paths{Database: dir + "/state/index.db", Ledger: dir + "/state/ledger.jsonl", Socket: dir + "/run/s"}
	if err := CheckPlacement(outside, []string{dir + "/docs"}); err != nil {
		t.Error(err)
	}
	if err := CheckPlacement(outside, []string{dir + "/state"}); err == nil || !strings.Contains(err.Error(), "--db") {
		t.Errorf("database inside the root: %v", err)
	}
	if err := CheckPlacement(outside, []string{dir + "/run"}); err == nil || !strings.Contains(err.Error(), "--socket") {
		t.Errorf("socket inside the root: %v", err)
	}
	if err := os.Mkdir(dir+"/docs", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir+"/docs", dir+"/state"); err != nil {
		t.Fatal(err)
	}
	if err := CheckPlacement(outside, []string{dir + "/docs"}); err == nil {
		t.Error("a database that a symlink leads below the root was accepted")
	}
}

func TestFoldersWeMakeArePrivateAndForeignOnesRefused(t *testing.T) {
	dir := t.TempDir()
	if err := MakeFolder(dir + "/a/b"); err != nil {
		t.Fatal(err)
	}
	if got := modeOf(t, dir+"/a/b"); got != 0o700 {
		t.Errorf("made with mode %04o, want 0700", got)
	}
	for mode, fine := range map[os.FileMode]bool{0o750: true, 0o755: true, 0o770: false, 0o777: false, 0o777 | os.ModeSticky: true} {
		folder := filepath.Join(dir, mode.String())
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(folder, mode); err != nil {
			t.Fatal(err)
		}
		if err := MakeFolder(folder); (err == nil) != fine {
			t.Errorf("mode %v: %v", mode, err)
		}
		if got := modeOf(t, folder); got != mode.Perm() {
			t.Errorf("mode %v became %04o", mode, got)
		}
	}
}

func modeOf(t *testing.T, path string) os.FileMode {
	t.Helper()
	stat, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return stat.Mode().Perm()
}

func TestSocketForOthersNeedsEnterableFolders(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "run")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(folder, "s")
	if err := CheckEnterable(socket, 0o600); err != nil {
		t.Errorf("private socket: %v", err)
	}
	err := CheckEnterable(socket, 0o660)
	if err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("the folder %q bars the group, got %v", folder, err)
	}
}

func TestShelfFoldersFollowTheDisk(t *testing.T) {
	dir := Resolve(t.TempDir())
	for _, name := range []string{"one", "two", ".hidden", "three"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Parse("c.yaml", []byte("shelves: [{name: two, root: "+dir+"/one}]\nshelf_folders: ["+dir+"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	names := func() string {
		var all []string
		for _, s := range c.All() {
			all = append(all, s.Name+"="+filepath.Base(s.Root))
		}
		return strings.Join(all, " ")
	}
	if got, want := names(), "two=one three=three two-2=two"; got != want {
		t.Errorf("shelves %q, want %q", got, want)
	}
	if err := os.Rename(dir+"/three", dir+"/four"); err != nil {
		t.Fatal(err)
	}
	if got, want := names(), "two=one four=four two-2=two"; got != want {
		t.Errorf("shelves %q, want %q", got, want)
	}
}

func TestFoldersOfTheCommandLineBecomeShelves(t *testing.T) {
	dir := Resolve(t.TempDir())
	for _, name := range []string{"a/notes/deep", "b/notes", ".dotted"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	given := func(folders ...string) []Shelf {
		var shelves []Shelf
		for _, folder := range folders {
			root, name, err := Folder(folder)
			if err != nil {
				t.Fatal(err)
			}
			shelves = append(shelves, DefaultShelf(name, root))
		}
		return shelves
	}
	shelves, err := WithFolders(nil, given(dir+"/a/notes", dir+"/b/notes/", dir+"/.dotted", dir+"/a/notes"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range shelves {
		names = append(names, s.Name)
	}
	if got, want := strings.Join(names, " "), "notes notes-2 dotted"; got != want {
		t.Errorf("names %q, want %q", got, want)
	}
	if _, err := WithFolders(shelves, given(dir+"/a/notes/deep")); err == nil {
		t.Error("a folder inside another shelf was accepted")
	}
}
