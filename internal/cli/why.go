package cli

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/results"
)

// whyFlags are the flags of why as written.
type whyFlags struct {
	runFlags
	at, atBlock, history   string
	lane, warp, nth, depth int
	all                    bool
}

func (a *app) whyCommand() *cobra.Command {
	var f whyFlags
	cmd := &cobra.Command{
		Use:   "why FILE [the arguments of run] --at LINE|NAME[INDEX] [--lane N] [--at-block X[,Y,Z]] [--warp N]",
		Short: "Show the instructions, lanes and inputs that made a value",
		Long: `Run a kernel of FILE as run does, and show how one value was computed: the instructions,
their lanes and the memory that they read, down to the inputs.

--at NAME[INDEX] chooses an element of a buffer, as run prints it: out[0], out[3,4].
--at LINE chooses the result of the instruction on that line of FILE in one lane, and
--at +0x240 that of the instruction at an offset in a code object, as dis --offsets
shows it. --lane, --warp and --at-block choose the lane: the default is the first lane
that executed it in block 0. If there are several executions, the last one is shown, or
number --nth.

The tree shows the operands of every value below it. Copies and rounds of loops are
folded. Addresses, membermasks and conditions are shown only if memory, absent lanes or
unwritten values decide them; --all shows everything.`,
		Example: `  crosslane why examples/ptx/block_scan.ptx --grid 4 --block 256 \
    --arg in:s32[1024]=fill:1 --arg out:s32[1024] --arg 1024 --at out[3]`,
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	f.register(a, cmd)
	a.includeFlags(cmd)
	fl.StringVar(&f.at, "at", "", "the value: `LINE`, +OFFSET or NAME[INDEX]")
	fl.IntVar(&f.lane, "lane", -1, "with --at LINE: the lane; -1: the first that executed it")
	fl.IntVar(&f.warp, "warp", -1, "with --at LINE: the warp or wave in its block; -1: the first that executed it")
	fl.StringVar(&f.atBlock, "at-block", "0", "with --at LINE: the block, `X[,Y,Z]` from 0 on")
	fl.IntVar(&f.nth, "nth", 0, "with --at LINE: which execution, from 1 on; 0: the last one")
	fl.BoolVar(&f.all, "all", false, "fold nothing and leave nothing out")
	fl.IntVar(&f.depth, "depth", 0, "show at most so many steps; 0: all")
	fl.StringVar(&f.history, "history", "256M", "how much history of the run is kept, `BYTES`")
	formatFlag(cmd, &f.format, "text", "json", "svg")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := input.OneOf("--format", f.format, "text", "json", "svg"); err != nil {
			return err
		}
		if err := input.OneOf("--isa", f.isa, "auto", "ptx", "gcn3"); err != nil {
			return err
		}
		return a.command(func(args []string) error { return a.why(&f, fl.Changed, args[0]) })(cmd, args)
	}
	return cmd
}

// why is the command's body.
func (a *app) why(f *whyFlags, changed func(string) bool, file string) error {
	began := time.Now()
	p, err := a.whyFile(f, changed, file)
	if err != nil {
		if f.format == "json" {
			if jerr := a.writeJSON(failedJSON{"crosslane.why/1", diag.Of(err)}); jerr != nil {
				return jerr
			}
		}
		return err
	}
	return a.showWhy(f, file, p, began)
}

// showWhy writes an answer. The time limit counts from began on.
func (a *app) showWhy(f *whyFlags, file string, p *crosslane.Provenance, began time.Time) error {
	view := crosslane.WhyView{All: f.all, Depth: f.depth}
	if w, ok := a.outFile.(*os.File); ok && term.IsTerminal(int(w.Fd())) {
		if columns, _, err := term.GetSize(int(w.Fd())); err == nil {
			view.Width = min(max(columns, 60), 160)
		}
	}
	draw := func() ([]byte, error) { return []byte(p.Text(view)), nil }
	switch f.format {
	case "json":
		draw = func() ([]byte, error) { return results.Encode(p) }
	case "svg":
		draw = func() ([]byte, error) { return p.SVG(view), nil }
	}
	left := a.limit
	if left > 0 {
		left = max(left-time.Since(began), time.Millisecond)
	}
	text, err := within(a, file, left, "the answer is not laid out yet", "raise --timeout", draw)
	if err != nil {
		return err
	}
	if _, err := a.out.Write(text); err != nil {
		return ioError(diag.Pos{}, "cannot write the results: %s", err)
	}
	a.out.Flush() // the answer comes first
	a.whyFindings(p.Findings)
	return err
}

// whyFindings reports the event that ended the run, and of the findings only that there are some:
// why answers a question, and the user gets the findings from check.
func (a *app) whyFindings(l diag.List) {
	for _, d := range l {
		if d.Class != diag.Finding {
			a.report(d)
		}
	}
	a.countFindings("the run", l)
}

// countFindings says how many findings a run has, without their text.
func (a *app) countFindings(run string, l diag.List) {
	n, first := 0, ""
	for _, d := range l {
		if d.Class == diag.Finding && d.Severity != diag.Note {
			if n++; n == 1 {
				first = d.Code
			}
		}
	}
	if n == 0 {
		return
	}
	d := &diag.Diagnostic{Severity: diag.Note, Message: fmt.Sprintf("%s has %d findings (%s, …); crosslane check lists them", run, n, first)}
	if n == 1 {
		d.Message = fmt.Sprintf("%s has 1 finding (%s); crosslane check shows it", run, first)
	}
	_ = diag.List{d}.WriteText(a.err, diag.TextOptions{Color: a.colored(), Line: a.line}) // stderr, as in report
}

func (a *app) whyFile(f *whyFlags, changed func(string) bool, file string) (*crosslane.Provenance, error) {
	l, err := f.spec(changed)
	if err != nil {
		return nil, err
	}
	file = program(file)
	tr := tritonBeside(file)
	if err := addTriton(&l, tr); err != nil {
		return nil, err
	}
	if err := checkLaunch(&l, f.force); err != nil {
		return nil, a.sourceFirst(file, f.isa, err)
	}
	o, err := f.options(changed)
	if err != nil {
		return nil, err
	}
	a.limit = l.Timeout
	defer a.patient(a.limit, false)()
	data, shown, err := a.readProgram(file)
	if err != nil {
		return nil, err
	}
	m, err := a.load(data, shown, f.isa)
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	a.report(k.Warnings()...)
	if err := addTritonScratch(&l, tr, k); err != nil {
		return nil, err
	}
	made, err := await(a, shown, func() (*launchspec.Built, error) { return l.Build(k, 1) })
	if err != nil {
		return nil, err
	}
	if name, _, element := strings.Cut(f.at, "["); element {
		if err := made.Ask(k, "--at", name); err != nil {
			return nil, err
		}
	}
	if err := f.target(&o, made.Buffers, changed); err != nil {
		return nil, err
	}
	launch := l.Launch(made)
	launch.Workers = 0
	late := l.Timeout
	if late > 0 {
		late += stopTime
	}
	return within(a, shown, late, "the value is not followed back yet", "raise --timeout, or ask about an earlier value", func() (*crosslane.Provenance, error) { return k.Why(a.ctx, launch, o) })
}

// options reads the flags that are numbers.
func (f *whyFlags) options(changed func(string) bool) (o crosslane.WhyOptions, err error) {
	if f.depth < 0 || f.nth < 0 {
		return o, usage("--depth and --nth are at least 0")
	}
	if f.lane < 0 && changed("lane") || f.warp < 0 && changed("warp") {
		return o, usage("--lane and --warp are at least 0")
	}
	history, err := launchspec.ParseBytes(f.history)
	if err != nil || history < 1<<20 || history > 1<<40 {
		return o, usage("--history: want a number of bytes, from 1M to 1024G, found %s", input.Quoted(f.history))
	}
	return crosslane.WhyOptions{Lane: f.lane, Warp: f.warp, Nth: f.nth, History: int64(history)}, nil
}

// target reads --at and the flags that go with it.
func (f *whyFlags) target(o *crosslane.WhyOptions, buffers []*crosslane.Buffer, changed func(string) bool) error {
	bad := func() error {
		return usage("--at must be a line, an offset such as +0x40, or an element such as out[0]; found %s", input.Quoted(f.at))
	}
	switch {
	case f.at == "":
		return usage("--at is missing: the line or the element of a buffer to explain")
	case f.at[0] == '+':
		n, err := strconv.ParseInt(f.at[1:], 0, 64)
		if err != nil || n < 0 {
			return bad()
		}
		o.Offset = n
	case f.at[0] >= '0' && f.at[0] <= '9':
		n, err := strconv.Atoi(f.at)
		if err != nil || n == 0 || n > math.MaxInt32 {
			return bad()
		}
		o.Line = n
	default:
		return f.element(o, buffers, changed, bad)
	}
	return f.readBlock(o)
}

// place reads --at-block, which counts from 0.
func (f *whyFlags) readBlock(o *crosslane.WhyOptions) error {
	var at [3]uint32
	parts := strings.Split(f.atBlock, ",")
	for i, p := range parts {
		n, err := strconv.ParseUint(strings.TrimSpace(p), 0, 32)
		if err != nil || i > 2 {
			return usage("--at-block must be X, X,Y or X,Y,Z, found %s", input.Quoted(f.atBlock))
		}
		at[i] = uint32(n)
	}
	o.Block = crosslane.Dim3{X: at[0], Y: at[1], Z: at[2]}
	return nil
}

// element reads NAME[INDEX].
func (f *whyFlags) element(o *crosslane.WhyOptions, buffers []*crosslane.Buffer, changed func(string) bool, bad func() error) error {
	for _, n := range [...]string{"lane", "warp", "at-block", "nth"} {
		if changed(n) {
			return usage("--%s goes with --at LINE: an element has one last store", n)
		}
	}
	name, rest, ok := strings.Cut(f.at, "[")
	index, closed := strings.CutSuffix(rest, "]")
	if !ok || !closed {
		return bad()
	}
	var at []int
	for _, s := range strings.Split(index, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			return bad()
		}
		at = append(at, n)
	}
	var names []string
	for _, b := range buffers {
		if names = append(names, b.Name); b.Name != name {
			continue
		}
		if o.Index = b.Element(at...); o.Index < 0 {
			return usage("--at: %s is %s[%s]; there is no element %s", name, b.Type, joinInts(b.Shape, ","), index)
		}
		o.Buffer = name
		return nil
	}
	return usage("--at: no buffer is named %s (there are: %s)", input.Quoted(name), strings.Join(names, ", "))
}
