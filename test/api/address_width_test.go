package api_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/difftest"
	"example.org/crosslane/internal/short"
)

// Addresses in 32-bit registers are sums of 32 bits (PTX 6.4.1, 6.6): a negative sum wraps, and an
// offset leads back. The tests below have each form of access at addresses that wrap, on all
// engines, with the results of a literal model.

// widthShapes are how the addresses of 32 lanes lie: the word of shared memory that a lane means.
var widthShapes = []struct {
	name string
	word func(lane uint32) uint32
	code string // %r3 = word, of %r1 = lane
}{
	{"one", func(uint32) uint32 { return 8 }, "mov.u32 %r3, 8;"},
	{"row", func(i uint32) uint32 { return i }, "mov.u32 %r3, %r1;"},
	{"fours", func(i uint32) uint32 { return 4 * i }, "shl.b32 %r3, %r1, 2;"},
	{"back", func(i uint32) uint32 { return 31 - i }, "sub.u32 %r3, 31, %r1;"},
	{"mixed", func(i uint32) uint32 { return i*13&31 ^ 5 }, "mul.lo.u32 %r3, %r1, 13; and.b32 %r3, %r3, 31; xor.b32 %r3, %r3, 5;"},
	{"loaded", func(i uint32) uint32 { return i * 20 % 128 }, "shl.b32 %r4, %r1, 2; cvt.u64.u32 %rd2, %r4; add.u64 %rd2, %rd2, %rd1; ld.global.u32 %r3, [%rd2+4096];"},
}

const widthWords = 160

// widthFill fills the part of the buffer after its results: a word each for 32 lanes.
func widthFill(b []byte) {
	for i := range uint32(32) {
		binary.LittleEndian.PutUint32(b[4096+4*i:], i*20%128)
	}
}

// widthForm is an access at [%r5 + OFF], whose result goes to %r10: lane i does lane's share of it
// to the words of mem from w on. Lanes act in order.
type widthForm struct {
	name, code string
	each       func(mem []uint32, i, w uint32) uint32
	apart      uint32 // words that lanes have to be apart; 0: none
}

var widthForms = []widthForm{
	{"ld", "ld.shared.u32 %r10, [%r5+OFF];", func(m []uint32, _, w uint32) uint32 { return m[w] }, 0},
	{"ld.volatile", "ld.volatile.shared.u32 %r10, [%r5+OFF];", func(m []uint32, _, w uint32) uint32 { return m[w] }, 0},
	{"guarded ld", "and.b32 %r11, %r1, 2; setp.ne.u32 %p1, %r11, 0; @%p1 ld.shared.u32 %r10, [%r5+OFF];", func(m []uint32, i, w uint32) uint32 {
		if i&2 == 0 {
			return 0
		}
		return m[w]
	}, 0},
	{"ld.u8", "ld.shared.u8 %r10, [%r5+OFF];", func(m []uint32, _, w uint32) uint32 { return m[w] & 255 }, 0},
	{"ld.s16", "ld.shared.s16 %r10, [%r5+OFF];", func(m []uint32, _, w uint32) uint32 { return uint32(int32(int16(m[w]))) }, 0},
	{"ld.b64", "ld.shared.b64 %rd3, [%r5+OFF]; mov.b64 {%r11, %r12}, %rd3; add.u32 %r10, %r11, %r12;", func(m []uint32, _, w uint32) uint32 { return m[w] + m[w+1] }, 2},
	{"ld.v4", "ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [%r5+OFF]; add.u32 %r10, %r11, %r14;", func(m []uint32, _, w uint32) uint32 { return m[w] + m[w+3] }, 4},
	{"st", "st.shared.u32 [%r5+OFF], %r1;", func(m []uint32, i, w uint32) uint32 { m[w] = i; return 0 }, 0},
	{"st.u8", "st.shared.u8 [%r5+OFF], %r1;", func(m []uint32, i, w uint32) uint32 { m[w] = m[w]&^255 | i; return 0 }, 0},
	{"st.v4", "st.shared.v4.u32 [%r5+OFF], {%r1, %r3, %r1, %r1};", func(m []uint32, i, w uint32) uint32 {
		m[w], m[w+1], m[w+2], m[w+3] = i, w, i, i
		return 0
	}, 4},
	{"atom.add", "atom.shared.add.u32 %r10, [%r5+OFF], %r1;", func(m []uint32, i, w uint32) uint32 { old := m[w]; m[w] += i; return old }, 0},
	{"red.max", "red.shared.max.u32 [%r5+OFF], %r1;", func(m []uint32, i, w uint32) uint32 { m[w] = max(m[w], i); return 0 }, 0},
	{"atom.cas", "mul.lo.u32 %r11, %r3, 7; add.u32 %r11, %r11, 1; atom.shared.cas.b32 %r10, [%r5+OFF], %r11, %r1;", func(m []uint32, i, w uint32) uint32 {
		old := m[w]
		if old == w*7+1 {
			m[w] = i
		}
		return old
	}, 0},
	{"cp.async", "cp.async.ca.shared.global [%r5+OFF], [%rd1+4100], 4; cp.async.wait_all;", func(m []uint32, _, w uint32) uint32 { m[w] = 20; return 0 }, 0},
	{"ldmatrix", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r5+OFF];", nil, 4},
	{"stmatrix", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r5+OFF], {%r1, %r1, %r1, %r1};", nil, 4},
}

// model does a form for all lanes.
func (f *widthForm) model(mem []uint32, word func(uint32) uint32) (out [32]uint32) {
	switch f.name {
	case "ldmatrix": // lane 4r+c has the c-th word of row r of the first matrix (PTX 9.7.15.5.15)
		for i := range uint32(32) {
			out[i] = mem[word(i/4)+i%4]
		}
	case "stmatrix":
		for i := range uint32(32) {
			for c := range uint32(4) {
				mem[word(i)+c] = i%8*4 + c
			}
		}
	default:
		for i := range uint32(32) {
			out[i] = f.each(mem, i, word(i))
		}
	}
	return out
}

func TestAddressesOf32BitsWrap(t *testing.T) {
	t.Parallel()
	for _, f := range widthForms {
		for _, s := range widthShapes {
			if f.apart > 1 && (s.word(1)-s.word(0))%f.apart != 0 || f.apart == 4 && s.name == "one" && f.name == "stmatrix" {
				continue
			}
			for _, bias := range short.Sample([]uint32{0x10000, 512, 0x80000000, 0x7fffff80}, 4) {
				code := strings.ReplaceAll(f.code, "OFF", fmt.Sprint(int32(bias)))
				src := `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<2>; .reg .b32 %r<20>; .reg .b64 %rd<8>;
	.shared .align 16 .b8 s[640];
	ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
	mov.u32 %r6, s; mov.u32 %r2, %r1; mov.u32 %r10, 0;
INIT:
	mul.lo.u32 %r7, %r2, 7; add.u32 %r7, %r7, 1; shl.b32 %r8, %r2, 2; add.u32 %r8, %r8, %r6; st.shared.u32 [%r8], %r7;
	add.u32 %r2, %r2, 32; setp.lt.u32 %p1, %r2, 160; @%p1 bra INIT;
	bar.sync 0;
	` + s.code + `
	shl.b32 %r5, %r3, 2; add.u32 %r5, %r5, %r6; sub.u32 %r5, %r5, ` + fmt.Sprintf("%#x", bias) + `;
	` + code + `
	bar.sync 0;
	shl.b32 %r4, %r1, 2; cvt.u64.u32 %rd2, %r4; add.u64 %rd2, %rd2, %rd1;
	st.global.u32 [%rd2], %r10;
	mov.u32 %r2, %r1;
COPY:
	shl.b32 %r8, %r2, 2; add.u32 %r9, %r8, %r6; ld.shared.u32 %r7, [%r9];
	cvt.u64.u32 %rd2, %r8; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2+128], %r7;
	add.u32 %r2, %r2, 32; setp.lt.u32 %p1, %r2, 160; @%p1 bra COPY;
	ret;
}
`
				mem := make([]uint32, widthWords)
				for i := range mem {
					mem[i] = uint32(i)*7 + 1
				}
				lanes := f.model(mem, s.word)
				onEveryEngine(t, fmt.Sprintf("%s, %s, %#x", f.name, s.name, bias), src, 4096+128, widthFill, append(lanes[:], mem...))
			}
		}
	}
}

// onEveryEngine runs kernel k with a buffer of n bytes, and numbers after it, and compares the
// start of the buffer.
func onEveryEngine(t *testing.T, name, src string, n int, fill func([]byte), want []uint32, numbers ...uint32) {
	t.Helper()
	m, err := crosslane.Load([]byte(src), "k", crosslane.PTX)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range difftest.Choices() {
		if how.Workers > 1 {
			continue
		}
		for _, check := range []bool{false, true} {
			out := crosslane.NewBuffer("out", crosslane.U8, n)
			if fill != nil {
				fill(out.Data)
			}
			how.Grid, how.Block, how.Args = crosslane.Dim3{X: 1}, crosslane.Dim3{X: 32}, []crosslane.Arg{out}
			for _, v := range numbers {
				how.Args = append(how.Args, crosslane.Int(int64(v)))
			}
			if check {
				if how.Native == crosslane.NativeAVX2 {
					continue
				}
				_, err = k.Check(t.Context(), how)
			} else {
				_, err = k.Run(t.Context(), how)
			}
			if err != nil {
				t.Errorf("%s, %s %s: %v", name, how.Engine, how.Native, err)
				return
			}
			for i, w := range want {
				if got := binary.LittleEndian.Uint32(out.Data[4*i:]); got != w {
					t.Errorf("%s, %s %s, check %v: word %d is %#x, want %#x", name, how.Engine, how.Native, check, i, got, w)
					return
				}
			}
		}
	}
}

// Private memory, and all spaces of a module of 32-bit addresses.
func TestAddressesOf32BitsWrapInOtherSpaces(t *testing.T) {
	t.Parallel()
	for _, word := range []struct {
		code string
		of   func(uint32) uint32
	}{
		{"mov.u32 %r3, 5;", func(uint32) uint32 { return 5 }},
		{"and.b32 %r3, %r1, 15;", func(i uint32) uint32 { return i & 15 }},
		{"and.b32 %r3, %r1, 15; sub.u32 %r3, 15, %r3;", func(i uint32) uint32 { return 15 - i&15 }},
		{"mul.lo.u32 %r3, %r1, 7; and.b32 %r3, %r3, 15;", func(i uint32) uint32 { return i * 7 & 15 }},
	} {
		for _, bias := range []uint32{64, 0x10000, 0x80000000, 0x90000000} {
			off, sub := fmt.Sprint(int32(bias)), fmt.Sprintf("%#x", bias)
			const local = `
	.local .align 8 .b8 l[128];
	mov.u32 %r6, l; shl.b32 %r4, %r3, 2; add.u32 %r6, %r6, %r4; sub.u32 %r5, %r6, SUB;
	add.u32 %r7, %r1, 100;
	st.local.u32 [%r5+OFF], %r7; ld.local.u32 %r8, [%r6];
	add.u32 %r7, %r1, 200;
	st.local.u32 [%r6+4], %r7; ld.local.u32 %r10, [%r5+MORE];
	add.u32 %r8, %r8, %r10;
`
			fix := strings.NewReplacer("OFF", off, "MORE", fmt.Sprint(int64(int32(bias))+4), "SUB", sub).Replace
			var want [32]uint32
			for i := range uint32(32) {
				want[i] = i + 100 + i + 200
			}
			onEveryEngine(t, "local, "+word.code+sub, `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<20>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
	`+word.code+fix(local)+`
	st.global.u32 [%rd1], %r8;
	ret;
}
`, 128, nil, want[:])
			// Global, constant, generic and parameter addresses of 32 bits.
			for i := range uint32(32) {
				w := word.of(i)
				want[i] = (w + 500) + (w*3 + 1) + (w + 500) + 0x77
			}
			onEveryEngine(t, "32 bits, "+word.code+sub, `.version 3.2
.target sm_30
.address_size 32
.const .u32 c[16] = {1,4,7,10,13,16,19,22,25,28,31,34,37,40,43,46};
.visible .entry k(.param .u32 out)
{
	.reg .b32 %r<20>;
	.shared .align 8 .b8 s[64];
	ld.param.u32 %r2, [out]; mov.u32 %r1, %tid.x;
	`+word.code+fix(`
	shl.b32 %r4, %r3, 2; add.u32 %r5, %r2, %r4; sub.u32 %r5, %r5, SUB;
	add.u32 %r7, %r3, 500; st.global.u32 [%r5+OFF], %r7; ld.global.u32 %r8, [%r5+OFF];
	mov.u32 %r5, c; add.u32 %r5, %r5, %r4; sub.u32 %r5, %r5, SUB; ld.const.u32 %r9, [%r5+OFF]; add.u32 %r8, %r8, %r9;
	mov.u32 %r5, s; cvta.shared.u32 %r5, %r5; add.u32 %r5, %r5, %r4; sub.u32 %r5, %r5, SUB;
	st.u32 [%r5+OFF], %r7; ld.u32 %r9, [%r5+OFF]; add.u32 %r8, %r8, %r9;
	mov.u32 %r5, SUB; sub.u32 %r5, 0, %r5; ld.param.u32 %r9, [%r5+OFF];
	sub.u32 %r9, %r9, %r2; add.u32 %r8, %r8, %r9; add.u32 %r8, %r8, 0x77;
	bar.sync 0;
	shl.b32 %r4, %r1, 2; add.u32 %r2, %r2, %r4; st.global.u32 [%r2], %r8;
`)+`
	ret;
}
`, 128, nil, want[:])
		}
	}
}
