package ptx

import "example.org/crosslane/internal/ir"

// Gaps between variables, for checks: an index that runs from one variable into the next
// one is seen, although both are memory of the block or of the lane. The manual says nothing of
// where a variable lies but for its alignment (PTX 5.4.5).

// Sizes of gaps. They are multiples of the least one, so that offsets keep their low bits:
// code may swizzle by them beyond what a variable's alignment promises.
const (
	leastGap = 1 << 10
	mostGap  = 16 << 10
	// localGap is enough for the low bits of private memory.
	localGap = 64
)

// gapSize is the bytes between two variables: as many as the larger one has.
func gapSize(a, b *Var, least, most uint64) uint64 {
	n := min(max(a.Size(), b.Size(), least), most)
	return alignUp(n, max(least, a.Alignment(), b.Alignment()))
}

// gapShared leaves room in front of a .shared variable that comes behind another one.
func (l *lifter) gapShared(a, b *Var) {
	if l.apart == nil {
		return
	}
	end := l.shared
	n := gapSize(a, b, leastGap, mostGap)
	l.shared += n
	l.apart.Shared = append(l.apart.Shared, gap(a, b, end, alignUp(l.shared, b.Alignment()), n))
}

// gapLocal leaves room in front of a variable of private memory that comes behind another
// one, if one of them is no parameter of a function: those are accessed by name.
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

// finishApart adds the bytes behind the last variable of private memory to the gaps: its size is
// rounded up.
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
