// Package mask is the divergence analysis: it computes where lanes of a wave may wait while
// other lanes run, and which writes must not change the waiting lanes.
//
// Input: a function in webs, and an oracle for uniform webs (package shape).
// Output: for each block the places where lanes may wait while it runs (Pend, Parked); for
// each operation whether it needs the mask of the running lanes (NeedMask).
// Invariant: the result is an upper bound: a wave of a launch in layout order is never in a
// state that is not among the pairs.
// Example: b0 branches to b1 or b2, which both go to b3. While b1 runs, lanes may wait at b2:
// the pair (1, 2). Then they may wait at b2 while the rest waits at b3: (2, 3). A write in b1 of
// a web that is live into b2 needs a mask.
//
// Lanes that diverge at a branch wait at different places. The lowest block in layout order
// runs first, and lanes that reach the same place go on together (package sim). While lanes
// run block b, the rest may be at the places Pend(b), all of which come after b, or parked at
// the rendezvous and barriers of Parked(b). A write for all lanes does harm only if its web
// is live at one of these places. Only then it needs the mask of the running lanes.
//
// The analysis follows pairs of places at which lanes may be at the same time. Pairs appear
// at divergent branches. The lower block of a pair moves on to its successors; parked lanes
// may be released at any time. Three places may all be pairs, and still never be occupied
// together.
//
// Lanes that are deferred (package sim sometimes lets higher places run first) are not
// followed. Before machine code is entered, Together checks whether the places of the wave's
// lanes are a state that the analysis has followed.
//
// Literature: Karrenberg and Hack, Whole-function vectorization (CGO 2011).
package mask

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
)

// maxMatrix and maxPairs bound the work. A function with more places than the matrix holds
// keeps its pairs in a map; a function with more pairs has Overflow.
const (
	maxMatrix = 1 << 22
	maxPairs  = 1 << 18
)

// Pairs holds the pairs of places at which lanes may be at the same time. It holds no
// reference to the function.
type Pairs struct {
	// Overflow reports that there are too many pairs: lanes may be anywhere at any time.
	Overflow bool

	parks  []int32  // by block: the place of lanes that are parked at its end; 0: none are
	matrix []uint64 // one bit per pair of places
	words  int
	large  map[[2]int32]struct{} // used instead of the matrix
}

// Size returns the approximate number of bytes of the pairs.
func (m *Pairs) Size() int { return 4*len(m.parks) + 8*len(m.matrix) + 16*len(m.large) }

// Masks holds the results for a function. They grow with each Update.
type Masks struct {
	Pairs

	fn     *webs.Func
	n      int     // number of blocks; they are the places 0 to n-1
	parkAt []int32 // by place minus n: the block at the end of which lanes are parked

	divergent []bool // lanes may go from the block to different successors
	partial   []bool // some lanes may wait at its end while the rest goes on
	exits     []bool // some lanes may exit at its end while the rest goes on

	pairs int
	most  int // the limit of pairs
	todo  [][2]int32

	pend  [][]int32 // by block: the later blocks that form a pair with it; sorted
	park  [][]int32 // by block: the blocks at the end of which lanes may be parked; sorted
	dirty []bool    // by block: pend or park has changed since findNeeds
	waits []bool    // by block: lanes may wait at its start

	need  []uint64 // bits, by instruction: it needs a mask
	stamp []int32  // by web: equals mark if the web is in the current set
	mark  int32
	live  *webs.Set

	notFull []bool // by block: lanes may have exited before it
}

// New returns the masks under the assumption that lanes never diverge.
func New(fn *webs.Func) *Masks {
	n := len(fn.IR.Blocks)
	m := &Masks{fn: fn, n: n, need: make([]uint64, (len(fn.Ops)+63)/64), most: fn.Geom.Limit(webs.Pairs, maxPairs, 4)}
	flags := make([]bool, 5*n)
	m.divergent, m.partial, m.exits = flags[:n:n], flags[n:2*n:2*n], flags[2*n:3*n:3*n]
	m.dirty, m.waits = flags[3*n:4*n:4*n], flags[4*n:]
	m.pend, m.park = make([][]int32, n), make([][]int32, n)
	m.parks = make([]int32, n)
	// With EXEC all lanes run as one fragment, so there are no pairs.
	if fn.IR.Exec != 0 {
		return m
	}
	for b := range n {
		if mayWait(m.last(b).Op) {
			m.parks[b] = int32(n + len(m.parkAt))
			m.parkAt = append(m.parkAt, int32(b))
		}
	}
	places := n + len(m.parkAt)
	m.words = (places + 63) / 64
	if places*m.words*64 <= fn.Geom.Limit(webs.PairMatrix, maxMatrix, 0) {
		m.matrix = make([]uint64, places*m.words)
	} else {
		m.large = map[[2]int32]struct{}{}
	}
	return m
}

// Analyze is New and one Update. uniform reports whether a web is equal in all lanes.
func Analyze(fn *webs.Func, uniform func(w webs.Web) bool) *Masks {
	m := New(fn)
	m.Update(uniform, func(int) {})
	return m
}

// mayWait reports whether lanes may be parked at an operation.
func mayWait(op ir.Op) bool { return op.Meets() || op == ir.Bar || op == ir.WaveBar }

// last returns the last instruction of a block.
func (m *Masks) last(b int) *ir.Inst { return &m.fn.IR.Code[m.fn.IR.Blocks[b].End-1] }

// Update takes into account that fewer webs may be uniform than before. It calls masked for
// each instruction that newly needs a mask, and reports whether anything has changed.
func (m *Masks) Update(uniform func(w webs.Web) bool, masked func(i int)) bool {
	if m.fn.IR.Exec != 0 {
		return false
	}
	is := func(w webs.Web) bool { return w == 0 || uniform(w) }
	before := m.pairs
	changed := false
	for b := range m.n {
		end := m.fn.IR.Blocks[b].End - 1
		in, o := &m.fn.IR.Code[end], &m.fn.Ops[end]
		switch {
		case in.Op == ir.Bra || in.Op == ir.BraTable:
			if m.divergent[b] || is(o.Guard) && (in.Op == ir.Bra || is(o.Args[0])) {
				continue
			}
			m.divergent[b], changed = true, true
			succs := m.fn.Succs[b]
			for i, s := range succs {
				for _, t := range succs[:i] {
					m.add(s, t)
				}
				if m.Overflow {
					break
				}
			}
		case in.Op == ir.Exit:
			if !m.exits[b] && !is(o.Guard) {
				m.exits[b], changed = true, true
			}
		case mayWait(in.Op):
			if m.partial[b] || is(o.Guard) && is(o.Args[0]) && is(o.Args[1]) && is(o.Args[3]) ||
				is(o.Guard) && is(o.Args[3]) && in.Op.Meets() {
				continue
			}
			m.partial[b], changed = true, true
			m.dirty[b] = true
			m.add(m.parks[b], int32(b+1))
		}
	}
	if !changed {
		return false
	}
	m.close()
	if m.Overflow {
		m.giveUp(masked)
		return true
	}
	if m.pairs != before {
		m.lists()
	}
	for b := range m.n {
		if m.dirty[b] {
			m.dirty[b] = false
			m.findNeeds(b, masked)
		}
	}
	m.notFull = nil
	return true
}

// add records that lanes may be at two places at the same time, and puts a new pair on the
// work list.
func (m *Masks) add(x, y int32) {
	if x == y || m.Overflow {
		return
	}
	if x > y {
		x, y = y, x
	}
	if m.matrix != nil {
		w, bit := &m.matrix[int(x)*m.words+int(y>>6)], uint64(1)<<(uint(y)&63)
		if *w&bit != 0 {
			return
		}
		*w |= bit
	} else {
		k := [2]int32{x, y}
		if _, ok := m.large[k]; ok {
			return
		}
		m.large[k] = struct{}{}
	}
	if m.pairs++; m.pairs > m.most {
		m.Overflow = true
		return
	}
	m.todo = append(m.todo, [2]int32{x, y})
}

// has reports whether lanes may be at two different places at the same time.
func (m *Pairs) has(x, y int32) bool {
	if x > y {
		x, y = y, x
	}
	if m.matrix != nil {
		return m.matrix[int(x)*m.words+int(y>>6)]>>(uint(y)&63)&1 != 0
	}
	_, ok := m.large[[2]int32{x, y}]
	return ok
}

// close follows pairs to their successors until there are no new ones.
func (m *Masks) close() {
	n := int32(m.n)
	for len(m.todo) > 0 && !m.Overflow {
		p := m.todo[len(m.todo)-1]
		m.todo = m.todo[:len(m.todo)-1]
		x, y := p[0], p[1] // x < y; the numbers of parked places are above all blocks
		m.note(x, y)
		m.move(x, y)
		if y >= n {
			m.move(y, x)
		}
	}
	m.todo = nil
}

// move adds the pairs that arise if the lanes at x go on while other lanes stay at y.
func (m *Masks) move(x, y int32) {
	if int(x) >= m.n {
		m.add(m.parkAt[int(x)-m.n]+1, y)
		return
	}
	for _, s := range m.fn.Succs[x] {
		m.add(s, y)
	}
	if p := m.parks[x]; p != 0 {
		m.add(p, y)
	}
}

// note enters a pair into the lists of the block that runs.
func (m *Masks) note(x, y int32) {
	if int(x) >= m.n {
		return
	}
	m.dirty[x] = true
	if int(y) < m.n {
		m.pend[x] = append(m.pend[x], y)
		m.waits[y] = true
	} else {
		m.park[x] = append(m.park[x], m.parkAt[int(y)-m.n])
	}
}

// lists sorts the lists that have changed.
func (m *Masks) lists() {
	for b := range m.n {
		if m.dirty[b] {
			slices.Sort(m.pend[b])
			slices.Sort(m.park[b])
		}
	}
}

// giveUp treats every place as possible.
func (m *Masks) giveUp(masked func(i int)) {
	m.matrix, m.large, m.todo = nil, nil, nil
	for b := range m.n {
		m.pend[b], m.park[b], m.waits[b] = nil, nil, true
	}
	for i := range m.fn.Ops {
		if m.writes(i) && !m.NeedMask(i) {
			m.setNeed(i, masked)
		}
	}
}

// writes reports whether an instruction has results.
func (m *Masks) writes(i int) bool {
	o := &m.fn.Ops[i]
	return o.Dst != 0 || o.Dst2 != 0 || o.Ext != 0
}

// setNeed marks an instruction that needs a mask.
func (m *Masks) setNeed(i int, masked func(i int)) {
	m.need[i>>6] |= 1 << (uint(i) & 63)
	masked(i)
}

// findNeeds finds the instructions of a block that must not change lanes that wait elsewhere:
// their results are live where these lanes wait.
func (m *Masks) findNeeds(b int, masked func(i int)) {
	if len(m.pend[b])+len(m.park[b]) == 0 && !m.partial[b] {
		return
	}
	if m.stamp == nil {
		m.stamp = make([]int32, len(m.fn.Webs))
	}
	m.mark++
	for _, p := range m.pend[b] {
		m.liveAt(m.fn.LiveIn[p])
	}
	for _, p := range m.park[b] {
		m.liveParked(int(p))
	}
	blk := m.fn.IR.Blocks[b]
	for i := blk.Start; i < blk.End; i++ {
		// The last operation itself may run while some lanes are parked at it, or have gone
		// on.
		if i == blk.End-1 && m.partial[b] {
			m.liveParked(b)
			m.liveAt(m.fn.LiveIn[b+1])
		}
		if !m.NeedMask(i) && m.harms(i) {
			m.setNeed(i, masked)
		}
	}
}

// liveAt marks the webs of a list.
func (m *Masks) liveAt(l []webs.Web) {
	for _, w := range l {
		m.stamp[w] = m.mark
	}
}

// liveParked marks the webs that lanes need which are parked at the end of a block.
func (m *Masks) liveParked(b int) {
	if m.live == nil {
		m.live = m.fn.NewSet()
	}
	m.live.Fill(m.fn.LiveOut[b])
	m.fn.Before(m.fn.IR.Blocks[b].End-1, m.live)
	for w := range m.live.All {
		m.stamp[w] = m.mark
	}
}

// harms reports whether an instruction writes a marked web.
func (m *Masks) harms(i int) bool {
	o := &m.fn.Ops[i]
	if m.seen(o.Dst) || m.seen(o.Dst2) {
		return true
	}
	if o.Ext != 0 {
		for _, w := range m.fn.Ext[o.Ext-1].Defs {
			if m.seen(w) {
				return true
			}
		}
	}
	return false
}

// seen reports whether a web is live at a marked place. Aliased webs of registers always are.
func (m *Masks) seen(w webs.Web) bool {
	if w == 0 || m.fn.Value(w).Scalar {
		return false
	}
	return m.stamp[w] == m.mark || m.fn.Has(w, webs.Aliased) && !m.fn.Has(w, webs.Temporary)
}

// NeedMask reports whether the results of an instruction must be written only for the running
// lanes. If not, they may be written for all lanes, or for all lanes within its guard.
func (m *Masks) NeedMask(i int) bool { return m.need[i>>6]>>(uint(i)&63)&1 != 0 }

// Divergent reports whether the lanes of a block may go to different successors.
func (m *Masks) Divergent(b int) bool { return m.divergent[b] }

// MaybePend reports whether lanes may wait at the start of a block.
func (m *Masks) MaybePend(b int) bool { return m.waits[b] }

// Pend returns the blocks, in ascending order, at whose start lanes may wait while other
// lanes run block b. It is not valid after an Overflow.
func (m *Masks) Pend(b int) []int32 { return m.pend[b] }

// Parked returns the blocks, in ascending order, at whose end lanes may wait, at a rendezvous
// or a barrier, while other lanes run block b.
func (m *Masks) Parked(b int) []int32 { return m.park[b] }

// Alone reports whether all lanes that have not exited run block b together.
func (m *Masks) Alone(b int) bool {
	return !m.Overflow && len(m.pend[b])+len(m.park[b]) == 0
}

// Full reports whether all lanes of the wave run block b: the number of lanes of the grid's
// block is a multiple of the wave's, no lane has exited, and none waits elsewhere.
func (m *Masks) Full(b int) bool {
	if m.fn.IR.Exec != 0 {
		return true // EXEC selects the lanes
	}
	if !m.Alone(b) {
		return false
	}
	gone := m.Gone()
	return gone != nil && !gone[b]
}

// Gone reports by block whether lanes may have exited before it runs, if fragments run in
// layout order. Code relies on the blocks for which it reports false, so a wave in which
// lanes have exited there must not enter the code. It is nil if no code relies on it: see
// Full.
func (m *Masks) Gone() []bool {
	g := &m.fn.Geom
	lanes := uint64(g.Block[0]) * uint64(g.Block[1]) * uint64(g.Block[2])
	if m.fn.IR.Exec != 0 || lanes == 0 || lanes%uint64(g.Lanes) != 0 {
		return nil
	}
	if m.notFull == nil {
		m.findExits()
	}
	return m.notFull
}

// findExits follows the lanes that go on after other lanes have exited.
func (m *Masks) findExits() {
	m.notFull = make([]bool, m.n)
	var todo []int32
	reach := func(b int32) {
		if !m.notFull[b] {
			m.notFull[b] = true
			todo = append(todo, b)
		}
	}
	for b := range m.n {
		if m.last(b).Op != ir.Exit || m.Alone(b) && !m.exits[b] {
			continue
		}
		for _, s := range m.fn.Succs[b] {
			reach(s)
		}
		for _, p := range m.pend[b] {
			reach(p)
		}
		for _, p := range m.park[b] {
			reach(p + 1)
		}
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, s := range m.fn.Succs[b] {
			reach(s)
		}
	}
}

// Together reports whether the analysis has followed this state: lanes run block b, wait at
// the start of the blocks pend, and are parked at the end of the blocks parked.
func (m *Pairs) Together(b int, pend, parked []int) bool {
	if m.Overflow {
		return false
	}
	places := []int32{int32(b)}
	for _, p := range pend {
		places = append(places, int32(p))
	}
	for _, p := range parked {
		if m.parks[p] == 0 {
			return false
		}
		places = append(places, m.parks[p])
	}
	for i, x := range places {
		for _, y := range places[:i] {
			if x != y && (m.words == 0 || !m.has(x, y)) {
				return false
			}
		}
	}
	return true
}

// Describe returns the results for a block as text, for printing.
func (m *Masks) Describe(b int) string {
	var s []string
	if m.Overflow {
		s = append(s, "overflow")
	}
	if len(m.pend[b]) > 0 {
		s = append(s, fmt.Sprint("pend=", m.pend[b]))
	}
	if len(m.park[b]) > 0 {
		s = append(s, fmt.Sprint("parked=", m.park[b]))
	}
	if m.divergent[b] {
		s = append(s, "divergent")
	}
	if m.Full(b) && m.fn.IR.Exec == 0 {
		s = append(s, "full")
	}
	return strings.Join(s, " ")
}
