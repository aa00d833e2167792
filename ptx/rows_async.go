package ptx

const (
	cpNeeds  = "level::prefetch_size 7.4 sm_80; .shared::cta 7.8 sm_80"
	cpLists  = "; cop = ca cg; ss = shared shared::cta"
	cpBeyond = "everything, if the source size is greater than the size; the copied data, if they are read before a wait for the copy"
)

// Asynchronous copies, PTX ISA 9.7.9.25.
//
// They are done at once, which is one of the orders that the manual allows, so that
// there is nothing to wait for. What a program reads before it waits is therefore
// the new data and not, as it may be on hardware, the old: a check that wants to
// find such reads marks the destination from the copy to the wait of its thread
// (commit_group, wait_group and wait_all stay in the code as Nop for that).
var asyncRows = []row{
	{Form: "cp.async.cop.ss.global{.level::prefetch_size} [dst]:shared, [src]:global, size:imm5" + cpLists, About: "Copy from global to shared memory.",
		PTX: v(7, 0), SM: 80, Sec: "9.7.9.25.3.1", Needs: cpNeeds, Do: copyAsync, Cost: costMemory},
	{Form: "cp.async.cop.ss.global{.level::prefetch_size} [dst]:shared, [src]:global, size:imm5, n:any" + cpLists,
		PTX: v(7, 0), SM: 80, Sec: "9.7.9.25.3.1", Needs: cpNeeds, Do: copyAsync, Cost: costMemory, Undefined: cpBeyond},
	{Form: "cp.async.cop.ss.global.L2::cache_hint{.level::prefetch_size} [dst]:shared, [src]:global, size:imm5, policy:b64" + cpLists,
		PTX: v(7, 4), SM: 80, Sec: "9.7.9.25.3.1", Needs: cpNeeds, Do: copyAsync, Cost: costMemory, Undefined: cpBeyond},
	{Form: "cp.async.cop.ss.global.L2::cache_hint{.level::prefetch_size} [dst]:shared, [src]:global, size:imm5, n:any, policy:b64" + cpLists,
		PTX: v(7, 4), SM: 80, Sec: "9.7.9.25.3.1", Needs: cpNeeds, Do: copyAsync, Cost: costMemory, Undefined: cpBeyond},
	{Form: "cp.async.commit_group", PTX: v(7, 0), SM: 80, Sec: "9.7.9.25.3.2", Do: hint},
	{Form: "cp.async.wait_group n:imm32", PTX: v(7, 0), SM: 80, Sec: "9.7.9.25.3.3", Do: hint},
	{Form: "cp.async.wait_all", PTX: v(7, 0), SM: 80, Sec: "9.7.9.25.3.3", Do: hint},
	{Form: "cp.async.mbarrier.arrive{.noinc}{.ss}.type [a]; ss = shared shared::cta; type = b64",
		PTX: v(7, 0), SM: 80, Sec: "9.7.13.15.15", Needs: ".shared::cta 7.8 sm_80", Do: mbarTrack, Loose: true, Cost: costShared},
}

const (
	mbarMisuse = "everything, if the address holds no mbarrier object"
	mbarLists  = "; sem = release relaxed; scope = cta cluster; ss = shared shared::cta shared::cluster; type = b64"
	mbarNeeds  = "sem 8.0 sm_80; scope 8.0 sm_80; .cluster 8.0 sm_90; .relaxed 8.6 sm_90; .shared::cta 7.8 sm_80; .shared::cluster 8.0 sm_90"
	mbarWait   = "; sem = acquire relaxed; scope = cta cluster; ss = shared shared::cta; type = b64"
	mbarWaits  = "everything, if the address holds no mbarrier object, or the phase asked for is neither the current one nor the one before"
)

// Barriers in shared memory, PTX ISA 9.7.13.15. Package num has their arithmetic and
// the layout of the 64 bits.
var mbarrierRows = []row{
	{Form: "mbarrier.init{.layout}{.ss}.type [a], count:u32; layout = layout::v0 layout::v1; ss = shared shared::cta; type = b64", About: "Barriers in shared memory: count the arrivals of threads and the bytes of asynchronous copies, in phases.",
		PTX: v(7, 0), SM: 80, Sec: "9.7.13.15.9", Needs: "layout 9.3 sm_90; .shared::cta 7.8 sm_80", Do: mbarInit, Loose: true, Cost: costShared,
		Undefined: "everything, if the address holds a valid mbarrier object already"},
	{Form: "mbarrier.inval{.ss}.type [a]; ss = shared shared::cta; type = b64",
		PTX: v(7, 0), SM: 80, Sec: "9.7.13.15.10", Needs: ".shared::cta 7.8 sm_80", Do: mbarInval, Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.expect_tx{.sem.scope}{.ss}.type [a], count:u32; sem = relaxed; scope = cta cluster; ss = shared shared::cta shared::cluster; type = b64",
		PTX: v(8, 0), SM: 90, Sec: "9.7.13.15.11", Do: mbarUpdate("MbarExpectTx"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.complete_tx{.sem.scope}{.ss}.type [a], count:u32; sem = relaxed; scope = cta cluster; ss = shared shared::cta shared::cluster; type = b64",
		PTX: v(8, 0), SM: 90, Sec: "9.7.13.15.12", Do: mbarUpdate("MbarCompleteTx"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive{.sem.scope}{.ss}.type d, [a]{, count:u32}" + mbarLists,
		PTX: v(7, 0), SM: 80, Sec: "9.7.13.15.13", Needs: mbarNeeds, Do: mbarUpdate("MbarArrive"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive.expect_tx{.sem.scope}{.ss}.type d, [a], count:u32" + mbarLists,
		PTX: v(8, 0), SM: 90, Sec: "9.7.13.15.13", Needs: ".relaxed 8.6 sm_90", Do: mbarUpdate("MbarArriveExpectTx"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive.noComplete{.sem.scope}{.ss}.type d, [a], count:u32; sem = release; scope = cta; ss = shared shared::cta; type = b64",
		PTX: v(7, 0), SM: 80, Sec: "9.7.13.15.13", Needs: "sem 8.0 sm_80; scope 8.0 sm_80; .shared::cta 7.8 sm_80", Do: mbarUpdate("MbarArriveNoComplete"), Loose: true, Cost: costShared,
		Undefined: "everything, if the arrival completes the phase"},
	{Form: "mbarrier.arrive_drop{.sem.scope}{.ss}.type d, [a]{, count:u32}" + mbarLists,
		PTX: v(7, 0), SM: 80, Sec: "9.7.13.15.14", Needs: mbarNeeds, Do: mbarUpdate("MbarArriveDrop"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive_drop.expect_tx{.sem.scope}{.ss}.type d, [a], count:u32" + mbarLists,
		PTX: v(8, 0), SM: 90, Sec: "9.7.13.15.14", Needs: ".relaxed 8.6 sm_90", Do: mbarUpdate("MbarArriveDropExpectTx"), Loose: true, Cost: costShared, Undefined: mbarMisuse},
	{Form: "mbarrier.arrive_drop.noComplete{.sem.scope}{.ss}.type d, [a], count:u32; sem = release; scope = cta; ss = shared shared::cta; type = b64",
		PTX: v(7, 0), SM: 80, Sec: "9.7.13.15.14", Needs: "sem 8.0 sm_80; scope 8.0 sm_80; .shared::cta 7.8 sm_80", Do: mbarUpdate("MbarArriveDropNoComplete"), Loose: true, Cost: costShared,
		Undefined: "everything, if the arrival completes the phase"},
	{Form: "mbarrier.test_wait{.phase_type}{.sem.scope}{.ss}.type p, [a], state:b64; phase_type = phase_type::primary" + mbarWait,
		PTX: v(7, 0), SM: 80, Sec: "9.7.13.15.16", Needs: mbarWaitNeeds, Do: mbarTest("MbarDone"), Loose: true, Cost: costShared, Undefined: mbarWaits},
	{Form: "mbarrier.test_wait.parity{.phase_type}{.sem.scope}{.ss}.type p, [a], state:u32; phase_type = phase_type::primary phase_type::conditional" + mbarWait,
		PTX: v(7, 1), SM: 80, Sec: "9.7.13.15.16", Needs: mbarWaitNeeds, Do: mbarTest("MbarDoneParity"), Loose: true, Cost: costShared, Undefined: mbarWaits},
	{Form: "mbarrier.try_wait{.phase_type}{.sem.scope}{.ss}.type p, [a], state:b64{, hint:u32}; phase_type = phase_type::primary" + mbarWait,
		PTX: v(7, 8), SM: 90, Sec: "9.7.13.15.16", Needs: mbarWaitNeeds, Do: mbarTest("MbarDone"), Loose: true, Cost: costShared, Undefined: mbarWaits},
	{Form: "mbarrier.try_wait.parity{.phase_type}{.sem.scope}{.ss}.type p, [a], state:u32{, hint:u32}; phase_type = phase_type::primary phase_type::conditional" + mbarWait,
		PTX: v(7, 8), SM: 90, Sec: "9.7.13.15.16", Needs: mbarWaitNeeds, Do: mbarTest("MbarDoneParity"), Loose: true, Cost: costShared, Undefined: mbarWaits},
	{Form: "mbarrier.pending_count{.layout}.type d:u32, state:b64; layout = layout::v0; type = b64",
		PTX: v(7, 0), SM: 80, Sec: "9.7.13.15.17", Needs: "layout 9.3 sm_90", Do: lanewise("MbarPending"),
		Undefined: "the count, if the state comes from anything but an arrival with .noComplete"},
}

const mbarWaitNeeds = "phase_type 9.3 sm_90; sem 8.0 sm_80; scope 8.0 sm_80; .cluster 8.0 sm_90; .relaxed 8.6 sm_90; .shared::cta 7.8 sm_80"
