package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// Input: an access to shared memory with an address that package shape bounds.
// Output: the access without a check.
// Invariant: Max + offset + size is at most SharedStatic, the shared memory that the
// code declares; every block has that much.
// Example: st.shared [tid*4] with 256 lanes and .shared u32 x[256] is one store per
// register.

// Only the declared part counts: launches may add more shared memory, of a size that
// the code does not determine.

// sharedBase is a register with the host address of the block's shared memory.
func (g *access) sharedBase() x64.Reg {
	if g.shared == 0 {
		g.shared = g.gpr(8)
		g.load(8, g.shared, g.ctl(abi.CtlShared))
	}
	return g.shared
}

// declared reports whether access i, of size bytes for each lane, is certainly aligned
// and inside the shared memory that the code declares, with a constant or affine
// address.
func (g *access) declared(i int, size uint64) bool {
	w := g.s.Ops[i].Args[0]
	_, ok := g.constant1(w)
	return (ok || g.sh.Web(w).Kind == shape.Affine) && g.declaredAny(i, size)
}

// declaredAny is declared for accesses of lanes at arbitrary addresses.
func (g *access) declaredAny(i int, size uint64) bool {
	in, w := &g.f.Code[i], g.s.Ops[i].Args[0]
	off := in.Offset()
	if in.Space != ir.Shared || !accesses(in.Op) || off > 1<<30 || in.Align > 1 && !g.surely(i) {
		return false
	}
	most, ok := g.constant1(w)
	if !ok {
		if g.s.Has(w, webs.Aliased) {
			return false
		}
		most = g.sh.Web(w).Max
	}
	return most <= 1<<30 && most+off+size <= uint64(g.f.SharedStatic)
}

// sharedPlace is the memory operand of lane 0 of the access in hand, which is declared.
func (g *access) sharedPlace() x64.Mem {
	w := g.ops.Args[0]
	m := x64.Mem{Base: g.sharedBase(), Disp: int32(g.in.Imm)}
	if v, ok := g.constant1(w); ok {
		m.Disp += int32(v)
		return m
	}
	if sh := g.sh.Web(w); sh.Known {
		m.Disp += int32(sh.Base)
		return m
	}
	t := g.f.Val(g.in.Args[0]).Type
	m.Index, m.Scale = g.scalarArg(w, t).reg, 1
	if t == ir.B32 { // the upper half of the register is undefined
		d := g.gpr(8)
		g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: m.Index})
		m.Index = d
	}
	return m
}
