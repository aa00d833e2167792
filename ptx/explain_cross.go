package ptx

import (
	"fmt"
	"math"

	"example.org/crosslane/lane"
)

// shfl computes the lane map, if b and c are known.
func (x *explainer) shfl() {
	b, okB := x.lanes("b")
	c, okC := x.lanes("c")
	e := x.e
	if !okB || !okC {
		for _, name := range []string{"b", "c"} {
			if _, ok := x.lanes(name); !ok {
				x.note("%s is not known, so that there is no lane map; give it with --set %s=…", name, x.in.Args[x.index(name)].String())
			}
		}
		return
	}
	var b32, c32 [32]uint32
	for i := range b {
		b32[i], c32[i] = uint32(b[i]), uint32(c[i])
	}
	m, pred := lane.ShflVarying(shflMode(x.v), &b32, &c32, e.Executing, e.Members)
	e.Map, e.Pred = &m, pred
	if out := e.Executing &^ pred; out != 0 {
		x.note("%s no source in range: own a is kept, and the predicate is false", out.Do("has", "have"))
	}
	if m.Undef != 0 {
		x.note("undefined in %s: the lane read does not take part", m.Undef.Named())
	}
}

// fold starts a fold over the lanes that execute and are members.
func (x *explainer) fold() (f *Fold, vals [32]uint64, known bool) {
	f = &Fold{Participants: x.e.Executing & x.e.Members}
	x.e.Fold = f
	vals, known = x.lanes("a")
	if !known {
		x.note("a is not known, so that there is no result; give it with --set %s=…", x.in.Args[x.index("a")].String())
	}
	return f, vals, known
}

// vote computes the result of a vote, if the predicates are known.
func (x *explainer) vote() {
	f, vals, known := x.fold()
	if !known {
		return
	}
	var pred lane.Mask
	for i, v := range vals {
		if v&1 != 0 {
			pred |= lane.Lane(i)
		}
		f.In = append(f.In, fmt.Sprint(v&1))
	}
	f.Picked = pred & f.Participants
	p := f.Participants
	switch x.v.mod("mode") {
	case "all":
		f.Result = fmt.Sprint(lane.VoteAll(pred, p))
	case "any":
		f.Result = fmt.Sprint(lane.VoteAny(pred, p))
	case "uni":
		f.Result = fmt.Sprint(lane.VoteUni(pred, p))
	default:
		f.Result = lane.VoteBallot(pred, p).Hex(32)
	}
}

// match computes the masks of lanes with equal values, if the values are known.
func (x *explainer) match() {
	f, vals, known := x.fold()
	if !known {
		return
	}
	if x.v.typ.Bits() == 32 {
		for i := range vals {
			vals[i] = uint64(uint32(vals[i]))
		}
	}
	for _, v := range vals {
		f.In = append(f.In, fmt.Sprintf("%#x", v))
	}
	if x.v.has("all") {
		d, p := lane.MatchAll64(&vals, f.Participants)
		f.Result = fmt.Sprintf("%s, %v", d.Hex(32), p)
		return
	}
	d := lane.MatchAny64(&vals, f.Participants)
	f.Out = make([]string, 32)
	for i := range f.Participants.Lanes() {
		f.Out[i&31] = d[i&31].Hex(32)
	}
}

// redux computes the result of a reduction, if the values are known.
func (x *explainer) redux() {
	f, vals, known := x.fold()
	if !known {
		return
	}
	var v32 [32]uint32
	t := x.v.typ
	text := func(b uint32) string {
		switch {
		case t == F32:
			return fmt.Sprint(math.Float32frombits(b))
		case t.Signed():
			return fmt.Sprint(int32(b))
		case t.Untyped():
			return fmt.Sprintf("%#x", b)
		}
		return fmt.Sprint(b)
	}
	for i := range vals {
		v32[i] = uint32(vals[i])
		f.In = append(f.In, text(v32[i]))
	}
	f.Result = text(reduxFold(x.v, &v32, f.Participants))
}

// reduxFold reduces the values of the participants p with the variant's operation.
func reduxFold(v *variant, vals *[32]uint32, p lane.Mask) uint32 {
	abs, nan := v.has("abs"), v.has("NaN")
	switch op := v.mod("op"); {
	case v.typ == F32 && op == "min":
		return lane.ReduxMinF32(vals, p, abs, nan)
	case v.typ == F32:
		return lane.ReduxMaxF32(vals, p, abs, nan)
	}
	// The first modes of ir are the operations of package lane, in the same order.
	return lane.Redux(lane.ReduxOp(reduxMode(v)), vals, p)
}
