package device

import (
	"fmt"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/ptx"
)

// A Module is a module on a device. Its variables live until it is unloaded.
type Module struct {
	d      *Device
	placed *session.Placed
	gone   bool
	image  []byte // for a recorder
	// kernels holds the kernels that the host has asked for: attributes that it sets for one stay set.
	kernels map[*session.Kernel]*Kernel
}

// Load puts a module on the device. The error is a diag.List: the module is for another device, or its
// variables cannot be placed.
func (d *Device) Load(m *session.Module) (*Module, error) { return d.LoadAt(m, nil) }

// LoadAt is Load of a module some of whose variables are at addresses of the host, by their names. They are managed. The
// arena of the device provides their memory.
func (d *Device) LoadAt(m *session.Module, at map[string]uint64) (*Module, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	if m == nil {
		return nil, failed(CodeBadHandle, "no module is given", "load the module first")
	}
	if err := d.fits(m); err != nil {
		return nil, err
	}
	for _, base := range at {
		if base >= usualHeap {
			d.mem.MoveHeap(inPlaceHeap, inPlaceHeapEnd)
		}
	}
	d.mem.At = at
	p, err := d.mem.Load(m)
	d.mem.At = nil
	if err != nil {
		return nil, err
	}
	c := d.callers()
	for _, a := range p.Allocs() {
		a.Origin = callsOf(c, "the module of %q was loaded here", a.Name)
		d.allocs[a] = &allocation{Alloc: a, callers: c}
	}
	for _, v := range p.Variables() {
		if v.Managed {
			x := d.allocs[v.Alloc]
			x.managed, x.Outside = true, true
			d.managed = append(d.managed, x)
		}
	}
	return &Module{d: d, placed: p, kernels: map[*session.Kernel]*Kernel{}}, nil
}

// fits checks that the device can run a module: programs find out architectures that way.
func (d *Device) fits(m *session.Module) error {
	bad := func(format string, args ...any) error {
		x := diag.Errorf(diag.Pos{File: m.File()}, diag.Input, CodeNoBinary, format, args...)
		x.Remedy = "compile the module for " + d.target.Name + ", or make a device that runs the target of the module"
		return diag.List{x}
	}
	if m.ISA() != d.target.ISA {
		return bad("the module is %s; the device is %s", m.ISA(), d.target.Name)
	}
	if m.PTX() == nil {
		return nil // a code object; or several modules, which cannot be placed
	}
	t := m.PTX().Target
	own := ptx.Target{SM: d.target.Arch}
	switch {
	case t.RunsOn(own.SM):
		return nil
	case t.Suffix == 'a':
		return bad("the module is for %s alone; the device is %s", t, own)
	case t.Suffix == 'f':
		return bad("the module is for the family of %s; the device is %s", t, own)
	}
	return bad("the module is for %s; the device is %s", t, own)
}

// enter begins a call that uses the module.
func (m *Module) enter() error {
	if m == nil {
		return failed(CodeBadHandle, "no module is given", "load the module first")
	}
	if err := m.d.enter(); err != nil {
		return err
	}
	if m.gone {
		defer m.d.leave()
		return m.d.mistake(CodeBadHandle, "a module is used after it was unloaded", "unload a module after its last use")
	}
	return nil
}

// Unload takes the module and its variables away, after all work of the device has ended.
func (m *Module) Unload() error {
	if err := m.enter(); err != nil {
		return err
	}
	d := m.d
	defer d.leave()
	d.order.synchronizeAll()
	d.settle()
	m.placed.Remove(callsOf(d.callers(), "its module was unloaded here"))
	for _, a := range m.placed.Allocs() {
		d.forget(a)
	}
	m.gone = true
	return nil
}

// Kernel returns a kernel by its name, as session.Module.Kernel does.
func (m *Module) Kernel(name string) (*Kernel, error) {
	if err := m.enter(); err != nil {
		return nil, err
	}
	defer m.d.leave()
	k, err := m.placed.Module().Kernel(name)
	if err != nil {
		return nil, err
	}
	return m.kernel(k), nil
}

// kernel returns the kernel on the device, always the same one.
func (m *Module) kernel(k *session.Kernel) *Kernel {
	x := m.kernels[k]
	if x == nil {
		x = &Kernel{m: m, k: k}
		m.kernels[k] = x
	}
	return x
}

// ExactKernel returns the kernel whose name in the file is name.
func (m *Module) ExactKernel(name string) (*Kernel, error) {
	k, err := m.Kernel(name)
	if err == nil && k.Name() != name {
		return nil, diag.List{k.k.Errorf("no-such-kernel", "the module has no kernel %q", name)}
	}
	return k, err
}

// Kernels returns the kernels in the order of the file; none after Unload.
func (m *Module) Kernels() (list []*Kernel) {
	if m.enter() != nil {
		return nil
	}
	defer m.d.leave()
	for _, k := range m.placed.Module().Kernels() {
		list = append(list, m.kernel(k))
	}
	return list
}

// Variables returns the variables of the module, those that no kernel uses included, in the order of the file;
// none after Unload.
func (m *Module) Variables() []api.DeviceVariable {
	if m.enter() != nil {
		return nil
	}
	defer m.d.leave()
	return m.variables()
}

func (m *Module) variables() (list []api.DeviceVariable) {
	for _, v := range m.placed.Variables() {
		list = append(list, api.DeviceVariable{Name: v.Name, Ptr: api.DevicePtr(v.Alloc.Base + v.Off), Size: v.Size, Constant: v.ReadOnly, Managed: v.Managed})
	}
	return list
}

// Variable returns a variable by its name in the file.
func (m *Module) Variable(name string) (api.DeviceVariable, error) {
	if err := m.enter(); err != nil {
		return api.DeviceVariable{}, err
	}
	defer m.d.leave()
	list := m.variables()
	i := slices.IndexFunc(list, func(v api.DeviceVariable) bool { return v.Name == name })
	if i >= 0 {
		return list[i], nil
	}
	var names []string
	for _, v := range list {
		names = append(names, v.Name)
	}
	d := diag.Errorf(diag.Pos{File: m.placed.Module().File()}, diag.Input, session.CodeNoSymbol, "the module has no variable %q", name)
	d.Remedy = "the module has no variables in .const or .global memory"
	if len(names) > 0 {
		d.Remedy = "the module has " + listed(names)
	}
	return api.DeviceVariable{}, diag.List{d}
}

// listed writes names with commas, the first ones if there are many.
func listed(names []string) (s string) {
	const shown = 12
	for i, n := range names {
		switch {
		case i == shown:
			return s + fmt.Sprintf(" and %d more", len(names)-shown)
		case i > 0:
			s += ", "
		}
		s += n
	}
	return s
}
