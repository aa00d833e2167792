package programs

import (
	"fmt"
	"slices"
	"strings"
)

func recursionCases() []Case {
	w := words(72)
	n := fill(64, func(int) uint32 { return uint32(w.below(1 << 20)) })
	fibs := convert(n, func(n uint32) uint32 {
		a, b := uint32(0), uint32(1)
		for range n % 11 {
			a, b = b, a+b
		}
		return a
	})
	acks := convert(n, func(n uint32) uint32 {
		second := n / 3 % 4
		return [3]uint32{second + 1, second + 2, 2*second + 3}[n%3]
	})
	evens := convert(n, func(n uint32) uint32 { return (n%17 + 1) % 2 })
	hanois := convert(n, func(n uint32) uint64 { return hanoi(n%6, [3]uint64{0, 1, 2}) })
	rows := w.ints(32*20, -50, 50)
	var ordered []int32
	for r := range slices.Chunk(rows, 20) {
		ordered = append(ordered, sorted(r)...)
	}
	perms := fill(32, func(t int) uint32 {
		return permute(fill(4, func(i int) uint32 { return uint32(t+i*i) % 10 }), 0)
	})
	return []Case{
		one("numbers", "recursive", x(2), x(32), in("n", n), out("fibs", fibs), out("acks", acks), out("evens", evens), out("hanois", hanois)),
		one("quicksort", "sort_rows", x(1), x(32), &Buffer{Name: "v", Data: rows, Want: ordered}, uint32(20)),
		one("permutations", "permutations", x(1), x(32), out("out", perms)),
	}
}

// hanoi moves n discs from the first of three pegs to the last.
func hanoi(n uint32, pegs [3]uint64) uint64 {
	if n == 0 {
		return 0
	}
	from, over, to := pegs[0], pegs[1], pegs[2]
	return (hanoi(n-1, [3]uint64{from, to, over})*7+from)*11 + to*13 + hanoi(n-1, [3]uint64{over, from, to})
}

func permute(left []uint32, digits uint32) (s uint32) {
	if len(left) == 0 {
		return digits % 65521
	}
	for i, d := range left {
		s = s*3 + permute(slices.Delete(slices.Clone(left), i, i+1), digits*10+d)
	}
	return s
}

func pointerCases() []Case {
	w := words(73)
	ops := [4]func(a, b float32) float32{
		func(a, b float32) float32 { return a + b },
		func(a, b float32) float32 { return a - b },
		func(a, b float32) float32 { return a * b },
		func(a, b float32) float32 { return max(a, b) },
	}
	const n = 64
	which, a, b := w.u32s(n), w.floats(n), w.floats(n)
	picked := fill(n, func(i int) float32 { return ops[which[i]%4](a[i], b[i]) })
	const length = 9
	v := w.floats(32 * length)
	folded := fill(32, func(i int) float32 {
		s := float32(0.5)
		for _, e := range v[i*length : (i+1)*length] {
			s = ops[[4]int{1, 0, 3, 0}[i%4]](s, e)
		}
		return s
	})
	sizes := w.floats(48)
	areas := fill(48, func(i int) float32 {
		s := sizes[i]
		switch i % 3 {
		case 0:
			return float32(s*s) + 400
		case 1:
			return float32(float32(s*s) * 3.140625)
		}
		return float32(s*3)/2 + 300
	})
	return []Case{
		one("table", "by_table", x(2), x(32), in("which", which), in("a", a), in("b", b), out("out", picked)),
		one("fold", "folds", x(1), x(32), in("v", v), out("out", folded), uint32(length)),
		one("virtual", "virtuals", x(1), x(48), in("size", sizes), out("out", areas)),
	}
}

func printingCases() []Case {
	v := fill(32, func(i int) int32 { return int32(i*i%23) - 9 })
	const f = float32(1.375)
	// One warp: the order of several is open.
	var text strings.Builder
	for i, e := range v {
		if e%2 != 0 {
			fmt.Fprintf(&text, "lane %d has %d, %5.2f\n", i, e, float64(f*float32(e)))
		}
	}
	hello := one("lanes", "hello", x(1), x(32), in("in", v), f)
	hello.Stdout = text.String()
	formats := one("formats", "formats", x(1), x(1), int64(1)<<40, 12345.678)
	formats.Stdout = "text|-42   |00beef|x|1099511627776|%|1.234568e+04|+1.23e+04|   ab|cd   |\n"
	sums := fill(48, func(t int) (s uint32) {
		for i := t; i >= 0; i-- { // the last cell is the first of the list
			s = s*2 + uint32(3*i+1)
		}
		return s
	})
	below := one("passes", "checked", x(1), x(32), in("in", fill(32, func(i int) uint32 { return uint32(i) })), uint32(32))
	above := one("fails", "checked", x(1), x(32), in("in", fill(32, func(i int) uint32 { return uint32(i) })), uint32(30))
	above.Code = "assert"
	return []Case{hello, formats, one("lists", "lists", x(1), x(48), out("out", sums)), below, above}
}
