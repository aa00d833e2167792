package matrix

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/num"
)

// allProducts returns the Ops of every mma and wmma.mma.
func allProducts() (ops []Op) {
	add := func(wmma bool, shapes string, a, b, c []Elem, edit func(*Op)) {
		for _, s := range fields(shapes) {
			m, n, k, _ := ParseShape(s)
			for _, x := range a {
				for _, y := range b {
					for _, z := range c {
						o := Op{Wmma: wmma, M: m, N: n, K: k, Operands: Operands{A: x, B: y, C: z, D: z}}
						if edit != nil {
							edit(&o)
						}
						ops = append(ops, o)
					}
				}
			}
		}
	}
	e := func(l ...Elem) []Elem { return l }
	fl, f8, all8 := e(F16, F32), e(E4M3, E5M2), e(E4M3, E5M2, E3M2, E2M3, E2M1)
	for i := range 16 {
		add(false, "m8n8k4", e(F16), e(F16), e(F16), func(o *Op) {
			o.ARow, o.BRow = i&1 != 0, i&2 != 0
			if i&4 != 0 {
				o.D = F32
				if i&8 != 0 {
					o.C = F32
				}
			}
		})
	}
	add(false, "m16n8k8 m16n8k16", e(F16), e(F16), fl, nil)
	add(false, "m16n8k8 m16n8k16", e(BF16), e(BF16), e(F32), nil)
	add(false, "m16n8k4 m16n8k8", e(TF32), e(TF32), e(F32), nil)
	add(false, "m16n8k16 m16n8k32", f8, f8, fl, nil)
	add(false, "m16n8k32", all8, all8, fl, nil)
	for _, mode := range []num.RoundMode{num.RN, num.RZ, num.RM, num.RP} {
		add(false, "m8n8k4 m16n8k4 m16n8k8 m16n8k16", e(F64), e(F64), e(F64), func(o *Op) { o.Round = mode })
		add(true, "m8n8k4", e(F64), e(F64), e(F64), func(o *Op) { o.Round = mode })
	}
	for _, sat := range []bool{false, true} {
		set := func(o *Op) { o.Sat = sat }
		add(false, "m8n8k16 m16n8k16 m16n8k32", e(S8, U8), e(S8, U8), e(S32), set)
		add(false, "m8n8k32 m16n8k32 m16n8k64", e(S4, U4), e(S4, U4), e(S32), set)
		add(true, "m16n16k16 m8n32k16 m32n8k16", e(S8, U8), e(S8, U8), e(S32), set)
		add(true, "m8n8k32", e(S4, U4), e(S4, U4), e(S32), set)
		set = func(o *Op) { o.And = sat }
		add(false, "m8n8k128 m16n8k128 m16n8k256", e(B1), e(B1), e(S32), set)
		add(true, "m8n8k128", e(B1), e(B1), e(S32), set)
	}
	add(true, "m16n16k16 m8n32k16 m32n8k16", e(F16), e(F16), fl, nil)
	add(true, "m16n16k16 m8n32k16 m32n8k16", e(F16), e(F16), e(F16), func(o *Op) { o.D = F32 })
	add(true, "m16n16k16 m8n32k16 m32n8k16", e(F16), e(F16), e(F32), func(o *Op) { o.D = F16 })
	add(true, "m16n16k16 m8n32k16 m32n8k16", e(BF16), e(BF16), e(F32), nil)
	add(true, "m16n16k8", e(TF32), e(TF32), e(F32), nil)
	for sel := range uint8(4) {
		sparse := func(o *Op) { o.Sparse, o.Ordered, o.Selector = true, sel&1 != 0, sel }
		if sel < 2 {
			add(false, "m16n8k32", e(F16), e(F16), fl, sparse)
			add(false, "m16n8k32", e(BF16), e(BF16), e(F32), sparse)
			add(false, "m16n8k16", e(TF32), e(TF32), e(F32), sparse)
			add(false, "m16n8k32", e(S8, U8), e(S8, U8), e(S32), sparse)
			add(false, "m16n8k64", e(S4, U4), e(S4, U4), e(S32), sparse)
		}
		if sel == 0 {
			add(false, "m16n8k64", e(S8, U8), e(S8, U8), e(S32), sparse)
			add(false, "m16n8k64", all8, all8, fl, sparse)
			add(false, "m16n8k128", e(S4, U4), e(S4, U4), e(S32), sparse)
		}
		add(false, "m16n8k16", e(F16), e(F16), fl, sparse)
		add(false, "m16n8k16", e(BF16), e(BF16), e(F32), sparse)
		add(false, "m16n8k8", e(TF32), e(TF32), e(F32), sparse)
	}
	for _, sp := range []bool{false, true} {
		scaled := func(v int, s Elem) func(*Op) {
			return func(o *Op) { o.ScaleVec, o.Scale, o.Sparse, o.Ordered = v, s, sp, sp }
		}
		shape := map[bool][2]string{false: {"m16n8k32", "m16n8k64"}, true: {"m16n8k64", "m16n8k128"}}[sp]
		add(false, shape[0], all8, all8, e(F32), scaled(1, UE8M0))
		add(false, shape[1], e(E2M1P), e(E2M1P), e(F32), scaled(2, UE8M0))
		add(false, shape[1], e(E2M1P), e(E2M1P), e(F32), scaled(4, UE8M0))
		add(false, shape[1], e(E2M1P), e(E2M1P), e(F32), scaled(4, UE4M3))
	}
	return ops
}

func fields(s string) (l []string) {
	for s != "" {
		var f string
		n, _ := fmt.Sscan(s, &f)
		if n == 0 {
			break
		}
		l = append(l, f)
		s = s[min(len(s), len(f)+1):]
	}
	return l
}

// value decodes an element without the package's tables. NaNs and infinities become those of f64.
func value(e Elem, v uint64) float64 {
	mini := func(exp, man, bias int, inf, nan bool) float64 {
		sign := 1.0
		if v>>(exp+man)&1 != 0 {
			sign = -1
		}
		x, m := int(v>>man)&(1<<exp-1), int(v)&(1<<man-1)
		switch {
		case inf && x == 1<<exp-1 && m == 0:
			return math.Inf(int(sign))
		case inf && x == 1<<exp-1, nan && x == 1<<exp-1 && m == 1<<man-1:
			return math.NaN()
		case x == 0:
			return sign * float64(m) * math.Pow(2, float64(1-bias-man))
		}
		return sign * (1 + float64(m)/float64(int(1)<<man)) * math.Pow(2, float64(x-bias))
	}
	switch e {
	case F16:
		return mini(5, 10, 15, true, false)
	case BF16:
		return mini(8, 7, 127, true, false)
	case TF32:
		v >>= 13
		return mini(8, 10, 127, true, false)
	case F32:
		return float64(math.Float32frombits(uint32(v)))
	case F64:
		return math.Float64frombits(v)
	case S8:
		return float64(int8(v))
	case U8, U4, B1:
		return float64(v)
	case S4:
		return float64(int8(v<<4) >> 4)
	case S32:
		return float64(int32(v))
	case E4M3:
		return mini(4, 3, 7, false, true)
	case E5M2:
		return mini(5, 2, 15, true, false)
	case E3M2:
		return mini(3, 2, 3, false, false)
	case E2M3:
		return mini(2, 3, 1, false, false)
	case E2M1:
		v >>= 2
		return mini(2, 1, 1, false, false)
	case E2M1P:
		return mini(2, 1, 1, false, false)
	case UE8M0:
		if v == 255 {
			return math.NaN()
		}
		return math.Pow(2, float64(int(v)-127))
	case UE4M3:
		v &= 0x7f
		return mini(4, 3, 7, false, true)
	}
	panic("type")
}

// roundTo rounds an exact sum to n bits of mantissa with the least exponent of a unit.
func roundTo(x *big.Float, prec uint, unit int, mode big.RoundingMode) float64 {
	if x.Sign() == 0 {
		f, _ := x.Float64()
		return f
	}
	p := int(prec)
	if low := x.MantExp(nil) - p; low < unit {
		p -= unit - low
	}
	y := new(big.Float).SetMode(mode)
	if p > 0 {
		y.SetPrec(uint(p)).Set(x)
	} else {
		// Less than half, half, or more than half of the least unit.
		one := math.Ldexp(1, unit)
		lo, hi := 0.0, one
		if x.Signbit() {
			lo, hi = math.Copysign(0, -1), -one
		}
		a := new(big.Float).Abs(x)
		up := a.Cmp(big.NewFloat(one/2)) > 0
		switch mode {
		case big.ToZero:
			up = false
		case big.ToNegativeInf:
			up = x.Signbit()
		case big.ToPositiveInf:
			up = !x.Signbit()
		}
		if up {
			return hi
		}
		return lo
	}
	f, _ := y.Float64()
	return f
}

var modes = map[num.RoundMode]big.RoundingMode{num.RN: big.ToNearestEven, num.RZ: big.ToZero, num.RM: big.ToNegativeInf, num.RP: big.ToPositiveInf}

// fused returns a*b + c rounded once, for finite operands. NaN and infinities follow f64
// arithmetic.
func fused(a, b, c float64, wide bool, mode num.RoundMode) float64 {
	if p := a * b; math.IsNaN(a) || math.IsNaN(b) || math.IsNaN(c) || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) {
		if !math.IsNaN(p) && math.IsInf(p, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
			p = 0 // the product is large and finite
		}
		return p + c
	}
	x := new(big.Float).SetPrec(4400).SetFloat64(a)
	x.Mul(x, new(big.Float).SetPrec(4400).SetFloat64(b))
	zero := x.Sign() == 0 && c == 0
	x.Add(x, new(big.Float).SetPrec(4400).SetFloat64(c))
	if x.Sign() == 0 {
		pneg := math.Signbit(a) != math.Signbit(b)
		if zero && pneg == math.Signbit(c) {
			return c
		}
		if mode == num.RM {
			return math.Copysign(0, -1)
		}
		return 0
	}
	if wide {
		r := roundTo(x, 53, -1074, modes[mode])
		return overflow(r, x, math.MaxFloat64, mode)
	}
	r := roundTo(x, 24, -149, big.ToNearestEven)
	if math.Abs(r) > math.MaxFloat32 {
		return math.Inf(int(math.Copysign(1, r)))
	}
	return r
}

func overflow(r float64, x *big.Float, most float64, mode num.RoundMode) float64 {
	if !math.IsInf(r, 0) {
		return r
	}
	if mode == num.RZ || mode == num.RM && !x.Signbit() || mode == num.RP && x.Signbit() {
		return math.Copysign(most, r)
	}
	return r
}

// toF16 rounds an f32 to f16.
func toF16(x float64) uint64 {
	switch {
	case x != x:
		return 0x7fff
	case math.IsInf(x, 1):
		return 0x7c00
	case math.IsInf(x, -1):
		return 0xfc00
	case x == 0:
		return uint64(math.Float64bits(x) >> 48)
	}
	r := roundTo(big.NewFloat(x), 11, -24, big.ToNearestEven)
	s := uint64(0)
	if math.Signbit(r) {
		s, r = 0x8000, -r
	}
	if r >= 65520 {
		return s | 0x7c00
	}
	if r < math.Ldexp(1, -14) {
		return s | uint64(math.Ldexp(r, 24))
	}
	f, e := math.Frexp(r)
	return s | uint64(e+14)<<10 | uint64(math.Ldexp(f, 11))&0x3ff
}

// A warp holds registers of 32 lanes.
type warp struct {
	regs [][32]uint64
	wide bool
}

func (w *warp) get(l *Layout, lane, i int) uint64 {
	per := l.PerReg()
	return w.regs[i/per][lane] >> (i % per * l.Elem.Bits()) & (1<<l.Elem.Bits() - 1)
}

func pointers(ws ...*warp) (p []unsafe.Pointer) {
	for _, w := range ws {
		for i := range w.regs {
			if w.wide {
				p = append(p, unsafe.Pointer(&w.regs[i]))
				continue
			}
			v := new([32]uint32)
			for j := range v {
				v[j] = uint32(w.regs[i][j])
			}
			p = append(p, unsafe.Pointer(v))
		}
	}
	return p
}

// fill makes random registers: all bits are random, or the numbers are near 1, so that sums stay
// finite. Edges are among them.
func fill(r *rand.Rand, l *Layout, tame bool) *warp {
	w := &warp{regs: make([][32]uint64, l.Regs()), wide: l.RegBits == 64}
	for i := range w.regs {
		for lane := range 32 {
			v := r.Uint64()
			if !w.wide {
				v &= math.MaxUint32
			}
			if tame || r.IntN(8) > 0 {
				switch l.Elem {
				case F16:
					v = v&0x83ff83ff | 0x38003800 | uint64(r.Uint32())&0x04000400
				case BF16:
					v = v&0x80ff80ff | 0x3f003f00
				case TF32, F32:
					v = v&0x80ffffff | 0x3f000000
				case F64:
					v = v&0x801fffff_ffffffff | 0x3fe00000_00000000
				}
			} else if e := []uint64{0, 0x80008000, 0x7f800000, 0x7c007c00, 0x7fff7fff, 1, 0x00010001, 0x7ff0000000000000, 0x7f7fffff, 0x7bff7bff, 0xff800000, 0x00800000, 0x8000000000000000}; r.IntN(3) == 0 {
				v = e[r.IntN(len(e))]
				if !w.wide {
					v &= math.MaxUint32
				}
			}
			w.regs[i][lane] = v
		}
	}
	return w
}

// metadata makes valid indices for a sparse A. It returns the registers and, for each row and
// stored element, the row of B. The code follows the chunks of the manual's figures 119 to 147, not
// MetadataOwner.
func metadata(r *rand.Rand, o *Op) (e *warp, at [][]int) {
	e = &warp{regs: make([][32]uint64, 1)}
	for i := range e.regs[0] {
		e.regs[0][i] = uint64(r.Uint32())
	}
	at = make([][]int, 16)
	put := func(lane, bit int, v uint64) {
		e.regs[0][lane] = e.regs[0][lane]&^(15<<bit) | v<<bit
	}
	valid := []uint64{0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110}
	width := 4
	switch o.A {
	case TF32:
		valid, width = []uint64{0b0100, 0b1110}, 2
	case S4, U4, E2M1P:
		width = 8
	}
	for row := range 16 {
		for c := range o.K / width {
			v := valid[r.IntN(len(valid))]
			if !o.Ordered && o.A != TF32 && r.IntN(2) == 0 {
				v = v>>2 | v<<2&15
			}
			g, hi, sel := row%8*4, row/8, int(o.Selector)
			switch {
			case o.K/width == 4: // figures 119, 127: Tk: [3..0] ... [15..12], [19..16] ...
				put(g+sel, 16*hi+4*c, v)
			case o.K/width == 8 && (o.A == F16 || o.A == BF16 || o.A == TF32): // figures 122, 125
				put(g+2*sel+c/4, 16*hi+4*(c%4), v)
			case o.K/width == 8: // figures 129, 139
				put(g+2*sel+hi, 4*c, v)
			default: // figures 136, 137, 146, 147
				put(g+hi+2*(c/8), 4*(c%8), v)
			}
			i, j := int(v&3), int(v>>2)
			switch width {
			case 2:
				at[row] = append(at[row], 2*c+i/2)
			case 4:
				at[row] = append(at[row], 4*c+i, 4*c+j)
			default:
				at[row] = append(at[row], 8*c+2*i, 8*c+2*i+1, 8*c+2*j, 8*c+2*j+1)
			}
		}
	}
	return e, at
}

// TestProducts compares every product on random registers with a naive product in exact arithmetic,
// with the documented order of accumulation.
func TestProducts(t *testing.T) {
	t.Parallel()
	var s Scratch
	r := rand.New(rand.NewPCG(1, 2))
	ops := allProducts()
	for n, o := range ops {
		p := NewProduct(o)
		if p == nil {
			t.Errorf("%+v: no layouts", o)
			continue
		}
		for round := range 4 {
			if !short.Every(round+4-n%4, 4) {
				continue
			}
			checkProduct(t, r, p, round == 0 && n%2 == 0, round > 1, &s)
			if t.Failed() {
				t.Fatalf("%s %v %v %v %v sparse %v scale %d", o.Shape(), o.D, o.A, o.B, o.C, o.Sparse, o.ScaleVec)
			}
		}
	}
	t.Logf("%d products", len(ops))
}

// tie fills a warp's registers with floats of one or two significant bits. Their exponents are
// below the least normal number, or about 2^-16. Products of the two kinds are often halves of the
// least number.
func tie(r *rand.Rand, w *warp, e Elem, below bool) {
	shift, halves := 7, 2
	switch e {
	case BF16:
	case TF32:
		shift, halves = 23, 1
	default:
		return
	}
	for i := range w.regs {
		for lane := range w.regs[i] {
			w.regs[i][lane] = 0
			for h := range halves {
				x := r.Uint64N(4) << (shift - 7)
				if !below {
					x = (108 + r.Uint64N(6)) << shift
				}
				w.regs[i][lane] |= (x | r.Uint64N(2)<<(shift+8)) << (16 * h)
			}
		}
	}
}

// checkProduct runs a product. If tiny is set, A has no normal number.
func checkProduct(t *testing.T, r *rand.Rand, p *Product, tame, tiny bool, s *Scratch) {
	o := p.Op
	a, b, c := fill(r, p.A, tame), fill(r, p.B, tame), fill(r, p.C, tame)
	if tiny {
		below := r.IntN(2) == 0
		tie(r, a, o.A, below)
		tie(r, b, o.B, !below)
		clear(c.regs)
	}
	src := pointers(a, b, c)
	var at [][]int
	if o.Sparse {
		var e *warp
		e, at = metadata(r, &o)
		src = append(src, pointers(e)...)
	}
	var fa, fb func(i, t int) float64
	if o.ScaleVec > 0 {
		src, fa, fb = scaleFactors(r, &o, src, tame)
	}
	d := &warp{regs: make([][32]uint64, p.D.Regs()), wide: p.D.RegBits == 64}
	dst := pointers(d)
	mask := uint32(math.MaxUint32)
	if r.IntN(4) == 0 {
		mask = r.Uint32()
	}
	if f := p.Run(src, dst, mask, s); f != 0 {
		t.Errorf("fault %d", f)
	}
	// The matrices are read through the layouts, which TestLayouts compares with the manual.
	read := func(w *warp, l *Layout) map[[3]int]uint64 {
		m := map[[3]int]uint64{}
		for lane := range 32 {
			for i := l.Elems() - 1; i >= 0; i-- { // the first copy counts
				blk, row, col := l.At(lane, i)
				m[[3]int{blk, row, col}] = w.get(l, lane, i)
			}
		}
		return m
	}
	ma, mb, mc := read(a, p.A), read(b, p.B), read(c, p.C)
	for lane := range 32 {
		for i := range p.D.Elems() {
			reg, sh := i/p.D.PerReg(), i%p.D.PerReg()*p.D.Elem.Bits()
			var got uint64
			if d.wide {
				got = (*[32]uint64)(dst[reg])[lane]
			} else {
				got = uint64((*[32]uint32)(dst[reg])[lane]) >> sh & (1<<p.D.Elem.Bits() - 1)
			}
			if mask>>lane&1 == 0 {
				if got != 0 {
					t.Errorf("lane %d is not in the mask and got %#x", lane, got)
				}
				continue
			}
			blk, row, col := p.D.At(lane, i)
			want := element(&o, p, ma, mb, mc, blk, row, col, at, fa, fb)
			if got != want && !(o.D == F64 && math.IsNaN(math.Float64frombits(got)) && math.IsNaN(math.Float64frombits(want))) {
				t.Errorf("element %d,%d of matrix %d: got %#x, want %#x", row, col, blk, got, want)
				return
			}
		}
	}
}

// element returns one element of D.
func element(o *Op, p *Product, a, b, c map[[3]int]uint64, blk, row, col int, at [][]int, fa, fb func(i, t int) float64) uint64 {
	c0 := c[[3]int{blk, row, col}]
	if o.A == B1 {
		n := uint64(0)
		for k := range o.K {
			x, y := a[[3]int{blk, row, k}], b[[3]int{blk, k, col}]
			if o.And {
				n += x & y
			} else {
				n += x ^ y
			}
		}
		return uint64(uint32(c0 + n))
	}
	acc, sum := value(o.C, c0), int64(int32(c0))
	for k := range p.A.Cols {
		in := k
		if at != nil {
			in = at[row][k]
		}
		x, y := value(o.A, a[[3]int{blk, row, k}]), value(o.B, b[[3]int{blk, in, col}])
		if o.D == S32 {
			sum += int64(x) * int64(y)
			continue
		}
		if fa != nil {
			x, y = x*fa(row, in), y*fb(in, col)
		}
		acc = fused(x, y, acc, o.D == F64, o.Round)
	}
	switch {
	case o.D == S32 && o.Sat:
		return uint64(uint32(int32(min(max(sum, math.MinInt32), math.MaxInt32))))
	case o.D == S32:
		return uint64(uint32(sum))
	case o.D == F64:
		return math.Float64bits(acc)
	case o.D == F16:
		return toF16(acc)
	case acc != acc:
		return 0x7fffffff
	}
	return uint64(math.Float32bits(float32(acc)))
}

// scaleFactors makes scale factors and their selectors (PTX 9.7.15.3). It also returns their values
// for a row of A or a column of B at a depth.
func scaleFactors(r *rand.Rand, o *Op, src []unsafe.Pointer, tame bool) (out []unsafe.Pointer, fa, fb func(i, t int) float64) {
	word := func() *[32]uint32 {
		w := new([32]uint32)
		for i := range w {
			w[i] = r.Uint32()
			if tame && o.Scale == UE8M0 {
				w[i] = w[i]&0x03030303 + 0x7e7e7e7e
			}
		}
		return w
	}
	splat := func(v int) *[32]uint32 {
		w := new([32]uint32)
		for i := range w {
			w[i] = uint32(v)
		}
		return w
	}
	da, db := word(), word()
	byteA, byteB := r.IntN(4), r.IntN(4)
	switch o.ScaleVec {
	case 2:
		byteA, byteB = byteA&2, byteB&2
	case 4:
		byteA, byteB = 0, 0
	}
	threadA, threadB := r.IntN(2), r.IntN(4)
	for _, w := range []*[32]uint32{da, splat(byteA), splat(threadA), db, splat(byteB), splat(threadB)} {
		src = append(src, unsafe.Pointer(w))
	}
	piece := func(t int) int { return t / (o.K / o.ScaleVec) }
	fa = func(i, t int) float64 {
		lane := i%8*4 + 2*threadA + i/8
		return value(o.Scale, uint64(da[lane]>>(8*(byteA+piece(t)))&255))
	}
	fb = func(t, j int) float64 {
		return value(o.Scale, uint64(db[4*j+threadB]>>(8*(byteB+piece(t)))&255))
	}
	return src, fa, fb
}

// TestFaults checks that operands that the manual leaves undefined are reported.
func TestFaults(t *testing.T) {
	t.Parallel()
	var s Scratch
	r := rand.New(rand.NewPCG(5, 6))
	run := func(o Op, e uint32) Fault {
		p := NewProduct(o)
		w := &warp{regs: make([][32]uint64, 1)}
		for i := range w.regs[0] {
			w.regs[0][i] = uint64(e)
		}
		d := &warp{regs: make([][32]uint64, p.D.Regs())}
		return p.Run(pointers(fill(r, p.A, true), fill(r, p.B, true), fill(r, p.C, true), w), pointers(d), ^uint32(0), &s)
	}
	sparse := Op{M: 16, N: 8, K: 16, Operands: Operands{A: F16, B: F16, C: F32, D: F32}, Sparsity: Sparsity{Sparse: true}}
	for _, c := range []struct {
		e       uint32
		ordered bool
		elem    Elem
		want    Fault
	}{
		{0x44444444, false, F16, 0}, {0x44444444, true, F16, 0}, {0x11111111, false, F16, 0}, {0x11111111, true, F16, BadMetadata},
		{0x44444440, false, F16, BadMetadata}, {0x44445444, true, F16, BadMetadata}, {0xa4444444, false, F16, BadMetadata}, {0x4f444444, false, F16, BadMetadata},
		{0x4e4e4e4e, false, TF32, 0}, {0x4e4e4e4c, false, TF32, BadMetadata},
	} {
		o := sparse
		o.Ordered = c.ordered
		if c.elem == TF32 {
			o.A, o.B, o.K = TF32, TF32, 8
		}
		if got := run(o, c.e); got != c.want {
			t.Errorf("metadata %#x ordered %v of %v: %d, want %d", c.e, c.ordered, c.elem, got, c.want)
		}
	}
}

// TestSmall compares the tables of small types with another decoding.
func TestSmall(t *testing.T) {
	t.Parallel()
	for e := E4M3; e <= E2M1P; e++ {
		for v := range uint64(256) {
			x := v
			switch e {
			case E3M2, E2M3:
				x &= 0x3f
			case E2M1:
				x &= 0x3c
			case E2M1P:
				x &= 15
			}
			got, want := float64(small[e][v]), value(e, x)
			if got != want && (got == got || want == want) || math.Signbit(got) != math.Signbit(want) && want == want {
				t.Errorf("%v %#x is %v, want %v", e, v, got, want)
			}
		}
	}
	for v := range uint64(256) {
		for _, e := range []Elem{UE8M0, UE4M3} {
			if got, want := scale(e, uint8(v)), value(e, v); got != want && (got == got || want == want) {
				t.Errorf("%v %#x is %v, want %v", e, v, got, want)
			}
		}
	}
	for v := range uint32(1 << 16) {
		if got, want := half(v), num.CvtF32FromF16(uint16(v)); math.Float32bits(got) != math.Float32bits(want) && got == got {
			t.Fatalf("f16 %#x is %v, want %v", v, got, want)
		}
	}
}

// TestAccumulatesInOrder checks known sums that depend on the order and on a single rounding for
// each product.
func TestAccumulatesInOrder(t *testing.T) {
	t.Parallel()
	p := NewProduct(Op{M: 16, N: 8, K: 8, Operands: Operands{A: F16, B: F16, C: F32, D: F32}})
	var s Scratch
	a, b, c := &warp{regs: make([][32]uint64, 2)}, &warp{regs: make([][32]uint64, 1)}, &warp{regs: make([][32]uint64, 4)}
	for lane := range 32 {
		b.regs[0][lane] = 0x3c003c00 // 1, 1
		c.regs[0][lane] = uint64(math.Float32bits(1 << 24))
	}
	// Row 0 of A is 1, 1, 1 …: 2^24 + 1 rounds to 2^24 each time (ties to even).
	// Row 1 is 2, 2, …: each is exact.
	for lane := range 4 {
		a.regs[0][lane] = 0x3c003c00
		a.regs[0][lane+4] = 0x40004000
	}
	dst := pointers(&warp{regs: make([][32]uint64, 4)})
	p.Run(pointers(a, b, c), dst, ^uint32(0), &s)
	d := (*[32]uint32)(dst[0])
	if x, y := math.Float32frombits(d[0]), math.Float32frombits(d[4]); x != 1<<24 || y != 1<<24+16 {
		t.Errorf("sums are %v and %v, want %v and %v", x, y, 1<<24, 1<<24+16)
	}
	if bits.OnesCount32(d[8]) == 0 {
		t.Errorf("row 2 has no accumulator")
	}
}
