package ptx

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/diag"
)

// operandText writes an operand that a form takes.
func operandText(v *variant, i int, pair bool) string {
	s, t := &v.ops[i], v.args[i]
	reg := func(t Type) string {
		if t == Pred {
			return fmt.Sprintf("p%d", i)
		}
		return fmt.Sprintf("r%d_%d", t.Bits(), i)
	}
	switch s.kind {
	case opAddr:
		if s.tensor {
			return "[" + reg(U32) + "]"
		}
		return "[ad]"
	case opImm:
		if s.multiple > 0 {
			return fmt.Sprint(s.multiple)
		}
		// f is the sparsity selector, which is 0 for the deepest shapes.
		if text := map[string]string{"size": "16", "line": "128", "registers": "24", "init": "0", "f": "0"}[s.name]; text != "" {
			return text
		}
		return "1"
	case opLabel:
		return "L"
	case opTarget:
		return "ts"
	case opCallee:
		return "f"
	case opFrag:
		n, _ := v.row.Do.frag(v, s.name)
		var parts []string
		for j := range n {
			parts = append(parts, fmt.Sprintf("%s_%s%d", reg(t), s.name, j))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case opAny:
		if t == NoType {
			t = v.typ
		}
		if s.name == "n" {
			t = U32
		}
		if t == NoType || s.typ == "addr" {
			t = U64
		}
		return reg(t)
	}
	var text string
	switch {
	case s.vectored(v):
		var parts []string
		for n := range s.elems(v) {
			parts = append(parts, fmt.Sprintf("%s_%d", reg(t), n))
		}
		text = "{" + strings.Join(parts, ", ") + "}"
	case s.kind == opSink:
		text = "_"
	case s.neg && pair:
		text = "!" + reg(t)
	default:
		text = reg(t)
	}
	if s.pairMust || s.pair != "" && pair {
		text += "|pp"
	}
	if s.selMust {
		text += ".h1"
	}
	return text
}

// tensorOperands writes the operands of a copy through a tensor map, which its row does not list.
func tensorOperands(v *variant) (args []string) {
	n, load := int(v.mod("dim")[0]-'0'), v.mod("load_mode")
	offsets := map[string]int{"im2col": n - 2, "im2col::w": 2, "im2col::w::128": 2}[load]
	if load == "tile::gather4" || load == "tile::scatter4" {
		n = 5
	}
	regs := func(n int) string {
		var l []string
		for i := range n {
			l = append(l, fmt.Sprintf("r16_%d", i))
		}
		return "{" + strings.Join(l, ", ") + "}"
	}
	list := func(n int) string { return "{" + strings.TrimSuffix(strings.Repeat("1, ", n), ", ") + "}" }
	both := "[map, " + list(n) + "]"
	switch {
	case v.has("completion_mechanism"):
		args = []string{"[ad]", both, "[ad]"}
	case v.says("shared::cta"):
		args = []string{both, "[ad]"}
	default:
		args = []string{both}
	}
	if offsets > 0 {
		args = append(args, regs(offsets))
	}
	if v.says("multicast::cluster") {
		args = append(args, "r16_8")
	}
	if v.says("L2::cache_hint") {
		args = append(args, "r64_9")
	}
	return args
}

// textureOperands writes the operands of an instruction of a texture or surface, which its row does not list.
func textureOperands(v *variant) (args []string) {
	list := func(value string, n int) string {
		return "{" + strings.TrimSuffix(strings.Repeat(value+", ", n), ", ") + "}"
	}
	regs := func(n int) string {
		var l []string
		for i := range n {
			l = append(l, fmt.Sprintf("d%d", i))
		}
		return "{" + strings.Join(l, ", ") + "}"
	}
	geom := v.mod("geom")
	if geom == "" { // txq, suq
		args = []string{"d0", "[hd]"}
		if v.says("level") {
			args = append(args, "1")
		}
		return args
	}
	n := geometries[geom].n
	texture := strings.HasPrefix(v.row.Form, "t")
	value := "1.0"
	if !texture || v.mod("ctype") == "s32" {
		value = "1"
	}
	at := list(value, n)
	if geometries[geom].array {
		at = "{1" + strings.TrimPrefix(at, "{"+value)
	}
	at = "[hd, " + at + "]"
	switch {
	case texture && v.says("f16x2"):
		args = []string{regs(2), at}
	case texture:
		args = []string{regs(4), at}
	case strings.HasPrefix(v.row.Form, "suld"):
		args = []string{regs(max(v.vec, 1)), at}
	case v.vec > 1:
		args = []string{at, regs(v.vec)}
	default:
		args = []string{at, "d0"}
	}
	switch v.mod("mipmap") {
	case "level":
		args = append(args, value)
	case "grad":
		args = append(args, list("1.0", n), list("1.0", n))
	}
	return args
}

// impliedTexts returns the operands of a row whose operands only its check knows: wgmma.mma_async, with A in shared
// memory, and tcgen05.mma.
func impliedTexts(v *variant) []string {
	if v.row.Do.implied == nil {
		return nil
	}
	if v.has("geom") || v.has("query") {
		return textureOperands(v)
	}
	if v.has("kind") { // tcgen05.mma, with A in Tensor Memory
		args := []string{"[ta]", "[ta]", "bb"}
		if v.says("sp") {
			args = append(args, "[ta]")
		}
		args = append(args, "ta")
		if strings.HasPrefix(v.mod("kind"), "kind::mx") {
			args = append(args, "[ta]", "[ta]")
		}
		return append(args, "pd")
	}
	var n, k int
	if fmt.Sscanf(v.mod("num"), "x%d", &n); n > 0 { // tcgen05.ld.red
		args := []string{"{" + strings.Repeat("d, ", n-1) + "d}", "e", "[ta]"}
		if strings.HasSuffix(v.mod("shape"), "x2") {
			args = append(args, "16")
		}
		return args
	}
	fmt.Sscanf(v.mod("shape"), "m64n%dk%d", &n, &k)
	if n /= 2; v.firstFormat() == "f16" {
		n /= 2
	}
	d := make([]string, n)
	for i := range d {
		d[i] = fmt.Sprintf("d%d", i)
	}
	args := []string{"{" + strings.Join(d, ", ") + "}", "aa", "bb"}
	if v.says("sp") {
		args = append(args, "ee", "0")
	}
	args = append(args, "pd")
	if v.firstFormat() != "s32" {
		args = append(args, "1", "1")
	}
	if a := v.lastFormat(); a == "f16" || a == "bf16" {
		args = append(args, "0", "0")
	}
	return args
}

// TestEveryVariantLifts writes every spelling of every row as an instruction, with and without the
// second destination and a guard, and lifts it. The result is valid IR, or a rule of the manual
// refuses the instruction.
func TestEveryVariantLifts(t *testing.T) {
	t.Parallel()
	refused := map[string]string{}
	lifted, count := 0, 0
	allVariants(func(r *row, op string, v *variant) {
		if r.Do.unsupported != "" || r.Do.inlines || op == "brx.idx" || op == "brx.idx.uni" {
			return // these need a function or a list of labels: see TestKernels
		}
		if strings.Count(op, "L1::")+strings.Count(op, "L2::") > 1 {
			return // hints are tried one at a time
		}
		count++
		if n := len(v.ops); n > 0 && v.ops[n-1].name == "policy" && v.ops[n-1].opt && !v.has("level::cache_hint") {
			v = r.choose(v.mods, r.least) // the policy operand belongs to the modifier
		}
		var args []string
		for i := range v.ops {
			args = append(args, operandText(v, i, count%2 == 0))
		}
		if r.rest && v.has("dim") {
			args = tensorOperands(v)
		}
		args = append(args, impliedTexts(v)...)
		guard := ""
		if count%3 == 0 {
			guard = "@gp "
		}
		src := guard + op + " " + strings.Join(args, ", ") + ";"
		if strings.HasPrefix(op, "bra") {
			src = "L: " + src
		}
		_, err := ParseTry("", src)
		if err == nil {
			lifted++
			return
		}
		d := diag.Of(err)[0]
		if d.Code == codeModifier || d.Class == diag.Unsupported && d.Code != "syntax" && !strings.Contains(d.Message, "cannot be translated") {
			refused[op] = d.Message
			return
		}
		t.Errorf("%s: %v", src, err)
	})
	// A refused spelling has one of a few reasons.
	reasons := map[string]int{}
	for op, m := range refused {
		switch {
		case strings.HasPrefix(op, "cvt."): // combinations of rounding and types: see TestCheckRefuses
		case strings.Contains(m, "accesses 256 bits, more than"), strings.Contains(m, "accesses 512 bits, more than"), strings.Contains(m, "accesses 1024 bits, more than"):
		case strings.Contains(m, "not supported for this address size"):
		case strings.Contains(m, "vectors of 8 parts"), strings.Contains(m, "which goes with accesses of 256 bits only"), strings.Contains(m, "which exclude each other"), strings.Contains(m, "goes with global memory only"):
		case strings.Contains(op, ".b128"), strings.Contains(op, "layout::v1"):
		case strings.Contains(m, "type must be the same as"), strings.Contains(m, ".dtype must be .f32"), strings.Contains(m, "goes with .ue8m0"), strings.Contains(m, "goes with .phase_type::primary"):
		case strings.Contains(m, ", which is for "): // modes of tensor copies have their numbers of dimensions
		case strings.HasPrefix(op, "cvta.") && strings.HasSuffix(op, ".u32"):
		default:
			reasons[op+": "+m]++
		}
	}
	var list []string
	for s := range reasons {
		list = append(list, s)
	}
	sort.Strings(list)
	for _, s := range list {
		t.Error(s)
	}
	if lifted < short.Of(8000, 4000) {
		t.Errorf("only %d of %d variants were lifted", lifted, count)
	}
	t.Logf("%d of %d variants lifted", lifted, count)
}
