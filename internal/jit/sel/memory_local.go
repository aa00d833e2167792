package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/x64"
)

// This file selects accesses to private memory.
//
// Input: an access in space Local, or a generic one that may be private.
// Output: the check of the address against the limits of a lane's part, and the access
// at lane 0's memory plus CtlLocalOffsets.
// Invariant: each lane has its memory in one piece; an address means another place in
// each lane, so even a uniform address needs a gather.
// Example: ld.local of address 16 loads lane i from CtlLocal + CtlLocalOffsets[i] + 16.

// A generic address from LocalBase on is in the window to private memory.

// localRegs turns distances inside a lane's memory, e bytes each, into distances from
// lane 0's memory: it adds the offsets of the lanes of chunk c.
func (g *access) localRegs(a x64.Reg, c int32, e uint8) x64.Reg {
	per := g.w / int32(e)
	d := g.reg(x64.Vec, uint8(g.w))
	if e == 4 {
		g.emit(x64.Inst{Op: x64.VPADDD, Len: uint8(g.w), Dst: d, A: a, HasMem: true, M: g.ctl(abi.CtlLocalOffsets + c*per*4)})
		return d
	}
	x := g.reg(x64.Vec, uint8(g.w))
	g.emit(x64.Inst{Op: x64.VPMOVZXDQ, Len: uint8(g.w), Dst: x, HasMem: true, M: g.ctl(abi.CtlLocalOffsets + c*per*4)})
	g.emit(x64.Inst{Op: x64.VPADDQ, Len: uint8(g.w), Dst: d, A: a, B: x})
	return d
}

// local checks n pieces at address a, which is the same in all lanes, and returns the
// host address in lane 0's memory; it jumps to l if they are outside. Addresses in the
// stacks have limits of their own.
func (g *access) local(n int, a x64.Reg, l x64.Label) x64.Reg {
	g.aligned(a, l)
	size := int32(log2(uint64(n) * uint64(g.in.Size)))
	in := g.label()
	g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: a, HasMem: true, M: g.ctl(abi.CtlLocalEnd + 8*size)})
	if g.f.Stack {
		// Below the limit, or else inside the stacks.
		g.jump(x64.JB, in)
		t := g.gpr(8)
		g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: t, B: a})
		g.rm(x64.SUB, 8, t, g.ctl(abi.CtlStackLow))
		g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: t, HasMem: true, M: g.ctl(abi.CtlStackEnd + 8*size)})
		g.jump(x64.JAE, l)
	} else {
		g.jump(x64.JAE, l)
	}
	g.bind(in)
	g.rm(x64.ADD, 8, a, g.ctl(abi.CtlLocal))
	return a
}

// laneOffset is the distance from lane 0's memory to that of lane i.
func (g *access) laneOffset(i x64.Reg) x64.Reg {
	d := g.gpr(8)
	m := g.ctl(abi.CtlLocalOffsets)
	m.Index, m.Scale = i, 4
	g.load(4, d, m)
	return d
}

// localIndex is the vector of these distances for n lanes from first on, 4 bytes each.
func (g *access) localIndex(first, n int32) x64.Reg {
	d := g.reg(x64.Vec, uint8(g.w))
	g.emit(x64.Inst{Op: x64.VMOVDQU, Len: uint8(4 * n), Dst: d, HasMem: true, M: g.ctl(abi.CtlLocalOffsets + 4*first)})
	return d
}

// loadLocal loads n pieces at the one address a of each lane's private memory. It may
// write the register a.
func (g *access) loadLocal(n int, a x64.Reg, l x64.Label) {
	p := g.local(n, a, l)
	size := int32(g.in.Size)
	where := func(i x64.Reg) x64.Mem { return x64.Mem{Base: p, Index: g.laneOffset(i), Scale: 1} }
	for k := range n {
		g.piece(k, func() {
			sh := g.sh.Web(g.ops.Dst)
			switch {
			case sh.Kind != shape.Varying && sh.Tile == 0 && !g.places[g.ops.Dst].slot:
				// The value is uniform or affine: it follows from that of the first
				// active lane.
				// Load the value of the first active lane i, and subtract i*stride to
				// get the base.
				i := g.gpr(8)
				g.emit(x64.Inst{Op: x64.TZCNT, Len: g.maskBytes(), Dst: i, B: g.lanesMask()})
				op, b := loadOp(g.in.Size, g.in.Flags&ir.SignExtend != 0)
				d := g.gpr(8)
				g.emit(x64.Inst{Op: op, Len: b, Dst: d, HasMem: true, M: at(where(i), int32(k)*size)})
				if sh.Stride != 0 {
					n := uint8(max(4, g.typ(g.ops.Dst).Bytes()))
					g.mul(n, i, operand{reg: i}, operand{num: true, imm: sh.Stride})
					g.r2(x64.SUB, n, d, i)
				}
				g.defineLoaded(d)
			// A gather: the offsets of the lanes are the indices.
			case size >= 4:
				per := g.w / size
				var parts []x64.Reg
				for c := range int32(g.f.Lanes) / per {
					parts = append(parts, g.gatherChunk(uint8(size), offsets{base: p, e: 4}, g.localIndex(c*per, per), 0, uint8(per), uint8(size), c, int32(k)*size))
				}
				g.defineParts(parts, per, size)
			default:
				g.loadLanes(1, g.lanesMask(), func(i x64.Reg) x64.Mem { return at(where(i), int32(k)*size) })
			}
		})
	}
}

// storeLocal stores n pieces at the one address a of each lane's private memory.
func (g *access) storeLocal(n int, a x64.Reg, l x64.Label) {
	p := g.local(n, a, l)
	size, t := int32(g.in.Size), g.f.Val(g.in.Args[1]).Type
	if !g.avx512 || size < 4 || int32(t.Bytes()) != size {
		g.storeLanes(n, g.lanesMask(), func(i x64.Reg) x64.Mem { return x64.Mem{Base: p, Index: g.laneOffset(i), Scale: 1} })
		return
	}
	per := g.w / size
	for k := range n {
		g.piece(k, func() {
			for c := range int32(g.f.Lanes) / per {
				g.scatterChunk(t, offsets{base: p, e: 4}, g.localIndex(c*per, per), uint8(per), uint8(size), c, int32(k)*size)
			}
		})
	}
}

// mayBeLocal reports whether a generic address, one for all lanes, may be private,
// which is another place for each lane. Scalar accesses are those of lane 0; Go does
// them if they are private.
func (g *facts) mayBeLocal(in *ir.Inst) bool {
	return in.Space == ir.Generic && !in.Scalar && in.Flags&(ir.NotLocal|ir.OnlyGlobal|ir.OnlyShared) == 0 && g.f.Val(in.Args[0]).Type == ir.B64 &&
		(g.f.LocalSize > 0 || g.f.Stack || g.f.StackUp)
}

// eitherSpace does an access of n pieces at one generic address: by one, or if the
// address is outside of global and shared memory, in cold code, by local.
func (g *access) eitherSpace(n int, l x64.Label, one func(n int, a x64.Reg, l, out x64.Label), local func(n int, a x64.Reg, l x64.Label)) {
	// b keeps the generic address, because the check of a overwrites it.
	a, b := g.address(), g.gpr(8)
	g.move(b, a)
	out, back := g.label(), g.label()
	known := g.known()
	one(n, a, l, out)
	g.cold(out, func() {
		g.restore(known)
		// An address below the window wraps to a number far above all private memory,
		// so local rejects it.
		t := g.gpr(8)
		g.put(t, 8, operand{num: true, imm: g.f.LocalBase()})
		g.r2(x64.SUB, 8, b, t)
		local(n, b, l)
		g.jump(x64.JMP, back)
	})
	g.bind(back)
	g.restore(known)
	for k := range n {
		g.piece(k, g.clear)
	}
}

// anySpace does an access of n pieces at arbitrary addresses by do, which jumps to its
// label if it cannot. If addresses are generic, and those of all lanes turn out to be
// private, at does the access then.
func (g *access) anySpace(n int, l x64.Label, do func(n int, l x64.Label), at func(n int, m x64.Reg, o offsets)) {
	if !g.mayBeLocal(g.in) {
		do(n, l)
		return
	}
	out, back := g.label(), g.label()
	known := g.known()
	// do jumps to out if a lane is outside: perhaps all of them are private.
	do(n, out)
	g.jump(x64.JMP, back)
	g.bind(out)
	g.restore(known)
	g.surface(n)
	m := g.lanesMask()
	at(n, m, g.reachLocal(n, m, l))
	g.bind(back)
	g.restore(known)
	for k := range n {
		g.piece(k, g.clear)
	}
}

// reachLocal is reach for generic addresses that have to be private. If there are
// stacks, only addresses in them count: private addresses outside the stacks are
// usually the same for all lanes.
func (g *access) reachLocal(n int, m x64.Reg, l x64.Label) offsets {
	was := g.len
	g.len = uint8(g.w)
	defer func() { g.len = was }()
	// Distances from the start of the window, or of the stacks in it.
	end := int32(abi.CtlLocalEnd)
	from, count := g.gpr(8), g.gpr(8)
	o := offsets{base: g.gpr(8), e: 8}
	g.put(from, 8, operand{num: true, imm: g.f.LocalBase() - g.in.Offset()})
	g.load(8, o.base, g.ctl(abi.CtlLocal))
	if g.f.Stack {
		end = abi.CtlStackEnd
		g.rm(x64.ADD, 8, from, g.ctl(abi.CtlStackLow))
		g.rm(x64.ADD, 8, o.base, g.ctl(abi.CtlStackLow))
	}
	g.load(8, count, g.ctl(end+8*int32(log2(uint64(n)*uint64(g.in.Size)))))
	if !g.avx512 {
		g.ri(x64.SUBImm, 8, count, 1) // see above
	}
	limit, sub := g.broadcast(count, ir.B64), g.broadcast(from, ir.B64)
	var bad x64.Reg
	for c := range int32(g.f.Lanes) * 8 / g.w {
		a := g.v2(x64.VPSUBQ, g.value(g.ops.Args[0], c, ir.B64), sub)
		bad = g.either(bad, g.above(a, limit, 8, m, c))
		if n := uint64(g.in.Align); n > 1 && !g.surely(g.at) {
			x := g.value(g.ops.Args[0], c, ir.B64)
			if g.in.Offset()&(n-1) != 0 {
				x = g.v2(x64.VPADDQ, x, g.constant(g.in.Offset(), 8))
			}
			bad = g.either(bad, g.test0(x, n-1, 8, m, c))
		}
		o.regs = append(o.regs, a)
	}
	g.jumpIfAny(bad, l, 8)
	for c, a := range o.regs {
		o.regs[c] = g.localRegs(a, int32(c), 8)
	}
	return o
}
