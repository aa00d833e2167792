package cli

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/bench"
	"example.org/crosslane/internal/input"
)

// benchFlags are the flags of bench as written.
type benchFlags struct {
	engine, run, isa, time, workers, format string
	count, size                             int
	full, peers, cpu, list                  bool
}

func (a *app) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench [--run REGEXP] [--engine NAMES] [--peers]",
		Short: "Measure the engines with a suite of kernels",
		Long: `Measure the engines with a built-in suite of kernels for both instruction sets. Each
kernel runs --count times at a size that takes about --time; the median counts, and
results are compared with those of plain Go.

  ns/instr   nanoseconds for one instruction of a warp (32 lanes; GCN3: 64)
  G lanes/s  lane instructions per second, in thousand millions
  rate       the speed of the kernel: GFLOP/s, GB/s, or the time of a launch
  x interp   how many times as fast as the interpreter
  x C        the time divided by that of the first peer

--peers also does the same work in C, written for the processor's vector instructions
(AVX-512 and AVX2) and compiled by clang, if that is installed. Some kernels are also
run by pocl and by Oclgrind, if those are installed. Missing peers are named.`,
		Example: `  crosslane bench --run 'alu|matmul' --peers`,
		Args:    cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.engine, "engine", "", "engines, `NAMES` with commas between: interp, jit, jit-avx2, jit-avx512; interp and jit if it is here")
	fl.StringVar(&f.run, "run", "", "only kernels whose name/isa matches `REGEXP`")
	fl.StringVar(&f.isa, "isa", "auto", "auto (both), ptx or gcn3")
	fl.StringVar(&f.time, "time", "50ms", "time of one sample, `DURATION`")
	fl.IntVar(&f.count, "count", 3, "samples, of which the median counts")
	fl.StringVar(&f.workers, "workers", "1", "blocks at a time, `N`, or several with commas between")
	fl.IntVar(&f.size, "size", 0, "this size, in the kernel's units, instead of one that takes --time")
	fl.BoolVar(&f.full, "full", false, "the full size, whatever it takes")
	fl.BoolVar(&f.peers, "peers", false, "the same work in C and, where they are installed, by other programs")
	fl.BoolVar(&f.cpu, "cpu", false, "measure the processor's time: on machines that do other things too")
	fl.BoolVar(&f.list, "list", false, "list the kernels, run none")
	complete(cmd, "isa", "auto", "ptx", "gcn3")
	formatFlag(cmd, &f.format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := input.OneOf("--format", f.format, "text", "json"); err != nil {
			return err
		}
		if err := input.OneOf("--isa", f.isa, "auto", "ptx", "gcn3"); err != nil {
			return err
		}
		return a.command(func([]string) error { return a.bench(&f) })(cmd, args)
	}
	return cmd
}

// benchPlan holds the choices that the flags of bench make.
type benchPlan struct {
	kernels []*bench.Kernel
	engines []string
	given   bool // the engines were named
	workers []int
	options bench.Options
}

func (f *benchFlags) plan() (*benchPlan, error) {
	p := &benchPlan{engines: []string{"interp", "jit"}}
	only, err := regexp.Compile(f.run)
	if err != nil {
		return nil, usage("--run: %s", err)
	}
	for _, k := range bench.Suite() {
		if only.MatchString(k.ID()) && (f.isa == "auto" || string(k.ISA) == f.isa) {
			p.kernels = append(p.kernels, k)
		}
	}
	if len(p.kernels) == 0 {
		return nil, usage("no kernel matches --run %s; see crosslane bench --list", input.Quoted(f.run))
	}
	if f.engine != "" {
		p.engines, p.given = strings.Split(f.engine, ","), true
	}
	for i, e := range p.engines {
		p.engines[i] = strings.TrimSpace(e)
		if err := input.OneOf("--engine", p.engines[i], "interp", "jit", "jit-avx2", "jit-avx512"); err != nil {
			return nil, usage("%s", err)
		}
	}
	native, err := nativeOf()
	if err != nil {
		return nil, err
	}
	for _, w := range strings.Split(f.workers, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(w))
		if err != nil || n < 1 || n > crosslane.MaxWorkers {
			return nil, usage("--workers must be numbers from 1 to %d, found %s", crosslane.MaxWorkers, input.Quoted(w))
		}
		p.workers = append(p.workers, n)
	}
	d, err := time.ParseDuration(f.time)
	if err != nil || d <= 0 || d > time.Hour {
		return nil, usage("--time must be a duration such as 100ms or 2s, found %s", input.Quoted(f.time))
	}
	switch {
	case f.count < 1 || f.count > 64:
		return nil, usage("--count must be a number from 1 to 64, found %d", f.count)
	case f.size < 0:
		return nil, usage("--size must be a number of at least 1, found %d", f.size)
	case f.full && f.size > 0:
		return nil, usage("--full and --size exclude each other")
	case f.cpu && slices.Max(p.workers) > 1:
		return nil, usage("--cpu is for one worker")
	}
	p.options = bench.Options{Time: d, Count: f.count, Full: f.full, Size: f.size, CPU: f.cpu, Native: native}
	return p, nil
}

// benchJSON is the result of bench, schema crosslane.bench/1.
type benchJSON struct {
	Schema  string        `json:"schema"`
	Go      string        `json:"go"`
	OS      string        `json:"os"`
	Arch    string        `json:"arch"`
	Clock   string        `json:"clock"` // "wall" or "cpu"
	Notes   []string      `json:"notes"`
	Results []benchResult `json:"results"`
	Errors  diag.List     `json:"findings"`
}

// benchResult is one line of it.
type benchResult struct {
	Kernel    string             `json:"kernel"`
	ISA       crosslane.ISA      `json:"isa"`
	About     string             `json:"about"`
	Bound     string             `json:"bound"`
	Engine    string             `json:"engine"`
	Peer      bool               `json:"peer"`
	Workers   int                `json:"workers"`
	Size      int                `json:"size"`
	FullSize  int                `json:"full_size"`
	Warp      uint64             `json:"warp_instructions"`
	Lane      uint64             `json:"lane_instructions"`
	Seconds   float64            `json:"seconds"`
	NsPerWarp float64            `json:"ns_per_warp_instruction"`
	GLanes    float64            `json:"giga_lane_instructions_per_second"`
	Rate      float64            `json:"rate,omitempty"`
	Unit      string             `json:"unit,omitempty"`
	Native    uint64             `json:"native,omitempty"`
	CalledOut uint64             `json:"called_out,omitempty"`
	Peak      uint64             `json:"peak_bytes,omitempty"`
	Ratios    map[string]float64 `json:"ratios"` // its time divided by that of each peer
}

func (a *app) bench(f *benchFlags) error {
	p, err := f.plan()
	if err != nil {
		return err
	}
	if f.list {
		return a.benchList(p, f.format)
	}
	out := benchJSON{Schema: "crosslane.bench/1", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Clock: "wall",
		Notes: []string{}, Results: []benchResult{}, Errors: diag.List{}}
	if f.cpu {
		out.Clock = "cpu"
	}
	text := f.format == "text"
	note := func(s string) {
		out.Notes = append(out.Notes, s)
		if text {
			fmt.Fprintf(a.err, "note: %s\n", s)
		}
	}
	var peers []*bench.Peer
	if f.peers {
		var notes []string
		if peers, notes, err = bench.NewPeers(a.ctx); err != nil {
			return cmp.Or(a.ctx.Err(), error(ioError(diag.Pos{}, "the peers in C: %s", err)))
		}
		others, more, oerr := bench.NewOtherPeers(a.ctx)
		peers = append(peers, others...)
		for _, p := range peers {
			defer p.Close()
		}
		if oerr != nil {
			return cmp.Or(a.ctx.Err(), error(ioError(diag.Pos{}, "the peers by OpenCL: %s", oerr)))
		}
		for _, n := range append(notes, more...) {
			note(n)
		}
	}
	if text {
		fmt.Fprintf(a.out, "%-16s %-4s %-9s %8s %9s %13s %8s %6s\n", "kernel", "isa", "engine", "ns/instr", "G lanes/s", "rate", "x interp", "x C")
	}
	missing := map[string]bool{}
	for _, k := range p.kernels {
		rows, errs := a.benchKernel(p, k, peers, missing, note)
		for _, err := range errs {
			if a.ctx.Err() != nil {
				return err
			}
			l := benchError(k, err)
			a.report(l...)
			out.Errors = append(out.Errors, l...)
		}
		out.Results = append(out.Results, benchRows(rows)...)
		if text {
			a.benchText(rows)
			if err := a.out.Flush(); err != nil {
				return ioError(diag.Pos{}, "cannot write the results: %s", err)
			}
		}
	}
	if !text {
		return a.writeJSON(out)
	}
	return nil
}

// benchError gives the error of a kernel its code.
func benchError(k *bench.Kernel, err error) diag.List {
	var wrong *bench.WrongError
	if errors.As(err, &wrong) {
		return diag.List{diag.Errorf(diag.Pos{File: k.ID()}, diag.Finding, "expect-failed", "%s: %s", wrong.By, wrong.Err)}
	}
	return diag.Of(err)
}

// benchKernel measures one kernel on all engines, then by the peers at the size of the last.
// missing are engines that are not here.
func (a *app) benchKernel(p *benchPlan, k *bench.Kernel, peers []*bench.Peer, missing map[string]bool, note func(string)) (rows []*bench.Result, errs []error) {
	for _, engine := range p.engines {
		for _, workers := range p.workers {
			if missing[engine] || k.Launches != "" && workers != p.workers[0] {
				continue
			}
			o := p.options
			o.Engine, o.Workers = engine, workers
			r, err := bench.Measure(a.ctx, k, o)
			if err != nil && !p.given && len(p.engines) > 1 && diag.Of(err)[0].Code == "bad-engine" {
				missing[engine] = true
				note(strings.TrimPrefix(diag.Of(err)[0].Message, "kernel "+k.Entry+": "))
				continue
			}
			if err != nil {
				errs = append(errs, err)
				break
			}
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil, errs
	}
	last := rows[len(rows)-1]
	for _, peer := range peers {
		r, err := a.benchPeer(p, last, peer)
		switch {
		case errors.Is(err, bench.ErrNoPeer):
		case err != nil && a.ctx.Err() == nil && peer.Other():
			note(err.Error()) // a mistake of the peer, or of its installation
		case err != nil:
			errs = append(errs, err)
		default:
			rows = append(rows, r)
		}
	}
	return rows, errs
}

// benchPeer has a peer do the work of a result.
func (a *app) benchPeer(p *benchPlan, like *bench.Result, peer *bench.Peer) (*bench.Result, error) {
	o := p.options
	if peer.Slow {
		// It takes a thousand times as long: once the least size, whose instructions the
		// interpreter counts.
		o.Engine, o.Workers, o.Count, o.Size, o.Full = "interp", 1, 1, 1, false
		var err error
		if like, err = bench.Measure(a.ctx, like.Kernel, o); err != nil {
			return nil, err
		}
	}
	return peer.Measure(a.ctx, like, o)
}

func benchName(r *bench.Result) string {
	if r.Workers > 1 {
		return fmt.Sprintf("%s x%d", r.Engine, r.Workers)
	}
	return r.Engine
}

func benchRows(rows []*bench.Result) []benchResult {
	var out []benchResult
	for _, r := range rows {
		b := benchResult{Kernel: r.Kernel.Name, ISA: r.Kernel.ISA, About: r.Kernel.About, Bound: r.Kernel.Bound,
			Engine: r.Engine, Peer: r.Peer, Workers: r.Workers, Size: r.Size, FullSize: r.Kernel.Full, Warp: r.Warp, Lane: r.Lane,
			Seconds: r.Seconds, NsPerWarp: r.NsPerWarp(), GLanes: r.LanesPerNs(), Native: r.Native, CalledOut: r.CalledOut, Peak: r.Peak, Ratios: map[string]float64{}}
		b.Rate, b.Unit = r.Rate()
		for _, other := range rows {
			if other != r {
				b.Ratios[benchName(other)] = r.NsPerWarp() / other.NsPerWarp()
			}
		}
		out = append(out, b)
	}
	return out
}

// benchText writes the lines of a kernel.
func (a *app) benchText(rows []*bench.Result) {
	var interp *bench.Result
	for _, r := range rows {
		if r.Engine == "interp" && interp == nil {
			interp = r
		}
	}
	for i, r := range rows {
		name, isa := r.Kernel.Name, string(r.Kernel.ISA)
		if i > 0 {
			name, isa = "", ""
		}
		rate, faster, slower := "", "", ""
		if v, unit := r.Rate(); unit != "" {
			rate = three(v) + " " + unit
		}
		if interp != nil && interp != r {
			faster = three(interp.NsPerWarp() / r.NsPerWarp())
		}
		if peer := peerOf(rows, r); peer != nil && peer != r {
			slower = three(r.NsPerWarp() / peer.NsPerWarp())
		}
		line := fmt.Sprintf("%-16s %-4s %-9s %8s %9s %13s %8s %6s", name, isa, benchName(r), three(r.NsPerWarp()), three(r.LanesPerNs()), rate, faster, slower)
		a.out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// peerOf is the peer that a line is compared with: the first, or for an engine that is held to
// AVX2 the one that is, too.
func peerOf(rows []*bench.Result, r *bench.Result) (peer *bench.Result) {
	for _, p := range rows {
		if p.Peer && (peer == nil || strings.Contains(r.Engine, "avx2") && strings.Contains(p.Engine, "AVX2")) {
			peer = p
		}
	}
	return peer
}

// three is a number with three digits that count, without an exponent.
func three(v float64) string {
	switch {
	case v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// benchListJSON is the output of bench --list.
type benchListJSON struct {
	Schema  string            `json:"schema"`
	Kernels []benchKernelJSON `json:"kernels"`
}

type benchKernelJSON struct {
	Kernel   string        `json:"kernel"`
	ISA      crosslane.ISA `json:"isa"`
	About    string        `json:"about"`
	Bound    string        `json:"bound"`
	FullSize int           `json:"full_size"`
}

func (a *app) benchList(p *benchPlan, format string) error {
	list := []benchKernelJSON{}
	for _, k := range p.kernels {
		list = append(list, benchKernelJSON{k.Name, k.ISA, k.About, k.Bound, k.Full})
	}
	if format == "json" {
		return a.writeJSON(benchListJSON{"crosslane.bench-list/1", list})
	}
	for i, k := range list {
		if i+1 < len(list) && list[i+1].Kernel == k.Kernel {
			continue
		}
		isas := string(k.ISA)
		if i > 0 && list[i-1].Kernel == k.Kernel {
			isas = string(list[i-1].ISA) + " " + isas
		}
		fmt.Fprintf(a.out, "%-16s  %-9s  %s\n%29s  bound by %s\n", k.Kernel, isas, k.About, "", k.Bound)
	}
	return nil
}
