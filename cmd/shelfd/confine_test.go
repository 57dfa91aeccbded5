package main

import (
	"path/filepath"
	"reflect"
	"testing"

	"shelfd/internal/config"
	"shelfd/internal/service"
)

func TestWallsFollowTheConfiguration(t *testing.T) {
	dir := config.Resolve(t.TempDir())
	paths := config.Paths{Database: filepath.Join(dir, "state", "index.db"), Socket: filepath.Join(dir, "run", "mcp.sock")}
	for _, c := range []struct {
		listen, provider, url string
		ports, connect        []uint16
	}{
		{"", "none", "", nil, nil},
		{"127.0.0.1:8080", "none", "", []uint16{8080}, nil},
		{"", "none", "http://127.0.0.1:11434", nil, nil},
		{"", "ollama", "http://127.0.0.1:11434", nil, []uint16{11434}},
		{"", "ollama", "http://[::1]:11434/api", nil, []uint16{11434}},
		{"", "openai", "https://api.example.org/v1", nil, []uint16{443, 53}},
	} {
		with := config.Default()
		with.HTTP.Listen, with.Embedding.Provider, with.Embedding.URL = c.listen, c.provider, c.url
		want := service.Walls{Write: []string{filepath.Join(dir, "state")}, Bind: []string{filepath.Join(dir, "run")}, Listen: c.ports, Connect: c.connect}
		if got := wallsOf(with, paths); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %+v, want %+v", c, got, want)
		}
	}
}
