package amdgpu

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/lane"
)

// explained returns an explanation as lines of text.
func explained(e *Explanation) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("%s | %s | %s", e.Instr, e.About, e.Encoding)
	for _, o := range e.Operands {
		p("op %s %s %s w=%v: %s", o.Name, o.Text, o.Type, o.Writes, o.Meaning)
	}
	for _, m := range e.Modifiers {
		p("mod %s [%s]: %s", m.Name, m.Text, m.Meaning)
	}
	for _, l := range []struct {
		name string
		text []string
	}{{"hazard", e.Hazards}, {"wait", e.Waits}, {"cost", e.Cost}, {"note", e.Notes}, {"errata", e.Errata}} {
		for _, t := range l.text {
			p("%s: %s", l.name, t)
		}
	}
	for _, x := range e.Encodings {
		p("enc %s: %s", x.Name, x.Meaning)
	}
	return b.String()
}

func TestExplain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		src  string
		opt  ExplainOptions
		want []string
	}{
		{"v_add_f32 v1, -v0, v2 row_shr:1 row_mask:0xa bound_ctrl:0", ExplainOptions{}, []string{
			"v_add_f32_dpp v1, -v0, v2 row_shr:1 row_mask:0xa bank_mask:0xf bound_ctrl:1 | D = S0 + S1 | VOP2 with VOP_DPP",
			"op D v1 f32 w=true: receives the result; lanes that are not updated keep their value",
			"op S0 -v0 f32 w=false: the value of each lane; moved by DPP: lane i reads lane i-1 of its row of 16; negated",
			"mod row_mask [row_mask:0xa]: rows that are updated: 1, 3 (lanes 16-31, 48-63)",
			"mod bound_ctrl [bound_ctrl:1]: BOUND_CTRL is 1",
			"hazard: 2 wait states after a VALU instruction that writes v0",
			"hazard: 5 wait states after a VALU instruction that writes exec",
			"hazard: 2 wait states before a DPP instruction reads v1 as src0",
			"cost: 8 bytes of code", "cost: 4 cycles for the 64 lanes", "cost: DPP runs at full rate",
			"note: lanes 0-15, 32-47 are switched off by row_mask",
			"enc dpp: VOP2 with VOP_DPP", "enc e64: VOP3",
		}},
		{"ds_swizzle_b32 v5, v2 offset:0x80F6", ExplainOptions{}, []string{
			"offset:swizzle(QUAD_PERM,2,1,3,3)", "mod offset [offset:swizzle(QUAD_PERM,2,1,3,3)]: pattern 0x80f6, QDMode: in every group of 4, lanes 0 to 3 read lanes 2, 1, 3, 3",
			"wait: s_waitcnt lgkmcnt(0) before v5 is used", "cost: goes through the LDS hardware, but reads and writes no LDS", "cost: needs no address VGPR",
		}},
		{"ds_bpermute_b32 v0, v1, v2 offset:16", ExplainOptions{}, []string{"note: the addresses in v1 are not known", "op ADDR v1 u32 w=false: byte address in each lane: bits [7:2] of address + offset", "mod offset [offset:16]: 16 bytes are added to the address: 4 lanes"}},
		{"s_waitcnt vmcnt(1) lgkmcnt(0)", ExplainOptions{}, []string{"vmcnt(1): until at most 1 vector memory operations are outstanding; lgkmcnt(0): until at most 0 LDS"}},
		{"v_subrev_u32 v1, vcc, v0, v2 quad_perm:[1,0,3,2]", ExplainOptions{}, []string{"errata: reversed-dpp", "D = S1 - S0; mask = borrow", "reversed: it is the second operand", "5 wait states before vector memory reads vcc"}},
		{"v_madak_f32 v1, v2, v3, 0x3f800000", ExplainOptions{}, []string{"literal, one more dword: 0x3f800000 = 1", "enc dpp: none: its dword after the instruction is the literal"}},
		{"v_xor_b32_sdwa v1, sext(v2), v3 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:DWORD", ExplainOptions{}, []string{
			"the result goes to byte 1 of D", "the rest of D keeps its value", "S0 is word 1", "sign-extended from the selected part"}},
		{"v_readlane_b32 s3, v1, 37", ExplainOptions{}, []string{"note: lane 37 (the select modulo 64), whether EXEC has it or not"}},
		{"v_readlane_b32 s3, v1, s2", ExplainOptions{}, []string{"note: the lane select is not known; give it with --set s2=…", "hazard: 4 wait states after a VALU instruction that writes s2"}},
		{"flat_load_dwordx2 v[2:3], v[0:1]", ExplainOptions{}, []string{"wait: s_waitcnt vmcnt(0) before v[2:3] is used", "it counts in lgkmcnt too"}},
		{"s_load_dwordx2 s[2:3], s[4:5], 0x8", ExplainOptions{}, []string{"wait: s_waitcnt lgkmcnt(0) before s[2:3] is used", "base address; its low two bits are ignored"}},
		{"ds_read2st64_b32 v[1:2], v0 offset0:1 offset1:3", ExplainOptions{}, []string{"768 bytes are added to the address: 3 times 256"}},
		{"v_cmpx_lt_f32 vcc, 0.5, v1", ExplainOptions{}, []string{"op S0 0.5 f32 w=false: inline constant: 0x3f000000 = 0.5", "hazard: 5 wait states before a DPP instruction", "D.mask = EXEC = (S0 < S1)"}},
		{"v_nop", ExplainOptions{}, []string{"does nothing"}},
		{"v_mad_f32 v0, v1, v2, v3", ExplainOptions{}, []string{"enc e64: VOP3A"}},
		{"s_cmpk_lt_i32 s1, -5", ExplainOptions{}, []string{"-5, sign-extended to 32 bits"}},
		{"ds_gws_barrier v1 gds", ExplainOptions{}, []string{"the count that the unit is given"}},
		{"tbuffer_load_format_x v0, off, s[4:7], 0 format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_FLOAT]", ExplainOptions{}, []string{"components of 16 bits in memory, converted as FLOAT"}},
	} {
		e, err := hooks.Explain(c.src, c.opt)
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		text := explained(e)
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", c.src, w, text)
			}
		}
	}
	// Reversed bits are not reversed operands.
	if e, err := hooks.Explain("v_bfrev_b32 v1, v0 row_shr:1", ExplainOptions{}); err != nil || strings.Contains(explained(e), "reversed:") || strings.Contains(explained(e), "reversed-dpp") {
		t.Errorf("v_bfrev_b32: %v\n%s", err, explained(e))
	}
	for _, src := range []string{"", "v_nop; v_nop", "bogus"} {
		if _, err := hooks.Explain(src, ExplainOptions{}); err == nil {
			t.Errorf("%q: no error", src)
		}
	}
}

func TestExplainMaps(t *testing.T) {
	t.Parallel()
	exec := uint64(0xfffffffffffffff0)
	e, err := hooks.Explain("v_mov_b32 v1, v0 row_shr:1", ExplainOptions{Exec: &exec})
	if err != nil {
		t.Fatal(err)
	}
	// Lanes 0 to 3 are outside EXEC. Lane 4 reads lane 3. The first lane of each other row has no
	// source.
	if want := lane.Mask(exec) &^ 0x0001000100010010; e.Map == nil || e.Map.Writes() != want {
		t.Errorf("map %v, want writes of %v", e.Map, want)
	}
	if text := explained(e); !strings.Contains(text, "note: lanes 4, 16, 32, 48 keep their old value") || !strings.Contains(text, "note: lanes 0-3 are outside EXEC") {
		t.Errorf("notes:\n%s", text)
	}
	addr := make([]uint64, 64)
	for i := range addr {
		addr[i] = uint64(4 * (i / 2))
	}
	e, err = hooks.Explain("ds_permute_b32 v0, v1, v2", ExplainOptions{Values: map[string][]uint64{"v1": addr}})
	if err != nil {
		t.Fatal(err)
	}
	if e.Lost != 0x5555555555555555 || e.Map.Src[3] != 7 {
		t.Errorf("lost %v, lane 3 gets lane %v", e.Lost, e.Map.Src[3])
	}
	e, err = hooks.Explain("ds_bpermute_b32 v0, v1, v2", ExplainOptions{Values: map[string][]uint64{"v1": addr}})
	if err != nil {
		t.Fatal(err)
	}
	if e.Lost != 0 || e.Map.Src[7] != 3 {
		t.Errorf("lost %v, lane 7 gets lane %v", e.Lost, e.Map.Src[7])
	}
	e, err = hooks.Explain("v_mbcnt_hi_u32_b32 v0, -1, 5", ExplainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Fold == nil || e.Fold.Out[31] != "5" || e.Fold.Out[40] != "13" {
		t.Errorf("fold %+v", e.Fold)
	}
	e, err = hooks.Explain("v_readfirstlane_b32 s0, v1", ExplainOptions{Exec: &exec, Values: map[string][]uint64{"v1": addr}})
	if err != nil {
		t.Fatal(err)
	}
	if e.Fold == nil || e.Fold.Picked != 1<<4 || e.Fold.Result != "0x8" {
		t.Errorf("fold %+v", e.Fold)
	}
}

// TestExplainFields checks that the fields joined together give the bytes.
func TestExplainFields(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"v_add_f32 v1, v0, v0 row_shr:1", "s_mov_b32 s0, 0x12345678", "ds_read2_b32 v[1:2], v0 offset1:3", "v_mad_u64_u32 v[0:1], s[2:3], v4, v5, v[6:7]", "v_madmk_f32 v1, v2, 0x3f000000, v3", "s_load_dword s1, s[2:3], 0x10"} {
		e, err := hooks.Explain(src, ExplainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, len(e.Bytes))
		seen := make([]bool, 8*len(b))
		for _, f := range e.Fields {
			for i := f.Lo; i <= f.Hi; i++ {
				if f.Value>>(i-f.Lo)&1 != 0 {
					b[i/8] |= 1 << (i % 8)
				}
				seen[i] = true
			}
		}
		if string(b) != string(e.Bytes) {
			t.Errorf("%s: fields give % x, want % x", src, b, e.Bytes)
		}
	}
}

// TestExplainAll checks that every row that can be executed has a description, and can be
// explained.
func TestExplainAll(t *testing.T) {
	t.Parallel()
	for _, r := range Rows() {
		if r.Sem != nil && r.Does == "" && r.Unit != UnitNone && r.Unit != UnitSMEM && r.Unit != UnitBranch && r.Unit != UnitVMEM {
			t.Errorf("%s has no formula", r.Name)
		}
	}
	for _, file := range hooks.KernelFiles(t)[:4] {
		hooks.EachKernel(t, file, func(_ string, text []byte, entry int64) {
			p, err := Follow(Code{Bytes: text, Entry: entry}, false)
			if err != nil {
				t.Fatal(err)
			}
			for i := range p.Insts {
				if _, err := ExplainInst(&p.Insts[i].In, ExplainOptions{}); err != nil {
					t.Errorf("%s: %v", Print(&p.Insts[i].In), err)
				}
			}
		})
	}
}

// TestSpecimens checks that every encoding of every row has a specimen, that the specimen can be
// explained, and that its picture has all bits.
func TestSpecimens(t *testing.T) {
	t.Parallel()
	for _, r := range Rows() {
		for e := E32; e <= EncSDWA; e++ {
			in, ok := r.Specimen(e)
			if ok != r.Encs.Has(e) {
				t.Errorf("%s_%v: specimen %v: %s", r.Name, e, ok, in.Check())
			}
			if !ok {
				continue
			}
			x, err := ExplainInst(&in, ExplainOptions{})
			if err != nil {
				t.Errorf("%s_%v: %v", r.Name, e, err)
				continue
			}
			if back, err := ParseInst(x.Instr, ParseOptions{}); len(r.Operands) > 0 && (err != nil || back != in) {
				t.Errorf("%s_%v: %s parses as %q, %v", r.Name, e, x.Instr, Print(&back), err)
			}
			if x.About == "" || x.Unit == "" || x.Section == "" || (x.Refused == "") != (r.Sem != nil) {
				t.Errorf("%s: about %q, unit %q, section %q, refused %q", x.Instr, x.About, x.Unit, x.Section, x.Refused)
			}
			bits := 0
			for _, l := range strings.Split(x.Picture, "\n") {
				if !strings.Contains(l, ":") {
					continue // names or values
				}
				for _, c := range strings.Split(strings.Trim(l, "|"), "|") {
					hi, lo := 0, 0
					if n, _ := fmt.Sscanf(c, "%d:%d", &hi, &lo); n < 2 {
						lo = hi
					}
					bits += hi - lo + 1
				}
				if len(l) > pictureWidth+1 {
					t.Errorf("%s: a line of %d", x.Instr, len(l))
				}
			}
			if bits != 8*len(x.Bytes) {
				t.Errorf("%s: the picture has %d bits of %d:\n%s", x.Instr, bits, 8*len(x.Bytes), x.Picture)
			}
		}
		// A mnemonic alone is explained, too, if it needs operands.
		if x, err := hooks.Explain(r.Name, ExplainOptions{}); err != nil || x.Mnemonic != r.Name {
			t.Errorf("explain %s: %v", r.Name, err)
		}
	}
}
