package lir

import (
	"fmt"
	"math/bits"
	"slices"

	"example.org/crosslane/internal/jit/x64"
)

// Verify checks fn and reports the first error.
//
// Input: a Func.
// Output: nil, or the first violation: operands that the Op does not have or of another
// class, labels that are not bound, cold regions without an end, a constant that is written,
// a STATE without its list, or a virtual register that is read before it is written on some path
// from the start or an ENTRY.
// Invariant: merges under a mask do not count as reads.
// Example: "instruction 4, VPADDD.32 %3, %1: operand B is missing".
func Verify(fn *Func) error {
	// Cut checks labels and regions; after it the edges are valid.
	b, err := Cut(fn)
	if err != nil {
		return err
	}
	for i := range fn.Code {
		if err := fn.verify(&fn.Code[i]); err != nil {
			return fmt.Errorf("lir: instruction %d, %s: %w", i, fn.Text(&fn.Code[i]), err)
		}
	}
	return defined(fn, b)
}

// VerifyCode checks the operands of code that package alloc made from fn's.
func VerifyCode(fn *Func, code []x64.Inst) error {
	for i := range code {
		if err := fn.verify(&code[i]); err != nil {
			return fmt.Errorf("lir: instruction %d, %s: %w", i, fn.Text(&code[i]), err)
		}
	}
	return nil
}

// class returns the class of a register, or an error if the register does not exist.
func (fn *Func) class(r x64.Reg) (x64.Class, error) {
	if r < x64.Virtual {
		if c := x64.ClassOf(r); c != x64.NoClass && r > 0 {
			return c, nil
		}
	} else if i := int(r - x64.Virtual); i < len(fn.VRegs) {
		return fn.VRegs[i].Class, nil
	}
	return 0, fmt.Errorf("there is no register %d", r)
}

// length returns the number of bytes of a register.
func (fn *Func) length(r x64.Reg) uint8 {
	if r < x64.Virtual {
		return 8
	}
	return fn.VRegs[r-x64.Virtual].Len
}

// verify checks the operands of one instruction against its Info.
func (fn *Func) verify(in *x64.Inst) error {
	info := in.Op.Info()
	if info.Pseudo {
		switch in.Op {
		case x64.STATE:
			return fn.verifyState(in)
		case x64.UNDEF:
			_, err := fn.class(in.Dst)
			return err
		}
		return nil
	}
	// operand checks one field: it must be there exactly if the Op has it and memory does not
	// replace it.
	operand := func(name string, r x64.Reg, c x64.Class, size x64.Size, absent bool) error {
		switch {
		case c == x64.NoClass || absent:
			if r != 0 {
				return fmt.Errorf("there is no operand %s", name)
			}
			return nil
		case r == 0:
			return fmt.Errorf("operand %s is missing", name)
		}
		got, err := fn.class(r)
		if err == nil && got != c {
			err = fmt.Errorf("operand %s is of class %d instead of %d", name, got, c)
		}
		if n := size.Of(in.Len); err == nil && r >= x64.Virtual && n > int(fn.VRegs[r-x64.Virtual].Len) && c != x64.Mask {
			err = fmt.Errorf("operand %s has %d bytes, %s only %d", name, n, fn.RegName(r), fn.VRegs[r-x64.Virtual].Len)
		}
		return err
	}
	mem := in.HasMem
	if err := operand("Dst", in.Dst, info.Dst, info.DstSize, mem && info.DstMem); err != nil {
		return err
	}
	if err := operand("A", in.A, info.A, info.ASize, mem && info.AMem); err != nil {
		return err
	}
	if err := operand("B", in.B, info.B, info.BSize, mem && info.BMem); err != nil {
		return err
	}
	if err := operand("C", in.C, info.C, info.CSize, false); err != nil {
		return err
	}
	if in.K != 0 || info.MaskNeeded {
		if err := operand("K", in.K, x64.Mask, 0, false); err != nil {
			return err
		}
	}
	switch {
	// k0 as a mask would mean no mask.
	case in.K != 0 && (!info.Maskable || in.K == x64.K0):
		return fmt.Errorf("it cannot be under mask %s", fn.RegName(in.K))
	case in.Z && (in.K == 0 || !info.Zeroing):
		return fmt.Errorf("it cannot zero lanes")
	case in.RC != x64.Current && (!info.Round || mem):
		return fmt.Errorf("it cannot round by itself")
	case info.Lens != 0 && info.Lens&in.Len == 0:
		return fmt.Errorf("%d bytes are not one of its lengths", in.Len)
	case info.Distinct && (in.Dst == in.M.Index || in.Dst == in.B || in.B != 0 && in.B == in.M.Index):
		return fmt.Errorf("its registers are not all different")
	case mem && !(info.AMem || info.BMem || info.DstMem):
		return fmt.Errorf("it has no form with memory")
	case !mem && info.MemOnly:
		return fmt.Errorf("it needs memory")
	case mem:
		return fn.verifyMem(in, info)
	}
	return nil
}

// verifyState checks the operands of a frame state.
func (fn *Func) verifyState(in *x64.Inst) error {
	if in.Imm < 0 || in.Imm >= int64(len(fn.States)) {
		return fmt.Errorf("there is no state %d", in.Imm)
	}
	for _, r := range fn.State(in) {
		if r < x64.Virtual {
			return fmt.Errorf("register %d of the state is not virtual", r)
		}
		if _, err := fn.class(r); err != nil {
			return err
		}
	}
	return nil
}

// verifyMem checks a memory operand.
func (fn *Func) verifyMem(in *x64.Inst, info *x64.Info) error {
	m := &in.M
	if m.Bcst && info.Bcst == 0 {
		return fmt.Errorf("it cannot broadcast from memory")
	}
	if m.Pool < 0 || int(m.Pool) > len(fn.Pool) || m.Pool != 0 && (m.Base != 0 || m.Index != 0) {
		return fmt.Errorf("constant %d of %d with registers", m.Pool-1, len(fn.Pool))
	}
	// Gathers and scatters have a vector index.
	want := x64.GPR
	if info.VSIB {
		want = x64.Vec
		if m.Index == 0 {
			return fmt.Errorf("the vector of addresses is missing")
		}
	}
	if m.Base != 0 {
		if c, err := fn.class(m.Base); err != nil || c != x64.GPR || fn.length(m.Base) < 8 {
			return fmt.Errorf("the base %s is no general register of 8 bytes", fn.RegName(m.Base))
		}
	}
	if m.Index != 0 {
		if c, err := fn.class(m.Index); err != nil || c != want || m.Index == x64.RSP || fn.length(m.Index) < 8 {
			return fmt.Errorf("%s cannot be the index", fn.RegName(m.Index))
		}
		if bits.OnesCount8(m.Scale) != 1 || m.Scale > 8 {
			return fmt.Errorf("scale %d", m.Scale)
		}
	}
	return nil
}

// An event is the first use of a virtual register in a block: a read or a write.
type event struct {
	v, at int32
	read  bool
}

// defined checks that virtual registers are written before they are read. For each register
// it follows the edges backwards from the blocks that read it first; blocks that write it
// stop the search.
func defined(fn *Func, b *Blocks) error {
	var events []event
	seen := make([]int32, len(fn.VRegs)) // 1 + the last block in which the register had its event
	var ops Operands
	for i := range fn.Code {
		ops.Of(&fn.Code[i])
		if fn.Code[i].Op == x64.STATE {
			for _, r := range fn.State(&fn.Code[i]) {
				v := int32(r - x64.Virtual)
				if seen[v] != b.Of[i]+1 && fn.VRegs[v].Const == 0 {
					seen[v] = b.Of[i] + 1
					events = append(events, event{v, int32(i), true})
				}
			}
			continue
		}
		for _, o := range ops.Slice() {
			if o.Reg < x64.Virtual {
				continue
			}
			v := int32(o.Reg - x64.Virtual)
			if fn.VRegs[v].Const != 0 {
				if o.Role&Write != 0 {
					return fmt.Errorf("lir: instruction %d writes the constant %s", i, fn.RegName(o.Reg))
				}
				continue
			}
			// Only the first event of a register in a block matters.
			if seen[v] != b.Of[i]+1 {
				seen[v] = b.Of[i] + 1
				events = append(events, event{v, int32(i), o.Role&Read != 0 && o.Role&Merge == 0})
			}
		}
	}
	slices.SortStableFunc(events, func(x, y event) int { return int(x.v - y.v) })
	state := make([]int32, b.Len()) // v+1 if the block writes v, or has been visited for v
	var todo []int32
	for len(events) > 0 {
		v, n := events[0].v, 1
		for n < len(events) && events[n].v == v {
			n++
		}
		for _, e := range events[:n] {
			if !e.read {
				// A block that writes the register first protects all blocks after it.
				state[b.Of[e.at]] = v + 1
			}
		}
		for _, e := range events[:n] {
			if !e.read {
				continue
			}
			todo = append(todo[:0], b.Of[e.at])
			for len(todo) > 0 {
				k := todo[len(todo)-1]
				todo = todo[:len(todo)-1]
				// The search has reached the start without a write.
				if b.Entry[k] || k == 0 {
					return fmt.Errorf("lir: instruction %d, %s, reads %s, which is not written on the way there from instruction %d",
						e.at, fn.Text(&fn.Code[e.at]), fn.RegName(x64.Virtual+x64.Reg(v)), b.Start[k])
				}
				for _, p := range b.Preds(k) {
					if state[p] != v+1 {
						state[p] = v + 1
						todo = append(todo, p)
					}
				}
			}
		}
		events = events[n:]
	}
	return nil
}
