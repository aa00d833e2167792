package static

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
)

// A byteRange holds the bytes that a lane accesses: size bytes, off bytes after the address that it
// gives.
type byteRange struct{ off, size uint64 }

// fragment checks the addresses of matrix fragments in memory against the size of shared memory or of a
// variable (PTX 9.7.15.4.3, 9.7.15.5.15).
func (c *checker) fragment(b int32, i int, in *ir.Inst) {
	info := &c.f.Collectives[in.Imm]
	if in.Args[0] == 0 || in.Space != ir.Shared && in.Space != ir.Global {
		return
	}
	p := c.at(b, i, in)
	var spans [32]byteRange
	var reading presence
	switch info.Matrix.Kind {
	case matrix.LoadTile, matrix.StoreTile:
		stride := uint64(info.Stride)
		if in.Args[1] != 0 {
			v := c.a.operand(i, 1)
			n, ok := v.constant()
			if !ok || n > 1<<20 {
				return
			}
			stride = n
		}
		reading = p
		for l := range spans {
			spans[l] = tileSpan(in, info, l, stride)
		}
	case matrix.LoadRows, matrix.StoreRows:
		rows := info.Matrix.RowLanes() * info.Matrix.Num // one lane gives the address of each row
		reading = p
		for l := range spans {
			if spans[l] = (byteRange{uint64(info.Offset), 16}); l >= rows {
				reading.may &^= 1 << l
				reading.must &^= 1 << l
			}
		}
	default:
		return
	}
	if reading.may == 0 {
		return
	}
	at := func(l int) byteRange { return spans[l&31] }
	if in.Space == ir.Shared {
		if v := c.a.operand(i, 0); v.kind == known && !c.opt.DynamicShared {
			c.beyond(i, reading, v, maskOf(c.f.Val(in.Args[0]).Type), uint64(c.f.SharedStatic), at, "shared memory", "the kernel declares", "declare more .shared memory, or use a smaller stride or tile")
		}
		return
	}
	if n, v, ok := c.variable(i); ok && c.opt.Vars[n].Size > 0 {
		x := &c.opt.Vars[n]
		c.beyond(i, reading, v, ^uint64(0), x.Size, at, x.Name, "it has", "check the stride and the tile against the array's size")
	}
}

// tileSpan returns the bytes from the first to the last element of a lane's fragment.
func tileSpan(in *ir.Inst, info *ir.CollectiveInfo, l int, stride uint64) byteRange {
	t := info.Tile
	first, last := ^uint64(0), uint64(0)
	bits := uint64(t.Elem.Bits())
	for e := range t.Elems() {
		_, row, col := t.At(l, e)
		n := uint64(row)*stride + uint64(col)
		if !info.Matrix.RowMajor {
			n = uint64(col)*stride + uint64(row)
		}
		first, last = min(first, n*bits/8), max(last, n*bits/8)
	}
	return byteRange{uint64(info.Offset) + first, last - first + max(bits/8, 1)}
}
