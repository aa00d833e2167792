package static

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/internal/ir"
)

// TestTransfer: the abstract result of every operation holds for all values that the arguments may
// have.
func TestTransfer(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 9))
	a := &analysis{eval: evaluators{}}
	number := func(m uint64) uint64 {
		x := rng.Uint64()
		switch rng.IntN(4) {
		case 0:
			x >>= 58
		case 1:
			x = 1 << (x & 63)
		case 2:
			x = -(x >> 57)
		}
		return x & m
	}
	random := func(ty ir.Type) value {
		m := maskOf(ty)
		var v value
		switch rng.IntN(4) {
		case 0:
			v = constant(number(m))
		case 1, 2:
			v = value{kind: shared, align: uint8(rng.IntN(int(bitsOf(ty))))}
			if ty == ir.B1 {
				return uniform
			}
		default:
			v = value{kind: known}
		}
		if rng.IntN(2) == 0 && v.kind != known || v.kind == known && rng.IntN(2) == 0 {
			var n [32]uint64
			switch rng.IntN(3) {
			case 0:
				n = laneIDs()
			case 1:
				for l := range n {
					n[l] = uint64(l) << rng.IntN(2)
				}
			default:
				for l := range n {
					n[l] = number(m)
				}
			}
			for l := range n {
				n[l] &= m
			}
			return v.of(n)
		}
		return v
	}
	said := map[ir.Op]int{}
	for op := range ir.Ops {
		op := ir.Op(op)
		if !op.Pure() {
			continue
		}
		info := &ir.Ops[op]
		rounds := 10
		if _, _, _, ok := comparison(op); ok || info.Args[0] != ir.B8 && len(info.Name) < 9 {
			rounds = short.Of(150, 20)
		}
		for range rounds {
			var args [4]value
			for i, ty := range info.Args {
				args[i] = random(ty)
			}
			n := len(info.Args)
			v := a.pure(op, args[:n])
			if v.kind != known && v.kind != shared {
				continue
			}
			said[op]++
			m := maskOf(info.Res)
			for range 3 {
				var u [4]uint64
				for i := range n {
					if args[i].kind == shared {
						u[i] = number(maskOf(info.Args[i])) << args[i].align
					}
				}
				var first uint64
				for l := range 32 {
					var in [4]uint64
					for i, ty := range info.Args {
						in[i] = (u[i] + args[i].at(l)) & maskOf(ty)
						if ty == ir.B1 && args[i].kind == shared {
							in[i] = u[i] & 1
						}
					}
					got := a.eval.of(ir.Op(op))(in)
					rest := (got - v.at(l)) & m
					if info.Res == ir.B1 {
						rest = got
						if v.kind == known {
							rest = got ^ v.at(l)
						}
					}
					if l == 0 {
						first = rest
					}
					if v.kind == known && rest != 0 || v.kind == shared && (rest != first || bits.TrailingZeros64(rest) < int(v.align)) {
						t.Fatalf("%s of %+v: lane %d, of %#x, is %#x; said to be %+v", info.Name, args[:n], l, in[:n], got, v)
					}
				}
			}
		}
	}
	for _, op := range []ir.Op{ir.Add32, ir.Sub64, ir.Mul32, ir.Mad32, ir.MulWideS32, ir.MadWideU32, ir.Shl32, ir.ShrU32, ir.ShrS64, ir.And32, ir.Or32, ir.Xor64, ir.BfeU32, ir.RemU32, ir.DivU32, ir.Sel32, ir.LtU32, ir.GeS32, ir.EqU64, ir.CvtU64FromS32} {
		if said[op] == 0 {
			t.Errorf("nothing is ever said of %s", ir.Ops[op].Name)
		}
	}
}

// TestJoin: a join holds for both of its arguments.
func TestJoin(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 9))
	for range 20000 {
		var side [2]value
		for i := range side {
			v := value{kind: known}
			if rng.IntN(2) == 0 {
				v = value{kind: shared, align: uint8(rng.IntN(32))}
			}
			v.c = rng.Uint64() >> (32 + rng.IntN(32))
			if rng.IntN(2) == 0 {
				n := laneIDs()
				for l := range n {
					n[l] = (n[l] + v.c) & 0xffffffff
				}
				v = v.of(n)
			}
			side[i] = v
		}
		j := join(side[0], side[1], ir.B32)
		if j.kind == top {
			continue
		}
		for _, v := range side {
			u := uint64(0)
			if v.kind == shared {
				u = uint64(rng.Uint32()) << v.align
			}
			first := (u + v.at(0) - j.at(0)) & 0xffffffff
			for l := range 32 {
				rest := (u + v.at(l) - j.at(l)) & 0xffffffff
				if rest != first || j.kind == known && rest != 0 || bits.TrailingZeros64(rest) < int(j.align) {
					t.Fatalf("%+v and %+v: %+v", side[0], side[1], j)
				}
			}
		}
	}
}
