package ptx

import "example.org/crosslane/internal/ir"

// This file places gaps between variables. The checks use them to see an index that runs from one
// variable into the next one, although both variables belong to the block or to the lane. Apart
// from the alignment, the manual leaves the place of a variable open (PTX 5.4.5).

// Sizes of gaps. Each size is a multiple of the smallest one, so offsets keep their low bits. Code
// may swizzle by low bits beyond the alignment that a variable promises.
const (
	leastGap = 1 << 10
	mostGap  = 16 << 10
	// localGap keeps the low bits of addresses in private memory.
	localGap = 64
)

// gapSize returns the bytes between two variables: the size of the larger one, within least and
// most.
func gapSize(a, b *Var, least, most uint64) uint64 {
	n := min(max(a.Size(), b.Size(), least), most)
	return alignUp(n, max(least, a.Alignment(), b.Alignment()))
}

// gapShared leaves a gap before a .shared variable that follows another variable.
func (l *lifter) gapShared(a, b *Var) {
	if l.apart == nil {
		return
	}
	end := l.shared
	n := gapSize(a, b, leastGap, mostGap)
	l.shared += n
	l.apart.Shared = append(l.apart.Shared, gap(a, b, end, alignUp(l.shared, b.Alignment()), n))
}

// gapLocal leaves a gap before a variable of private memory that follows another variable. Two
// parameters of a function get no gap: code accesses them by name.
func (l *lifter) gapLocal(b *Var) {
	a := l.area.last
	if l.apart == nil || a == nil || l.area.top == 0 || a.Space != SpaceLocal && b.Space != SpaceLocal {
		return
	}
	end := l.area.top
	n := gapSize(a, b, localGap, leastGap)
	l.area.top += n
	l.apart.Local = append(l.apart.Local, gap(a, b, end, alignUp(l.area.top, b.Alignment()), n))
}

// finishApart adds the bytes after the last variable of private memory to the gaps, because the
// size of private memory is rounded up.
func (l *lifter) finishApart() {
	if l.apart == nil {
		return
	}
	f := l.b.Func()
	var last ir.Variable
	for _, v := range l.apart.Vars {
		if v.Off+v.Size >= last.Off+last.Size {
			last = v
		}
	}
	if end := last.Off + last.Size; len(l.apart.Vars) > 0 && (len(l.apart.Local) > 0 || end < f.LocalSize) && uint64(end) == l.localMax {
		f.LocalSize += localGap
		l.apart.Local = append(l.apart.Local, ir.Gap{From: end, To: f.LocalSize, Bytes: f.LocalSize - end, Behind: last})
	}
	if len(l.apart.Shared)+len(l.apart.Local) > 0 {
		f.Apart = l.apart
	}
}

func gap(a, b *Var, from, to, n uint64) ir.Gap {
	return ir.Gap{From: uint32(from), To: uint32(to), Bytes: uint32(n),
		Behind: ir.Variable{Name: a.Name, Size: uint32(a.Size())}, Before: ir.Variable{Name: b.Name, Size: uint32(b.Size())}}
}
