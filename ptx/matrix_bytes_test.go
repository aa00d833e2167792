package ptx

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLdStMatrixBytes moves matrices of 8-bit elements. The expected fragments follow measurements
// on hardware: ldmatrix.m16n16.trans puts rows 4(l mod 4) to 4(l mod 4)+3 of column l/4 into the
// first register of lane l, and of column l/4+8 into its second register. .m8n16 puts the bytes of
// row l/4 from 4(l mod 4) on there; elements of 4 and 6 bits are expanded, beginning with the
// lowest bits. stmatrix.m16n8.trans stores the fragment of C of m16n8 by columns: element (g, c)
// belongs to lane 4g+c/2, and element (g+8, c) follows it.
func TestLdStMatrixBytes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(16, 8))
	kernel := func(code string) string {
		return strings.Replace(matrixKernel(code), ".version 8.5\n.target sm_90\n", ".version 8.8\n.target sm_100a\n", 1)
	}
	// Lane l's row of memory is 16 bytes at data+32*l; fragments are at data+1024+16*l.
	const in = "mov.u32 %r1, sm; mad.lo.u32 %r2, %r0, 48, %r1; mul.wide.u32 %rd4, %r0, 32; add.s64 %rd5, %rd1, %rd4; mul.wide.u32 %rd6, %r0, 16; add.s64 %rd7, %rd1, %rd6;\n" +
		"ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd5]; st.shared.v4.u32 [%r2], {%r4, %r5, %r6, %r7}; bar.warp.sync -1;\n"
	for _, c := range []struct {
		form      string
		regs      int
		rows, per int // rows of a matrix, registers of a matrix
		bits      int
	}{
		{"m16n16.x1.trans.shared.b8", 2, 16, 2, 8}, {"m16n16.x2.trans.shared::cta.b8", 4, 16, 2, 8},
		{"m16n16.x1.trans.shared.b8x16.b4x16_p64", 2, 16, 2, 4}, {"m16n16.x2.trans.shared.b8x16.b6x16_p32", 4, 16, 2, 6},
		{"m8n16.x1.shared.b8x16.b4x16_p64", 1, 8, 1, 4}, {"m8n16.x2.shared.b8x16.b6x16_p32", 2, 8, 1, 6}, {"m8n16.x4.shared.b8x16.b4x16_p64", 4, 8, 1, 4}, {"m8n16.x4.shared.b8x16.b6x16_p32", 4, 8, 1, 6},
	} {
		data := make([]byte, 2048)
		for i := range 1024 {
			data[i] = byte(r.Uint32())
		}
		element := func(row, col int) byte {
			var v byte
			for b := range c.bits {
				at := col*c.bits + b
				v |= data[32*row+at/8] >> (at % 8) & 1 << b
			}
			return v
		}
		names := make([]string, c.regs)
		out := ""
		for i := range names {
			names[i] = fmt.Sprintf("%%r%d", 10+i)
			out += fmt.Sprintf("st.global.u32 [%%rd7+%d], %%r%d; ", 1024+4*i, 10+i)
		}
		if _, err := runMatrix(t, kernel(in+"ldmatrix.sync.aligned."+c.form+" {"+strings.Join(names, ", ")+"}, [%r2];\n"+out), data, 32); err != nil {
			t.Fatal(c.form, err)
		}
		for l := range 32 {
			for reg := range c.regs {
				for b := range 4 {
					row, col := c.rows*(reg/c.per), 0
					if c.rows == 16 {
						row, col = row+4*(l%4)+b, l/4+8*(reg%2)
					} else {
						row, col = row+l/4, 4*(l%4)+b
					}
					if got := data[1024+16*l+4*reg+b]; got != element(row, col) {
						t.Fatalf("%s: byte %d of register %d of lane %d is %#x, want %#x, element (%d, %d)", c.form, b, reg, l, got, element(row, col), row, col)
					}
				}
			}
		}
	}
	for _, n := range []int{1, 2, 4} {
		data := make([]byte, 2048)
		for i := range 512 {
			data[1024+i] = byte(r.Uint32())
		}
		names := make([]string, n)
		load := ""
		for i := range names {
			names[i] = fmt.Sprintf("%%r%d", 10+i)
			load += fmt.Sprintf("ld.global.u32 %%r%d, [%%rd7+%d]; ", 10+i, 1024+4*i)
		}
		code := in + load + fmt.Sprintf("stmatrix.sync.aligned.m16n8.x%d.trans.shared.b8 [%%r2], {%s};\n", n, strings.Join(names, ", ")) +
			"bar.warp.sync -1; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2]; st.global.v4.u32 [%rd5], {%r4, %r5, %r6, %r7};\n"
		if _, err := runMatrix(t, kernel(code), data, 32); err != nil {
			t.Fatal(n, err)
		}
		for m := range n {
			for l := range 32 {
				v := binary.LittleEndian.Uint32(data[1024+16*l+4*m:])
				for e := range 4 {
					row, col := l/4+8*(e/2), 2*(l%4)+e%2 // the row and column in the fragment of C
					if got := data[32*(8*m+col)+row]; got != byte(v>>(8*e)) {
						t.Fatalf("stmatrix.m16n8.x%d: element %d of register %d of lane %d is %#x, want %#x", n, e, m, l, got, byte(v>>(8*e)))
					}
				}
			}
		}
		for l := 8 * n; l < 32; l++ {
			if data[32*l] != 0 {
				t.Fatalf("stmatrix.m16n8.x%d writes row %d", n, l)
			}
		}
	}
}

// TestLdMatrixSM75 checks that for sm_75 all lanes have to give valid addresses (PTX 9.7.15.5.15).
func TestLdMatrixSM75(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]int{"sm_75": 1, "sm_80": 0} {
		src := strings.Replace(matrixKernel("mov.u32 %r1, sm; mad.lo.u32 %r2, %r0, 16, %r1; setp.eq.u32 %p1, %r0, 20; @%p1 mov.u32 %r2, 0x10000; ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10, %r11}, [%r2];"), "sm_90", target, 1)
		found, err := runMatrix(t, src, make([]byte, 64), 32)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, d := range found {
			if strings.Contains(d.Message, "all lanes have to give valid addresses") {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %v", target, found)
		}
	}
}
