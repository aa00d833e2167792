package ptx

import (
	"slices"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/texture"
)

// Textures and surfaces. A handle is the address of a descriptor in memory (package texture). Each result of a lookup is an
// ir.Tensor operation of its own. An access to a surface computes the address of the element by one such operation, and then
// loads, stores or reduces as other instructions do, so that all checks of memory see it.
//
// Example: of "suld.b.2d.b32.trap r, [s, {x, y}]" it emits the address of the element, which faults outside the surface, and a
// load of 4 bytes.

var (
	texLookup     = meaning{check: checkTexture, implied: textureImplied, emit: emitLookup}
	surfaceLoad   = meaning{check: checkSurface, implied: surfaceImplied, emit: emitSurfaceLoad}
	surfaceStore  = meaning{check: checkSurface, implied: surfaceImplied, emit: emitSurfaceStore}
	surfacePack   = meaning{check: checkSurface, implied: surfaceImplied, emit: emitSurfacePack}
	surfaceReduce = meaning{check: checkSurface, implied: surfaceImplied, emit: emitSurfaceReduce}
	isOpaque      = meaning{emit: func(l *lifter) {
		kind := map[string]texture.Kind{"texref": texture.Texture, "samplerref": texture.Sampler, "surfref": texture.Surface}[l.v.mod("opaque")]
		is := liftTexture(l, ir.B32, ir.TensorInfo{Texture: &ir.TextureInfo{Do: ir.TextureAsks, Kind: kind}}, 0, l.src(1))
		l.set(0, l.b.T(ir.NeU32, is, l.b.Const(ir.B32, 0)))
	}}
)

// textureImplied returns the type of the registers of operand i of tex and tld4.
func textureImplied(v *variant, _ *Instr, i int) Type {
	switch {
	case i == 1:
		return U64 // the handle
	case i == 0 && v.says("v2"):
		return F16x2
	case i == 0:
		return v.classType("dtype")
	case i == 2 && v.mod("ctype") == "s32", i == 3 && v.mod("mipmap") != "grad":
		return S32
	}
	return F32
}

// surfaceImplied returns the type of the registers of operand i of suld, sust and sured.
func surfaceImplied(v *variant, in *Instr, i int) Type {
	if in.Args[i].Kind == KindAddr {
		return U64 // the handle
	}
	return v.typ
}

// geometry returns the geometry of a texture or surface.
func (v *variant) geometry() texture.Geometry {
	return texture.Geometry(slices.Index(texture.Geometries[:], v.mod("geom")))
}

// liftTexture emits an operation of a texture or surface, and returns its result.
func liftTexture(l *lifter, t ir.Type, info ir.TensorInfo, sampler, handle ir.Ref) ir.Ref {
	d := l.b.Temp(t)
	l.tensor(info, ir.Inst{Dst: d, Space: ir.Global, Args: [4]ir.Ref{sampler, handle}})
	return d
}

// liftHandle returns the address of a descriptor (B64): that of a variable, or the value of a register or of a parameter.
func liftHandle(l *lifter, o *Operand) ir.Ref {
	name := Operand{Kind: KindAddr, Pos: o.Pos, List: []Operand{*o}}
	var r ir.Ref
	if d := o.Var(); d != nil && d.Space == SpaceParam {
		s, base, off := l.address(&name, SpaceParam)
		r = l.b.Temp(ir.B64)
		l.load(r, s, base, off, B64, 8)
	} else {
		r = l.genericAddress(&name)
	}
	if l.typeOf(r) == ir.B32 {
		r = l.b.T(ir.CvtU64FromU32, r)
	}
	return r
}

// liftCoordinates returns the coordinates of a lookup or an access, of type t; an index into an array is unsigned.
func liftCoordinates(l *lifter, o *Operand, t Type) (list []ir.Ref) {
	parts := o.elements()
	for i := range l.v.geometry().Coordinates() {
		list = append(list, l.b.Splat(l.value(&parts[i], t)))
	}
	return list
}

// emitLookup emits tex or tld4.
func emitLookup(l *lifter) {
	v, args := l.v, l.in.Args[2:]
	op := texture.Lookup{Geometry: v.geometry(), Integer: v.mod("ctype") == "s32", Gather: v.has("comp"), Half: v.says("f16") || v.says("v2"), Pairs: v.says("v2")}
	op.Channel = max(slices.Index([]string{"r", "g", "b", "a"}, v.mod("comp")), 0)
	ctype := F32
	if op.Integer {
		ctype = S32
	}
	at := l.in.Args[1].List
	src := liftCoordinates(l, &at[len(at)-1], ctype)
	dims := op.Geometry.Dims()
	add := func(o *Operand, n int, t Type) {
		parts := o.elements()
		for i := range min(n, len(parts)) {
			src = append(src, l.b.Splat(l.value(&parts[i], t)))
		}
		if len(parts) < n {
			l.unsupportedOperand(o)
		}
	}
	switch v.mod("mipmap") {
	case "level":
		op.Mip = texture.Level
		add(&args[0], 1, ctype)
		args = args[1:]
	case "grad":
		op.Mip = texture.Grad
		add(&args[0], op.Gradients(), F32)
		add(&args[1], op.Gradients(), F32)
		args = args[2:]
	}
	for i := range args {
		o := &args[i]
		if r := o.single().Reg(); i > 0 || o.Kind != KindVector && (dims > 1 || r == nil || r.Type == F32) {
			l.errorf(o.Pos, diag.Unsupported, codeUnsupported, "%s compares depths, which is not supported: the manual does not say by which relation", l.in.Op)
			return
		}
		op.Offset = true
		add(o, dims, S32)
	}
	var sampler ir.Ref
	if len(at) > 2 {
		sampler = liftHandle(l, &at[1])
	}
	handle := liftHandle(l, &at[0])
	// All results are computed before the first one is written: a register may be both a coordinate and a result.
	d := l.in.Args[0]
	if d.Kind == KindPair {
		if d.List[1].Kind == KindReg {
			defer l.b.Move(l.reg(&d.List[1]), l.b.Const(ir.B1, 1)) // textures are resident
		}
		d = d.List[0]
	}
	parts := d.elements()
	vals := make([]ir.Ref, len(parts))
	for i := range parts {
		if parts[i].Kind == KindReg {
			vals[i] = liftTexture(l, ir.B32, ir.TensorInfo{Src: src, Texture: &ir.TextureInfo{Lookup: op, Result: i, Kind: texture.Texture}}, sampler, handle)
		}
	}
	for i, val := range vals {
		if val != 0 {
			if v.says("f16") {
				val = l.cut(val, ir.B16)
			}
			l.assign(&parts[i], val, false)
		}
	}
}

// textureQuery is txq or suq.
func textureQuery(types ...Type) meaning {
	return meaning{check: checkQuery(types...), implied: func(_ *variant, _ *Instr, i int) Type {
		return [...]Type{B32, U64, U32}[min(i, 2)]
	}, emit: func(l *lifter) {
		info := ir.TensorInfo{Texture: &ir.TextureInfo{Do: ir.TextureAsks, Query: texture.Queries[l.v.mod("query")], Kind: texture.Texture}}
		if types[0] == Surfref {
			info.Texture.Kind = texture.Surface
		}
		if l.v.says("level") {
			info.Src = []ir.Ref{l.b.Splat(l.value(&l.in.Args[2], U32))}
		}
		l.assign(&l.in.Args[0], liftTexture(l, ir.B32, info, 0, liftHandle(l, &l.in.Args[1].List[0])), false)
	}}
}

// A surfaceAt is an element of a surface.
type surfaceAt struct {
	handle, addr, in ir.Ref
	access           texture.Access
}

// liftSurface returns the element that operand i names, for an access of n bytes; 0: a texel.
func liftSurface(l *lifter, i, n int) (s surfaceAt) {
	at := l.in.Args[i].List
	s.access = texture.Access{Geometry: l.v.geometry(), Bytes: n, Elements: l.v.says("p"), Outside: map[string]texture.Outside{"clamp": texture.Near, "zero": texture.Zeros}[l.v.mod("clamp")]}
	s.handle = liftHandle(l, &at[0])
	s.addr = liftTexture(l, ir.B64, ir.TensorInfo{Src: liftCoordinates(l, &at[1], S32), Texture: &ir.TextureInfo{Do: ir.TextureLocates, Access: s.access, Kind: texture.Surface}}, 0, s.handle)
	s.in = l.b.T(ir.NeU64, s.addr, l.b.Const(ir.B64, 0))
	return s
}

func emitSurfaceLoad(l *lifter) {
	t := l.v.typ
	size := t.Bytes()
	s := liftSurface(l, 1, size*l.v.vec)
	d := l.in.Args[0]
	if d.Kind == KindPair {
		if d.List[1].Kind == KindReg {
			defer l.b.Move(l.reg(&d.List[1]), l.b.Const(ir.B1, 1))
		}
		d = d.List[0]
	}
	parts := d.elements()
	for i := range parts {
		if parts[i].Kind == KindReg && s.access.Outside == texture.Zeros {
			l.assign(&parts[i], l.b.Const(irType(t), 0), false)
		}
	}
	l.guarded(s.in, func() {
		l.claim(ir.Inst{Size: uint8(ir.ClaimReadOnly), Args: [4]ir.Ref{s.addr}, Space: ir.Global, Align: uint16(size * l.v.vec)})
		for i := range parts {
			if parts[i].Kind == KindReg {
				l.b.Emit(ir.Inst{Op: ir.Load, Dst: l.reg(&parts[i]), Args: [4]ir.Ref{s.addr}, Imm: uint64(i * size), Size: uint8(size), Space: ir.Global, Align: uint16(l.accessAlign(i, size))})
			}
		}
	})
}

func emitSurfaceStore(l *lifter) {
	size := l.v.typ.Bytes()
	s := liftSurface(l, 0, size*l.v.vec)
	parts := l.in.Args[1].elements()
	l.guarded(s.in, func() {
		for i := range parts {
			if parts[i].Kind != KindSink {
				l.store(l.b.Splat(l.storeValue(&parts[i], l.v.typ)), ir.Global, s.addr, int64(i*size), size, l.accessAlign(i, size), 0)
			}
		}
	})
}

// emitSurfacePack emits a formatted store. The size of a texel is known at run time only, so there is a store for each size.
func emitSurfacePack(l *lifter) {
	s := liftSurface(l, 0, 0)
	parts := l.in.Args[1].elements()
	var src []ir.Ref
	for i := range parts {
		src = append(src, l.b.Splat(l.value(&parts[i], B32)))
	}
	of := func(do ir.TextureKind, result int) ir.Ref {
		return liftTexture(l, ir.B32, ir.TensorInfo{Src: src, Texture: &ir.TextureInfo{Do: do, Result: result, Access: s.access, Kind: texture.Surface}}, 0, s.handle)
	}
	size := of(ir.TextureSize, 0)
	words := [4]ir.Ref{of(ir.TexturePacks, 0), of(ir.TexturePacks, 1), of(ir.TexturePacks, 2), of(ir.TexturePacks, 3)}
	for n := 1; n <= 16; n *= 2 {
		l.guarded(l.b.T(ir.AndP, s.in, l.b.T(ir.EqU32, size, l.b.Const(ir.B32, uint64(n)))), func() {
			for k := 0; k < n; k += 4 {
				l.store(words[k/4], ir.Global, s.addr, int64(k), min(n, 4), min(n, 4), 0)
			}
		})
	}
}

func emitSurfaceReduce(l *lifter) {
	size := l.v.typ.Bytes()
	s := liftSurface(l, 0, size)
	val := l.b.Splat(l.value(&l.in.Args[1], l.v.typ))
	reduce := func(op ir.AtomicOp) {
		l.b.Emit(ir.Inst{Op: ir.Atomic, Imm: ir.AtomicImm(op, 0), Size: uint8(size), Align: uint16(size), Space: ir.Global, Args: [4]ir.Ref{s.addr, val}})
	}
	op := atomicOp(l.v)
	signed := map[ir.AtomicOp]ir.AtomicOp{ir.AtomMinU: ir.AtomMinS, ir.AtomMaxU: ir.AtomMaxS}[op]
	if !l.v.says("p") || signed == 0 || l.v.typ.Signed() {
		l.guarded(s.in, func() { reduce(op) })
		return
	}
	// The format of the surface says whether the numbers are signed (PTX 9.7.12.3).
	format := liftTexture(l, ir.B32, ir.TensorInfo{Texture: &ir.TextureInfo{Do: ir.TextureAsks, Query: texture.QDataType, Kind: texture.Surface}}, 0, s.handle)
	is := l.b.T(ir.EqU32, format, l.b.Const(ir.B32, texture.DataTypeS32))
	l.guarded(l.b.T(ir.AndP, s.in, is), func() { reduce(signed) })
	l.guarded(l.b.T(ir.AndP, s.in, l.b.T(ir.NotP, is)), func() { reduce(op) })
}
