package race

import (
	"fmt"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Reads of data that no instruction may write during the launch (PTX 9.7.9.9, 9.7.9.10). No barrier or
// fence orders a read of this kind and a write, so it does not matter which of the two comes first. The
// first of these reads of each place is kept for the launch.
//
// Input: ir.ClaimReadOnly operations, lookups in textures, and the writes of the race detector.
// Output: findings of the codes read-only-written and texture-stale.
// Example: ld.global.nc of a[0] in block 0, st.global of a[0] in block 5: reported, in either order.

// ReadOnly remembers reads of lanes, and compares them with earlier writes.
func (w *wave) ReadOnly(in *ir.Inst, m lane.Mask) {
	k := w.d
	if k.over && !k.endReported(w, in) {
		return
	}
	for i := range m.Lanes() {
		w.readOnly(in, i, in.Space, w.Address(in.Args[0], i, in.Imm), uint64(in.Align))
	}
	if k.over || k.used > k.limit {
		k.over = true
		k.endReported(w, in)
	}
}

// readOnly remembers that lane i reads n bytes.
func (w *wave) readOnly(in *ir.Inst, i int, space ir.Space, addr, n uint64) {
	k := w.d
	at, ok := w.locate(space, addr, n)
	if !ok {
		// Elements that are not used may lie past the end: see ir.Inst.Surplus.
		if at, ok = w.locate(space, addr, 1); !ok {
			return
		}
	}
	me := newTouch(w.segment(w.groupOf(i), slotLane), i, in.Pos)
	for end := min(at.off+n, uint64(at.size)); at.off < end; at.off++ {
		p := k.page(at.mem, at.size, at.off)
		if p == nil {
			break
		}
		c := at.off & (1<<pageBits - 1)
		if !p.bytes {
			if (at.off|end)&3 != 0 {
				if !k.split(p) {
					break
				}
			} else if c /= 4; at.off&3 == 0 {
				at.off += 3
			}
		}
		if p.fixed == nil {
			if !k.take(8 * uint64(len(p.cells))) {
				break
			}
			p.fixed = make([]touch, len(p.cells))
		}
		if p.fixed[c] == 0 {
			p.fixed[c] = me
		}
		if by := p.written(c); by != 0 {
			w.written(me, by, at)
		}
	}
}

// written returns a write to a piece; 0: none.
func (p *shadowPage) written(c uint64) touch {
	if t := p.cells[c].w; t != 0 {
		return t
	}
	if p.strong != nil && p.strong[c] != nil {
		for _, r := range p.strong[c].list {
			if r.write {
				return newTouch(r.seg, firstOf(r.lanes), r.pos)
			}
		}
	}
	return 0
}

// overwrites compares a write of lane i with the read-only reads of a piece.
func (x *racing) overwrites(p *shadowPage, c uint64, i int, at touched) {
	if p.fixed != nil && x.kind != ir.AccessRead && p.fixed[c] != 0 {
		x.w.written(p.fixed[c], newTouch(x.seg, i, x.in.Pos), at)
	}
}

// written notes that a place is both read as read-only data and written in one launch.
func (w *wave) written(read, write touch, at touched) {
	f := sim.Finding{Severity: diag.Error, Lanes: lane.Lane(read.lane())}
	code, as := CodeReadOnlyWritten, "as data that stays constant during the launch"
	remedy := "load with ld.global without .nc (in CUDA: no __ldg, no const __restrict__), or write to another buffer"
	if w.throughTexture(read.pos()) {
		code, as = CodeTextureStale, "through a texture or surface"
		remedy = "write the memory in an earlier launch, or load it with ld.global: texture and surface caches do not see writes of the same launch, and no fence orders them"
	}
	if w.d.unseen(w.Wave, code, read.pos()) {
		mem := "shared memory"
		if at.alloc != nil {
			mem = fmt.Sprintf("offset %d of %q", at.start, at.alloc.Name)
			if n := at.alloc.Elem; n > 0 {
				mem += fmt.Sprintf(" (element %d)", at.start/n)
			}
		}
		pos, src := sim.Where(w.Func, write.pos())
		by := &w.Func.Pos[write.pos()]
		f.Text = fmt.Sprintf("%s reads %s %s, and %s writes it with %s%s: the value is undefined in either order",
			w.whose(read), mem, as, w.whose(write), by.Name, sim.LineOf(*by))
		f.Related = []diag.Related{{Pos: pos, Message: by.Name + ": writes the same bytes", Source: src}}
	}
	f.Remedy, f.Section = remedy, w.Func.Pos[read.pos()].Section
	w.d.note(w.Wave, code, read.pos(), f)
}

// throughTexture reports whether a guest instruction reads a texture or surface.
func (w *wave) throughTexture(pos int32) bool {
	for i := range w.Func.Code {
		if in := &w.Func.Code[i]; in.Pos == pos && in.Op == ir.Tensor && w.Func.Tensors[in.Imm].Texture != nil {
			return true
		}
	}
	return false
}

// whose names the lane of an access.
func (w *wave) whose(t touch) string {
	s := &w.d.segs[t.seg()-1]
	who := fmt.Sprintf("lane %d of wave %d", t.lane(), int(s.wave)%len(w.Waves))
	if s.block != w.block {
		at := w.Launch.Index(s.block)
		who += fmt.Sprintf(" of block (%d,%d,%d)", at[0], at[1], at[2])
	}
	return who
}
