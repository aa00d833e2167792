package matrix

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// A formula is a layout in the manual's form, for a lane and element i. It is the second
// transcription of PTX 9.7.15.5, as close to the text as Go allows.
type formula func(lane, i int) (row, col int)

type manualRow struct {
	shape, matrix, elems string
	n                    int // elements of a lane
	f                    formula
}

func pick(cond bool, a, b int) int {
	if cond {
		return a
	}
	return b
}

// accumulators returns the layout of C and D for all shapes with 16 rows.
func accumulators(lane, i int) (row, col int) {
	groupID, threadIDInGroup := lane>>2, lane%4
	return pick(i < 2, groupID, groupID+8), (threadIDInGroup * 2) + (i & 0x1)
}

func accumulators8(lane, i int) (row, col int) { return lane >> 2, (lane%4)*2 + i }

var manual = []manualRow{
	// 9.7.15.5.1
	{"m8n8k4", "A.row", "f16", 4, func(l, i int) (int, int) { return pick(l < 16, l%4, l%4+4), i }},
	{"m8n8k4", "A.col", "f16", 4, func(l, i int) (int, int) { return pick(l < 16, i%4, i%4+4), l % 4 }},
	{"m8n8k4", "B.row", "f16", 4, func(l, i int) (int, int) { return l % 4, pick(l < 16, i, i+4) }},
	{"m8n8k4", "B.col", "f16", 4, func(l, i int) (int, int) { return i, pick(l < 16, l%4, l%4+4) }},
	{"m8n8k4", "C", "f16", 8, func(l, i int) (int, int) { return pick(l < 16, l%4, l%4+4), i }},
	{"m8n8k4", "C", "f32", 8, func(l, i int) (int, int) {
		x := (l & 0b1) + (i & 0b10)
		return pick(l < 16, x, x+4), (i & 0b100) + (l & 0b10) + (i & 0b1)
	}},
	// 9.7.15.5.2
	{"m8n8k4", "A", "f64", 1, func(l, i int) (int, int) { return l >> 2, l % 4 }},
	{"m8n8k4", "B", "f64", 1, func(l, i int) (int, int) { return l % 4, l >> 2 }},
	{"m8n8k4", "C", "f64", 2, accumulators8},
	// 9.7.15.5.3 to 9.7.15.5.5
	{"m8n8k16", "A", "s8 u8", 4, func(l, i int) (int, int) { return l >> 2, (l%4)*4 + i }},
	{"m8n8k16", "B", "s8 u8", 4, func(l, i int) (int, int) { return (l%4)*4 + i, l >> 2 }},
	{"m8n8k16", "C", "s32", 2, accumulators8},
	{"m8n8k32", "A", "s4 u4", 8, func(l, i int) (int, int) { return l >> 2, (l%4)*8 + i }},
	{"m8n8k32", "B", "s4 u4", 8, func(l, i int) (int, int) { return (l%4)*8 + i, l >> 2 }},
	{"m8n8k32", "C", "s32", 2, accumulators8},
	{"m8n8k128", "A", "b1", 32, func(l, i int) (int, int) { return l >> 2, (l%4)*32 + i }},
	{"m8n8k128", "B", "b1", 32, func(l, i int) (int, int) { return (l%4)*32 + i, l >> 2 }},
	{"m8n8k128", "C", "s32", 2, accumulators8},
	// 9.7.15.5.6
	{"m16n8k4", "A", "tf32 f64", 2, func(l, i int) (int, int) { return pick(i == 0, l>>2, l>>2+8), l % 4 }},
	{"m16n8k4", "B", "tf32 f64", 1, func(l, i int) (int, int) { return l % 4, l >> 2 }},
	{"m16n8k4", "C", "f32 f64", 4, accumulators},
	// 9.7.15.5.7
	{"m16n8k8", "A", "f16 bf16", 4, func(l, i int) (int, int) { return pick(i == 0 || i == 1, l>>2, l>>2+8), l%4*2 + (i & 0x1) }},
	{"m16n8k8", "A", "tf32 f64", 4, func(l, i int) (int, int) {
		return pick(i == 0 || i == 2, l>>2, l>>2+8), pick(i == 0 || i == 1, l%4, l%4+4)
	}},
	{"m16n8k8", "B", "f16 bf16", 2, func(l, i int) (int, int) { return l%4*2 + i, l >> 2 }},
	{"m16n8k8", "B", "tf32 f64", 2, func(l, i int) (int, int) { return pick(i == 0, l%4, l%4+4), l >> 2 }},
	{"m16n8k8", "C", "f16 f32 f64", 4, accumulators},
	// 9.7.15.5.8
	{"m16n8k16", "A", "f16 bf16", 8, func(l, i int) (int, int) {
		return pick(0 <= i && i < 2 || 4 <= i && i < 6, l>>2, l>>2+8), pick(i < 4, l%4*2+(i&0x1), l%4*2+(i&0x1)+8)
	}},
	{"m16n8k16", "A", "f64", 8, func(l, i int) (int, int) {
		return pick(i%2 == 0, l>>2, l>>2+8), pick(i%2 == 0, i*2+l%4, i*2-2+l%4)
	}},
	{"m16n8k16", "B", "f16 bf16", 4, func(l, i int) (int, int) { return pick(i < 2, l%4*2+(i&0x1), l%4*2+(i&0x1)+8), l >> 2 }},
	{"m16n8k16", "B", "f64", 4, func(l, i int) (int, int) { return l%4 + i*4, l >> 2 }},
	{"m16n8k16", "C", "f64 f32 f16 s32", 4, accumulators},
	// 9.7.15.5.9
	{"m16n8k16", "A", "u8 s8 e4m3 e5m2", 8, func(l, i int) (int, int) { return pick(i < 4, l>>2, l>>2+8), l%4*4 + (i & 0x3) }},
	{"m16n8k16", "B", "u8 s8 e4m3 e5m2", 4, func(l, i int) (int, int) { return l%4*4 + i, l >> 2 }},
	// 9.7.15.5.10
	{"m16n8k32", "A", "s4 u4", 16, func(l, i int) (int, int) { return pick(i < 8, l>>2, l>>2+8), l%4*8 + (i & 0x7) }},
	{"m16n8k32", "A", "s8 u8 e4m3 e5m2 e3m2 e2m3 e2m1", 16, func(l, i int) (int, int) {
		return pick(0 <= i && i < 4 || 8 <= i && i < 12, l>>2, l>>2+8), pick(i < 8, l%4*4+(i&0x3), l%4*4+(i&0x3)+16)
	}},
	{"m16n8k32", "B", "s4 u4", 8, func(l, i int) (int, int) { return l%4*8 + (i & 0x7), l >> 2 }},
	{"m16n8k32", "B", "s8 u8 e4m3 e5m2 e3m2 e2m3 e2m1", 8, func(l, i int) (int, int) {
		return pick(i < 4, l%4*4+(i&0x3), l%4*4+(i&0x3)+16), l >> 2
	}},
	{"m16n8k32", "C", "s32 f32 f16", 4, accumulators},
	// 9.7.15.5.11
	{"m16n8k64", "A", "s4 u4 e2m1p", 32, func(l, i int) (int, int) {
		return pick(0 <= i && i < 8 || 16 <= i && i < 24, l>>2, l>>2+8), pick(i < 16, l%4*8+(i&0x7), l%4*8+(i&0x7)+32)
	}},
	{"m16n8k64", "B", "s4 u4 e2m1p", 16, func(l, i int) (int, int) { return pick(i < 8, l%4*8+(i&0x7), l%4*8+(i&0x7)+32), l >> 2 }},
	{"m16n8k64", "C", "s32 f32 f16", 4, accumulators},
	// 9.7.15.5.12
	{"m16n8k128", "A", "b1", 64, func(l, i int) (int, int) { return pick(i < 32, l>>2, l>>2+8), l%4*32 + (i & 0x1f) }},
	{"m16n8k128", "B", "b1", 32, func(l, i int) (int, int) { return l%4*32 + i, l >> 2 }},
	{"m16n8k128", "C", "s32 f32", 4, accumulators},
	// 9.7.15.5.13; the manual's column for i < 64 lacks the "& 0x1F".
	{"m16n8k256", "A", "b1", 128, func(l, i int) (int, int) {
		return pick(0 <= i && i < 32 || 64 <= i && i < 96, l>>2, l>>2+8), pick(i < 64, l%4*32+(i&0x1f), l%4*32+(i&0x1f)+128)
	}},
	{"m16n8k256", "B", "b1", 64, func(l, i int) (int, int) { return pick(i < 32, l%4*32+(i&0x1f), l%4*32+(i&0x1f)+128), l >> 2 }},
	{"m16n8k256", "C", "s32", 4, accumulators},
	// 9.7.15.6.2: figures 121, 124, 132 to 135 and 142 to 145 show one register each.
	{"m16n8k32", "B", "f16 bf16", 8, func(l, i int) (int, int) { return l%4*2 + i%2 + i/2*8, l >> 2 }},
	{"m16n8k16", "B", "tf32", 4, func(l, i int) (int, int) { return l%4 + 4*i, l >> 2 }},
	{"m16n8k64", "B", "s8 u8 e4m3 e5m2 e3m2 e2m3 e2m1", 16, func(l, i int) (int, int) { return l%4*4 + i%4 + i/4*16, l >> 2 }},
	{"m16n8k128", "B", "s4 u4 e2m1p", 32, func(l, i int) (int, int) { return l%4*8 + i%8 + i/8*32, l >> 2 }},
}

// TestLayouts compares every layout of mma with the manual's formulas.
func TestLayouts(t *testing.T) {
	t.Parallel()
	checked := map[*Layout]bool{}
	for _, m := range manual {
		for _, name := range strings.Fields(m.elems) {
			what := fmt.Sprint(m.shape, " ", m.matrix, " ", name)
			l := layouts[layoutKey{m.shape, m.matrix, elemNamed(name)}]
			if l == nil {
				t.Errorf("%s: no layout", what)
				continue
			}
			checked[l] = true
			if l.Elems() != m.n {
				t.Errorf("%s: %d elements, want %d", what, l.Elems(), m.n)
				continue
			}
			for lane := range 32 {
				for i := range m.n {
					b, row, col := l.At(lane, i)
					r, c := m.f(lane, i)
					if row != r || col != c || b != pick(l.Blocks == 4, lane/4%4, 0) {
						t.Fatalf("%s: element %d of lane %d is at %d,%d of matrix %d, want %d,%d", what, i, lane, row, col, b, r, c)
					}
				}
			}
		}
	}
	for k, l := range layouts {
		if !checked[l] && !strings.HasPrefix(k.shape, "wmma.") {
			t.Errorf("%v: the manual's formula is not in the test", k)
		}
	}
}

// TestLayoutsCover checks that exactly one lane holds every element of every matrix, in one place.
// In fragments of wmma that have room for more, each element has equally many places, and exactly
// one in the first registers.
func TestLayoutsCover(t *testing.T) {
	t.Parallel()
	for k, l := range layouts {
		n := l.Blocks * l.Rows * l.Cols
		copies := 32 * l.Elems() / n
		if copies < 1 || copies > 1 && !strings.HasPrefix(k.shape, "wmma.") || copies*n != 32*l.Elems() {
			t.Errorf("%v: %d elements in 32 lanes of %d", k, n, l.Elems())
			continue
		}
		held := make([]int, n)
		for i, p := range l.positions() {
			if int(p) >= n {
				t.Fatalf("%v: element outside the matrix", k)
			}
			held[p]++
			if i == n-1 {
				for p, h := range held {
					if h != 1 {
						t.Fatalf("%v: element %d is held %d times in the first registers", k, p, h)
					}
				}
			}
		}
		for p, h := range held {
			if h != copies {
				t.Errorf("%v: element %d,%d is held %d times, want %d", k, p/l.Cols, p%l.Cols, h, copies)
				break
			}
		}
	}
}

// TestWmmaFragments compares the number of registers with the tables of PTX
// 9.7.15.4.1.
func TestWmmaFragments(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"m16n16k16 A u8 2", "m16n16k16 B s8 2", "m8n32k16 A u8 1", "m8n32k16 B u8 4", "m32n8k16 A s8 4", "m32n8k16 B s8 1",
		"m16n16k16 C s32 8", "m8n32k16 C s32 8", "m32n8k16 C s32 8",
		"m16n16k16 A f16 8", "m16n16k16 B f16 8", "m8n32k16 A f16 8", "m8n32k16 B f16 8", "m32n8k16 A f16 8", "m32n8k16 B f16 8",
		"m16n16k16 C f16 4", "m8n32k16 C f16 4", "m32n8k16 C f16 4", "m16n16k16 C f32 8", "m8n32k16 C f32 8", "m32n8k16 C f32 8",
		"m16n16k16 A bf16 4", "m16n16k16 B bf16 4", "m8n32k16 A bf16 2", "m8n32k16 B bf16 8", "m32n8k16 A bf16 8", "m32n8k16 B bf16 2",
		"m16n16k8 A tf32 4", "m16n16k8 B tf32 4", "m16n16k8 C f32 8", "m8n8k4 A f64 1", "m8n8k4 B f64 1",
		"m8n8k4 C f64 2", // the table states one, its own examples two
		"m8n8k32 A u4 1", "m8n8k32 B s4 1", "m8n8k128 A b1 1", "m8n8k128 B b1 1", "m8n8k32 C s32 2", "m8n8k128 C s32 2",
	} {
		f := strings.Fields(s)
		l := Find("wmma."+f[0], f[1][0], ParseElem(f[2]), true)
		if l == nil || fmt.Sprint(l.Regs()) != f[3] {
			t.Errorf("%s: %v", s, l)
		}
	}
}

// TestFormulas evaluates the formulas that the reference prints.
func TestFormulas(t *testing.T) {
	t.Parallel()
	var eval func(e ast.Expr, lane, i int) int
	eval = func(e ast.Expr, lane, i int) int {
		switch e := e.(type) {
		case *ast.ParenExpr:
			return eval(e.X, lane, i)
		case *ast.Ident:
			if e.Name == "lane" {
				return lane
			}
			return i
		case *ast.BasicLit:
			n, _ := strconv.Atoi(e.Value)
			return n
		case *ast.BinaryExpr:
			x, y := eval(e.X, lane, i), eval(e.Y, lane, i)
			switch e.Op {
			case token.ADD:
				return x + y
			case token.MUL:
				return x * y
			case token.QUO:
				return x / y
			case token.REM:
				return x % y
			}
		}
		t.Fatalf("cannot evaluate %T", e)
		return 0
	}
	for _, r := range Table() {
		var f [3]ast.Expr
		row, col := r.Layout.Formulas()
		for n, s := range []string{r.Layout.MatrixFormula(), row, col} {
			e, err := parser.ParseExpr(s)
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			f[n] = e
		}
		for lane := range 32 {
			for i := range r.Layout.Elems() {
				b, row, col := r.Layout.At(lane, i)
				if eval(f[0], lane, i) != b || eval(f[1], lane, i) != row || eval(f[2], lane, i) != col {
					t.Fatalf("%s %s %s: the formulas differ for lane %d, element %d", r.Shape, r.Matrix, r.Elems, lane, i)
				}
			}
		}
	}
}
