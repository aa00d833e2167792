package diag

// guestCodes are about the behaviour of the guest program.
func guestCodes() []Code {
	return []Code{
		{
			Code: "undefined-source", Class: Finding, Severity: Error,
			Doc:     "Lanes read a register of a lane that gives no defined value: it is not in the membermask, does not execute the instruction, or has exited. The manual leaves the value undefined; hardware often hands back the reader's own, so that sums look right and maxima do not. --undefined chooses the value with which the run continues. Under check it is an error only if the value reaches a branch, an address, a buffer of the launch, printed text or the condition of a fault, which is named; if nothing depends on it, it is a note.",
			Remedy:  "Use the value only where the source lane takes part, or let all lanes execute the shuffle.",
			Example: "crosslane try --set %r1=iota 'shfl.sync.down.b32 %r2, %r1, 16, 31, 0x000fffff;' --exec 0x000fffff",
		},
		{
			Code: "not-in-membermask", Class: Finding, Severity: Error,
			Doc:     "Lanes execute a .sync instruction whose membermask does not name them. The manual leaves all effects of that undefined.",
			Remedy:  "Name every executing lane in the membermask, or keep the other lanes from executing the instruction.",
			Example: "crosslane try --set %r1=iota 'shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0x0000ffff;'",
		},
		{
			Code: "not-converged", Class: Finding, Severity: Error,
			Doc:    "Lanes of one membermask come to a .sync instruction at different times, or to different ones. From sm_70 they meet; on sm_6x and older the manual leaves the result undefined unless they execute the same instruction in convergence.",
			Remedy: "Compile for sm_70 or later, or bring the lanes together before the instruction.",
			Example: runExample + "\n-- k.ptx --\n.version 6.0\n.target sm_60\n.address_size 64\n.entry k()\n{\n\t.reg .b32 %r<5>;\n\t.reg .pred %p;\n" +
				"\tmov.u32 %r1, %laneid;\n\tmov.u32 %r2, 0;\nloop:\n\tshr.u32 %r3, %r1, 4;\n\tsetp.ne.u32 %p, %r2, %r3;\n\t@%p bra next;\n\tshfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;\nnext:\n\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p, %r2, 2;\n\t@%p bra loop;\n\tret;\n}",
		},
		{
			Code: "activemask-membermask", Class: Finding, Severity: Warning,
			Doc:     "The membermask of a .sync instruction comes from activemask. The manual does not define which lanes run together, so that activemask may return any subset of the lanes that will reach the instruction.",
			Remedy:  "Compute the membermask from the condition that decides who gets here, with vote.sync.ballot before the branch.",
			Example: runExample + ptxFile("", "\t.reg .b32 %r<4>;\n\tmov.u32 %r1, %laneid;\n\tactivemask.b32 %r2;\n\tshfl.sync.bfly.b32 %r3, %r1, 1, 31, %r2;\n\tret;"),
		},
		{
			Code: "duplicate-destination", Class: Finding, Severity: Warning,
			Doc:     "A vector of destination registers names one of them twice. The value of the register is undefined afterwards.",
			Remedy:  "Write _ for elements that are not needed.",
			Example: runExample + ptxFile("", "\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<2>;\n\tmov.u64 %rd1, 5;\n\tmov.b64 {%r1, %r1}, %rd1;\n\tret;"),
		},
		{
			Code: "modifier-order", Class: Finding, Severity: Note,
			Doc:     "The modifiers of an instruction stand in another order than the manual's, or one is there twice. The vendor's assembler takes them in any order, except that the words of the name, the types, the state spaces and the layouts keep their order among themselves; so does Crosslane, with the same meaning.",
			Remedy:  "Write the spelling that the message names, if other tools are to read it.",
			Example: runExample + ptxFile("", "\t.reg .f32 %f<3>;\n\tmov.f32 %f1, 0f40800000;\n\tdiv.ftz.rn.f32 %f2, %f1, %f1;\n\tret;"),
		},
		{
			Code: "ineffective-directive", Class: Finding, Severity: Warning,
			Doc:     "A directive of a kernel has no effect in this form: .minnctapersm without the size of a block, or a .maxnreg above the 255 registers that a thread can have.",
			Remedy:  "See the section of the manual that the message cites.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() .minnctapersm 2\n{\n\tret;\n}\n",
		},
		{
			Code: "not-aligned", Class: Finding, Severity: Error,
			Doc:     "A matrix instruction (mma, wmma, ldmatrix, stmatrix, movmatrix) is not executed by all 32 threads of a warp together: some took another path, have exited, or do not exist because the block has too few threads. The manual leaves the results undefined. The run goes on as if the absent lanes held zeros.",
			Remedy:  "Let all threads of the warp execute the same instruction, and launch blocks of a multiple of 32 threads.",
			Example: "crosslane run k.ptx --grid 1 --block 16" + ptxFile("", "\t.reg .b32 %r<3>;\n\tmov.u32 %r1, %laneid;\n\tmovmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n\tret;"),
		},
		{
			Code: "matrix-operand", Class: Finding, Severity: Error,
			Doc:     "A matrix instruction gets operands whose effect the manual leaves undefined: lanes that give wmma different addresses or strides, a stride that is too small or not aligned, sparsity metadata with equal or meaningless indices, selectors out of range. The run continues with the operands as given.",
			Remedy:  "Give all lanes the same address and stride, aligned to the size of a fragment; build metadata as the manual's section on sparse matrices says.",
			Example: "crosslane try --set %r1=0 --set %r2=0 --set %r3=0 --set %f1=0 --set %r9=0 'mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f5,%f6,%f7,%f8}, {%r1,%r2}, {%r3,%r3}, {%f1,%f1,%f1,%f1}, %r9, 0;'",
		},
		{
			Code: "deadlock", Class: Fault, Severity: Error,
			Doc:    "No lane can run: all wait for other lanes at a .sync instruction or a barrier. The message lists the waiting lanes, their places, and the lanes that they wait for.",
			Remedy: "Let every lane that a membermask names execute the instruction with the same mask and qualifiers, or leave the absent ones out of it.",
			Example: runExample + ptxFile("", "\t.reg .b32 %r<3>;\n\t.reg .pred %p;\n\tmov.u32 %r1, %laneid;\n\tsetp.lt.u32 %p, %r1, 16;\n"+
				"\t@%p bra a;\n\tshfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffffffff;\n\tret;\na:\n\tshfl.sync.bfly.b32 %r2, %r1, 1, 31, 0x0001ffff;\n\tret;"),
		},
		{
			Code: "livelock", Class: Fault, Severity: Error,
			Doc: "Lanes look again and again at memory, or at an mbarrier object, that no lane that still runs can change; all other lanes wait at barriers or for these lanes, or have exited. " +
				"The run is stopped, because it would never end: each of these lanes has come back, without a change of memory, to the state in which it was. The message lists the lanes that look, the place and its value, and which lanes wait for which.",
			Remedy: "Let a lane that still runs store the expected value. A lock has to be released on every path; expect_tx is no arrival at an mbarrier object; a loop that compares floats never sees a NaN as equal; and a wait must not come before the store that it waits for.",
			Example: "crosslane run k.ptx --grid 1 --block 32 --arg flag:u32[1]=zero" + ptxFile(".param .u64 flag", "\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\t.reg .pred %p;\n\tld.param.u64 %d1, [flag];\n"+
				"wait:\n\tld.acquire.gpu.global.u32 %r1, [%d1];\n\tsetp.eq.u32 %p, %r1, 0;\n\t@%p bra wait;\n\tret;"),
		},
		{
			Code: "bad-barrier", Class: Finding, Severity: Error,
			Doc: "A barrier is used in a way that the manual leaves undefined: it does not exist (there are 0 to 15), the number of threads is no multiple of the warp size, " +
				"threads that meet there expect different numbers, a reduction meets a plain barrier, or a warp arrives twice before the barrier has completed.",
			Remedy:  "Give the threads that meet at a barrier the same number, 0 to 15, the same count and the same kind of operation.",
			Example: runExample + ptxFile("", "\t.reg .b32 %r<2>;\n\tmov.u32 %r1, 16;\n\tbar.sync %r1;\n\tret;"),
		},
		{
			Code: "unmatched-arrive", Class: Finding, Severity: Warning,
			Doc:     "The block ends, and threads have arrived at a barrier with bar.arrive, but no thread has waited there for them. It does no harm, but often means that a consumer is missing. If the barrier has completed before, it may be the last release of a pipeline, and is a note.",
			Remedy:  "Let as many threads wait at the barrier as its count says, or leave the last arrival out.",
			Example: runExample + ptxFile("", "\tbar.arrive 1, 64;\n\tret;"),
		},
		{
			Code: "wait-states", Class: Finding, Severity: Error,
			Doc:     "An instruction follows too closely on one that it depends on: GCN3 does not interlock some pairs, such as a VALU write of a VGPR that DPP reads (2 wait states), and the reader then gets the old value. The run continues with the intended value, with --adversarial with the old one.",
			Remedy:  "Put independent instructions or s_nop between them; s_nop N gives N+1 wait states.",
			Example: "crosslane try --isa gcn3 --set v0=iota 'v_mov_b32 v1, v0; v_mov_b32_dpp v2, v1 row_shr:1'",
		},
		{
			Code: "bad-register", Class: Fault, Severity: Error,
			Doc:    "A GCN3 instruction whose register number is computed from M0 (v_movrel*, s_movrel*, GPR indexing) names a register that the kernel does not have. Hardware reads v0 instead, or writes nothing.",
			Remedy: "Check the index against the array that is kept in registers, and .amdhsa_next_free_vgpr.",
			Example: "crosslane run k.s --grid 1 --block 64\n-- k.s --\n.amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n  s_mov_b32 m0, 4\n  v_movrels_b32 v1, v0\n  s_endpgm\n" +
				".section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel k\n  .amdhsa_next_free_vgpr 4\n  .amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel",
		},
		{
			Code: "register-count", Class: Finding, Severity: Error,
			Doc:    "GCN3 code uses a VGPR or SGPR beyond those that its kernel descriptor allocates. On hardware the write is lost or the read returns another register; the run goes on with the register that is named.",
			Remedy: "Raise .amdhsa_next_free_vgpr or .amdhsa_next_free_sgpr.",
			Example: "crosslane run k.s --grid 1 --block 64\n-- k.s --\n.amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n  v_mov_b32 v9, 1\n  s_endpgm\n" +
				".section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel k\n  .amdhsa_next_free_vgpr 4\n  .amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel",
		},
		{
			Code: "waitcnt-barrier", Class: Finding, Severity: Warning,
			Doc:     "An s_barrier of a GCN3 kernel is reached while a write to LDS is outstanding, and LDS is read after it. LDS has several request queues: a wave that reads after the barrier may overtake the write, and get the old contents. If blocks have one wave, nothing is reported. The check without a launch also reports writes to vector memory that are outstanding at an s_barrier after which that memory is read (compilers wait there), and accesses that are outstanding when buffer_wbinvl1 invalidates the cache: the load of a flag has to be done first.",
			Remedy:  "Write s_waitcnt lgkmcnt(0) before s_barrier; for vector memory vmcnt(0).",
			Example: "crosslane check --static k.s" + staticFile("  s_mov_b32 m0, -1\n  ds_write_b32 v1, v0\n  s_barrier\n  ds_read_b32 v2, v3\n  s_waitcnt lgkmcnt(0)"),
		},
		{
			Code: "waitcnt", Class: Finding, Severity: Error,
			Doc:     "A register is used before the memory or LDS instruction that fills it is known to be done: the s_waitcnt for its counter is missing or allows too many. The run continues with the intended value, with --adversarial with the old value of the register.",
			Remedy:  "Put s_waitcnt lgkmcnt(0) or vmcnt(0) before the use.",
			Example: "crosslane try --isa gcn3 --set v0=iota --set v1=iota 'ds_bpermute_b32 v2, v0, v1; v_add_u32 v3, vcc, v2, v2'",
		},
		{
			Code: "out-of-bounds", Class: Fault, Severity: Error,
			Doc:    "A load or store touches memory that no buffer or variable owns. The message names the lane, the address and the nearest allocation. Buffers lie apart, so that an overrun does not go unseen. check --static reports addresses in shared memory, variables and parameters that are known to lie outside.",
			Remedy: "Check the index against the size; the launch may give too many lanes.",
			Example: runExample + " --arg out:u32[16]" + ptxFile(".param .u64 out", "\t.reg .b64 %d<4>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, %tid.x;\n"+
				"\tmul.wide.u32 %d2, %r1, 4;\n\tadd.s64 %d3, %d1, %d2;\n\tst.global.u32 [%d3], %r1;\n\tret;"),
		},
		{
			Code: "misaligned", Class: Fault, Severity: Error,
			Doc:     "The address of an access is no multiple of its size.",
			Remedy:  "Align the address, or access smaller pieces.",
			Example: runExample + " --arg out:u32[16]" + ptxFile(".param .u64 out", "\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, 0;\n\tst.global.u32 [%d1+2], %r1;\n\tret;"),
		},
		{
			Code: "wrong-space", Class: Fault, Severity: Error,
			Doc:    "A generic address lies in a memory that the instruction cannot access: an atomic on private memory, an mbarrier object outside shared memory.",
			Remedy: "Pass an address of the memory that the instruction takes.",
			Example: runExample + ptxFile("", "\t.local .align 4 .b32 x;\n\t.reg .b64 %d<3>;\n\t.reg .b32 %r<2>;\n\tmov.u64 %d1, x;\n\tcvta.local.u64 %d2, %d1;\n"+
				"\tatom.add.u32 %r1, [%d2], 1;\n\tret;"),
		},
		{
			Code: "bad-mbarrier", Class: Fault, Severity: Error,
			Doc:     "An mbarrier object is used in a way that the manual leaves undefined: the address holds none, more threads arrive than the phase has pending, a count leaves its range, or a .noComplete arrival completes the phase. Check reports further misuse, after which the run continues: an object that is initialised while it is in use, a parity that is neither 0 nor 1, a state that no arrival at the object returned or that is two phases old, and the pending count of a state that no .noComplete arrival returned.",
			Remedy:  "Initialise the object with the number of arrivals of a phase, and let no thread arrive twice in one.",
			Example: runExample + ptxFile("", "\t.shared .align 8 .b64 bar;\n\t.reg .b64 %d<2>;\n\tmbarrier.arrive.shared.b64 %d1, [bar];\n\tret;"),
		},
		{
			Code: "tensormap-bad", Class: Fault, Severity: Error,
			Doc:     "A copy through a tensor map finds a map that it cannot use: a field is out of its range, the address or a stride of the tensor is not aligned, the number of dimensions is not that of the instruction, or the map was encoded for another mode (tile, im2col). tensormap.replace reports values that a field cannot hold. A driver checks maps that the host encodes; hardware checks none that a kernel changes.",
			Remedy:  "Encode the map for the instruction that uses it, with cuTensorMapEncodeTiled or its kin, and give tensormap.replace values in their ranges.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_90\n.address_size 64\n.global .align 64 .b32 map[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0f000000};\n.entry k()\n{\n\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tmov.u64 %d1, map;\n\tmov.u32 %r1, 0;\n\tcp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d1, {%r1, %r1}];\n\tret;\n}",
		},
		{
			Code: "texture-bad", Class: Fault, Severity: Error,
			Doc:     "A texture or surface instruction is given a handle that it cannot use: the handle is not the address of a texture, sampler or surface, nothing is bound to it, its geometry is not that of the instruction, or linear memory is read at floating-point coordinates. Hardware reports no such mistake, and returns zeros or other data.",
			Remedy:  "Bind a texture, sampler or surface that fits the instruction: texture{…} or surface{…} as an argument, cuTexObjectCreate, cuSurfObjectCreate; --set-symbol for a .texref variable.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n.global .texref t;\n.entry k()\n{\n\t.reg .f32 %f<5>;\n\t.reg .b32 %r<2>;\n\tmov.u32 %r1, 0;\n\ttex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1}];\n\tret;\n}",
		},
		{
			Code: "no-such-rank", Class: Fault, Severity: Error,
			Doc:    "mapa, a multicast or an address requests the shared memory of a block that the cluster does not have. Without a size in the launch or the kernel, a cluster has one block, of rank 0.",
			Remedy: "Use ranks below %cluster_nctarank, or launch larger clusters with --cluster.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n\t.shared .b32 x;\n\t.reg .b32 %r<2>;\n" +
				"\tmapa.shared::cluster.u32 %r1, x, 1;\n\tret;\n}",
		},
		{
			Code: "exited-block", Class: Fault, Severity: Error,
			Doc:    "An instruction accesses the shared memory of another block of the cluster, and that block has exited, or may have exited: its memory exists no longer. A run reports an access after the end of the block; a check reports also an access that nothing orders before that end.",
			Remedy: "Let all blocks of the cluster wait at barrier.cluster before they exit.",
			Example: "crosslane run k.ptx --grid 2 --cluster 2 --block 32\n-- k.ptx --\n.version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n\t.shared .b32 x;\n\t.reg .b32 %r<4>;\n" +
				"\tmov.u32 %r1, %cluster_ctarank;\n\txor.b32 %r1, %r1, 1;\n\tmapa.shared::cluster.u32 %r2, x, %r1;\n\tld.shared::cluster.u32 %r3, [%r2];\n\tret;\n}",
		},
		{
			Code: "buffer-format", Class: Fault, Severity: Error,
			Doc:    "A formatted buffer instruction of a GCN3 kernel meets a descriptor whose data format, number format or DST_SEL is reserved, or a value that the format cannot hold: the manual does not define the effect.",
			Remedy: "Set the format in the last dword of the descriptor; store integers and floats that the format can hold, and as many components as it has.",
			Example: "crosslane run k.s --grid 1 --block 64\n-- k.s --\n.amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n  s_mov_b64 s[8:9], 0\n  s_mov_b64 s[10:11], 0\n  buffer_load_format_x v1, off, s[8:11], 0\n  s_endpgm\n" +
				".section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel k\n  .amdhsa_next_free_vgpr 4\n  .amdhsa_next_free_sgpr 12\n.end_amdhsa_kernel",
		},
		{
			Code: "m0-uninitialised", Class: Finding, Severity: Error,
			Doc:    "A DS instruction of a GCN3 kernel accesses LDS, and no instruction has written M0 before: M0 is the limit for accesses, no launch sets it, and it holds a value that an earlier wave left there. It is a warning if M0 is written on some of the paths that lead there, and in a kernel that never writes M0: such kernels were shipped and rely on the value that a launch leaves there. The run continues without a limit.",
			Remedy: "Write s_mov_b32 m0, -1 at the beginning of the kernel.",
			Example: "crosslane run k.s --grid 1 --block 64\n-- k.s --\n.amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n  v_lshlrev_b32 v1, 2, v0\n  ds_write_b32 v1, v0\n  s_mov_b32 m0, -1\n  ds_read_b32 v1, v1\n  s_endpgm\n" +
				".section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel k\n  .amdhsa_group_segment_fixed_size 256\n  .amdhsa_next_free_vgpr 4\n  .amdhsa_next_free_sgpr 12\n.end_amdhsa_kernel",
		},
		{
			Code: "exec-zero", Class: Finding, Severity: Warning,
			Doc:     "v_readfirstlane_b32 of a GCN3 kernel is executed with EXEC = 0. It then reads lane 0, which does not execute: its value was computed on another path, or was never written. The run continues with it, as the machine does.",
			Remedy:  "Branch around code that no lane executes with s_cbranch_execz.",
			Example: "crosslane run k.s --grid 1 --block 64" + staticFile("  v_cmp_lt_u32 vcc, 63, v0\n  s_and_saveexec_b64 s[4:5], vcc\n  v_readfirstlane_b32 s6, v0"),
		},
		{
			Code: "dpp-stale", Class: Finding, Severity: Warning,
			Doc: "A DPP instruction of a GCN3 kernel leaves some lanes of its destination unchanged (row_mask, bank_mask, or lanes without a source and no bound_ctrl:0), the destination holds the result of another computation, and it is read afterwards: a scan's masks in a reduction, for instance. " +
				"Nothing is reported if the destination is also an operand of the instruction, if a plain move or another DPP instruction wrote it last, if only this instruction used the old value, or if the moved value was computed from it; nor if the number of the lane decides that these lanes do not take the value (v_mbcnt, a comparison, v_cndmask). If the destination was never written, its bits are undefined, and followed as such.",
			Remedy:  "Move the values for these lanes to the destination first, such as 0 for sums.",
			Example: "crosslane check --static k.s" + staticFile("  v_lshlrev_b32 v2, 2, v0\n  v_add_u32 v3, vcc, v2, v0\n  v_mov_b32 v2, v0 row_bcast:15 row_mask:0xa\n  v_add_u32 v1, vcc, v0, v2"),
		},
		{
			Code: "lds-limit", Class: Finding, Severity: Warning,
			Doc:    "A DS instruction of a GCN3 kernel reaches beyond the limit in M0: loads give 0, stores and atomics do nothing.",
			Remedy: "Set M0 to -1 before DS instructions, or to the bytes that they may reach.",
			Example: "crosslane run k.s --grid 1 --block 64\n-- k.s --\n.amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n  s_mov_b32 m0, 128\n  v_lshlrev_b32 v1, 2, v0\n  ds_write_b32 v1, v0\n  s_endpgm\n" +
				".section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel k\n  .amdhsa_group_segment_fixed_size 256\n  .amdhsa_next_free_vgpr 4\n  .amdhsa_next_free_sgpr 12\n.end_amdhsa_kernel",
		},
		{
			Code: "needs-cluster", Class: Finding, Severity: Warning,
			Doc:    "An instruction is defined by the manual only in clusters of several blocks, or for the memory of another block of the cluster. The run continues with the memory of its own block.",
			Remedy: "Use it only where %cluster_nctarank is greater than 1.",
			Example: "crosslane check k.ptx --grid 1 --block 32" + "\n-- k.ptx --\n.version 8.1\n.target sm_90\n.address_size 64\n.entry k()\n{\n\t.shared .align 8 .b64 x[2];\n\t.reg .b32 %r<4>;\n\t.reg .pred p;\n" +
				"\tmov.u32 %r2, x;\n\tadd.u32 %r3, %r2, 8;\n\tmov.u32 %r1, %laneid;\n\tsetp.ne.u32 p, %r1, 0;\n\t@p bra done;\n\tmbarrier.init.shared.b64 [x+8], 1;\n\tmbarrier.expect_tx.shared.b64 [x+8], 4;\n" +
				"\tst.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r2], %r1, [%r3];\ndone:\n\tret;\n}",
		},
		{
			Code: "write-to-const", Class: Fault, Severity: Error,
			Doc:    "A store through an address goes to memory that is read-only: constant memory or the kernel's parameters.",
			Remedy: "Store to global or shared memory.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n.const .b32 c = 1;\n.entry k()\n{\n\t.reg .b64 %d<3>;\n\t.reg .b32 %r<2>;\n" +
				"\tmov.u64 %d1, c;\n\tcvta.const.u64 %d2, %d1;\n\tmov.u32 %r1, 0;\n\tst.u32 [%d2], %r1;\n\tret;\n}",
		},
		{
			Code: "trap", Class: Fault, Severity: Error,
			Doc:     "The kernel executed a trap instruction: an assertion of its own failed.",
			Remedy:  "Find out why the kernel came there.",
			Example: runExample + ptxFile("", "\ttrap;\n\tret;"),
		},
		{
			Code: "timeout", Class: Timeout, Severity: Error,
			Doc:     "The time limit was reached. The message says where the kernel was.",
			Remedy:  "Give it more time with --timeout, or see whether a loop ends.",
			Example: runExample + " --timeout 50ms" + ptxFile("", "a:\n\tbra a;"),
		},
		{
			Code: "cancelled", Class: Fault, Severity: Error,
			Doc:    "The caller cancelled the run. The command line reports \"interrupted\" instead; users of the Go API see this code.",
			Remedy: "None is needed.",
		},
		{
			Code: "expect-failed", Class: Finding, Severity: Error,
			Doc:     "A buffer does not hold the values of --expect. The first differing elements are listed; floats are compared bit for bit unless a tolerance is given.",
			Remedy:  "Look at the elements that differ; --expect NAME=VALUES~1e-6 allows a tolerance.",
			Example: runExample + " --arg out:u32[1] --expect out=2" + ptxFile(".param .u64 out", "\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, 1;\n\tst.global.u32 [%d1], %r1;\n\tret;"),
		},
		{
			Code: "results-differ", Class: Finding, Severity: Error,
			Doc:     "The two runs of diff left other values in a buffer. The first element that differs is shown with its provenance in both runs; floats are compared bit for bit unless --tolerance is given.",
			Remedy:  "Look for the first instruction whose value differs between the two provenances; --tolerance 1e-6 allows rounding.",
			Example: "crosslane diff k.ptx k.ptx --grid 1 --block 32 --arg out:u32[1] --arg 1 --b arg=out:u32[1] --b arg=2" + ptxFile(".param .u64 out, .param .u32 n", "\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tld.param.u32 %r1, [n];\n\tst.global.u32 [%d1], %r1;\n\tret;"),
		},
	}
}
