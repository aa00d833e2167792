package x64

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestOraclePool compares operands that are constants of the pool, in every instruction with
// memory operands. The displacement counts from the end of the instruction, also if an
// immediate follows it, and in bytes with EVEX, too.
func TestOraclePool(t *testing.T) {
	t.Parallel()
	mc := llvmMC(t)
	var lists [][]Inst
	var lines []string
	pool := []Const{{Bits: 1, Size: 8, Len: 64}, {Bits: 2, Size: 8, Len: 64}}
	for op := range Op(len(table)) {
		info := op.Info()
		if !isPlain(op) || info.VSIB {
			continue
		}
		r := rng(op)
		for range 8 {
			in := draw(r, op)
			if !in.HasMem {
				continue
			}
			// Both constants are used, so that they lie next to each other.
			in.M = Mem{Pool: int32(1 + r.IntN(2)), Disp: int32(r.IntN(200)) - 100, Bcst: in.M.Bcst}
			list := []Inst{in}
			for range r.IntN(9) {
				list = append(list, Inst{Op: VPADDD, Len: 64, Dst: V0 + 20, A: V0 + 21, B: V0 + 22})
			}
			list = append(list, Inst{Op: TESTImm, Len: 4, HasMem: true, M: Mem{Pool: 3 - in.M.Pool}, Imm: 1})
			code, err := Encode(list, pool)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := Encode(list[:1], pool)
			if err != nil {
				t.Fatal(err)
			}
			at := (code.Text+maxConst-1)/maxConst*maxConst + maxConst*int(in.M.Pool-1) + int(in.M.Disp)
			plain := in
			plain.M.Disp = 0
			line := strings.Replace(plain.String(), fmt.Sprintf("rip + C%d", in.M.Pool-1), fmt.Sprintf("rip + %d", at-alone.Text), 1)
			lists, lines = append(lists, list), append(lines, line)
		}
	}
	want, errs := assemble(t, mc, lines)
	for i, list := range lists {
		code, _ := Encode(list, pool)
		if errs[i] != "" {
			t.Errorf("%s: LLVM: %s", lines[i], errs[i])
		} else if !bytes.HasPrefix(code.Bytes, want[i]) {
			t.Errorf("%s: % x; LLVM: % x", lines[i], code.Bytes[:min(len(code.Bytes), 16)], want[i])
		}
	}
}
