package jit

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/internal/sim"
)

// Dump returns the result of one step of the translation for a launch, as text. The steps are "webs", the webs
// and their shapes; "alloc", machine instructions and the places of virtual registers; and "asm", the code as
// it runs.
func (p *Program) Dump(l *sim.Launch, what string) (string, error) {
	return Text(p.f, l, p.mode, p.e.half, p.e.code, what)
}

// Text is Program.Dump for a function that the interpreter has compiled, in a mode with a tier. It needs no
// processor that runs the code. half reports that the processor has instructions for f16. code is the
// approximate limit of the bytes of machine code.
func Text(f *ir.Func, l *sim.Launch, mode Mode, half bool, code int, what string) (string, error) {
	var m scratch
	m.limit(code)
	n, list, err := m.assemble(f, geometry(f, l, mode, half), mode.Tier)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	switch what {
	case "webs":
		sh := shape.Analyze(n.ssa)
		b.WriteString(n.ssa.Print(func(i int) string {
			s := sh.Describe(i)
			if i >= 0 && !n.sel.Native[i] {
				s += " called out"
			}
			return s
		}))
		b.WriteString(n.calledOut(f))
		b.WriteString(inMemory(n.ssa))
	case "alloc":
		n.sel.Name(n.ssa)
		if err := n.sel.LIR.Print(&b, n.sel.LIR.Code); err != nil {
			return "", err
		}
		n.regs.Print(&b)
	default:
		blocks := map[x64.Label]int{}
		for i, l := range n.sel.Blocks {
			blocks[l] = i
		}
		for i := range list {
			if in := &list[i]; in.Op == x64.LABEL || in.Op == x64.ENTRY {
				if blk, ok := blocks[in.Label]; ok {
					fmt.Fprintf(&b, "# block %d: %s\n", blk, f.Pos[f.Code[f.Blocks[blk].Start].Pos].Text)
				}
				fmt.Fprintf(&b, "%s\n", in)
				continue
			}
			fmt.Fprintf(&b, "\t%s\n", list[i])
		}
		b.WriteString(x64.PoolText(n.sel.LIR.Pool))
	}
	return b.String(), nil
}

// calledOut lists the operations that have no machine code, with their numbers.
func (n *translation) calledOut(f *ir.Func) string {
	count := map[string]int{}
	for i, ok := range n.sel.Native {
		if !ok {
			count[f.Code[i].Op.String()]++
		}
	}
	return counts("called out", count)
}

// inMemory lists the values that always live in memory, because their webs are aliased.
func inMemory(f *webs.Func) string {
	count := map[string]int{}
	for w := 1; w < len(f.Webs); w++ {
		if f.Has(webs.Web(w), webs.Aliased) {
			count[f.Name(webs.Web(w))] = int(f.Webs[w].Uses + f.Webs[w].Defs)
		}
	}
	return counts("in memory", count)
}

// counts prints names with their counts, the highest count first. The order of equal counts is that of the
// names, so that the text is deterministic.
func counts(title string, count map[string]int) string {
	if len(count) == 0 {
		return ""
	}
	names := make([]string, 0, len(count))
	for n := range count {
		names = append(names, n)
	}
	slices.Sort(names)
	slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
	var b strings.Builder
	b.WriteString(title + ":")
	for _, n := range names {
		fmt.Fprintf(&b, " %s %d", n, count[n])
	}
	return b.String() + "\n"
}
