package screen

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// Stores of the elements of a vector, which are one access.
//
// Input: a function that race.Track has made. It tells each element of a stored vector by itself, and a loaded vector at once.
// Output: a function in which an ir.Access comes before all elements of a stored vector.
// Invariant: the elements follow each other, belong to one instruction, and have the same lanes; between them nothing is done that
// other threads see. Their size is a power of two, to which the address is aligned. So two lanes store to the same
// vector or to no common byte.
// Example: "Access.4 [a]; Store [a]; Access.4 [a+4]; Store [a+4]" with an address that is a multiple of 8 becomes "Access.8 [a]; Store [a];
// Store [a+4]".

// joinVectors returns such a function.
func joinVectors(f *ir.Func) *ir.Func {
	out := *f
	out.Code = make([]ir.Inst, 0, len(f.Code))
	out.Blocks = make([]ir.Block, 0, len(f.Blocks))
	for _, b := range f.Blocks {
		from := len(out.Code)
		var joined []int
		for i := b.Start; i < b.End; i++ {
			if len(joined) > 0 && joined[0] == i {
				joined = joined[1:]
				continue
			}
			in := f.Code[i]
			if len(joined) == 0 {
				if joined = elements(f, i, b.End); len(joined) > 0 {
					in.Size *= uint8(len(joined) + 1)
				}
			}
			out.Code = append(out.Code, in)
		}
		out.Blocks = append(out.Blocks, ir.Block{Start: from, End: len(out.Code)})
	}
	return &out
}

// elements returns the accesses of the other elements of a vector whose first element is stored at i; nil: it is no such access.
func elements(f *ir.Func, i, end int) (list []int) {
	const most = 64 // bytes
	a := &f.Code[i]
	if !isTold(a) || kindOf(a) != ir.AccessWrite || i+1 == end || !within(&f.Code[i+1], a) {
		return nil
	}
	size := uint64(a.Size)
	for j := i + 1; j < end; j++ {
		in := &f.Code[j]
		if isTold(in) {
			if j+1 == end || in.Pos != a.Pos || in.Space != a.Space || in.Args[0] != a.Args[0] || in.Guard != a.Guard || in.GuardNot != a.GuardNot || in.Scalar != a.Scalar ||
				kindOf(in) != ir.AccessWrite || in.Order != a.Order || in.Size != a.Size || offsetOf(in) != offsetOf(a)+size || size == most {
				break
			}
			list, size = append(list, j), size+uint64(in.Size)
			continue
		}
		if in.Op != ir.Store && !in.Op.Pure() || slices.Contains([]ir.Ref{in.Dst, in.Dst2}, a.Args[0]) || a.Guard != 0 && slices.Contains([]ir.Ref{in.Dst, in.Dst2}, a.Guard) {
			break
		}
	}
	if size&(size-1) != 0 || uint64(f.Code[i+1].Align) < size {
		return nil
	}
	return list
}

// unitOf returns the size of the pieces, at most maxUnit bytes, of which an access consists at each address that it may have: a
// power of two. in is a load, store or atomic within it.
func unitOf(in, a *ir.Inst) uint8 {
	unit := uint8(maxUnit)
	if in.Op == ir.Atomic {
		unit = 4 // which its tags are for
	}
	for unit > 1 && (a.Size%unit != 0 || uint16(unit) > max(in.Align, 1) || (offsetOf(in)-offsetOf(a))%uint64(unit) != 0) {
		unit /= 2
	}
	return unit
}

// maxUnit is the most bytes that have one tag.
const maxUnit = 16
