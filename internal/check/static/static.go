// Package static checks a kernel without running it. It follows all paths through the
// IR: constants, values that differ from lane to lane in a known way, values that are the
// same in all lanes, and which lanes may get where. What instructions mean it takes from
// package num and from the IR, as engines do.
package static

import (
	"context"
	"fmt"
	"slices"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Options say what is known of a kernel beyond its code.
type Options struct {
	// DynamicShared says that a launch may add to the shared memory that the code declares.
	DynamicShared bool
	// Vars are the variables whose addresses are the ir.LaunchValue of that number, and
	// ParamSize is how many bytes of parameters there are; 0: not known.
	Vars      []Var
	ParamSize uint64
}

// A Var is a variable of the module, in global or constant memory.
type Var struct {
	Name        string
	Size, Align uint64
}

// A Report is what Check found.
type Report struct {
	Findings diag.List
	// Meets are the operations across lanes that control can reach; Proved are those of
	// them whose lanes are all known to arrive, and to read lanes that do.
	Meets, Proved int
	// Barriers are the barriers of the block, BarriersProved those that all lanes of a
	// wave get to together.
	Barriers, BarriersProved int
}

// Check follows all paths through a function whose lanes control flow switches (PTX).
// What it has found when ctx ends is returned.
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
	for _, w := range worlds(f) {
		c.a = analyse(ctx, c.g, c.s, w, eval, opt.Vars)
		if ctx.Err() != nil {
			break
		}
		if c.a.gaveUp {
			c.limit("the kernel has more code in loops than is followed: nothing is known of its values")
			continue
		}
		c.rules()
		if w.single && !w.partial && w.wave == 0 {
			c.covered = c.a.may
		}
	}
	c.count()
	slices.SortStableFunc(r.Findings, func(x, y *diag.Diagnostic) int {
		if x.Pos.Line != y.Pos.Line {
			return x.Pos.Line - y.Pos.Line
		}
		return x.Pos.Col - y.Pos.Col
	})
	return r
}

// A checker collects the findings of all worlds.
type checker struct {
	ctx      context.Context
	f        *ir.Func
	opt      Options
	r        *Report
	g        *graph
	s        *ssa
	a        *analysis   // of the world in hand
	covered  []lane.Mask // by block: the lanes of the first wave that may get there
	reported map[findingKey]finding
	readers  *readers     // see users
	flow     *flow        // of undefined bits; nil: not needed yet
	summed   map[int]bool // the shuffles of sums that were told of
	// arriving are the lanes that may come to operations that meet; meets are their blocks.
	arriving map[meeting]lane.Mask
	meets    map[arrival][]int32
	// Operations across lanes, by instruction: what holds in a world must in all.
	provedAt, failedAt map[int]bool
}

type findingKey struct {
	code string
	pos  int32
}

// A finding is what was told of an instruction, without the waves that it was told of.
type finding struct {
	d    *diag.Diagnostic
	text string
	of   waves
}

type waves uint8

const (
	otherWaves waves = iota
	oneWaveOnly
)

// worlds are what waves there may be. First come those that all launches have, or may
// have; of them an error is certain.
func worlds(f *ir.Func) []world {
	any3 := [3]value{anything, anything, anything}
	same3 := [3]value{uniform, uniform, uniform}
	full := lane.All(32)
	if f.ReqBlock[0] == 0 {
		if n := f.MaxBlock; n > 0 && n < 32 {
			full = lane.All(int(n)) // .maxntid: there are no more lanes in any block
		}
		usesTid := slices.ContainsFunc(f.Inputs, func(in ir.Input) bool { return in.Kind <= ir.ThreadIDZ && in.Kind >= ir.ThreadIDX })
		all := world{lanes: full, tid: any3, ntid: same3, partial: full != lane.All(32)}
		if !usesTid {
			all.likely = true
			return []world{all}
		}
		// Tiles of 16 x 16 are as usual as rows: nothing is taken for granted of blocks that
		// have rows.
		if slices.ContainsFunc(f.Inputs, func(in ir.Input) bool { return in.Kind == ir.ThreadIDY || in.Kind == ir.ThreadIDZ }) {
			all.likely = true
			return []world{all}
		}
		// Else blocks are rows of whole warps, mostly: lane and tid.x go together.
		row := all
		row.assumed = true
		row.tid = [3]value{rows(5), uniform, uniform}
		row.ntid[0] = value{kind: shared, align: 5}
		// Of the first warp even more is known, which conditions as tid.x < 16 are about.
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
		// A wave is several rows of the block.
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
	// What depends on how large %tid is shows in the others, one by one; above all in the
	// last one.
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

// maxWaves limits the waves of a block that are looked at one by one, times instructions.
const maxWaves = 1 << 17

// rows is a value that is a multiple of 1<<align, plus the lane.
func rows(align uint8) value {
	return value{kind: shared, align: align}.of(laneIDs())
}

// oneWave is one wave of a block, whose threads are all known.
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

func (c *checker) limit(text string) {
	c.r.Findings = append(c.r.Findings, &diag.Diagnostic{Pos: diag.Pos{File: c.f.File}, Severity: diag.Warning, Class: diag.Finding, Code: "not-followed", Message: text, Remedy: "run the kernel, or check its parts"})
}

// report adds a finding about an instruction, unless there is one with its code already.
// In a world that not all launches have an error is a warning.
func (c *checker) report(i int, sev diag.Severity, code string, lanes lane.Mask, remedy, format string, args ...any) *diag.Diagnostic {
	pos := c.f.Code[i].Pos
	p := &c.f.Pos[pos]
	text := p.Name + ": " + fmt.Sprintf(format, args...)
	k := findingKey{code, pos}
	told := c.reported[k]
	if told.d != nil {
		if told.text == text && !c.a.w.single && told.of == oneWaveOnly {
			// It holds for other waves as well.
			told.d.Message, told.of = text+c.where(), otherWaves
			c.reported[k] = told
		}
		return &diag.Diagnostic{} // the first world said it
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
		d.Message += rowsOfWarps // the first warp stands for all
	default:
		d.Message += c.where()
	}
	// Blocks of fewer threads than a warp do not have the lanes, and their masks leave them
	// out: without .reqntid nobody knows.
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

// where says which waves the world in hand is about, if not all.
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
