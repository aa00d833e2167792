package plan

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/explain"
	"example.org/crosslane/lane"
)

// Entries of a lanes array that are no lane.
const (
	zero int8 = -1 - iota // the lane gets 0
	keep                  // the lane keeps the old value of the result
	free                  // any value will do
	lost                  // undefined: equal to nothing
)

// lanes holds the source of each lane of a wave; entries beyond the wave are free.
type lanes [64]int8

// A goal is a map that a sequence has to realise.
type goal struct {
	n      int // lanes of the wave
	want   lanes
	active lane.Mask
	about  string
	notes  []string
}

// bad is an error of the input.
func bad(remedy, format string, args ...any) error {
	d := diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", format, args...)
	d.Remedy = remedy
	return diag.List{d}
}

const patterns = "write a list of lanes, xor K, rotate K, reverse, shift K fill zero, broadcast L, transpose RxC, bits 2:0,5:3, a call such as __shfl_xor_sync(m, v, 16), an instruction, reduce, scan, ballot-rank or argmax"

// parseGoal reads a lane map for a wave of n lanes.
func parseGoal(text string, n int) (*goal, error) {
	g := &goal{n: n, active: lane.All(n)}
	for i := range g.want {
		g.want[i] = free
	}
	s := strings.TrimSpace(text)
	if s == "" {
		return nil, bad(patterns, "the goal is empty")
	}
	if len(s) > 4096 {
		return nil, bad("", "the goal has %d bytes; at most 4096 are allowed", len(s))
	}
	w := &words{text: s, list: strings.Fields(strings.ToLower(s)), n: n}
	for _, p := range patternList() {
		if w.list[0] != p.name {
			continue
		}
		w.list = w.list[1:]
		if err := p.read(w, g); err != nil {
			return nil, err
		}
		if len(w.list) > 0 {
			return nil, bad(p.form, "%s: %q is not understood", p.name, strings.Join(w.list, " "))
		}
		return g, nil
	}
	switch {
	case s[0] >= '0' && s[0] <= '9' || strings.Contains("*=?z", strings.ToLower(s[:1])) && strings.Contains(s, ","):
		return g, readList(s, g)
	case callName.MatchString(s):
		return g, readCall(s, g)
	}
	return g, readInstruction(s, g)
}

// A pattern is a named family of lane maps.
type pattern struct {
	name, form string
	read       func(w *words, g *goal) error
}

func patternList() []pattern {
	return []pattern{
		{"identity", "write identity", func(_ *words, g *goal) error {
			g.about = "each lane keeps its own value"
			return g.each(func(i int) int8 { return int8(i) })
		}},
		{"xor", "write xor K", readXor},
		{"rotate", "write rotate K or rotate K in W", readRotate},
		{"reverse", "write reverse or reverse in W", func(w *words, g *goal) error {
			width, err := w.width()
			if err != nil {
				return err
			}
			g.about = fmt.Sprintf("lane i reads lane %d - i of its segment of %d", width-1, width)
			return g.each(func(i int) int8 { return int8(i - i%width + width - 1 - i%width) })
		}},
		{"shift", "write shift K fill zero, shift K fill keep or shift K in W fill zero", readShift},
		{"broadcast", "write broadcast L or broadcast L in W", readBroadcast},
		{"transpose", "write transpose RxC", readTranspose},
		{"bits", "write the bits of the source lane's number, highest first, as bits of the lane's own: bits 2:0,5:3", readBits},
	}
}

// each fills the goal from a function of the lane.
func (g *goal) each(f func(i int) int8) error {
	for i := range g.n {
		g.want[i] = f(i)
	}
	return nil
}

// words are the words of a goal that are still to be read.
type words struct {
	text string
	list []string
	n    int
}

// number reads an integer from least to most.
func (w *words) number(what string, least, most int) (int, error) {
	if len(w.list) == 0 {
		return 0, bad("", "%q: %s is missing", w.text, what)
	}
	v, err := strconv.ParseInt(w.list[0], 0, 32)
	if err != nil || int(v) < least || int(v) > most {
		return 0, bad("", "%q: %s is %q, want a number from %d to %d", w.text, what, w.list[0], least, most)
	}
	w.list = w.list[1:]
	return int(v), nil
}

// take drops a word if it is the next.
func (w *words) take(word string) bool {
	if len(w.list) == 0 || w.list[0] != word {
		return false
	}
	w.list = w.list[1:]
	return true
}

// width reads "in W", the size of a segment; the default is the wave.
func (w *words) width() (int, error) {
	if !w.take("in") {
		return w.n, nil
	}
	v, err := w.number("the width", 1, w.n)
	if err == nil && bits.OnesCount(uint(v)) != 1 {
		err = bad("", "%q: the width is %d, want a power of two up to %d", w.text, v, w.n)
	}
	return v, err
}

func readXor(w *words, g *goal) error {
	k, err := w.number("K", 0, g.n-1)
	if err != nil {
		return err
	}
	g.about = fmt.Sprintf("lane i reads lane i ^ %d", k)
	return g.each(func(i int) int8 { return int8(i ^ k) })
}

func readRotate(w *words, g *goal) error {
	k, err := w.number("K", -g.n, g.n)
	if err != nil {
		return err
	}
	width, err := w.width()
	if err != nil {
		return err
	}
	g.about = fmt.Sprintf("lane i reads lane i %s modulo %d", signed(k), width)
	return g.each(func(i int) int8 { return int8(i - i%width + ((i+k)%width+width)%width) })
}

func signed(k int) string {
	if k < 0 {
		return fmt.Sprintf("- %d", -k)
	}
	return fmt.Sprintf("+ %d", k)
}

func readShift(w *words, g *goal) error {
	k, err := w.number("K", 1-g.n, g.n-1)
	if err != nil {
		return err
	}
	width, err := w.width()
	if err != nil {
		return err
	}
	fill, said := free, "any value"
	if w.take("fill") {
		switch {
		case w.take("zero"):
			fill, said = zero, "0"
		case w.take("keep"):
			fill, said = keep, "their old value"
		case !w.take("any"):
			return bad("write fill zero, fill keep or fill any", "%q: fill what?", w.text)
		}
	}
	g.about = fmt.Sprintf("lane i reads lane i %s of its segment of %d; lanes without a source get %s", signed(k), width, said)
	return g.each(func(i int) int8 {
		if j := i%width + k; j >= 0 && j < width {
			return int8(i + k)
		}
		return fill
	})
}

func readBroadcast(w *words, g *goal) error {
	l, err := w.number("the lane", 0, g.n-1)
	if err != nil {
		return err
	}
	width, err := w.width()
	if err != nil {
		return err
	}
	if l >= width {
		return bad("", "%q: the lane is %d, and a segment has lanes 0 to %d", w.text, l, width-1)
	}
	g.about = fmt.Sprintf("every lane reads lane %d of its segment of %d", l, width)
	return g.each(func(i int) int8 { return int8(i - i%width + l) })
}

func readTranspose(w *words, g *goal) error {
	const form = "write transpose RxC with R times C lanes, such as transpose 8x8"
	if len(w.list) == 0 {
		return bad(form, "%q: the size is missing", w.text)
	}
	a, b, ok := strings.Cut(w.list[0], "x")
	r, rerr := strconv.Atoi(a)
	c, cerr := strconv.Atoi(b)
	if !ok || rerr != nil || cerr != nil || r < 1 || c < 1 || r > g.n || c > g.n || r*c > g.n || g.n%(r*c) != 0 {
		return bad(form, "%q: the size is %q; R times C must divide %d", w.text, w.list[0], g.n)
	}
	w.list = w.list[1:]
	g.about = fmt.Sprintf("element (r, c) of %dx%d moves from lane %d r + c to lane %d c + r", r, c, c, r)
	return g.each(func(i int) int8 {
		e := i % (r * c)
		return int8(i - e + e%r*c + e/r)
	})
}

// readBits reads a permutation of the bits of the lane's number: entry k of the list, from the
// highest, is the bit of the own number that becomes that bit of the source's.
func readBits(w *words, g *goal) error {
	n := bits.Len(uint(g.n - 1))
	remedy := fmt.Sprintf("name each of the bits %d to 0 once, highest first: bits 2:0,5:3", n-1)
	s := strings.Join(w.list, "")
	w.list = nil
	if head, tail, ok := strings.Cut(s, "->"); ok {
		if head != fmt.Sprintf("%d:0", n-1) {
			return bad(remedy, "%q: the left side is %q, want %d:0", w.text, head, n-1)
		}
		s = tail
	}
	var order []int
	for _, p := range strings.Split(s, ",") {
		a, b, isRange := strings.Cut(p, ":")
		hi, err := strconv.Atoi(a)
		lo := hi
		if isRange && err == nil {
			lo, err = strconv.Atoi(b)
		}
		if err != nil || hi < 0 || lo < 0 || hi >= n || lo >= n {
			return bad(remedy, "%q: %q names no bits of a lane's number, which has bits %d to 0", w.text, p, n-1)
		}
		for step := 1 - 2*btoi(hi >= lo); ; hi += step {
			order = append(order, hi)
			if hi == lo {
				break
			}
		}
	}
	var seen int
	for _, b := range order {
		seen |= 1 << b
	}
	if len(order) != n || seen != 1<<n-1 {
		return bad(remedy, "%q: the list has %d bits and %d different ones, want each of %d once", w.text, len(order), bits.OnesCount(uint(seen)), n)
	}
	g.about = fmt.Sprintf("the bits of the source lane's number are bits %s of the lane's own", strings.Trim(fmt.Sprint(order), "[]"))
	return g.each(func(i int) int8 {
		j := 0
		for _, b := range order {
			j = j<<1 | i>>b&1
		}
		return int8(j)
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// readList reads one source per lane: a number, z (zero), = (keep) or * (any).
func readList(s string, g *goal) error {
	list := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
	if len(list) != g.n {
		return bad(fmt.Sprintf("give one source for each of the %d lanes", g.n), "the list has %d sources", len(list))
	}
	g.about = "the list of lanes"
	for i, e := range list {
		switch strings.ToLower(e) {
		case "z", "zero":
			g.want[i] = zero
		case "=", "keep":
			g.want[i] = keep
		case "*", "?", "any":
			g.want[i] = free
		default:
			v, err := strconv.Atoi(e)
			if err != nil || v < 0 || v >= g.n {
				return bad("", "the source of lane %d is %q, want a lane from 0 to %d, z (zero), = (keep) or * (any)", i, e, g.n-1)
			}
			g.want[i] = int8(v)
		}
	}
	return nil
}

// readInstruction reads an instruction of either instruction set: the goal is its lane map.
func readInstruction(s string, g *goal) error {
	e, err := explain.Explain(s, api.ExplainOptions{})
	if err != nil {
		l := diag.Of(err)
		for _, d := range l {
			if d.Class == diag.Input {
				d.Message = "the goal is no pattern, and as an instruction: " + d.Message
				d.Remedy = patterns
			}
		}
		return l
	}
	if e.Lanes == nil {
		return bad(patterns, "%s has no lane map: it moves nothing between lanes, or its controls are in registers", e.Instr)
	}
	src := e.Lanes.Source
	m := make([]int8, len(src))
	for i, x := range src {
		switch v := x.(type) {
		case int:
			m[i] = int8(v)
		case string:
			m[i] = map[string]int8{"zero": zero, "keep": keep}[v]
			if v != "zero" && v != "keep" {
				m[i] = free
			}
		}
	}
	for _, i := range e.Lanes.Undefined {
		m[i] = free
	}
	g.about = "the lanes of " + e.Instr
	return g.resize(m)
}

// resize makes the map of a warp the map of both halves of a wave, or the map of a wave with equal
// halves that of a warp.
func (g *goal) resize(m []int8) error {
	move := func(s int8, by int) int8 {
		if s < 0 {
			return s
		}
		return s + int8(by)
	}
	switch {
	case len(m) < g.n:
		g.notes = append(g.notes, "the instruction has 32 lanes: lanes 32 to 63 of the wave do the same as a second warp")
		for i := range m {
			m[i] = move(m[i], 0)
			g.want[i], g.want[i+32] = m[i], move(m[i], 32)
		}
	case len(m) > g.n:
		for i := range 32 {
			if m[i] >= 32 || m[i+32] != move(m[i], 32) {
				return bad("plan it for gfx803", "lanes %d and %d of the instruction read lanes %s and %s: 32 lanes cannot do the same", i, i+32, sourceText(m[i]), sourceText(m[i+32]))
			}
			g.want[i] = m[i]
		}
		g.notes = append(g.notes, "the instruction has 64 lanes, whose halves do the same: a warp is one half")
	default:
		copy(g.want[:], m)
	}
	return nil
}

func sourceText(s int8) string {
	switch s {
	case zero:
		return "zero"
	case keep:
		return "keep"
	case free:
		return "any"
	}
	return strconv.Itoa(int(s))
}
