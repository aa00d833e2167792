package amdgpu

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestOracleDPP compares all 512 DPP controls, with all masks, on all instructions
// that have a DPP form.
func TestOracleDPP(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	r := rand.New(rand.NewPCG(10, 1))
	var rows []*Row
	for _, row := range Rows() {
		if row.Encs.Has(EncDPP) && len(row.Operands) > 0 {
			rows = append(rows, row)
		}
	}
	masks := 512 // row mask, bank mask, bound_ctrl
	if perRow < 100 {
		masks = 16
	}
	var words [][]byte
	for ctrl := range 512 {
		for k := range masks {
			if masks < 512 {
				k = k * 37 & 511
			}
			row := rows[(ctrl+k)%len(rows)]
			in, ok := randomInst(r, row, EncDPP)
			if !ok {
				t.Fatal(row.Name)
			}
			w, err := Encode(&in)
			if err != nil {
				t.Fatal(err)
			}
			w[5], w[6], w[7] = byte(ctrl), w[6]&0xf0|byte(ctrl>>8)|byte(k>>8)<<3, byte(k)
			words = append(words, w)
		}
	}
	var rep report
	var ins []Inst
	var lines []string
	for i, want := range llvmDisassemble(t, mc, words) {
		in, _, err := Decode(words[i])
		got := ""
		if err == nil {
			got = Print(&in)
			ins, lines = append(ins, in), append(lines, got)
		}
		if got != want {
			rep.add(fmt.Sprintf("control 0x%x", i/masks), "% x: %q (%v), LLVM %q", words[i], got, err, want)
		}
	}
	want, refused := llvmAssemble(t, mc, lines)
	for i, l := range lines {
		rep.assembled(&ins[i], l, want[i], refused[i+1])
	}
	t.Logf("%d words, %d of them legal", len(words), len(lines))
	rep.fail(t)
}

// TestOracleImmediates compares all 65,536 immediates of the instructions whose immediate has its
// own syntax, in both directions.
func TestOracleImmediates(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	step := 1
	if perRow < 100 {
		step = 61
	}
	var words [][]byte
	for _, name := range []string{"s_waitcnt", "s_sendmsg", "s_sendmsghalt", "s_getreg_b32", "s_setreg_b32", "s_set_gpr_idx_mode", "s_endpgm", "s_branch", "s_nop", "s_movk_i32"} {
		row := LookUp(name)
		base := uint32(row.encs[E32].base) | uint32(5)<<16
		if row.Format == SOPP {
			base = uint32(row.encs[E32].base)
		}
		for v := 0; v < 1<<16; v += step {
			words = append(words, binary.LittleEndian.AppendUint32(nil, base|uint32(v)))
		}
	}
	var rep report
	var ins []Inst
	var lines []string
	for i, want := range llvmDisassemble(t, mc, words) {
		in, _, err := Decode(words[i])
		got := ""
		if err == nil {
			got = Print(&in)
			exact := Printer{Exact: true}.Print(&in)
			if back, err := hooks.Parse(exact); err != nil || back != in {
				rep.add("exact text of "+in.kind(), "%s: %v", exact, err)
			}
			ins, lines = append(ins, in, in), append(lines, got, exact)
		}
		if got != want && (err == nil || !rep.allow(allowedRefusal(words[i], err, want))) {
			rep.add(in.kind(), "% x: %q (%v), LLVM %q", words[i], got, err, want)
		}
	}
	want, refused := llvmAssemble(t, mc, lines)
	for i, l := range lines {
		rep.assembled(&ins[i], l, want[i], refused[i+1])
	}
	t.Logf("%d words, %d of them legal", len(words), len(lines)/2)
	rep.fail(t)
}

// TestOracleSwizzle compares all 65,536 patterns of ds_swizzle_b32.
func TestOracleSwizzle(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	var words [][]byte
	for v := 0; v < 1<<16; v++ {
		if perRow < 100 {
			v += 12 // a thirteenth of them if there is little time
		}
		words = append(words, binary.LittleEndian.AppendUint64(nil, 0x0500000_2d87a0000|uint64(v)))
	}
	var rep report
	lines := make([]string, len(words))
	for i, want := range llvmDisassemble(t, mc, words) {
		in, _, err := Decode(words[i])
		if err != nil {
			t.Fatal(err)
		}
		if lines[i] = Print(&in); lines[i] != want {
			rep.add("text", "% x: %q, LLVM %q", words[i], lines[i], want)
		}
		exact, err := hooks.Parse(Printer{Exact: true}.Print(&in))
		if err != nil || exact != in {
			rep.add("exact text", "%s: %v", Printer{Exact: true}.Print(&in), err)
		}
	}
	want, refused := llvmAssemble(t, mc, lines)
	for i, l := range lines {
		rep.assembled(&Inst{Row: LookUp("ds_swizzle_b32")}, l, want[i], refused[i+1])
	}
	rep.fail(t)
}

// crashesLLVM reports whether llvm-mc 22 fails an assertion on a word: a literal in VOP3 (even as a
// scalar destination, as in v_readfirstlane_b32), MUBUF or MTBUF, and reserved SDWA selections.
func crashesLLVM(w uint64) bool {
	lo := uint32(w)
	if lo>>26 == 0b110100 {
		if op := lo >> 16 & 0x3ff; lo&0xff == regLiteral && (op < 0x100 || op == 0x289) {
			return true
		}
		for s := 32; s <= 50; s += 9 {
			if w>>s&0x1ff == regLiteral {
				return true
			}
		}
	}
	if lo>>25 == 0b0111111 && lo>>9&0xff == 2 && lo>>17&0xff == regLiteral {
		return true // v_readfirstlane_b32
	}
	if f := lo >> 26; f == 0b111000 || f == 0b111010 {
		return w>>56 == regLiteral
	}
	if lo>>31 == 0 && lo&0x1ff == regSDWA {
		return w>>40&7 == 7 || w>>43&3 == 3 || w>>48&7 == 7 || w>>56&7 == 7
	}
	return false
}

// TestOracleRandomWords compares a million random words. Every format has its share; half of the
// words have the opcode of a row, and half a random opcode.
func TestOracleRandomWords(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	n := 1_050_000
	if perRow < 100 {
		n = 8_000
	}
	const parts = 4 // one for each processor
	for part := range parts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			randomWords(t, mc, rand.New(rand.NewPCG(3, uint64(part))), n/parts)
		})
	}
}

// randomWord makes a word. Most words have the leading bits of a format.
func randomWord(r *rand.Rand, rows [numFormats][]*Row) uint64 {
	w := r.Uint64()
	f := Format(1 + r.IntN(int(numFormats)-1))
	if r.IntN(16) == 0 || f == FormatDPP || f == FormatSDWA || rows[f] == nil {
		return w
	}
	for _, b := range layoutsGFX8[f].fields {
		if b.ID == FieldEnc {
			w = w&^b.mask() | b.Value<<b.Lo
		}
	}
	row := rows[f][r.IntN(len(rows[f]))]
	e := E32
	if row.Format != f {
		e = E64
	}
	if r.IntN(2) == 0 {
		for _, b := range row.encs[e].fields {
			if b.ID == FieldOp {
				w = w&^b.mask() | row.encs[e].base&b.mask()
			}
		}
		switch r.IntN(3) {
		case 0: // no reserved bits
			w &= row.encs[e].used | 0xffffffff_00000000
		case 1: // no reserved bits in the second dword either
			w &= row.encs[e].used
		}
	} else if r.IntN(2) == 0 { // few set bits, so that reserved bits are often 0
		w &= r.Uint64() | 0xffff0000
	}
	if lo := uint32(w); lo>>31 == 0 && r.IntN(2) == 0 {
		w = w&^0x1ff | uint64(regSDWA+r.IntN(2))
		if r.IntN(2) == 0 { // a selection or control that may be legal
			w = w&^(0xc7<<40|7<<48|7<<56) | uint64(r.IntN(7))<<40 | uint64(r.IntN(7))<<48 | uint64(r.IntN(7))<<56
		}
	}
	return w
}

func randomWords(t *testing.T, mc string, r *rand.Rand, n int) {
	t.Helper()
	var rows [numFormats][]*Row
	for _, row := range Rows() {
		rows[row.Format] = append(rows[row.Format], row)
		if row.Encs.Has(E64) {
			rows[VOP3A] = append(rows[VOP3A], row)
		}
	}
	var words [][]byte
	for len(words) < n {
		w := randomWord(r, rows)
		if crashesLLVM(w) {
			continue
		}
		b := binary.LittleEndian.AppendUint64(nil, w)
		_, n, err := Decode(append(b, 1, 2, 3, 4))
		if err != nil {
			f, op := GFX803.classify(uint32(w))
			if lo := uint32(w); lo>>26 < 0b110000 && (lo&0xff == regLiteral || lo>>8&0xff == regLiteral || takesLiteral(f, op)) {
				continue // llvm-mc fails an assertion if a literal is missing
			}
			n = 4 * max(1, int(layoutsGFX8[f].dwords))
			var row *Row
			if GFX803.table().byOp[f] != nil {
				row = GFX803.table().byOp[f][op].row
			}
			if lo := uint32(w); lo>>31 == 0 && (lo&0x1ff == regSDWA || lo&0x1ff == regDPP) && row != nil && len(row.Operands) > 0 {
				n = 8
			}
		}
		words = append(words, append(b, 1, 2, 3, 4)[:n])
	}
	var rep report
	legal, agree := 0, 0
	byFormat := map[Format]int{}
	for i, want := range llvmDisassemble(t, mc, words) {
		in, _, err := Decode(words[i])
		got := ""
		if err == nil {
			got = Print(&in)
			legal++
			byFormat[in.Row.Format]++
		}
		if got == want {
			agree++
			continue
		}
		if err != nil && rep.allow(allowedRefusal(words[i], err, want)) {
			continue
		}
		kind := in.kind()
		if err != nil {
			kind = "refused: " + strings.Fields(want + " ?")[0]
		}
		rep.add(kind, "% x: %q (%v), LLVM %q", words[i], got, err, want)
	}
	for f, l := range rows {
		if l != nil && byFormat[Format(f)] == 0 && n > 10_000 {
			t.Errorf("no word of format %v is legal", Format(f))
		}
	}
	t.Logf("%d of %d words agree, %d are legal: %v", agree, len(words), legal, byFormat)
	rep.fail(t)
}

func takesLiteral(f Format, op uint32) bool {
	if GFX803.table().byOp[f] == nil || GFX803.table().byOp[f][op].row == nil {
		return false
	}
	for _, s := range GFX803.table().byOp[f][op].row.Operands {
		if s.Kind == ClassLit {
			return true
		}
	}
	return false
}

func (in *Inst) kind() string {
	if in.Row == nil {
		return "none"
	}
	return in.Row.Name + "_" + in.Enc.String()
}

// allowedRefusal returns the reason why Crosslane refuses words that LLVM decodes.
func allowedRefusal(w []byte, err error, want string) string {
	msg := err.Error()
	if strings.Contains(msg, "must be 0 in") {
		clean := usedBits(w)
		in, _, err := Decode(append(clean, 1, 2, 3, 4))
		if strings.Contains(want, "_store_") && strings.HasSuffix(want, " tfe") {
			return "LLVM's disassembler does not know the rule of its assembler, that tfe is for loads"
		}
		if strings.HasPrefix(want, "flat_") {
			// LLVM accepts offsets and accumulation registers of other GPUs.
			want = regexp.MustCompile(` offset:\d+`).ReplaceAllString(want, "")
			want = regexp.MustCompile(`\ba(\d|\[)`).ReplaceAllString(want, "v$1")
		}
		if err == nil && Print(&in) == want || err != nil && allowedRefusal(clean, err, want) != "" {
			return "LLVM ignores bits that an instruction does not use"
		}
		return ""
	}
	for _, a := range []struct{ ours, llvm, reason string }{
		{"must be 0 because", " lds", "LLVM ignores VDATA of a buffer load to LDS"},
		{"must be 0 because", " off,", "LLVM ignores VADDR without offen and idxen"},
		{"must be 0 because", "_atomic_", "LLVM ignores VDST of a flat atomic without glc"},
		{"starts there", "", "LLVM rounds unaligned scalar registers down, and knows registers of other GPUs"},
		{"constant bus", "", "LLVM's disassembler does not check the constant bus"},
		{"reserved source code", "src_", "LLVM knows sources of other GPUs"},
		{"src_lds_direct", "src_lds_direct", "LLVM's disassembler does not check where LDS direct may stand"},
		{"the attributes are attr0 to attr32", "attr", "LLVM's disassembler does not know the rule of its assembler"},
		{"the parameters are p10", "invalid_param", "LLVM's disassembler does not know the rule of its assembler"},
		{"the export target", "invalid_target", "LLVM's disassembler does not know the rule of its assembler"},
		{"the export target", "prim", "LLVM knows targets of other GPUs"},
		{"the export target", "pos4", "LLVM knows targets of other GPUs"},
		{"with compr it must be", " compr", "the manual calls other masks invalid"},
		{"must be 0 because", "exp ", "LLVM ignores VGPRs that are off"},
		{"dmask is", "image_", "LLVM's disassembler does not know the rule of its assembler"},
		{"dst_sel must be DWORD", "v_mac_", "LLVM's disassembler does not know the rule of its assembler"},
		{"VDST is", "null", "LLVM knows registers of other GPUs"},
		{"the last VGPR is v255", "image_", "LLVM prints the first of VGPRs that do not exist"},
		{"the last VGPR is v255", ":25", "LLVM prints VGPRs that do not exist"},
		{"must be a VGPR", "src_", "LLVM knows sources of other GPUs"},
		{"it has no source", "v_nop", "LLVM ignores SRC0 of v_nop"},
		{"it has no source", "v_clrexcp", "LLVM ignores SRC0 of v_clrexcp"},
		{"more than four bits", "s_set_gpr_idx", "LLVM's disassembler does not know the rule of its assembler"},
		{"it needs lds", "", "LLVM decodes both forms"},
		{"lds and tfe", " lds", "LLVM decodes both"},
		{"must be the code of a scalar register", "", "LLVM ignores the upper bits of OFFSET if IMM is 0"},
		{"has no dpp encoding: it has 64-bit operands", "_dpp", "LLVM's assembler refuses them too"},
		{"has no dpp encoding: a VGPR chosen by M0", "_dpp", "document 'AMD GCN3 cross-lane operations' refuses them"},
	} {
		if strings.Contains(msg, a.ours) && strings.Contains(want, a.llvm) {
			return a.reason
		}
	}
	return ""
}

// usedBits clears the bits that the instruction does not use.
func usedBits(b []byte) []byte {
	var w uint64
	for i, c := range b[:min(8, len(b))] {
		w |= uint64(c) << (8 * i)
	}
	f, op := GFX803.classify(uint32(w))
	e := GFX803.table().byOp[f][op].enc
	if f == VOP1 || f == VOP2 || f == VOPC {
		switch w & 0x1ff {
		case regSDWA:
			e = EncSDWA
		case regDPP:
			e = EncDPP
		}
	}
	clean := binary.LittleEndian.AppendUint64(nil, w&GFX803.table().byOp[f][op].row.encs[e].used)
	return clean[:min(len(b), 8)]
}
