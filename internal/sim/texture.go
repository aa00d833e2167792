package sim

import (
	"fmt"
	"math"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/texture"
	"example.org/crosslane/lane"
)

// Textures and surfaces.
//
// Input: a Tensor operation of a texture or surface, with handles: addresses of descriptors in memory.
// Output: a value of a lookup, the address of an element of a surface, or an attribute.
// Invariant: nothing is written. Every texel is read from memory that the launch may read, so that freed and foreign memory
// faults.
// Example: tex.2d at (0.5, 0.5) with a linear filter reads four texels, reports the read of each, and returns their mean.

// A textureOp is an operation of one lane.
type textureOp struct {
	w     *Wave
	in    *ir.Inst
	info  *ir.TextureInfo
	src   []ir.Ref
	lane  int
	undef bool
	reads ownAccesses
	taps  []texture.Tap
	seen  [2]struct { // the last descriptors that were decoded
		addr uint64
		ok   bool
		d    texture.Desc
	}
}

// lookUp performs an operation for the lanes of m. It returns false after a fault.
func lookUp(w *Wave, in *ir.Inst, src []ir.Ref, info *ir.TextureInfo, m lane.Mask) bool {
	t := textureOp{w: w, in: in, info: info, src: src, undef: in.Flags&ir.Undefined != 0}
	if info.Do == ir.TextureFetches {
		t.reads = w.accesses(in, ir.AccessRead)
		defer t.reads.end()
	}
	var taps [16]texture.Tap
	for i := range m.Lanes() {
		t.lane, t.taps = i, taps[:0]
		v, ok := t.value()
		if !ok {
			return false
		}
		w.Set(in.Dst, i, v)
	}
	return true
}

// arg returns operand k of the list; 0 if there is none.
func (t *textureOp) arg(k int) uint32 {
	if k >= len(t.src) {
		return 0
	}
	return uint32(t.w.Get(t.src[k], t.lane))
}

// four returns up to four operands from k on.
func (t *textureOp) four(k int) (v [4]uint32) {
	for i := range v {
		v[i] = t.arg(k + i)
	}
	return v
}

// value returns the result of the lane; ok is false after a fault.
func (t *textureOp) value() (v uint64, ok bool) {
	if t.info.Do == ir.TextureAsks && t.info.Query == texture.NoQuery {
		d, why := t.decode(1)
		if why == "" && d.Kind == t.info.Kind {
			v = 1
		}
		return v, true
	}
	d := t.desc(1, t.info.Kind)
	if d == nil {
		return 0, false
	}
	switch t.info.Do {
	case ir.TextureLocates:
		if why := d.BadSurface(&t.info.Access); why != "" {
			return 0, t.bad(1, why)
		}
		addr, why := d.Locate(&t.info.Access, t.four(0))
		if why != "" {
			t.w.Fault = &Fault{Code: CodeOutOfBounds, Pos: t.in.Pos, Lanes: lane.Lane(t.lane), Remedy: "keep the coordinates inside the surface (x counts bytes with .b), or use .clamp or .zero",
				Text: fmt.Sprintf("%s accesses the surface at address %#x: %s", t.whose(), t.w.Get(t.in.Args[1], t.lane), why)}
			return 0, false
		}
		return addr, true
	case ir.TexturePacks:
		return uint64(d.Word(t.four(0), t.info.Result)), true
	case ir.TextureSize:
		return uint64(d.Texel()), true
	case ir.TextureAsks:
		return uint64(d.Ask(t.info.Query, t.arg(0))), true
	}
	return t.fetch(d)
}

// pointOf returns the operands of a lookup.
func pointOf(op *texture.Lookup, arg func(k int) uint32) (p texture.Point) {
	n := op.Geometry.Coordinates()
	for i := range n {
		p.At[i] = arg(i)
	}
	switch op.Mip {
	case texture.Level:
		p.Level = arg(n)
		n++
	case texture.Grad:
		for i := range op.Gradients() {
			p.DX[i], p.DY[i] = math.Float32frombits(arg(n+i)), math.Float32frombits(arg(n+op.Gradients()+i))
		}
		n += 2 * op.Gradients()
	}
	if op.Offset {
		for i := range op.Geometry.Dims() {
			p.Offset[i] = int32(arg(n + i))
		}
	}
	return p
}

// fetch returns a result of a lookup, or its undefined bits.
func (t *textureOp) fetch(d *texture.Desc) (v uint64, ok bool) {
	w, op := t.w, &t.info.Lookup
	if why := d.Bad(op); why != "" {
		return 0, t.bad(1, why)
	}
	s := d.Sampling
	if t.in.Args[0] != 0 {
		b := t.desc(0, texture.Sampler)
		if b == nil {
			return 0, false
		}
		s = d.With(b)
	}
	p := pointOf(op, t.arg)
	t.taps = d.Taps(t.taps, op, &s, &p)
	from, to, first, last := op.Channels(t.info.Result, len(t.taps))
	size := uint64(d.Texel())
	far := ir.Inst{Op: ir.Load, Space: ir.Global, Size: 1, Align: 1, Pos: t.in.Pos, Flags: t.in.Flags & ir.Undefined}
	var texels [16][]byte
	low, high := d.ChannelBytes(from, to)
	for i := first; i < last; i++ {
		x := &t.taps[i]
		if !x.In {
			continue
		}
		var r Region
		m := w.Slow(&far, &r, x.Addr, size, t.lane, false)
		if m == nil {
			return 0, false
		}
		texels[i] = unsafe.Slice((*byte)(m), size)
		if t.undef {
			for _, b := range texels[i][low:high] {
				if b != 0 {
					v = 1<<32 - 1
				}
			}
			continue
		}
		t.reads.touch(t.lane, ir.Global, x.Addr, size, nil)
		w.read(t.in, t.lane, ir.Global, x.Addr, size)
	}
	if t.undef {
		return v, true
	}
	w.Charge()
	return uint64(d.Value(op, &s, t.taps, t.info.Result, func(i int) []byte { return texels[i] })), true
}

// Texels returns the texels that a lookup reads for its result: their addresses and size. handle, sampler (0: none) and arg
// are its operands. ok is false if a handle names no descriptor that fits.
func Texels(mem *Memory, info *ir.TextureInfo, handle, sampler uint64, arg func(k int) uint32) (taps []texture.Tap, size uint64, ok bool) {
	find := func(addr uint64) (d texture.Desc, ok bool) {
		a := mem.Find(addr, texture.Size)
		if a == nil || addr-a.Base+texture.Size > uint64(len(a.Data)) {
			return d, false
		}
		return texture.Decode((*[texture.Size]byte)(a.Data[addr-a.Base:]))
	}
	d, ok := find(handle)
	if !ok || d.Bad(&info.Lookup) != "" {
		return nil, 0, false
	}
	s := d.Sampling
	if sampler != 0 {
		b, ok := find(sampler)
		if !ok {
			return nil, 0, false
		}
		s = d.With(&b)
	}
	p := pointOf(&info.Lookup, arg)
	taps = d.Taps(nil, &info.Lookup, &s, &p)
	_, _, first, last := info.Lookup.Channels(info.Result, len(taps))
	return taps[first:last], uint64(d.Texel()), true
}

// desc returns the descriptor that operand k names; nil after a fault. kind is Texture for samplers, too.
func (t *textureOp) desc(k int, kind texture.Kind) *texture.Desc {
	d, why := t.decode(k)
	if why == "" && d.Kind != kind && (kind != texture.Texture || t.info.Do == ir.TextureFetches || d.Kind != texture.Sampler) {
		why = fmt.Sprintf("it is a %s, not a %s", d.Kind, kind)
	}
	if why != "" {
		t.bad(k, why)
		return nil
	}
	return d
}

// decode reads the descriptor that operand k names. why says why there is none.
func (t *textureOp) decode(k int) (d *texture.Desc, why string) {
	w, addr := t.w, t.w.Get(t.in.Args[k], t.lane)
	seen := &t.seen[k]
	if seen.ok && seen.addr == addr {
		return &seen.d, ""
	}
	x := ir.Inst{Op: ir.Load, Space: ir.Generic, Size: 1, Align: texture.Align, Pos: t.in.Pos}
	if s, _ := w.Resolve(ir.Generic, addr); s == ir.Shared || s == ir.Local {
		return nil, "no texture, sampler or surface is in " + s.String() + " memory"
	}
	p, _, _, _ := w.find(&x, addr, texture.Size, t.lane, false)
	if p == nil {
		return nil, "there is no descriptor"
	}
	if seen.d, seen.ok = texture.Decode((*[texture.Size]byte)(p)); !seen.ok {
		return nil, "there is no descriptor"
	}
	seen.addr = addr
	if !t.undef {
		w.read(t.in, t.lane, ir.Generic, addr, texture.Size)
	}
	return &seen.d, ""
}

// whose names the lane.
func (t *textureOp) whose() string {
	w := t.w
	return fmt.Sprintf("lane %d of wave %d in block (%d,%d,%d)", t.lane, w.ID, w.index[0], w.index[1], w.index[2])
}

// bad faults for the handle in operand k. It returns false.
func (t *textureOp) bad(k int, why string) bool {
	t.w.Fault = &Fault{Code: CodeTexture, Pos: t.in.Pos, Lanes: lane.Lane(t.lane), Remedy: "bind a texture, sampler or surface that fits the instruction: texture{…} or surface{…} as an argument, cuTexObjectCreate, cuSurfObjectCreate; --set-symbol for a .texref variable",
		Text: fmt.Sprintf("%s uses the handle %#x: %s", t.whose(), t.w.Get(t.in.Args[k], t.lane), why)}
	return false
}
