package device

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/internal/verdict"
)

// Launches on memory of the host at its own addresses. The host passes raw pointers, and says neither where an object
// begins nor how long it is.
//
// Input: a launch; pieces of the memory of the host, at the addresses that they have there.
// Output: the pieces as the kernel left them, or an address that the kernel needs and no piece has.
// Invariant: a launch that needs another piece has no effect: its findings, its prints and its stores to variables
// of the module are dropped, and the caller makes it again from the old contents.
// Example: a kernel reads p[0] to p[99999]; the first piece ends at p[16383]; LaunchInPlace returns the address of
// p[16384], and the second launch, with a longer piece, runs to its end.

// A HostPiece is memory of the host.
type HostPiece struct {
	Base uint64 // its address there
	Data []byte // as long as the memory of the device lives at an address that is a multiple of 8, as Base
}

// Need is memory that a launch needs; N is 0 if it needs none.
type Need struct{ Addr, N uint64 }

// usualHeap is the first address of malloc in kernels. Libraries of hosts lie above it.
const usualHeap = 0x7000_0000_0000

// The addresses of malloc in kernels on a device of LaunchInPlace: hosts have their memory at the usual ones.
const inPlaceHeap, inPlaceHeapEnd = 0x2000_0000_0000, 0x3000_0000_0000

// LaunchInPlace runs a kernel on memory of the host. last says that the caller has no more memory: an access to any
// other address is a fault. A fault ends the launch and not the device. The host waits for the kernel.
func (d *Device) LaunchInPlace(ctx context.Context, k *Kernel, l api.DeviceLaunch, pieces []HostPiece, last bool) (need Need, err error) {
	if err := d.enter(); err != nil {
		return need, err
	}
	defer d.leave()
	if err := d.has(k); err != nil {
		return need, err
	}
	if err := k.fits(&l); err != nil {
		return need, d.refusedLaunch(err)
	}
	d.mem.MoveHeap(inPlaceHeap, inPlaceHeapEnd)
	var placed []*sim.Alloc
	defer func() {
		for _, a := range placed {
			d.mem.Detach(a)
			d.forget(a)
		}
	}()
	for _, p := range pieces {
		a, err := d.mem.AddAt(p.Base, fmt.Sprintf("memory of the host at %#x", p.Base), p.Data)
		if err != nil {
			return need, failed(CodeBadLaunch, "the memory of the host cannot be used: "+err.Error(), "copy it to memory of the device")
		}
		a.Visible = true
		placed = append(placed, a)
		d.allocs[a] = &allocation{Alloc: a}
	}
	restore, record := d.beforeInPlace(k, &l, placed)
	in := d.launchOf(k, &l)
	var out bytes.Buffer
	if in.Stdout != nil {
		in.Stdout = &out
	}
	d.mem.Missed()
	res, err := d.runInPlace(ctx, k, in)
	if addr, n, missed := d.mem.Missed(); missed && !last && outOfBounds(err) {
		restore()
		return Need{addr, n}, nil
	}
	record()
	d.order.synchronizeAll()
	if d.opt.Stdout != nil {
		_, _ = d.opt.Stdout.Write(out.Bytes())
	}
	_, err = d.launched(res, err, d.callers())
	d.sticky, d.slips.heard = nil, false
	return need, err
}

// runInPlace runs or checks a launch.
func (d *Device) runInPlace(ctx context.Context, k *Kernel, in session.Launch) (res *api.Result, err error) {
	if d.opt.Check && d.opt.Checks != nil && !d.opt.Checks(k.Name()) {
		d.settle()
		d.mem.Assumed(func() { res, err = k.k.RunOn(ctx, in) })
		return res, err
	}
	op := d.operation(d.Default(), "kernel "+k.Name())
	if op == nil {
		return k.k.RunOn(ctx, in)
	}
	d.defineManaged()
	in.Raced = func(r session.Ranger, fn *ir.Func) { d.accesses(op, r, fn) }
	in.Unscreened = true // tags would be missed, too
	return verdict.CheckOn(ctx, k.k, in)
}

// outOfBounds reports whether a launch ended because memory was missing.
func outOfBounds(err error) bool {
	return slices.ContainsFunc(diag.Of(err), func(x *diag.Diagnostic) bool { return x.Class == diag.Fault && x.Code == sim.CodeOutOfBounds })
}

// beforeInPlace copies the memory that a launch may change. restore puts the variables of the module and the heap back; record
// gives the launch, with the old contents, to the recorder if there is one.
func (d *Device) beforeInPlace(k *Kernel, l *api.DeviceLaunch, placed []*sim.Alloc) (restore, record func()) {
	heap := d.mem.SaveHeap()
	saved := map[*sim.Alloc]*sim.Saved{}
	for a := range d.allocs {
		if !slices.Contains(placed, a) && !a.ReadOnly && len(a.Data) > 0 {
			saved[a] = a.Save(nil)
		}
	}
	var old map[*sim.Alloc][]byte
	if d.record != nil {
		old = map[*sim.Alloc][]byte{}
		for a := range d.allocs {
			old[a] = bytes.Clone(a.Data)
		}
	}
	restore = func() {
		for a, s := range saved {
			a.Restore(s)
		}
		d.mem.RestoreHeap(heap)
	}
	record = func() {
		if d.record == nil {
			return
		}
		exchange := func() {
			for a := range d.allocs {
				if old[a] != nil {
					a.Data, old[a] = old[a], a.Data
				}
			}
		}
		exchange()
		d.record(d.recorded(k, l))
		exchange()
	}
	return restore, record
}
