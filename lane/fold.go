package lane

// Folds of PTX: functions of the lanes that take part. For the .sync forms, active is the set of
// lanes that arrived and are in the membermask they gave; it does not contain exited lanes. If an
// executing lane is outside its own membermask, the behaviour is undefined for all lanes: [Outside]
// returns these lanes. For the legacy forms, active is the set of lanes that execute the
// instruction.

// Outside returns the executing lanes that are not in the membermask. Their behaviour is undefined
// for every .sync instruction (PTX ISA 9.7.14.10 vote, 9.7.14.11 match, 9.7.14.13 redux, 9.7.9.6
// shfl).
func Outside(executing, members Mask) Mask { return executing & All(WarpLanes) &^ members }

// VoteAll is vote{.sync}.all.pred: true if pred is true for all active lanes.
func VoteAll(pred, active Mask) bool { return active&^pred == 0 }

// VoteAny is vote{.sync}.any.pred: true if pred is true for some active lane.
func VoteAny(pred, active Mask) bool { return active&pred != 0 }

// VoteUni is vote{.sync}.uni.pred: true if pred has the same value in all active lanes.
func VoteUni(pred, active Mask) bool { return active&pred == 0 || active&^pred == 0 }

// VoteBallot is vote{.sync}.ballot.b32: bit i is lane i's predicate; lanes that are not active
// contribute 0.
func VoteBallot(pred, active Mask) Mask { return pred & active }

// ActiveMask is activemask.b32: "an active thread will contribute 1 for its entry in the result and
// exited or inactive or predicated-off thread will contribute 0". It is the identity. Its result is
// unsafe as a membermask: the scheduler chooses the lanes that execute together, and lanes that
// take the same branch need not be converged.
func ActiveMask(executing Mask) Mask { return executing & All(WarpLanes) }

// Elect is elect.sync: it returns the leader, or -1 if no lane takes part. The manual only requires
// that the choice is fixed for a given membermask; here it is the lowest lane.
func Elect(members Mask) int { return (members & All(WarpLanes)).First() }

// MatchAny32 is match.any.sync.b32: for every lane in active, the active lanes that hold the same
// value; 0 for the other lanes.
func MatchAny32(vals *[32]uint32, active Mask) (d [32]Mask) { return matchAny(vals, active) }

// MatchAny64 is match.any.sync.b64.
func MatchAny64(vals *[32]uint64, active Mask) (d [32]Mask) { return matchAny(vals, active) }

// MatchAll32 is match.all.sync.b32: if all active lanes hold the same value, it returns the mask of
// active lanes and p = true; otherwise 0 and p = false.
func MatchAll32(vals *[32]uint32, active Mask) (d Mask, p bool) { return matchAll(vals, active) }

// MatchAll64 is match.all.sync.b64.
func MatchAll64(vals *[32]uint64, active Mask) (d Mask, p bool) { return matchAll(vals, active) }

// matchAny finds the groups of equal values.
func matchAny[T uint32 | uint64](vals *[32]T, active Mask) (d [32]Mask) {
	// Peel one group of equal values per round.
	for rest := active & All(WarpLanes); rest != 0; {
		var group Mask
		v := vals[rest.First()&31]
		for i := range vals {
			if vals[i] == v {
				group |= 1 << uint(i)
			}
		}
		group &= rest
		for r := group; r != 0; r &= r - 1 {
			d[r.First()&31] = group
		}
		rest &^= group
	}
	return d
}

// matchAll compares all active values with the first.
func matchAll[T uint32 | uint64](vals *[32]T, active Mask) (d Mask, p bool) {
	active &= All(WarpLanes)
	if active == 0 {
		return 0, true
	}
	v := vals[active.First()&31]
	for r := active; r != 0; r &= r - 1 {
		if vals[r.First()&31] != v {
			return 0, false
		}
	}
	return active, true
}

// ReduxOp is the operation and type of redux.sync.
type ReduxOp uint8

// The operations of redux.sync (PTX ISA 9.7.14.13).
const (
	ReduxAdd  ReduxOp = iota // .add.u32, .add.s32: truncated to 32 bits
	ReduxMinU                // .min.u32
	ReduxMaxU                // .max.u32
	ReduxMinS                // .min.s32
	ReduxMaxS                // .max.s32
	ReduxAnd                 // .and.b32
	ReduxOr                  // .or.b32
	ReduxXor                 // .xor.b32
)

// Redux is redux.sync.op: the fold of the active lanes' values. active is never empty for an
// executing lane; for an empty mask it returns the operation's neutral element.
func Redux(op ReduxOp, vals *[32]uint32, active Mask) uint32 {
	r := reduxNeutral(op)
	for a := active & All(WarpLanes); a != 0; a &= a - 1 {
		v := vals[a.First()&31]
		switch op {
		case ReduxAdd:
			r += v
		case ReduxMinU:
			r = min(r, v)
		case ReduxMaxU:
			r = max(r, v)
		case ReduxMinS:
			r = uint32(min(int32(r), int32(v)))
		case ReduxMaxS:
			r = uint32(max(int32(r), int32(v)))
		case ReduxAnd:
			r &= v
		case ReduxOr:
			r |= v
		case ReduxXor:
			r ^= v
		}
	}
	return r
}

// reduxNeutral returns the neutral element of an operation.
func reduxNeutral(op ReduxOp) uint32 {
	switch op {
	case ReduxMinU, ReduxAnd:
		return ^uint32(0)
	case ReduxMinS:
		return 0x7fffffff
	case ReduxMaxS:
		return 0x80000000
	}
	return 0
}

// canonicalNaN is PTX's f32 NaN result.
const canonicalNaN = 0x7fffffff

// ReduxMinF32 is redux.sync.min{.abs}{.NaN}.f32 on bit patterns. abs takes absolute values first.
// propagate is the .NaN qualifier: a NaN in any lane makes the result the canonical NaN. Without it
// NaNs are ignored, and the result is the canonical NaN only if all inputs are NaNs. -0.0 is less
// than +0.0.
func ReduxMinF32(vals *[32]uint32, active Mask, abs, propagate bool) uint32 {
	return reduxF32(vals, active, abs, propagate, func(new, old int32) bool { return new < old })
}

// ReduxMaxF32 is redux.sync.max{.abs}{.NaN}.f32; see [ReduxMinF32].
func ReduxMaxF32(vals *[32]uint32, active Mask, abs, propagate bool) uint32 {
	return reduxF32(vals, active, abs, propagate, func(new, old int32) bool { return new > old })
}

// reduxF32 returns the value that is better than all other ones.
func reduxF32(vals *[32]uint32, active Mask, abs, propagate bool, better func(new, old int32) bool) uint32 {
	r, have := uint32(canonicalNaN), false
	for a := active & All(WarpLanes); a != 0; a &= a - 1 {
		v := vals[a.First()&31]
		if abs {
			v &= 0x7fffffff
		}
		if v&0x7fffffff > 0x7f800000 { // NaN
			if propagate {
				return canonicalNaN
			}
			continue
		}
		if !have || better(floatOrder(v), floatOrder(r)) {
			r, have = v, true
		}
	}
	return r
}

// floatOrder maps f32 bit patterns to integers that compare like the floats, with -0.0 directly
// below +0.0.
func floatOrder(v uint32) int32 {
	if int32(v) < 0 {
		return int32(v ^ 0x7fffffff)
	}
	return int32(v)
}
