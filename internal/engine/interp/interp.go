// Package interp is the portable engine, and the definition of correct: every
// operation of the IR runs as the Go function of its table row.
//
// A function is compiled to an array of instructions with resolved frame offsets
// per block. Pure operations are generated functions over 32 lanes (zops.go),
// called once for waves of 32 lanes and twice for 64. An operation whose write
// mask is not full computes all lanes into a scratch area and then stores the
// lanes of the mask; so one form of each operation serves both.
//
// The commonest operations have a second form in assembly for processors with AVX2
// and FMA (zasm_amd64.s, generated too). The conformance suite runs both.
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
	// Portable forgoes the forms in assembly that some processors have. Results are
	// the same.
	Portable bool
}

// Name returns "interp".
func (Engine) Name() string { return "interp" }

// kind says how the run loop treats an instruction.
type kind uint8

const (
	kFree    kind = iota // pure, into a temporary: all lanes, no mask
	kFree2               // the same for 64 lanes
	kScalar              // pure, once for the wave
	kVec                 // pure, into a guest value, 32 lanes
	kVec2                // the same for 64 lanes
	kSpecial             // anything else: run is called with the write mask
)

// inst is an instruction ready to run.
type inst struct {
	fn            func(base unsafe.Pointer, in *inst)
	d, a, b, c, e uint32 // frame offsets of destination and arguments
	guard         uint32 // frame offset of the guard mask; 0: none
	kind          kind
	width         uint8 // bytes per element of the destination; 0: a mask
	wide          bool  // the forms in assembly may be used
	counts        int32 // of a tally: the instructions
	flip          lane.Mask
	hi            *inst // of 64 lanes: the same for lanes 32 to 63
	toScratch     *inst // the same with the scratch area as destination
	run           func(w *sim.Wave, in *inst, m lane.Mask) bool
	src           *ir.Inst
	imm           uint64
	fused         *fused // of several accesses of memory in one: see fuse
}

// fused are several instructions that are done as one.
type fused struct {
	parts []inst
}

// parts are the instructions that are done as one, if they are several.
func (in *inst) parts() []inst {
	if in.fused == nil {
		return nil
	}
	return in.fused.parts
}

// block is a basic block: its body and how it ends.
type block struct {
	code  []inst
	count int      // guest instructions
	term  term     // how control leaves
	last  *ir.Inst // the instruction that ends it, if term is not fall
	guard uint32
	flip  lane.Mask
	arg   uint32 // SBra: offset of the scalar
	to    int
}

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

// Program is a compiled function. It implements sim.Program and is immutable, but for
// what is made once when it is asked for.
type Program struct {
	f       *ir.Func
	blocks  []block
	full    lane.Mask
	scratch uint32
	atomics uint32 // another one of 32 lanes, for atomics
	exec    uint32 // frame offset of EXEC, 0: none

	portable bool
	wide     bool // the forms in cpu_amd64.s may be used

	forms []inst // room for what instructions point to

	once    sync.Once
	singles *singles
}

// Compile prepares a function. It enlarges f's frame by a scratch area, so it must
// be called before the function is launched, once per function.
func (e Engine) Compile(f *ir.Func) (sim.Program, error) {
	p := &Program{f: f, blocks: make([]block, 0, len(f.Blocks)), full: lane.All(f.Lanes), portable: e.Portable, wide: wideBlend(e.Portable)}
	// The scratch area: one lane vector of 8 bytes per lane.
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

// writesExec reports whether the value shares bytes with EXEC.
func (p *Program) writesExec(dst ir.Ref) bool {
	if p.exec == 0 || dst == 0 {
		return false
	}
	v := p.f.Val(dst)
	return v.Off < p.exec+8 && p.exec < v.Off+v.Size(p.f.Lanes)
}

// tally accounts for the n instructions of a block that ran up to here, before
// EXEC changes: they count for the lanes that ran them.
func (p *Program) tally(src *ir.Inst, n int) inst {
	exec := p.exec
	return inst{kind: kSpecial, src: src, counts: int32(n), run: func(w *sim.Wave, _ *inst, _ lane.Mask) bool {
		w.Count(n, *(*lane.Mask)(unsafe.Add(w.Base, exec)))
		return true
	}}
}

func (p *Program) off(r ir.Ref) uint32 { return p.f.Values[r].Off }

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

// compile resolves one instruction.
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
	case temp && f.Lanes == 64:
		in.kind = kFree2
	case temp:
		in.kind = kFree
	default:
		in.kind = kVec
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

// formsAtOnce is for how many of an instruction's other forms memory is made at once.
const formsAtOnce = 32

// form is a copy of an instruction that instructions may point to.
func (p *Program) form(in *inst) *inst {
	if len(p.forms) == cap(p.forms) {
		p.forms = make([]inst, 0, formsAtOnce)
	}
	p.forms = append(p.forms, *in)
	return &p.forms[len(p.forms)-1]
}

// pair makes the form for lanes 32 to 63: the same function on the upper halves.
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
	// Lanes that do not exist or have exited may be written: nobody reads them. For
	// GCN3 a lane may be switched on again by EXEC, so all lanes count.
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

// vec2 runs a 64-lane operation under a partial mask, each half by its own need.
func (p *Program) vec2(base unsafe.Pointer, in *inst, m lane.Mask) {
	lo, hi := lane.Mask(uint32(m)), m>>32
	if in.width == 4 && p.wide && lo != 0 && hi != 0 {
		src := unsafe.Add(base, in.a) // of a move
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

// blend stores the lanes of the low 32 bits of m from src to dst.
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
