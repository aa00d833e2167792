package device

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/ptx"
)

// A Target holds the properties of a device that a host can ask for.
type Target = api.DeviceProperties

// model is the figures in which the compute capabilities differ (CUDA C++ Programming Guide, technical
// specifications of compute capabilities; the number of multiprocessors is that of one product of it).
type model struct {
	sm, multiprocessors, threads, blocks int
	shared                               uint32 // KB of a multiprocessor
	registers                            int    // of a block, in thousands of 1,024
	l2                                   int    // MB
}

// models lists the compute capabilities.
var models = []model{
	{50, 5, 2048, 32, 64, 64, 2},
	{52, 16, 2048, 32, 96, 64, 2},
	{53, 1, 2048, 32, 64, 32, 1},
	{60, 56, 2048, 32, 64, 64, 4},
	{61, 20, 2048, 32, 96, 64, 2},
	{62, 2, 2048, 32, 64, 32, 1},
	{70, 80, 2048, 32, 96, 64, 6},
	{72, 8, 2048, 32, 96, 64, 1},
	{75, 40, 1024, 16, 64, 64, 4},
	{80, 108, 2048, 32, 164, 64, 40},
	{86, 84, 1536, 16, 100, 64, 6},
	{87, 16, 1536, 16, 164, 64, 4},
	{89, 58, 1536, 24, 100, 64, 48},
	{90, 132, 2048, 32, 228, 64, 50},
	{100, 148, 2048, 32, 228, 64, 126},
	{101, 20, 2048, 32, 228, 64, 32},
	{103, 148, 2048, 32, 228, 64, 126},
	{110, 20, 1536, 24, 228, 64, 32},
	{120, 170, 1536, 24, 100, 64, 96},
	{121, 48, 1536, 24, 100, 64, 24},
}

// gfx803 is the only AMD target (AMD GCN3: 64 lanes, 4 SIMDs of 10 waves, 64 KB of LDS in a compute unit).
var gfx803 = Target{
	Name: "gfx803", ISA: api.GCN3, WarpSize: 64, Multiprocessors: 36, ThreadsPerBlock: 1024, BlockDim: [3]int{1024, 1024, 1024},
	GridDim: [3]int{1<<31 - 1, 65535, 65535}, ThreadsPerMultiprocessor: 2560, BlocksPerMultiprocessor: 40,
	SharedPerBlock: 64 << 10, SharedOptin: 64 << 10, SharedPerMultiprocessor: 64 << 10, ConstantBytes: 1<<31 - 1,
	RegistersPerBlock: 64 << 10, RegistersPerMultiprocessor: 64 << 10, L2Bytes: 2 << 20, ClockKHz: 1266000, MemoryClockKHz: 2000000, MemoryBusBits: 256,
}

// Targets returns the names of the targets that a device may have.
func Targets() []string {
	names := []string{gfx803.Name}
	for _, m := range models {
		names = append(names, fmt.Sprintf("sm_%d", m.sm))
	}
	return names
}

// ParseTarget returns the properties of a target, by a name like "sm_80" or "gfx803". A device of sm_90 runs code for sm_90a, too,
// so the two names are one device.
func ParseTarget(name string) (Target, error) {
	if name == gfx803.Name {
		return gfx803, nil
	}
	t, ok := ptx.ParseTarget(name)
	i := slices.IndexFunc(models, func(m model) bool {
		return ok && m.sm == t.SM && strings.HasPrefix(name, "sm_") && (t.Suffix == 0 || m.sm >= 100 || m.sm == 90 && t.Suffix == 'a')
	})
	if i < 0 {
		d := diag.Errorf(diag.Pos{}, diag.Input, "no-such-device", "there is no device %q", name)
		d.Remedy = "the devices are " + strings.Join(Targets(), ", ")
		return Target{}, diag.List{d}
	}
	return models[i].properties(), nil
}

// properties completes the figures of a model.
func (m *model) properties() Target {
	t := Target{
		Name: fmt.Sprintf("sm_%d", m.sm), ISA: api.PTX, Arch: m.sm, Major: m.sm / 10, Minor: m.sm % 10, WarpSize: 32, Multiprocessors: m.multiprocessors,
		ThreadsPerBlock: 1024, BlockDim: [3]int{1024, 1024, 64}, GridDim: [3]int{1<<31 - 1, 65535, 65535},
		ThreadsPerMultiprocessor: m.threads, BlocksPerMultiprocessor: m.blocks,
		SharedPerBlock: ptx.MaxStaticShared, SharedPerMultiprocessor: m.shared << 10, ConstantBytes: 64 << 10,
		RegistersPerBlock: m.registers << 10, RegistersPerMultiprocessor: 64 << 10, L2Bytes: m.l2 << 20,
		ClockKHz: 1410000, MemoryClockKHz: 1215000, MemoryBusBits: 384,
	}
	optin, _ := ptx.Target{SM: m.sm}.MaxShared()
	t.SharedOptin = uint32(optin)
	if m.sm >= 80 {
		t.SharedReserved = 1 << 10
	}
	return t
}

// Properties returns the properties that a host can ask for.
func (d *Device) Properties() Target {
	t := d.target
	t.MemoryBytes = d.opt.MemoryBytes
	return t
}

// Attribute returns an attribute by its number in CUDA's driver API (CUdevice_attribute). ok is false if there is
// no attribute of the number, or the device is not one of NVIDIA's.
func (d *Device) Attribute(number int) (value int, ok bool) {
	if d.target.ISA != api.PTX {
		return 0, false
	}
	return attribute(&d.target, number)
}

// DriverAttribute is Attribute of a device of any vendor: the figures that a runtime API on the driver needs.
func (d *Device) DriverAttribute(number int) (value int, ok bool) {
	return attribute(&d.target, number)
}

// attribute is Attribute. Features that are absent have the value 0, so that hosts take other ways.
func attribute(t *Target, number int) (value int, ok bool) {
	b := func(x bool) int {
		if x {
			return 1
		}
		return 0
	}
	switch number {
	case 1:
		return t.ThreadsPerBlock, true
	case 2, 3, 4:
		return t.BlockDim[number-2], true
	case 5, 6, 7:
		return t.GridDim[number-5], true
	case 8:
		return int(t.SharedPerBlock), true
	case 9:
		return t.ConstantBytes, true
	case 10:
		return t.WarpSize, true
	case 11:
		return 1<<31 - 1, true // bytes of a pitch
	case 12:
		return t.RegistersPerBlock, true
	case 13:
		return t.ClockKHz, true
	case 14:
		return 512, true // alignment of textures
	case 15:
		return 1, true // copies run beside kernels
	case 16:
		return t.Multiprocessors, true
	case 17:
		return 0, true // no time limit of kernels
	case 18:
		return 0, true // not integrated
	case 19:
		return 1, true // maps memory of the host
	case 20:
		return 0, true // the default compute mode
	case 21, 22, 23, 24, 25, 26, 27, 28, 29, 42, 43, 44, 45, 46, 47, 48, 49, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 77:
		return 0, true // sizes of textures and surfaces
	case 30, 51:
		return 512, true // alignment of surfaces and pitches
	case 31:
		return 1, true // kernels run beside each other
	case 32:
		return 0, true // no ECC
	case 33, 34, 50:
		return 0, true // the place on the bus
	case 35:
		return 0, true // not TCC
	case 36:
		return t.MemoryClockKHz, true
	case 37:
		return t.MemoryBusBits, true
	case 38:
		return t.L2Bytes, true
	case 39:
		return t.ThreadsPerMultiprocessor, true
	case 40:
		return 2, true // copy engines
	case 41:
		return 1, true // unified addressing
	case 75:
		return t.Major, true
	case 76:
		return t.Minor, true
	case 78, 79, 80:
		return 1, true // priorities of streams; L1 caches for global and local memory
	case 81:
		return int(t.SharedPerMultiprocessor), true
	case 82:
		return t.RegistersPerMultiprocessor, true
	case 83:
		return 1, true // managed memory
	case 84, 85:
		return 0, true // one device on the board
	case 86:
		return 0, true // no native atomics to the host
	case 87:
		return map[bool]int{true: 2, false: 32}[t.Arch == 60 || t.Arch == 70 || t.Arch == 80 || t.Arch == 90], true // single to double speed
	case 88, 89, 90, 91:
		return 0, true // pageable and concurrent access, preemption
	case 92, 93, 94, 122, 123:
		return b(t.ISA == api.PTX), true // operations of streams on values
	case 95:
		return b(t.Arch >= 60 || t.ISA == api.GCN3), true // cooperative launches
	case 96:
		return 0, true
	case 97:
		return int(t.SharedOptin), true
	case 99:
		return 1, true // registered memory of the host: at another address, see 91
	case 102:
		return 1, true // virtual memory
	case 98, 100, 101, 103, 104, 105:
		return 0, true // page tables, handles of virtual memory for other processes
	case 106:
		return t.BlocksPerMultiprocessor, true
	case 108, 109, 110:
		return 0, true
	case 111:
		return int(t.SharedReserved), true
	case 112, 113, 114, 116, 117, 118, 119, 121, 124, 125, 126, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 145:
		return 0, true
	case 127:
		return b(t.Arch >= 90), true // tensor maps
	case 120:
		return b(t.Arch >= 90), true // clusters of blocks
	case 115, 144:
		return 1, true // memory pools, of the host, too
	}
	return 0, false
}
