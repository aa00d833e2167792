package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/driver/host"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/report"
	"example.org/crosslane/internal/results"
	"example.org/crosslane/internal/trace"
)

// hostFlags are the flags of exec and serve as written.
type hostFlags struct {
	device, engine, memory, timeout string
	check, keepGoing, leaks         bool
	filter                          []string
	first, every                    int
	rules, failOn, show             string
	json, sarif, junit, jsonl       string
	trace                           string
	force, progress                 bool
	socket                          string // serve
	reporter                        bool
	usual                           string // for --device auto: the device of a process that has loaded no code
}

// autoDevice asks for a device that fits the code of each program: see choose.
const autoDevice = "auto"

func (f *hostFlags) register(a *app, cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&f.check, "check", false, "check every launch and every copy, as check does")
	fl.StringVar(&f.device, "device", autoDevice, "the device that programs see, `NAME`: auto, sm_80, sm_86, sm_89, sm_120, ... auto is sm_89, sm_120 for programs that have PTX for it alone, and gfx803 for HIP")
	fl.StringArrayVar(&f.filter, "filter", nil, "check or record only launches of these kernels, `kernel=PATTERN`; a pattern may contain * and ?")
	fl.IntVar(&f.first, "first", 0, "check or record only the first `N` launches of each kernel")
	fl.IntVar(&f.every, "every", 0, "check or record every `N`th launch of each kernel")
	fl.BoolVar(&f.keepGoing, "keep-going", false, "report a fault and let the program go on; else its later calls fail, as on hardware")
	fl.BoolVar(&f.leaks, "leaks", false, "report memory, streams, events, modules and pools that the program has left when it ends")
	fl.StringVar(&f.rules, "rules", "", "report only these codes, or all but -CODE, `CODE,...`. Faults are always reported")
	fl.StringVar(&f.failOn, "fail-on", "error", "exit with 1 for findings of this severity or above: error, warning or note")
	fl.StringVar(&f.show, "show", "warning", "show findings of this severity or above: error, warning or note; reports have all")
	fl.StringVar(&f.json, "json", "", "write the findings to `FILE` as JSON")
	fl.StringVar(&f.sarif, "sarif", "", "write the findings to `FILE` as SARIF")
	fl.StringVar(&f.junit, "junit", "", "write the findings to `FILE` as JUnit's XML")
	fl.StringVar(&f.jsonl, "jsonl", "", "write each finding to `FILE` at once, a line of JSON each")
	fl.StringVar(&f.trace, "trace", "", "record launches, with the memory that they find, in `FILE`; see replay")
	fl.BoolVar(&f.force, "force", false, "let reports overwrite files")
	fl.StringVar(&f.memory, "memory", "16G", "memory of the device in `BYTES`")
	fl.StringVar(&f.timeout, "timeout", "", "end a launch after `DURATION`")
	fl.StringVar(&f.engine, "engine", "auto", "auto, interp or jit")
	f.reporterFlag(fl)
	fl.BoolVar(&f.progress, "progress", false, "show how many launches were made, on standard error")
	complete(cmd, "fail-on", "error", "warning", "note")
	complete(cmd, "show", "error", "warning", "note")
	complete(cmd, "engine", "auto", "interp", "jit")
}

func (a *app) execCommand() *cobra.Command {
	var f hostFlags
	cmd := &cobra.Command{
		Use:   "exec [--check] [--device NAME] [--json FILE] -- COMMAND [ARGUMENT]...",
		Short: "Run a host program on a device of Crosslane",
		Long: `Run an unmodified program that uses the CUDA driver API, such as a Python program with
Numba or Triton, on a machine without a GPU. The program finds a driver library of Crosslane
in place of NVIDIA's. With --check every launch and every copy is checked.

Findings go to standard error, with the calls of the program that made the allocation and
the launch. A finding that occurs again is counted and not shown again. Standard input and
output are those of the program. Each process of the program has a device of its own.

The exit status is that of the program. If that is 0 and there are findings at or above
--fail-on, it is that of check: 1, 4 for a fault, 5 for a launch that reached --timeout.
A program that a signal ended has 128 and the number of the signal.

The driver library is compiled once, by the C compiler of the machine (CC, cc, gcc or clang),
and kept in the user's cache folder. Host programs run on Linux on amd64.`,
		Example: `  crosslane exec -- python3 app.py
  crosslane exec --check --first 3 -- python3 app.py
  crosslane exec --check --json findings.json --filter 'kernel=scan*' -- ./app 1024`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("give the command to run")
			}
			return nil
		},
	}
	f.register(a, cmd)
	cmd.Flags().SetInterspersed(false)
	cmd.RunE = a.command(func(args []string) error {
		return a.exec(&f, args)
	})
	return cmd
}

func (a *app) serveCommand() *cobra.Command {
	var f hostFlags
	cmd := &cobra.Command{
		Use:   "serve [--check] [--device NAME] [--socket FILE]",
		Short: "Serve host programs that other commands start",
		Long: `Run the server of exec without a program. The variables that a program needs are written to
standard output, as commands for a shell. Set them, and start programs. An interrupt ends the
server, which then writes its findings as exec does. Nothing listens on a network: the socket is
in a folder that only the user can enter.`,
		Example: `  crosslane serve --check > vars &
  . ./vars; python3 app.py`,
		Args: cobra.NoArgs,
	}
	f.register(a, cmd)
	cmd.Flags().StringVar(&f.socket, "socket", "", "the name of the socket; else it is in a new folder")
	cmd.RunE = a.command(func([]string) error { return a.serve(&f) })
	return cmd
}

// hostRun is one run of a server for host programs.
type hostRun struct {
	a    *app
	f    *hostFlags
	keep func(code string) bool
	log  io.Writer // standard error, a write at a time

	mu     sync.Mutex
	found  []*hostFinding
	places map[string]*hostFinding
	lines  *os.File      // --jsonl
	hidden int           // findings that were not shown
	hinted bool          // linesHint was shown
	trace  *trace.Writer // --trace

	devices []string // that processes have
	reasons []string // for devices that were chosen, as they are shown
}

// hostFinding is a finding and where it came from.
type hostFinding struct {
	*diag.Diagnostic
	client host.Client // of its first occurrence
	times  int
}

// syncWriter lets several goroutines write.
type syncWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *syncWriter) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(b)
}

// reports are the files that are written at the end.
func (f *hostFlags) reports() []string { return []string{f.json, f.sarif, f.junit, f.jsonl, f.trace} }

// recorder writes chosen launches to the trace.
func (r *hostRun) recorder(chosen func(kernel string) bool) func(c host.Client, l *device.Recorded) {
	var failed sync.Once
	return func(c host.Client, l *device.Recorded) {
		if !chosen(l.Kernel) {
			return
		}
		if err := r.trace.Add(trace.Process(c), l.Target, r.f.check, l); err != nil {
			failed.Do(func() {
				fmt.Fprintf(r.log, "exec: the trace ends here: %s\n", err)
			})
		}
	}
}

// startHost checks the flags and starts the server.
func (a *app) startHost(f *hostFlags) (*hostRun, *host.Server, error) {
	if err := input.OneOf("--fail-on", f.failOn, "error", "warning", "note"); err != nil {
		return nil, nil, usage("%s", err)
	}
	if err := input.OneOf("--show", f.show, "error", "warning", "note"); err != nil {
		return nil, nil, usage("%s", err)
	}
	if err := input.OneOf("--engine", f.engine, "auto", "interp", "jit"); err != nil {
		return nil, nil, usage("%s", err)
	}
	keep, err := parseRules(f.rules)
	if err != nil {
		return nil, nil, err
	}
	memory, err := launchspec.ParseBytes(f.memory)
	if err != nil {
		return nil, nil, usage("--memory: %s", err)
	}
	r := &hostRun{a: a, f: f, keep: keep, log: &syncWriter{w: a.err}, places: map[string]*hostFinding{}}
	o := crosslane.DeviceOptions{Check: f.check, KeepGoing: f.keepGoing, MemoryBytes: memory, Engine: f.engine}
	if f.timeout != "" {
		if o.Timeout, err = launchspec.ParseTimeout(f.timeout); err != nil {
			return nil, nil, usage("--timeout must be a duration such as 500ms, 10s or 2m, found %s", input.Quoted(f.timeout))
		}
	}
	chosen, err := r.patterns()
	if err != nil {
		return nil, nil, err
	}
	if len(chosen) > 0 || f.first > 0 || f.every > 0 {
		if !f.check && f.trace == "" {
			return nil, nil, usage("--filter, --first and --every choose the launches that --check checks and --trace records; give one of these, too")
		}
		o.Checks = r.selection(chosen)
	}
	for _, code := range diag.Codes() {
		if !keep(code.Code) || code.Code == "leak" && !f.leaks {
			o.Skip = append(o.Skip, code.Code)
		}
	}
	for i, name := range f.reports() {
		if name == "" {
			continue
		}
		if slices.Contains(f.reports()[:i], name) {
			return nil, nil, usage("two reports have the name %s", name)
		}
		if !f.force && exists(name) {
			return nil, nil, existsError(name)
		}
	}
	ho := host.Options{Target: f.device, Device: o, Report: r.report, Objects: f.leaks, Log: r.log, Socket: f.socket, Cache: cacheFolder()}
	if f.device == autoDevice {
		f.usual = cmp.Or(f.usual, automatic(nil).device)
		ho.Target, ho.Choose = f.usual, r.choose
	}
	if f.trace != "" {
		if r.trace, err = trace.Create(f.trace, f.force, 0); err != nil {
			return nil, nil, ioError(diag.Pos{File: f.trace}, "cannot write: %s", input.Reason(err))
		}
		ho.Record = r.recorder(r.selection(chosen))
	}
	s, err := host.Start(ho)
	if errors.Is(err, host.ErrPlatform) {
		return nil, nil, diag.Errorf(diag.Pos{}, diag.Unsupported, "unsupported", "%s", err)
	}
	if list := (diag.List)(nil); errors.As(err, &list) {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, ioError(diag.Pos{}, "the server cannot start: %s", err)
	}
	if f.jsonl != "" {
		if r.lines, err = os.OpenFile(f.jsonl, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666); err != nil {
			s.Close()
			return nil, nil, ioError(diag.Pos{File: f.jsonl}, "cannot write: %s", input.Reason(err))
		}
	}
	return r, s, nil
}

// cacheFolder is the folder of the user that keeps the compiled libraries.
func cacheFolder() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = filepath.Join(os.TempDir(), fmt.Sprintf("crosslane-cache-%d", os.Getuid()))
	}
	return filepath.Join(cache, "crosslane")
}

// patterns are those of --filter.
func (r *hostRun) patterns() (list []string, err error) {
	if r.f.first < 0 || r.f.every < 0 {
		return nil, usage("--first and --every are counts of launches, at least 1")
	}
	for _, s := range r.f.filter {
		pattern, ok := strings.CutPrefix(s, "kernel=")
		if _, err := path.Match(pattern, ""); !ok || err != nil || pattern == "" {
			return nil, usage("--filter is kernel=PATTERN, as in kernel=scan*, found %s", input.Quoted(s))
		}
		list = append(list, pattern)
	}
	return list, nil
}

// selection is a function that says which launches are chosen. It is asked once for each launch.
func (r *hostRun) selection(patterns []string) func(kernel string) bool {
	var mu sync.Mutex
	counts := map[string]int{}
	return func(kernel string) bool {
		if len(patterns) > 0 && !slices.ContainsFunc(patterns, func(p string) bool { return kernelMatches(p, kernel) }) {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		n := counts[kernel]
		counts[kernel]++
		return (r.f.first == 0 || n < r.f.first) && (r.f.every == 0 || n%r.f.every == 0)
	}
}

// kernelMatches reports whether a pattern is that of a kernel's name, mangled or not.
func kernelMatches(pattern, kernel string) bool {
	for _, name := range []string{kernel, readableOne(&diag.Diagnostic{Kernel: kernel}).Kernel} {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

// report keeps a finding, and shows it if it is the first of its place.
func (r *hostRun) report(c host.Client, d *diag.Diagnostic) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.f.reporter {
		r.handOver(c, d)
		return
	}
	place := results.PlaceKey(d) + "|" + d.Object
	if x := r.places[place]; x != nil && x.Severity >= d.Severity {
		x.times++
		return
	}
	x := &hostFinding{d, c, 1}
	r.places[place] = x
	r.found = append(r.found, x)
	if d.Severity >= min(severityOf(r.f.show), r.atLeast()) {
		var text bytes.Buffer
		shown := diag.List{readableOne(d)}
		if !r.hinted && lacksLines(d) {
			r.hinted = true
			shown[0].Related = append(shown[0].Related, diag.Related{Message: linesHint})
		}
		// Nothing can be done if stderr cannot be written.
		_ = shown.WriteText(&text, diag.TextOptions{Color: r.a.colored(), Line: r.a.line, Lanes: 32})
		_, _ = r.log.Write(text.Bytes())
	} else {
		r.hidden++
	}
	if r.lines != nil {
		list := report.New(diag.List{d}, r.atLeast())
		if line, err := json.Marshal(hostFindingJSON{list[0], x}); err == nil {
			_, _ = r.lines.Write(append(line, '\n'))
		}
	}
}

// linesHint says how findings get the lines of the source. It is shown once.
const linesHint = "the PTX does not name the lines of its source: with nvcc -lineinfo, or clang -gline-tables-only, findings show them"

// embedded is the name of PTX that was in a fat binary, which nvcc or clang made.
var embedded = regexp.MustCompile(`\.sm_\d+[af]?\.ptx$`)

// lacksLines reports whether a finding in a kernel of nvcc or clang has no line of the source.
func lacksLines(d *diag.Diagnostic) bool {
	_, ok := d.Origin()
	return !ok && d.Kernel != "" && embedded.MatchString(d.Pos.File)
}

func (r *hostRun) atLeast() diag.Severity { return severityOf(r.f.failOn) }

// exec runs a program.
func (a *app) exec(f *hostFlags, args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	if err := a.recognise(f, cmd.Path); err != nil {
		return err
	}
	r, s, err := a.startHost(f)
	if err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.outFile, a.err
	cmd.Env = s.Environment(os.Environ())
	stop := r.follow(s)
	status, err := host.Run(cmd)
	stop()
	if left := s.Close(); left > 0 {
		fmt.Fprintf(r.log, "exec: the program has ended and left %s that used the device; their connections were ended\n", results.Numbered(left, "process"))
	}
	if err != nil {
		d := ioError(diag.Pos{}, "cannot run %s: %s", args[0], input.Reason(err))
		var e *exec.Error
		if errors.As(err, &e) {
			d = ioError(diag.Pos{}, "cannot run %s: %s", args[0], input.Reason(e.Err))
		}
		return d
	}
	return r.finish(args, status, s.Counts())
}

// serve serves programs until it is ended.
func (a *app) serve(f *hostFlags) error {
	r, s, err := a.startHost(f)
	if err != nil {
		return err
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(ended)
	for _, line := range s.Exports() {
		fmt.Fprintln(a.out, line)
	}
	if err := a.out.Flush(); err != nil {
		s.Close()
		return ioError(diag.Pos{}, "cannot write the variables: %s", err)
	}
	stop := r.follow(s)
	select {
	case <-ended:
	case <-a.ctx.Done():
	}
	stop()
	s.Close()
	return r.finish(nil, 0, s.Counts())
}

// followEvery is how often --progress counts: on a terminal, and in a log.
const followEvery, followLog = time.Second, 30 * time.Second

// follow shows how many launches were made, until stop is called.
func (r *hostRun) follow(s *host.Server) (stop func()) {
	if !r.f.progress {
		return func() {}
	}
	terminal := r.a.drawsLines()
	every := followLog
	if terminal {
		every = followEvery
	}
	tick := time.NewTicker(every)
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		p := &progress{w: r.log}
		defer p.erase()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				c := s.Counts()
				r.mu.Lock()
				n := len(r.found)
				r.mu.Unlock()
				text := fmt.Sprintf("exec: %s, %s", results.Numbered(int(c.Launches), "launch"), results.Numbered(n, "finding"))
				if terminal {
					p.draw(text)
				} else {
					fmt.Fprintln(r.log, text)
				}
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
		<-gone
	}
}

// finish writes the summary and the reports, and sets the exit status.
func (r *hostRun) finish(command []string, status int, c host.Counts) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.a
	var list diag.List
	times := map[*diag.Diagnostic]*hostFinding{}
	more := 0
	for _, x := range r.found {
		list = append(list, x.Diagnostic)
		times[x.Diagnostic] = x
		more += x.times - 1
	}
	found := report.New(list, r.atLeast())
	own := 0
	counts := map[diag.Severity]int{}
	for _, x := range found {
		counts[x.Severity]++
		if x.Fails {
			own = max(own, 1)
			if x.Severity == diag.Error {
				own = max(own, x.Class.ExitCode())
			}
		}
	}
	r.summary(c, counts, more)
	if a.status = status; status == 0 {
		a.status = own
	}
	out := execJSON{Schema: "crosslane.exec/1", Command: command, Device: r.deviceNames(), Checked: r.f.check, Status: status, Processes: c.Processes, Launches: c.Launches, Findings: []hostFindingJSON{}}
	for _, x := range found {
		out.Findings = append(out.Findings, hostFindingJSON{x, times[x.Diagnostic]})
	}
	whole := &report.Report{Version: a.api.Version(), Findings: report.With(found, readableOne), Line: a.line, Lanes: 32}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{r.f.json, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(out)
		}},
		{r.f.sarif, whole.SARIF},
		{r.f.junit, whole.JUnit},
	} {
		if f.name == "" {
			continue
		}
		if err := writeFile(f.name, r.f.force, f.write); err != nil {
			return err
		}
	}
	if r.lines != nil {
		if err := r.lines.Close(); err != nil {
			return ioError(diag.Pos{File: r.f.jsonl}, "cannot write: %s", input.Reason(err))
		}
	}
	if r.trace != nil {
		if err := r.trace.Close(); err != nil {
			return ioError(diag.Pos{File: r.f.trace}, "cannot write: %s", input.Reason(err))
		}
	}
	return nil
}

// summary writes a line about the whole run, if there is something to say.
func (r *hostRun) summary(c host.Counts, counts map[diag.Severity]int, more int) {
	if r.f.reporter {
		return
	}
	text := countsText(counts)
	switch {
	case text == "" && !r.f.check:
		return
	case text == "" && c.Processes == 0:
		fmt.Fprintln(r.log, "exec: nothing was checked: no process called cuInit of the driver library")
		return
	case text == "":
		text = "nothing found"
	}
	text += " in " + results.Numbered(int(c.Launches), "launch")
	if c.Processes > 1 {
		text += fmt.Sprintf(" of %d processes", c.Processes)
	}
	if more > 0 {
		text += fmt.Sprintf("; %d more of the same", more)
	}
	if r.hidden > 0 {
		text += fmt.Sprintf("; --show note shows %d more", r.hidden)
	}
	fmt.Fprintln(r.log, "exec: "+text)
}

// execJSON is the report of exec, schema crosslane.exec/1.
type execJSON struct {
	Schema    string            `json:"schema"`
	Command   []string          `json:"command,omitempty"` // of serve: none
	Device    string            `json:"device"`
	Checked   bool              `json:"checked"`
	Status    int               `json:"status"` // of the program
	Processes int64             `json:"processes"`
	Launches  int64             `json:"launches"`
	Findings  []hostFindingJSON `json:"findings"`
}

// hostFindingJSON is a finding of a process. A line of --jsonl is one, too.
type hostFindingJSON struct {
	*report.Finding
	of *hostFinding
}

// hostFindingMore holds the members that hostFindingJSON has besides the diagnostic.
type hostFindingMore struct {
	ID      string `json:"id"`
	PID     int    `json:"pid"`
	Program string `json:"program"`
	Times   int    `json:"times"`
}

func (hostFindingJSON) JSONForms() []any {
	return []any{(*diag.Diagnostic)(nil).JSONForm(), hostFindingMore{}}
}

func (f hostFindingJSON) MarshalJSON() ([]byte, error) {
	return results.JoinedJSON(f.Diagnostic, hostFindingMore{f.ID, f.of.client.PID, f.of.client.Program, f.of.times})
}
