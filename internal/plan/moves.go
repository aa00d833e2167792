package plan

import (
	"fmt"
	"math"
	"slices"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/api"
	"example.org/crosslane/lane"
	"example.org/crosslane/ptx"
)

// moveSequences returns sequences for a lane map: the cheapest that each kind of search finds. Kinds:
// products of at most three moves, longer products of permutations, patches with row and bank masks, networks of exchanges,
// reads of single lanes, and a computed index, with which lanes read or send.
func moveSequences(g *goal, isGCN3 bool) []sequence {
	s := &search{g: g, plain: math.MaxInt, read: math.MaxInt}
	for _, w := range g.want[:g.n] {
		s.keeps = s.keeps || w == keep
	}
	// The first use of an instruction set makes its dictionary, which takes longer than the search.
	if isGCN3 {
		s.isa, s.prices = api.GCN3, gcn3Prices()
		s.gcn3()
	} else {
		s.isa, s.prices = api.PTX, ptxPrices()
		s.ptx()
	}
	return s.out
}

// search collects the sequences for a goal.
type search struct {
	g      *goal
	isa    api.ISA
	d      *dictionary
	w      writer
	prices *prices
	keeps  bool
	plain  int // the least latency of the sequences without LDS
	read   int // the least latency of the exchanges by index that are known
	out    []sequence
}

func (s *search) add(q sequence) { s.out = append(s.out, q) }

// addPlain adds a sequence without LDS.
func (s *search) addPlain(q sequence) {
	s.add(q)
	s.plain = min(s.plain, latency(s.isa, q))
}

func (s *search) gcn3() {
	s.d = gcn3Dictionary(s.g.active)
	w := gcn3Writer{}
	for _, x := range amdgpu.GFX803.Exchanges() {
		switch x.Kind {
		case amdgpu.ExchangePull:
			w.pullName = x.Row.Name
		case amdgpu.ExchangePush:
			w.pushName = x.Row.Name
		case amdgpu.ExchangeRead:
			w.readName = x.Row.Name
		}
	}
	s.w = w
	if s.trivial() {
		return
	}
	s.readLanes(w)
	s.pulled()
	s.pushed(w)
	s.products()
	s.permutations()
	s.patched()
	if s.plain == math.MaxInt {
		s.networked()
	}
}

func (s *search) ptx() {
	s.d = ptxDictionary(s.g.active)
	w := ptxWriter{active: s.g.active}
	for _, x := range ptx.Shuffles(newestSM) {
		if x.Mode == lane.ShflIdx {
			w.pullName = x.Opcode
		}
	}
	s.w = w
	if s.trivial() {
		return
	}
	s.products()
	s.predicated()
	s.pulled()
}

// trivial adds the copy, or nothing at all, if no lane reads another one. If no lane reads any, it
// adds the zeros, and the search goes on.
func (s *search) trivial() bool {
	own, none, reads := true, true, false
	var zeroes lane.Mask
	for i, w := range s.g.want[:s.g.n] {
		own = own && (w == int8(i) || w == free)
		none = none && (w == keep || w == free)
		reads = reads || w >= 0
		if w == zero {
			zeroes |= lane.Lane(i)
		}
	}
	switch {
	case none:
		s.add(sequence{how: "nothing to do"})
	case own:
		s.add(sequence{how: "a copy", code: []string{s.w.move(s.w.reg(1), s.w.reg(0))}})
	case !reads && s.keeps:
		s.addPlain(sequence{how: "zeros in some lanes", code: s.w.choose(s.w.reg(1), s.w.reg(1), "0", zeroes)})
	case !reads:
		s.addPlain(sequence{how: "zeros", code: []string{s.w.move(s.w.reg(1), "0")}})
	}
	return none || own
}

// products adds products of up to three moves.
func (s *search) products() {
	if s.keeps {
		return
	}
	p := newProducts(s.d)
	want := s.g.want
	long := mostMoves
	if s.isa == api.PTX {
		long = 2 // a read by index with a table is cheaper than three shuffles
	}
	for _, q := range s.prices.shapes(long) {
		most := p.least()
		if len(q.kinds) > 2 {
			most = min(most, s.read)
		}
		if q.latency < most {
			p.shape(&want, q)
		}
	}
	for _, list := range p.best {
		if list != nil {
			s.add(s.product(list))
		}
	}
	s.plain = min(s.plain, p.latency[0])
}

// product writes a product of moves.
func (s *search) product(list []int) sequence {
	q := sequence{how: []string{"one move", "a product of two moves", "a product of three moves"}[min(len(list), 3)-1]}
	if len(list) > 3 {
		q.how = fmt.Sprintf("a product of %d moves", len(list))
	}
	src := s.w.reg(0)
	for _, k := range list {
		q.code = append(q.code, s.line(&s.d.moves[k], s.w.reg(1), src))
		src = s.w.reg(1)
	}
	return q
}

func (s *search) line(m *move, dst, src string) string {
	t := m.text(dst, src)
	if s.d.n == lane.WarpLanes {
		t += ";"
	}
	return t
}

// permutations adds a product of more than three moves without LDS if that may be cheaper.
func (s *search) permutations() {
	want, ok := periodicOf(&s.g.want)
	if !ok || s.plain <= s.prices.of(kindDPP, kindDPP, kindDPP, kindDPP) {
		return
	}
	list := gcn3Permutations().find(&s.g.want)
	if list == nil && want.crossings() <= 8 && s.plain == math.MaxInt {
		list = gcn3LongPermutations().find(&s.g.want)
	}
	if len(list) > 3 {
		s.addPlain(s.product(list))
	}
}

// Bounds of the search by patches.
const (
	mostPatches = 6
	patchWork   = 1 << 17 // of a moved source
)

// patched adds DPP moves with row and bank masks: of the source, on the old result; of the source, on
// the result of one move of all lanes; and of a moved source.
func (s *search) patched() {
	if s.plain <= s.prices.of(kindDPP) {
		return
	}
	want := s.g.want
	var need lane.Mask
	for i, w := range want[:s.d.n] {
		if w != free && w != keep {
			need |= lane.Lane(i)
		}
	}
	var bases []patchBase
	if !s.keeps {
		bases = patchBases(s.d, &want, need)
	}
	l := makeLayers(s.d, &want, need)
	// The cheapest sequences without a base, with a base without LDS, and with one of LDS.
	var found [3]struct {
		list []patch
		base *move
	}
	cost := [3]int{math.MaxInt, math.MaxInt, math.MaxInt}
	stages := []*stage{{}}
	for n := 1; n <= mostPatches; n++ {
		stages = l.longer(stages)
		alone := s.prices.of(slices.Repeat([]kind{kindPatch}, n)...)
		for _, q := range stages {
			left := need &^ q.written
			if left == 0 && alone < cost[0] {
				found[0].list, cost[0] = l.patches(q), alone
			}
			for k := range bases {
				b := &bases[k]
				if left&^b.right != 0 {
					continue
				}
				c := 1 + btoi(b.kind == kindSwizzle)
				most := cost[c]
				if c == 1 {
					most = min(most, cost[0])
				}
				if price := s.prices.patched(b.kind, n); price < most {
					found[c].list, found[c].base, cost[c] = l.patches(q), b.move, price
				}
			}
		}
		longer := s.prices.of(slices.Repeat([]kind{kindPatch}, n+1)...)
		if plain := min(cost[0], cost[1]); longer > plain && s.prices.patched(kindCopy, n+1) >= plain {
			break // of two equal ones the one without a base is an answer
		}
	}
	for c, f := range found {
		how := "DPP moves with row and bank masks"
		if c > 0 {
			how = "a move of all lanes, then DPP moves with row and bank masks"
		}
		switch {
		case f.list == nil || c == 1 && cost[1] >= cost[0]:
		case c < 2:
			s.addPlain(s.patches(how, f.base, f.list))
		default:
			s.add(s.patches(how, f.base, f.list))
		}
	}
	if s.keeps {
		return
	}
	if s.plain > s.prices.of(kindDPP, kindDPP) { // a move, and a patch of its result
		s.movedPatches(need)
	}
}

// A patchBase is a move of all lanes whose result patches change, and the lanes that it gets right.
type patchBase struct {
	move  *move
	kind  kind
	right lane.Mask
}

// patchBases lists the moves that give some lanes a wanted value, but not all of them.
func patchBases(d *dictionary, want *lanes, need lane.Mask) []patchBase {
	var out []patchBase
	for k := range d.moves {
		b := patchBase{move: &d.moves[k], kind: d.moves[k].kind}
		for i, w := range want[:d.n] {
			if b.move.m[i] == w && need.Has(i) {
				b.right |= lane.Lane(i)
			}
		}
		if own(&b.move.m, d.n) {
			b.kind = kindCopy
		}
		if b.right != 0 && b.right != need {
			out = append(out, b)
		}
	}
	return out
}

// patches writes a cover.
func (s *search) patches(how string, base *move, list []patch) sequence {
	q := sequence{how: how}
	if base != nil {
		if own(&base.m, s.d.n) {
			q.code = append(q.code, s.w.move("v1", "v0"))
		} else {
			q.code = append(q.code, base.text("v1", "v0"))
		}
	}
	for _, p := range list {
		q.code = append(q.code, p.move.text("v1", "v0", p.rows, p.banks))
	}
	return q
}

// own reports whether each lane reads itself.
func own(m *lanes, n int) bool {
	for i, s := range m[:n] {
		if s != int8(i) {
			return false
		}
	}
	return true
}

// movedPatches adds a cover of a source that one DPP move has moved, if it needs at most two patches.
func (s *search) movedPatches(need lane.Mask) {
	for k := range s.d.moves[:s.d.plain] {
		m := &s.d.moves[k]
		if !m.m.bijective(s.d.n) || own(&m.m, s.d.n) {
			continue
		}
		var inverse lanes
		for i, j := range m.m[:s.d.n] {
			inverse[j] = int8(i)
		}
		want := s.g.want
		for i, w := range want[:s.d.n] {
			if w >= 0 {
				want[i] = inverse[w]
			}
		}
		work := patchWork
		if found := cover(patches(s.d, &want), need, 2, &work); found != nil {
			q := sequence{how: "a move, then DPP moves of its result with row and bank masks", code: []string{m.text("v2", "v0")}}
			for _, p := range found {
				q.code = append(q.code, p.move.text("v1", "v2", p.rows, p.banks))
			}
			s.add(q)
			return
		}
	}
}

// mostReads is the largest number of lanes that are read one by one.
const mostReads = 4

// readLanes adds reads of single lanes into SGPRs, if the goal has few sources.
func (s *search) readLanes(w gcn3Writer) {
	var order []int8
	readers := map[int8]lane.Mask{}
	for i, r := range s.g.want[:s.d.n] {
		if r == keep {
			return
		}
		if r == free {
			continue
		}
		if readers[r] == 0 {
			order = append(order, r)
		}
		readers[r] |= lane.Lane(i)
	}
	if len(order) == 0 || len(order) > mostReads {
		return
	}
	q := sequence{how: "reads of single lanes"}
	for k, r := range order {
		value := "0"
		if r >= 0 {
			value = fmt.Sprintf("s%d", 4+k)
			q.code = append(q.code, fmt.Sprintf("%s %s, v0, %d", w.readName, value, r))
		}
		if k == 0 {
			q.code = append(q.code, w.move("v1", value))
			continue
		}
		q.code = append(q.code, w.move("v2", value))
		q.code = append(q.code, w.choose("v1", "v1", "v2", readers[r])...)
	}
	s.addPlain(q)
}

// predicated adds a shuffle whose lanes out of range get zero or keep their value.
func (s *search) predicated() {
	for k := range s.d.predicated {
		m := &s.d.predicated[k]
		fill, fits := free, true
		for i, r := range s.g.want[:s.d.n] {
			switch {
			case r == free || !s.g.active.Has(i):
			case m.pred.Has(i):
				fits = fits && m.m[i] == r
			case r == zero || r == keep:
				fits = fits && (fill == free || fill == r)
				fill = r
			default:
				fits = false
			}
			if !fits {
				break
			}
		}
		if !fits || fill == free {
			continue
		}
		q := sequence{how: "a shuffle, and its predicate"}
		if fill == zero {
			q.code = []string{m.op + " %r1|%p1, %r0" + m.controls + ";", "selp.b32 %r1, %r1, 0, %p1;"}
		} else {
			q.code = []string{m.op + " %r2|%p1, %r0" + m.controls + ";", "selp.b32 %r1, %r2, %r1, %p1;"}
		}
		s.add(q)
		return
	}
}

// reads returns the formulas of reads by index. On PTX a lane must not read one that is not active,
// whatever the goal lets it get: these formulas are left out, and in the table these lanes read
// themselves.
func (s *search) reads() []*index {
	list := indexes(&s.g.want, s.d.n)
	if s.isa != api.PTX || s.g.active == lane.All(s.d.n) || len(list) == 0 {
		return list
	}
	all := s.g.want
	for i, w := range all[:s.d.n] {
		if w < 0 && s.g.active.Has(i) {
			all[i] = int8(i)
		}
	}
	tables := indexes(&all, s.d.n)
	list[len(list)-1] = tables[len(tables)-1]
	return slices.DeleteFunc(list, func(x *index) bool {
		for i := range s.d.n {
			if s.g.active.Has(i) && !s.g.active.Has(x.source(i, s.d.n)) {
				return true
			}
		}
		return false
	})
}

// pulled adds reads with a computed index: for each formula that fits the one.
func (s *search) pulled() {
	var zeroes, keeps lane.Mask
	for i, w := range s.g.want[:s.d.n] {
		switch w {
		case zero:
			zeroes |= lane.Lane(i)
		case keep:
			keeps |= lane.Lane(i)
		}
		if w >= 0 && !s.g.active.Has(int(w)) {
			return // a lane that is not active has sent nothing
		}
	}
	for _, x := range s.reads() {
		code, operand, setup := s.w.index(x, !s.keeps)
		dst, offset := s.w.reg(1), x.offset
		switch {
		case s.keeps && s.d.n == lane.WarpLanes:
			dst = s.w.reg(7)
		case s.keeps:
			dst = operand
		}
		q := sequence{how: "a read by index: " + x.how, code: code, setup: setup}
		q.code = append(q.code, s.w.pull(dst, s.w.reg(0), operand, offset))
		if zeroes != 0 {
			q.code = append(q.code, s.w.choose(dst, dst, "0", zeroes)...)
		}
		if keeps != 0 {
			q.code = append(q.code, s.w.choose(s.w.reg(1), dst, s.w.reg(1), keeps)...)
		}
		s.add(q)
		s.read = min(s.read, latency(s.isa, q))
	}
}
