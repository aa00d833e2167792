package sel

import (
	"testing"

	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// swept reports which instructions of the list that f writes eliminateDead has left.
func swept(f func(g *emitter, a, b x64.Reg)) []bool {
	g := &emitter{facts: facts{mem: new(Scratch), processor: processor{w: 32}}, out: &abi.Code{}, fn: &lir.Func{}, len: 32}
	f(g, g.gpr(8), g.gpr(8))
	g.eliminateDead()
	left := make([]bool, len(g.fn.Code))
	for i := range left {
		left[i] = g.fn.Code[i].Op != x64.NOP
	}
	return left
}

// TestEliminateDead checks that eliminateDead removes chains that only read themselves, and keeps
// instructions with flags, masks or old values that are read.
func TestEliminateDead(t *testing.T) {
	t.Parallel()
	sum := func(g *emitter, a, _ x64.Reg) { // a mask that is made of parts, like those of bitsOf
		g.load(8, a, g.ctl(0))
		for i := range int32(3) {
			b := g.gpr(8)
			g.load(8, b, g.ctl(8*i))
			g.ri(x64.SHLImm, 8, b, 8)
			g.r2(x64.OR, 8, a, b)
		}
	}
	all := func(left []bool, want bool) bool {
		for _, l := range left {
			if l != want {
				return false
			}
		}
		return true
	}
	if left := swept(sum); !all(left, false) {
		t.Errorf("of what only itself reads there is left %v", left)
	}
	if left := swept(func(g *emitter, a, b x64.Reg) {
		sum(g, a, b)
		g.store(8, g.ctl(0), a)
	}); !all(left, true) {
		t.Errorf("of what is stored there is left %v", left)
	}
	if left := swept(func(g *emitter, a, b x64.Reg) {
		g.load(8, a, g.ctl(0))
		g.r2(x64.ADD, 8, a, b) // the jump reads its flags
		g.jump(x64.JB, g.label())
	}); !all(left, true) {
		t.Errorf("of what makes flags there is left %v", left)
	}
	if left := swept(func(g *emitter, a, b x64.Reg) {
		v, w := g.vec(), g.vec()
		g.emit(x64.Inst{Op: x64.VPCMPEQD, Len: 32, Dst: w, A: w, B: w})
		g.emit(x64.Inst{Op: x64.VPXOR, Len: 32, Dst: v, A: v, B: v})
		// A gather also writes its mask.
		g.emit(x64.Inst{Op: x64.VPGATHERDD, Len: 32, Dst: v, B: w, HasMem: true, M: x64.Mem{Base: a, Index: v, Scale: 1}})
	}); !all(left, true) {
		t.Errorf("of a gather's operands there is left %v", left)
	}
	// A write stays because of an earlier reader, which is removed; the write itself reads
	// the old value.
	if left := swept(func(g *emitter, a, b x64.Reg) {
		g.load(8, a, g.ctl(0))
		g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: b, B: a})
		g.emit(x64.Inst{Op: x64.CMOVNE, Len: 8, Dst: a, B: g.gpr(8)})
	}); left[0] != left[2] {
		t.Errorf("of what a write leaves as it is there is left %v", left)
	}
}
