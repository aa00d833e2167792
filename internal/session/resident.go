package session

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/ptx"
)

// A Resident is global memory that outlives launches: that of a device. Modules are placed in it once. It
// serves one launch at a time, and no launch may run while any method is called.
type Resident struct {
	*sim.Memory
	// Snapshot is how many bytes a Check may copy to repeat a launch.
	Snapshot uint64
	// Arena, if set, provides the memory of Make.
	Arena Arena
	// Bases, if not empty, are the addresses of the next variables that Load places.
	Bases []uint64
	// At has the addresses of variables of the next module that Load places, by name: the host has them there, so
	// they are managed. Arena provides their memory.
	At map[string]uint64

	fixtures map[string]*fixture
	absent   map[string]uint64
	journals []*journal
	spare    map[*sim.Alloc]*sim.Saved // copies that the last journal has made
	tags     *tags                     // of screening forms; nil: none ran
	buffers  map[*sim.Alloc]*api.Buffer
	allocOf  map[*api.Buffer]*sim.Alloc
	lent     map[*sim.Alloc]bool // those that the arena provides
}

// An Arena provides memory for a Resident.
type Arena interface {
	// Alloc returns the address and the bytes, all zero, of n bytes. The address is a multiple of 256.
	Alloc(n uint64) (base uint64, data []byte, err error)
	// AllocAt returns the bytes, all zero, of n bytes at an address of the host.
	AllocAt(base, n uint64) (data []byte, err error)
	// Free gives n bytes back, whose contents are lost.
	Free(base, n uint64)
}

// NewResident returns an empty memory of 64-bit addresses.
func NewResident() *Resident {
	r := &Resident{Memory: sim.NewMemory(), spare: map[*sim.Alloc]*sim.Saved{}, fixtures: map[string]*fixture{}, absent: map[string]uint64{},
		buffers: map[*sim.Alloc]*api.Buffer{}, allocOf: map[*api.Buffer]*sim.Alloc{}, lent: map[*sim.Alloc]bool{}}
	return r
}

// A Variable is a variable of a placed module.
type Variable struct {
	Name     string
	Alloc    *sim.Alloc
	Off      uint64 // offset of its first byte
	Size     uint64 // bytes
	ReadOnly bool   // for the guest; the host may write it
	Managed  bool   // the host and the guest have it at one address
}

// Placed is a module in a Resident.
type Placed struct {
	m         *Module
	r         *Resident
	variables []Variable
	globals   map[ptx.GlobalKey]*sim.Alloc // PTX
	values    map[*ptx.Kernel][]uint64     // PTX: the addresses of a kernel's Globals
	base      uint64                       // GCN3: of the code object
	allocs    []*sim.Alloc
}

// Load puts a module's variables, and the code object of a GCN3 module, into the memory. The error is a
// diag.List.
func (r *Resident) Load(m *Module) (*Placed, error) {
	p := &Placed{m: m, r: r}
	if m.isa == api.GCN3 {
		if len(r.At) > 0 {
			return nil, r.finds(nil)
		}
		return p, p.placeObject()
	}
	return p, p.placeGlobals()
}

// placeGlobals places the variables of a PTX module, with their initial contents.
func (p *Placed) placeGlobals() error {
	if p.m.ptx == nil {
		d := diag.Errorf(diag.Pos{File: p.m.file}, diag.Unsupported, "unsupported", "the file has %d modules; a device loads one at a time", len(p.m.modules))
		d.Remedy = "select one with LoadOptions.FatBinary, or load the fat binaries one by one"
		return diag.List{d}
	}
	if p.m.ptx.AddressSize != 64 {
		d := diag.Errorf(diag.Pos{File: p.m.file}, diag.Unsupported, "unsupported", "the module has addresses of 32 bits; those of a device have 64")
		d.Remedy = "compile it with .address_size 64"
		return diag.List{d}
	}
	list, err := ptx.Globals(p.m.ptx)
	if err != nil {
		return err
	}
	total := uint64(0)
	for _, g := range list {
		if total += g.Size; total > maxGlobalBytes {
			return diag.List{diag.Errorf(diag.Pos{File: p.m.file}, diag.Input, "bad-launch", "the variables of the module need more than %d bytes: %s has %d", uint64(maxGlobalBytes), g.Name, g.Size)}
		}
	}
	if err := p.r.finds(list); err != nil {
		return err
	}
	p.globals, p.values = map[ptx.GlobalKey]*sim.Alloc{}, map[*ptx.Kernel][]uint64{}
	for _, g := range list {
		a, err := p.r.variable(g)
		if err != nil {
			p.Remove(nil)
			return err
		}
		copy(a.Data, g.Data)
		p.globals[g.Key] = a
		p.allocs = append(p.allocs, a)
		p.variables = append(p.variables, Variable{Name: g.Name, Alloc: a, Size: g.Size, ReadOnly: g.ReadOnly, Managed: g.Managed || p.r.isAt(g)})
	}
	for i, g := range list {
		relocate(g, p.allocs[i].Data, p.allocs)
	}
	return nil
}

// isAt reports whether the host has a variable.
func (r *Resident) isAt(g *ptx.Global) bool {
	_, ok := r.At[g.Name]
	return ok
}

// finds checks that a module has the variables of At.
func (r *Resident) finds(list []*ptx.Global) error {
	for _, name := range slices.Sorted(maps.Keys(r.At)) {
		if !slices.ContainsFunc(list, func(g *ptx.Global) bool { return g.Name == name && !g.ReadOnly && g.Size > 0 }) {
			return diag.List{diag.Errorf(diag.Pos{}, diag.Input, CodeNoSymbol, "the module has no variable %q that kernels may write; the host has one", name)}
		}
	}
	return nil
}

// hostVariable makes the memory of a variable of At.
func (r *Resident) hostVariable(g *ptx.Global) (*sim.Alloc, error) {
	base := r.At[g.Name]
	data, err := r.Arena.AllocAt(base, g.Size)
	if err != nil {
		return nil, err
	}
	a, err := r.AddAt(base, g.Name, data)
	if err != nil {
		r.Arena.Free(base, g.Size)
		d := diag.Errorf(diag.Pos{}, diag.Unsupported, "unsupported", "the managed variable %q cannot be where the host has it: %s", g.Name, err)
		d.Remedy = "allocate it with cudaMallocManaged"
		return nil, diag.List{d}
	}
	r.lent[a] = true
	return a, nil
}

// variable makes the memory of a variable.
func (r *Resident) variable(g *ptx.Global) (*sim.Alloc, error) {
	if r.isAt(g) {
		return r.hostVariable(g)
	}
	if len(r.Bases) > 0 {
		base := r.Bases[0]
		r.Bases = r.Bases[1:]
		if g.ReadOnly {
			return r.AddConstantAt(base, g.Name, Aligned(int(g.Size)))
		}
		return r.AddAt(base, g.Name, Aligned(int(g.Size)))
	}
	if g.ReadOnly {
		return r.AddConstant(g.Name, Aligned(int(g.Size))), nil
	}
	return r.Make(g.Name, g.Size)
}

// Make makes an allocation of n bytes, all zero, from the arena if there is one.
func (r *Resident) Make(name string, n uint64) (*sim.Alloc, error) {
	if r.Arena == nil || n == 0 {
		return r.Add(name, Aligned(int(n))), nil
	}
	base, data, err := r.Arena.Alloc(n)
	if err != nil {
		return nil, err
	}
	a, err := r.AddAt(base, name, data)
	if err != nil {
		r.Arena.Free(base, n)
		return nil, err
	}
	r.lent[a] = true
	return a, nil
}

// Remove takes an allocation away, and gives the memory of the arena back. by returns the calls of the host that
// freed it; nil: not known.
func (r *Resident) Remove(a *sim.Alloc, by func() []diag.Related) {
	r.Memory.Remove(a, by)
	if r.tags != nil {
		delete(r.tags.of, a)
	}
	if r.lent[a] {
		delete(r.lent, a)
		r.Arena.Free(a.Base, uint64(len(a.Data)))
	}
}

// Drop takes an allocation away whose bytes stay: other allocations will have them.
func (r *Resident) Drop(a *sim.Alloc) {
	r.Detach(a)
	if r.tags != nil {
		delete(r.tags.of, a)
	}
}

// placeObject places a code object.
func (p *Placed) placeObject() error {
	o := p.m.spare.o
	if o == nil {
		d := diag.Errorf(diag.Pos{File: p.m.file}, diag.Unsupported, "unsupported", "the file has several code objects for the device; a device loads one at a time")
		d.Remedy = "load the bundles one by one"
		return diag.List{d}
	}
	if n := o.Size(); n > maxObjectBytes {
		return diag.List{diag.Errorf(diag.Pos{File: p.m.file}, diag.Input, "bad-launch", "the code object takes %d bytes of memory; at most %d are allowed", n, uint64(maxObjectBytes))}
	}
	p.base = p.m.placer.load(&Memory{Memory: p.r.Memory})
	for _, a := range p.r.All() {
		if a.Base >= p.base && a.Base < p.base+o.Size() {
			p.allocs = append(p.allocs, a)
			if a.ReadOnly {
				// The host may write constants; other launches share the placer's bytes.
				own := Aligned(len(a.Data))
				copy(own, a.Data)
				a.Data = own
			}
		}
	}
	const object = 1 // STT_OBJECT
	for i := range o.Symbols {
		s := &o.Symbols[i]
		if s.Type != object || !s.Defined() || s.Absolute || s.Size == 0 || strings.HasSuffix(s.Name, ".kd") {
			continue
		}
		if a := p.r.Find(p.base+s.Addr, s.Size); a != nil {
			p.variables = append(p.variables, Variable{Name: s.Name, Alloc: a, Off: p.base + s.Addr - a.Base, Size: s.Size, ReadOnly: a.ReadOnly})
		}
	}
	return nil
}

// Module returns the module.
func (p *Placed) Module() *Module { return p.m }

// Variables returns the module's variables in the order of the file.
func (p *Placed) Variables() []Variable { return p.variables }

// Allocs returns the allocations of the module.
func (p *Placed) Allocs() []*sim.Alloc { return p.allocs }

// Remove takes the module out of the memory. by returns the calls of the host that did it; nil: not known.
func (p *Placed) Remove(by func() []diag.Related) {
	for _, a := range p.allocs {
		p.r.Remove(a, by)
	}
}

// valuesOf returns the addresses of the variables that a kernel uses.
func (p *Placed) valuesOf(pk *ptx.Kernel) []uint64 {
	v, ok := p.values[pk]
	if !ok {
		for _, g := range pk.Globals {
			v = append(v, p.globals[g.Key].Base)
		}
		p.values[pk] = v
	}
	return v
}

// bindPTX sets the parameters and the variables of a launch of a PTX kernel in the memory.
func (p *Placed) bindPTX(k *Kernel, pk *ptx.Kernel, size uint64, l *Launch, s *sim.Launch, mem *Memory) error {
	s.Param = Aligned(int(size))
	if err := k.rawOrTyped(l, s.Param, uint64(len(s.Param)), mem); err != nil {
		return err
	}
	placeWorkspace(l, s, mem)
	s.Values = p.valuesOf(pk)
	return nil
}

// rawOrTyped writes the parameters of a launch in a Resident into the block: the bytes that the launch gives,
// at most n, or its arguments.
func (k *Kernel) rawOrTyped(l *Launch, block []byte, n uint64, mem *Memory) error {
	if l.Params == nil {
		return k.arguments(l.Args, block, mem)
	}
	if uint64(len(l.Params)) > n {
		d := k.Errorf("bad-argument", "the parameter block has %d bytes, those of the kernel %d", len(l.Params), n)
		d.Remedy = k.usage()
		return diag.List{d}
	}
	if err := k.enoughParams(l); err != nil {
		return err
	}
	copy(block, l.Params)
	return nil
}

// enoughParams checks that the parameter block of a launch holds all parameters.
func (k *Kernel) enoughParams(l *Launch) error {
	need := k.paramBytes()
	if len(l.Params) >= need {
		return nil
	}
	d := k.Errorf("bad-argument", "the parameter block has %d bytes, the kernel's parameters need %d", len(l.Params), need)
	d.Remedy = k.usage()
	return diag.List{d}
}

// paramBytes is how many bytes the parameters take that the caller gives.
func (k *Kernel) paramBytes() (n int) {
	for i := range k.params {
		n = max(n, k.params[i].Offset+k.params[i].Size)
	}
	return n
}

// A fixture is memory of a Resident that each launch fills anew.
type fixture struct {
	*sim.Alloc
	room int // bytes that it may have without another address
}

// fixtureRoom is how many bytes a fixture may grow to without another address.
const fixtureRoom = 4 << 10

// fixture makes memory that a launch needs beside its buffers, such as the kernarg segment. In a Resident
// the next launch's fixture of this name replaces it.
func (m *Memory) fixture(name string, data []byte) *sim.Alloc {
	if m.on == nil {
		return m.Add(name, data)
	}
	r := m.on.r
	f := r.fixtures[name]
	if f == nil || len(data) > f.room {
		f = &fixture{room: max(fixtureRoom, 2*len(data))}
		f.Alloc = r.Add(name, Aligned(f.room))
		if old := r.fixtures[name]; old != nil {
			r.Remove(old.Alloc, nil)
		}
		r.fixtures[name] = f
	}
	f.Renew(data)
	return f.Alloc
}

// isFixture reports whether each launch fills an allocation anew.
func (r *Resident) isFixture(a *sim.Alloc) bool {
	f := r.fixtures[a.Name]
	return f != nil && f.Alloc == a
}

// missing returns the address of an object that a runtime would provide and that is not provided here.
func (m *Memory) missing(name string) uint64 {
	if m.on == nil {
		return m.AddAbsent(name)
	}
	r := m.on.r
	if _, ok := r.absent[name]; !ok {
		r.absent[name] = r.AddAbsent(name)
	}
	return r.absent[name]
}

// bufferOf returns a buffer that stands for an allocation in a Check.
func (r *Resident) bufferOf(a *sim.Alloc) *api.Buffer {
	b := r.buffers[a]
	if b == nil {
		b = &api.Buffer{Name: a.Name, Type: api.U8, Data: a.Data}
		if len(a.Data)%4 == 0 {
			b.Type = api.U32
		}
		r.buffers[a], r.allocOf[b] = b, a
	}
	return b
}

// named returns a buffer for each allocation that has contents of its own.
func (r *Resident) named() (list []*api.Buffer) {
	for _, a := range r.All() {
		if len(a.Data) > 0 && !r.isFixture(a) {
			list = append(list, r.bufferOf(a))
		}
	}
	return list
}

// A journal keeps the contents that allocations had when it began, of those that were written since.
type journal struct {
	r     *Resident
	saved map[*sim.Alloc]*sim.Saved
	heap  *sim.SavedHeap
	left  uint64 // bytes that it may still copy
	over  bool   // they are used up: the contents are lost
	lent  bool   // a caller holds the copies
}

// maxSpare is how many bytes of copies are kept for the next launch.
const maxSpare = 1 << 26

// begin opens a journal. The first one of a launch may copy Snapshot bytes. Those that are opened beside it may
// copy everything, and it may too from then on: the memory must be put back.
func (r *Resident) begin() *journal {
	j := &journal{r: r, saved: map[*sim.Alloc]*sim.Saved{}, left: r.Snapshot}
	if len(r.journals) > 0 {
		j.left = math.MaxUint64
		for _, x := range r.journals {
			x.left = math.MaxUint64
		}
	}
	if used := r.HeapUsed(); used > j.left {
		j.over = true
	} else {
		j.left -= used
		j.heap = r.SaveHeap()
	}
	r.journals = append(r.journals, j)
	r.ClearWritten()
	r.OnWrite(r.keep)
	return j
}

// Spoil makes what open journals have copied useless: the host has changed memory since they began.
func (r *Resident) Spoil() {
	for _, j := range r.journals {
		j.over, j.saved = true, map[*sim.Alloc]*sim.Saved{}
	}
}

// keep copies an allocation into the open journals that have not copied it, before it is written.
func (r *Resident) keep(a *sim.Alloc) {
	if r.isFixture(a) {
		return
	}
	for _, j := range r.journals {
		if j.saved[a] != nil || j.over {
			continue
		}
		if n := uint64(len(a.Data)); n > j.left {
			j.over, j.saved = true, map[*sim.Alloc]*sim.Saved{}
			continue
		}
		j.left -= uint64(len(a.Data))
		j.saved[a] = a.Save(r.spare[a])
		delete(r.spare, a)
	}
}

// restore puts the contents back.
func (j *journal) restore() {
	if j.over {
		return
	}
	for a, s := range j.saved {
		j.r.keep(a)
		a.Restore(s)
	}
	j.r.RestoreHeap(j.heap)
	j.r.ClearWritten()
}

// Assumed runs f, which launches kernels without following undefined bits. Each allocation that they write counts
// as defined afterwards.
func (r *Resident) Assumed(f func()) {
	var written []*sim.Alloc
	r.ClearWritten()
	r.OnWrite(func(a *sim.Alloc) { written = append(written, a) })
	f()
	r.OnWrite(nil)
	for _, a := range written {
		a.Define(0, uint64(len(a.Data)))
	}
}

// close ends the journal.
func (j *journal) close() {
	r := j.r
	r.journals = slices.DeleteFunc(r.journals, func(x *journal) bool { return x == j })
	if len(r.journals) == 0 {
		clear(r.spare)
		n := uint64(0)
		for a, s := range j.saved {
			if n += uint64(len(a.Data)); !j.lent && n <= maxSpare && r.Holds(a) {
				r.spare[a] = s
			}
		}
		r.OnWrite(nil)
		clear(r.buffers) // they hold the bytes of allocations
		clear(r.allocOf)
	}
}

// changes lists the allocations of the journal by address, without those that the guest has made or freed since.
func (j *journal) changes() (list []Change) {
	j.lent = true
	allocs := slices.SortedFunc(maps.Keys(j.saved), func(a, b *sim.Alloc) int { return cmp.Compare(a.Base, b.Base) })
	for _, a := range allocs {
		if !j.r.Holds(a) || j.heap == nil || a.OnHeap() && !j.heap.Has(a) {
			continue
		}
		list = append(list, Change{Buffer: j.r.bufferOf(a), Old: j.saved[a].Data(), Untyped: true})
	}
	return list
}

// A Change is a buffer with older contents.
type Change struct {
	*api.Buffer
	Old     []byte
	Untyped bool // the type of the buffer means nothing
}

// Element names an element of the buffer, for messages.
func (c *Change) Element(i int) string {
	if !c.Untyped {
		return c.Name + "[" + c.IndexText(i) + "]"
	}
	n := c.Type.Size()
	return fmt.Sprintf("bytes %d to %d of %s", i*n, i*n+n-1, c.Name)
}

// relocate writes the addresses that a variable's initialiser names into its bytes.
func relocate(g *ptx.Global, data []byte, allocs []*sim.Alloc) {
	for _, r := range g.Relocs {
		v := allocs[r.Target].Base + uint64(r.Addend)
		if r.Mask != 0 {
			// mask selects a byte of the address.
			for m := r.Mask; m&1 == 0; m >>= 1 {
				v >>= 1
			}
			v &= 0xff
		}
		for n := range r.Size {
			data[r.Offset+uint64(n)] = byte(v >> (8 * n))
		}
	}
}
