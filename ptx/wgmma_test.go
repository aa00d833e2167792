package ptx

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"
)

// A wgmmaCase is one product: its modifiers, and the bits of an element. Its numbers are small integers, so every order
// of accumulation gives the same result.
type wgmmaCase struct {
	d, a, b     string
	k           int // of the dense product
	sparse, sat bool
}

// smallBits returns the bits of an integer from -3 to 3 as a type.
func smallBits(x int, t string) uint64 {
	sign, m := uint64(0), x
	if x < 0 {
		sign, m = 1, -x
	}
	mini := func(exp, man, bias uint) uint64 { // 1, 2 and 3 are 1.0, 1.0*2 and 1.5*2
		v := [4]uint64{0, uint64(bias) << man, uint64(bias+1) << man, uint64(bias+1)<<man | 1<<(man-1)}[m]
		return sign<<(exp+man) | v
	}
	switch t {
	case "f16":
		return mini(5, 10, 15)
	case "bf16":
		return mini(8, 7, 127)
	case "tf32", "f32":
		return mini(8, 23, 127)
	case "e4m3":
		return mini(4, 3, 7)
	case "e5m2":
		return mini(5, 2, 15)
	case "u8", "b1":
		return uint64(m)
	case "s8":
		return uint64(uint8(x))
	}
	return uint64(uint32(x)) // s32
}

var typeBits = map[string]int{"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "b1": 1, "f32": 32, "s32": 32}

const (
	wgmmaShared  = 40 << 10
	wgmmaThreads = wgmmaShared + 128*1024
)

// wgmmaData has the contents of shared memory and of the registers of 128 threads.
type wgmmaData struct {
	bytes []byte
	a, b  map[[2]int]int // by row of A, and by column of B; and k
	d     map[[2]int]int
}

// put writes an element of an operand to shared memory: K-major or not, with a swizzle of w bytes, from start on.
func (m *wgmmaData) put(start, mn, k, bits, w int, major bool, lead, stride int, v uint64) {
	at := start
	b := k * bits / 8
	switch {
	case major && w == 0:
		at += mn*2/16*stride + mn*2%16 + k%8*16 + k/8*lead
	case major:
		at += mn*2/w*lead + mn*2%w + k%8*w + k/8*stride
	case w == 0:
		at += mn/8*stride + mn%8*16 + b/16*lead + b%16
	default:
		at += mn/8*stride + mn%8*w + b
	}
	switch w {
	case 32:
		at ^= at >> 7 & 1 << 4
	case 64:
		at ^= at >> 7 & 3 << 4
	case 128:
		at ^= at >> 7 & 7 << 4
	}
	if bits == 1 {
		m.bytes[at] |= byte(v) << (k % 8)
		return
	}
	for i := range bits / 8 {
		m.bytes[at+i] = byte(v >> (8 * i))
	}
}

// or sets bits of a register of a thread: 0 to 127 are D, 128 to 131 A, and 132 the metadata.
func (m *wgmmaData) or(thread, reg, bit int, v uint64) {
	at := wgmmaShared + thread*1024 + reg*4
	binary.LittleEndian.PutUint32(m.bytes[at:], binary.LittleEndian.Uint32(m.bytes[at:])|uint32(v<<bit))
}

// TestWgmma runs products of every type, with A in registers and in shared memory, all swizzles, both orders, negated
// operands and scale-d, and compares D with the product of the matrices. The layouts are those of the figures of PTX
// 9.7.16.5 as formulas, in the words of this test.
func TestWgmma(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	var cases []wgmmaCase
	for _, sparse := range []bool{false, true} {
		for _, d := range []string{"f16", "f32"} {
			cases = append(cases, wgmmaCase{d: d, a: "f16", b: "f16", k: 16, sparse: sparse})
			for _, a := range []string{"e4m3", "e5m2"} {
				for _, b := range []string{"e4m3", "e5m2"} {
					cases = append(cases, wgmmaCase{d: d, a: a, b: b, k: 32, sparse: sparse})
				}
			}
		}
		cases = append(cases, wgmmaCase{d: "f32", a: "bf16", b: "bf16", k: 16, sparse: sparse}, wgmmaCase{d: "f32", a: "tf32", b: "tf32", k: 8, sparse: sparse})
		for _, a := range []string{"s8", "u8"} {
			for _, b := range []string{"s8", "u8"} {
				cases = append(cases, wgmmaCase{d: "s32", a: a, b: b, k: 32, sparse: sparse, sat: a == b})
			}
		}
	}
	cases = append(cases, wgmmaCase{d: "s32", a: "b1", b: "b1", k: 256})
	for i, c := range cases {
		for j, n := range []int{8, 24, 64, 256} {
			for shared := range 2 {
				if j > 0 && (i+j+shared)%4 != 0 || !short.Every(i+shared, 3) {
					continue
				}
				if n == 256 && c.sparse && typeBits[c.b] == 1 {
					continue
				}
				runWgmma(t, r, c, n, shared == 1)
				if t.Failed() {
					return
				}
			}
		}
	}
}

func runWgmma(t *testing.T, r *rand.Rand, c wgmmaCase, n int, sharedA bool) {
	m := &wgmmaData{bytes: make([]byte, wgmmaThreads), a: map[[2]int]int{}, b: map[[2]int]int{}, d: map[[2]int]int{}}
	abits, bbits := typeBits[c.a], typeBits[c.b]
	k := c.k
	if c.sparse {
		k *= 2
	}
	number := func(t string) int {
		switch t {
		case "b1":
			return r.IntN(2)
		case "u8":
			return r.IntN(4)
		}
		return r.IntN(7) - 3
	}
	half := abits == 16
	transA, transB := half && sharedA && r.IntN(2) == 0, half && r.IntN(2) == 0
	// place chooses a swizzle and the two offsets, and returns the descriptor.
	place := func(start, mn, k, bits int, major bool) (w, lead, stride int, desc uint64) {
		line := k * bits / 8
		if major {
			line = mn * bits / 8
		}
		for {
			i := r.IntN(4)
			w = []int{0, 128, 64, 32}[i]
			if w > 0 && (!major && w < line || major && line%w != 0) || w*mn > 32<<10 {
				continue
			}
			switch {
			case major && w == 0:
				lead, stride = 128, 128*k/8
			case major:
				lead, stride = 8*w*(k/8), 8*w
			case w == 0:
				lead, stride = 128*((mn+7)/8), 128
			default:
				stride = 8 * w
			}
			return w, lead, stride, uint64(start>>4) | uint64(lead>>4)<<16 | uint64(stride>>4)<<32 | uint64(i)<<62
		}
	}
	// A, stored: of a sparse A, half of K; at[row] lists the k of the dense A.
	stored := c.k
	at := make([][]int, 64)
	sel := 0
	if abits >= 16 && c.sparse {
		sel = r.IntN(2)
	}
	for row := range 64 {
		for s := 0; s < stored; s++ {
			if !c.sparse {
				at[row] = append(at[row], s)
				continue
			}
			w, l := row/16, row%8*4
			hi := row % 16 / 8
			if c.a == "tf32" {
				which := r.IntN(2)
				at[row] = append(at[row], 2*s+which)
				m.or(32*w+l+2*sel+s/4, 132, 16*hi+4*(s%4), []uint64{0b0100, 0b1110}[which])
				continue
			}
			if s%2 == 1 {
				continue
			}
			i := r.IntN(3)
			j := i + 1 + r.IntN(3-i)
			at[row] = append(at[row], 2*s+i, 2*s+j)
			chunk := s / 2
			if abits == 16 {
				m.or(32*w+l+2*sel+chunk/4, 132, 16*hi+4*(chunk%4), uint64(i|j<<2))
			} else {
				m.or(32*w+l+hi+2*(chunk/8), 132, 4*(chunk%8), uint64(i|j<<2))
			}
		}
	}
	startA := 33 << 10
	wa, leadA, strideA, descA := place(startA, 64, stored, abits, transA)
	if wa == 128 {
		startA, descA = 32<<10, descA-1<<10>>4
	}
	for row := range 64 {
		for s := range stored {
			x := number(c.a)
			m.a[[2]int{row, at[row][s]}] = x
			if sharedA {
				m.put(startA, row, s, abits, wa, transA, leadA, strideA, smallBits(x, c.a))
			}
		}
	}
	if !sharedA {
		for thread := range 128 {
			w, l := thread/32, thread%32
			for i := range 128 / abits {
				row, s := 16*w+l/4, 0
				switch abits {
				case 32:
					row, s = row+8*(i%2), l%4+4*(i/2)
				case 16:
					row, s = row+8*(i/2%2), 2*(l%4)+i%2+8*(i/4)
				case 8:
					row, s = row+8*(i/4%2), 4*(l%4)+i%4+16*(i/8)
				case 1:
					row, s = row+8*(i/32%2), 32*(l%4)+i%32+128*(i/64)
				}
				m.or(thread, 128+i*abits/32, i*abits%32, smallBits(m.a[[2]int{row, at[row][s]}], c.a))
			}
		}
	}
	wb, leadB, strideB, descB := place(0, n, k, bbits, transB)
	for col := range n {
		for i := range k {
			x := number(c.b)
			m.b[[2]int{col, i}] = x
			m.put(0, col, i, bbits, wb, transB, leadB, strideB, smallBits(x, c.b))
		}
	}
	dbits := typeBits[c.d]
	element := func(thread, i int) (row, col int) {
		w, l := thread/32, thread%32
		return 16*w + l/4 + 8*(i/2%2), 8*(i/4) + 2*(l%4) + i%2
	}
	for thread := range 128 {
		for i := range n / 2 {
			row, col := element(thread, i)
			x := r.IntN(7) - 3
			m.d[[2]int{row, col}] = x
			m.or(thread, i*dbits/32, i*dbits%32, smallBits(x, c.d))
		}
	}
	scaleD, sa, sb := []string{"0", "1", "%p1", "!%p1"}[r.IntN(4)], 1, 1
	regs := n / 2 * dbits / 32
	kind, load := "r", "ld.global.b32"
	if c.d == "f32" {
		kind, load = "f", "ld.global.f32"
	}
	var code strings.Builder
	d := make([]string, regs)
	for i := range d {
		d[i] = fmt.Sprintf("%%%s%d", kind, 100+i)
		fmt.Fprintf(&code, "\t%s %s, [%%rd4+%d];\n", load, d[i], 4*i)
	}
	a := "%rd6"
	if !sharedA {
		a = "{%r10, %r11, %r12, %r13}"
		for i := range 4 {
			fmt.Fprintf(&code, "\tld.global.b32 %%r%d, [%%rd4+%d];\n", 10+i, 512+4*i)
		}
	}
	op := fmt.Sprintf("wgmma.mma_async%s.sync.aligned.m64n%dk%d%s.%s.%s.%s%s", map[bool]string{true: ".sp"}[c.sparse], n, k, map[bool]string{true: ".satfinite"}[c.sat], c.d, c.a, c.b, map[bool]string{true: ".and.popc"}[c.a == "b1"])
	args := fmt.Sprintf("{%s}, %s, %%rd7", strings.Join(d, ", "), a)
	if c.sparse {
		args += fmt.Sprintf(", %%r14, %d", sel)
		fmt.Fprintf(&code, "\tld.global.b32 %%r14, [%%rd4+528];\n")
	}
	args += ", " + scaleD
	if c.d != "s32" {
		sa, sb = 1-2*r.IntN(2), 1-2*r.IntN(2)
		args += fmt.Sprintf(", %d, %d", sa, sb)
	}
	bit := map[bool]int{true: 1}
	if half && sharedA {
		args += fmt.Sprintf(", %d", bit[transA])
	}
	if half {
		args += fmt.Sprintf(", %d", bit[transB])
	}
	fmt.Fprintf(&code, "\twgmma.fence.sync.aligned;\n\t%s %s;\n\twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;\n", op, args)
	for i, x := range d {
		fmt.Fprintf(&code, "\tst.global.b32 [%%rd4+%d], %s;\n", 4*i, x)
	}
	src := fmt.Sprintf(`.version 8.5
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 data)
{
	.reg .pred %%p<9>;
	.reg .b32 %%r<300>;
	.reg .f32 %%f<300>;
	.reg .b64 %%rd<20>;
	.shared .align 1024 .b8 sm[%d];
	ld.param.u64 %%rd1, [data];
	mov.u32 %%r0, %%tid.x;
	setp.lt.u32 %%p1, %%r0, 4096;
	mov.u64 %%rd2, sm;
	mul.wide.u32 %%rd3, %%r0, 4;
	add.u64 %%rd2, %%rd2, %%rd3;
	add.u64 %%rd3, %%rd1, %%rd3;
	mov.u32 %%r1, 0;
copy:
	ld.global.b32 %%r2, [%%rd3];
	st.shared.b32 [%%rd2], %%r2;
	add.u64 %%rd2, %%rd2, 512;
	add.u64 %%rd3, %%rd3, 512;
	add.u32 %%r1, %%r1, 512;
	setp.lt.u32 %%p2, %%r1, %d;
	@%%p2 bra copy;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	mul.wide.u32 %%rd4, %%r0, 1024;
	add.u64 %%rd4, %%rd4, %%rd1;
	add.u64 %%rd4, %%rd4, %d;
	mov.u64 %%rd8, sm;
	shr.u64 %%rd8, %%rd8, 4;
	add.u64 %%rd6, %%rd8, %d;
	add.u64 %%rd7, %%rd8, %d;
%s	ret;
}
`, wgmmaShared, wgmmaShared, wgmmaShared, int64(descA), int64(descB), code.String())
	found, err := runMatrix(t, src, m.bytes, 128)
	if err != nil || len(found) > 0 {
		t.Errorf("%s %s: %v %v", op, args, err, found)
		return
	}
	for thread := range 128 {
		for i := range n / 2 {
			row, col := element(thread, i)
			sum := 0
			for _, j := range at[row] {
				sum += m.a[[2]int{row, j}] * m.b[[2]int{col, j}]
			}
			sum *= sa * sb
			if scaleD == "1" || scaleD == "%p1" {
				sum += m.d[[2]int{row, col}]
			}
			v := uint64(binary.LittleEndian.Uint32(m.bytes[wgmmaShared+thread*1024+i*dbits/32*4:])) >> (i * dbits % 32) & (1<<dbits - 1)
			var got float64
			switch c.d {
			case "f32":
				got = float64(math.Float32frombits(uint32(v)))
			case "s32":
				got = float64(int32(v))
			default:
				e, f := int(v>>10&31), float64(v&1023)/1024
				if got = math.Ldexp(1+f, e-15); e == 0 {
					got = math.Ldexp(f, -14)
				}
				if v>>15 != 0 {
					got = -got
				}
			}
			if got != float64(sum) {
				t.Errorf("%s %s (swizzles %d, %d, trans %v %v): D[%d,%d] is %v, want %d", op, args, wa, wb, transA, transB, row, col, got, sum)
				return
			}
		}
	}
}
