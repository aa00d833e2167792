package ptx

import (
	"strings"
	"sync"
	"testing"
)

// TestFound checks that lifting uses the opcodes that Check has looked up, and that it does not use
// those of an earlier state of the module.
func TestFound(t *testing.T) {
	const src = ".version 3.0\n.target sm_20\n.address_size 64\n.entry k()\n{\n.reg .f32 a;\nadd.f32 a, a, a;\nret;\n}\n"
	m, list := Parse("k.ptx", src)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	add := func() *variant {
		var v *variant
		m.Entries()[0].Body().instrs(func(in *Instr) {
			if strings.HasPrefix(in.Op, "add") {
				v = newChecker(m).variant(in)
			}
		})
		return v
	}
	first := add()
	if err := Check(m).Err(); err != nil {
		t.Fatal(err)
	}
	second := add()
	if second == first || second != add() {
		t.Error("what Check has found is looked for again")
	}
	// Below sm_20 the same opcode flushes subnormal numbers.
	m.Target.SM = 13
	Check(m)
	if third := add(); third == second || third != add() || third.mod("ftz") == second.mod("ftz") {
		t.Error("what Check found of another target is used")
	}
	// Kernels of a module are lifted at the same time.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := Lift(m, "k"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
