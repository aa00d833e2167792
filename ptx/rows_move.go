package ptx

// Moves, PTX ISA 9.7.9.3 and 9.7.9.4.
var moveRows = []row{
	// The operands of mov may be registers, special registers, vectors, addresses
	// and functions; the meaning sorts them out.
	{Form: "mov.type d:any, a:any; type = pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", About: "Copy a register, a constant, a special register or an address; pack or unpack a vector.", PTX: v(1, 0), Sec: "9.7.9.3", Needs: ".f64 1.0 sm_13", Do: mov},
	{Form: "mov.b128 d:any, a:any", PTX: v(8, 3), SM: 70, Sec: "9.7.9.4", Do: mov},
	{Form: "isspacep.space p, a:addr; space = const global local shared shared::cta shared::cluster param param::entry", About: "Ask whether a generic address lies in a state space.", PTX: v(2, 0), SM: 20, Sec: "9.7.9.19",
		Needs: ".const 3.1 sm_20; .param 7.7 sm_70; .param::entry 8.3 sm_70; .shared::cta 7.8 sm_30; .shared::cluster 7.8 sm_90", Do: isspacep},
	{Form: "cvta.space.size d:any, a:any; space = const global local shared shared::cta shared::cluster param param::entry; size = u32 u64", About: "Convert an address between a state space and the generic space.", PTX: v(2, 0), SM: 20, Sec: "9.7.9.20",
		Needs: ".const 3.1 sm_20; .param 7.7 sm_70; .param::entry 8.3 sm_70; .shared::cta 7.8 sm_30; .shared::cluster 7.8 sm_90", Do: cvta},
	{Form: "cvta.to.space.size d, a; space = const global local shared shared::cta shared::cluster param param::entry; size = u32 u64", PTX: v(2, 0), SM: 20, Sec: "9.7.9.20",
		Needs: ".const 3.1 sm_20; .param 7.7 sm_70; .param::entry 8.3 sm_70; .shared::cta 7.8 sm_30; .shared::cluster 7.8 sm_90", Do: cvtaTo,
		Undefined: "the result, if the generic address lies outside the window of the state space"},
}

// Loads, stores and hints, PTX ISA 9.7.9.8 to 9.7.9.18. Cache operators,
// eviction priorities and prefetch sizes are accepted and have no effect on
// results.
var memoryRows = []row{
	{Form: "ld{.weak}{.ss}{.cop}{.level1::evict}{.level2::evict}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, policy:b64}; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128", About: "Load from memory.",
		PTX: v(1, 0), Sec: "9.7.9.8", Needs: ldNeeds + "; .weak 6.0 sm_70", Do: ld, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "ld.volatile{.ss}{.level::prefetch_size}{.vec}.type d, [a]; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128",
		PTX: v(1, 1), Sec: "9.7.9.8", Needs: volatileNeeds + "; level::prefetch_size 7.4 sm_75", Do: ld, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "ld.sem.scope{.ss}{.level1::evict}{.level2::evict}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, policy:b64}; sem = relaxed acquire; ss = global shared shared::cta shared::cluster; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128",
		PTX: v(6, 0), SM: 70, Sec: "9.7.9.8", Needs: semNeeds, Do: ld, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "ld.mmio.sem.sys{.global}.type d, [a]; sem = relaxed acquire; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64",
		PTX: v(8, 2), SM: 70, Sec: "9.7.9.8", Do: ld, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "ld.global{.cop}.nc{.level1::evict}{.level2::evict}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, policy:b64}; cop = ca cg cs; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128",
		PTX: v(3, 1), SM: 32, Sec: "9.7.9.9", Needs: "level1::evict 7.4 sm_70; level2::evict 8.8 sm_100; level::cache_hint 7.4 sm_80; level::prefetch_size 7.4 sm_75; .b128 8.3 sm_70; .v8 8.8 sm_100",
		Do: ld, Loose: true, Relaxed: true, Cost: costMemory, Undefined: "the value, if the kernel writes the location while it runs"},
	{Form: "ldu{.global}{.vec}.type d, [a]; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64", About: "Load read-only data at an address that is the same for all threads of the warp.",
		PTX: v(2, 0), SM: 20, Sec: "9.7.9.10", Do: ld, Relaxed: true, Cost: costMemory},
	{Form: "st{.weak}{.ss}{.cop}{.level1::evict}{.level2::evict}{.level::cache_hint}{.vec}.type [a], b{, policy:b64}; ss = global local param param::func shared shared::cta shared::cluster; cop = wb cg cs wt; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128", About: "Store to memory.",
		PTX: v(1, 0), Sec: "9.7.9.11", Needs: stNeeds, Do: st, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "st.volatile{.ss}{.vec}.type [a], b; ss = global local shared shared::cta shared::cluster; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128",
		PTX: v(1, 1), Sec: "9.7.9.11", Needs: ".b128 8.3 sm_70; .shared::cta 7.8 sm_30; .shared::cluster 7.8 sm_90", Do: st, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "st.sem.scope{.ss}{.level1::evict}{.level2::evict}{.level::cache_hint}{.vec}.type [a], b{, policy:b64}; sem = relaxed release; ss = global shared shared::cta shared::cluster; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128",
		PTX: v(6, 0), SM: 70, Sec: "9.7.9.11", Needs: ".cluster 7.8 sm_90; level1::evict 7.4 sm_70; level2::evict 8.8 sm_100; level::cache_hint 7.4 sm_80; .b128 8.3 sm_70; .v8 8.8 sm_100; .shared::cta 7.8 sm_30; .shared::cluster 7.8 sm_90",
		Do: st, Loose: true, Relaxed: true, Cost: costMemory},
	{Form: "st.mmio.sem.sys{.global}.type [a], b; sem = relaxed release; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64",
		PTX: v(8, 2), SM: 70, Sec: "9.7.9.11", Do: st, Loose: true, Relaxed: true, Cost: costMemory},
	// Copies between memories: done at once, which is one of the orders that the
	// manual allows, so that there is nothing to wait for.
	{Form: "cp.async.cop.ss.global{.level::prefetch_size} [dst]:shared, [src]:global, size:imm5; cop = ca cg; ss = shared shared::cta", About: "Copy from global to shared memory.",
		PTX: v(7, 0), SM: 80, Sec: "9.7.9.25.3.1", Needs: cpNeeds, Do: copyAsync, Cost: costMemory},
	{Form: "cp.async.cop.ss.global{.level::prefetch_size} [dst]:shared, [src]:global, size:imm5, n:u32; cop = ca cg; ss = shared shared::cta",
		PTX: v(7, 0), SM: 80, Sec: "9.7.9.25.3.1", Needs: cpNeeds, Do: copyAsync, Cost: costMemory, Undefined: "everything, if the source size is greater than the size"},
	{Form: "cp.async.cop.ss.global.L2::cache_hint{.level::prefetch_size} [dst]:shared, [src]:global, size:imm5, policy:b64; cop = ca cg; ss = shared shared::cta",
		PTX: v(7, 4), SM: 80, Sec: "9.7.9.25.3.1", Needs: cpNeeds, Do: copyAsync, Cost: costMemory},
	{Form: "cp.async.commit_group", PTX: v(7, 0), SM: 80, Sec: "9.7.9.25.3.2", Do: hint},
	{Form: "cp.async.wait_group n:imm32", PTX: v(7, 0), SM: 80, Sec: "9.7.9.25.3.3", Do: hint},
	{Form: "cp.async.wait_all", PTX: v(7, 0), SM: 80, Sec: "9.7.9.25.3.3", Do: hint},
	{Form: "prefetch{.space}.level [a]; space = global local; level = L1 L2", About: "Bring a line into a cache: a hint without effect on results.", PTX: v(2, 0), SM: 20, Sec: "9.7.9.15", Do: hint},
	{Form: "prefetch.global.level [a]; level = L2::evict_last L2::evict_normal", PTX: v(7, 4), SM: 80, Sec: "9.7.9.15", Do: hint},
	{Form: "prefetchu.L1 [a]", About: "Bring a line into the uniform cache: a hint without effect on results.", PTX: v(2, 0), SM: 20, Sec: "9.7.9.15", Do: hint},
	{Form: "applypriority{.global}.L2::evict_normal [a], size:imm32", About: "Set the eviction priority of a line: a hint without effect on results.", PTX: v(7, 4), SM: 80, Sec: "9.7.9.16", Do: hint},
	{Form: "createpolicy.fractional.primary{.secondary}.b64 d{, fraction:f32}; primary = L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged; secondary = L2::evict_first L2::evict_unchanged", About: "Make a cache eviction policy.", PTX: v(7, 4), SM: 80, Sec: "9.7.9.18", Do: policy},
}

const (
	ldNeeds = "level1::evict 7.4 sm_70; level2::evict 8.8 sm_100; level::cache_hint 7.4 sm_80; level::prefetch_size 7.4 sm_75; .L2::256B 7.4 sm_80; " +
		".shared::cta 7.8 sm_30; .shared::cluster 7.8 sm_90; .param::entry 8.3 sm_10; .param::func 8.3 sm_10; .b128 8.3 sm_70; .v8 8.8 sm_100; .f64 1.0 sm_13; cop 2.0 sm_20"
	stNeeds = "level1::evict 7.4 sm_70; level2::evict 8.8 sm_100; level::cache_hint 7.4 sm_80; " +
		".shared::cta 7.8 sm_30; .shared::cluster 7.8 sm_90; .param::func 8.3 sm_10; .b128 8.3 sm_70; .v8 8.8 sm_100; .f64 1.0 sm_13; cop 2.0 sm_20; .weak 6.0 sm_70"
	cpNeeds       = "level::prefetch_size 7.4 sm_80; .shared::cta 7.8 sm_80"
	volatileNeeds = ".shared::cta 7.8 sm_30; .shared::cluster 7.8 sm_90; .b128 8.3 sm_70"
	semNeeds      = "level1::evict 7.4 sm_70; level2::evict 8.8 sm_100; level::cache_hint 7.4 sm_80; level::prefetch_size 7.4 sm_75; .L2::256B 7.4 sm_80; " +
		".cluster 7.8 sm_90; .shared::cta 7.8 sm_30; .shared::cluster 7.8 sm_90; .b128 8.3 sm_70; .v8 8.8 sm_100"
)
