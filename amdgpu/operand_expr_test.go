package amdgpu

import (
	"errors"
	"testing"
)

// TestOperandExpressions parses operands that are expressions of the caller.
func TestOperandExpressions(t *testing.T) {
	t.Parallel()
	values := map[string]Value{
		"here": {Int: 0x14, Label: true}, ".LBB0_2": {Int: 0x4, Label: true}, "far+8": {Int: 0x108, Label: true}, "odd": {Int: 0x15, Label: true},
		"sym": {Int: 5, Symbolic: true}, "sym@rel32@lo+4": {Int: 0, Symbolic: true}, "five": {Int: 5}, "(five+1)*2": {Int: 12}, "i": {Int: 6}, "i+1": {Int: 7}, "-five": {Int: -5}, "five|2": {Int: 7},
	}
	eval := func(e string) (Value, error) {
		if v, ok := values[e]; ok {
			return v, nil
		}
		return Value{}, errors.New("undefined symbol " + e)
	}
	for _, c := range []struct{ text, want string }{
		{"s_branch here", "s_branch 0"},                    // the next instruction is at 0x14
		{"s_cbranch_scc0 .LBB0_2", "s_cbranch_scc0 65532"}, // 4 dwords back
		{"s_branch far+8", "s_branch 61"},                  //
		{"s_mov_b32 s0, sym", "s_mov_b32 s0, lit(0x5)"},    // a symbol may still move, so it becomes a literal
		{"s_mov_b32 s0, five", "s_mov_b32 s0, 5"},          // a number does not move
		{"s_mov_b32 s0, (five+1)*2", "s_mov_b32 s0, 12"},   //
		{"s_mov_b32 s0, -five", "s_mov_b32 s0, -5"},        //
		{"s_add_u32 s0, s0, sym@rel32@lo+4", "s_add_u32 s0, s0, lit(0x0)"},
		{"v_mov_b32 v[i], v[i+1]", "v_mov_b32_e32 v6, v7"},
		{"s_mov_b64 s[i:i+1], exec", "s_mov_b64 s[6:7], exec"},
		{"ds_read_b32 v1, v2 offset:five", "ds_read_b32 v1, v2 offset:5"},
		{"v_mov_b32 v1, v2 row_shr:five", "v_mov_b32_dpp v1, v2 row_shr:5 row_mask:0xf bank_mask:0xf"},
		{"s_waitcnt vmcnt(five) & lgkmcnt(0)", "s_waitcnt vmcnt(5) lgkmcnt(0)"},
		{"s_movk_i32 s0, five|2", "s_movk_i32 s0, 0x7"},
		{"v_add_f32_e64 v0, |five|, v1", "v_add_f32_e64 v0, |5|, v1"},
	} {
		in, err := ParseInst(c.text, ParseOptions{PC: 0x10, Eval: eval})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if got := Print(&in); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
	for _, text := range []string{"s_branch odd", "s_mov_b32 s0, nowhere", "v_mov_b32 v[sym2], v0"} {
		if in, err := ParseInst(text, ParseOptions{PC: 0x10, Eval: eval}); err == nil {
			t.Errorf("%s: assembled as %s", text, Print(&in))
		}
	}
}
