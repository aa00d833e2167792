package api_test

import (
	"context"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

func originText(d *diag.Diagnostic) string {
	var l []string
	for _, r := range d.Related {
		if r.Origin {
			l = append(l, r.Pos.String())
		}
	}
	return strings.Join(l, " ")
}

// TestObjectOrigins: findings in compiled kernels say the line of the source and the calls
// that were inlined; without a launch, too.
func TestObjectOrigins(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"lines4.o", "lines5.co"} {
		m, err := crosslane.LoadFile("codeobject/testdata/lines/" + name)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		a, b := crosslane.NewBuffer("a", crosslane.F32, 64), crosslane.NewBuffer("b", crosslane.F32, 64)
		_, err = k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1, Y: 1, Z: 1}, Block: crosslane.Dim3{X: 64, Y: 1, Z: 1}, Args: []crosslane.Arg{a, b, crosslane.Scalar{Text: "1"}}})
		list := diag.Of(err)
		if len(list) != 1 || list[0].Code != "out-of-bounds" {
			t.Fatalf("%s: %v", name, err)
		}
		// b[i + n] in line 7 of lines.cl, in a function that the kernel calls.
		if got := originText(list[0]); got != "lines.cl:7:12 lines.cl:5:56" {
			t.Errorf("%s: run: %q", name, got)
		}
		r, err := k.CheckStatic()
		if err != nil {
			t.Fatal(err)
		}
		notes := 0
		for _, d := range r.Findings {
			if d.Pos.HasOff && d.Code == "not-followed" {
				notes++
				if got := originText(d); !strings.HasPrefix(got, "lines.cl:1:47 lines.cl:3:10 lines.cl:7:14") {
					t.Errorf("%s: static: %s: %q", name, d, got)
				}
			}
		}
		if notes != 1 {
			t.Errorf("%s: %d notes", name, notes)
		}
	}
}
