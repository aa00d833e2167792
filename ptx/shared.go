package ptx

// MaxStaticShared is the number of bytes of .shared variables that a kernel may declare, on all
// targets.
const MaxStaticShared = 48 << 10

// sharedPerBlock is the shared memory that a block may have, in KB (CUDA C++ Programming Guide,
// technical specifications of compute capabilities). Limits of targets that are absent here are
// undocumented.
var sharedPerBlock = map[int]uint64{
	50: 48, 52: 48, 53: 48, 60: 48, 61: 48, 62: 48,
	70: 96, 72: 96, 75: 64, 80: 163, 86: 99, 87: 163, 89: 99,
	90: 227, 100: 227, 101: 227, 103: 227, 110: 227, 120: 99, 121: 99,
}

// MaxShared returns the number of bytes of shared memory that a block may have on the target,
// static and dynamic memory together; known is false if the limit is not known.
func (t Target) MaxShared() (bytes uint64, known bool) {
	kb, known := sharedPerBlock[t.SM]
	return kb << 10, known
}

// needShared returns the size of the variables in the vendor's assembler's order, in which
// variables of functions precede those of the module, and the largest variable.
func needShared(list []*Var) (bytes uint64, largest *Var) {
	for _, module := range []bool{false, true} {
		for _, v := range list {
			if (v.Func == nil) != module {
				continue
			}
			bytes = alignUp(bytes, v.Alignment()) + v.Size()
			if largest == nil || v.Size() > largest.Size() {
				largest = v
			}
		}
	}
	return bytes, largest
}
