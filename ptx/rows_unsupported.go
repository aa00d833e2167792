package ptx

// Instructions that Crosslane knows and does not run. Their rows have every modifier of the manual,
// so a module that contains them is parsed, checked for version and target, and printed. If a row
// has … for operands, the row's check covers them; the operands of fabric instructions and sparse
// vectors are not checked. A kernel that reaches one of these instructions is refused by name.

const (
	textureFamily = "texture instructions"
	surfaceFamily = "surface instructions"
	tcgenFamily   = "instructions of the fifth generation of tensor cores (tcgen05)"
	sparseFamily  = "instructions for structured sparse vectors"
	fabricFamily  = "fabric instructions, which address other devices"

	// blackwell holds the targets that most of tcgen05 needs.
	blackwell = "sm_100f sm_101f"
	// blackwellNeed is the same list in the form of Needs.
	blackwellNeed = "sm_100f|sm_101f"
	blackwellPlus = "sm_100f|sm_101f|sm_120f"
)

// Textures and surfaces, PTX ISA 9.7.11 and 9.7.12.
var textureRows = []row{
	{Form: "tex{.mipmap}.geom.v4.dtype.ctype ...; mipmap = base level grad; geom = 1d 2d 3d a1d a2d cube acube 2dms a2dms; dtype = u32 s32 f16 f32; ctype = s32 f32", About: "Look up a texture.",
		PTX: v(1, 0), Sec: "9.7.11.3", Needs: ".a1d 2.3 sm_10; .a2d 2.3 sm_10; .cube 3.0 sm_10; .acube 3.0 sm_20; .2dms 3.2 sm_30; .a2dms 3.2 sm_30; mipmap 3.1 sm_20; .f16 4.2 sm_53", Do: unsupported(textureFamily, checkTexture)},
	{Form: "tex{.mipmap}.geom.v2.f16x2.ctype ...; mipmap = base level grad; geom = 1d 2d 3d a1d a2d cube acube 2dms a2dms; ctype = s32 f32",
		PTX: v(4, 2), SM: 53, Sec: "9.7.11.3", Do: unsupported(textureFamily, checkTexture)},
	{Form: "tld4.comp.geom.v4.dtype.f32 ...; comp = r g b a; geom = 2d a2d cube acube; dtype = u32 s32 f32", About: "Fetch the four texels that a bilinear lookup would use.",
		PTX: v(2, 2), SM: 20, Sec: "9.7.11.4", Needs: ".a2d 4.3 sm_30; .cube 4.3 sm_30; .acube 4.3 sm_30", Do: unsupported(textureFamily, checkTexture)},
	{Form: "txq.query.b32 ...; query = width height depth channel_data_type channel_order normalized_coords array_size num_mipmap_levels num_samples force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2", About: "Ask for an attribute of a texture or sampler.",
		PTX: v(1, 5), Sec: "9.7.11.5", Needs: ".channel_data_type 2.1 sm_10; .channel_order 2.1 sm_10; .force_unnormalized_coords 2.2 sm_10; .array_size 4.1 sm_10; .num_mipmap_levels 4.1 sm_20; .num_samples 4.1 sm_30", Do: unsupported(textureFamily, checkQuery(Texref, Samplerref))},
	{Form: "txq.level.query.b32 ...; query = width height depth", PTX: v(4, 3), SM: 30, Sec: "9.7.11.5", Do: unsupported(textureFamily, checkQuery(Texref, Samplerref))},
	{Form: "istypep.opaque p, a:h64; opaque = texref samplerref surfref", About: "Ask whether an address is that of an opaque variable.", PTX: v(4, 0), SM: 30, Sec: "9.7.11.6", Do: unsupported(textureFamily)},

	{Form: "suld.b.geom{.cop}{.vec}.dtype{.clamp} ...; geom = 1d 2d 3d a1d a2d; cop = ca cg cs cv; vec = v2 v4; dtype = b8 b16 b32 b64; clamp = trap clamp zero", About: "Load from a surface.",
		PTX: v(1, 5), Sec: "9.7.12.1", Needs: "cop 2.0 sm_20; .clamp 2.0 sm_20; .zero 2.0 sm_20; .3d 3.0 sm_20; .a1d 3.0 sm_20; .a2d 3.0 sm_20", Do: unsupported(surfaceFamily, checkSurface)},
	{Form: "sust.b.geom{.cop}{.vec}.dtype{.clamp} ...; geom = 1d 2d 3d a1d a2d; cop = wb cg cs wt; vec = v2 v4; dtype = b8 b16 b32 b64; clamp = trap clamp zero", About: "Store to a surface.",
		PTX: v(1, 5), Sec: "9.7.12.2", Needs: "cop 2.0 sm_20; .clamp 2.0 sm_20; .zero 2.0 sm_20; .3d 3.0 sm_20; .a1d 3.0 sm_20; .a2d 3.0 sm_20", Do: unsupported(surfaceFamily, checkSurface)},
	{Form: "sust.p.geom{.vec}.b32{.clamp} ...; geom = 1d 2d 3d; vec = v2 v4; clamp = trap clamp zero",
		PTX: v(2, 0), SM: 20, Sec: "9.7.12.2", Needs: ".3d 3.0 sm_20", Do: unsupported(surfaceFamily, checkSurface)},
	{Form: "sured.b.op.geom.ctype.clamp ...; op = add min max and or; geom = 1d 2d 3d; ctype = u32 u64 s32 b32 s64; clamp = trap clamp zero", About: "Reduce into a surface.",
		PTX: v(2, 0), SM: 20, Sec: "9.7.12.3", Needs: ".3d 3.0 sm_20; .s64 8.1 sm_50", Do: unsupported(surfaceFamily, checkSurface)},
	{Form: "sured.p.op.geom.ctype.clamp ...; op = add min max and or; geom = 1d 2d 3d; ctype = b32 u32 s32 b64; clamp = trap clamp zero",
		PTX: v(2, 0), SM: 20, Sec: "9.7.12.3", Needs: ".3d 3.0 sm_20; .b64 8.1 sm_50", Do: unsupported(surfaceFamily, checkSurface)},
	{Form: "suq.query.b32 ...; query = width height depth channel_data_type channel_order array_size memory_layout", About: "Ask for an attribute of a surface.",
		PTX: v(1, 5), Sec: "9.7.12.4", Needs: ".channel_data_type 2.1 sm_10; .channel_order 2.1 sm_10; .array_size 4.1 sm_10; .memory_layout 4.2 sm_10", Do: unsupported(surfaceFamily, checkQuery(Surfref))},
}

const (
	ctaGroups    = "cta_group = cta_group::1 cta_group::2"
	collectorA   = "collector_usage = collector::a::fill collector::a::use collector::a::lastuse collector::a::discard"
	collectorB   = "collector_usage = collector::b0::fill collector::b0::use collector::b0::lastuse collector::b0::discard collector::b1::fill collector::b1::use collector::b1::lastuse collector::b1::discard collector::b2::fill collector::b2::use collector::b2::lastuse collector::b2::discard collector::b3::fill collector::b3::use collector::b3::lastuse collector::b3::discard"
	scaleVectors = "scale_vectorsize = scale_vec::1X scale_vec::2X scale_vec::4X block16 block32"
	mmaKinds     = "kind = kind::f16 kind::tf32 kind::f8f6f4 kind::i8"
	// kind::i8 has no family-specific targets; sm_110a has it under its old name, too.
	i8Need     = ".kind::i8 8.6 sm_100a|sm_101a|sm_110a"
	scaleNeeds = ".kind::mxf4nvf4 8.7 sm_100; .block16 8.8 sm_100; .block32 8.8 sm_100"
	// Sparse matrices of 4 bits have no family-specific targets either.
	spNeeds = ".kind::mxf4 8.6 sm_100a|sm_101a|sm_103a|sm_110a; .kind::mxf4nvf4 8.7 sm_100a|sm_101a|sm_103a|sm_110a; .block16 8.8 sm_100; .block32 8.8 sm_100"
)

// Products of tensor cores of the fifth generation, PTX ISA 9.7.17.10.
var tcgenRows = []row{
	{Form: "tcgen05.mma.cta_group.kind{.ashift}{.collector_usage} ...; " + ctaGroups + "; " + mmaKinds + "; " + collectorA, PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.1", Needs: i8Need, Loose: true, Do: unsupported(tcgenFamily, checkTcgenMma)},
	{Form: "tcgen05.mma.cta_group.kind{.block_scale}{.scale_vectorsize}{.collector_usage} ...; " + ctaGroups + "; kind = kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4; " + scaleVectors + "; " + collectorA, PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.1", Needs: scaleNeeds, Loose: true, Do: unsupported(tcgenFamily, checkTcgenMma)},
	{Form: "tcgen05.mma.sp.cta_group.kind{.ashift}{.collector_usage} ...; " + ctaGroups + "; " + mmaKinds + "; " + collectorA, PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.2", Needs: i8Need, Loose: true, Do: unsupported(tcgenFamily, checkTcgenMma)},
	{Form: "tcgen05.mma.sp.cta_group.kind{.block_scale}{.scale_vectorsize}{.collector_usage} ...; " + ctaGroups + "; kind = kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4; " + scaleVectors + "; " + collectorA, PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.2", Needs: spNeeds, Loose: true, Do: unsupported(tcgenFamily, checkTcgenMma)},
	{Form: "tcgen05.mma.ws.cta_group::1.kind{.collector_usage} ...; " + mmaKinds + "; " + collectorB, PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.3", Needs: i8Need, Loose: true, Do: unsupported(tcgenFamily, checkTcgenMma)},
	{Form: "tcgen05.mma.ws.sp.cta_group::1.kind{.collector_usage} ...; " + mmaKinds + "; " + collectorB, PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.4", Needs: i8Need, Loose: true, Do: unsupported(tcgenFamily, checkTcgenMma)},
}

// Structured sparse vectors of PTX 9.4. The manual leaves the ties of compression and the order of
// the chosen elements open.
var sparseVectorRows = []row{
	{Form: "spcompress.elemsize.idxsize.sp::2:4.num ...; elemsize = b8 b16; idxsize = b2 b4; num = x1 x2 x4 x8 x16 x32 x64", About: "Compress a vector to a structured sparse one.", PTX: v(9, 4), SM: 107, Arch: "sm_107a", Sec: "9.4: 9.7.10.30", Do: unsupported(sparseFamily, checkSpcompress)},
	{Form: "spdecompress.elemsize.idxsize.spfactor.num ...; elemsize = b8 b16; idxsize = b2 b4; num = x1 x2 x4 x8 x16 x32 x64; spfactor = sp::1:2 sp::1:4 sp::1:8 sp::1:16 sp::2:4 sp::2:8 sp::2:16 sp::4:8 sp::4:16", About: "Expand a structured sparse vector.", PTX: v(9, 4), SM: 107, Arch: "sm_107a", Sec: "9.4: 9.7.10.31", Do: unsupported(sparseFamily, checkSpdecompress)},
}

// Other devices, PTX ISA 9.7.10.
var fabricRows = []row{

	{Form: "fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.b128 ...", About: "Access other devices through fabric handles.", PTX: v(9, 3), SM: 100, Sec: "9.7.10.5.1", Loose: true, Do: unsupported(fabricFamily, checkFabricGet)},
	{Form: "fabric.try_put.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric{.counted::bytes}{.cp_mask}.relaxed.sys.b128 ...", PTX: v(9, 3), SM: 100, Sec: "9.7.10.5.2", Loose: true, Do: unsupported(fabricFamily, checkFabricPut)},
	{Form: "fabric.try_red.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric{.counted::bytes}{.relaxed}{.sys}.redOp.type ...; redOp = and or xor min max add; type = b32 b64 u32 s32 u64 s64 f16 bf16 f32 f64", PTX: v(9, 3), SM: 100, Sec: "9.7.10.5.3", Loose: true, Do: unsupported(fabricFamily, checkFabricPut)},
	{Form: "fabric.try_pullred.async.multimem.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.redOp{.acc_prec}.type.sync ...; redOp = and or xor min max add; acc_prec = acc::f16 acc::f32; type = b32 b64 u32 s32 u64 s64 f16 bf16 f32 e4m3 e5m2", PTX: v(9, 3), SM: 100, Sec: "9.7.10.5.4",
		Needs: "acc_prec 9.3 sm_120a|sm_121a|sm_100f|sm_110f; .e4m3 9.3 sm_120a|sm_121a|sm_100f|sm_110f; .e5m2 9.3 sm_120a|sm_121a|sm_100f|sm_110f", Loose: true, Do: unsupported(fabricFamily, checkFabricPull)},
	{Form: "fabric.submit{.op_restrict::fetching}", PTX: v(9, 3), SM: 100, Sec: "9.7.10.5.5", Do: unsupported(fabricFamily)},
	{Form: "fabric.wait.sync_restrict::reads", PTX: v(9, 3), SM: 100, Sec: "9.7.10.5.6", Do: unsupported(fabricFamily)},
}
