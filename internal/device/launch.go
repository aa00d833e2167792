package device

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/provenance"
	"example.org/crosslane/internal/recording"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/internal/verdict"
)

// A Kernel is a kernel of a module on a device.
type Kernel struct {
	m          *Module
	k          *session.Kernel
	limited    bool   // the host has called SetMaxDynamicShared
	maxDynamic uint32 // with this
}

// Name returns the kernel's name.
func (k *Kernel) Name() string { return k.k.Name() }

// Params returns the parameters that the caller passes.
func (k *Kernel) Params() []api.Param { return k.k.Params() }

// enter begins a call that uses the kernel.
func (k *Kernel) enter() error {
	if k == nil || k.m == nil {
		return failed(CodeBadHandle, "no kernel is given", "take the kernel from a module of a device")
	}
	return k.m.enter()
}

// SetMaxDynamicShared allows launches up to n bytes of dynamic shared memory (cuFuncSetAttribute,
// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES). Without it static and dynamic memory together may have
// SharedPerBlock bytes.
func (k *Kernel) SetMaxDynamicShared(n uint32) error {
	if err := k.enter(); err != nil {
		return err
	}
	defer k.m.d.leave()
	static, err := k.staticShared()
	if err != nil {
		return err
	}
	if most := k.m.d.target.SharedOptin; uint64(n)+static > uint64(most) {
		return k.refused(fmt.Sprintf("%d bytes of dynamic shared memory beside %d static ones; a block of %s has at most %d", n, static, k.m.d.target.Name, most), "use smaller tiles or fewer stages")
	}
	k.limited, k.maxDynamic = true, n
	return nil
}

// refused is the error of a launch that does not fit the kernel or the device.
func (k *Kernel) refused(message, remedy string) error {
	d := k.k.Errorf(CodeBadLaunch, "%s", message)
	d.Remedy = remedy
	return diag.List{d}
}

// staticShared is how many bytes of shared memory the kernel declares.
func (k *Kernel) staticShared() (uint64, error) {
	p, err := k.k.Prepare(false)
	if err != nil {
		return 0, err
	}
	return uint64(p.Fn.Declared()), nil
}

// BlockLimits returns the block that the kernel requires, or the zero Dim3, and the most lanes of a block.
func (k *Kernel) BlockLimits() (required api.Dim3, most uint32, err error) { return k.k.BlockLimits() }

// Attributes are facts of a kernel (CUDA driver API, CUfunction_attribute). Sizes are in bytes.
type Attributes struct {
	MaxThreads, StaticShared, ConstBytes, LocalBytes int
	Registers                                        int // an estimate: the code for the hardware is not known
	PTXVersion, BinaryVersion                        int // architectures: 80 for compute_80 and sm_80
	MaxDynamicShared                                 int
}

// Attributes translates the kernel and returns its attributes. The error names the instruction that cannot run.
func (k *Kernel) Attributes() (a Attributes, err error) {
	if err := k.m.enter(); err != nil {
		return a, err
	}
	defer k.m.d.leave()
	p, err := k.k.Prepare(false)
	if err != nil {
		return a, err
	}
	_, most, err := k.k.BlockLimits()
	if err != nil {
		return a, err
	}
	a = Attributes{MaxThreads: int(most), StaticShared: int(p.Fn.Declared()), LocalBytes: int(p.Fn.LocalSize),
		MaxDynamicShared: int(k.dynamicLimit(uint64(p.Fn.Declared()))), BinaryVersion: k.m.d.target.Arch, PTXVersion: k.m.d.target.Arch}
	for _, v := range k.m.placed.Variables() {
		if v.ReadOnly {
			a.ConstBytes += int(v.Size)
		}
	}
	// The virtual architecture, not the version of the ISA: CUB chooses by it the code that it has compiled.
	if m := k.m.placed.Module().PTX(); m != nil && m.Target.SM != 0 {
		a.PTXVersion = m.Target.SM
	}
	// Each value of the guest that lanes keep takes a register for each 4 bytes; about half of them live at a time.
	bytes := 0
	for i := range p.Fn.Values {
		if v := &p.Fn.Values[i]; v.Kind == ir.Guest && v.Type != ir.B1 {
			bytes += int(max(v.Type.Bytes(), 4))
		}
	}
	a.Registers = min(255, 16+bytes/8)
	if m := k.m.placed.Module().PTX(); m != nil {
		if f := m.Func(k.k.Name()); f != nil && f.Directive(".maxnreg") != nil {
			a.Registers = min(a.Registers, int(f.Directive(".maxnreg").Args[0].Val))
		}
	}
	return a, nil
}

// Launch runs a kernel in the stream and returns its result. The result is not nil if the kernel was started.
// The error is a diag.List: the launch does not fit, or the kernel faulted. Findings are in the result and in
// those of the device.
func (s *Stream) Launch(ctx context.Context, k *Kernel, l api.DeviceLaunch) (res *api.Result, err error) {
	if err := s.work("a launch"); err != nil {
		return nil, err
	}
	d := s.d
	defer d.leave()
	if ctx == nil {
		ctx = context.Background()
	}
	if err := d.has(k); err != nil {
		return nil, err
	}
	if err := k.fits(&l); err != nil {
		return nil, d.refusedLaunch(err)
	}
	if d.record != nil {
		d.record(d.recorded(k, &l))
	}
	in := d.launchOf(k, &l)
	var waits HostWait
	in.Stalled = d.hosted(&waits)
	if d.opt.Check && d.opt.Checks != nil && !d.opt.Checks(k.Name()) {
		d.tell(nil)
		d.settle()
		d.mem.Assumed(func() { res, err = k.k.RunOn(ctx, in) })
		waits.explain(err)
		return d.launched(res, err, d.callers())
	}
	op := d.operation(s, "kernel "+k.Name())
	if op == nil {
		res, err := k.k.RunOn(ctx, in)
		waits.explain(err)
		return d.launched(res, err, nil)
	}
	d.defineManaged()
	in.Raced = func(r session.Ranger, fn *ir.Func) { d.accesses(op, r, fn) }
	// The host or another process may see what another run of the kernel stores, and may change the memory at any time.
	in.Listed = len(d.managed) > 0 || d.shared
	res, err = verdict.CheckOn(ctx, k.k, in)
	d.ended()
	waits.explain(err)
	return d.launched(res, err, op.callers)
}

// explain adds to a livelock the call in which the host waits.
func (w *HostWait) explain(err error) {
	for _, x := range diag.Of(err) {
		if x.Code != sim.CodeLivelock || w.What == "" {
			continue
		}
		what := "the host changes no memory, because it waits for the stream in " + w.What
		var calls []diag.Related
		if w.Callers != nil {
			calls = w.Callers.calls(what)
		}
		if len(calls) == 0 {
			calls = []diag.Related{{Message: what}}
		}
		x.Related = append(slices.Clip(x.Related), calls...)
	}
}

// has returns an error unless the kernel is on the device, which is locked.
func (d *Device) has(k *Kernel) error {
	if k == nil || k.m == nil {
		return d.mistake(CodeBadHandle, "no kernel is given", "take the kernel from a module of the device")
	}
	if k.m.d != d || k.m.gone {
		return d.mistake(CodeBadHandle, "kernel "+k.Name()+" is launched and is not on the device", "launch it before its module is unloaded, in a stream of its device")
	}
	return nil
}

// Fits returns the error with which Launch would refuse a launch before the kernel runs; nil if the kernel would run.
func (s *Stream) Fits(k *Kernel, l api.DeviceLaunch) error {
	if err := s.enter(); err != nil {
		return err
	}
	d := s.d
	defer d.leave()
	if err := d.has(k); err != nil {
		return err
	}
	err := k.fits(&l)
	if err == nil {
		err = k.k.Fits(session.Launch{On: k.m.placed, Params: l.Params, Launch: api.Launch{Grid: l.Grid, Block: l.Block, Cluster: l.Cluster, Args: l.Args}})
	}
	return d.refusedLaunch(err)
}

// refusedLaunch reports with Check that a launch is refused, and returns the reason.
func (d *Device) refusedLaunch(err error) error {
	if list := diag.Of(err); d.opt.Check && len(list) > 0 && list[0].Class == diag.Input {
		_ = d.mistake(CodeRefusedCall, "a launch is refused, and the kernel does not run: "+list[0].Message, cmp.Or(list[0].Remedy, "launch with what the kernel and the device allow"))
	}
	return err
}

// Refused reports with Check that a driver has refused a call of the host. handle says that an object is the reason.
func (d *Device) Refused(handle bool, message, remedy string) {
	if d.enter() != nil {
		return
	}
	defer d.leave()
	if !d.opt.Check {
		return
	}
	code := CodeRefusedCall
	if handle {
		code = CodeBadHandle
	}
	_ = d.mistake(code, message, remedy)
}

// launchOf is a launch as the session makes it.
func (d *Device) launchOf(k *Kernel, l *api.DeviceLaunch) session.Launch {
	return session.Launch{On: k.m.placed, Params: l.Params, Launch: api.Launch{
		Grid: l.Grid, Block: l.Block, Cluster: l.Cluster, Shared: l.Shared, Args: l.Args, Cooperative: l.Cooperative, Profile: l.Profile, Schedule: l.Schedule,
		Engine: d.opt.Engine, Native: d.opt.Native, Workers: d.opt.Workers, Timeout: d.opt.Timeout, Stack: d.opt.Stack, Heap: d.opt.Heap,
		Undefined: d.opt.Undefined, RaceMemory: d.opt.RaceMemory, Skip: d.opt.Skip, Stdout: d.opt.Stdout,
	}}
}

// Why explains a value of a launch, as Kernel.Why does: the kernel runs, perhaps several times, on the memory of the
// device, which is as before when Why returns. A buffer is an allocation; its elements are words of 32 bits, or bytes
// if its size is no multiple of 4. No stream waits, and nothing is reported.
func (d *Device) Why(ctx context.Context, k *Kernel, l api.DeviceLaunch, o api.WhyOptions) (*api.Provenance, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	if ctx == nil {
		ctx = context.Background()
	}
	if err := d.has(k); err != nil {
		return nil, err
	}
	if err := k.fits(&l); err != nil {
		return nil, err
	}
	d.settle()
	d.defineManaged()
	return provenance.WhyOn(ctx, k.k, d.launchOf(k, &l), o)
}

// Record is crosslane.Device.Record.
func (d *Device) Record(ctx context.Context, k *Kernel, l api.DeviceLaunch, o api.RecordOptions) (*recording.Recording, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	if ctx == nil {
		ctx = context.Background()
	}
	if err := d.has(k); err != nil {
		return nil, err
	}
	if err := k.fits(&l); err != nil {
		return nil, err
	}
	d.settle()
	d.defineManaged()
	return recording.RecordOn(ctx, k.k, d.launchOf(k, &l), o)
}

// dynamicLimit is how much dynamic shared memory a launch may have beside the static one.
func (k *Kernel) dynamicLimit(static uint64) uint64 {
	if k.limited {
		return uint64(k.maxDynamic)
	}
	most := uint64(k.m.d.target.SharedPerBlock)
	return most - min(static, most)
}

// fits checks a launch against the device. The session checks it against the kernel.
func (k *Kernel) fits(l *api.DeviceLaunch) error {
	t := &k.m.d.target
	static, err := k.staticShared()
	if err != nil {
		return err
	}
	most := k.dynamicLimit(static)
	if uint64(l.Shared) > most {
		return k.refused(fmt.Sprintf("%d bytes of dynamic shared memory beside %d static ones; at most %d are allowed", l.Shared, static, most),
			fmt.Sprintf("ask for more with SetMaxDynamicShared (cudaFuncAttributeMaxDynamicSharedMemorySize); %s has %d", t.Name, t.SharedOptin))
	}
	if static+uint64(l.Shared) > uint64(t.SharedOptin) {
		return k.refused(fmt.Sprintf("a block needs %d bytes of shared memory, %d of them static; %s has %d", static+uint64(l.Shared), static, t.Name, t.SharedOptin), "use smaller tiles or fewer stages")
	}
	if !l.Cooperative {
		return nil
	}
	n, err := k.occupancy(l.Block, l.Shared)
	if err != nil {
		return err
	}
	if room := uint64(n) * uint64(t.Multiprocessors); l.Grid.Blocks() > room {
		d := k.k.Errorf(CodeTooLarge, "%d blocks are to be in flight together; %s has room for %d of them", l.Grid.Blocks(), t.Name, room)
		d.Remedy = "launch at most as many blocks as Occupancy gives for each multiprocessor, and let them loop"
		return diag.List{d}
	}
	return nil
}

// Occupancy returns how many blocks of a shape, with dynamic shared memory in bytes, are on a multiprocessor at a
// time. Registers are not counted, because the code for the hardware is not known.
func (k *Kernel) Occupancy(block api.Dim3, shared uint32) (int, error) {
	if err := k.enter(); err != nil {
		return 0, err
	}
	defer k.m.d.leave()
	return k.occupancy(block, shared)
}

func (k *Kernel) occupancy(block api.Dim3, shared uint32) (int, error) {
	static, err := k.staticShared()
	if err != nil {
		return 0, err
	}
	t := &k.m.d.target
	if max(block.X, block.Y, block.Z) > uint32(t.ThreadsPerBlock) || block.Blocks() > uint64(t.ThreadsPerBlock) {
		return 0, k.refused(fmt.Sprintf("a block of %d,%d,%d lanes; %s has at most %d", block.X, block.Y, block.Z, t.Name, t.ThreadsPerBlock), "use smaller blocks")
	}
	lanes := block.Blocks()
	waves := (lanes + uint64(t.WarpSize) - 1) / uint64(t.WarpSize)
	n := min(uint64(t.BlocksPerMultiprocessor), uint64(t.ThreadsPerMultiprocessor)/(waves*uint64(t.WarpSize)))
	if each := static + uint64(shared) + uint64(t.SharedReserved); each > 0 {
		n = min(n, uint64(t.SharedPerMultiprocessor)/each)
	}
	return int(n), nil
}

// launched finishes a launch: it keeps the findings, and a fault is sticky.
func (d *Device) launched(res *api.Result, err error, c Callers) (*api.Result, error) {
	if res == nil && err != nil {
		return nil, d.refusedLaunch(err)
	}
	if err == nil && len(res.Findings) == 0 {
		return res, nil
	}
	faults := diag.Of(err)
	for _, x := range slices.Concat(res.Findings, faults) {
		if x.Code == sim.CodeCancelled {
			continue // the host has ended the launch: that is no finding
		}
		if c != nil && x.Severity > diag.Note {
			x.Related = append(slices.Clip(x.Related), c.calls("it was launched here")...)
		}
		d.named(x)
		d.note(x)
	}
	if !d.opt.KeepGoing && slices.ContainsFunc(faults, func(x *diag.Diagnostic) bool { return x.Class == diag.Fault && x.Code != sim.CodeCancelled }) {
		d.sticky = err
		d.slips.heard = !d.slips.late
	}
	return res, err
}

// named adds to a finding about an allocation the calls that made it.
func (d *Device) named(x *diag.Diagnostic) {
	if x.Object == "" {
		return
	}
	for _, a := range d.mem.All() {
		if y := d.allocs[a]; y != nil && a.Name == x.Object && a.Origin != nil {
			x.Related = append(slices.Clip(x.Related), a.Origin()...)
			return
		}
	}
}
