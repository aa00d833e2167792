package asm_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu/asm"
)

// largeSource is about n lines of assembly in the style of math libraries: loops of vector
// instructions, loads with waits, DPP, labels, symbols in expressions, comments, and macros, whose
// lines count, too.
func largeSource(n int) string {
	var b strings.Builder
	b.WriteString(`.macro fma4 d, x, y
	v_mac_f32 v\d, v\x, v\y // one product
	v_mac_f32 v[\d+1], v[\x+1], v[\y+1]
	v_mac_f32 v[\d+2], v[\x+2], v[\y+2]
	v_mac_f32 v[\d+3], v[\x+3], v[\y+3]
.endm
.macro sum r
	v_add_f32_dpp v\r, v\r, v\r row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
	s_nop 1
	v_add_f32_dpp v\r, v\r, v\r row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:0
.endm
.set stride, 64
base = 16
	.text
`)
	for lines, i := 20, 0; lines < n; i++ {
		fmt.Fprintf(&b, `
; block %[1]d
.Lloop%[1]d:
	s_add_u32 s4, s4, stride*4
	s_addc_u32 s5, s5, 0
	v_mov_b32 v1, s4
	v_mov_b32_e32 v2, s5
	flat_load_dwordx4 v[20:23], v[1:2]
	ds_read_b128 v[24:27], v3 offset:base+32
	buffer_load_dword v9, v8, s[12:15], 0 offen offset:%[2]d
	s_load_dwordx2 s[8:9], s[6:7], 0x%[3]x
	s_waitcnt vmcnt(1) & lgkmcnt(0)
	v_cmp_lt_u32 vcc, v0, v4
	s_and_saveexec_b64 s[10:11], vcc
	s_cbranch_execz .Ldone%[1]d
	fma4 40, 20, 24
	v_fma_f32 v5, -v6, |v7|, 0.5 clamp
	v_cvt_f16_f32_sdwa v10, v11 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD
	sum 40
	v_lshlrev_b32 v12, 2, v13
	v_add_u32 v14, vcc, s8, v12
	v_mul_f32 v15, 0x40490fdb, v14
.Ldone%[1]d:
	s_or_b64 exec, exec, s[10:11]
	s_sub_u32 s3, s3, 1
	s_cmp_lg_u32 s3, 0
	s_cbranch_scc1 .Lloop%[1]d
`, i, i*4%4096, i*8%0x1000)
		lines += 26 + 4 + 3
	}
	b.WriteString("\ts_endpgm\n")
	return b.String()
}

// BenchmarkAssembleLarge assembles 300,000 lines.
func BenchmarkAssembleLarge(b *testing.B) {
	src := []byte(largeSource(300_000))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if o, l := asm.Assemble(src, "large.s", asm.Options{}); o == nil {
			b.Fatal(l)
		}
	}
	b.ReportMetric(300_000*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
