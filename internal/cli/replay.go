package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/recfile"
	"example.org/crosslane/internal/report"
	"example.org/crosslane/internal/results"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/trace"
	"example.org/crosslane/internal/value"
)

// replayFlags are the flags of replay as written.
type replayFlags struct {
	whyFlags
	stepFlags
	number int
	check  bool
	failOn string
	types  []string
	module string
}

func (a *app) replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay TRACE [--launch N [--check | --at LINE|NAME[INDEX]]] | replay FILE.clrec [--steps FROM..TO] [--at-step N [--why-lane LANE]]",
		Short: "Run, check or explain a launch that exec or record kept",
		Long: `Make a launch of a trace again, alone. "exec --trace FILE" records launches of a host program,
each with the memory that it found. Without --launch the launches are listed.

--launch N runs launch N and prints the allocations that it changes, as words of 32 bits;
--type NAME=f32 prints one with another type. --check checks the launch as check does.
--at explains a value of it as why does. --module FILE writes the PTX of its module.

Undefined bits are recorded if exec has --check.

The launch of a recording (see record) is made again, and its steps are shown.`,
		Example: `  crosslane exec --trace app.trace -- python3 app.py
  crosslane replay app.trace
  crosslane replay app.trace --launch 3 --check
  crosslane replay app.trace --launch 3 --at 'allocation 2[5]'`,
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.IntVar(&f.number, "launch", 0, "the launch, from 1 on")
	fl.BoolVar(&f.check, "check", false, "check the launch")
	fl.StringVar(&f.at, "at", "", "explain the value at `LINE` or NAME[INDEX]")
	fl.IntVar(&f.lane, "lane", -1, "with --at LINE: the lane; -1: the first that executed it")
	fl.IntVar(&f.warp, "warp", -1, "with --at LINE: the warp in its block; -1: the first that executed it")
	fl.StringVar(&f.atBlock, "at-block", "0", "with --at LINE: the block, `X[,Y,Z]` from 0 on")
	fl.IntVar(&f.nth, "nth", 0, "with --at LINE: which execution, from 1 on; 0: the last one")
	fl.BoolVar(&f.all, "all", false, "with --at: fold nothing and leave nothing out. Else: print long allocations whole")
	fl.IntVar(&f.depth, "depth", 0, "with --at: show at most so many steps; 0: all")
	fl.StringVar(&f.history, "history", "256M", "with --at: how much history of the run is kept, `BYTES`")
	fl.StringArrayVar(&f.types, "type", nil, "the type of an allocation, `NAME=TYPE`, as in 'allocation 1=f32'")
	fl.StringArrayVar(&f.save, "save", nil, "write an allocation to a file, `NAME=FILE`")
	f.stepFlags.register(cmd)
	fl.StringVar(&f.module, "module", "", "write the PTX of the launch to `FILE`")
	fl.BoolVar(&f.force, "force", false, "let --save and --module overwrite files")
	fl.StringVar(&f.failOn, "fail-on", "error", "with --check: exit with 1 for findings of this severity or above: error, warning or note")
	fl.StringVar(&f.engine, "engine", "auto", "auto, interp or jit")
	fl.StringVar(&f.timeout, "timeout", "", "end the launch after `DURATION`")
	formatFlag(cmd, &f.format, "text", "json", "svg")
	complete(cmd, "fail-on", "error", "warning", "note")
	cmd.RunE = a.command(func(args []string) error { return a.replay(&f, fl.Changed, args[0]) })
	return cmd
}

// replay is the command's body.
func (a *app) replay(f *replayFlags, changed func(string) bool, file string) error {
	if recfile.Is(startOf(file)) {
		return a.replayRecording(f, changed, file)
	}
	for _, n := range []string{"steps", "at-step", "wave", "why-lane"} {
		if changed(n) {
			return usage("--%s is for recordings; record %s --launch N makes one of a launch of a trace", n, file)
		}
	}
	for _, c := range []struct {
		flag, value string
		words       []string
	}{{"--format", f.format, []string{"text", "json", "svg"}}, {"--fail-on", f.failOn, []string{"error", "warning", "note"}}, {"--engine", f.engine, []string{"auto", "interp", "jit"}}} {
		if err := input.OneOf(c.flag, c.value, c.words...); err != nil {
			return usage("%s", err)
		}
	}
	if f.check && f.at != "" {
		return usage("--check and --at are two questions: ask them one by one")
	}
	if f.format == "svg" && f.at == "" {
		return usage("--format svg draws the answer to --at")
	}
	r, err := trace.Open(file)
	if err != nil {
		return ioError(diag.Pos{File: file}, "cannot read the trace: %s", input.Reason(err))
	}
	defer r.Close()
	list, missing := r.List()
	if missing {
		a.report(&diag.Diagnostic{Pos: diag.Pos{File: file}, Severity: diag.Note, Message: "the end of the trace is missing: the program was ended while it was written"})
	}
	if f.number == 0 {
		return a.listTrace(file, f.format, list)
	}
	if f.number < 1 || f.number > len(list) {
		return usage("--launch: the trace has the launches 1 to %d, found %d", len(list), f.number)
	}
	l, err := r.Launch(f.number - 1)
	if err != nil {
		return ioError(diag.Pos{File: file}, "launch %d cannot be read: %s", f.number, err)
	}
	return a.replayOne(f, changed, &list[f.number-1], l)
}

// traceJSON is the list of a trace, schema crosslane.trace/1.
type traceJSON struct {
	Schema   string            `json:"schema"`
	File     string            `json:"file"`
	Launches []traceLaunchJSON `json:"launches"`
}

type traceLaunchJSON struct {
	Launch  int       `json:"launch"` // from 1 on
	PID     int       `json:"pid"`
	Program string    `json:"program"`
	Device  string    `json:"device"`
	Checked bool      `json:"checked"`
	Kernel  string    `json:"kernel"`
	Grid    [3]uint32 `json:"grid"`
	Block   [3]uint32 `json:"block"`
	Shared  uint32    `json:"shared"` // dynamic, bytes
	Memory  uint64    `json:"memory"` // bytes
}

// listTrace writes the launches of a trace.
func (a *app) listTrace(file, format string, list []trace.Entry) error {
	if format == "json" {
		out := traceJSON{Schema: "crosslane.trace/1", File: file, Launches: []traceLaunchJSON{}}
		for i, e := range list {
			out.Launches = append(out.Launches, traceLaunchJSON{i + 1, e.PID, e.Program, e.Target, e.Checked, e.Kernel, e.Grid, e.Block, e.Shared, e.Memory})
		}
		return a.writeJSON(out)
	}
	process := -1
	for i, e := range list {
		if e.PID != process {
			process = e.PID
			fmt.Fprintf(a.out, "%s, process %d, on %s\n", e.Program, e.PID, e.Target)
		}
		name := readableOne(&diag.Diagnostic{Kernel: e.Kernel}).Kernel
		shared := ""
		if e.Shared > 0 {
			shared = ", " + input.BytesText(uint64(e.Shared)) + " of dynamic shared memory"
		}
		fmt.Fprintf(a.out, "%6d  %s  grid %s, block %s%s, %s of memory\n", i+1, name, dimText(e.Grid), dimText(e.Block), shared, input.BytesText(e.Memory))
	}
	_, err := fmt.Fprintf(a.out, "%s\n", results.Numbered(len(list), "launch"))
	return err
}

// dimText is a grid or a block: 4 or 4,2,1.
func dimText(d [3]uint32) string {
	if d[1] == 1 && d[2] == 1 {
		return fmt.Sprint(d[0])
	}
	return fmt.Sprintf("%d,%d,%d", d[0], d[1], d[2])
}

// replayOne makes a launch again.
func (a *app) replayOne(f *replayFlags, changed func(string) bool, e *trace.Entry, l *device.Recorded) error {
	o := crosslane.DeviceOptions{Check: f.check || f.at != "", NoCallers: true, Engine: f.engine, Stdout: a.out}
	var err error
	if f.timeout != "" {
		if o.Timeout, err = launchspec.ParseTimeout(f.timeout); err != nil {
			return err
		}
		a.limit = o.Timeout
	}
	if f.check {
		o.Stdout = io.Discard
	}
	total := uint64(0)
	for i := range l.Memory {
		total += uint64(len(l.Memory[i].Data))
	}
	o.MemoryBytes = max(total, 1)
	m, err := session.Load(l.Image, l.Name, crosslane.Auto)
	if err != nil {
		return err
	}
	if f.module != "" {
		if err := writeFile(f.module, f.force, func(w io.Writer) error { _, err := w.Write(l.Image); return err }); err != nil {
			return err
		}
	}
	a.remember(l.Name, l.Image)
	types, err := f.typesOf()
	if err != nil {
		return err
	}
	dev, err := device.New(e.Target, o)
	if err != nil {
		return err
	}
	k, err := dev.Replay(m, l)
	if err != nil {
		return err
	}
	if f.at != "" {
		return a.replayWhy(f, changed, dev, k, l)
	}
	defer a.patient(o.Timeout, false)()
	res, err := dev.Default().Launch(a.ctx, k, l.Launch)
	if f.check {
		c := &checked{file: l.Name, kernel: l.Kernel, isa: crosslane.PTX, planned: 1, ran: 1, list: diag.List{}, block: e.Block}
		if res != nil {
			c.list = append(c.list, res.Findings...)
		}
		c.list = append(c.list, diag.Of(err)...)
		cf := &checkFlags{failOn: f.failOn, all: f.all}
		cf.format = f.format
		if err := a.checkedLaunch(cf, c); err != nil {
			return err
		}
		return nil
	}
	if res == nil {
		return err
	}
	buffers := changedBuffers(dev.Changed(l), types)
	if f.format == "json" {
		out := results.Run{Schema: "crosslane.run/1", File: l.Name, Findings: append(res.Findings, diag.Of(err)...), Buffers: []results.Buffer{}}
		out.Took(res, buffers)
		if werr := a.writeJSON(out); werr != nil {
			return werr
		}
		return err
	}
	a.showBuffers(buffers, f.all, err != nil)
	a.report(res.Findings...)
	if err != nil {
		return err
	}
	return f.saveReplayed(dev, l, types)
}

// checkedLaunch reports the findings of one launch.
func (a *app) checkedLaunch(f *checkFlags, c *checked) error {
	if a.ctx.Err() != nil {
		return a.ctx.Err()
	}
	list := report.New(c.list, f.atLeast())
	ignores, bad := a.sourceIgnores(c)
	report.Excuse(list, ignores)
	c.found = append(list, report.New(bad, f.atLeast())...)
	return a.writeReport(f, &checkedFiles{files: []*checked{c}})
}

// typesOf reads --type.
func (f *replayFlags) typesOf() (map[string]value.Type, error) {
	types := map[string]value.Type{}
	for _, s := range f.types {
		name, t, ok := cutLast(s, "=")
		if !ok || !value.Type(t).Valid() {
			return nil, usage("--type is NAME=TYPE, as in 'allocation 1=f32', found %s", input.Quoted(s))
		}
		types[name] = value.Type(t)
	}
	return types, nil
}

// cutLast cuts a text at the last separator.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// replayedBuffer is an allocation as a buffer of a type: the one that is asked for, or words of 32 bits, or bytes.
func replayedBuffer(name string, data []byte, types map[string]value.Type) *crosslane.Buffer {
	t, ok := types[name]
	if !ok || len(data)%t.Size() != 0 {
		t = "u32"
		if len(data)%4 != 0 {
			t = "u8"
		}
	}
	return &crosslane.Buffer{Name: name, Type: crosslane.ElemType(t), Shape: []int{len(data) / t.Size()}, Data: data}
}

func changedBuffers(list []device.Difference, types map[string]value.Type) (out []*crosslane.Buffer) {
	for _, d := range list {
		out = append(out, replayedBuffer(d.Name, d.After, types))
	}
	return out
}

// saveReplayed writes allocations to files, changed or not.
func (f *replayFlags) saveReplayed(dev *device.Device, l *device.Recorded, types map[string]value.Type) error {
	after := map[string][]byte{}
	for _, d := range dev.Changed(l) {
		after[d.Name] = d.After
	}
	for _, s := range f.save {
		name, file, ok := strings.Cut(s, "=")
		i := slices.IndexFunc(l.Memory, func(m device.RecordedAlloc) bool { return m.Name == name })
		if !ok || i < 0 {
			return usage("--save is NAME=FILE with the name of an allocation, found %s", input.Quoted(s))
		}
		data := l.Memory[i].Data
		if after[name] != nil {
			data = after[name]
		}
		if err := saveBuffer(replayedBuffer(name, data, types), file, f.force); err != nil {
			return err
		}
	}
	return nil
}

// replayWhy explains a value of a launch.
func (a *app) replayWhy(f *replayFlags, changed func(string) bool, dev *device.Device, k *device.Kernel, l *device.Recorded) error {
	began := time.Now()
	o, err := f.options(changed)
	if err != nil {
		return err
	}
	var buffers []*crosslane.Buffer
	for i := range l.Memory {
		buffers = append(buffers, replayedBuffer(l.Memory[i].Name, l.Memory[i].Data, nil))
	}
	if err := f.target(&o, buffers, changed); err != nil {
		return err
	}
	p, err := dev.Why(a.ctx, k, l.Launch, o)
	if err != nil {
		return err
	}
	return a.showWhy(&f.whyFlags, l.Name, p, began)
}
