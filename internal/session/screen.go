package session

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
	"sync/atomic"

	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/check/screen"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// A Screening is a launch of a kernel in its screening form (package screen).
//
// Input: the launch, bound to its memory.
// Output: Clean: the run proves that a check finds nothing, and its results are those of the kernel. Otherwise Why is
// the reason, and the memory may hold anything.
// Invariant: the tags of allocations that outlive the launch grow from launch to launch, so they are cleared only
// if they are used up, or if a run was not clean.
// Example: y[i] = a*x[i]: x is read only and has no tags; y is written only and has tags of writers.
type Screening struct {
	Kernel    *screen.Kernel
	Full      bool   // see screen.Options
	Intervals int    // of each block, at most; 0: one
	Footprint bool   // Ranges will be called
	Starts    func() // called before the form runs; may be nil
	// Same is that of screen.Options. Known reports whether the notes of stores of equal values are known for a launch with these
	// ways of its threads; nil: they never are.
	Same  bool
	Known func(ways uint64) bool
	Runs  Runs

	Started bool // the form ran
	Clean   bool
	// Met reports that stores of equal values met and all else was clean. Then Ways is the number of the ways of all threads.
	Met  bool
	Ways uint64
	Why  string

	on     *tags
	allocs map[*sim.Alloc]*screened
	form   *screen.Form
	made   *madeForm
	// The memory, if it outlives the launch.
	resident *Resident
	shared   uint8 // see screen.Options
	owned    bool  // blocks have memory of their own, whose tags they use one after another
	lowest   uint32
	next     uint32
	flag     *sim.Alloc
	ways     []byte // of the threads; see screen.Options.Same
	remove   func()
}

// screened is an allocation of a launch.
type screened struct {
	class   screen.Class
	updates screen.Updates
	// Accesses that are strong in the scope of the device, and others; not those of which the tags tell.
	strong, weak bool
	lone         bool  // see screen.Base
	grain        uint8 // see screen.Options
	bases        []int
	writes       *sim.Alloc // the tags of writers; nil: none
	reads        *sim.Alloc
	store, load  int32 // the only instructions that do; -1: several
}

// Runs is about the tags that threads leave for what they load in a row, in a launch whose Ranges will be called.
type Runs struct {
	Try    bool // see screen.Options.Runs; not for large allocations
	Prompt bool // Ranges is called before the next launch: see LateRanger
	Short  bool // Ranges sets it if threads have not loaded much in a row
	// Again lists the accesses of the launch by another run of it on the memory that it has left; nil: it cannot. Then loads leave no
	// tags if the launch does not load what it stores.
	Again func(yield func(a *sim.Alloc, r race.Range))
}

// bare reports whether loads leave no tags, because another run of the launch accesses the same bytes and stores the same values.
func (x *Screening) bare() bool {
	if !x.Footprint || x.Runs.Again == nil {
		return false
	}
	for a, y := range x.allocs {
		if a != nil && y.class != screen.ReadOnly && y.class != screen.WriteOnly {
			return false
		}
	}
	return true
}

// Reasons to run no screening form, or to believe nothing that it did.
var (
	errDeclined   = errors.New("the launch cannot be screened")
	errSuspicious = errors.New("the screening form is suspicious")
)

// Unscreened reports whether an error of Execute is that of a Screening, which gives no result.
func Unscreened(err error) bool { return err == errDeclined || err == errSuspicious }

// tags is the tags of the allocations of a memory.
type tags struct {
	lowest uint32 // of the next launch
	of     map[*sim.Alloc]*tagsOf
	shared [2]*sim.Alloc
	local  *sim.Alloc
	flag   *sim.Alloc
	groups *sim.Alloc
	ways   *sim.Alloc
	next   uint64 // the address of the next allocation of tags
	bytes  uint64 // of all tags
}

// tagsOf is the tags of an allocation, by the logarithm of the grain.
type tagsOf [maxGrains]pairOfTags

// pairOfTags is the tags of an allocation for a grain.
type pairOfTags struct {
	writes, reads *sim.Alloc // nil: not needed so far
	size          uint64     // bytes of each
}

const (
	maxGrains = 5                    // 1 to maxGrain
	maxGrain  = 1 << (maxGrains - 1) // bytes
)

const (
	tagsFrom   = 1 << 47 // the addresses of tags begin after those of the host
	tagsGap    = 1 << 20
	firstTag   = 1 << screen.ThreadBits
	maxTag     = 1 << 31 // see runs
	maxTagged  = 1 << 30 // bytes of tags that are kept
	fewWords   = 1 << 18 // words that are always looked through after a launch
	perLane    = 1 << 14 // words that a lane may make worth it
	maxCounted = 1 << 20 // blocks whose words are counted
	// maxLocalTags is how many bytes the tags of private memory may take.
	maxLocalTags = 1 << 26
	maxWays      = 1 << 22 // threads
)

// waySeed is that of Screening.Ways.
var waySeed = maphash.MakeSeed()

func newTags() *tags {
	return &tags{lowest: firstTag, of: map[*sim.Alloc]*tagsOf{}, next: tagsFrom}
}

// make makes an allocation of at least n bytes, all zero.
func (t *tags) make(name string, n uint64) *sim.Alloc {
	n = (n + 7) &^ 7
	a := &sim.Alloc{Name: name, Base: t.next, Data: Aligned(int(n))}
	t.next += (n + 2*tagsGap) &^ (tagsGap - 1)
	t.bytes += n
	return a
}

func (x *Screening) declines(format string, args ...any) error {
	x.Why = fmt.Sprintf(format, args...)
	return errDeclined
}

// bind finds the memory of the kernel's bases, makes the form, and attaches the tags.
func (x *Screening) bind(k *Kernel, p *Prepared, s *sim.Launch, mem *Memory) (*Prepared, error) {
	x.remove = func() {}
	if !p.wide || mem.Last() >= tagsFrom {
		return nil, x.declines("addresses")
	}
	x.resident = nil
	if mem.on != nil {
		x.resident = mem.on.r
	}
	if x.on = newTags(); x.resident != nil {
		if mem.on.r.tags == nil {
			mem.on.r.tags = x.on
		}
		x.on = mem.on.r.tags
	}
	blocks := uint64(s.Grid[0]) * uint64(s.Grid[1]) * uint64(s.Grid[2])
	lanes := blocks * uint64(s.Block[0]) * uint64(s.Block[1]) * uint64(s.Block[2])
	stride := uint64(max(x.Intervals, 1)) << screen.ThreadBits
	need := (blocks + 1) * stride
	if blocks > maxCounted || need >= 1<<31 {
		return nil, x.declines("%d blocks", blocks)
	}
	if uint64(x.on.lowest)+need >= maxTag || x.on.bytes > maxTagged {
		*x.on = *newTags()
	}
	x.lowest, x.next = x.on.lowest, x.on.lowest+uint32(need)
	if err := x.find(s, mem); err != nil {
		return nil, err
	}
	if x.Same && lanes > maxWays {
		return nil, x.declines("the ways of %d threads", lanes)
	}
	x.shared = x.sharedGrain(p.Fn, s)
	marks := x.Footprint && !x.bare()
	o := screen.Options{First: len(s.Values), Full: x.Full, Marks: marks, Runs: marks && x.Runs.Try, Same: x.Same, Shared: x.shared}
	for a, y := range x.allocs {
		// So many tags there may be for one launch.
		o.Runs = o.Runs && (a == nil || y.class != screen.ReadOnly || uint64(len(a.Data))/uint64(y.grain)*uint64(x.Kernel.Reads()) < maxTag/16)
	}
	for b := range x.Kernel.Bases {
		y := x.of(b)
		o.Class, o.Grain = append(o.Class, y.class), append(o.Grain, y.grain)
	}
	if x.Footprint && x.Kernel.Constants {
		return nil, x.declines("constant variables")
	}
	words, written := uint64(0), uint64(0)
	for a, y := range x.allocs {
		if a != nil {
			words += uint64(len(a.Data)) / 4
			if y.class != screen.ReadOnly {
				written += uint64(len(a.Data))
			}
		}
	}
	if x.resident != nil && written > mem.on.r.Snapshot {
		return nil, x.declines("more memory than may be copied")
	}
	if x.Footprint && words > fewWords+perLane*lanes {
		return nil, x.declines("large allocations beside few lanes")
	}
	if x.Kernel.Locals && x.localTags(p.Fn, s) > maxLocalTags {
		return nil, x.declines("much private memory")
	}
	form, q, err := x.formOf(k, p, o)
	if err != nil {
		return nil, err
	}
	if uint64(len(form.Marks)) >= need {
		return nil, x.declines("many loads")
	}
	if form.Runs {
		for a, y := range x.allocs {
			if a != nil && y.class == screen.ReadOnly {
				need = max(need, form.TagsOf(uint64(len(a.Data))/uint64(y.grain)))
			}
		}
		if uint64(x.lowest)+need >= maxTag {
			*x.on = *newTags()
			x.lowest = x.on.lowest
		}
		x.next = x.lowest + uint32(need)
	}
	x.form = form
	x.attach(q.Fn, s, mem, blocks, uint32(stride))
	x.Started = true
	if x.Starts != nil {
		x.Starts()
	}
	return q, nil
}

// find finds the allocations of the bases, and what the launch does to them.
func (x *Screening) find(s *sim.Launch, mem *Memory) error {
	x.allocs = map[*sim.Alloc]*screened{}
	for b := range x.Kernel.Bases {
		base := &x.Kernel.Bases[b]
		var of *sim.Alloc
		for _, from := range base.Sources {
			var v uint64
			switch {
			case !from.Param:
				v = s.Values[from.At]
			case from.At+8 <= uint64(len(s.Param)):
				v = binary.LittleEndian.Uint64(s.Param[from.At:])
			}
			if a := mem.Find(v, 1); a != nil && a != of {
				if of != nil {
					return x.declines("an address that comes from two allocations")
				}
				of = a
			}
		}
		y := x.allocs[of]
		if y == nil {
			y = &screened{store: -2, load: -2, grain: maxGrain}
			x.allocs[of] = y
		}
		y.bases = append(y.bases, b)
		only := func(have *int32, now int32) {
			if *have != -2 && *have != now {
				now = -1
			}
			*have = now
		}
		y.grain = min(y.grain, base.Least)
		if base.Loads {
			y.class |= screen.ReadOnly
			only(&y.load, base.Instruction(false))
		}
		if base.Stores {
			y.class |= screen.WriteOnly
		}
		y.strong, y.weak, y.lone = y.strong || base.Strong, y.weak || base.Weak, y.lone || base.Lone
		if y.updates.Join(base.Updates); base.Stores || base.Updates.Any {
			only(&y.store, base.Instruction(true))
		}
	}
	for _, y := range x.allocs {
		if u := &y.updates; u.Mixed {
			y.strong, y.weak = y.strong || !u.Narrow, y.weak || u.Narrow
		} else if u.Narrow {
			y.weak = true
		}
		if y.class == screen.ReadWrite && !y.lone && !y.updates.Any {
			y.class |= screen.Paired
		}
		y.class |= y.updates.Class()
	}
	for a, y := range x.allocs {
		switch {
		case a == nil:
		case !a.Provided() || a.Base%4 != 0:
			return x.declines("memory that others change")
		case x.Footprint && y.strong && y.weak:
			return x.declines("strong and weak accesses to one allocation")
		case y.class != screen.ReadOnly && a.ReadOnly:
			return x.declines("read-only memory")
		case y.class != screen.WriteOnly && !a.NoneUndefined(x.resident != nil):
			return x.declines("undefined bits in memory")
		}
		for a != nil && a.Base%uint64(y.grain) != 0 {
			y.grain /= 2
		}
	}
	if x.Kernel.Constants {
		for _, a := range mem.All() {
			if a.ReadOnly && !a.NoneUndefined(x.resident != nil) {
				return x.declines("undefined bits in constant variables")
			}
		}
	}
	return nil
}

// of returns the allocation of a base.
func (x *Screening) of(base int) *screened {
	for _, y := range x.allocs {
		if slices.Contains(y.bases, base) {
			return y
		}
	}
	return nil
}

// formKey identifies a form of a kernel.
type formKey struct {
	first                   int
	full, marks, runs, same bool
	shared                  uint8
	bases                   string // their classes and grains
}

// madeForm is a form, and how much of it has run: operations of waves in all launches.
type madeForm struct {
	form *screen.Form
	ops  int // of the kernel itself
	work atomic.Int64
}

// translationPays reports whether launches of the form so far have taken about as long as its translation to machine
// code. The engine itself counts the guest's instructions of one launch, of which a form has no more than
// the kernel.
func (x *Screening) translationPays() bool {
	const perOp = 120 // operations of the interpreter in which one operation is translated
	return x.made != nil && x.made.work.Load() > perOp*int64(len(x.form.Func.Code))
}

// worked adds the guest's instructions of a launch.
func (x *Screening) worked(n uint64) {
	plain := max(1, x.made.ops)
	x.made.work.Add(int64(n) * int64(len(x.form.Func.Code)) / int64(plain))
}

// formOf returns the form for the classes of the bases, which is made once.
func (x *Screening) formOf(k *Kernel, p *Prepared, o screen.Options) (*screen.Form, *Prepared, error) {
	bases := make([]byte, 0, 2*len(o.Class))
	for b, class := range o.Class {
		bases = append(bases, byte(class), o.Grain[b])
	}
	key := formKey{o.First, o.Full, o.Marks, o.Runs, o.Same, o.Shared, string(bases)}
	m := k.Keep(key, func() any { return &madeForm{form: x.Kernel.Form(o), ops: len(p.Fn.Code)} }).(*madeForm)
	x.made = m
	if m.form == nil {
		return nil, nil, x.declines("accesses that have no tags")
	}
	q, err := k.Variant(key, func() (*Prepared, error) { return k.WithCode(p, m.form.Func) })
	return m.form, q, err
}

// attach makes the tags that the launch needs, and appends the launch values of the form.
func (x *Screening) attach(f *ir.Func, s *sim.Launch, mem *Memory, blocks uint64, stride uint32) {
	t := x.on
	if t.flag == nil {
		t.flag = t.make("suspicion", 8)
	}
	clear(t.flag.Data)
	x.flag = t.flag
	list := []*sim.Alloc{t.flag}
	values := make([]uint64, x.Kernel.Values())
	values[screen.ValueBase], values[screen.ValueStride], values[screen.ValueFlag] = uint64(x.lowest), uint64(stride), t.flag.Base
	shared := uint64(f.SharedStatic) + uint64(s.Dynamic)
	if x.owned = shared > 0 || f.LocalSize != 0 || x.Kernel.Copies; shared > 0 {
		size := tagBytes(shared, x.shared)
		for i := range t.shared {
			if t.shared[i] == nil || uint64(len(t.shared[i].Data)) != (size+7)&^7 {
				t.shared[i] = t.make("tags of shared memory", size)
			}
			values[screen.ValueSharedW+i] = t.shared[i].Base
			list = append(list, t.shared[i])
		}
		// A block never writes more words than there are, so a part of a word makes it count as unwritten.
		if n := shared - f.GapBytes(ir.Shared, shared); n%uint64(x.shared) == 0 {
			values[screen.ValueTotal] = n / uint64(x.shared)
		} else {
			values[screen.ValueTotal] = 1<<32 - 1
		}
	}
	if x.Kernel.Copies {
		if t.groups == nil {
			t.groups = t.make("groups of copies", 8)
		}
		values[screen.ValueGroups] = t.groups.Base
		list = append(list, t.groups)
	}
	if x.Same {
		threads := uint64(s.Block[0]) * uint64(s.Block[1]) * uint64(s.Block[2])
		n := 8 * threads * blocks
		if t.ways == nil || uint64(len(t.ways.Data)) < n {
			t.ways = t.make("ways of threads", n)
		}
		x.ways = t.ways.Data[:n]
		values[screen.ValueWays], values[screen.ValueThreads] = t.ways.Base, threads
		list = append(list, t.ways)
	}
	if x.Kernel.Locals {
		n := x.localTags(f, s)
		if t.local == nil || uint64(len(t.local.Data)) < n {
			t.local = t.make("tags of private memory", n)
		}
		values[screen.ValueLocal] = t.local.Base
		list = append(list, t.local)
	}
	marks := x.Footprint && !x.bare()
	for a, y := range x.allocs {
		if a == nil {
			continue
		}
		size := tagBytes(uint64(len(a.Data)), y.grain)
		if t.of[a] == nil {
			t.of[a] = new(tagsOf)
		}
		pair := &t.of[a][bits.TrailingZeros8(y.grain)]
		if pair.size < size {
			*pair = pairOfTags{size: size}
		}
		if y.class.Writers() || x.Footprint && y.class == screen.Updated {
			if pair.writes == nil {
				pair.writes = t.make("tags of writers", size)
			}
			y.writes = pair.writes
			list = append(list, y.writes)
		}
		if y.class.Readers() || marks && y.class == screen.ReadOnly {
			if pair.reads == nil {
				pair.reads = t.make("tags of readers", size)
			}
			y.reads = pair.reads
			list = append(list, y.reads)
		}
		for _, b := range y.bases {
			values[screen.OfBase(b, screen.BaseLow)], values[screen.OfBase(b, screen.BaseSize)] = a.Base, uint64(len(a.Data))
			if y.writes != nil {
				values[screen.OfBase(b, screen.BaseW)] = y.writes.Base - screen.Tagged(a.Base, y.grain)
			}
			if y.reads != nil {
				values[screen.OfBase(b, screen.BaseR)] = y.reads.Base - screen.Tagged(a.Base, y.grain)
			}
		}
	}
	if x.Full {
		counts := t.make("counts", 4*blocks)
		t.next, t.bytes = counts.Base, t.bytes-uint64(len(counts.Data)) // it is of this launch only
		values[screen.ValueCounts] = counts.Base
		list = append(list, counts)
	}
	slices.SortFunc(list, func(a, b *sim.Alloc) int { return cmp.Compare(a.Base, b.Base) })
	x.remove = mem.Attach(list)
	s.Values = append(slices.Clip(s.Values), values...)
}

// tagBytes is how many bytes the tags of n bytes take.
func tagBytes(n uint64, grain uint8) uint64 {
	n += uint64(max(grain, 4)) - 1
	return screen.Tagged(n-n%uint64(max(grain, 4)), grain)
}

// sharedGrain is how many bytes of shared memory have one tag. A form that counts the words of its variables has no tag that is for
// more than them.
func (x *Screening) sharedGrain(f *ir.Func, s *sim.Launch) uint8 {
	g := x.Kernel.SharedGrain(x.Full)
	shared := uint64(f.SharedStatic) + uint64(s.Dynamic)
	for n := shared - f.GapBytes(ir.Shared, shared); x.Full && g > 4 && n%uint64(g) != 0; {
		g /= 2
	}
	return g
}

// localTags is how many bytes the tags of private memory take, those of one block.
func (x *Screening) localTags(f *ir.Func, s *sim.Launch) uint64 {
	warps := (uint64(s.Block[0])*uint64(s.Block[1])*uint64(s.Block[2]) + 31) / 32
	return warps * 32 * 4 * ((uint64(f.LocalSize) + 3) / 4 * 4 / uint64(x.Kernel.LocalGrain))
}

// detach takes the tags out of the memory.
func (x *Screening) detach() {
	x.remove()
	x.remove = func() {}
}

// ended ends a run that had neither fault nor finding, if ok is set, and reports whether it is clean. beside says that
// several blocks were in flight at a time: they have used the same tags of their own memory.
func (x *Screening) ended(ok, beside bool) bool {
	x.detach()
	ok = ok && !(beside && x.owned)
	if !ok || binary.LittleEndian.Uint32(x.flag.Data) != 0 {
		if x.Why = "a fault or a finding"; ok {
			x.Why = "a suspicion"
		}
		// An address that was out of bounds may have been that of tags.
		*x.on = *newTags()
		return false
	}
	x.on.lowest = x.next
	if x.Met = x.Same && binary.LittleEndian.Uint32(x.flag.Data[4:]) != 0; x.Met {
		if x.Ways = maphash.Bytes(waySeed, x.ways); x.Known == nil || !x.Known(x.Ways) {
			x.Why = "stores of equal values"
			return false
		}
	}
	for a, y := range x.allocs {
		if a != nil && y.writes != nil && !a.NoneUndefined(x.resident != nil) {
			a.DefineTagged(words(y.writes), x.lowest, int(y.grain))
		}
	}
	x.Clean = true
	return true
}
