// Package mcp answers agents: the socket, one session a connection, tools, rendering.
//
// Invariant: what the client reads is one envelope within the budget, true of one picture of the store; one client's
// misbehaviour is nobody else's. It holds no SQL; the right to read a file is injected.
package mcp
