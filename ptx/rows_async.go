package ptx

const (
	cpNeeds = "level::prefetch_size 7.4 sm_80"
	cpLists = "; cop = ca cg; ss = shared shared::cta"
)

// Asynchronous copies, PTX ISA 9.7.9.26.
//
// The copies are done at once, which is one of the orders that the manual allows. A program that
// reads before it waits sees the new data; on hardware it may see the old data. check finds these
// reads as races, and also writes to a source during its copy. For that purpose the commits and
// waits stay in the code (internal/check/race/async.go).
var asyncRows = []row{
	{Form: "cp.async.cop.ss.global{.level::prefetch_size} [dst]:shared, [src]:global, size:imm5" + cpLists, About: "Copy from global to shared memory.",
		PTX: v(7, 0), SM: 80, Sec: "9.7.9.26.3.1", Needs: cpNeeds, Do: copyAsync, Cost: costMemory},
	{Form: "cp.async.cop.ss.global{.level::prefetch_size} [dst]:shared, [src]:global, size:imm5, n:any" + cpLists,
		PTX: v(7, 0), SM: 80, Sec: "9.7.9.26.3.1", Needs: cpNeeds, Do: copyAsync, Cost: costMemory, Undefined: cpBeyond},
	{Form: "cp.async.cop.ss.global.L2::cache_hint{.level::prefetch_size} [dst]:shared, [src]:global, size:imm5, policy:h64" + cpLists,
		PTX: v(7, 4), SM: 80, Sec: "9.7.9.26.3.1", Needs: cpNeeds, Do: copyAsync, Cost: costMemory, Undefined: cpBeyond},
	{Form: "cp.async.cop.ss.global.L2::cache_hint{.level::prefetch_size} [dst]:shared, [src]:global, size:imm5, n:any, policy:h64" + cpLists,
		PTX: v(7, 4), SM: 80, Sec: "9.7.9.26.3.1", Needs: cpNeeds, Do: copyAsync, Cost: costMemory, Undefined: cpBeyond},
	{Form: "cp.async.commit_group", PTX: v(7, 0), SM: 80, Sec: "9.7.9.26.3.2", Do: commitGroup},
	{Form: "cp.async.wait_group n:low32", PTX: v(7, 0), SM: 80, Sec: "9.7.9.26.3.3", Do: waitGroup},
	{Form: "cp.async.wait_all", PTX: v(7, 0), SM: 80, Sec: "9.7.9.26.3.3", Do: waitAll},
	{Form: "cp.async.mbarrier.arrive{.noinc}{.ss}.type [a]; ss = shared shared::cta; type = b64",
		PTX: v(7, 0), SM: 80, Sec: "9.7.14.16.18", Needs: ".shared::cta 7.8 sm_80", Do: mbarTrack, Loose: true, Cost: costShared},

	// Copies of whole blocks of memory, PTX ISA 9.7.9.26.4. The manual's own examples omit the
	// scope after .relaxed.
	{Form: "cp.async.bulk{.weak}.dst.global.mbarrier::complete_tx::bytes{.mbarrier::report::disabled}{.level::cache_hint} [dm]:shared, [sm]:global, size:u32%16<1048576, [mbar]:shared{, policy:h64}; dst = shared::cta shared::cluster",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.1", Needs: ".shared::cta 8.6 sm_90; " + bulkWeak + "; " + bulkReport, Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.async.bulk.relaxed.scope.dst.global.mbarrier::complete_tx::bytes{.mbarrier::report::disabled}{.level::cache_hint}.b128 [dm]:shared, [sm]:global, size:u32%16<1048576, [mbar]:shared{, policy:h64}; dst = shared::cta shared::cluster",
		PTX: v(9, 3), SM: 90, Sec: "9.7.9.26.4.1", Needs: ".shared::cluster 9.3 sm_90a|sm_100f|sm_110f; " + bulkReport, Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.async.bulk{.weak}.shared::cluster.global.mbarrier::complete_tx::bytes{.mbarrier::report::disabled}.multicast{.level::cache_hint} [dm]:shared, [sm]:global, size:u32%16<1048576, [mbar]:shared, ctas:u16<65536{, policy:h64}; multicast = multicast::cluster multicast::cluster::16b",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.1", Needs: bulkWeak + "; .multicast::cluster::16b 9.4 sm_90; " + bulkReport, Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.async.bulk.relaxed.scope.shared::cluster.global.mbarrier::complete_tx::bytes{.mbarrier::report::disabled}.multicast{.level::cache_hint}.b128 [dm]:shared, [sm]:global, size:u32%16<1048576, [mbar]:shared, ctas:u16<65536{, policy:h64}; multicast = multicast::cluster multicast::cluster::16b",
		PTX: v(9, 3), SM: 90, Arch: "sm_90a sm_100f sm_110f", Sec: "9.7.9.26.4.1", Needs: ".multicast::cluster::16b 9.4 sm_90; " + bulkReport, Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.async.bulk{.weak}.shared::cluster.global.mbarrier::complete_tx::bytes{.mbarrier::report::disabled}.multicast::cluster::32b{.level::cache_hint} [dm]:shared, [sm]:global, size:u32%16<1048576, [mbar]:shared, ctas:u32<4294967296{, policy:h64}",
		PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.9.26.4.1", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.async.bulk.relaxed.scope.shared::cluster.global.mbarrier::complete_tx::bytes{.mbarrier::report::disabled}.multicast::cluster::32b{.level::cache_hint}.b128 [dm]:shared, [sm]:global, size:u32%16<1048576, [mbar]:shared, ctas:u32<4294967296{, policy:h64}",
		PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.9.26.4.1", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	// Reports need objects of .layout::v1, which mbarrier.init refuses.
	{Form: "cp.async.bulk{.sem}{.scope}.dst.global.mbarrier::complete_tx::bytes.report{.multicast}{.level::cache_hint}{.type} ...; sem = weak relaxed; dst = shared::cta shared::cluster; multicast = multicast::cluster multicast::cluster::16b multicast::cluster::32b; type = b128; " + bulkReports,
		PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.9.26.4.1", Do: unsupported("copies that report the copied bytes")},
	{Form: "cp.async.bulk{.weak}.shared::cta.global.mbarrier::complete_tx::bytes{.mbarrier::report::disabled}{.level::cache_hint}.ignore_oob [dm]:shared, [sm]:global, size:u32%16<1048576, left:u32, right:u32, [mbar]:shared{, policy:h64}",
		PTX: v(9, 2), SM: 90, Sec: "9.7.9.26.4.1", Needs: bulkWeak + "; " + bulkReport, Do: bulkCopy, Cost: costMemory, Undefined: bulkIgnored},
	{Form: "cp.async.bulk.relaxed.scope.shared::cta.global.mbarrier::complete_tx::bytes{.mbarrier::report::disabled}{.level::cache_hint}.ignore_oob.b128 [dm]:shared, [sm]:global, size:u32%16<1048576, left:u32, right:u32, [mbar]:shared{, policy:h64}",
		PTX: v(9, 3), SM: 90, Sec: "9.7.9.26.4.1", Needs: bulkReport, Do: bulkCopy, Cost: costMemory, Undefined: bulkIgnored},
	{Form: "cp.async.bulk{.weak}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dm]:shared, [sm]:shared, size:u32%16<1048576, [mbar]:shared",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.1", Needs: bulkWeak, Do: bulkRemote, Cost: costMemory, Undefined: []Undefined{undefBulkSize, undefUnderWay, undefOwnBlock}},
	{Form: "cp.async.bulk.relaxed.scope.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128 [dm]:shared, [sm]:shared, size:u32%16<1048576, [mbar]:shared; scope = cta cluster",
		PTX: v(9, 3), SM: 90, Sec: "9.7.9.26.4.1", Do: bulkRemote, Cost: costMemory, Undefined: []Undefined{undefBulkSize, undefUnderWay, undefOwnBlock}},
	{Form: "cp.async.bulk{.weak}.global.shared::cta.bulk_group{.level::cache_hint} [dm]:global, [sm]:shared, size:u32%16<1048576{, policy:h64}",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.1", Needs: bulkWeak, Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.async.bulk.relaxed.scope.global.shared::cta.bulk_group{.level::cache_hint}.b128 [dm]:global, [sm]:shared, size:u32%16<1048576{, policy:h64}",
		PTX: v(9, 3), SM: 90, Sec: "9.7.9.26.4.1", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.async.bulk{.weak}.global.shared::cta.bulk_group.cp_mask [dm]:global, [sm]:shared, size:u32%16<1048576, bytes:u16",
		PTX: v(8, 6), SM: 100, Sec: "9.7.9.26.4.1", Needs: bulkWeak, Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.async.bulk{.weak}.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [dm]:global, [sm]:shared, size:u32%16<1048576, policy:h64, bytes:u16",
		PTX: v(8, 6), SM: 100, Sec: "9.7.9.26.4.1", Needs: bulkWeak, Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.async.bulk.relaxed.scope.global.shared::cta.bulk_group.cp_mask.b128 [dm]:global, [sm]:shared, size:u32%16<1048576, bytes:u16",
		PTX: v(9, 3), SM: 100, Sec: "9.7.9.26.4.1", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.async.bulk.relaxed.scope.global.shared::cta.bulk_group.L2::cache_hint.cp_mask.b128 [dm]:global, [sm]:shared, size:u32%16<1048576, policy:h64, bytes:u16",
		PTX: v(9, 3), SM: 100, Sec: "9.7.9.26.4.1", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},

	{Form: "cp.reduce.async.bulk{.relaxed.scope}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [dm]:shared, [sm]:shared, size:u32%16<1048576, [mbar]:shared; scope = cta cluster; op = add; type = u32 s32 u64",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.2", Needs: "scope 9.3 sm_90", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.reduce.async.bulk{.relaxed.scope}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [dm]:shared, [sm]:shared, size:u32%16<1048576, [mbar]:shared; scope = cta cluster; op = min max; type = u32 s32",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.2", Needs: "scope 9.3 sm_90", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.reduce.async.bulk{.relaxed.scope}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [dm]:shared, [sm]:shared, size:u32%16<1048576, [mbar]:shared; scope = cta cluster; op = inc dec; type = u32",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.2", Needs: "scope 9.3 sm_90", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.reduce.async.bulk{.relaxed.scope}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [dm]:shared, [sm]:shared, size:u32%16<1048576, [mbar]:shared; scope = cta cluster; op = and or xor; type = b32",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.2", Needs: "scope 9.3 sm_90", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.reduce.async.bulk{.relaxed.scope}.global.shared::cta.bulk_group{.level::cache_hint}.op.type [dm]:global, [sm]:shared, size:u32%16<1048576{, policy:h64}; op = add; type = u32 s32 u64 f32 f64",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.2", Needs: "scope 9.3 sm_90", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.reduce.async.bulk{.relaxed.scope}.global.shared::cta.bulk_group{.level::cache_hint}.op.type [dm]:global, [sm]:shared, size:u32%16<1048576{, policy:h64}; op = min max; type = u32 s32 u64 s64 f16 bf16",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.2", Needs: "scope 9.3 sm_90", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.reduce.async.bulk{.relaxed.scope}.global.shared::cta.bulk_group{.level::cache_hint}.op.type [dm]:global, [sm]:shared, size:u32%16<1048576{, policy:h64}; op = inc dec; type = u32",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.2", Needs: "scope 9.3 sm_90", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.reduce.async.bulk{.relaxed.scope}.global.shared::cta.bulk_group{.level::cache_hint}.op.type [dm]:global, [sm]:shared, size:u32%16<1048576{, policy:h64}; op = and or xor; type = b32 b64",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.2", Needs: "scope 9.3 sm_90", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},
	{Form: "cp.reduce.async.bulk{.relaxed.scope}.global.shared::cta.bulk_group{.level::cache_hint}.op.noftz.type [dm]:global, [sm]:shared, size:u32%16<1048576{, policy:h64}; op = add; type = f16 bf16 f32",
		PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.2", Needs: "scope 9.3 sm_90; .f32 9.4 sm_90", Do: bulkCopy, Cost: costMemory, Undefined: bulkBeyond},

	{Form: "cp.async.bulk.prefetch.L2.global{.level::cache_hint} [a], size:u32%16<1048576{, policy:h64}", PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.4.3", Do: hint},
	{Form: "cp.async.bulk.prefetch.L2.global.L2::evict_last [a], size:u32%16<1048576", PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.9.26.4.3", Do: hint},
	{Form: "cp.async.bulk.commit_group", PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.6.1", Do: commitBulk},
	{Form: "cp.async.bulk.wait_group{.read} n:low32", PTX: v(8, 0), SM: 90, Sec: "9.7.9.26.6.2", Do: waitBulk},

	// Stores and reductions that report to an mbarrier object, PTX ISA 9.7.9.12 and 9.7.14.7.
	{Form: "st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.vec}.type [a], b, [mbar]; vec = v2 v4; type = b32 b64 b128 u32 u64 s32 s64 f32 f64",
		PTX: v(8, 1), SM: 90, Sec: "9.7.9.12", Needs: ".b128 9.2 sm_90", Do: storeAsync, Loose: true, Cost: costMemory, Undefined: []Undefined{undefOneBlock}},
	{Form: "st.async.release.scope{.global}.type [a], b; scope = gpu sys; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64",
		PTX: v(8, 7), SM: 100, Sec: "9.7.9.12", Do: storeRelease, Loose: true, Cost: costMemory},
	{Form: "st.async.mmio.release.sys{.global}.type [a], b; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64",
		PTX: v(8, 7), SM: 100, Sec: "9.7.9.12", Do: storeRelease, Loose: true, Cost: costMemory},
	{Form: "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]; op = inc dec; type = u32",
		PTX: v(8, 1), SM: 90, Sec: "9.7.14.7", Do: reduceAsync, Loose: true, Cost: costMemory, Undefined: []Undefined{undefOwnBlock}},
	{Form: "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]; op = min max; type = u32 s32",
		PTX: v(8, 1), SM: 90, Sec: "9.7.14.7", Do: reduceAsync, Loose: true, Cost: costMemory, Undefined: []Undefined{undefOwnBlock}},
	{Form: "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]; op = and or xor; type = b32",
		PTX: v(8, 1), SM: 90, Sec: "9.7.14.7", Do: reduceAsync, Loose: true, Cost: costMemory, Undefined: []Undefined{undefOwnBlock}},
	{Form: "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]; op = add; type = u32 s32 u64",
		PTX: v(8, 1), SM: 90, Sec: "9.7.14.7", Do: reduceAsync, Loose: true, Cost: costMemory, Undefined: []Undefined{undefOwnBlock}},
	{Form: "red.async.release.scope{.global}.op.type [a], b; scope = gpu sys; op = add; type = u32 s32 u64 s64",
		PTX: v(8, 7), SM: 100, Sec: "9.7.14.7", Do: reduceRelease, Loose: true, Cost: costMemory},
	{Form: "red.async.mmio.release.sys{.global}.op.type [a], b; op = add; type = u32 s32 u64 s64",
		PTX: v(8, 7), SM: 100, Sec: "9.7.14.7", Do: reduceRelease, Loose: true, Cost: costMemory},
}

const (
	bulkWeak   = ".weak 9.3 sm_90"
	bulkReport = ".mbarrier::report::disabled 9.4 sm_107f"
	// The reports of PTX 9.4: 9.7.10.28.1.3.
	bulkReports = "report = mbarrier::report::validity::per_16bytes::80000000 mbarrier::report::validity::per_16bytes::8000 mbarrier::report::validity::per_16bytes::80 mbarrier::report::validity::per_16bytes::8 mbarrier::report::validity::per_element::ff"
)

const (
	mbarLists = "; sem = release relaxed; scope = cta cluster; ss = shared shared::cta shared::cluster; type = b64"
	mbarNeeds = "sem 8.0 sm_80; scope 8.0 sm_80; .cluster 8.0 sm_90; .relaxed 8.6 sm_90; .shared::cta 7.8 sm_80; .shared::cluster 8.0 sm_90"
	mbarCast  = "; scope = cta cluster; ss = shared::cluster; type = b64"
	mbarWait  = "; sem = acquire relaxed; scope = cta cluster; ss = shared shared::cta; type = b64"
)

// Barriers in shared memory, PTX ISA 9.7.14.16. Package num has their arithmetic and the layout of
// their 64 bits.
var mbarrierRows = []row{
	{Form: "mbarrier.init{.layout}{.ss}.type [a]:shared, count:u32>0<1048576; layout = layout::v0 layout::v1; ss = shared shared::cta; type = b64", About: "Barriers in shared memory: count the arrivals of threads and the bytes of asynchronous copies, in phases.",
		PTX: v(7, 0), SM: 80, Sec: "9.7.14.16.12", Needs: "layout 9.3 sm_90; .shared::cta 7.8 sm_80", Do: mbarInit, Loose: true, Cost: costShared,
		Undefined: []Undefined{undefLiveMbarrier}},
	{Form: "mbarrier.inval{.ss}.type [a]:shared; ss = shared shared::cta; type = b64",
		PTX: v(7, 0), SM: 80, Sec: "9.7.14.16.13", Needs: ".shared::cta 7.8 sm_80", Do: mbarInval, Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.expect_tx{.sem.scope}{.ss}.type [a]:shared, count:u32; sem = relaxed; scope = cta cluster; ss = shared shared::cta shared::cluster; type = b64",
		PTX: v(8, 0), SM: 90, Sec: "9.7.14.16.14", Do: mbarUpdate("MbarExpectTx"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.expect_tx{.sem.scope}{.ss}.multicast::cluster::32b.type [a]:shared, count:u32, ctas:u32<4294967296; sem = relaxed" + mbarCast,
		PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.14.16.14", Do: mbarUpdate("MbarExpectTx"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.complete_tx{.sem.scope}{.ss}.multicast::cluster::32b.type [a]:shared, count:u32, ctas:u32<4294967296; sem = relaxed" + mbarCast,
		PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.14.16.15", Do: mbarUpdate("MbarCompleteTx"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.complete_tx{.sem.scope}{.ss}.type [a]:shared, count:u32; sem = relaxed; scope = cta cluster; ss = shared shared::cta shared::cluster; type = b64",
		PTX: v(8, 0), SM: 90, Sec: "9.7.14.16.15", Do: mbarUpdate("MbarCompleteTx"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive{.sem.scope}{.ss}.type d:h64, [a]:shared{, count:u32>0}" + mbarLists,
		PTX: v(7, 0), SM: 80, Sec: "9.7.14.16.16", Needs: mbarNeeds, Do: mbarUpdate("MbarArrive"), Discards: true, Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive.expect_tx{.sem.scope}{.ss}.type d:h64, [a]:shared, count:u32" + mbarLists,
		PTX: v(8, 0), SM: 90, Sec: "9.7.14.16.16", Needs: ".relaxed 8.6 sm_90", Do: mbarUpdate("MbarArriveExpectTx"), Discards: true, Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive{.sem.scope}{.ss}.multicast::cluster::32b.type _, [a]:shared, ctas:u32<4294967296; sem = release relaxed" + mbarCast,
		PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.14.16.16", Do: mbarUpdate("MbarArrive"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive{.sem.scope}{.ss}.multicast::cluster::32b.type _, [a]:shared, count:u32>0, ctas:u32<4294967296; sem = release relaxed" + mbarCast,
		PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.14.16.16", Do: mbarUpdate("MbarArrive"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive.expect_tx{.sem.scope}{.ss}.multicast::cluster::32b.type _, [a]:shared, count:u32, ctas:u32<4294967296; sem = release relaxed" + mbarCast,
		PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.14.16.16", Do: mbarUpdate("MbarArriveExpectTx"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive.noComplete{.sem.scope}{.ss}.type d:h64, [a]:shared, count:u32>0; sem = release; scope = cta; ss = shared shared::cta; type = b64",
		PTX: v(7, 0), SM: 80, Sec: "9.7.14.16.16", Needs: "sem 8.0 sm_80; scope 8.0 sm_80; .shared::cta 7.8 sm_80", Do: mbarUpdate("MbarArriveNoComplete"), Discards: true, Loose: true, Cost: costShared,
		Undefined: []Undefined{undefCompletes}},
	{Form: "mbarrier.arrive_drop{.sem.scope}{.ss}.type d:h64, [a]:shared{, count:u32>0}" + mbarLists,
		PTX: v(7, 0), SM: 80, Sec: "9.7.14.16.17", Needs: mbarNeeds, Do: mbarUpdate("MbarArriveDrop"), Discards: true, Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive_drop.expect_tx{.sem.scope}{.ss}.type d:h64, [a]:shared, count:u32" + mbarLists,
		PTX: v(8, 0), SM: 90, Sec: "9.7.14.16.17", Needs: ".relaxed 8.6 sm_90", Do: mbarUpdate("MbarArriveDropExpectTx"), Discards: true, Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive_drop{.sem.scope}{.ss}.multicast::cluster::32b.type _, [a]:shared, ctas:u32<4294967296; sem = release relaxed" + mbarCast,
		PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.14.16.17", Do: mbarUpdate("MbarArriveDrop"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive_drop{.sem.scope}{.ss}.multicast::cluster::32b.type _, [a]:shared, count:u32>0, ctas:u32<4294967296; sem = release relaxed" + mbarCast,
		PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.14.16.17", Do: mbarUpdate("MbarArriveDrop"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive_drop.expect_tx{.sem.scope}{.ss}.multicast::cluster::32b.type _, [a]:shared, count:u32, ctas:u32<4294967296; sem = release relaxed" + mbarCast,
		PTX: v(9, 4), SM: 107, Arch: arch94, Sec: "9.7.14.16.17", Do: mbarUpdate("MbarArriveDropExpectTx"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive_drop.noComplete{.sem.scope}{.ss}.type d:h64, [a]:shared, count:u32>0; sem = release; scope = cta; ss = shared shared::cta; type = b64",
		PTX: v(7, 0), SM: 80, Sec: "9.7.14.16.17", Needs: "sem 8.0 sm_80; scope 8.0 sm_80; .shared::cta 7.8 sm_80", Do: mbarUpdate("MbarArriveDropNoComplete"), Discards: true, Loose: true, Cost: costShared,
		Undefined: []Undefined{undefCompletes}},
	{Form: "mbarrier.test_wait{.phase_type}{.sem.scope}{.ss}.type p[|q], [a]:shared, state:h64; phase_type = phase_type::primary" + mbarWait,
		PTX: v(7, 0), SM: 80, Sec: "9.7.14.16.19", Needs: mbarWaitNeeds, Do: mbarTest("MbarDone"), Loose: true, Cost: costShared, Undefined: mbarWaits},
	{Form: "mbarrier.test_wait.parity{.phase_type}{.sem.scope}{.ss}.type p[|q], [a]:shared, state:u32<2; phase_type = phase_type::primary phase_type::conditional" + mbarWait,
		PTX: v(7, 1), SM: 80, Sec: "9.7.14.16.19", Needs: mbarWaitNeeds, Do: mbarTest("MbarDoneParity"), Loose: true, Cost: costShared, Undefined: mbarParity},
	{Form: "mbarrier.try_wait{.phase_type}{.sem.scope}{.ss}.type p[|q], [a]:shared, state:h64{, hint:u32}; phase_type = phase_type::primary" + mbarWait,
		PTX: v(7, 8), SM: 90, Sec: "9.7.14.16.19", Needs: mbarWaitNeeds, Do: mbarTest("MbarDone"), Loose: true, Cost: costShared, Undefined: mbarWaits},
	{Form: "mbarrier.try_wait.parity{.phase_type}{.sem.scope}{.ss}.type p[|q], [a]:shared, state:u32<2{, hint:u32}; phase_type = phase_type::primary phase_type::conditional" + mbarWait,
		PTX: v(7, 8), SM: 90, Sec: "9.7.14.16.19", Needs: mbarWaitNeeds, Do: mbarTest("MbarDoneParity"), Loose: true, Cost: costShared, Undefined: mbarParity},
	// Forms that also return a report, PTX 9.7.14.16.19. Objects of .layout::v0 have no reports.
	{Form: "mbarrier.test_wait.phase_type::primary{.sem.scope}{.ss}.type p|q, d:b8, [a]:shared, state:h64" + mbarWait,
		PTX: v(9, 3), SM: 90, Sec: "9.7.14.16.19", Do: mbarTest("MbarDone"), Loose: true, Cost: costShared, Undefined: mbarWaits},
	{Form: "mbarrier.test_wait.parity.phase_type::primary{.sem.scope}{.ss}.type p|q, d:b8, [a]:shared, state:u32<2" + mbarWait,
		PTX: v(9, 3), SM: 90, Sec: "9.7.14.16.19", Do: mbarTest("MbarDoneParity"), Loose: true, Cost: costShared, Undefined: mbarParity},
	{Form: "mbarrier.try_wait.phase_type::primary{.sem.scope}{.ss}.type p|q, d:b8, [a]:shared, state:h64{, hint:u32}" + mbarWait,
		PTX: v(9, 3), SM: 90, Sec: "9.7.14.16.19", Do: mbarTest("MbarDone"), Loose: true, Cost: costShared, Undefined: mbarWaits},
	{Form: "mbarrier.try_wait.parity.phase_type::primary{.sem.scope}{.ss}.type p|q, d:b8, [a]:shared, state:u32<2{, hint:u32}" + mbarWait,
		PTX: v(9, 3), SM: 90, Sec: "9.7.14.16.19", Do: mbarTest("MbarDoneParity"), Loose: true, Cost: costShared, Undefined: mbarParity},
	{Form: "mbarrier.check_layout.layout{.ss}.type p, [a]:shared; layout = layout::v0 layout::v1; ss = shared shared::cta; type = b64",
		PTX: v(9, 3), SM: 90, Sec: "9.7.14.16.21", Do: mbarLayout, Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.pending_count{.layout}.type d:u32, state:h64; layout = layout::v0; type = b64",
		PTX: v(7, 0), SM: 80, Sec: "9.7.14.16.20", Needs: "layout 9.3 sm_90", Do: mbarCount,
		Undefined: []Undefined{undefCount}},
}

const mbarWaitNeeds = "phase_type 9.3 sm_90; sem 8.0 sm_80; scope 8.0 sm_80; .cluster 8.0 sm_90; .relaxed 8.6 sm_90; .shared::cta 7.8 sm_80"
