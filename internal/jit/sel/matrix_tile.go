package sel

import (
	"cmp"
	"slices"

	"example.org/crosslane/internal/matrix"
)

// This file plans products of matrices: it maps the layouts of package matrix to vector registers.
//
// Input: the layouts of A, B, C and D, and the size of vector registers.
// Output: a tiling: bands of A, C and D, slices of A, the places of B's elements, and the passes
// over D.
// Invariant: slices are in ascending order of columns of A, so each sum has the order of package
// matrix.
// Example: m16n8k16 with f16 and AVX-512: one group of 16 rows, 16 slices of A, 8 columns of sums.
//
// In most layouts four neighbouring lanes hold a row, and the next four lanes hold the next row. So
// four vector registers, of consecutive rows, are transposed into four of which each holds one word
// of as many rows as it has lanes: see arithmetic.quads.

// A band is some rows of a matrix, as many as a vector register has words, and four words of each
// row.
type band struct {
	group int // the number of the block of rows
	// from are the vector registers that hold the rows, by quarter of the rows. If the matrix does
	// not have a quarter (some is false), the register is any other one.
	from [4]unitAt
	some [4]bool
	cols [4][]int // the columns of a word's elements, by the word's place in the row
}

// unitAt is a vector register of a register of the fragment.
type unitAt struct {
	reg  int
	unit int32
}

// bands cuts a matrix for vector registers of w bytes. It returns nil if the layout has another
// form.
func bands(l *matrix.Layout, w int32) []band {
	if l == nil || l.Blocks != 1 || l.RegBits != 32 {
		return nil
	}
	rows, per := int(w)/4, l.PerReg()
	units := 32 / rows
	var list []band
	for r := range l.Regs() {
		var b band
		_, first, _ := l.At(0, r*per)
		for lane := range 32 {
			for e := range per {
				_, row, col := l.At(lane, r*per+e)
				if lane < 4 {
					b.cols[lane] = append(b.cols[lane], col)
				}
				// The form: lanes 4i to 4i+3 have the words of row first+i.
				if row != first+lane/4 || col != b.cols[lane%4][e] || first%8 != 0 {
					return nil
				}
			}
		}
		// A register of the fragment has 8 rows. With 8 lanes per vector register these are one group and all
		// four of its quarters; with 16 they are two quarters.
		b.group = first / rows
		quarter := first % rows * 4 / rows
		i := slices.IndexFunc(list, func(x band) bool { return x.group == b.group && x.cols[0][0] == b.cols[0][0] })
		switch {
		case i < 0:
			for q := range b.from {
				b.from[q] = unitAt{r, int32(q % units)}
			}
			i = len(list)
			list = append(list, b)
		case list[i].some[quarter]:
			continue // a copy of rows that are there already
		}
		for u := range units {
			list[i].from[quarter+u], list[i].some[quarter+u] = unitAt{r, int32(u)}, true
		}
	}
	return list
}

// least is the first column of a band.
func (b *band) least() int {
	n := b.cols[0][0]
	for _, c := range b.cols {
		n = min(n, slices.Min(c))
	}
	return n
}

// A slice is a vector of A for some rows: one column, or for integers two columns, whose products
// the machine adds (vpmaddwd).
type slice struct {
	// ks are the columns of A.
	ks []int
	at []int32 // by column of B: the offset of the other factors in the area of B
}

// A chunk is rows and columns of C and D that are transposed together.
type chunk struct {
	group int
	c, d  []int // indices of bands
	cols  []int
}

// A tiling is the plan of a product.
type tiling struct {
	a, c, d []band
	slices  []slice
	order   map[int]int // by column of A: the slice that begins with it
	regsB   []int       // the registers of B that are needed
	passes  [][]chunk
	groups  int
	parts   int // how many vectors a vector of words of A or B unpacks to
	// atB is the offset of the area of B, after that of A.
	atB int32
}

// maxAcc is the largest number of vectors of sums at a time; they stay in registers.
const maxAcc = 8

// tile returns a tiling for vector registers of w bytes that needs at most size bytes of memory, or
// nil if there is none.
func tile(p *matrix.Product, w, size int32) *tiling {
	t := &tiling{a: bands(p.A, w), c: bands(p.C, w), d: bands(p.D, w), order: map[int]int{}}
	if t.a == nil || t.c == nil || t.d == nil || p.B.Blocks != 1 || p.A.PerReg() != p.B.PerReg() {
		return nil
	}
	per := p.A.PerReg()
	t.parts = per
	pair := isInteger(p.Op.A)
	if pair {
		t.parts = per / 2
	}
	// Find each element of B in the registers.
	type place struct{ reg, lane, elem int }
	at := map[[2]int]place{} // the places of the elements of B; the first one if there are copies
	for r := range p.B.Regs() {
		some := false
		for lane := range 32 {
			for e := range per {
				_, k, n := p.B.At(lane, r*per+e)
				if _, ok := at[[2]int{k, n}]; !ok {
					at[[2]int{k, n}] = place{len(t.regsB), lane, e}
					some = true
				}
			}
		}
		if some {
			t.regsB = append(t.regsB, r)
		}
	}
	// The slices, from the bands of the first group of rows; the other groups have the same
	// columns.
	for i := range t.a {
		b := &t.a[i]
		t.groups = max(t.groups, b.group+1)
		if b.group != 0 {
			continue
		}
		for _, cols := range b.cols {
			for e := range t.parts {
				s := slice{ks: []int{cols[e]}}
				if pair {
					s.ks = append(s.ks, cols[e+t.parts])
				}
				for n := range p.N {
					x := at[[2]int{s.ks[0], n}]
					// The two factors of an integer pair must lie in one word, at the distance of the pairs of A.
					if pair && at[[2]int{s.ks[1], n}] != (place{x.reg, x.lane, x.elem + t.parts}) || x.elem >= t.parts {
						return nil
					}
					off := (x.reg*t.parts+x.elem)*128 + x.lane*4
					if p.Op.B == matrix.F16 { // in the order of the register
						off = x.reg*256 + x.lane*8 + x.elem*4
					}
					s.at = append(s.at, int32(off))
				}
				t.slices = append(t.slices, s)
			}
		}
	}
	// Sums go through the columns of A in order: see package matrix.
	slices.SortFunc(t.slices, func(x, y slice) int { return cmp.Compare(x.ks[0], y.ks[0]) })
	for i, s := range t.slices {
		t.order[s.ks[0]] = i
	}
	t.atB = int32(len(t.slices)*t.groups) * w
	if t.atB+int32(len(t.regsB)*t.parts)*128 > size || !t.cut(w) {
		return nil
	}
	return t
}

// cut makes the passes, for vector registers of w bytes. It reports false if C and D do not have
// the same columns.
func (t *tiling) cut(w int32) bool {
	var list []chunk
	packed := len(t.c[0].cols[0]) > 1 || len(t.d[0].cols[0]) > 1
	find := func(b *band) *chunk {
		first := b.least()
		if packed { // eight columns are one band of f16, or two bands of f32
			first = first / 8 * 8
		}
		for i := range list {
			if list[i].group == b.group && list[i].cols[0] == first {
				return &list[i]
			}
		}
		c := chunk{group: b.group, cols: []int{first}}
		for _, cols := range b.cols {
			if packed {
				break
			}
			if cols[0] != first {
				c.cols = append(c.cols, cols[0])
			}
		}
		for i := 1; packed && i < 8; i++ {
			c.cols = append(c.cols, first+i)
		}
		list = append(list, c)
		return &list[len(list)-1]
	}
	for i := range t.c {
		c := find(&t.c[i])
		c.c = append(c.c, i)
	}
	for i := range t.d {
		d := find(&t.d[i])
		d.d = append(d.d, i)
	}
	// Every column of a chunk must come from C.
	for i := range list {
		n := 0
		for _, b := range list[i].c {
			n += 4 * len(t.c[b].cols[0])
		}
		if n != len(list[i].cols) {
			return false
		}
	}
	// The order decides which chunks share a pass, and so which vectors are loaded once.
	slices.SortFunc(list, func(x, y chunk) int {
		byGroup, byCols := cmp.Compare(x.group, y.group), cmp.Compare(x.cols[0], y.cols[0])
		if w == 64 { // a broadcast element of B is a memory operand, so its reuse does not matter
			return cmp.Or(byGroup, byCols)
		}
		return cmp.Or(byCols, byGroup)
	})
	// A pass takes as many chunks as have room in registers.
	for len(list) > 0 {
		n, acc := 1, len(list[0].cols)
		for n < len(list) && acc+len(list[n].cols) <= maxAcc {
			acc += len(list[n].cols)
			n++
		}
		t.passes = append(t.passes, list[:n])
		list = list[n:]
	}
	return true
}

// isInteger reports whether products of a type are integers.
func isInteger(e matrix.Elem) bool {
	switch e {
	case matrix.S8, matrix.U8, matrix.S4, matrix.U4:
		return true
	}
	return false
}
