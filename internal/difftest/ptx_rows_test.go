package difftest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/ptx"
)

// This file makes instructions in PTX from the forms of the table. They include forms that the
// templates of ptx_random_test.go leave out.

// targetBits is the first bit of textProgram.mode that holds the target of a program in PTX.
const targetBits = 15

// ptxTargets are the headers of programs.
var ptxTargets = [...]string{".version 8.6\n.target sm_100\n", ".version 9.3\n.target sm_120a\n", ".version 9.3\n.target sm_103a\n"}

// ptxElsewhere are mnemonics of instructions that branch, wait for other lanes, end the program, or
// need features that a program of one kernel lacks.
var ptxElsewhere = []string{"alloca", "applypriority", "bar", "barrier", "bra", "brkpt", "brx", "call", "clusterlaunchcontrol", "discard", "exit", "fabric", "griddepcontrol", "istypep", "mapa", "mbarrier", "nanosleep", "pmevent", "ret",
	"setmaxnreg", "stackrestore", "stacksave", "suld", "suq", "sured", "sust", "tcgen05", "tensormap", "tex", "tld4", "trap", "txq", "wgmma"}

var ptxForms = sync.OnceValue(func() []ptx.Form {
	return slices.DeleteFunc(ptx.Forms(), func(f ptx.Form) bool {
		return slices.Contains(ptxElsewhere, f.Mnemonic) || strings.Contains(f.Syntax, "...") || strings.Contains(f.Syntax, "mbar") || strings.Contains(f.Syntax, ".tensor") || strings.Contains(f.Syntax, ".async.bulk")
	})
})

var (
	ptxGroup = regexp.MustCompile(`\{[^{}]*\}|\.[^.{} ]+`)
	ptxTypes = regexp.MustCompile(`^(2?)(v[248])?([usbf]|bf|pred|any|imm|frag)(8|16|32|64|16x2|32x2|8x4|8x2|2|5|)$`)
)

// ptxRows holds, for each target, templates of instructions of the table's forms, with the
// instructions before them.
var ptxRows = sync.OnceValue(func() (list [len(ptxTargets)][]string) {
	w := &ptxWriter{writer: writer{Rand: rand.New(rand.NewPCG(3, 4))}}
	w.operand = w.reg
	forms := ptxForms()
	for i := range forms {
		tries := 12
		if strings.Contains(forms[i].Syntax, ":frag") { // the number of registers of a part is random
			tries = 300
		}
		var found [len(ptxTargets)]int
		for ; tries > 0 && slices.Max(found[:]) < 3; tries-- {
			t := w.ofForm(&forms[i])
			if t == "" || tries > 12 && !w.is(1, t) { // most templates have wrong parts
				continue
			}
			for target := range list {
				// A text that a rule of the manual refuses is not an instruction.
				if w.is(target, t) {
					list[target] = append(list[target], t)
					found[target]++
				}
			}
		}
	}
	return list
})

// row writes an instruction of a form of the table, and the instructions before it.
func (w *ptxWriter) row() {
	rows := ptxRows()[w.target]
	t := rows[w.IntN(len(rows))]
	if at := strings.LastIndexByte(t, '\n') + 1; w.IntN(4) == 0 && !strings.Contains(t, ".sync") {
		t = t[:at] + "@{!p} " + t[at:]
	}
	w.fill(t)
}

// is reports whether a kernel for a target may have an instruction of a template.
func (w *ptxWriter) is(target int, template string) bool {
	w.fill(template)
	text := specialRegister.ReplaceAllString(w.lines[0], "%r1") // programs read special registers at any place: see program
	w.lines = nil
	m, errs := ptx.Parse("k.ptx", ptxTargets[target]+".address_size 64\n.visible .entry k(.param .u64 in)\n{\n"+ptxRegisters+text+"\nret;\n}\n")
	if errs.Err() != nil {
		return false
	}
	_, err := ptx.Lift(m, "k")
	return err == nil
}

var specialRegister = regexp.MustCompile(`%(n?tid|n?ctaid)\.[xyz]|%laneid|%lanemask_\w+|%n?warpid`)

// ptxRegisters are the declarations of programs.
const ptxRegisters = `	.reg .b32 %r<10>, %a<4>, %i<4>, %k<2>, %fuel, %mask, %lane, %sh;
	.reg .b32 %n<2>, %t<2>, %x<3>, %y<3>;
	.reg .b64 %d<10>, %b<4>, %q<3>, %s<3>, %in, %out, %own, %acc, %c4, %c8;
	.reg .b16 %h<10>;
	.reg .pred %p<6>;
	.shared .align 16 .b8 sm[1024];
	.shared .align 8 .b8 mb[8];
	.local .align 16 .b8 lm[32];
`

// ptxAsync are templates of asynchronous copies, and of waits for them. The barrier is in mb, which
// no other instruction accesses.
var ptxAsync = []string{
	"mbarrier.arrive.shared.b64 %b1, [mb];\nmbarrier.test_wait.shared.b64 {p}, [mb], %b1;", "mbarrier.arrive{/.release.cta}.shared{/::cta}.b64 _, [mb];", "mbarrier.test_wait.parity.shared.b64 {p}, [mb], {0/1};", "mbarrier.try_wait.parity.shared.b64 {p}, [mb], {0/1}, 20;",
	"mbarrier.arrive.shared.b64 %b1, [mb];\nmbarrier.pending_count.b64 {r}, %b1;", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [mb], {16/4};\nmbarrier.complete_tx.relaxed.cta.shared::cta.b64 [mb], {16/4};", "@{!p} mbarrier.arrive.shared.b64 _, [mb];",
	"and.b32 %a0, {R}, 4080;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %in;\nand.b32 %a1, {R}, 1008;\nadd.u32 %a1, %a1, %sh;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [mb], 16;\ncp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%a1], [%b0], 16, [mb];",
	"and.b32 %a0, {R}, 4080;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %in;\nand.b32 %a1, {R}, 1008;\nadd.u32 %a1, %a1, %sh;\n{!}cp.async.{ca.shared.global [%a1], [%b0], 4/ca.shared.global [%a1], [%b0], 8/cg.shared.global [%a1], [%b0], 16/ca.shared.global [%a1], [%b0], 16, 5};\ncp.async.{wait_all/commit_group};\nld.shared.u32 {r}, [%a1];",
	"cp.async.wait_group {0/1};", "cp.async.mbarrier.arrive{/.noinc}.shared.b64 [mb];",
	"and.b32 %a0, {R}, 496;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %own;\nand.b32 %a1, {R}, 1008;\nadd.u32 %a1, %a1, %sh;\n{!}cp.async.bulk.global.shared::cta.bulk_group [%b0], [%a1], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group{/.read} 0;\nld.global.u32 {r}, [%b0];",
	"and.b32 %a0, {R}, 496;\ncvt.u64.u32 %b0, %a0;\nadd.u64 %b0, %b0, %own;\nand.b32 %a1, {R}, 1008;\nadd.u32 %a1, %a1, %sh;\ncp.reduce.async.bulk.global.shared::cta.bulk_group.{add.u32/min.s32/xor.b32/max.u64} [%b0], [%a1], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
	"and.b32 %a1, {R}, 1008;\nadd.u32 %a1, %a1, %sh;\nst.bulk.weak.shared::cta [%a1], {8/16}, 0;", "fence.proxy.async;", "fence.{acq_rel/sc}.{cta/gpu};",
}

// ptxRare are templates of rare instructions: private memory on the stack, addresses of the
// cluster, sleep, and hints.
var ptxRare = []string{
	"mov.u32 %a1, {16/32};\nstacksave.u32 %a0;\nalloca.u32 %a1, %a1;\nst.local.u32 [%a1], {R};\n{!}st.local.u32 [%a1+4], {R};\nld.local.u32 {r}, [%a1];\nstackrestore.u32 %a0;",
	"stacksave.u64 %b0;\nand.b32 %a0, {R}, 31;\nadd.u32 %a0, %a0, 4;\ncvt.u64.u32 %b1, %a0;\nalloca.u64 %b1, %b1, 16;\nst.local.u32 [%b1], {R};\n{!}ld.local.u32 {r}, [%b1];\nstackrestore.u64 %b0;",
	"mapa.shared::cluster.u32 %a1, %sh, 0;\n{!}ld.shared::cluster.u32 {r}, [%a1+{n4}];", "cvt.u64.u32 %b0, %sh;\ncvta.shared.u64 %b0, %b0;\nmapa.u64 %b0, %b0, 0;\n{!}st.u32 [%b0+{n4}], {R};\nld.u32 {r}, [%b0+{n4}];",
	"{!}nanosleep.u32 {0/20};", "{!}nanosleep.u32 {r};", "discard.global.L2 [%own], 128;", "applypriority.global.L2::evict_normal [%in], 128;", "pmevent 3;", "griddepcontrol.{launch_dependents/wait};",
}

// ofForm returns a template of a form, with random modifiers and kinds of operands, and with
// addresses in memory of the program. It returns "" if the combination is not valid.
func (w *ptxWriter) ofForm(f *ptx.Form) string {
	opcode, operands, _ := strings.Cut(f.Syntax, " ")
	chosen := map[string]string{}
	var parts []string
	choose := func(part string) {
		for _, c := range f.Classes {
			if c.Name == "."+part {
				part = pickOne(w.Rand, c.Alts...)
				chosen[c.Name[1:]] = part
				break
			}
		}
		parts = append(parts, part)
	}
	mnemonic, _, _ := strings.Cut(opcode, ".")
	mnemonic = strings.TrimSuffix(mnemonic, "{")
	rest := opcode[len(mnemonic):]
	for _, g := range ptxGroup.FindAllString(rest, -1) {
		if g[0] == '{' {
			if w.IntN(2) == 0 {
				continue
			}
			g = g[1 : len(g)-1]
		}
		for _, part := range strings.Split(g, ".")[1:] {
			choose(part)
		}
	}
	opcode = strings.Join(append([]string{mnemonic}, parts...), ".")
	if strings.Count(opcode, "L1::")+strings.Count(opcode, "L2::") > 1 || strings.Contains(opcode, "cache_hint") {
		return "" // hints
	}
	standard := chosen["type"]
	for i := len(parts) - 1; i >= 0 && standard == ""; i-- {
		if ptxTypes.MatchString(parts[i]) {
			standard = parts[i]
		}
	}
	var list []string
	lines := ""
	for i, o := range splitOperands(operands) {
		before, text := w.formOperand(o, i, mnemonic, opcode, chosen, standard)
		if text == "" {
			return ""
		}
		lines += before
		list = append(list, text)
	}
	return lines + opcode + " " + strings.Join(list, ", ") + ";"
}

// splitOperands splits the operands of a form, and leaves out optional operands.
func splitOperands(s string) (list []string) {
	for {
		at := strings.Index(s, "{,")
		if at < 0 {
			break
		}
		end := strings.IndexByte(s[at:], '}')
		s = s[:at] + s[at+end+1:]
	}
	s = strings.ReplaceAll(s, "{.unified}", "")
	for o := range strings.SplitSeq(s, ", ") {
		if o != "" {
			list = append(list, o)
		}
	}
	return list
}

// ptxAccess returns the number of bytes of a memory access, and its state space.
func ptxAccess(opcode string, chosen map[string]string, standard string) (bytes int, space string) {
	bytes = 4
	if m := ptxTypes.FindStringSubmatch(standard); m != nil {
		if n, err := strconv.Atoi(strings.TrimSuffix(m[4], "x2")); err == nil {
			bytes = n / 8
		}
		if strings.HasSuffix(m[4], "x2") {
			bytes *= 2
		}
	}
	if v := chosen["vec"]; v != "" {
		bytes *= int(v[1] - '0')
	}
	for _, s := range []string{"shared", "local", "const", "param"} {
		if strings.Contains(opcode, "."+s) {
			return bytes, s
		}
	}
	return bytes, "global"
}

// formOperand returns operand i of a form, and the instructions that compute its address; "" if it
// has no operand here. standard is the type of operands that do not name a type.
func (w *ptxWriter) formOperand(o string, i int, mnemonic, opcode string, chosen map[string]string, standard string) (before, text string) {
	if strings.HasPrefix(o, "[") {
		bytes, space := ptxAccess(opcode, chosen, standard)
		if _, s, ok := strings.Cut(o, "]:"); ok {
			space = s
			bytes = 16
		}
		switch mnemonic {
		case "ldmatrix", "stmatrix":
			bytes, space = 16, "shared"
		case "wmma": // a matrix is at one address, which is the same in all lanes
			if space == "shared" {
				return "", "[%sh]"
			}
			if strings.HasPrefix(opcode, "wmma.load") {
				return "", "[%in]"
			}
			return "", "[%own]"
		}
		switch space {
		case "shared":
			return fmt.Sprintf("and.b32 %%a%d, {r}, %d;\nadd.u32 %%a%d, %%a%d, %%sh;\n", i, 1023&^(bytes-1), i, i), fmt.Sprintf("[%%a%d]", i)
		case "local":
			return "", fmt.Sprintf("[lm+%d]", w.IntN(32)&^(bytes-1))
		case "global":
			base, mask := "own", 511
			what := strings.TrimPrefix(opcode, "multimem.")
			if !strings.HasPrefix(what, "st") && !strings.HasPrefix(what, "atom") && !strings.HasPrefix(what, "red") && w.IntN(2) == 0 {
				base, mask = "in", 4095
			}
			return fmt.Sprintf("and.b32 %%a%d, {r}, %d;\ncvt.u64.u32 %%b%d, %%a%d;\nadd.u64 %%b%d, %%b%d, %%%s;\n", i, mask&^(bytes-1), i, i, i, i, base), fmt.Sprintf("[%%b%d]", i)
		}
		return "", ""
	}
	name, typ, ok := strings.Cut(o, ":")
	if !ok {
		typ = standard
	} else if typ == "2type" {
		typ = "2" + standard
	} else if c := chosen[typ]; c != "" {
		typ = c
	}
	not := strings.HasPrefix(name, "{!}")
	name = strings.TrimPrefix(name, "{!}")
	if name == "membermask" {
		return "activemask.b32 %mask;\n", "%mask"
	}
	second := ""
	if at := strings.Index(name, "[|"); at >= 0 || strings.Contains(name, "|") {
		name, _, _ = strings.Cut(strings.ReplaceAll(name, "[|", "|"), "|")
		if at < 0 || w.IntN(2) == 0 {
			second = "|%p5"
		}
	}
	writes := i == 0 && name != "a"
	switch {
	case slices.Contains([]string{"p", "q"}, name) && !ok || mnemonic == "setp" && i == 0 || not || typ == "pred":
		if not {
			return "", "{!p}"
		}
		return "", "{p}" + second
	case name == "_":
		return "", "_"
	}
	m := ptxTypes.FindStringSubmatch(typ)
	if m == nil {
		switch { // small floats
		case strings.HasSuffix(typ, "x4"):
			m = []string{"", "", "", "b", "32"}
		case strings.HasSuffix(typ, "x2"):
			m = []string{"", "", "", "b", "16"}
		default:
			return "", ""
		}
	}
	size := map[string]string{"8": "h", "16": "h", "32": "r", "64": "d", "16x2": "r", "8x4": "r", "32x2": "d", "8x2": "h", "": "r"}[m[4]]
	if m[1] == "2" {
		size = map[string]string{"h": "r", "r": "d"}[size]
	}
	vector := func(n int, kind string) string {
		var regs []string
		for range n {
			regs = append(regs, "{"+kind+"}")
		}
		if writes { // distinct registers
			from := w.IntN(3)
			for k := range regs {
				regs[k] = fmt.Sprintf("%%%s%d", kind, (from+k)%map[string]int{"r": 8, "d": 4, "h": 4}[kind])
			}
		}
		return "<" + strings.Join(regs, ", ") + ">"
	}
	switch m[3] {
	case "imm":
		return "", fmt.Sprint(pickOne(w.Rand, 0, 1, 2, 4, 8, 16, w.IntN(32), w.IntN(256)))
	case "frag":
		kind := "r"
		if strings.Contains(opcode, "f64") {
			kind = "d"
		}
		n := pickOne(w.Rand, 1, 2, 4, 8)
		if kind == "d" {
			n = min(n, 4)
		}
		return "", vector(n, kind)
	case "any":
		size = pickOne(w.Rand, "r", "d")
	}
	if v := m[2]; v != "" {
		return "", vector(int(v[1]-'0'), size)
	}
	if v := chosen["vec"]; v != "" && !ok && (i == 0) == writes {
		return "", vector(int(v[1]-'0'), size)
	}
	if !writes && size != "" && m[4] != "8" && m[3] != "any" && mnemonic[0] != 'v' { // a constant would have to fit, and could not have .x
		switch {
		case m[3] == "f" && m[4] == "32":
			size = "F"
		case m[3] == "f" && m[4] == "64":
			size = "G"
		case m[3] != "f" && m[3] != "bf" && w.IntN(3) == 0:
			size = strings.ToUpper(size)
		}
	}
	if size == "" {
		return "", ""
	}
	return "", "{" + size + "}" + second
}

// TestFormsAreMade checks that the programs contain most of the forms that can be written.
func TestFormsAreMade(t *testing.T) {
	t.Parallel()
	made := map[string]bool{}
	for target, rows := range ptxRows() {
		t.Logf("%d for%s", len(rows), strings.ReplaceAll(ptxTargets[target], "\n", " "))
		for _, row := range rows {
			line := row[strings.LastIndexByte(row, '\n')+1:]
			mnemonic, _, _ := strings.Cut(strings.Fields(line)[0], ".")
			made[mnemonic] = true
		}
		if len(rows) < 500 {
			t.Errorf("of target %d there are %d templates", target, len(rows))
		}
	}
	var missing []string
	for _, f := range ptxForms() {
		if !made[f.Mnemonic] {
			missing = append(missing, f.Mnemonic)
			made[f.Mnemonic] = true
		}
	}
	// Vectors of unusual kinds, parts of registers, and forms that need an older target.
	if t.Log(missing); len(missing) > 20 {
		t.Error("those are many")
	}
}
