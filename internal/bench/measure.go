package bench

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"example.org/crosslane"
)

// Options select the way of measuring.
type Options struct {
	Engine  string        // its name; "jit-avx2" and "jit-avx512" are the native engine restricted to that tier
	Workers int           // 0: 1
	Time    time.Duration // approximate time of one sample
	Count   int           // number of samples, of which the median counts
	Full    bool          // the full size, for any duration
	Size    int           // > 0: this size
	CPU     bool          // measure the processor's time, not the clock's
	// Native selects the machine code of engine "jit".
	Native crosslane.Native
}

// A Result is the measurement of one kernel on one engine, or by a peer.
type Result struct {
	Kernel  *Kernel
	Engine  string // for a peer, its name
	Workers int
	Peer    bool
	Size    int
	Work    *Work
	// Warp and Lane are the number of instructions of one run, of warps and of lanes.
	Warp, Lane uint64
	// Native is the number of instructions of one run that were done in machine code, CalledOut the
	// number of operations that were not.
	Native, CalledOut uint64
	Seconds           float64 // time of one run, the median
	// Peak is the most memory that the process had during the measurement, in bytes, buffers
	// included; 0: unknown.
	Peak uint64
}

// NsPerWarp returns the nanoseconds for one instruction of a warp or wave.
func (r *Result) NsPerWarp() float64 { return r.Seconds * 1e9 / float64(r.Warp) }

// LanesPerNs returns the instructions of lanes a nanosecond: thousand millions a second.
func (r *Result) LanesPerNs() float64 { return float64(r.Lane) / (r.Seconds * 1e9) }

// Rate returns the kernel's rate and its unit: GFLOP/s for kernels that compute with floats, GB/s
// for kernels that memory bounds, µs for launches, else none.
func (r *Result) Rate() (float64, string) {
	w := r.Work
	switch {
	case r.Kernel.Launches != "":
		return r.Seconds * 1e6, "µs"
	case w.Bytes > w.Flops:
		return w.Bytes / (r.Seconds * 1e9), "GB/s"
	case w.Flops > 0:
		return w.Flops / (r.Seconds * 1e9), "GFLOP/s"
	}
	return 0, ""
}

// runner runs one kernel at one size.
type runner struct {
	o    Options
	k    *Kernel
	code *crosslane.Kernel
	w    *Work
	res  *crosslane.Result
}

// EngineOf splits the name of an engine into the engine and the restriction of its machine code.
func EngineOf(name string) (engine string, native crosslane.Native) {
	engine, held, _ := strings.Cut(name, "-")
	return engine, crosslane.Native(held)
}

// run runs once and returns the time that it took.
func (r *runner) run(ctx context.Context) (time.Duration, error) {
	var err error
	if r.code == nil || r.k.Launches == "cold" {
		if r.code, err = r.k.Load(); err != nil {
			return 0, err
		}
	}
	for _, b := range r.w.Reset {
		clear(b.Data)
	}
	engine, native := EngineOf(r.o.Engine)
	native = cmp.Or(native, r.o.Native)
	l := crosslane.Launch{Grid: r.w.Grid, Block: r.w.Block, Args: r.w.Args, Engine: engine, Native: native, Workers: r.o.Workers}
	start, cpu := time.Now(), cpuTime()
	r.res, err = r.code.Run(ctx, l)
	if r.o.CPU {
		return cpuTime() - cpu, err
	}
	return time.Since(start), err
}

// Measure runs a kernel and checks its results.
func Measure(ctx context.Context, k *Kernel, o Options) (*Result, error) {
	o.Workers = max(o.Workers, 1)
	if o.CPU && (o.Workers > 1 || cpuTime() == 0) {
		return nil, errors.New("the processor's time can be measured of one worker, on systems that tell it")
	}
	r := &runner{o: o, k: k}
	n, err := r.calibrate(ctx)
	if err != nil {
		return nil, err
	}
	resetPeak()
	samples := make([]float64, max(o.Count, 1))
	for i := range samples {
		var sum time.Duration
		runs := 0
		for ; runs == 0 || sum < o.Time; runs++ {
			d, err := r.run(ctx)
			if err != nil {
				return nil, err
			}
			sum += d
		}
		samples[i] = sum.Seconds() / float64(runs)
	}
	most := peak()
	if err := r.w.Check(); err != nil {
		return nil, &WrongError{Kernel: k, By: "engine " + o.Engine, Err: err}
	}
	return &Result{Peak: most, Kernel: k, Engine: o.Engine, Workers: o.Workers, Size: n, Work: r.w,
		Native: r.res.Stats.Native, CalledOut: r.res.Stats.CalledOut,
		Warp: r.res.Stats.WarpInstructions, Lane: r.res.Stats.LaneInstructions, Seconds: median(samples)}, nil
}

// calibrate finds the size whose run takes about the time of a sample, and runs it once.
func (r *runner) calibrate(ctx context.Context) (int, error) {
	n := r.k.Min
	if r.o.Size > 0 {
		n = min(max(r.o.Size, r.k.Min), r.k.Full)
	}
	if r.o.Full {
		n = r.k.Full
	}
	for {
		r.w = r.k.Work(n)
		if _, err := r.run(ctx); err != nil { // touch the memory, translate the kernel
			return 0, err
		}
		d, err := r.run(ctx)
		if err != nil || n == r.k.Full || r.o.Size > 0 || d >= r.o.Time*3/4 {
			return n, err
		}
		grow := min(16, max(2, float64(r.o.Time)/float64(max(d, 1))))
		if grow == 2 && d > r.o.Time/2 {
			grow = 1.5
		}
		n = min(r.k.Full, int(float64(n)*grow)+1)
	}
}

// WrongError reports that a kernel's result differs from that of plain Go.
type WrongError struct {
	Kernel *Kernel
	By     string
	Err    error
}

func (e *WrongError) Error() string { return e.Kernel.ID() + ", " + e.By + ": " + e.Err.Error() }

// Unwrap returns the error of the check.
func (e *WrongError) Unwrap() error { return e.Err }

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
