package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/names"
	"example.org/crosslane/internal/report"
	"example.org/crosslane/internal/results"
)

// checkFlags are the flags of check as written.
type checkFlags struct {
	runFlags
	sweep                   []string
	rules, failOn, budget   string
	baseline, writeBaseline string
	static, all, requireAll bool
	targets                 []string
}

var checkFormats = []string{"text", "json", "sarif", "github", "junit", "compute-sanitizer"}

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE [the arguments of run] [--sweep KEY=VALUES]... | check PATH... | check --static PATH... | check --target TARGET PATH... | check --rules list",
		Short: "Run a kernel and report its errors",
		Long: `Run a kernel of FILE as run does and report its errors: undefined cross-lane reads;
undefined bits, such as those of unwritten registers and memory, that reach a branch,
an address or a buffer; lanes outside their membermask; misused barriers; races;
accesses out of bounds; missing waits; and results that depend on the order in which
lanes and warps run, for which check launches the kernel again in other orders. The
buffers are not printed. A buffer given without contents counts as undefined. With
--adversarial, undefined bits are not followed. "crosslane explain CODE" explains a code.

PATH is a file, a folder with all kernels below it, or a pattern. If no launch is given,
check runs each file with the launch file next to it (k.launch.json for k.ptx); without
one it checks all paths of the file (--static). There is one report and one exit status.
A file without kernels is skipped, with a note; with --require-all it is an error. Of a
program, library, archive or wheel, check takes the PTX of each fat binary and the code
objects for gfx803; extract lists them.

--sweep launches the kernel with all combinations of values, in parallel, and reports
which launches show a finding. It takes KEY=VALUES;KEY=VALUES, where KEY is
  block, grid    64  16x16  1..32  32..256..32  ceil(n/block)
  shared         4096  4*block
  schedule       lowest-pc  reversed  random:7  random:1..20
  PARAMETER      scalars of a parameter of that name, or argN of argument N
--sweep alone takes the block sizes 1, 31, 32, 33, 48, 63, 64, 65, 96, as far as the
kernel's directives allow them. --static checks without a launch.

--target reports the code that does not work on another target unchanged: a PTX target
such as sm_90, or a chip such as gfx1030. It makes no launch unless --grid is given. For
a target of the other vendor it reports code that assumes another number of lanes.

A comment "// crosslane:ignore CODE reason" excuses a finding on its line, or, if it
stands on a line of its own, on the next one. --baseline excuses the findings of a file that
--write-baseline made.

Exit status 1: there are findings at or above --fail-on; see also crosslane --help.`,
		Example: `  crosslane check k.ptx --grid 1 --arg in:s32[96]=iota --arg out:s32[96] --sweep
  crosslane check k.ptx --launch k.json --sweep 'block=1..64;schedule=random:1..20'
  crosslane check k.ptx --launch k.json --format sarif > k.sarif
  crosslane check kernels --require-all`,
	}
	fl := cmd.Flags()
	f.register(a, cmd)
	a.includeFlags(cmd)
	fl.StringArrayVar(&f.sweep, "sweep", nil, "launch with all of these values, `KEY=VALUES;...`; alone: with usual block sizes")
	fl.BoolVar(&f.static, "static", false, "check without a launch; --block, if given, is the shape of the block")
	fl.StringSliceVar(&f.targets, "target", nil, "report what does not work on `TARGET,...`: sm_90, gfx1030, ...")
	fl.BoolVar(&f.all, "all", false, "report every instruction; else one finding stands for all instructions of a source line that show the same")
	fl.BoolVar(&f.requireAll, "require-all", false, "a file that is skipped is an error")
	fl.StringVar(&f.rules, "rules", "", "report only these codes, or all but -CODE, `CODE,...`; list: list them. Faults are always reported")
	fl.StringVar(&f.failOn, "fail-on", "error", "exit with 1 for findings of this severity or above: error, warning or note")
	fl.StringVar(&f.budget, "budget", "", "begin no launch of a sweep after `DURATION`")
	fl.StringVar(&f.baseline, "baseline", "", "do not count the findings of this `FILE`")
	fl.StringVar(&f.writeBaseline, "write-baseline", "", "write the findings to `FILE`, as a baseline")
	fl.BoolVar(&f.force, "force", false, "let --write-baseline overwrite a file")
	formatFlag(cmd, &f.format, checkFormats...)
	complete(cmd, "fail-on", "error", "warning", "note")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := input.OneOf("--format", f.format, checkFormats...); err != nil {
			return err
		}
		if err := input.OneOf("--fail-on", f.failOn, "error", "warning", "note"); err != nil {
			return err
		}
		if err := input.OneOf("--isa", f.isa, "auto", "ptx", "gcn3"); err != nil {
			return err
		}
		if f.rules == "list" {
			return a.command(func([]string) error { return a.listRules(f.format) })(cmd, args)
		}
		if len(args) == 0 {
			return errors.New("give a file, several, or a folder")
		}
		return a.command(func(args []string) error { return a.check(&f, fl.Changed, args) })(cmd, args)
	}
	return cmd
}

// checked holds the results of a check so far.
type checked struct {
	file, kernel string
	isa          crosslane.ISA
	planned, ran int
	list         diag.List // findings, and errors about the input
	block        [3]uint32
	sizes        map[*diag.Diagnostic][3]uint32
	proved       []string // lines of --static
	moved        []string // lines of --target
	ignores      []*report.Ignore
	alone        bool                      // the file has one kernel
	from, to     int                       // else the lines of the kernel
	stopped      bool                      // by an interrupt
	where        error                     // what an interrupt has cut short, and where it was; nil: not known
	skipped      map[*diag.Diagnostic]bool // for --static: why kernels were not checked, though the rest were
	complete     bool                      // every launch was made, so that unused ignores and stale entries can be reported
	failed       bool                      // the check itself has met an error
	found        []*report.Finding         // the findings to report
}

// check is the command's body. It writes one report in every case.
func (a *app) check(f *checkFlags, changed func(string) bool, paths []string) error {
	keep, err := parseRules(f.rules)
	if err != nil {
		return err
	}
	var known *report.Baseline
	if f.baseline != "" {
		data, err := readFile(f.baseline, maxInput)
		if err != nil {
			return err
		}
		if known, err = report.ReadBaseline(f.baseline, data); err != nil {
			d := diag.Errorf(diag.Pos{File: f.baseline}, diag.Input, "bad-baseline", "%s", err)
			d.Remedy = "make it with --write-baseline"
			return d
		}
	}
	if f.writeBaseline != "" && !f.force && exists(f.writeBaseline) {
		return existsError(f.writeBaseline)
	}
	for _, code := range diag.Codes() {
		if !keep(code.Code) {
			a.skip = append(a.skip, code.Code)
		}
	}
	files, many, err := checkPaths(paths)
	if err != nil {
		return err
	}
	if files, many, err = a.inside(f, changed, files, many); err != nil {
		return err
	}
	if many {
		if err := forOneFile(changed); err != nil {
			return err
		}
	}
	all := &checkedFiles{many: many, planned: len(files)}
	for _, file := range files {
		g := *f
		g.beside(changed, file, many)
		c := &checked{file: file, complete: true}
		if err := a.checkOne(&g, changed, keep, c); err != nil {
			return err
		}
		if many && c.foreign() {
			all.skip(c, f.requireAll)
			if !f.requireAll {
				continue
			}
		}
		all.files = append(all.files, c)
		if c.stopped {
			break
		}
	}
	if len(all.files) == 0 {
		d := diag.Errorf(diag.Pos{File: all.skipped[0].File}, diag.Input, "unknown-kind", "no file was checked: %s", all.skipped[0].Reason)
		d.Remedy = "name files of PTX, of GCN3 assembly, or code objects"
		return d
	}
	if known != nil {
		all.apply(known, f, keep)
	}
	if err := a.writeReport(f, all); err != nil {
		return err
	}
	if all.stopped() != nil {
		return a.ctx.Err()
	}
	if f.writeBaseline == "" {
		return nil
	}
	return writeFile(f.writeBaseline, f.force, func(w io.Writer) error { return report.WriteBaseline(w, f.writeBaseline, all.findings()) })
}

// checkOne checks one file, and fills its findings. The error is that of an interrupt before there
// was any finding.
func (a *app) checkOne(f *checkFlags, changed func(string) bool, keep func(string) bool, c *checked) error {
	err := a.checkFile(f, changed, c)
	// If a sweep was interrupted, the findings of the launches until then are reported.
	if a.ctx.Err() != nil && !c.stopped {
		return a.ctx.Err()
	}
	c.complete = c.complete && !c.stopped
	c.failed = err != nil
	c.list = append(c.list, diag.Of(err)...)
	if c.where != nil && !errors.Is(c.where, context.Canceled) {
		c.list = append(c.list, interrupted(diag.Of(c.where))...)
	}
	c.list = slices.DeleteFunc(c.list, func(d *diag.Diagnostic) bool { return d.Class == diag.Finding && !keep(d.Code) })
	list := report.New(c.list, f.atLeast())
	ignores, bad := a.sourceIgnores(c)
	list = append(list, report.New(bad, f.atLeast())...)
	report.Excuse(list, append(ignores, c.ignores...))
	var notes diag.List
	if c.complete && err == nil && f.rules == "" {
		notes = report.Unused(c.file, slices.DeleteFunc(slices.Clone(c.ignores), func(g *report.Ignore) bool {
			return !c.alone && (g.Target < c.from || g.Target > c.to)
		}))
	}
	list = append(list, report.New(slices.DeleteFunc(notes, func(d *diag.Diagnostic) bool { return !keep(d.Code) }), f.atLeast())...)
	for _, x := range list {
		x.Size = c.sizes[x.Diagnostic]
	}
	c.found = list
	return nil
}

// atLeast is the severity from which on the check fails.
func (f *checkFlags) atLeast() diag.Severity { return severityOf(f.failOn) }

// severityOf is the severity that a flag names: error, warning or note.
func severityOf(name string) diag.Severity {
	return map[string]diag.Severity{"note": diag.Note, "warning": diag.Warning, "error": diag.Error}[name]
}

// checkFile loads the file and makes the launches.
func (a *app) checkFile(f *checkFlags, changed func(string) bool, c *checked) error {
	l, err := f.spec(changed)
	if err != nil {
		return err
	}
	tr := tritonBeside(c.file)
	if !f.static {
		if err := addTriton(&l, tr); err != nil {
			return err
		}
	}
	budget := time.Duration(0)
	if f.budget != "" {
		if budget, err = launchspec.ParseTimeout(f.budget); err != nil {
			return usage("--budget must be a duration such as 500ms, 10s or 2m, found %s", input.Quoted(f.budget))
		}
	}
	if f.static && len(f.sweep) > 0 {
		return usage("--static makes no launches that --sweep could change")
	}
	a.limit = l.Timeout
	defer a.patient(a.limit, false)()
	data, shown, err := a.readProgram(c.file)
	if err != nil {
		return err
	}
	c.file = shown
	load := func() (module, error) { return a.load(data, shown, f.isa) }
	var end time.Time // of --static; zero: there is no limit
	if f.static {
		// The checks without a launch have no other work that could take long, so the limit is for all of it.
		if l.Timeout > 0 {
			end = time.Now().Add(l.Timeout)
		}
		load = func() (module, error) {
			m, err := before(a, shown, end, "the file is not parsed yet", func() (module, error) { return a.load(data, shown, f.isa) })
			return limited{m, a, shown, end}, err
		}
	}
	m, err := load()
	if err != nil {
		return err
	}
	c.isa = m.ISA()
	if err := ownWarnings(m, f, l.Kernel, c); err != nil {
		return err
	}
	var bad diag.List
	if c.ignores, bad = a.readIgnores(shown); len(bad) > 0 {
		return bad
	}
	names := m.Names()
	c.alone = len(names) == 1
	c.complete = c.alone && !f.static && len(f.targets) == 0
	if len(f.targets) > 0 {
		if err := checkTargets(m, l.Kernel, f.targets, c); err != nil {
			return err
		}
		if !f.static && l.Grid.X == 0 && len(f.sweep) == 0 {
			return nil
		}
	}
	if f.static {
		if l.Kernel != "" {
			names = []string{l.Kernel}
		}
		var unused []string
		for _, name := range []string{"grid", "arg", "shared", "schedule", "undefined", "adversarial"} {
			if changed(name) {
				unused = append(unused, "--"+name)
			}
		}
		if len(unused) > 0 {
			fmt.Fprintf(a.err, "check: --static makes no launch: %s of no use\n", strings.Join(unused, ", ")+[]string{" is", " are"}[min(len(unused)-1, 1)])
		}
		return a.checkStatic(m, names, &l, end, c)
	}
	k, err := m.Kernel(l.Kernel)
	if err != nil {
		return err
	}
	c.kernel = k.Name()
	if err := addTritonScratch(&l, tr, k); err != nil {
		return err
	}
	if from, to := k.Lines(); to > 0 && !c.alone && len(f.targets) == 0 {
		c.complete, c.from, c.to = true, from, to
	}
	c.block = [3]uint32{l.Block.X, l.Block.Y, l.Block.Z}
	s, err := parseSweep(f.sweep, k, len(l.Args))
	if err != nil {
		return err
	}
	first, err := s.apply(l, 0)
	if err != nil {
		return err
	}
	if err := checkLaunch(&first, false); err != nil {
		return err
	}
	return a.launchAll(k, l, s, budget, c)
}

// readIgnores reads the comments of a file that excuse findings.
func (a *app) readIgnores(file string) ([]*report.Ignore, diag.List) {
	return report.ReadIgnores(file, a.source(file).text)
}

// sourceIgnores reads the comments of the files that the instructions of findings were
// compiled from.
func (a *app) sourceIgnores(c *checked) (ignores []*report.Ignore, bad diag.List) {
	seen := map[string]bool{c.file: true}
	for _, d := range c.list {
		for _, r := range d.Related {
			if !r.Origin || seen[r.Pos.File] {
				continue
			}
			seen[r.Pos.File] = true
			more, wrong := a.readIgnores(r.Pos.File)
			ignores, bad = append(ignores, more...), append(bad, wrong...)
		}
	}
	return ignores, bad
}

// ownWarnings takes over the warnings of loading: for the kernel that is checked, or for all.
func ownWarnings(m module, f *checkFlags, kernel string, c *checked) error {
	if kernel != "" || len(m.Names()) == 1 {
		k, err := m.Kernel(kernel)
		if err != nil {
			return err
		}
		c.list = append(c.list, k.Warnings()...)
		return nil
	}
	if f.static || len(f.targets) > 0 {
		c.list = append(c.list, m.Warnings()...)
	}
	return nil
}

// checkStatic checks kernels without a launch, for blocks of a shape if one is given. If there are
// several kernels, it reports those that are not supported, and checks the rest.
func (a *app) checkStatic(m module, names []string, l *launchspec.Spec, end time.Time, c *checked) error {
	if len(names) == 1 {
		c.kernel = names[0]
	}
	var list []kernel
	for _, name := range names {
		k, err := m.Kernel(name)
		if err != nil {
			return err
		}
		list = append(list, k)
	}
	if l.Kernel == "" {
		list = append(list, m.Functions()...)
	}
	if len(list) == 0 && a.alone[c.file] {
		return nil // variables for other units
	}
	if len(list) == 0 {
		_, err := m.Kernel("")
		return err
	}
	ctx := a.ctx
	if l.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end)
		defer cancel()
	}
	told := results.NewTold(c.list)
	for n, k := range list {
		name := k.Name()
		r, err := k.CheckStatic(ctx, l.Block)
		switch {
		case err != nil && ctx.Err() != nil && a.ctx.Err() == nil:
			return diag.Errorf(diag.Pos{File: c.file}, diag.Timeout, "timeout", "the time limit of %s was reached: %d of %s were checked", l.Timeout, n, results.Numbered(len(list), "kernel"))
		case err != nil && ctx.Err() != nil:
			c.stopped = true
			c.where = diag.Errorf(diag.Pos{File: c.file}, diag.Timeout, "cancelled", "the run was cancelled; %d of %s were checked", n, results.Numbered(len(list), "kernel"))
			return nil
		case err != nil && len(list) > 1 && unsupported(diag.Of(err)):
			if c.skipped == nil {
				c.skipped = map[*diag.Diagnostic]bool{}
			}
			for _, d := range diag.Of(err) {
				c.skipped[d] = true
				c.list = append(c.list, d)
			}
			c.proved = append(c.proved, name+": not checked: it uses unsupported features")
			continue
		case err != nil:
			return err
		}
		rest := told.Rest(r.Findings)
		told.Add(rest)
		c.list = append(c.list, rest...)
		if r.Summary != "" {
			c.proved = append(c.proved, name+": "+r.Summary)
		}
	}
	return nil
}

// unsupported reports whether all errors of a list are about unsupported features.
func unsupported(list diag.List) bool {
	return !slices.ContainsFunc(list, func(d *diag.Diagnostic) bool {
		return d.Severity == diag.Error && d.Class != diag.Unsupported
	})
}

// checkTargets reports the code that does not move to other targets.
func checkTargets(m module, kernel string, targets []string, c *checked) error {
	for _, t := range targets {
		list, err := m.Portability(kernel, strings.TrimSpace(t))
		if err != nil {
			return err
		}
		for _, r := range list {
			c.list = append(c.list, results.NotTold(r.Findings, c.list)...)
			line := r.Summary
			if r.Kernel != "" {
				line = r.Kernel + ": " + line
				c.kernel = r.Kernel
			}
			c.moved = append(c.moved, line)
		}
		if len(list) > 1 {
			c.kernel = ""
		}
	}
	return nil
}

// writeReport writes the findings to standard output, in the requested form. Errors in the input go
// to standard error too, as always.
func (a *app) writeReport(f *checkFlags, all *checkedFiles) error {
	var input diag.List
	skipped := map[*diag.Diagnostic]bool{}
	recorded := f.writeBaseline != ""
	for _, c := range all.files {
		for d := range c.skipped {
			skipped[d] = true
		}
		for _, x := range c.found {
			switch {
			case !report.IsFinding(x.Diagnostic):
				input = append(input, x.Diagnostic)
			case x.Counts() && x.Fails && !recorded:
				status := 1
				if x.Severity == diag.Error {
					status = x.Class.ExitCode()
				}
				a.status = max(a.status, status)
			}
		}
	}
	// A finding in another kernel is more important than the note that some kernels were skipped.
	if a.status == 1 {
		a.show(slices.DeleteFunc(slices.Clone(input), func(d *diag.Diagnostic) bool { return !skipped[d] }))
		input = slices.DeleteFunc(input, func(d *diag.Diagnostic) bool { return skipped[d] })
	}
	a.report(input...)
	all = all.with(func(list []*report.Finding) []*report.Finding {
		if !f.all {
			list = report.Join(list)
		}
		if f.format != "json" {
			list = report.With(list, readableOne)
		}
		return list
	})
	r := &report.Report{Version: a.api.Version(), Findings: all.findings(), Line: a.line}
	if len(all.files) == 1 && !all.many {
		c := all.files[0]
		r.File, r.Kernel, r.Lanes = c.file, c.kernel, c.lanes()
	}
	var err error
	switch f.format {
	case "json":
		return a.writeJSON(all.json())
	case "sarif":
		err = r.SARIF(a.out)
	case "github":
		err = r.GitHub(a.out)
	case "junit":
		err = r.JUnit(a.out)
	case "compute-sanitizer":
		err = r.Sanitizer(a.out)
	default:
		err = a.checkText(all)
	}
	if err != nil {
		return ioError(diag.Pos{}, "cannot write the report: %s", err)
	}
	return nil
}

// lanes is how many lanes a wave of the file's kernels has.
func (c *checked) lanes() int {
	if c.isa == crosslane.GCN3 {
		return 64
	}
	return 32
}

// json is the report of one file, schema crosslane.check/1.
func (c *checked) json() results.Check {
	out := results.Check{Schema: "crosslane.check/1", File: c.file, Kernel: c.kernel, ISA: c.isa, Planned: c.planned, Launches: c.ran, Proved: c.proved, Moved: c.moved}
	out.Findings, out.Excused = results.Split(c.found)
	return out
}

// checkText writes the findings as diagnostics are written, with the lanes drawn, and
// a summary.
func (a *app) checkText(all *checkedFiles) error {
	counts := map[diag.Severity]int{}
	by := map[string]int{}
	planned, ran := 0, 0
	for _, c := range all.files {
		var shown diag.List
		for _, x := range c.found {
			switch {
			case !report.IsFinding(x.Diagnostic):
				if x.Severity == diag.Error {
					counts[diag.Error]++
				}
			case !x.Counts():
				by[x.By]++
			default:
				shown = append(shown, x.Diagnostic)
				counts[x.Severity]++
			}
		}
		if err := shown.WriteText(a.out, diag.TextOptions{Color: a.coloredOn(a.outFile), Line: a.line, Lanes: c.lanes()}); err != nil {
			return err
		}
		planned, ran = planned+c.planned, ran+c.ran
		for _, p := range slices.Concat(c.proved, c.moved) {
			if all.many {
				p = c.file + ": " + p
			}
			fmt.Fprintf(a.out, "%s\n", names.InText(p))
		}
	}
	text := countsText(counts)
	if text == "" {
		text = "nothing found"
	}
	switch {
	case ran == 0 && planned == 0:
	case ran < planned:
		text += fmt.Sprintf(" in %d of %s", ran, results.Numbered(planned, "launch"))
	default:
		text += " in " + results.Numbered(ran, "launch")
	}
	if n := by["comment"]; n > 0 {
		text += fmt.Sprintf("; %d excused by comments", n)
	}
	if n := by["baseline"]; n > 0 {
		text += fmt.Sprintf("; %d in the baseline", n)
	}
	text += all.summary()
	for _, s := range all.skipped {
		fmt.Fprintf(a.out, "%s: skipped: %s\n", s.File, s.Reason)
	}
	_, err := fmt.Fprintf(a.out, "check: %s\n", text)
	return err
}

// countsText writes how many findings there are of each severity: "2 errors, 1 note"; "" if there are none.
func countsText(counts map[diag.Severity]int) string {
	var parts []string
	for _, s := range []diag.Severity{diag.Error, diag.Warning, diag.Note} {
		if n := counts[s]; n > 0 {
			parts = append(parts, results.Numbered(n, s.String()))
		}
	}
	return strings.Join(parts, ", ")
}
