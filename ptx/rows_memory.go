package ptx

// Loads, stores and hints, PTX ISA 9.7.9.8 to 9.7.9.19. Cache operators, eviction priorities and
// prefetch sizes are accepted and do not change results.
var memoryRows = []row{
	{Form: "ld{.weak}{.ss}{.cop}{.level1::evict}{.level2::evict}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{.unified}{, policy:h64}; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128", About: "Load from memory.",
		PTX: v(1, 0), Sec: "9.7.9.8", Needs: ldNeeds + "; .weak 6.0 sm_70", Do: ld, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "ld.volatile{.ss}{.level::prefetch_size}{.vec}.type d, [a]; ss = global local shared shared::cta shared::cluster; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128",
		PTX: v(1, 1), Sec: "9.7.9.8", Needs: volatileNeeds + "; level::prefetch_size 7.4 sm_75; .L2::256B 7.4 sm_80", Do: ld, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "ld.sem.scope{.ss}{.level1::evict}{.level2::evict}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, policy:h64}; sem = relaxed acquire; ss = global shared shared::cta shared::cluster; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128",
		PTX: v(6, 0), SM: 70, Sec: "9.7.9.8", Needs: semNeeds, Do: ld, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "ld.mmio.sem.sys{.global}.type d, [a]; sem = relaxed acquire; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64",
		PTX: v(8, 2), SM: 70, Sec: "9.7.9.8", Needs: ".acquire 9.3 sm_70", Do: ld, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "ld.proxy::readonly{.global}.type d, [a]; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128",
		PTX: v(9, 4), SM: 90, Sec: "9.7.9.8", Do: ldReadOnly, Loose: true, Relaxed: true, Cost: costMemory,
		Undefined: []Undefined{undefNotGlobalConst, undefWritten}},
	{Form: "ld.global{.cop}.nc{.level1::evict}{.level2::evict}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, policy:h64}; cop = ca cg cs; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128",
		PTX: v(3, 1), SM: 32, Sec: "9.7.9.9", Needs: "level1::evict 7.4 sm_70; level2::evict 8.8 sm_100; level::cache_hint 7.4 sm_80; level::prefetch_size 7.4 sm_75; .L2::256B 7.4 sm_80; .b128 8.3 sm_70; .v8 8.8 sm_100",
		Do: ldReadOnly, Loose: true, Relaxed: true, Cost: costMemory, Undefined: []Undefined{undefWritten}},
	{Form: "ldu{.global}{.vec}.type d, [a]; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128", About: "Load read-only data at an address that is the same for all threads of the warp.",
		PTX: v(2, 0), SM: 20, Sec: "9.7.9.10", Needs: ".b128 8.3 sm_70", Do: ldReadOnly, Relaxed: true, Cost: costMemory, Undefined: []Undefined{undefWritten}},
	{Form: "st{.weak}{.ss}{.cop}{.level1::evict}{.level2::evict}{.level::cache_hint}{.vec}.type [a], b{, policy:h64}; ss = global local param param::func shared shared::cta shared::cluster; cop = wb cg cs wt; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128", About: "Store to memory.",
		PTX: v(1, 0), Sec: "9.7.9.11", Needs: stNeeds, Do: st, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "st.volatile{.ss}{.vec}.type [a], b; ss = global local shared shared::cta shared::cluster; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128",
		PTX: v(1, 1), Sec: "9.7.9.11", Needs: ".b128 8.3 sm_70; .shared::cta 7.8 sm_10; .shared::cluster 7.8 sm_90", Do: st, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "st.sem.scope{.ss}{.level1::evict}{.level2::evict}{.level::cache_hint}{.vec}.type [a], b{, policy:h64}; sem = relaxed release; ss = global shared shared::cta shared::cluster; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128",
		PTX: v(6, 0), SM: 70, Sec: "9.7.9.11", Needs: ".cluster 7.8 sm_90; level1::evict 7.4 sm_70; level2::evict 8.8 sm_100; level::cache_hint 7.4 sm_80; .b128 8.3 sm_70; .v8 8.8 sm_100; .shared::cta 7.8 sm_10; .shared::cluster 7.8 sm_90",
		Do: st, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "st.mmio.sem.sys{.global}.type [a], b; sem = relaxed release; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64",
		PTX: v(8, 2), SM: 70, Sec: "9.7.9.11", Needs: ".release 9.3 sm_70", Do: st, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "st.bulk{.weak}{.shared::cta} [a], size:any, init:imm1", About: "Fill shared memory with zeros.",
		PTX: v(8, 6), SM: 100, Sec: "9.7.9.14", Do: fill, Cost: costMemory, Undefined: []Undefined{undefFill, undefFillSpace}},
	{Form: "prefetch{.space}.level [a]; space = global local; level = L1 L2", About: "Bring a line into a cache: a hint without effect on results.", PTX: v(2, 0), SM: 20, Sec: "9.7.9.16", Do: hint},
	{Form: "prefetch{.global}.level [a]; level = L2::evict_last L2::evict_normal", PTX: v(7, 4), SM: 80, Sec: "9.7.9.16", Do: hint},
	{Form: "prefetch{.global}.L1::32B.valid_addr [a]", PTX: v(9, 4), SM: 90, Sec: "9.7.9.16", Do: globalHint, Loose: true, Undefined: []Undefined{undefNotGlobal}},
	{Form: "prefetch{.space}.tensormap [a]; space = const param", PTX: v(8, 0), SM: 90, Sec: "9.7.9.16", Do: hint},
	{Form: "prefetchu.L1 [a]:global", About: "Bring a line into the uniform cache: a hint without effect on results.", PTX: v(2, 0), SM: 20, Sec: "9.7.9.16", Do: hint},
	{Form: "applypriority{.global}.L2::evict_normal [a], line:imm8", About: "Set the eviction priority of a line: a hint without effect on results.", PTX: v(7, 4), SM: 80, Sec: "9.7.9.17", Do: lineOf128,
		Undefined: []Undefined{undefOutsideGlobal}},
	{Form: "applypriority.async.bulk{.global}.bulk_group.L2::evict_normal [a], size:u32%16<1048576", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.10.18", Do: globalHint, Loose: true,
		Undefined: []Undefined{undefOutsideGlobal}},
	{Form: "applypriority.async.bulk.tensor.dim{.global}{.load_mode}.bulk_group.L2::evict_normal ...; dim = 1d 2d 3d 4d 5d; load_mode = tile tile::gather4 im2col im2col::w im2col::w::128 im2col_no_offs im2col_no_offs::w",
		PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.4: 9.7.10.19", Loose: true, Do: tensorCopy},
	{Form: "discard{.global}.L2 [a], line:imm8", About: "Give up the data of a line: it keeps its value here, one of those that the manual allows, and check takes it as undefined.", PTX: v(7, 4), SM: 80, Sec: "9.7.9.18", Do: discard,
		Undefined: []Undefined{undefDiscarded, undefOutsideGlobal}},
	{Form: "createpolicy.fractional.primary{.secondary}.b64 d:h64{, fraction:f32}; primary = L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged; secondary = L2::evict_first L2::evict_unchanged", About: "Make a cache eviction policy: a hint without effect on results.", PTX: v(7, 4), SM: 80, Sec: "9.7.9.19", Do: policy},
	{Form: "createpolicy.range{.global}.primary{.secondary}.b64 d:h64, [a], first:u32, total:u32; primary = L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged; secondary = L2::evict_first L2::evict_unchanged", PTX: v(7, 4), SM: 80, Sec: "9.7.9.19", Do: policy},
	{Form: "createpolicy.cvt.L2.b64 d:h64, access:h64", PTX: v(7, 4), SM: 80, Sec: "9.7.9.19", Do: policy},
}

// Addresses in a cluster, PTX ISA 9.7.9.24 and 9.7.9.25.
var clusterRows = []row{
	{Form: "mapa.shared::cluster.type d, a:any, b:u32; type = u32 u64", About: "Map a shared-memory address to the same place in another block of the cluster.",
		PTX: v(7, 8), SM: 90, Sec: "9.7.9.24", Do: mapa, Undefined: []Undefined{undefRank}},
	{Form: "mapa.type d, a:any, b:u32; type = u32 u64", PTX: v(7, 8), SM: 90, Sec: "9.7.9.24", Do: mapa, Undefined: []Undefined{undefRank}},
	{Form: "getctarank.shared::cluster.type d:u32, a:any; type = u32 u64", About: "The rank in the cluster of the block that a shared-memory address belongs to.",
		PTX: v(7, 8), SM: 90, Sec: "9.7.9.25", Do: getctarank},
	{Form: "getctarank.type d:u32, a:any; type = u32 u64", PTX: v(7, 8), SM: 90, Sec: "9.7.9.25", Do: getctarank},
	// A wait at the barrier of the cluster is a loop that polls the arrivals of the other lanes.
	{Form: "barrier.cluster.arrive{.sem}{.aligned}; sem = release relaxed", PTX: v(7, 8), SM: 90, Sec: "9.7.14.3", Needs: "sem 8.0 sm_90", Do: clusterArrive, Cost: costBarrier},
	{Form: "barrier.cluster.wait{.acquire}{.aligned}", PTX: v(7, 8), SM: 90, Sec: "9.7.14.3", Needs: ".acquire 8.0 sm_90", Do: clusterWait, Cost: costBarrier},
	// The manual leaves open whether a cluster is cancelled. Here no request succeeds.
	{Form: "clusterlaunchcontrol.try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128 [a], [mbar]", About: "Ask that a cluster that is yet to run be cancelled: it never is.",
		PTX: v(8, 6), SM: 100, Sec: "9.7.14.18", Needs: ".multicast::cluster::all 8.6 " + blackwellPlus, Do: tryCancel, Cost: costShared, Undefined: []Undefined{undefCancel}},
	{Form: "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, a:b128", PTX: v(8, 6), SM: 100, Sec: "9.7.14.19", Do: queryCancel},
	{Form: "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 d:v4b32, a:b128", PTX: v(8, 6), SM: 100, Sec: "9.7.14.19", Do: queryCancel, Undefined: []Undefined{undefFailed}},
	{Form: "clusterlaunchcontrol.query_cancel.dimension.b32.b128 d:b32, a:b128; dimension = get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z", PTX: v(8, 6), SM: 100, Sec: "9.7.14.19", Do: queryCancel,
		Undefined: []Undefined{undefFailed}},
}

const (
	ldNeeds = "level1::evict 7.4 sm_70; level2::evict 8.8 sm_100; level::cache_hint 7.4 sm_80; level::prefetch_size 7.4 sm_75; .L2::256B 7.4 sm_80; " +
		".shared::cta 7.8 sm_10; .shared::cluster 7.8 sm_90; .param::entry 8.3 sm_10; .param::func 8.3 sm_10; .b128 8.3 sm_70; .v8 8.8 sm_100; cop 2.0 sm_20"
	stNeeds = "level1::evict 7.4 sm_70; level2::evict 8.8 sm_100; level::cache_hint 7.4 sm_80; " +
		".shared::cta 7.8 sm_10; .shared::cluster 7.8 sm_90; .param::func 8.3 sm_10; .b128 8.3 sm_70; .v8 8.8 sm_100; cop 2.0 sm_20; .weak 6.0 sm_70"
	volatileNeeds = ".shared::cta 7.8 sm_10; .shared::cluster 7.8 sm_90; .b128 8.3 sm_70"
	semNeeds      = "level1::evict 7.4 sm_70; level2::evict 8.8 sm_100; level::cache_hint 7.4 sm_80; level::prefetch_size 7.4 sm_75; .L2::256B 7.4 sm_80; " +
		".cluster 7.8 sm_90; .shared::cta 7.8 sm_10; .shared::cluster 7.8 sm_90; .b128 8.3 sm_70; .v8 8.8 sm_100"
)
