package jit

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/sim"
)

// TestGrowth translates code of many blocks: tables for Go, slots and code grow linearly with
// the number of blocks.
func TestGrowth(t *testing.T) {
	t.Parallel()
	shapes := map[string]string{
		"branches": "setp.lt.u32 %%p, %%r4, %[1]d;\n@%%p bra L%[1]d;\nmad.lo.s32 %%r4, %%r4, %%r5, %%r6;\nL%[1]d:\n",
		"exits":    "setp.lt.u32 %%p, %%r4, %[1]d;\n@%%p bra END;\nmad.lo.s32 %%r4, %%r4, %%r5, %%r6;\n",
		"loops":    "mov.u32 %%r7, 0;\nM%[1]d:\nmad.lo.s32 %%r4, %%r4, %%r5, %%r6;\nadd.s32 %%r7, %%r7, 1;\nsetp.lt.u32 %%p, %%r7, %%r4;\n@%%p bra M%[1]d;\n",
	}
	for tier, e := range tierEngines(t) {
		for name, shape := range shapes {
			live, code, frame := grown(t, e, tier, shape, 60)
			live10, code10, frame10 := grown(t, e, tier, shape, 600)
			if live10 > 13*live || code10 > 13*code || frame10 > 13*frame+1024 {
				t.Errorf("%s, %s: ten times the code has %d live registers in all (%d), %d instructions (%d), %d bytes of slots (%d)", name, tier, live10, live, code10, code, frame10, frame)
			}
		}
	}
}

// grown translates a piece of code n times. It returns the number of registers that are live
// before all blocks together, and the numbers of instructions and of bytes of slots.
func grown(t *testing.T, e *Engine, tier isa.Tier, shape string, n int) (live, code, frame int) {
	var s strings.Builder
	s.WriteString(".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n.reg .pred %p;\n.reg .b64 %rd0;\nmov.u32 %r4, %tid.x;\nmov.u32 %r5, 13;\nmov.u32 %r6, %laneid;\n")
	for i := range n {
		fmt.Fprintf(&s, shape, i)
	}
	s.WriteString("END:\nld.param.u64 %rd0, [out];\nst.global.u32 [%rd0], %r4;\nret;\n}\n")
	f := lift(t, s.String(), "k")
	p, err := e.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	k := p.(*Program).key(&sim.Launch{Func: f, Grid: [3]uint32{64, 1, 1}, Block: [3]uint32{128, 1, 1}})
	tr, insts, err := new(scratch).assemble(f, k.geom, tier)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range tr.sel.BlockAt {
		live += len(tr.live.At(at))
	}
	return live, len(insts), int(tr.regs.Frame)
}
