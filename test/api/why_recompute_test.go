package api_test

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/crosslane"
)

// Every value of a provenance is computed again from the values that its edges lead to, by
// a second reading of the instruction's text, lane by lane. As the inputs at the ends are
// compared with those of the launch (proveWhy), the root follows from them.

// recompute is the evaluation of one provenance.
type recompute struct {
	p          *crosslane.Provenance
	done, left map[string]int // values by mnemonic that were computed, and that were not
}

// operand is the value that the edges of a node give for a register or number in a lane.
func (r *recompute) operand(n *crosslane.ProvenanceNode, s string, l int) (uint64, bool) {
	if x, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(x), true
	}
	for _, e := range n.From {
		to := &r.p.Nodes[e.Node]
		switch e.Role {
		case "kept", "control", "rounds", "memory":
			continue
		}
		if e.Register != s || !slices.Contains(e.Lanes, l) {
			continue
		}
		for _, v := range to.Values {
			if i := slices.Index(v.Lanes, l); v.Register == s && i >= 0 {
				return v.Bits[i], true
			}
		}
		for _, el := range to.Elements {
			if el.Lane == l && to.Kind == crosslane.KindSpecial {
				return el.Bits, true
			}
		}
	}
	return 0, false
}

// memory is the word that a lane loads from an address of shared memory.
func (r *recompute) memory(n *crosslane.ProvenanceNode, addr uint64) (uint64, bool) {
	for _, e := range n.From {
		to := &r.p.Nodes[e.Node]
		if e.Role != "memory" || !strings.HasPrefix(to.Op, "st.") {
			continue
		}
		for _, el := range to.Elements {
			if uint64(el.Index) != addr || el.Bytes != 4 || !slices.Contains(e.Lanes, el.Lane) {
				continue
			}
			for _, v := range to.Values {
				if i := slices.Index(v.Lanes, el.Lane); i >= 0 {
					return v.Bits[i], true
				}
			}
		}
	}
	return 0, false
}

// shflSource is the source lane of a shuffle and its predicate, as PTX 9.7.9.6 has it.
func shflSource(mode string, l int, b, c uint64) (int, bool) {
	bval, cval, mask := int(b&31), int(c&31), int(c>>8&31)
	maxLane, minLane := l&mask|cval&^mask, l&mask
	var j int
	var p bool
	switch mode {
	case "up":
		j = l - bval
		p = j >= maxLane
	case "down":
		j = l + bval
		p = j <= maxLane
	case "bfly":
		j = l ^ bval
		p = j <= maxLane
	case "idx":
		j = minLane | bval&^mask
		p = j <= maxLane
	}
	if !p {
		j = l
	}
	return j, p
}

// value computes the value that an instruction writes to its destination number which in a lane.
func (r *recompute) value(n *crosslane.ProvenanceNode, which string, l int) (uint64, bool) {
	text := n.Text
	if strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, " ")
	}
	_, rest, _ := strings.Cut(text, " ")
	ops := strings.Split(rest, ",")
	for i := range ops {
		ops[i] = strings.TrimSpace(ops[i])
	}
	bad := false
	arg := func(i, lane int) uint64 {
		x, ok := r.operand(n, ops[i], lane)
		bad = bad || !ok
		return x
	}
	a := func(i int) uint64 { return uint64(uint32(arg(i, l))) }
	bit := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	word := strings.Split(n.Op, ".")
	var x uint64
	switch n.Op { // addresses
	case "add.u64":
		x = arg(1, l) + arg(2, l)
		return x, !bad
	case "mul.wide.u32":
		return a(1) * a(2), !bad
	case "cvt.u32.u16":
		return a(1) & 0xffff, !bad
	case "ld.param.u64":
		for _, e := range n.From {
			for _, el := range r.p.Nodes[e.Node].Elements {
				if r.p.Nodes[e.Node].Kind == crosslane.KindParameter {
					return el.Bits, true
				}
			}
		}
		return 0, false
	}
	switch word[0] {
	case "add":
		x = a(1) + a(2)
	case "sub":
		x = a(1) - a(2)
	case "xor":
		x = a(1) ^ a(2)
	case "and":
		x = a(1) & a(2)
	case "mul":
		if word[1] != "lo" {
			return 0, false
		}
		x = a(1) * a(2)
	case "mad":
		x = a(1)*a(2) + a(3)
	case "min":
		x = uint64(uint32(min(int32(a(1)), int32(a(2)))))
	case "shl":
		if s := a(2); s < 32 {
			x = a(1) << s
		}
	case "mov":
		if strings.HasPrefix(ops[1], "%") && strings.Contains(n.Op, "32") {
			x = a(1)
		} else if v, err := strconv.Atoi(ops[1]); err == nil {
			x = uint64(v)
		} else {
			return 0, false
		}
	case "setp":
		p, q := a(1), a(2)
		switch n.Op {
		case "setp.lt.u32":
			x = bit(p < q)
		case "setp.lt.s32":
			x = bit(int32(p) < int32(q))
		case "setp.eq.s32":
			x = bit(p == q)
		case "setp.ge.s32":
			x = bit(int32(p) >= int32(q))
		default:
			return 0, false
		}
		return x, !bad
	case "selp":
		if arg(3, l) != 0 {
			x = a(1)
		} else {
			x = a(2)
		}
	case "shfl":
		j, p := shflSource(word[2], l, arg(2, l), arg(3, l))
		if _, pred, _ := strings.Cut(ops[0], "|"); which == pred {
			return bit(p), !bad
		}
		x = uint64(uint32(arg(1, j)))
	case "vote":
		for i := range 32 {
			x |= (arg(1, i) & 1) << i
		}
	case "redux":
		x = uint64(uint32(arg(1, 0)))
		for i := 1; i < 32; i++ {
			if y := uint64(uint32(arg(1, i))); word[2] == "add" {
				x += y
			} else {
				x = min(x, y)
			}
		}
	case "ld":
		at, ok := r.operand(n, strings.Trim(ops[1], "[]"), l)
		switch n.Op {
		case "ld.shared.u32":
			if !ok {
				return 0, false
			}
			return r.memory(n, at)
		case "ld.global.u32":
			for _, e := range n.From {
				for _, el := range r.p.Nodes[e.Node].Elements {
					if e.Role == "memory" && el.Lane == l && r.p.Nodes[e.Node].Kind == crosslane.KindInput {
						return el.Bits, true
					}
				}
			}
		}
		return 0, false
	case "st":
		if word[2] != "u32" {
			return 0, false
		}
		x = a(1)
	default:
		return 0, false
	}
	return uint64(uint32(x)), !bad
}

// mayLeave are the instructions that are not computed again: order among lanes or waves
// decides their results, or pieces of words, or they give the address of shared memory.
var mayLeave = map[string]bool{"atom.shared.add.u32": true, "atom.shared.exch.b32": true, "atom.shared.xor.b32": true, "bar.red.popc.u32": true,
	"ld.shared.u16": true, "st.shared.u8": true, "ld.shared.u32": true, "mov.u32": true}

// run compares all values.
func (r *recompute) run() error {
	for i := range r.p.Nodes {
		n := &r.p.Nodes[i]
		if n.Kind == crosslane.KindElement {
			for _, e := range n.From {
				to := &r.p.Nodes[e.Node]
				for _, v := range to.Values {
					if k := slices.Index(v.Lanes, e.Lanes[0]); to.Store && k >= 0 && v.Bits[k] != n.Elements[0].Bits {
						return fmt.Errorf("the root is %d, stored is %d", n.Elements[0].Bits, v.Bits[k])
					}
				}
			}
		}
		for _, v := range n.Values {
			for k, l := range v.Lanes {
				x, ok := r.value(n, v.Register, l)
				if !ok && !mayLeave[n.Op] && len(n.From) > 0 {
					return fmt.Errorf("%q at line %d, lane %d: what %s = %#x was made of is missing", n.Text, n.Line, l, v.Register, v.Bits[k])
				}
				if !ok {
					r.left[n.Op]++
					continue
				}
				if r.done[n.Op]++; x != v.Bits[k] {
					return fmt.Errorf("%q at line %d, lane %d: %s = %#x, but its parts make %#x", n.Text, n.Line, l, v.Register, v.Bits[k], x)
				}
			}
		}
		if text := n.Text; strings.HasPrefix(text, "@") && len(n.Values) > 0 {
			g, _, _ := strings.Cut(text[1:], " ")
			for _, l := range n.Values[0].Lanes {
				if p, ok := r.operand(n, strings.TrimPrefix(g, "!"), l); !ok || (p != 0) == strings.HasPrefix(g, "!") {
					return fmt.Errorf("%q at line %d wrote lane %d, but its guard is %d (%v)", text, n.Line, l, p, ok)
				}
			}
		}
	}
	return nil
}

func TestWhyRecomputes(t *testing.T) {
	t.Parallel()
	done, left := map[string]int{}, map[string]int{}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		text := randomPTX(r)
		m, err := crosslane.Load([]byte(text), "k", crosslane.PTX)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		in := make([]uint32, proofInputs)
		for i := range in {
			in[i] = r.Uint32() >> r.IntN(32)
		}
		for range 4 {
			l, _, _ := proofLaunch(slices.Clone(in))
			p, err := k.Why(context.Background(), l, crosslane.WhyOptions{Buffer: "out", Index: r.IntN(64)})
			if err != nil {
				t.Fatal(err)
			}
			if err := (&recompute{p, done, left}).run(); err != nil {
				t.Fatalf("%s: %v\n%s\n%s", p.At, err, p.Text(crosslane.WhyView{All: true}), text)
			}
		}
	}
	var ops []string
	total := [2]int{}
	for op, n := range done {
		ops = append(ops, op)
		total[0] += n
	}
	for _, n := range left {
		total[1] += n
	}
	slices.Sort(ops)
	t.Logf("%d values computed again, %d not: computed %v; not %v", total[0], total[1], done, left)
	if total[0] < 6*total[1] || len(ops) < 20 || bits.Len(uint(total[0])) < 14 {
		t.Errorf("only %d of %d values were computed again, of %d instructions: not of %v", total[0], total[0]+total[1], len(ops), left)
	}
}
