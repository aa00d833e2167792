package lane_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"example.org/crosslane/lane"
)

func TestVotes(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	for range 5000 {
		pred, active := lane.Mask(rng.Uint32()), lane.Mask(rng.Uint32())
		switch rng.IntN(4) {
		case 0:
			pred |= active
		case 1:
			pred &^= active
		}
		yes, no := 0, 0
		var ballot lane.Mask
		for i := range 32 {
			switch {
			case active>>i&1 == 0:
			case pred>>i&1 == 1:
				yes++
				ballot |= 1 << i
			default:
				no++
			}
		}
		all, any, uni := lane.VoteAll(pred, active), lane.VoteAny(pred, active), lane.VoteUni(pred, active)
		if all != (no == 0) || any != (yes > 0) || uni != (yes == 0 || no == 0) || lane.VoteBallot(pred, active) != ballot {
			t.Fatalf("pred %v active %v: all %v any %v uni %v ballot %v", pred, active, all, any, uni, lane.VoteBallot(pred, active))
		}
	}
	if lane.ActiveMask(^lane.Mask(0)) != 0xffffffff || lane.Outside(0xff, 0xf) != 0xf0 || lane.Elect(0xf0) != 4 || lane.Elect(0) != -1 {
		t.Error("ActiveMask, Outside or Elect")
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var v32 [32]uint32
		var v64 [32]uint64
		kinds := rapid.Uint32Range(1, 5).Draw(t, "kinds")
		for i := range v32 {
			v32[i] = rapid.Uint32Range(1, kinds).Draw(t, "v")
			v64[i] = uint64(v32[i])<<32 | 7 // differs in the high word only
		}
		active := lane.Mask(rapid.Uint32().Draw(t, "active"))
		any32, any64 := lane.MatchAny32(&v32, active), lane.MatchAny64(&v64, active)
		same := true
		for i := range 32 {
			var want lane.Mask
			for j := range 32 {
				if active.Has(i) && active.Has(j) {
					if v32[i] == v32[j] {
						want |= 1 << j
					} else {
						same = false
					}
				}
			}
			if any32[i] != want || any64[i] != want {
				t.Fatalf("match.any lane %d: %v, %v; want %v", i, any32[i], any64[i], want)
			}
		}
		var want lane.Mask
		if same {
			want = active
		}
		if d, p := lane.MatchAll32(&v32, active); d != want || p != same {
			t.Fatalf("match.all.b32: %v, %v", d, p)
		}
		if d, p := lane.MatchAll64(&v64, active); d != want || p != same {
			t.Fatalf("match.all.b64: %v, %v", d, p)
		}
	})
}

func TestRedux(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 8))
	for range 3000 {
		var v [32]uint32
		for i := range v {
			v[i] = rng.Uint32()
		}
		active := lane.Mask(rng.Uint32())
		// The 64-bit results begin with the first active lane.
		var sum uint64
		minU, maxU, minS, maxS := uint64(math.MaxUint64), uint64(0), int64(math.MaxInt64), int64(math.MinInt64)
		and, or, xor := ^uint32(0), uint32(0), uint32(0)
		for i, x := range v {
			if active>>i&1 == 0 {
				continue
			}
			sum += uint64(x)
			minU, maxU = min(minU, uint64(x)), max(maxU, uint64(x))
			minS, maxS = min(minS, int64(int32(x))), max(maxS, int64(int32(x)))
			and, or, xor = and&x, or|x, xor^x
		}
		if active == 0 {
			continue
		}
		for op, want := range map[lane.ReduxOp]uint32{
			lane.ReduxAdd: uint32(sum), lane.ReduxMinU: uint32(minU), lane.ReduxMaxU: uint32(maxU),
			lane.ReduxMinS: uint32(minS), lane.ReduxMaxS: uint32(maxS),
			lane.ReduxAnd: and, lane.ReduxOr: or, lane.ReduxXor: xor,
		} {
			if got := lane.Redux(op, &v, active); got != want {
				t.Fatalf("redux %d: %#x, want %#x", op, got, want)
			}
		}
	}
	var v [32]uint32
	for op, want := range map[lane.ReduxOp]uint32{
		lane.ReduxAdd: 0, lane.ReduxMinU: 0xffffffff, lane.ReduxMaxU: 0, lane.ReduxMinS: 0x7fffffff, lane.ReduxMaxS: 0x80000000,
		lane.ReduxAnd: 0xffffffff, lane.ReduxOr: 0, lane.ReduxXor: 0,
	} {
		if got := lane.Redux(op, &v, 0); got != want {
			t.Errorf("redux %d of nothing: %#x, want the neutral %#x", op, got, want)
		}
	}
}

func TestReduxF32(t *testing.T) {
	t.Parallel()
	const nan = 0x7fffffff
	specials := []uint32{0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 1, 0x80000001, 0x3f800000, 0xbf800000}
	rng := rand.New(rand.NewPCG(9, 9))
	for range 20000 {
		var v [32]uint32
		kinds := specials
		if rng.IntN(2) == 0 { // no NaN
			kinds = []uint32{0, 0x80000000, 0x7f800000, 0xff800000, 1, 0x80000001, 0x3f800000, 0xbf800000}
		}
		for i := range v {
			if v[i] = kinds[rng.IntN(len(kinds))]; rng.IntN(4) == 0 {
				v[i] = math.Float32bits(float32(rng.NormFloat64()))
			}
		}
		active := lane.Mask(rng.Uint32())
		if rng.IntN(3) == 0 {
			a, b := rng.IntN(32), rng.IntN(32)
			active = lane.Lane(a) | lane.Lane(b)
		}
		abs, propagate := rng.IntN(2) == 0, rng.IntN(2) == 0
		// Go's min and max of floats order -0 below +0, as the manual does.
		lo, hi, numbers, nans := math.Inf(1), math.Inf(-1), 0, 0
		for i := range v {
			if active>>i&1 == 0 {
				continue
			}
			x := float64(math.Float32frombits(v[i]))
			if abs {
				x = math.Abs(x)
			}
			if math.IsNaN(x) {
				nans++
				continue
			}
			numbers++
			lo, hi = min(lo, x), max(hi, x)
		}
		wantLo, wantHi := math.Float32bits(float32(lo)), math.Float32bits(float32(hi))
		if numbers == 0 || propagate && nans > 0 {
			wantLo, wantHi = nan, nan
		}
		if got := lane.ReduxMinF32(&v, active, abs, propagate); got != wantLo {
			t.Fatalf("min abs %v NaN %v of %x in %v: %#x, want %#x", abs, propagate, v, active, got, wantLo)
		}
		if got := lane.ReduxMaxF32(&v, active, abs, propagate); got != wantHi {
			t.Fatalf("max abs %v NaN %v of %x in %v: %#x, want %#x", abs, propagate, v, active, got, wantHi)
		}
	}
}
