package diag

// freed is a kernel that allocates 16 bytes.
func freed(rest string) string {
	return "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n" +
		".visible .entry k()\n{\n\t.reg .b64 %d<2>;\n\tcall (%d1), malloc, (16);\n" + rest + "\n}\n"
}

// raceCodes are about accesses to memory that nothing orders.
func raceCodes() []Code {
	const shared = "\t.shared .align 4 .b32 s[64];\n\t.reg .b64 %d<4>;\n\t.reg .b32 %r<5>;\n\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, s;\n" +
		"\tmad.lo.u32 %r3, %r1, 4, %r2;\n\tst.shared.u32 [%r3], %r1;\n\txor.b32 %r4, %r1, 32;\n\tmad.lo.u32 %r3, %r4, 4, %r2;\n\tld.shared.u32 %r4, [%r3];\n\tmul.wide.u32 %d2, %r1, 4;\n" +
		"\tadd.s64 %d3, %d1, %d2;\n\tst.global.u32 [%d3], %r4;\n\tret;"
	return []Code{
		{
			Code: "race-shared", Class: Finding, Severity: Error,
			Doc:     "Two lanes access the same bytes of shared memory (LDS), one of them writes, and nothing orders the two: no barrier, no bar.warp.sync, no signal of release and acquire. The hardware decides which comes first. The race is found whichever order the run had. Lanes of one warp are not ordered either from sm_70 on; shuffles and votes do not order memory. Bulk copies (cp.async.bulk) are under way until a thread has waited for them, and see the writes of threads only after a fence.proxy.async. It is a warning if one side is a plain store and the other one a volatile or relaxed load.",
			Remedy:  "Put a barrier that both execute between the two, bar.warp.sync within a warp, or make both atomic. Wait for copies, bulk ones with cp.async.bulk.wait_group.read before their source is written again.",
			Example: "crosslane check k.ptx --grid 1 --block 64 --arg out:u32[64]" + ptxFile(".param .u64 out", shared),
		},
		{
			Code: "race-global", Class: Finding, Severity: Error,
			Doc:     "Two lanes access the same bytes of global memory, one of them writes, and nothing orders the two. Only signals order blocks: if a block writes and then executes a fence and a strong store (or atomic), another block may read the data after a strong load that sees the store and a fence of its own. Atomics do not race with each other, unless a scope is the block only and they are of two blocks.",
			Remedy:  "Give each block its own part, use atomics, signal with release and acquire, or end the kernel in between.",
			Example: "crosslane check k.ptx --grid 2 --block 1 --arg out:u32[1]" + ptxFile(".param .u64 out", "\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tld.global.u32 %r1, [%d1];\n\tadd.u32 %r1, %r1, 1;\n\tst.global.u32 [%d1], %r1;\n\tret;"),
		},
		{
			Code: "unstarted-block", Class: Finding, Severity: Error,
			Doc:    "An instruction accesses the shared memory of another block of the cluster, and nothing orders the access after anything that the block does: the block may not have begun. The blocks of a cluster are scheduled together, but they do not begin together. The finding does not depend on the order of the run.",
			Remedy: "Let all blocks of the cluster wait at barrier.cluster before the first access to the memory of another block.",
			Example: "crosslane check k.ptx --grid 2 --cluster 2 --block 32\n-- k.ptx --\n.version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n\t.shared .b32 x;\n\t.reg .b32 %r<4>;\n\t.reg .pred %p<2>;\n" +
				"\tmov.u32 %r1, %cluster_ctarank;\n\txor.b32 %r1, %r1, 1;\n\tmov.u32 %r3, %tid.x;\n\tsetp.eq.u32 %p1, %r3, 0;\n\tmapa.shared::cluster.u32 %r2, x, %r1;\n\t@%p1 st.shared::cluster.u32 [%r2], 1;\n" +
				"\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n\tret;\n}",
		},
		{
			Code: "store-unwaited", Class: Finding, Severity: Error,
			Doc:    "A bulk or tensor copy of a group reads the shared memory of its block, and the block ends before the thread that started the copy has waited for this read. The memory is then given to another block, and the copy may read what that block writes. A run carries copies out at once, so the results of the run are right.",
			Remedy: "Let the thread that starts the copy commit its group and wait with cp.async.bulk.wait_group.read 0 before it exits.",
			Example: "crosslane check k.ptx --grid 1 --block 1 --arg out:u32[4]\n-- k.ptx --\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n\t.shared .align 16 .b32 s[4];\n\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n" +
				"\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, s;\n\tst.shared.v4.u32 [%r1], {1, 2, 3, 4};\n\tfence.proxy.async.shared::cta;\n\tcp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 16;\n\tcp.async.bulk.commit_group;\n\tret;\n}",
		},
		{
			Code: "tensormap-stale", Class: Finding, Severity: Error,
			Doc:    "A tensor copy uses a map in global memory that the kernel itself has written, and the tensormap proxy need not have seen the write. The proxy has a cache of its own, so barriers and ordinary fences do not help. The writer has to release the map to the proxy, and the copying side has to acquire its 128 bytes. A run reads maps from memory as they are, so the results of the run are right.",
			Remedy: "Write the map with tensormap.cp_fenceproxy, or with a fence.proxy.tensormap::generic.release behind the write; put fence.proxy.tensormap::generic.acquire with the map's address before the copy.",
			Example: "crosslane check k.ptx --grid 1 --block 1\n-- k.ptx --\n.version 8.3\n.target sm_90\n.address_size 64\n.global .align 128 .b32 map[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0f000000};\n.entry k()\n{\n\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n" +
				"\tmov.u64 %d1, map;\n\tmov.u32 %r1, 0;\n\tst.global.u32 [%d1+32], 99;\n\tcp.async.bulk.prefetch.tensor.1d.L2.global.tile [%d1, {%r1}];\n\tret;\n}",
		},
		{
			Code: "read-only-written", Class: Finding, Severity: Error,
			Doc:     "A load of read-only data (ld.global.nc, ldu) reads memory that the kernel writes in the same launch, before or after, in any warp or block. The manual leaves the value undefined: such loads may come from a cache that does not see writes, and no barrier or fence orders the two. It is the classic mistake of __ldg(), or of const __restrict__ on data that is updated in place.",
			Remedy:  "Load with ld.global without .nc (in CUDA: no __ldg, no const __restrict__), or write to another buffer.",
			Example: "crosslane check k.ptx --grid 1 --block 1 --arg out:u32[1]=zero" + ptxFile(".param .u64 out", "	.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tld.global.nc.u32 %r1, [%d1];\n\tadd.u32 %r1, %r1, 1;\n\tst.global.u32 [%d1], %r1;\n\tret;"),
		},
		{
			Code: "texture-stale", Class: Finding, Severity: Error,
			Doc:     "A texture or surface instruction (tex, tld4, suld) reads memory that the kernel writes in the same launch, before or after, in any warp or block. The value is undefined: the caches of textures and surfaces do not see the writes of the same launch, those of the same thread included, and no barrier or fence orders the two.",
			Remedy:  "Write the memory in an earlier launch, write to another array, or load with ld.global.",
			Example: "crosslane check k.ptx --grid 1 --block 1 --buffer data:u32[4]=iota --arg 's=surface{&data, u32, width=4}'" + ptxFile(".param .u64 s", "\t.reg .b64 %d<2>;\n\t.reg .b32 %r<3>;\n\tld.param.u64 %d1, [s];\n\tmov.u32 %r1, 0;\n\tsust.b.1d.b32.trap [%d1, {%r1}], %r1;\n\tsuld.b.1d.b32.trap %r2, [%d1, {%r1}];\n\tret;"),
		},
		{
			Code: "beyond-variable", Class: Finding, Severity: Error,
			Doc:     "An access by an index from one .shared or .local variable leaves that variable and touches the gap before the next one, or the next one's bytes. The access is inside the memory of the block or of the lane, so that it does not fault, and another variable is read or overwritten. Checks find it because variables lie apart there: the kernel runs with gaps of at least 1 KB between .shared variables (64 bytes between .local ones), dynamic shared memory after the last of them. PTX does not define which variables are neighbours.",
			Remedy:  "Check the index against the size of the variable. To use two variables as one, declare one for both.",
			Example: "crosslane check k.ptx --grid 1 --block 32" + ptxFile("", "\t.shared .align 4 .b8 a[64];\n\t.shared .align 4 .b8 b[64];\n\t.reg .b32 %r<4>;\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, b;\n\tmov.u32 %r2, a;\n\tmad.lo.u32 %r3, %r1, 4, %r2;\n\tst.shared.u32 [%r3], %r1;\n\tret;"),
		},
		{
			Code: "shared-limit", Class: Finding, Severity: Error,
			Doc:     "A block needs more shared memory than it can have. The .shared variables of a kernel may have 48 KB together on all targets: the vendor's assembler refuses more. Dynamic shared memory may go beyond that, up to the maximum of the target (for example 163 KB on sm_80, 99 KB on sm_86, 227 KB on sm_90): a launch that requests more fails. A run takes up to 1 MB, so that a kernel may be tried before its tiles are made smaller. How many registers a thread takes is decided by the vendor's assembler, so that limits of registers are not checked.",
			Remedy:  "Use smaller arrays. Beyond 48 KB make them dynamic: .extern .shared, the size at the launch, cudaFuncAttributeMaxDynamicSharedMemorySize.",
			Example: "crosslane check k.ptx --grid 1 --block 1" + ptxFile("", "\t.shared .align 4 .b8 s[50000];\n\tst.shared.u32 [s], 1;\n\tret;"),
		},
		{
			Code: "race-rounding", Class: Finding, Severity: Error,
			Doc:     "Several lanes of one store write floating-point numbers to one place, which differ by rounding only: by less than 2^-16 (2^-40 in 64 bits) of their size. The hardware decides which one stays. The usual reason is a butterfly: after shuffles with .bfly all lanes seem to have the same result, but lanes that have their operands in another order, or compute v + (w - v)/2 each from its own side, round differently.",
			Remedy:  "Let one lane write; if other lanes need the result, broadcast that lane's by a shuffle.",
			Example: "crosslane check k.ptx --grid 1 --block 32" + ptxFile("", "\t.shared .align 4 .b32 s[1];\n\t.reg .f32 %f<3>;\n\t.reg .b32 %r<3>;\n\t.reg .pred %p;\n\tmov.u32 %r1, %laneid;\n\tcvt.rn.f32.u32 %f1, %r1;\n\tfma.rn.f32 %f2, %f1, 0f33800000, 0f3F800000;\n\tst.shared.f32 [s], %f2;\n\tret;"),
		},
		{
			Code: "undefined-behaviour", Class: Finding, Severity: Error,
			Doc:     "An instruction is executed with operands, or at a moment, for which the manual leaves the effect undefined: a cp.async whose source size is greater than its size, a bulk copy that ignores more than 15 bytes at an end, a request to cancel a cluster after one was seen to fail. The message cites the manual's condition. The run continues with one of the possible results.",
			Remedy:  "Use operands, and execute it at times, for which the manual defines its effect.",
			Example: "crosslane check k.ptx --grid 1 --block 1 --arg in:u32[4]=iota" + ptxFile(".param .u64 in", "	.shared .align 16 .b8 s[16];\n\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [in];\n\tmov.u32 %r1, 8;\n\tcp.async.ca.shared.global [s], [%d1], 4, %r1;\n\tcp.async.wait_all;\n\tret;"),
		},
		{
			Code: "race-same-value", Class: Finding, Severity: Note,
			Doc:     "Lanes store to the same bytes, nothing orders them, and all store the same value. The result does not depend on which lane is last; it is a race nevertheless.",
			Remedy:  "Let one lane store, or leave it.",
			Example: "crosslane check k.ptx --grid 2 --block 1 --arg out:u32[1]" + ptxFile(".param .u64 out", "\t.reg .b64 %d<2>;\n\tld.param.u64 %d1, [out];\n\tst.global.u32 [%d1], 1;\n\tret;"),
		},
		{
			Code: "use-after-free", Class: Fault, Severity: Error,
			Doc:     "Memory of malloc is read or written after free. The message names the allocation, and where it was freed. Addresses of the heap are not used twice, so that no later malloc hides it. On a device, the code also covers memory that the host freed and that a later copy or kernel uses.",
			Remedy:  "Free memory after its last use by any lane; set pointers to it to null.",
			Example: runExample + freed("\tcall free, (%d1);\n\tst.u32 [%d1], 1;\n\tret;"),
		},
		{
			Code: "race-limit", Class: Finding, Severity: Warning,
			Doc:    "The records of accesses that the race check keeps would take more memory than --max-memory leaves. From there on races are not looked for; all other checks continue.",
			Remedy: "Raise --max-memory, launch fewer blocks or smaller buffers, or leave races out with --rules.",
			Example: "crosslane check k.ptx --grid 1 --block 64 --arg out:u32[64] --max-memory 1100" +
				ptxFile(".param .u64 out", "\t.reg .b64 %d<4>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %d2, %r1, 4;\n\tadd.s64 %d3, %d1, %d2;\n\tst.global.u32 [%d3], %r1;\n\tret;"),
		},
	}
}
