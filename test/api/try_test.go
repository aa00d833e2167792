package api_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

func iota64(n int, start uint64) []uint64 {
	v := make([]uint64, n)
	for i := range v {
		v[i] = start + uint64(i)
	}
	return v
}

func execMask(m uint64) *uint64 { return &m }

// laneList is lanes lo to hi.
func laneList(lo, hi int) []int {
	var l []int
	for i := lo; i <= hi; i++ {
		l = append(l, i)
	}
	return l
}

// register finds a register of a result.
func register(t *testing.T, regs []crosslane.Register, name string) crosslane.Register {
	t.Helper()
	for _, r := range regs {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no register %s in %v", name, regs)
	return crosslane.Register{}
}

// want compares a register: value gives the elements that are not poisoned.
func want(t *testing.T, r crosslane.Register, poison []int, value func(i int) uint64) {
	t.Helper()
	if fmt.Sprint(r.Poison) != fmt.Sprint(poison) {
		t.Errorf("%s: poison in lanes %v, want %v", r.Name, r.Poison, poison)
	}
	bad := map[int]bool{}
	for _, i := range poison {
		bad[i] = true
	}
	for i, x := range r.Bits {
		if w := value(i); !bad[i] && x != w {
			t.Errorf("%s[%d] = %#x, want %#x", r.Name, i, x, w)
		}
	}
}

func codes(l diag.List) string {
	var s []string
	for _, d := range l {
		s = append(s, d.Code+" "+d.Lanes)
	}
	return strings.Join(s, "; ")
}

func ExampleTry() {
	r, err := crosslane.Try(context.Background(), "shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 0x1f, 0xffffffff;", crosslane.TryOptions{
		ISA: crosslane.PTX,
		Set: []crosslane.TrySet{{Reg: "%r1", Bits: iota64(32, 100)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, reg := range r.Registers {
		fmt.Println(reg.Name, reg.Type, reg.Bits[:3], reg.Bits[16:19])
	}
	// Output:
	// %r2 u32 [116 117 118] [100 101 102]
	// %p1 pred [1 1 1] [1 1 1]
}

// The effects of a membermask, an exec mask and an exit are the same as in a kernel.
func TestTryMembers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		src      string
		exec     *uint64
		findings string
		fault    string
		poison   []int // the poisoned lanes of %r2
	}{
		{"shfl.sync.down.b32 %r2, %r1, 16, 31, -1", nil, "", "", nil},
		{"shfl.sync.down.b32 %r2, %r1, 16, 31, 0xffff", execMask(0xffff), "undefined-source 0-15", "", laneList(0, 31)},
		{"shfl.sync.down.b32 %r2, %r1, 8, 31, 0xffff", execMask(0xffff), "undefined-source 8-15", "", laneList(8, 31)},
		{"shfl.sync.bfly.b32 %r2, %r1, 8, 31, 0xffff", execMask(0xffff), "", "", laneList(16, 31)},
		{"shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0x7fffffff", nil, "not-in-membermask 31; undefined-source 30", "", laneList(30, 31)},
		{"shfl.sync.down.b32 %r2, %r1, 8, 31, -1", execMask(0xffff), "", "deadlock 0-15", laneList(0, 31)},
		{"setp.lt.u32 p, %r1, 16; @!p exit; shfl.sync.down.b32 %r2, %r1, 8, 31, -1", nil, "undefined-source 8-15", "", laneList(8, 31)},
		{"setp.lt.u32 p, %r1, 16; @p shfl.sync.down.b32 %r2, %r1, 8, 31, -1; @!p bar.warp.sync 0xffff0000", nil, "undefined-source 8-15", "", laneList(8, 31)},
		{"setp.lt.u32 p, %r1, 16; @p shfl.sync.down.b32 %r2, %r1, 8, 31, -1; @!p bar.warp.sync -1", nil, "", "deadlock 0-15", laneList(0, 31)},
		{"shfl.down.b32 %r2, %r1, 8, 31", execMask(0xffff), "deprecated-instruction ; undefined-source 8-15", "", laneList(8, 31)},
		{"mov.u32 %r2, %r1; bar.sync 0", execMask(0xffff), "", "deadlock 0-15", laneList(16, 31)},
		// One undefined predicate makes the result of all undefined.
		{"setp.eq.u32 p, %r1, 3; @!p setp.ge.u32 q, %r1, 8; bar.red.popc.u32 %r2, 0, q", nil, "", "", laneList(0, 31)},
		{"setp.eq.u32 p, %r1, 3; @!p setp.ge.u32 q, %r1, 8; bar.red.or.pred q, 0, q; selp.u32 %r2, 1, 0, q", nil, "", "", laneList(0, 31)},
		{"setp.eq.u32 p, %r1, 3; bar.red.popc.u32 %r2, 0, p", nil, "", "", nil},
		{"mov.u32 %r2, %r1", execMask(0), "", "", laneList(0, 31)},
	} {
		r, err := crosslane.Try(context.Background(), c.src, crosslane.TryOptions{
			Set: []crosslane.TrySet{{Reg: "%r1", Bits: iota64(32, 0)}}, Exec: c.exec,
		})
		if got := codes(diag.Of(err)); got != c.fault {
			t.Errorf("%s: fault %q, want %q (%v)", c.src, got, c.fault, err)
		}
		if r == nil {
			t.Errorf("%s: no result", c.src)
			continue
		}
		if got := codes(r.Findings); got != c.findings {
			t.Errorf("%s: findings %q, want %q", c.src, got, c.findings)
		}
		if got := register(t, r.Registers, "%r2").Poison; fmt.Sprint(got) != fmt.Sprint(c.poison) {
			t.Errorf("%s: %%r2 is poisoned in lanes %v, want %v", c.src, got, c.poison)
		}
	}
}

// A finding cites the section of its own instruction.
func TestTrySections(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"shfl.sync.down.b32 %r2, %r1, 8, 31, 1": "PTX 9.7.9.6",
		"shfl.down.b32 %r2, %r1, 8, 31":         "PTX 9.7.9.5",
		"redux.sync.add.u32 %r2, %r1, 1":        "PTX 9.7.14.13",
		"vote.sync.ballot.b32 %r2, p, 1":        "PTX 9.7.14.10",
	} {
		r, err := crosslane.Try(context.Background(), src, crosslane.TryOptions{Exec: execMask(0xffff), Set: []crosslane.TrySet{{Reg: "%r2", Bits: []uint64{0}}}})
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if n := len(r.Findings); n == 0 || r.Findings[n-1].Section != want {
			t.Errorf("%s: findings %v, want one that cites %s", src, r.Findings, want)
		}
	}
}

func TestTryValues(t *testing.T) {
	t.Parallel()
	r, err := crosslane.Try(context.Background(),
		"mul.wide.s32 d, a, b; add.f32 f, x, y; and.pred q, p, p; add.u64 e, w, 1; shl.b32 s, u, 1; st.shared.u8 [z], 7; ld.shared.u32 m, [z]; and.b32 n, m, 0x10f",
		crosslane.TryOptions{
			Set: []crosslane.TrySet{
				{Reg: "a", Type: crosslane.S32, Bits: []uint64{0xffffffff, 3}}, // lanes from 1 on: 3
				{Reg: "b", Bits: []uint64{5}},
				{Reg: "x", Type: crosslane.F32, Bits: []uint64{0x3f800000}},
				{Reg: "y", Type: crosslane.F32, Bits: []uint64{0x40000000}},
				{Reg: "p", Bits: []uint64{1, 0, 1, 0}},
				{Reg: "w", Type: crosslane.S8, Bits: []uint64{0xff}},
				{Reg: "z", Bits: []uint64{128}},
			},
			Show: []string{"d", "f", "q", "e", "s", "m", "a", "u", "n"},
		})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"d", "f", "q", "e", "s", "m", "a", "u", "n"} {
		if r.Registers[i].Name != name {
			t.Fatalf("register %d is %s, want %s", i, r.Registers[i].Name, name)
		}
	}
	all := laneList(0, 31)
	want(t, r.Registers[0], nil, func(i int) uint64 {
		if i == 0 {
			return 0xfffffffffffffffb // -1 * 5
		}
		return 15
	})
	want(t, r.Registers[1], nil, func(int) uint64 { return 0x40400000 }) // 1 + 2 = 3
	if f := r.Registers[1]; !f.Float || f.Type != "f32" || f.Lanes != 32 {
		t.Errorf("f is %+v", f)
	}
	want(t, r.Registers[2], nil, func(i int) uint64 { return map[int]uint64{0: 1, 2: 1}[i] })
	want(t, r.Registers[3], nil, func(int) uint64 { return 0 }) // -1 + 1 in 64 bits
	want(t, r.Registers[4], all, nil2)
	want(t, r.Registers[5], all, nil2) // one of four bytes is written
	if m := r.Registers[5]; m.Bits[3]&0xff != 7 || m.Undefined[3] != 0xffffff00 || r.Registers[0].Undefined[0] != 0 || r.Registers[4].Undefined[1] != 0xfffffffe {
		t.Errorf("m is %#x, without the bits %#x", m.Bits[3], m.Undefined[3])
	}
	if n := r.Registers[8]; n.Undefined[3] != 0x100 {
		t.Errorf("of n the bits %#x are undefined", n.Undefined[3])
	}
	want(t, r.Registers[7], all, nil2)
}

func nil2(int) uint64 { return 0 }

func TestTryTrace(t *testing.T) {
	t.Parallel()
	r, err := crosslane.Try(context.Background(), "add.u32 a, a, 1; mov.u32 b, a; L: add.u32 a, a, b; setp.lt.u32 p, a, 20; @p bra L; mov.u32 c, 7",
		crosslane.TryOptions{Set: []crosslane.TrySet{{Reg: "a", Bits: []uint64{4}}}, Trace: true, Show: []string{"a", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	// The code is cut after each instruction as written; the branch goes back once it
	// is there.
	wantA := []uint64{5, 5, 10, 10, 20, 20}
	if len(r.Steps) != len(wantA) {
		t.Fatalf("%d steps: %v", len(r.Steps), r.Steps)
	}
	for i, s := range r.Steps {
		if got := s.Registers[0].Bits[9]; got != wantA[i] {
			t.Errorf("after %q a is %d, want %d", s.Text, got, wantA[i])
		}
		if got := len(s.Registers[1].Poison) == 0; got != (i == 5) {
			t.Errorf("after %q c is defined: %v", s.Text, got)
		}
	}
	if r.Steps[1].Text != "mov.u32 b, a" {
		t.Errorf("step 1 is %q", r.Steps[1].Text)
	}
	// A fault ends the trace; the result says so, too.
	r, err = crosslane.Try(context.Background(), "mov.u32 a, 1; ld.global.u32 a, [p]; mov.u32 a, 2",
		crosslane.TryOptions{Set: []crosslane.TrySet{{Reg: "p", Bits: []uint64{16}}}, Trace: true})
	if codes(diag.Of(err)) != "out-of-bounds 0-31" || len(r.Steps) != 2 || r.Registers[0].Bits[5] != 1 {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestTryErrors(t *testing.T) {
	t.Parallel()
	set := func(reg string, typ crosslane.ElemType, bits ...uint64) crosslane.TryOptions {
		return crosslane.TryOptions{ISA: crosslane.PTX, Set: []crosslane.TrySet{{Reg: reg, Type: typ, Bits: bits}}}
	}
	const add = "add.u32 a, b, c"
	for _, c := range []struct {
		src  string
		o    crosslane.TryOptions
		want string // in the message or its remedy
	}{
		{add, set("d", "", 1), "have no register d"},
		{add, set("d", "", 1), "use a, b, c"},
		{add, set("b", ""), "no value"},
		{add, set("b", "", iota64(33, 0)...), "33 values; it has 32"},
		{add, set("b", crosslane.U64, 1), "has 4 bytes"},
		{add, set("b", crosslane.F16, 1), "has 4 bytes"},
		{add, set("b", "s7", 1), "no type"},
		{add, set("b", "", 1<<32), "does not fit"},
		{"mov.pred a, b", set("b", "", 2), "predicate is 0 or 1"},
		{add, crosslane.TryOptions{Show: []string{"x"}}, "have no register x"},
		{add, crosslane.TryOptions{ISA: "mips"}, "no instruction set"},
		{"add.u32 a, }", crosslane.TryOptions{}, "found"},
		{"add.u32 a, b", crosslane.TryOptions{}, "operands"},
		{"shfl.bfly.b32", crosslane.TryOptions{}, "operands"}, // after a warning at the same place
		{".shared .b8 s[65537]; mov.u32 a, s", crosslane.TryOptions{}, "65537 bytes of shared"},
		{".local .b8 s[2000000]; mov.u32 a, s", crosslane.TryOptions{}, "of local"},
		{".global .b8 s[100000000]; mov.u64 a, s", crosslane.TryOptions{}, "of global"},
		{strings.Repeat("mov.u32 a, 1;\n", 1001), crosslane.TryOptions{Trace: true}, "at most 1000 can be traced"},
		{strings.Repeat(" ", 1<<20+1), crosslane.TryOptions{}, "at most"},
	} {
		r, err := crosslane.Try(context.Background(), c.src, c.o)
		if r != nil || err == nil {
			t.Errorf("%.40s: no error", c.src)
			continue
		}
		l := diag.Of(err)
		if l[len(l)-1].Class != diag.Input || !strings.Contains(err.Error()+l[0].Remedy, c.want) {
			t.Errorf("%.40s: %v (%s), want %q", c.src, err, l[0].Remedy, c.want)
		}
	}
	// A loop that never ends is ended with its context.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := crosslane.Try(ctx, "L: bra L", crosslane.TryOptions{}); r == nil || errors.Is(err, nil) || diag.Of(err)[0].Class != diag.Timeout {
		t.Errorf("endless loop: %v, %v", r, err)
	}
}

func FuzzTry(f *testing.F) {
	for _, s := range []string{
		"shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 0x1f, 0xffffffff;", "add.u32 a, b, c", "@p bra L; mov.u32 a, 1; L: exit",
		"ld.shared.v2.u32 {a, b}, [c+4]", "{ .reg .pred t; setp.eq.u32 t, a, 0; @t mov.u32 b, %laneid; }",
		"v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0; s_nop 1", "s_and_b64 vcc, exec, s[0:1]", "ds_bpermute_b32 v0, v1, v2 offset:4; s_waitcnt lgkmcnt(0)",
	} {
		f.Add(s, uint64(0xffff0000ffff))
	}
	f.Fuzz(func(t *testing.T, src string, exec uint64) {
		if strings.Contains(src, "bra") || strings.Contains(src, "branch") || len(src) > 500 {
			return // may run to the time limit
		}
		r, err := crosslane.Try(context.Background(), src, crosslane.TryOptions{Exec: &exec, Trace: true})
		if r == nil && err == nil {
			t.Error("neither result nor error")
		}
	})
}

// prefixSum is the wavefront prefix sum of the article on GCN3's cross-lane
// operations, with its independent instructions made nops.
func prefixSum(nops int) string {
	nop := strings.Repeat("v_nop; ", nops)
	return "v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0; v_add_f32 v1, v0, v1 row_shr:2 bound_ctrl:0; v_add_f32 v1, v0, v1 row_shr:3 bound_ctrl:0; " +
		nop + "v_add_f32 v1, v1, v1 row_shr:4 bank_mask:0xe; " + nop + "v_add_f32 v1, v1, v1 row_shr:8 bank_mask:0xc; " +
		nop + "v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa; " + nop + "v_add_f32 v1, v1, v1 row_bcast:31 row_mask:0xc"
}

func TestTryPrefixSum(t *testing.T) {
	t.Parallel()
	for nops := range 3 {
		r, err := crosslane.Try(context.Background(), prefixSum(nops), crosslane.TryOptions{
			Set: []crosslane.TrySet{{Reg: "v0", Type: crosslane.F32, Bits: []uint64{uint64(math.Float32bits(1))}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		v1 := register(t, r.Registers, "v1")
		if v1.Type != "f32" || !v1.Float || v1.Lanes != 64 || len(r.Registers) != 1 {
			t.Errorf("%+v", r.Registers)
		}
		want(t, v1, nil, func(i int) uint64 { return uint64(math.Float32bits(float32(i + 1))) })
		// Two wait states are needed at four places.
		if nops == 2 && len(r.Findings) != 0 || nops < 2 && len(r.Findings) != 4 {
			t.Errorf("%d nops: %v", nops, r.Findings)
		}
		for _, f := range r.Findings {
			if !strings.HasPrefix(prefixSum(nops)[max(f.Pos.Col-1, 0):], "v_add_f32 v1, v1, v1 row_") {
				t.Errorf("%v does not point at the instruction", f)
			}
			if f.Code != "wait-states" || !strings.Contains(f.Message, fmt.Sprintf("%d of 2 wait states", nops)) || f.Pos.Line != 1 {
				t.Errorf("%d nops: %v", nops, f)
			}
		}
	}
}

func TestTryGCN3(t *testing.T) {
	t.Parallel()
	r, err := crosslane.Try(context.Background(),
		"v_cmp_lt_u32 vcc, v0, v1; v_cndmask_b32 v2, v0, v1, vcc; s_and_b64 s[2:3], vcc, exec; s_bcnt1_i32_b64 s4, s[2:3]; "+
			"v_add_f64 v[6:7], v[8:9], 1.0; v_mov_b32 v3, v5; v_readfirstlane_b32 s5, v5; s_mov_b32 s6, s7",
		crosslane.TryOptions{
			Exec: execMask(0xff), Trace: true,
			Set: []crosslane.TrySet{
				{Reg: "v0", Bits: iota64(64, 0)}, {Reg: "v1", Bits: []uint64{4}}, {Reg: "v[8:9]", Type: crosslane.F64, Bits: []uint64{math.Float64bits(2.5)}},
				{Reg: "v5", Bits: []uint64{9}}, {Reg: "s7", Bits: []uint64{3}},
			},
		})
	if err != nil || len(r.Findings) > 0 {
		t.Fatal(err, r.Findings)
	}
	one := func(v uint64) func(int) uint64 { return func(int) uint64 { return v } }
	off := laneList(8, 63)
	want(t, register(t, r.Registers, "vcc"), nil, one(0xf)) // lanes 0 to 3 of 0 to 7
	want(t, register(t, r.Registers, "v2"), off, func(i int) uint64 { return uint64(max(i, 4)) })
	want(t, register(t, r.Registers, "s[2:3]"), nil, one(0xf))
	want(t, register(t, r.Registers, "s4"), nil, one(4))
	want(t, register(t, r.Registers, "v[6:7]"), off, one(math.Float64bits(3.5)))
	want(t, register(t, r.Registers, "v3"), off, one(9))
	want(t, register(t, r.Registers, "s5"), nil, one(9))
	want(t, register(t, r.Registers, "s6"), nil, one(3))
	if n := len(r.Steps); n != 8 || r.Steps[1].Text != "v_cndmask_b32 v2, v0, v1, vcc" {
		t.Errorf("%d steps: %v", n, r.Steps)
	}
	want(t, register(t, r.Steps[1].Registers, "s4"), []int{0}, one(0))
	want(t, register(t, r.Steps[0].Registers, "vcc"), nil, one(0xf))
}

// The spread of poison in GCN3: through other lanes, masks and scalars.
func TestTryGCN3Poison(t *testing.T) {
	t.Parallel()
	all := laneList(0, 63)
	for _, c := range []struct {
		src, reg string
		poison   []int
	}{
		{"v_mov_b32 v1, v9", "v1", all},
		{"s_mov_b64 exec, 0xff; v_mov_b32 v1, v0", "v1", laneList(8, 63)},
		// Row 0's lane 0 has no source: v1 stays as it was, uninitialised.
		{"v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0x1 bank_mask:0xf", "v1", append([]int{0}, laneList(16, 63)...)},
		{"v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0", "v1", nil},
		{"s_mov_b64 exec, 0xf; v_mov_b32 v2, v0; s_mov_b64 exec, -1; s_nop 1; v_mov_b32_dpp v1, v2 row_shl:2 row_mask:0xf bank_mask:0xf bound_ctrl:0", "v1",
			append(append(append(laneList(2, 13), laneList(16, 29)...), laneList(32, 45)...), laneList(48, 61)...)},
		{"v_writelane_b32 v9, s0, 5", "v9", append(laneList(0, 4), laneList(6, 63)...)},
		{"v_readlane_b32 s1, v9, 3", "s1", []int{0}},
		{"v_readlane_b32 s1, v0, 3", "s1", nil},
		{"v_cmp_eq_u32 vcc, v0, v9; s_mov_b64 s[2:3], vcc", "s[2:3]", []int{0}},
		{"v_cmp_eq_u32 vcc, v0, v9; s_and_b64 s[2:3], vcc, 0", "s[2:3]", nil},
		{"s_mov_b64 exec, 1; v_cmp_eq_u32 vcc, v0, v9; s_mov_b64 exec, -1; v_cndmask_b32 v1, 1, v0, vcc", "v1", nil2list(0)},
		{"s_mov_b64 exec, 1; v_cmp_eq_u32 vcc, v0, v9; s_mov_b64 exec, -1; v_cndmask_b32 v1, v0, v0, vcc", "v1", nil}, // whichever it is
		{"v_cmp_eq_u32 s[2:3], v0, v0; s_mov_b32 s2, s9; s_nop 4; v_cndmask_b32 v1, 1, 2, s[2:3]", "v1", laneList(0, 31)},
		{"s_cmp_eq_u32 s8, s9; s_cselect_b32 s1, 1, 2", "s1", []int{0}},
		{"s_mov_b32 s8, 1; s_cmp_eq_u32 s8, 1; s_cselect_b32 s1, s8, s9", "s1", nil},
		{"ds_bpermute_b32 v1, v0, v9; s_waitcnt lgkmcnt(0)", "v1", all},
		{"ds_permute_b32 v1, v9, v0; s_waitcnt lgkmcnt(0)", "v1", all},
		{"ds_swizzle_b32 v1, v0 offset:0x80F6; s_waitcnt lgkmcnt(0)", "v1", nil},
		{"v_xor_b32 v1, v9, v9", "v1", nil},
		{"v_mov_b32_sdwa v1, v0 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0", "v1", all},
	} {
		r, err := crosslane.Try(context.Background(), c.src, crosslane.TryOptions{
			ISA: crosslane.GCN3, Set: setFor(c.src), Show: []string{c.reg},
		})
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		if got := r.Registers[0].Poison; fmt.Sprint(got) != fmt.Sprint(c.poison) {
			t.Errorf("%s: %s is poisoned in lanes %v, want %v", c.src, c.reg, got, c.poison)
		}
	}
}

func nil2list(l ...int) []int { return l }

// setFor gives v0 and s0 their values where the instructions use them.
func setFor(src string) (sets []crosslane.TrySet) {
	if strings.Contains(src, "v0") {
		sets = append(sets, crosslane.TrySet{Reg: "v0", Bits: iota64(64, 0)})
	}
	if strings.Contains(src, "s0") {
		sets = append(sets, crosslane.TrySet{Reg: "s0", Bits: []uint64{5}})
	}
	return sets
}
