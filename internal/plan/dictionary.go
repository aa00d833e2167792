package plan

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/lane"
	"example.org/crosslane/ptx"
)

// A move is one instruction that moves a register between lanes, with its controls.
type move struct {
	op, controls string // "v_mov_b32_dpp", " row_shr:1 row_mask:0xf …": registers stand between them
	m            lanes
	kind         kind
	pred         lane.Mask
}

// text writes the move.
func (m *move) text(dst, src string) string { return m.op + " " + dst + ", " + src + m.controls }

// A dictionary holds all different maps of the moves of a target, in the order of their kinds.
type dictionary struct {
	n     int
	moves []move
	index [][]uint64        // by lane and source: the moves with it, as bits
	plain int               // the number of moves without LDS, which come first
	first [kindCopy + 1]int // by kind: the number of moves of the kinds before it
	dpp   []dppMove         // DPP moves that may leave lanes alone
	// predicated holds the PTX shuffles with lanes that are out of range, and their predicate.
	predicated []move
}

// A dppMove is a DPP control whose lanes without a source get zero or keep.
type dppMove struct {
	op, controls string
	m            lanes
	bound        bool // bound_ctrl makes these lanes zero
}

// text writes the move for the rows and banks of two masks.
func (m *dppMove) text(dst, src string, rows, banks int) string {
	s := m.op + " " + dst + ", " + src + m.controls + dppMasks(rows, banks)
	if m.bound {
		s += " bound_ctrl:0"
	}
	return s
}

// Moves that change every lane of full waves are the same for all goals.
var (
	fullGCN3 = sync.OnceValue(func() *dictionary { return makeGCN3(lane.All(lane.WavefrontLanes)) })
	fullPTX  = sync.OnceValue(func() *dictionary { return makePTX(ptx.Shuffles(newestSM), lane.All(lane.WarpLanes)) })
)

// newestSM is greater than the number of every target: the shuffles are the same since sm_30.
const newestSM = 1 << 15

// gcn3Dictionary returns the moves of gfx803 for a set of active lanes.
func gcn3Dictionary(active lane.Mask) *dictionary {
	if active == lane.All(lane.WavefrontLanes) {
		return fullGCN3()
	}
	return makeGCN3(active)
}

// ptxDictionary is gcn3Dictionary for PTX.
func ptxDictionary(active lane.Mask) *dictionary {
	if active == lane.All(lane.WarpLanes) {
		return fullPTX()
	}
	return makePTX(ptx.Shuffles(newestSM), active)
}

// sources converts a map. Lanes that it leaves alone are lost: they hold nothing that a following
// move could read.
func sources(m *lane.Map) (s lanes) {
	for i := range s {
		s[i] = free
	}
	for i := range m.Lanes {
		j, reads := m.Src[i].Lane()
		switch {
		case m.Undef.Has(i):
			s[i] = lost
		case reads:
			s[i] = int8(j)
		case m.Src[i] == lane.Zero:
			s[i] = zero
		default:
			s[i] = keep
		}
	}
	return s
}

// makeGCN3 asks the rows that move lanes for their maps.
func makeGCN3(active lane.Mask) *dictionary {
	d := &dictionary{n: lane.WavefrontLanes}
	seen := map[lanes]int{}
	for _, x := range amdgpu.GFX803.Exchanges() {
		switch x.Kind {
		case amdgpu.ExchangeDPP:
			op := x.Row.Name + "_dpp"
			for c := range lane.DPPCtrl(0x200) {
				if !c.Valid() {
					continue
				}
				head := " " + c.String()
				fills, _ := lane.DPP(c, 15, 15, true, active)
				keeps, _ := lane.DPP(c, 15, 15, false, active)
				d.add(seen, move{op: op, controls: head + dppMasks(15, 15) + " bound_ctrl:0", m: sources(&fills), kind: kindDPP})
				d.dpp = append(d.dpp, dppMove{op, head, sources(&keeps), false})
				if keeps != fills {
					d.dpp = append(d.dpp, dppMove{op, head, sources(&fills), true})
				}
			}
		case amdgpu.ExchangeSwizzle:
			for p := range 1 << 16 {
				if p>>15 != 0 && p&0x7f00 != 0 {
					continue // the same as without these bits
				}
				m := lane.DSSwizzle(uint16(p), active)
				if src := sources(&m); d.has(seen, src, kindSwizzle) {
					continue
				}
				d.add(seen, move{op: x.Row.Name, controls: " offset:" + lane.SwizzlePattern(p).String(), m: sources(&m), kind: kindSwizzle})
			}
		}
	}
	d.finish()
	return d
}

// dppMasks writes the masks of the rows and banks that are enabled.
func dppMasks(rows, banks int) string {
	return fmt.Sprintf(" row_mask:%#x bank_mask:%#x", rows, banks)
}

// makePTX asks the shuffles for their maps with constant operands b and c.
func makePTX(list []ptx.Shuffle, active lane.Mask) *dictionary {
	d := &dictionary{n: lane.WarpLanes}
	seen := map[lanes]int{}
	type key struct {
		m    lanes
		pred lane.Mask
	}
	predicated := map[key]bool{}
	for _, s := range list {
		// Clamps and segments of CUDA come first, so that they are chosen for equal maps.
		first := uint32(0)
		if s.Mode != lane.ShflUp {
			first = 31
		}
		for clamp := range uint32(32) {
			for segment := range uint32(32) {
				for b := range uint32(32) {
					c := segment<<8 | clamp ^ first
					m, pred := lane.Shfl(s.Mode, b, c, active)
					if m.Undef&active != 0 {
						continue // a lane reads one that is not active, which is a finding
					}
					src := sources(&m)
					k := key{src, pred}
					if d.has(seen, src, kindShuffle) && (pred == active || predicated[k]) {
						continue
					}
					mv := move{op: s.Opcode, controls: fmt.Sprintf(", %d, %#x, %#x", b, c, uint32(active)), m: src, kind: kindShuffle, pred: pred}
					d.add(seen, mv)
					if pred != active && !predicated[k] {
						predicated[k] = true
						d.predicated = append(d.predicated, mv)
					}
				}
			}
		}
	}
	d.finish()
	return d
}

// has reports whether a map is known at no higher cost.
func (d *dictionary) has(seen map[lanes]int, m lanes, k kind) bool {
	for i := range m {
		if m[i] == keep {
			m[i] = lost
		}
	}
	i, ok := seen[m]
	return ok && d.moves[i].kind <= k
}

// add adds a move if its map is new or if it is cheaper.
func (d *dictionary) add(seen map[lanes]int, m move) {
	for i := range m.m {
		if m.m[i] == keep {
			m.m[i] = lost
		}
	}
	if i, ok := seen[m.m]; !ok {
		seen[m.m] = len(d.moves)
		d.moves = append(d.moves, m)
	} else if m.kind < d.moves[i].kind {
		d.moves[i] = m
	}
}

// finish sorts the moves and makes the index.
func (d *dictionary) finish() {
	slices.SortStableFunc(d.moves, func(a, b move) int { return cmp.Compare(a.kind, b.kind) })
	d.plain = len(d.moves)
	d.index = make([][]uint64, d.n*indexWidth)
	size := (len(d.moves) + 63) / 64
	all := make([]uint64, len(d.index)*size)
	for i := range d.index {
		d.index[i], all = all[:size:size], all[size:]
	}
	for k := range d.moves {
		for next := d.moves[k].kind + 1; next <= kindCopy; next++ {
			d.first[next]++
		}
		if d.moves[k].kind == kindSwizzle {
			d.plain = min(d.plain, k)
		}
		for i, s := range d.moves[k].m[:d.n] {
			if s == lost || s == free {
				continue
			}
			d.index[i*indexWidth+int(s+1)][k/64] |= 1 << (k % 64)
		}
	}
}

// indexWidth is the number of sources: zero and the lanes.
const indexWidth = 65

// bounds returns the first move of a kind, and the first one after them.
func (d *dictionary) bounds(k kind) (from, to int) { return d.first[k], d.first[k+1] }

// find returns the first of the moves of a kind that have the sources which want names; -1: none.
// scratch has the length of a list of the index.
func (d *dictionary) find(want *lanes, which kind, scratch []uint64) int {
	from, to := d.bounds(which)
	if from == to {
		return -1
	}
	low, size := from/64, (to+63)/64
	began := false
	for i, s := range want[:d.n] {
		switch {
		case s == free:
			continue
		case s < zero:
			return -1
		}
		list := d.index[i*indexWidth+int(s+1)]
		if !began {
			copy(scratch[low:size], list[low:size])
			scratch[low] &= ^uint64(0) << (from % 64)
			began = true
			continue
		}
		var left uint64
		for k := low; k < size; k++ {
			scratch[k] &= list[k]
			left |= scratch[k]
		}
		if left == 0 {
			return -1
		}
	}
	if !began {
		return from
	}
	for k := low; k < size; k++ {
		if x := scratch[k]; x != 0 {
			if i := k*64 + bits.TrailingZeros64(x); i < to {
				return i
			}
			return -1
		}
	}
	return -1
}

// bijective reports whether every lane is read once.
func (m *lanes) bijective(n int) bool {
	var seen uint64
	for _, s := range m[:n] {
		if s < 0 {
			return false
		}
		seen |= 1 << s
	}
	return bits.OnesCount64(seen) == n
}

// String writes the sources as readList reads them.
func (m *lanes) text(n int) []string {
	out := make([]string, n)
	for i, s := range m[:n] {
		out[i] = strconv.Itoa(int(s))
		if s < 0 {
			out[i] = sourceText(s)
		}
	}
	return out
}
