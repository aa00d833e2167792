package difftest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	sample "example.org/crosslane/internal/short"
)

var checked = flag.Int("difftest.check", 12, "kernels to make for the test of undefined bits")

// withJunk returns the program with one more buffer, junk. One of its variables takes its initial
// value from junk instead of in.
func (p *program) withJunk() string {
	v := p.vars[p.seed%uint64(len(p.vars))]
	s := p.render(nil)
	s = strings.ReplaceAll(s, "GLOBAL const u32 *in, ", "GLOBAL const u32 *in, GLOBAL const u32 *junk, ")
	s = strings.ReplaceAll(s, "(c, in, out, ", "(c, in, junk, out, ")
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "  c->"+v.name+" = ") {
			lines[i] = strings.ReplaceAll(l, "in[", "junk[")
			break
		}
	}
	return strings.Join(lines, "\n")
}

// junk returns contents of the buffer. A result that is the same for all contents does not depend
// on the buffer.
func junk(n int) []uint32 {
	l := make([]uint32, inSize)
	r := rand.New(rand.NewPCG(uint64(n), 3))
	for i := range l {
		switch n {
		case 0:
		case 1:
			l[i] = 0xffffffff
		default:
			l[i] = r.Uint32()
		}
	}
	return l
}

// TestUndefinedBits checks that Check finds no error in random kernels whose buffers all exist. If
// a buffer is not initialised, Check must report an error at least if other contents give other
// results.
func TestUndefinedBits(t *testing.T) {
	sample.Skip(t, "clang compiles the kernels")
	if _, err := exec.LookPath("clang-22"); err != nil {
		oracle(t, "clang-22 is not installed: no compiler to compare with")
	}
	var launches, depend, over, stores atomic.Int64
	inBatches(*checked, func(seeds []uint64) {
		dir := t.TempDir()
		var w strings.Builder
		w.WriteString(prelude())
		var l []*program
		for _, s := range seeds {
			p := newProgram(s)
			l = append(l, p)
			w.WriteString(p.withJunk())
		}
		source := filepath.Join(dir, "k.c")
		if err := os.WriteFile(source, []byte(w.String()), 0o666); err != nil {
			t.Error(err)
			return
		}
		all := targets()
		turn := int(seeds[0] / batch)
		for _, tg := range []target{all[turn%4], all[5+turn%5]} {
			file := filepath.Join(dir, tg.name+tg.ext)
			args := append(append([]string{"-x", "cl", "-cl-std=CL2.0", "-cl-fp32-correctly-rounded-divide-sqrt", source, "-o", file}, tg.args...), common()...)
			if err := command(t.Context(), args); err != nil {
				t.Errorf("%s: %v", tg.name, err)
				return
			}
			m, err := crosslane.LoadFile(file)
			if err != nil {
				t.Errorf("%s: %v", tg.name, err)
				return
			}
			for _, p := range l {
				d, found, err := p.perturb(t.Context(), m)
				if err != nil {
					t.Errorf("seed %d, %s: %v", p.seed, tg.name, err)
					if *keep != "" {
						name := filepath.Join(*keep, fmt.Sprintf("%d-%s.c", p.seed, tg.name))
						if err := os.WriteFile(name, []byte("// "+strings.Join(args, " ")+"\n"+prelude()+p.withJunk()), 0o666); err != nil {
							t.Error(err)
						}
					}
				}
				launches.Add(1)
				if d {
					depend.Add(1)
				}
				if !d && len(found) > 0 {
					over.Add(1)
					if !slices.ContainsFunc(found, func(d *diag.Diagnostic) bool { return d.Code != "poison-store" }) {
						stores.Add(1)
					}
				}
			}
		}
	})
	t.Logf("%d launches with an uninitialised buffer: results of %d depend on it; of the others, %d have findings, %d of them of stores alone", launches.Load(), depend.Load(), over.Load(), stores.Load())
}

// perturb reports whether the program's results depend on the contents of junk, and returns the
// findings of Check.
func (p *program) perturb(ctx context.Context, m *crosslane.Module) (depends bool, found diag.List, err error) {
	k, err := m.Kernel(p.name)
	if err != nil {
		return false, nil, err
	}
	type run func(context.Context, crosslane.Launch) (*crosslane.Result, error)
	// launch returns the state after a launch. It includes the findings, unless they concern
	// undefined bits.
	launch := func(run run, data []uint32, uninit bool) (state []byte, found diag.List, err error) {
		out, acc, buf := make([]uint64, p.outSize()), make([]uint32, accSize), crosslane.Slice("junk", data)
		for i := range acc {
			acc[i] = 0x1234567 * uint32(i)
		}
		buf.Uninitialised = uninit
		var skipped []string
		if uninit {
			skipped = []string{"schedule-dependent"}
		}
		res, err := run(ctx, crosslane.Launch{
			Grid:  crosslane.Dim3{X: uint32(p.grid[0]), Y: uint32(p.grid[1])},
			Block: crosslane.Dim3{X: uint32(p.block[0]), Y: uint32(p.block[1])},
			Args: []crosslane.Arg{crosslane.Slice("in", input()), buf, crosslane.Slice("out", out), crosslane.Slice("acc", acc),
				crosslane.Int(int64(p.n))},
			Timeout: time.Minute, Skip: skipped,
		})
		if res != nil {
			// LLVM converts an atomic that changes nothing, for example the maximum with 0, to an
			// atomic load, which is a ds_read_b32 like a plain load.
			found = slices.DeleteFunc(res.Findings, func(d *diag.Diagnostic) bool {
				return m.ISA() == crosslane.GCN3 && d.Code == "race-shared" && strings.Contains(d.Message, "has accessed atomically")
			})
			for _, b := range res.Buffers {
				if b.Name != "junk" {
					state = append(state, b.Data...)
				}
			}
		}
		return state, found, err
	}
	skip := func(err error) bool { return diag.Of(err).ExitCode() == diag.Unsupported.ExitCode() }
	first, found, err := launch(k.Check, junk(0), false)
	if err != nil {
		if skip(err) {
			return false, nil, nil
		}
		return false, nil, err
	}
	if len(found) > 0 {
		return false, nil, fmt.Errorf("found, though all is initialised: %v", found[0])
	}
	for n := 1; n < 6 && !depends; n++ {
		state, _, err := launch(k.Run, junk(n), false)
		depends = err != nil || !bytes.Equal(state, first)
	}
	_, found, err = launch(k.Check, junk(0), true)
	if err != nil {
		return depends, nil, err
	}
	if depends && len(found) == 0 {
		return true, nil, fmt.Errorf("nothing found, though the contents of junk change the results")
	}
	return depends, found, nil
}
