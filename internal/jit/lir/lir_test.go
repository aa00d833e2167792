package lir

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/jit/x64"
)

const (
	v0 = x64.Virtual + iota // a general register
	v1                      // vectors
	v2
	v3 // a mask
	v4 // a constant
	v5 // four bytes
)

func fresh(code ...x64.Inst) *Func {
	return &Func{Labels: 9, Code: code, Names: map[x64.Reg]string{x64.Virtual: "p", x64.Virtual + 2: "x"}, Pool: []Const{{Bits: 1, Size: 8, Len: 32}}, VRegs: []VReg{
		{Class: x64.GPR, Len: 8}, {Class: x64.Vec, Len: 32}, {Class: x64.Vec, Len: 32},
		{Class: x64.Mask, Len: 8}, {Class: x64.Vec, Len: 32, Const: 1}, {Class: x64.GPR, Len: 4}}}
}

func TestVerify(t *testing.T) {
	frame := x64.Mem{Base: x64.RBX}
	def := []x64.Inst{
		{Op: x64.MOV, Len: 8, Dst: v0, HasMem: true, M: frame}, {Op: x64.VMOVDQU, Len: 32, Dst: v1, HasMem: true, M: frame},
		{Op: x64.VMOVDQU, Len: 32, Dst: v2, HasMem: true, M: frame}, {Op: x64.KMOVQ, Len: 8, Dst: v3, HasMem: true, M: frame},
		{Op: x64.MOV, Len: 4, Dst: v5, HasMem: true, M: frame},
	}
	add := x64.Inst{Op: x64.VPADDD, Len: 32, Dst: v1, A: v1, B: v2}
	with := func(in x64.Inst, f func(*x64.Inst)) x64.Inst { f(&in); return in }
	label := func(l x64.Label) x64.Inst { return x64.Inst{Op: x64.LABEL, Label: l} }
	je, ret := x64.Inst{Op: x64.JE, Label: 1}, x64.Inst{Op: x64.RET}
	tests := []struct {
		want string // "": no error is expected
		pre  bool   // all registers are written before the code
		code []x64.Inst
	}{
		{"", true, []x64.Inst{add}},
		{"", true, []x64.Inst{with(add, func(i *x64.Inst) { i.B = v4; i.K = v3; i.Z = true })}},
		{"writes the constant", true, []x64.Inst{with(add, func(i *x64.Inst) { i.Dst = v4 })}},
		{"operand A is missing", true, []x64.Inst{with(add, func(i *x64.Inst) { i.A = 0 })}},
		{"there is no operand C", true, []x64.Inst{with(add, func(i *x64.Inst) { i.C = v1 })}},
		{"operand B is of class", true, []x64.Inst{with(add, func(i *x64.Inst) { i.B = v0 })}},
		{"there is no register", true, []x64.Inst{with(add, func(i *x64.Inst) { i.B = v5 + 1 })}},
		{"has 64 bytes", true, []x64.Inst{with(add, func(i *x64.Inst) { i.Len = 64 })}},
		{"not one of its lengths", true, []x64.Inst{with(add, func(i *x64.Inst) { i.Len = 8 })}},
		{"cannot be under mask k0", true, []x64.Inst{with(add, func(i *x64.Inst) { i.K = x64.K0 })}},
		{"cannot zero", true, []x64.Inst{with(add, func(i *x64.Inst) { i.Z = true })}},
		{"cannot round", true, []x64.Inst{with(add, func(i *x64.Inst) { i.RC = x64.Up })}},
		{"there is no operand B", true, []x64.Inst{with(add, func(i *x64.Inst) { i.HasMem = true; i.M = frame })}},
		{"no general register of 8 bytes", true, []x64.Inst{{Op: x64.MOV, Len: 8, Dst: v0, HasMem: true, M: x64.Mem{Base: v5}}}},
		{"cannot be the index", true, []x64.Inst{{Op: x64.MOV, Len: 8, Dst: v0, HasMem: true, M: x64.Mem{Base: v0, Index: v1, Scale: 1}}}},
		{"scale 3", true, []x64.Inst{{Op: x64.MOV, Len: 8, Dst: v0, HasMem: true, M: x64.Mem{Base: v0, Index: v0, Scale: 3}}}},
		{"constant 1 of 1", true, []x64.Inst{{Op: x64.MOV, Len: 8, Dst: v0, HasMem: true, M: x64.Mem{Pool: 2}}}},
		{"needs memory", true, []x64.Inst{{Op: x64.MOVSt, Len: 8, B: v0}}},
		{"not all different", true, []x64.Inst{{Op: x64.VPGATHERDD, Len: 32, Dst: v1, K: v3, HasMem: true, M: x64.Mem{Base: v0, Index: v1, Scale: 4}}}},
		{"reads %1, which is not written", false, []x64.Inst{add}},
		{"reads %2:x, which is not written on the way there from instruction 0", false, // the jump skips the write
			[]x64.Inst{def[1], je, def[2], label(1), add}},
		{"", false, []x64.Inst{def[1], def[3], je, def[2], label(1), // only a merge
			{Op: x64.VPADDD, Len: 32, Dst: v2, A: v1, B: v1, K: v3}, add}},
		{"reads %1, which is not written on the way there from instruction 5", true, []x64.Inst{{Op: x64.ENTRY, Label: 1}, add}},
		{"", false, []x64.Inst{{Op: x64.UNDEF, Dst: v1}, {Op: x64.UNDEF, Dst: v2}, add}},
		{"", false, []x64.Inst{{Op: x64.VPXOR, Len: 32, Dst: v1, A: v1, B: v1}}}, // the result does not depend on v1
	}
	for _, test := range tests {
		var code []x64.Inst
		if test.pre {
			code = slices.Clone(def)
		}
		fn := fresh(append(append(code, test.code...), ret)...)
		err := Verify(fn)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%v", err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

func TestPrint(t *testing.T) {
	fn := fresh(
		x64.Inst{Op: x64.ENTRY, Label: 1},
		x64.Inst{Op: x64.VPADDD, Len: 32, Dst: v1, K: v3, Z: true, A: v2, HasMem: true, M: x64.Mem{Base: v0, Index: x64.RAX, Scale: 4, Disp: -8, Bcst: true}},
		x64.Inst{Op: x64.VMOVDQUSt, Len: 32, K: v3, B: v1, HasMem: true, M: x64.Mem{Base: x64.RBX}},
		x64.Inst{Op: x64.SHLImm, Len: 8, Dst: v0, Imm: 3},
		x64.Inst{Op: x64.JE, Label: 1},
	)
	want := `    0  L1: ENTRY
    1    VPADDD.32 %1 {%3}{z}, %2:x, [%0:p+rax*4-8]{bcst}
    2    VMOVDQUSt.32 [rbx] {%3}, %1
    3    SHLImm.8 %0:p, 3
    4    JE L1
`
	var b bytes.Buffer
	if err := fn.Print(&b, fn.Code); err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestCut: control skips a cold region, and a region has one entrance.
func TestCut(t *testing.T) {
	fn := fresh(
		x64.Inst{Op: x64.JE, Label: 1},                                                             // block 0
		x64.Inst{Op: x64.COLD}, x64.Inst{Op: x64.LABEL, Label: 1}, x64.Inst{Op: x64.JMP, Label: 2}, // 1
		x64.Inst{Op: x64.HOT},             // 2
		x64.Inst{Op: x64.LABEL, Label: 2}, // 3
		x64.Inst{Op: x64.LABEL, Label: 3}, // 4: a loop
		x64.Inst{Op: x64.JE, Label: 3},
		x64.Inst{Op: x64.MOVImm, Len: 4, Dst: x64.RAX}, x64.Inst{Op: x64.RET}, // 5
		x64.Inst{Op: x64.RET}, // no path leads here
	)
	b, err := Cut(fn)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int32{{1, 2}, {3}, {3}, {4}, {4, 5}, {}, {}} {
		got := slices.Clone(b.Next(int32(i)))
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("behind block %d come %v, want %v", i, got, want)
		}
	}
	if want := []int32{0, 0, 0, 0, 1, 1, 2}; !slices.Equal(b.Region, want) {
		t.Errorf("regions %v, want %v", b.Region, want)
	}
	if want := []bool{false, true, false, false, false, false, false}; !slices.Equal(b.Cold, want) {
		t.Errorf("cold %v, want %v", b.Cold, want)
	}
}
