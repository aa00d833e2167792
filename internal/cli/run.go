package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/results"
	"example.org/crosslane/internal/value"
)

// runFlags are the flags of run as written.
type runFlags struct {
	launchFlags
	engine, timeout, undefined, schedule string
	maxMemory, isa                       string
	workers                              int
	adversarial                          bool
	resultFlags
}

// launchFlags are the flags that describe the launch.
type launchFlags struct {
	kernel, grid, block, shared, launch string
	cluster, stack, heap                string
	args, buffers, symbols              []string
	cooperative                         bool
}

// resultFlags are the flags that choose what run shows, saves and compares.
type resultFlags struct {
	format, profile, dump  string
	print, save, expect    []string
	force, saveOnStop      bool
	quiet, stats, fidelity bool
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE --grid X[,Y,Z] --block X[,Y,Z] [--arg ARG]...",
		Short: "Run a kernel and print the buffers it wrote",
		Long: `Run a kernel of FILE (.ptx text, GCN3 assembly .s, AMDGPU code object; "-" is
standard input) and print the buffers that it wrote.

Arguments come in the order of the kernel's parameters. ARG is one of
  1024, -3, 0x1f, 1.5      a scalar, converted to the parameter's declared type
  u32:7, f32:0.5           a scalar with its type
  NAME:TYPE[N]             a buffer of zero bytes, uninitialised for the checks;
                           NAME:TYPE[R,C] has R rows of C elements
  NAME:TYPE[N]=INIT        a buffer with values
  NAME=@FILE.npy           a buffer of the file's type and size
  NAME                     the buffer of another argument, or of --buffer
  &NAME  &NAME[4]  &NAME+8 the address of a buffer, of an element, of a byte
  {&NAME,64,1.0f}          a structure passed by value: see docs/launch.md
  shared:BYTES             a GCN3 local-pointer argument
TYPE is u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64. INIT is zero, iota,
iota:START, fill:V, rand:SEED, V,V,... or @FILE (.npy, .csv, else raw bytes).

Sizes may follow other values: --grid 'ceil(n/block)', --shared '4*block', x:f32[n], with
the numbers of scalar parameters by name or as arg1, arg2, ..., block and grid (also
block.x and so on), + - * / % and ceil, floor, min, max.

--set-symbol sets a variable of the module as cudaMemcpyToSymbol does: NAME=1.5,
NAME=iota, NAME=&BUFFER, NAME={FIELD,...}. --print, --save and --expect take the names of
variables, too.

--expect compares a buffer with VALUES (the forms of INIT); floats bit for bit, or
with a tolerance, absolute or relative, after a tilde: --expect out=fill:1~1e-6.

On GCN3 the program has to wait itself: with s_waitcnt before it uses a loaded register,
and with wait states (s_nop) between some instructions. A missing wait is reported, and
the run continues with the intended values. With --adversarial it continues with values
that hardware may give: the registers keep their old values as long as possible. In PTX,
--adversarial does asynchronous work as late as the program's waits allow.

--profile counts for each line of the source how often it was executed, with how many
lanes, and its requests to memory. FILE is a table if it ends in .txt, else a profile for
"go tool pprof"; - prints the table. --dump prints an intermediate form of the kernel and
does not run it.`,
		Example: `  crosslane run examples/ptx/block_scan.ptx --grid 4 --block 256 \
    --arg in:s32[1024]=fill:1 --arg out:s32[1024] --arg 1024`,
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	f.register(a, cmd)
	a.includeFlags(cmd)
	fl.StringArrayVar(&f.print, "print", nil, "print buffer `NAME`, whole")
	fl.StringArrayVar(&f.save, "save", nil, "save a buffer, `NAME=FILE` (.npy, .csv, else raw bytes)")
	fl.BoolVar(&f.force, "force", false, "let --save and --profile overwrite files")
	fl.BoolVar(&f.saveOnStop, "save-on-stop", false, "let --save also save the buffers of a run that was stopped or faulted")
	fl.BoolVar(&f.stats, "stats", false, "print instruction counts and speed")
	fl.StringVar(&f.profile, "profile", "", "write the figures of each line, `FILE`: a table (*.txt, or - to print it), else for pprof")
	fl.StringVar(&f.dump, "dump", "", "print a `FORM` of the kernel and do not run it: ir, webs, alloc or asm; no launch need be given")
	fl.BoolVar(&f.quiet, "quiet", false, "do not show progress on a terminal")
	complete(cmd, "dump", "ir", "webs", "alloc", "asm")
	fl.BoolVar(&f.fidelity, "fidelity", false, "print which PTX instructions were exact, approximate or without effect")
	formatFlag(cmd, &f.format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := input.OneOf("--format", f.format, "text", "json"); err != nil {
			return err
		}
		if err := input.OneOf("--isa", f.isa, "auto", "ptx", "gcn3"); err != nil {
			return err
		}
		if fl.Changed("dump") {
			if err := input.OneOf("--dump", f.dump, "ir", "webs", "alloc", "asm"); err != nil {
				return err
			}
			switch {
			case f.format == "json":
				return errors.New("--dump does not go with --format json: a form of the kernel is text")
			case f.profile != "":
				return errors.New("--dump does not go with --profile: it runs nothing")
			}
		}
		return a.command(func(args []string) error { return a.run(&f, fl.Changed, args[0]) })(cmd, args)
	}
	return cmd
}

// register adds the flags that choose the launch and its way of running.
func (f *runFlags) register(a *app, cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.grid, "grid", "", "number of blocks, `X[,Y,Z]`")
	fl.StringVar(&f.block, "block", "", "number of lanes in a block, `X[,Y,Z]`")
	fl.StringVar(&f.cluster, "cluster", "", "number of blocks in a cluster, `X[,Y,Z]`: PTX for sm_90 and later")
	fl.StringVar(&f.kernel, "kernel", "", "the kernel's `NAME`; may be left out if there is one")
	fl.StringArrayVar(&f.args, "arg", nil, "a kernel argument, `ARG`")
	fl.StringArrayVar(&f.buffers, "buffer", nil, "a buffer that is no argument itself, `NAME:TYPE[N][=INIT]`")
	fl.StringArrayVar(&f.symbols, "set-symbol", nil, "the initial value of a variable of the module, `NAME=VALUES|{FIELD,...}|@FILE`")
	fl.StringVar(&f.shared, "shared", "", "dynamic shared memory, `BYTES`")
	fl.StringVar(&f.stack, "stack", "64K", "stack of a lane, if the kernel needs one, `BYTES`")
	fl.StringVar(&f.heap, "heap", "8M", "the heap for malloc in the kernel, `BYTES`")
	fl.StringArrayVar(&f.expect, "expect", nil, "compare a buffer, `NAME=VALUES|@FILE`")
	fl.StringVar(&f.launch, "launch", "", "read the launch from `FILE`.json; flags override it")
	fl.StringVar(&f.engine, "engine", "auto", "auto, interp or jit")
	fl.IntVar(&f.workers, "workers", 0, "blocks at a time; 0: chosen")
	fl.StringVar(&f.timeout, "timeout", "", "stop after `DURATION` (500ms, 10s, 2m)")
	fl.StringVar(&f.undefined, "undefined", "own", "the result of an undefined cross-lane read: own, zero or poison")
	fl.StringVar(&f.maxMemory, "max-memory", "4G", "limit of all buffers together, `BYTES`")
	fl.StringVar(&f.schedule, "schedule", "lowest-pc", "the order in which lanes, warps and blocks run: `ORDER` is lowest-pc, reversed or random:SEED")
	fl.BoolVar(&f.cooperative, "cooperative", false, "a cooperative launch: all blocks are in flight at the same time, and this_grid().sync() works")
	fl.BoolVar(&f.adversarial, "adversarial", false, "asynchronous work is done as late as the waits allow; GCN3: missing wait states give old values")
	isaFlag(cmd, &f.isa)
	a.compilerFlag(cmd)
	complete(cmd, "engine", "auto", "interp", "jit")
	complete(cmd, "undefined", "own", "zero", "poison")
}

func formatFlag(cmd *cobra.Command, to *string, words ...string) {
	cmd.Flags().StringVar(to, "format", words[0], strings.Join(words, ", "))
	complete(cmd, "format", words...)
}

func isaFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "isa", "auto", "auto, ptx or gcn3")
	complete(cmd, "isa", "auto", "ptx", "gcn3")
}

func isaOf(flag string) crosslane.ISA {
	if flag == "auto" {
		return crosslane.Auto
	}
	return crosslane.ISA(flag)
}

// run is the command's body. --format json yields one object in every case.
func (a *app) run(f *runFlags, changed func(string) bool, file string) error {
	out := results.Run{Schema: "crosslane.run/1", File: file}
	err := a.runFile(f, changed, file, &out)
	if f.format != "json" {
		return err
	}
	out.Findings = append(out.Findings, diag.Of(err)...)
	if out.Findings == nil {
		out.Findings = diag.List{}
	}
	if out.Buffers == nil {
		out.Buffers = []results.Buffer{}
	}
	if jerr := a.writeJSON(out); err == nil {
		return jerr
	}
	return err
}

// writeJSON writes one JSON object on a line.
func (a *app) writeJSON(v any) error {
	text, err := results.Encode(v)
	if err == nil {
		_, err = a.out.Write(text)
	}
	if err != nil {
		return ioError(diag.Pos{}, "cannot write the results: %s", err)
	}
	return nil
}

func (a *app) runFile(f *runFlags, changed func(string) bool, file string, out *results.Run) error {
	l, err := f.spec(changed)
	if err != nil {
		return err
	}
	file = program(file)
	tr := tritonBeside(file)
	drafted := f.dump != "" && needsDraft(&l)
	if drafted {
		l.Grid, l.Block = crosslane.Dim3{X: 1}, crosslane.Dim3{X: 1} // until the kernel is known
	}
	if err := addTriton(&l, tr); err != nil {
		return err
	}
	if err := checkLaunch(&l, f.force); err != nil {
		return a.sourceFirst(file, f.isa, err)
	}
	if err := f.profileFlag(l.Save); err != nil {
		return err
	}
	a.limit = l.Timeout
	defer a.patient(a.limit, f.quiet)()
	data, shown, err := a.readProgram(file)
	if err != nil {
		return err
	}
	out.File = shown
	m, err := a.load(data, shown, f.isa)
	if err != nil {
		return err
	}
	out.ISA = m.ISA()
	k, err := m.Kernel(l.Kernel)
	if err != nil {
		return err
	}
	a.report(k.Warnings()...)
	out.Findings = append(out.Findings, k.Warnings()...)
	out.Kernel = k.Name()
	if drafted {
		if err := fillLaunch(&l, k, tr); err != nil {
			return err
		}
	}
	if err := addTritonScratch(&l, tr, k); err != nil {
		return err
	}
	made, err := await(a, shown, func() (*launchspec.Built, error) { return l.Build(k, 1) })
	if err != nil {
		return err
	}
	buffers := made.Buffers
	wants, err := l.Expectations(buffers)
	if err != nil {
		return err
	}
	launch := l.Launch(made)
	launch.Profile = f.profile != ""
	if f.dump != "" {
		text, err := k.Dump(launch, f.dump)
		a.out.WriteString(text)
		return err
	}
	ended, stop := a.watchRun(l.Grid.Blocks(), f.quiet)
	launch.Ended = ended
	res, err := k.Run(a.ctx, launch)
	if res != nil && faulted(err) && res.Stats.Workers > 1 {
		// The number of later blocks that have run depends on the workers.
		if again, rerr := await(a, shown, func() (*launchspec.Built, error) { return l.Build(k, 1) }); rerr == nil {
			l.Workers = 1
			once := l.Launch(again)
			once.Profile, once.Ended = launch.Profile, ended
			if r, rerr := k.Run(a.ctx, once); r != nil && faulted(rerr) {
				res, err, buffers = r, rerr, again.Buffers
			}
		}
	}
	stop()
	if res == nil {
		return err
	}
	a.noteFallback(res)
	findings := results.NotTold(res.Findings, k.Warnings())
	a.report(findings...)
	out.Findings = append(out.Findings, findings...)
	chosen := results.Chosen(buffers, l.Print)
	if f.format == "json" {
		out.Took(res, chosen)
		if f.fidelity {
			out.Fidelity = res.Fidelity
		}
	} else {
		a.out.WriteString(res.Output)
		if n := len(res.Output); n > 0 && res.Output[n-1] != '\n' {
			a.out.WriteByte('\n') // so that the next output begins a line
		}
		a.showBuffers(chosen, len(l.Print) > 0, err != nil)
		if f.stats {
			a.showStats(res.Stats)
		}
		if f.fidelity {
			a.showFidelity(res)
		}
	}
	if perr := a.showProfile(f.profile, res.Profile, f.force); err == nil {
		err = perr
	}
	if err != nil {
		if f.saveOnStop {
			a.report(diag.Of(saveBuffers(buffers, l.Save, f.force))...)
		}
		return err
	}
	for _, w := range wants {
		if d := w.Compare(); d != nil {
			a.report(d)
			out.Findings = append(out.Findings, d)
		}
	}
	return saveBuffers(buffers, l.Save, f.force)
}

// faulted reports whether a run has come to a fault of the kernel's.
func faulted(err error) bool {
	list := diag.Of(err)
	return len(list) == 1 && list[0].Class == diag.Fault && list[0].Code != "cancelled"
}

// nativeEnv names the environment variable that chooses the machine code of the native engine:
// avx2, avx512 or off.
const nativeEnv = "CROSSLANE_JIT"

// nativeOf reads the variable nativeEnv.
func nativeOf() (crosslane.Native, error) {
	n := crosslane.Native(os.Getenv(nativeEnv))
	if err := n.Check(); err != nil {
		return "", usage("%s: %s", nativeEnv, err)
	}
	return n, nil
}

// noteFallback reports, once, that the interpreter runs although machine code would pay.
func (a *app) noteFallback(res *crosslane.Result) {
	if res.Stats.Fallback == "" {
		return
	}
	a.fellBack.Do(func() {
		// Nothing can be done if stderr cannot be written.
		_, _ = fmt.Fprintf(a.err, "note: the interpreter runs, which is slower than machine code: %s; --engine interp and %s=off suppress this note\n", res.Stats.Fallback, nativeEnv)
	})
}

// spec joins the launch file, if there is one, and the flags.
func (f *runFlags) spec(changed func(string) bool) (l launchspec.Spec, err error) {
	if f.launch != "" {
		if l, err = readLaunch(f.launch); err != nil {
			return l, err
		}
	}
	if l.Native, err = nativeOf(); err != nil {
		return l, err
	}
	err = f.written().Join(&l, changed)
	return l, err
}

// written are the flags of the launch as package launchspec reads them.
func (f *runFlags) written() *launchspec.Flags {
	return &launchspec.Flags{
		Kernel: f.kernel, Grid: f.grid, Block: f.block, Cluster: f.cluster, Shared: f.shared, Stack: f.stack, Heap: f.heap, Args: f.args, Buffers: f.buffers, Symbols: f.symbols,
		Cooperative: f.cooperative, Adversarial: f.adversarial, Engine: f.engine, Timeout: f.timeout, Undefined: f.undefined, Schedule: f.schedule,
		MaxMemory: f.maxMemory, Workers: f.workers, Print: f.print, Save: f.save, Expect: f.expect,
	}
}

// checkLaunch returns an error if a launch is not valid, before it is loaded or run.
func checkLaunch(l *launchspec.Spec, force bool) error {
	if err := l.Complete(); err != nil {
		return err
	}
	for i, s := range l.Save {
		for _, t := range l.Save[:i] {
			if sameFile(s.Text, t.Text) {
				return usage("--save: %s is named twice", s.Text)
			}
		}
		if !force && exists(s.Text) {
			return existsError(s.Text)
		}
	}
	return nil
}

func (a *app) showBuffers(buffers []*crosslane.Buffer, whole, failed bool) {
	for i, b := range buffers {
		if i > 0 {
			a.out.WriteByte('\n')
		}
		note := ""
		if failed {
			note = " (as the run left it)"
		}
		fmt.Fprintf(a.out, "%s: %s[%s]%s\n", b.Name, b.Type, joinInts(b.Shape, ","), note)
		results.Table{
			Type: value.Type(b.Type), Shape: b.Shape, Full: whole,
			Cell: func(i int) string { return value.Format(value.Type(b.Type), value.Get(value.Type(b.Type), b.Data, i)) },
			More: "--print " + b.Name + " shows all",
		}.Write(a.out)
	}
}

func (a *app) showStats(s crosslane.Stats) {
	fmt.Fprintf(a.out, "stats: engine %s, %d wave instructions, %d lane instructions, %.3g s", s.Engine, s.WarpInstructions, s.LaneInstructions, s.Seconds)
	if s.Seconds > 0 {
		fmt.Fprintf(a.out, " (%.3g lane instructions/s)", float64(s.LaneInstructions)/s.Seconds)
	}
	a.out.WriteByte('\n')
	if s.Native+s.CalledOut > 0 {
		fmt.Fprintf(a.out, "stats: %d wave instructions in machine code, %d operations called out\n", s.Native, s.CalledOut)
	}
}

func saveBuffers(buffers []*crosslane.Buffer, save []launchspec.Named, force bool) error {
	for _, s := range save {
		i := slices.IndexFunc(buffers, func(b *crosslane.Buffer) bool { return b.Name == s.Name })
		if err := saveBuffer(buffers[i], s.Text, force); err != nil {
			return err
		}
	}
	return nil
}

// readLaunch reads a launch file.
func readLaunch(name string) (launchspec.Spec, error) {
	data, err := readFile(name, maxInput)
	if err != nil {
		return launchspec.Spec{}, err
	}
	return launchspec.Parse(name, data)
}

func saveBuffer(b *crosslane.Buffer, name string, force bool) error {
	return writeFile(name, force, func(w io.Writer) error {
		return value.Write(w, name, value.Type(b.Type), b.Shape, b.Data)
	})
}

func joinInts(v []int, sep string) string {
	s := make([]string, len(v))
	for i, n := range v {
		s[i] = strconv.Itoa(n)
	}
	return strings.Join(s, sep)
}
