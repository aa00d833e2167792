package screen

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// Registers that may be read before they are written.
//
// Input: a function of PTX, whose registers do not overlap.
// Output: the name of the register, or "".
// Invariant: a lane follows one path; a register is defined at a point if every path to it has a write of it that
// no guard skips. A write under a guard changes nothing.
// Example: "@p mov r, 1; add s, r, 2" reads r undefined; with "mov r, 0" before it does not.
// Literature: definite assignment (Java Language Specification, chapter 16).

// set is a set of values.
type set []uint64

func (s set) has(r ir.Ref) bool { return s[r/64]>>(r%64)&1 != 0 }
func (s set) add(r ir.Ref)      { s[r/64] |= 1 << (r % 64) }

// undefinedReads returns the reason why undefined bits may be read from registers.
func (k *Kernel) undefinedReads() string {
	f := k.f
	if overlap(f) {
		return "registers that share bytes"
	}
	words := (len(f.Values) + 63) / 64
	end := make([]set, len(f.Blocks)) // nil: not yet reached
	in := make([]set, len(f.Blocks))
	first := make(set, words)
	for i := range f.Inputs {
		first.add(f.Inputs[i].Dst)
	}
	in[0] = first
	list := []int{0}
	var next []int
	for len(list) > 0 {
		b := list[len(list)-1]
		list = list[:len(list)-1]
		s := append(set(nil), in[b]...)
		for i := f.Blocks[b].Start; i < f.Blocks[b].End; i++ {
			s.write(f, &f.Code[i])
		}
		end[b] = s
		next = f.Successors(b, next[:0])
		for _, n := range next {
			if in[n] == nil {
				in[n] = append(set(nil), s...)
				list = append(list, n)
				continue
			}
			changed := false
			for w := range s {
				if x := in[n][w] & s[w]; x != in[n][w] {
					in[n][w], changed = x, true
				}
			}
			if changed {
				list = append(list, n)
			}
		}
	}
	var args []ir.Ref
	for b := range f.Blocks {
		if in[b] == nil {
			continue // it cannot be reached
		}
		s := append(set(nil), in[b]...)
		for i := f.Blocks[b].Start; i < f.Blocks[b].End; i++ {
			x := &f.Code[i]
			args = append(args[:0], x.Args[0], x.Args[1], x.Args[2], x.Args[3], x.Guard)
			args = append(args, f.Listed(x)...)
			for _, r := range args {
				if r != 0 && f.Val(r).Kind == ir.Guest && !s.has(r) {
					return "register " + f.Val(r).Name + " may be read before it is written"
				}
			}
			s.write(f, x)
		}
	}
	return ""
}

// write adds the results of an operation.
func (s set) write(f *ir.Func, in *ir.Inst) {
	if in.Guard != 0 {
		return
	}
	if in.Op == ir.Collective {
		for _, d := range f.Collectives[in.Imm].Dst {
			s.add(d)
		}
	}
	s.add(in.Dst)
	s.add(in.Dst2)
}

// overlap reports whether registers share bytes.
func overlap(f *ir.Func) bool {
	var list []ir.Value
	for _, v := range f.Values[1:] {
		if v.Kind == ir.Guest {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b ir.Value) int { return int(a.Off) - int(b.Off) })
	for i := 1; i < len(list); i++ {
		if list[i-1].Off+list[i-1].Size(f.Lanes) > list[i].Off {
			return true
		}
	}
	return false
}
