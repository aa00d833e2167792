package num

// The undefined bits of a result. A set bit of an undefined-bits operand (ua, ub, u…) means that
// this bit of the value beside it is not defined; bits of the value are then arbitrary. These
// functions are ordinary lane arithmetic, so a tool that follows undefined bits
// (internal/check/poison) rewrites code with them.
//
// A rule that is called exact gives a set bit if, and only if, two choices of the undefined bits
// make that bit of the result differ. The other rules may give more set bits.

// UndefAnd16 is exact for a & b: a defined 0 decides.
func UndefAnd16(a, ua, b, ub uint16) uint16 { return (ua | ub) & (a | ua) & (b | ub) }

// UndefAnd32 is exact for a & b.
func UndefAnd32(a, ua, b, ub uint32) uint32 { return (ua | ub) & (a | ua) & (b | ub) }

// UndefAnd64 is exact for a & b.
func UndefAnd64(a, ua, b, ub uint64) uint64 { return (ua | ub) & (a | ua) & (b | ub) }

// UndefAndP is exact for a && b.
func UndefAndP(a, ua, b, ub bool) bool { return (ua || ub) && (a || ua) && (b || ub) }

// UndefCarry16 is the rule for sums, differences and low halves of products, called carry: a bit of
// the result depends on the bits of the operands at its place and below.
func UndefCarry16(ua, ub uint16) uint16 { u := ua | ub; return u | -u }

// UndefCarry32 is the rule carry for 32 bits.
func UndefCarry32(ua, ub uint32) uint32 { u := ua | ub; return u | -u }

// UndefCarry64 is the rule carry for 64 bits.
func UndefCarry64(ua, ub uint64) uint64 { u := ua | ub; return u | -u }

// UndefAny16 is the rule for all other operations, called all or nothing: no bit of the result is
// defined unless all bits of the operands are.
func UndefAny16(ua, ub uint16) uint16 {
	u := ua | ub
	return -((u | -u) >> 15)
}

// UndefAny32 is the rule all or nothing for 32 bits.
func UndefAny32(ua, ub uint32) uint32 {
	u := ua | ub
	return -((u | -u) >> 31)
}

// UndefAny64 is the rule all or nothing for 64 bits.
func UndefAny64(ua, ub uint64) uint64 {
	u := ua | ub
	return -((u | -u) >> 63)
}

// UndefEq16 is exact for a == b and a != b: bits that are defined and differ decide.
func UndefEq16(a, ua, b, ub uint16) bool { u := ua | ub; return u != 0 && (a^b)&^u == 0 }

// UndefEq32 is exact for a == b and a != b.
func UndefEq32(a, ua, b, ub uint32) bool { u := ua | ub; return u != 0 && (a^b)&^u == 0 }

// UndefEq64 is exact for a == b and a != b.
func UndefEq64(a, ua, b, ub uint64) bool { u := ua | ub; return u != 0 && (a^b)&^u == 0 }

// UndefLtU16 is exact for a < b and a >= b: it compares the least and the greatest values that the
// undefined bits allow.
func UndefLtU16(a, ua, b, ub uint16) bool { return (a&^ua < b|ub) != (a|ua < b&^ub) }

// UndefLtU32 is exact for a < b and a >= b.
func UndefLtU32(a, ua, b, ub uint32) bool { return (a&^ua < b|ub) != (a|ua < b&^ub) }

// UndefLtU64 is exact for a < b and a >= b.
func UndefLtU64(a, ua, b, ub uint64) bool { return (a&^ua < b|ub) != (a|ua < b&^ub) }

// UndefLtS16 is exact for a < b and a >= b of signed numbers, which compare like unsigned ones with
// the sign flipped.
func UndefLtS16(a, ua, b, ub uint16) bool { return UndefLtU16(a^1<<15, ua, b^1<<15, ub) }

// UndefLtS32 is exact for a < b and a >= b of signed numbers.
func UndefLtS32(a, ua, b, ub uint32) bool { return UndefLtU32(a^1<<31, ua, b^1<<31, ub) }

// UndefLtS64 is exact for a < b and a >= b of signed numbers.
func UndefLtS64(a, ua, b, ub uint64) bool { return UndefLtU64(a^1<<63, ua, b^1<<63, ub) }

// UndefSel16 returns the bits that a selection by an undefined predicate leaves undefined: the bits
// in which the two values may differ. It is exact together with the rule for the selected side.
func UndefSel16(a, ua, b, ub uint16) uint16 { return a ^ b | ua | ub }

// UndefSel32 is UndefSel16 for 32 bits.
func UndefSel32(a, ua, b, ub uint32) uint32 { return a ^ b | ua | ub }

// UndefSel64 is UndefSel16 for 64 bits.
func UndefSel64(a, ua, b, ub uint64) uint64 { return a ^ b | ua | ub }
