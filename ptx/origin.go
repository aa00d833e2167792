package ptx

import (
	"slices"
	"strings"
	"sync"

	"example.org/crosslane/diag"
)

// maxCallChain is how many levels of inlining Origins follows.
const maxCallChain = 64

// maxOrigins is the number of places that Origins caches.
const maxOrigins = 1 << 18

// Origins maps the instructions of a module to the source lines that they were compiled from (PTX
// 11.5.4). It is safe for concurrent use.
type Origins struct {
	m     *Module
	files map[int64]string // names of the .file directives, by number
	asm   asmSpans

	mu   sync.Mutex
	of   map[*Func]map[Pos][]diag.Pos
	kept int
}

// Origins reads the source positions of a module.
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

// At returns the source positions of the instruction at a line and a column, if a .loc directive is
// in force there: first its line, then the calls that were inlined, innermost first.
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

// read finds the source positions of a function's instructions, by line and column.
func (o *Origins) read(f *Func) map[Pos][]diag.Pos {
	out := map[Pos][]diag.Pos{}
	calls := callChains{files: o.files, last: map[sourcePlace]*sourceCall{}, of: map[*Loc]*sourceCall{}}
	var first *Loc // the first .loc of the current block of inline assembly
	within := 0    // the end of that block
	f.Body().inOrder(calls.add, func(in *Instr) {
		l := in.Loc
		if l == nil {
			return
		}
		// LLVM gives each line of an inline assembly statement a .loc of its own, with increasing
		// line numbers. The first .loc has the line of the statement.
		if end := o.asm.end(int(in.Pos.Off)); end == 0 {
			first = nil
		} else if first == nil || end != within {
			first, within = l, end
		} else {
			l = first
		}
		if c := calls.of[l]; c != nil && len(c.chain) > 0 {
			out[Pos{Line: in.Pos.Line, Col: in.Pos.Col}] = c.chain
		}
	})
	return out
}

// sourcePlace is a place in a source.
type sourcePlace struct{ file, line, col int64 }

// callChains holds the .loc directives of a function read so far, each with the calls that were
// inlined. The place of a call may itself be in an inlined function. In that case an earlier .loc
// of that place gives the outer call; that .loc may have no instructions of its own. If a function
// is inlined more than once, its places repeat.
type callChains struct {
	files map[int64]string
	last  map[sourcePlace]*sourceCall // the latest call chain of a place
	of    map[*Loc]*sourceCall
}

// sourceCall is a place in a function, with the place of the call if the function was inlined.
type sourceCall struct {
	sourcePlace
	name   string // label and offset of the function's name
	off    int64
	caller *sourceCall
	depth  int // number of its callers
	chain  []diag.Pos
}

// add reads the next directive.
func (x *callChains) add(l *Loc) {
	c := &sourceCall{sourcePlace: sourcePlace{l.File, l.Line, l.Col}, name: l.FuncName, off: l.FuncOff}
	if l.Inlined {
		at := sourcePlace{l.InlinedFile, l.InlinedLine, l.InlinedCol}
		if c.caller = x.last[at]; c.caller == nil || c.caller.depth == maxCallChain {
			c.caller = &sourceCall{sourcePlace: at}
			c.caller.chain = x.positions(c.caller)
		}
		c.depth = c.caller.depth + 1
		// The place is already in its own chain: this is the same place again, not a further call.
		for up := c.caller; up != nil; up = up.caller {
			if up.sourcePlace == c.sourcePlace && up.name == c.name && up.off == c.off {
				x.of[l], x.last[c.sourcePlace] = up, up
				return
			}
		}
	}
	c.chain = x.positions(c)
	x.of[l], x.last[c.sourcePlace] = c, c
}

// positions returns the place and the places of its callers, as far as they are lines of a source.
func (x *callChains) positions(c *sourceCall) []diag.Pos {
	name := x.files[c.file]
	if name == "" || c.line <= 0 || c.line > 1<<31-1 {
		return nil // .loc 1 0 0: no line of the source
	}
	p := diag.Pos{File: name, Line: int(c.line)}
	if c.col > 0 && c.col < 1<<31 {
		p.Col = int(c.col)
	}
	chain := []diag.Pos{p}
	if c.caller != nil {
		chain = append(chain, c.caller.chain...)
	}
	return chain
}

// asmSpans holds the ends of the blocks of inline assembly in a text, by their beginnings.
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

// end returns the end of the block that holds an offset; 0 if no block does.
func (s asmSpans) end(off int) int {
	i, _ := slices.BinarySearchFunc(s, off, func(span [2]int, off int) int { return span[1] - off })
	if i < len(s) && s[i][0] <= off {
		return s[i][1]
	}
	return 0
}
