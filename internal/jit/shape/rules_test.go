package shape

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/short"
)

// TestRules computes random expressions of extreme numbers with every operation that has a
// rule, with values that only the launch has, and compares the values in the lanes with the
// claims about them. If a check fails for a wave, the code would deoptimise, so the wave is
// not compared any further.
func TestRules(t *testing.T) {
	t.Parallel()
	var ops []ir.Op
	for op, r := range rules {
		if r != plain && r != flag && ir.Op(op) != ir.MovB1 {
			ops = append(ops, ir.Op(op))
		}
	}
	// most addresses are made of these
	sums := []ir.Op{ir.Mul32, ir.Mul32, ir.Add32, ir.Add32, ir.Sub32, ir.Shl32, ir.ShrU32, ir.And32, ir.MadWideU32, ir.MadWideS32, ir.AddWideU32, ir.MulWideU32, ir.MulWideS32, ir.CvtU64FromU32, ir.CvtS64FromS32, ir.Pack64, ir.Add64, ir.Sub64}
	seen := map[string]int{}
	for seed := range short.Of(uint64(10000), 700) {
		p := &hard{t: t, r: rand.New(rand.NewPCG(seed, 1)), val: map[ir.Ref]func(uint64) uint64{}}
		list := ops
		if seed%3 == 0 {
			list = sums
		}
		p.make(list)
		if !p.compare(seed, seen) {
			return
		}
	}
	for _, what := range []string{"affine", "rows", "known", "checks", "affine16", "varying rows"} {
		if seen[what] < short.Of(100, 20) {
			t.Errorf("%d values are %s", seen[what], what)
		}
	}
}

// hard is a random program, with the values of each lane of the block.
type hard struct {
	t     *testing.T
	r     *rand.Rand
	b     *ir.Builder
	lanes uint64
	block [3]uint32
	val   map[ir.Ref]func(lane uint64) uint64
	list  []ir.Ref
	text  strings.Builder
}

func (p *hard) mask(r ir.Ref) uint64 { return typeMask(p.b.Func().Val(r).Type) }

func (p *hard) put(r ir.Ref, f func(lane uint64) uint64) {
	m := p.mask(r)
	lanes := make([]uint64, (p.threads()+p.lanes-1)/p.lanes*p.lanes)
	for l := range lanes {
		lanes[l] = f(uint64(l)) & m
	}
	p.val[r] = func(l uint64) uint64 { return lanes[l] }
	p.list = append(p.list, r)
}

// threads returns the number of lanes of the block.
func (p *hard) threads() uint64 { return uint64(p.block[0]) * uint64(p.block[1]) * uint64(p.block[2]) }

// number returns a number close to a limit, or any number.
func (p *hard) number() uint64 {
	near := uint64(p.r.IntN(5)) - 2
	switch p.r.IntN(6) {
	case 0:
		return p.r.Uint64() >> p.r.IntN(64)
	case 1:
		return 1<<p.r.IntN(64) + near*32
	case 2, 3:
		return uint64(p.r.IntN(70)) - 4
	}
	return 1<<p.r.IntN(64) + near
}

func (p *hard) make(ops []ir.Op) {
	pick := func(list ...int) int { return list[p.r.IntN(len(list))] }
	p.lanes = uint64(pick(32, 32, 64))
	p.block = [3]uint32{uint32(pick(1, 2, 4, 8, 16, 20, 32, 64, 128)), uint32(pick(1, 1, 2, 3, 4, 16)), uint32(pick(1, 1, 1, 2, 3))}
	p.b = ir.NewBuilder("k", int(p.lanes))
	if p.r.IntN(3) == 0 {
		exec := p.b.Vector("exec", ir.B1)
		p.b.Func().Exec = exec
	}
	p.b.At(ir.Pos{Line: 1})
	bx, by := uint64(p.block[0]), uint64(p.block[1])
	for k, f := range []func(l uint64) uint64{func(l uint64) uint64 { return l % bx }, func(l uint64) uint64 { return l / bx % by }, func(l uint64) uint64 { return l / bx / by }, func(l uint64) uint64 { return l % p.lanes }} {
		x := p.b.Vector(fmt.Sprint("x", k), ir.B32)
		p.b.Input([]ir.InputKind{ir.ThreadIDX, ir.ThreadIDY, ir.ThreadIDZ, ir.LaneID}[k], x, 0)
		p.put(x, f)
	}
	for k, typ := range []ir.Type{ir.B16, ir.B32, ir.B32, ir.B64, ir.B8} {
		x, n := p.b.Vector(fmt.Sprint("n", k), typ), p.number()
		p.b.Input(ir.LaunchValue, x, uint64(k))
		p.put(x, func(uint64) uint64 { return n })
		fmt.Fprintf(&p.text, "n%d is %d: %#x; ", k, x, n)
	}
	for n := range 2 + p.r.IntN(7) {
		p.operation(n, ops)
	}
}

func (p *hard) operation(n int, ops []ir.Op) {
	var args []ir.Ref
	op := ops[p.r.IntN(len(ops))]
	often := []ir.Op{ir.Add32, ir.Add32, ir.Sub32, ir.Shl32, ir.Mad32, ir.CvtU64FromU32, ir.CvtS64FromS32, ir.MulWideU32, ir.MadWideS32, ir.Pack64, ir.ShrS32, ir.Add64, ir.Hi32, ir.AddC32}
	for range 4 { // the argument of the next operation
		if typ := ir.Ops[op].Args[0]; typ == p.b.Func().Val(p.list[len(p.list)-1]).Type || n == 0 && typ == ir.B32 {
			break
		}
		op = ops[p.r.IntN(len(ops))]
		if p.r.IntN(2) == 0 {
			op = often[p.r.IntN(len(often))]
		}
	}
	for k, typ := range ir.Ops[op].Args {
		var fit []ir.Ref
		for i, x := range p.list {
			if p.b.Func().Val(x).Type == typ {
				fit = append(fit, x)
				if i >= 9 {
					fit = append(fit, x, x)
				}
			}
		}
		if len(fit) == 0 || p.r.IntN(5) < 1+k {
			m := typeMask(typ)
			c := p.number() & m
			x := p.b.Const(typ, c)
			p.val[x] = func(uint64) uint64 { return c }
			fit = []ir.Ref{x}
			fmt.Fprintf(&p.text, "%d is %#x; ", x, c)
		}
		args = append(args, fit[p.r.IntN(len(fit))])
	}
	out := p.b.Vector(fmt.Sprint("v", n), ir.Ops[op].Res)
	p.b.To(out, op, args...)
	fmt.Fprintf(&p.text, "%d = %s %v; ", out, op, args)
	f := ir.Evaluator(op)
	p.put(out, func(l uint64) uint64 {
		var a [4]uint64
		for k, x := range args {
			a[k] = p.val[x](l)
		}
		return f(a)
	})
}

func (p *hard) compare(seed uint64, seen map[string]int) bool {
	f, err := p.b.Finish()
	if err != nil {
		p.t.Fatal(err)
	}
	fn := webs.Build(f, webs.Geometry{Lanes: int(p.lanes), Block: p.block, NoWrap: seed%4 > 0})
	s := Analyze(fn)
	threads := p.threads()
	for first := uint64(0); first < threads; first += p.lanes {
		for i := range f.Code {
			x := f.Code[i].Dst
			if fn.Ops[i].Dst == 0 || p.val[x] == nil {
				continue
			}
			if c := s.Check(i); c != NoCheck {
				seen["checks"]++
				if !p.holds(s, i, c, first) {
					break
				}
			}
			sh := s.Result(i)
			p.count(sh, p.mask(x), seen)
			for l := first; l < min(first+p.lanes, threads); l++ {
				if got, want := p.val[x](l), p.claim(sh, x, first, l); got != want || got > sh.Max || bits.TrailingZeros64(got) < int(sh.laneZeros()) && got != 0 {
					p.t.Errorf("%d: block %v of %d lanes, NoWrap %v, exec %v: %s\n%d is %s, but lane %d has %#x, not %#x", seed, p.block, p.lanes, fn.Geom.NoWrap, f.Exec != 0, &p.text, x, sh, l, got, want)
					return false
				}
			}
		}
	}
	return true
}

func (p *hard) count(sh Shape, m uint64, seen map[string]int) {
	affine := sh.Kind == Affine && !sh.Uniform()
	for what, is := range map[string]bool{"affine": affine && sh.Tile == 0, "rows": affine && sh.Tile > 0, "known": affine && sh.Known, "affine16": affine && m == 1<<16-1, "varying rows": sh.Kind == Varying && sh.Tile > 0} {
		if is {
			seen[what]++
		}
	}
}

// claim returns the value of a lane according to a shape.
func (p *hard) claim(sh Shape, x ir.Ref, first, l uint64) uint64 {
	want := p.val[x](l)
	row := uint64(1) << sh.Tile
	switch told := sh.Kind == Affine; {
	case told && sh.Known:
		want = sh.Base + sh.Steps().At(int(l-first))
	case told:
		want = p.val[x](first) + sh.Steps().At(int(l-first))
	case sh.Tile > 0:
		want = p.val[x](l&^(row-1)) + sh.Stride*(l&(row-1))
	}
	return want & p.mask(x)
}

// holds makes a check in the same way as package sel.
func (p *hard) holds(s *Shapes, i int, c Check, first uint64) bool {
	k := 0
	if s.Arg(i, 0).Uniform() && c != CheckSign && c != CheckHigh {
		k = 1
	}
	x, sh := s.fn.IR.Code[i].Args[k], s.Arg(i, k)
	m := p.mask(x)
	if want := uint64(1<<32 - 1); m != want && c != CheckHigh {
		p.t.Errorf("%s: a check of %s, which is not of 32 bits", &p.text, s.fn.IR.Code[i].Op)
	}
	base := p.val[x](first)
	last := signed(sh.Steps().At(int(p.lanes-1))&m, m)
	switch c {
	case CheckUnsigned:
		least, greatest := sh.Steps().Ends(m, int(p.lanes))
		return (least == 0 || base >= uint64(-least)) && base+uint64(greatest) <= m
	case CheckSigned:
		least, greatest := sh.Steps().Ends(m, int(p.lanes))
		b := signed(base, m)
		return b+least >= -int64(m>>1)-1 && b+greatest <= int64(m>>1)
	case CheckCarry:
		y := p.val[s.fn.IR.Code[i].Args[1-k]](first)
		return int64(base)+last >= 0 && int64(base)+last <= int64(m) && (base+y)>>32 == uint64(int64(base+y)+last)>>32
	case CheckSign:
		return (signed(base, m) < 0) == (signed(base, m)+last < 0) && signed(base, m)+last == signed(uint64(signed(base, m)+last)&m, m)
	case CheckHigh:
		return base>>32 == (base+uint64(last))>>32
	}
	row := uint64(1) << sh.Tile
	for l := first; l < first+p.lanes; l += row {
		if p.val[x](l)+sh.Stride*(row-1) > m {
			return false
		}
	}
	return true
}
