package amdgpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
)

// TestOracleAssemble compares the bytes of random legal texts of every row.
func TestOracleAssemble(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	ins := randomInsts(t, 2, perRow)
	lines := make([]string, len(ins))
	for i := range ins {
		lines[i] = Printer{Exact: i%2 == 0}.Print(&ins[i])
	}
	want, refused := llvmAssemble(t, mc, lines)
	var rep report
	for i := range ins {
		rep.assembled(&ins[i], lines[i], want[i], refused[i+1])
	}
	rep.fail(t)
}

// assembled compares Crosslane's bytes for a line with LLVM's bytes.
func (r *report) assembled(in *Inst, line string, want []byte, refused string) {
	got, err := hooks.Parse(line)
	var b []byte
	if err == nil {
		b, err = Encode(&got)
	}
	if bytes.Equal(b, want) || r.allow(allowedBytes(in, line, b, want, err)) {
		return
	}
	kind := "bytes: "
	if err != nil {
		kind = fmt.Sprintf("we refuse (%v): ", err)
	} else if refused != "" {
		kind = "LLVM refuses (" + refused + "): "
	}
	r.add(kind+in.Row.Name+"_"+in.Enc.String(), "%s: % x, LLVM % x", line, b, want)
}

// allowedBytes returns the reason why Crosslane's bytes may differ from LLVM's, or "" if there is
// no reason.
func allowedBytes(in *Inst, line string, got, want []byte, err error) string {
	if want == nil {
		switch ours, _, _ := Decode(got); {
		case wideLiteral(in) && strings.Contains(line, "lit("):
			return "LLVM refuses to assemble a 16-bit operand's literal that has high bits"
		case ours.Row != nil && sameWords(line, Print(&ours)):
			return "we take modifiers in any order"
		case strings.HasPrefix(line, "ds_swizzle_b32") && strings.Contains(line, " gds offset:"):
			return "we take modifiers in any order; the offset is printed as a pattern"
		case in.Row.Format == SOPP || in.Row.Format == SOPC && strings.Contains(line, "lit("):
			return "LLVM takes no lit() as a special immediate"
		case strings.Contains(line, ", scc"):
			return "LLVM takes scc for a modifier of other GPUs here"
		}
		return ""
	}
	if err == nil && strings.HasPrefix(line, "s_setreg_imm32_b32") && strings.Contains(line[strings.LastIndex(line, ","):], ".") {
		return "LLVM writes the low dword of the f64 here, 0 for most, though its disassembler prints f32"
	}
	if ours, _, _ := Decode(got); ours.Enc == E64 && ours.Ops[1].Kind == KindInline && ours.Ops[1].Reg == inlineFloatN && strings.Contains(line, "0.15915494309189532") {
		return "LLVM folds the sign into 1/(2*pi) and drops the low dword, although VOP3 keeps all of it"
	}
	msg := ""
	if err != nil {
		msg = err.Error()
	}
	for _, a := range []struct{ ours, line, reason string }{
		{"a number is expected", "s_", "LLVM takes the low bits of a float as a 16-bit immediate"},
		{"a scalar register is expected, found scc", "", "LLVM lets read-only sources be destinations"},
		{"a scalar register is expected, found src_vccz", "", "LLVM lets read-only sources be destinations"},
		{"", "lit(", "LLVM lets lit() stand in VOP3 and then leaves the literal out"},
		{"a scalar register or offset is expected, found scc", "s_", "LLVM takes the low bits of a source code as the offset register"},
		{"found src_vccz", "s_", "LLVM takes the low bits of a source code as the offset register"},
		{"must be from 0 to 127", "s_atc_probe", "LLVM takes the low bits of a larger number"},
		{"has no room for | |", "v_div_scale", "LLVM forgets the absolute value"},
		{"sext is for", "sext(", "LLVM forgets the sext"},
		{"does not fit an operand of type", ".5", "LLVM makes 16-bit integers of f32 literals"},
		{"needs 3 operands, found 2", "v_cmp", "LLVM lets the vcc destination of a comparison be left out"},
		{"has 64 bits, so two registers", "v_cmp", "LLVM lets the vcc destination of a comparison be left out"},
		{"must be from -32768 to 65535", "s_", "LLVM takes the low 16 bits of a larger number"},
		{"only one literal fits", "lit(", "LLVM forgets to compare a literal with lit()"},
		{"has no dpp encoding: it has 64-bit operands", "v_cvt_f64_", "document 'AMD GCN3 cross-lane operations' refuses them"},
		{"off cannot stand here", "off", "off is a symbol for LLVM where no address can stand"},
	} {
		if msg != "" && strings.Contains(msg, a.ours) && strings.Contains(line, a.line) {
			return a.reason
		}
	}
	return ""
}

// sameWords reports whether two texts have the same words in any order, apart
// from the encoding suffix.
func sameWords(a, b string) bool {
	words := func(s string) []string {
		f := strings.Fields(strings.ReplaceAll(s, ",", ""))
		sort.Strings(f[1:])
		return f[1:]
	}
	return slices.Equal(words(a), words(b))
}

// mutate changes a legal text so that it may become illegal.
func mutate(r *rand.Rand, text string) string {
	name, rest, _ := strings.Cut(text, " ")
	base := name
	for _, suf := range []string{"_e32", "_e64"} {
		base = strings.TrimSuffix(base, suf)
	}
	if r.IntN(3) != 0 {
		name = base
	}
	ops := strings.Split(rest, ", ")
	pool := []string{"v1", "v255", "v[2:3]", "v[4:7]", "s1", "s7", "s[2:3]", "s[3:4]", "s[4:7]", "s101", "vcc", "vcc_lo", "exec", "exec_hi", "m0", "scc", "src_vccz",
		"flat_scratch", "ttmp3", "tba", "0", "64", "65", "-16", "-17", "1.0", "-4.0", "0.15915494309189532", "1.5", "0x1234", "0xffffffff", "0x12345678", "lit(5)", "off", "src_lds_direct",
		"-v1", "|v2|", "-|v3|", "neg(v1)", "abs(s2)", "-s3", "sext(v4)", "neg(1)", "|1.0|", "-1.5"}
	mods := []string{" clamp", " mul:2", " div:2", " row_shr:1", " quad_perm:[3,2,1,0] bank_mask:0x3", " glc", " offset:8", " offset0:1 offset1:2", " gds", " dst_sel:BYTE_1", " src0_sel:WORD_1",
		" offen", " idxen", " lds", " tfe", " slc", " row_bcast:15 row_mask:0xa bound_ctrl:0"}
	switch k := r.IntN(10); {
	case k < 6:
		i := r.IntN(len(ops))
		tail := ""
		if i == len(ops)-1 {
			if j := strings.IndexByte(ops[i], ' '); j >= 0 {
				tail = ops[i][j:]
			}
		}
		ops[i] = pool[r.IntN(len(pool))] + tail
		if r.IntN(3) == 0 {
			ops[r.IntN(len(ops))] = pool[r.IntN(len(pool))]
		}
	case k < 8:
		ops[len(ops)-1] += mods[r.IntN(len(mods))]
	case k < 9 && len(ops) > 1:
		ops = append(ops[:1], ops[2:]...)
	default:
		ops = append(ops, pool[r.IntN(len(pool))])
	}
	return name + " " + strings.Join(ops, ", ")
}

// TestOracleMutated compares texts that may be illegal.
func TestOracleMutated(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	r := rand.New(rand.NewPCG(4, 1))
	ins := randomInsts(t, 5, max(10, perRow/10))
	lines := make([]string, len(ins))
	for i := range ins {
		lines[i] = mutate(r, Print(&ins[i]))
	}
	want, refused := llvmAssemble(t, mc, lines)
	var rep report
	n := 0
	for i := range ins {
		rep.assembled(&ins[i], lines[i], want[i], refused[i+1])
		if want[i] != nil {
			n++
		}
	}
	t.Logf("%d of %d texts are legal", n, len(lines))
	rep.fail(t)
}
