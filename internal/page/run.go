package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/page/ask"
	"example.org/crosslane/internal/report"
	"example.org/crosslane/internal/results"
)

// kernelList is the answer of kernels.
type kernelList struct {
	ISA      crosslane.ISA `json:"isa"`
	Findings diag.List     `json:"findings"`
	Kernels  []kernelShown `json:"kernels"`
}

type kernelShown struct {
	Name      string       `json:"name"`
	Lines     []int        `json:"lines,omitempty"` // the first and the last one
	Params    []paramShown `json:"params"`
	Required  []uint32     `json:"required_block,omitempty"`
	Most      uint32       `json:"max_lanes,omitempty"`
	Problem   string       `json:"problem,omitempty"` // why it cannot be run
	Suggested string       `json:"suggested"`
}

type paramShown struct {
	Name    string             `json:"name"`
	Type    crosslane.ElemType `json:"type,omitempty"`
	Size    int                `json:"size"`
	Pointer bool               `json:"pointer"`
	Hidden  string             `json:"hidden,omitempty"`
}

func (p *Page) kernels(_ context.Context, t *task) (*kernelList, error) {
	m, err := t.Program.load(nil)
	if err != nil {
		return nil, err
	}
	out := &kernelList{ISA: m.ISA(), Findings: nonNil(m.Warnings()), Kernels: []kernelShown{}}
	for _, k := range m.Kernels() {
		s := kernelShown{Name: k.Selector(), Params: []paramShown{}}
		if from, to := k.Lines(); to > 0 {
			s.Lines = []int{from, to}
		}
		block, args, err := launchspec.Draft(k, nil)
		for i, x := range k.Params() {
			s.Params = append(s.Params, paramShown{x.Name, x.Type, x.Size, i < len(args) && strings.Contains(args[i], "["), x.Hidden})
		}
		if err != nil {
			s.Problem = diag.Of(err)[0].Message
			out.Kernels = append(out.Kernels, s)
			continue
		}
		if required, most, err := k.BlockLimits(); err == nil {
			if s.Most = most; required.X != 0 {
				s.Required = []uint32{required.X, required.Y, required.Z}
			}
		}
		s.Suggested = suggested(k.Selector(), block, args)
		out.Kernels = append(out.Kernels, s)
	}
	return out, nil
}

// suggested is the line of a launch to begin with.
func suggested(kernel string, block crosslane.Dim3, args []string) string {
	size := fmt.Sprint(block.X)
	if block.Z > 1 {
		size = fmt.Sprintf("%d,%d,%d", block.X, block.Y, block.Z)
	} else if block.Y > 1 {
		size = fmt.Sprintf("%d,%d", block.X, block.Y)
	}
	line := "--kernel " + Quote(kernel) + " --grid 1 --block " + size
	for _, a := range args {
		line += " --arg " + Quote(a)
	}
	return line
}

func nonNil(l diag.List) diag.List {
	if l == nil {
		return diag.List{}
	}
	return l
}

// run answers as run --format json does.
func (p *Page) run(ctx context.Context, t *task) (*results.Run, error) {
	l, err := t.read(p, limitOf(ctx))
	if err != nil {
		return nil, err
	}
	out := &results.Run{Schema: "crosslane.run/1", File: t.Program.Name, Buffers: []results.Buffer{}, Findings: diag.List{}}
	err = p.runInto(ctx, t, l, out)
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled) {
		return nil, ctx.Err()
	}
	out.Findings = append(out.Findings, named(ctx, diag.Of(err))...)
	return out, nil
}

// named gives the end of the request's time its name in errors of runs.
func named(ctx context.Context, list diag.List) diag.List {
	if !errors.Is(context.Cause(ctx), errLate) {
		return list
	}
	list = slices.Clone(list)
	for i, d := range list {
		if d.Class == diag.Timeout && d.Code == "timeout" {
			c := *d
			c.Message = fmt.Sprintf("the time limit of %s was reached", limitOf(ctx))
			list[i] = &c
		}
	}
	return list
}

func (p *Page) runInto(ctx context.Context, t *task, l *launch, out *results.Run) error {
	m, err := t.Program.load(l)
	if err != nil {
		return err
	}
	out.ISA = m.ISA()
	k, err := m.Kernel(l.Kernel)
	if err != nil {
		return err
	}
	out.Findings = append(out.Findings, k.Warnings()...)
	out.Kernel = k.Name()
	made, err := l.build(k, 1, p)
	if err != nil {
		return err
	}
	wants, err := l.Expectations(made.Buffers)
	if err != nil {
		return err
	}
	res, err := k.Run(ctx, l.Launch(made))
	if res != nil && faulted(err) && res.Stats.Workers > 1 {
		// The number of later blocks that have run depends on the workers.
		if again, rerr := l.build(k, 1, p); rerr == nil {
			l.Workers = 1
			if r, rerr := k.Run(ctx, l.Launch(again)); r != nil && faulted(rerr) {
				res, err, made = r, rerr, again
			}
		}
	}
	if res == nil {
		return err
	}
	out.Findings = append(out.Findings, results.NotTold(res.Findings, k.Warnings())...)
	out.Took(res, results.Chosen(made.Buffers, l.Print))
	if l.fidelity {
		out.Fidelity = res.Fidelity
	}
	if err != nil {
		return err
	}
	for _, w := range wants {
		if d := w.Compare(); d != nil {
			out.Findings = append(out.Findings, d)
		}
	}
	return nil
}

// faulted reports whether a run has come to a fault of the kernel's.
func faulted(err error) bool {
	list := diag.Of(err)
	return len(list) == 1 && list[0].Class == diag.Fault && list[0].Code != "cancelled"
}

// checkCopies is how many times the bytes of buffers a check takes: see launchOne of package cli.
const checkCopies = 4

// check answers as check --format json does.
func (p *Page) check(ctx context.Context, t *task) (*results.Check, error) {
	l, err := t.read(p, limitOf(ctx))
	if err != nil {
		return nil, err
	}
	c := &checking{out: results.Check{Schema: "crosslane.check/1", File: t.Program.Name}}
	err = p.launchOnce(ctx, t, l, c)
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled) {
		return nil, ctx.Err()
	}
	c.list = named(ctx, c.list)
	return c.report(t, err), nil
}

// checking is a check so far.
type checking struct {
	out      results.Check
	list     diag.List
	ignores  []*report.Ignore
	complete bool // comments that excuse nothing can be reported
	from, to int  // the lines of the kernel; 0: the file has no other
}

func (p *Page) launchOnce(ctx context.Context, t *task, l *launch, c *checking) error {
	m, err := t.Program.load(l)
	if err != nil {
		return err
	}
	c.out.ISA = m.ISA()
	k, err := m.Kernel(l.Kernel)
	if err != nil {
		return err
	}
	if l.Kernel != "" || len(m.Kernels()) == 1 {
		c.list = append(c.list, k.Warnings()...)
	}
	if err := c.readIgnores(t); err != nil {
		return err
	}
	c.out.Kernel = k.Name()
	from, to := k.Lines()
	if alone := len(m.Kernels()) == 1; alone || to > 0 {
		if c.complete = true; !alone {
			c.from, c.to = from, to
		}
	}
	c.out.Planned, c.out.Launches = 1, 1
	bytes := uint64(0)
	for _, a := range slices.Concat(l.Args, l.Buffers) {
		bytes += checkCopies * a.Bytes()
	}
	list, err := p.checkLaunch(ctx, k, l, bytes)
	if err != nil {
		return err
	}
	for _, g := range results.Merge([]diag.List{list}, c.list) {
		c.list = append(c.list, g.Diagnostic)
	}
	return nil
}

// checkLaunch makes the launch of a check, whose buffers take so many bytes.
func (p *Page) checkLaunch(ctx context.Context, k *crosslane.Kernel, l *launch, bytes uint64) (list diag.List, err error) {
	l.RaceMemory = max(1, min(1<<30, (l.MaxMemory-min(bytes, l.MaxMemory))/8))
	made, err := l.build(k, checkCopies, p)
	if err != nil {
		return diag.Of(err), nil
	}
	wants, err := l.Expectations(made.Buffers)
	if err != nil {
		return diag.Of(err), nil
	}
	launch := l.Launch(made)
	launch.RaceMemory, launch.Stdout = l.RaceMemory, io.Discard
	do := k.Check
	if l.Adversarial { // undefined bits are not followed through results that are delivered late
		do = k.Run
	}
	res, err := do(ctx, launch)
	if res != nil {
		list = append(list, res.Findings...)
	}
	if err != nil {
		return append(list, diag.Of(err)...), nil
	}
	for _, w := range wants {
		if d := w.Compare(); d != nil {
			d.Kernel = k.Name()
			list = append(list, d)
		}
	}
	return list, nil
}

// readIgnores reads the comments that excuse findings.
func (c *checking) readIgnores(t *task) error {
	if !t.Program.isText() {
		return nil
	}
	var bad diag.List
	if c.ignores, bad = report.ReadIgnores(t.Program.Name, t.Program.data); len(bad) > 0 {
		return bad
	}
	return nil
}

// report is the answer of a check that ended with an error, or nil.
func (c *checking) report(t *task, err error) *results.Check {
	c.list = append(c.list, diag.Of(err)...)
	list := report.New(c.list, diag.Error)
	ignores := c.ignores
	for _, d := range c.list {
		for _, r := range d.Related {
			if text, ok := t.Program.Includes[r.Pos.File]; ok && r.Origin {
				more, _ := report.ReadIgnores(r.Pos.File, []byte(text))
				ignores = append(ignores, more...)
			}
		}
	}
	report.Excuse(list, ignores)
	if c.complete && err == nil {
		notes := report.Unused(c.out.File, slices.DeleteFunc(slices.Clone(c.ignores), func(g *report.Ignore) bool {
			return c.to > 0 && (g.Target < c.from || g.Target > c.to)
		}))
		list = append(list, report.New(notes, diag.Error)...)
	}
	c.out.Findings, c.out.Excused = results.Split(report.Join(list))
	return &c.out
}

// static answers as check --static --format json does, for all kernels and functions.
func (p *Page) static(ctx context.Context, t *task) (*results.Check, error) {
	c := &checking{out: results.Check{Schema: "crosslane.check/1", File: t.Program.Name}}
	err := p.staticInto(ctx, t, c)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c.report(t, err), nil
}

func (p *Page) staticInto(ctx context.Context, t *task, c *checking) error {
	m, err := t.Program.load(nil)
	if err != nil {
		return err
	}
	c.out.ISA = m.ISA()
	c.list = append(c.list, m.Warnings()...)
	if err := c.readIgnores(t); err != nil {
		return err
	}
	list := m.Kernels()
	if len(list) == 1 {
		c.out.Kernel = list[0].Name()
	}
	list = append(slices.Clone(list), m.Functions()...)
	if len(list) == 0 {
		_, err := m.Kernel("")
		return err
	}
	told := results.NewTold(c.list)
	for _, k := range list {
		r, err := k.CheckStaticContext(ctx, crosslane.Dim3{})
		if err != nil {
			if ctx.Err() == nil && len(list) > 1 && unsupported(diag.Of(err)) {
				c.list = append(c.list, diag.Of(err)...)
				c.out.Proved = append(c.out.Proved, k.Name()+": not checked: it uses unsupported features")
				continue
			}
			return err
		}
		rest := told.Rest(r.Findings)
		told.Add(rest)
		c.list = append(c.list, rest...)
		if s := results.StaticSummary(r); s != "" {
			c.out.Proved = append(c.out.Proved, k.Name()+": "+s)
		}
	}
	return nil
}

// unsupported reports whether all errors of a list are about unsupported features.
func unsupported(list diag.List) bool {
	return !slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error && d.Class != diag.Unsupported })
}

// fixed is the answer of fix. If Proposed is set, the edits are proposals that the user has to judge.
type fixed struct {
	Proposed bool      `json:"proposed"`
	Edits    []edit    `json:"edits"`
	Text     string    `json:"text"`
	Left     diag.List `json:"left"`     // findings that were not fixed
	Needless diag.List `json:"needless"` // notes on waits that no instruction needs
}

type edit struct {
	Line int    `json:"line"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
	Why  string `json:"why"`
}

func (p *Page) fix(_ context.Context, t *task) (*fixed, error) {
	if !t.Program.isText() {
		return nil, usage("fix: %s is no text", quoted(t.Program.Name))
	}
	var r *crosslane.FixResult
	var err error
	if crosslane.DetectISA(t.Program.data) == crosslane.PTX {
		r, err = crosslane.ProposeFixes(t.Program.data, t.Program.Name)
	} else {
		r, err = crosslane.FixWaits(t.Program.data, t.Program.Name, crosslane.FixOptions{Include: t.Program.include})
	}
	if err != nil {
		return nil, err
	}
	out := &fixed{Proposed: r.Proposed, Edits: []edit{}, Text: string(r.Text), Left: nonNil(r.Left), Needless: nonNil(r.Needless)}
	for _, e := range r.Edits {
		out.Edits = append(out.Edits, edit(e))
	}
	return out, nil
}

// tried is the answer of try.
type tried struct {
	Text string       `json:"text"` // as the command line prints it
	Data *results.Try `json:"data"`
}

func (p *Page) try(ctx context.Context, params []byte) (any, error) {
	var q ask.Instruction
	isa, sets, exec, err := q.Read(params)
	if err != nil {
		return nil, err
	}
	if q.Options.As != "" {
		if err := input.OneOf("as", q.Options.As, "f32", "u32", "s32", "hex"); err != nil {
			return nil, usage("%s", err)
		}
	}
	limit, err := p.limit(q.Options.TimeoutMS)
	if err != nil {
		return nil, err
	}
	return within(ctx, p, limit, func(ctx context.Context) (*tried, error) {
		res, err := crosslane.Try(ctx, q.Text, crosslane.TryOptions{ISA: isa, Set: sets, Exec: exec, Show: q.Options.Show, Trace: q.Options.Trace})
		if res == nil || ctx.Err() != nil {
			return nil, err
		}
		return triedOf(res, q.Options.As, err), nil
	})
}

func triedOf(res *crosslane.TryResult, as string, err error) *tried {
	for _, d := range res.Findings {
		d.Kernel, d.Blocks = "", 0 // there is one wave, and no kernel
	}
	out := &tried{Text: results.TryText(res, as), Data: &results.Try{Schema: "crosslane.try/1", ISA: res.ISA, Lanes: res.Lanes,
		Registers: results.Registers{List: res.Registers, As: as}, Findings: append(nonNil(res.Findings), diag.Of(err)...)}}
	for _, s := range res.Steps {
		out.Data.Steps = append(out.Data.Steps, results.Step{Text: s.Text, Registers: results.Registers{List: s.Registers, As: as}})
	}
	return out
}

// sourceList is the answer of source.
type sourceList struct {
	ISA   crosslane.ISA `json:"isa"`
	Lines []string      `json:"lines"`        // the program's, or those of its disassembly
	Made  bool          `json:"disassembled"` // Lines are those of the disassembly
	Files []fileShown   `json:"files"`        // that it was compiled from
}

type fileShown struct {
	Name string `json:"name"`
}

// fileDirective matches the directive that names a file of the source language.
var fileDirective = regexp.MustCompile(`^\s*\.file\s+\d+\s+"([^"]+)"`)

func (p *Page) source(_ context.Context, t *task) (*sourceList, error) {
	out := &sourceList{ISA: crosslane.DetectISA(t.Program.data), Files: []fileShown{}}
	text := string(t.Program.data)
	if !t.Program.isText() {
		var err error
		if text, err = crosslane.DisassembleOffsets(t.Program.data, t.Program.Name); err != nil {
			return nil, err
		}
		out.Made = true
	}
	out.Lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range out.Lines {
		if m := fileDirective.FindStringSubmatch(line); m != nil && utf8.ValidString(m[1]) && len(out.Files) < maxFiles &&
			!slices.Contains(out.Files, fileShown{m[1]}) {
			out.Files = append(out.Files, fileShown{m[1]})
		}
	}
	return out, nil
}

// maxFiles is the greatest number of files that source names.
const maxFiles = 1000
