package crosslane_test

import (
	"context"
	"strings"
	"testing"

	"crosslane"
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
