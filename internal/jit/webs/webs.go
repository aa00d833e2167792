// Package webs renames the values of a kernel into webs and finds out where they are live.
//
// A web is what one register of the guest holds between unrelated uses: definitions and
// uses of one ir.Value that can reach each other. Guests use few registers for many
// things; whoever allocates machine registers, or wants to know that a value is the same
// in all lanes, needs the things. Webs are not in SSA form in the strict sense: where
// control joins, the definitions that arrive there belong to one web, so that no copies
// are needed.
//
// # Lanes
//
// Lanes of a wave take ways of their own (PTX), and every lane vector is a register per
// lane: what reaches a use in a lane is what that lane wrote on its way. So the data flow
// of one lane is that of the flow graph, whatever the other lanes do, and two webs of one
// value may be live at the same time in different lanes. Package mask tells which writes
// have to spare the lanes that wait elsewhere.
//
// A definition under a guard keeps what the lanes outside the guard hold. It uses the old
// value too and belongs to its web (Operands.Merge), unless nobody can see those lanes.
//
// Scalars are registers of the wave. In functions with an EXEC the wave goes one way; in
// others scalars that the code writes stay in memory, as Aliased webs.
package webs

import "example.org/crosslane/internal/ir"

// Web names a web of a Func. The zero Web is "none".
type Web int32

// Geometry is what of a launch a function is compiled for.
type Geometry struct {
	Lanes int // of a wave
	// Block are the lanes of a block by dimension; 0: unknown.
	Block [3]uint32
	// Grid are bounds: a dimension of the grid has at most so many blocks; 0: unknown. A
	// few classes do, such as "Grid times Block is below 2^31".
	Grid [3]uint32
	// Exact wants every register of the guest to be what it is in the interpreter at the
	// end of every block: all are live everywhere.
	Exact bool
	// NoWrap lets package shape assume that values of 32 bits do not wrap around between
	// two lanes where they are extended to 64. It says which operations rely on it.
	NoWrap bool
	// Passes wants a start for several waves at once, if there can be one: so many blocks run
	// that it pays to translate it.
	Passes bool
	// Half lets code use instructions of the processor for f16, of AVX512-FP16.
	Half bool
	// Tight is for tests only: that limit is as low as if the function were much larger.
	Tight Limit
}

// Flags are properties of a web.
type Flags uint8

// The flags.
const (
	// Global webs are live into some block; the others live inside one.
	Global Flags = 1 << iota
	// Input webs hold something when a wave starts: what the launch put there, or 0.
	Input
	// Const webs hold WebInfo.Const in every lane; nothing writes them.
	Const
	// Aliased webs stay in memory, at their home: it is read and written in ways, or by
	// others, that do not go with a register. One web is one Value. They are in no set of
	// live webs, and always live.
	Aliased
	// Temporary webs are no registers of the guest: nobody but the code sees them.
	Temporary
)

// WebInfo describes a web.
type WebInfo struct {
	// Ref is the Value whose place in the frame is the web's home. Others with the same
	// place may be accessed as the same web: a mask of 64 lanes and the scalar of 64 bits
	// in the same two registers are one web.
	Ref   ir.Ref
	Flags Flags
	// Version counts the webs with this home.
	Version int32
	// Defs and Uses count the operands; a definition that merges counts as a use too.
	Defs, Uses int32
	Const      uint64
}

// Operands are the webs of an ir.Inst, as its fields of the same names.
type Operands struct {
	Args      [4]Web
	Dst, Dst2 Web
	// Guard is 0 where the operation ignores it: what is pure writes temporaries for all
	// lanes.
	Guard Web
	// Merge and Merge2 say that Dst or Dst2 keeps what lanes hold that the operation does
	// not write: it is used too. Without Merge the lanes outside the guard may be written:
	// nobody sees them.
	Merge, Merge2 bool
	// Ext, if not 0, says that Func.Ext[Ext-1] has more operands.
	Ext int32
}

// Ext are operands of an instruction that no field of ir.Inst names, or that are not
// simply read or written.
type Ext struct {
	// Uses and Defs and the values that they stand for: the second halves of atomics of 16
	// bytes (Args[1], Args[2], Dst, each if there is one), Src and Dst of collective
	// operations, and all shadows. What is in both is merged.
	Uses, Defs       []Web
	UseRefs, DefRefs []ir.Ref
}

// Func is a function in webs. It is immutable once built.
type Func struct {
	IR   *ir.Func
	Geom Geometry
	Webs []WebInfo  // Webs[0] is "none"
	Ops  []Operands // by instruction
	Ext  []Ext
	// Inputs are the webs of IR.Inputs; 0: nothing reads it, or not as it is written.
	Inputs []Web

	Succs, Preds [][]int32 // of each block
	Depth        []uint8   // of each block: how many loops it is in
	LiveIn       [][]Web   // of each block: without Aliased and Const webs
	LiveOut      [][]Web
	// Exec are the webs that hold EXEC at the end of each block; nil without IR.Exec.
	Exec []Web
	// Halves are the webs that stand for two registers: see widen. IR is not the function
	// that was built then, but one of as many operations.
	Halves map[Web]Halves
	Undone []Undone // in the order of the code
	Given  int      // so many values the function had; those behind them have no homes
	// TooLarge says that the function was not looked at: every value is one Aliased web.
	TooLarge bool
}

// Info returns the description of a web.
func (f *Func) Info(w Web) *WebInfo { return &f.Webs[w] }

// Value returns the Value whose place is the home of a web.
func (f *Func) Value(w Web) *ir.Value { return &f.IR.Values[f.Webs[w].Ref] }

// Has reports whether a web has all of the flags.
func (f *Func) Has(w Web, flags Flags) bool { return f.Webs[w].Flags&flags == flags }

// tracked reports whether a web can be in sets of live webs.
func (f *Func) tracked(w Web) bool { return w != 0 && f.Webs[w].Flags&(Const|Aliased) == 0 }
