package ptx

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/num"
)

// runMatrix runs kernel k of a module with one pointer parameter to data.
func runMatrix(t *testing.T, src string, data []byte, lanes uint32) (diag.List, error) {
	t.Helper()
	m, errs := Parse("k.ptx", src)
	if errs.Err() != nil {
		t.Fatalf("%v\n%s", errs, src)
	}
	k, err := Lift(m, "k")
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	mem := sim.NewMemory()
	buf := mem.Add("data", data)
	l := &sim.Launch{Func: k.Func, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{lanes, 1, 1}, Memory: mem, Workers: 1, Limits: sim.Limits{Timeout: 5 * time.Second}}
	l.Param = binary.LittleEndian.AppendUint64(nil, buf.Base)
	recordRun(t, k)
	if l.Program, err = (interp.Engine{}).Compile(k.Func); err != nil {
		t.Fatal(err)
	}
	_, found, err := sim.Run(context.Background(), l)
	return found, err
}

// matrixKernel is a kernel with the address of the data in %rd1, the lane in %r0 and
// shared memory sm.
func matrixKernel(code string) string {
	return ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data)\n{\n" +
		"\t.reg .pred %p<9>;\n\t.reg .b32 %r<99>;\n\t.reg .f32 %f<99>;\n\t.reg .b64 %rd<20>;\n\t.shared .align 128 .b8 sm[2048];\n" +
		"\tld.param.u64 %rd1, [data];\n\tmov.u32 %r0, %laneid;\n" + code + "\n\tret;\n}\n"
}

// TestLdStMatrix moves matrices between shared memory and fragments: lane 4r+c holds
// elements 2c and 2c+1 of row r (PTX figure 104), or of column r with .trans. Rows are
// 48 bytes apart. Each element of memory holds its own index.
func TestLdStMatrix(t *testing.T) {
	t.Parallel()
	const pitch = 48
	for _, n := range []int{1, 2, 4} {
		for _, trans := range []string{"", ".trans"} {
			for _, space := range []string{".shared", ".shared::cta", ""} {
				regs := "{%r10"
				for i := 1; i < n; i++ {
					regs += fmt.Sprintf(", %%r%d", 10+i)
				}
				regs += "}"
				addr := "%r2"
				if space == "" {
					addr = "%rd3"
				}
				prologue := fmt.Sprintf("mov.u32 %%r1, sm;\nmad.lo.u32 %%r2, %%r0, %d, %%r1;\ncvt.u64.u32 %%rd2, %%r2;\ncvta.shared.u64 %%rd3, %%rd2;\n", pitch)
				// Only the first 8n lanes have addresses that exist.
				if n < 4 {
					prologue += fmt.Sprintf("setp.ge.u32 %%p1, %%r0, %d;\n@%%p1 mov.u32 %%r2, 0x7ffffff0;\n@%%p1 mov.u64 %%rd3, 0;\n", 8*n)
				}
				row := func(i int) string { // address in data of 4 bytes i of the lane's row
					return fmt.Sprintf("[%%rd5+%d]", 4*i)
				}
				copyIn := fmt.Sprintf("mul.wide.u32 %%rd4, %%r0, %d;\nadd.s64 %%rd5, %%rd1, %%rd4;\nmad.lo.u32 %%r3, %%r0, %d, %%r1;\n", pitch, pitch)
				load, store := "", ""
				for i := range 4 {
					load += fmt.Sprintf("ld.global.u32 %%r4, %s;\nst.shared.u32 [%%r3+%d], %%r4;\n", row(i), 4*i)
					store += fmt.Sprintf("ld.shared.u32 %%r4, [%%r3+%d];\nst.global.u32 %s, %%r4;\n", 4*i, row(i))
				}
				out := "mul.wide.u32 %rd6, %r0, 16;\nadd.s64 %rd7, %rd1, %rd6;\n"
				fragOut, fragIn := out, out
				for i := range n {
					fragOut += fmt.Sprintf("st.global.u32 [%%rd7+%d], %%r%d;\n", 2048+4*i, 10+i)
					fragIn += fmt.Sprintf("ld.global.u32 %%r%d, [%%rd7+%d];\n", 10+i, 2048+4*i)
				}
				name := fmt.Sprintf("x%d%s%s", n, trans, space)
				want := func(l, j, e int) (row, col int) { // element e of register j of lane l
					r, c := l/4, 2*(l%4)+e
					if trans != "" {
						r, c = c, r
					}
					return 8*j + r, c
				}
				data := make([]byte, 4096)
				for i := range 32 {
					for c := range 8 {
						binary.LittleEndian.PutUint16(data[i*pitch+2*c:], uint16(100*i+c))
					}
				}
				src := matrixKernel(prologue + copyIn + load + fmt.Sprintf("bar.sync 0;\nldmatrix.sync.aligned.m8n8.x%d%s%s.b16 %s, [%s];\n", n, trans, space, regs, addr) + fragOut)
				if found, err := runMatrix(t, src, data, 32); err != nil || len(found) > 0 {
					t.Fatalf("ldmatrix %s: %v %v", name, err, found)
				}
				for l := range 32 {
					for j := range n {
						for e := range 2 {
							r, c := want(l, j, e)
							if got := binary.LittleEndian.Uint16(data[2048+16*l+4*j+2*e:]); got != uint16(100*r+c) {
								t.Fatalf("ldmatrix %s: element %d of register %d of lane %d is %d, want %d", name, e, j, l, got, 100*r+c)
							}
						}
					}
				}
				// The store puts every element back where it came from.
				back := append([]byte(nil), data...)
				clear(back[:2048])
				src = matrixKernel(prologue + copyIn + load + fragIn + fmt.Sprintf("stmatrix.sync.aligned.m8n8.x%d%s%s.b16 [%s], %s;\nbar.sync 0;\n", n, trans, space, addr, regs) + store)
				if found, err := runMatrix(t, src, back, 32); err != nil || len(found) > 0 {
					t.Fatalf("stmatrix %s: %v %v", name, err, found)
				}
				for i := range 8 * n {
					for c := range 8 {
						if got := binary.LittleEndian.Uint16(back[i*pitch+2*c:]); got != uint16(100*i+c) {
							t.Fatalf("stmatrix %s: element %d of row %d is %d, want %d", name, c, i, got, 100*i+c)
						}
					}
				}
			}
		}
	}
}

// TestMovMatrix checks that movmatrix gives the same result as ldmatrix.trans of the same matrix.
func TestMovMatrix(t *testing.T) {
	t.Parallel()
	set := make([]uint64, 32)
	for l := range set {
		r, c := l/4, 2*(l%4)
		set[l] = uint64(10*r+c) | uint64(10*r+c+1)<<16
	}
	for _, d := range []string{"%d", "%a"} {
		got := runTry(t, "movmatrix.sync.aligned.m8n8.trans.b16 "+d+", %a;", map[string][]uint64{"%a": set})
		for l, v := range got[d] {
			r, c := l/4, 2*(l%4)
			if want := uint64(10*c+r) | uint64(10*(c+1)+r)<<16; v != want {
				t.Errorf("lane %d: %#x, want %#x", l, v, want)
			}
		}
	}
}

// putElem and getElem write and read elements of a matrix in memory by their index in bits.
func putElem(data []byte, at, bits int, v uint64) {
	for i := range bits {
		b := at*bits + i
		data[b/8] = data[b/8]&^(1<<(b%8)) | byte(v>>i&1)<<(b%8)
	}
}

func getElem(data []byte, at, bits int) (v uint64) {
	for i := range bits {
		b := at*bits + i
		v |= uint64(data[b/8]>>(b%8)&1) << i
	}
	return v
}

// TestWmma multiplies matrices of small integers through wmma.load, wmma.mma and wmma.store, in
// every shape, type and memory layout, with and without a stride.
func TestWmma(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	runs := 0
	for _, c := range []struct{ shapes, types, layouts string }{
		{"m16n16k16 m8n32k16 m32n8k16", "f16.f32 f16.f16 bf16.f32 s8.s32 u8.s32", "row col"},
		{"m16n16k8", "tf32.f32", "row col"}, {"m8n8k4", "f64.f64", "row col"},
		{"m8n8k32", "s4.s32 u4.s32", ""}, {"m8n8k128", "b1.s32", ""},
	} {
		for _, shape := range strings.Fields(c.shapes) {
			for _, types := range strings.Fields(c.types) {
				ab, cd, _ := strings.Cut(types, ".")
				for i := range 16 {
					la, lb, lc := []string{"row", "col"}[i&1], []string{"row", "col"}[i>>1&1], []string{"row", "col"}[i>>2&1]
					if c.layouts == "" {
						la, lb = "row", "col"
					}
					wmmaRun(t, r, shape, ab, cd, la, lb, lc, i&8 != 0)
					runs++
				}
			}
		}
	}
	t.Logf("%d products", runs)
}

func wmmaRun(t *testing.T, r *rand.Rand, shape, ab, cd, la, lb, lc string, strided bool) {
	t.Helper()
	m, n, k, _ := matrix.ParseShape(shape)
	eab, ecd := matrix.ParseElem(ab), matrix.ParseElem(cd)
	type mat struct {
		rows, cols, stride, at int
		elem                   matrix.Elem
		row                    bool
		v                      [][]int
	}
	next := 0
	mk := func(rows, cols int, e matrix.Elem, layout string) *mat {
		x := &mat{rows: rows, cols: cols, stride: rows, elem: e, row: layout == "row", at: next}
		lines := cols
		if x.row {
			x.stride, lines = cols, rows
		}
		if strided {
			x.stride += 256 / e.Bits() // keeps the alignment of every fragment
			if x.stride*e.Bits()%256 != 0 {
				x.stride = (x.stride*e.Bits() + 255) / 256 * 256 / e.Bits()
			}
		}
		next += (lines*x.stride*e.Bits()/8 + 63) &^ 63
		x.v = make([][]int, rows)
		for i := range x.v {
			x.v[i] = make([]int, cols)
			for j := range x.v[i] {
				switch e {
				case matrix.B1:
					x.v[i][j] = r.IntN(2)
				case matrix.U4, matrix.U8:
					x.v[i][j] = r.IntN(16)
				default:
					x.v[i][j] = r.IntN(9) - 4
				}
			}
		}
		return x
	}
	a, b, cc, d := mk(m, k, eab, la), mk(k, n, eab, lb), mk(m, n, ecd, lc), mk(m, n, ecd, lc)
	data := make([]byte, next+64)
	index := func(x *mat, i, j int) int {
		if x.row {
			return x.at*8/x.elem.Bits() + i*x.stride + j
		}
		return x.at*8/x.elem.Bits() + j*x.stride + i
	}
	for _, x := range []*mat{a, b, cc} {
		for i := range x.rows {
			for j := range x.cols {
				f := float32(x.v[i][j])
				v := uint64(x.v[i][j])
				switch x.elem {
				case matrix.F16:
					v = uint64(num.CvtF16FromF32(f))
				case matrix.BF16:
					v = uint64(num.CvtBF16FromF32(f))
				case matrix.F32, matrix.TF32:
					v = uint64(math.Float32bits(f))
				case matrix.F64:
					v = math.Float64bits(float64(f))
				}
				putElem(data, index(x, i, j), x.elem.Bits(), v)
			}
		}
	}
	frag := func(name string, operand byte, e matrix.Elem) string {
		regs := matrix.Find("wmma."+shape, operand, e, true).Regs()
		var l []string
		for i := range regs {
			l = append(l, fmt.Sprintf("%s%d", name, i))
		}
		return "{" + strings.Join(l, ", ") + "}"
	}
	reg := map[matrix.Elem]string{matrix.F64: "fd", matrix.F32: "f"}
	name := func(e matrix.Elem, x string) string { return "%" + reg[e] + "r" + x }
	code := ".reg .b32 %ra<8>, %rb<8>, %rc<8>, %rd_<8>;\n.reg .f32 %fra<8>, %frb<8>, %frc<8>, %frd_<8>;\n.reg .f64 %fdra<8>, %fdrb<8>, %fdrc<8>, %fdrd_<8>;\n"
	fa, fb, fc := frag(name(eab, "a"), 'A', eab), frag(name(eab, "b"), 'B', eab), frag(name(ecd, "c"), 'C', ecd)
	stride := func(x *mat) string {
		if strided {
			return fmt.Sprintf(", %d", x.stride)
		}
		return ""
	}
	code += fmt.Sprintf("wmma.load.a.sync.aligned.%s.%s.global.%s %s, [%%rd1+%d]%s;\n", la, shape, ab, fa, a.at, stride(a))
	code += fmt.Sprintf("wmma.load.b.sync.aligned.%s.%s.global.%s %s, [%%rd1+%d]%s;\n", shape, lb, ab, fb, b.at, stride(b)) // the order of the manual's examples
	code += fmt.Sprintf("wmma.load.c.sync.aligned.%s.%s.%s %s, [%%rd1+%d]%s;\n", lc, shape, cd, fc, cc.at, stride(cc))
	types := fmt.Sprintf("%s.%s.%s.%s", cd, ab, ab, cd)
	if ab == "f16" {
		types = cd + "." + cd
	}
	op := ""
	if ab == "b1" {
		op = ".and.popc"
	}
	code += fmt.Sprintf("wmma.mma%s.sync.aligned.%s.%s.%s.%s %s, %s, %s, %s;\n", op, la, lb, shape, types, fc, fa, fb, fc)
	code += fmt.Sprintf("wmma.store.d.sync.aligned.%s.%s.global.%s [%%rd1+%d], %s%s;\n", lc, shape, cd, d.at, fc, stride(d))
	if found, err := runMatrix(t, matrixKernel(code), data, 32); err != nil || len(found) > 0 {
		t.Fatalf("%s %s: %v %v\n%s", shape, ab, err, found, code)
	}
	for i := range m {
		for j := range n {
			want := cc.v[i][j]
			for x := range k {
				want += a.v[i][x] * b.v[x][j]
			}
			bits := getElem(data, index(d, i, j), ecd.Bits())
			got := int(int32(bits))
			switch ecd {
			case matrix.F16:
				got = int(num.CvtF32FromF16(uint16(bits)))
			case matrix.F32:
				got = int(math.Float32frombits(uint32(bits)))
			case matrix.F64:
				got = int(math.Float64frombits(bits))
			}
			if got != want {
				t.Fatalf("%s %s %s %s %s: element %d,%d is %d, want %d\n%s", shape, ab, la, lb, lc, i, j, got, want, code)
			}
		}
	}
}

// TestMatrixFindings checks that accesses that the manual leaves undefined are reported, and that a
// fault names the lane and the address.
func TestMatrixFindings(t *testing.T) {
	t.Parallel()
	const mma = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4};\n"
	const lower = "setp.lt.u32 %p1, %r0, 16;\n"
	shared := "mov.u32 %r1, sm;\nmad.lo.u32 %r2, %r0, 16, %r1;\n"
	for _, c := range []struct {
		name, code string
		lanes      uint32
		want       string
	}{
		{"all is well", mma, 32, ""},
		{"half a warp", mma, 16, "not all 32 lanes of the warp execute it; lanes 16-31 do not exist"},
		{"exited", lower + "@%p1 exit;\n" + mma, 32, "lanes 0-15 have exited"},
		{"two places", lower + "@%p1 bra L;\n" + mma + "ret;\nL:\n" + mma, 32, "do not execute the same instruction; lanes 16-31 are at line 15; lanes 0-15 are at line 18"},
		{"other qualifiers", lower + "@%p1 bra L;\n" + mma + "ret;\nL:\n" +
			"movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r1;\n", 32, "deadlock"},
		{"misaligned row", shared + "add.u32 %r2, %r2, 8;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3,%r4,%r5,%r6}, [%r2];\n", 32, "lane 0 of wave 0 in block (0,0,0) reads 16 bytes at shared address 0x8: the address must be a multiple of 16"},
		{"row outside", shared + "setp.eq.u32 %p1, %r0, 9;\n@%p1 mov.u32 %r2, 2048;\nldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r3,%r4}, [%r2];\n", 32, "lane 9 of wave 0 in block (0,0,0) reads 16 bytes at shared address 0x800"},
		{"row not in shared memory", "ldmatrix.sync.aligned.m8n8.x1.b16 {%r3}, [%rd1];\n", 32, "the address is not one of shared memory"},
		{"store outside", shared + "add.u32 %r2, %r2, 1600;\nstmatrix.sync.aligned.m8n8.x4.shared.b16 [%r2], {%r3,%r4,%r5,%r6};\n", 32, "lane 28 of wave 0 in block (0,0,0) writes 16 bytes at shared address 0x800"},
		{"wmma outside", "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%rd1], 64;\n", 32, "out-of-bounds"},
		{"wmma in private memory", ".local .align 32 .b8 own[1024];\nmov.u64 %rd2, own;\ncvta.local.u64 %rd3, %rd2;\nwmma.load.c.sync.aligned.row.m16n16k16.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%rd3];\n", 32, "this is private memory"},
		{"wmma stride too small", "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%rd1], 8;\n", 32, "the stride is 8, less than the 16 elements of a row or column"},
		{"wmma stride not aligned", "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1], 24;\n", 32, "the stride of 48 bytes is not a multiple of 32"},
		{"wmma address not aligned", "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1+16];\n", 32, "is not a multiple of 32, the bytes of a fragment"},
		{"wmma addresses differ", "mul.wide.u32 %rd2, %r0, 32;\nadd.s64 %rd3, %rd1, %rd2;\nwmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd3];\n", 32, "different addresses or strides"},
		{"metadata", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3,%r4}, {%f1,%f2,%f3,%f4}, %r5, 0;\n", 32, "sparsity metadata"},
	} {
		found, err := runMatrix(t, matrixKernel(c.code), make([]byte, 2048), c.lanes)
		text := found.Error()
		if err != nil {
			text += err.Error()
		}
		if c.want == "" && (err != nil || len(found) > 0) || !strings.Contains(text, c.want) {
			t.Errorf("%s: %v %v, want %q", c.name, found, err, c.want)
		}
	}
}

// TestMatrixDivergent checks lanes that stand at two instructions with equal qualifiers. The
// instructions give the product of the operands of all lanes, and each writes its own registers.
func TestMatrixDivergent(t *testing.T) {
	t.Parallel()
	data := make([]byte, 32*8)
	code := "mov.u32 %r1, 0x3c003c00;\nmov.u32 %r2, 0x3c003c00;\nmov.u32 %r3, 0x3c003c00;\nmov.u32 %r11, 0x40004000;\nmov.u32 %r12, 0x40004000;\nmov.u32 %r13, 0x3c003c00;\n" +
		"setp.lt.u32 %p1, %r0, 16;\n@%p1 bra L;\n" +
		"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r5,%r6}, {%r1,%r2}, {%r3}, {%r7,%r8};\nmov.u32 %r21, %r5;\nbra E;\nL:\n" +
		"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r15,%r16}, {%r11,%r12}, {%r13}, {%r17,%r18};\nmov.u32 %r21, %r15;\nE:\n" +
		"mul.wide.u32 %rd2, %r0, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r21;\n"
	found, err := runMatrix(t, matrixKernel(code), data, 32)
	if err != nil || len(found) != 1 || found[0].Code != "not-aligned" {
		t.Fatalf("%v %v", found, err)
	}
	for l := range 32 {
		want := uint32(0x48004800) // 8 ones
		if l < 16 {
			want = 0x4c004c00 // 8 twos
		}
		if got := binary.LittleEndian.Uint32(data[4*l:]); got != want {
			t.Errorf("lane %d: %#x, want %#x", l, got, want)
		}
	}
}
