package coarsen

import (
	"slices"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// This file decides how many waves a body that begins with its waves has, and whether it pays.
//
// Input: the list of the body, with the classes of its registers.
// Output: the number of waves.
// Invariant: only webs and limits of induction pointers are live where the body ends.
// Example: 4 waves that need 9 vector registers each do not fit 31; 2 waves do.

// choose decides the number of waves by the registers that they need, and reports
// whether the body pays.
func (p *body) choose() bool {
	g := p.g
	busy := p.busy()
	regs := 15
	if g.AVX512 {
		regs = 31
	}
	const temporaries = 5
	for {
		vecs, same, bases := p.needs(busy)
		// The registers of all waves should fit beside some equal ones and temporaries.
		few := bases <= maxBases && len(p.loads)*len(p.fence)*p.waves <= maxRegions
		fit := vecs+min(same, 4)+temporaries <= regs
		// In short loops waiting costs more than some registers in memory.
		fit = fit || vecs <= regs+1 && !g.AVX512 && p.inner() <= shortLoop
		if p.waves == 2 || few && fit && (p.waves <= mostLong || len(p.list) <= longPass) {
			return few && vecs <= 2*regs+2 && p.crosses()
		}
		p.waves /= 2 // the waves of a block are often a power of 2
		if !p.vary() {
			return false
		}
	}
}

// shortLoop is the largest number of vector instructions of one wave in loops for which
// two waves do not hide the latency. It was measured with the suite: with 10, 23 and 56
// instructions (matmul, shfl_reduce, matmul4) four waves take 12 to 30 percent less
// time, with 63 (shfl_scan) 20 percent more.
const shortLoop = 60

// inner is the number of instructions of one wave in loops of the body that write
// vector registers.
func (p *body) inner() (n int) {
	for b, in := range p.in {
		if !in || p.g.Webs.Depth[b] == 0 {
			continue
		}
		from, _ := slices.BinarySearch(p.list, p.blocks[b])
		for _, i := range p.list[from:] {
			if i >= p.blocks[b+1] {
				break
			}
			if r := p.code[i].Dst; r != x64.NoReg && p.g.class(r) == x64.Vec {
				n++
			}
		}
	}
	return n
}

// maxBases is the largest number of general registers that loops may need; some of them
// are in memory then.
const maxBases = 10

// needs counts the registers that are live at the heads of loops of the body and are
// used there: vector registers that differ between waves, vector registers that are
// equal, and general registers. Inside a block the instructions of one wave follow each
// other, so a register that is live only between two of them counts once.
func (p *body) needs(busy []bool) (vecs, same, bases int) {
	g := p.g
	target := make([]bool, len(p.code))
	for _, i := range p.list {
		if in := &p.code[i]; p.leads[i] == 0 && in.Op.Info().Jump && !p.gives(in.Label) {
			target[p.at[in.Label]] = true
		}
	}
	for b := range p.in {
		if !p.in[b] || g.Webs.Depth[b] == 0 || !p.seen[p.at[g.Code.Blocks[b]]] || !target[p.at[g.Code.Blocks[b]]] && !target[p.at[g.Arrivals[b]]] {
			continue
		}
		v, s, n := 0, 0, 0
		count := func(r x64.Reg) {
			c := p.varies[r-x64.Virtual]
			switch {
			case !busy[r-x64.Virtual]:
			case g.class(r) == x64.GPR:
				n += c.count(p.waves)
			case g.class(r) != x64.Vec:
			case c.differ():
				v += c.count(p.waves)
			default:
				s++
			}
		}
		for _, w := range g.Webs.LiveIn[b] {
			for r := range g.Registers(w) {
				count(r)
			}
		}
		for _, x := range g.Inductions {
			count(x.Delta)
		}
		vecs, same, bases = max(vecs, v), max(same, s), max(bases, n)
	}
	return vecs, same, bases
}

// busy is the set of virtual registers that code in loops of the body names.
func (p *body) busy() []bool {
	busy := make([]bool, len(p.g.Fn.VRegs))
	var ops lir.Operands
	for b, in := range p.in {
		if !in || p.g.Webs.Depth[b] == 0 {
			continue
		}
		for i := p.blocks[b]; i < p.blocks[b+1]; i++ {
			if !p.seen[i] || p.leads[i] != 0 || p.code[i].Op == x64.UNDEF {
				continue
			}
			ops.Of(&p.code[i])
			for _, o := range ops.Slice() {
				if o.Reg >= x64.Virtual {
					busy[o.Reg-x64.Virtual] = true
				}
			}
		}
	}
	return busy
}

// crosses reports whether only webs and limits of induction pointers are live where the
// body ends. Only these are stored for the waves to go on.
func (p *body) crosses() bool {
	g := p.g
	inside := make([]bool, len(g.Fn.VRegs))
	var ops lir.Operands
	for _, i := range p.list {
		ops.Of(&p.code[i])
		for _, o := range ops.Slice() {
			if o.Reg >= x64.Virtual {
				inside[o.Reg-x64.Virtual] = true
			}
		}
	}
	for _, x := range g.Inductions {
		// Limits and distances are stored for each wave: see end.
		inside[x.Limit-x64.Virtual], inside[x.Delta-x64.Virtual] = false, false // see end
	}
	for b, in := range p.in {
		if in {
			continue
		}
		for i := p.blocks[b]; i < p.blocks[b+1]; i++ {
			ops.Of(&p.code[i])
			for _, o := range ops.Slice() {
				if r := o.Reg - x64.Virtual; r >= 0 && inside[r] && g.Fn.VRegs[r].Const == 0 && !g.Fn.VRegs[r].Filled {
					return false
				}
			}
		}
	}
	return true
}
