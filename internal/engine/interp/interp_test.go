package interp

import (
	"regexp"
	"slices"
	"testing"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, Engine{})
}

func TestConformancePortable(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, Engine{Portable: true})
}

// TestLowering: the forms in assembly give the results of the portable forms, and these those
// of package num.
func TestLowering(t *testing.T) {
	t.Parallel()
	enginetest.Lowering{Engine: Engine{}, Reference: Engine{Portable: true}}.Test(t)
}

// swapped is an engine that executes another operation in the place of one.
type swapped struct {
	Engine
	from, to ir.Op
}

func (s swapped) Compile(f *ir.Func) (sim.Program, error) {
	f.Code = slices.Clone(f.Code)
	for i := range f.Code {
		if f.Code[i].Op == s.from {
			f.Code[i].Op = s.to
		}
	}
	return s.Engine.Compile(f)
}

// The suite must distinguish operations that differ in little, in every form.
func TestLoweringFinds(t *testing.T) {
	t.Parallel()
	for from, to := range map[ir.Op]ir.Op{
		ir.AddF32: ir.AddF32Ftz, ir.FmaF32: ir.FmaF32RZ, ir.Shl32: ir.ShlWrap32, ir.MinF32: ir.MinNaNF32, ir.AndP: ir.OrP,
		ir.MulF64: ir.MulF64RP, ir.CvtF16FromF32: ir.CvtF16FromF32RZ, ir.Mov32: ir.Not32, ir.LtS32: ir.LeS32,
	} {
		said := 0
		l := enginetest.Lowering{Engine: swapped{from: from, to: to}, Reference: Engine{Portable: true}, Match: regexp.MustCompile("^" + from.String() + "$"), Random: short.Of(2000, 300)}
		l.Find(func(format string, args ...any) {
			if said++; said == 1 {
				t.Logf(format, args...)
			}
		})
		if said < 10 {
			t.Errorf("%s in the place of %s is found in %d forms only", to, from, said)
		}
	}
}
