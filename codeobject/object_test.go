package codeobject

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	sample "example.org/crosslane/internal/short"
)

// tool returns the path of an LLVM tool. If the tool is not installed, the test is skipped; it
// fails if CROSSLANE_REQUIRE_ORACLES is 1.
func tool(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range []string{"", "/usr/lib/llvm-22/bin/"} {
		for _, n := range []string{name + "-22", name} {
			if p, err := exec.LookPath(dir + n); err == nil {
				return p
			}
		}
	}
	if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
		t.Fatalf("%s-22 is not installed, but CROSSLANE_REQUIRE_ORACLES is 1", name)
	}
	t.Skipf("%s-22 is not installed", name)
	return ""
}

func run(t testing.TB, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(tool(t, name), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, stderr.Bytes())
	}
	return out
}

// compile makes a relocatable and a finished code object of an OpenCL file.
func compile(t testing.TB, source, version string) (rel, fin string) {
	t.Helper()
	dir := t.TempDir()
	rel, fin = filepath.Join(dir, "k.o"), filepath.Join(dir, "k.co")
	run(t, "clang", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-nogpulib", "-x", "cl", "-cl-std=CL2.0", "-O2",
		"-w", "-mcode-object-version="+version, "-c", source, "-o", rel)
	run(t, "ld.lld", "-shared", rel, "-o", fin)
	return rel, fin
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func load(t testing.TB, name string) *Object {
	t.Helper()
	o, err := Load(read(t, name), filepath.Base(name))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestBuildLikeLLD links LLVM's relocatable files and compares every segment with the result of
// LLVM's linker for the same file.
func TestBuildLikeLLD(t *testing.T) {
	sample.Skip(t, "a compiler makes the kernels")
	t.Parallel()
	sources, _ := filepath.Glob("testdata/*.cl")
	if len(sources) == 0 {
		t.Fatal("no sources")
	}
	for _, src := range sources {
		for _, version := range []string{"4", "5", "6"} {
			rel, fin := compile(t, src, version)
			b, err := Link(read(t, rel), rel)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Load(b, "built")
			if err != nil {
				t.Fatal(err)
			}
			want := load(t, fin)
			if len(got.Segments) != len(want.Segments) {
				t.Fatalf("%s: %d segments, expected %d", src, len(got.Segments), len(want.Segments))
			}
			for i, w := range want.Segments {
				g := got.Segments[i]
				if i == 0 { // the ELF header counts sections that Crosslane does not write
					copy(g.Data[40:48], w.Data[40:48])
					copy(g.Data[60:64], w.Data[60:64])
				}
				if g.Addr != w.Addr || g.Size != w.Size || g.Read != w.Read || g.Write != w.Write || g.Exec != w.Exec || !bytes.Equal(g.Data, w.Data) {
					t.Errorf("%s version %s: segment %d differs: %#x+%#x, expected %#x+%#x", src, version, i, g.Addr, g.Size, w.Addr, w.Size)
				}
			}
		}
	}
}
