package ptx

import (
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"example.org/crosslane/diag"
)

// clang returns the path of the compiler that serves as the oracle.
func clang(t *testing.T) string { return tool(t, "clang-22") }

// tool finds an LLVM program. If the program is missing, the test is skipped, or it fails if no
// program may be missing.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
		t.Fatalf("%s is not installed, but CROSSLANE_REQUIRE_ORACLES is 1", name)
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// TestOracleData checks that clang's output for data of every shape, with and without debug
// information, is read, checked and printed, and that it means the values of the source.
func TestOracleData(t *testing.T) {
	t.Parallel()
	cc := clang(t)
	for _, flags := range [][]string{
		{"-march=sm_75", "-Xclang", "-target-feature", "-Xclang", "+ptx71", "-O0", "-g"},
		{"-march=sm_100a", "-Xclang", "-target-feature", "-Xclang", "+ptx86", "-O2"},
	} {
		out := filepath.Join(t.TempDir(), "data.ptx")
		cmd := exec.Command(cc, append([]string{"--target=nvptx64-nvidia-cuda", "-w", "-S", "-x", "c", "testdata/oracle/data.c", "-o", out}, flags...)...)
		if msg, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", flags, err, msg)
		}
		src, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		m, l := Parse("data.ptx", string(src))
		if len(l) > 0 {
			t.Errorf("%v: %s", flags, l.Error())
			continue
		}
		roundTrip(t, "data.ptx", m)
		for _, d := range Check(m) {
			if d.Class != diag.Unsupported {
				t.Errorf("%v: %v", flags, d)
			}
		}
		oracleData(t, m)
	}
}

// oracleData compares the variables of data.c with its values.
func oracleData(t *testing.T, m *Module) {
	k := m.Func("k")
	l := newLifter(m, k)
	l.c.checked[k] = k.Body()
	l.openFrame(k, nil)
	le := binary.LittleEndian
	want := map[string]func(d []byte) bool{
		"numbers": func(d []byte) bool { return le.Uint32(d) == 1 && le.Uint32(d[12:]) == 4 },
		"matrix": func(d []byte) bool {
			return le.Uint32(d) == 1 && le.Uint32(d[4:]) == 2 && le.Uint32(d[8:]) == 0 && le.Uint32(d[12:]) == 3 && le.Uint64(d[16:]) == 0
		},
		"yes":  func(d []byte) bool { return d[0] == 1 },
		"big":  func(d []byte) bool { return le.Uint64(d) == 0xfedcba9876543210 },
		"wide": func(d []byte) bool { return le.Uint64(d) == 0 && le.Uint64(d[8:]) == 1<<36 },
		"floats": func(d []byte) bool {
			return le.Uint32(d) == 0x7f800000 && le.Uint32(d[4:]) == 1<<31 && le.Uint32(d[8:]) == math.Float32bits(0.1)
		},
		"doubles": func(d []byte) bool {
			return le.Uint64(d) == math.Float64bits(0.1) && le.Uint64(d[8:]) == math.Float64bits(-1e300)
		},
		"quad":     func(d []byte) bool { return le.Uint32(d) == 0x3f800000 && le.Uint32(d[12:]) == 0x40800000 },
		"both":     func(d []byte) bool { return le.Uint32(d) == 0x40000000 },
		"weak_one": func(d []byte) bool { return le.Uint32(d) == 3 },
		"packed":   func(d []byte) bool { return len(d) == 9 && d[0] == 1 },
		"message":  func(d []byte) bool { return len(d) == 8 },
		"pointer":  func(d []byte) bool { return len(d) == 8 },
	}
	for _, v := range m.Vars() {
		ok := want[v.Name]
		if ok == nil {
			continue
		}
		delete(want, v.Name)
		g := l.k.Globals[l.global(v, v.Pos)]
		if d := append(append([]byte{}, g.Data...), make([]byte, int(g.Size)-len(g.Data))...); !ok(d) {
			t.Errorf("%s: % x", v.Name, d)
		}
		name := func(i int) string { return l.k.Globals[i].Name }
		switch r := g.Relocs; v.Name {
		case "pointer":
			if len(r) != 1 || r[0].Addend != 4 || name(r[0].Target) != "numbers" || r[0].Size != 8 {
				t.Errorf("pointer: %+v", r)
			}
		case "packed": // one byte of the address in each element
			for i := range r {
				if r[i].Offset != uint64(i+1) || r[i].Addend != 12 || r[i].Size != 1 || r[i].Mask != 0xff<<(8*i) || name(r[i].Target) != "numbers" {
					t.Errorf("packed: %+v", r[i])
				}
			}
			if len(r) != 8 {
				t.Errorf("packed: %d addresses", len(r))
			}
		case "message":
			if s := l.k.Globals[r[0].Target]; string(s.Data) != "hello\n\"q\" \\ \001" || s.Size != 14 {
				t.Errorf("message: %q of %d bytes", s.Data, s.Size)
			}
		}
	}
	for name := range want {
		t.Errorf("%s is not in the module", name)
	}
	for _, d := range l.c.errs.list {
		t.Errorf("%v", d)
	}
}
