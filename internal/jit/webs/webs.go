// Package webs renames the values of a kernel into webs and computes where the webs are live.
//
// Input: a function of the IR, and the geometry of its launches.
// Output: a Func, which gives each operand of each operation its web, and the live webs of
// each block.
// Invariant: a use reads exactly the definitions of its web that reach it; two webs of one
// register never reach a common use.
// Example: %r1 is written, read, written again and read again. It becomes two webs, %r1.0 and
// %r1.1. If both writes reached one read, it would be one web.
//
// A web is the content of one guest register between unrelated uses: definitions and uses of
// one ir.Value that can reach each other. Guests reuse few registers for many values.
// Register allocation and the analysis of lane shapes need the values, not the registers.
// Webs are not in strict SSA form: the definitions that arrive at a join belong to one web,
// so no copies are needed.
//
// Literature: Muchnick, Advanced Compiler Design and Implementation (1997), webs.
//
// # Lanes
//
// In PTX each lane of a wave takes its own path, and a lane vector is one register per lane.
// A use in a lane reads the value that this lane wrote on its path. The data flow of one lane
// is therefore that of the flow graph, independently of the other lanes, and two webs of one
// value may be live at the same time in different lanes. Package mask computes which writes
// must not change the lanes that wait elsewhere.
//
// A definition under a guard keeps the values of the lanes outside the guard. It also uses
// the old value and belongs to its web (Operands.Merge), unless no operation can read those
// lanes.
//
// Scalars are registers of the wave. In a function with an EXEC the wave has one path. In any
// other function the scalars that the code writes stay in memory, as Aliased webs.
package webs

import "example.org/crosslane/internal/ir"

// Web is the number of a web in a Func. The zero Web is "none".
type Web int32

// Geometry is the set of launch properties for which a function is compiled.
type Geometry struct {
	Lanes int // of a wave
	// Block holds the lanes of a block by dimension; 0: unknown.
	Block [3]uint32
	// Grid holds upper bounds of the grid's dimensions, in blocks; 0: unknown. Callers use
	// few different bounds, for example "Grid times Block is below 2^31", so that many
	// launches share code.
	Grid [3]uint32
	// Exact demands that every guest register has the interpreter's value at the end of every
	// block: all are live everywhere.
	Exact bool
	// NoWrap lets package shape assume that 32-bit values do not wrap between two lanes
	// before they are extended to 64 bits. That package lists the operations that rely on it.
	NoWrap bool
	// Passes asks for a coarsened body, if there can be one: the launch has so many blocks that it pays.
	Passes bool
	// Half lets code use the processor's instructions for f16, AVX512-FP16.
	Half bool
	// Tight is for tests only: this limit is as low as if the function were much larger.
	Tight Limit
}

// Flags are properties of a web.
type Flags uint8

// The flags.
const (
	// Global webs are live into some block; all other webs live inside one block.
	Global Flags = 1 << iota
	// Input webs have a value when a wave starts: an input of the launch, or 0.
	Input
	// Const webs hold WebInfo.Const in every lane; no operation writes them.
	Const
	// Aliased webs stay in memory, in their frame slot, because some accesses cannot use a
	// register: an observer reads them, or lanes of several paths share them. One web is one
	// Value. Aliased webs are in no set of live webs, and are always live.
	Aliased
	// Temporary webs are no guest registers: only the code itself reads them.
	Temporary
)

// WebInfo describes a web.
type WebInfo struct {
	// Ref is the Value that has the web's frame slot. Another Value with the same slot may
	// belong to the same web: a mask of 64 lanes and a scalar of 64 bits in the same two
	// registers are one web.
	Ref   ir.Ref
	Flags Flags
	// Version numbers the webs with this frame slot.
	Version int32
	// Defs and Uses count the operands. A definition that merges also counts as a use.
	Defs, Uses int32
	Const      uint64
}

// Operands holds the webs of an ir.Inst, under the names of its fields.
type Operands struct {
	Args      [4]Web
	Dst, Dst2 Web
	// Guard is 0 if the operation ignores it: a pure operation writes a temporary for all lanes.
	Guard Web
	// Merge and Merge2 report that Dst or Dst2 keeps the values of the lanes that the
	// operation does not write, and so is a use too. Without Merge the code may write any
	// value to the lanes outside the guard, because no operation reads them.
	Merge, Merge2 bool
	// Ext, if not 0, refers to more operands in Func.Ext[Ext-1].
	Ext int32
}

// Ext holds the operands of an instruction that no field of ir.Inst names, or that are not
// simply read or written.
type Ext struct {
	// Uses and Defs are webs, UseRefs and DefRefs their values: the second halves of 16-byte
	// atomics (of Args[1], Args[2] and Dst, each if it exists), Src and Dst of collective
	// operations, and all shadows. An operand in both lists is merged.
	Uses, Defs       []Web
	UseRefs, DefRefs []ir.Ref
}

// Func is a function in webs. It is immutable after Build.
type Func struct {
	IR   *ir.Func
	Geom Geometry
	Webs []WebInfo  // Webs[0] is "none"
	Ops  []Operands // by instruction
	Ext  []Ext
	// Inputs holds the webs of IR.Inputs; 0: no operation reads the input, or none in the
	// form in which it is written.
	Inputs []Web

	Succs, Preds [][]int32 // by block
	Depth        []uint8   // by block: the number of loops that contain it
	LiveIn       [][]Web   // by block: without Aliased and Const webs
	LiveOut      [][]Web
	// Exec holds the webs of EXEC at the end of each block; nil without IR.Exec.
	Exec []Web
	// Halves describes the webs that replace two registers: see fusePairs. If there are any,
	// IR is a modified copy of the function, with as many operations.
	Halves  map[Web]Halves
	Repeats []Repeat // moved operations, in the order of the code
	Given   int      // the number of values of the original function; later values have no frame slot
	// TooLarge reports that the function was not analysed: every value is one Aliased web.
	TooLarge bool
}

// Info returns the description of a web.
func (f *Func) Info(w Web) *WebInfo { return &f.Webs[w] }

// Value returns the Value that has the frame slot of a web.
func (f *Func) Value(w Web) *ir.Value { return &f.IR.Values[f.Webs[w].Ref] }

// Has reports whether a web has all of the flags.
func (f *Func) Has(w Web, flags Flags) bool { return f.Webs[w].Flags&flags == flags }

// tracked reports whether a web can be in sets of live webs.
func (f *Func) tracked(w Web) bool { return w != 0 && f.Webs[w].Flags&(Const|Aliased) == 0 }
