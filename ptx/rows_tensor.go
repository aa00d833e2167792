package ptx

// Copies through tensor maps, PTX ISA 9.7.9.26.5, 9.7.9.27 and 9.7.14.17. They are done at once, as all asynchronous copies. A
// map is read when its copy is done. What a map and a copy may have, package tensormap says.
var tensorRows = []row{
	{Form: "cp.async.bulk.tensor.dim.shared::cta.global{.load_mode}.completion_mechanism{.cta_group}{.level::cache_hint} ...; dim = 1d 2d 3d 4d 5d; load_mode = tile tile::gather4 im2col im2col::w im2col::w::128; completion_mechanism = mbarrier::complete_tx::bytes; cta_group = cta_group::1 cta_group::2", About: "Copy a box of a tensor between global and shared memory, through a tensor map.",
		PTX: v(8, 6), SM: 90, Sec: "9.7.9.26.5.2", Needs: ".tile::gather4 8.6 sm_100; .im2col::w 8.6 sm_100; .im2col::w::128 8.6 " + blackwellNeed + "; cta_group 8.6 " + blackwellNeed, Loose: true, Do: tensorCopy, Cost: costMemory, Undefined: tensorBeyond},
	{Form: "cp.async.bulk.tensor.dim.shared::cluster.global{.load_mode}.completion_mechanism{.multicast::cluster}{.cta_group}{.level::cache_hint} ...; dim = 1d 2d 3d 4d 5d; load_mode = tile tile::gather4 im2col im2col::w im2col::w::128; completion_mechanism = mbarrier::complete_tx::bytes; cta_group = cta_group::1 cta_group::2",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.5.2", Needs: ".tile::gather4 8.6 " + blackwellNeed + "; .im2col::w 8.6 " + blackwellNeed + "; .im2col::w::128 8.6 " + blackwellNeed + "; cta_group 8.6 " + blackwellNeed, Loose: true, Do: tensorCopy, Cost: costMemory, Undefined: tensorBeyond},
	{Form: "cp.async.bulk.tensor.dim.global.shared::cta{.load_mode}.bulk_group{.level::cache_hint} ...; dim = 1d 2d 3d 4d 5d; load_mode = tile tile::scatter4 im2col_no_offs",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.5.2", Needs: ".tile::scatter4 8.6 " + blackwellNeed, Loose: true, Do: tensorCopy, Cost: costMemory, Undefined: tensorBeyond},
	{Form: "cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp{.load_mode}.bulk_group{.level::cache_hint} ...; dim = 1d 2d 3d 4d 5d; redOp = add min max inc dec and or xor; load_mode = tile im2col_no_offs", About: "Combine a box in shared memory with one of a tensor, through a tensor map.",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.5.3", Loose: true, Do: tensorCopy, Cost: costMemory, Undefined: tensorBeyond},
	{Form: "cp.async.bulk.prefetch.tensor.dim.L2.global{.load_mode}{.level::cache_hint} ...; dim = 1d 2d 3d 4d 5d; load_mode = tile tile::gather4 im2col im2col::w im2col::w::128", About: "Announce a copy of a box of a tensor.",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.5.4", Needs: ".tile::gather4 8.6 " + blackwellNeed + "; .im2col::w 8.6 " + blackwellNeed + "; .im2col::w::128 8.6 " + blackwellNeed, Loose: true, Do: tensorCopy, Cost: costMemory, Undefined: tensorBeyond},
	{Form: "tensormap.replace.tile.field{.ss}.b1024.b64 [a], b:b64; field = global_address; ss = global shared::cta", About: "Change a field of a tensor map.",
		PTX: v(8, 3), SM: 90, Arch: "sm_90a sm_100f sm_101f sm_120f", Sec: "9.7.9.27", Cost: costMemory, Do: mapReplace},
	{Form: "tensormap.replace.tile.field{.ss}.b1024.b32 [a], b:b32; field = rank; ss = global shared::cta",
		PTX: v(8, 3), SM: 90, Arch: "sm_90a sm_100f sm_101f sm_120f", Sec: "9.7.9.27", Cost: costMemory, Do: mapReplace},
	{Form: "tensormap.replace.tile.field{.ss}.b1024.b64 [a], ord:low3<5, b:b64; field = global_stride; ss = global shared::cta",
		PTX: v(8, 3), SM: 90, Arch: "sm_90a sm_100f sm_101f sm_120f", Sec: "9.7.9.27", Cost: costMemory, Do: mapReplace},
	{Form: "tensormap.replace.tile.field{.ss}.b1024.b32 [a], ord:low3<5, b:b32; field = box_dim global_dim element_stride; ss = global shared::cta",
		PTX: v(8, 3), SM: 90, Arch: "sm_90a sm_100f sm_101f sm_120f", Sec: "9.7.9.27", Cost: costMemory, Do: mapReplace},
	{Form: "tensormap.replace.tile.field{.ss}.b1024.b32 [a], n:low4<16; field = elemtype; ss = global shared::cta",
		PTX: v(8, 3), SM: 90, Arch: "sm_90a sm_100f sm_101f sm_120f", Sec: "9.7.9.27", Cost: costMemory, Do: mapReplace},
	{Form: "tensormap.replace.tile.field{.ss}.b1024.b32 [a], n:low3<3; field = interleave_layout; ss = global shared::cta",
		PTX: v(8, 3), SM: 90, Arch: "sm_90a sm_100f sm_101f sm_120f", Sec: "9.7.9.27", Cost: costMemory, Do: mapReplace},
	{Form: "tensormap.replace.tile.field{.ss}.b1024.b32 [a], n:low3<4; field = swizzle_mode swizzle_atomicity; ss = global shared::cta",
		PTX: v(8, 3), SM: 90, Arch: "sm_90a sm_100f sm_101f sm_120f", Sec: "9.7.9.27", Needs: ".swizzle_atomicity 8.6 " + blackwellPlus, Cost: costMemory, Do: mapReplace},
	{Form: "tensormap.replace.tile.field{.ss}.b1024.b32 [a], n:low3<2; field = fill_mode; ss = global shared::cta",
		PTX: v(8, 3), SM: 90, Arch: "sm_90a sm_100f sm_101f sm_120f", Sec: "9.7.9.27", Cost: costMemory, Do: mapReplace},
	{Form: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [a]:global, [b]:shared, size:imm8%128>0<129", About: "Copy a tensor map from shared to global memory, and order it before its use.",
		PTX: v(8, 3), SM: 90, Sec: "9.7.14.17", Cost: costMemory, Do: mapCopy},
}
