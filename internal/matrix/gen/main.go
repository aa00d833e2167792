// Command gen writes docs/reference/ptx-matrix.md from the tables of package matrix.
// Run it with go generate ./internal/matrix.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"example.org/crosslane/internal/matrix"
)

func main() {
	name := filepath.Join("..", "..", "docs", "reference", "ptx-matrix.md")
	if err := os.WriteFile(name, []byte(page()), 0o644); err != nil {
		log.Fatal(err)
	}
}

const intro = `<!-- Generated from package internal/matrix by go generate ./internal/matrix. Do not edit. -->
# Matrix instructions of PTX

Crosslane runs ` + "`mma`, `mma.sp`, `mma.sp::ordered_metadata`, `wmma.load`, `wmma.mma`, `wmma.store`, `ldmatrix`,\n`stmatrix`, `movmatrix` (PTX ISA 9.7.15) and `wgmma`" + ` (PTX ISA 9.7.16). ` + "`crosslane explain`" + ` draws which lane holds which
element of an instruction, as text or as a picture. The layouts of tcgen05 are
in Tensor Memory: ` + "`explain --set`" + ` says them for an instruction descriptor. Not supported
are the forms of ldmatrix and stmatrix for elements of 8, 6 and 4 bits, whose layouts the
manual shows in pictures only.

## What an instruction computes
The manual leaves order and rounding of the accumulation open, within "at least" some
precision. Crosslane fixes one result, the same on every machine:

- **Products are exact.** f16, bf16, tf32 (whose 13 low bits are ignored) and the types of 8,
  6 and 4 bits are taken as they are; subnormal numbers count.
- **f32 accumulators** start as C and take up the products in ascending k (with a sparse A: in
  the order in which its elements are stored), each with one rounding to nearest even, as
  ` + "`fma.rn.f32`" + ` would. A NaN result is 0x7fffffff.
- **f16 accumulators** are f32 within the instruction: C is widened, D rounded once at the end.
- **f64** is a chain of ` + "`fma.f64`" + ` with the rounding of the instruction.
- **Integers** are exact. The sum of products and C wraps modulo 2^32, or with ` + "`.satfinite`" + ` is
  limited once at the end.
- **b1** counts the ones of xor or and of a row and a column.
- **Block scale**: products times the scale factors of A and B are exact and then rounded once
  with the accumulator.

A GPU adds several products at a time and truncates; the low bits of its results differ from
these, and from one architecture to the next.

## Who executes it
All 32 threads of the warp must execute one instruction together. Where some are missing or at
another place, the run reports [not-aligned](diagnostics.md#not-aligned) and goes on as if the
absent lanes held zeros. Strides, addresses and metadata that the manual leaves undefined are
[matrix-operand](diagnostics.md#matrix-operand). An access outside memory is a fault that names the
lane and the address. Registers may be sources and destinations at once.

## Layouts
Row and column of element i of a lane's fragment. Element 0 is in the low bits of the first
register; / and % are those of integers. %s
`

// page returns the text of the reference page.
func page() string {
	var b strings.Builder
	b.WriteString(strings.Replace(intro, "%s", "`m8n8k4` with f16 multiplies four matrices at once:\nnumber lane/4%4.", 1))
	section := ""
	for _, r := range matrix.Table() {
		kind := "mma"
		if strings.HasPrefix(r.Shape, "wmma.") {
			kind = "wmma"
		} else if strings.HasPrefix(r.Layout.Section, "9.7.15.6") {
			kind = "sparse"
		}
		if kind != section {
			section = kind
			switch kind {
			case "mma":
				b.WriteString("\n### mma\n")
			case "sparse":
				b.WriteString("\n### B of mma.sp\nThe stored half of a sparse A is laid out as the dense A of half the depth; C and D are those of the dense\nproduct.\n")
			default:
				b.WriteString("\n### wmma\nThe manual leaves these open; they are Crosslane's choice, and no hardware promises them. Fragments of f16\nwith room for more elements than the matrix has hold them again in the later registers.\n")
			}
			b.WriteString("\n| shape | matrix | types | elements | registers | row | column | PTX ISA |\n|---|---|---|---|---|---|---|---|\n")
		}
		row, col := r.Layout.Formulas()
		name := strings.ReplaceAll(strings.TrimPrefix(r.Matrix, "C"), ".", ", .")
		if r.Matrix[0] == 'C' {
			name = "C, D"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %s | %s | %s | %s |\n", strings.TrimPrefix(r.Shape, "wmma."), name, r.Elems, r.Layout.Elems(), r.Regs, row, col, r.Layout.Section)
	}
	b.WriteString(sparse)
	return b.String()
}

const sparse = `
### Sparsity metadata
Four bits describe a chunk of a row of A: 4 elements of which 2 are stored (f16, bf16, the types
of 8 bits), 2 of which 1 is stored (tf32), 8 of which 4 are stored, in pairs (the types of 4 bits).
The low two bits are the place of the first stored element or pair, the high two that of the
second. For rows r and r+8, of lanes 4r to 4r+3:

| chunks in a row | lanes | bits of chunk c |
|---|---|---|
| 4 | lane 4r + selector | row r: 4c and up; row r+8: 16 + 4c and up |
| 8, f16, bf16, tf32 | lane 4r + 2*selector + c/4 | row r: 4(c%4) and up; row r+8: 16 + 4(c%4) and up |
| 8, others | row r: lane 4r + 2*selector; row r+8: the next lane | 4c and up |
| 16 | row r: lane 4r + 2(c/8); row r+8: the next lane | 4(c%8) and up |
`
