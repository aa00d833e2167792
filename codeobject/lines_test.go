package codeobject

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/diag"
	sample "example.org/crosslane/internal/short"
)

func chainText(chain []diag.Pos) string {
	var l []string
	for _, p := range chain {
		l = append(l, fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col))
	}
	return strings.Join(l, " @ ")
}

// linesOf returns the result of At for every instruction word of the code.
func linesOf(t *testing.T, data []byte) (at uint64, text []string) {
	t.Helper()
	o, err := Load(data, "f")
	if err != nil {
		t.Fatal(err)
	}
	l := o.Lines()
	if l == nil {
		t.Fatal("no lines")
	}
	at, code := o.Text()
	for off := uint64(0); off < uint64(len(code)); off += 4 {
		text = append(text, chainText(l.At(at+off)))
	}
	return at, text
}

// TestLines compares the lines with the texts after ".loc" in clang -S's assembly of the same
// source ("k.cl:3:16 @[ k.cl:7:14 @[ k.cl:5:56 ] ]"), instruction by instruction.
func TestLines(t *testing.T) {
	t.Parallel()
	const outer = " @ lines.cl:5:56"
	for _, name := range []string{"lines4.o", "lines5.co"} {
		_, text := linesOf(t, read(t, "testdata/lines/"+name))
		for off, want := range map[int]string{
			0x00: "lines.cl:6:11" + outer,
			0x20: "lines.cl:3:16 @ lines.cl:7:14" + outer,                 // flat_load_dword
			0x4c: "lines.cl:1:47 @ lines.cl:3:10 @ lines.cl:7:14" + outer, // v_add_f32
			0x50: "lines.cl:7:12" + outer,                                 // flat_store_dword
			0x58: "lines.cl:8:1",                                          // s_endpgm
		} {
			if got := text[off/4]; got != want && !(off == 0 && got == strings.Replace(want, outer, "", 1)) {
				t.Errorf("%s, offset %#x: %s, expected %s", name, off, got, want)
			}
		}
	}
}

// TestLinesOracle compares every address, in files of both versions, linked and relocatable, with
// llvm-symbolizer.
func TestLinesOracle(t *testing.T) {
	sample.Skip(t, "a compiler makes the kernels")
	t.Parallel()
	tool(t, "llvm-symbolizer")
	dir := t.TempDir()
	abs := func(p string) string {
		a, err := filepath.Abs(p)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	files := 0
	for _, src := range []string{"testdata/lines/lines.cl", "testdata/scan.cl", "testdata/calls.cl"} {
		for _, v := range []string{"4", "5"} {
			for _, kind := range []string{"-c", ""} {
				out := filepath.Join(dir, fmt.Sprintf("%s%s%s", filepath.Base(src), v, kind))
				// In the directory of the sources, names are as given.
				args := []string{"-fdebug-compilation-dir=" + abs("testdata"), "-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-nogpulib", "-O2", "-ffunction-sections", "-g", "-gdwarf-" + v, "-o", out, abs(src)}
				if kind != "" {
					args = append(args, kind)
				}
				run(t, "clang", args...)
				data, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				if o, err := Load(data, "f"); err != nil || o.Lines() == nil {
					t.Fatalf("%s: %v, no lines", out, err)
				}
				if kind == "-c" {
					// For the symbolizer, all sections of a relocatable file begin at address 0.
					// Therefore the test links the file, and the expected answer is that for the
					// linked file.
					linked := out + ".co"
					run(t, "ld.lld", "-shared", out, "-o", linked)
					if data2, err := os.ReadFile(linked); err != nil {
						t.Fatal(err)
					} else if _, a := linesOf(t, data); true {
						if _, b := linesOf(t, data2); strings.Join(a, "\n") != strings.Join(b, "\n") {
							t.Errorf("%s: other lines than in the linked file", out)
						}
					}
					continue
				}
				files++
				at, text := linesOf(t, data)
				var in []string
				for i := range text {
					in = append(in, fmt.Sprintf("%#x", at+uint64(4*i)))
				}
				answer := string(run(t, "llvm-symbolizer", append([]string{"--inlines", "--functions=none", "--obj=" + out}, in...)...))
				blocks := strings.Split(strings.TrimSpace(answer), "\n\n")
				if len(blocks) != len(text) {
					t.Fatalf("%d answers for %d addresses", len(blocks), len(text))
				}
				told := 0
				for i, b := range blocks {
					var l []string
					for _, line := range strings.Split(b, "\n") {
						line = strings.TrimPrefix(line, abs("testdata")+"/")
						if !strings.HasPrefix(line, "??") && !strings.Contains(line, ":0:") {
							l = append(l, line)
						}
					}
					if strings.Contains(b, "??") || strings.Contains(b, ":0:") {
						l = nil
					}
					if want := strings.Join(l, " @ "); text[i] != want {
						t.Errorf("%s, address %s: %q, expected %q", filepath.Base(out), in[i], text[i], want)
					}
					if text[i] != "" {
						told++
					}
				}
				if told < 10 {
					t.Errorf("%s: only %d addresses have lines", out, told)
				}
			}
		}
	}
	if files != 6 {
		t.Errorf("%d files", files)
	}
}

// TestLinesDamaged checks that damaged debug information never prevents a file from loading, and
// that reading it always ends.
func TestLinesDamaged(t *testing.T) {
	t.Parallel()
	tries := sample.Of(1500, 300)
	if *long {
		tries = 100_000
	}
	for _, name := range []string{"testdata/lines/lines4.o", "testdata/lines/lines5.co"} {
		good := read(t, name)
		plain, err := Load(good, "f")
		if err != nil {
			t.Fatal(err)
		}
		at, code := plain.Text()
		f := &file{data: good, name: name}
		if d := f.parse(); d != nil {
			t.Fatal(d)
		}
		var spans [][2]int64 // the bytes of debug information and of its relocations
		for i := range f.sections {
			if s := &f.sections[i]; strings.Contains(s.Name, ".debug_") && s.Size > 0 {
				spans = append(spans, [2]int64{s.Offset, int64(s.Size)})
			}
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range tries {
			b := bytes.Clone(good)
			for range 1 + rng.IntN(3) {
				s := spans[rng.IntN(len(spans))]
				p := s[0] + rng.Int64N(s[1])
				switch rng.IntN(3) {
				case 0:
					b[p] = byte(rng.Uint32())
				case 1:
					b[p] = 0xff
				default:
					if p+8 <= s[0]+s[1] {
						binary.LittleEndian.PutUint64(b[p:], uint64(1)<<rng.IntN(64)-1)
					}
				}
			}
			o, err := Load(b, "f")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			l := o.Lines()
			for off := range uint64(len(code)) {
				if n := len(l.At(at + off)); n > maxInlineChain+1 {
					t.Fatalf("a chain of %d calls", n)
				}
			}
		}
	}
}

// FuzzLines checks that no file with debug information makes its reader panic, hang or follow an
// endless chain of calls.
func FuzzLines(f *testing.F) {
	for _, name := range []string{"lines4.o", "lines5.co"} {
		b, err := os.ReadFile("testdata/lines/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := Load(data, "f")
		if err != nil {
			return
		}
		l := o.Lines()
		if l == nil {
			return
		}
		at, code := o.Text()
		for off := range min(uint64(len(code)), 1<<12) {
			if n := len(l.At(at + off)); n > maxInlineChain+1 {
				t.Fatalf("a chain of %d calls", n)
			}
		}
	})
}
