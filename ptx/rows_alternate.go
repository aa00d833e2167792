package ptx

// Arithmetic on packed values of several types, of PTX 9.4. The sections are those of the 9.4 text;
// the ISA 9.3 numbers its sections differently.

const (
	alternateArch = "sm_100a sm_103a"
	x4Results     = "; cdtype = e5m2x4 e4m3x4"
	x4Lists       = "e5m2x4 e4m3x4 e3m2x4 e2m3x4 e2m1p4x4 ue8m0x4"

	conversionLeftOpen = "products of .f16x2 and .bf16x2, of which the manual does not say how their conversion rounds"
)

// PTX 9.4: 9.7.5 and 9.7.6.
var alternateRows = []row{
	{Form: "add{.rnd}.f32x2.atype.f32x2 d:b64, a:atype, c:b64; atype = f16x2 bf16x2", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.5.1", Do: mixedUp("AddF32{rnd}"), Untyped: true, Cost: costHalf},
	{Form: "add.rz.ftz.f16x2.f32x2.f32x2 d:f16x2, a:b64, c:b64", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.5.1", Do: mixedDown("AddF32RZ{ftz}"), Untyped: true, Loose: true, Cost: costHalf},
	{Form: "add.rz.bf16x2.f32x2.f32x2 d:bf16x2, a:b64, c:b64", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.5.1", Do: mixedDown("AddF32RZ"), Untyped: true, Cost: costHalf},
	{Form: "sub{.rnd}.f32x2.atype.f32x2 d:b64, a:atype, c:b64; atype = f16x2 bf16x2", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.5.2", Do: mixedUp("SubF32{rnd}"), Untyped: true, Cost: costHalf},
	{Form: "sub.rz.ftz.f16x2.f32x2.f32x2 d:f16x2, a:b64, c:b64", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.5.2", Do: mixedDown("SubF32RZ{ftz}"), Untyped: true, Loose: true, Cost: costHalf},
	{Form: "sub.rz.bf16x2.f32x2.f32x2 d:bf16x2, a:b64, c:b64", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.5.2", Do: mixedDown("SubF32RZ"), Untyped: true, Cost: costHalf},
	{Form: "fma.rnd.f32x2.atype.f32x2.f32x2 d:b64, a:atype, b:b64, c:b64; atype = f16x2 bf16x2", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.5.3", Do: mixedUp("FmaF32{rnd}"), Untyped: true, Cost: costHalf},
	{Form: "mul.rz.ftz.f16x2.f32x2.f32x2 d:f16x2, a:b64, c:b64", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.5.4", Do: mixedDown("MulF32RZ{ftz}"), Untyped: true, Loose: true, Cost: costHalf},
	{Form: "mul.rz.bf16x2.f32x2.f32x2 d:bf16x2, a:b64, c:b64", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.5.4", Do: mixedDown("MulF32RZ"), Untyped: true, Cost: costHalf},
	{Form: "mul.bf16x2.bf16x2.f16x2 d:bf16x2, a:bf16x2, c:f16x2", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.5.4", Do: unsupported(conversionLeftOpen)},
	{Form: "mul.f16x2.f16x2.bf16x2 d:f16x2, a:f16x2, c:bf16x2", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.5.4", Do: unsupported(conversionLeftOpen)},

	{Form: "add{.rn}{.satfinite}.cdtype.atype d:b32, a:b32, c:b32; atype = " + x4Lists + x4Results, PTX: v(9, 4), SM: 100, Arch: alternateArch, Sec: "9.4: 9.7.6.1", Do: alternate("AddF64", "cdtype", "atype", "cdtype"), Untyped: true, Loose: true, Cost: costSlow},
	{Form: "add{.rn}{.satfinite}.cdtype.e2m1x4 d:b32, a:b16, c:b32" + x4Results, PTX: v(9, 4), SM: 100, Arch: alternateArch, Sec: "9.4: 9.7.6.1", Do: alternate("AddF64", "cdtype", "e2m1x4", "cdtype"), Untyped: true, Loose: true, Cost: costSlow},
	{Form: "sub{.rn}{.satfinite}.cdtype.atype d:b32, a:b32, c:b32; atype = " + x4Lists + x4Results, PTX: v(9, 4), SM: 100, Arch: alternateArch, Sec: "9.4: 9.7.6.2", Do: alternate("SubF64", "cdtype", "atype", "cdtype"), Untyped: true, Loose: true, Cost: costSlow},
	{Form: "sub{.rn}{.satfinite}.cdtype.e2m1x4 d:b32, a:b16, c:b32" + x4Results, PTX: v(9, 4), SM: 100, Arch: alternateArch, Sec: "9.4: 9.7.6.2", Do: alternate("SubF64", "cdtype", "e2m1x4", "cdtype"), Untyped: true, Loose: true, Cost: costSlow},
	{Form: "mul{.rn}{.satfinite}.cdtype.atype.btype d:b32, a:b32, c:b32; atype btype = " + x4Lists + x4Results, PTX: v(9, 4), SM: 100, Arch: alternateArch, Sec: "9.4: 9.7.6.3", Do: alternate("MulF64", "cdtype", "atype", "btype"), Untyped: true, Loose: true, Cost: costSlow},
	{Form: "mul{.rn}{.satfinite}.cdtype.e2m1x4.btype d:b32, a:b16, c:b32; btype = " + x4Lists + x4Results, PTX: v(9, 4), SM: 100, Arch: alternateArch, Sec: "9.4: 9.7.6.3", Do: alternate("MulF64", "cdtype", "e2m1x4", "btype"), Untyped: true, Loose: true, Cost: costSlow},
	{Form: "mul{.rn}{.satfinite}.cdtype.atype.e2m1x4 d:b32, a:b32, c:b16; atype = " + x4Lists + x4Results, PTX: v(9, 4), SM: 100, Arch: alternateArch, Sec: "9.4: 9.7.6.3", Do: alternate("MulF64", "cdtype", "atype", "e2m1x4"), Untyped: true, Loose: true, Cost: costSlow},
	{Form: "mul{.rn}{.satfinite}.cdtype.e2m1x4.e2m1x4 d:b32, a:b16, c:b16" + x4Results, PTX: v(9, 4), SM: 100, Arch: alternateArch, Sec: "9.4: 9.7.6.3", Do: alternate("MulF64", "cdtype", "e2m1x4", "e2m1x4"), Untyped: true, Loose: true, Cost: costSlow},
	{Form: "fma{.rn}{.satfinite}.cdtype.atype.btype d:b32, a:b32, b:b32, c:b32; atype btype = " + x4Lists + x4Results, PTX: v(9, 4), SM: 100, Arch: alternateArch, Sec: "9.4: 9.7.6.4", Do: alternate("FmaF64", "cdtype", "atype", "btype", "cdtype"), Untyped: true, Loose: true, Cost: costSlow},
	{Form: "fma{.rn}{.satfinite}.cdtype.e2m1x4.btype d:b32, a:b16, b:b32, c:b32; btype = " + x4Lists + x4Results, PTX: v(9, 4), SM: 100, Arch: alternateArch, Sec: "9.4: 9.7.6.4", Do: alternate("FmaF64", "cdtype", "e2m1x4", "btype", "cdtype"), Untyped: true, Loose: true, Cost: costSlow},
	{Form: "fma{.rn}{.satfinite}.cdtype.atype.e2m1x4 d:b32, a:b32, b:b16, c:b32; atype = " + x4Lists + x4Results, PTX: v(9, 4), SM: 100, Arch: alternateArch, Sec: "9.4: 9.7.6.4", Do: alternate("FmaF64", "cdtype", "atype", "e2m1x4", "cdtype"), Untyped: true, Loose: true, Cost: costSlow},
	{Form: "fma{.rn}{.satfinite}.cdtype.e2m1x4.e2m1x4 d:b32, a:b16, b:b16, c:b32" + x4Results, PTX: v(9, 4), SM: 100, Arch: alternateArch, Sec: "9.4: 9.7.6.4", Do: alternate("FmaF64", "cdtype", "e2m1x4", "e2m1x4", "cdtype"), Untyped: true, Loose: true, Cost: costSlow},
}
