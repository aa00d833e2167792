package ptx

// Conversions, PTX ISA 9.7.9.22 and 9.7.9.23. checkCvt checks the rounding modifiers that a pair of
// types requires or forbids.

// Targets of the conversions of narrow formats.
const (
	archNarrow = "sm_100a sm_101a sm_120a sm_100f sm_101f sm_120f"
	archFamily = "sm_100f sm_110f sm_120f"
	archS2F6   = "sm_100a sm_103a sm_107a sm_110a sm_120a sm_121a"
	archRS     = "sm_100a sm_103a sm_107a"
	arch94     = "sm_107f" // targets of the additions in PTX 9.4; its section on cvt is 9.7.10.24
)

var convertRows = []row{
	{Form: "cvt{.irnd}{.ftz}{.sat}.dtype.atype d:dtype, a:atype; dtype = u8 u16 u32 u64 s8 s16 s32 s64 f16 f32 f64 bf16; atype = u8 u16 u32 u64 s8 s16 s32 s64 f16 f32 f64 bf16", About: "Convert a value from one type to another.",
		PTX: v(1, 0), Sec: "9.7.9.22", Needs: ".ftz 1.4 sm_10; .bf16 7.1 sm_80", Do: cvt, Loose: true, Relaxed: true, Specials: true, Cost: costHalf},
	{Form: "cvt.frnd{.ftz}{.sat}.dtype.atype d:dtype, a:atype; dtype = f16 f32 f64 bf16; atype = u8 u16 u32 u64 s8 s16 s32 s64 f16 f32 f64 bf16",
		PTX: v(1, 0), Sec: "9.7.9.22", Needs: ".ftz 1.4 sm_10; .bf16 7.0 sm_80", Do: cvt, Loose: true, Relaxed: true, Specials: true, Cost: costHalf},
	{Form: "cvt.frnd2.satfinite.dtype.f32 d:dtype, a:f32; frnd2 = rn rz; dtype = f16",
		PTX: v(8, 1), SM: 70, Sec: "9.7.9.22", Do: cvtHalf, Loose: true, Relaxed: true, Cost: costHalf},
	{Form: "cvt.frnd2{.relu}{.satfinite}{.pzo}.dtype.f32 d:dtype, a:f32; frnd2 = rn rz; dtype = f16 bf16",
		PTX: v(7, 0), SM: 80, Sec: "9.7.9.22", Needs: ".satfinite 8.1 sm_80; .pzo 9.4 sm_107f", Do: cvtHalf, Loose: true, Relaxed: true, Cost: costHalf},
	{Form: "cvt.frnd2{.relu}{.satfinite}{.pzo}.dtype.f32 d:dtype, a:f32, b:f32; frnd2 = rn rz; dtype = f16x2 bf16x2",
		PTX: v(7, 0), SM: 80, Sec: "9.7.9.22", Needs: ".satfinite 8.1 sm_80; .pzo 9.4 sm_107f", Do: cvtHalf, Loose: true, Relaxed: true, Cost: costHalf},
	{Form: "cvt.rs{.relu}{.satfinite}.dtype.f32 d:dtype, a:f32, b:f32, rbits:b32; dtype = f16x2 bf16x2",
		PTX: v(8, 7), SM: 100, Sec: "9.7.9.22", Arch: archRS, Do: cvtHalf, Loose: true, Untyped: true, Cost: costHalf},
	{Form: "cvt.rna{.satfinite}.tf32.f32 d:b32, a:f32",
		PTX: v(7, 0), SM: 80, Sec: "9.7.9.22", Needs: ".satfinite 8.1 sm_80", Do: cvtTF32, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd2{.satfinite}{.relu}{.pzo}.tf32.f32 d:b32, a:f32; frnd2 = rn rz",
		PTX: v(7, 8), SM: 90, Sec: "9.7.9.22", Needs: ".satfinite 8.6 sm_100; .pzo 9.4 sm_107f", Do: cvtTF32, Untyped: true, Loose: true, Cost: costHalf},

	// Conversions to and from 8, 6 and 4 bits.
	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.f8x2.f32 d:b16, a:f32, b:f32; frnd2 = rn rz; f8x2 = e4m3x2 e5m2x2",
		PTX: v(7, 8), SM: 89, Sec: "9.7.9.22", Needs: ".rz 9.4 sm_107f; .pzo 9.4 sm_107f", Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.scaled::n1::ue8m0.f8x2.f32 d:b16, a:f32, b:f32, scale:b8; frnd2 = rn rz; f8x2 = e4m3x2 e5m2x2",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.f8x2.f16x2 d:b16, a:f16x2; frnd2 = rn rz; f8x2 = e4m3x2 e5m2x2",
		PTX: v(7, 8), SM: 89, Sec: "9.7.9.22", Needs: ".rz 9.4 sm_107f; .pzo 9.4 sm_107f", Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.scaled::n1::ue8m0.f8x2.f16x2 d:b16, a:f16x2, scale:b8; frnd2 = rn rz; f8x2 = e4m3x2 e5m2x2",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.f8x2.bf16x2 d:b16, a:bf16x2; frnd2 = rn rz; f8x2 = e4m3x2 e5m2x2",
		PTX: v(9, 1), SM: 100, Sec: "9.7.9.22", Arch: archFamily, Needs: ".rz 9.4 sm_107f; .pzo 9.4 sm_107f", Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.scaled::n1::ue8m0.f8x2.bf16x2 d:b16, a:bf16x2, scale:b8; frnd2 = rn rz; f8x2 = e4m3x2 e5m2x2",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.relu}.f16x2.f8x2 d:f16x2, a:b16; f8x2 = e4m3x2 e5m2x2",
		PTX: v(7, 8), SM: 89, Sec: "9.7.9.22", Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.relu}{.satfinite}.bf16x2.f8x2 d:bf16x2, a:b16; f8x2 = e4m3x2 e5m2x2",
		PTX: v(9, 2), SM: 100, Sec: "9.7.9.22", Arch: archFamily, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.relu}{.satfinite}.scaled::n2::ue8m0.bf16x2.f8x2 d:bf16x2, a:b16, scale:b16; f8x2 = e4m3x2 e5m2x2",
		PTX: v(9, 2), SM: 100, Sec: "9.7.9.22", Arch: archFamily, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rs{.relu}.satfinite.f8x4.f32 d:b32, a:v4f32, rbits:b32; f8x4 = e4m3x4 e5m2x4",
		PTX: v(8, 7), SM: 100, Sec: "9.7.9.22", Arch: archRS, Do: cvtDown4, Loose: true, Untyped: true, Cost: costHalf},

	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.e2m1x2.f32 d:b8, a:f32, b:f32; frnd2 = rn rz",
		PTX: v(8, 6), SM: 100, Sec: "9.7.9.22", Arch: archNarrow, Needs: ".rz 9.4 sm_107f; .pzo 9.4 sm_107f", Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.scaled::n1::ue8m0.e2m1x2.f32 d:b8, a:f32, b:f32, scale:b8; frnd2 = rn rz",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.e2m1x2.fp16x2 d:b8, a:fp16x2; frnd2 = rn rz; fp16x2 = f16x2 bf16x2",
		PTX: v(9, 1), SM: 100, Sec: "9.7.9.22", Arch: archFamily, Needs: ".rz 9.4 sm_107f; .pzo 9.4 sm_107f", Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.scaled::n1::ue8m0.e2m1x2.fp16x2 d:b8, a:fp16x2, scale:b8; frnd2 = rn rz; fp16x2 = f16x2 bf16x2",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.relu}.f16x2.e2m1x2 d:f16x2, a:b8",
		PTX: v(8, 6), SM: 100, Sec: "9.7.9.22", Arch: archNarrow, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.relu}{.satfinite}.bf16x2.e2m1x2 d:bf16x2, a:b8",
		PTX: v(9, 2), SM: 100, Sec: "9.7.9.22", Arch: archFamily, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.relu}{.satfinite}.scaled::n2::ue8m0.bf16x2.e2m1x2 d:bf16x2, a:b8, scale:b16",
		PTX: v(9, 2), SM: 100, Sec: "9.7.9.22", Arch: archFamily, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rs{.relu}.satfinite.e2m1x4.f32 d:b16, a:v4f32, rbits:b32",
		PTX: v(8, 7), SM: 100, Sec: "9.7.9.22", Arch: archRS, Do: cvtDown4, Loose: true, Untyped: true, Cost: costHalf},

	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.f6x2.f32 d:b16, a:f32, b:f32; frnd2 = rn rz; f6x2 = e2m3x2 e3m2x2",
		PTX: v(8, 6), SM: 100, Sec: "9.7.9.22", Arch: archNarrow, Needs: ".rz 9.4 sm_107f; .pzo 9.4 sm_107f", Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.scaled::n1::ue8m0.f6x2.f32 d:b16, a:f32, b:f32, scale:b8; frnd2 = rn rz; f6x2 = e2m3x2 e3m2x2",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.f6x2.fp16x2 d:b16, a:fp16x2; frnd2 = rn rz; f6x2 = e2m3x2 e3m2x2; fp16x2 = f16x2 bf16x2",
		PTX: v(9, 1), SM: 100, Sec: "9.7.9.22", Arch: archFamily, Needs: ".rz 9.4 sm_107f; .pzo 9.4 sm_107f", Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd2.satfinite{.relu}{.pzo}.scaled::n1::ue8m0.f6x2.fp16x2 d:b16, a:fp16x2, scale:b8; frnd2 = rn rz; f6x2 = e2m3x2 e3m2x2; fp16x2 = f16x2 bf16x2",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.relu}.f16x2.f6x2 d:f16x2, a:b16; f6x2 = e2m3x2 e3m2x2",
		PTX: v(8, 6), SM: 100, Sec: "9.7.9.22", Arch: archNarrow, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.relu}{.satfinite}.bf16x2.f6x2 d:bf16x2, a:b16; f6x2 = e2m3x2 e3m2x2",
		PTX: v(9, 2), SM: 100, Sec: "9.7.9.22", Arch: archFamily, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.relu}{.satfinite}.scaled::n2::ue8m0.bf16x2.f6x2 d:bf16x2, a:b16, scale:b16; f6x2 = e2m3x2 e3m2x2",
		PTX: v(9, 2), SM: 100, Sec: "9.7.9.22", Arch: archFamily, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rs{.relu}.satfinite.f6x4.f32 d:b32, a:v4f32, rbits:b32; f6x4 = e2m3x4 e3m2x4",
		PTX: v(8, 7), SM: 100, Sec: "9.7.9.22", Arch: archRS, Do: cvtDown4, Loose: true, Untyped: true, Cost: costHalf},

	// Powers of two, and fixed point.
	{Form: "cvt.frnd3{.satfinite}.ue8m0x2.f32 d:b16, a:f32, b:f32; frnd3 = rz rp",
		PTX: v(8, 6), SM: 100, Sec: "9.7.9.22", Arch: archNarrow, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd3{.satfinite}.ue8m0x2.bf16x2 d:b16, a:bf16x2; frnd3 = rz rp",
		PTX: v(8, 6), SM: 100, Sec: "9.7.9.22", Arch: archNarrow, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn.bf16x2.ue8m0x2 d:bf16x2, a:b16",
		PTX: v(8, 6), SM: 100, Sec: "9.7.9.22", Arch: archNarrow, Do: lanewise("CvtBF16x2FromUE8M0x2"), Loose: true, Cost: costHalf},
	{Form: "cvt.rn.satfinite{.relu}.s2f6x2.f32 d:b16, a:f32, b:f32",
		PTX: v(9, 1), SM: 100, Sec: "9.7.9.22", Arch: archS2F6, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn.satfinite{.relu}.scaled::n2::ue8m0.s2f6x2.f32 d:b16, a:f32, b:f32, scale:b16",
		PTX: v(9, 1), SM: 100, Sec: "9.7.9.22", Arch: archS2F6, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn.satfinite{.relu}.s2f6x2.bf16x2 d:b16, a:bf16x2",
		PTX: v(9, 1), SM: 100, Sec: "9.7.9.22", Arch: archS2F6, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn.satfinite{.relu}.scaled::n2::ue8m0.s2f6x2.bf16x2 d:b16, a:bf16x2, scale:b16",
		PTX: v(9, 1), SM: 100, Sec: "9.7.9.22", Arch: archS2F6, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.satfinite}{.relu}.bf16x2.s2f6x2 d:bf16x2, a:b16",
		PTX: v(9, 1), SM: 100, Sec: "9.7.9.22", Arch: archS2F6, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.satfinite}{.relu}.scaled::n2::ue8m0.bf16x2.s2f6x2 d:bf16x2, a:b16, scale:b16",
		PTX: v(9, 1), SM: 100, Sec: "9.7.9.22", Arch: archS2F6, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},

	// Formats of PTX 9.4 with 5 bits of exponent and no sign.
	{Form: "cvt.frnd4{.satfinite}.ue5m3x2.f32 d:b16, a:f32, b:f32; frnd4 = rn rz rp",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd4{.satfinite}.scaled::n1::ue8m0.ue5m3x2.f32 d:b16, a:f32, b:f32, scale:b8; frnd4 = rn rz",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd4{.satfinite}.ue5m3x2.fp16x2 d:b16, a:fp16x2; frnd4 = rn rz rp; fp16x2 = f16x2 bf16x2",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.frnd4{.satfinite}.scaled::n1::ue8m0.ue5m3x2.fp16x2 d:b16, a:fp16x2, scale:b8; frnd4 = rn rz; fp16x2 = f16x2 bf16x2",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtDown, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn.f16x2.ue5m3x2 d:f16x2, a:b16",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.satfinite}.bf16x2.ue5m3x2 d:bf16x2, a:b16",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},
	{Form: "cvt.rn{.satfinite}.scaled::n2::ue8m0.bf16x2.ue5m3x2 d:bf16x2, a:b16, scale:b16",
		PTX: v(9, 4), SM: 107, Sec: "9.7.9.22", Arch: arch94, Do: cvtUp, Untyped: true, Loose: true, Cost: costHalf},

	// d has b in its low bits, a above b, and c above a.
	{Form: "cvt.pack.sat.to.s32 d:u32, a:s32, b:s32; to = u16 s16", PTX: v(6, 5), SM: 72, Sec: "9.7.9.23", Do: lanewise("CvtPack{to}"), Cost: costHalf},
	{Form: "cvt.pack.sat.to.s32.b32 d:u32, a:s32, b:s32, c:b32; to = u8 s8 u4 s4 u2 s2", PTX: v(6, 5), SM: 72, Sec: "9.7.9.23",
		Needs: ".u4 6.5 sm_75; .s4 6.5 sm_75; .u2 6.5 sm_75; .s2 6.5 sm_75", Do: lanewise("CvtPack{to}"), Cost: costHalf},
}
