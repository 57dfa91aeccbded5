package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"shelfd/store"
)

func TestALookThroughTheTextThatTookTooLongSaysHowToAskForLess(t *testing.T) {
	late := fmt.Errorf("store: read rows: %w", context.DeadlineExceeded)
	var r *refusal
	if err := queryRefusal(store.Query{Text: `[qz]{5}`, Mode: store.ModeRegex}, late); !errors.As(err, &r) || !strings.Contains(r.steps.Options[0], "folder") {
		t.Errorf("regex: %v", err)
	}
	if err := queryRefusal(store.Query{Text: "pump", Mode: store.ModeAuto}, late); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("words: %v", err)
	}
}
