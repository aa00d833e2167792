package crosslane

import (
	"context"
	"unsafe"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/session"
)

// A Device is a GPU as a host program sees it: memory that lives across launches, modules that are loaded once,
// streams and events. It is safe for concurrent use: calls wait for each other. A call has finished when it returns.
// Streams allow other orders, too; with DeviceOptions.Check, operations of streams that nothing orders and that use
// the same bytes are a finding.
//
// A call that cannot be carried out, such as a second free, returns an error; most of these errors are also findings.
// The codes stream-race, freed-in-use, undefined-copy and leak are findings only. A fault of a kernel is sticky,
// unless DeviceOptions.KeepGoing is set.
type Device device.Device

// NewDevice makes a device. target is the name of one of DeviceTargets.
func NewDevice(target string, o DeviceOptions) (*Device, error) {
	d, err := device.New(target, o)
	return (*Device)(d), err
}

// DeviceTargets returns the names of the targets that a device may have: "gfx803", and "sm_50" to "sm_121".
func DeviceTargets() []string { return device.Targets() }

func (d *Device) inner() *device.Device { return (*device.Device)(d) }

// Properties returns what a host can ask about the device.
func (d *Device) Properties() DeviceProperties { return d.inner().Properties() }

// Attribute returns an attribute by its number in CUDA's driver API (CUdevice_attribute). ok is false if
// Crosslane does not have the attribute, or the device is not one of NVIDIA's.
func (d *Device) Attribute(number int) (value int, ok bool) { return d.inner().Attribute(number) }

// Alloc allocates n bytes; n is at least 1. The name is for findings; "" is replaced by one with a number.
func (d *Device) Alloc(name string, n uint64) (DevicePtr, error) {
	return d.inner().Alloc(name, n, false)
}

// AllocManaged allocates n bytes that the host may use, too. Between launches the host reads and writes the bytes
// directly.
func (d *Device) AllocManaged(name string, n uint64) (DevicePtr, []byte, error) {
	p, err := d.inner().Alloc(name, n, true)
	if err != nil {
		return 0, nil, err
	}
	data, err := d.inner().Managed(p)
	return p, data, err
}

// Free frees an allocation, after all work of the device. Address 0 is allowed.
func (d *Device) Free(p DevicePtr) error { return d.inner().Free(p) }

// Allocations returns the allocations that the host has not freed, by address.
func (d *Device) Allocations() []Allocation { return d.inner().Allocations() }

// MemoryUsed returns how many bytes the allocations take, and how many they may take.
func (d *Device) MemoryUsed() (used, limit uint64) { return d.inner().Used() }

// Write copies bytes to the device and waits for the default stream.
func (d *Device) Write(dst DevicePtr, src []byte) error {
	return d.inner().Write(dst, src)
}

// Read copies bytes from the device and waits for the default stream.
func (d *Device) Read(dst []byte, src DevicePtr) error {
	return d.inner().Read(dst, src)
}

// Copy copies n bytes within the device, in the default stream. The ranges may overlap.
func (d *Device) Copy(dst, src DevicePtr, n uint64) error {
	return d.inner().Default().Copy(dst, src, n)
}

// Fill fills n elements of memory with a pattern of 1, 2 or 4 bytes, in the default stream.
func (d *Device) Fill(dst DevicePtr, pattern []byte, n uint64) error {
	return d.inner().Default().Fill(dst, pattern, n)
}

// Why explains a value of a launch, as Kernel.Why does: the kernel runs, perhaps several times, on the memory of the
// device, which is as before when Why returns. A buffer of the options is an allocation, by its name; its elements are
// words of 32 bits, or bytes if its size is no multiple of 4. Nothing is reported to the device.
func (d *Device) Why(ctx context.Context, k *DeviceKernel, l DeviceLaunch, o WhyOptions) (*Provenance, error) {
	return d.inner().Why(ctx, k.inner(), l, o)
}

// Upload allocates memory for the elements of a slice and copies them there.
func Upload[T Elem](d *Device, name string, s []T) (DevicePtr, error) {
	data := bytesOf(s)
	p, err := d.Alloc(name, uint64(len(data)))
	if err != nil {
		return 0, err
	}
	return p, d.Write(p, data)
}

// Download copies memory of the device to the elements of a slice.
func Download[T Elem](d *Device, s []T, p DevicePtr) error { return d.Read(bytesOf(s), p) }

// bytesOf returns the bytes of a slice. Every platform that Crosslane builds for is little-endian.
func bytesOf[T Elem](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// Load puts a module on the device, with all its variables. A module for a newer target is refused.
func (d *Device) Load(m *Module) (*DeviceModule, error) {
	var s *session.Module
	if m != nil {
		s = m.s
	}
	x, err := d.inner().Load(s)
	return (*DeviceModule)(x), err
}

// Launch runs a kernel in the default stream.
func (d *Device) Launch(ctx context.Context, k *DeviceKernel, l DeviceLaunch) (*Result, error) {
	return d.DefaultStream().Launch(ctx, k, l)
}

// Synchronize lets the host wait for all work of the device.
func (d *Device) Synchronize() error { return d.inner().Synchronize() }

// Findings returns the findings so far, about kernels and about the host, in the order in which they were made: the
// first 65,536. DeviceOptions.Report receives all of them.
func (d *Device) Findings() diag.List { return d.inner().Findings() }

// Err returns the fault after which the device is unusable, or nil.
func (d *Device) Err() error { return d.inner().Err() }

// Close ends the device and returns all findings. Memory that was not freed is one.
func (d *Device) Close() diag.List { return d.inner().Close() }

// A DeviceModule is a module on a Device. Its variables keep their values from launch to launch.
type DeviceModule device.Module

func (m *DeviceModule) inner() *device.Module { return (*device.Module)(m) }

// Kernel returns a kernel by its name, as Module.Kernel does.
func (m *DeviceModule) Kernel(name string) (*DeviceKernel, error) {
	k, err := m.inner().Kernel(name)
	return (*DeviceKernel)(k), err
}

// Kernels returns the kernels in the order of the file.
func (m *DeviceModule) Kernels() (list []*DeviceKernel) {
	for _, k := range m.inner().Kernels() {
		list = append(list, (*DeviceKernel)(k))
	}
	return list
}

// Variables returns the module's variables in the order of the file, also those that no kernel uses.
func (m *DeviceModule) Variables() []DeviceVariable { return m.inner().Variables() }

// Variable returns a variable by its name in the file. The host may read and write it, constants included.
func (m *DeviceModule) Variable(name string) (DeviceVariable, error) {
	return m.inner().Variable(name)
}

// Unload takes the module and its variables away, after all work of the device.
func (m *DeviceModule) Unload() error { return m.inner().Unload() }

// A DeviceKernel is a kernel of a module on a Device.
type DeviceKernel device.Kernel

func (k *DeviceKernel) inner() *device.Kernel { return (*device.Kernel)(k) }

// Name returns the kernel's name.
func (k *DeviceKernel) Name() string { return k.inner().Name() }

// Params returns the parameters that the caller passes, with their places in the parameter block.
func (k *DeviceKernel) Params() []Param { return k.inner().Params() }

// BlockLimits returns the block that the kernel requires, or the zero Dim3, and the most lanes of a block.
func (k *DeviceKernel) BlockLimits() (required Dim3, most uint32, err error) {
	return k.inner().BlockLimits()
}

// SetMaxDynamicShared allows launches with up to n bytes of dynamic shared memory. Without it, static and dynamic memory
// together may have SharedPerBlock bytes, 48 KB on devices of NVIDIA.
func (k *DeviceKernel) SetMaxDynamicShared(n uint32) error { return k.inner().SetMaxDynamicShared(n) }

// Occupancy returns how many blocks, with dynamic shared memory in bytes, are on a multiprocessor at a time.
// Registers are not counted, because the code for the hardware is not known.
func (k *DeviceKernel) Occupancy(block Dim3, shared uint32) (int, error) {
	return k.inner().Occupancy(block, shared)
}
