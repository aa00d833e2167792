package lir

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.org/crosslane/internal/jit/x64"
)

var gprNames = [...]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}

// MachineName returns the name of a machine register: rax, v0 or k0.
func MachineName(r x64.Reg) string {
	switch x64.ClassOf(r) {
	case x64.GPR:
		return gprNames[r.Num()]
	case x64.Vec:
		return "v" + strconv.Itoa(int(r.Num()))
	case x64.Mask:
		return "k" + strconv.Itoa(int(r.Num()))
	}
	return "-"
}

// RegName returns the name of a register; for a virtual one %, its number and its name.
func (fn *Func) RegName(r x64.Reg) string {
	if r < x64.Virtual {
		return MachineName(r)
	}
	s := "%" + strconv.Itoa(int(r-x64.Virtual))
	if name := fn.Names[r]; name != "" {
		s += ":" + name
	}
	return s
}

// Print writes code, the list of fn or a list made from it, one instruction per line:
//
//	12  VPADDD.64 %3:sum {k1}, %1, [rbx+%2*4+64]
func (fn *Func) Print(w io.Writer, code []x64.Inst) error {
	b := bufio.NewWriter(w)
	for i := range code {
		fmt.Fprintf(b, "%5d  %s\n", i, fn.Text(&code[i]))
	}
	return b.Flush()
}

// Text returns an instruction as Print writes it.
func (fn *Func) Text(in *x64.Inst) string {
	info := in.Op.Info()
	var s strings.Builder
	switch in.Op {
	case x64.LABEL, x64.ENTRY:
		fmt.Fprintf(&s, "L%d:", in.Label)
		if in.Op == x64.ENTRY {
			s.WriteString(" ENTRY")
		}
		return s.String()
	}
	s.WriteString("  " + in.Op.String())
	if in.Op == x64.STATE {
		for _, r := range fn.State(in) {
			s.WriteString(" " + fn.RegName(r))
		}
		return s.String()
	}
	if info.Lens != 0 {
		fmt.Fprintf(&s, ".%d", in.Len)
	}
	sep := " "
	operand := func(t string) { s.WriteString(sep + t); sep = ", " }
	// The mask is printed after the first operand.
	masked := false
	reg := func(r x64.Reg) {
		if r == x64.NoReg {
			return
		}
		t := fn.RegName(r)
		if in.K != 0 && !masked {
			t += " {" + fn.RegName(in.K) + "}"
			if in.Z {
				t += "{z}"
			}
			masked = true
		}
		operand(t)
	}
	mem := func() {
		t := fn.mem(&in.M)
		if in.M.Bcst {
			t += "{bcst}"
		}
		if in.K != 0 && !masked {
			t += " {" + fn.RegName(in.K) + "}"
			masked = true
		}
		operand(t)
	}
	// Operands are printed in the order of Intel's syntax: destination, A, B, C; memory takes
	// the place of one.
	if in.HasMem && info.DstMem {
		mem()
	}
	reg(in.Dst)
	if in.HasMem && info.AMem {
		mem()
	}
	reg(in.A)
	reg(in.B)
	if in.HasMem && !info.DstMem && !info.AMem {
		mem()
	}
	reg(in.C)
	if info.Imm != 0 {
		operand(strconv.FormatInt(in.Imm, 10))
	}
	if in.RC != x64.Current {
		operand([...]string{"", "{rn}", "{rd}", "{ru}", "{rz}", "{sae}"}[min(int(in.RC), 5)])
	}
	if in.Label != 0 {
		operand("L" + strconv.Itoa(int(in.Label)))
	}
	return s.String()
}

// mem returns the text of a memory operand.
func (fn *Func) mem(m *x64.Mem) string {
	var parts []string
	if m.Pool != 0 {
		parts = append(parts, "pool"+strconv.Itoa(int(m.Pool-1)))
	}
	if m.Base != 0 {
		parts = append(parts, fn.RegName(m.Base))
	}
	if m.Index != 0 {
		parts = append(parts, fn.RegName(m.Index)+"*"+strconv.Itoa(int(m.Scale)))
	}
	t := strings.Join(parts, "+")
	if m.Disp != 0 || t == "" {
		t += fmt.Sprintf("%+d", m.Disp)
	}
	return "[" + t + "]"
}
