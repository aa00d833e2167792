package ir

import "math"

// A Domain is the range of values of an argument for which the manual defines the result of a pure
// operation: from Least to Most, as unsigned numbers.
type Domain struct {
	Arg         int
	Least, Most uint64
}

var nonZero = Domain{Arg: 1, Least: 1, Most: math.MaxUint64}

// domains holds the operations whose result is not defined for all arguments.
var domains = map[Op]Domain{
	// PTX 9.7.1.9, 9.7.1.10: division by zero yields an unspecified, machine-specific value.
	DivU16: nonZero, DivS16: nonZero, DivU32: nonZero, DivS32: nonZero, DivU64: nonZero, DivS64: nonZero,
	RemU16: nonZero, RemS16: nonZero, RemU32: nonZero, RemS32: nonZero, RemU64: nonZero, RemS64: nonZero,
	// PTX 9.7.1.18: base ranges from 0 to 31.
	Fns: {Arg: 1, Most: 31},
}

// DomainOf returns the domain of an operation; ok is false if its result is defined for all arguments.
func DomainOf(op Op) (d Domain, ok bool) {
	d, ok = domains[op]
	return d, ok
}
