package diag

import (
	"fmt"
	"strconv"
	"strings"
)

// LaneSet reads lanes as Diagnostic.Lanes writes them ("4-19, 24") into a mask of at most 64 lanes.
// ok is false for a text that is no list of lanes.
func LaneSet(s string) (mask uint64, ok bool) {
	for _, part := range strings.Split(s, ",") {
		lo, hi, ranged := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.ParseUint(lo, 10, 8)
		if err != nil || a > 63 {
			return 0, false
		}
		b := a
		if ranged {
			if b, err = strconv.ParseUint(hi, 10, 8); err != nil || b > 63 || b < a {
				return 0, false
			}
		}
		for ; a <= b; a++ {
			mask |= 1 << a
		}
	}
	return mask, true
}

// LanePicture draws a wave of n lanes, 16 to a row: # is a lane of the set. It is
// "" if there is nothing to draw.
func LanePicture(lanes string, n int) string {
	mask, ok := LaneSet(lanes)
	if !ok || n < 1 || n > 64 || n < 64 && mask>>n != 0 {
		return ""
	}
	var b strings.Builder
	for row := 0; row < n; row += 16 {
		end := min(row+16, n)
		fmt.Fprintf(&b, "    %2d-%-2d  ", row, end-1)
		for i := row; i < end; i++ {
			if i > row && i%4 == 0 {
				b.WriteByte(' ')
			}
			if mask>>i&1 != 0 {
				b.WriteByte('#')
			} else {
				b.WriteByte('.')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
