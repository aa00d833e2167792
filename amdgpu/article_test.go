package amdgpu

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
)

// articleText holds the instructions that "AMD GCN Assembly: Cross-Lane Operations" prints, in its
// own form, with LLVM 22's encodings. ("dest, src0, src1" of one example are v3, v1, v2.)
var articleText = []struct{ text, hex string }{
	{"ds_permute_b32 v0, v1, v2", "00007cd801020000"},
	{"ds_bpermute_b32 v0, v0, v1 offset:0x10", "10007ed800010000"},
	{"v_mbcnt_lo_u32_b32 v6, -1, 0", "06008cd2c1000100"},
	{"v_mbcnt_hi_u32_b32 v6, -1, v6", "06008dd2c10c0200"},
	{"ds_swizzle_b32 v5, v2 offset:0x80F6", "f6807ad802000005"},
	{"v_and_b32 v3, v1, v2 wave_shr:1", "fa040626013801ff"},
	{"v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0 // Instruction 1", "fa000202001109ff"},
	{"v_add_f32 v1, v0, v1 row_shr:2 bound_ctrl:0 // Instruction 2", "fa020202001209ff"},
	{"v_add_f32 v1, v0, v1 row_shr:3 bound_ctrl:0 // Instruction 3", "fa020202001309ff"},
	{"v_nop // Add two independent instructions to avoid a data hazard", "0000007e"},
	{"v_add_f32 v1, v1, v1 row_shr:4 bank_mask:0xe // Instruction 4", "fa020202011401fe"},
	{"v_add_f32 v1, v1, v1 row_shr:8 bank_mask:0xc // Instruction 5", "fa020202011801fc"},
	{"v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa // Instruction 6", "fa020202014201af"},
	{"v_add_f32 v1, v1, v1 row_bcast:31 row_mask:0xc // Instruction 7", "fa020202014301cf"},
	{"v_add_f32 v0, -v1, |v2| wave_shr:1", "fa040002013891ff"},
	{"v_add_f32 v0, -|v1|, v2 wave_shr:1", "fa040002013831ff"},
	{"v_cmpx_ge_i32 vcc, v0, v1", "0003ac7d"},
}

func TestArticleText(t *testing.T) {
	t.Parallel()
	for _, c := range articleText {
		list, diags := hooks.AssembleInsts(c.text, "")
		if diags.Err() != nil || len(list) != 1 {
			t.Errorf("%s: %v", c.text, diags)
			continue
		}
		if got := hex.EncodeToString(list[0].Bytes); got != c.hex {
			t.Errorf("%s: %s, want %s", c.text, got, c.hex)
		}
		in, n, err := Decode(list[0].Bytes)
		if err != nil || n != len(list[0].Bytes) || Print(&in) != Print(&list[0].Inst) {
			t.Errorf("%s: decoded as %s (%v)", c.text, Print(&in), err)
		}
	}
}

// TestOracleArticleText checks that LLVM gives the encodings above.
func TestOracleArticleText(t *testing.T) {
	t.Parallel()
	mc, _ := oracle(t)
	var lines []string
	for _, c := range articleText {
		lines = append(lines, c.text)
	}
	words, refused := llvmAssemble(t, mc, lines)
	for i, c := range articleText {
		if refused[i] != "" || hex.EncodeToString(words[i]) != c.hex {
			t.Errorf("%s: LLVM gives %x %s", c.text, words[i], refused[i])
		}
	}
}

// TestArticleDPPExclusions checks the sentence "The VOP_DPP modifier can work with any VOP1 or VOP2
// instruction encoding (the VOP3 and VOPC encodings are unsupported), except the following". It
// assembles every instruction with DPP written after it; the error names the rule.
func TestArticleDPPExclusions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	reason := func(row *Row) string {
		switch row.Format {
		case VOP3A, VOP3B:
			return "VOP3 instructions have no DPP form"
		case VOPC:
			return "VOPC instructions have no DPP form"
		}
		for _, s := range row.Operands {
			if s.Type.Dwords() == 2 && s.Kind != ClassSMask {
				return "64-bit operands"
			}
		}
		for name, why := range map[string]string{
			"v_clrexcp": "it has no source", "v_readfirstlane_b32": "it reads one lane already", "v_madmk_f16": "literal", "v_madmk_f32": "literal",
			"v_madak_f16": "literal", "v_madak_f32": "literal", "v_movreld_b32": "M0", "v_movrels_b32": "M0", "v_movrelsd_b32": "M0",
			"v_nop": "it has no source", // it has no src0 for the modifier
		} {
			if row.Name == name {
				return why
			}
		}
		return ""
	}
	took, refused := 0, map[string]int{}
	for _, row := range Rows() {
		switch row.Format {
		case VOP1, VOP2, VOPC, VOP3A, VOP3B:
		default:
			continue
		}
		enc := E32
		if !row.Encs.Has(E32) {
			enc = E64
		}
		in, ok := randomInst(r, row, enc)
		if !ok {
			t.Errorf("%s: no random instruction", row.Name)
			continue
		}
		for i := range in.Ops { // DPP reads VGPRs
			if o := &in.Ops[i]; i < len(row.Operands) && !row.Operands[i].Dst && (row.Operands[i].Field == FieldSRC0 || row.Operands[i].Field == FieldSRC1 || row.Operands[i].Field == FieldVSRC1) && row.Operands[i].Kind != ClassSMask && row.Operands[i].Kind != ClassLane {
				*o = V(3, row.Operands[i].Type.Dwords())
			}
		}
		text := strings.Replace(Print(&in), "_"+enc.String(), "", 1) + " row_shr:1"
		list, diags := hooks.AssembleInsts(text, "")
		why := reason(row)
		if why == "" {
			took++
			if diags.Err() != nil || len(list) != 1 || list[0].Inst.Enc != EncDPP {
				t.Errorf("%s: %v", text, diags)
			}
			continue
		}
		refused[why]++
		if diags.Err() == nil {
			t.Errorf("%s assembles", text)
		} else if m := diags[0].Message; !strings.HasPrefix(m, row.Name+" has no dpp encoding: ") || !strings.Contains(m, why) {
			t.Errorf("%s: error %q does not say %q", text, m, why)
		}
	}
	if took < 100 || refused["64-bit operands"] < 15 || refused["literal"] != 4 || refused["M0"] != 3 {
		t.Errorf("%d take DPP, refused are %v", took, refused)
	}
}
