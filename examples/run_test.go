package examples

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// Every kernel gives its expected result, from every file it is compiled to, with
// nothing to report.
func TestExpectedResults(t *testing.T) {
	t.Parallel()
	numbers := map[string]int{}
	for _, l := range allLaunches() {
		for _, file := range l.files {
			name := file + "/" + l.name
			numbers[name]++
			t.Run(fmt.Sprintf("%s/%d", name, numbers[name]), func(t *testing.T) {
				t.Parallel()
				got, findings, err := l.run(t, file)
				for _, f := range findings {
					t.Errorf("finding: %v", f)
				}
				if err != nil {
					t.Fatal(err)
				}
				l.compare(t, got)
			})
		}
	}
}

// run launches the kernel of one file on copies of the table's buffers and returns
// the copies, one for each argument that is a buffer.
func (l launch) run(t *testing.T, file string) (got []any, findings diag.List, err error) {
	t.Helper()
	return l.runOn(t, l.load(t, file), crosslane.Launch{})
}

// load reads the file of a kernel.
func (l launch) load(t *testing.T, file string) *crosslane.Kernel {
	t.Helper()
	m, err := crosslane.LoadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(l.kernel)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// runOn is run for a kernel that is loaded, in the way that how says.
func (l launch) runOn(t *testing.T, k *crosslane.Kernel, how crosslane.Launch) (got []any, findings diag.List, err error) {
	t.Helper()
	return l.runBy(t, k.Run, how)
}

// runBy is runOn by Run or by Check.
func (l launch) runBy(t *testing.T, run func(context.Context, crosslane.Launch) (*crosslane.Result, error), how crosslane.Launch) (got []any, findings diag.List, err error) {
	t.Helper()
	var args []crosslane.Arg
	for _, a := range l.args {
		switch a := a.(type) {
		case uint32:
			args = append(args, crosslane.Int(int64(a)))
		case int32:
			args = append(args, crosslane.Int(int64(a)))
		case float32:
			args = append(args, crosslane.Float(float64(a)))
		case buffer:
			arg, data := a.arg(t)
			args, got = append(args, arg), append(got, data)
		default:
			t.Fatalf("argument of type %T", a)
		}
	}
	how.Grid = crosslane.Dim3{X: l.grid[0], Y: l.grid[1], Z: l.grid[2]}
	how.Block = crosslane.Dim3{X: l.block[0], Y: l.block[1], Z: l.block[2]}
	how.Args = args
	if how.Timeout == 0 {
		how.Timeout = time.Minute
	}
	res, err := run(context.Background(), how)
	if res != nil {
		findings = res.Findings
	}
	return got, findings, err
}

// arg wraps a copy of the buffer's elements and returns the copy too.
func (b buffer) arg(t *testing.T) (crosslane.Arg, any) {
	t.Helper()
	switch data := b.data.(type) {
	case []int32:
		c := slices.Clone(data)
		return crosslane.Slice(b.name, c), c
	case []uint32:
		c := slices.Clone(data)
		return crosslane.Slice(b.name, c), c
	case []int64:
		c := slices.Clone(data)
		return crosslane.Slice(b.name, c), c
	case []uint64:
		c := slices.Clone(data)
		return crosslane.Slice(b.name, c), c
	case []float32:
		c := slices.Clone(data)
		return crosslane.Slice(b.name, c), c
	}
	t.Fatalf("buffer of %T", b.data)
	return nil, nil
}

// compare compares the contents of the buffers with the table, bit for bit.
func (l launch) compare(t *testing.T, got []any) {
	t.Helper()
	i := 0
	for _, a := range l.args {
		b, ok := a.(buffer)
		if !ok {
			continue
		}
		want := b.want
		if want == nil {
			want = b.data
		}
		have, expected := elementBits(got[i]), elementBits(want)
		i++
		if b.unordered {
			slices.Sort(have)
			slices.Sort(expected)
		}
		shown := 0
		for j := range expected {
			if have[j] != expected[j] {
				t.Errorf("%s[%d] = %#x, want %#x", b.name, j, have[j], expected[j])
				if shown++; shown == 8 {
					break
				}
			}
		}
	}
}

// elementBits returns the bit patterns of a slice's elements.
func elementBits(s any) []uint64 {
	v := reflect.ValueOf(s)
	return fill(v.Len(), func(i int) uint64 {
		switch e := v.Index(i); e.Kind() {
		case reflect.Float32:
			return uint64(math.Float32bits(float32(e.Float())))
		case reflect.Int32:
			return uint64(uint32(e.Int()))
		case reflect.Int64:
			return uint64(e.Int())
		default:
			return e.Uint()
		}
	})
}

// Kernels that are wrong on purpose: the finding, and the lanes it names.
func TestMistakesAreFound(t *testing.T) {
	t.Parallel()
	in := buffer{name: "in", data: constant(32, int32(1))}
	out := buffer{name: "out", data: constant(32, int32(0))}
	ones := constant(64, float32(1))
	for _, c := range []struct {
		launch
		file   string
		code   string
		lanes  []string // for each finding in turn; nil: not compared
		faults bool     // the run ends in an error with this code instead
	}{
		// 20 lanes are there. Adding the value d lanes above, those whose partner is
		// one of the lanes 20 to 31 read a lane that is not.
		{launch{kernel: "partial_reduce", args: []any{in, out, uint32(20)}}, "ptx/mistakes.ptx",
			"undefined-source", []string{"4-15", "12-19", "16-19", "18-19", "19"}, false},
		{launch{kernel: "not_in_mask", args: []any{in, out}}, "ptx/mistakes.ptx",
			"not-in-membermask", []string{"31"}, false},
		{launch{kernel: "never_meet", args: []any{in, out}}, "ptx/mistakes.ptx", "deadlock", nil, true},
		{launch{kernel: "off_by_one", args: []any{in, out}}, "ptx/mistakes.ptx", "out-of-bounds", nil, true},
		// One of two wait states, four times.
		{launch{kernel: "dpp_scan_hazard", args: []any{buffer{name: "in", data: ones}, buffer{name: "out", data: make([]float32, 64)}}},
			"gcn3/dpp_scan_hazard.s", "wait-states", []string{"0-63", "0-63", "0-63", "0-63"}, false},
		{launch{kernel: "missing_wait", args: []any{buffer{name: "a", data: ones}, buffer{name: "b", data: ones}, buffer{name: "out", data: make([]float32, 64)}}},
			"gcn3/missing_wait.s", "waitcnt", []string{"0-63"}, false},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			t.Parallel()
			c.grid, c.block = x(1), x(32)
			if c.file[:4] == "gcn3" {
				c.block = x(64)
			}
			_, findings, err := c.run(t, c.file)
			if c.faults {
				if !slices.ContainsFunc(diag.Of(err), func(d *diag.Diagnostic) bool { return d.Code == c.code }) {
					t.Errorf("error %v, want code %s", err, c.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(findings) != len(c.lanes) {
				t.Errorf("%d findings, want %d", len(findings), len(c.lanes))
			}
			for i, d := range findings {
				if d.Code != c.code {
					t.Errorf("finding %v, want code %s", d, c.code)
				}
				if i < len(c.lanes) && c.lanes[i] != "" && d.Lanes != c.lanes[i] {
					t.Errorf("%v: lanes %s, want %s", d, d.Lanes, c.lanes[i])
				}
			}
		})
	}
}
