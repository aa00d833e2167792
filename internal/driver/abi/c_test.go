package abi

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"
)

// TestLibrary compiles the C text, loads the library into a host program, and compares it with the
// table: all names, the choice of cuGetProcAddress, and calls with and without an implementation.
func TestLibrary(t *testing.T) {
	t.Parallel()
	short.Skip(t, "it compiles the library")
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the library is for Linux on 64-bit processors")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal("cc is not installed, but CROSSLANE_REQUIRE_ORACLES is 1")
		}
		t.Skip("cc is not installed (apt-get install gcc libc6-dev)")
	}
	dir := t.TempDir()
	library, client := filepath.Join(dir, "libcuda.so.1"), filepath.Join(dir, "client")
	write(t, filepath.Join(dir, "crosslane_cuda.h"), WriteHeader)
	write(t, filepath.Join(dir, "abi.c"), WriteC)
	for _, name := range []string{"impl.c", "client.c"} {
		// A file that the test reads itself makes go test run it again after a change.
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), func(w io.Writer) error { _, err := w.Write(text); return err })
	}
	run(t, cc, "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-I", dir, "-o", library, filepath.Join(dir, "abi.c"), filepath.Join(dir, "impl.c"))
	run(t, cc, "-Wall", "-Wextra", "-Werror", "-rdynamic", "-o", client, filepath.Join(dir, "client.c"), "-ldl")
	exported(t, library)

	type question struct {
		name            string
		version, driver int
		flags           uint64
	}
	var in strings.Builder
	bases := []string{"", "cu", "cuMemAlloc_v2", "zzz"}
	versions := []int{-1, 0, 13050, 13060}
	for s := range Symbols() {
		fmt.Fprintln(&in, "symbol", s.Name)
		bases = append(bases, s.Base)
		versions = append(versions, s.Version, s.Version-1)
	}
	slices.Sort(versions)
	var questions []question
	for _, base := range slices.Compact(bases) {
		for _, version := range slices.Compact(versions) {
			for flags := range uint64(4) {
				questions = append(questions, question{base, version, 12080, flags}, question{base, version, Driver, flags})
			}
		}
	}
	for _, q := range questions {
		fmt.Fprintln(&in, "lookup", q.version, q.flags, q.driver, q.name)
	}

	cmd := exec.Command(client, library)
	var out, messages bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in.String()), &out, &messages
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.Bytes(), messages.Bytes())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		wrong := strings.HasPrefix(line, "wrong: ")
		if wrong {
			t.Error(line)
		}
		return wrong
	})
	if len(lines) != len(questions) {
		t.Fatalf("%d answers to %d questions", len(lines), len(questions))
	}
	bad := 0
	for i, q := range questions {
		symbol, status := Lookup(q.name, q.version, q.flags, q.driver)
		if want := fmt.Sprintf("%d %s", status, symbol); lines[i] != want && bad < 10 {
			t.Errorf("%+v: the library says %q, want %q", q, lines[i], want)
			bad++
		}
	}

	const text = "crosslane: %s is not implemented: it returns 801 (CUDA_ERROR_NOT_SUPPORTED)\n"
	want := fmt.Sprintf(text+text+text, "cuCtxGetCurrent", "cuMemsetD8_v2", "cuCtxGetId")
	if messages.String() != want {
		t.Errorf("the library prints\n%swant\n%s", messages.String(), want)
	}
}

// exported tests that the library exports the names of the table, and test_lookup, and nothing else.
func exported(t *testing.T, library string) {
	t.Helper()
	f, err := elf.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"test_lookup"}
	for s := range Symbols() {
		want = append(want, s.Name)
	}
	var got []string
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			got = append(got, s.Name)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the library exports %d names, want %d:\n%q", len(got), len(want), got)
	}
}

func write(t *testing.T, file string, text func(io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := text(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// full fails like a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteFails(t *testing.T) {
	t.Parallel()
	if err := WriteC(full{}); err != io.ErrShortWrite {
		t.Errorf("WriteC: %v", err)
	}
	if err := WriteHeader(full{}); err != io.ErrShortWrite {
		t.Errorf("WriteHeader: %v", err)
	}
}
