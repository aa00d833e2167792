// Package static checks a PTX kernel on all paths, without running it.
//
// Input: a lifted function, and worlds: sets of waves that may run it, for instance "the first warp of
// a block that is a row of whole warps".
// Output: a Report with findings, and counts of the cross-lane operations and barriers that are proved
// right.
// Invariant: a value of the analysis holds for all waves and all executions of its world at once. The
// meaning of instructions comes from package num and from the IR, as in the engines, so a check cannot
// disagree with a run.
// Example: for "@p shfl.sync …, 0xffffffff" with p = tid.x < 16, the analysis knows p in each lane, so
// the shuffle is reached by lanes 0 to 15, and its membermask names lanes that never come.
//
// The steps, one file each: graph.go (control flow), frontier.go and ssa.go (single assignment),
// analysis.go, transfer.go and value.go (values and lanes), diverge.go (divergence), then rules*.go,
// roles.go and matters.go (findings).
// Literature: Cytron et al., Efficiently computing static single assignment form and the control
// dependence graph (TOPLAS 1991); Coutinho et al., Divergence analysis and optimizations (PACT 2011).
package static

import (
	"context"
	"fmt"
	"slices"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Options hold facts about a kernel that its code does not contain.
type Options struct {
	// DynamicShared reports that a launch may add to the shared memory that the code declares.
	DynamicShared bool
	// Vars are the variables of the module: ir.LaunchValue n is the address of Vars[n]. ParamSize is
	// the number of bytes of parameters; 0: not known.
	Vars      []Var
	ParamSize uint64
	// Shapes asks for Report.Shapes.
	Shapes bool
}

// A Var is a variable of the module, in global or constant memory.
type Var struct {
	Name        string
	Size, Align uint64
}

// A Report is the result of Check.
type Report struct {
	Findings diag.List
	// Meets counts the cross-lane operations that control can reach. Proved counts those for which all
	// members are known to arrive, and to read only lanes that arrive.
	Meets, Proved int
	// Barriers counts the barriers of the block, BarriersProved those that all lanes of a wave reach
	// together.
	Barriers, BarriersProved int
	// Shapes holds the registers whose lanes hold the same value, or values in equal steps, by instruction, for all
	// waves of all launches or for those of blocks that are rows of whole warps.
	Shapes []Shape
}

// Check follows all paths through a function whose lanes are switched by control flow (PTX). If ctx
// ends, it returns the findings so far. For a function with EXEC (GCN3) the report is empty.
func Check(ctx context.Context, f *ir.Func, opt Options) *Report {
	r := &Report{}
	if f.Exec != 0 {
		return r
	}
	c := &checker{ctx: ctx, f: f, opt: opt, r: r, reported: map[findingKey]finding{}, provedAt: map[int]bool{}, failedAt: map[int]bool{}}
	c.g = newGraph(f)
	c.s = newSSA(c.g)
	if c.s.limited {
		c.limit("the kernel's registers are too many to be followed everywhere")
	}
	eval := evaluators{}
	shapes := map[shapeKey]shapeOf{}
	list := worlds(f)
	for _, w := range list {
		c.a = analyse(ctx, c.g, c.s, w, eval, opt.Vars)
		if ctx.Err() != nil {
			break
		}
		if c.a.gaveUp {
			c.limit("the kernel has more code in loops than is followed: nothing is known of its values")
			continue
		}
		c.rules()
		if opt.Shapes && (!w.single || len(list) == 1) {
			c.shapes(shapes)
		}
		if w.single && !w.partial && w.wave == 0 {
			c.covered = c.a.may
		}
	}
	c.count()
	r.Shapes = listed(shapes)
	slices.SortStableFunc(r.Findings, func(x, y *diag.Diagnostic) int {
		if x.Pos.Line != y.Pos.Line {
			return x.Pos.Line - y.Pos.Line
		}
		return x.Pos.Col - y.Pos.Col
	})
	return r
}

// A checker collects the findings of all worlds. The fields s and g hold for all of them, a for the
// world in hand.
type checker struct {
	ctx      context.Context
	f        *ir.Func
	opt      Options
	r        *Report
	g        *graph
	s        *ssa
	a        *analysis   // the analysis of the world in hand
	covered  []lane.Mask // by block: the lanes of the first wave that may reach it
	reported map[findingKey]finding
	readers  *readers     // see users
	flow     *flow        // follows undefined bits; nil before its first use
	summed   map[int]bool // the shuffles of sums that were reported, see wrongSum
	// arriving are the lanes that may reach operations that meet; meets are the blocks of these
	// operations.
	arriving map[meeting]lane.Mask
	meets    map[arrival][]int32
	// Cross-lane operations, by instruction. A proof has to hold in all worlds: one failure outweighs
	// it.
	provedAt, failedAt map[int]bool
}

// A findingKey identifies a finding: one per code and position is reported.
type findingKey struct {
	code string
	pos  int32
}

// A finding is a reported diagnostic, with its text before the waves were added.
type finding struct {
	d    *diag.Diagnostic
	text string
	of   waves
}

// waves says for which waves a finding was reported: one known wave of a block only, or further waves.
type waves uint8

const (
	otherWaves waves = iota
	oneWaveOnly
)

// worlds returns the sets of waves that the function may run with. The first are those that all
// launches have or may have; an error there is certain.
//
// Without .reqntid: all waves; if only %tid.x is used, also the first warp of a block, and all warps,
// of blocks that are rows of whole warps. With .reqntid: all waves, and each wave of the block by
// itself, as far as maxWaves allows.
func worlds(f *ir.Func) []world {
	any3 := [3]value{anything, anything, anything}
	same3 := [3]value{uniform, uniform, uniform}
	full := lane.All(32)
	if f.ReqBlock[0] == 0 {
		if n := f.MaxBlock; n > 0 && n < 32 {
			full = lane.All(int(n)) // .maxntid: no block has more lanes
		}
		usesTid := slices.ContainsFunc(f.Inputs, func(in ir.Input) bool { return in.Kind <= ir.ThreadIDZ && in.Kind >= ir.ThreadIDX })
		all := world{lanes: full, tid: any3, ntid: same3, partial: full != lane.All(32)}
		if !usesTid {
			all.likely = true
			return []world{all}
		}
		// Tiles of 16 x 16 are as usual as rows, so nothing is assumed of blocks that have rows.
		if slices.ContainsFunc(f.Inputs, func(in ir.Input) bool { return in.Kind == ir.ThreadIDY || in.Kind == ir.ThreadIDZ }) {
			all.likely = true
			return []world{all}
		}
		// Otherwise blocks are mostly rows of whole warps: tid.x is a multiple of 32 plus the lane.
		row := all
		row.assumed = true
		row.tid = [3]value{rows(5), uniform, uniform}
		row.ntid[0] = value{kind: shared, align: 5}
		// In the first warp tid.x is the lane itself. Conditions as tid.x < 16 are about this warp.
		row.likely = true
		first := row
		first.single = true
		first.tid = [3]value{vector(laneIDs()), constant(0), constant(0)}
		return []world{all, first, row}
	}
	var w world
	w.lanes = full
	total := uint64(1)
	for i, n := range f.ReqBlock {
		w.ntid[i] = constant(uint64(n))
		total *= uint64(n)
		if n == 1 {
			any3[i] = constant(0)
		}
	}
	x, y := uint64(f.ReqBlock[0]), uint64(f.ReqBlock[1])
	w.tid = any3
	switch {
	case total == x || x%32 == 0:
		w.tid[0] = rows(5)
		for i := 1; i < 3; i++ {
			if w.tid[i].kind == top {
				w.tid[i] = uniform
			}
		}
	case 32%x == 0:
		// A wave holds several rows of the block.
		var vx, vy [32]uint64
		for l := range uint64(32) {
			vx[l], vy[l] = l%x, l/x
		}
		w.tid[0] = vector(vx)
		if per := 32 / x; y%per == 0 {
			w.tid[1] = value{kind: shared, align: uint8(lane.Mask(per).First())}.of(vy)
			if y == per {
				w.tid[1] = vector(vy)
			}
			if w.tid[2].kind == top {
				w.tid[2] = uniform
			}
		}
	}
	w.likely = true
	switch {
	case total == 0 || total > 1<<20:
		return []world{w}
	case total <= 32:
		last := oneWave(w, f.ReqBlock, total, 0)
		last.partial = true
		return []world{last}
	}
	list := []world{oneWave(w, f.ReqBlock, total, 0), w}
	// Facts that depend on the value of %tid show in the other waves, looked at one by one; most of all
	// in the last one, which may be partial.
	waves := (total + 31) / 32
	for n := uint64(1); n < waves; n++ {
		if n < waves-1 && waves*uint64(len(f.Code)) > maxWaves {
			continue
		}
		one := oneWave(w, f.ReqBlock, total, n)
		one.partial, one.likely = total < 32*(n+1), false
		list = append(list, one)
	}
	return list
}

// maxWaves bounds the product of the waves that are looked at one by one and the instructions.
const maxWaves = 1 << 17

// rows returns a value that is an unknown multiple of 1<<align, plus the lane number.
func rows(align uint8) value {
	return value{kind: shared, align: align}.of(laneIDs())
}

// oneWave returns the world of one wave of a block whose threads are all known.
func oneWave(w world, n [3]uint32, total, wave uint64) world {
	first := wave * 32
	w.lanes = lane.All(int(min(total-first, 32)))
	w.single, w.wave = true, int(wave)
	var id [3][32]uint64
	for l := range uint64(32) {
		t := min(first+l, total-1)
		id[0][l] = t % uint64(n[0])
		id[1][l] = t / uint64(n[0]) % uint64(n[1])
		id[2][l] = t / uint64(n[0]) / uint64(n[1])
	}
	for i := range id {
		w.tid[i] = vector(id[i])
	}
	return w
}

// limit adds the finding that a part of the kernel was not followed.
func (c *checker) limit(text string) {
	c.r.Findings = append(c.r.Findings, &diag.Diagnostic{Pos: diag.Pos{File: c.f.File}, Severity: diag.Warning, Class: diag.Finding, Code: "not-followed", Message: text, Remedy: "run the kernel, or check its parts"})
}

// report adds a finding about an instruction, unless a finding with its code exists at this position.
// In a world that not all launches have, an error becomes a warning. It returns the diagnostic, to
// which relate may add places; it is never nil.
func (c *checker) report(i int, sev diag.Severity, code string, lanes lane.Mask, remedy, format string, args ...any) *diag.Diagnostic {
	pos := c.f.Code[i].Pos
	p := &c.f.Pos[pos]
	text := p.Name + ": " + fmt.Sprintf(format, args...)
	k := findingKey{code, pos}
	told := c.reported[k]
	if told.d != nil {
		// The first report was about one wave; the same text now about all waves replaces it.
		if told.text == text && !c.a.w.single && told.of == oneWaveOnly {
			// It holds for all waves, not only for one.
			told.d.Message, told.of = text+c.where(), otherWaves
			c.reported[k] = told
		}
		return &diag.Diagnostic{} // the first world has reported it
	}
	d := &diag.Diagnostic{
		Pos: diag.Pos{File: c.f.File, Line: p.Line, Col: p.Col}, Severity: sev, Class: diag.Finding, Code: code,
		Message: text, Remedy: remedy, Section: p.Section,
	}
	if lanes != 0 {
		d.Lanes = lanes.String()
	}
	if c.a.w.assumed {
		d.Severity = min(sev, diag.Warning)
	}
	switch {
	case sev == diag.Note:
	case c.a.w.assumed && (code == codeDivergentSync || code == codeDivergentBarrier):
		d.Message += rowsOfWarps // the first warp represents all warps
	default:
		d.Message += c.where()
	}
	// Without .reqntid the block may be smaller than a warp. Then these lanes do not exist, and masks
	// leave them out, so the error is not certain.
	if sev == diag.Error && c.f.ReqBlock[0] == 0 && lanes != 0 && !lanes.Has(0) && !c.a.w.assumed && c.f.Code[i].Op != ir.Collective {
		d.Severity = diag.Warning
		d.Message += ", in blocks that have " + verb(lanes, "it", "them")
	}
	of := otherWaves
	if c.a.w.single && sev != diag.Note {
		of = oneWaveOnly
	}
	c.reported[k] = finding{d, text, of}
	c.r.Findings = append(c.r.Findings, d)
	return d
}

const rowsOfWarps = ", in blocks that are rows of whole warps"

// where returns the text that names the waves of the world in hand; empty if they are all waves.
func (c *checker) where() string {
	w := &c.a.w
	switch {
	case w.assumed && w.single:
		return ", in the first warp of blocks that are rows of whole warps"
	case w.assumed:
		return rowsOfWarps
	case w.partial && c.f.ReqBlock[0]*c.f.ReqBlock[1]*c.f.ReqBlock[2] > 32:
		return fmt.Sprintf(", in warp %d, the last of the block (%d threads)", w.wave, c.f.ReqBlock[0]*c.f.ReqBlock[1]*c.f.ReqBlock[2])
	case w.single && !w.partial:
		return fmt.Sprintf(", in warp %d", w.wave)
	}
	return ""
}

// relate adds a second place to a finding.
func (c *checker) relate(d *diag.Diagnostic, i int, message string) {
	p := &c.f.Pos[c.f.Code[i].Pos]
	d.Related = append(d.Related, diag.Related{Pos: diag.Pos{File: c.f.File, Line: p.Line, Col: p.Col}, Message: message})
}

// count fills the counts of the report.
func (c *checker) count() {
	for i, ok := range c.provedAt {
		bar := c.f.Code[i].Op == ir.Bar
		proved := 0
		if ok && !c.failedAt[i] {
			proved = 1
		}
		if bar {
			c.r.Barriers++
			c.r.BarriersProved += proved
		} else {
			c.r.Meets++
			c.r.Proved += proved
		}
	}
}
