package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/num"
)

// Products runs every matrix product on an engine, against package matrix. A product must
// take as much of the wave's budget as on another engine.
func Products(t *testing.T, e, reference sim.Engine) {
	r := rand.New(rand.NewPCG(21, 22))
	for n, o := range products() {
		p := matrix.NewProduct(o)
		if p == nil {
			continue
		}
		for round := range 4 {
			seed := r.Uint64()
			if testing.Short() && round != n%4 {
				continue // a short run takes one choice of registers for each product
			}
			if x, y := product(t, e, p, round, seed), product(t, reference, p, round, seed); x != y {
				t.Errorf("%s: a budget of %d is left, want %d", name(&p.Op), x, y)
			}
			if t.Failed() {
				return
			}
		}
	}
}

// products lists the operations.
func products() (list []matrix.Op) {
	shapes := [][3]int{
		{8, 8, 4}, {8, 8, 16}, {8, 8, 32}, {8, 8, 128}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}, {16, 8, 32}, {16, 8, 64}, {16, 8, 128}, {16, 8, 256},
		{16, 16, 16}, {8, 32, 16}, {32, 8, 16}, {16, 16, 8},
	}
	types := [][2]matrix.Elem{
		{matrix.F16, matrix.F16}, {matrix.BF16, matrix.BF16}, {matrix.TF32, matrix.TF32}, {matrix.F64, matrix.F64}, {matrix.B1, matrix.B1},
		{matrix.S8, matrix.S8}, {matrix.S8, matrix.U8}, {matrix.U8, matrix.S8}, {matrix.U8, matrix.U8},
		{matrix.S4, matrix.S4}, {matrix.S4, matrix.U4}, {matrix.U4, matrix.U4}, {matrix.E4M3, matrix.E5M2}, {matrix.E3M2, matrix.E2M3}, {matrix.E2M1, matrix.E4M3},
		{matrix.E2M1P, matrix.E2M1P},
	}
	sums := [][2]matrix.Elem{{matrix.F32, matrix.F32}, {matrix.F16, matrix.F16}, {matrix.F16, matrix.F32}, {matrix.F32, matrix.F16}, {matrix.F64, matrix.F64}, {matrix.S32, matrix.S32}}
	for _, s := range shapes {
		for _, x := range types {
			for _, c := range sums {
				if (c[0] == matrix.F64) != (x[0] == matrix.F64) || (c[0] == matrix.S32) != (x[0] >= matrix.S8 && x[0] <= matrix.B1) {
					continue
				}
				o := matrix.Op{M: s[0], N: s[1], K: s[2], Operands: matrix.Operands{A: x[0], B: x[1], C: c[0], D: c[1]}}
				wmma := o
				wmma.Wmma = true
				sat, sparse := o, o
				sat.Sat, sparse.Sparse = true, true
				list = append(list, o, wmma, sparse)
				if c[0] == matrix.S32 && x[0] != matrix.B1 {
					list = append(list, sat)
				}
				if c[0] == matrix.F64 {
					o.Round = num.RZ
					list = append(list, o)
				}
			}
		}
	}
	return list
}

// product runs one product twice, one after the other. By rounds, D is written to registers
// of its own, to those of C, to those of C in another order, or to those of A or B.
func product(t *testing.T, e sim.Engine, p *matrix.Product, round int, seed uint64) (budget int) {
	r := rand.New(rand.NewPCG(seed, 0))
	typ := func(l *matrix.Layout) ir.Type {
		if l.RegBits == 64 {
			return ir.B64
		}
		return ir.B32
	}
	k := newKern(t)
	var src, dst []ir.Ref
	add := func(l *matrix.Layout) {
		for range l.Regs() {
			src = append(src, k.reg(typ(l)))
		}
	}
	add(p.A)
	add(p.B)
	add(p.C)
	if p.Sparse {
		src = append(src, k.reg(ir.B32))
	}
	own := src[p.SrcC:p.SrcE]
	for i := range p.D.Regs() {
		switch {
		case round == 1 && i < len(own):
			dst = append(dst, own[i])
		case round == 2 && i < len(own):
			dst = append(dst, own[len(own)-1-i])
		case round == 3 && i < p.SrcC && typ(p.A) == typ(p.D):
			dst = append(dst, src[i])
		case round == 0 && i == 1:
			dst = append(dst, 0) // not used
		default:
			dst = append(dst, k.reg(typ(p.D)))
		}
	}
	values := make([][32]uint64, len(src))
	set := func(i int, v func(l int) uint64) {
		for l := range 32 {
			values[i][l] = v(l)
		}
	}
	some := []uint64{0, 0x80008000, 0x7c007c00, 0xfc007c00, 0x7e017e01, 0x00010001, 0x7f800000, 0xff800000, 0x7fc00001, 0x00000001, 0x807fffff, 0x7f7f7f7f, 0x3f803f80, 0x3c003c00, 0x7ff0000000000000, 0x3ff0000000000000}
	for i := range values {
		same := r.IntN(4) == 0
		x := r.Uint64()
		odd := r.IntN(3) == 0 // sometimes values that propagate: infinities and NaNs
		set(i, func(int) uint64 {
			switch {
			case same:
				return x
			case odd && r.IntN(16) == 0:
				return some[r.IntN(len(some))]
			}
			// Mostly numbers with sums that round: halves and floats of medium size.
			return r.Uint64()&0x83ff83ff_83ff83ff | uint64(0x3000+r.IntN(8)<<10)*0x1000100010001
		})
	}
	if p.Sparse { // two of four elements; 0100 and 1110 are valid for all types
		set(p.SrcE, func(int) uint64 { return 0x4e4e_e44e })
	}
	if round == 0 && typ(p.A) == ir.B32 { // with canonical NaNs
		k.ins("add")
		k.To(src[0], ir.AddF32, src[0], src[0])
	}
	f := k.Func()
	f.Collectives = []ir.CollectiveInfo{{Matrix: p.Op, Product: p, Src: src, Dst: dst}}
	for range 2 {
		k.ins("collective")
		k.Emit(ir.Inst{Op: ir.Collective, Args: [4]ir.Ref{0, 0, 0, k.c(1<<32 - 1)}})
	}
	k.exit(0)

	// The reference is package matrix, on registers with the same content as in the kernel.
	regs := map[ir.Ref]*[32]uint64{}
	at := func(ref ir.Ref) unsafe.Pointer {
		if ref == 0 {
			return nil
		}
		if regs[ref] == nil {
			regs[ref] = new([32]uint64)
		}
		return unsafe.Pointer(regs[ref])
	}
	put := func(ref ir.Ref, l int, x uint64) {
		if k.Func().Val(ref).Type == ir.B64 {
			(*[32]uint64)(at(ref))[l] = x
		} else {
			(*[64]uint32)(at(ref))[l] = uint32(x)
		}
	}
	for i, ref := range src {
		for l := range 32 {
			put(ref, l, values[i][l])
		}
	}
	if round == 0 && typ(p.A) == ir.B32 {
		for l := range 32 {
			x := math.Float32frombits(uint32(values[0][l]))
			put(src[0], l, uint64(math.Float32bits(num.AddF32(x, x))))
		}
	}
	var s matrix.Scratch
	for range 2 {
		var in, out []unsafe.Pointer
		for _, ref := range src {
			in = append(in, at(ref))
		}
		for _, ref := range dst {
			out = append(out, at(ref))
		}
		p.Run(in, out, 1<<32-1, &s)
	}
	_, _, err := launch(t, e, k.finish(), 1, 32, nil, func(l *sim.Launch) {
		l.Setup = func(w *sim.Wave) {
			for i, ref := range src {
				for l := range 32 {
					w.Set(ref, l, values[i][l])
				}
			}
		}
		l.Inspect = func(w *sim.Wave) {
			budget = w.Budget
			for i, ref := range dst {
				for l := range 32 {
					if ref == 0 {
						continue
					}
					want := regs[ref][l]
					if w.Func.Val(ref).Type == ir.B32 {
						want = uint64((*[64]uint32)(at(ref))[l])
					}
					if got := w.Get(ref, l); got != want {
						t.Errorf("%s, round %d: register %d of lane %d is %#x, want %#x", name(&p.Op), round, i, l, got, want)
						return
					}
				}
			}
		}
	})
	if err != nil {
		t.Fatal(name(&p.Op), err)
	}
	return budget
}

// name returns the shape and the types of a product, for failures.
func name(o *matrix.Op) string {
	s := fmt.Sprintf("%s of %s and %s, %s into %s", o.Shape(), o.A, o.B, o.C, o.D)
	if o.Sat {
		s += " limited"
	}
	if o.Sparse {
		s += " sparse"
	}
	return s
}
