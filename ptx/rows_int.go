package ptx

// Integer arithmetic, PTX ISA 9.7.1 and 9.7.2, in the manual's order.
//
// In the templates of operation names, {n} is the width of the instruction's
// type, {T} its sign and width (U32, S32, F32; bit-size types count as unsigned),
// {W} the same of the type of twice the width, and {x} the modifier of class x:
// see expand.
var integerRows = []row{
	{Form: "add.type d, a, b; type = u16 u32 u64 s16 s32 s64", About: "Add two values.", PTX: v(1, 0), Sec: "9.7.1.1", Do: lanewise("Add{n}")},
	{Form: "add.type d, a, b; type = u16x2 s16x2", PTX: v(8, 0), SM: 90, Sec: "9.7.1.1", Do: packed16("Add16")},
	{Form: "add.sat.s32 d, a, b", PTX: v(1, 0), Sec: "9.7.1.1", Do: lanewise("AddSatS32")},
	{Form: "add.sat.u32 d, a, b", PTX: v(9, 2), SM: 120, Arch: "sm_120f", Sec: "9.7.1.1", Do: lanewise("AddSatU32")},
	{Form: "add.sat.type d, a, b; type = u16x2 s16x2", PTX: v(9, 2), SM: 120, Arch: "sm_120f", Sec: "9.7.1.1", Loose: true, Do: lanewise("AddSat{P}")},
	{Form: "add.type d, a, b; type = u8x4 s8x4", PTX: v(9, 2), SM: 120, Arch: "sm_120f", Sec: "9.7.1.1", Do: lanewise("Add8x4")},
	{Form: "add.sat.type d, a, b; type = u8x4 s8x4", PTX: v(9, 2), SM: 120, Arch: "sm_120f", Sec: "9.7.1.1", Loose: true, Do: lanewise("AddSat{P}")},
	{Form: "sub.type d, a, b; type = u16 u32 u64 s16 s32 s64", About: "Subtract one value from another.", PTX: v(1, 0), Sec: "9.7.1.2", Do: lanewise("Sub{n}")},
	{Form: "sub.sat.s32 d, a, b", PTX: v(1, 0), Sec: "9.7.1.2", Do: lanewise("SubSatS32")},
	{Form: "sub.type d, a, b; type = u8x4 s8x4", PTX: v(9, 2), SM: 120, Arch: "sm_120f", Sec: "9.7.1.2", Do: lanewise("Sub8x4")},
	{Form: "sub.sat.type d, a, b; type = u8x4 s8x4", PTX: v(9, 2), SM: 120, Arch: "sm_120f", Sec: "9.7.1.2", Loose: true, Do: lanewise("SubSat{P}")},
	{Form: "mul.lo.type d, a, b; type = u16 u32 u64 s16 s32 s64", About: "Multiply two values: low half, high half or whole product of integers.", PTX: v(1, 0), Sec: "9.7.1.3", Do: lanewise("Mul{n}")},
	{Form: "mul.hi.type d, a, b; type = u16 u32 u64 s16 s32 s64", PTX: v(1, 0), Sec: "9.7.1.3", Do: lanewise("MulHi{T}")},
	{Form: "mul.wide.type d:2type, a, b; type = u16 u32 s16 s32", PTX: v(1, 0), Sec: "9.7.1.3", Do: lanewise("MulWide{T}")},
	{Form: "mad.lo.type d, a, b, c; type = u16 u32 u64 s16 s32 s64", About: "Multiply two values and add a third.", PTX: v(1, 0), Sec: "9.7.1.4", Do: lanewise("Mad{n}")},
	{Form: "mad.hi.type d, a, b, c; type = u16 u32 u64 s16 s32 s64", PTX: v(1, 0), Sec: "9.7.1.4", Do: lanewise("MadHi{T}")},
	{Form: "mad.hi.sat.s32 d, a, b, c", PTX: v(1, 0), Sec: "9.7.1.4", Do: lanewise("MadHiSatS32")},
	{Form: "mad.wide.type d:2type, a, b, c:2type; type = u16 u32 s16 s32", PTX: v(1, 0), Sec: "9.7.1.4", Do: lanewise("MadWide{T}")},
	{Form: "clmad.mode.u64 d, a, b, c; mode = lo hi", About: "Multiply two values without carries and add a third without carries.", PTX: v(9, 3), SM: 80, Sec: "9.7.1.5", Do: lanewise("Clmad{mode}"), Cost: costSlow},
	{Form: "mul24.mode.type d, a, b; mode = lo hi; type = u32 s32", About: "Multiply two 24-bit integers.", PTX: v(1, 0), Sec: "9.7.1.6", Do: lanewise("Mul24{mode}{T}")},
	{Form: "mad24.mode.type d, a, b, c; mode = lo hi; type = u32 s32", About: "Multiply two 24-bit integers and add a third.", PTX: v(1, 0), Sec: "9.7.1.7", Do: lanewise("Mad24{mode}{T}")},
	{Form: "mad24.hi.sat.s32 d, a, b, c", PTX: v(1, 0), Sec: "9.7.1.7", Do: lanewise("Mad24HiSatS32")},
	{Form: "sad.type d, a, b, c; type = u16 u32 u64 s16 s32 s64", About: "Add the absolute difference of two values to a third.", PTX: v(1, 0), Sec: "9.7.1.8", Do: lanewise("Sad{T}")},
	{Form: "div.type d, a, b; type = u16 u32 u64 s16 s32 s64", About: "Divide one value by another.", PTX: v(1, 0), Sec: "9.7.1.9", Do: lanewise("Div{T}"), Cost: costSlow,
		Undefined: []Undefined{undefDivision}},
	{Form: "rem.type d, a, b; type = u16 u32 u64 s16 s32 s64", About: "The remainder of an integer division.", PTX: v(1, 0), Sec: "9.7.1.10", Do: lanewise("Rem{T}"), Cost: costSlow,
		Undefined: []Undefined{undefRemainder}},
	{Form: "abs.type d, a; type = s16 s32 s64", About: "The absolute value.", PTX: v(1, 0), Sec: "9.7.1.11", Do: lanewise("Abs{T}")},
	{Form: "neg.type d, a; type = s16 s32 s64", About: "The arithmetic negation.", PTX: v(1, 0), Sec: "9.7.1.12", Do: lanewise("Neg{n}")},
	{Form: "neg.s8x4 d, a", PTX: v(9, 2), SM: 120, Arch: "sm_120f", Sec: "9.7.1.12", Do: lanewise("Neg8x4")},
	{Form: "min.type d, a, b; type = u16 u32 u64 s16 s32 s64", About: "The lesser of two values.", PTX: v(1, 0), Sec: "9.7.1.13", Do: lanewise("Min{T}")},
	{Form: "min.type d, a, b; type = u16x2 s16x2", PTX: v(8, 0), SM: 90, Sec: "9.7.1.13", Do: packed16("Min{T}")},
	{Form: "min.relu.type d, a, b; type = s16x2 s32", PTX: v(8, 0), SM: 90, Sec: "9.7.1.13", Loose: true, Do: lanewise("MinRelu{P}")},
	{Form: "min.type d, a, b; type = u8x4 s8x4", PTX: v(9, 2), SM: 120, Arch: "sm_120f", Sec: "9.7.1.13", Do: lanewise("Min{P}")},
	{Form: "min.relu.s8x4 d, a, b", PTX: v(9, 2), SM: 120, Arch: "sm_120f", Sec: "9.7.1.13", Loose: true, Do: lanewise("MinRelu{P}")},
	{Form: "max.type d, a, b; type = u16 u32 u64 s16 s32 s64", About: "The greater of two values.", PTX: v(1, 0), Sec: "9.7.1.14", Do: lanewise("Max{T}")},
	{Form: "max.type d, a, b; type = u16x2 s16x2", PTX: v(8, 0), SM: 90, Sec: "9.7.1.14", Do: packed16("Max{T}")},
	{Form: "max.relu.type d, a, b; type = s16x2 s32", PTX: v(8, 0), SM: 90, Sec: "9.7.1.14", Loose: true, Do: lanewise("MaxRelu{P}")},
	{Form: "max.type d, a, b; type = u8x4 s8x4", PTX: v(9, 2), SM: 120, Arch: "sm_120f", Sec: "9.7.1.14", Do: lanewise("Max{P}")},
	{Form: "max.relu.s8x4 d, a, b", PTX: v(9, 2), SM: 120, Arch: "sm_120f", Sec: "9.7.1.14", Loose: true, Do: lanewise("MaxRelu{P}")},
	{Form: "popc.type d:u32, a; type = b32 b64", About: "Count the one bits.", PTX: v(2, 0), SM: 20, Sec: "9.7.1.15", Do: lanewise("Popc{n}")},
	{Form: "clz.type d:u32, a; type = b32 b64", About: "Count the leading zeros.", PTX: v(2, 0), SM: 20, Sec: "9.7.1.16", Do: lanewise("Clz{n}")},
	{Form: "bfind.type d:u32, a; type = u32 u64 s32 s64", About: "Find the most significant non-sign bit.", PTX: v(2, 0), SM: 20, Sec: "9.7.1.17", Do: lanewise("Bfind{T}")},
	{Form: "bfind.shiftamt.type d:u32, a; type = u32 u64 s32 s64", PTX: v(2, 0), SM: 20, Sec: "9.7.1.17", Do: lanewise("BfindShiftamt{T}")},
	{Form: "fns.b32 d, mask:b32, base:b32, offset:s32", About: "Find the n-th set bit of a mask from a base.", PTX: v(6, 0), SM: 30, Sec: "9.7.1.18", Do: lanewise("Fns"),
		Undefined: []Undefined{undefBase}},
	{Form: "brev.type d, a; type = b32 b64", About: "Reverse the bits.", PTX: v(2, 0), SM: 20, Sec: "9.7.1.19", Do: lanewise("Brev{n}")},
	{Form: "bfe.type d, a, b:u32, c:u32; type = u32 u64 s32 s64", About: "Extract a bit field.", PTX: v(2, 0), SM: 20, Sec: "9.7.1.20", Do: lanewise("Bfe{T}")},
	{Form: "bfi.type d, a, b, c:u32, len:u32; type = b32 b64", About: "Insert a bit field.", PTX: v(2, 0), SM: 20, Sec: "9.7.1.21", Do: lanewise("Bfi{n}")},
	{Form: "szext.mode.type d, a, b:u32; mode = clamp wrap; type = u32 s32", About: "Sign-extend or zero-extend the low bits.", PTX: v(7, 6), SM: 70, Sec: "9.7.1.22", Do: lanewise("Szext{mode}{T}")},
	{Form: "bmsk.mode.b32 d, a:u32, b:u32; mode = clamp wrap", About: "Make a mask of consecutive ones.", PTX: v(7, 6), SM: 70, Sec: "9.7.1.23", Do: lanewise("Bmsk{mode}")},
	{Form: "dp4a.atype.btype d:b32, a:b32, b:b32, c:b32; atype = u32 s32; btype = u32 s32", About: "Dot product of four bytes, accumulated.", PTX: v(5, 0), SM: 61, Sec: "9.7.1.24", Do: lanewise("Dp4a{atype}{btype}")},
	{Form: "dp2a.mode.atype.btype d:b32, a:b32, b:b32, c:b32; mode = lo hi; atype = u32 s32; btype = u32 s32", About: "Dot product of two 16-bit values with two bytes, accumulated.", PTX: v(5, 0), SM: 61, Sec: "9.7.1.25", Do: lanewise("Dp2a{mode}{atype}{btype}"),
		Says: map[string]string{".lo": "bytes 0 and 1 of b", ".hi": "bytes 2 and 3 of b", "a": "two values of 16 bits", "b": "four bytes, of which two are used", "c": "is added"}},

	// Extended precision, PTX ISA 9.7.2: the carry bit CC.CF.
	{Form: "add.cc.type d, a, b; type = u32 s32 u64 s64", PTX: v(1, 2), Sec: "9.7.2.1", Needs: ".u64 4.3 sm_20; .s64 4.3 sm_20",
		Do: carry("Add{n}", "AddC{n}", false, false)},
	{Form: "addc{.cc}.type d, a, b; type = u32 s32 u64 s64", About: "Add two values and the carry flag.", PTX: v(1, 2), Sec: "9.7.2.2", Needs: ".cc 1.2 sm_20; .u64 4.3 sm_20; .s64 4.3 sm_20",
		Do: carry("Addc{n}", "AddCC{n}", true, false)},
	{Form: "sub.cc.type d, a, b; type = u32 s32 u64 s64", PTX: v(1, 2), Sec: "9.7.2.3", Needs: ".u64 4.3 sm_20; .s64 4.3 sm_20",
		Do: carry("Sub{n}", "SubB{n}", false, true)},
	{Form: "subc{.cc}.type d, a, b; type = u32 s32 u64 s64", About: "Subtract with the borrow in the carry flag.", PTX: v(1, 2), Sec: "9.7.2.4", Needs: ".cc 1.2 sm_20; .u64 4.3 sm_20; .s64 4.3 sm_20",
		Do: carry("Subb{n}", "SubBB{n}", true, true)},
	{Form: "mad.mode.cc.type d, a, b, c; mode = lo hi; type = u32 s32 u64 s64", PTX: v(3, 0), SM: 20, Sec: "9.7.2.5", Needs: ".u64 4.3 sm_20; .s64 4.3 sm_20",
		Do: madCarry(false)},
	{Form: "madc.mode{.cc}.type d, a, b, c; mode = lo hi; type = u32 s32 u64 s64", About: "Multiply, add a third value and the carry flag.", PTX: v(3, 0), SM: 20, Sec: "9.7.2.6", Needs: ".u64 4.3 sm_20; .s64 4.3 sm_20",
		Do: madCarry(true)},
}

// Logic and shifts, PTX ISA 9.7.8, and prmt of 9.7.9.
var bitRows = []row{
	{Form: "and.type d, a, b; type = pred b16 b32 b64", About: "Bitwise and.", PTX: v(1, 0), Sec: "9.7.8.1", Do: lanewise("And{n}")},
	{Form: "or.type d, a, b; type = pred b16 b32 b64", About: "Bitwise or.", PTX: v(1, 0), Sec: "9.7.8.2", Do: lanewise("Or{n}")},
	{Form: "xor.type d, a, b; type = pred b16 b32 b64", About: "Bitwise exclusive or.", PTX: v(1, 0), Sec: "9.7.8.3", Do: lanewise("Xor{n}")},
	{Form: "not.type d, a; type = pred b16 b32 b64", About: "Bitwise complement.", PTX: v(1, 0), Sec: "9.7.8.4", Do: lanewise("Not{n}")},
	{Form: "cnot.type d, a; type = b16 b32 b64", About: "1 if the value is zero, else 0.", PTX: v(1, 0), Sec: "9.7.8.5", Do: lanewise("Cnot{n}")},
	{Form: "lop3.b32 d, a, b, c, immLut:imm8", About: "Any bitwise function of three values, given by its truth table.", PTX: v(4, 3), SM: 50, Sec: "9.7.8.6", Do: lanewise("Lop3")},
	{Form: "lop3.BoolOp.b32 d[|p], a, b, c, immLut:imm8, {!}q; BoolOp = or and", PTX: v(8, 2), SM: 70, Sec: "9.7.8.6", Do: lop3Bool, Says: map[string]string{"p": "d is not 0, combined with q by BoolOp", "q": "a predicate"}},
	{Form: "shf.l.mode.b32 d, a, b, c:u32; mode = clamp wrap", About: "Funnel shift: shift the 64-bit value with b as the high word and a as the low word, and take 32 bits of it.", PTX: v(3, 1), SM: 32, Sec: "9.7.8.7", Do: lanewise("ShfL{mode}"),
		Says: funnelSays("l", "to the left: the most significant 32 bits of the shifted value are the result")},
	{Form: "shf.r.mode.b32 d, a, b, c:u32; mode = clamp wrap", PTX: v(3, 1), SM: 32, Sec: "9.7.8.7", Do: lanewise("ShfR{mode}"),
		Says: funnelSays("r", "to the right: the least significant 32 bits of the shifted value are the result")},
	{Form: "shl.type d, a, b:u32; type = b16 b32 b64", About: "Shift left; amounts above the width give 0.", PTX: v(1, 0), Sec: "9.7.8.8", Do: lanewise("Shl{n}")},
	{Form: "shr.type d, a, b:u32; type = b16 b32 b64 u16 u32 u64 s16 s32 s64", About: "Shift right, by sign or by zeros; amounts above the width count as the width.", PTX: v(1, 0), Sec: "9.7.8.9", Do: lanewise("Shr{S}{n}")},
	{Form: "prmt.b32{.mode} d, a, b, c; mode = f4e b4e rc8 ecl ecr rc16", About: "Pick four bytes out of eight.", PTX: v(2, 0), SM: 20, Sec: "9.7.9.7", Do: lanewise("Prmt{mode}")},
}

// Comparison and selection, PTX ISA 9.7.6 and 9.7.7.
var compareRows = []row{
	{Form: "setp.CmpOp.type p[|q], a, b; CmpOp = eq ne; type = b16 b32 b64", About: "Compare two values and set a predicate.", PTX: v(1, 0), Sec: "9.7.6.2", Do: setp, Says: setpSays},
	{Form: "setp.CmpOp.BoolOp.type p[|q], a, b, {!}c; CmpOp = eq ne; type = b16 b32 b64", PTX: v(1, 0), Sec: "9.7.6.2", Do: setp, Says: setpSays},
	{Form: "setp.CmpOp.type p[|q], a, b; CmpOp = eq ne lt le gt ge; type = s16 s32 s64", PTX: v(1, 0), Sec: "9.7.6.2", Do: setp, Says: setpSays},
	{Form: "setp.CmpOp.BoolOp.type p[|q], a, b, {!}c; CmpOp = eq ne lt le gt ge; type = s16 s32 s64", PTX: v(1, 0), Sec: "9.7.6.2", Do: setp, Says: setpSays},
	{Form: "setp.CmpOp.type p[|q], a, b; CmpOp = eq ne lt le gt ge lo ls hi hs; type = u16 u32 u64", PTX: v(1, 0), Sec: "9.7.6.2", Do: setp, Says: setpSays},
	{Form: "setp.CmpOp.BoolOp.type p[|q], a, b, {!}c; CmpOp = eq ne lt le gt ge lo ls hi hs; type = u16 u32 u64", PTX: v(1, 0), Sec: "9.7.6.2", Do: setp, Says: setpSays},
	{Form: "setp.CmpOp{.ftz}.type p[|q], a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; type = f32", PTX: v(1, 0), Sec: "9.7.6.2", Do: setp, Says: setpSays},
	{Form: "setp.CmpOp.BoolOp{.ftz}.type p[|q], a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; type = f32", PTX: v(1, 0), Sec: "9.7.6.2", Do: setp, Says: setpSays},
	{Form: "setp.CmpOp.type p[|q], a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; type = f64", PTX: v(1, 0), SM: 13, Sec: "9.7.6.2", Do: setp, Says: setpSays},
	{Form: "setp.CmpOp.BoolOp.type p[|q], a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; type = f64", PTX: v(1, 0), SM: 13, Sec: "9.7.6.2", Do: setp, Says: setpSays},
	{Form: "setp.CmpOp{.ftz}.type p, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; type = f16", PTX: v(4, 2), SM: 53, Sec: "9.7.7.2", Do: setp, Says: setpHalves},
	{Form: "setp.CmpOp.type p, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; type = bf16", PTX: v(7, 8), SM: 90, Sec: "9.7.7.2", Do: setp, Says: setpHalves},
	{Form: "setp.CmpOp.BoolOp{.ftz}.type p, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; type = f16", PTX: v(4, 2), SM: 53, Sec: "9.7.7.2", Do: setp, Says: setpHalves},
	{Form: "setp.CmpOp.BoolOp.type p, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; type = bf16", PTX: v(7, 8), SM: 90, Sec: "9.7.7.2", Do: setp, Says: setpHalves},
	{Form: "setp.CmpOp{.ftz}.type p|q, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; type = f16x2", PTX: v(4, 2), SM: 53, Sec: "9.7.7.2", Do: setpPacked, Says: setpHalves},
	{Form: "setp.CmpOp.BoolOp{.ftz}.type p|q, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; type = f16x2", PTX: v(4, 2), SM: 53, Sec: "9.7.7.2", Do: setpPacked, Says: setpHalves},
	{Form: "setp.CmpOp.type p|q, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; type = bf16x2", PTX: v(7, 8), SM: 90, Sec: "9.7.7.2", Do: setpPacked, Says: setpHalves},
	{Form: "setp.CmpOp.BoolOp.type p|q, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; type = bf16x2", PTX: v(7, 8), SM: 90, Sec: "9.7.7.2", Do: setpPacked, Says: setpHalves},

	{Form: "set.CmpOp.dtype.type d:dtype, a, b; CmpOp = eq ne; dtype = u32 s32 f32; type = b16 b32 b64", About: "Compare two values and write all ones or 1.0, or zero.", PTX: v(1, 0), Sec: "9.7.6.1", Do: set},
	{Form: "set.CmpOp.BoolOp.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne; dtype = u32 s32 f32; type = b16 b32 b64", PTX: v(1, 0), Sec: "9.7.6.1", Do: set},
	{Form: "set.CmpOp.dtype.type d:dtype, a, b; CmpOp = eq ne lt le gt ge lo ls hi hs; dtype = u32 s32 f32; type = u16 u32 u64", PTX: v(1, 0), Sec: "9.7.6.1", Do: set},
	{Form: "set.CmpOp.BoolOp.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne lt le gt ge lo ls hi hs; dtype = u32 s32 f32; type = u16 u32 u64", PTX: v(1, 0), Sec: "9.7.6.1", Do: set},
	{Form: "set.CmpOp.dtype.type d:dtype, a, b; CmpOp = eq ne lt le gt ge; dtype = u32 s32 f32; type = s16 s32 s64", PTX: v(1, 0), Sec: "9.7.6.1", Do: set},
	{Form: "set.CmpOp.BoolOp.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne lt le gt ge; dtype = u32 s32 f32; type = s16 s32 s64", PTX: v(1, 0), Sec: "9.7.6.1", Do: set},
	{Form: "set.CmpOp{.ftz}.dtype.type d:dtype, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = u32 s32 f32; type = f32", PTX: v(1, 0), Sec: "9.7.6.1", Do: set},
	{Form: "set.CmpOp.dtype.type d:dtype, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = u32 s32 f32; type = f64", PTX: v(1, 0), SM: 13, Sec: "9.7.6.1", Do: set},
	{Form: "set.CmpOp.BoolOp{.ftz}.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = u32 s32 f32; type = f32", PTX: v(1, 0), Sec: "9.7.6.1", Do: set},
	{Form: "set.CmpOp.BoolOp.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = u32 s32 f32; type = f64", PTX: v(1, 0), SM: 13, Sec: "9.7.6.1", Do: set},
	{Form: "set.CmpOp.type d, a, b; CmpOp = eq ne lt le gt ge lo ls hi hs; type = u8x4 u16x2", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.6.1", Do: setLanes},
	{Form: "set.CmpOp.type d, a, b; CmpOp = eq ne lt le gt ge; type = s8x4 s16x2", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.6.1", Do: setLanes},
	{Form: "selp.type d, a, b, c:pred; type = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", About: "Select one of two values by a predicate.", PTX: v(1, 0), Sec: "9.7.6.3", Needs: ".f64 1.0 sm_13", Do: selp},
	{Form: "slct.type.s32 d, a, b, c:s32; type = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", About: "Select one of two values by the sign of a third.", PTX: v(1, 0), Sec: "9.7.6.4", Needs: ".f64 1.0 sm_13", Do: slct},
	{Form: "slct{.ftz}.type.f32 d, a, b, c:f32; type = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", PTX: v(1, 0), Sec: "9.7.6.4", Needs: ".f64 1.0 sm_13", Do: slct},

	// A half-precision result of any comparison; sources of f16 give integers, too.
	{Form: "set.CmpOp.dtype.type d:dtype, a, b; CmpOp = eq ne; dtype = f16 bf16; type = b16 b32 b64", PTX: v(4, 2), SM: 53, Sec: "9.7.7.1", Needs: ".bf16 7.8 sm_90", Do: set},
	{Form: "set.CmpOp.BoolOp.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne; dtype = f16 bf16; type = b16 b32 b64", PTX: v(4, 2), SM: 53, Sec: "9.7.7.1", Needs: ".bf16 7.8 sm_90", Do: set},
	{Form: "set.CmpOp.dtype.type d:dtype, a, b; CmpOp = eq ne lt le gt ge; dtype = f16 bf16; type = u16 u32 u64 s16 s32 s64", PTX: v(4, 2), SM: 53, Sec: "9.7.7.1", Needs: ".bf16 7.8 sm_90", Do: set},
	{Form: "set.CmpOp.BoolOp.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne lt le gt ge; dtype = f16 bf16; type = u16 u32 u64 s16 s32 s64", PTX: v(4, 2), SM: 53, Sec: "9.7.7.1", Needs: ".bf16 7.8 sm_90", Do: set},
	{Form: "set.CmpOp{.ftz}.dtype.type d:dtype, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = f16; type = f16 f32", PTX: v(4, 2), SM: 53, Sec: "9.7.7.1", Do: set},
	{Form: "set.CmpOp.BoolOp{.ftz}.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = f16; type = f16 f32", PTX: v(4, 2), SM: 53, Sec: "9.7.7.1", Do: set},
	{Form: "set.CmpOp{.ftz}.dtype.type d:dtype, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = f16; type = f64", PTX: v(4, 2), SM: 53, Sec: "9.7.7.1", Do: set},
	{Form: "set.CmpOp.BoolOp{.ftz}.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = f16; type = f64", PTX: v(4, 2), SM: 53, Sec: "9.7.7.1", Do: set},
	{Form: "set.CmpOp.dtype.type d:dtype, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = bf16; type = f16 f32 f64", PTX: v(7, 8), SM: 90, Sec: "9.7.7.1", Do: set},
	{Form: "set.CmpOp.BoolOp.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = bf16; type = f16 f32 f64", PTX: v(7, 8), SM: 90, Sec: "9.7.7.1", Do: set},
	{Form: "set.CmpOp{.ftz}.dtype.type d:dtype, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = u16 s16 u32 s32; type = f16", PTX: v(6, 5), SM: 53, Sec: "9.7.7.1", Do: set},
	{Form: "set.CmpOp.BoolOp{.ftz}.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = u16 s16 u32 s32; type = f16", PTX: v(6, 5), SM: 53, Sec: "9.7.7.1", Do: set},
	{Form: "set.CmpOp.dtype.type d:dtype, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = u16 s16 u32 s32; type = bf16", PTX: v(7, 8), SM: 90, Sec: "9.7.7.1", Do: set},
	{Form: "set.CmpOp.BoolOp.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = u16 s16 u32 s32; type = bf16", PTX: v(7, 8), SM: 90, Sec: "9.7.7.1", Do: set},
	{Form: "set.CmpOp{.ftz}.dtype.type d:dtype, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = f16x2 u32 s32; type = f16x2", PTX: v(4, 2), SM: 53, Sec: "9.7.7.1", Needs: ".u32 6.5 sm_53; .s32 6.5 sm_53", Do: setPacked},
	{Form: "set.CmpOp.BoolOp{.ftz}.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = f16x2 u32 s32; type = f16x2", PTX: v(4, 2), SM: 53, Sec: "9.7.7.1", Needs: ".u32 6.5 sm_53; .s32 6.5 sm_53", Do: setPacked},
	{Form: "set.CmpOp.dtype.type d:dtype, a, b; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = bf16x2 u32 s32; type = bf16x2", PTX: v(7, 8), SM: 90, Sec: "9.7.7.1", Do: setPacked},
	{Form: "set.CmpOp.BoolOp.dtype.type d:dtype, a, b, {!}c; CmpOp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan; dtype = bf16x2 u32 s32; type = bf16x2", PTX: v(7, 8), SM: 90, Sec: "9.7.7.1", Do: setPacked},
}

// setpSays and setpHalves are what explain says of the results of setp (PTX 9.7.6.2,
// 9.7.7.2).
var (
	setpSays   = map[string]string{"p": "the result of the comparison, combined with c by BoolOp if there is one", "q": "the same of the comparison's complement"}
	setpHalves = map[string]string{"p": "the result for the low halves", "q": "the result for the high halves"}
)

// funnelSays is what explain says of the parts of shf (PTX 9.7.8.7).
func funnelSays(dir, half string) map[string]string {
	return map[string]string{
		"." + dir: half,
		".clamp":  "the amount is min(c, 32)",
		".wrap":   "the amount is c & 31",
		"a":       "the low word, bits 31:0 of the value that is shifted; the same register as b makes it a rotate",
		"b":       "the high word, bits 63:32",
		"c":       "the amount, unsigned",
	}
}
