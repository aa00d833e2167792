package ptx

import (
	"fmt"

	"example.org/crosslane/internal/matrix"
)

// A Fragment is a matrix of a matrix instruction, divided into cells; one register of one lane
// holds a cell.
type Fragment struct {
	Name  string // "A"; "metadata"
	Title string
	Rows  []string // the matrix rows that each row of Cells holds: "0", "2-3"
	Cols  []string
	Cells [][]FragmentCell
	// Elements holds the row and column of each element that a lane holds, in the order of its
	// registers, and a third index if there are several matrices; nil for metadata.
	Elements [][][]int
}

// A FragmentCell is the register of a lane that holds a cell.
type FragmentCell struct {
	Text string // "12:a0"
	Lane int
	Reg  int
}

const wmmaNote = "the manual leaves it open which lane holds which element of a wmma fragment; shown is Crosslane's choice, which no hardware promises"

// showProduct explains the fragments of mma and wmma.mma.
func showProduct(wmma bool) func(x *explainer) {
	return func(x *explainer) {
		x.product(x.v.productOp(wmma))
		if wmma {
			x.note(wmmaNote)
		}
	}
}

// showTile explains the fragment of wmma.load and wmma.store.
func showTile(x *explainer) {
	o := x.v.tileOp(matrix.LoadTile)
	x.fragment(string(o.Matrix), x.fragmentName(), o.Layout(0), "")
	x.note(wmmaNote)
}

// fragmentName returns the name of the fragment that is loaded or stored.
func (x *explainer) fragmentName() string {
	if x.index("r") >= 0 {
		return "r"
	}
	return "d"
}

// showRows explains the fragments of ldmatrix and stmatrix.
func showRows(x *explainer) {
	name := x.fragmentName()
	o, _, _ := x.v.matrixOp(matrix.LoadRows)
	if name == "r" {
		o.Kind = matrix.StoreRows
	}
	what := ", by rows of memory: lane r gives the address of row r"
	if o.Num > 1 {
		rows, regs := o.RowLanes(), o.Rows().Regs()
		what += fmt.Sprintf("; matrix 1 begins with register %s%d, its addresses with lane %d, and so on", name, regs, rows)
	}
	x.fragment("matrix 0", name, o.Rows(), what)
}

// showTranspose explains the fragments of movmatrix.
func showTranspose(x *explainer) {
	x.fragment("source", "a", matrix.Rows8x8(false), "")
	x.fragment("result", "d", matrix.Rows8x8(true), ", by rows and columns of the source")
}

// product adds the fragments of a matrix product: A, B, C and D, and the metadata of a sparse A.
func (x *explainer) product(o matrix.Op) {
	p := matrix.NewProduct(o)
	if p == nil {
		return
	}
	what := ""
	if o.Sparse {
		what = fmt.Sprintf(", the stored half of %d columns", o.K)
	}
	x.fragment("A", "a", p.A, what)
	x.fragment("B", "b", p.B, "")
	if o.C == o.D {
		x.fragment("C and D", "c", p.C, "")
	} else {
		x.fragment("C", "c", p.C, "")
		x.fragment("D", "d", p.D, "")
	}
	if p.A.Blocks > 1 {
		x.note("%d products at once: shown is that of lanes 0-3 and 16-19; lanes 4 higher hold the next", p.A.Blocks)
	}
	if o.Sparse {
		x.metadata(&o)
	}
	switch o.D {
	case matrix.S32:
	case matrix.F64:
		x.note("an element starts as C and takes up the products in ascending k, each by one fma")
	default:
		x.note("the order of accumulation is unspecified; Crosslane starts with C and takes up the products in ascending k, each by one fma.rn.f32%s", map[bool]string{true: ", and rounds to f16 at the end"}[o.D == matrix.F16])
	}
}

// fragment adds the picture of one layout; reg is the letter of its registers.
func (x *explainer) fragment(name, reg string, l *matrix.Layout, what string) {
	if l == nil {
		return
	}
	h, w := l.Tile()
	f := Fragment{Name: name, Rows: ranges(l.Rows, h), Cols: ranges(l.Cols, w), Cells: make([][]FragmentCell, l.Rows/h)}
	for i := range f.Cells {
		f.Cells[i] = make([]FragmentCell, l.Cols/w)
	}
	per := l.PerReg()
	for lane := range 32 {
		var own [][]int
		for i := range l.Elems() {
			b, row, col := l.At(lane, i)
			at := []int{row, col}
			if l.Blocks > 1 {
				at = append(at, b)
			}
			own = append(own, at)
			if c := &f.Cells[row/h][col/w]; b == 0 && c.Text == "" {
				*c = FragmentCell{Text: fmt.Sprintf("%d:%s%d", lane, reg, i/per), Lane: lane, Reg: i / per}
			}
		}
		f.Elements = append(f.Elements, own)
	}
	one := "one element"
	if per > 1 {
		one = fmt.Sprintf("%d elements", per)
	}
	f.Title = fmt.Sprintf("%s: %dx%d of %s%s; %s in a register, lane:register", name, l.Rows, l.Cols, l.Elem, what, one)
	x.e.Fragments = append(x.e.Fragments, f)
}

// metadata adds the picture that shows which lane holds which indices of a sparse A.
func (x *explainer) metadata(o *matrix.Op) {
	if i := x.index("f"); i >= 0 {
		o.Selector = uint8(x.in.Args[i].Val)
	}
	chunks := o.K / 4
	switch o.A {
	case matrix.TF32:
		chunks = o.K / 2
	case matrix.S4, matrix.U4, matrix.E2M1P:
		chunks = o.K / 8
	}
	f := Fragment{Name: "metadata", Rows: ranges(16, 1), Cols: ranges(o.K, o.K/chunks)}
	for row := range 16 {
		var cells []FragmentCell
		for c := range chunks {
			owner, bit := o.MetadataOwner(row, c)
			lane := row%8*4 + owner
			cells = append(cells, FragmentCell{Text: fmt.Sprintf("%d[%d:%d]", lane, bit+3, bit), Lane: lane, Reg: bit / 4})
		}
		f.Cells = append(f.Cells, cells)
	}
	f.Title = "metadata e: which lane's bits say where the stored elements of a chunk of A's columns stand, lane[bits]"
	x.e.Fragments = append(x.e.Fragments, f)
}

// ranges names n indices in pieces: "0", "1" …, or "0-1", "2-3" ….
func ranges(n, piece int) (s []string) {
	for i := 0; i < n; i += piece {
		if piece == 1 {
			s = append(s, fmt.Sprint(i))
		} else {
			s = append(s, fmt.Sprintf("%d-%d", i, i+piece-1))
		}
	}
	return s
}
