package alloc

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// An assigner gives registers away.
type assigner struct {
	mem   *Scratch
	fn    *lir.Func
	u     *uses
	r     *ranges
	occ   *occupancy
	may   [4]set    // the registers of each class
	where []x64.Reg // of each virtual register, or 0
	// origin is, of a copy that has no place of its own, the register it is a copy of, plus 1; shares
	// are these copies.
	origin, shares []int32
	// demand is what locals would have of each class of registers.
	demand [4]demand
	// While locals of one frequency are assigned: the last one in each machine register,
	// plus 1, the position up to which it lives, and the number of an occurrence: see next.
	last  [x64.Virtual]int32
	until [x64.Virtual]int32
	ahead [x64.Virtual]int32
}

// class is the frequency of a virtual register, coarsely: those of a higher class are
// served first.
func (a *assigner) class(v int32) int32 {
	return int32(math.Float32bits(a.u.all[v].top)>>23) / 2
}

func (a *assigner) classOf(v int32) set { return a.may[a.fn.VRegs[v].Class] }

// reserve marks the machine registers that the code names itself. They carry nothing from
// one block to the next but what routines save that are called with everything in place.
func (a *assigner) reserve(b *lir.Blocks) {
	for r := range a.u.fixed {
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

// candidate is a register that lives across regions, with what it is ordered by.
type candidate struct {
	v     int32
	class int32
	late  bool // behind the locals of its class
	value float32
}

// ordered sorts candidates by falling class, late ones last, and falling value; those that are
// equal stay in their order. The result's low bits, under placeOf, are their places in list.
func (a *assigner) ordered(list []candidate) []uint64 {
	keys := slices.Grow(a.mem.keys[:0], len(list))
	for i := range list[:min(len(list), placeOf)] { // no code has more
		c := &list[i]
		late := uint64(0)
		if c.late {
			late = 1
		}
		// Values are not negative: their bits are in the order of what they stand for.
		value := uint64(math.Float32bits(c.value))
		keys = append(keys, uint64(255-c.class)<<56|late<<55|(1<<31-1-value&(1<<31-1))<<24|uint64(i))
	}
	slices.Sort(keys)
	a.mem.keys = keys
	return keys
}

const placeOf = 1<<24 - 1

// all assigns registers: by falling frequency the code's busiest parts first; in one
// class of it first what lives across regions and is worth more than what it takes from
// locals, then the locals from front to back, and then the rest.
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
		if a.r.all[v].local {
			classes[a.class(v)]++
			locals = append(locals, v)
			continue
		}
		c := candidate{v: v, class: a.class(v), value: a.u.all[v].cost / max(a.r.all[v].area, 1e-9)}
		if a.fn.VRegs[v].Const != 0 {
			c.late = true
			if a.u.all[v].cost <= loadCost(a.r.of(v), entries, freq, b) {
				continue
			}
		}
		wide = append(wide, c)
	}
	a.mem.wide, a.mem.locals = wide, locals
	order := a.ordered(wide)
	// Locals by falling class, each in the order of their starts.
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

// costEntry is what the load of a constant costs wherever Go enters.
const costEntry = 1.5

// loadCost is what it costs to load a constant wherever Go enters.
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

// place gives v a register that is free wherever v lives, if there is one.
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

// pick chooses one of the free registers: that of a copy, or the first.
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

// next is how far behind instruction at the next occurrence of v is. first is the number of an
// occurrence that is not behind that, and becomes that of the one found.
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

// expire takes out of busy what is not taken from a position on, and finds up to where the first
// of the rest is.
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

// scan assigns registers to locals that are ordered by their starts. Where there are too
// few, the one goes to memory that is not needed for longest: see stay.
func (a *assigner) scan(locals []int32) {
	if len(locals) == 0 {
		return
	}
	a.last, a.until = [x64.Virtual]int32{}, [x64.Virtual]int32{}
	var busy set                 // registers with until ahead
	soon := int32(math.MaxInt32) // the first of these, or less
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
	// What others left may have made room.
	slices.SortStableFunc(failed, func(x, y int32) int { return cmp.Compare(a.u.all[y].cost, a.u.all[x].cost) })
	for _, v := range failed {
		a.assign(v)
	}
}

// slots gives a place in the frame to every register that has no machine register, and
// returns the size of all. Places are used again where their registers do not meet.
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
	var free [sizes][]freeSlot     // heaps by the position they are free from
	var rest, restEnd [sizes]int32 // of a cut 64-byte line
	top, apart := int32(0), a.fn.Apart > 0
	for _, v := range list {
		rs := a.r.of(v)
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

type freeSlot struct{ from, at int32 }

func rise(h []freeSlot) {
	for i := len(h) - 1; i > 0 && h[i].from < h[(i-1)/2].from; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
}

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
