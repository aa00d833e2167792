package ptx

// Instructions that Crosslane knows and does not run. Their rows have every modifier of the manual,
// so a module that contains them is parsed, checked for version and target, and printed. If a row
// has … for operands, the row's check covers them; the operands of fabric instructions and sparse
// vectors are not checked. A kernel that reaches one of these instructions is refused by name.

const (
	sampleFamily = "lookups in textures with several samples for each texel"
	tcgenFamily  = "instructions of the fifth generation of tensor cores (tcgen05)"
	sparseFamily = "instructions for structured sparse vectors"
	fabricFamily = "fabric instructions, which address other devices"

	// blackwell holds the targets that most of tcgen05 needs.
	blackwell = "sm_100f sm_101f"
	// blackwellNeed is the same list in the form of Needs.
	blackwellNeed = "sm_100f|sm_101f"
	blackwellPlus = "sm_100f|sm_101f|sm_120f"
)

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
