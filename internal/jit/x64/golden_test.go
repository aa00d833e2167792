package x64

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew, as LLVM encodes")

// TestGolden compares with encodings that LLVM made: two of each Op, drawn in the same way as
// for the oracle.
func TestGolden(t *testing.T) {
	t.Parallel()
	const name = "testdata/encodings.txt"
	insts, lines := drawAll(2)
	if *update {
		mc := llvmMC(t)
		code, errs := assemble(t, mc, lines)
		var b bytes.Buffer
		for i, l := range lines {
			if errs[i] != "" {
				t.Fatalf("%s: %s", l, errs[i])
			}
			if code[i][0] == 0xC5 { // see longForm
				if got, err := Encode(insts[i:i+1], nil); err == nil && got.Bytes[0] == 0xC4 {
					long, _ := assemble(t, mc, []string{"{vex3} " + l})
					code[i] = long[0]
				}
			}
			fmt.Fprintf(&b, "%s // %x\n", l, code[i])
		}
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for l := range strings.Lines(string(data)) {
		text, code, _ := strings.Cut(strings.TrimSpace(l), " // ")
		want[text] = code
	}
	missing := 0
	for i, l := range lines {
		code, err := Encode(insts[i:i+1], nil)
		if err != nil {
			t.Errorf("%s: %v", l, err)
			continue
		}
		switch w, ok := want[l]; {
		case !ok:
			missing++
			t.Logf("%s (%s) is not in %s", l, insts[i].Op, name)
		case w != hex.EncodeToString(code.Bytes):
			t.Errorf("%s (%s): %x, want %s", l, insts[i].Op, code.Bytes, w)
		}
	}
	if missing > 0 {
		t.Errorf("%d instructions are missing; run go test ./internal/jit/x64 -run Golden -update", missing)
	}
}

// TestTable checks the rows of the table for contradictions.
func TestTable(t *testing.T) {
	t.Parallel()
	for op := range Op(len(table)) {
		i := op.Info()
		memory := b2i(i.AMem) + b2i(i.BMem) + b2i(i.DstMem)
		for what, bad := range map[string]bool{
			"no name":                              i.Name == "" || i.Const == "",
			"two operands in memory":               memory > 1,
			"only memory, but none":                i.MemOnly && memory == 0,
			"Dst in a register and in memory":      i.DstMem && i.Dst != NoClass,
			"pseudo-instruction out of place":      i.Pseudo != (op <= lastPseudo),
			"reads a Dst that there is not":        i.DstRead && i.Dst == NoClass,
			"writes an operand that there is not":  i.AWrite && i.A == NoClass || i.BWrite && i.B == NoClass || i.KWrite && !i.MaskNeeded,
			"a mask without EVEX":                  i.Maskable && !i.EVEX,
			"zeroes without a mask, or in memory":  i.Zeroing && (!i.Maskable || i.DstMem || i.Dst == Mask),
			"broadcasts without EVEX or memory":    i.Bcst != 0 && (!i.EVEX || memory == 0),
			"commutes without two sources":         i.Commutes && i.B == NoClass,
			"VEX lengths that are none":            i.VEXLens&^i.Lens != 0,
			"a condition that is not its opposite": op >= JO && op <= JG && (op-JO)^1+JO == op,
		} {
			if bad {
				t.Errorf("%s: %s", op, what)
			}
		}
	}
	for c := range Cond(16) {
		if a, b := c.Jcc().String()[1:], c.SETcc().String()[3:]; a != b || c.CMOVcc().String()[4:] != a {
			t.Errorf("condition %d is %s and %s", c, a, b)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// FuzzEncode: every instruction is encoded in at most 15 bytes, or refused.
func FuzzEncode(f *testing.F) {
	f.Add(uint16(VPADDD), uint8(64), uint8(3), int32(V0), int32(V0), int32(V0), int32(0), int32(K0), int32(RBX), int32(0), uint8(1), int32(64), int32(0), int64(0))
	f.Fuzz(func(t *testing.T, op uint16, length, bits uint8, dst, a, b, c, k, base, index int32, scale uint8, disp, pool int32, imm int64) {
		in := Inst{Op: Op(op), Len: length, Z: bits&1 != 0, HasMem: bits&2 != 0, RC: Rounding(bits >> 5), Dst: Reg(dst), A: Reg(a), B: Reg(b),
			C: Reg(c), K: Reg(k), M: Mem{Base: Reg(base), Index: Reg(index), Scale: scale, Disp: disp, Pool: pool, Bcst: bits&4 != 0}, Imm: imm, Label: 1}
		_ = in.String()
		code, err := Encode([]Inst{{Op: LABEL, Label: 1}, in}, []Const{{Bits: 1, Size: 4, Len: 64}})
		if err == nil && op != uint16(ALIGN) && code.Text > 15 {
			t.Errorf("%s: %x", in, code.Bytes[:code.Text])
		}
	})
}
