package ptx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/ir"
)

// TestCrossLane runs votes, matches and reductions over a membermask, and compares them with loops
// over the lanes. Lanes outside the mask branch around the instruction.
func TestCrossLane(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(2, 7))
	const mask = uint32(0xf0f3f17e)
	in := func(l int) bool { return mask>>l&1 != 0 }
	var a, p []uint64
	for range 32 {
		a = append(a, uint64(rnd.IntN(4))<<62>>62|uint64(rnd.Uint32()&1)<<31|uint64(rnd.IntN(2))<<40)
		p = append(p, uint64(rnd.IntN(2)))
	}
	fold := func(f func(x, y uint32) uint32) func(int) uint64 {
		return func(int) uint64 {
			first, r := true, uint32(0)
			for l := range 32 {
				if !in(l) {
					continue
				}
				if v := uint32(a[l]); first {
					first, r = false, v
				} else {
					r = f(r, v)
				}
			}
			return uint64(r)
		}
	}
	same := func(wide bool) func(int) uint64 {
		return func(me int) (m uint64) {
			for l := range 32 {
				if in(l) && (a[l] == a[me] || !wide && uint32(a[l]) == uint32(a[me])) {
					m |= 1 << l
				}
			}
			return m
		}
	}
	count := func(want uint64) (n int) {
		for l := range 32 {
			if in(l) && p[l] == want {
				n++
			}
		}
		return n
	}
	tests := []struct {
		src  string
		want func(lane int) uint64
	}{
		{"redux.sync.add.s32 d, a, m", fold(func(x, y uint32) uint32 { return x + y })},
		{"redux.sync.min.s32 d, a, m", fold(func(x, y uint32) uint32 { return uint32(min(int32(x), int32(y))) })},
		{"redux.sync.min.u32 d, a, m", fold(func(x, y uint32) uint32 { return min(x, y) })},
		{"redux.sync.max.s32 d, a, m", fold(func(x, y uint32) uint32 { return uint32(max(int32(x), int32(y))) })},
		{"redux.sync.max.u32 d, a, m", fold(func(x, y uint32) uint32 { return max(x, y) })},
		{"redux.sync.and.b32 d, a, m", fold(func(x, y uint32) uint32 { return x & y })},
		{"redux.sync.or.b32 d, a, m", fold(func(x, y uint32) uint32 { return x | y })},
		{"redux.sync.xor.b32 d, a, m", fold(func(x, y uint32) uint32 { return x ^ y })},
		{"match.any.sync.b32 d, a, m", same(false)},
		{"match.any.sync.b64 d, w, m", same(true)},
		{"match.all.sync.b32 d|q, a, m", func(int) uint64 { return 0 }},
		{"match.all.sync.b32 d|q, 7, m", func(int) uint64 { return uint64(mask) }},
		{"match.all.sync.b64 e|q, w, m; selp.b32 d, 1, 2, q", func(int) uint64 { return 2 }},
		{"vote.sync.ballot.b32 d, p, m", func(int) (r uint64) {
			for l := range 32 {
				if in(l) {
					r |= p[l] << l
				}
			}
			return r
		}},
		{"vote.sync.all.pred q, p, m; selp.b32 d, 1, 2, q", func(int) uint64 { return 2 - b01(count(0) == 0) }},
		{"vote.sync.any.pred q, !p, m; selp.b32 d, 1, 2, q", func(int) uint64 { return 2 - b01(count(0) > 0) }},
		{"vote.sync.uni.pred q, p, m; selp.b32 d, 1, 2, q", func(int) uint64 { return 2 - b01(count(0) == 0 || count(1) == 0) }},
		{"vote.ballot.b32 d, p", func(int) (r uint64) {
			for l := range 32 {
				if in(l) {
					r |= p[l] << l
				}
			}
			return r
		}},
		{"activemask.b32 d", func(int) uint64 { return uint64(mask) }},
		{"elect.sync e|q, m; selp.b32 d, e, 99, q", func(l int) uint64 {
			if l == 1 {
				return 1
			}
			return 99
		}},
	}
	var idx []uint64
	for l := range 32 {
		idx = append(idx, b01(in(l)))
	}
	for _, tt := range tests {
		src := fmt.Sprintf("setp.eq.u32 out, in, 0; mov.u32 m, %#x; @out bra done; %s; done:", mask, tt.src)
		set := map[string][]uint64{"in": idx, "a": nil, "w": a, "p": p}
		for _, v := range a {
			set["a"] = append(set["a"], uint64(uint32(v)))
		}
		out := runTry(t, src, set)
		for l := range 32 {
			want := uint64(0)
			if in(l) {
				want = tt.want(l)
			}
			if got := out["d"][l]; got != want {
				t.Errorf("%s: lane %d: got %#x, want %#x", tt.src, l, got, want)
				break
			}
		}
	}
}

// TestAtomics runs every operation on shared and global memory, with the lanes in order, and checks
// the old values that the instruction returns and the final value in memory.
func TestAtomics(t *testing.T) {
	t.Parallel()
	u := func(f func(old, b uint32) uint32) func(old, b uint64) uint64 {
		return func(old, b uint64) uint64 { return uint64(f(uint32(old), uint32(b))) }
	}
	tests := []struct {
		op   string
		want func(old, b uint64) uint64
	}{
		{"add.u32", u(func(o, b uint32) uint32 { return o + b })},
		{"min.s32", u(func(o, b uint32) uint32 { return uint32(min(int32(o), int32(b))) })},
		{"min.u32", u(func(o, b uint32) uint32 { return min(o, b) })},
		{"max.s32", u(func(o, b uint32) uint32 { return uint32(max(int32(o), int32(b))) })},
		{"max.u32", u(func(o, b uint32) uint32 { return max(o, b) })},
		{"and.b32", u(func(o, b uint32) uint32 { return o & b })},
		{"or.b32", u(func(o, b uint32) uint32 { return o | b })},
		{"xor.b32", u(func(o, b uint32) uint32 { return o ^ b })},
		{"exch.b32", u(func(o, b uint32) uint32 { return b })},
		{"inc.u32", u(func(o, b uint32) uint32 {
			if o >= b {
				return 0
			}
			return o + 1
		})},
		{"dec.u32", u(func(o, b uint32) uint32 {
			if o == 0 || o > b {
				return b
			}
			return o - 1
		})},
		{"add.f32", u(func(o, b uint32) uint32 {
			return math.Float32bits(math.Float32frombits(o) + math.Float32frombits(b))
		})},
		{"add.u64", func(o, b uint64) uint64 { return o + b }},
		{"max.s64", func(o, b uint64) uint64 { return uint64(max(int64(o), int64(b))) }},
		{"min.u64", func(o, b uint64) uint64 { return min(o, b) }},
		{"xor.b64", func(o, b uint64) uint64 { return o ^ b }},
	}
	rnd := rand.New(rand.NewPCG(5, 5))
	for _, tt := range tests {
		bits := tt.op[len(tt.op)-2:]
		var b []uint64
		for range 32 {
			v := rnd.Uint64()
			switch {
			case strings.HasSuffix(tt.op, "f32"):
				v = uint64(math.Float32bits(float32(rnd.IntN(100)) - 50))
			case strings.HasPrefix(tt.op, "inc"), strings.HasPrefix(tt.op, "dec"):
				v = uint64(rnd.IntN(6))
			case bits == "32":
				v = u32(v)
			}
			b = append(b, v)
		}
		// There is no red.exch.
		red, left := tt.op, tt.want
		if tt.op == "exch.b32" {
			red, left = "or.b32", func(old, b uint64) uint64 { return old | b }
		}
		src := fmt.Sprintf(".shared .align 8 .b64 x; setp.eq.u32 z, %%laneid, 0; @z st.shared.b64 [x], 5; atom.shared.%s d, [x], b; red.shared.%s [x], b; ld.shared.b%s e, [x]", tt.op, red, bits)
		out := runTry(t, src, map[string][]uint64{"b": b})
		x := uint64(5)
		for l := range 32 {
			if out["d"][l] != x {
				t.Errorf("%s: lane %d: old value %#x, want %#x", tt.op, l, out["d"][l], x)
				break
			}
			x = tt.want(x, b[l])
		}
		for l := range 32 {
			x = left(x, b[l])
		}
		if out["e"][7] != x {
			t.Errorf("%s: left %#x, want %#x", tt.op, out["e"][7], x)
		}
	}
}

// TestVectorAlignment checks that a vector access must be aligned to the whole vector. The check is
// made at its first part.
func TestVectorAlignment(t *testing.T) {
	t.Parallel()
	p, err := ParseTry("", "ld.shared.v4.u32 {a, b, c, d}, [p]; st.shared.v2.u64 [p], {x, y}; ld.shared.u16 h, [p]")
	if err != nil {
		t.Fatal(err)
	}
	var got []uint16
	for _, in := range p.Kernel.Func.Code {
		if in.Op == ir.Load || in.Op == ir.Store {
			got = append(got, in.Align)
		}
	}
	if fmt.Sprint(got) != "[16 4 4 4 16 8 2]" {
		t.Errorf("alignments %v", got)
	}
}

// TestLaunchFacts checks the facts that a launch needs about a kernel, and the facts that decide
// how lanes meet.
func TestLaunchFacts(t *testing.T) {
	t.Parallel()
	src := `.version 7.0
.target %s
.address_size 64
.shared .align 8 .b8 a[12];
.shared .align 16 .b8 b[4];
.extern .shared .align 4 .b32 dyn[];
.const .u32 c = 7;
.global .u32 unused;
.entry k(.param .u64 x) .reqntid 32, 4
{ .reg .b32 r; ld.shared.u8 r, [a]; ld.shared.u8 r, [b]; ld.shared.u32 r, [dyn]; ld.const.u32 r, [c]; ret; }
.entry l() .maxntid 64, 2 { ret; }
`
	for target, anywhere := range map[string]bool{"sm_62": false, "sm_70": true, "sm_80": true} {
		m, errs := Parse("k.ptx", fmt.Sprintf(src, target))
		if errs.Err() != nil {
			t.Fatal(errs)
		}
		k, err := Lift(m, "k")
		if err != nil {
			t.Fatal(err)
		}
		f := k.Func
		if f.MeetAnywhere != anywhere || f.SharedStatic != 20 || !k.DynamicShared || f.ReqBlock != [3]uint32{32, 4, 1} || f.LocalSize != 0 {
			t.Errorf("%s: %+v, shared %d, max %d, req %v", target, f.MeetAnywhere, f.SharedStatic, f.MaxBlock, f.ReqBlock)
		}
		if l, err := Lift(m, "l"); err != nil || l.Func.MaxBlock != 128 || l.Func.SharedStatic != 0 || l.DynamicShared {
			t.Errorf("l: %+v, %v", l, err)
		}
		if len(k.Globals) != 1 || k.Globals[0].Name != "c" || !k.Globals[0].ReadOnly || len(k.Globals[0].Data) != 4 || k.Globals[0].Data[0] != 7 {
			t.Errorf("globals %+v", k.Globals)
		}
		if got := fmt.Sprint(k.Shared); got != "[{a 0 12} {b 16 4} {dyn 20 0}]" {
			t.Errorf("shared %s", got)
		}
	}
}
