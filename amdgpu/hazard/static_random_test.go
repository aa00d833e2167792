package hazard

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/internal/short"
)

// A modelOp is an instruction of a random program, with the manual's rules about it in a notation
// of this test alone. Registers: 0 to 9 are v0 to v9, 10 to 19 are s10 to s19.
type modelOp struct {
	text   string
	writes int // -1: none
	reads  []int
	valu   bool
	moved  int // the register that DPP moves; -1: none
	lane   int // the register of the lane select; -1: none
	load   byte
	nop    int    // wait states of s_nop
	wait   [2]int // vmcnt, lgkmcnt; -1: none
	to     int    // the target of a branch; -1: none
	always bool
}

func randomModel(r *rand.Rand) []modelOp {
	n := 6 + r.IntN(8)
	var ops []modelOp
	for range n {
		v, w, s := r.IntN(3), r.IntN(3), 10+r.IntN(2)
		o := modelOp{writes: -1, moved: -1, lane: -1, to: -1, wait: [2]int{-1, -1}}
		switch r.IntN(13) {
		case 0, 1:
			o.text, o.writes, o.reads, o.valu = fmt.Sprintf("v_mov_b32 v%d, v%d", v, w), v, []int{w}, true
		case 2, 3:
			o.text, o.writes, o.reads, o.valu, o.moved = fmt.Sprintf("v_mov_b32 v%d, v%d row_shr:1", v, w), v, []int{w, v}, true, w
		case 4:
			o.text, o.writes, o.reads, o.valu = fmt.Sprintf("v_readfirstlane_b32 s%d, v%d", s, v), s, []int{v}, true
		case 5:
			o.text, o.writes, o.reads, o.valu, o.lane = fmt.Sprintf("v_readlane_b32 s%d, v%d, s%d", 21-s, v, s), 21-s, []int{v, s}, true, s
		case 6:
			o.text, o.writes, o.reads, o.load = fmt.Sprintf("ds_read_b32 v%d, v%d", v, w), v, []int{w}, 'd'
		case 7:
			o.text, o.writes, o.reads, o.load = fmt.Sprintf("buffer_load_dword v%d, v%d, s[20:23], 0 offen", v, w), v, []int{w}, 'v'
		case 8:
			o.text, o.writes, o.load = fmt.Sprintf("s_load_dword s%d, s[24:25], 0x0", s), s, 's'
		case 9:
			o.nop = 1 + r.IntN(4)
			o.text = fmt.Sprintf("s_nop %d", o.nop-1)
		case 10, 11:
			o.wait[r.IntN(2)] = r.IntN(3)
			o.text = WaitText(amdgpu.GFX803, [3]int{o.wait[0], -1, o.wait[1]})
		case 12:
			o.to, o.always = r.IntN(n), r.IntN(4) == 0
			o.text = fmt.Sprintf("s_cbranch_scc1 L%d", o.to)
			if o.always {
				o.text = fmt.Sprintf("s_branch L%d", o.to)
			}
		}
		ops = append(ops, o)
	}
	return ops
}

func modelText(ops []modelOp) string {
	var b strings.Builder
	for i, o := range ops {
		fmt.Fprintf(&b, "L%d: %s\n", i, o.text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// tooEarly follows all paths through the program that have at most the given number of steps, and
// returns the lines at which an instruction comes too early.
func tooEarly(ops []modelOp, steps int) map[string]bool {
	bad := map[string]bool{}
	var way []int
	var walk func(pc int)
	walk = func(pc int) {
		if pc == len(ops) || len(way) == steps {
			return
		}
		o := &ops[pc]
		// Wait states: GCN3 ISA 4.5, the rows for DPP (2) and for the lane select (4).
		for _, rule := range []struct{ reg, states int }{{o.moved, 2}, {o.lane, 4}} {
			if rule.reg < 0 {
				continue
			}
			passed := 0
			for k := len(way) - 1; k >= 0 && passed < rule.states; k-- {
				p := &ops[way[k]]
				if p.writes == rule.reg {
					if p.valu {
						bad[fmt.Sprintf("%d wait-states", pc+1)] = true
					}
					break
				}
				passed += max(1, p.nop)
			}
		}
		// Counters: GCN3 ISA 4.4. Results of one kind arrive in order; those of s_load do not.
		for _, reg := range append(slices.Clone(o.reads), o.writes) {
			if reg < 0 {
				continue
			}
			for k := len(way) - 1; k >= 0; k-- {
				p := &ops[way[k]]
				if p.load == 0 || p.writes != reg {
					continue
				}
				if reg == o.writes && !slices.Contains(o.reads, reg) && o.load == p.load && o.load != 's' {
					continue
				}
				later, done := 0, false
				for _, w := range way[k+1:] {
					q := &ops[w]
					if q.load == p.load {
						later++
					}
					n := q.wait[1]
					if p.load == 'v' {
						n = q.wait[0]
					}
					if n == 0 || n > 0 && p.load != 's' && later >= n {
						done = true
					}
					if q.load == p.load && q.writes == reg && p.load != 's' {
						done = true // a wait for this one is a wait for both
					}
				}
				if !done {
					bad[fmt.Sprintf("%d waitcnt", pc+1)] = true
				}
			}
		}
		way = append(way, pc)
		if o.to < 0 || !o.always {
			walk(pc + 1)
		}
		if o.to >= 0 {
			walk(o.to)
		}
		way = way[:len(way)-1]
	}
	walk(0)
	return bad
}

// TestStaticRandom checks random programs with branches. The check reports an error exactly if some
// path through the program has one, and only at the instructions of that path. If an instruction
// came too early for a result, later instructions get no report for the same result.
func TestStaticRandom(t *testing.T) {
	t.Parallel()
	dirty := 0
	for seed := range short.Of(uint64(1500), 400) {
		r := rand.New(rand.NewPCG(seed, 5))
		ops := randomModel(r)
		branches := 0
		for _, o := range ops {
			if o.to >= 0 {
				branches++
			}
		}
		steps := 40
		if branches > 1 {
			steps = 26
		}
		if branches > 2 {
			continue
		}
		text := modelText(ops)
		rep, err := CheckStatic(withLabels(t, text))
		if err != nil {
			t.Fatal(err)
		}
		want := tooEarly(ops, steps)
		got := map[string]bool{}
		for _, m := range rep.Missing {
			got[fmt.Sprintf("%d %s", m.Diag.Pos.Line, m.Diag.Code)] = true
		}
		for k := range got {
			if !want[k] {
				t.Errorf("seed %d: %s: no way through the program has it\n%s", seed, k, text)
			}
		}
		for k := range want {
			if !got[k] && (strings.HasSuffix(k, "wait-states") || len(got) == 0) {
				t.Errorf("seed %d: %s is not found\n%s", seed, k, text)
			}
		}
		if len(want) > 0 {
			dirty++
		}
		if t.Failed() {
			return
		}
	}
	if dirty < short.Of(300, 80) || dirty > 1400 {
		t.Errorf("%d of the programs have something", dirty)
	}
}
