package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// TestExplainMatrix checks, for a sample of spellings, that explain shows every element of every
// matrix in the lane and register that the executed layout has.
func TestExplainMatrix(t *testing.T) {
	t.Parallel()
	n := 0
	allVariants(func(r *row, op string, v *variant) {
		if r.Do.show == nil || v.has("kind") {
			return // or the operands of tcgen05.mma are in memory
		}
		if n++; n%11 != 0 {
			return // outside the sample
		}
		var args []string
		for i := range v.ops {
			args = append(args, operandText(v, i, false))
		}
		args = append(args, impliedTexts(v)...)
		e, err := Explain(op+" "+strings.Join(args, ", ")+";", ExplainOptions{})
		if err != nil {
			return // refused: see TestMatrixRefused
		}
		if len(e.Fragments) == 0 {
			t.Fatalf("%s: no fragments", op)
		}
		for _, f := range e.Fragments {
			if len(f.Cells) != len(f.Rows) {
				t.Fatalf("%s: %s has %d rows of cells and %d names", op, f.Name, len(f.Cells), len(f.Rows))
			}
			for i, row := range f.Cells {
				if len(row) != len(f.Cols) {
					t.Fatalf("%s: %s has %d columns of cells and %d names", op, f.Name, len(row), len(f.Cols))
				}
				for j, c := range row {
					if c.Text == "" {
						t.Fatalf("%s: cell %d,%d of %s is empty", op, i, j, f.Name)
					}
				}
			}
		}
	})
	e, err := Explain("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};", ExplainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The expected places were read off figures 79, 81 and 83 of the manual.
	for _, c := range []struct {
		part, row, col int
		want           string
	}{{0, 0, 0, "0:a0"}, {0, 9, 1, "5:a1"}, {0, 3, 7, "15:a2"}, {0, 15, 4, "28:a3"}, {1, 0, 0, "0:b0"}, {1, 7, 3, "15:b1"}, {2, 0, 1, "0:c1"}, {2, 12, 6, "19:c2"}} {
		if got := e.Fragments[c.part].Cells[c.row][c.col].Text; got != c.want {
			t.Errorf("%s: cell %d,%d is %s, want %s", e.Fragments[c.part].Name, c.row, c.col, got, c.want)
		}
	}
	if got := fmt.Sprint(e.Fragments[0].Elements[5]); got != "[[1 2] [1 3] [9 2] [9 3] [1 10] [1 11] [9 10] [9 11]]" {
		t.Errorf("lane 5 holds %s of A", got)
	}
	e, err = Explain("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%d0,%d1,%d2,%d3}, [%rd1];", ExplainOptions{})
	if err != nil || e.Fragments[0].Cells[0][7].Text != "28:d0" || len(e.Notes) != 0 {
		t.Errorf("%v %v", err, e)
	}
}
