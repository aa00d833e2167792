package ptx

import (
	"context"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/sim"
)

// runTry executes a scratchpad program on one wave and returns the registers.
func runTry(t *testing.T, src string, set map[string][]uint64) map[string][]uint64 {
	t.Helper()
	p, err := ParseTry("", src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	recordRun(t, p.Kernel)
	prog, err := interp.Engine{}.Compile(p.Kernel.Func)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	out := map[string][]uint64{}
	l := &sim.Launch{
		Func: p.Kernel.Func, Program: prog, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: sim.NewMemory(), Workers: 1,
		Hooks: sim.Hooks{
			Setup: func(w *sim.Wave) {
				for _, r := range p.Regs {
					for i, v := range set[r.Name] {
						w.Set(r.Ref, i, v)
					}
				}
			},
			Inspect: func(w *sim.Wave) {
				for _, r := range p.Regs {
					for i := range 32 {
						out[r.Name] = append(out[r.Name], w.Get(r.Ref, i))
					}
				}
			},
		},
	}
	if _, _, err := sim.Run(context.Background(), l); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return out
}

// edges are operands at which the results of instructions differ.
var edges = []uint64{
	0, 1, 2, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 255, 256, 0x7f, 0x80, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001,
	0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x4f000000,
	0xcf000000, 0x3effffff, 0x12345678, 0x7fffffffffffffff, 0x8000000000000000, math.MaxUint64, 0xffffffff00000000, 0x100000000, 0x3ff0000000000000,
	0xbff8000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x41dfffffffc00000, 0xc1e0000000000000, 0x36a0000000000000, 0x123456789abcdef,
}

func s32(x uint64) int64   { return int64(int32(x)) }
func u32(x uint64) uint64  { return uint64(uint32(x)) }
func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func f64(x uint64) float64 { return math.Float64frombits(x) }
func b01(p bool) uint64    { return map[bool]uint64{true: 1}[p] }
func isNaN(x float32) bool { return x != x }
func toBits(x float64) uint64 { // an f32 result that was computed exactly enough in f64
	f := float32(x)
	if f != f {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(f))
}

func clampS(x, lo, hi int64) int64 { return max(lo, min(hi, x)) }

// floatToInt is cvt to an integer of the given range, per PTX 9.7.9.22.
func floatToInt(x float64, round func(float64) float64, lo, hi *big.Int, nan uint64) uint64 {
	if x != x {
		return nan
	}
	switch {
	case math.IsInf(x, 1):
		return new(big.Int).Set(hi).Uint64()
	case math.IsInf(x, -1):
		return uint64(lo.Int64())
	}
	n, _ := new(big.Float).SetFloat64(round(x)).Int(nil)
	if n.Cmp(lo) < 0 {
		n = lo
	}
	if n.Cmp(hi) > 0 {
		n = hi
	}
	if n.Sign() < 0 {
		return uint64(n.Int64())
	}
	return n.Uint64()
}

var (
	minS32 = big.NewInt(math.MinInt32)
	maxS32 = big.NewInt(math.MaxInt32)
	maxU32 = big.NewInt(math.MaxUint32)
	maxU64 = new(big.Int).SetUint64(math.MaxUint64)
	minS64 = big.NewInt(math.MinInt64)
	maxS64 = big.NewInt(math.MaxInt64)
)

// anyBits stands for a NaN with a payload that the test does not check.
const anyBits = 0xa2b175_a2b175

// word is the 64-bit value that funnel shifts shift: b above a.
func word(a, b uint64) uint64 { return u32(b)<<32 | u32(a) }

// TestInstructions runs every kind of arithmetic row on edge and random operands
// against a transcription of the manual. d, a, b and c are the registers; p and q
// predicates.
func TestInstructions(t *testing.T) {
	t.Parallel()
	type fn = func(a, b, c uint64) uint64
	tests := []struct {
		src  string
		want fn
	}{
		{"add.u16 d, a, b", func(a, b, c uint64) uint64 { return (a + b) & 0xffff }},
		{"add.s32 d, a, b", func(a, b, c uint64) uint64 { return u32(a + b) }},
		{"add.s64 d, a, b", func(a, b, c uint64) uint64 { return a + b }},
		{"add.sat.s32 d, a, b", func(a, b, c uint64) uint64 { return u32(uint64(clampS(s32(a)+s32(b), math.MinInt32, math.MaxInt32))) }},
		{"sub.u32 d, a, b", func(a, b, c uint64) uint64 { return u32(a - b) }},
		{"sub.sat.s32 d, a, b", func(a, b, c uint64) uint64 { return u32(uint64(clampS(s32(a)-s32(b), math.MinInt32, math.MaxInt32))) }},
		{"mul.lo.s32 d, a, b", func(a, b, c uint64) uint64 { return u32(a * b) }},
		{"mul.hi.s32 d, a, b", func(a, b, c uint64) uint64 { return u32(uint64(s32(a) * s32(b) >> 32)) }},
		{"mul.hi.u32 d, a, b", func(a, b, c uint64) uint64 { return u32(a) * u32(b) >> 32 }},
		{"mul.hi.u64 d, a, b", func(a, b, c uint64) uint64 { h, _ := bits.Mul64(a, b); return h }},
		{"mul.hi.s64 d, a, b", func(a, b, c uint64) uint64 {
			p := new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b)))
			return uint64(p.Rsh(p, 64).Int64())
		}},
		{"mul.wide.s32 d, a, b", func(a, b, c uint64) uint64 { return uint64(s32(a) * s32(b)) }},
		{"mul.wide.u16 d, a, b", func(a, b, c uint64) uint64 { return a & 0xffff * (b & 0xffff) }},
		{"mul.wide.s16 d, a, b", func(a, b, c uint64) uint64 { return u32(uint64(int64(int16(a)) * int64(int16(b)))) }},
		{"mad.lo.u32 d, a, b, c", func(a, b, c uint64) uint64 { return u32(a*b + c) }},
		{"mad.hi.s32 d, a, b, c", func(a, b, c uint64) uint64 { return u32(uint64(s32(a)*s32(b)>>32) + c) }},
		{"mad.wide.u32 d, a, b, c", func(a, b, c uint64) uint64 { return u32(a)*u32(b) + c }},
		{"mul24.lo.u32 d, a, b", func(a, b, c uint64) uint64 { return u32((a & 0xffffff) * (b & 0xffffff)) }},
		{"mul24.hi.s32 d, a, b", func(a, b, c uint64) uint64 {
			return u32(uint64((s32(a<<8) >> 8) * (s32(b<<8) >> 8) >> 16))
		}},
		{"sad.s32 d, a, b, c", func(a, b, c uint64) uint64 { return u32(c + uint64(max(s32(a), s32(b))-min(s32(a), s32(b)))) }},
		{"abs.s32 d, a", func(a, b, c uint64) uint64 { return u32(uint64(max(s32(a), -s32(a)))) }},
		{"neg.s64 d, a", func(a, b, c uint64) uint64 { return -a }},
		{"min.s32 d, a, b", func(a, b, c uint64) uint64 { return u32(uint64(min(s32(a), s32(b)))) }},
		{"max.u64 d, a, b", func(a, b, c uint64) uint64 { return max(a, b) }},
		{"min.s16 d, a, b", func(a, b, c uint64) uint64 { return uint64(uint16(min(int16(a), int16(b)))) }},
		{"min.s16x2 d, a, b", func(a, b, c uint64) uint64 {
			return uint64(uint16(min(int16(a), int16(b)))) | uint64(uint16(min(int16(a>>16), int16(b>>16))))<<16
		}},
		{"add.u16x2 d, a, b", func(a, b, c uint64) uint64 { return (a+b)&0xffff | (u32(a)>>16+u32(b)>>16)&0xffff<<16 }},
		{"min.relu.s32 d, a, b", func(a, b, c uint64) uint64 { return u32(uint64(max(0, min(s32(a), s32(b))))) }},
		{"popc.b64 d, a", func(a, b, c uint64) uint64 { return uint64(bits.OnesCount64(a)) }},
		{"clz.b32 d, a", func(a, b, c uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a))) }},
		{"brev.b32 d, a", func(a, b, c uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) }},
		{"bfind.u32 d, a", func(a, b, c uint64) uint64 { return u32(uint64(bits.Len32(uint32(a)) - 1)) }},
		{"bfind.shiftamt.u32 d, a", func(a, b, c uint64) uint64 {
			if u32(a) == 0 {
				return 0xffffffff
			}
			return uint64(bits.LeadingZeros32(uint32(a)))
		}},
		{"bfe.u32 d, a, b, c", func(a, b, c uint64) uint64 {
			var d uint64
			pos, n := b&0xff, c&0xff
			for i := uint64(0); i <= 31; i++ {
				if i < n && pos+i <= 31 {
					d |= u32(a) >> (pos + i) & 1 << i
				}
			}
			return d
		}},
		{"bfe.s32 d, a, b, c", func(a, b, c uint64) uint64 {
			var d, sbit uint64
			pos, n := b&0xff, c&0xff
			if n != 0 {
				sbit = u32(a) >> min(pos+n-1, 31) & 1
			}
			for i := uint64(0); i <= 31; i++ {
				if i < n && pos+i <= 31 {
					d |= u32(a) >> (pos + i) & 1 << i
				} else {
					d |= sbit << i
				}
			}
			return d
		}},
		{"bfi.b32 d, a, b, c, 5", func(a, b, c uint64) uint64 {
			f := u32(b)
			pos := c & 0xff
			for i := uint64(0); i < 5 && pos+i <= 31; i++ {
				f = f&^(1<<(pos+i)) | a>>i&1<<(pos+i)
			}
			return f
		}},
		{"prmt.b32 d, a, b, c", func(a, b, c uint64) uint64 {
			var d uint64
			for i := range 4 {
				sel := c >> (4 * i) & 15
				v := word(a, b) >> (8 * (sel & 7)) & 0xff
				if sel&8 != 0 {
					v = uint64(uint8(int8(v) >> 7))
				}
				d |= v << (8 * i)
			}
			return d
		}},
		{"lop3.b32 d, a, b, c, 0xca", func(a, b, c uint64) uint64 { return u32(a&b | ^a&c) }},
		{"and.b32 d, a, b", func(a, b, c uint64) uint64 { return u32(a & b) }},
		{"not.b64 d, a", func(a, b, c uint64) uint64 { return ^a }},
		{"cnot.b32 d, a", func(a, b, c uint64) uint64 { return b01(u32(a) == 0) }},
		{"shl.b32 d, a, b", func(a, b, c uint64) uint64 { return u32(u32(a) << min(u32(b), 63)) }},
		{"shr.u32 d, a, b", func(a, b, c uint64) uint64 { return u32(a) >> min(u32(b), 63) }},
		{"shr.s32 d, a, b", func(a, b, c uint64) uint64 { return u32(uint64(s32(a) >> min(u32(b), 63))) }},
		{"shr.s64 d, a, b", func(a, b, c uint64) uint64 { return uint64(int64(a) >> min(u32(b), 63)) }},
		{"shf.l.clamp.b32 d, a, b, c", func(a, b, c uint64) uint64 {
			n := min(u32(c), 32)
			return u32(new(big.Int).Rsh(new(big.Int).Lsh(new(big.Int).SetUint64(word(a, b)), uint(n)), 32).Uint64())
		}},
		{"shf.l.wrap.b32 d, a, b, c", func(a, b, c uint64) uint64 { return u32(word(a, b) << (c & 31) >> 32) }},
		{"shf.r.clamp.b32 d, a, b, c", func(a, b, c uint64) uint64 { return u32(word(a, b) >> min(u32(c), 32)) }},
		{"shf.r.wrap.b32 d, a, b, c", func(a, b, c uint64) uint64 { return u32(word(a, b) >> (c & 31)) }},
		{"dp4a.s32.u32 d, a, b, c", func(a, b, c uint64) uint64 {
			for i := range 4 {
				c += uint64(int64(int8(a>>(8*i))) * int64(uint8(b>>(8*i))))
			}
			return u32(c)
		}},
		{"add.cc.u32 x, a, b; addc.u32 d, c, 0", func(a, b, c uint64) uint64 { return u32(c + (u32(a)+u32(b))>>32) }},
		{"sub.cc.u32 x, a, b; subc.u32 d, c, 0", func(a, b, c uint64) uint64 { return u32(c - b01(u32(a) < u32(b))) }},
		// PTX 9.7.4: operands of packed halves are .b32, constants are their bits.
		{"add.f16x2 d, 0x3c004000, 0x3c003c00", func(a, b, c uint64) uint64 { return 0x40004200 }},
		{"fma.rn.bf16x2 d, 0x40404000, 0x3f803f80, 0", func(a, b, c uint64) uint64 { return 0x40404000 }},
		// Errata E88: a subtraction sets the flag and an addition reads it, and the reverse.
		{"sub.cc.u32 x, a, b; addc.u32 d, c, 0", func(a, b, c uint64) uint64 { return u32(c + b01(u32(a) >= u32(b))) }},
		{"add.cc.u32 x, a, b; subc.u32 d, c, 0", func(a, b, c uint64) uint64 { return u32(c - 1 + (u32(a)+u32(b))>>32) }},
		{"add.cc.u32 x, 0, 0; subc.cc.u32 x, a, b; addc.u32 d, c, 0", func(a, b, c uint64) uint64 { return u32(c + b01(u32(a) > u32(b))) }},
		{"sub.cc.u32 x, a, b; madc.lo.u32 d, a, b, c", func(a, b, c uint64) uint64 { return u32(u32(a)*u32(b) + c + b01(u32(a) >= u32(b))) }},
		{"mad.lo.cc.u32 x, a, b, c; addc.u32 d, 0, 0", func(a, b, c uint64) uint64 { return (u32(u32(a)*u32(b)) + u32(c)) >> 32 }},
		{"add.cc.u32 x, c, c; madc.hi.u32 d, a, b, c", func(a, b, c uint64) uint64 { return u32(u32(a)*u32(b)>>32 + c + u32(c)>>31) }},
		{"setp.lt.s32 p, a, b; selp.b32 d, 1, 0, p", func(a, b, c uint64) uint64 { return b01(s32(a) < s32(b)) }},
		{"setp.hs.u32 p, a, b; selp.b32 d, 1, 0, p", func(a, b, c uint64) uint64 { return b01(u32(a) >= u32(b)) }},
		{"setp.gtu.f32 p|q, a, b; selp.u32 x, 2, 0, q; selp.u32 y, 1, 0, p; add.u32 d, x, y", func(a, b, c uint64) uint64 {
			return map[bool]uint64{true: 1, false: 2}[!(f32(a) <= f32(b))]
		}},
		{"setp.ne.b32 r, c, 0; setp.eq.and.u32 p|q, a, b, !r; selp.u32 x, 2, 0, q; selp.u32 y, 1, 0, p; add.u32 d, x, y", func(a, b, c uint64) uint64 {
			return b01(u32(a) == u32(b) && u32(c) == 0) + 2*b01(u32(a) != u32(b) && u32(c) == 0)
		}},
		{"setp.nan.f16x2 p|q, a, b; selp.u32 x, 2, 0, q; selp.u32 y, 1, 0, p; add.u32 d, x, y", func(a, b, c uint64) uint64 {
			nan := func(h uint64) bool { return h&0x7fff > 0x7c00 }
			return b01(nan(a&0xffff) || nan(b&0xffff)) + 2*b01(nan(a>>16&0xffff) || nan(b>>16&0xffff))
		}},
		{"setp.ne.b32 r, c, 0; setp.lt.xor.ftz.f16x2 p|q, a, b, r; selp.u32 x, 2, 0, q; selp.u32 y, 1, 0, p; add.u32 d, x, y", func(a, b, c uint64) uint64 {
			// The key orders values as numbers: it has a sign and a magnitude, and subnormal values
			// are zero.
			lt := func(a, b uint64) bool {
				var n [2]int
				for i, h := range []uint64{a & 0xffff, b & 0xffff} {
					m := int(h & 0x7fff)
					if m > 0x7c00 {
						return false
					}
					if m < 0x400 {
						m = 0
					}
					if n[i] = m; h>>15 == 1 {
						n[i] = -m
					}
				}
				return n[0] < n[1]
			}
			r := u32(c) != 0
			return b01(lt(a, b) != r) + 2*b01(lt(a>>16, b>>16) != r)
		}},
		{"setp.gt.bf16x2 p|q, a, b; selp.u32 x, 2, 0, q; selp.u32 y, 1, 0, p; add.u32 d, x, y", func(a, b, c uint64) uint64 {
			return b01(f32(a<<16) > f32(b<<16)) + 2*b01(f32(a&^0xffff) > f32(b&^0xffff))
		}},
		{"setp.num.f32 p, a, b; selp.b32 d, 1, 0, p", func(a, b, c uint64) uint64 { return b01(!isNaN(f32(a)) && !isNaN(f32(b))) }},
		{"set.le.f32.u32 d, a, b", func(a, b, c uint64) uint64 { return 0x3f800000 * b01(u32(a) <= u32(b)) }},
		{"set.neu.s32.f32 d, a, b", func(a, b, c uint64) uint64 { return 0xffffffff * b01(f32(a) != f32(b)) }},
		{"slct.u32.s32 d, a, b, c", func(a, b, c uint64) uint64 {
			if s32(c) >= 0 {
				return u32(a)
			}
			return u32(b)
		}},
		{"slct.f32.f32 d, a, b, c", func(a, b, c uint64) uint64 {
			if f32(c) >= 0 {
				return u32(a)
			}
			return u32(b)
		}},
		{"add.f32 d, a, b", func(a, b, c uint64) uint64 { return toBits(float64(f32(a)) + float64(f32(b))) }},
		{"sub.rn.f32 d, a, b", func(a, b, c uint64) uint64 { return toBits(float64(f32(a)) - float64(f32(b))) }},
		{"mul.f32 d, a, b", func(a, b, c uint64) uint64 { return toBits(float64(f32(a)) * float64(f32(b))) }},
		{"neg.f32 d, a", func(a, b, c uint64) uint64 {
			if isNaN(f32(a)) {
				return anyBits
			}
			return u32(a) ^ 0x80000000
		}},
		{"copysign.f32 d, a, b", func(a, b, c uint64) uint64 { return u32(b)&0x7fffffff | u32(a)&0x80000000 }},
		{"testp.normal.f32 p, a; selp.b32 d, 1, 0, p", func(a, b, c uint64) uint64 {
			e := u32(a) >> 23 & 0xff // zeros count as normal
			return b01(e != 0 && e != 255 || u32(a)<<33 == 0)
		}},
		{"cvt.u32.u64 d, a", func(a, b, c uint64) uint64 { return u32(a) }},
		{"cvt.s64.s32 d, a", func(a, b, c uint64) uint64 { return uint64(s32(a)) }},
		{"cvt.s32.s8 d, a", func(a, b, c uint64) uint64 { return u32(uint64(int64(int8(a)))) }},
		{"cvt.sat.u8.s32 d, a", func(a, b, c uint64) uint64 { return uint64(clampS(s32(a), 0, 255)) }},
		{"cvt.sat.s16.s64 d, a", func(a, b, c uint64) uint64 { return uint64(uint16(clampS(int64(a), -32768, 32767))) }},
		{"cvt.rzi.s32.f32 d, a", func(a, b, c uint64) uint64 { return u32(floatToInt(float64(f32(a)), math.Trunc, minS32, maxS32, 0)) }},
		{"cvt.rni.s32.f32 d, a", func(a, b, c uint64) uint64 {
			return u32(floatToInt(float64(f32(a)), math.RoundToEven, minS32, maxS32, 0))
		}},
		{"cvt.rmi.u32.f32 d, a", func(a, b, c uint64) uint64 {
			return u32(floatToInt(float64(f32(a)), math.Floor, new(big.Int), maxU32, 0))
		}},
		{"cvt.rpi.s64.f64 d, a", func(a, b, c uint64) uint64 { return floatToInt(f64(a), math.Ceil, minS64, maxS64, 1<<63) }},
		{"cvt.rzi.u64.f64 d, a", func(a, b, c uint64) uint64 { return floatToInt(f64(a), math.Trunc, new(big.Int), maxU64, 1<<63) }},
		{"cvt.rn.f32.s32 d, a", func(a, b, c uint64) uint64 { return uint64(math.Float32bits(float32(s32(a)))) }},
		{"cvt.rn.f64.u64 d, a", func(a, b, c uint64) uint64 { return math.Float64bits(float64(a)) }},
		{"cvt.f64.f32 d, a", func(a, b, c uint64) uint64 {
			if isNaN(f32(a)) {
				return anyBits
			}
			return math.Float64bits(float64(f32(a)))
		}},
		{"cvt.rn.f32.f64 d, a", func(a, b, c uint64) uint64 {
			if f64(a) != f64(a) {
				return anyBits
			}
			return uint64(math.Float32bits(float32(f64(a))))
		}},
		{"cvt.rmi.f32.f32 d, a", func(a, b, c uint64) uint64 {
			if isNaN(f32(a)) {
				return anyBits
			}
			return toBits(math.Floor(float64(f32(a))))
		}},
		{"mov.b64 d, {a, b}", func(a, b, c uint64) uint64 { return word(a, b) }},
		{"mov.b64 {x, d}, a", func(a, b, c uint64) uint64 { return a >> 32 }},
		{"mov.b64 v, {a, b}; mov.b64 {x, d}, v", func(a, b, c uint64) uint64 { return u32(b) }},
		{"mov.b32 v, {a, b}; mov.b32 {d, x}, v", func(a, b, c uint64) uint64 { return a & 0xffff }},
		{"mov.b32 d, 0f3F800000", func(a, b, c uint64) uint64 { return 0x3f800000 }},
		{"mov.f32 d, 1.5", func(a, b, c uint64) uint64 { return 0x3fc00000 }},
		{"mov.f64 d, 0f3F800000", func(a, b, c uint64) uint64 { return 0x3f800000 }},
		{"mov.u32 d, WARP_SZ", func(a, b, c uint64) uint64 { return 32 }},
		{"mov.pred p, 1; selp.b32 d, a, b, p", func(a, b, c uint64) uint64 { return u32(a) }},
		{"setp.ne.u32 p, c, 0; mov.u32 d, 7; @p add.u32 d, a, b; @!p sub.u32 d, a, b", func(a, b, c uint64) uint64 {
			if u32(c) != 0 {
				return u32(a + b)
			}
			return u32(a - b)
		}},
	}
	r := rand.New(rand.NewPCG(4, 4))
	operand := func() uint64 {
		switch r.IntN(3) {
		case 0:
			return r.Uint64()
		case 1:
			return uint64(r.IntN(70))
		}
		return edges[r.IntN(len(edges))]
	}
	const rounds = 12
	type input struct{ a, b, c []uint64 }
	var ins [rounds]input
	for i := range ins {
		for range 32 {
			ins[i].a, ins[i].b, ins[i].c = append(ins[i].a, operand()), append(ins[i].b, operand()), append(ins[i].c, operand())
		}
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			t.Parallel()
			for _, in := range ins {
				out := runTry(t, tt.src, map[string][]uint64{"a": in.a, "b": in.b, "c": in.c})
				for i := range 32 {
					want := tt.want(in.a[i], in.b[i], in.c[i])
					got := out["d"][i]
					if got != want && want != anyBits {
						t.Fatalf("a=%#x b=%#x c=%#x: got %#x, want %#x", in.a[i], in.b[i], in.c[i], got, want)
					}
				}
			}
		})
	}
}

// TestLanemasks compares the special registers that are computed from the lane with a loop over
// bits.
func TestLanemasks(t *testing.T) {
	t.Parallel()
	out := runTry(t, "mov.u32 eq, %lanemask_eq; mov.u32 lt, %lanemask_lt; mov.u32 le, %lanemask_le; mov.u32 gt, %lanemask_gt; mov.u32 ge, %lanemask_ge; mov.u32 id, %laneid; mov.u32 n, %ntid.x; cvt.u32.u16 h, %tid.x;", nil)
	for lane := range 32 {
		want := map[string]uint64{"id": uint64(lane), "n": 32, "h": uint64(lane)}
		for bit := range 32 {
			b := uint64(1) << bit
			want["eq"] |= b * b01(bit == lane)
			want["lt"] |= b * b01(bit < lane)
			want["le"] |= b * b01(bit <= lane)
			want["gt"] |= b * b01(bit > lane)
			want["ge"] |= b * b01(bit >= lane)
		}
		for name, w := range want {
			if got := out[name][lane]; got != w {
				t.Errorf("lane %d: %s = %#x, want %#x", lane, name, got, w)
			}
		}
	}
}
