package abi

import (
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// Labels are the places in machine code that a whole function has once: the shared routines, and
// the start.
type Labels struct {
	Save  x64.Label // the routine that returns to Go
	Stop  x64.Label // the routine by which a wave stops
	Wait  x64.Label // the same for waves that wait at a barrier
	Start x64.Label // the routine by which Go enters for the wave of the frame and those after it
	Entry x64.Label // where a wave starts
	Enter x64.Label // the routine by which Go enters
}

// Code is the result of selection: the list of instructions, and the tables by which Go
// enters and exits.
type Code struct {
	Labels
	FrameStates
	LIR      *lir.Func
	Exits    []Exit
	Accesses []Access
	Nears    []int32     // frame offsets of words that depend on a base address: see base_index.go of package sel
	Blocks   []x64.Label // by block: where it begins, with its live values in their places
	BlockAt  []int       // the same, as an index in the list
	Coarse   x64.Label   // where Together waves start in one coarsened body, given the frame of the first; 0: they cannot
	Together int
	Parts    []SavedReg // the saved registers of other waves that coarsened bodies after barriers load and store
	Routines []x64.Inst // code on machine registers, in the place of the list's last Stubs instructions
	Stubs    int
	Known    func(w webs.Web) shape.Shape // the shape of a web
	InSlot   func(w webs.Web) bool        // whether a web lives in its frame slot
	// The next three fields are those of shape.Shapes.
	FromMemory bool
	Relies     bool
	Polls      bool
	Alone      bool   // Go must not enter with fragments other than those that the code left with
	Chains     bool   // waves may end or wait without Go: there is an ExitDone or an ExitBar
	Rows       bool   // blocks can run one after another without Go
	Native     []bool // by operation of the function: machine code does it
	Frame      int32  // bytes of the frame up to the region caches' end
	Width      int32  // bytes of a vector register
	TooLarge   bool   // there would be more instructions than sel.Scratch.Most: all other fields are invalid
}

// Name gives the virtual registers the names of the webs that they hold, for dumps.
func (c *Code) Name(s *webs.Func) {
	c.LIR.Names = map[x64.Reg]string{}
	for w := 1; w < len(s.Webs); w++ {
		for p := range c.Locations(webs.Web(w)) {
			c.LIR.Names[p.Reg] = s.IR.Val(s.Webs[w].Ref).Name
		}
	}
}

// Points appends the indices of the instructions at whose start Go, or Parks, needs the live registers:
// the starts of blocks, and the instructions after barriers.
func (c *Code) Points(at []int) []int {
	at = append(at, c.BlockAt...)
	for i := range c.Exits {
		if e := &c.Exits[i]; e.Kind == ExitBar {
			at = append(at, e.At+1)
		}
	}
	return at
}
