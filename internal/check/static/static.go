// Package static checks a kernel without running it. It follows all paths through the
// IR: constants, values that differ from lane to lane in a known way, values that are the
// same in all lanes, and which lanes may get where. What instructions mean it takes from
// package num and from the IR, as engines do.
package static

import (
	"fmt"
	"slices"

	"crosslane/diag"
	"crosslane/internal/ir"
	"crosslane/lane"
)

// Options say what is known of a kernel beyond its code.
type Options struct {
	// DynamicShared says that a launch may add to the shared memory that the code declares.
	DynamicShared bool
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
func Check(f *ir.Func, opt Options) *Report {
	r := &Report{}
	if f.Exec != 0 {
		return r
	}
	c := &checker{f: f, opt: opt, r: r, seen: map[findingKey]*diag.Diagnostic{}, provedAt: map[int]bool{}, failedAt: map[int]bool{}}
	c.g = newGraph(f)
	c.s = newSSA(c.g)
	if c.s.limited {
		c.limit("the kernel's registers are too many to be followed everywhere")
	}
	eval := evaluators{}
	list := worlds(f)
	for k, w := range list {
		// What may happen is told of the waves that there mostly are.
		c.likely = k == len(list)-1 || !list[k+1].assumed && !w.partial
		c.a = analyse(c.g, c.s, w, eval)
		if c.a.gaveUp {
			c.limit("the kernel has more code in loops than is followed: nothing is known of its values")
			continue
		}
		c.rules()
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
	f   *ir.Func
	opt Options
	r   *Report
	g   *graph
	s   *ssa
	a   *analysis // of the world in hand
	// likely says that the world in hand is the one that warnings are about.
	likely bool
	seen   map[findingKey]*diag.Diagnostic
	// arriving are the lanes that may come to operations that meet; meets are their blocks.
	reads    map[id][]int32 // see users
	arriving map[arrival]lane.Mask
	meets    map[arrival][]int32
	// Operations across lanes, by instruction: what holds in a world must in all.
	provedAt, failedAt map[int]bool
}

type findingKey struct {
	code string
	pos  int32
}

// worlds are what waves there may be. First come those that all launches have, or may
// have; of them an error is certain.
func worlds(f *ir.Func) []world {
	any3 := [3]value{anything, anything, anything}
	same3 := [3]value{uniform, uniform, uniform}
	full := lane.All(32)
	if f.ReqBlock[0] == 0 {
		usesTid := slices.ContainsFunc(f.Inputs, func(in ir.Input) bool { return in.Kind <= ir.ThreadIDZ && in.Kind >= ir.ThreadIDX })
		all := world{lanes: full, tid: any3, ntid: same3}
		if !usesTid {
			return []world{all}
		}
		// Blocks are rows of whole warps, mostly: lane and tid.x go together.
		row := all
		row.assumed = true
		row.tid = [3]value{rows(5), uniform, uniform}
		row.ntid[0] = value{kind: shared, align: 5}
		return []world{all, row}
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
	if total < 32 || total > 1<<20 {
		if total == 0 || total > 1<<20 {
			return []world{w}
		}
		return []world{lastWave(w, f.ReqBlock, total)}
	}
	if total == 32 {
		return []world{lastWave(w, f.ReqBlock, total)}
	}
	list := []world{w}
	if total%32 != 0 {
		list = append(list, lastWave(w, f.ReqBlock, total))
	}
	return list
}

// rows is a value that is a multiple of 1<<align, plus the lane.
func rows(align uint8) value {
	return value{kind: shared, align: align}.of(laneIDs())
}

// lastWave is the last wave of a block, whose threads are all known.
func lastWave(w world, n [3]uint32, total uint64) world {
	first := (total - 1) / 32 * 32
	w.lanes = lane.All(int(total - first))
	w.partial = true
	w.wave = int(first / 32)
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
	k := findingKey{code, pos}
	if d := c.seen[k]; d != nil {
		return &diag.Diagnostic{} // the first world said it
	}
	p := &c.f.Pos[pos]
	d := &diag.Diagnostic{
		Pos: diag.Pos{File: c.f.File, Line: p.Line, Col: p.Col}, Severity: sev, Class: diag.Finding, Code: code,
		Message: p.Name + ": " + fmt.Sprintf(format, args...), Remedy: remedy, Section: p.Section,
	}
	if lanes != 0 {
		d.Lanes = lanes.String()
	}
	// Blocks of fewer threads than a warp do not have the lanes, and their masks leave them
	// out: without .reqntid nobody knows.
	if sev == diag.Error && c.f.ReqBlock[0] == 0 && lanes != 0 && !lanes.Has(0) && !c.a.w.assumed {
		d.Severity = diag.Warning
		d.Message += ", in blocks that have " + verb(lanes, "it", "them")
	}
	if c.a.w.assumed {
		d.Severity = min(d.Severity, diag.Warning)
		if sev != diag.Note {
			d.Message += ", in blocks that are rows of whole warps"
		}
	}
	if c.a.w.partial && c.f.ReqBlock[0]*c.f.ReqBlock[1]*c.f.ReqBlock[2] > 32 {
		d.Message += fmt.Sprintf(", in warp %d, the last of the block (.reqntid)", c.a.w.wave)
	}
	c.seen[k] = d
	c.r.Findings = append(c.r.Findings, d)
	return d
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
