package diag

// syncCodes are about lanes, warps and blocks whose order is left open.
func syncCodes() []Code {
	const half = "\t.reg .b32 %r<4>;\n\t.reg .pred %p;\n\tmov.u32 %r1, %tid.x;\n"
	const gridSyncFile = "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.reg .b64 r) cudaCGGetIntrinsicHandle(.reg .b32 scope);\n" +
		".extern .func (.reg .b32 r) cudaCGSynchronize(.reg .b64 handle, .reg .b32 flags);\n.entry k()\n{\n\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n" +
		"\tcall (%d1), cudaCGGetIntrinsicHandle, (1);\n\tcall (%r1), cudaCGSynchronize, (%d1, 0);\n\tret;\n}"
	const waitsForFirst = "\t.reg .b64 %d<2>;\n\t.reg .b32 %r<3>;\n\t.reg .pred %p;\n\tld.param.u64 %d1, [f];\n\tmov.u32 %r1, %ctaid.x;\n\tsetp.eq.u32 %p, %r1, 1;\n\t@%p bra wait;\n" +
		"\tst.release.gpu.global.u32 [%d1], 1;\n\tret;\nwait:\n\tld.acquire.gpu.global.u32 %r2, [%d1];\n\tsetp.eq.u32 %p, %r2, 0;\n\t@%p bra wait;\n\tret;"
	return []Code{
		{
			Code: "exited-lanes", Class: Finding, Severity: Note,
			Doc: "Threads have exited that other threads would wait for: a membermask names them, or they never come to a barrier of the whole block, or the count of a barrier can only be reached with them (a warning). PTX lets the other threads continue without them, and so does s_barrier; " +
				"CUDA requires that all threads reach __syncthreads(). The usual cause is an early return of threads without work. A shuffle is not reported here, because reading their registers is another finding, undefined-source.",
			Remedy:  "None is needed if the code works without them; else let them stay, with their work guarded by the condition.",
			Example: "crosslane check k.ptx --grid 1 --block 64" + ptxFile("", half+"\tsetp.ge.u32 %p, %r1, 40;\n\t@%p exit;\n\tbar.sync 0;\n\tret;"),
			Section: "PTX 9.7.9.6, 9.7.14.1; GCN3 ISA, s_barrier",
			Good:    "crosslane check k.ptx --grid 1 --block 64" + ptxFile("", half+"\tsetp.ge.u32 %p, %r1, 40;\n\tbar.sync 0;\n\t@%p exit;\n\tret;"),
		},
		{
			Code: "barriers-apart", Class: Finding, Severity: Note,
			Doc: "Warps of a block meet at a barrier for the whole block, and are at different instructions: one is in a branch that the other did not take. PTX and GCN3 count arrivals from any instruction, so that it works; " +
				"CUDA's __syncthreads() and OpenCL's barrier() do not allow it, and a compiler may rely on that. Lanes of one warp at different aligned barriers are an error, not-converged.",
			Remedy:  "Move the barrier out of the branch; for warps of different roles, use barriers with numbers and counts of their own.",
			Example: "crosslane check k.ptx --grid 1 --block 64" + ptxFile("", half+"\tsetp.ge.u32 %p, %r1, 32;\n\t@%p bra a;\n\tbar.sync 0;\n\tret;\na:\n\tbar.sync 0;\n\tret;"),
			Section: "PTX 9.7.14.1; GCN3 ISA, s_barrier",
			Good:    "crosslane check k.ptx --grid 1 --block 64" + ptxFile("", half+"\tsetp.ge.u32 %p, %r1, 32;\n\t@%p bra a;\n\tmov.u32 %r2, 1;\na:\n\tbar.sync 0;\n\tret;"),
		},
		{
			Code: "blocks-wait", Class: Finding, Severity: Note,
			Doc: "A block waits for a store by another block that had not begun when this one did. The kernel ends only if both are in flight at the same time, or begin in another order, and a grid promises neither: with more blocks than fit, or blocks that begin in another order, it hangs. " +
				"A look-back that takes the number of a block's tile from %ctaid does this. check makes one of its runs with the last block first, and shows it there. A launch with --cooperative has all blocks in flight and is not reported.",
			Remedy:  "Take the number of the tile from an atomic counter: a block waits only for those that began before it then. Or launch as many blocks as can be in flight, with --cooperative.",
			Example: "crosslane check k.ptx --grid 2 --block 1 --arg f:u32[1]=zero" + ptxFile(".param .u64 f", waitsForFirst),
			Section: "PTX 2.2.1 (cooperative thread arrays are independent), 8 (memory consistency model)",
			Good:    "crosslane check k.ptx --grid 2 --block 1 --cooperative --arg f:u32[1]=zero" + ptxFile(".param .u64 f", waitsForFirst),
		},
		{
			Code: "not-cooperative", Class: Fault, Severity: Error,
			Doc:     "The kernel calls cudaCGSynchronize, the barrier of the grid in CUDA's device runtime, and the launch is not cooperative. In such a launch, the blocks need not be in flight at the same time, so a barrier of all of them may never end. The run stops before the call.",
			Remedy:  "Launch the kernel with --cooperative; in CUDA, with cudaLaunchCooperativeKernel.",
			Example: runExample + gridSyncFile,
		},
		{
			Code: "schedule-dependent", Class: Finding, Severity: Error,
			Doc: "A buffer holds another result if lanes, warps and blocks run in another order that the manual also allows. check runs the kernel in three orders: lowest-pc, reversed and random:1, which from sm_70 on also separates lanes that run together. " +
				"The message names the first element that differs, both values, and the instructions that stored them. If the kernel has atomics whose old value is used or which add floating-point numbers, or reads a clock, " +
				"the difference may be intended: then it is a note. If the kernel has asynchronous copies that report to mbarrier objects, a further run does them as late as the manual allows: a program that ignores the result of mbarrier.try_wait then computes something else. If the first run shows errors, the other runs are not made: the errors come first.",
			Remedy: "Synchronise the store with the read: a barrier between warps, *.sync with a full mask within a warp, atomics or several launches across blocks.",
			Example: "crosslane check k.ptx --grid 1 --block 64 --arg out:u32[1]=zero --rules schedule-dependent" + ptxFile(".param .u64 out",
				"\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, %tid.x;\n\tst.global.u32 [%d1], %r1;\n\tret;"),
			Section: "PTX 8 (memory consistency model); GCN3 ISA, s_barrier",
			Good: "crosslane check k.ptx --grid 1 --block 64 --arg out:u32[1]=zero" + ptxFile(".param .u64 out",
				"\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, %tid.x;\n\tred.global.max.u32 [%d1], %r1;\n\tret;"),
		},
	}
}
