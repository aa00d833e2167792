package api_test

import (
	"fmt"
	"math/big"
	"testing"
)

// TestDivisionsOnEveryEngine has quotients and remainders of every width and sign on all engines, by a
// register and by a constant, by 0 too: that is all ones (Errata E11). The numbers are big.Int's.
func TestDivisionsOnEveryEngine(t *testing.T) {
	t.Parallel()
	divisors := []int64{0, 1, -1, 3, -7, 16, -32768}
	for _, bits := range []uint{16, 32, 64} {
		for _, signed := range []bool{false, true} {
			for _, rem := range []bool{false, true} {
				for _, constant := range []bool{false, true} {
					for _, by := range divisors {
						if !constant && by != 0 {
							continue // all of them at once, by lane
						}
						typ, op := fmt.Sprintf("u%d", bits), "div"
						if signed {
							typ = fmt.Sprintf("s%d", bits)
						}
						if rem {
							op = "rem"
						}
						reg := map[uint]string{16: "%h", 32: "%r", 64: "%rd"}[bits]
						b := reg + "7"
						if constant {
							b = fmt.Sprint(by)
							if !signed && by < 0 {
								b = new(big.Int).Add(big.NewInt(by), new(big.Int).Lsh(big.NewInt(1), bits)).String()
							}
						}
						code := fmt.Sprintf("cvt.s%[1]d.s32 %[2]s6, %%r2; cvt.s%[1]d.s32 %[2]s7, %%r3; %[3]s.%[4]s %[2]s8, %[2]s6, %[5]s; cvt.s64.s%[1]d %%rd9, %[2]s8;", bits, reg, op, typ, b)
						if bits == 32 {
							code = fmt.Sprintf("%s.%s %%r8, %%r2, %s; cvt.s64.s32 %%rd9, %%r8;", op, typ, map[bool]string{false: "%r3", true: b}[constant])
						} else if bits == 64 {
							code = fmt.Sprintf("cvt.s64.s32 %%rd6, %%r2; cvt.s64.s32 %%rd7, %%r3; %s.%s %%rd9, %%rd6, %s;", op, typ, b)
						}
						src := `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %rd<12>;
	ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
	shl.b32 %r4, %r1, 3; cvt.u64.u32 %rd2, %r4; add.u64 %rd1, %rd1, %rd2;
	ld.global.s32 %r2, [%rd1]; ld.global.s32 %r3, [%rd1+4];
	` + code + `
	st.global.u64 [%rd1], %rd9;
	ret;
}
`
						var want []uint32
						first := make([]byte, 256)
						for i := range int64(32) {
							x, y := (i-9)*1234567, divisors[i%int64(len(divisors))]
							put32(first[8*i:], uint32(x))
							put32(first[8*i+4:], uint32(y))
							if constant {
								y = by
							}
							low := func(v int64) *big.Int {
								z := new(big.Int).And(big.NewInt(v), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1)))
								if signed && z.Bit(int(bits)-1) == 1 {
									z.Sub(z, new(big.Int).Lsh(big.NewInt(1), bits))
								}
								return z
							}
							z := big.NewInt(-1)
							if low(y).Sign() != 0 {
								q, r := new(big.Int).QuoRem(low(x), low(y), new(big.Int))
								if z = q; rem {
									z = r
								}
							}
							// As the kernel stores it: extended by sign from the width.
							v := int64(new(big.Int).And(z, new(big.Int).SetUint64(1<<64-1)).Uint64()) << (64 - bits) >> (64 - bits)
							want = append(want, uint32(v), uint32(v>>32))
						}
						onEveryEngine(t, fmt.Sprintf("%s.%s by %s", op, typ, b), src, 256, func(out []byte) { copy(out, first) }, want)
					}
				}
			}
		}
	}
}

func put32(b []byte, v uint32) {
	for i := range 4 {
		b[i] = byte(v >> (8 * i))
	}
}
