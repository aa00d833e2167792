// Package interp is the portable engine, and the definition of correct: every operation of
// the IR runs as the Go function of its table row.
//
// Input: a function of the IR.
// Output: a Program, whose Run executes a wave's running fragment until it stops.
// Invariant: an operation changes the lanes of its write mask and no other lane; temporaries
// are an exception, because no operation reads lanes of a temporary that were not written.
// Example: @p add.u32 %r3, %r1, %r2 under a partial mask: Add32 computes all 32 lanes into
// the scratch area, then blend copies the lanes of the mask to %r3.
//
// A function is compiled to one array of instructions per block, with resolved frame offsets.
// Pure operations are generated functions over 32 lanes (zops.go), called once for waves of
// 32 lanes and twice for waves of 64. An operation with a partial write mask computes all
// lanes into a scratch area and then stores the lanes of the mask, so one form of each
// operation is enough.
//
// The most frequent operations have a second form in assembly for processors with AVX2 and
// FMA (zasm_amd64.s, generated too). The conformance suite runs both.
package interp

//go:generate go run example.org/crosslane/internal/engine/interp/gen

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Engine is the interpreter. The zero value is ready.
type Engine struct {
	// Portable switches off the forms in assembly. The results are the same.
	Portable bool
}

// Name returns "interp".
func (Engine) Name() string { return "interp" }

// kind selects the way in which the run loop executes an instruction.
type kind uint8

const (
	kFree    kind = iota // pure, into a temporary: all lanes, no mask
	kFree2               // the same for 64 lanes
	kScalar              // pure, once for the wave
	kVec                 // pure, into a guest value, 32 lanes
	kVec2                // the same for 64 lanes
	kSpecial             // all other operations: run is called with the write mask
)

// inst is an instruction that is ready to run.
type inst struct {
	fn            func(base unsafe.Pointer, in *inst)
	d, a, b, c, e uint32 // frame offsets of destination and arguments
	guard         uint32 // frame offset of the guard mask; 0: none
	kind          kind
	width         uint8 // bytes per element of the destination; 0: a mask
	wide          bool  // the forms in assembly may be used
	counts        int32 // for a tally: the number of instructions
	flip          lane.Mask
	hi            *inst // for 64 lanes: the same for lanes 32 to 63
	toScratch     *inst // the same with the scratch area as destination
	run           func(w *sim.Wave, in *inst, m lane.Mask) bool
	src           *ir.Inst
	imm           uint64
	fused         *fused // several memory accesses in one: see fuse
}

// fused holds several instructions that are executed as one.
type fused struct {
	parts []inst
}

// parts returns the instructions that are executed as one; nil if it is a single one.
func (in *inst) parts() []inst {
	if in.fused == nil {
		return nil
	}
	return in.fused.parts
}

// block is a basic block: its body, and the way in which it ends.
type block struct {
	code  []inst
	count int      // the number of guest instructions
	term  term     // the way in which control leaves it
	last  *ir.Inst // the instruction that ends it, unless term is tFall
	guard uint32
	flip  lane.Mask
	arg   uint32 // for SBra: offset of the scalar
	to    int
}

// term is the kind of a block's end.
type term uint8

const (
	tFall term = iota
	tBra
	tSBra
	tJump
	tExit
	tEnd
	tTrap
	tMeet
	tBar
	tTable
)

// Program is a compiled function. It implements sim.Program. It is immutable, except for
// tables that are made once, at their first use.
type Program struct {
	f       *ir.Func
	blocks  []block
	full    lane.Mask
	scratch uint32
	atomics uint32 // another scratch area, of 32 lanes, for atomics
	exec    uint32 // frame offset of EXEC, 0: none

	portable bool
	wide     bool // the forms in cpu_amd64.s may be used

	forms []inst // memory for instructions to which other instructions point

	once    sync.Once
	singles *singles
}

// Compile prepares a function. It enlarges f's frame by a scratch area, so it must be called
// once per function, before the function is launched.
func (e Engine) Compile(f *ir.Func) (sim.Program, error) {
	p := &Program{f: f, blocks: make([]block, 0, len(f.Blocks)), full: lane.All(f.Lanes), portable: e.Portable, wide: wideBlend(e.Portable)}
	// The scratch area holds one lane vector of 8 bytes per lane.
	p.scratch = (f.FrameSize + 63) &^ 63
	f.FrameSize = p.scratch + uint32(f.Lanes)*8
	if slices.ContainsFunc(f.Code, func(in ir.Inst) bool { return in.Op == ir.Atomic }) {
		p.atomics = f.FrameSize
		f.FrameSize += 32 * 8
	}
	if f.Exec != 0 {
		p.exec = p.off(f.Exec)
	}
	for _, b := range f.Blocks {
		blk := block{}
		code := f.Code[b.Start:b.End]
		if last := &code[len(code)-1]; last.Op.EndsBlock() {
			blk.last = last
			p.terminate(&blk, last)
			code = code[:len(code)-1]
		}
		blk.code = make([]inst, 0, len(code))
		for i := range code {
			in := &code[i]
			if in.First {
				blk.count++
			}
			if in.Op == ir.Nop {
				continue
			}
			c, err := p.compile(in)
			if err != nil {
				return nil, err
			}
			// Lanes are counted by EXEC, so the instructions before a change of EXEC are counted with
			// the old EXEC.
			if blk.count > 0 && p.writesExec(in.Dst) {
				blk.code = append(blk.code, p.tally(in, blk.count))
				blk.count = 0
			}
			blk.code = append(blk.code, c)
		}
		blk.code = p.fuse(blk.code)
		if blk.last != nil && blk.last.First {
			blk.count++
		}
		p.blocks = append(p.blocks, blk)
	}
	return p, nil
}

// writesExec reports whether a value shares bytes with EXEC.
func (p *Program) writesExec(dst ir.Ref) bool {
	if p.exec == 0 || dst == 0 {
		return false
	}
	v := p.f.Val(dst)
	return v.Off < p.exec+8 && p.exec < v.Off+v.Size(p.f.Lanes)
}

// tally returns an instruction that accounts for the n instructions of a block that have run
// before EXEC changes: they count for the lanes that ran them.
func (p *Program) tally(src *ir.Inst, n int) inst {
	exec := p.exec
	return inst{kind: kSpecial, src: src, counts: int32(n), run: func(w *sim.Wave, _ *inst, _ lane.Mask) bool {
		w.Count(n, *(*lane.Mask)(unsafe.Add(w.Base, exec)))
		return true
	}}
}

// off returns the frame offset of a value.
func (p *Program) off(r ir.Ref) uint32 { return p.f.Values[r].Off }

// terminate sets the end of a block from its last instruction.
func (p *Program) terminate(b *block, in *ir.Inst) {
	if in.Guard != 0 {
		b.guard = p.off(in.Guard)
	}
	if in.GuardNot {
		b.flip = p.full
	}
	b.to = int(in.Imm)
	switch in.Op {
	case ir.Bra:
		b.term = tBra
		if in.Guard == 0 {
			b.term = tJump
		}
	case ir.SBra:
		b.term = tSBra
		if in.Args[0] == 0 {
			b.term = tJump
		} else {
			b.arg = p.off(in.Args[0])
		}
	case ir.Exit:
		b.term = tExit
	case ir.EndWave:
		b.term = tEnd
	case ir.Trap:
		b.term = tTrap
	case ir.Bar, ir.WaveBar:
		b.term = tBar
	case ir.BraTable:
		b.term = tTable
	default:
		b.term = tMeet
	}
}

// compile resolves the frame offsets of one instruction and selects its form.
func (p *Program) compile(src *ir.Inst) (inst, error) {
	f := p.f
	in := inst{src: src, imm: src.Imm, wide: p.wide}
	if src.Guard != 0 {
		in.guard = p.off(src.Guard)
		if in.guard == 0 {
			return in, fmt.Errorf("interp: %s: a guard at frame offset 0", f.Name)
		}
	}
	if src.GuardNot {
		in.flip = p.full
	}
	offs := [...]*uint32{&in.a, &in.b, &in.c, &in.e}
	for i, a := range src.Args {
		if a != 0 {
			*offs[i] = p.off(a)
		}
	}
	if src.Dst != 0 {
		in.d = p.off(src.Dst)
		if t := f.Val(src.Dst).Type; t != ir.B1 {
			in.width = uint8(t.Bytes())
		}
	}
	if !src.Op.Pure() {
		in.kind = kSpecial
		return in, p.special(&in)
	}
	if src.Scalar {
		in.kind, in.fn = kScalar, scalarFns[src.Op]
		return in, nil
	}
	in.fn = vectorFn(int(src.Op), p.portable)
	if in.fn == nil {
		return in, fmt.Errorf("interp: operation %s has no generated form; run go generate ./internal/engine/interp", src.Op)
	}
	temp := f.Val(src.Dst).Kind == ir.Temp
	if f.Lanes == 64 {
		p.pair(&in)
	}
	switch {
	// A temporary is written in all lanes, so it needs no mask.
	case temp && f.Lanes == 64:
		in.kind = kFree2
	case temp:
		in.kind = kFree
	default:
		in.kind = kVec
		// Under a partial mask the operation writes all lanes to scratch memory, and the lanes of the
		// mask are copied from there.
		s := p.form(&in)
		s.d = p.scratch
		if f.Lanes == 64 {
			in.kind = kVec2
			p.pair(s)
		}
		in.toScratch = s
	}
	return in, nil
}

// formsAtOnce is the number of secondary forms for which memory is allocated at a time.
const formsAtOnce = 32

// form returns a copy of an instruction, for other instructions to point to.
func (p *Program) form(in *inst) *inst {
	if len(p.forms) == cap(p.forms) {
		p.forms = make([]inst, 0, formsAtOnce)
	}
	p.forms = append(p.forms, *in)
	return &p.forms[len(p.forms)-1]
}

// pair creates the form for lanes 32 to 63: the same function on the upper halves of the
// vectors.
func (p *Program) pair(in *inst) {
	hi := p.form(in)
	info := &ir.Ops[in.src.Op]
	half := func(t ir.Type) uint32 {
		if t == ir.B1 {
			return 4
		}
		return 32 * t.Bytes()
	}
	hi.d += half(info.Res)
	offs := [...]*uint32{&hi.a, &hi.b, &hi.c, &hi.e}
	for i, t := range info.Args {
		*offs[i] += half(t)
	}
	in.hi = hi
}

// Run executes the wave's running fragment; see sim.Program.
func (p *Program) Run(w *sim.Wave) sim.Stop {
	base := w.Base
	// Lanes that do not exist or have exited may be written, because no operation reads them.
	// On GCN3, EXEC may make a lane active again, so there all lanes count.
	dead := w.Dead
	for {
		b := &p.blocks[w.PC]
		active := w.Active
		code := b.code
		for i := range code {
			in := &code[i]
			switch in.kind {
			case kFree, kScalar:
				in.fn(base, in)
			case kFree2:
				in.fn(base, in)
				in.fn(base, in.hi)
			case kVec:
				m := active
				if in.guard != 0 {
					m &= *(*lane.Mask)(unsafe.Add(base, in.guard)) ^ in.flip
				}
				if uint32(m|dead) == ^uint32(0) {
					in.fn(base, in)
				} else if m != 0 {
					s := in.toScratch
					in.fn(base, s)
					p.blend(unsafe.Add(base, in.d), unsafe.Add(base, s.d), in.width, m)
				}
			case kVec2:
				m := active
				if in.guard != 0 {
					m &= *(*lane.Mask)(unsafe.Add(base, in.guard)) ^ in.flip
				}
				if m == ^lane.Mask(0) {
					in.fn(base, in)
					in.fn(base, in.hi)
				} else if m != 0 {
					p.vec2(base, in, m)
				}
			default:
				m := active
				if in.guard != 0 {
					m &= *(*lane.Mask)(unsafe.Add(base, in.guard)) ^ in.flip
				}
				if !in.run(w, in, m) {
					return sim.StopFault
				}
			}
		}
		stop, goes := p.end(w, b)
		if !goes {
			return stop
		}
		dead = w.Dead
	}
}

// vec2 runs a 64-lane operation under a partial mask; each half takes the cheapest way.
func (p *Program) vec2(base unsafe.Pointer, in *inst, m lane.Mask) {
	lo, hi := lane.Mask(uint32(m)), m>>32
	if in.width == 4 && p.wide && lo != 0 && hi != 0 {
		src := unsafe.Add(base, in.a) // for a move
		if s := in.toScratch; in.src.Op != ir.Mov32 {
			s.fn(base, s)
			s.fn(base, s.hi)
			src = unsafe.Add(base, s.d)
		}
		blend64(unsafe.Add(base, in.d), src, uint64(m))
		return
	}
	half := func(in, s *inst, m lane.Mask) {
		switch m {
		case 0:
		case 0xffffffff:
			in.fn(base, in)
		default:
			in.fn(base, s)
			p.blend(unsafe.Add(base, in.d), unsafe.Add(base, s.d), in.width, m)
		}
	}
	half(in, in.toScratch, lo)
	half(in.hi, in.toScratch.hi, hi)
}

// blend copies the lanes of the low 32 bits of m from src to dst.
func (p *Program) blend(dst, src unsafe.Pointer, width uint8, m lane.Mask) {
	k := uint32(m)
	if width == 4 && p.wide {
		blend32(dst, src, k)
		return
	}
	switch width {
	case 0:
		d := (*uint32)(dst)
		*d = *d&^k | *(*uint32)(src)&k
	case 4:
		d, s := (*[32]uint32)(dst), (*[32]uint32)(src)
		for i := range d {
			d[i] ^= (d[i] ^ s[i]) & -(k >> uint(i) & 1)
		}
	case 8:
		d, s := (*[32]uint64)(dst), (*[32]uint64)(src)
		for i := range d {
			d[i] ^= (d[i] ^ s[i]) & -uint64(k>>uint(i)&1)
		}
	case 2:
		d, s := (*[32]uint16)(dst), (*[32]uint16)(src)
		for i := range d {
			d[i] ^= (d[i] ^ s[i]) & -uint16(k>>uint(i)&1)
		}
	case 1:
		d, s := (*[32]uint8)(dst), (*[32]uint8)(src)
		for i := range d {
			d[i] ^= (d[i] ^ s[i]) & -uint8(k>>uint(i)&1)
		}
	}
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
