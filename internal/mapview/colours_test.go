package mapview

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// linear is light by channel: red, green, blue.
type linear [3]float64

// asSeen are how the colours look to those who lack one kind of cone: the matrices of Machado, Oliveira and Fernandes
// (2009) at full severity.
var asSeen = map[string][3]linear{
	"every colour": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"no red":       {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"no green":     {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"no blue":      {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func parseColour(t *testing.T, s string) (c linear) {
	t.Helper()
	for i := range c {
		n, err := strconv.ParseUint(s[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		if v := float64(n) / 255; v <= 0.04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return c
}

func (c linear) through(m [3]linear) (out linear) {
	for i, row := range m {
		out[i] = min(1, max(0, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	return out
}

func (c linear) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// lab is CIE L*a*b* under D65.
func (c linear) lab() (out [3]float64) {
	f := func(v float64) float64 {
		if v > 216.0/24389 {
			return math.Cbrt(v)
		}
		return (24389.0/27*v + 16) / 116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
	y := f(c.luminance())
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// apart is how far two colours look: 2.3 is just to be noticed side by side.
func apart(a, b linear) float64 {
	p, q := a.lab(), b.lab()
	return math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
}

// TestRelationsLookApartToEveryEye: in both schemes the colours of the usual relations and of one's own first word
// differ by much more than can just be noticed, and stand out from the paper as WCAG asks of graphics (3 : 1).
func TestRelationsLookApartToEveryEye(t *testing.T) {
	light, dark, found := strings.Cut(pageCSS, "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("no dark scheme")
	}
	names := []string{"links_to", "extends_standard", "references_standard", "references_custom", "mentions", "related", "own"}
	for scheme, css := range map[string]string{"light": light, "dark": dark} {
		colour := map[string]linear{}
		for _, m := range regexp.MustCompile(`--([a-z_]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(css, -1) {
			if _, known := colour[m[1]]; !known {
				colour[m[1]] = parseColour(t, m[2])
			}
		}
		paper := colour["paper"].luminance()
		for i, name := range names {
			own := colour[name].luminance()
			if ratio := (max(own, paper) + 0.05) / (min(own, paper) + 0.05); ratio < 3 {
				t.Errorf("%s: %s has a contrast of %.1f to the paper", scheme, name, ratio)
			}
			for _, other := range names[:i] {
				for eye, m := range asSeen {
					if d := apart(colour[name].through(m), colour[other].through(m)); d < 15 {
						t.Errorf("%s, %s: %s and %s are %.1f apart", scheme, eye, name, other, d)
					}
				}
			}
		}
	}
}
