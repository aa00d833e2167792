package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/recfile"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/trace"
)

// recordFlags are the flags of record as written.
type recordFlags struct {
	runFlags
	stepFlags
	atBlocks []string
	from     int
	limit    string
	check    bool
	output   string
	force    bool
}

// stepFlags choose the view of a recording.
type stepFlags struct {
	steps  string
	atStep int
	wave   int
	why    int
}

func (f *stepFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.steps, "steps", "", "show the steps `FROM..TO` of the recording, TO included; FROM.. and FROM are allowed")
	fl.IntVar(&f.atStep, "at-step", -1, "show the state before step `N`: registers, fragments")
	fl.IntVar(&f.wave, "wave", -1, "with --at-step: the `INDEX` of the warp or wave; -1: that of the step")
	fl.IntVar(&f.why, "why-lane", -1, "with --at-step: explain what the step wrote in `LANE`")
}

func (a *app) recordCommand() *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:   "record FILE [the arguments of run] [-o FILE.clrec] [--check]",
		Short: "Record every step of a launch, lane by lane",
		Long: `Run a kernel of FILE as run does, with the interpreter, and record what every instruction
of a block did: which lanes ran it, what they wrote, which lanes they read. Without -o the
timeline is shown: a line for each step, a column for each lane.

  #  the instruction acts for the lane     ?  and wrote undefined bits (with --check)
  -  a guard or EXEC keeps it from acting  .  the lane is elsewhere, or has ended

-o writes a recording, which replay shows at any time: the launch with its program and
its data, so that it can be made again. --at-step shows the state before a step, and
--why-lane explains a value. FILE can also be a trace of exec: --launch N is then a
launch of it.`,
		Example: `  crosslane record examples/ptx/mistakes.ptx --kernel partial_reduce --grid 1 --block 32 \
    --arg in:s32[32]=fill:1 --arg out:s32[1] --arg 20 --check -o reduce.clrec
  crosslane replay reduce.clrec --steps 13..16`,
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	f.registerLaunch(a, cmd)
	f.stepFlags.register(cmd)
	fl.BoolVar(&f.check, "check", false, "also record undefined bits and the findings of check")
	fl.StringVarP(&f.output, "output", "o", "", "write a recording to `FILE`")
	fl.BoolVar(&f.force, "force", false, "let -o overwrite a file")
	formatFlag(cmd, &f.format, "text", "json")
	cmd.RunE = a.command(func(args []string) error { return a.record(&f, fl.Changed, args[0]) })
	return cmd
}

// registerLaunch registers the flags that choose a launch and the steps of it that are recorded.
func (f *recordFlags) registerLaunch(a *app, cmd *cobra.Command) {
	f.runFlags.register(a, cmd)
	a.includeFlags(cmd)
	fl := cmd.Flags()
	fl.StringArrayVar(&f.atBlocks, "at-block", nil, "record the block `X[,Y,Z]`, from 0 on; may be given several times (default 0)")
	fl.IntVar(&f.from, "from", 0, "keep the steps from `N` on")
	fl.StringVar(&f.limit, "history", "256M", "how much is recorded, `BYTES`")
}

// record is the command's body.
func (a *app) record(f *recordFlags, changed func(string) bool, file string) error {
	if err := input.OneOf("--format", f.format, "text", "json"); err != nil {
		return err
	}
	if f.output != "" && !f.force && !isDevice(f.output) {
		if _, err := os.Lstat(f.output); !errors.Is(err, fs.ErrNotExist) {
			return existsError(f.output)
		}
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	var r *crosslane.Recording
	s := &recfile.Saved{Version: a.api.Version(), Options: o}
	if isTrace(file) {
		r, err = a.recordTrace(f, changed, file, s)
	} else {
		r, err = a.recordFile(f, changed, file, s)
	}
	if err != nil {
		if f.format == "json" {
			if jerr := a.writeJSON(failedJSON{"crosslane.record/1", diag.Of(err)}); jerr != nil {
				return jerr
			}
		}
		return err
	}
	if f.output != "" {
		info := r.Info()
		s.Total, s.Digest = info.Total, r.Digest()
		if err := writeFile(f.output, f.force, func(w io.Writer) error { return recfile.Write(w, s) }); err != nil {
			return err
		}
		if f.format == "text" && f.steps == "" && f.atStep < 0 {
			fmt.Fprintf(a.out, "%s: %s\n", f.output, recordedText(&info))
			return a.recordFindings(&info)
		}
	}
	return a.showSteps(&f.stepFlags, f.format, r)
}

// options reads the flags of the recording.
func (f *recordFlags) options() (o crosslane.RecordOptions, err error) {
	limit, err := launchspec.ParseBytes(f.limit)
	if err != nil || limit < 1<<20 || limit > 1<<40 {
		return o, usage("--history: want a number of bytes, from 1M to 1024G, found %s", input.Quoted(f.limit))
	}
	if f.from < 0 {
		return o, usage("--from is at least 0")
	}
	o = crosslane.RecordOptions{From: f.from, Limit: int64(limit), Check: f.check}
	for _, b := range f.atBlocks {
		w := whyFlags{atBlock: b}
		var at crosslane.WhyOptions
		if err := w.readBlock(&at); err != nil {
			return o, err
		}
		o.Blocks = append(o.Blocks, at.Block)
	}
	return o, nil
}

// startOf returns the first bytes of a file; none if it cannot be read.
func startOf(file string) []byte {
	st, err := os.Stat(file)
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, 64)
	n, _ := io.ReadFull(f, b)
	return b[:n]
}

// isTrace reports whether a file is a trace of exec.
func isTrace(file string) bool { return trace.Is(startOf(file)) }

// recordFile records a launch of a program. s receives what the launch depends on.
func (a *app) recordFile(f *recordFlags, changed func(string) bool, file string, s *recfile.Saved) (*crosslane.Recording, error) {
	if err := input.OneOf("--isa", f.isa, "auto", "ptx", "gcn3"); err != nil {
		return nil, err
	}
	l, err := f.spec(changed)
	if err != nil {
		return nil, err
	}
	file = program(file)
	tr := tritonBeside(file)
	if err := addTriton(&l, tr); err != nil {
		return nil, err
	}
	if err := checkLaunch(&l, false); err != nil {
		return nil, a.sourceFirst(file, f.isa, err)
	}
	a.limit = l.Timeout
	defer a.patient(a.limit, false)()
	data, shown, err := a.readProgram(file)
	if err != nil {
		return nil, err
	}
	m, err := a.loadKept(data, shown, f.isa, s)
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	s.Kernel = k.Selector()
	a.report(k.Warnings()...)
	if err := addTritonScratch(&l, tr, k); err != nil {
		return nil, err
	}
	made, err := await(a, shown, func() (*launchspec.Built, error) { return l.Build(k, 2) })
	if err != nil {
		return nil, err
	}
	launch := l.Launch(made)
	if err := s.SetLaunch(&launch); err != nil {
		return nil, usage("%s", err)
	}
	return k.Record(a.ctx, launch, s.Options)
}

// loadKept loads a program, and keeps all files that it is made of.
func (a *app) loadKept(data []byte, shown, isa string, s *recfile.Saved) (module, error) {
	s.Modules = []recfile.File{{Name: shown, Data: slices.Clone(data)}}
	if len(a.linked) > 0 {
		for _, name := range a.linked {
			text, of, err := a.readProgram(name)
			if err != nil {
				return nil, err
			}
			s.Modules = append(s.Modules, recfile.File{Name: of, Data: text})
		}
		return a.link(data, shown, isa)
	}
	o, err := a.loadOptions(shown, isa)
	if err != nil {
		return nil, err
	}
	read := o.Include
	o.Include = func(name string) ([]byte, error) {
		b, err := read(name)
		if err == nil && !slices.ContainsFunc(s.Includes, func(f recfile.File) bool { return f.Name == name }) {
			s.Includes = append(s.Includes, recfile.File{Name: name, Data: slices.Clone(b)})
		}
		return b, err
	}
	s.ISA, s.Symbols, s.SM, s.Fat = o.ISA, o.Symbols, o.SM, o.FatBinary
	return a.api.Load(data, shown, o)
}

// recordTrace records a launch of a trace.
func (a *app) recordTrace(f *recordFlags, changed func(string) bool, file string, s *recfile.Saved) (*crosslane.Recording, error) {
	for _, n := range []string{"grid", "block", "kernel", "arg", "buffer", "set-symbol", "shared", "isa"} {
		if changed(n) {
			return nil, usage("--%s: a trace has its launches whole; --launch N chooses one", n)
		}
	}
	n, err := strconv.Atoi(f.launch)
	if err != nil {
		return nil, usage("--launch must be the number of a launch of the trace, found %s; crosslane replay %s lists them", input.Quoted(f.launch), file)
	}
	if f.timeout != "" {
		if a.limit, err = launchspec.ParseTimeout(f.timeout); err != nil {
			return nil, err
		}
	}
	return a.recordLaunch(file, n, s.Options, s)
}

// recordLaunch records launch n of a trace, from 1 on. s, if not nil, receives a trace of that launch alone.
func (a *app) recordLaunch(file string, n int, o crosslane.RecordOptions, s *recfile.Saved) (*crosslane.Recording, error) {
	r, err := trace.Open(file)
	if err != nil {
		return nil, ioError(diag.Pos{File: file}, "cannot read the trace: %s", input.Reason(err))
	}
	defer r.Close()
	list, _ := r.List()
	if n < 1 || n > len(list) {
		return nil, usage("--launch: the trace has the launches 1 to %d, found %d", len(list), n)
	}
	l, err := r.Launch(n - 1)
	if err != nil {
		return nil, ioError(diag.Pos{File: file}, "launch %d cannot be read: %s", n, err)
	}
	e := &list[n-1]
	if s != nil {
		if s.Trace, err = traceOf(e, l); err != nil {
			return nil, ioError(diag.Pos{File: file}, "launch %d cannot be kept: %s", n, input.Reason(err))
		}
	}
	total := uint64(0)
	for i := range l.Memory {
		total += uint64(len(l.Memory[i].Data))
	}
	m, err := session.Load(l.Image, l.Name, crosslane.Auto)
	if err != nil {
		return nil, err
	}
	a.remember(l.Name, l.Image)
	dev, err := device.New(e.Target, crosslane.DeviceOptions{Check: true, NoCallers: true, Stdout: io.Discard, MemoryBytes: max(total, 1), Timeout: a.limit})
	if err != nil {
		return nil, err
	}
	k, err := dev.Replay(m, l)
	if err != nil {
		return nil, err
	}
	defer a.patient(a.limit, false)()
	x, err := dev.Record(a.ctx, k, l.Launch, o)
	return (*crosslane.Recording)(x), err
}

// traceOf returns a trace that holds one launch.
func traceOf(e *trace.Entry, l *device.Recorded) ([]byte, error) {
	dir, err := os.MkdirTemp("", "crosslane-record-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "one")
	w, err := trace.Create(name, false, 0)
	if err != nil {
		return nil, err
	}
	err = w.Add(e.Process, e.Target, e.Checked, l)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// openRecording records the launch of a file again.
func (a *app) openRecording(file string) (*crosslane.Recording, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, ioError(diag.Pos{File: file}, "cannot read the recording: %s", input.Reason(err))
	}
	defer f.Close()
	s, err := recfile.Read(bufio.NewReader(f))
	if err != nil {
		return nil, ioError(diag.Pos{File: file}, "cannot read the recording: %s", err)
	}
	r, err := a.again(s)
	if err != nil {
		return nil, err
	}
	if info := r.Info(); info.Total != s.Total || r.Digest() != s.Digest {
		a.report(&diag.Diagnostic{Pos: diag.Pos{File: file}, Severity: diag.Note,
			Message: fmt.Sprintf("this version of Crosslane, %s, makes other steps of the launch than the one that recorded it, %s; those of this version are shown", a.api.Version(), s.Version)})
	}
	return r, nil
}

// again makes the launch of a file.
func (a *app) again(s *recfile.Saved) (*crosslane.Recording, error) {
	if s.Trace != nil {
		dir, err := os.MkdirTemp("", "crosslane-record-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		name := filepath.Join(dir, "one")
		if err := os.WriteFile(name, s.Trace, 0o600); err != nil {
			return nil, err
		}
		return a.recordLaunch(name, 1, s.Options, nil)
	}
	var m module
	var err error
	for _, f := range s.Modules {
		a.remember(f.Name, f.Data)
	}
	if len(s.Modules) > 1 {
		var files []crosslane.LinkFile
		for _, f := range s.Modules {
			files = append(files, crosslane.LinkFile{File: f.Name, Text: string(f.Data)})
		}
		m, err = a.api.Link(files)
	} else {
		m, err = a.api.Load(s.Modules[0].Data, s.Modules[0].Name, crosslane.LoadOptions{ISA: s.ISA, Symbols: s.Symbols, SM: s.SM, FatBinary: s.Fat,
			Include: func(name string) ([]byte, error) {
				for _, f := range s.Includes {
					if f.Name == name {
						return f.Data, nil
					}
				}
				return nil, fmt.Errorf("%s is not in the recording", name)
			}})
	}
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(s.Kernel)
	if err != nil {
		return nil, err
	}
	return k.Record(a.ctx, s.MakeLaunch(), s.Options)
}

// replayRecording shows a recording that record wrote.
func (a *app) replayRecording(f *replayFlags, changed func(string) bool, file string) error {
	for _, n := range []string{"launch", "check", "at", "type", "save", "module", "lane", "warp", "at-block", "nth", "all", "depth", "engine"} {
		if changed(n) {
			return usage("--%s is for traces; %s is a recording: see --steps, --at-step and --why-lane", n, file)
		}
	}
	if err := input.OneOf("--format", f.format, "text", "json"); err != nil {
		return err
	}
	if f.timeout != "" {
		var err error
		if a.limit, err = launchspec.ParseTimeout(f.timeout); err != nil {
			return err
		}
	}
	r, err := a.openRecording(file)
	if err != nil {
		return err
	}
	return a.showSteps(&f.stepFlags, f.format, r)
}

// shownSteps is how many steps the text shows, and maxSteps how many JSON holds, unless --steps says otherwise.
const (
	shownSteps = 200
	maxSteps   = 10_000
)

// showSteps writes the view that the flags ask for.
func (a *app) showSteps(f *stepFlags, format string, r *crosslane.Recording) error {
	info := r.Info()
	if f.atStep < 0 && (f.wave >= 0 || f.why >= 0) {
		return usage("--wave and --why-lane go with --at-step")
	}
	if f.why >= 0 {
		p, err := r.Why(a.ctx, f.atStep, f.why)
		if err != nil {
			return err
		}
		if format == "json" {
			return a.writeJSON(p)
		}
		fmt.Fprint(a.out, p.Text(crosslane.WhyView{}))
		return nil
	}
	from, to, err := f.bounds(&info, format)
	if err != nil {
		return err
	}
	data := &crosslane.RecordingData{Schema: "crosslane.record/1", RecordingInfo: info, Timeline: []crosslane.Step{}}
	if f.atStep < 0 || f.steps != "" {
		if data, err = r.Data(from, to); err != nil {
			return err
		}
	}
	if f.atStep >= 0 {
		waves := []int{f.wave}
		if f.wave < 0 {
			s, err := r.Step(min(f.atStep, info.First+info.Steps-1))
			if err != nil {
				return err
			}
			waves[0] = s.Wave
		}
		for _, w := range waves {
			s, err := r.At(f.atStep, w)
			if err != nil {
				return err
			}
			data.States = append(data.States, *s)
		}
	}
	if format == "json" {
		return a.writeJSON(data)
	}
	a.writeTimeline(data, from, to)
	return a.recordFindings(&info)
}

// bounds reads --steps.
func (f *stepFlags) bounds(info *crosslane.RecordingInfo, format string) (from, to int, err error) {
	end := info.First + info.Steps
	if f.steps == "" {
		most := shownSteps
		if format == "json" {
			most = maxSteps
		}
		return info.First, min(end, info.First+most), nil
	}
	a, b, dots := strings.Cut(f.steps, "..")
	if from, err = strconv.Atoi(a); err == nil {
		switch {
		case !dots:
			to = from + 1
		case b == "":
			to = end
		default:
			if to, err = strconv.Atoi(b); err == nil && to < math.MaxInt {
				to++
			}
		}
	}
	if err != nil || from < 0 || to <= from {
		return 0, 0, usage("--steps must be FROM..TO, FROM.. or FROM, found %s", input.Quoted(f.steps))
	}
	if from < info.First || from >= end {
		return 0, 0, usage("--steps: the steps %d to %d are recorded, found %d", info.First, end-1, from)
	}
	return from, min(to, end), nil
}

// recordFindings reports the fault that ended the run, and the findings that were recorded.
func (a *app) recordFindings(info *crosslane.RecordingInfo) error {
	a.out.Flush() // the timeline comes first
	for _, f := range info.Findings {
		if f.Finding.Class != diag.Finding {
			a.report(f.Finding)
		}
	}
	return nil
}
