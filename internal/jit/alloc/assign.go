package alloc

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// An assigner gives machine registers to virtual ones.
//
// Input: ranges, frequencies and costs of the virtual registers.
// Output: where, the machine register of each virtual register, or 0.
// Invariant: occ holds exactly the ranges of the registers that are assigned.
// Example: in one class of frequency, a loop counter that lives across blocks competes with
// the temporaries of a block. It gets a register if a slot for it costs more than the slots
// that the temporaries would need without this register.
//
// Registers are served in classes of falling frequency. In each class the order is: registers
// that live across regions and are worth their price (demand), then the locals, by linear
// scan, then the rest.
// Literature: Chow and Hennessy, The priority-based coloring approach (TOPLAS 1990), for the
// order; Traub, Holloway and Smith (PLDI 1998), for the scan.
type assigner struct {
	mem   *Scratch
	fn    *lir.Func
	u     *uses
	r     *ranges
	occ   *occupancy
	may   [4]set    // by class: its registers
	where []x64.Reg // by virtual register: its machine register, or 0
	// origin is, by register, 1 + the register of which it is a copy without a place of its
	// own; shares lists these copies.
	origin, shares []int32
	// demand is the value of registers to locals, by class.
	demand [4]demand
	// While the locals of one frequency are assigned: 1 + the last local in each machine
	// register, the position up to which it lives, and the number of its next occurrence: see
	// next.
	last  [x64.Virtual]int32
	until [x64.Virtual]int32
	ahead [x64.Virtual]int32
}

// class returns a coarse logarithm of a register's frequency. Higher classes are served
// first.
func (a *assigner) class(v int32) int32 {
	return int32(math.Float32bits(a.u.all[v].top)>>23) / 2
}

// classOf returns the machine registers that v may have.
func (a *assigner) classOf(v int32) set { return a.may[a.fn.VRegs[v].Class] }

// reserve marks the machine registers that the code names itself. They carry no value from
// one block to the next, except values that routines save which are called with all registers
// in use.
func (a *assigner) reserve(b *lir.Blocks) {
	for r := range a.u.fixed {
		// The occurrences are handled block by block.
		occ := a.u.fixed[r]
		for len(occ) > 0 {
			k, n := b.Of[occ[0].at()], 1
			for n < len(occ) && b.Of[occ[n].at()] == k {
				n++
			}
			a.r.inBlock(occ[:n], interval{2 * b.Start[k], 2 * b.Start[k+1]}, !occ[0].defines(), false,
				func(s interval) { a.occ.take(s, x64.Reg(r)) })
			occ = occ[n:]
		}
	}
}

// candidate is a register that lives across regions, with its sort keys.
type candidate struct {
	v     int32
	class int32
	late  bool // it comes after the locals of its class
	value float32
}

// ordered sorts candidates by falling class, late ones last, and falling value; the sort is
// stable. The low bits of each result, under placeOf, are the index in list.
func (a *assigner) ordered(list []candidate) []uint64 {
	keys := slices.Grow(a.mem.keys[:0], len(list))
	for i := range list[:min(len(list), placeOf)] { // no code has more
		c := &list[i]
		// The key sorts by class, then late, then value, then the index.
		late := uint64(0)
		if c.late {
			late = 1
		}
		// Values are not negative, so the order of their bits is that of the numbers.
		value := uint64(math.Float32bits(c.value))
		keys = append(keys, uint64(255-c.class)<<56|late<<55|(1<<31-1-value&(1<<31-1))<<24|uint64(i))
	}
	slices.Sort(keys)
	a.mem.keys = keys
	return keys
}

const placeOf = 1<<24 - 1

// all assigns registers, by falling class of frequency. Inside a class the order is:
// registers that live across regions and are worth more than their price, locals in the order
// of their starts, the rest.
func (a *assigner) all(entries []int32, freq []float32, b *lir.Blocks) {
	wide := a.mem.wide[:0]
	classes := [256]int32{}
	locals := a.mem.locals[:0]
	for _, v := range a.u.order {
		if a.origin[v] > 0 {
			continue
		}
		if len(a.fn.Parks) > 0 && a.parks(v, freq, b) {
			continue
		}
		// Locals are counted by class for the counting sort below.
		if a.r.all[v].local {
			classes[a.class(v)]++
			locals = append(locals, v)
			continue
		}
		c := candidate{v: v, class: a.class(v), value: a.u.all[v].cost / max(a.r.all[v].area, 1e-9)}
		if a.fn.VRegs[v].Const != 0 {
			c.late = true
			// A constant in a register must be loaded at each entry; its pool operand costs
			// nothing there.
			if a.u.all[v].cost <= loadCost(a.r.of(v), entries, freq, b) {
				continue
			}
		}
		wide = append(wide, c)
	}
	a.mem.wide, a.mem.locals = wide, locals
	order := a.ordered(wide)
	// The locals, by falling class, each class in the order of starts (a counting sort).
	starts := [256]int32{}
	for c, n := 255, int32(0); c >= 0; c-- {
		starts[c] = n
		n += classes[c]
	}
	sorted := lir.Cleared(&a.mem.sorted, len(locals))
	next := starts
	for _, v := range locals {
		c := a.class(v)
		sorted[next[c]] = v
		next[c]++
	}
	a.prepare(b)
	late := a.mem.late
	i := 0
	for c := int32(255); c >= 0; c-- {
		late = late[:0]
		for ; i < len(order); i++ {
			x := &wide[order[i]&placeOf]
			if x.class != c {
				break
			}
			v := x.v
			d := &a.demand[a.fn.VRegs[v].Class]
			// The price would exceed the gain: locals come first.
			if x.late || d.price(a.r.of(v), a.u.all[v].cost) > a.u.all[v].cost {
				late = append(late, v)
			} else if a.assign(v) {
				d.take(a.r.of(v))
			}
		}
		a.scan(sorted[starts[c] : starts[c]+classes[c]])
		for _, v := range late {
			a.assign(v)
		}
	}
	a.mem.late = late
}

// costEntry is the cost of the load of a constant at one entry.
const costEntry = 1.5

// loadCost returns the cost of loading a constant at each entry at which it lives.
func loadCost(live []interval, entries []int32, freq []float32, b *lir.Blocks) float32 {
	c := float32(0)
	for _, s := range live {
		if s.from == 0 && (len(entries) == 0 || entries[0] > 0) {
			c += costEntry * freq[0]
		}
		i, _ := slices.BinarySearch(entries, s.from/2)
		for ; i < len(entries) && 2*entries[i] < s.to; i++ {
			c += costEntry * freq[b.Of[entries[i]]]
		}
	}
	return c
}

// assign gives v a register that is free at all positions at which v lives, and reports
// success.
func (a *assigner) assign(v int32) bool {
	may := a.classOf(v)
	free := may &^ a.occ.takenAll(a.r.of(v), may)
	if free == 0 {
		return false
	}
	r := a.pick(v, free)
	a.where[v] = r
	for _, s := range a.r.of(v) {
		a.occ.take(s, r)
	}
	return true
}

// pick chooses one of the free registers: that of a copy, so that the copy vanishes, or the
// first.
func (a *assigner) pick(v int32, free set) x64.Reg {
	for _, h := range [2]x64.Reg{a.u.all[v].moved, a.u.all[v].moves} {
		if h >= x64.Virtual {
			h = a.where[h-x64.Virtual]
		}
		if h != 0 && free&bit(h) != 0 {
			return h
		}
	}
	return x64.Reg(bits.TrailingZeros64(uint64(free)))
}

// next returns the distance from instruction at to the next occurrence of v; 0 if there is
// none. first is the number of an occurrence before that one; it is advanced, so that a scan
// needs linear time.
func (a *assigner) next(v, at int32, first *int32) int32 {
	occ := a.u.of(v)
	i := *first
	for int(i) < len(occ) && occ[i].at() <= at {
		i++
	}
	*first = i
	if int(i) == len(occ) {
		return 0
	}
	return occ[i].at() - at
}

// expire removes registers from busy that are free from a position on, and returns the
// position at which the first of the rest becomes free.
func (a *assigner) expire(busy set, from int32) (set, int32) {
	soon := int32(math.MaxInt32)
	for m := busy; m != 0; m &= m - 1 {
		if r := bits.TrailingZeros64(uint64(m)); a.until[r] <= from {
			busy &^= 1 << r
		} else {
			soon = min(soon, a.until[r])
		}
	}
	return busy, soon
}

// scan is a linear scan over locals in the order of their starts. If there are too few
// registers, the local with the farthest next occurrence goes to memory: see stay.
func (a *assigner) scan(locals []int32) {
	if len(locals) == 0 {
		return
	}
	a.last, a.until = [x64.Virtual]int32{}, [x64.Virtual]int32{}
	var busy set                 // registers that a local of this scan still uses
	soon := int32(math.MaxInt32) // the first position at which one becomes free, or less
	failed := a.mem.failed[:0]
	for _, v := range locals {
		s := a.r.of(v)[0]
		if soon <= s.from {
			busy, soon = a.expire(busy, s.from)
		}
		may := a.classOf(v)
		open := may &^ a.occ.taken(s, may)
		var r x64.Reg
		if free := open &^ busy; free != 0 {
			r = a.pick(v, free)
		} else {
			own := int32(0)
			// Belady's choice: the value that is needed last.
			worst, far := v, a.next(v, s.from/2, &own)
			for m := open; m != 0; m &= m - 1 {
				q := bits.TrailingZeros64(uint64(m))
				w := a.last[q] - 1
				if x := a.next(w, s.from/2, &a.ahead[q]); x > far {
					worst, far, r = w, x, x64.Reg(q)
				}
			}
			failed = append(failed, worst)
			if worst == v {
				continue
			}
			a.where[worst] = 0
		}
		a.where[v], a.last[r], a.until[r], a.ahead[r] = r, v+1, s.to, 0
		busy, soon = busy|bit(r), min(soon, s.to)
	}
	for _, v := range locals {
		if a.where[v] != 0 {
			a.occ.take(a.r.of(v)[0], a.where[v])
		}
	}
	a.mem.failed = failed
	// A local that lost its register left room for shorter ones; try the most expensive
	// first.
	slices.SortStableFunc(failed, func(x, y int32) int { return cmp.Compare(a.u.all[y].cost, a.u.all[x].cost) })
	for _, v := range failed {
		a.assign(v)
	}
}

// slots gives a slot to every register without a machine register, and returns the size of
// all slots. Two registers may share a slot if their lives, from first to last position, do
// not overlap.
func (a *assigner) slots(where []int32) int32 {
	list := a.mem.slotted[:0]
	for _, v := range a.u.order {
		switch g := &a.fn.VRegs[v]; {
		case a.where[v] != 0 || g.Const != 0 || len(a.r.of(v)) == 0:
		case g.OwnSlot != 0:
			where[v] = g.OwnSlot
		default:
			list = append(list, v)
		}
	}
	a.mem.slotted = list
	start := func(v int32) int32 { return a.r.of(v)[0].from }
	slices.SortStableFunc(list, func(x, y int32) int { return cmp.Compare(start(x), start(y)) })
	const sizes = 4                // 8, 16, 32 and 64 bytes
	var free [sizes][]freeSlot     // heaps, ordered by the position from which a slot is free
	var rest, restEnd [sizes]int32 // the rest of a 64-byte line that is cut into small slots
	top, apart := int32(0), a.fn.Apart > 0
	for _, v := range list {
		rs := a.r.of(v)
		// From Apart on, slots of the code before it are not reused.
		if apart && rs[0].from >= 2*a.fn.Apart {
			free, apart = [sizes][]freeSlot{}, false
		}
		size := max(a.fn.VRegs[v].Len, 8)
		k := bits.Len8(size-1) - 3
		at := int32(-1)
		if h := free[k]; len(h) > 0 && h[0].from <= rs[0].from {
			at = h[0].at
		}
		if at >= 0 {
			free[k][0].from = rs[len(rs)-1].to
			sink(free[k])
		} else {
			if rest[k] == restEnd[k] {
				rest[k], restEnd[k] = top, top+64
				top += 64
			}
			at = rest[k]
			rest[k] += 8 << k
			free[k] = append(free[k], freeSlot{rs[len(rs)-1].to, at})
			rise(free[k])
		}
		where[v] = a.fn.Slots + at
	}
	return top
}

// freeSlot is a slot that may be reused from a position on.
type freeSlot struct{ from, at int32 }

// rise restores the heap after an append.
func rise(h []freeSlot) {
	for i := len(h) - 1; i > 0 && h[i].from < h[(i-1)/2].from; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
}

// sink restores the heap after a change of its first element.
func sink(h []freeSlot) {
	for i := 0; ; {
		c := 2*i + 1
		if c+1 < len(h) && h[c+1].from < h[c].from {
			c++
		}
		if c >= len(h) || h[i].from <= h[c].from {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
