package crosslane

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/poison"
	"example.org/crosslane/internal/sim"
)

// Instrumented kernels behave like the plain ones: the same memory, findings, faults and
// instruction counts, for every example kernel.
func TestPoisonChangesNothing(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("examples/*/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if ext := filepath.Ext(file); ext != ".ptx" && ext != ".hsaco" {
			continue
		}
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, err := Load(data, file, Auto)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range m.Kernels() {
				plain, err := k.prepare(false)
				if err != nil {
					t.Fatalf("%s: %v", k.Name(), err)
				}
				marked := *plain
				marked.fn, _ = poison.Track(plain.fn, poison.Options{Quiet: true})
				marked.track = true
				if err := marked.fn.Validate(); err != nil {
					t.Fatal(err)
				}
				if marked.prog, err = compile(marked.fn); err != nil {
					t.Fatal(err)
				}
				want, got := outcome(t, k, plain), outcome(t, k, &marked)
				if want != got {
					t.Errorf("%s: instrumented:\n%s\nplain:\n%s", k.Name(), got, want)
				}
				for b, o := range map[*build]poison.Options{&k.tracked: {}, &k.followed: {Way: true}, &k.settled: {Defined: true}} {
					tracked, err := k.prepareTracked(b, o)
					if err != nil {
						t.Fatal(err)
					}
					if err := tracked.fn.Validate(); err != nil {
						t.Fatal(err)
					}
					if got := outcome(t, k, tracked); want != got {
						t.Errorf("%s: tracked:\n%s\nplain:\n%s", k.Name(), got, want)
					}
				}
			}
		})
	}
}

// outcome runs a kernel on made-up arguments and describes the result.
func outcome(t *testing.T, k *Kernel, p *prepared) string {
	t.Helper()
	var args []Arg
	for i, prm := range k.Params() {
		switch {
		case prm.Kind == ParamShared:
			args = append(args, SharedBytes(1024))
		case prm.Kind == ParamPointer || prm.Size == 8:
			b := NewBuffer(prm.Name, U32, 4096)
			for j := range b.Len() {
				b.SetBits(j, uint64((j*7+i)%61))
			}
			args = append(args, b)
		default:
			args = append(args, Scalar{Type: map[int]ElemType{1: U8, 2: U16, 4: U32}[prm.Size], Bits: 64})
		}
	}
	l := Launch{Grid: Dim3{X: 2}, Block: Dim3{X: 128}, Args: args, Workers: 1, Timeout: 20 * time.Second, Skip: []string{sim.CodeUnwritten}}
	if r := p.fn.ReqBlock; r != [3]uint32{} {
		l.Block = Dim3{X: r[0], Y: r[1], Z: r[2]}
	} else if p.fn.MaxBlock > 0 {
		l.Block.X = min(l.Block.X, p.fn.MaxBlock)
	}
	res, err := k.run(context.Background(), p, l)
	for _, d := range diag.Of(err) {
		if d.Class == diag.Input || d.Class == diag.Timeout {
			t.Fatalf("%s: %v", k.Name(), err)
		}
	}
	var s bytes.Buffer
	fmt.Fprintln(&s, err)
	if res != nil {
		for _, f := range res.Findings {
			if !strings.HasPrefix(f.Code, "poison-") {
				fmt.Fprintln(&s, f)
			}
		}
		fmt.Fprintln(&s, res.Stats.WarpInstructions, res.Stats.LaneInstructions)
		for _, b := range res.Buffers {
			fmt.Fprintf(&s, "%s written %v %x\n", b.Name, b.Written, b.Data)
		}
	}
	return s.String()
}
