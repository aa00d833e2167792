package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/ir"
)

// This file makes instructions in GCN3 from the rows of the table. They include forms that the
// templates of gcn3_random_test.go leave out.

// A gcnKind is the way in which a row is written.
type gcnKind uint8

const (
	gcnOther  gcnKind = iota // not written at all
	gcnScalar                // scalar arithmetic
	gcnVector                // vector arithmetic, with DPP and SDWA
	gcnLDSRow                // memory of the block
	gcnFlat
	gcnBuffer
	gcnSMem
	gcnMoved // M0 selects its registers
)

// kindOf leaves out rows that branch, wait, communicate with the host, change the naming of
// registers, or read a value that differs between runs.
func kindOf(r *amdgpu.Row) gcnKind {
	const elsewhere = amdgpu.FlagBranch | amdgpu.FlagEnd | amdgpu.FlagNop | amdgpu.FlagGDSOnly | amdgpu.FlagLDSOnly
	if r.Sem == nil || r.Flags&elsewhere != 0 || r.GPRIdx != 0 || (r.Reads|r.Writes)&amdgpu.PC != 0 || r.Writes&(amdgpu.M0|amdgpu.FlatScratch) != 0 {
		return gcnOther
	}
	if slices.ContainsFunc(r.Operands, func(s amdgpu.Spec) bool { return s.Type.Dwords() > gcnRegs }) {
		return gcnOther
	}
	for _, name := range []string{"time", "getreg", "setreg", "trap", "rfe", "dcache", "icache", "append", "consume", "gws", "interp", "wbinvl", "ds_nop", "g_fork", "atc_probe"} {
		if strings.Contains(r.Name, name) {
			return gcnOther
		}
	}
	if r.Flags&(amdgpu.FlagM0Dst|amdgpu.FlagM0Src) != 0 {
		return gcnMoved
	}
	switch r.Format {
	case amdgpu.SOP1, amdgpu.SOP2, amdgpu.SOPC, amdgpu.SOPK:
		return gcnScalar
	case amdgpu.VOP1, amdgpu.VOP2, amdgpu.VOPC, amdgpu.VOP3A, amdgpu.VOP3B:
		return gcnVector
	case amdgpu.FormatDS:
		return gcnLDSRow
	case amdgpu.FLAT:
		return gcnFlat
	case amdgpu.MUBUF, amdgpu.MTBUF:
		return gcnBuffer
	case amdgpu.SMEM:
		return gcnSMem
	}
	return gcnOther
}

var gcnRowsOf = sync.OnceValue(func() map[gcnKind][]*amdgpu.Row {
	rows := map[gcnKind][]*amdgpu.Row{}
	for _, r := range amdgpu.Rows() {
		k := kindOf(r)
		rows[k] = append(rows[k], r)
	}
	return rows
})

// row writes an instruction of a row of the table, and the instructions before it.
func (w *gcnWriter) row() {
	k := pickOne(w.Rand, gcnScalar, gcnVector, gcnVector, gcnVector, gcnVector, gcnLDSRow, gcnFlat, gcnBuffer, gcnSMem, gcnMoved)
	rows := gcnRowsOf()[k]
	for range 20 {
		r := rows[w.IntN(len(rows))]
		if w.uneven && k == gcnLDSRow && strings.Contains(r.Name, "_f") {
			continue // unsupported if denormals are kept on one side only
		}
		before, text := w.ofRow(k, r)
		after := ""
		if k == gcnMoved || w.IntN(16) == 0 && k == gcnVector && gcnIndexable(r, text) {
			mask := 3
			if strings.HasSuffix(r.Name, "_b64") { // pairs begin at even numbers
				mask = 2
			}
			before += fmt.Sprintf("s_and_b32 m0, %s, %d\n", w.reg("t"), mask)
			after = "\ns_mov_b32 m0, -1"
			if k == gcnVector {
				before += "s_set_gpr_idx_on m0, gpr_idx(" + pickOne(w.Rand, "SRC0", "SRC1", "SRC0,DST", "DST", "SRC0,SRC1,SRC2") + ")\n"
				after = "\ns_set_gpr_idx_off" + after
			}
		}
		// If the encoding has no room for the operands, the assembler refuses the text, and row
		// tries again.
		if _, errs := asm.AssembleInsts(before+text+after, "k.s"); errs.Err() == nil {
			w.waited(strings.ReplaceAll(strings.ReplaceAll(before+text+after, "{", "<"), "}", ">"))
			return
		}
	}
}

// gcnIndexable reports whether M0 may select registers of the instruction.
func gcnIndexable(r *amdgpu.Row, text string) bool {
	return r.Flags&(amdgpu.FlagCrossLane|amdgpu.FlagIndirect|amdgpu.FlagTied) == 0 && !strings.Contains(text, "_dpp") && !strings.Contains(text, "_sdwa")
}

// ofRow returns an instruction of a row, in a random encoding with random modifiers, and the
// instructions that compute its address.
func (w *gcnWriter) ofRow(k gcnKind, r *amdgpu.Row) (before, text string) {
	enc := amdgpu.E32
	if k == gcnVector {
		var encs []amdgpu.Enc
		for _, e := range []amdgpu.Enc{amdgpu.E32, amdgpu.E64, amdgpu.EncDPP, amdgpu.EncSDWA} {
			if r.Encs.Has(e) {
				encs = append(encs, e)
			}
		}
		enc = pickOne(w.Rand, encs...)
	}
	data := 0 // the maximum number of bytes of the access
	var ops []string
	for i := range r.Operands {
		s := &r.Operands[i]
		o := w.rowOperand(k, r, s, enc)
		if enc == amdgpu.E64 && !s.Dst && (s.Type.IsFloat() || r.Flags.Has(amdgpu.FlagModBits)) && s.Kind != amdgpu.ClassSMask && o[0] != '0' && o[0] != '-' {
			o = pickOne(w.Rand, o, o, "-"+o, "|"+o+"|", "-|"+o+"|")
		}
		ops = append(ops, o)
		data = max(data, 4*s.Type.Dwords())
	}
	name := r.Name
	tail := ""
	switch enc {
	case amdgpu.E64:
		if slices.Contains([]amdgpu.Format{amdgpu.VOP1, amdgpu.VOP2, amdgpu.VOPC}, r.Format) {
			name += "_e64"
		}
		if r.Flags.Has(amdgpu.FlagOMod) {
			tail += pickOne(w.Rand, "", "", " mul:2", " mul:4", " div:2")
		}
		if r.Flags.Has(amdgpu.FlagClamp) {
			tail += pickOne(w.Rand, "", "", " clamp")
		}
	case amdgpu.EncDPP:
		name += "_dpp"
		tail = " " + w.reg("dpp")
	case amdgpu.EncSDWA:
		name += "_sdwa"
		if r.Format != amdgpu.VOPC {
			tail = fmt.Sprintf(" dst_sel:%s dst_unused:%s", w.reg("sel"), w.reg("unused"))
		}
		tail += " src0_sel:" + w.reg("sel")
		if r.Format != amdgpu.VOP1 {
			tail += " src1_sel:" + w.reg("sel")
		}
	}
	switch k {
	case gcnLDSRow:
		before, tail = w.ldsRow(r, data)
	case gcnFlat:
		before = w.ownOf(data)
		if !r.Flags.Has(amdgpu.FlagStore) && w.IntN(2) == 0 {
			before = w.reg("in")
		}
		tail = pickOne(w.Rand, "", " glc", " slc")
	case gcnBuffer:
		before, tail = w.bufferRow(r)
	case gcnSMem:
		before, _ = w.bufferRow(r)
		tail = pickOne(w.Rand, "", " glc")
	}
	return before, name + " " + strings.Join(ops, ", ") + tail
}

// ownOf returns an address in the memory that the block owns, with room for so many bytes. The
// memory behind it belongs to another block, which may write there at the same time.
func (w *gcnWriter) ownOf(bytes int) string {
	before := w.reg("own")
	if bytes > 8 {
		before = strings.Replace(before, "0x1f8", "0x1e8", 1)
	}
	return before
}

// rowOperand returns an operand: registers of the program, or a constant.
func (w *gcnWriter) rowOperand(k gcnKind, r *amdgpu.Row, s *amdgpu.Spec, enc amdgpu.Enc) string {
	n := s.Type.Dwords()
	regs := func(file string, most, step int) string {
		if n <= 1 {
			return fmt.Sprint(file, w.IntN(most))
		}
		at := w.IntN((most-n)/step+1) * step
		return fmt.Sprintf("%s[%d:%d]", file, at, at+n-1)
	}
	scalar := func() string { return regs("s", gcnRegs, min(4, max(1, n))) }
	inline := func() string { return pickOne(w.Rand, "0", "1", "-1", "64", "-16", "0.5", "1.0", "-2.0", "4.0") }
	literal := func() string {
		if s.Type.Is16() {
			return fmt.Sprintf("%#x", enginetest.RandomValue(w.Rand, ir.B16))
		}
		return fmt.Sprintf("%#x", enginetest.RandomValue(w.Rand, ir.B32))
	}
	switch s.Kind {
	case amdgpu.ClassVGPR:
		if s.Field == amdgpu.FieldADDR {
			if k == gcnFlat {
				return "v[12:13]"
			}
			return "v14"
		}
		if s.Field == amdgpu.FieldVADDR {
			return "v14"
		}
		return regs("v", gcnRegs, 1)
	case amdgpu.ClassSrc:
		switch w.IntN(8) {
		case 0:
			return inline()
		case 1:
			return scalar()
		case 2:
			if enc == amdgpu.E32 {
				return literal()
			}
		}
		return regs("v", gcnRegs, 1)
	case amdgpu.ClassSSrc, amdgpu.ClassSConst:
		switch w.IntN(6) {
		case 0:
			return inline()
		case 1:
			if s.Kind == amdgpu.ClassSSrc {
				return literal()
			}
		case 2:
			if n == 2 {
				return pickOne(w.Rand, "vcc", "exec")
			}
			return pickOne(w.Rand, "vcc_lo", "vcc_hi", "exec_lo", "exec_hi", "scc")
		}
		if s.Field == amdgpu.FieldSOFFSET {
			return pickOne(w.Rand, "0", "4", "8")
		}
		return scalar()
	case amdgpu.ClassSDst:
		if k == gcnMoved {
			return scalar()
		}
		if n == 2 {
			return pickOne(w.Rand, scalar(), scalar(), scalar(), "vcc", "exec")
		}
		return pickOne(w.Rand, scalar(), scalar(), scalar(), scalar(), "vcc_lo", "vcc_hi")
	case amdgpu.ClassSReg:
		if k == gcnBuffer || k == gcnSMem && n == 4 {
			if r.Flags.Has(amdgpu.FlagStore) {
				return "s[44:47]"
			}
			return pickOne(w.Rand, "s[32:35]", "s[44:47]")
		}
		if k == gcnSMem && s.Field == amdgpu.FieldSBASE {
			if r.Flags.Has(amdgpu.FlagStore) {
				return "s[22:23]"
			}
			return pickOne(w.Rand, "s[20:21]", "s[20:21]", "s[22:23]")
		}
		return scalar()
	case amdgpu.ClassSMask:
		if enc != amdgpu.E64 {
			return "vcc"
		}
		return w.reg("c")
	case amdgpu.ClassLane:
		return pickOne(w.Rand, fmt.Sprint("s", w.IntN(gcnRegs)), fmt.Sprint(w.IntN(64)))
	case amdgpu.ClassLit:
		return literal()
	case amdgpu.ClassSOff:
		return w.reg("o4")
	case amdgpu.ClassSImm16:
		return w.reg("k")
	}
	return "?" // the assembler refuses it
}

// ldsRow returns an address in the memory of the block, and an offset.
func (w *gcnWriter) ldsRow(r *amdgpu.Row, data int) (before, tail string) {
	switch {
	case r.Flags.Has(amdgpu.FlagSwizzle):
		return "", " offset:" + w.reg("o16")
	case r.Flags.Has(amdgpu.FlagCrossLane):
		return fmt.Sprintf("v_lshlrev_b32 v14, %d, %s\n", w.IntN(4), w.reg("y")), pickOne(w.Rand, "", " offset:"+w.reg("o4"))
	}
	mask := 0x3ff &^ (data - 1)
	if data >= 16 {
		mask = 0x3f0
	}
	before = fmt.Sprintf("v_and_b32 v14, %#x, %s\n", mask, pickOne(w.Rand, w.reg("y"), "v14", "v15", "v0"))
	switch {
	case r.Flags.Has(amdgpu.FlagStride64):
		tail = fmt.Sprintf(" offset0:%d offset1:%d", w.IntN(2), w.IntN(2))
	case r.Flags.Has(amdgpu.FlagTwoOffsets):
		tail = fmt.Sprintf(" offset0:%d offset1:%d", w.IntN(40), w.IntN(40))
	default:
		tail = fmt.Sprintf(" offset:%d", w.IntN(16)*max(16, data))
	}
	return before, tail
}

// bufferRow returns a buffer of the block's memory, of any format, and an address.
func (w *gcnWriter) bufferRow(r *amdgpu.Row) (before, tail string) {
	stride := pickOne(w.Rand, 0, 0, 4, 16)
	records := textOwnBytes
	if stride > 0 {
		records /= stride
	}
	data, num := pickOne(w.Rand, 4, 4, 1+w.IntN(14)), w.IntN(8)
	format := 0o7654 // the selects: x, y, z and w
	if w.IntN(3) == 0 {
		format = w.IntN(1 << 12)
	}
	before = fmt.Sprintf("s_mov_b64 s[44:45], s[22:23]\ns_and_b32 s45, s45, 0xffff\ns_or_b32 s45, s45, %#x\ns_movk_i32 s46, %d\ns_mov_b32 s47, %#x\nv_and_b32 v14, %#x, %s\n",
		stride<<16, records, format|num<<12|data<<15, pickOne(w.Rand, 0x1c, 0x1fc, 0x3fc), pickOne(w.Rand, w.reg("y"), "v14", "v15", "v0"))
	tail = pickOne(w.Rand, " offen", " offen", " idxen")
	if w.IntN(2) == 0 {
		tail += fmt.Sprintf(" offset:%d", 4*w.IntN(32))
	}
	tail += pickOne(w.Rand, "", "", " glc", " slc")
	if r.Format == amdgpu.MTBUF {
		tail = fmt.Sprintf(" dfmt:%d, nfmt:%d", data, num) + tail
	}
	return before, tail
}

// TestRowsAreMade checks that the programs contain every row that can be written.
func TestRowsAreMade(t *testing.T) {
	t.Parallel()
	w := &gcnWriter{writer: writer{Rand: rand.New(rand.NewPCG(1, 2))}}
	w.operand = w.reg
	for k, rows := range gcnRowsOf() {
		if k == gcnOther {
			continue
		}
		for _, r := range rows {
			made := false
			for try := 0; try < 200 && !made; try++ {
				_, text := w.ofRow(k, r)
				_, errs := asm.AssembleInsts(text, "k.s")
				if made = errs.Err() == nil; !made && try == 199 {
					t.Errorf("%s: %v", text, errs)
				}
			}
		}
	}
}

// TestRowsStayInTheirMemory checks that no row in FLAT accesses the memory of the next block. The
// blocks run at the same time, and results would depend on their order.
func TestRowsStayInTheirMemory(t *testing.T) {
	t.Parallel()
	w := &gcnWriter{writer: writer{Rand: rand.New(rand.NewPCG(3, 4))}}
	w.operand = w.reg
	owned := 0
	for _, r := range gcnRowsOf()[gcnFlat] {
		bytes := 0
		for i := range r.Operands {
			bytes = max(bytes, 4*r.Operands[i].Type.Dwords())
		}
		if strings.Contains(r.Name, "cmpswap") { // the value to compare with stands behind the new one
			bytes /= 2
		}
		for range 50 {
			before, text := w.ofRow(gcnFlat, r)
			var mask int
			if _, err := fmt.Sscanf(before, "v_and_b32 v14, 0x%x,", &mask); err != nil {
				t.Fatalf("%q: %v", before, err)
			}
			limit := 4096
			if strings.Contains(before, "s22") {
				limit, owned = textOwnBytes, owned+1
			}
			if mask+bytes > limit {
				t.Errorf("%s accesses %d bytes at up to %#x of %d", text, bytes, mask, limit)
			}
		}
	}
	if owned == 0 {
		t.Error("no row accesses the memory that its block owns")
	}
}
