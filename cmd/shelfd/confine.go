package main

import (
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"

	"go.uber.org/zap"

	"shelfd/internal/config"
	"shelfd/internal/service"
)

// confine has the kernel keep the daemon to what it is configured for. Not being able to is told once and no reason to
// end: the daemon itself never writes to a shelf.
func (d *daemon) confine() {
	walls := wallsOf(d.config, d.paths)
	if d.activated {
		walls.Bind = walls.Bind[1:] // The first is that of the manager's socket.
	}
	missing, err := service.Confine(walls)
	switch {
	case err != nil:
		d.log.Warn("not confined", zap.Error(err))
		return
	case missing != "":
		d.log.Warn(missing)
	default:
		d.log.Debug("confined", zap.Strings("writes below", walls.Write))
	}
	for _, s := range d.config.All() {
		if config.Inside(s.Root, walls.Write[0]) {
			d.log.Warn("the database stands in a folder above this shelf, which so stays writable to the daemon; a folder of its own is safer",
				zap.String("shelf", s.Name), zap.String("database", d.paths.Database))
		}
	}
}

// wallsOf is what a configuration needs beyond reading.
func wallsOf(c config.Config, paths config.Paths) service.Walls {
	w := service.Walls{
		Write: []string{filepath.Dir(config.Resolve(paths.Database))},
		Bind:  []string{filepath.Dir(config.Resolve(paths.Socket))},
	}
	if path := webSocket(c.HTTP); path != "" {
		w.Bind = append(w.Bind, filepath.Dir(config.Resolve(path)))
	} else if _, port, err := net.SplitHostPort(c.HTTP.Listen); err == nil {
		if n, err := strconv.ParseUint(port, 10, 16); err == nil {
			w.Listen = append(w.Listen, uint16(n))
		}
	}
	if c.Embedding.Provider != "none" && c.Embedding.URL != "" {
		w.Connect = portsOf(c.Embedding.URL)
	}
	return w
}

// portsOf are the ports of a URL, and that of the domain name system, which speaks TCP when an answer is long.
func portsOf(address string) []uint16 {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	port := map[string]uint16{"http": 80, "https": 443}[u.Scheme]
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		port = uint16(n)
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return []uint16{port}
	}
	return []uint16{port, 53}
}
