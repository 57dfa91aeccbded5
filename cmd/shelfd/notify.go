package main

import (
	"net"
	"strings"
)

// notify tells the service manager how things stand, as sd_notify(3) does: one datagram to $NOTIFY_SOCKET. Without one,
// or when it cannot be reached, nothing happens: the manager will judge by itself.
func notify(getenv func(string) string, state string) {
	address := getenv("NOTIFY_SOCKET")
	if address == "" {
		return
	}
	if strings.HasPrefix(address, "@") {
		address = "\x00" + address[1:]
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = conn.Write([]byte(state))
}
