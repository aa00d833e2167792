package amdgpu

import (
	"slices"
	"sync"
)

// This file holds the facts of the chips. Rows, encodings, meanings, the assembler and the checks read
// them from here; no other file has the name of a chip, its number of registers or the bits of its
// counters.

// A Target is a chip: the facts that differ between the chips of AMD. It is never written after it was
// made. Instructions refer to it through their rows, so an Inst of one chip is no Inst of another.
type Target struct {
	Name    string // as compilers name it: "gfx803"
	Family  string // its generation, for messages: "gfx8"
	Version [3]int // major, minor, stepping: the number of the name
	// SameAs holds the numbers of further names of the chip.
	SameAs [][3]int
	Mach   uint32 // EF_AMDGPU_MACH in the header of its code objects

	WaveSize int // lanes of a wave
	VGPRs    int // vector registers that an instruction can name
	// Scalars holds the scalar registers. The first range holds the SGPRs.
	Scalars []ScalarRange

	// BusReads is the number of different scalar values that a vector instruction may read.
	BusReads int
	// LongLiteral says that a literal dword may follow an encoding of 64 bits.
	LongLiteral bool
	DPP         DPPKind
	SDWA        SDWAKind
	// VOP3 holds the opcodes at which the instructions of other formats start in VOP3.
	VOP3 VOP3Offsets

	Counters  []WaitCounter // the fields of s_waitcnt: vector memory, exports, LDS and scalar memory
	WaitRules []WaitRule    // the wait states that the program owes
	HWRegs    []string      // the hardware registers of s_getreg by number; "" has no name

	Kernel KernelFacts

	layouts   *[numFormats]layout
	classify  func(lo uint32) (f Format, op uint32)
	messages  []message          // of s_sendmsg
	maxStates int                // the longest distance of WaitRules
	waitAll   int                // the SIMM16 of s_waitcnt that waits for nothing
	scalarEnd [scalarCodes]uint8 // for each scalar code the end of its range, 0 if there is no register
	table     func() *rowTable
}

// GFX803 is Fiji and Polaris, of the generation that AMD calls GCN3. The facts are those of the GCN3 ISA
// manual and of LLVM's AMDGPUUsage.
var GFX803 = (&Target{
	Name: "gfx803", Family: "gfx8", Version: [3]int{8, 0, 3}, SameAs: [][3]int{{8, 0, 4}}, Mach: 0x2a,
	WaveSize: 64,
	VGPRs:    256,
	Scalars: []ScalarRange{ // GCN3 ISA table 5.1; there is no XNACK_MASK at 104
		{Name: "s", Code: 0, N: 102, Numbered: true},
		{Name: "flat_scratch", Code: RegFlatScratch, N: 2},
		{Name: "vcc", Code: RegVCC, N: 2},
		{Name: "tba", Code: RegTBA, N: 2},
		{Name: "tma", Code: RegTMA, N: 2},
		{Name: "ttmp", Code: RegTTMP, N: 12, Numbered: true},
		{Name: "m0", Code: RegM0, N: 1},
		{Name: "exec", Code: RegEXEC, N: 2},
	},
	BusReads: 1, // GCN3 ISA 6.2.1
	DPP:      DPPWave, SDWA: SDWAVGPR,
	VOP3:     VOP3Offsets{VOP2: 0x100, VOP1: 0x140, VINTRP: 0x270},                                   // GCN3 ISA 12, VOP3
	Counters: []WaitCounter{{"vmcnt", 0, 4}, {"expcnt", 4, 3}, {"lgkmcnt", 8, 4}},                    // GCN3 ISA 4.4
	HWRegs:   []string{"", "MODE", "STATUS", "TRAPSTS", "HW_ID", "GPR_ALLOC", "LDS_ALLOC", "IB_STS"}, // GCN3 ISA 5.6
	messages: messagesGFX8(),
	Kernel:   KernelFacts{VGPRGranule: 4, SGPRGranule: 8, UserSGPRs: 16, ForVCC: 2, ForXNACK: 4, ForFlatScratch: 6},
	layouts:  &layoutsGFX8,
	classify: classifyGFX8,
}).prepared()

// The rows and the rules of wait states call functions that use GFX803, so an init function sets them.
func init() { GFX803.attach(waitRulesGFX8()) }

// A ScalarRange is a run of scalar registers with one name.
type ScalarRange struct {
	Name string
	// Code is the number of the first register in an instruction, N the number of registers.
	Code, N uint16
	// Numbered registers are s0, s1, …; the halves of other pairs are vcc_lo and vcc_hi.
	Numbered bool
}

// DPPKind says which lanes DPP reaches.
type DPPKind uint8

// The kinds of DPP.
const (
	DPPNone DPPKind = iota
	DPPWave         // moves in rows of 16 lanes, between rows and through the whole wave: gfx8 and gfx9
)

// SDWAKind says which operands SDWA takes.
type SDWAKind uint8

// The kinds of SDWA.
const (
	SDWANone SDWAKind = iota
	SDWAVGPR          // VGPRs alone: gfx8
)

// VOP3Offsets are the opcodes at which formats start in VOP3. VOPC starts at 0.
type VOP3Offsets struct{ VOP2, VOP1, VINTRP uint16 }

// A WaitCounter is a counter of s_waitcnt, with its bits in SIMM16.
type WaitCounter struct {
	Name      string
	Lo, Width int
}

// Max returns the largest number that the counter's field holds. It waits for nothing.
func (f WaitCounter) Max() int { return 1<<f.Width - 1 }

// KernelFacts are the facts of the kernel descriptor (AMDGPUUsage, compute_pgm_rsrc1): registers are
// allocated in granules, and special registers follow the SGPRs that a kernel numbers.
type KernelFacts struct {
	VGPRGranule, SGPRGranule uint32
	UserSGPRs                int // the largest number of user SGPRs that are set
	// The numbers of SGPRs that are needed after the numbered ones. Each includes the ones before it.
	ForVCC, ForXNACK, ForFlatScratch int64
}

// scalarCodes is the number of codes of scalar registers in an instruction, which has 7 bits for them.
const scalarCodes = 128

// The numbers of registers and special sources in an Operand, GCN3 ISA table 5.1. Meanings and rules
// name registers by them; whether a chip has the register is a fact of Target.Scalars.
const (
	RegFlatScratch = 102
	RegVCC         = 106
	RegTBA         = 108
	RegTMA         = 110
	RegTTMP        = 112
	RegM0          = 124
	RegEXEC        = 126
	RegInlineZero  = 128
	RegVCCZ        = 251
	RegEXECZ       = 252
	RegSCC         = 253
	RegLDSDirect   = 254
	regLiteral     = 255
	RegVGPR0       = 256
	regSDWA        = 249
	regDPP         = 250
)

// With returns a chip whose facts are those of t after the given change.
func (t *Target) With(change func(*Target)) *Target {
	u := *t
	change(&u)
	u.prepared().attach(u.WaitRules)
	return &u
}

// OrDefault returns t, or GFX803 if t is nil.
func (t *Target) OrDefault() *Target {
	if t == nil {
		return GFX803
	}
	return t
}

// prepared computes the tables that follow from the facts.
func (t *Target) prepared() *Target {
	t.scalarEnd = [scalarCodes]uint8{}
	for _, s := range t.Scalars {
		for i := range s.N {
			t.scalarEnd[s.Code+i] = uint8(s.Code + s.N)
		}
	}
	t.waitAll = 0
	for _, c := range t.Counters {
		t.waitAll |= c.Max() << c.Lo
	}
	return t
}

// attach sets what refers to the chip itself: its rules of wait states, and its table of rows, which the
// first use builds.
func (t *Target) attach(rules []WaitRule) {
	t.WaitRules, t.maxStates = rules, 0
	for i := range rules {
		t.maxStates = max(t.maxStates, rules[i].States)
	}
	t.table = sync.OnceValue(func() *rowTable { return newTable(t) })
}

// ID returns the chip's name in code objects and assembly files.
func (t *Target) ID() string { return "amdgcn-amd-amdhsa--" + t.Name }

// HasVersion reports whether a number, of three parts, means the chip.
func (t *Target) HasVersion(major, minor, stepping uint32) bool {
	v := [3]int{int(major), int(minor), int(stepping)}
	return v == t.Version || slices.Contains(t.SameAs, v)
}

// SGPRs returns the number of SGPRs.
func (t *Target) SGPRs() int { return int(t.Scalars[0].N) }

// RowBytes returns the size of one vector register in bytes.
func (t *Target) RowBytes() uint32 { return uint32(4 * t.WaveSize) }

// WaitCounts decodes the operand of s_waitcnt: the largest numbers of operations that may be
// outstanding.
func (t *Target) WaitCounts(simm16 int64) (vm, exp, lgkm int) {
	get := func(i int) int { f := &t.Counters[i]; return int(simm16) >> f.Lo & f.Max() }
	return get(0), get(1), get(2)
}

// MaxWaitStates returns the longest distance that a rule of wait states demands.
func (t *Target) MaxWaitStates() int { return t.maxStates }
