package api

import (
	"fmt"
	"io"
	"strings"

	"example.org/crosslane/internal/pprof"
)

// A Profile holds the figures of each line of a kernel's source in a launch: how often it was
// executed, with how many lanes, and its requests to memory. It counts the work that a GPU would
// have, by the model of docs/profile.md; it has no model of time.
type Profile struct {
	Kernel string
	ISA    ISA
	Grid   Dim3
	Block  Dim3
	Lanes  int // in a warp or wave
	// Unit is how many bytes a transaction moves: 32 for PTX, 64 for GCN3.
	Unit  int
	Lines []ProfileLine // by file, line and offset
	Total ProfileCounts
}

// A ProfileLine is a line of the source. For PTX and assembly that is the text that was loaded. For
// a code object it is the source that it was compiled from if the object names it, else an
// instruction.
type ProfileLine struct {
	File string
	// Line is 0 if it is unknown. Offset is then the offset in the code.
	Line   int
	Offset int64
	// Text is the text of the line, for PTX, assembly and instructions; else "".
	Text   string
	Counts ProfileCounts
}

// ProfileCounts are the figures of a line, or of a launch.
type ProfileCounts struct {
	Instructions     uint64 // executed by warps
	LaneInstructions uint64 // the lanes active in them, added up
	// InactiveLanes are the lanes of a warp that were not active, summed over instructions that act
	// per lane; VectorInstructions counts these instructions. The rest, on GCN3, are scalar.
	InactiveLanes, VectorInstructions uint64
	Requests                          uint64 // instructions that reached global or private memory
	Transactions                      uint64 // the pieces of Unit bytes that these requests moved
	UsedBytes                         uint64 // the bytes of the transactions that lanes requested
	SharedRequests                    uint64 // instructions that reached shared memory
	BankConflicts                     uint64 // the rounds that these requests took beyond the first
	CallOuts                          uint64 // IR operations that a native engine left to the interpreter
}

// ActiveLanes is how many lanes were active on average in instructions that act per lane; 0 if
// there were none.
func (c *ProfileCounts) ActiveLanes(lanes int) float64 {
	if c.VectorInstructions == 0 {
		return 0
	}
	return float64(lanes) - float64(c.InactiveLanes)/float64(c.VectorInstructions)
}

// WritePprof writes the profile in the format that go tool pprof reads: the kernel is the
// function, a line is a location. The kinds of samples are instructions,
// lane_instructions, inactive_lanes, transactions, bank_conflicts and callouts.
func (p *Profile) WritePprof(w io.Writer) error {
	types := []pprof.ValueType{
		{Type: "instructions", Unit: "count"}, {Type: "lane_instructions", Unit: "count"}, {Type: "inactive_lanes", Unit: "count"},
		{Type: "transactions", Unit: "count"}, {Type: "bank_conflicts", Unit: "count"}, {Type: "callouts", Unit: "count"},
	}
	var samples []pprof.Sample
	for i := range p.Lines {
		l := &p.Lines[i]
		c := &l.Counts
		s := pprof.Sample{Function: p.Kernel, File: l.File, Line: l.Line}
		if l.Line == 0 {
			s.Address = uint64(l.Offset)
		}
		for _, v := range []uint64{c.Instructions, c.LaneInstructions, c.InactiveLanes, c.Transactions, c.BankConflicts, c.CallOuts} {
			s.Values = append(s.Values, int64(v))
		}
		samples = append(samples, s)
	}
	return pprof.Write(w, types, samples, []string{fmt.Sprintf("%s, grid %s, block %s", p.Kernel, commas(p.Grid), commas(p.Block))})
}

// commas is a size as a user writes it.
func commas(d Dim3) string {
	s := fmt.Sprintf("%d,%d,%d", d.X, d.Y, d.Z)
	return strings.TrimSuffix(strings.TrimSuffix(s, ",1"), ",1")
}
