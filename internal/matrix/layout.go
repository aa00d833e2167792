package matrix

import (
	"fmt"
	"strconv"
	"strings"
)

// A Layout maps element i of a lane's fragment to an element of a matrix. All layouts of the manual are
// sums: every bit of the lane number and every bit of i adds its own number of rows or columns. Element 0
// is in the low bits of the first register.
//
// Input: a lane and an index i (At).
// Output: the matrix, the row and the column.
// Invariant: the map is linear over the bits: At(lane, i) is the sum of the steps of the bits that are 1.
// Example: lane steps "c2 c4 r1 r2 r4" and element step "c1": lane 5 = 0b00101 adds c2 and r1, so its
// element 1 is at row 1, column 3.
type Layout struct {
	Matrix  byte // 'A', 'B', 'C' (and D)
	Elem    Elem
	Rows    int
	Cols    int
	Blocks  int // matrices side by side: 4 for m8n8k4 with f16, else 1
	RegBits int // bits of one register: 32 or 64
	Section string

	lane  []step // of a lane; of a thread of the warpgroup, for the fragments of wgmma
	elem  []step
	elems int // elements that a lane holds, if they are no power of two
}

// step is the addend of one bit.
type step struct{ row, col, block int }

// Elems returns the number of elements that a lane holds.
func (l *Layout) Elems() int {
	if l.elems > 0 {
		return l.elems
	}
	return 1 << len(l.elem)
}

// PerReg returns the number of elements in a register.
func (l *Layout) PerReg() int { return l.RegBits / l.Elem.Bits() }

// Regs returns the number of registers of a fragment.
func (l *Layout) Regs() int { return l.Elems() / l.PerReg() }

// Warp returns the first cols columns of the fragment of warp 0 of a warpgroup, as a layout of 32 lanes. cols is 8 times
// a power of two, or Cols.
func (l *Layout) Warp(cols int) *Layout {
	w := *l
	w.lane, w.Rows, w.Cols = l.lane[:5], WarpRows, cols
	w.elems = l.Elems() * cols / l.Cols
	return &w
}

// Threads returns the number of lanes of a fragment: 32, or the 128 threads of a warpgroup.
func (l *Layout) Threads() int { return 1 << len(l.lane) }

// At returns the place of element i of a lane: the matrix, which is 0 unless Blocks is more than 1,
// and its row and column.
func (l *Layout) At(lane, i int) (block, row, col int) {
	var s step
	for b, t := range l.lane {
		s.add(t, lane>>b)
	}
	for b, t := range l.elem {
		s.add(t, i>>b)
	}
	return s.block, s.row, s.col
}

// add adds the step of a bit if the bit is 1.
func (s *step) add(t step, bit int) {
	if bit&1 != 0 {
		s.row += t.row
		s.col += t.col
		s.block += t.block
	}
}

// positions lists, for every register, lane and element in it, the index of the element in a
// row-major array of all Blocks matrices.
func (l *Layout) positions() []uint16 {
	p := make([]uint16, 0, 32*l.Elems())
	per := l.PerReg()
	for r := range l.Regs() {
		for lane := range 32 {
			for e := range per {
				b, row, col := l.At(lane, r*per+e)
				p = append(p, uint16((b*l.Rows+row)*l.Cols+col))
			}
		}
	}
	return p
}

// Tile returns the number of rows and columns of the matrix that the elements of one register
// cover: 1 by 2 for two neighbours in a row. Elements that are not neighbours are tiles of their
// own.
func (l *Layout) Tile() (rows, cols int) {
	rows, cols = 1, 1
	for b := 0; 1<<b < l.PerReg(); b++ {
		if l.elem[b].row == rows {
			rows *= 2
		}
		if l.elem[b].col == cols {
			cols *= 2
		}
	}
	return rows, cols
}

// A layoutRow is one line of the table: for one instruction and shape, the layout of
// one matrix for some types. Steps are written r4 (4 rows further), c2, m1 (the next
// of several matrices) and - (a copy of the same element).
type layoutRow struct {
	shape  string // "m16n8k16"; "wmma.m16n16k16"
	matrix string // A, B, C; A.row and A.col if the layout depends on the order
	elems  string
	lane   string
	elem   string
	sec    string
}

// layoutRows holds the layouts of PTX 9.7.15.5 and 9.7.15.6. It also holds the layouts of wmma,
// which the manual leaves open (9.7.15.4.1) and Crosslane chose.
var layoutRows = []layoutRow{
	{"m8n8k4", "A.row", "f16", "r1 r2 m1 m2 r4", "c1 c2", "9.7.15.5.1"},
	{"m8n8k4", "A.col", "f16", "c1 c2 m1 m2 r4", "r1 r2", "9.7.15.5.1"},
	{"m8n8k4", "B.row", "f16", "r1 r2 m1 m2 c4", "c1 c2", "9.7.15.5.1"},
	{"m8n8k4", "B.col", "f16", "c1 c2 m1 m2 c4", "r1 r2", "9.7.15.5.1"},
	{"m8n8k4", "C", "f16", "r1 r2 m1 m2 r4", "c1 c2 c4", "9.7.15.5.1"},
	{"m8n8k4", "C", "f32", "r1 c2 m1 m2 r4", "c1 r2 c4", "9.7.15.5.1"},

	{"m8n8k4", "A", "f64", "c1 c2 r1 r2 r4", "", "9.7.15.5.2"},
	{"m8n8k4", "B", "f64", "r1 r2 c1 c2 c4", "", "9.7.15.5.2"},
	{"m8n8k4", "C", "f64", "c2 c4 r1 r2 r4", "c1", "9.7.15.5.2"},

	{"m8n8k16", "A", "s8 u8", "c4 c8 r1 r2 r4", "c1 c2", "9.7.15.5.3"},
	{"m8n8k16", "B", "s8 u8", "r4 r8 c1 c2 c4", "r1 r2", "9.7.15.5.3"},
	{"m8n8k16", "C", "s32", "c2 c4 r1 r2 r4", "c1", "9.7.15.5.3"},

	{"m8n8k32", "A", "s4 u4", "c8 c16 r1 r2 r4", "c1 c2 c4", "9.7.15.5.4"},
	{"m8n8k32", "B", "s4 u4", "r8 r16 c1 c2 c4", "r1 r2 r4", "9.7.15.5.4"},
	{"m8n8k32", "C", "s32", "c2 c4 r1 r2 r4", "c1", "9.7.15.5.4"},

	{"m8n8k128", "A", "b1", "c32 c64 r1 r2 r4", "c1 c2 c4 c8 c16", "9.7.15.5.5"},
	{"m8n8k128", "B", "b1", "r32 r64 c1 c2 c4", "r1 r2 r4 r8 r16", "9.7.15.5.5"},
	{"m8n8k128", "C", "s32", "c2 c4 r1 r2 r4", "c1", "9.7.15.5.5"},

	{"m16n8k4", "A", "tf32 f64", "c1 c2 r1 r2 r4", "r8", "9.7.15.5.6"},
	{"m16n8k4", "B", "tf32 f64", "r1 r2 c1 c2 c4", "", "9.7.15.5.6"},
	{"m16n8k4", "C", "f32 f64", "c2 c4 r1 r2 r4", "c1 r8", "9.7.15.5.6"},

	{"m16n8k8", "A", "f16 bf16", "c2 c4 r1 r2 r4", "c1 r8", "9.7.15.5.7"},
	{"m16n8k8", "A", "tf32 f64", "c1 c2 r1 r2 r4", "r8 c4", "9.7.15.5.7"},
	{"m16n8k8", "B", "f16 bf16", "r2 r4 c1 c2 c4", "r1", "9.7.15.5.7"},
	{"m16n8k8", "B", "tf32 f64", "r1 r2 c1 c2 c4", "r4", "9.7.15.5.7"},
	{"m16n8k8", "C", "f16 f32 f64", "c2 c4 r1 r2 r4", "c1 r8", "9.7.15.5.7"},

	{"m16n8k16", "A", "f16 bf16", "c2 c4 r1 r2 r4", "c1 r8 c8", "9.7.15.5.8"},
	{"m16n8k16", "A", "f64", "c1 c2 r1 r2 r4", "r8 c4 c8", "9.7.15.5.8"},
	{"m16n8k16", "B", "f16 bf16", "r2 r4 c1 c2 c4", "r1 r8", "9.7.15.5.8"},
	{"m16n8k16", "B", "f64", "r1 r2 c1 c2 c4", "r4 r8", "9.7.15.5.8"},
	{"m16n8k16", "A", "s8 u8 e4m3 e5m2", "c4 c8 r1 r2 r4", "c1 c2 r8", "9.7.15.5.9"},
	{"m16n8k16", "B", "s8 u8 e4m3 e5m2", "r4 r8 c1 c2 c4", "r1 r2", "9.7.15.5.9"},
	{"m16n8k16", "C", "f16 f32 f64 s32", "c2 c4 r1 r2 r4", "c1 r8", "9.7.15.5.8"},

	{"m16n8k32", "A", "s4 u4", "c8 c16 r1 r2 r4", "c1 c2 c4 r8", "9.7.15.5.10"},
	{"m16n8k32", "A", "s8 u8 e4m3 e5m2 e3m2 e2m3 e2m1", "c4 c8 r1 r2 r4", "c1 c2 r8 c16", "9.7.15.5.10"},
	{"m16n8k32", "B", "s4 u4", "r8 r16 c1 c2 c4", "r1 r2 r4", "9.7.15.5.10"},
	{"m16n8k32", "B", "s8 u8 e4m3 e5m2 e3m2 e2m3 e2m1", "r4 r8 c1 c2 c4", "r1 r2 r16", "9.7.15.5.10"},
	{"m16n8k32", "C", "f16 f32 s32", "c2 c4 r1 r2 r4", "c1 r8", "9.7.15.5.10"},

	{"m16n8k64", "A", "s4 u4 e2m1p", "c8 c16 r1 r2 r4", "c1 c2 c4 r8 c32", "9.7.15.5.11"},
	{"m16n8k64", "B", "s4 u4 e2m1p", "r8 r16 c1 c2 c4", "r1 r2 r4 r32", "9.7.15.5.11"},
	{"m16n8k64", "C", "f16 f32 s32", "c2 c4 r1 r2 r4", "c1 r8", "9.7.15.5.11"},

	{"m16n8k128", "A", "b1", "c32 c64 r1 r2 r4", "c1 c2 c4 c8 c16 r8", "9.7.15.5.12"},
	{"m16n8k128", "B", "b1", "r32 r64 c1 c2 c4", "r1 r2 r4 r8 r16", "9.7.15.5.12"},
	{"m16n8k128", "C", "s32 f32", "c2 c4 r1 r2 r4", "c1 r8", "9.7.15.5.12"},

	{"m16n8k256", "A", "b1", "c32 c64 r1 r2 r4", "c1 c2 c4 c8 c16 r8 c128", "9.7.15.5.13"},
	{"m16n8k256", "B", "b1", "r32 r64 c1 c2 c4", "r1 r2 r4 r8 r16 r128", "9.7.15.5.13"},
	{"m16n8k256", "C", "s32", "c2 c4 r1 r2 r4", "c1 r8", "9.7.15.5.13"},

	// Matrix B of products with a sparse A. The manual has these layouts as pictures (figures 121,
	// 124, 132 to 135, 142 to 145). A has the layout of the dense A of half the depth.
	{"m16n8k32", "B", "f16 bf16", "r2 r4 c1 c2 c4", "r1 r8 r16", "9.7.15.6.2.2"},
	{"m16n8k16", "B", "tf32", "r1 r2 c1 c2 c4", "r4 r8", "9.7.15.6.2.3"},
	{"m16n8k64", "B", "s8 u8 e4m3 e5m2 e3m2 e2m3 e2m1", "r4 r8 c1 c2 c4", "r1 r2 r16 r32", "9.7.15.6.2.6"},
	{"m16n8k128", "B", "s4 u4 e2m1p", "r8 r16 c1 c2 c4", "r1 r2 r4 r32 r64", "9.7.15.6.2.8"},

	// Unspecified: the layouts of wmma. They are chosen as tiles of the layouts of mma. If the
	// fragment has room for several copies of an element, the registers repeat.
	{"wmma.m16n16k16", "A", "f16", "c2 c4 r1 r2 r4", "c1 r8 c8 -", "9.7.15.4.1"},
	{"wmma.m16n16k16", "B", "f16", "r2 r4 c1 c2 c4", "r1 r8 c8 -", "9.7.15.4.1"},
	{"wmma.m16n16k16", "A", "bf16", "c2 c4 r1 r2 r4", "c1 r8 c8", "9.7.15.4.1"},
	{"wmma.m16n16k16", "B", "bf16", "r2 r4 c1 c2 c4", "r1 r8 c8", "9.7.15.4.1"},
	{"wmma.m16n16k16", "A", "s8 u8", "c4 c8 r1 r2 r4", "c1 c2 r8", "9.7.15.4.1"},
	{"wmma.m16n16k16", "B", "s8 u8", "r4 r8 c1 c2 c4", "r1 r2 c8", "9.7.15.4.1"},
	{"wmma.m16n16k16", "C", "f16 f32 s32", "c2 c4 r1 r2 r4", "c1 r8 c8", "9.7.15.4.1"},

	{"wmma.m8n32k16", "A", "f16", "c2 c4 r1 r2 r4", "c1 c8 - -", "9.7.15.4.1"},
	{"wmma.m8n32k16", "B", "f16 bf16", "r2 r4 c1 c2 c4", "r1 r8 c8 c16", "9.7.15.4.1"},
	{"wmma.m8n32k16", "A", "bf16", "c2 c4 r1 r2 r4", "c1 c8", "9.7.15.4.1"},
	{"wmma.m8n32k16", "A", "s8 u8", "c4 c8 r1 r2 r4", "c1 c2", "9.7.15.4.1"},
	{"wmma.m8n32k16", "B", "s8 u8", "r4 r8 c1 c2 c4", "r1 r2 c8 c16", "9.7.15.4.1"},
	{"wmma.m8n32k16", "C", "f16 f32 s32", "c2 c4 r1 r2 r4", "c1 c8 c16", "9.7.15.4.1"},

	{"wmma.m32n8k16", "A", "f16 bf16", "c2 c4 r1 r2 r4", "c1 r8 c8 r16", "9.7.15.4.1"},
	{"wmma.m32n8k16", "B", "f16", "r2 r4 c1 c2 c4", "r1 r8 - -", "9.7.15.4.1"},
	{"wmma.m32n8k16", "B", "bf16", "r2 r4 c1 c2 c4", "r1 r8", "9.7.15.4.1"},
	{"wmma.m32n8k16", "A", "s8 u8", "c4 c8 r1 r2 r4", "c1 c2 r8 r16", "9.7.15.4.1"},
	{"wmma.m32n8k16", "B", "s8 u8", "r4 r8 c1 c2 c4", "r1 r2", "9.7.15.4.1"},
	{"wmma.m32n8k16", "C", "f16 f32 s32", "c2 c4 r1 r2 r4", "c1 r8 r16", "9.7.15.4.1"},

	{"wmma.m16n16k8", "A", "tf32", "c1 c2 r1 r2 r4", "r8 c4", "9.7.15.4.1"},
	{"wmma.m16n16k8", "B", "tf32", "r1 r2 c1 c2 c4", "r4 c8", "9.7.15.4.1"},
	{"wmma.m16n16k8", "C", "f32", "c2 c4 r1 r2 r4", "c1 r8 c8", "9.7.15.4.1"},

	{"wmma.m8n8k4", "A", "f64", "c1 c2 r1 r2 r4", "", "9.7.15.4.1"},
	{"wmma.m8n8k4", "B", "f64", "r1 r2 c1 c2 c4", "", "9.7.15.4.1"},
	{"wmma.m8n8k4", "C", "f64", "c2 c4 r1 r2 r4", "c1", "9.7.15.4.1"},

	{"wmma.m8n8k32", "A", "s4 u4", "c8 c16 r1 r2 r4", "c1 c2 c4", "9.7.15.4.1"},
	{"wmma.m8n8k32", "B", "s4 u4", "r8 r16 c1 c2 c4", "r1 r2 r4", "9.7.15.4.1"},
	{"wmma.m8n8k32", "C", "s32", "c2 c4 r1 r2 r4", "c1", "9.7.15.4.1"},

	{"wmma.m8n8k128", "A", "b1", "c32 c64 r1 r2 r4", "c1 c2 c4 c8 c16", "9.7.15.4.1"},
	{"wmma.m8n8k128", "B", "b1", "r32 r64 c1 c2 c4", "r1 r2 r4 r8 r16", "9.7.15.4.1"},
	{"wmma.m8n8k128", "C", "s32", "c2 c4 r1 r2 r4", "c1", "9.7.15.4.1"},
}

type layoutKey struct {
	shape  string
	matrix string
	elem   Elem
}

// layouts holds the rows by their key, built once.
var layouts = func() map[layoutKey]*Layout {
	t := map[layoutKey]*Layout{}
	for _, r := range layoutRows {
		for _, name := range strings.Fields(r.elems) {
			e := elemNamed(name)
			k := layoutKey{r.shape, r.matrix, e}
			if t[k] != nil || e == None {
				panic(fmt.Sprintf("matrix: layout %v: unknown type, or two rows", k))
			}
			t[k] = r.compile(e)
		}
	}
	return t
}()

// elemNamed reads a type of the table, in which the packed e2m1 is e2m1p.
func elemNamed(name string) Elem {
	if name == "e2m1p" {
		return E2M1P
	}
	return ParseElem(name)
}

// compile makes the Layout of a row for one type.
func (r *layoutRow) compile(e Elem) *Layout {
	m, n, k, ok := ParseShape(strings.TrimPrefix(r.shape, "wmma."))
	l := &Layout{Matrix: r.matrix[0], Elem: e, Blocks: 1, RegBits: max(32, e.Bits()), Section: r.sec}
	switch l.Matrix {
	case 'A':
		l.Rows, l.Cols = m, k
	case 'B':
		l.Rows, l.Cols = k, n
	default:
		l.Rows, l.Cols = m, n
	}
	lane := strings.Fields(r.lane)
	if !ok || len(lane) != 5 {
		panic(fmt.Sprintf("matrix: layout of %s in %s: bad shape or steps", r.matrix, r.shape))
	}
	for _, s := range lane {
		t := parseStep(s)
		l.lane = append(l.lane, t)
		if t.block > 0 {
			l.Blocks = 4
		}
	}
	for _, s := range strings.Fields(r.elem) {
		l.elem = append(l.elem, parseStep(s))
	}
	return l
}

// parseStep reads a step: r4, c2, m1 or -.
func parseStep(s string) (t step) {
	if s == "-" {
		return t
	}
	n, err := strconv.Atoi(s[1:])
	switch {
	case err != nil:
	case s[0] == 'r':
		t.row = n
		return t
	case s[0] == 'c':
		t.col = n
		return t
	case s[0] == 'm':
		t.block = n
		return t
	}
	panic("matrix: bad step " + s)
}

// ParseShape reads "m16n8k16".
func ParseShape(s string) (m, n, k int, ok bool) {
	for i, p := range []*int{&m, &n, &k} {
		if s == "" || s[0] != "mnk"[i] {
			return 0, 0, 0, false
		}
		end := 1
		for end < len(s) && '0' <= s[end] && s[end] <= '9' {
			end++
		}
		var err error
		if *p, err = strconv.Atoi(s[1:end]); err != nil {
			return 0, 0, 0, false
		}
		s = s[end:]
	}
	return m, n, k, s == ""
}

// Find returns the layout of matrix 'A', 'B' or 'C' of a shape, "m16n8k16" or "wmma.m16n16k16"; nil
// if there is none. row reports that A or B is in row-major order, which matters for m8n8k4 with
// f16 only.
func Find(shape string, matrix byte, e Elem, row bool) *Layout {
	if l := layouts[layoutKey{shape, string(matrix), e}]; l != nil {
		return l
	}
	major := ".col"
	if row {
		major = ".row"
	}
	return layouts[layoutKey{shape, string(matrix) + major, e}]
}

// Rows8x8 returns the layout of ldmatrix, stmatrix and movmatrix for a matrix of 8 by 8 elements of
// 16 bits (PTX figures 104 and 107): lane 4r+c holds elements 2c and 2c+1 of row r; with trans, of
// column r.
func Rows8x8(trans bool) *Layout {
	r := layoutRow{shape: "m8n8k8", matrix: "C", lane: "c2 c4 r1 r2 r4", elem: "c1", sec: "9.7.15.5.15"}
	if trans {
		r.lane, r.elem = "r2 r4 c1 c2 c4", "r1"
	}
	return r.compile(B16)
}

// Rows returns the layout of one matrix of ldmatrix and stmatrix, by rows of memory, whose
// addresses come from lanes, and their elements.
//
// PTX 9.7.15.5.15 and 9.7.15.5.16 show the layouts of 8 bits in figures 105, 106 and 108 only. The
// layouts of loads are published measurements of hardware, and those of NVIDIA's CUTLASS
// (SM100_U8x8_LDSM_T with the bytes that it exchanges, SM100_SU4_DU8x16_x1_LDSM_N). The layout of
// stores is that of CUTLASS (SM100_U8x4_STSM_T), which is the fragment of C of m16n8 (Errata E87).
func (o *Op) Rows() *Layout {
	switch {
	case !o.Bytes:
		return Rows8x8(o.Trans)
	case o.Kind == StoreRows:
		return (&layoutRow{shape: "m8n16k8", matrix: "C", lane: "r2 r4 c1 c2 c4", elem: "r1 c8", sec: "9.7.15.5.16"}).compile(U8)
	case o.M == 16:
		return (&layoutRow{shape: "m16n16k8", matrix: "C", lane: "r4 r8 c1 c2 c4", elem: "r1 r2 c8", sec: "9.7.15.5.15"}).compile(U8)
	}
	return (&layoutRow{shape: "m8n16k8", matrix: "C", lane: "c4 c8 r1 r2 r4", elem: "c1 c2", sec: "9.7.15.5.15"}).compile(U8)
}

// RowLanes returns the number of lanes that provide the addresses of the rows of one matrix.
func (o *Op) RowLanes() int {
	if o.Bytes && o.Kind == LoadRows && o.M == 16 {
		return 16
	}
	return 8
}
