package api_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/test/kit"
)

// recordPartial records partial_reduce of the examples: 20 of 32 lanes reduce with shuffles of a whole warp. in[i] is 3i+1.
func recordPartial(t *testing.T, o crosslane.RecordOptions) (r *crosslane.Recording, in, out []uint32) {
	t.Helper()
	m, err := crosslane.LoadFile("examples/ptx/mistakes.ptx")
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("partial_reduce")
	if err != nil {
		t.Fatal(err)
	}
	in, out = make([]uint32, 32), make([]uint32, 1)
	for i := range in {
		in[i] = uint32(3*i + 1)
	}
	r, err = k.Record(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{crosslane.Slice("in", in), crosslane.Slice("out", out), crosslane.Int(20)}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, in, out
}

// one returns the only step that a query selects.
func one(t *testing.T, r *crosslane.Recording, q crosslane.StepQuery) int {
	t.Helper()
	list, err := r.Find(context.Background(), q)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v selects %v, %v; want one step", q, list, err)
	}
	return list[0]
}

// TestRecordExchange compares the steps of a partial reduction with what the kernel's text and the manual say: lanes 0 to 19
// read 16 lanes further down, lanes 4 to 15 read lanes that do not take part and get their own value.
func TestRecordExchange(t *testing.T) {
	t.Parallel()
	r, in, out := recordPartial(t, crosslane.RecordOptions{Check: true})
	n := one(t, r, crosslane.StepQuery{Line: 36})
	s, err := r.Step(n)
	if err != nil {
		t.Fatal(err)
	}
	const members = 0xfffff
	if s.Lanes != members || s.Active != members || s.Op != "shfl.sync.down.b32" || s.Exchange == nil || s.Exchange.Members != members || s.Exchange.Together != members || s.Done != n {
		t.Fatalf("the shuffle: %+v", s)
	}
	acc := slices.Clone(in)
	for i := range 32 {
		source := -1
		if i < 20 {
			if source = i + 16; source > 31 {
				source = i
			}
		}
		if s.Exchange.Source[i] != source {
			t.Errorf("lane %d reads lane %d, want %d", i, s.Exchange.Source[i], source)
		}
		value, undefined, ok := s.Writes[0].Lane(i)
		if ok != (i < 20) {
			t.Fatalf("lane %d is written: %v", i, ok)
		}
		if !ok {
			continue
		}
		want, bad := in[i], uint64(0)
		switch {
		case source < 20:
			want = in[source]
		default:
			bad = 0xffffffff
		}
		if value != uint64(want) || undefined != bad {
			t.Errorf("lane %d of %s is %#x, undefined %#x; want %#x, %#x", i, s.Writes[0].Name, value, undefined, want, bad)
		}
	}
	absent := map[int]int{}
	for _, a := range s.Exchange.Absent {
		absent[a.Reader] = a.Lane
		if !slices.Contains(a.Reasons, "not-member") {
			t.Errorf("lane %d is absent because of %v", a.Lane, a.Reasons)
		}
	}
	for i := range 32 {
		if lane, ok := absent[i]; ok != (i >= 4 && i < 16) || ok && lane != i+16 {
			t.Errorf("lane %d reads the absent lane %d: %v", i, lane, ok)
		}
	}
	info := r.Info()
	if len(s.Findings) != 1 || info.Findings[s.Findings[0]].Finding.Code != "undefined-source" || info.Findings[s.Findings[0]].Finding.Pos.Line != 36 {
		t.Errorf("the findings of the step: %v of %v", s.Findings, info.Findings)
	}
	// The registers before and after: not written at all, then written in 20 lanes.
	before, after := registerAt(t, r, n, "%r6"), registerAt(t, r, n+1, "%r6")
	for i := range 32 {
		_, u, _ := before.Lane(i)
		v, w, _ := after.Lane(i)
		if u != 0xffffffff || i < 4 && (v != uint64(in[i+16]) || w != 0) || i >= 20 && w != 0xffffffff {
			t.Errorf("lane %d: undefined bits %#x before; %#x with undefined bits %#x after", i, u, v, w)
		}
	}
	// Memory before and after the store, which ends a reduction with the values that the shuffles gave.
	for d := 16; d > 0; d /= 2 {
		next := slices.Clone(acc)
		for i := range 20 {
			v := acc[i]
			if i+d < 20 {
				v = acc[i+d]
			}
			next[i] = acc[i] + v
		}
		copy(acc, next)
	}
	store := one(t, r, crosslane.StepQuery{Line: 49})
	for at, want := range map[int]uint32{store: 0, store + 1: acc[0]} {
		b, err := r.Memory(at, crosslane.MemoryRange{Name: "out"})
		if err != nil || binary.LittleEndian.Uint32(b) != want {
			t.Errorf("out[0] before step %d is %v, %v; want %d", at, b, err, want)
		}
	}
	if out[0] != acc[0] {
		t.Errorf("the launch wrote %d, want %d", out[0], acc[0])
	}
	if s, ok, err := r.LastStore(store+1, crosslane.MemoryRange{Name: "out", Size: 4}); !ok || err != nil || s.Step != store || s.Lane != 0 {
		t.Errorf("the last store: %+v, %v, %v", s, ok, err)
	}
	if _, ok, err := r.LastStore(store, crosslane.MemoryRange{Name: "out", Size: 4}); ok || err != nil {
		t.Errorf("there is a store before the store: %v", err)
	}
	_, steps := r.Bounds()
	if w, err := r.LastWrite(steps, 0, "%r6", 3); w != n || err != nil {
		t.Errorf("the last write of %%r6 is step %d, %v; want %d", w, err, n)
	}
	if w, err := r.LastWrite(n, 0, "%r6", 3); w != -1 || err != nil {
		t.Errorf("a write before the shuffle: step %d, %v", w, err)
	}
	if w, err := r.NextWrite(0, 0, "%r6", 3); w != n || err != nil {
		t.Errorf("the next write of %%r6 is step %d, %v; want %d", w, err, n)
	}
	if w, err := r.NextWrite(0, 0, "%r6", 25); w != -1 || err != nil {
		t.Errorf("lane 25 of %%r6 is written in step %d, %v", w, err)
	}
	p, err := r.Why(context.Background(), n, 4)
	if err != nil || !p.Undefined || !strings.Contains(p.Text(crosslane.WhyView{}), "lane 20") {
		t.Errorf("why: %v, %+v", err, p)
	}
	if found := one(t, r, crosslane.StepQuery{Register: "%r6"}); found != n {
		t.Errorf("step %d writes %%r6", found)
	}
	lane := 25
	if list, err := r.Find(context.Background(), crosslane.StepQuery{Lane: &lane, From: 10}); err != nil || len(list) != 1 {
		t.Errorf("lane 25 does the steps %v, %v after the branch; want only the last", list, err)
	}
}

func registerAt(t *testing.T, r *crosslane.Recording, n int, name string) *crosslane.RegisterValue {
	t.Helper()
	s, err := r.At(n, 0, name)
	if err != nil || s.Register(name) == nil {
		t.Fatalf("%s before step %d: %v", name, n, err)
	}
	return s.Register(name)
}

// TestRecordFragments follows the lanes of a branch: they part at once, each part has a place, and they join at the end.
func TestRecordFragments(t *testing.T) {
	t.Parallel()
	r, _, _ := recordPartial(t, crosslane.RecordOptions{})
	branch := one(t, r, crosslane.StepQuery{Line: 31})
	s, err := r.At(branch+1, 0)
	if err != nil || len(s.Fragments) != 2 {
		t.Fatalf("after the branch: %+v, %v", s, err)
	}
	a, b := s.Fragments[0], s.Fragments[1]
	if a.ID != 0 || a.Lanes != 0xfffff || a.Line != 33 || a.Next != branch+1 || b.ID != 1 || b.Lanes != 0xfff00000 || b.Line != 51 || s.Running != 0 {
		t.Errorf("fragments %+v, %+v; running %d", a, b, s.Running)
	}
	_, n := r.Bounds()
	if s, err = r.At(n, 0); err != nil || len(s.Fragments) != 0 || s.Exited != 0xffffffff {
		t.Errorf("at the end: %+v, %v", s, err)
	}
	last, err := r.Step(n - 1)
	if err != nil || last.Exits != 0xffffffff || last.Fragment != 0 {
		t.Errorf("the last step: %+v, %v", last, err)
	}
}

// TestRecordWaiting: lanes that arrive at a rendezvous wait from the step of their arrival on; their results come in a later
// step; and lanes that others never join wait for ever.
func TestRecordWaiting(t *testing.T) {
	t.Parallel()
	src := kit.Kernel("sm_80", 1, `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %q1, %r1, 8;
	@%q1 bra L;
	add.u32 %r2, %r1, 100;
	shfl.sync.bfly.b32 %r3, %r1, 8, 31, 0xffff;
	bra E;
L:
	add.u32 %r2, %r1, 200;
	shfl.sync.bfly.b32 %r3, %r1, 8, 31, 0xffff;
E:
	st.global.u32 [%p0], %r3;
`)
	l := crosslane.Launch{Block: crosslane.Dim3{X: 16}}
	k := kit.Load(t, src, &l, make([]uint32, 32))
	r, err := k.Record(context.Background(), l, crosslane.RecordOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Find(context.Background(), crosslane.StepQuery{Register: "%r3"})
	if err != nil || len(list) != 2 {
		t.Fatalf("shuffles: %v, %v", list, err)
	}
	first, err1 := r.Step(list[0])
	second, err2 := r.Step(list[1])
	if err1 != nil || err2 != nil || first.Done != list[1] || second.Done != list[1] || first.Lanes|second.Lanes != 0xffff || first.Lanes&second.Lanes != 0 {
		t.Fatalf("%+v %v, %+v %v", first, err1, second, err2)
	}
	for _, s := range []*crosslane.Step{first, second} {
		if s.Exchange == nil || s.Exchange.Together != 0xffff || len(s.Writes) != 1 || s.Writes[0].Lanes != s.Lanes {
			t.Fatalf("a shuffle: %+v", s)
		}
		for _, i := range s.Lanes.Lanes() {
			if v, _, _ := s.Writes[0].Lane(i); v != uint64(i^8) || s.Exchange.Source[i] != i^8 {
				t.Errorf("lane %d reads lane %d and gets %d", i, s.Exchange.Source[i], v)
			}
		}
	}
	s, err := r.At(list[1], 0)
	if err != nil || len(s.Fragments) != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, f := range s.Fragments {
		if waits := f.Lanes == first.Lanes; f.Waiting != waits || waits && (f.Since != list[0] || f.Line != first.Line || f.Next <= list[1]) {
			t.Errorf("a fragment before the second arrival: %+v", f)
		}
	}
}

// TestRecordDeadlock: a recording goes up to a deadlock, and the lanes that wait have no next step.
func TestRecordDeadlock(t *testing.T) {
	t.Parallel()
	src := kit.Kernel("sm_80", 1, `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %q1, %r1, 8;
	@%q1 bra L;
	shfl.sync.bfly.b32 %r3, %r1, 8, 31, 0xffffffff;
	bra E;
L:
	bar.warp.sync 0xffffffff;
E:
`)
	l := crosslane.Launch{Block: crosslane.Dim3{X: 32}}
	k := kit.Load(t, src, &l, make([]uint32, 32))
	r, err := k.Record(context.Background(), l, crosslane.RecordOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, n := r.Bounds()
	s, err := r.At(n, 0)
	if err != nil || len(s.Fragments) != 2 || s.Running != -1 {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, f := range s.Fragments {
		if !f.Waiting || f.Next != -1 || f.Line == 0 {
			t.Errorf("a fragment of the deadlock: %+v", f)
		}
		if at, err := r.Step(f.Since); err != nil || at.Done != -1 {
			t.Errorf("its arrival: %+v, %v", at, err)
		}
	}
	info := r.Info()
	if len(info.Findings) != 1 || info.Findings[0].Finding.Code != "deadlock" || len(info.Findings[0].Steps) != 1 {
		t.Errorf("findings: %+v", info.Findings)
	}
}

// TestRecordWindow: steps that bounds leave out are those of another window, and the state there is the same.
func TestRecordWindow(t *testing.T) {
	t.Parallel()
	src := kit.Kernel("sm_80", 1, `
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, 0;
L:
	add.u32 %r2, %r2, 1;
	mad.lo.u32 %r1, %r1, 5, %r2;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd2, %rd2, %p0;
	st.global.u32 [%rd2], %r1;
	setp.lt.u32 %q1, %r2, 4000;
	@%q1 bra L;
`)
	l := crosslane.Launch{Block: crosslane.Dim3{X: 64}}
	buf := make([]uint32, 4001)
	k := kit.Load(t, src, &l, buf)
	record := func(o crosslane.RecordOptions) *crosslane.Recording {
		clear(buf)
		r, err := k.Record(context.Background(), l, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all := record(crosslane.RecordOptions{})
	small := record(crosslane.RecordOptions{Limit: 1 << 20})
	a, s := all.Info(), small.Info()
	if a.Full || !s.Full || s.Steps >= a.Steps || s.Total != a.Total || a.Steps != a.Total || s.Bytes > 2<<20 {
		t.Fatalf("all: %d of %d steps, full %v; bounded: %d of %d, %d bytes", a.Steps, a.Total, a.Full, s.Steps, s.Total, s.Bytes)
	}
	around, err := small.Around(context.Background(), a.Total-100)
	if err != nil {
		t.Fatal(err)
	}
	middle := record(crosslane.RecordOptions{From: a.Total / 3, Limit: 1 << 20})
	g := rand.New(rand.NewPCG(1, 2))
	for _, w := range []*crosslane.Recording{small, around, middle} {
		first, steps := w.Bounds()
		if steps == 0 {
			t.Fatal("no steps")
		}
		for range 30 {
			n := first + g.IntN(steps)
			for wave := range 2 {
				want, err1 := all.At(n, wave)
				got, err2 := w.At(n, wave)
				if err1 != nil || err2 != nil {
					t.Fatal(err1, err2)
				}
				if !reflect.DeepEqual(want.Registers, got.Registers) {
					t.Fatalf("wave %d before step %d: the registers of a window from %d differ", wave, n, first)
				}
			}
			want, err1 := all.Memory(n, crosslane.MemoryRange{Name: all.Info().Memories[0].Name})
			got, err2 := w.Memory(n, crosslane.MemoryRange{Name: all.Info().Memories[0].Name})
			if err1 != nil || err2 != nil || !slices.Equal(want, got) {
				t.Fatalf("memory before step %d differs in a window from %d: %v, %v", n, first, err1, err2)
			}
			x, err1 := all.Step(n)
			y, err2 := w.Step(n)
			if x.Fragment, y.Fragment = 0, 0; err1 != nil || err2 != nil || !reflect.DeepEqual(x, y) {
				t.Fatalf("step %d differs:\n%+v %v\n%+v %v", n, x, err1, y, err2)
			}
		}
	}
	if _, err := small.Step(a.Total - 1); err == nil || !strings.Contains(err.Error(), "there is no step") {
		t.Errorf("a step that was left out: %v", err)
	}
}

// TestRecordBackAndForth: n steps forward and n steps back give the same state, whatever was asked before.
func TestRecordBackAndForth(t *testing.T) {
	t.Parallel()
	r, _, _ := recordPartial(t, crosslane.RecordOptions{Check: true})
	_, n := r.Bounds()
	state := func(r *crosslane.Recording, at int) string {
		s, err := r.At(at, 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		m, err := r.Memory(at, crosslane.MemoryRange{Name: "out"})
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + string(m)
	}
	var forward []string
	for at := range n + 1 {
		forward = append(forward, state(r, at))
	}
	for at := n; at >= 0; at-- {
		if state(r, at) != forward[at] {
			t.Fatalf("step %d differs on the way back", at)
		}
	}
	again, _, _ := recordPartial(t, crosslane.RecordOptions{Check: true})
	for _, at := range rand.New(rand.NewPCG(3, 4)).Perm(n + 1) {
		if state(again, at) != forward[at] {
			t.Fatalf("step %d differs in a recording that is asked at random", at)
		}
	}
}

// TestRecordAnyOrder: what a step and a state say does not depend on what was asked before, in a record so long that it keeps
// several frames and fragments of a wave on the way.
func TestRecordAnyOrder(t *testing.T) {
	t.Parallel()
	// Lane t counts down from 37t: the lanes leave the loop one after the other.
	src := kit.Kernel("sm_80", 1, `
mov.u32 %r1, %tid.x;
mul.lo.u32 %r1, %r1, 37;
mov.u32 %r2, 0;
loop:
add.u32 %r2, %r2, %r1;
setp.eq.u32 %q1, %r1, 0;
@%q1 bra end;
sub.u32 %r1, %r1, 1;
bra loop;
end:
`)
	record := func() *crosslane.Recording {
		l := crosslane.Launch{Block: crosslane.Dim3{X: 32}}
		k := kit.Load(t, src, &l, make([]uint32, 32))
		r, err := k.Record(context.Background(), l, crosslane.RecordOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	say := func(r *crosslane.Recording, n int) string {
		s, err := r.Step(n)
		if err != nil {
			t.Fatal(err)
		}
		at, err := r.At(n, s.Wave, "%r2")
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal([]any{s, at})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	r := record()
	_, n := r.Bounds()
	if n < 5000 {
		t.Fatalf("%d steps: too few for two frames", n)
	}
	var forward []string
	for at := range n {
		forward = append(forward, say(r, at))
	}
	// Lane t has summed the numbers up to 37t.
	s, err := r.At(n, 0)
	if err != nil {
		t.Fatal(err)
	}
	for l := range 32 {
		if v, _, _ := s.Register("%r2").Lane(l); v != uint64(37*l*(37*l+1)/2) {
			t.Errorf("lane %d: %d, want %d", l, v, 37*l*(37*l+1)/2)
		}
	}
	again := record()
	order := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		at := order.IntN(n)
		for i := range 3 { // and the next ones
			if at+i < n && say(again, at+i) != forward[at+i] {
				t.Fatalf("step %d differs in a recording that is asked in another order", at+i)
			}
		}
	}
}

// TestRecordEXEC: GCN3 has 64 lanes in one fragment, and EXEC says which act; a DPP move reads lanes within rows of 16.
func TestRecordEXEC(t *testing.T) {
	t.Parallel()
	// The lines 13 to 20.
	src := badKernel("v_mov_b32 v4, v0;s_mov_b64 exec, 0xff;v_add_u32 v4, vcc, 3, v4;s_nop 1;" +
		"v_mov_b32_dpp v5, v4 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0;s_mov_b64 exec, -1;v_cmp_lt_u32 vcc, 20, v0;s_endpgm")
	m, err := crosslane.Load([]byte(src), "k.s", crosslane.GCN3)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("")
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.Record(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: 64}, Args: []crosslane.Arg{crosslane.Slice("out", make([]uint32, 64))}}, crosslane.RecordOptions{})
	if err != nil {
		t.Fatal(err)
	}
	add, dpp, cmp := one(t, r, crosslane.StepQuery{Line: 15}), one(t, r, crosslane.StepQuery{Line: 17}), one(t, r, crosslane.StepQuery{Line: 19})
	s, err := r.Step(add)
	if err != nil || s.Lanes != ^crosslane.Hex(0) || s.Active != 0xff {
		t.Fatalf("v_add_u32: %+v, %v", s, err)
	}
	v4 := registerAt(t, r, add+1, "v4")
	for i := range 64 {
		want := uint64(i)
		if i < 8 {
			want += 3
		}
		if v, _, _ := v4.Lane(i); v != want {
			t.Errorf("lane %d of v4 is %d, want %d", i, v, want)
		}
	}
	if s, err = r.Step(dpp); err != nil || s.Exchange == nil || s.Exchange.Readers != 0xff {
		t.Fatalf("v_mov_b32_dpp: %+v, %v", s, err)
	}
	for i := range 8 {
		if got := s.Exchange.Source[i]; got != i-1 {
			t.Errorf("lane %d reads lane %d", i, got)
		}
	}
	state, err := r.At(cmp+1, 0)
	if err != nil || state.Exec == nil || *state.Exec != ^crosslane.Hex(0) {
		t.Fatalf("the state after v_cmp: %+v, %v", state, err)
	}
	if vcc := state.Register("vcc"); vcc == nil {
		t.Error("no vcc among the registers")
	} else if n := bits.OnesCount64(laneBits(vcc)); n != 64-21 {
		t.Errorf("vcc has %d lanes, want 43", n)
	}
	for _, name := range []string{"exec", "scc", "v0", "s0"} {
		if state.Register(name) == nil {
			t.Errorf("no %s among the registers", name)
		}
	}
}

// laneBits reads a register as a set of lanes: a scalar of 64 bits, or one bit per lane.
func laneBits(v *crosslane.RegisterValue) (m uint64) {
	if v.Scalar {
		return uint64(v.Bits[0])
	}
	for i := range 64 {
		if b, _, ok := v.Lane(i); ok {
			m |= b & 1 << uint(i)
		}
	}
	return m
}

// TestRecordSource: a step names the line of the program that it was compiled from, by .loc, and is found by it.
func TestRecordSource(t *testing.T) {
	t.Parallel()
	src := ".version 8.0\n.target sm_70\n.address_size 64\n.file 1 \"dir/scan.cu\"\n.visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n" +
		"\t.loc 1 11 3\n\tmov.u32 %r1, %tid.x;\n\t.loc 1 12 7\n\tadd.u32 %r2, %r1, 1;\n\tadd.u32 %r2, %r2, %r1;\n\tret;\n}\n"
	l := crosslane.Launch{Block: crosslane.Dim3{X: 32}}
	k := kit.Load(t, src, &l, make([]uint32, 1))
	r, err := k.Record(context.Background(), l, crosslane.RecordOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]int{"scan.cu:11": 1, "dir/scan.cu:12": 3, "other.cu:11": 0} {
		list, err := r.Find(context.Background(), crosslane.StepQuery{Source: line})
		if err != nil || len(list) != want {
			t.Errorf("%s: steps %v, %v; want %d", line, list, err, want)
		}
	}
	s, err := r.Step(0)
	if err != nil || len(s.Source) != 1 || s.Source[0] != (crosslane.SourceLine{File: "dir/scan.cu", Line: 11, Column: 3}) {
		t.Errorf("the first step: %+v, %v", s, err)
	}
}

// TestRecordSharedMemory: shared memory at each step is what the stores before it left, in each of the recorded blocks.
func TestRecordSharedMemory(t *testing.T) {
	t.Parallel()
	src := kit.Kernel("sm_80", 1, `
	mov.u32 %r2, sm;
	shl.b32 %r3, %lane, 2;
	add.u32 %r2, %r2, %r3;
	mad.lo.u32 %r4, %bid, 100, %lane;
	st.shared.u32 [%r2], %r4;
	add.u32 %r4, %r4, 1;
	st.shared.u32 [%r2], %r4;
	atom.shared.add.u32 %r5, [%r2], 5;
`)
	l := crosslane.Launch{Grid: crosslane.Dim3{X: 3}, Block: crosslane.Dim3{X: 32}}
	k := kit.Load(t, src, &l, make([]uint32, 32))
	r, err := k.Record(context.Background(), l, crosslane.RecordOptions{Blocks: []crosslane.Dim3{{X: 1}, {X: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	info := r.Info()
	if len(info.Waves) != 2 {
		t.Fatalf("waves: %+v", info.Waves)
	}
	for wave, w := range info.Waves {
		steps, err := r.StepsOf(wave)
		if err != nil {
			t.Fatal(err)
		}
		want := uint32(0) // of lane 3
		for _, n := range steps {
			s, err := r.Step(n)
			if err != nil {
				t.Fatal(err)
			}
			b, err := r.Memory(n, crosslane.MemoryRange{Space: "shared", Block: crosslane.Dim3{X: w.Block[0]}, Offset: 12, Size: 4})
			if err != nil || binary.LittleEndian.Uint32(b) != want {
				t.Fatalf("block %d before step %d: %v, %v; want %d", w.Block[0], n, b, err, want)
			}
			switch {
			case s.Op == "st.shared.u32" && want == 0:
				want = 100*w.Block[0] + 3
			case s.Op == "st.shared.u32":
				want++
			case strings.HasPrefix(s.Op, "atom.shared"):
				want += 5
			}
		}
		if want != 100*w.Block[0]+9 {
			t.Errorf("the steps of block %d end with %d", w.Block[0], want)
		}
	}
	if _, err := r.Memory(0, crosslane.MemoryRange{Space: "shared"}); err == nil {
		t.Error("the shared memory of a block that is not recorded is known")
	}
}
