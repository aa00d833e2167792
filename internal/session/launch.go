package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unsafe"

	"example.org/crosslane/amdgpu/hazard"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/lineprofile"
	"example.org/crosslane/internal/profile"
	"example.org/crosslane/internal/sim"
)

// Limits of a launch.
const (
	MaxBlockLanes  = 1024
	maxBlockZ      = 64 // PTX: CUDA Programming Guide, table of compute capabilities
	maxSharedBytes = 1 << 20
	maxLocalBytes  = 512 << 10 // per lane; the most that the hardware of both vendors has
	maxLDSBytes    = 64 << 10  // per workgroup on GCN3
	maxScratch     = 131056    // per work-item on GCN3: (2^13 - 1) * 256 dwords a wavefront
	maxLocalTotal  = 1 << 30   // for all lanes that run at a time
	maxStack       = 1 << 28   // per lane
	maxOutput      = 64 << 20  // printed text, if it is collected
	maxGridX       = 1<<31 - 1
	maxGridYZ      = 65535
)

// Memory is the global memory of one launch.
type Memory struct {
	*sim.Memory
	Buffers []*api.Buffer
	Allocs  map[*api.Buffer]*sim.Alloc
	copied  map[*api.Buffer][]byte // bytes that were moved to an aligned place
	shared  uint32                 // bytes asked for by SharedBytes arguments
	// sharedBase is where dynamic shared memory begins.
	sharedBase uint32
	printf     *printfBuffer // for GCN3 kernels that print
	// unused, if set, is called when the memory is no longer read, if that time is known.
	unused func()
	on     *Placed // the memory outlives the launch; nil: it does not
}

func NewMemory(wide bool) *Memory {
	m := &Memory{Memory: sim.NewMemory(), Allocs: map[*api.Buffer]*sim.Alloc{}, copied: map[*api.Buffer][]byte{}}
	if !wide {
		m.Memory = sim.NewMemory32()
	}
	return m
}

// memoryFor returns the memory of a launch, after a check of the launch's buffers.
func (k *Kernel) memoryFor(p *Prepared, l *Launch) (*Memory, error) {
	if l.On == nil {
		mem := NewMemory(p.wide)
		return mem, k.checkBuffers(l, mem.pointerSize())
	}
	if err := k.checkBuffers(l, 8); err != nil {
		return nil, err
	}
	if len(BuffersOf(&l.Launch)) > 0 || len(l.Symbols) > 0 {
		d := k.Errorf("bad-argument", "a buffer of the host; a kernel on a device sees the memory of the device only")
		d.Remedy = "allocate memory on the device, copy the buffer there, and pass the address"
		return nil, diag.List{d}
	}
	return &Memory{Memory: l.On.r.Memory, on: l.On, Allocs: l.On.r.allocOf}, nil
}

// address places a buffer, once, and returns its guest address.
func (m *Memory) address(b *api.Buffer) uint64 {
	a := m.Allocs[b]
	if a == nil {
		data := m.bytes(b)
		a = m.Add(b.Name, data)
		a.Uninitialised, a.Visible, a.Elem = b.Uninitialised && len(b.Pointers) == 0, true, uint64(b.Type.Size())
		if b.UndefinedBits != nil {
			a.SetUndefined(b.UndefinedBits, false)
		}
		m.Allocs[b] = a
		m.Buffers = append(m.Buffers, b)
		m.put(data, b.Pointers) // may point to b itself
	}
	return a.Base
}

// bytes are those of a buffer at an address that is a multiple of 8.
func (m *Memory) bytes(b *api.Buffer) []byte {
	data := b.Data
	if len(data) > 0 && uintptr(unsafe.Pointer(&data[0]))%8 != 0 {
		data = Aligned(len(data))
		copy(data, b.Data)
		m.copied[b] = data
	}
	return data
}

// pointerSize is the size of an address in bytes.
func (m *Memory) pointerSize() int {
	if m.Wide() {
		return 8
	}
	return 4
}

// put writes the addresses of buffers among bytes.
func (m *Memory) put(data []byte, list []api.Pointer) {
	for _, p := range list {
		addr := m.address(p.To) + uint64(p.Add)
		for i := range m.pointerSize() {
			data[p.At+i] = byte(addr >> (8 * i))
		}
	}
}

// Aligned makes a byte slice at an address that is a multiple of 8.
func Aligned(n int) []byte {
	if n == 0 {
		return nil
	}
	w := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), n)
}

// finish brings results back and marks the buffers that the kernel wrote.
func (m *Memory) finish() {
	for b, a := range m.Allocs {
		if c := m.copied[b]; c != nil {
			copy(b.Data, c)
		}
		b.Written = a.Written()
	}
}

func (k *Kernel) Errorf(code, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(diag.Pos{File: k.m.file}, diag.Input, code, "kernel "+k.name+": "+format, args...)
}

// Size3 checks a grid or block and replaces zeros by ones.
func (k *Kernel) Size3(what string, d api.Dim3, limit [3]uint64) ([3]uint32, error) {
	s := [3]uint32{max(d.X, 1), max(d.Y, 1), max(d.Z, 1)}
	for i, v := range s {
		if uint64(v) > limit[i] {
			return s, diag.List{k.Errorf("bad-launch", "%s dimension %c is %d; at most %d is allowed", what, "xyz"[i], v, limit[i])}
		}
	}
	return s, nil
}

func (k *Kernel) Execute(ctx context.Context, p *Prepared, l Launch) (*api.Result, error) {
	if l.Workers > api.MaxWorkers {
		return nil, diag.List{k.Errorf("bad-launch", "%d workers were requested; at most %d are allowed, and more workers than processors gain nothing", l.Workers, api.MaxWorkers)}
	}
	s := &sim.Launch{Func: p.Fn, Workers: l.Workers, Limits: sim.Limits{Timeout: l.Timeout, Limit: l.Limit, StuckAfter: l.StuckAfter}, Storage: sim.Spare()}
	if err := k.shape(p, l, s); err != nil {
		return nil, err
	}
	engine, err := k.choose(p, &l)
	if err != nil {
		return nil, err
	}
	s.Program = engine.program
	switch l.Undefined {
	case "", api.UndefinedOwn:
		s.Undefined = sim.Own
	case api.UndefinedZero:
		s.Undefined = sim.Zero
	case api.UndefinedPoison:
		s.Undefined = sim.Poison
	default:
		return nil, diag.List{k.Errorf("bad-launch", "undefined values cannot be %q: own, zero or poison", l.Undefined)}
	}
	if s.Schedule, err = orderOf(l.Schedule); err != nil {
		return nil, diag.List{k.Errorf("bad-launch", "%v", err)}
	}
	mem, err := k.memoryFor(p, &l)
	if err != nil {
		return nil, err
	}
	if err := p.bind(&l, s, mem); err != nil {
		return nil, err
	}
	total := uint64(p.Fn.Declared()) + uint64(l.Shared) + uint64(mem.shared)
	limit := uint64(maxSharedBytes)
	if k.m.isa == api.GCN3 {
		limit = maxLDSBytes
	}
	if total > limit {
		return nil, diag.List{k.Errorf("bad-launch", "a block needs %d bytes of shared memory (%d static); at most %d are allowed", total, p.Fn.Declared(), limit)}
	}
	s.Dynamic = l.Shared + mem.shared
	if l.Screening != nil {
		if p, err = l.Screening.bind(k, p, s, mem); err != nil {
			return nil, err
		}
		defer l.Screening.detach()
		s.Func = p.Fn
		if engine, err = k.choose(p, &l); err != nil {
			return nil, err
		}
		s.Program = engine.program
	}
	s.Memory, s.Together = mem.Memory, l.Cooperative
	if a := mem.Allocs[l.LookAt]; a != nil {
		at := l.Look.Addr
		l.Look.Data, l.Look.Addr = a.Data[at:at+uint64(len(l.Look.Data))], a.Base+at
		s.Look = l.Look
	}
	if s.Workers <= 0 && s.Schedule != (sim.Schedule{}) {
		s.Workers = 1
	}
	if s.Workers <= 0 {
		s.Workers = sim.DefaultWorkers(p.Fn)
	}
	if err := k.runtime(p, l, s); err != nil {
		return nil, err
	}
	var races *race.Detector
	if p.Races {
		races = race.NewDetector(cmp.Or(l.RaceMemory, 1<<30))
		if l.Raced != nil {
			races.Constants()
		}
		s.Races = races
	}
	if l.Screening != nil {
		s.Hints, s.Workers = true, 1
	}
	if p.Track {
		s.Hints = true
		s.Track, s.Workers, s.Origins, s.Ways = true, 1, l.Origins, l.Ways
	}
	s.Noted = l.Noted
	if p.Watch != nil {
		p.Watch(mem, s)
		s.Workers = 1
	}
	var printed output
	if s.Stdout = l.Stdout; s.Stdout == nil {
		s.Stdout = &printed
	}
	if local := uint64(p.Fn.LocalSize); local > maxLocalBytes {
		return nil, diag.List{k.Errorf("bad-launch", "the kernel needs %d bytes of private memory per lane; at most %d are allowed", local, maxLocalBytes)}
	} else if local += uint64(s.Stack); local*uint64(s.Block[0])*uint64(s.Block[1])*uint64(s.Block[2]) > maxLocalTotal {
		d := k.Errorf("bad-launch", "a block needs %d bytes of private memory for each of its lanes, %d of them for the stack; at most %d for all of them are allowed", local, s.Stack, maxLocalTotal)
		d.Remedy = "give it less with --stack, or launch smaller blocks"
		return nil, diag.List{d}
	} else if block := local * uint64(s.Block[0]) * uint64(s.Block[1]) * uint64(s.Block[2]); block > 0 {
		s.Workers = int(max(1, min(uint64(s.Workers), maxLocalTotal/block)))
	}
	if l.Dump != nil {
		return nil, k.dumped(p, &l, s)
	}
	s.Stalled = l.Stalled
	s.Ended, s.Awaits = l.Ended, l.Waits && s.Workers == 1
	var counts *profile.Recorder
	if p.counts != nil {
		counts = profile.NewRecorder(p.counts, s.Workers)
		s.Recorder, s.CallOuts = counts, counts
	}
	if l.On != nil && l.Origins != nil {
		defer mem.HideUndefined()()
	}
	start := time.Now()
	st, findings, err := sim.Run(ctx, s)
	if !p.Track {
		for _, d := range findings {
			if d.Code == sim.CodeUndefinedSource {
				d.Remedy += "; crosslane check shows whether anything depends on it"
			}
		}
	}
	if l.Screening != nil {
		l.Screening.worked(st.WaveInstructions)
	}
	if l.Screening != nil && !l.Screening.ended(err == nil && len(findings) == 0, st.Beside > 0) {
		return nil, errSuspicious
	}
	mem.finish()
	if l.Screening != nil && l.Raced != nil {
		l.Raced(l.Screening, p.Fn)
	}
	if l.Detected != nil && races != nil {
		l.Detected(races)
	}
	if l.Raced != nil && races != nil {
		l.Raced(races, p.Fn)
	}
	if l.Finished != nil && err == nil {
		findings = append(findings, l.Finished(mem)...)
	}
	if k.m.isa == api.GCN3 && s.Block[0]*s.Block[1]*s.Block[2] <= 64 { // a single wave sees its own writes
		findings = slices.DeleteFunc(findings, func(d *diag.Diagnostic) bool { return d.Code == hazard.CodeWaitcntBarrier })
	}
	if p.Origin != nil {
		p.Origin(findings)
		p.Origin(diag.Of(err))
	}
	k.suggest(findings)
	if d := k.finishPrintf(mem, s.Stdout); d != nil {
		findings = append(findings, d)
	}
	res := &api.Result{
		Kernel: k.name, ISA: k.m.isa, Grid: dim3(s.Grid), Block: dim3(s.Block),
		Buffers: mem.Buffers, Findings: append(append(diag.List{}, p.warnings...), findings...),
		Fidelity: p.fidelity,
		Output:   printed.text.String(),
		Stats:    engine.stats(st),
	}
	res.Stats.Seconds, res.Stats.Workers = time.Since(start).Seconds(), s.Workers
	if counts != nil {
		res.Profile = lineprofile.Of(p.Fn, counts, res, p.Origin)
		k.m.linked.profile(res.Profile)
	}
	if mem.unused != nil && p.Watch == nil && s.Inspect == nil && s.Setup == nil {
		mem.unused()
	}
	return res, err
}

// runtime sets the sizes of stacks and heap.
func (k *Kernel) runtime(p *Prepared, l Launch, s *sim.Launch) error {
	if l.Stack > maxStack {
		return diag.List{k.Errorf("bad-launch", "a stack of %d bytes a lane; at most %d are allowed", l.Stack, maxStack)}
	}
	if l.Heap > 1<<34 {
		return diag.List{k.Errorf("bad-launch", "a heap of %d bytes; at most %d are allowed", l.Heap, uint64(1<<34))}
	}
	if s.Heap = l.Heap; s.Heap == 0 {
		s.Heap = api.DefaultHeap
	}
	if !p.Fn.Stack && !p.Fn.StackUp {
		return nil
	}
	if s.Stack = (l.Stack + 15) &^ 15; s.Stack == 0 {
		s.Stack = api.DefaultStack
	}
	return nil
}

// output collects the text that a kernel prints.
type output struct{ text strings.Builder }

func (o *output) Write(b []byte) (int, error) {
	switch room := maxOutput - o.text.Len(); {
	case room >= len(b):
		o.text.Write(b)
	case room > 0:
		o.text.Write(b[:room])
		fmt.Fprintf(&o.text, "\n(the text after the first %d bytes is left out)\n", maxOutput)
	}
	return len(b), nil
}

// shape checks the grid and the block against the kernel.
func (k *Kernel) shape(p *Prepared, l Launch, s *sim.Launch) (err error) {
	if s.Grid, err = k.Size3("grid", l.Grid, [3]uint64{maxGridX, maxGridYZ, maxGridYZ}); err != nil {
		return err
	}
	limit := [3]uint64{MaxBlockLanes, MaxBlockLanes, MaxBlockLanes}
	if k.m.isa == api.PTX {
		limit[2] = maxBlockZ
	}
	if s.Block, err = k.Size3("block", l.Block, limit); err != nil {
		return err
	}
	if err := k.clusters(p, &l, s); err != nil {
		return err
	}
	return k.BlockFits(p.Fn, s.Block)
}

// Fits checks the grid, the block and the parameter block of a launch, if it has one, against the kernel.
func (k *Kernel) Fits(l Launch) error {
	p, err := k.Prepare(false)
	if err != nil {
		return err
	}
	if err := k.shape(p, l, &sim.Launch{}); err != nil || l.Params == nil {
		return err
	}
	return k.enoughParams(&l)
}

// BlockFits checks a block against the kernel's directives.
func (k *Kernel) BlockFits(fn *ir.Func, block [3]uint32) error {
	lanes := uint64(block[0]) * uint64(block[1]) * uint64(block[2])
	limit := uint64(MaxBlockLanes)
	of := "are allowed"
	if m := uint64(fn.MaxBlock); m > 0 && m < limit {
		limit, of = m, "fit, as the kernel declares"
	}
	if lanes > limit {
		return diag.List{k.Errorf("bad-launch", "a block of %d lanes; at most %d %s", lanes, limit, of)}
	}
	if r := fn.ReqBlock; r != [3]uint32{} && r != block {
		d := k.Errorf("bad-launch", "the block is %d,%d,%d; the kernel requires %d,%d,%d", block[0], block[1], block[2], r[0], r[1], r[2])
		d.Remedy = fmt.Sprintf("launch it with --block %d,%d,%d", r[0], r[1], r[2])
		return diag.List{d}
	}
	return nil
}

// Profiled is p with instrumentation that counts.
func (k *Kernel) Profiled(p *Prepared) (*Prepared, error) {
	fn, counts := profile.Instrument(p.Fn)
	out, err := k.WithCode(p, fn)
	if out != nil {
		out.counts = counts
	}
	return out, err
}

func dim3(d [3]uint32) api.Dim3 { return api.Dim3{X: d[0], Y: d[1], Z: d[2]} }
