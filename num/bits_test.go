package num

import (
	"math/big"
	"testing"

	"example.org/crosslane/internal/short"
)

// refShf follows the words of PTX 9.7.8.7: it shifts the 64-bit value [b, a] by the clamped or
// wrapped amount and takes the upper or lower half.
func refShf(left, clamp bool, a, b, c uint32) uint32 {
	n := uint(c % 32)
	if clamp {
		n = uint(min(c, 32))
	}
	v := new(big.Int).Or(new(big.Int).Lsh(bigU(uint64(b)), 32), bigU(uint64(a)))
	if left {
		v.Lsh(v, n)
		return uint32(wrap(v.Rsh(v, 32), 32))
	}
	return uint32(wrap(v.Rsh(v, n), 32))
}

func TestShf(t *testing.T) {
	t.Parallel()
	r := rng(3)
	for n := range uint32(258) {
		c := n
		if n >= 256 {
			c = []uint32{0x80000000, 0xffffffff}[n-256]
		}
		for i := range short.Of(300, 150) {
			a, b := pick32(r), pick32(r)
			if i < 144 {
				a, b = words32[i%12*2], words32[i/12*2]
			}
			for _, k := range []struct {
				name      string
				got, want uint32
			}{
				{"l.clamp", ShfLClamp(a, b, c), refShf(true, true, a, b, c)},
				{"l.wrap", ShfLWrap(a, b, c), refShf(true, false, a, b, c)},
				{"r.clamp", ShfRClamp(a, b, c), refShf(false, true, a, b, c)},
				{"r.wrap", ShfRWrap(a, b, c), refShf(false, false, a, b, c)},
				// The related GCN3 instructions take the high word first.
				{"alignbit", VAlignbitB32(b, a, c), refShf(false, false, a, b, c)},
				{"alignbyte", VAlignbyteB32(b, a, c), refShf(false, false, a, b, c%4*8)},
			} {
				if k.got != k.want {
					t.Fatalf("shf.%s(a=%#x, b=%#x, c=%d) = %#x, want %#x", k.name, a, b, c, k.got, k.want)
				}
			}
		}
	}
}

// TestShfExamples runs the examples of PTX 9.7.8.7: 128-bit shifts, rotates,
// and the extraction of 32 bits.
func TestShfExamples(t *testing.T) {
	t.Parallel()
	r := rng(4)
	for range short.Of(2000, 300) {
		r0, r1, r2, r3 := pick32(r), pick32(r), pick32(r), pick32(r)
		v := new(big.Int)
		for _, w := range []uint32{r3, r2, r1, r0} {
			v.Or(v.Lsh(v, 32), bigU(uint64(w)))
		}
		signed := new(big.Int).Set(v)
		if r3>>31 == 1 {
			signed.Sub(signed, new(big.Int).Lsh(big.NewInt(1), 128))
		}
		word := func(x *big.Int, i uint) uint32 { return uint32(wrap(new(big.Int).Rsh(x, 32*i), 32)) }
		for n := range uint32(32) {
			// [r7,r6,r5,r4] = [r3,r2,r1,r0] << n
			got := [4]uint32{Shl32(r0, n), ShfLClamp(r0, r1, n), ShfLClamp(r1, r2, n), ShfLClamp(r2, r3, n)}
			left := new(big.Int).Lsh(v, uint(n))
			// [r7,r6,r5,r4] = [r3,r2,r1,r0] >> n, arithmetic
			gotR := [4]uint32{ShfRClamp(r0, r1, n), ShfRClamp(r1, r2, n), ShfRClamp(r2, r3, n), uint32(ShrS32(int32(r3), n))}
			right := new(big.Int).Rsh(signed, uint(n))
			for i := range uint(4) {
				if got[i] != word(left, i) || gotR[i] != word(right, i) {
					t.Fatalf("128-bit shift by %d, word %d: %#x %#x, want %#x %#x", n, i, got[i], gotR[i], word(left, i), word(right, i))
				}
			}
			double := bigU(uint64(r0)<<32 | uint64(r0))
			if got, want := ShfRClamp(r0, r0, n), word(new(big.Int).Rsh(double, uint(n)), 0); got != want {
				t.Fatalf("rotate right by %d: %#x, want %#x", n, got, want)
			}
			if got, want := ShfLClamp(r0, r0, n), word(new(big.Int).Lsh(double, uint(n)), 1); got != want {
				t.Fatalf("rotate left by %d: %#x, want %#x", n, got, want)
			}
			if got, want := ShfRClamp(r0, r1, n), word(v, 0)>>n|uint32(uint64(r1)<<(32-n)); got != want {
				t.Fatalf("extract at %d: %#x, want %#x", n, got, want)
			}
		}
	}
}

// The following are the loops of PTX 9.7.1 on single bits. Position and length of a field are cut
// to 8 bits only if msb is 31: Errata E117.

func refField(msb, b, c uint32) (pos, n uint64) {
	if msb == 31 {
		return uint64(b & 0xff), uint64(c & 0xff)
	}
	return uint64(b), uint64(c)
}

func refBfe(a uint64, msb, b, c uint32, signed bool) uint64 {
	pos, n := refField(msb, b, c)
	var sbit uint64
	if signed && n != 0 {
		sbit = a >> min(pos+n-1, uint64(msb)) & 1
	}
	var d uint64
	for i := range uint64(msb) + 1 {
		bit := sbit
		if i < n && pos+i <= uint64(msb) {
			bit = a >> (pos + i) & 1
		}
		d |= bit << i
	}
	return d
}

func refBfi(a, b uint64, msb, c, d uint32) uint64 {
	pos, n := refField(msb, c, d)
	f := b
	for i := uint64(0); i < n && pos+i <= uint64(msb); i++ {
		f = f&^(1<<(pos+i)) | (a>>i&1)<<(pos+i)
	}
	return f
}

func refBfind(a uint64, msb int, signed, shiftamt bool) uint32 {
	if signed && a>>msb&1 == 1 {
		a = ^a
	}
	for i := msb; i >= 0; i-- {
		if a>>i&1 == 1 {
			if shiftamt {
				return uint32(msb - i)
			}
			return uint32(i)
		}
	}
	return 0xffffffff
}

func refGcnBfe(a uint32, off, width uint32, signed bool) uint32 {
	off, width = off%32, width%32
	if width == 0 {
		return 0
	}
	var v int64 = int64(uint64(a))
	if signed {
		v = int64(int32(a))
	}
	v >>= off
	if off+width < 32 {
		m := int64(1) << width
		v = (v%m + m) % m
		if signed && v >= m/2 {
			v -= m
		}
	}
	return uint32(v)
}

func TestBitFields(t *testing.T) {
	t.Parallel()
	r := rng(6)
	for range count(30_000, 5_000_000) {
		a, b := pick64(r), pick64(r)
		c, d := uint32(r.IntN(80)), uint32(r.IntN(80))
		if r.IntN(4) == 0 {
			c, d = pick32(r), pick32(r)
		}
		w, v := uint32(a), uint32(b)
		for _, k := range []struct {
			name      string
			got, want uint64
		}{
			{"BfeU32", uint64(BfeU32(w, c, d)), refBfe(uint64(w), 31, c, d, false)},
			{"BfeS32", uint64(uint32(BfeS32(int32(w), c, d))), refBfe(uint64(w), 31, c, d, true)},
			{"BfeU64", BfeU64(a, c, d), refBfe(a, 63, c, d, false)},
			{"BfeS64", uint64(BfeS64(int64(a), c, d)), refBfe(a, 63, c, d, true)},
			{"Bfi32", uint64(Bfi32(w, v, c, d)), refBfi(uint64(w), uint64(v), 31, c, d)},
			{"Bfi64", Bfi64(a, b, c, d), refBfi(a, b, 63, c, d)},
			{"BfindU32", uint64(BfindU32(w)), uint64(refBfind(uint64(w), 31, false, false))},
			{"BfindS32", uint64(BfindS32(int32(w))), uint64(refBfind(uint64(w), 31, true, false))},
			{"BfindU64", uint64(BfindU64(a)), uint64(refBfind(a, 63, false, false))},
			{"BfindS64", uint64(BfindS64(int64(a))), uint64(refBfind(a, 63, true, false))},
			{"BfindShiftamtU32", uint64(BfindShiftamtU32(w)), uint64(refBfind(uint64(w), 31, false, true))},
			{"BfindShiftamtS32", uint64(BfindShiftamtS32(int32(w))), uint64(refBfind(uint64(w), 31, true, true))},
			{"BfindShiftamtS64", uint64(BfindShiftamtS64(int64(a))), uint64(refBfind(a, 63, true, true))},
			{"FfbhU64", uint64(FfbhU64(a)), uint64(refBfind(a, 63, false, true))},
			{"VBfeU32", uint64(VBfeU32(w, c, d)), uint64(refGcnBfe(w, c, d, false))},
			{"VBfeI32", uint64(uint32(VBfeI32(int32(w), c, d))), uint64(refGcnBfe(w, c, d, true))},
			{"SBfeU32", uint64(SBfeU32(w, c&31|d<<16)), refBfe(uint64(w), 31, c&31, d&0x7f, false)},
			{"SBfeI64", uint64(SBfeI64(int64(a), c&63|d<<16)), refBfe(a, 63, c&63, d&0x7f, true)},
			{"Shl32", uint64(Shl32(w, c)), wrap(new(big.Int).Lsh(bigU(uint64(w)), uint(min(c, 64))), 32)},
			{"ShrU64", ShrU64(a, c), new(big.Int).Rsh(bigU(a), uint(min(c, 64))).Uint64()},
			{"ShrS32", uint64(uint32(ShrS32(int32(w), c))), wrap(new(big.Int).Rsh(bigS(int64(int32(w))), uint(min(c, 64))), 32)},
			{"ShrS16", uint64(uint16(ShrS16(int16(w), c))), wrap(new(big.Int).Rsh(bigS(int64(int16(w))), uint(min(c, 64))), 16)},
			{"ShlWrap64", ShlWrap64(a, c), wrap(new(big.Int).Lsh(bigU(a), uint(c%64)), 64)},
			{"ShrSWrap32", uint64(uint32(ShrSWrap32(int32(w), c))), wrap(new(big.Int).Rsh(bigS(int64(int32(w))), uint(c%32)), 32)},
			{"ShrUWrap16", uint64(ShrUWrap16(uint16(w), c)), wrap(new(big.Int).Rsh(bigU(uint64(uint16(w))), uint(c%16)), 16)},
		} {
			if k.got != k.want {
				t.Fatalf("%s(a=%#x b=%#x c=%d d=%d) = %#x, want %#x", k.name, a, b, c, d, k.got, k.want)
			}
		}
	}
}

// refBmsk and refSzext are the pseudo-code of PTX 9.7.1.23 and 9.7.1.22.
func refBmsk(a, b uint32, clamp bool) uint32 {
	a1, b1 := a&0x1f, b&0x1f
	mask0 := ^uint32(0) << a1
	sum := a1 + b1
	mask1 := ^uint32(0) << sum // 0 from 32 on
	overflow := sum >= 32
	if clamp {
		if a >= 32 {
			overflow, mask0 = true, 0
		}
		if b >= 32 {
			overflow = true
		}
	}
	if overflow {
		mask1 = 0
	}
	return mask0 & ^mask1
}

func refSzext(a, b uint32, clamp, signed bool) uint32 {
	b1 := b & 0x1f
	tooLarge := b >= 32 && clamp
	mask := ^uint32(0) << b1
	if tooLarge {
		mask = 0
	}
	signPos := (b1 - 1) & 0x1f
	signBit := a>>signPos&1 == 1
	if b1 == 0 || tooLarge || !signed {
		signBit = false
	}
	d := a & ^mask
	if signBit {
		d |= mask
	}
	return d
}

func refFns(mask, base uint32, offset int32) uint32 {
	d := uint32(0xffffffff)
	if offset == 0 {
		if mask>>base&1 == 1 {
			d = base
		}
		return d
	}
	pos, count, inc := int(base), int(offset)-1, 1
	if offset < 0 {
		count, inc = -int(offset)-1, -1
	}
	for pos >= 0 && pos < 32 {
		if mask>>pos&1 == 1 {
			if count == 0 {
				return uint32(pos)
			}
			count--
		}
		pos += inc
	}
	return d
}

func TestMasks(t *testing.T) {
	t.Parallel()
	r := rng(8)
	for range count(100_000, 1_000_000) {
		a := pick32(r)
		b, c := uint32(r.IntN(70)), uint32(r.IntN(70))
		base, off := uint32(r.IntN(32)), int32(r.IntN(70)-35)
		v := pick64(r)
		var wqm, quad uint64
		for i := range 16 {
			if v>>(4*i)&15 != 0 {
				wqm |= 15 << (4 * i)
				quad |= 1 << i
			}
		}
		for _, k := range []struct {
			name      string
			got, want uint64
		}{
			{"BmskClamp", uint64(BmskClamp(b, c)), uint64(refBmsk(b, c, true))},
			{"BmskWrap", uint64(BmskWrap(b, c)), uint64(refBmsk(b, c, false))},
			{"SzextClampU32", uint64(SzextClampU32(a, b)), uint64(refSzext(a, b, true, false))},
			{"SzextWrapU32", uint64(SzextWrapU32(a, b)), uint64(refSzext(a, b, false, false))},
			{"SzextClampS32", uint64(uint32(SzextClampS32(int32(a), b))), uint64(refSzext(a, b, true, true))},
			{"SzextWrapS32", uint64(uint32(SzextWrapS32(int32(a), b))), uint64(refSzext(a, b, false, true))},
			{"Fns", uint64(Fns(a, base, off)), uint64(refFns(a, base, off))},
			{"WqmB64", WqmB64(v), wqm}, {"QuadmaskB64", QuadmaskB64(v), quad},
			{"WqmB32", uint64(WqmB32(uint32(v))), wqm & 0xffffffff}, {"QuadmaskB32", uint64(QuadmaskB32(uint32(v))), quad & 0xff},
		} {
			if k.got != k.want {
				t.Fatalf("%s(a=%#x b=%d c=%d base=%d off=%d v=%#x) = %#x, want %#x", k.name, a, b, c, base, off, v, k.got, k.want)
			}
		}
	}
	if got := Fns(0xffffffff, 0, -2147483648); got != 0xffffffff {
		t.Errorf("Fns with the least offset = %#x", got)
	}
}

func TestLop3(t *testing.T) {
	t.Parallel()
	r := rng(10)
	for lut := range uint32(256) {
		for range 20 {
			a, b, c := r.Uint32(), r.Uint32(), r.Uint32()
			var want uint32
			for i := range 32 {
				want |= (lut >> (a>>i&1<<2 | b>>i&1<<1 | c>>i&1) & 1) << i
			}
			if got := Lop3(a, b, c, lut); got != want {
				t.Fatalf("Lop3(%#x, %#x, %#x, %#x) = %#x, want %#x", a, b, c, lut, got, want)
			}
		}
	}
	const ta, tb, tc = 0xf0, 0xcc, 0xaa
	if got := Lop3(0xff00ff00, 0x0ff00ff0, 0x12345678, ta&tb|^uint32(ta)&tc&0xff); got != 0xff00ff00&0x0ff00ff0|^uint32(0xff00ff00)&0x12345678 {
		t.Errorf("bit select by lop3 = %#x", got)
	}
}

// refPrmt lists the sources of bytes 3 to 0 for each mode and selector, as the table of PTX 9.7.9.7
// does.
var refPrmt = map[string][4][4]int{
	"f4e":  {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}},
	"b4e":  {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}},
	"rc8":  {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
	"ecl":  {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}},
	"ecr":  {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}},
	"rc16": {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}},
}

func TestPrmt(t *testing.T) {
	t.Parallel()
	r := rng(12)
	modes := map[string]func(a, b, c uint32) uint32{"f4e": PrmtF4e, "b4e": PrmtB4e, "rc8": PrmtRc8,
		"ecl": PrmtEcl, "ecr": PrmtEcr, "rc16": PrmtRc16}
	for range 20_000 {
		a, b, c := r.Uint32(), r.Uint32(), r.Uint32()
		src := [8]byte{byte(a), byte(a >> 8), byte(a >> 16), byte(a >> 24), byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)}
		for name, fn := range modes {
			row := refPrmt[name][c%4]
			want := uint32(src[row[0]])<<24 | uint32(src[row[1]])<<16 | uint32(src[row[2]])<<8 | uint32(src[row[3]])
			if got := fn(a, b, c); got != want {
				t.Fatalf("prmt.%s(%#x, %#x, %#x) = %#x, want %#x", name, a, b, c, got, want)
			}
		}
		var want, perm uint32
		for i := range 4 {
			ctl := c >> (4 * i) & 15
			v := uint32(src[ctl%8])
			if ctl >= 8 {
				v = map[bool]uint32{true: 0xff, false: 0}[v >= 128]
			}
			want |= v << (8 * i)
			// v_perm_b32: in.byte[0..7] = {S1, S0}; S0 = b, S1 = a here.
			switch sel := c >> (8 * i) & 0xff % 16; {
			case sel >= 13:
				perm |= 0xff << (8 * i)
			case sel == 12:
			case sel >= 8:
				if src[[]int{1, 3, 5, 7}[sel-8]] >= 128 {
					perm |= 0xff << (8 * i)
				}
			default:
				perm |= uint32(src[sel]) << (8 * i)
			}
		}
		if got := Prmt(a, b, c); got != want {
			t.Fatalf("prmt(%#x, %#x, %#x) = %#x, want %#x", a, b, c, got, want)
		}
		if got := VPermB32(b, a, c&0x0f0f0f0f); got != perm {
			t.Fatalf("v_perm_b32(%#x, %#x, %#x) = %#x, want %#x", b, a, c&0x0f0f0f0f, got, perm)
		}
	}
}

func TestDotProducts(t *testing.T) {
	t.Parallel()
	r := rng(14)
	for range 20_000 {
		a, b, c := pick32(r), pick32(r), pick32(r)
		ext := func(v uint32, width, i int, signed bool) int64 {
			x := int64(v) >> (width * i) & (1<<width - 1)
			if signed && x >= 1<<(width-1) {
				x -= 1 << width
			}
			return x
		}
		dot := func(as, bs bool) uint32 {
			d := int64(c)
			for i := range 4 {
				d += ext(a, 8, i, as) * ext(b, 8, i, bs)
			}
			return uint32(d)
		}
		dot2 := func(as, bs bool, hi int) uint32 {
			d := int64(c)
			for i := range 2 {
				d += ext(a, 16, i, as) * ext(b, 8, i+2*hi, bs)
			}
			return uint32(d)
		}
		var sad8, msad, lerp, sad16 uint32
		for i := range 4 {
			d := ext(a, 8, i, false) - ext(b, 8, i, false)
			sad8 += uint32(max(d, -d))
			if ext(b, 8, i, false) != 0 {
				msad += uint32(max(d, -d))
			}
			lerp |= uint32((ext(a, 8, i, false)+ext(b, 8, i, false)+ext(c, 8, i, false)%2)/2) << (8 * i)
		}
		for i := range 2 {
			d := ext(a, 16, i, false) - ext(b, 16, i, false)
			sad16 += uint32(max(d, -d))
		}
		for _, k := range []struct {
			name      string
			got, want uint32
		}{
			{"Dp4aU32U32", Dp4aU32U32(a, b, c), dot(false, false)}, {"Dp4aU32S32", Dp4aU32S32(a, b, c), dot(false, true)},
			{"Dp4aS32U32", Dp4aS32U32(a, b, c), dot(true, false)}, {"Dp4aS32S32", Dp4aS32S32(a, b, c), dot(true, true)},
			{"Dp2aLoU32U32", Dp2aLoU32U32(a, b, c), dot2(false, false, 0)}, {"Dp2aLoU32S32", Dp2aLoU32S32(a, b, c), dot2(false, true, 0)},
			{"Dp2aLoS32U32", Dp2aLoS32U32(a, b, c), dot2(true, false, 0)}, {"Dp2aLoS32S32", Dp2aLoS32S32(a, b, c), dot2(true, true, 0)},
			{"Dp2aHiU32U32", Dp2aHiU32U32(a, b, c), dot2(false, false, 1)}, {"Dp2aHiU32S32", Dp2aHiU32S32(a, b, c), dot2(false, true, 1)},
			{"Dp2aHiS32U32", Dp2aHiS32U32(a, b, c), dot2(true, false, 1)}, {"Dp2aHiS32S32", Dp2aHiS32S32(a, b, c), dot2(true, true, 1)},
			{"VSadU8", VSadU8(a, b, c), sad8 + c}, {"VSadHiU8", VSadHiU8(a, b, c), sad8<<16 + c},
			{"VMsadU8", VMsadU8(a, b, c), msad + c}, {"VSadU16", VSadU16(a, b, c), sad16 + c}, {"VLerpU8", VLerpU8(a, b, c), lerp},
		} {
			if k.got != k.want {
				t.Fatalf("%s(%#x, %#x, %#x) = %#x, want %#x", k.name, a, b, c, k.got, k.want)
			}
		}
		// Medians by sorting.
		s := []uint32{a, b, c}
		for range 3 {
			for j := range 2 {
				if s[j] > s[j+1] {
					s[j], s[j+1] = s[j+1], s[j]
				}
			}
		}
		if got := VMed3U32(a, b, c); got != s[1] {
			t.Fatalf("VMed3U32(%#x, %#x, %#x) = %#x", a, b, c, got)
		}
	}
}
