package device

import (
	"cmp"
	"fmt"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/sim"
)

// Addresses and memory that the host manages apart from each other (cuMemAddressReserve, cuMemCreate, cuMemMap).
//
// Input: ranges of addresses that the host reserves, memory that it creates, and which memory is mapped where with
// which rights.
// Output: allocations. Neighbours in one reservation with the same rights are one allocation, so accesses and copies
// may cross from one mapping into the next.
// Invariant: undefined bits belong to the created memory: they stay when it is mapped elsewhere. Memory that is mapped
// at two addresses at once counts as defined.
// Example: a vector that grows: reserve 1 GiB, map 2 MiB at its start, later 2 MiB behind them: one allocation of 4 MiB.

// CodeNoAccess is the code of an access to mapped memory without the right to it.
const CodeNoAccess = sim.CodeNoAccess

// Sizes, offsets and addresses of mapped memory are multiples of Granularity.
const Granularity = 2 << 20

// The rights to mapped memory, numbered as CUmemAccess_flags.
const (
	NoRights     = 0
	MayRead      = 1
	MayReadWrite = 3
)

// A VirtualArena is an Arena in which memory can be mapped at other addresses than its own.
type VirtualArena interface {
	// Reserve returns n bytes at a multiple of align, which mean nothing before Map.
	Reserve(n, align uint64) (base uint64, data []byte, err error)
	// Map puts the n bytes at from in the place of those at base; Unmap ends that.
	Map(base, n, from uint64) error
	Unmap(base, n uint64)
	// Alloc and Free are those of session.Arena.
	Alloc(n uint64) (base uint64, data []byte, err error)
	Free(base, n uint64)
}

// virtual is the state of a device's virtual memory.
type virtual struct {
	arena    VirtualArena
	memories map[uint64]*created
	last     uint64 // number of a memory
	reserved []*reservation
	made     int // reservations so far
}

// created is memory of cuMemCreate.
type created struct {
	number  uint64
	base    uint64     // its place in the arena, where no kernel sees it
	store   *sim.Alloc // its bytes and, of those that are not mapped, the undefined bits
	handles int        // that are not released
	maps    []*mapping
	callers Callers
}

// reservation is a range of addresses.
type reservation struct {
	name    string
	base, n uint64
	data    []byte
	maps    []*mapping // by address
	runs    []*run
	callers Callers
}

// mapping is memory at addresses of a reservation.
type mapping struct {
	base, n uint64
	of      *created
	off     uint64 // in the memory
	rights  uint32
	callers Callers
}

// run is neighbouring mappings with the same rights, as an allocation.
type run struct {
	*allocation
	maps []*mapping
}

// refuseVirtual is the error of a call about virtual memory that breaks a rule; with Check it is a finding.
func (d *Device) refuseVirtual(call, format string, args ...any) error {
	text := call + " is refused: " + fmt.Sprintf(format, args...)
	const remedy = "give whole mappings, in multiples of the granularity, of memory and addresses that are still there"
	if d.opt.Check {
		return d.mistake(CodeRefusedCall, text, remedy)
	}
	return failed(CodeBadLaunch, text, remedy)
}

// virtually begins a call about virtual memory.
func (d *Device) virtually(call string) error {
	if err := d.enter(); err != nil {
		return err
	}
	if d.virtual.memories == nil {
		arena, ok := d.mem.Arena.(VirtualArena)
		if !ok {
			defer d.leave()
			return failed(CodeBadLaunch, call+": the memory of this device cannot be mapped", "run the program with crosslane exec")
		}
		d.virtual = virtual{arena: arena, memories: map[uint64]*created{}}
	}
	d.settle() // allocations change, and what uses them is asked for
	return nil
}

// ReserveAddresses reserves n bytes of addresses, at a multiple of align (0: of the granularity).
func (d *Device) ReserveAddresses(n, align uint64) (api.DevicePtr, error) {
	const call = "cuMemAddressReserve"
	if err := d.virtually(call); err != nil {
		return 0, err
	}
	defer d.leave()
	align = max(align, Granularity)
	if n == 0 || n%Granularity != 0 || align&(align-1) != 0 {
		return 0, d.refuseVirtual(call, "%d bytes at a multiple of %d; the number must be a multiple of %d, and the alignment a power of two", n, align, uint64(Granularity))
	}
	base, data, err := d.virtual.arena.Reserve(n, align)
	if err != nil {
		return 0, err
	}
	v := &d.virtual
	v.made++
	r := &reservation{name: fmt.Sprintf("reservation %d", v.made), base: base, n: n, data: data, callers: d.callers()}
	i, _ := slices.BinarySearchFunc(v.reserved, base, func(r *reservation, base uint64) int { return cmp.Compare(r.base, base) })
	v.reserved = slices.Insert(v.reserved, i, r)
	d.closeRanges()
	return api.DevicePtr(base), nil
}

// reservationOf returns the reservation that holds n bytes at an address, or nil.
func (d *Device) reservationOf(p, n uint64) *reservation {
	for _, r := range d.virtual.reserved {
		if p >= r.base && p-r.base < r.n && n <= r.n-(p-r.base) {
			return r
		}
	}
	return nil
}

// mappingAt returns the mapping that holds an address, or nil.
func (d *Device) mappingAt(p api.DevicePtr) *mapping {
	if r := d.reservationOf(uint64(p), 1); r != nil {
		for _, m := range r.maps {
			if uint64(p)-m.base < m.n {
				return m
			}
		}
	}
	return nil
}

// FreeAddresses gives a reservation back.
func (d *Device) FreeAddresses(p api.DevicePtr, n uint64) error {
	const call = "cuMemAddressFree"
	if err := d.virtually(call); err != nil {
		return err
	}
	defer d.leave()
	r := d.reservationOf(uint64(p), n)
	switch {
	case r == nil || r.base != uint64(p) || r.n != n:
		return d.refuseVirtual(call, "%s with %d bytes is no reservation", p, n)
	case len(r.maps) > 0:
		return d.refuseVirtual(call, "memory is still mapped at %s", api.DevicePtr(r.maps[0].base))
	}
	d.virtual.reserved = slices.DeleteFunc(d.virtual.reserved, func(x *reservation) bool { return x == r })
	d.mem.Forget(fmt.Sprintf("%q", r.name), r.base, r.n, callsOf(r.callers, "%q (%d bytes) was reserved here", r.name, r.n), callsOf(d.callers(), "its addresses were freed here"))
	d.virtual.arena.Free(r.base, r.n)
	d.closeRanges()
	return nil
}

// CreateMemory makes n bytes of memory that have no addresses, and returns its number.
func (d *Device) CreateMemory(n uint64) (uint64, error) {
	const call = "cuMemCreate"
	if err := d.virtually(call); err != nil {
		return 0, err
	}
	defer d.leave()
	if n == 0 || n%Granularity != 0 {
		return 0, d.refuseVirtual(call, "%d bytes, which is no multiple of %d", n, uint64(Granularity))
	}
	if n > d.opt.MemoryBytes-min(d.used, d.opt.MemoryBytes) {
		return 0, failed(CodeOutOfMemory, fmt.Sprintf("memory of %d bytes: %d of %d bytes are in use", n, d.used, d.opt.MemoryBytes), "release memory first, or give the device more")
	}
	v := &d.virtual
	base, data, err := v.arena.Alloc(n)
	if err != nil {
		return 0, err
	}
	v.last++
	name := fmt.Sprintf("memory %d", v.last)
	c := &created{number: v.last, base: base, store: &sim.Alloc{Name: name, Base: base, Data: data, Uninitialised: d.opt.Check}, handles: 1, callers: d.callers()}
	c.store.Origin = callsOf(c.callers, "%q (%d bytes) was created here", name, n)
	v.memories[c.number] = c
	d.used += n
	return c.number, nil
}

// memory returns created memory by its number.
func (d *Device) memory(call string, number uint64) (*created, error) {
	c := d.virtual.memories[number]
	if c == nil || c.handles == 0 {
		return nil, d.refuseVirtual(call, "the handle is none of memory, or one that was released")
	}
	return c, nil
}

// RetainMemory makes one more handle of the memory at an address, and returns its number.
func (d *Device) RetainMemory(p api.DevicePtr) (uint64, error) {
	const call = "cuMemRetainAllocationHandle"
	if err := d.virtually(call); err != nil {
		return 0, err
	}
	defer d.leave()
	if m := d.mappingAt(p); m != nil {
		m.of.handles++
		return m.of.number, nil
	}
	return 0, d.refuseVirtual(call, "no memory is mapped at %s", p)
}

// ReleaseMemory ends one handle of memory. The memory ends with its last handle and its last mapping.
func (d *Device) ReleaseMemory(number uint64) error {
	const call = "cuMemRelease"
	if err := d.virtually(call); err != nil {
		return err
	}
	defer d.leave()
	c, err := d.memory(call, number)
	if err != nil {
		return err
	}
	c.handles--
	d.endMemory(c)
	return nil
}

// endMemory frees memory that has neither a handle nor a mapping.
func (d *Device) endMemory(c *created) {
	if c.handles > 0 || len(c.maps) > 0 {
		return
	}
	delete(d.virtual.memories, c.number)
	d.used -= uint64(len(c.store.Data))
	d.virtual.arena.Free(c.base, uint64(len(c.store.Data)))
}

// MapMemory maps n bytes of memory, from an offset on, at an address. It returns the place of these bytes in the arena.
func (d *Device) MapMemory(p api.DevicePtr, n, off, number uint64) (from uint64, err error) {
	const call = "cuMemMap"
	if err := d.virtually(call); err != nil {
		return 0, err
	}
	defer d.leave()
	c, err := d.memory(call, number)
	if err != nil {
		return 0, err
	}
	r := d.reservationOf(uint64(p), n)
	size := uint64(len(c.store.Data))
	switch {
	case n == 0 || (uint64(p)|n|off)%Granularity != 0:
		return 0, d.refuseVirtual(call, "%d bytes at %s from offset %d; all must be multiples of %d", n, p, off, uint64(Granularity))
	case r == nil:
		return 0, d.refuseVirtual(call, "the %d bytes at %s are not all reserved", n, p)
	case off > size || n > size-off:
		return 0, d.refuseVirtual(call, "%d bytes from offset %d of %q, which has %d", n, off, c.store.Name, size)
	}
	for _, m := range r.maps {
		if m.base < uint64(p)+n && uint64(p) < m.base+m.n {
			return 0, d.refuseVirtual(call, "memory is mapped at %s already", api.DevicePtr(m.base))
		}
	}
	if err := d.virtual.arena.Map(uint64(p), n, c.base+off); err != nil {
		return 0, failed(CodeOutOfMemory, fmt.Sprintf("memory cannot be mapped at %s: %v", p, err), "map fewer ranges")
	}
	m := &mapping{base: uint64(p), n: n, of: c, off: off, callers: d.callers()}
	i, _ := slices.BinarySearchFunc(r.maps, m.base, func(m *mapping, base uint64) int { return cmp.Compare(m.base, base) })
	r.maps = slices.Insert(r.maps, i, m)
	c.maps = append(c.maps, m)
	d.rebuild(r)
	return c.base + off, nil
}

// exact returns the mappings that make up n bytes at an address; nil if they are none, or not all of them.
func (r *reservation) exact(p, n uint64) (list []*mapping) {
	at := p
	for _, m := range r.maps {
		if m.base == at && at-p < n {
			list = append(list, m)
			at += m.n
		}
	}
	if at-p != n {
		return nil
	}
	return list
}

// mappingsOf returns the reservation and the mappings of n bytes at an address.
func (d *Device) mappingsOf(call string, p api.DevicePtr, n uint64) (*reservation, []*mapping, error) {
	r := d.reservationOf(uint64(p), n)
	if r == nil || n == 0 {
		return nil, nil, d.refuseVirtual(call, "the %d bytes at %s are not all reserved", n, p)
	}
	list := r.exact(uint64(p), n)
	if list == nil {
		return nil, nil, d.refuseVirtual(call, "the %d bytes at %s are not those of whole mappings", n, p)
	}
	return r, list, nil
}

// UnmapMemory ends the mappings that make up n bytes at an address.
func (d *Device) UnmapMemory(p api.DevicePtr, n uint64) error {
	const call = "cuMemUnmap"
	if err := d.virtually(call); err != nil {
		return err
	}
	defer d.leave()
	r, list, err := d.mappingsOf(call, p, n)
	if err != nil {
		return err
	}
	d.unmappedInUse(r, uint64(p), n)
	r.maps = slices.DeleteFunc(r.maps, func(m *mapping) bool { return slices.Contains(list, m) })
	d.rebuild(r)
	by := callsOf(d.callers(), "it was unmapped here")
	for _, m := range list {
		m.of.maps = slices.DeleteFunc(m.of.maps, func(x *mapping) bool { return x == m })
		d.mem.Forget(fmt.Sprintf("%q", m.of.store.Name), m.base, m.n, callsOf(m.callers, "%q was mapped here", m.of.store.Name), by)
		d.endMemory(m.of)
	}
	d.virtual.arena.Unmap(uint64(p), n)
	return nil
}

// SetRights gives the device rights to the mappings that make up n bytes at an address.
func (d *Device) SetRights(p api.DevicePtr, n uint64, rights uint32) error {
	const call = "cuMemSetAccess"
	if err := d.virtually(call); err != nil {
		return err
	}
	defer d.leave()
	if rights != NoRights && rights != MayRead && rights != MayReadWrite {
		return d.refuseVirtual(call, "rights of number %d", rights)
	}
	r, list, err := d.mappingsOf(call, p, n)
	if err != nil {
		return err
	}
	for _, m := range list {
		m.rights = rights
	}
	d.rebuild(r)
	return nil
}

// Rights returns the rights to the memory that is mapped at an address.
func (d *Device) Rights(p api.DevicePtr) (uint32, error) {
	const call = "cuMemGetAccess"
	if err := d.virtually(call); err != nil {
		return 0, err
	}
	defer d.leave()
	if m := d.mappingAt(p); m != nil {
		return m.rights, nil
	}
	return 0, d.refuseVirtual(call, "no memory is mapped at %s", p)
}

// unmappedInUse reports operations that may still use n bytes at an address: the host has not waited for them.
func (d *Device) unmappedInUse(r *reservation, p, n uint64) {
	for _, x := range r.runs {
		for _, f := range x.history.list {
			if f.op.what == staged || d.order.after(hostClock, f.op.stream, f.op.epoch) {
				continue
			}
			for i := range f.ranges {
				a := &f.ranges[i]
				lo, hi := max(x.Base+a.lo, p), min(x.Base+a.hi, p+n)
				if lo >= hi {
					continue
				}
				steps := f.instruction(a, "the instruction of the operation")
				if f.op.callers != nil {
					steps = append(f.op.callers.calls("the operation was enqueued here"), steps...)
				}
				_ = d.mistake(CodeFreedInUse, fmt.Sprintf("memory is unmapped at %s, while %s in %s %s bytes %d to %d of %q: the host has not waited for it",
					api.DevicePtr(p), f.op.what, f.op.name, a.verb(f.op), lo-x.Base, hi-1-x.Base, x.Name), "synchronise with the stream before the memory is unmapped", append(steps, x.origin()...)...)
				return
			}
		}
	}
}

// rebuild makes the allocations of a reservation anew, of those mappings that have changed.
func (d *Device) rebuild(r *reservation) {
	var runs [][]*mapping
	for i, m := range r.maps {
		switch {
		case m.rights == NoRights:
		case i > 0 && r.maps[i-1].base+r.maps[i-1].n == m.base && r.maps[i-1].rights == m.rights:
			runs[len(runs)-1] = append(runs[len(runs)-1], m)
		default:
			runs = append(runs, []*mapping{m})
		}
	}
	old := r.runs
	r.runs = nil
	var gone []*run
	for _, x := range old {
		if i := slices.IndexFunc(runs, func(list []*mapping) bool {
			return slices.Equal(list, x.maps) && x.ReadOnly == (list[0].rights == MayRead)
		}); i >= 0 {
			r.runs = append(r.runs, x)
			runs = slices.Delete(runs, i, i+1)
			continue
		}
		gone = append(gone, x)
		for _, m := range x.maps {
			m.of.store.CopyUndefined(m.off, x.Alloc, m.base-x.Base, m.n)
		}
		d.mem.Drop(x.Alloc)
		d.forget(x.Alloc)
	}
	for _, list := range runs {
		r.runs = append(r.runs, d.newRun(r, list, gone))
	}
	d.closeRanges()
}

// newRun makes the allocation of neighbouring mappings. The operations that used the allocations before stay known.
func (d *Device) newRun(r *reservation, list []*mapping, gone []*run) *run {
	first, last := list[0], list[len(list)-1]
	n := last.base + last.n - first.base
	name := r.name
	if first.base != r.base || n != r.n {
		name = fmt.Sprintf("%s at %d", r.name, first.base-r.base)
	}
	x, err := d.mem.AddAt(first.base, name, r.data[first.base-r.base:][:n:n])
	if err != nil {
		panic(err) // the addresses are the reservation's, and nothing else is there
	}
	a := &run{&allocation{Alloc: x, callers: first.callers}, list}
	if first.rights == MayRead {
		a.ReadOnly, a.Rights = true, "cuMemSetAccess gave the right to read only"
	}
	a.Origin = callsOf(first.callers, "%q was mapped here", name)
	shared, all := false, true
	for _, m := range list {
		_, none := m.of.store.UndefinedBits()
		all = all && none
		for _, other := range m.of.maps {
			shared = shared || other != m && other.off < m.off+m.n && m.off < other.off+other.n
		}
	}
	switch {
	case shared: // the other address may define bytes of it at any time
		a.managed = true
		d.managed = append(d.managed, a.allocation)
	case all:
		a.Uninitialised = true
	default:
		for _, m := range list {
			a.CopyUndefined(m.base-first.base, m.of.store, m.off, m.n)
		}
	}
	for _, g := range gone {
		for _, f := range g.history.list {
			moved := &footprint{op: f.op, fn: f.fn}
			for _, y := range f.ranges {
				lo, hi := max(g.Base+y.lo, a.Base), min(g.Base+y.hi, a.End())
				if lo < hi {
					y.lo, y.hi = lo-a.Base, hi-a.Base
					moved.ranges = append(moved.ranges, y)
				}
			}
			if len(moved.ranges) > 0 {
				a.history.list = append(a.history.list, moved)
			}
		}
	}
	d.allocs[x] = a.allocation
	return a
}

// closeRanges tells the memory in which addresses no access is possible, and why.
func (d *Device) closeRanges() {
	var list []sim.Closed
	for _, r := range d.virtual.reserved {
		at := r.base
		empty := func(to uint64) {
			if at < to {
				list = append(list, sim.Closed{Base: at, Size: to - at, Code: sim.CodeOutOfBounds,
					Why: fmt.Sprintf("it is in %q (%d bytes of addresses), and no memory is mapped there", r.name, r.n), Origin: callsOf(r.callers, "%q was reserved here", r.name)})
			}
		}
		for _, m := range r.maps {
			empty(m.base)
			at = m.base + m.n
			if m.rights == NoRights {
				list = append(list, sim.Closed{Base: m.base, Size: m.n, Code: CodeNoAccess,
					Why: fmt.Sprintf("%q is mapped there, and the device has no rights to it", m.of.store.Name), Origin: callsOf(m.callers, "%q was mapped here", m.of.store.Name)})
			}
		}
		empty(r.base + r.n)
	}
	d.mem.SetClosed(list)
}

// closedAt is the mistake of a call that uses closed addresses, or nil.
func (d *Device) closedAt(p api.DevicePtr, doing, bytes string) error {
	c := d.mem.ClosedAt(uint64(p))
	if c == nil {
		return nil
	}
	code := CodeBadPointer
	remedy := "map memory there first: cuMemMap and cuMemSetAccess"
	if c.Code == CodeNoAccess {
		code, remedy = CodeNoAccess, "give the device rights to the memory: cuMemSetAccess"
	}
	if text, steps := d.mem.Removed(uint64(p)); text != "" && c.Code != CodeNoAccess {
		return d.mistake(CodeUseAfterFree, fmt.Sprintf("%s %s at %s: %s", doing, bytes, p, text), "unmap memory after its last use", steps...)
	}
	return d.mistake(code, fmt.Sprintf("%s %s at %s: %s", doing, bytes, p, c.Why), remedy, d.mem.Origins(uint64(p))...)
}

// virtualLeaks reports memory that the host has neither released nor unmapped, and addresses that it has not freed.
func (d *Device) virtualLeaks() {
	for number := uint64(1); number <= d.virtual.last; number++ {
		c := d.virtual.memories[number]
		if c == nil {
			continue
		}
		why := "was never released"
		if c.handles == 0 {
			why = fmt.Sprintf("was released, but is still mapped at %s", api.DevicePtr(c.maps[0].base))
		}
		d.leakedRange(c.store.Name, uint64(len(c.store.Data)), why, "unmap it and release it when it is no longer used", c.store.Origin)
	}
	for _, r := range d.virtual.reserved {
		d.leakedRange(r.name, r.n, "was never freed", "free the addresses when they are no longer used", callsOf(r.callers, "%q (%d bytes) was reserved here", r.name, r.n))
	}
}
