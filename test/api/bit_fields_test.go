package api_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"
)

// TestBitFieldsOnEveryEngine has bfe and bfi with positions and lengths of all sizes, by lane and
// alike in all lanes. The model is the loop of PTX 9.7.1.20 and 9.7.1.21, which cuts both to 8
// bits, for 32 bits; for 64 ptxas does not cut them (Errata E117).
func TestBitFieldsOnEveryEngine(t *testing.T) {
	t.Parallel()
	amounts := []uint32{0, 1, 4, 8, 31, 32, 33, 63, 64, 65, 100, 255, 256, 257, 260, 300, 1 << 31, 1<<32 - 1}
	for _, op := range []string{"bfe.u32", "bfe.s32", "bfe.u64", "bfe.s64", "bfi.b32", "bfi.b64"} {
		wide := strings.HasSuffix(op, "64")
		for n, length := range amounts {
			if !short.Every(n, 5) {
				continue
			}
			want, first := make([]uint32, 0, 64), make([]byte, 256)
			for i := range 32 {
				a := uint64(0xfedcba9876543210) >> (i % 3)
				pos := amounts[(i+n)%len(amounts)]
				binary.LittleEndian.PutUint64(first[8*i:], uint64(pos)<<32|uint64(uint32(a)))
				v := fieldByLoop(op, uint64(uint32(a))*0x8000000180000003, 1<<40-3, pos, length)
				want = append(want, uint32(v), uint32(v>>32))
			}
			for _, uniform := range []bool{false, true} {
				code := fmt.Sprintf("mov.u32 %%r4, %d;", length)
				if uniform {
					code = "ld.param.u32 %r4, [len];"
				}
				src := `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 len)
{
	.reg .b32 %r<10>; .reg .b64 %rd<12>;
	ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; ` + code + `
	shl.b32 %r5, %r1, 3; cvt.u64.u32 %rd2, %r5; add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd1+4];
	cvt.u64.u32 %rd3, %r2; mul.lo.u64 %rd3, %rd3, 0x8000000180000003; cvt.u32.u64 %r2, %rd3;
	mov.u64 %rd4, 0xfffffffffd; cvt.u32.u64 %r6, %rd4; mov.u64 %rd9, 0;
`
				switch {
				case strings.HasPrefix(op, "bfi") && wide:
					src += op + " %rd9, %rd3, %rd4, %r3, %r4;"
				case wide:
					src += op + " %rd9, %rd3, %r3, %r4;"
				case strings.HasPrefix(op, "bfi"):
					src += op + " %r8, %r2, %r6, %r3, %r4; cvt.u64.u32 %rd9, %r8;"
				default:
					src += op + " %r8, %r2, %r3, %r4; cvt.u64.u32 %rd9, %r8;"
				}
				src += "\nst.global.u64 [%rd1], %rd9;\nret;\n}\n"
				if !uniform {
					src = strings.Replace(src, ", .param .u32 len", "", 1)
					onEveryEngine(t, fmt.Sprint(op, " length ", length), src, 256, func(out []byte) { copy(out, first) }, want)
				} else {
					onEveryEngine(t, fmt.Sprint(op, " length ", length), src, 256, func(out []byte) { copy(out, first) }, want, length)
				}
			}
		}
	}
}

func fieldByLoop(op string, a, b uint64, pos, length uint32) uint64 {
	msb, p, n := uint64(63), uint64(pos), uint64(length)
	if strings.HasSuffix(op, "32") {
		a, b, msb, p, n = uint64(uint32(a)), uint64(uint32(b)), 31, uint64(pos&0xff), uint64(length&0xff)
	}
	if strings.HasPrefix(op, "bfi") {
		for i := uint64(0); i < n && p+i <= msb; i++ {
			b = b&^(1<<(p+i)) | a>>i&1<<(p+i)
		}
		return b
	}
	sbit, d := uint64(0), uint64(0)
	if op[4] == 's' && n != 0 {
		sbit = a >> min(p+n-1, msb) & 1
	}
	for i := uint64(0); i <= msb; i++ {
		if i < n && p+i <= msb {
			d |= a >> (p + i) & 1 << i
		} else {
			d |= sbit << i
		}
	}
	return d
}
