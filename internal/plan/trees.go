package plan

import (
	"math/bits"
	"slices"
	"strings"
	"sync"

	"example.org/crosslane/lane"
)

// A treeStep combines the value of each lane with a moved one: the new value is moved·own if left is
// set, and own·moved if not. Lanes without a source keep their own value.
type treeStep struct {
	m        lanes // keep: not combined
	left     bool
	op       string // of the move
	controls string
	dpp      bool // the modifier folds into the operation
	pred     bool // a predicate tells the lanes with a source
	cost     int
	lds      bool
}

// treeMoves lists the moves that a step may use: for gfx803 DPP controls and swizzles, for PTX the
// shuffles of the whole warp, as CUDA's without a width. In a scan a predicate keeps lanes without a
// source out.
func treeMoves(d *dictionary, scan bool) (out []treeStep) {
	if d.n == lane.WarpLanes {
		list := d.moves
		if scan {
			list = d.predicated
		}
		for k := range list {
			m := &list[k]
			if !strings.HasSuffix(m.controls, ", 0x0, 0xffffffff") && !strings.HasSuffix(m.controls, ", 0x1f, 0xffffffff") {
				continue
			}
			t := treeStep{m: m.m, op: m.op, controls: m.controls, cost: latencyShared + latencySimple, pred: scan}
			for i := range t.m[:d.n] {
				if scan && !m.pred.Has(i) {
					t.m[i] = keep
				}
			}
			out = append(out, t)
		}
		return out
	}
	for k := range d.dpp {
		if m := &d.dpp[k]; !m.bound {
			out = append(out, treeStep{m: m.m, op: m.op, controls: m.controls + dppMasks(15, 15), dpp: true, cost: gcn3Prices().of(kindDPP)})
		}
	}
	for k := d.plain; k < len(d.moves); k++ {
		m := &d.moves[k]
		out = append(out, treeStep{m: m.m, op: m.op, controls: m.controls, cost: gcn3Prices().of(kindSwizzle) + cyclesVALU, lds: true})
	}
	return out
}

// A tree is a way to reduce a wave: its steps, and the lanes that hold the result.
type tree struct {
	steps   []treeStep
	holders lane.Mask
	cost    int
}

// reduceTree returns the cheapest steps that reduce the lanes in log2(n) steps. After step k some
// lanes of every aligned block of 2^k lanes hold the combination of the block in the order of the
// lanes. States are compared by the set of these lanes; one that another state contains at no higher
// cost is dropped, so that the search is complete for reductions of aligned blocks.
//
// ordered keeps the order of the lanes, as an operation needs that does not commute. Otherwise the
// sides may be exchanged. onlyLeft is for instructions whose moved operand has to be the left one.
func reduceTree(moves []treeStep, n int, ordered, onlyLeft, lds bool, finish int) *tree {
	states := []tree{{holders: lane.All(n)}}
	for size := 1; size < n; size *= 2 {
		var next []tree
		for s := range states {
			from := &states[s]
			for k := range moves {
				m := &moves[k]
				if m.lds && !lds {
					continue
				}
				var left, right lane.Mask
				for i := range n {
					j := m.m[i]
					if j < 0 || !from.holders.Has(i) || !from.holders.Has(int(j)) {
						continue
					}
					switch int(j)/size ^ i/size {
					case 1:
						if int(j) < i {
							left |= lane.Lane(i)
						} else {
							right |= lane.Lane(i)
						}
					}
				}
				options := []lane.Mask{left | right}
				if ordered {
					options = []lane.Mask{left, right}
					if onlyLeft && m.dpp {
						options = options[:1]
					}
				}
				for o, h := range options {
					if !everyBlock(h, 2*size, n) {
						continue
					}
					step := *m
					step.left = o == 0
					next = keepBest(next, tree{append(slices.Clone(from.steps), step), h, from.cost + m.cost})
				}
			}
		}
		states = next
	}
	var best *tree
	for i := range states {
		t := &states[i]
		if t.holders != lane.All(n) {
			t.cost += finish
		}
		if best == nil || t.cost < best.cost {
			best = t
		}
	}
	return best
}

// everyBlock reports whether each aligned block of size lanes has one of the mask.
func everyBlock(m lane.Mask, size, n int) bool {
	if m == 0 {
		return false
	}
	for at := 0; at < n; at += size {
		if m&(lane.All(size)<<at) == 0 {
			return false
		}
	}
	return true
}

// keepBest adds a tree unless another one is as good, and drops those that it makes useless.
func keepBest(list []tree, t tree) []tree {
	for i := range list {
		if list[i].cost <= t.cost && t.holders&^list[i].holders == 0 {
			return list
		}
	}
	list = slices.DeleteFunc(list, func(o tree) bool { return t.cost <= o.cost && o.holders&^t.holders == 0 })
	return append(list, t)
}

// scanSteps returns the steps of an inclusive scan, nil if there are none within one step more than
// the least number, log2(n). Lane i holds the combination of lanes low[i] to i; a step is right in a
// lane if it reads the lane below low[i]. DPP masks exclude the other lanes.
func scanSteps(moves []treeStep, n int) []treeStep {
	var low [64]int8
	for i := range low {
		low[i] = int8(i)
	}
	least := bits.Len(uint(n - 1))
	for depth := least; depth <= least+1; depth++ {
		if steps := scanFrom(moves, low, n, depth, map[scanState]bool{}); steps != nil {
			return steps
		}
	}
	return nil
}

// A scanState is the progress of a scan, and the steps that are left.
type scanState struct {
	low  [64]int8
	left int
}

// scanFrom returns the steps from a state to the end, nil if there are none. failed holds the states
// that have none.
func scanFrom(moves []treeStep, low [64]int8, n, left int, failed map[scanState]bool) []treeStep {
	if int(low[n-1]) == 0 && !slices.ContainsFunc(low[:n], func(l int8) bool { return l != 0 }) {
		return []treeStep{}
	}
	most := 0 // lanes that a lane holds
	for i := range n {
		most = max(most, i+1-int(low[i]))
	}
	for i := range n { // the rest of the steps adds at most this
		if int(low[i]) > most*(1<<left-1) {
			return nil
		}
	}
	type option struct {
		step treeStep
		low  [64]int8
		gain int
	}
	var options []option
	for k := range moves {
		m := &moves[k]
		if m.lds {
			continue
		}
		var good, wrong lane.Mask
		for i := range n {
			switch j := m.m[i]; {
			case j < 0:
			case j == low[i]-1:
				good |= lane.Lane(i)
			default:
				wrong |= lane.Lane(i)
			}
		}
		if good == 0 || wrong != 0 && !m.dpp {
			continue
		}
		masks := [][2]int{{15, 15}}
		if m.dpp {
			masks = masksWithout(good, wrong)
		}
		for _, mask := range masks {
			o := option{step: *m, low: low}
			o.step.left = true
			enabled := lane.All(n)
			if m.dpp {
				enabled = dppLanes()[mask[0]][mask[1]]
				o.step.controls = m.controls[:len(m.controls)-len(dppMasks(15, 15))] + dppMasks(mask[0], mask[1])
			}
			for i := range n {
				if (good & enabled).Has(i) {
					o.low[i] = low[m.m[i]]
					o.gain += int(low[i] - o.low[i])
				} else {
					o.step.m[i] = keep
				}
			}
			if o.gain > 0 {
				options = append(options, o)
			}
		}
	}
	slices.SortStableFunc(options, func(a, b option) int { return b.gain - a.gain })
	for _, o := range options[:min(len(options), 24)] {
		if rest := scanFrom(moves, o.low, n, left-1, failed); rest != nil {
			return append([]treeStep{o.step}, rest...)
		}
	}
	failed[scanState{low, left}] = true
	return nil
}

// dppLanes are the lanes that the masks of rows and banks enable.
var dppLanes = sync.OnceValue(func() *[16][16]lane.Mask {
	var m [16][16]lane.Mask
	for r := range m {
		for b := range m[r] {
			m[r][b] = lane.DPPLanes(uint8(r), uint8(b))
		}
	}
	return &m
})

// masksWithout returns the masks of rows and banks that enable none of wrong: for each set of rows
// the largest set of banks.
func masksWithout(good, wrong lane.Mask) (out [][2]int) {
	masks := dppLanes()
	for r := 15; r > 0; r-- {
		banks := 15
		for b := range 4 {
			if masks[r][1<<b]&wrong != 0 {
				banks &^= 1 << b
			}
		}
		if masks[r][banks]&good != 0 {
			out = append(out, [2]int{r, banks})
		}
	}
	return out
}

// The steps of scans do not depend on the operation.
var (
	gcn3Scan = sync.OnceValue(func() []treeStep { return scanSteps(treeMoves(fullGCN3(), true), lane.WavefrontLanes) })
	ptxScan  = sync.OnceValue(func() []treeStep { return scanSteps(treeMoves(fullPTX(), true), lane.WarpLanes) })
)
