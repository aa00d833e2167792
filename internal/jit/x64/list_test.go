package x64

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// drawList makes a list with labels, jumps, cold regions and constants, and the text that
// should give the same code, with the cold regions last and the pool after them.
func drawList(r *rand.Rand, n int) (list []Inst, pool []Const, text string) {
	ops := []Op{MOV, ADD, VPADDD, VMOVDQU32, VPERMD, VPSHUFD, LEA}
	labels := Label(1 + r.IntN(n/3+1))
	place := r.Perm(n)[:labels] // label i+1 is before instruction place[i]
	at := map[int][]Label{}
	for i, p := range place {
		at[p] = append(at[p], Label(i+1))
	}
	for i := range 6 {
		pool = append(pool, Const{Bits: r.Uint64(), Size: 4 << (i % 2), Len: 64 >> (i % 3)})
	}
	pool = append(pool, pool[0]) // an equal constant
	var hot, cold strings.Builder
	out := &hot
	end := 0
	for i := range n {
		for _, l := range at[i] {
			list = append(list, Inst{Op: LABEL, Label: l})
			fmt.Fprintf(out, "L%d:\n", l)
		}
		if end == 0 && r.IntN(20) == 0 && i < n-10 {
			list = append(list, Inst{Op: COLD})
			out, end = &cold, i+1+r.IntN(8)
		}
		var in Inst
		switch k := r.IntN(12); {
		case end != 0 && i >= end:
			in = Inst{Op: JMP, Label: 1 + Label(r.IntN(int(labels)))}
		case k == 0:
			in = Inst{Op: JMP, Label: 1 + Label(r.IntN(int(labels)))}
		case k < 3:
			in = Inst{Op: Cond(r.IntN(16)).Jcc(), Label: 1 + Label(r.IntN(int(labels)))}
		case k == 3:
			in = Inst{Op: LEALabel, Dst: R9, Label: 1 + Label(r.IntN(int(labels)))}
		case k == 4:
			in = Inst{Op: CALLLabel, Label: 1 + Label(r.IntN(int(labels)))}
		case k < 8:
			c := r.IntN(len(pool))
			in = Inst{Op: VPADDD, Len: 32, Dst: V0 + 3, A: V0 + 4, HasMem: true, M: Mem{Pool: int32(c + 1)}}
			switch r.IntN(4) {
			case 0:
				in.Len, in.M.Bcst = 64, true
			case 1:
				in.Op, in.A, in.Imm = VPSHUFD, NoReg, int64(r.IntN(256)) // bytes after the displacement
			case 2:
				in = Inst{Op: CMPImm, Len: 4, HasMem: true, M: Mem{Pool: int32(c + 1), Disp: int32(4 * r.IntN(3))}, Imm: int64(r.IntN(1000))}
			}
		default:
			in = draw(r, ops[r.IntN(len(ops))])
		}
		list = append(list, in)
		fmt.Fprintln(out, in)
		if end != 0 && i >= end {
			list = append(list, Inst{Op: HOT})
			out, end = &hot, 0
		}
	}
	return list, pool, hot.String() + cold.String()
}

func TestOracleLists(t *testing.T) {
	t.Parallel()
	mc := llvmMC(t)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 12 {
		list, pool, text := drawList(r, 5+r.IntN(400))
		code, err := Encode(list, pool)
		if err != nil {
			t.Fatal(err)
		}
		want := object(t, mc, text+poolText(t, list, pool))
		if !bytes.Equal(code.Bytes, want) {
			at := 0
			for at < len(want) && at < len(code.Bytes) && want[at] == code.Bytes[at] {
				at++
			}
			t.Fatalf("list %d: differs at %#x of %#x (LLVM %#x): % x, LLVM % x\n%s", i, at, len(code.Bytes), len(want),
				code.Bytes[max(at-8, 0):min(at+8, len(code.Bytes))], want[max(at-8, 0):min(at+8, len(want))], text)
		}
	}
}

// poolText is the pool as data: the longest constants first, those of a length in the order
// of their bytes, equal ones once.
func poolText(t *testing.T, list []Inst, pool []Const) string {
	t.Helper()
	type item struct {
		data  string
		names []int
	}
	var items []item
	for i, c := range pool {
		used := false
		for _, in := range list {
			used = used || in.HasMem && in.M.Pool == int32(i+1)
		}
		if !used {
			continue
		}
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], c.Bits)
		data := strings.Repeat(string(w[:c.Size]), int(c.Len/c.Size))
		k := 0
		for k < len(items) && items[k].data != data {
			k++
		}
		if k == len(items) {
			items = append(items, item{data: data})
		}
		items[k].names = append(items[k].names, i)
	}
	for i := range items {
		for j := i; j > 0; j-- {
			a, b := items[j-1], items[j]
			if len(a.data) > len(b.data) || len(a.data) == len(b.data) && a.data < b.data {
				break
			}
			items[j-1], items[j] = b, a
		}
	}
	if len(items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(".balign 64, 0xcc\n")
	for _, it := range items {
		for _, n := range it.names {
			fmt.Fprintf(&b, "C%d:\n", n)
		}
		for _, c := range []byte(it.data) {
			fmt.Fprintf(&b, ".byte %d\n", c)
		}
	}
	return b.String()
}

// object assembles text to the bytes of .text.
func object(t *testing.T, mc, text string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "o")
	cmd := exec.Command(mc, "--triple=x86_64", "-x86-asm-syntax=intel", features, "--filetype=obj", "-o", out)
	cmd.Stdin = strings.NewReader(text)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	f, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLists(t *testing.T) {
	t.Parallel()
	nops := func(n int) (l []Inst) {
		for range n {
			l = append(l, Inst{Op: NOP1})
		}
		return l
	}
	cat := func(parts ...[]Inst) (l []Inst) {
		for _, p := range parts {
			l = append(l, p...)
		}
		return l
	}
	one := func(in Inst) []Inst { return []Inst{in} }
	jmp, lab := one(Inst{Op: JMP, Label: 1}), one(Inst{Op: LABEL, Label: 1})
	for _, c := range []struct {
		name  string
		list  []Inst
		label int32 // offset of label 1
		text  int
	}{
		{"the longest short jump forward", cat(jmp, nops(127), lab), 129, 129},
		{"one too long", cat(jmp, nops(128), lab), 133, 133},
		{"the longest short jump back", cat(lab, nops(126), jmp), 0, 128},
		{"one too long", cat(lab, nops(127), jmp), 0, 132},
		{"aligned", cat(nops(3), one(Inst{Op: ALIGN, Imm: 16}), lab, nops(1)), 16, 17},
		{"aligned behind a jump that grows", cat(jmp, nops(125), one(Inst{Op: ALIGN, Imm: 64}), nops(60), lab), 252, 252},
		{"cold", cat(nops(1), one(Inst{Op: COLD}), lab, nops(2), one(Inst{Op: RET}), one(Inst{Op: HOT}), nops(3)), 4, 7},
		{"nothing", cat(one(Inst{}), one(Inst{Op: UNDEF, Dst: Virtual}), lab), 0, 0},
	} {
		code, err := Encode(c.list, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if code.Labels[1] != c.label || code.Text != c.text || len(code.Bytes) != c.text {
			t.Errorf("%s: label at %d, %d bytes; want %d, %d", c.name, code.Labels[1], code.Text, c.label, c.text)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	const want = `L1: # entry
	vpaddd zmm1 {k1} {z}, zmm2, dword ptr [rbx + 64]{1to16}
	vpandd zmm31, zmm2, zmmword ptr [rip + C0 + 4]
	add %3, dword ptr [rbx + 8*%4 - 8]
	# STATE 5
	# UNDEF %3
	vcvtsi2ss xmm1, xmm2, {rz-sae}, eax
	jne L1
`
	got := Text([]Inst{
		{Op: ENTRY, Label: 1},
		{Op: VPADDD, Len: 64, Dst: V0 + 1, A: V0 + 2, K: K0 + 1, Z: true, HasMem: true, M: Mem{Base: RBX, Disp: 64, Bcst: true}},
		{Op: VPANDD, Len: 64, Dst: V0 + 31, A: V0 + 2, HasMem: true, M: Mem{Pool: 1, Disp: 4}},
		{Op: ADD, Len: 4, Dst: Virtual + 3, HasMem: true, M: Mem{Base: RBX, Index: Virtual + 4, Scale: 8, Disp: -8}},
		{Op: STATE, Imm: 5}, {Op: UNDEF, Dst: Virtual + 3},
		{Op: VCVTSI2SS, Len: 4, Dst: V0 + 1, A: V0 + 2, B: RAX, RC: Zero},
		{Op: JNE, Label: 1},
	})
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	pool := []Const{{Bits: 0x80000000, Size: 4, Len: 64}, {Bits: 7, Size: 1, Len: 16}, {Len: 2, Data: []byte{1, 2}}}
	if got, want := PoolText(pool), "C0: 16 x 0x80000000\nC1: 16 x 0x07\nC2: 01 02\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	mem := Mem{Base: RBX}
	for _, c := range []struct {
		in   Inst
		want string
	}{
		{Inst{Op: Op(65535)}, "no such instruction"},
		{Inst{Op: VPADDD, Len: 64, Dst: V0, A: V0}, badOperand},
		{Inst{Op: VPADDD, Len: 64, Dst: V0, A: V0, B: RAX}, badOperand},
		{Inst{Op: VPADDD, Len: 64, Dst: V0, A: V0, B: Virtual}, badOperand},
		{Inst{Op: VPADDD, Len: 64, Dst: V0, A: V0, B: V0, C: V0}, badOperand},
		{Inst{Op: VPADDD, Len: 64, Dst: V0, A: V0, B: V0, HasMem: true, M: mem}, badOperand},
		{Inst{Op: VPADDD, Len: 48, Dst: V0, A: V0, B: V0}, badLen},
		{Inst{Op: VPADDD, Dst: V0, A: V0, B: V0}, badLen},
		{Inst{Op: VPADDD, Len: 32, Dst: V0, A: V0, B: V0, K: K0}, badMask},
		{Inst{Op: VPADDD, Len: 32, Dst: V0, A: V0, B: V0, Z: true}, badMask},
		{Inst{Op: VPADDD, Len: 32, Dst: V0, A: V0, B: V0, RC: Nearest}, badRound},
		{Inst{Op: VADDPS, Len: 32, Dst: V0, A: V0, B: V0, RC: Nearest}, badRound},
		{Inst{Op: VADDPS, Len: 64, Dst: V0, A: V0, B: V0, RC: SAE}, badRound},
		{Inst{Op: VPADDB, Len: 64, Dst: V0, A: V0, HasMem: true, M: Mem{Base: RBX, Bcst: true}}, badBcst},
		{Inst{Op: VPADDD, Len: 64, Dst: V0, A: V0, HasMem: true, M: Mem{Base: RBX, Index: RSP}}, badAddress},
		{Inst{Op: VPADDD, Len: 64, Dst: V0, A: V0, HasMem: true, M: Mem{Base: RBX, Index: RCX, Scale: 3}}, badAddress},
		{Inst{Op: VPADDD, Len: 64, Dst: V0, A: V0, HasMem: true, M: Mem{Pool: 1}}, badAddress},
		{Inst{Op: VPCMPEQD, Len: 32, Dst: V0 + 16, A: V0, B: V0}, needsEVEX},
		{Inst{Op: VPCMPEQD, Len: 64, Dst: V0, A: V0, B: V0}, badLen},
		{Inst{Op: VPGATHERDDVex, Len: 32, Dst: V0, B: V0 + 1, HasMem: true, M: Mem{Base: RBX, Index: V0}}, sameOperand},
		{Inst{Op: VPGATHERDD, Len: 64, Dst: V0, HasMem: true, M: Mem{Base: RBX, Index: V0 + 1}}, badMask},
		{Inst{Op: VPSHUFD, Len: 32, Dst: V0, B: V0, Imm: 256}, badImm},
		{Inst{Op: ADDImm, Len: 8, Dst: RAX, Imm: 1 << 31}, badImm},
		{Inst{Op: MOVImm, Len: 4, Dst: RAX, Imm: 1 << 32}, badImm},
		{Inst{Op: MOVSt, Len: 4, B: RAX}, badMemory},
		{Inst{Op: JMP, Label: 1}, "nowhere"},
		{Inst{Op: JMP}, badLabel},
		{Inst{Op: JMP, Label: 1 << 30}, badLabel},
		{Inst{Op: COLD}, "without HOT"},
		{Inst{Op: HOT}, "without COLD"},
	} {
		code, err := Encode([]Inst{c.in}, nil)
		if err == nil {
			t.Errorf("%s (%s): encoded as %x", c.in, c.in.Op, code.Bytes)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s (%s): %v; want %s", c.in, c.in.Op, err, c.want)
		}
	}
	for _, c := range []Const{{}, {Len: 3, Size: 1}, {Len: 64, Size: 3}, {Len: 4, Size: 8}, {Len: 64}, {Len: 128, Size: 8}} {
		list := []Inst{{Op: VPADDD, Len: 64, Dst: V0, A: V0, HasMem: true, M: Mem{Pool: 1}}}
		if _, err := Encode(list, []Const{c}); err == nil {
			t.Errorf("constant %+v is taken", c)
		}
	}
}
