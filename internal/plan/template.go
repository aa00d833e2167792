package plan

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/lane"
	"example.org/crosslane/ptx"
)

// A check is the task of a sequence that computes: inputs by register, and the results that
// were computed without the sequence.
type check struct {
	inputs []map[string][]uint64
	want   func(in map[string][]uint64) []uint64
	// order is the same sequence with the composition of affine maps as operation, which does not
	// commute; nil: the operation must commute, or its order plays no part.
	order []string
	shape func(pairs [][2]uint32, heads uint64) [][2]uint32 // its results
	// heads are sets of lanes at which a segment begins, in a register of flags; order runs with each. nil: there are no
	// segments.
	heads []uint64
	said  string // for which operations the steps are right
}

// A template is a computation over the lanes of a wave.
type template struct {
	name, form string
	list       func(t *templates, w *words) ([]sequence, error)
}

func templateList() []template {
	return []template{
		{"reduce", "write reduce, or reduce min s32", (*templates).reduce},
		{"scan", "write scan inclusive, scan exclusive or scan segmented, then an operation: scan exclusive add u32", (*templates).scan},
		{"ballot-rank", "write ballot-rank", (*templates).rank},
		{"argmax", "write argmax, or argmax s32", (*templates).argmax},
	}
}

// templates writes computations for a target.
type templates struct {
	isa   api.ISA
	n     int
	sm    int
	d     *dictionary
	about string
}

// full is the mask of a whole warp, as an operand.
const full = "0xffffffff"

func (t *templates) gcn3() bool { return t.isa == api.GCN3 }

func (t *templates) reg(k int) string {
	if t.gcn3() {
		return gcn3Writer{}.reg(k)
	}
	return ptxWriter{}.reg(k)
}

func (t *templates) move(dst, src string) string {
	if t.gcn3() {
		return gcn3Writer{}.move(dst, src)
	}
	return ptxWriter{}.move(dst, src)
}

// moveStep moves src to dst as a step does. A lane without a source keeps dst, or has a false %p1.
func (t *templates) moveStep(s *treeStep, dst, src string) string {
	m := move{op: s.op, controls: s.controls}
	switch {
	case t.gcn3():
		return m.text(dst, src)
	case s.pred:
		dst += "|%p1"
	}
	return m.text(dst, src) + ";"
}

// everyLane reports whether the step combines every lane.
func (t *templates) everyLane(s *treeStep) bool { return !slices.Contains(s.m[:t.n], keep) }

// combine writes steps that combine the source in acc.
func (t *templates) combine(o *operation, steps []treeStep, src, acc, temp string) []string {
	var code []string
	own := src
	if len(steps) == 0 || !t.everyLane(&steps[0]) {
		code, own = append(code, t.move(acc, src)), acc
	}
	from := src
	for k := range steps {
		s := &steps[k]
		if s.dpp {
			code = append(code, o.text(t.isa, acc, from, own, s.controls))
		} else {
			code = append(code, t.moveStep(s, temp, from))
			a, b := temp, own
			if !s.left {
				a, b = own, temp
			}
			line := o.text(t.isa, acc, a, b, "")
			if s.pred {
				line = "@%p1 " + line
			}
			code = append(code, line)
		}
		own, from = acc, acc
	}
	return code
}

// Registers of the affine proof: a pair is in register k and k + pairOffset.
const pairOffset = 10

// affine writes the same steps for pairs (a, b), which stand for the maps x -> a x + b. The pair of a
// lane follows that of the lanes before it.
func (t *templates) affine(steps []treeStep, acc int) []string {
	a, b := t.reg(acc), t.reg(acc+pairOffset)
	ta, tb, x := t.reg(20), t.reg(21), t.reg(22)
	code := []string{t.move(a, t.reg(0)), t.move(b, t.reg(pairOffset))}
	for k := range steps {
		s := &steps[k]
		if t.gcn3() && !t.everyLane(s) {
			code = append(code, t.move(ta, "1"), t.move(tb, "0"))
		}
		code = append(code, t.moveStep(s, ta, a), t.moveStep(s, tb, b))
		switch {
		case t.gcn3() && s.left:
			code = append(code, fmt.Sprintf("v_mul_lo_u32 %s, %s, %s", x, a, tb), fmt.Sprintf("v_add_u32_e32 %s, vcc, %s, %s", b, x, b))
		case t.gcn3():
			code = append(code, fmt.Sprintf("v_mul_lo_u32 %s, %s, %s", x, ta, b), fmt.Sprintf("v_add_u32_e32 %s, vcc, %s, %s", b, x, tb))
		}
		if t.gcn3() {
			code = append(code, fmt.Sprintf("v_mul_lo_u32 %s, %s, %s", a, a, ta))
			continue
		}
		guard := ""
		if s.pred {
			guard = "@%p1 "
		}
		if s.left {
			code = append(code, fmt.Sprintf("%smad.lo.u32 %s, %s, %s, %s;", guard, b, a, tb, b))
		} else {
			code = append(code, fmt.Sprintf("%smad.lo.u32 %s, %s, %s, %s;", guard, b, ta, b, tb))
		}
		code = append(code, fmt.Sprintf("%smul.lo.u32 %s, %s, %s;", guard, a, a, ta))
	}
	return code
}

// pick gives all lanes the value of one lane.
func (t *templates) pick(r string, l int) []string {
	if !t.gcn3() {
		return []string{fmt.Sprintf("shfl.sync.idx.b32 %s, %s, %d, 0x1f, %s;", r, r, l, full)}
	}
	return []string{fmt.Sprintf("v_readlane_b32 s4, %s, %d", r, l), t.move(r, "s4")}
}

// follows composes affine maps: first a, then b.
func follows(a, b [2]uint32) [2]uint32 { return [2]uint32{b[0] * a[0], b[0]*a[1] + b[1]} }

const (
	forAssociative = "right for every associative operation"
	forCommuting   = "right for operations that are associative and commute"
)

func (t *templates) source() string { return t.reg(0) }

// inputs makes a check's inputs of the vectors of an operation.
func (t *templates) inputs(o *operation) (out []map[string][]uint64) {
	for _, v := range o.vectors(t.n) {
		out = append(out, map[string][]uint64{t.source(): v})
	}
	return out
}

// trees returns the reductions: with the order of the lanes and, if that is cheaper, without.
func (t *templates) trees() []*tree {
	finish := 2 * cyclesVALU
	if !t.gcn3() {
		finish = latencyShared
	}
	moves := treeMoves(t.d, false)
	var out []*tree
	for _, ordered := range []bool{true, false} {
		r := reduceTree(moves, t.n, ordered, true, false, finish)
		if r != nil && !slices.ContainsFunc(out, func(o *tree) bool { return o.cost <= r.cost }) {
			out = append(out, r)
		}
	}
	// A step through LDS costs more than five by DPP: it is of use only if DPP cannot do it.
	if len(out) == 0 {
		if r := reduceTree(moves, t.n, false, true, true, finish); r != nil {
			out = append(out, r)
		}
	}
	return out
}

// ordered reports whether the steps keep the order of the lanes: with left and right as written, the
// words of the holders are the lanes in order.
func (t *templates) ordered(r *tree) bool {
	words := make([][]int, t.n)
	for i := range words {
		words[i] = []int{i}
	}
	for _, s := range r.steps {
		next := slices.Clone(words)
		for i := range t.n {
			if j := s.m[i]; j >= 0 && s.left {
				next[i] = slices.Concat(words[j], words[i])
			} else if j >= 0 {
				next[i] = slices.Concat(words[i], words[j])
			}
		}
		words = next
	}
	for i := range r.holders.Lanes() {
		if len(words[i]) != t.n || !slices.IsSorted(words[i]) {
			return false
		}
	}
	return true
}

func (t *templates) reduce(w *words) ([]sequence, error) {
	o, err := readOperation(w)
	if err != nil {
		return nil, err
	}
	t.about = fmt.Sprintf("every lane gets the %s (%s) of all lanes", o.name, o.typ)
	want := func(in map[string][]uint64) []uint64 {
		v := in[t.source()]
		x := uint32(v[0])
		for _, y := range v[1:] {
			x = o.fold(x, uint32(y))
		}
		return slices.Repeat([]uint64{uint64(x)}, t.n)
	}
	var out []sequence
	if op := reduxText(&o); !t.gcn3() && op != "" {
		if e, err := ptx.Explain(op, ptx.ExplainOptions{}); err == nil && e.NeedsArch == "" && e.NeedsSM <= t.sm {
			out = append(out, sequence{how: "one instruction", code: []string{op}, check: &check{inputs: t.inputs(&o), want: want, said: "the instruction reduces the warp"}})
		}
	}
	for _, r := range t.trees() {
		q := sequence{how: fmt.Sprintf("%d steps, each of which doubles the lanes in a value", len(r.steps)), code: t.combine(&o, r.steps, t.source(), t.reg(1), t.reg(2))}
		c := &check{inputs: t.inputs(&o), want: want, said: forCommuting}
		if t.ordered(r) {
			c.said = forAssociative
			c.order = t.affine(r.steps, 1)
			c.shape = func(pairs [][2]uint32, _ uint64) [][2]uint32 {
				x := pairs[0]
				for _, p := range pairs[1:] {
					x = follows(x, p)
				}
				return slices.Repeat([][2]uint32{x}, len(pairs))
			}
		}
		if r.holders != lane.All(t.n) {
			l := r.holders.Last()
			q.code = append(q.code, t.pick(t.reg(1), l)...)
			if c.order != nil {
				c.order = slices.Concat(c.order, t.pick(t.reg(1), l), t.pick(t.reg(1+pairOffset), l))
			}
		}
		q.check = c
		out = append(out, q)
	}
	return out, nil
}

// reduxText is the instruction that reduces a warp.
func reduxText(o *operation) string {
	typ := o.typ
	if o.name == "and" || o.name == "or" || o.name == "xor" {
		typ = "b32"
	}
	if typ == "f32" {
		return ""
	}
	return fmt.Sprintf("redux.sync.%s.%s %%r1, %%r0, %s;", o.name, typ, full)
}

func (t *templates) scan(w *words) ([]sequence, error) {
	kind := "inclusive"
	for _, k := range []string{"inclusive", "exclusive", "segmented"} {
		if w.take(k) {
			kind = k
			break
		}
	}
	o, err := readOperation(w)
	if err != nil {
		return nil, err
	}
	steps := ptxScan()
	if t.gcn3() {
		steps = gcn3Scan()
	}
	if steps == nil {
		return nil, nil
	}
	if kind == "segmented" {
		return t.segmented(&o, steps), nil
	}
	exclusive := kind == "exclusive"
	t.about = fmt.Sprintf("lane i gets the %s (%s) of lanes 0 to i", o.name, o.typ)
	if exclusive {
		t.about = fmt.Sprintf("lane i gets the %s (%s) of lanes 0 to i - 1, and lane 0 the identity", o.name, o.typ)
	}
	c := &check{inputs: t.inputs(&o), said: forAssociative}
	c.want = func(in map[string][]uint64) []uint64 {
		out := make([]uint64, t.n)
		x := o.identity
		for i, v := range in[t.source()] {
			if exclusive {
				out[i] = uint64(x)
			}
			if i == 0 {
				x = uint32(v) // not folded with the identity: floats
			} else {
				x = o.fold(x, uint32(v))
			}
			if !exclusive {
				out[i] = uint64(x)
			}
		}
		return out
	}
	c.shape = scanned
	if exclusive {
		c.shape = func(pairs [][2]uint32, _ uint64) [][2]uint32 {
			return append([][2]uint32{{1, 0}}, scanned(pairs, 0)[:len(pairs)-1]...)
		}
	}
	acc := 1 + btoi(exclusive)
	q := sequence{how: fmt.Sprintf("%d steps, each of which doubles the lanes in a value", len(steps)), code: t.combine(&o, steps, t.source(), t.reg(acc), t.reg(3)), check: c}
	c.order = t.affine(steps, acc)
	if exclusive {
		q.how += ", then a shift by one lane"
		q.code = append(q.code, t.shifted(t.reg(1), t.reg(2), o.identityText(t.isa))...)
		c.order = slices.Concat(c.order, t.shifted(t.reg(1), t.reg(2), "1"), t.shifted(t.reg(1+pairOffset), t.reg(2+pairOffset), "0"))
	}
	return []sequence{q}, nil
}

// scanned is the inclusive scan of affine maps, which begins anew at each head.
func scanned(pairs [][2]uint32, heads uint64) [][2]uint32 {
	out := slices.Clone(pairs)
	for i := 1; i < len(out); i++ {
		if heads>>i&1 == 0 {
			out[i] = follows(out[i-1], pairs[i])
		}
	}
	return out
}

// shifted moves each lane's value to the next lane; lane 0 gets first.
func (t *templates) shifted(dst, src, first string) []string {
	for _, s := range treeMoves(t.d, true) {
		good := !s.lds
		for i, j := range s.m[:t.n] {
			good = good && (j == int8(i-1) || i == 0 && j == keep)
		}
		switch {
		case !good:
		case t.gcn3():
			return []string{t.move(dst, first), t.moveStep(&s, dst, src)}
		default:
			return []string{t.moveStep(&s, dst, src), fmt.Sprintf("selp.b32 %s, %s, %s, %%p1;", dst, dst, first)}
		}
	}
	return nil
}

// segmented is a scan that begins anew at each lane whose head flag, in v2 or %r2, is not 0.
func (t *templates) segmented(o *operation, steps []treeStep) []sequence {
	t.about = fmt.Sprintf("lane i gets the %s (%s) of the lanes from the last head up to i; a lane is a head if %s is not 0, and lane 0 always is", o.name, o.typ, t.reg(2))
	flags := t.reg(2)
	c := &check{said: forAssociative, order: t.affineSegments(steps), shape: scanned, heads: segmentHeads(), want: func(in map[string][]uint64) []uint64 {
		out := make([]uint64, t.n)
		for i, v := range in[t.source()] {
			if i > 0 && in[flags][i] == 0 {
				v = uint64(o.fold(uint32(out[i-1]), uint32(v)))
			}
			out[i] = v
		}
		return out
	}}
	for k, in := range t.inputs(o) {
		masks := segmentHeads()
		masks[0] *= uint64(2*k + 1)
		for _, heads := range []uint64{masks[0], masks[1+k%4]} {
			v := make([]uint64, t.n)
			for i := range v {
				v[i] = heads >> i & 1 * uint64(i+1)
			}
			c.inputs = append(c.inputs, map[string][]uint64{t.source(): in[t.source()], flags: v})
		}
	}
	q := sequence{check: c, inputs: 2}
	if !t.gcn3() {
		q.how = "a shuffle whose clamp is the lane of the segment's head"
		q.code = append(t.segmentStart(), t.move("%r1", "%r0"))
		for k := range steps {
			q.code = append(q.code, t.segmentShuffle(&steps[k], "%r4", "%r1"), "@%p1 "+o.text(t.isa, "%r1", "%r4", "%r1", ""))
		}
		return []sequence{q}
	}
	q.how = "a scan of pairs of a value and a flag, which stops the value of earlier lanes"
	q.code = append(t.segmentStart(), t.move("v5", o.identityText(t.isa)), t.move("v1", "v0"))
	for k := range steps {
		s := &steps[k]
		q.code = append(q.code, t.move("v4", "v5"), t.moveStep(s, "v4", "v1"), t.stopped("v4", "v5"), o.text(t.isa, "v1", "v4", "v1", ""))
		if k < len(steps)-1 {
			q.code = append(q.code, spreadFlags(s))
		}
	}
	return []sequence{q}
}

// segmentHeads are sets of lanes at which a segment begins: an irregular one, none, the first lane, few, and all.
func segmentHeads() []uint64 {
	return []uint64{0x0123456789abcdef, 0, 1, 0x8000000100010001, ^uint64(0)}
}

// affineSegments writes the steps of segmented for pairs, as affine does those of a scan.
func (t *templates) affineSegments(steps []treeStep) []string {
	pair := func(k int) (a, b string) { return t.reg(k), t.reg(k + pairOffset) }
	a, b := pair(1)
	ta, tb := pair(4)
	a0, b0 := pair(0)
	if !t.gcn3() {
		code := append(t.segmentStart(), t.move(a, a0), t.move(b, b0))
		for k := range steps {
			code = append(code, t.segmentShuffle(&steps[k], ta, a), t.segmentShuffle(&steps[k], tb, b),
				fmt.Sprintf("@%%p1 mad.lo.u32 %s, %s, %s, %s;", b, a, tb, b), fmt.Sprintf("@%%p1 mul.lo.u32 %s, %s, %s;", a, a, ta))
		}
		return code
	}
	one, none := pair(5)
	x := t.reg(22)
	code := append(t.segmentStart(), t.move(one, "1"), t.move(none, "0"), t.move(a, a0), t.move(b, b0))
	for k := range steps {
		s := &steps[k]
		code = append(code, t.move(ta, one), t.move(tb, none), t.moveStep(s, ta, a), t.moveStep(s, tb, b), t.stopped(ta, one), t.stopped(tb, none),
			fmt.Sprintf("v_mul_lo_u32 %s, %s, %s", x, a, tb), fmt.Sprintf("v_add_u32_e32 %s, vcc, %s, %s", b, x, b), fmt.Sprintf("v_mul_lo_u32 %s, %s, %s", a, a, ta))
		if k < len(steps)-1 {
			code = append(code, spreadFlags(s))
		}
	}
	return code
}

// segmentStart writes the lane of the segment's head to %r3, or the flags as masks to v3.
func (t *templates) segmentStart() []string {
	if t.gcn3() {
		return []string{"v_cmp_ne_u32_e32 vcc, 0, v2", "v_cndmask_b32_e64 v3, 0, -1, vcc"}
	}
	return []string{"setp.ne.u32 %p2, %r2, 0;", "vote.sync.ballot.b32 %r3, %p2, " + full + ";", "mov.u32 %r4, %lanemask_le;", "and.b32 %r3, %r3, %r4;",
		"bfind.u32 %r3, %r3;", "max.s32 %r3, %r3, 0;"}
}

// segmentShuffle reads the lane of a step, if it is in the segment.
func (t *templates) segmentShuffle(s *treeStep, dst, src string) string {
	by := int(s.m[t.n-1]) - (t.n - 1)
	return fmt.Sprintf("%s %s|%%p1, %s, %d, %%r3, %s;", s.op, dst, src, -by, full)
}

// stopped puts the identity in the place of a value of an earlier segment.
func (*templates) stopped(value, identity string) string {
	return fmt.Sprintf("v_bfi_b32 %s, v3, %s, %s", value, identity, value)
}

// spreadFlags combines the flags of the lanes that a step has combined.
func spreadFlags(s *treeStep) string { return "v_or_b32_dpp v3, v3, v3" + s.controls }

// rank counts the lanes below with a value that is not 0.
func (t *templates) rank(_ *words) ([]sequence, error) {
	t.about = "lane i gets the number of lanes below i whose value is not 0"
	c := &check{said: "the lanes are counted by the instruction", want: func(in map[string][]uint64) []uint64 {
		out := make([]uint64, t.n)
		n := uint64(0)
		for i, v := range in[t.source()] {
			out[i] = n
			n += uint64(btoi(v != 0))
		}
		return out
	}}
	for _, m := range []uint64{0, 1, ^uint64(0), 1 << 63, 0xaaaaaaaa55555555, 0x0123456789abcdef} {
		v := make([]uint64, t.n)
		for i := range v {
			v[i] = m >> i & 1 * uint64(3*i+5)
		}
		c.inputs = append(c.inputs, map[string][]uint64{t.source(): v})
	}
	q := sequence{how: "a ballot, and the number of its ones below the lane", check: c}
	q.code = []string{"v_cmp_ne_u32_e32 vcc, 0, v0", "v_mbcnt_lo_u32_b32 v1, vcc_lo, 0", "v_mbcnt_hi_u32_b32 v1, vcc_hi, v1"}
	if !t.gcn3() {
		q.code = []string{"setp.ne.u32 %p1, %r0, 0;", "vote.sync.ballot.b32 %r2, %p1, " + full + ";", "mov.u32 %r3, %lanemask_lt;", "and.b32 %r2, %r2, %r3;", "popc.b32 %r1, %r2;"}
	}
	return []sequence{q}, nil
}

// argmax finds the lowest lane with the greatest value: a reduction, then a comparison.
func (t *templates) argmax(w *words) ([]sequence, error) {
	o, err := readOperation(&words{text: w.text, list: append([]string{"max"}, w.list...), n: w.n})
	w.list = nil
	if err != nil {
		return nil, err
	}
	list, err := t.reduce(&words{text: w.text, list: []string{"max", o.typ}, n: w.n})
	if err != nil {
		return nil, err
	}
	t.about = fmt.Sprintf("every lane gets the number of the lowest lane with the greatest value (%s)", o.typ)
	var out []sequence
	for _, q := range list {
		c := &check{inputs: q.check.inputs, said: "the lowest of equal lanes", want: func(in map[string][]uint64) []uint64 {
			v := in[t.source()]
			best := 0
			for i := range v {
				if uint32(v[i]) != uint32(v[best]) && o.fold(uint32(v[i]), uint32(v[best])) == uint32(v[i]) {
					best = i
				}
			}
			return slices.Repeat([]uint64{uint64(best)}, t.n)
		}}
		same := make([]uint64, t.n) // equal values, the greatest in two lanes
		for i := range same {
			if i == t.n/3 || i == t.n-1 {
				same[i] = uint64(math.Float32bits(1)) // as an integer it is greater than 0, too
			}
		}
		c.inputs = append(slices.Clone(c.inputs), map[string][]uint64{t.source(): same}, map[string][]uint64{t.source(): make([]uint64, t.n)})
		q.check = c
		q.how += "; then a ballot of the lanes that are equal to the result"
		if t.gcn3() {
			cmp := "v_cmp_eq_u32_e32"
			if o.typ == "f32" {
				cmp = "v_cmp_eq_f32_e32"
			}
			q.code = append(slices.Clone(q.code), cmp+" vcc, v1, v0", "s_ff1_i32_b64 s4, vcc", t.move("v1", "s4"))
		} else {
			cmp := "setp.eq.u32"
			if o.typ == "f32" {
				cmp = "setp.eq.f32"
			}
			q.code = append(slices.Clone(q.code), cmp+" %p1, %r1, %r0;", "vote.sync.ballot.b32 %r2, %p1, "+full+";", "brev.b32 %r2, %r2;", "clz.b32 %r1, %r2;")
		}
		out = append(out, q)
	}
	return out, nil
}

// proveTemplate runs a computation on the inputs of its check and compares all lanes. If the steps
// keep the order of the lanes, they are run with affine maps, too.
func proveTemplate(ctx context.Context, r *run, c *check) (api.PlanProof, error) {
	_, dst := registers(r.isa)
	all := lane.All(r.n)
	for k, in := range c.inputs {
		got, err := r.values(ctx, in, dst, all)
		if err != nil {
			return api.PlanProof{}, err
		}
		for i, want := range c.want(in) {
			if got[i] != want {
				return api.PlanProof{}, fmt.Errorf("input %d: lane %d gets %#x, want %#x", k, i, got[i], want)
			}
		}
	}
	proof := api.PlanProof{Lanes: r.n, Vectors: len(c.inputs), What: fmt.Sprintf("proved: %d of %d lanes on %d inputs, no undefined lane; waits: 0 findings; %s", r.n, r.n, len(c.inputs), c.said)}
	if c.order == nil {
		return proof, nil
	}
	if err := proveOrder(ctx, r, c); err != nil {
		return api.PlanProof{}, err
	}
	proof.Vectors += max(1, len(c.heads))
	proof.What += ", which a run with affine maps showed"
	return proof, nil
}

// proveOrder runs the steps with the composition of affine maps.
func proveOrder(ctx context.Context, r *run, c *check) error {
	src, dst, srcB, dstB, flags := "v0", "v1", "v10", "v11", "v2"
	text := c.order
	if r.isa == api.GCN3 {
		sources := []string{writesSource, "v_mov_b32_e32 v10, v10"}
		if c.heads != nil {
			sources = append(sources, "v_mov_b32_e32 v2, v2")
		}
		m, err := measureGCN3(sequence{how: "affine maps", code: c.order}, sources, []string{readsResult, "v_mov_b32_e32 v11, v11"})
		if err != nil {
			return err
		}
		text = slices.Concat(sources, m.code)
	} else {
		src, dst, srcB, dstB, flags = "%r0", "%r1", "%r10", "%r11", "%r2"
	}
	run := &run{isa: r.isa, n: r.n, active: r.active, text: text}
	pairs := make([][2]uint32, r.n)
	a, b := make([]uint64, r.n), make([]uint64, r.n)
	for i := range pairs {
		pairs[i] = [2]uint32{uint32(2*i + 3), bits.Reverse32(uint32(i+1)) | 1}
		a[i], b[i] = uint64(pairs[i][0]), uint64(pairs[i][1])
	}
	heads := c.heads
	if heads == nil {
		heads = []uint64{0}
	}
	for _, set := range heads {
		in := map[string][]uint64{src: a, srcB: b}
		if c.heads != nil {
			in[flags] = make([]uint64, r.n)
			for i := range r.n {
				in[flags][i] = set >> i & 1 * uint64(i+1)
			}
		}
		want := c.shape(pairs, set)
		for half, name := range []string{dst, dstB} {
			got, err := run.values(ctx, in, name, lane.All(r.n))
			if err != nil {
				return fmt.Errorf("with affine maps: %w", err)
			}
			for i := range want {
				if uint32(got[i]) != want[i][half] {
					return fmt.Errorf("with affine maps: lane %d of %s gets %#x, want %#x: the order of the lanes is not kept", i, name, got[i], want[i][half])
				}
			}
		}
	}
	return nil
}
