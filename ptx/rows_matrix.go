package ptx

// Matrix instructions of a warp, PTX ISA 9.7.15. All threads of the warp have to execute each of
// them.

// matrixBound is the error that the manual allows floating-point products (PTX 9.7.15.5.14).
const matrixBound = "accumulation in at least single precision (half, for .f16 accumulators), in any order"

// wmma, PTX ISA 9.7.15.4. The manual's own examples put .shape before .layout.
var wmmaRows = []row{
	{Form: "wmma.load.a.sync{.aligned}.layout.shape{.ss}.atype d:frag, [a]{, s:u32}; layout = row col; shape = m16n16k16 m8n32k16 m32n8k16; ss = global shared shared::cta; atype = f16 s8 u8 bf16", About: "Load a matrix from memory into fragments for wmma.mma.", PTX: v(6, 0), SM: 70, Sec: "9.7.15.4.3",
		Needs: ".aligned 6.3 sm_70; .m8n32k16 6.1 sm_70; .m32n8k16 6.1 sm_70; .s8 6.3 sm_72; .u8 6.3 sm_72; .bf16 7.0 sm_80; .shared::cta 7.8 sm_70", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.load.a.sync{.aligned}.layout.m16n16k8{.ss}.tf32 d:frag, [a]{, s:u32}; layout = row col; ss = global shared shared::cta", PTX: v(7, 0), SM: 80, Sec: "9.7.15.4.3", Needs: ".shared::cta 7.8 sm_80", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.load.a.sync{.aligned}.layout.m8n8k4{.ss}.f64 d:frag, [a]{, s:u32}; layout = row col; ss = global shared shared::cta", PTX: v(7, 0), SM: 80, Sec: "9.7.15.4.3", Needs: ".shared::cta 7.8 sm_80", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.load.a.sync{.aligned}.row.m8n8k32{.ss}.atype d:frag, [a]{, s:u32}; ss = global shared shared::cta; atype = s4 u4", PTX: v(6, 3), SM: 75, Sec: "9.7.15.4.3", Needs: ".shared::cta 7.8 sm_75", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.load.a.sync{.aligned}.row.m8n8k128{.ss}.b1 d:frag, [a]{, s:u32}; ss = global shared shared::cta", PTX: v(6, 3), SM: 75, Sec: "9.7.15.4.3", Needs: ".shared::cta 7.8 sm_75", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},

	{Form: "wmma.load.b.sync{.aligned}.layout.shape{.ss}.btype d:frag, [a]{, s:u32}; layout = row col; shape = m16n16k16 m8n32k16 m32n8k16; ss = global shared shared::cta; btype = f16 s8 u8 bf16", PTX: v(6, 0), SM: 70, Sec: "9.7.15.4.3",
		Needs: ".aligned 6.3 sm_70; .m8n32k16 6.1 sm_70; .m32n8k16 6.1 sm_70; .s8 6.3 sm_72; .u8 6.3 sm_72; .bf16 7.0 sm_80; .shared::cta 7.8 sm_70", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.load.b.sync{.aligned}.layout.m16n16k8{.ss}.tf32 d:frag, [a]{, s:u32}; layout = row col; ss = global shared shared::cta", PTX: v(7, 0), SM: 80, Sec: "9.7.15.4.3", Needs: ".shared::cta 7.8 sm_80", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.load.b.sync{.aligned}.layout.m8n8k4{.ss}.f64 d:frag, [a]{, s:u32}; layout = row col; ss = global shared shared::cta", PTX: v(7, 0), SM: 80, Sec: "9.7.15.4.3", Needs: ".shared::cta 7.8 sm_80", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.load.b.sync{.aligned}.col.m8n8k32{.ss}.btype d:frag, [a]{, s:u32}; ss = global shared shared::cta; btype = s4 u4", PTX: v(6, 3), SM: 75, Sec: "9.7.15.4.3", Needs: ".shared::cta 7.8 sm_75", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.load.b.sync{.aligned}.col.m8n8k128{.ss}.b1 d:frag, [a]{, s:u32}; ss = global shared shared::cta", PTX: v(6, 3), SM: 75, Sec: "9.7.15.4.3", Needs: ".shared::cta 7.8 sm_75", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},

	{Form: "wmma.load.c.sync{.aligned}.layout.shape{.ss}.ctype d:frag, [a]{, s:u32}; layout = row col; shape = m16n16k16 m8n32k16 m32n8k16; ss = global shared shared::cta; ctype = f16 f32 s32", PTX: v(6, 0), SM: 70, Sec: "9.7.15.4.3",
		Needs: ".aligned 6.3 sm_70; .m8n32k16 6.1 sm_70; .m32n8k16 6.1 sm_70; .s32 6.3 sm_72; .shared::cta 7.8 sm_70", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.load.c.sync{.aligned}.layout.m16n16k8{.ss}.f32 d:frag, [a]{, s:u32}; layout = row col; ss = global shared shared::cta", PTX: v(7, 0), SM: 80, Sec: "9.7.15.4.3", Needs: ".shared::cta 7.8 sm_80", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.load.c.sync{.aligned}.layout.m8n8k4{.ss}.f64 d:frag, [a]{, s:u32}; layout = row col; ss = global shared shared::cta", PTX: v(7, 0), SM: 80, Sec: "9.7.15.4.3", Needs: ".shared::cta 7.8 sm_80", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.load.c.sync{.aligned}.layout.shape{.ss}.s32 d:frag, [a]{, s:u32}; layout = row col; shape = m8n8k32 m8n8k128; ss = global shared shared::cta", PTX: v(6, 3), SM: 75, Sec: "9.7.15.4.3", Needs: ".shared::cta 7.8 sm_75", Loose: true, Do: wmmaLoad, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},

	{Form: "wmma.store.d.sync{.aligned}.layout.shape{.ss}.type [a], r:frag{, s:u32}; layout = row col; shape = m16n16k16 m8n32k16 m32n8k16; ss = global shared shared::cta; type = f16 f32 s32", PTX: v(6, 0), SM: 70, Sec: "9.7.15.4.4",
		Needs: ".aligned 6.3 sm_70; .m8n32k16 6.1 sm_70; .m32n8k16 6.1 sm_70; .s32 6.3 sm_72; .shared::cta 7.8 sm_70", Loose: true, Do: wmmaStore, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.store.d.sync{.aligned}.layout.shape{.ss}.s32 [a], r:frag{, s:u32}; layout = row col; shape = m8n8k32 m8n8k128; ss = global shared shared::cta", PTX: v(6, 3), SM: 75, Sec: "9.7.15.4.4", Needs: ".shared::cta 7.8 sm_75", Loose: true, Do: wmmaStore, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.store.d.sync{.aligned}.layout.m16n16k8{.ss}.f32 [a], r:frag{, s:u32}; layout = row col; ss = global shared shared::cta", PTX: v(7, 0), SM: 80, Sec: "9.7.15.4.4", Needs: ".shared::cta 7.8 sm_80", Loose: true, Do: wmmaStore, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},
	{Form: "wmma.store.d.sync{.aligned}.layout.m8n8k4{.ss}.f64 [a], r:frag{, s:u32}; layout = row col; ss = global shared shared::cta", PTX: v(7, 0), SM: 80, Sec: "9.7.15.4.4", Needs: ".shared::cta 7.8 sm_80", Loose: true, Do: wmmaStore, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: wmmaSays},

	{Form: "wmma.mma.sync{.aligned}.alayout.blayout.shape.dtype.ctype d:frag, a:frag, b:frag, c:frag; alayout blayout = row col; shape = m16n16k16 m8n32k16 m32n8k16; dtype ctype = f16 f32", PTX: v(6, 0), SM: 70, Sec: "9.7.15.4.5",
		Needs: ".aligned 6.3 sm_70; .m8n32k16 6.1 sm_70; .m32n8k16 6.1 sm_70", Loose: true, Do: wmmaMma, Bound: matrixBound, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "wmma.mma.sync{.aligned}.alayout.blayout.shape.s32.atype.btype.s32{.satfinite} d:frag, a:frag, b:frag, c:frag; alayout blayout = row col; shape = m16n16k16 m8n32k16 m32n8k16; atype btype = s8 u8", PTX: v(6, 3), SM: 72, Sec: "9.7.15.4.5", Loose: true, Do: wmmaMma, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "wmma.mma.sync{.aligned}.alayout.blayout.shape.f32.bf16.bf16.f32 d:frag, a:frag, b:frag, c:frag; alayout blayout = row col; shape = m16n16k16 m8n32k16 m32n8k16", PTX: v(7, 0), SM: 80, Sec: "9.7.15.4.5", Loose: true, Do: wmmaMma, Bound: matrixBound, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "wmma.mma.sync{.aligned}.alayout.blayout.m16n16k8.f32.tf32.tf32.f32 d:frag, a:frag, b:frag, c:frag; alayout blayout = row col", PTX: v(7, 0), SM: 80, Sec: "9.7.15.4.5", Loose: true, Do: wmmaMma, Bound: matrixBound, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "wmma.mma.sync{.aligned}.alayout.blayout.m8n8k4{.rnd}.f64.f64.f64.f64 d:frag, a:frag, b:frag, c:frag; alayout blayout = row col", PTX: v(7, 0), SM: 80, Sec: "9.7.15.4.5", Loose: true, Do: wmmaMma, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "wmma.mma.sync{.aligned}.row.col.m8n8k32.s32.atype.btype.s32{.satfinite} d:frag, a:frag, b:frag, c:frag; atype btype = s4 u4", PTX: v(6, 3), SM: 75, Sec: "9.7.15.4.5", Loose: true, Do: wmmaMma, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "wmma.mma.op.popc.sync{.aligned}.row.col.m8n8k128.s32.b1.b1.s32 d:frag, a:frag, b:frag, c:frag; op = xor and", PTX: v(6, 3), SM: 75, Sec: "9.7.15.4.5", Needs: ".and 7.1 sm_80", Loose: true, Do: wmmaMma, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
}

// mma and the loads, stores and moves of its fragments, PTX ISA 9.7.15.5.
var mmaRows = []row{
	{Form: "mma.sync.aligned.m8n8k4.alayout.blayout.dtype.f16.f16.ctype d:frag, a:frag, b:frag, c:frag; alayout blayout = row col; dtype ctype = f16 f32", About: "Multiply matrices that the lanes of a warp hold in fragments, and add: D = A*B + C.", PTX: v(6, 4), SM: 70, Sec: "9.7.15.5.14", Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "mma.sync.aligned.m16n8k8.row.col.dtype.f16.f16.ctype d:frag, a:frag, b:frag, c:frag; dtype ctype = f16 f32", PTX: v(6, 5), SM: 75, Sec: "9.7.15.5.14", Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "mma.sync.aligned.m16n8k16.row.col.dtype.f16.f16.ctype d:frag, a:frag, b:frag, c:frag; dtype ctype = f16 f32", PTX: v(7, 0), SM: 80, Sec: "9.7.15.5.14", Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 d:frag, a:frag, b:frag, c:frag", PTX: v(7, 0), SM: 80, Sec: "9.7.15.5.14", Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "mma.sync.aligned.m16n8k8.row.col.f32.atype.btype.f32 d:frag, a:frag, b:frag, c:frag; atype btype = bf16 tf32", PTX: v(7, 0), SM: 80, Sec: "9.7.15.5.14", Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d:frag, a:frag, b:frag, c:frag", PTX: v(7, 0), SM: 80, Sec: "9.7.15.5.14", Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d:frag, a:frag, b:frag, c:frag; shape = m16n8k16 m16n8k32; dtype ctype = f16 f32; atype btype = e4m3 e5m2", PTX: v(8, 4), SM: 89, Sec: "9.7.15.5.14", Needs: ".m16n8k16 8.7 sm_89; .f16 8.7 sm_89", Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.dtype.atype.btype.ctype d:frag, a:frag, b:frag, c:frag; dtype ctype = f16 f32; atype btype = e4m3 e5m2 e3m2 e2m3 e2m1", PTX: v(8, 7), SM: 120, Arch: "sm_120f", Sec: "9.7.15.5.14", Loose: true, Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "mma.sync.aligned.m16n8k64.row.col.kind.block_scale{.scale_vec}.f32.e2m1.e2m1.f32.stype d:frag, a:frag, b:frag, c:frag, sa:b32, ia:frag, sb:b32, ib:frag; kind = kind::mxf4; scale_vec = scale_vec::2X; stype = ue8m0", PTX: v(8, 7), SM: 120, Arch: "sm_120f", Sec: "9.7.15.5.14", Loose: true, Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: undefScale, Says: mmaSays},
	{Form: "mma.sync.aligned.m16n8k64.row.col.kind.block_scale.scale_vec.f32.e2m1.e2m1.f32.stype d:frag, a:frag, b:frag, c:frag, sa:b32, ia:frag, sb:b32, ib:frag; kind = kind::mxf4nvf4; scale_vec = scale_vec::2X scale_vec::4X; stype = ue8m0 ue4m3", PTX: v(8, 7), SM: 120, Arch: "sm_120f", Sec: "9.7.15.5.14", Loose: true, Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: undefScale, Says: mmaSays},
	{Form: "mma.sync.aligned.m16n8k32.row.col.kind.block_scale{.scale_vec}.f32.atype.btype.f32.stype d:frag, a:frag, b:frag, c:frag, sa:b32, ia:frag, sb:b32, ib:frag; kind = kind::mxf8f6f4; scale_vec = scale_vec::1X; atype btype = e4m3 e5m2 e3m2 e2m3 e2m1; stype = ue8m0", PTX: v(8, 7), SM: 120, Arch: "sm_120f", Sec: "9.7.15.5.14", Loose: true, Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: undefScale, Says: mmaSays},
	{Form: "mma.sync.aligned.shape.row.col.f64.f64.f64.f64{.rnd} d:frag, a:frag, b:frag, c:frag; shape = m8n8k4 m16n8k4 m16n8k8 m16n8k16", PTX: v(7, 0), SM: 80, Sec: "9.7.15.5.14", Needs: ".m16n8k4 7.8 sm_90; .m16n8k8 7.8 sm_90; .m16n8k16 7.8 sm_90", Do: mma, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "mma.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d:frag, a:frag, b:frag, c:frag; shape = m8n8k16 m16n8k16 m16n8k32; atype btype = u8 s8", PTX: v(6, 5), SM: 75, Sec: "9.7.15.5.14", Needs: ".m16n8k16 7.0 sm_80; .m16n8k32 7.0 sm_80", Do: mma, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "mma.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d:frag, a:frag, b:frag, c:frag; shape = m8n8k32 m16n8k32 m16n8k64; atype btype = u4 s4", PTX: v(6, 5), SM: 75, Sec: "9.7.15.5.14", Needs: ".m16n8k32 7.0 sm_80; .m16n8k64 7.0 sm_80", Do: mma, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},
	{Form: "mma.sync.aligned.shape.row.col.s32.b1.b1.s32.op.popc d:frag, a:frag, b:frag, c:frag; shape = m8n8k128 m16n8k128 m16n8k256; op = xor and", PTX: v(7, 0), SM: 75, Sec: "9.7.15.5.14", Needs: ".m16n8k128 7.0 sm_80; .m16n8k256 7.0 sm_80; .and 7.1 sm_80", Do: mma, Cost: costMatrix, Undefined: []Undefined{undefAligned}, Says: mmaSays},

	{Form: "ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 d:frag, [a]; num = x1 x2 x4; ss = shared shared::cta", About: "Load 8x8 matrices of 16-bit elements from shared memory as fragments for mma.", PTX: v(6, 5), SM: 75, Sec: "9.7.15.5.15", Needs: ".shared::cta 7.8 sm_75", Loose: true, Do: ldmatrix, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: rowsSays},
	{Form: "ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8 d:frag, [a]; num = x1 x2; ss = shared shared::cta", PTX: v(8, 6), SM: 100, Arch: "sm_100f sm_101f sm_120f", Sec: "9.7.15.5.15", Loose: true, Do: ldmatrix, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: bytesSays},
	{Form: "ldmatrix.sync.aligned.m8n16.num{.ss}.b8x16.src_fmt d:frag, [a]; num = x1 x2 x4; ss = shared shared::cta; src_fmt = b6x16_p32 b4x16_p64", PTX: v(8, 6), SM: 100, Arch: "sm_100f sm_101f sm_120f", Sec: "9.7.15.5.15", Loose: true, Do: ldmatrix, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: bytesSays},
	{Form: "ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8x16.src_fmt d:frag, [a]; num = x1 x2; ss = shared shared::cta; src_fmt = b6x16_p32 b4x16_p64", PTX: v(8, 6), SM: 100, Arch: "sm_100f sm_101f sm_120f", Sec: "9.7.15.5.15", Loose: true, Do: ldmatrix, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: bytesSays},
	// No manual documents the memory layout of the signed elements of 4 bits.
	{Form: "ldmatrix.sync.aligned.m8n16.num{.ss}.s8.s4 ...; num = x1 x2 x4; ss = shared shared::cta", PTX: v(9, 4), SM: 90, Arch: "sm_90a sm_100f sm_110f sm_120f", Sec: "9.7.15.5.15", Loose: true, Do: unsupported("forms of ldmatrix for signed elements of 4 bits")},
	{Form: "stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [a], r:frag; num = x1 x2 x4; ss = shared shared::cta", About: "Store fragments as 8x8 matrices of 16-bit elements in shared memory.", PTX: v(7, 8), SM: 90, Sec: "9.7.15.5.16", Loose: true, Do: stmatrix, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: rowsSays},
	{Form: "stmatrix.sync.aligned.m16n8.num.trans{.ss}.b8 [a], r:frag; num = x1 x2 x4; ss = shared shared::cta", PTX: v(8, 6), SM: 100, Arch: "sm_100f sm_101f sm_120f", Sec: "9.7.15.5.16", Loose: true, Do: stmatrix, Cost: costMemory, Undefined: []Undefined{undefAligned}, Says: bytesSays},
	{Form: "movmatrix.sync.aligned.m8n8.trans.b16 d:b32, a!:b32", About: "Transpose an 8x8 matrix of 16-bit elements across the lanes of a warp.", PTX: v(7, 8), SM: 75, Sec: "9.7.15.5.17", Do: movmatrix, Cost: costShared, Undefined: []Undefined{undefAligned},
		Says: map[string]string{"a": "elements 2c and 2c+1 of row r in lane 4r+c", "d": "elements 2c and 2c+1 of column r in lane 4r+c", ".aligned": saysAligned, ".sync": saysSync}},
}

const (
	saysAligned = "all threads of the warp execute this instruction together"
	saysSync    = "waits for all threads of the warp"
)

// mma with a sparse A, PTX ISA 9.7.15.6.
var sparseRows = []row{
	{Form: "mma.spvariant.sync.aligned.shape.row.col.dtype.f16.f16.ctype d:frag, a:frag, b:frag, c:frag, e!:b32, f:imm2; spvariant = sp sp::ordered_metadata; shape = m16n8k16 m16n8k32; dtype ctype = f16 f32", PTX: v(7, 1), SM: 80, Sec: "9.7.15.6.3", Needs: ".sp::ordered_metadata 8.5 sm_80", Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: undefSparse, Says: mmaSays},
	{Form: "mma.spvariant.sync.aligned.shape.row.col.f32.bf16.bf16.f32 d:frag, a:frag, b:frag, c:frag, e!:b32, f:imm2; spvariant = sp sp::ordered_metadata; shape = m16n8k16 m16n8k32", PTX: v(7, 1), SM: 80, Sec: "9.7.15.6.3", Needs: ".sp::ordered_metadata 8.5 sm_80", Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: undefSparse, Says: mmaSays},
	{Form: "mma.spvariant.sync.aligned.shape.row.col.f32.tf32.tf32.f32 d:frag, a:frag, b:frag, c:frag, e!:b32, f:imm2; spvariant = sp sp::ordered_metadata; shape = m16n8k8 m16n8k16", PTX: v(7, 1), SM: 80, Sec: "9.7.15.6.3", Needs: ".sp::ordered_metadata 8.5 sm_80", Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: undefSparse, Says: mmaSays},
	{Form: "mma.spvariant.sync.aligned.m16n8k64.row.col.f32.atype.btype.f32 d:frag, a:frag, b:frag, c:frag, e!:b32, f:imm2; spvariant = sp sp::ordered_metadata; atype btype = e4m3 e5m2", PTX: v(8, 4), SM: 89, Sec: "9.7.15.6.3", Needs: ".sp::ordered_metadata 8.5 sm_89", Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: undefSparse, Says: mmaSays},
	{Form: "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.dtype.atype.btype.ctype d:frag, a:frag, b:frag, c:frag, e!:b32, f:imm2; dtype ctype = f16 f32; atype btype = e4m3 e5m2 e3m2 e2m3 e2m1", PTX: v(8, 7), SM: 120, Arch: "sm_120f", Sec: "9.7.15.6.3", Loose: true, Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: undefSparse, Says: mmaSays},
	{Form: "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind.block_scale{.scale_vec}.f32.e2m1.e2m1.f32.stype d:frag, a:frag, b:frag, c:frag, e!:b32, f:imm2, sa:b32, ia:frag, sb:b32, ib:frag; kind = kind::mxf4; scale_vec = scale_vec::2X; stype = ue8m0", PTX: v(8, 7), SM: 120, Arch: "sm_120a sm_121a", Sec: "9.7.15.6.3", Loose: true, Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: undefSparse, Says: mmaSays},
	{Form: "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind.block_scale.scale_vec.f32.e2m1.e2m1.f32.stype d:frag, a:frag, b:frag, c:frag, e!:b32, f:imm2, sa:b32, ia:frag, sb:b32, ib:frag; kind = kind::mxf4nvf4; scale_vec = scale_vec::2X scale_vec::4X; stype = ue8m0 ue4m3", PTX: v(8, 7), SM: 120, Arch: "sm_120a sm_121a", Sec: "9.7.15.6.3", Loose: true, Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: undefSparse, Says: mmaSays},
	{Form: "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind.block_scale{.scale_vec}.f32.atype.btype.f32.stype d:frag, a:frag, b:frag, c:frag, e!:b32, f:imm2, sa:b32, ia:frag, sb:b32, ib:frag; kind = kind::mxf8f6f4; scale_vec = scale_vec::1X; atype btype = e4m3 e5m2 e3m2 e2m3 e2m1; stype = ue8m0", PTX: v(8, 7), SM: 120, Arch: "sm_120f", Sec: "9.7.15.6.3", Loose: true, Do: mma, Bound: matrixBound, Cost: costMatrix, Undefined: undefSparse, Says: mmaSays},
	{Form: "mma.spvariant.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d:frag, a:frag, b:frag, c:frag, e!:b32, f:imm2; spvariant = sp sp::ordered_metadata; shape = m16n8k32 m16n8k64; atype btype = u8 s8", PTX: v(7, 1), SM: 80, Sec: "9.7.15.6.3", Needs: ".sp::ordered_metadata 8.5 sm_80", Do: mma, Cost: costMatrix, Undefined: undefSparse, Says: mmaSays},
	{Form: "mma.spvariant.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d:frag, a:frag, b:frag, c:frag, e!:b32, f:imm2; spvariant = sp sp::ordered_metadata; shape = m16n8k64 m16n8k128; atype btype = u4 s4", PTX: v(7, 1), SM: 80, Sec: "9.7.15.6.3", Needs: ".sp::ordered_metadata 8.5 sm_80", Do: mma, Cost: costMatrix, Undefined: undefSparse, Says: mmaSays},
}

// mmaSays holds the texts of explain for the operands.
var mmaSays = map[string]string{
	"d": "the fragment of the result D", "a": "the fragment of A", "b": "the fragment of B", "c": "the fragment of C",
	"e": "sparsity metadata: which elements of A are stored", "f": "sparsity selector: which of four lanes hold the metadata",
	"sa": "scale factors of A", "ia": "which byte, and which pair of lanes of four, hold the factors of A", "sb": "scale factors of B", "ib": "which byte, and which lane of four, hold the factors of B",
	".aligned": saysAligned, ".sync": saysSync, ".satfinite": "the result is limited to the range of s32 instead of wrapping",
	".row": "stored by rows", ".col": "stored by columns",
}

var wmmaSays = map[string]string{
	"d": "the fragment", "r": "the fragment", "s": "the distance of rows (columns, with .col) in elements", ".aligned": saysAligned, ".sync": saysSync, ".row": "stored by rows", ".col": "stored by columns",
}

var rowsSays = map[string]string{
	"d": "one register for each matrix: elements 2c and 2c+1 of row r in lane 4r+c", "r": "one register for each matrix: elements 2c and 2c+1 of row r in lane 4r+c",
	"a": "the address of a row: lane r that of row r of the first matrix, lane 8+r that of the second, and so on", ".aligned": saysAligned, ".sync": saysSync, ".trans": "by columns instead of rows",
}

var bytesSays = map[string]string{
	"d": "the registers of each matrix, four elements in each", "r": "one register for each matrix, four elements in each",
	"a": "the address of a row: lane r that of row r of the first matrix, and so on; after 8 lanes, with .m16n16 16, the rows of the next one begin", ".aligned": saysAligned, ".sync": saysSync, ".trans": "by columns instead of rows",
	".b6x16_p32": "a row of memory holds 16 elements of 6 bits and 4 bytes of padding", ".b4x16_p64": "a row of memory holds 16 elements of 4 bits and 8 bytes of padding",
}
