// Package lineprofile sums the counts of a profiled launch by lines of the source.
package lineprofile

import (
	"cmp"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/profile"
)

// addCounts adds the counts of an instruction.
func addCounts(c *api.ProfileCounts, o *profile.Counts) {
	c.Instructions += o.Instructions
	c.LaneInstructions += o.LaneInstructions
	c.InactiveLanes += o.InactiveLanes
	c.VectorInstructions += o.Vector
	c.Requests += o.Requests
	c.Transactions += o.Transactions
	c.UsedBytes += o.Used
	c.SharedRequests += o.SharedRequests
	c.BankConflicts += o.BankConflicts
	c.CallOuts += o.CallOuts
}

// Of makes the profile of a launch that has ended: fn is the instrumented function, r holds its
// counts, and origin, which may be nil, adds source lines to findings.
func Of(fn *ir.Func, r *profile.Recorder, res *api.Result, origin func(diag.List)) *api.Profile {
	out := &api.Profile{Kernel: res.Kernel, ISA: res.ISA, Grid: res.Grid, Block: res.Block, Lanes: fn.Lanes, Unit: int(r.Plan().Unit())}
	type place struct {
		file string
		line int
		off  int64
	}
	at := map[place]int{}
	for i, c := range r.Counts() {
		if c == (profile.Counts{}) {
			continue
		}
		pos := &fn.Pos[i]
		l := api.ProfileLine{File: fn.File, Line: pos.Line, Text: pos.Text}
		if pos.Line == 0 {
			l = compiledFrom(origin, l, pos.Off)
		}
		key := place{l.File, l.Line, l.Offset}
		n, known := at[key]
		if !known {
			n = len(out.Lines)
			at[key] = n
			out.Lines = append(out.Lines, l)
		}
		addCounts(&out.Lines[n].Counts, &c)
		addCounts(&out.Total, &c)
	}
	slices.SortStableFunc(out.Lines, func(a, b api.ProfileLine) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Offset, b.Offset))
	})
	return out
}

// compiledFrom gives an instruction of a code object its source line, if that is known.
func compiledFrom(origin func(diag.List), l api.ProfileLine, off int64) api.ProfileLine {
	l.Offset = off
	if origin == nil {
		return l
	}
	d := &diag.Diagnostic{Pos: diag.Pos{File: l.File, Off: off, HasOff: true}}
	origin(diag.List{d})
	for _, r := range d.Related {
		if r.Origin && r.Pos.Line > 0 {
			return api.ProfileLine{File: r.Pos.File, Line: r.Pos.Line}
		}
	}
	return l
}
