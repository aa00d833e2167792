package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// rounds returns the number of random cases of a run: a quarter with -short.
func rounds(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

// cross32 runs the operations across 32 lanes with masks that vary within one kernel, against
// the functions of package lane on plain arrays.
func cross32(t *testing.T, e sim.Engine) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range rounds(400) {
		mode := lane.ShflMode(round & 3)
		exec := lane.Mask(r.Uint32())
		if round%5 == 0 {
			exec = lane.All(32)
		}
		if exec == 0 {
			continue
		}
		members := uint32(exec)
		if round%3 == 0 { // some members are absent: they exit first
			members |= r.Uint32()
		}
		uniform := round&4 == 0
		var a, b, c [32]uint32
		for i := range a {
			a[i], b[i], c[i] = r.Uint32(), r.Uint32(), r.Uint32()
			if uniform {
				b[i], c[i] = b[0], c[0]
			}
		}
		k := newKern(t)
		ra, rb, rc, run := k.reg(ir.B32), k.reg(ir.B32), k.reg(ir.B32), k.reg(ir.B1)
		d, p, legacy, legacyP := k.reg(ir.B32), k.reg(ir.B1), k.reg(ir.B32), k.reg(ir.B1)
		end := k.NewLabel()
		k.branch(end, run, true)
		k.ins("shfl")
		k.Emit(ir.Inst{Op: ir.Shfl, Dst: legacy, Dst2: legacyP, Args: [4]ir.Ref{ra, rb, rc}, Imm: uint64(mode)})
		k.ins("shfl.sync")
		k.Emit(ir.Inst{Op: ir.ShflSync, Dst: d, Dst2: p, Args: [4]ir.Ref{ra, rb, rc, k.c(members)}, Imm: uint64(mode)})
		k.Bind(end)
		k.exit(0)
		want, pred := lane.ShflVarying(mode, &b, &c, exec, lane.Mask(members))
		wantLegacy, _ := lane.ShflVarying(mode, &b, &c, exec, exec)
		found, _, err := launch(t, e, k.finish(), 1, 32, nil, func(l *sim.Launch) {
			l.Setup = func(w *sim.Wave) {
				for i := range 32 {
					w.Set(ra, i, uint64(a[i]))
					w.Set(rb, i, uint64(b[i]))
					w.Set(rc, i, uint64(c[i]))
					w.Set(d, i, 77)
				}
				w.SetMask(run, exec)
			}
			l.Inspect = func(w *sim.Wave) {
				for i := range 32 {
					if !exec.Has(i) && lane.Mask(members)&^exec != 0 {
						continue // the lane exited before the other lanes went on, so its value is not visible
					}
					x, y := uint64(77), uint64(0)
					if exec.Has(i) {
						x, y = uint64(a[want.Src[i]]), uint64(a[wantLegacy.Src[i]])
						if want.Undef.Has(i) {
							x = uint64(a[i]) // the default policy
						}
						if wantLegacy.Undef.Has(i) {
							y = uint64(a[i])
						}
					}
					if got := w.Get(d, i); got != x {
						t.Errorf("round %d: shfl.sync.%s lane %d: got %#x, want %#x", round, mode, i, got, x)
					}
					if got := w.Get(legacy, i); got != y {
						t.Errorf("round %d: shfl.%s lane %d: got %#x, want %#x", round, mode, i, got, y)
					}
				}
				if got := w.Mask(p); got != pred || w.Mask(legacyP) != pred {
					t.Errorf("round %d: shfl.%s predicate %#x, want %#x", round, mode, got, pred)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		if wantLegacy.Undef != 0 {
			names = append(names, fmt.Sprint("undefined-source ", wantLegacy.Undef))
		}
		if want.Undef != 0 {
			names = append(names, fmt.Sprint("undefined-source ", want.Undef))
		}
		if !slices.Equal(found, names) {
			t.Errorf("round %d: findings %q, want %q", round, found, names)
		}
		if t.Failed() {
			return
		}
	}
	folds(t, e)
}

// folds tests votes, matches and reductions under random masks.
func folds(t *testing.T, e sim.Engine) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 100 {
		exec := lane.Mask(r.Uint32() | 1<<uint(r.IntN(32)))
		var vals [32]uint32
		for i := range vals {
			vals[i] = uint32(r.IntN(4)) * 0x50000001
			if round%7 == 0 {
				vals[i] = 9
			}
		}
		pred := lane.Mask(r.Uint32())
		k := newKern(t)
		run, rp, rv := k.reg(ir.B1), k.reg(ir.B1), k.reg(ir.B32)
		end := k.NewLabel()
		k.branch(end, run, true)
		type check struct {
			name string
			ref  ir.Ref
			want func(i int) uint64
		}
		var checks []check
		one := func(b bool) uint64 {
			if b {
				return 1
			}
			return 0
		}
		votes := []bool{lane.VoteAll(pred, exec), lane.VoteAny(pred, exec), lane.VoteUni(pred, exec)}
		for m, v := range votes {
			d, d2 := k.reg(ir.B1), k.reg(ir.B1)
			k.ins("vote.sync")
			k.Emit(ir.Inst{Op: ir.VoteSync, Dst2: d, Args: [4]ir.Ref{rp, 0, 0, k.c(uint32(exec))}, Imm: uint64(m)})
			k.ins("vote")
			k.Emit(ir.Inst{Op: ir.Vote, Dst2: d2, Args: [4]ir.Ref{rp}, Imm: uint64(m)})
			checks = append(checks, check{"vote.sync", d, func(int) uint64 { return one(v) }}, check{"vote", d2, func(int) uint64 { return one(v) }})
		}
		d := k.reg(ir.B32)
		k.ins("match.any")
		k.Emit(ir.Inst{Op: ir.MatchSync, Dst: d, Args: [4]ir.Ref{rv, 0, 0, k.c(uint32(exec))}, Imm: uint64(ir.MatchAny)})
		checks = append(checks, check{"match.any", d, func(i int) uint64 {
			m := uint64(0)
			for j := range 32 {
				if exec.Has(j) && vals[j] == vals[i] {
					m |= 1 << j
				}
			}
			return m
		}})
		same := true
		sum, least := uint32(0), ^uint32(0)
		for i := range exec.Lanes() {
			same = same && vals[i] == vals[exec.First()]
			sum += vals[i]
			least = min(least, vals[i])
		}
		d, p := k.reg(ir.B32), k.reg(ir.B1)
		k.ins("match.all")
		k.Emit(ir.Inst{Op: ir.MatchSync, Dst: d, Dst2: p, Args: [4]ir.Ref{rv, 0, 0, k.c(uint32(exec))}, Imm: uint64(ir.MatchAll)})
		checks = append(checks, check{"match.all", d, func(int) uint64 { return uint64(exec) * one(same) }}, check{"match.all p", p, func(int) uint64 { return one(same) }})
		for mode, want := range map[ir.ReduxMode]uint32{ir.ReduxAdd: sum, ir.ReduxMinU: least} {
			d := k.reg(ir.B32)
			k.ins("redux")
			k.Emit(ir.Inst{Op: ir.ReduxSync, Dst: d, Args: [4]ir.Ref{rv, 0, 0, k.c(uint32(exec))}, Imm: uint64(mode)})
			checks = append(checks, check{"redux", d, func(int) uint64 { return uint64(want) }})
		}
		k.Bind(end)
		k.exit(0)
		found, _, err := launch(t, e, k.finish(), 1, 32, nil, func(l *sim.Launch) {
			l.Setup = func(w *sim.Wave) {
				w.SetMask(run, exec)
				w.SetMask(rp, pred)
				for i, v := range vals {
					w.Set(rv, i, uint64(v))
				}
			}
			l.Inspect = func(w *sim.Wave) {
				for _, c := range checks {
					for i := range 32 {
						want := uint64(0)
						if exec.Has(i) {
							want = c.want(i)
						}
						if got := w.Get(c.ref, i); got != want {
							t.Errorf("round %d: %s, exec %#x, lane %d: got %#x, want %#x", round, c.name, uint64(exec), i, got, want)
							return
						}
					}
				}
			}
		})
		if err != nil || len(found) != 0 {
			t.Fatal(err, found)
		}
	}
}

// cross64 runs the operations across 64 lanes under several EXEC masks.
func cross64(t *testing.T, e sim.Engine) {
	r := rand.New(rand.NewPCG(8, 9))
	for round := range rounds(600) {
		exec := lane.Mask(r.Uint64())
		if round%4 == 0 {
			exec = ^lane.Mask(0)
		}
		ctrl := lane.DPPCtrl(r.IntN(512))
		for !ctrl.Valid() {
			ctrl = lane.DPPCtrl(r.IntN(512))
		}
		rows, banks, bound := uint8(r.IntN(16)), uint8(r.IntN(16)), round&2 != 0
		pattern, offset := uint16(r.Uint32()), uint32(r.IntN(1<<16))
		var src, addr [64]uint32
		for i := range src {
			src[i], addr[i] = r.Uint32(), r.Uint32()
		}
		sel := uint32(r.IntN(256))
		b := ir.NewBuilder("cross64", 64)
		b.Reserve(8)
		ex, rs, ra := b.Vector("exec", ir.B1), b.Vector("src", ir.B32), b.Vector("addr", ir.B32)
		b.Func().Exec = ex
		dpp, swz, perm, bperm, same := b.Vector("dpp", ir.B32), b.Vector("swz", ir.B32), b.Vector("perm", ir.B32), b.Vector("bperm", ir.B32), b.Vector("same", ir.B32)
		lane1, first := b.Scalar("lane", ir.B32), b.Scalar("first", ir.B32)
		wl := b.Vector("wl", ir.B32)
		imm := ir.DPPImm(uint16(ctrl), rows, banks, bound)
		b.At(ir.Pos{Line: 1, Text: "dpp", Name: "dpp"})
		t0, m0 := b.Temp(ir.B32), b.Temp(ir.B1)
		b.Emit(ir.Inst{Op: ir.DPPRead, Dst: t0, Args: [4]ir.Ref{rs, ex}, Imm: imm})
		b.Emit(ir.Inst{Op: ir.DPPMask, Dst: m0, Args: [4]ir.Ref{ex}, Imm: imm})
		b.Guard(m0, false)
		b.Move(dpp, t0)
		b.At(ir.Pos{Line: 2, Text: "ds", Name: "ds"})
		b.Guard(ex, false)
		b.Emit(ir.Inst{Op: ir.DSSwizzle, Dst: swz, Args: [4]ir.Ref{rs}, Imm: uint64(pattern)})
		b.Emit(ir.Inst{Op: ir.DSPermute, Dst: perm, Args: [4]ir.Ref{ra, rs}, Imm: uint64(offset)})
		b.Emit(ir.Inst{Op: ir.DSBpermute, Dst: bperm, Args: [4]ir.Ref{ra, rs}, Imm: uint64(offset)})
		b.Emit(ir.Inst{Op: ir.ReadLane, Scalar: true, Dst: lane1, Args: [4]ir.Ref{rs, b.SConst(ir.B32, uint64(sel))}})
		b.Emit(ir.Inst{Op: ir.ReadFirstLane, Scalar: true, Dst: first, Args: [4]ir.Ref{rs, ex}})
		b.Emit(ir.Inst{Op: ir.WriteLane, Dst: wl, Args: [4]ir.Ref{b.SConst(ir.B32, 99), b.SConst(ir.B32, uint64(sel))}})
		b.Move(same, rs)
		b.Emit(ir.Inst{Op: ir.DSBpermute, Dst: same, Args: [4]ir.Ref{ra, same}, Imm: uint64(offset)})
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		dm, err := lane.DPP(ctrl, rows, banks, bound, exec)
		if err != nil {
			t.Fatal(err)
		}
		sm, pm, bm := lane.DSSwizzle(pattern, exec), lane.DSPermute(&addr, offset, exec), lane.DSBpermute(&addr, offset, exec)
		var old, dwant, swant, pwant, bwant [64]uint32
		for i := range old {
			old[i] = 5
		}
		dm.Apply32(&dwant, &src, &old)
		sm.Apply32(&swant, &src, &old)
		pm.Apply32(&pwant, &src, &old)
		bm.Apply32(&bwant, &src, &old)
		_, _, err = launch(t, e, f, 1, 64, nil, func(l *sim.Launch) {
			l.Setup = func(w *sim.Wave) {
				w.SetMask(ex, exec)
				for i := range 64 {
					w.Set(rs, i, uint64(src[i]))
					w.Set(ra, i, uint64(addr[i]))
					for _, d := range []ir.Ref{dpp, swz, perm, bperm, same} {
						w.Set(d, i, 5)
					}
				}
			}
			l.Inspect = func(w *sim.Wave) {
				for i := range 64 {
					sameWant := uint32(5)
					if exec.Has(i) {
						sameWant = bwant[i]
					}
					wlWant := uint32(0)
					if i == int(sel&63) {
						wlWant = 99
					}
					for j, c := range []struct {
						ref  ir.Ref
						want uint32
					}{{dpp, dwant[i]}, {swz, swant[i]}, {perm, pwant[i]}, {bperm, bwant[i]}, {same, sameWant}, {wl, wlWant}} {
						if got := uint32(w.Get(c.ref, i)); got != c.want {
							t.Errorf("round %d, operation %d (dpp %v rows %x banks %x bound %v), exec %#x, lane %d: got %#x, want %#x", round, j, ctrl, rows, banks, bound, uint64(exec), i, got, c.want)
							return
						}
					}
				}
				if got := uint32(w.Get(lane1, 0)); got != src[sel&63] {
					t.Errorf("readlane %d: got %#x", sel, got)
				}
				if got := uint32(w.Get(first, 0)); got != src[max(exec.First(), 0)] {
					t.Errorf("readfirstlane: got %#x", got)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
}
