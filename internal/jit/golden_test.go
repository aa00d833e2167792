// Package jit_test holds golden files for each pass of the native engine.
package jit_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/alloc"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/sel"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A pass returns its result for a function as text.
type pass struct {
	name string // the ending of its golden files
	run  func(t *testing.T, f *ir.Func) string
}

// geometry is that of the golden files: blocks of two waves.
func geometry(f *ir.Func) webs.Geometry {
	return webs.Geometry{Lanes: f.Lanes, Block: [3]uint32{uint32(2 * f.Lanes), 1, 1}, NoWrap: true}
}

// selected runs the passes up to the selection of instructions, and verifies the list after each step.
func selected(t *testing.T, f *ir.Func, tier isa.Tier) *abi.Code {
	fn := webs.Build(f, geometry(f))
	sh := shape.Analyze(fn)
	control := int32(f.FrameSize+63) &^ 63
	lay := abi.Layout{Control: control, Pend: control + abi.CtlSize}
	lay.Caches = lay.Pend + 8*int32(len(f.Blocks))
	steps := 0
	m := sel.Scratch{Verify: func(step string, l *lir.Func) {
		if steps++; step == "plan" {
			return // there are no instructions yet
		}
		if err := lir.Verify(l); err != nil {
			t.Errorf("%s, after %s: %v", f.Name, step, err)
		}
	}}
	code := m.Select(fn, sh, sh.Masks, tier, lay)
	if steps != 9 {
		t.Errorf("%s: %d steps", f.Name, steps)
	}
	code.LIR.Slots = (code.Frame + 63) &^ 63
	code.Name(fn)
	return code
}

func passes() []pass {
	print := func(t *testing.T, fn *lir.Func) string {
		var b strings.Builder
		if err := fn.Print(&b, fn.Code); err != nil {
			t.Fatal(err)
		}
		if err := lir.Verify(fn); err != nil {
			t.Error(err)
		}
		return b.String()
	}
	list := []pass{
		{"webs", func(_ *testing.T, f *ir.Func) string { return webs.Build(f, geometry(f)).Print(nil) }},
		{"shapes", func(_ *testing.T, f *ir.Func) string { return shape.Analyze(webs.Build(f, geometry(f))).Print() }},
		{"masks", func(_ *testing.T, f *ir.Func) string {
			fn := webs.Build(f, geometry(f))
			m := mask.Analyze(fn, func(webs.Web) bool { return false })
			return fn.Print(func(i int) string {
				if i < 0 {
					return m.Describe(-1 - i)
				}
				if m.NeedMask(i) {
					return "masked"
				}
				return ""
			})
		}},
	}
	for name, tier := range map[string]isa.Tier{"avx2": isa.AVX2, "avx512": isa.AVX512} {
		list = append(list,
			pass{"sel." + name, func(t *testing.T, f *ir.Func) string { return print(t, selected(t, f, tier).LIR) }},
			pass{"alloc." + name, func(t *testing.T, f *ir.Func) string {
				fn := selected(t, f, tier).LIR
				r, err := alloc.Run(fn, tier)
				if err != nil {
					t.Fatal(err)
				}
				if err := lir.VerifyCode(fn, r.Code); err != nil {
					t.Error(err)
				}
				var b strings.Builder
				for i := range r.Code {
					b.WriteString(r.Code[i].String() + "\n")
				}
				r.Print(&b)
				return b.String()
			}})
	}
	return list
}

// TestGolden compares the result of each pass on each function of testdata with a committed text.
// Renew them with -update, and look at the difference.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.ir")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range passes() {
			f, err := ir.Parse(string(data)) // each pass has a function of its own
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			got := p.run(t, f)
			golden := strings.TrimSuffix(file, ".ir") + "." + p.name
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is another one now:\n%s", golden, difference(string(want), got))
			}
		}
	}
}

// difference shows the first line that differs.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "- " + w[i] + "\n+ " + g[i]
		}
	}
	return "one is longer than the other"
}
