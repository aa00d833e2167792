package coarsen

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/x64"
)

// This file keeps coarsened bodies correct in memory.
//
// Input: the accesses of the function, with their region caches.
// Output: run-time comparisons: the memory that the body loads and the memory that the
// function stores do not overlap; copies of the frame's words that the body writes.
// Invariant: when a body begins, no store of an earlier wave can change a value that
// the body loads.
// Example: loads from a and stores to c: end(a) < begin(c) or end(c) < begin(a), else
// the body is given up.

// extent is a part of host memory. It begins before bytes below the address in the word
// ptr, and ends at ptr + count + span - 1; count is a word too.
type extent struct {
	ptr, count   x64.Mem
	before, span uint64
	own          bool // every wave has words of its own
}

// stores finds the memory to which the function stores.
func (p *body) stores() {
	g := p.g
	shared := false
	for i := range g.Webs.IR.Code {
		switch in := &g.Webs.IR.Code[i]; in.Op {
		case ir.Bulk, ir.Tensor, ir.HostCall, ir.Collective:
			p.every = true
		case ir.Store, ir.Atomic:
			if in.Space == ir.Shared {
				shared = true
			} else if in.Space != ir.Local {
				list := g.extents(i)
				p.fence = append(p.fence, list...)
				p.every = p.every || list == nil
			}
		}
	}
	// A generic load may be of shared memory, so stores there count.
	if shared {
		p.fence = append(p.fence, extent{ptr: g.ctl(abi.CtlShared), count: g.ctl(abi.CtlSharedEnd), span: 1})
	}
}

// mayLoad reports whether the load at i may be in the body: its memory is known, so
// that it can be compared with the stores of earlier waves.
func (p *body) mayLoad(i int) bool {
	in := &p.g.Webs.IR.Code[i]
	if p.every || in.Flags != 0 || in.Space != ir.Global && in.Space != ir.Generic && in.Space != ir.Constant {
		return false
	}
	list := p.g.extents(i)
	for _, x := range list {
		if !slices.Contains(p.loads, x) { // pieces of a vector are loaded together
			p.loads = append(p.loads, x)
		}
	}
	if list != nil {
		p.loadWalk(i)
	}
	return list != nil
}

// loadWalk adds the memory of all accesses at the induction pointer of load i, if it
// has one: any of them may have found the region, and the load's own cache may be
// empty.
func (p *body) loadWalk(i int) {
	g := p.g
	x := g.Induction(i)
	if x == 0 || slices.Contains(p.walks, x) {
		return
	}
	p.walks = append(p.walks, x)
	for _, a := range g.Code.Accesses {
		if e := extentOf(&a); g.Induction(a.Inst) == x && !slices.Contains(p.loads, e) {
			p.loads = append(p.loads, e)
		}
	}
}

// extents are the memory of the region caches of operation i, or of an earlier
// operation with which it is done together; nil: it has none.
func (g *Selection) extents(i int) (list []extent) {
	if !g.Code.Native[i] {
		return nil
	}
	in := &g.Webs.IR.Code[i]
	for k := i; k >= 0 && k > i-4 && list == nil; k-- {
		if x := &g.Webs.IR.Code[k]; x.Op != in.Op || x.Args[0] != in.Args[0] || x.Space != in.Space {
			break
		}
		for _, a := range g.Code.Accesses {
			if a.Inst == k {
				list = append(list, extentOf(&a))
			}
		}
		if g.Webs.IR.Code[k].First {
			break
		}
	}
	return list
}

// extentOf is the memory of an access's region cache.
func extentOf(a *abi.Access) extent {
	at := func(off int32) x64.Mem { return x64.Mem{Base: abi.Frame, Disp: a.Cache + off} }
	return extent{ptr: at(abi.CachePtr), count: at(abi.CacheCount), before: a.Before, span: a.Span, own: true}
}

// apart emits the comparison of the loaded memory with the memory that waves of the
// body may store. A store without a filled region cache has not run yet and may go
// anywhere, so the body is given up.
func (p *body) apart(frames []x64.Reg, bail x64.Label) {
	g := p.g
	for _, l := range p.loads {
		for _, s := range p.fence {
			for k := range frames {
				// All waves share the words of shared memory, so one comparison is
				// enough; for region caches each wave has its own.
				if k > 0 && !s.own || k == len(frames)-1 && k > 0 {
					break // no wave comes after the last
				}
				s := s
				s.ptr.Base, s.count.Base = frames[k], frames[k]
				// An empty region cache: the store has not run yet.
				if s.own {
					g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: s.count})
					g.jump(x64.JE, bail)
				}
				fine := g.label()
				g.ends(l, s)
				g.jump(x64.JBE, fine)
				g.ends(s, l)
				g.jump(x64.JA, bail)
				g.bind(fine)
			}
		}
	}
}

// ends sets the flags to "above" unless extent a ends before b begins.
func (g *Selection) ends(a, b extent) {
	t := g.gpr()
	g.load(8, t, a.ptr)
	g.rm(x64.ADD, 8, t, a.count)
	g.add(t, a.span-1+b.before)
	g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: t, HasMem: true, M: b.ptr})
}

// mayOwn reports whether a store to the frame goes to a word of which a body can have
// copies: a frame slot, or the count of lanes.
func (p *body) mayOwn(in *x64.Inst) bool {
	n, off := int32(in.Op.Info().MemSize.Of(in.Len)), in.M.Disp
	return n > 0 && off&7+n <= 8 && (off >= 0 && off < p.g.Layout.Control || p.always(off&^7))
}

// always reports whether every wave has its own value in a word.
func (p *body) always(word int32) bool {
	g := p.g
	return word == g.Layout.Control+abi.CtlLanes || word == g.Layout.Control+abi.CtlLast
}

// owns reports whether an instruction accesses a word of which the body has copies.
func (p *body) owns(in *x64.Inst) bool {
	return in.M.Index == 0 && (slices.Contains(p.words, in.M.Disp&^7) || p.always(in.M.Disp&^7))
}

// copied finds the words that need copies. It reports false if an instruction accesses
// more than one of these words at once; then it has removed the block or the code
// there.
func (p *body) copied() bool {
	p.words = p.words[:0]
	for _, i := range p.list {
		in := &p.code[i]
		word := in.M.Disp &^ 7
		if p.leads[i] == 0 && p.inFrame(in) && (in.Op.Info().DstMem && p.frame(in) != frameScratch || p.always(word)) && !slices.Contains(p.words, word) {
			p.words = append(p.words, word)
		}
	}
	fine := true
	for _, i := range p.list {
		in := &p.code[i]
		if p.leads[i] != 0 || !p.inFrame(in) {
			continue
		}
		n := int32(max(in.Op.Info().MemSize.Of(in.Len), 1))
		if in.M.Index != 0 {
			n = 8 * int32(p.g.Webs.IR.Lanes)
		}
		for _, w := range p.words {
			if at := in.M.Disp; at < w+8 && w < at+n && (at < w || at+n > w+8 || in.M.Index != 0) {
				fine = false
				p.remove(i)
				break
			}
		}
	}
	return fine
}

// copies emits the copying of the words of wave k from the frame at base to the copies,
// or back. t is a register that it may use.
func (q *writer) copies(k int, base, t x64.Reg, back bool) {
	g := q.g
	for i, w := range q.words {
		if !back && !q.wordOf[i].leads(k) {
			continue
		}
		from, to := x64.Mem{Base: base, Disp: w}, q.copyOf(i, k)
		if back {
			from, to = to, from
		}
		g.load(8, t, from)
		g.store(8, to, t)
	}
}

// copyOf is the memory operand of the copy of the i-th word for wave k.
func (q *writer) copyOf(i, k int) x64.Mem {
	return x64.Mem{Base: abi.Frame, Disp: q.first + 8*(int32(i*q.waves)+int32(q.wordOf[i][k]))}
}

// level adjusts the copy of CtlLast for wave k to the counter of the first wave, which
// the body uses: in earlier blocks the waves may have run different numbers of
// instructions. unlevel makes it relative to the wave's own counter again, after both
// counters are up to date.
func (q *writer) level(k int, frame x64.Reg) {
	g := q.g
	i := slices.Index(q.words, g.Layout.Control+abi.CtlLast)
	if i < 0 || k == 0 {
		return
	}
	counter := x64.Mem{Base: frame, Disp: g.Layout.Control + abi.CtlGPR + 8*int32(abi.Counter.Num())}
	g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: abi.Acc, B: abi.Counter})
	g.rm(x64.SUB, 4, abi.Acc, counter)
	g.emit(x64.Inst{Op: x64.ADDSt, Len: 4, B: abi.Acc, HasMem: true, M: q.copyOf(i, k)})
}

// unlevel is the inverse of level.
func (q *writer) unlevel(k int, frame x64.Reg) {
	g := q.g
	last := g.Layout.Control + abi.CtlLast
	if k == 0 || !slices.Contains(q.words, last) {
		return
	}
	counter := abi.CtlGPR + 8*int32(abi.Counter.Num())
	g.load(4, abi.Acc2, x64.Mem{Base: frame, Disp: g.Layout.Control + counter})
	g.rm(x64.SUB, 4, abi.Acc2, g.ctl(counter))
	g.emit(x64.Inst{Op: x64.ADDSt, Len: 4, B: abi.Acc2, HasMem: true, M: x64.Mem{Base: frame, Disp: last}})
}
