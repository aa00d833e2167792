package amdgpu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFormatBits checks that each bit of each format is in one field, and that the bits that GCN3
// ISA 13 reserves are fields of their own.
func TestFormatBits(t *testing.T) {
	t.Parallel()
	const none = 0
	bit := func(hi, lo int) uint64 { return (1<<(hi-lo+1) - 1) << lo }
	reserved := map[Format]uint64{
		SOP2: none, SOPK: none, SOP1: none, SOPC: none, SOPP: none, VOP2: none, VOP1: none, VOPC: none, VOP3B: none,
		SMEM: bit(15, 13) | bit(63, 52), VOP3A: bit(14, 11), FormatDS: bit(25, 25),
		FLAT: bit(25, 25) | bit(15, 0) | bit(55, 48), MUBUF: bit(25, 25) | bit(15, 15) | bit(54, 53), MTBUF: bit(53, 53),
		VINTRP: none, MIMG: bit(7, 0) | bit(62, 58), FormatEXP: bit(25, 13), formatInterp: bit(14, 11),
		FormatDPP: bit(50, 49), FormatSDWA: bit(47, 46) | bit(55, 54) | bit(63, 62),
	}
	for f := SOP2; f < numFormats; f++ {
		rest, known := reserved[f]
		if !known {
			t.Errorf("%v: no transcription", f)
		}
		all := bit(31, 0)
		switch {
		case f == FormatDPP || f == FormatSDWA:
			all = bit(63, 32)
		case layoutsGFX8[f].dwords == 2:
			all = ^uint64(0)
		}
		var used, zero uint64
		for _, b := range f.Fields() {
			if b.ID == fieldMod+FieldID(ModOffset0) || b.ID == fieldMod+FieldID(ModOffset1) {
				continue // the halves of DS's OFFSET
			}
			if used&b.mask() != 0 {
				t.Errorf("%v: %s overlaps other fields", f, b.Name)
			}
			used |= b.mask()
			if b.ID == FieldReserved {
				zero |= b.mask()
			}
		}
		if zero != rest || used != all {
			t.Errorf("%v: fields 0x%016x, reserved 0x%016x, want 0x%016x and 0x%016x", f, used, zero, all, rest)
		}
	}
}

// TestEveryBitCounts flips each bit of instructions of every row, and checks that no bit is
// ignored.
func TestEveryBitCounts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 1))
	for _, row := range Rows() {
		for e := E32; e <= EncSDWA; e++ {
			if !row.Encs.Has(e) {
				continue
			}
			in, ok := randomInst(r, row, e)
			if !ok {
				t.Fatal(row.Name)
			}
			b, err := Encode(&in)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 8 * len(b) {
				c := append(bytes.Clone(b), 0, 0, 0, 0)
				c[i/8] ^= 1 << (i % 8)
				if other, n, err := Decode(c); err == nil && other == in && n == len(b) {
					t.Errorf("%s: bit %d of % x is ignored", Print(&in), i, b)
				}
			}
		}
	}
}

// TestReservedBits sets each bit that an encoding does not use: reserved bits, and fields for which
// the row has no operand. Decode must name them.
func TestReservedBits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 1))
	n := 0
	for _, row := range Rows() {
		for e, x := range row.encs {
			if x == nil {
				continue
			}
			in, _ := randomInst(r, row, Enc(e))
			b, err := Encode(&in)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 32 * x.dwords {
				if x.used>>i&1 != 0 {
					continue
				}
				c := append(bytes.Clone(b), 0, 0, 0, 0)
				c[i/8] ^= 1 << (i % 8)
				if _, _, err := Decode(c); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("bits %d must be 0 in 0x", i)) {
					t.Errorf("%s with bit %d: %v", Print(&in), i, err)
				}
				n++
			}
		}
	}
	if n < 5000 {
		t.Errorf("%d reserved bits", n)
	}
}

// TestRows checks the properties that every row must have.
func TestRows(t *testing.T) {
	t.Parallel()
	rows := Rows()
	if len(rows) < 800 {
		t.Errorf("%d rows", len(rows))
	}
	for i, r := range rows {
		if i > 0 && rows[i-1].Format == r.Format && rows[i-1].Op >= r.Op {
			t.Errorf("%s is not in the order of opcodes", r.Name)
		}
		if LookUp(r.Name) != r || r.Section() == "" || r.Encs == 0 {
			t.Errorf("%s: lookup, section or encodings are missing", r.Name)
		}
		vop := r.Format == VOP1 || r.Format == VOP2 || r.Format == VOPC
		if vop && !r.Encs.Has(EncDPP) && r.NoDPP == "" || vop && !r.Encs.Has(EncSDWA) && r.NoSDWA == "" {
			t.Errorf("%s: no reason why it has no DPP or SDWA encoding", r.Name)
		}
		if r.Encs.Has(EncDPP) != mayDPP(r) {
			t.Errorf("%s: DPP %v, want %v", r.Name, r.Encs.Has(EncDPP), mayDPP(r))
		}
		for e := E32; e <= EncSDWA; e++ {
			if (r.Fields(e) != nil) != r.Encs.Has(e) {
				t.Errorf("%s: fields of %v", r.Name, e)
			}
		}
	}
}

// mayDPP transcribes the document "AMD GCN3 cross-lane operations": DPP works with any VOP1 or VOP2
// encoding (VOP3 and VOPC are unsupported) except v_clrexcp, v_readfirstlane_b32, v_madmk, v_madak,
// v_movrel* and 64-bit operands. (v_nop has no operand for it.)
func mayDPP(r *Row) bool {
	if r.Format != VOP1 && r.Format != VOP2 {
		return false
	}
	for _, n := range []string{"v_nop", "v_clrexcp", "v_readfirstlane_b32", "v_madmk", "v_madak", "v_movrel"} {
		if strings.HasPrefix(r.Name, n) {
			return false
		}
	}
	return !strings.Contains(r.Name, "64")
}

// TestImplicit checks implicit operands of some rows against the manual.
func TestImplicit(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]Special{
		"s_add_u32": {0, SCC}, "s_addc_u32": {SCC, SCC}, "s_mul_i32": {}, "s_cselect_b32": {SCC, 0}, "s_and_saveexec_b64": {EXEC, EXEC | SCC},
		"s_cbranch_vccz": {VCC, PC}, "s_branch": {0, PC}, "s_mov_b32": {}, "s_bfe_u64": {0, SCC}, "s_bfm_b32": {}, "s_cmp_eq_u64": {0, SCC}, "s_cmovk_i32": {SCC, 0},
		"v_cmpx_lt_f32": {0, EXEC}, "v_cmp_lt_f32": {}, "v_div_fmas_f32": {VCC, 0}, "v_movrels_b32": {M0, 0}, "ds_read_b32": {M0, 0}, "ds_bpermute_b32": {},
		"s_not_b64": {0, SCC}, "s_brev_b32": {}, "s_flbit_i32": {}, "s_ff1_i32_b32": {}, "s_bcnt1_i32_b64": {0, SCC}, "s_abs_i32": {0, SCC}, "s_absdiff_i32": {0, SCC},
	} {
		r := LookUp(name)
		if r.Reads != want[0] || r.Writes != want[1] {
			t.Errorf("%s reads 0x%x and writes 0x%x, want 0x%x and 0x%x", name, r.Reads, r.Writes, want[0], want[1])
		}
	}
}

// TestDecodeErrors checks that the error for an illegal word names the reason.
func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words []uint32
		want  string
		skip  int
	}{
		{[]uint32{0xbf8a0001}, "+0x40: error: s_barrier: bits 0 must be 0 in 0xbf8a0001", 4},
		{[]uint32{0xd1010001, 0x04020501}, "v_add_f32: bits 58 must be 0 in 0x04020501d1010001", 8},
		{[]uint32{0x7e0000fa, 0}, "v_nop has no dpp encoding", 4},
		{[]uint32{0xc40000a0, 0}, "exp: the export target 10 is reserved", 8},
		{[]uint32{0xc4000405, 0}, "exp: EN is 0x5, but with compr it must be 0, 0x3, 0xc or 0xf", 8},
		{[]uint32{0xc4000001, 0x100}, "exp: VSRC1 must be 0 because it is not used", 8},
		{[]uint32{0xd4008400}, "v_interp_p1_f32: the attributes are attr0 to attr32, found attr33", 4},
		{[]uint32{0xd4020003}, "v_interp_mov_f32: the parameters are p10, p20 and p0, 0 to 2, found 3", 4},
		{[]uint32{0xd4030000}, "VINTRP has no opcode 3", 4},
		{[]uint32{0xf0000100, 0x00200000}, "image_load: bits 53 must be 0", 8},
		{[]uint32{0xf1000300, 0}, "image_gather4: dmask is 0x3, but a gather fetches one component", 8},
		{[]uint32{0xf0480200, 0}, "image_atomic_add: dmask is 0x2, but an atomic takes 0x1 or 0x3", 8},
		{[]uint32{0xf0440100, 0}, "image_atomic_cmpswap: dmask is 0x1, but this atomic takes 0x3 or 0xf", 8},
		{[]uint32{0xcc000000}, "bits 31:26 are 0b110011", 4},
		{[]uint32{0xbeffff04}, "SOP1 has no opcode 255", 4},
		{[]uint32{0xc0020000}, "s_load_dword has 8 bytes, but only 4 are left", 4},
		{[]uint32{0xbe8000ff}, "a literal dword must follow, but only 0 bytes are left", 4},
		{[]uint32{0xbe810104}, "SDST is 1: no run of 2 scalar registers starts there", 4},
		{[]uint32{0x7e0202fa, 0xff010002}, "DPP_CTRL 0x100 is reserved", 8},
		{[]uint32{0x7e0202f9, 0x00060702}, "dst_sel is 7, which is reserved", 8},
	} {
		var b []byte
		for _, w := range c.words {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		_, n, err := DecodeAt(b, 0x40)
		if err == nil || !strings.Contains(err.Error(), c.want) || n != c.skip {
			t.Errorf("%08x: %v, %d bytes; want %q, %d", c.words, err, n, c.want, c.skip)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	r := rand.New(rand.NewPCG(8, 1))
	var code []byte
	for _, row := range Rows() {
		in, _ := randomInst(r, row, E32)
		if row.Encs.Has(E32) {
			w, err := Encode(&in)
			if err != nil {
				b.Fatal(err)
			}
			code = append(code, w...)
		}
	}
	b.ReportAllocs()
	for i, off := 0, 0; i < b.N; i++ {
		_, n, err := Decode(code[off:])
		if err != nil {
			b.Fatal(err)
		}
		if off += n; off == len(code) {
			off = 0
		}
	}
}

// TestDPPLegal checks that exactly the legal controls have a text.
func TestDPPLegal(t *testing.T) {
	t.Parallel()
	n := 0
	for v := range 512 {
		if dppLegal(v) != (dppText(v) != "") {
			t.Errorf("DPP_CTRL 0x%x: legal %v, text %q", v, dppLegal(v), dppText(v))
		}
		if dppLegal(v) {
			n++
		}
	}
	// 256 quad_perm, 15 each of row_shl, row_shr, row_ror, four wave controls, two
	// mirrors, two broadcasts.
	if n != 256+3*15+4+2+2 {
		t.Errorf("%d controls are legal", n)
	}
}

// TestFieldValues puts the fields of random instructions together again.
func TestFieldValues(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 1))
	for _, row := range Rows() {
		for e := E32; e <= EncSDWA; e++ {
			if !row.Encs.Has(e) {
				continue
			}
			in, _ := randomInst(r, row, e)
			vs, err := in.FieldValues()
			if err != nil {
				t.Fatal(err)
			}
			var w, mask uint64
			for _, v := range vs {
				if mask&v.mask() != 0 {
					t.Errorf("%s: %s overlaps", Print(&in), v.Name)
				}
				w |= v.Bits << v.Lo
				mask |= v.mask()
			}
			b, _ := Encode(&in)
			if got := binary.LittleEndian.AppendUint64(nil, w); !bytes.Equal(got[:len(b)], b) {
				t.Errorf("%s: fields make % x, want % x", Print(&in), got, b)
			}
		}
	}
}
