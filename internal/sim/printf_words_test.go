package sim

import (
	"encoding/binary"
	"math"
	"testing"
)

// TestFormatWords checks arguments as HIP stores them, against the results that C demands.
func TestFormatWords(t *testing.T) {
	t.Parallel()
	text := func(s string) (list []uint64) {
		b := append([]byte(s), 0)
		for len(b)%8 != 0 {
			b = append(b, 0)
		}
		for ; len(b) > 0; b = b[8:] {
			list = append(list, binary.LittleEndian.Uint64(b))
		}
		return list
	}
	for _, c := range []struct {
		format, want string
		args         [][]uint64
	}{
		{"plain", "plain", nil},
		{"%d %i|%u", "-1 7|4294967295", [][]uint64{{0xffffffff}, {7}, {0xffffffffffffffff}}},
		{"%ld %lx %c%%", "-2 ff z%", [][]uint64{{0xfffffffffffffffe}, {255}, {'z'}}},
		{"%5.2f|%e|%g", " 1.50|1.000000e+03|0.25", [][]uint64{{math.Float64bits(1.5)}, {math.Float64bits(1000)}, {math.Float64bits(0.25)}}},
		{"%s|%d", "eight ch|3", [][]uint64{text("eight ch"), {3}}},
		{"%s|%s|%.2s|%d", "||ab|4", [][]uint64{text(""), {0}, text("abcdefghijk"), {4}}},
		{"%*d|%.*f", "    5|0.3", [][]uint64{{5}, {5}, {1}, {math.Float64bits(0.25 + 0.0625)}}},
		{"%p", "0x1234", [][]uint64{{0x1234}}},
		{"%d and", "6 and", [][]uint64{{6}, {9}}},
	} {
		words := text(c.format)
		for _, a := range c.args {
			words = append(words, a...)
		}
		if got := string(FormatWords(words)); got != c.want {
			t.Errorf("%q: %q, want %q", c.format, got, c.want)
		}
	}
	if got := FormatWords(nil); len(got) > 0 {
		t.Errorf("nothing: %q", got)
	}
	// A text without its zero byte, and arguments that are missing, end nothing else.
	FormatWords([]uint64{0x2525252525252525})
	FormatWords(text("%d %s %f %p %*d"))
}
