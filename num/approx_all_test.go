package num

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/internal/short"
)

// This file compares the approximate functions with the errors that the PTX ISA allows. The
// reference is the standard library's f64 function. It uses another algorithm, and its error is
// less than 2^-50 of the result, which does not matter for bounds of 2^-23 and more.
//
// By default 2^20 arguments of each f32 function are tried. With -long all 2^32 arguments are
// tried, which takes minutes for each function. With -long -update the greatest errors go to the
// page docs/reference/ptx-approx.md, into the rows of the functions that ran:
//
//	go test ./num -run 'TestApproxAll/ex2.approx.f32' -long -update -timeout 0

const approxPage = "../docs/reference/ptx-approx.md"

// A measure returns the distance of got from want, in the unit of a bound. If the manual gives no
// bound, ok is false.
type measure func(x, want float64, got float32) (e float64, ok bool)

// inUlps returns the distance in units of the last place of f32 at want.
func inUlps(_, want float64, got float32) (float64, bool) {
	if math.Abs(want) >= 0x1.ffffffp127 && math.IsInf(float64(got), int(math.Copysign(1, want))) {
		return 0, true // rounds to infinity
	}
	return ulpF32(got, want), true
}

func inRelative(_, want float64, got float32) (float64, bool) {
	if want == 0 || math.IsInf(want, 0) {
		return 0, float64(got) == want
	}
	return math.Abs(float64(got)-want) / math.Abs(want), true
}

func inAbsolute(_, want float64, got float32) (float64, bool) {
	return math.Abs(float64(got) - want), true
}

// within measures only arguments of magnitude lo to hi.
func within(lo, hi float64, m measure) measure {
	return func(x, want float64, got float32) (float64, bool) {
		if a := math.Abs(x); a < lo || a > hi {
			return 0, false
		}
		return m(x, want, got)
	}
}

// A bound is an error that the manual allows for a range of arguments.
type bound struct {
	words string
	max   float64
	of    measure
}

type approxFn struct {
	name   string
	fn     func(float32) float32
	ref    func(float64) float64
	bounds []bound
	rising int // 1: monotonically increasing on each side of zero, -1: monotonically decreasing
	gcn3   bool
}

// page returns the page with the function's greatest errors.
func (f *approxFn) page() string {
	if f.gcn3 {
		return "../docs/reference/gcn3-approx.md"
	}
	return approxPage
}

// nan returns the NaN that the function gives for x.
func (f *approxFn) nan(x float32) uint32 {
	switch {
	case !f.gcn3:
		return NaN32
	case x != x:
		return math.Float32bits(x) | quiet32
	}
	return VNaN32
}

func log2ref(x float64) float64 {
	if x > 0.5 && x < 2 {
		return math.Log1p(x-1) / math.Ln2 // x - 1 is exact
	}
	return math.Log2(x)
}

func approxFns() []approxFn {
	pi2, pi100 := 2*math.Pi, 100*math.Pi
	sine := []bound{
		{"absolute 2^-20.5 in [-2π, 2π]", math.Exp2(-20.5), within(0, pi2, inAbsolute)},
		{"absolute 2^-14.7 in [-100π, 100π]", math.Exp2(-14.7), within(0, pi100, inAbsolute)},
		{"none beyond; here 1 ulp", 1, within(pi100, math.MaxFloat32, inUlps)},
	}
	return []approxFn{
		{"rcp.approx.f32", RcpApproxF32, func(x float64) float64 { return 1 / x }, []bound{{"1 ulp", 1, inUlps}}, -1, false},
		{"sqrt.approx.f32", SqrtApproxF32, math.Sqrt, []bound{{"relative 2^-23", 0x1p-23, inRelative}}, 1, false},
		{"rsqrt.approx.f32", RsqrtApproxF32, func(x float64) float64 { return 1 / math.Sqrt(x) }, []bound{{"relative 2^-22.9", math.Exp2(-22.9), inRelative}}, -1, false},
		{"lg2.approx.f32", Lg2ApproxF32, log2ref, []bound{
			{"absolute 2^-22 in (0.5, 2)", 0x1p-22, within(0.5, 2, inAbsolute)},
			{"relative 2^-22 elsewhere", 0x1p-22, func(x, want float64, got float32) (float64, bool) {
				if x > 0.5 && x < 2 {
					return 0, false
				}
				return inRelative(x, want, got)
			}},
		}, 1, false},
		{"ex2.approx.f32", Ex2ApproxF32, math.Exp2, []bound{{"2 ulp", 2, inUlps}}, 1, false},
		{"tanh.approx.f32", TanhApproxF32, math.Tanh, []bound{{"relative 2^-11", 0x1p-11, inRelative}}, 1, false},
		{"sin.approx.f32", SinApproxF32, math.Sin, sine, 0, false},
		{"cos.approx.f32", CosApproxF32, math.Cos, sine, 0, false},
	}
}

// A worst is the greatest error found under one bound.
type worst struct {
	e  float64
	at float32
}

// check tries the arguments with the bits from, from+step, … below to. It returns a description of
// the first error, or "".
func (f *approxFn) check(from, to, step uint64, w []worst) string {
	var before, got float32
	first := true
	for u := from; u < to; u += step {
		x := math.Float32frombits(uint32(u))
		got = f.fn(x)
		want := f.ref(float64(x))
		if want != want || got != got {
			if want == want || math.Float32bits(got) != f.nan(x) {
				return fmt.Sprintf("%s(%v) = %#08x, want %v", f.name, x, math.Float32bits(got), want)
			}
			first = true
			continue
		}
		if math.IsInf(want, 0) || want == 0 {
			// A pole, a zero or a result beyond f64 is exact.
			if float64(got) != want && !(math.IsInf(want, 0) && math.IsInf(float64(got), int(want))) {
				return fmt.Sprintf("%s(%v) = %v, want %v", f.name, x, got, want)
			}
		}
		for i := range f.bounds {
			if e, ok := f.bounds[i].of(float64(x), want, got); ok {
				if e != e || e > f.bounds[i].max {
					return fmt.Sprintf("%s(%v, %#08x) = %v, want %v: error %v, allowed %s", f.name, x, u, got, want, e, f.bounds[i].words)
				}
				if e > w[i].e {
					w[i] = worst{e, x}
				}
			}
		}
		// Patterns increase with the magnitude, so on the negative side they decrease with the
		// value.
		up := f.rising
		if u>>31 != 0 {
			up = -up
		}
		if !first && (up > 0 && got < before || up < 0 && got > before) {
			return fmt.Sprintf("%s is not monotone: at %v it is %v, next to it %v", f.name, x, got, before)
		}
		before, first = got, false
	}
	return ""
}

func TestApproxAll(t *testing.T) {
	for _, f := range append(approxFns(), gcnApproxFns()...) {
		t.Run(f.name, func(t *testing.T) {
			ws := make([]worst, len(f.bounds))
			merge := func(w []worst) {
				for i := range w {
					if w[i].e > ws[i].e {
						ws[i] = w[i]
					}
				}
			}
			if !*long {
				// The sample has the ends of every exponent, and patterns with an odd step: 2^20 in
				// all, and 2^17 with -short.
				w := make([]worst, len(f.bounds))
				for e := uint64(0); e < 512; e++ {
					for _, d := range []uint64{0, 1<<23 - 8} {
						if s := f.check(e<<23|d, e<<23|d+8, 1, w); s != "" {
							t.Fatal(s)
						}
					}
				}
				if s := f.check(17, 1<<32, short.Of(uint64(4099), 32771), w); s != "" {
					t.Fatal(s)
				}
				merge(w)
				f.recorded(t, ws)
				return
			}
			var mu sync.Mutex
			var wg sync.WaitGroup
			next := make(chan uint64, 512)
			for e := range uint64(512) {
				next <- e << 23
			}
			close(next)
			for range runtime.GOMAXPROCS(0) {
				wg.Go(func() {
					for from := range next {
						w := make([]worst, len(f.bounds))
						// One more argument connects the chunks for the check of monotonicity.
						s := f.check(from, min(from+1<<23+1, 1<<32), 1, w)
						mu.Lock()
						merge(w)
						if s != "" {
							t.Error(s)
						}
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			for i, b := range f.bounds {
				t.Logf("%s: allowed %s, found %s at %v", f.name, b.words, f.show(i, ws[i].e), ws[i].at)
			}
			if *update && !t.Failed() {
				f.write(t, ws)
			}
		})
	}
}

// show returns the text of an error in the unit of the bound.
func (f *approxFn) show(i int, e float64) string {
	if strings.Contains(f.bounds[i].words, "ulp") {
		return fmt.Sprintf("%.7f ulp", e)
	}
	return fmt.Sprintf("2^%.4f", math.Log2(e))
}

func (f *approxFn) key(i int) string { return fmt.Sprintf("| `%s` | %s |", f.name, f.bounds[i].words) }

// write puts the rows of the function on the page.
func (f *approxFn) write(t *testing.T, ws []worst) {
	b, err := os.ReadFile(f.page())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	for i := range f.bounds {
		found := false
		for j, l := range lines {
			if strings.HasPrefix(l, f.key(i)) {
				lines[j] = fmt.Sprintf("%s %s | %v (%#08x) |", f.key(i), f.show(i, ws[i].e), ws[i].at, math.Float32bits(ws[i].at))
				found = true
			}
		}
		if !found {
			t.Errorf("%s has no row %s", f.page(), f.key(i))
		}
	}
	if err := os.WriteFile(f.page(), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// recorded checks that the page has the function's rows, and that the sample found no greater error
// than the rows state.
func (f *approxFn) recorded(t *testing.T, ws []worst) {
	b, err := os.ReadFile(f.page())
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.bounds {
		_, rest, ok := strings.Cut(string(b), f.key(i))
		if !ok {
			t.Errorf("%s has no row %s", f.page(), f.key(i))
			continue
		}
		said, _, _ := strings.Cut(strings.TrimSpace(rest), " |")
		var e float64
		if n, _ := fmt.Sscanf(said, "2^%g", &e); n == 1 {
			e = math.Exp2(e)
		} else if n, _ := fmt.Sscanf(said, "%g ulp", &e); n != 1 {
			t.Errorf("%s: cannot read %q in the row %s", f.page(), said, f.key(i))
			continue
		}
		if ws[i].e > e*1.001 {
			t.Errorf("%s: error %s at %v, but %s says %s", f.name, f.show(i, ws[i].e), ws[i].at, f.page(), said)
		}
	}
}
