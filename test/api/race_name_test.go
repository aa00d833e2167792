package api_test

import (
	"context"
	"strings"
	"testing"

	"example.org/crosslane"
)

// The place of a race is told by the variable that holds it, and by the offset in it.
func TestRaceNamesVariable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ vars, second, want string }{
		{".shared .align 4 .b8 first[20]; .shared .align 16 .b8 second[64];", "second", `4 bytes of shared memory at offset 8 of "second"`},
		{".shared .align 4 .b8 first[32]; .extern .shared .align 4 .b8 rest[];", "rest", `4 bytes of shared memory at offset 8 of "rest"`},
	} {
		src := ".version 8.0\n.target sm_80\n.address_size 64\n" + c.vars + "\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n" +
			"mov.u32 %r1, %tid.x;\nst.shared.u32 [first], 0;\nst.shared.u32 [" + c.second + "+8], %r1;\nret;\n}\n"
		m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		res, err := k.Check(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 32}, Shared: 64})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, d := range res.Findings {
			found = found || d.Code == "race-shared" && strings.Contains(d.Message, c.want)
		}
		if !found {
			t.Errorf("want a race %s; got %v", c.want, res.Findings)
		}
	}
}

// In a buffer it is reported by the offset and the element, for every element type.
func TestRaceNamesElement(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		elem crosslane.ElemType
		want string
	}{{crosslane.U32, `at offset 20 of "out" (element 5)`}, {crosslane.F64, `at offset 20 of "out" (element 2)`}, {crosslane.U8, `at offset 20 of "out" (element 20)`}} {
		src := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<2>;\n" +
			"ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nst.global.u32 [%rd1+20], %r1;\nret;\n}\n"
		m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		out := &crosslane.Buffer{Name: "out", Type: c.elem, Data: make([]byte, 64)}
		res, err := k.Check(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{out}})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, d := range res.Findings {
			found = found || d.Code == "race-global" && strings.Contains(d.Message, c.want)
		}
		if !found {
			t.Errorf("%s: want a race %s; got %v", c.elem, c.want, res.Findings)
		}
	}
}
