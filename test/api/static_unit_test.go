package api_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// A translation unit is checked alone: its functions too, and what it calls in other units may give any result. Each case
// has a twin that is right.
func TestCheckStaticUnit(t *testing.T) {
	t.Parallel()
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n" +
		".extern .func (.param .b32 r) other(.param .b32 n);\n.extern .global .align 8 .b64 table[];\n.extern .global .align 4 .b32 word;\n"
	const regs = ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<9>;\n.param .b32 n;\n.param .b32 r;\nmov.u32 %r1, %tid.x;\nst.param.b32 [n], %r1;\n"
	const pointer = "mov.b64 %rd1, table;\nld.global.b64 %rd2, [%rd1+4096];\n{\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (r), %rd2, (n), P;\n}\n"
	const shuffle = "shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;\n"
	for _, c := range []struct {
		name, text string
		checked    string // names of kernels, then of functions
		findings   string // "code line of the body"; line 1 is the first one after the registers
	}{
		{"a kernel that calls another unit", "K call (r), other, (n);\n" + shuffle, "k", ""},
		{"the call does not hide a mistake", "K call (r), other, (n);\nsetp.lt.u32 %p1, %r1, 7;\n@%p1 bra A;\n" + shuffle + "A:\n", "k", "undefined-source 4"},
		{"a result is any value of a lane", "K call (r), other, (n);\nld.param.b32 %r2, [r];\nsetp.eq.u32 %p1, %r2, %r1;\n@%p1 bra A;\n" + shuffle + "A:\n", "k", "divergent-sync 5"},
		{"a pointer from another unit", "K " + pointer + shuffle, "k", ""},
		{"after a call by a pointer", "K " + pointer + "setp.lt.u32 %p1, %r1, 7;\n@%p1 bra A;\n" + shuffle + "A:\n", "k", "undefined-source 9"},
		{"a variable of another unit has any size", "K mov.b64 %rd1, word;\nld.global.b32 %r2, [%rd1+64];\nst.global.b32 [%rd1], %r2;\n", "k", ""},
		{"a function", "F " + shuffle, "f", ""},
		{"a mistake in a function", "F setp.lt.u32 %p1, %r1, 7;\n@%p1 bra A;\n" + shuffle + "A:\n", "f", "undefined-source 3"},
		{"a function that calls itself", "F call (r), f, (n);\nld.param.b32 %r2, [r];\nst.param.b32 [x], %r2;\n" + shuffle, "f", ""},
		{"a function that calls another unit by a guard", "F setp.lt.u32 %p1, %r1, 7;\n@%p1 call (r), other, (n);\n" + shuffle, "f", ""},
		{"a function that no other unit can call", "S K " + shuffle, "k", ""},
		{"one whose address is taken", "S K mov.b64 %rd3, s;\nst.param.b64 [d], %rd3;\n", "k s", "undefined-source 0"},
		{"a kernel and a function", "F " + shuffle + "K setp.lt.u32 %p1, %r1, 7;\n@%p1 bra A;\n" + shuffle + "A:\n", "k f", "undefined-source 3"},
	} {
		text, start := head, map[string]int{}
		rest := c.text
		if strings.HasPrefix(rest, "S ") {
			text += ".func s(.param .b64 a)\n{\n.reg .b32 %r<9>;\n.reg .pred %p;\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p, %r1, 7;\n@%p ret;\n" + shuffle + "ret;\n}\n"
			start["s"] = strings.Count(text[:strings.Index(text, "shfl")], "\n") + 1 // so the shuffle is line 0
			rest = rest[2:]
		}
		if strings.HasPrefix(rest, "F ") {
			body, after, _ := strings.Cut(rest[2:], "K ")
			text += ".visible .func (.param .b32 x) f(.param .b32 y)\n{\n" + regs
			start["f"] = strings.Count(text, "\n")
			text += body + "ret;\n}\n"
			if rest = ""; after != "" {
				rest = "K " + after
			}
		}
		if strings.HasPrefix(rest, "K ") {
			text += ".visible .entry k()\n{\n.param .b64 d;\n" + regs
			start["k"] = strings.Count(text, "\n")
			text += rest[2:] + "ret;\n}\n"
		}
		m, err := crosslane.LoadWith([]byte(text), "unit.ptx", crosslane.LoadOptions{Unit: true})
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		var checked, findings []string
		list := m.Kernels()
		list = append(list, m.Functions()...)
		for _, k := range list {
			checked = append(checked, k.Name())
			r, err := k.CheckStatic()
			if err != nil {
				t.Errorf("%s: %s: %v\n%s", c.name, k.Name(), err, text)
				continue
			}
			for _, d := range r.Findings {
				if d.Severity != diag.Note {
					findings = append(findings, fmt.Sprint(d.Code, " ", d.Pos.Line-start[k.Name()]))
				}
			}
		}
		if got := strings.Join(checked, " "); got != c.checked {
			t.Errorf("%s: checked %s, want %s", c.name, got, c.checked)
		}
		if got := strings.Join(findings, ", "); got != c.findings {
			t.Errorf("%s: %q, want %q\n%s", c.name, got, c.findings, text)
		}
	}
}

// The contents of the unit itself are known: an instruction that Crosslane does not run is an error there, and a function
// cannot be launched. Without LoadOptions.Unit a call of a missing function is an error.
func TestCheckStaticUnitErrors(t *testing.T) {
	t.Parallel()
	const text = ".version 9.3\n.target sm_100a\n.address_size 64\n.extern .func other();\n.visible .func f()\n{\n.reg .b32 %r<2>;\nfabric.wait.sync_restrict::reads;\nret;\n}\n" +
		".visible .func g()\n{\ncall other;\nret;\n}\n.visible .entry k()\n{\ncall other;\nret;\n}\n"
	for _, unit := range []bool{true, false} {
		m, err := crosslane.LoadWith([]byte(text), "unit.ptx", crosslane.LoadOptions{Unit: unit})
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		if _, err = k.CheckStatic(); (err == nil) != unit || err != nil && !strings.Contains(err.Error(), "calls other, which the file declares and does not define") {
			t.Errorf("unit %v: %v", unit, err)
		}
		list := m.Functions()
		if !unit {
			if len(list) > 0 {
				t.Errorf("%d functions of a file that is no unit", len(list))
			}
			continue
		}
		if len(list) != 2 {
			t.Fatal(len(list), "functions")
		}
		if _, err := list[0].CheckStatic(); err == nil || !strings.Contains(err.Error(), "fabric") {
			t.Errorf("an instruction that does not run: %v", err)
		}
		for _, f := range append(list[1:], k) {
			if _, err := f.Run(t.Context(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 32}}); err == nil {
				t.Errorf("%s was launched", f.Name())
			}
		}
	}
}
