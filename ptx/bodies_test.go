package ptx

import (
	"maps"
	"slices"

	"example.org/crosslane/internal/short"

	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/diag"
)

// allTexts returns the texts of all examples and cases.
func allTexts(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, dir := range []string{"../examples", "testdata"} {
		if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".ptx" {
				var data []byte
				data, err = os.ReadFile(path)
				out[path] = string(data)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(out) < 100 {
		t.Fatalf("%d texts", len(out))
	}
	return out
}

func told(l diag.List) string {
	var b strings.Builder
	for _, d := range l {
		fmt.Fprintln(&b, d, d.Severity, d.Class, d.Section, d.Remedy, d.Source, d.Related)
	}
	return b.String()
}

// lifted returns a kernel's code and its other facts as text.
func lifted(m *Module, f *Func) string {
	k, err := Lift(m, f.Name)
	if err != nil {
		return told(diag.Of(err))
	}
	return k.Func.Print() + fmt.Sprint(k.Shared, k.Uses, told(k.Warnings), f.End, len(f.Mentioned()))
}

// TestTexts loads every text with and without its bodies, and checks that messages, print and code
// are the same.
func TestTexts(t *testing.T) {
	t.Parallel()
	without, bad := 0, 0
	texts := allTexts(t)
	for _, file := range short.Sample(slices.Sorted(maps.Keys(texts)), 8) {
		src := texts[file]
		if len(src) > 1<<20 {
			continue
		}
		want, wantList := load(file, src, 1<<30)
		got, gotList := load(file, src, 0)
		if told(gotList) != told(wantList) {
			t.Errorf("%s:\n%s\nwant\n%s", file, told(gotList), told(wantList))
		}
		if wantList.Err() != nil {
			bad++
			continue
		}
		if printed(t, got) != printed(t, want) {
			t.Errorf("%s: is printed in another way", file)
		}
		from, wantFrom := got.Origins(), want.Origins()
		for _, f := range want.Entries() {
			g := got.Func(f.Name)
			if g.texts != nil {
				without++
			}
			if a, b := lifted(got, g), lifted(want, f); a != b {
				t.Errorf("%s: %s becomes\n%s\nwant\n%s", file, f.Name, a, b)
			}
			f.Body().instrs(func(in *Instr) {
				if a, b := from.At(in.Pos.Line, in.Pos.Col), wantFrom.At(in.Pos.Line, in.Pos.Col); fmt.Sprint(a) != fmt.Sprint(b) {
					t.Errorf("%s:%d is from %v, want %v", file, in.Pos.Line, a, b)
				}
			})
		}
	}
	if without < short.Of(100, 12) || bad < short.Of(20, 2) {
		t.Errorf("%d kernels were read without their bodies, %d texts had errors", without, bad)
	}
}

// TestTextsScope uses names of the module before and after their declarations.
func TestTextsScope(t *testing.T) {
	t.Parallel()
	const head = ".version 8.5\n.target sm_90\n.address_size 64\n"
	const use = ".entry %s()\n{\n.reg .b32 %%r<9>;\nld.global.u32 %%r1, [%s];\nret;\n}\n"
	for name, c := range map[string]struct {
		src  string
		want string
	}{
		"before":        {head + ".global .u32 g;\n" + fmt.Sprintf(use, "k", "g"), ""},
		"behind":        {head + fmt.Sprintf(use, "k", "g") + ".global .u32 g;\n", "g is used before its declaration in line 10"},
		"family":        {head + ".global .u32 g<4>;\n" + fmt.Sprintf(use, "k", "g2"), ""},
		"familyBehind":  {head + fmt.Sprintf(use, "k", "g2") + ".global .u32 g<4>;\n" + fmt.Sprintf(use, "l", "g2"), "g2 is not declared"},
		"extern":        {head + ".extern .global .u32 g;\n" + fmt.Sprintf(use, "k", "g") + ".visible .global .u32 g;\n", ""},
		"function":      {head + ".func f();\n.entry k()\n{\ncall f;\nret;\n}\n.func f()\n{\nret;\n}\n", ""},
		"functionAfter": {head + ".entry k()\n{\ncall f;\nret;\n}\n.func f()\n{\nret;\n}\n", "f is used before its declaration in line 9"},
		"itself":        {head + ".func f()\n{\ncall f;\nret;\n}\n.entry k()\n{\ncall f;\nret;\n}\n", ""},
		"braces":        {head + ".entry k()\n{\n{ // }\n/* } */\n.reg .pred %p;\n}\n.pragma \"nounroll\";\nret;\n}\n", ""},
		"open":          {head + ".entry k()\n{\n{\nret;\n}\n", "block is not closed"},
		"old":           {".version 1.3\n.target sm_10\n.entry k\n{\n.param .u32 p;\n.reg .u32 %r1;\nld.param.u32 %r1, [p];\nexit;\n}\n", ""},
	} {
		_, l := load(name, c.src, 0)
		if c.want == "" && l.Err() != nil || !strings.Contains(told(l), c.want) {
			t.Errorf("%s: %q, want %q", name, told(l), c.want)
		}
		if _, eager := load(name, c.src, 1<<30); told(eager) != told(l) {
			t.Errorf("%s: with bodies %q, without %q", name, told(eager), told(l))
		}
	}
}

// manyKernels returns a text of at least size bytes.
func manyKernels(size int) string {
	var b strings.Builder
	b.WriteString(".version 8.5\n.target sm_90\n.address_size 64\n.shared .u32 s<4>;\n.func (.reg .u32 d) twice(.reg .u32 a)\n{\nadd.u32 d, a, a;\nret;\n}\n")
	for k := 0; b.Len() < size; k++ {
		fmt.Fprintf(&b, ".entry k%d(.param .u64 out)\n{\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\nld.param.u64 %%rd1, [out];\nld.shared.u32 %%r1, [s%d];\n", k, k%4)
		for i := range 100 {
			fmt.Fprintf(&b, "mad.lo.u32 %%r1, %%r1, %d, %%r2;\n", i+k)
		}
		b.WriteString("call (%r2), twice, (%r1);\nst.global.u32 [%rd1], %r2;\nret;\n}\n")
	}
	return b.String()
}

// TestTextsMemory checks that a large module keeps less memory than a second copy of its text would
// need.
func TestTextsMemory(t *testing.T) {
	src := manyKernels(short.Of(8<<20, 3<<20))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m, l := Load("many", src)
	if len(l) > 0 {
		t.Fatal(l)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if n := int64(after.HeapAlloc) - int64(before.HeapAlloc); n > int64(len(src)) {
		t.Errorf("a module of %d bytes keeps %d", len(src), n)
	}
	runtime.KeepAlive(m)
}

// TestTextsConcurrent lifts from several goroutines while bodies are loaded and dropped.
func TestTextsConcurrent(t *testing.T) {
	t.Parallel()
	src := manyKernels(1 << 16)
	m, l := load("many", src, 0)
	whole, _ := load("many", src, 1<<30)
	if len(l) > 0 {
		t.Fatal(l)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i, f := range m.Entries() {
				if i%4 > g {
					continue
				}
				if a, b := lifted(m, f), lifted(whole, whole.Func(f.Name)); a != b {
					t.Errorf("%s becomes\n%s\nwant\n%s", f.Name, a, b)
				}
				if i%8 == g {
					runtime.GC()
				}
			}
		})
	}
	wg.Wait()
}
