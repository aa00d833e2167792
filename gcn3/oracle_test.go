package gcn3

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// The oracle is llvm-mc of LLVM 22. Set CROSSLANE_REQUIRE_ORACLES=1 to fail
// without it, and to compare 1000 random choices of every row instead of a few.
func oracle(t *testing.T) (mc string, perRow int) {
	t.Helper()
	require := os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1"
	mc, err := exec.LookPath("llvm-mc-22")
	if err != nil {
		if require {
			t.Fatal("llvm-mc-22 is required by CROSSLANE_REQUIRE_ORACLES, and missing")
		}
		t.Skip("llvm-mc-22 is not installed")
	}
	if require {
		return mc, 1000
	}
	return mc, 10
}

// llvmLines runs llvm-mc on lines, and returns the lines it printed and, for the
// lines it refused (1-based), why.
func llvmLines(t *testing.T, mc string, lines []string, args ...string) (out []string, refused map[int]string) {
	t.Helper()
	cmd := exec.Command(mc, append([]string{"-triple=amdgcn", "-mcpu=fiji"}, args...)...)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // it fails if it refuses any line
	refused = map[int]string{}
	for _, m := range regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: (?:error|warning): (.*)$`).FindAllStringSubmatch(stderr.String(), -1) {
		n, _ := strconv.Atoi(m[1])
		if strings.HasPrefix(m[2], "Can't encode literal as exact") {
			continue // a warning about precision
		}
		refused[n] = m[2]
	}
	if strings.Contains(stderr.String(), "PLEASE submit a bug report") {
		t.Fatalf("llvm-mc crashed: %s", stderr.String()[max(0, stderr.Len()-3000):])
	}
	for _, l := range strings.Split(stdout.String(), "\n") {
		l = strings.Join(strings.Fields(l), " ")
		if l != "" && !strings.HasPrefix(l, ".") && !strings.HasPrefix(l, "; fixup") {
			out = append(out, l)
		}
	}
	return out, refused
}

// llvmDisassemble returns LLVM's text of each instruction, "" if it refuses it.
func llvmDisassemble(t *testing.T, mc string, words [][]byte) []string {
	t.Helper()
	lines := make([]string, len(words))
	for i, w := range words {
		var b strings.Builder
		b.WriteByte('[')
		for _, c := range w {
			fmt.Fprintf(&b, "0x%02x ", c)
		}
		lines[i] = b.String() + "]"
	}
	out, refused := llvmLines(t, mc, lines, "-disassemble")
	all := spread(t, out, refused, len(words))
	for i := range all {
		// A comment in the text marks what the target does not have.
		if strings.Contains(all[i], "/*") {
			all[i] = ""
		}
	}
	return all
}

var encodingComment = regexp.MustCompile(`^(.*?) ; encoding: \[(.*)\]$`)

// llvmAssemble returns LLVM's bytes of each line, nil if it refuses it.
func llvmAssemble(t *testing.T, mc string, lines []string) ([][]byte, map[int]string) {
	t.Helper()
	out, refused := llvmLines(t, mc, lines, "-show-encoding")
	bytes := make([][]byte, len(lines))
	for i, l := range spread(t, out, refused, len(lines)) {
		if l == "" {
			continue
		}
		m := encodingComment.FindStringSubmatch(l)
		if m == nil {
			t.Fatalf("line %q of llvm-mc has no encoding", l)
		}
		bytes[i], _ = hex.DecodeString(strings.NewReplacer("0x", "", ",", "").Replace(m[2]))
	}
	return bytes, refused
}

// spread puts the printed lines where the accepted lines are.
func spread(t *testing.T, out []string, refused map[int]string, n int) []string {
	t.Helper()
	if len(out)+len(refused) != n {
		t.Fatalf("llvm-mc printed %d lines and refused %d of %d", len(out), len(refused), n)
	}
	all := make([]string, n)
	for i, k := 0, 0; i < n; i++ {
		if refused[i+1] == "" {
			all[i] = out[k]
			k++
		}
	}
	return all
}

// report collects mismatches and shows a few of each kind.
type report struct {
	kinds map[string][]string
}

func (r *report) add(kind, format string, args ...any) {
	if r.kinds == nil {
		r.kinds = map[string][]string{}
	}
	r.kinds[kind] = append(r.kinds[kind], fmt.Sprintf(format, args...))
}

func (r *report) fail(t *testing.T) {
	t.Helper()
	var ks []string
	for k := range r.kinds {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	for i, k := range ks {
		if i > 60 {
			t.Errorf("… and %d kinds more", len(ks)-i)
			break
		}
		l := r.kinds[k]
		t.Errorf("%s: %d mismatches, such as\n\t%s", k, len(l), strings.Join(l[:min(3, len(l))], "\n\t"))
	}
}

// randomInsts makes n random instructions of each row, spread over its encodings.
func randomInsts(t *testing.T, seed uint64, n int) []Inst {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var ins []Inst
	for _, row := range Rows() {
		var es []Enc
		for e := E32; e <= EncSDWA; e++ {
			if row.Encs.Has(e) {
				es = append(es, e)
			}
		}
		k := n
		if len(row.Operands) == 0 && len(row.encs[E32].mods) == 0 {
			k = 2
		}
		for i := range k {
			in, ok := randomInst(r, row, es[i%len(es)])
			if !ok {
				t.Fatalf("no random instruction of %s_%v: %s", row.Name, in.Enc, in.Check())
			}
			ins = append(ins, in)
		}
	}
	return ins
}

// TestOracleDisassemble compares the text of random legal instructions of every
// row.
func TestOracleDisassemble(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	ins := randomInsts(t, 1, perRow)
	words := make([][]byte, len(ins))
	for i := range ins {
		b, err := Encode(&ins[i])
		if err != nil {
			t.Fatalf("%+v: %v", ins[i], err)
		}
		words[i] = b
		back, n, err := Decode(b)
		if err != nil || n != len(b) || back != ins[i] {
			t.Fatalf("% x: decoded %q, %d, %v; want %q", b, Print(&back), n, err, Print(&ins[i]))
		}
	}
	var rep report
	for i, want := range llvmDisassemble(t, mc, words) {
		if got := Print(&ins[i]); got != want && allowedText(&ins[i], got, want) == "" {
			rep.add(ins[i].Row.Name+"_"+ins[i].Enc.String(), "% x: %q, LLVM %q", words[i], got, want)
		}
	}
	rep.fail(t)
}

// allowedText gives the reason why our text may differ from LLVM's, "" if there is
// none.
func allowedText(in *Inst, got, want string) string {
	switch {
	case wideLiteral(in):
		return "LLVM prints all or half of a 16-bit operand's literal that has high bits"
	}
	return ""
}

// wideLiteral reports whether a 16-bit operand is a literal with more bits.
func wideLiteral(in *Inst) bool {
	for i, o := range in.Operands() {
		if o.Kind == KindLiteral && in.Row.Operands[i].Type.Is16() && o.Imm>>16 != 0 {
			return true
		}
	}
	return false
}

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

// assembled compares what we make of a line with what LLVM makes of it.
func (r *report) assembled(in *Inst, line string, want []byte, refused string) {
	got, err := ParseInst(line, ParseOptions{})
	var b []byte
	if err == nil {
		b, err = Encode(&got)
	}
	if bytes.Equal(b, want) || allowedBytes(in, line, b, want, err) != "" {
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

// allowedBytes gives the reason why our bytes may differ from LLVM's, "" if there
// is none.
func allowedBytes(in *Inst, line string, got, want []byte, err error) string {
	if want == nil {
		switch ours, _, _ := Decode(got); {
		case wideLiteral(in):
			return "LLVM refuses to assemble a 16-bit operand's literal that has high bits"
		case ours.Row != nil && sameWords(line, Print(&ours)):
			return "we take modifiers in any order"
		case in.Row.Format == SOPP || in.Row.Format == SOPC && strings.Contains(line, "lit("):
			return "LLVM takes no lit() as a special immediate"
		case strings.Contains(line, ", scc"):
			return "LLVM takes scc for a modifier of other GPUs here"
		}
		return ""
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

// TestOracleDPP compares all 512 DPP controls, with all masks.
func TestOracleDPP(t *testing.T) {
	t.Parallel()
	mc, _ := oracle(t)
	var words [][]byte
	for ctrl := range 512 {
		for k := range 32 {
			w := uint64(0x020204fa) | uint64(5)<<32 | uint64(ctrl)<<40 | uint64(k&1)<<51 | uint64(k*7&15)<<56 | uint64(k/2)<<60
			words = append(words, binary.LittleEndian.AppendUint64(nil, w))
		}
	}
	var rep report
	var lines []string
	for i, want := range llvmDisassemble(t, mc, words) {
		in, _, err := Decode(words[i])
		got := ""
		if err == nil {
			got = Print(&in)
			lines = append(lines, got)
		}
		if got != want {
			rep.add(fmt.Sprintf("control 0x%x", i/32), "%q (%v), LLVM %q", got, err, want)
		}
	}
	want, _ := llvmAssemble(t, mc, lines)
	for i, l := range lines {
		rep.assembled(&Inst{Row: LookUp("v_add_f32"), Enc: EncDPP}, l, want[i], "")
	}
	rep.fail(t)
}

// TestOracleSwizzle compares all 65,536 patterns of ds_swizzle_b32.
func TestOracleSwizzle(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	var words [][]byte
	for v := 0; v < 1<<16; v++ {
		if perRow < 100 {
			v += 12 // a thirteenth of them when there is little time
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
		exact, err := ParseInst(Printer{Exact: true}.Print(&in), ParseOptions{})
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

// crashesLLVM reports the words on which llvm-mc 22 fails an assertion: a literal
// in VOP3 (even as a scalar destination), MUBUF or MTBUF, and reserved SDWA
// selections.
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
	if f := lo >> 26; f == 0b111000 || f == 0b111010 {
		return w>>56 == regLiteral
	}
	if lo>>31 == 0 && lo&0x1ff == regSDWA {
		return w>>40&7 == 7 || w>>43&3 == 3 || w>>48&7 == 7 || w>>56&7 == 7
	}
	return false
}

// TestOracleRandomWords compares random words, most of them with the leading bits
// of a format.
func TestOracleRandomWords(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	r := rand.New(rand.NewPCG(3, 1))
	var words [][]byte
	for range perRow*250 + 5000 {
		w := r.Uint64()
		if f := Format(1 + r.IntN(int(MTBUF))); r.IntN(8) != 0 {
			for _, b := range layouts[f].fields {
				if b.ID == FieldEnc {
					w = w&^b.mask() | b.Value<<b.Lo
				}
			}
			if r.IntN(2) == 0 { // few bits, so that reserved ones are often 0
				w &= r.Uint64() | 0xffff0000
			}
		}
		if lo := uint32(w); lo>>31 == 0 && r.IntN(3) == 0 {
			w = w&^0x1ff | uint64(regSDWA+r.IntN(2))
		}
		if crashesLLVM(w) {
			continue
		}
		b := binary.LittleEndian.AppendUint64(nil, w)
		_, n, err := Decode(append(b, 1, 2, 3, 4))
		if err != nil {
			f, op := classify(uint32(w))
			if lo := uint32(w); lo>>26 < 0b110000 && (lo&0xff == regLiteral || lo>>8&0xff == regLiteral || takesLiteral(f, op)) {
				continue // llvm-mc fails an assertion if a literal is missing
			}
			n = 4 * max(1, int(layouts[f].dwords))
			var row *Row
			if byOp[f] != nil {
				row = byOp[f][op].row
			}
			if lo := uint32(w); lo>>31 == 0 && (lo&0x1ff == regSDWA || lo&0x1ff == regDPP) && row != nil && len(row.Operands) > 0 {
				n = 8
			}
		}
		words = append(words, append(b, 1, 2, 3, 4)[:n])
	}
	var rep report
	both := 0
	for i, want := range llvmDisassemble(t, mc, words) {
		in, _, err := Decode(words[i])
		got := ""
		if err == nil {
			got = Print(&in)
		}
		if got == want {
			both++
			continue
		}
		if err == nil && allowedText(&in, got, want) != "" || err != nil && allowedRefusal(words[i], err, want) != "" {
			continue
		}
		kind := in.kind()
		if err != nil {
			kind = "refused: " + strings.Fields(want + " ?")[0]
		}
		rep.add(kind, "% x: %q (%v), LLVM %q", words[i], got, err, want)
	}
	t.Logf("%d of %d words agree", both, len(words))
	rep.fail(t)
}

func takesLiteral(f Format, op uint32) bool {
	if byOp[f] == nil || byOp[f][op].row == nil {
		return false
	}
	for _, s := range byOp[f][op].row.Operands {
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

// allowedRefusal gives the reason why we refuse words that LLVM decodes.
func allowedRefusal(w []byte, err error, want string) string {
	msg := err.Error()
	if strings.Contains(msg, "must be 0 in") {
		clean := usedBits(w)
		in, _, err := Decode(append(clean, 1, 2, 3, 4))
		if strings.Contains(want, "_store_") && strings.HasSuffix(want, " tfe") {
			return "LLVM's disassembler does not know the rule of its assembler, that tfe is for loads"
		}
		if strings.HasPrefix(want, "flat_") {
			// LLVM knows offsets and accumulation registers of other GPUs.
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
		{"no GCN3 encoding that is known", "v_interp_", "graphics instructions are not known here"},
		{"no GCN3 encoding that is known", "exp", "graphics instructions are not known here"},
		{"no GCN3 encoding that is known", "image_", "graphics instructions are not known here"},
		{"VOP3A has no opcode", "v_interp_", "graphics instructions are not known here"},
		{"dst_sel must be DWORD", "v_mac_", "LLVM's disassembler does not know the rule of its assembler"},
		{"VDST is", "null", "LLVM knows registers of other GPUs"},
		{"the last VGPR is v255", ":25", "LLVM prints VGPRs that do not exist"},
		{"must be a VGPR", "src_", "LLVM knows sources of other GPUs"},
		{"it has no source", "v_nop", "LLVM ignores SRC0 of v_nop"},
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

// usedBits clears the bits of an instruction that it does not use.
func usedBits(b []byte) []byte {
	var w uint64
	for i, c := range b[:min(8, len(b))] {
		w |= uint64(c) << (8 * i)
	}
	f, op := classify(uint32(w))
	e := byOp[f][op].enc
	if f == VOP1 || f == VOP2 || f == VOPC {
		switch w & 0x1ff {
		case regSDWA:
			e = EncSDWA
		case regDPP:
			e = EncDPP
		}
	}
	clean := binary.LittleEndian.AppendUint64(nil, w&byOp[f][op].row.encs[e].used)
	return clean[:min(len(b), 8)]
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
