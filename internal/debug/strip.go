package debug

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"example.org/crosslane/internal/value"
)

// text is the number as text.
func (n number) text() string {
	switch n.kind {
	case float:
		return strconv.FormatFloat(n.f, 'g', -1, 64)
	case signed:
		return strconv.FormatInt(int64(n.u), 10)
	}
	return strconv.FormatUint(n.u, 10)
}

// laneText is the value of a lane: with ? if it has undefined bits, and · if the lane has none.
func (v *vector) laneText(lane int) string {
	if v.scalar {
		lane = 0
	}
	if v.lanes>>lane&1 == 0 {
		return "·"
	}
	s := v.n[lane].text()
	if v.typ.Valid() {
		s = value.Format(v.typ, v.bits[lane])
	} else if v.typ != "" && v.n[lane].u > 9 {
		s = fmt.Sprintf("%#x", v.n[lane].u)
	}
	if v.undefined>>lane&1 != 0 {
		s += "?"
	}
	return s
}

// strip is the values of n lanes in one line, with equal and with rising ones folded: 1..7, 5 ×3, 2?, ·.
func (v *vector) strip(n int) string {
	if v.scalar {
		return v.laneText(0)
	}
	var out []string
	for i := 0; i < n; {
		s := v.laneText(i)
		same := i + 1
		for same < n && v.laneText(same) == s {
			same++
		}
		if same == n && i == 0 && v.lanes&1 != 0 {
			return s + " in all lanes"
		}
		if same-i >= 3 {
			out = append(out, fmt.Sprintf("%s ×%d", s, same-i))
			i = same
			continue
		}
		rising := i + 1
		for rising < n && v.risesAt(rising) {
			rising++
		}
		if rising-i >= 4 {
			out = append(out, s+".."+v.laneText(rising-1))
			i = rising
			continue
		}
		out = append(out, s)
		i++
	}
	return strings.Join(out, " ")
}

// risesAt reports that the integer of a lane is one more than that of the lane before it, and both are defined.
func (v *vector) risesAt(i int) bool {
	a, b := v.n[i-1], v.n[i]
	return v.lanes>>(i-1)&3 == 3 && v.undefined>>(i-1)&3 == 0 && a.kind != float && b.kind != float && b.u == a.u+1
}

// lanesText is a set of lanes: "lanes 0-19, 24", "lane 3", "no lanes".
func lanesText(m uint64) string {
	switch bits.OnesCount64(m) {
	case 0:
		return "no lanes"
	case 1:
		return fmt.Sprintf("lane %d", bits.TrailingZeros64(m))
	}
	var out []string
	for i := 0; i < 64; {
		if m>>i&1 == 0 {
			i++
			continue
		}
		j := i
		for j < 63 && m>>(j+1)&1 != 0 {
			j++
		}
		if i == j {
			out = append(out, strconv.Itoa(i))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", i, j))
		}
		i = j + 1
	}
	return "lanes " + strings.Join(out, ", ")
}
