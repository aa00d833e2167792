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

// A branch on a bit of a register is evidence that lanes part only if that bit was made from values that differ between lanes: code keeps the role of
// each lane and options of the launch in one register.
func TestCheckStaticBits(t *testing.T) {
	t.Parallel()
	// r2 = 8 in lanes below n, and 16 in the other lanes; r5 is an argument; p1 is tid < n.
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .b32 n, .param .b32 option)\n{\n.reg .b32 %r<9>;\n.reg .pred %p<9>;\n" +
		"mov.u32 %r1, %tid.x;\nld.param.b32 %r4, [n];\nsetp.lt.u32 %p1, %r1, %r4;\nselp.b32 %r2, 8, 16, %p1;\nld.param.b32 %r5, [option];\n"
	const tail = "setp.eq.b32 %p2, %r3, 0;\n@%p2 bra A;\nbar.sync 0;\nA:\nbar.sync 1;\nret;\n}\n"
	for _, c := range []struct {
		code string // it makes r3
		want bool   // a warning
	}{
		{"and.b32 %r3, %r2, 8;", true},
		{"and.b32 %r3, %r2, 24;", true},
		{"and.b32 %r3, %r2, 7;", false},
		{"and.b32 %r3, %r2, %r5;", true},
		{"or.b32 %r3, %r2, %r5; and.b32 %r3, %r3, 16384;", false},
		{"or.b32 %r3, %r2, %r5; and.b32 %r3, %r3, 16400;", true},
		{"or.b32 %r3, %r2, 8; and.b32 %r3, %r3, 8;", false},
		{"or.b32 %r3, %r2, 8; and.b32 %r3, %r3, 16;", true},
		{"xor.b32 %r3, %r2, %r5; and.b32 %r3, %r3, 4096;", false},
		{"xor.b32 %r3, %r2, %r5; and.b32 %r3, %r3, 8;", true},
		{"not.b32 %r3, %r2; and.b32 %r3, %r3, 96;", false},
		{"not.b32 %r3, %r2; and.b32 %r3, %r3, 48;", true},
		{"lop3.b32 %r3, %r2, %r5, %r4, 0x1e; and.b32 %r3, %r3, 4;", false},
		{"lop3.b32 %r3, %r2, %r5, %r4, 0x1e; and.b32 %r3, %r3, 16;", true},
		{"shl.b32 %r3, %r2, 4; and.b32 %r3, %r3, 24;", false},
		{"shl.b32 %r3, %r2, 4; and.b32 %r3, %r3, 128;", true},
		{"shr.u32 %r3, %r2, 3; and.b32 %r3, %r3, 8;", false},
		{"shr.u32 %r3, %r2, 3; and.b32 %r3, %r3, 2;", true},
		{"add.u32 %r3, %r2, %r5; and.b32 %r3, %r3, 32;", true}, // a carry
		{"selp.b32 %r3, %r5, 0, %p1; and.b32 %r3, %r3, 1;", true},
		{"setp.gt.u32 %p3, %r5, 7; selp.b32 %r3, %r2, %r4, %p3; and.b32 %r3, %r3, 4096;", false},
		{"setp.gt.u32 %p3, %r5, 7; selp.b32 %r3, %r2, %r4, %p3; and.b32 %r3, %r3, 8;", true},
		{"mov.u32 %r3, 1; @%p1 mov.u32 %r3, 5; and.b32 %r3, %r3, 1;", false},
		{"mov.u32 %r3, 1; @%p1 mov.u32 %r3, 5; and.b32 %r3, %r3, 4;", true},
		{"mov.u32 %r3, 3; @%p1 bra B; mov.u32 %r3, 6; B: and.b32 %r3, %r3, 2;", false},
		{"mov.u32 %r3, 3; @%p1 bra B; mov.u32 %r3, 6; B: and.b32 %r3, %r3, 4;", true},
		{"mov.u32 %r3, 3; @%p1 bra B; mov.u32 %r3, %r5; B: and.b32 %r3, %r3, 8;", true},
	} {
		m, err := crosslane.Load([]byte(head+c.code+"\n"+tail), "k.ptx", crosslane.Auto)
		if err != nil {
			t.Fatal(c.code, err)
		}
		l, err := m.CheckStatic()
		if err != nil {
			t.Fatal(c.code, err)
		}
		got := false
		for _, d := range l[0].Findings {
			got = got || d.Code == "divergent-barrier" && d.Severity == diag.Warning
		}
		if got != c.want {
			t.Errorf("%s: a warning: %v, want %v", c.code, got, c.want)
		}
		if l[0].BarriersProved != 1 {
			t.Errorf("%s: %d barriers are proved, want that of all lanes alone", c.code, l[0].BarriersProved)
		}
	}
}
