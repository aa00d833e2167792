// Package device is a GPU as a host program sees it: memory that lives across launches, modules that are
// loaded once, streams and events, and the mistakes of hosts.
//
// Input: the calls of a host, one at a time.
// Output: results in the memory of the device; findings about the kernels and about the host.
// Invariant: calls are carried out in the order in which they are made, which is one of the orders that
// streams allow. Vector clocks (order.go) say which other orders are allowed too.
// Example: Alloc, Write, Launch, Read: the kernel sees the bytes of Write, and Read those of the kernel.
//
// Literature: NVIDIA, CUDA Driver API; Lamport, Time, clocks, and the ordering of events in a distributed
// system (CACM 1978).
package device

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/pages"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// The codes of findings about hosts.
const (
	CodeBadPointer     = "bad-pointer"
	CodeCopyBounds     = "copy-out-of-bounds"
	CodeDoubleFree     = "double-free"
	CodeFreedInUse     = "freed-in-use"
	CodeHostAccess     = "host-access"
	CodeHostRace       = "host-race"
	CodeIgnoredError   = "ignored-error"
	CodeLeak           = "leak"
	CodeMismatchedFree = "mismatched-free"
	CodeOverlap        = "overlapping-copy"
	CodeRefusedCall    = "refused-call"
	CodeStreamRace     = "stream-race"
	CodeUndefinedCopy  = "undefined-copy"
	CodeUseAfterFree   = sim.CodeUseAfterFree
)

// The codes of calls that a device cannot carry out.
const (
	CodeOutOfMemory = "out-of-memory"
	CodeBadHandle   = "bad-handle"
	CodeNoBinary    = "no-binary-for-device"
	CodeTooLarge    = "cooperative-too-large"
	CodeBadLaunch   = "bad-launch"
	CodeNotRecorded = "not-recorded"
)

// Default sizes.
const (
	defaultMemory = 16 << 30
	defaultRepeat = 1 << 30
)

// A Device is one device. It is safe for concurrent use: calls wait for each other.
type Device struct {
	mu      sync.Mutex
	target  Target
	opt     api.DeviceOptions
	mem     *session.Resident
	allocs  map[*sim.Alloc]*allocation
	managed []*allocation
	used    uint64 // bytes of the allocations of the host
	made    int    // allocations so far
	order   order
	streams int // streams that the host has made
	// callers returns the calls of the host that lead to the present call.
	callers func() Callers
	// record, if set, receives each launch before it is made.
	record func(*Recorded)
	// host, if set, lets the host act while a kernel waits; see UseHost.
	host     func() (sim.HostState, HostWait)
	findings diag.List
	sticky   error // the fault after which every call fails
	slips    slips
	last     *operation                // with Check: the last one of any stream
	shared   bool                      // other processes may have some of the memory
	unlisted *unlisted                 // the last launch, if its accesses are not listed
	uses     map[uint32]*hostUse       // of memory of the host
	pending  []uint32                  // those that the host has not waited for
	values   map[api.DevicePtr]written // with Check: the last writes of values
	virtual  virtual
	closed   bool
}

// UseArena lets the device take its memory from an arena instead of the process. It is called before anything else.
func (d *Device) UseArena(a session.Arena) { d.mem.Arena = a }

// UseCallers lets the device ask f for the calls of the host that lead to the present call; f may return nil.
func (d *Device) UseCallers(f func() Callers) { d.callers = f }

// A HostWait is a call of the host that waits for a kernel.
type HostWait struct {
	What    string // "a call that waits for the stream"
	Callers Callers
}

// UseHost lets the device call f while a kernel can only go on if the host changes memory. f may make calls of the
// device; no other caller may do so meanwhile. If the host waits for the kernel, f says in which call.
func (d *Device) UseHost(f func() (sim.HostState, HostWait)) { d.host = f }

// hosted lets the host act during a launch. waits receives the call in which the host waits for the kernel.
func (d *Device) hosted(waits *HostWait) func() sim.HostState {
	if d.host == nil {
		return nil
	}
	return func() sim.HostState {
		d.mu.Unlock() // the launch holds it, and waits for this function
		state, w := d.host()
		d.mu.Lock()
		*waits = w
		if state == sim.HostChanged {
			d.mem.Spoil()
		}
		return state
	}
}

// Shares tells the device that other processes may have some of its memory from now on.
func (d *Device) Shares() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settle()
	d.shared = true
}

// UseRecorder lets the device give each launch to f before it is made.
func (d *Device) UseRecorder(f func(*Recorded)) { d.record = f }

// allocation holds the facts about an allocation beside its bytes.
type allocation struct {
	*sim.Alloc
	host    bool // the host made it, and may free it
	managed bool
	callers Callers
	history history // with Check: later operations are compared with it
}

// New makes a device. target is a name like "sm_80" or "gfx803".
func New(target string, o api.DeviceOptions) (*Device, error) {
	t, err := ParseTarget(target)
	if err != nil {
		return nil, err
	}
	d := &Device{target: t, opt: o, mem: session.NewResident(), allocs: map[*sim.Alloc]*allocation{}, callers: goCallers}
	d.mem.Snapshot = cmp.Or(o.RepeatBytes, defaultRepeat)
	d.opt.MemoryBytes = cmp.Or(o.MemoryBytes, defaultMemory)
	if o.NoCallers {
		d.callers = func() Callers { return nil }
	}
	d.order.start(o.Check)
	return d, nil
}

// Target returns the name of the device's target.
func (d *Device) Target() string { return d.target.Name }

// enter begins a call: it locks the device. The error is the fault after which the device is unusable.
func (d *Device) enter() error {
	if d == nil {
		return failed(CodeBadHandle, "a call without a device", "make the device with NewDevice")
	}
	d.mu.Lock()
	switch {
	case d.mem == nil:
		d.mu.Unlock()
		return failed(CodeBadHandle, "a device that NewDevice did not make", "make the device with NewDevice")
	case d.closed:
		d.mu.Unlock()
		return failed(CodeBadHandle, "the device is closed", "close it after its last use")
	case d.sticky != nil:
		defer d.mu.Unlock()
		return d.sticky
	}
	return nil
}

func (d *Device) leave() { d.mu.Unlock() }

// failed is the error of a call that cannot be carried out.
func failed(code, message, remedy string) error {
	return diag.List{{Severity: diag.Error, Class: diag.Input, Code: code, Message: message, Remedy: remedy}}
}

// mistake reports a mistake of the host at the present call, with the calls that lead there and further steps,
// and returns it as an error.
func (d *Device) mistake(code, message, remedy string, steps ...diag.Related) error {
	x := &diag.Diagnostic{Severity: diag.Error, Class: diag.Finding, Code: code, Message: message, Remedy: remedy}
	if calls := stepsAt(x, d.callers(), "called here"); len(calls) > 0 {
		if x.Pos.Line > 0 {
			calls = calls[1:] // the place of the finding says it
		}
		x.Related = calls
	}
	x.Related = append(x.Related, steps...)
	d.note(x)
	return diag.List{x}
}

// maxFindings is how many findings a device keeps.
const maxFindings = 1 << 16

// note keeps a finding, unless it is not wanted.
func (d *Device) note(x *diag.Diagnostic) {
	if slices.Contains(d.opt.Skip, x.Code) {
		return
	}
	if len(d.findings) < maxFindings {
		d.findings = append(d.findings, x)
	}
	if d.opt.Report != nil {
		d.opt.Report(x)
	}
}

// Findings returns the findings so far, in the order in which they were made.
func (d *Device) Findings() diag.List {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.findings)
}

// Err returns the fault after which the device is unusable, or nil.
func (d *Device) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sticky
}

// Alloc allocates n bytes. An empty name is replaced by one with a number. Managed memory can be used by the
// host too, as the bytes that Managed returns.
func (d *Device) Alloc(name string, n uint64, managed bool) (api.DevicePtr, error) {
	if err := d.enter(); err != nil {
		return 0, err
	}
	defer d.leave()
	a, err := d.alloc(name, n, managed)
	if err != nil {
		return 0, d.allocationFailed(err)
	}
	return api.DevicePtr(a.Base), nil
}

func (d *Device) alloc(name string, n uint64, managed bool) (*allocation, error) {
	if n == 0 {
		return nil, failed(CodeBadLaunch, "an allocation of 0 bytes", "ask for at least one byte")
	}
	if n > d.opt.MemoryBytes-min(d.used, d.opt.MemoryBytes) {
		return nil, failed(CodeOutOfMemory, fmt.Sprintf("an allocation of %d bytes: %d of %d bytes are in use", n, d.used, d.opt.MemoryBytes),
			"free memory first, or give the device more")
	}
	if name == "" {
		name = fmt.Sprintf("allocation %d", d.made+1)
	}
	// An arena has no storage before it is used. Whether the machine has so much is asked now and then.
	const step = 64 << 20
	if d.mem.Arena == nil && !pages.Available(n) || d.mem.Arena != nil && d.used/step != (d.used+n)/step && !pages.Available(d.used+n) {
		return nil, failed(CodeOutOfMemory, fmt.Sprintf("an allocation of %d bytes, which is more than this machine has", n), "allocate less")
	}
	x, err := d.mem.Make(name, n)
	if err != nil {
		return nil, err
	}
	d.made++
	a := &allocation{Alloc: x, host: true, managed: managed, callers: d.callers()}
	a.Uninitialised, a.Outside = d.opt.Check && !managed, managed
	if managed {
		d.managed = append(d.managed, a)
	}
	a.Origin = callsOf(a.callers, "%q (%d bytes) was allocated here", name, n)
	d.allocs[a.Alloc] = a
	d.used += n
	return a, nil
}

// origin returns the calls that made the allocation, for messages.
func (a *allocation) origin() []diag.Related {
	if a.Origin == nil {
		return nil
	}
	return a.Origin()
}

// Managed returns the bytes of managed memory: those of the allocation that begins at the address.
func (d *Device) Managed(p api.DevicePtr) ([]byte, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	a := d.find(uint64(p))
	if a == nil || uint64(p) != a.Base || !a.managed {
		return nil, d.mistake(CodeBadPointer, fmt.Sprintf("%s is not the start of managed memory: %s", p, d.describe(uint64(p))), "allocate managed memory")
	}
	return a.Data, nil
}

// Free frees an allocation, after all work of the device has ended.
func (d *Device) Free(p api.DevicePtr) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	d.order.synchronizeAll()
	return d.free(p)
}

// free frees the allocation that begins at an address. Address 0 is allowed and frees nothing.
func (d *Device) free(p api.DevicePtr) error {
	if p == 0 {
		return nil
	}
	a := d.find(uint64(p))
	if a == nil {
		if text, steps := d.mem.Removed(uint64(p)); text != "" {
			return d.mistake(CodeDoubleFree, fmt.Sprintf("%s is freed, and was freed before: %s", p, text), "free memory once", steps...)
		}
	}
	switch {
	case a == nil || !a.host:
		return d.mistake(CodeBadPointer, fmt.Sprintf("%s is freed, and no allocation begins there: %s", p, d.describe(uint64(p))), "free the address that the allocation returned")
	case a.Base != uint64(p):
		return d.mistake(CodeBadPointer, fmt.Sprintf("%s is freed, which is %d bytes inside %q (%d bytes)", p, uint64(p)-a.Base, a.Name, len(a.Data)),
			"free the address that the allocation returned", a.origin()...)
	}
	d.settle()
	d.mem.Remove(a.Alloc, callsOf(d.callers(), "it was freed here"))
	d.used -= uint64(len(a.Data))
	d.forget(a.Alloc)
	return nil
}

// forget removes the facts about an allocation.
func (d *Device) forget(a *sim.Alloc) {
	if x := d.allocs[a]; x != nil && x.managed {
		d.managed = slices.DeleteFunc(d.managed, func(y *allocation) bool { return y == x })
	}
	delete(d.allocs, a)
}

// defineManaged makes managed memory defined before a launch: the host may have written it, and that is not seen.
// Copies do the same to the bytes that they use.
func (d *Device) defineManaged() {
	for _, a := range d.managed {
		a.Define(0, uint64(len(a.Data)))
	}
}

// find returns the allocation that holds an address, or nil.
func (d *Device) find(addr uint64) *allocation { return d.allocs[d.mem.Find(addr, 1)] }

// describe describes an address, for messages.
func (d *Device) describe(addr uint64) string {
	switch {
	case addr == 0:
		return "it is a null pointer"
	case addr < 1<<16:
		return fmt.Sprintf("it is %d bytes past a null pointer", addr)
	}
	return d.mem.Nearest(addr, 1)
}

// Allocations returns the allocations of the host, by address.
func (d *Device) Allocations() (list []api.Allocation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mem == nil {
		return nil
	}
	for _, a := range d.mem.All() {
		if x := d.allocs[a]; x != nil && x.host {
			list = append(list, api.Allocation{Name: a.Name, Ptr: api.DevicePtr(a.Base), Size: uint64(len(a.Data)), Managed: x.managed, Callers: frames(x.callers)})
		}
	}
	return list
}

// Used returns how many bytes the allocations of the host take, and how many they may take.
func (d *Device) Used() (used, limit uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.used, d.opt.MemoryBytes
}

// Close ends the device. Memory that is still allocated is a finding. It returns all findings.
func (d *Device) Close() diag.List { return d.end(true) }

// Discard ends the device of a host that was stopped: the objects that it has left are no mistake of its own.
func (d *Device) Discard() { d.end(false) }

// end is Close; leaks says whether memory that is still allocated is a finding.
func (d *Device) end(leaks bool) diag.List {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.mem == nil {
		return slices.Clone(d.findings)
	}
	d.closed = true
	for _, a := range d.mem.All() {
		if x := d.allocs[a]; leaks && x != nil && x.host {
			d.leaked(x)
		}
	}
	if leaks {
		d.virtualLeaks()
	}
	d.virtual = virtual{}
	d.mem, d.allocs = session.NewResident(), map[*sim.Alloc]*allocation{}
	return slices.Clone(d.findings)
}

// leaked reports memory that the host can no longer free.
func (d *Device) leaked(a *allocation) {
	d.leakedRange(a.Name, uint64(len(a.Data)), "was never freed", "free it when it is no longer used", a.Origin)
}

// leakedRange reports n bytes that the host has left. origin returns the calls that made them, or is nil.
func (d *Device) leakedRange(name string, n uint64, why, remedy string, origin func() []diag.Related) {
	l := &diag.Diagnostic{Severity: diag.Warning, Class: diag.Finding, Code: CodeLeak, Object: name,
		Message: fmt.Sprintf("%q (%d bytes) %s", name, n, why), Remedy: remedy}
	if origin != nil {
		if calls := origin(); len(calls) > 0 {
			l.Pos, l.Related = calls[0].Pos, calls
		}
	}
	d.note(l)
}

// LeakedObject reports an object of a driver that the host has not ended: a stream, an event, a module, a pool.
func (d *Device) LeakedObject(kind string, made Callers) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.mem == nil {
		return
	}
	x := &diag.Diagnostic{Severity: diag.Warning, Class: diag.Finding, Code: CodeLeak, Message: "this " + kind + " was never destroyed", Remedy: "destroy it when it is no longer used"}
	if kind == "module" {
		// Most hosts keep their modules to the end.
		x.Severity, x.Message, x.Remedy = diag.Note, "this module was never unloaded", "unload it when its kernels are no longer used"
	}
	x.Related = stepsAt(x, made, "it was made here")
	d.note(x)
}

// Drop is Free of memory whose context ends: the host has not freed it, which is a finding.
func (d *Device) Drop(p api.DevicePtr) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	d.order.synchronizeAll()
	if a := d.find(uint64(p)); a != nil && a.host && a.Base == uint64(p) {
		d.leaked(a)
	}
	return d.free(p)
}
