package ptx

import (
	"slices"
	"strings"
	"sync"

	"example.org/crosslane/diag"
)

// maxCallChain is how many levels of inlining Origins follows.
const maxCallChain = 16

// maxOrigins is how many places Origins keeps of the functions that it was asked about.
const maxOrigins = 1 << 18

// Origins tells where the instructions of a module were compiled from (PTX 11.5.4). It is
// safe for concurrent use.
type Origins struct {
	m     *Module
	files map[int64]string // those of the .file directives, by number
	asm   asmSpans

	mu   sync.Mutex
	of   map[*Func]map[Pos][]diag.Pos
	kept int
}

// Origins reads what the module says of its sources.
func (m *Module) Origins() *Origins {
	o := &Origins{m: m, files: map[int64]string{}, of: map[*Func]map[Pos][]diag.Pos{}}
	if !m.debugInfo {
		return o
	}
	for _, it := range m.Items {
		if d, ok := it.(*Directive); ok && d.Name == ".file" && len(d.Args) >= 2 && d.Args[0].Kind == KindInt {
			o.files[int64(d.Args[0].Val)] = d.Args[1].Name
		}
	}
	o.asm = inlineAsm(m.Src)
	return o
}

// At returns where the instruction at a line and a column was compiled from, if it has a
// .loc directive in force: the line, then the calls that were inlined, innermost first.
func (o *Origins) At(line, col int32) []diag.Pos {
	f := o.m.funcAt(line, col)
	if f == nil || !o.m.debugInfo {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	at, ok := o.of[f]
	if !ok {
		at = o.read(f)
		if o.kept += len(at); o.kept > maxOrigins {
			clear(o.of)
			o.kept = len(at)
		}
		o.of[f] = at
	}
	return at[Pos{Line: line, Col: col}]
}

// read finds the origins of a function's instructions, by line and column.
func (o *Origins) read(f *Func) map[Pos][]diag.Pos {
	type place struct{ file, line, col int64 }
	out := map[Pos][]diag.Pos{}
	// The place of a call may itself be one in a function that was inlined: a .loc of
	// that place says so.
	calls := map[place]*Loc{}
	done := map[*Loc][]diag.Pos{}
	var first *Loc // of the block of inline assembly in hand
	within := 0    // its end
	f.Body().instrs(func(in *Instr) {
		l := in.Loc
		if l == nil {
			return
		}
		// LLVM gives each line of a statement of inline assembly a .loc of its own, one line
		// further each. The statement is where the first one says.
		if end := o.asm.end(int(in.Pos.Off)); end == 0 {
			first = nil
		} else if first == nil || end != within {
			first, within = l, end
		} else {
			l = first
		}
		if l.Inlined {
			calls[place{l.File, l.Line, l.Col}] = l
		}
		chain, ok := done[l]
		if !ok {
			at := place{l.File, l.Line, l.Col}
			for range maxCallChain {
				name := o.files[at.file]
				if name == "" || at.line <= 0 || at.line > 1<<31-1 {
					break // .loc 1 0 0: no line of the source
				}
				p := diag.Pos{File: name, Line: int(at.line)}
				if at.col > 0 && at.col < 1<<31 {
					p.Col = int(at.col)
				}
				chain = append(chain, p)
				c := calls[at]
				if len(chain) == 1 && !l.Inlined {
					break
				}
				if len(chain) == 1 {
					c = l
				}
				if c == nil {
					break
				}
				at = place{c.InlinedFile, c.InlinedLine, c.InlinedCol}
			}
			done[l] = chain
		}
		if len(chain) > 0 {
			out[Pos{Line: in.Pos.Line, Col: in.Pos.Col}] = chain
		}
	})
	return out
}

// asmSpans are the ends of the blocks of inline assembly in a text, by their beginnings.
type asmSpans [][2]int

const asmBegin, asmEnd = "// begin inline asm", "// end inline asm"

// inlineAsm finds the comments that compilers put around inline assembly.
func inlineAsm(src string) asmSpans {
	var spans asmSpans
	for at := 0; ; {
		i := strings.Index(src[at:], asmBegin)
		if i < 0 {
			return spans
		}
		begin := at + i
		n := strings.Index(src[begin:], asmEnd)
		if n < 0 {
			return spans
		}
		at = begin + n
		spans = append(spans, [2]int{begin, at})
	}
}

// end is where the block ends that holds an offset; 0 if none does.
func (s asmSpans) end(off int) int {
	i, _ := slices.BinarySearchFunc(s, off, func(span [2]int, off int) int { return span[1] - off })
	if i < len(s) && s[i][0] <= off {
		return s[i][1]
	}
	return 0
}
