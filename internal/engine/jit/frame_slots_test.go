package jit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// homes checks whether the interpreter finds the values that it needs at each place where it
// may continue.
type homes struct {
	*translation
	n      *native
	wanted [][]bool // by block and web: its value there matters
	reach  []bool   // by block
}

func newHomes(t *translation, n *native) *homes {
	h := &homes{translation: t, n: n, reach: make([]bool, len(t.ssa.IR.Blocks))}
	h.follow(0)
	h.wanted = make([][]bool, len(h.reach))
	for b := range h.wanted {
		h.wanted[b] = make([]bool, len(t.ssa.Webs))
	}
	for changed := true; changed; {
		changed = false
		for b := len(h.wanted) - 1; b >= 0; b-- {
			for w := range h.before(b).All {
				changed = changed || !h.wanted[b][w]
				h.wanted[b][w] = true
			}
		}
	}
	return h
}

func (h *homes) follow(b int) {
	if h.reach[b] {
		return
	}
	h.reach[b] = true
	for _, s := range h.ssa.Succs[b] {
		h.follow(int(s))
	}
}

// before returns the webs that matter before block b. If a result is never read, and the
// operation has no other effect, its arguments do not matter.
func (h *homes) before(b int) *webs.Set {
	f := h.ssa
	live := f.NewSet()
	for _, s := range f.Succs[b] {
		for w, is := range h.wanted[s] {
			if is {
				live.Add(webs.Web(w))
			}
		}
	}
	blk := f.IR.Blocks[b]
	for i := blk.End - 1; i >= blk.Start; i-- {
		in, o := &f.IR.Code[i], &f.Ops[i]
		needed := !harmless(in, b)
		for _, w := range [2]webs.Web{o.Dst, o.Dst2} {
			needed = needed || w != 0 && (live.Has(w) || f.Has(w, webs.Aliased))
		}
		if needed {
			h.operation(i, live)
		}
	}
	return live
}

// harmless reports whether an operation of block b has no effect except its result.
func harmless(in *ir.Inst, b int) bool {
	switch in.Op {
	case ir.Splat, ir.LaneBit, ir.Clock, ir.ActiveMask, ir.Shfl, ir.Vote, ir.Fence, ir.Nop:
		return true
	case ir.Bra, ir.SBra:
		return int(in.Imm) == b+1
	}
	return in.Op.Pure()
}

// operation turns the set of webs that matter after operation i into the set before it.
func (h *homes) operation(i int, live *webs.Set) {
	in, o := &h.ssa.IR.Code[i], &h.ssa.Ops[i]
	var not []webs.Web
	if in.Op.Pure() {
		for _, w := range o.Args {
			if w != 0 && w != o.Guard && !(o.Merge && w == o.Dst) && (w == o.Dst || !live.Has(w)) && h.indifferent(i, w) {
				not = append(not, w)
			}
		}
	}
	if in.Op == ir.ShflSync || in.Op == ir.Shfl {
		spare := 0 // whether lanes are in range depends on the other arguments
		if o.Dst != 0 && live.Has(o.Dst) {
			spare = 1 // a constant is the same in every source lane
		}
		if w := o.Args[spare]; (spare == 0 || h.sel.Known(o.Args[0]).IsConst()) && w != o.Args[1-spare] && w != o.Args[2] && w != o.Args[3] && (w == o.Dst || !live.Has(w)) {
			not = append(not, w)
		}
	}
	if k := h.sel.Known(o.Guard); o.Merge && o.Guard != 0 && k.IsConst() && (k.Base != 0) != in.GuardNot && o.Args[0] != o.Dst && o.Args[1] != o.Dst && o.Args[2] != o.Dst && o.Args[3] != o.Dst {
		not = append(not, o.Dst) // all of it is written
	}
	if in.Op == ir.ElectSync {
		not = append(not, o.Dst2) // it is written in almost all lanes
	}
	h.ssa.Before(i, live)
	for _, w := range not {
		live.Remove(w)
	}
}

// indifferent reports whether the result of operation i does not depend on a web: it is
// multiplied with 0, for example.
func (h *homes) indifferent(i int, w webs.Web) bool {
	r := rand.New(rand.NewPCG(1, 2))
	o := &h.ssa.Ops[i]
	f := ir.Evaluator(h.ssa.IR.Code[i].Op)
	for range 50 {
		var x, y [4]uint64
		n := [2]uint64{r.Uint64(), r.Uint64()}
		for k, a := range o.Args {
			if a == 0 {
				continue
			}
			m := ^uint64(0) >> (64 - min(64, 8*h.ssa.Value(a).Type.Bytes()))
			switch sh := h.sel.Known(a); {
			case a == w:
				x[k], y[k] = n[0]&m, n[1]&m
			case sh.IsConst():
				x[k], y[k] = sh.Base, sh.Base
			default:
				x[k] = r.Uint64() & m
				y[k] = x[k]
			}
		}
		if f(x) != f(y) {
			return false
		}
	}
	return true
}

// missing returns the lanes for which an exit at a place does not write the frame slot of a
// web.
func (h *homes) missing(l there, w webs.Web) lane.Mask {
	have := lane.Mask(0)
	for _, x := range h.n.lists[l.from:l.webs] {
		o := &h.n.forms[x]
		switch {
		case o.web != w:
		case o.kind == abi.Unit:
			per := h.n.unitLanes(o.value(h.ssa.IR))
			for first := int(o.unit) * per; first < h.n.lanes; first += int(o.every) {
				have |= (1<<uint(per) - 1) << uint(first)
			}
			have |= o.others
		case o.kind == abi.RowBase:
			have |= o.alike(int(o.unit) << o.steps.Tile)
		default:
			return 0
		}
	}
	return lane.All(h.n.lanes) &^ have
}

// TestFrameSlots: at the start of a block the interpreter finds every register that matters in its
// frame slot, in random programs with lanes that are selected by control flow. That holds for
// all lanes, also if the code derives some lanes from other lanes.
func TestFrameSlots(t *testing.T) {
	t.Parallel()
	programs := uint64(1500)
	if testing.Short() {
		programs = 100
	}
	places := 0
	for seed := range programs {
		p := randprog.New(seed)
		if seed%2 == 0 {
			p = randprog.NewIndex(seed)
		}
		c, err := p.Case()
		if err != nil {
			t.Fatal(err)
		}
		if c.Func.Exec != 0 {
			continue
		}
		some := slices.ContainsFunc(c.Func.Code, func(in ir.Inst) bool { return in.Op == ir.Shfl || in.Op == ir.ShflSync })
		for tier, e := range tierEngines(t) {
			fn := *c.Func
			prog, err := e.Compile(&fn)
			if err != nil {
				t.Fatal(err)
			}
			k := prog.(*Program).key(&sim.Launch{Func: &fn, Grid: c.Grid, Block: c.Block})
			h := newHomesOf(t, &fn, k)
			for b := range fn.Blocks {
				if !h.reach[b] {
					continue
				}
				places++
				for w, is := range h.wanted[b] {
					info := &h.ssa.Webs[w]
					if !is || info.Flags&webs.Input != 0 && (info.Defs == 0 || b == 0 && len(h.ssa.Preds[0]) == 0) {
						continue // the frame slot of an input that was not written still holds the launch's value
					}
					m := h.missing(h.n.live[b], webs.Web(w))
					if sh := h.sel.Known(webs.Web(w)); m != lane.All(fn.Lanes) && (some || sh.Kind == shape.Varying && sh.Tile == 0) {
						continue // it is read in some lanes only, or written under a known guard
					}
					if m != 0 {
						t.Errorf("seed %d, %s, block %d: lanes %#x of %s, which is %s, are not there\n%s", seed, tier, b, uint64(m), h.ssa.Name(webs.Web(w)), h.sel.Known(webs.Web(w)), h.ssa.Print(nil))
						return
					}
				}
			}
		}
	}
	if places < int(programs) {
		t.Errorf("there are only %d places", places)
	}
}

func newHomesOf(t *testing.T, f *ir.Func, k key) *homes {
	m := new(scratch)
	tr, list, err := m.assemble(f, k.geom, k.tier)
	if err != nil {
		t.Fatal(err)
	}
	code, err := new(x64.Assembler).Encode(list, tr.sel.LIR.Pool)
	if err != nil {
		t.Fatal(err)
	}
	return newHomes(tr, tr.native(code.Labels))
}
