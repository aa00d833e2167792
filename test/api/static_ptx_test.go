package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// TestCheckStaticPTX: a certain mistake is an error, with the lanes; the rest is proved.
func TestCheckStaticPTX(t *testing.T) {
	t.Parallel()
	m, err := crosslane.Load([]byte(".version 7.0\n.target sm_70\n.address_size 64\n.entry k() .reqntid 32\n{\n.reg .b32 %r<4>;\n.reg .pred %p;\nmov.u32 %r1, %laneid;\nmov.u32 %r2, 0xffff;\n"+
		"shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;\nshfl.sync.bfly.b32 %r3, %r1, 1, 31, %r2;\nbar.sync 0;\nret;\n}\n"), "k.ptx", crosslane.Auto)
	if err != nil {
		t.Fatal(err)
	}
	l, err := m.CheckStatic()
	if err != nil || len(l) != 1 || len(l[0].Findings) != 1 {
		t.Fatal(l[0].Findings, err)
	}
	d := l[0].Findings[0]
	if d.Code != "not-in-membermask" || d.Pos.Line != 11 || d.Lanes != "16-31" || d.Severity != diag.Error || d.Kernel != "k" {
		t.Errorf("%+v", d)
	}
	if r := l[0]; r.Meets != 2 || r.MeetsProved != 1 || r.Barriers != 1 || r.BarriersProved != 1 {
		t.Errorf("%+v", r)
	}
}

// TestCheckStaticPrograms: compiled programs and the examples have no errors, and no
// warnings but those about activemask, which they do use so, and of the file of mistakes.
func TestCheckStaticPrograms(t *testing.T) {
	t.Parallel()
	var files []string
	for _, p := range []string{"examples/ptx/*.ptx", "examples/programs/ptx/*.ptx", "examples/programs/hand/*.ptx"} {
		l, err := filepath.Glob(p)
		if err != nil || len(l) == 0 {
			t.Fatal(p, err)
		}
		files = append(files, l...)
	}
	meets, proved := 0, 0
	for i, file := range files {
		if i%4 != 0 && !*long && !strings.HasPrefix(file, "examples/ptx") {
			continue
		}
		if filepath.Base(file) == "mistakes.ptx" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := crosslane.Load(data, file, crosslane.Auto)
		if err != nil {
			t.Fatal(err)
		}
		l, err := m.CheckStatic()
		if err != nil {
			t.Fatal(file, err)
		}
		for _, r := range l {
			for _, d := range r.Findings {
				if d.Severity > diag.Note && d.Code != "activemask-membermask" {
					t.Errorf("%s: %v", file, d)
				}
			}
			meets += r.Meets
			proved += r.MeetsProved
		}
	}
	if proved*2 < meets || meets == 0 {
		t.Errorf("%d of %d operations across lanes proved", proved, meets)
	}
}
