package ptx

// Fences, PTX ISA 9.7.14.4. The threads of a block see each other's memory accesses in the order of
// execution. Between blocks on different workers, the fence is a fence of the host processor.
var fenceRows = []row{
	{Form: "membar.level; level = cta gl sys", About: "Order memory accesses.", PTX: v(1, 4), Sec: "9.7.14.4", Needs: ".sys 2.0 sm_20", Do: fence, Cost: costMemory},
	{Form: "membar.proxy.alias", PTX: v(7, 5), SM: 60, Sec: "9.7.14.4", Do: fence, Cost: costMemory},
	{Form: "membar.proxy.async", PTX: v(8, 0), SM: 90, Sec: "9.7.14.4", Do: fence, Cost: costMemory},
	{Form: "fence{.sem}.scope; sem = sc acq_rel acquire release", About: "Order memory accesses.", PTX: v(6, 0), SM: 70, Sec: "9.7.14.4", Needs: ".cluster 7.8 sm_90; .acquire 8.6 sm_90; .release 8.6 sm_90",
		Do: fence, Loose: true, Cost: costMemory},
	{Form: "fence.acquire.sync_restrict::shared::cluster.cluster", PTX: v(8, 6), SM: 90, Sec: "9.7.14.4", Do: fence, Cost: costMemory},
	{Form: "fence.release.sync_restrict::shared::cta.cluster", PTX: v(8, 6), SM: 90, Sec: "9.7.14.4", Do: fence, Cost: costMemory},
	{Form: "fence.mbarrier_init.release.cluster", PTX: v(8, 0), SM: 90, Sec: "9.7.14.4", Do: fence, Cost: costMemory},
	{Form: "fence.proxy.alias", PTX: v(7, 5), SM: 70, Sec: "9.7.14.4", Do: fence, Cost: costMemory},
	{Form: "fence.proxy.async{.space}; space = global shared::cta shared::cluster", PTX: v(8, 0), SM: 90, Sec: "9.7.14.4", Do: fenceAsync, Cost: costMemory},
	{Form: "fence.proxy.tensormap::generic.release.scope", PTX: v(8, 3), SM: 90, Sec: "9.7.14.4", Do: fenceMaps, Cost: costMemory},
	{Form: "fence.proxy.tensormap::generic.acquire.scope [a], line:imm8", PTX: v(8, 3), SM: 90, Sec: "9.7.14.4", Do: fenceRange, Cost: costMemory,
		Undefined: []Undefined{undefOutsideGlobal}},
	{Form: "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", PTX: v(8, 6), SM: 90, Sec: "9.7.14.4", Do: fenceAsync, Cost: costMemory},
	{Form: "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", PTX: v(8, 6), SM: 90, Sec: "9.7.14.4", Do: fenceAsync, Cost: costMemory},
	{Form: "fence.proxy.direction.alias.sem.sys; direction = generic::fabric fabric::generic fabric::fabric; sem = acquire release", PTX: v(9, 3), SM: 100, Sec: "9.7.14.4", Do: fence, Cost: costMemory},
}
