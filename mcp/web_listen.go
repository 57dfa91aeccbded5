package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strings"
)

// ListenWeb listens for HTTP: on unix:PATH, a private socket as Listen makes it, or on host:port of this machine only,
// such as 127.0.0.1:8765.
func ListenWeb(address string) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return Listen(path)
	}
	loopback, err := loopbackAddress(address)
	if err != nil {
		return nil, fmt.Errorf("mcp: listen %q: %w", address, err)
	}
	var config net.ListenConfig
	config.SetMultipathTCP(false) // Landlock does not see it
	l, err := config.Listen(context.Background(), "tcp", loopback)
	if err != nil {
		return nil, fmt.Errorf("mcp: listen %q: %w", address, err)
	}
	return l, nil
}

// NeedsToken says whether clients of that address must show a token: whoever can run a program on this machine, and
// every page in a browser, can reach a TCP port.
func NeedsToken(address string) bool { return !openPort && !strings.HasPrefix(address, "unix:") }

func loopbackAddress(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("want unix:PATH or an address such as 127.0.0.1:8765: %w", err)
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1"
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return "", fmt.Errorf("only this machine is served over TCP: use 127.0.0.1:%s, [::1]:%s or unix:PATH; for others put a proxy that asks who they are in front", port, port)
	}
	return net.JoinHostPort(host, port), nil
}

// Token reads the bearer token at path; the first time it makes one, in a file that only this user can read.
func Token(path string) (string, error) {
	token, err := readToken(path)
	if errors.Is(err, fs.ErrNotExist) {
		token, err = makeToken(path)
	}
	if err != nil {
		return "", fmt.Errorf("mcp: token file %q: %w", path, err)
	}
	return token, nil
}

func readToken(path string) (string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if st.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("others can read it (mode %04o); run: chmod 600 %q, or remove it for a new one", st.Mode().Perm(), path)
	}
	text, err := os.ReadFile(path)
	token := strings.TrimSpace(string(text))
	if err == nil && token == "" {
		err = errors.New("it is empty; remove it for a new one")
	}
	return token, err
}

func makeToken(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return readToken(path) // somebody was faster
	}
	if err != nil {
		return "", err
	}
	token := rand.Text() + rand.Text() // 256 bits
	_, err = f.WriteString(token + "\n")
	return token, errors.Join(err, f.Sync(), f.Close())
}
