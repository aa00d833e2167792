package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
)

func TestWriteFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "f")
	put := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	if err := writeFile(name, false, put("one")); err != nil {
		t.Fatal(err)
	}
	// A file that appears between the check before the run and the write after it.
	if err := writeFile(name, false, put("two")); err == nil {
		t.Error("an existing file was overwritten")
	}
	if err := writeFile(name, true, put("x")); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestParseSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		isa   crosslane.ISA
		reg   string
		typ   crosslane.ElemType
		lanes int
		last  uint64
	}{
		{"%r1=iota", crosslane.PTX, "%r1", "", 32, 31},
		{"%f1:f32=fill:1", crosslane.PTX, "%f1", "f32", 32, 0x3f800000},
		{"v0=iota", crosslane.GCN3, "v0", "", 64, 63},
		{"v[0:1]=7", crosslane.GCN3, "v[0:1]", "u64", 64, 7},
		{"v[0:1]:f64=1", crosslane.GCN3, "v[0:1]", "f64", 64, 0x3ff0000000000000},
		{"v[0:3]=7", crosslane.GCN3, "v[0:3]", "", 64, 7},
		{"s0=9", crosslane.GCN3, "s0", "", 1, 9},
		{"s[4:5]=0x100000000", crosslane.GCN3, "s[4:5]", "u64", 1, 0x100000000},
		{"vcc=1", crosslane.GCN3, "vcc", "u64", 1, 1},
		{"vcc_lo=1", crosslane.GCN3, "vcc_lo", "", 1, 1},
		{"m0=iota:3", crosslane.GCN3, "m0", "", 1, 3},
		{"exec=-1", crosslane.GCN3, "exec", "u64", 1, 1<<64 - 1},
	} {
		got, err := input.ParseSet(c.text, c.isa, nil)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got.Reg != c.reg || got.Type != c.typ || len(got.Bits) != c.lanes || got.Bits[c.lanes-1] != c.last {
			t.Errorf("%s: %+v; want %+v", c.text, got, c)
		}
	}
}

func TestGuestISA(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]crosslane.ISA{
		"shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 0x1f, 0xffffffff;": crosslane.PTX,
		"@%p1 add.u32 a, b, c;":                                  crosslane.PTX,
		"exit":                                                   crosslane.PTX,
		"v_add_f32 v1, v0, v0 row_shr:1":                         crosslane.GCN3,
		"\n  s_nop 1":                                            crosslane.GCN3,
		"ds_swizzle_b32 v5, v2":                                  crosslane.GCN3,
		"buffer_load_dword v0, s[0:3], 0":                        crosslane.GCN3,
	} {
		if got := input.GuestISA("auto", src); got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}

// FuzzValues: no text of an option panics.
func FuzzValues(f *testing.F) {
	for _, s := range []string{"%r1=iota", "v[0:3]=7", "exec=-1", "00ff", "64K", "s[4:5]=0x100000000"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		_, _ = input.ParseSet(s, crosslane.GCN3, input.Values(""))
		_, _ = parseHex(s)
		_, _ = launchspec.ParseBytes(s)
	})
}
