package matrix

import "testing"

// TestCells compares the places of registers in Tensor Memory with the layouts of CuTe's copies (SM100_TMEM_LOAD): from a lane, and
// from a register, to a cell, counted along lanes of 512 columns.
func TestCells(t *testing.T) {
	t.Parallel()
	const down = TensorColumns
	for name, c := range map[string]struct {
		lanes, regs stack
		most        int
	}{
		"32x32b":   {stack{[]int{32}, []int{down}}, stack{[]int{128}, []int{1}}, 128},
		"16x64b":   {stack{[]int{2, 2, 8}, []int{8 * down, 1, down}}, stack{[]int{128}, []int{2}}, 128},
		"16x128b":  {stack{[]int{4, 8}, []int{1, down}}, stack{[]int{2, 64}, []int{8 * down, 4}}, 64},
		"16x256b":  {stack{[]int{4, 8}, []int{2, down}}, stack{[]int{2, 2, 32}, []int{1, 8 * down, 8}}, 32},
		"16x32bx2": {stack{[]int{16, 2}, []int{down, 0}}, stack{[]int{128}, []int{1}}, 128},
	} {
		shape, ok := ParseCellShape(name)
		if !ok || shape.String() != name {
			t.Fatalf("no shape %s", name)
		}
		for num := 1; num <= c.most; num *= 2 {
			for _, pairs := range []bool{false, true} {
				o := Op{Kind: TensorLoad, RowTransfer: RowTransfer{Num: num}, Cells: Cells{Piece: shape, Pairs: pairs}}
				if shape == Piece32x2 {
					o.Half = 256
				}
				widest, seen := 0, map[[2]int]bool{}
				for l := range 32 {
					for r := range o.CellRegs() {
						at := c.lanes.at(l) + c.regs.at(r)
						row, col := at/down, at%down
						if pairs {
							col *= 2
						}
						widest = max(widest, col+1)
						if pairs {
							widest = max(widest, col+2)
						}
						col += l / 16 * o.Half
						seen[[2]int{row, col}] = true
						if gr, gc := o.Cell(l, r); gr != row || gc != col {
							t.Fatalf("%s.x%d, pairs %v: lane %d, register %d at %d, %d, want %d, %d", name, num, pairs, l, r, gr, gc, row, col)
						}
					}
				}
				if len(seen) != 32*o.CellRegs() || o.Columns() != widest {
					t.Errorf("%s.x%d, pairs %v: %d cells of %d, %d columns, want %d", name, num, pairs, len(seen), 32*o.CellRegs(), o.Columns(), widest)
				}
			}
		}
	}
}
