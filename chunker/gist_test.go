package chunker

import (
	"strings"
	"testing"
)

func TestGistTakesTheSentencesThatHoldTheDocumentsTerms(t *testing.T) {
	d := Parse("boiler.md", []byte(`---
title: Boiler manual
---
# Boiler manual

The boiler heats water for two floors. See also the picture on the right side of this page.

## Valves

Every boiler has a **pressure valve** that opens at [three bar](valves.md).
The pressure valve of the boiler is tested once a year by a fitter.

`+"```"+`
boiler boiler boiler valve valve valve pressure.
`+"```"+`

| boiler | valve |
|---|---|
| water | pressure |

Short one.
`), Options{})
	got := Gist(d)
	if !strings.Contains(got, "Every boiler has a pressure valve that opens at three bar.") {
		t.Errorf("gist %q misses the sentence with most of the terms", got)
	}
	for _, not := range []string{"picture", "boiler boiler", "|", "**", "Short one"} {
		if strings.Contains(got, not) {
			t.Errorf("gist %q holds %q", got, not)
		}
	}
	if again := Gist(d); again != got {
		t.Errorf("twice is not the same: %q, %q", got, again)
	}
}

func TestGistOfOtherTexts(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"heading only", "# Title\n", ""},
		{"code only", "```\nThe boiler heats the water of two floors.\n```\n", ""},
		{"list only", "- The boiler heats the water of two floors.\n", "The boiler heats the water of two floors."},
		{"too short", "# A\n\nIt works.\n", ""},
		{"Chinese", "# 合同\n\n本合同自双方签字之日起生效，有效期为三年。甲方应当按照约定支付全部价款。\n", "本合同自双方签字之日起生效，有效期为三年。甲方应当按照约定支付全部价款。"},
		{"CRLF", "# A\r\n\r\nThe boiler heats\r\nthe water of two floors.\r\n", "The boiler heats the water of two floors."},
	} {
		if got := Gist(Parse("x.md", []byte(c.text), Options{})); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestGistKeepsToItsLength(t *testing.T) {
	long := strings.Repeat("The pressure valve opens when the boiler is too hot for the pipes of the house. ", 400)
	got := Gist(Parse("x.md", []byte(long), Options{}))
	if n := len([]rune(got)); n == 0 || n > gistLength {
		t.Errorf("gist has %d characters", n)
	}
	if strings.Count(got, "pressure valve") != 1 {
		t.Errorf("gist repeats itself: %q", got)
	}
}
