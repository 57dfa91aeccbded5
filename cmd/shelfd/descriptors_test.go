package main

import "testing"

// However few files may be open, clients leave those that the index needs.
func TestClientsLeaveTheFilesThatTheIndexNeeds(t *testing.T) {
	for _, row := range []struct {
		limit           uint64
		listeners, want int
	}{
		{1 << 20, 1, 512},
		{1 << 63, 1, 512},
		{568, 1, 512},
		{567, 1, 511},
		{256, 1, 200},
		{256, 2, 100},
		{64, 1, 8},
		{57, 1, 4},
		{10, 1, 4},
	} {
		if got := connections(row.limit, row.listeners); got != row.want {
			t.Errorf("%d files, %d listeners: %d connections, not %d", row.limit, row.listeners, got, row.want)
		}
	}
}
