package diag

import "strings"

// A GCN3 kernel k of an example, between gcn3Run and gcn3Block.
const (
	gcn3Run   = "crosslane run k.s --grid 1 --block 64\n-- k.s --\n.amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.text\n.globl k\n.p2align 8\n.type k,@function\n"
	gcn3Block = ".section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel k\n  .amdhsa_next_free_vgpr 4\n  .amdhsa_next_free_sgpr 12\n.end_amdhsa_kernel"
)

// gcn3Hidden is gcn3Block for a kernel with a hidden argument, whose address is in s[0:1].
func gcn3Hidden(kind, more string) string {
	return strings.Replace(gcn3Block, "  .amdhsa_next_free_vgpr", "  .amdhsa_kernarg_size 8\n  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n  .amdhsa_next_free_vgpr", 1) +
		"\n.amdgpu_metadata\namdhsa.version: [1, 2]\n" + more + "amdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n    .kernarg_segment_size: 8\n    .kernarg_segment_align: 8\n    .group_segment_fixed_size: 0\n" +
		"    .private_segment_fixed_size: 0\n    .wavefront_size: 64\n    .sgpr_count: 12\n    .vgpr_count: 4\n    .max_flat_workgroup_size: 64\n    .args:\n      - {.offset: 0, .size: 8, .value_kind: " + kind + "}\n.end_amdgpu_metadata"
}

// callCodes are about calls, stacks and the services of the runtime for a kernel.
func callCodes() []Code {
	return []Code{
		{
			Code: "bad-branch", Class: Fault, Severity: Error,
			Doc:     "A brx.idx has an index that is not below the number of its targets. The manual leaves the target undefined; the run stops.",
			Remedy:  "Compare the index with the number of targets before the branch.",
			Example: runExample + ptxFile("", "\t.reg .b32 %r<2>;\n\tmov.u32 %r1, %laneid;\nlist: .branchtargets a, b;\n\tbrx.idx %r1, list;\na:\n\tret;\nb:\n\tret;"),
		},
		{
			Code: "bad-call", Class: Fault, Severity: Error,
			Doc:     "An indirect call goes to an address that is no function, to a function whose parameters or results have other sizes than those of the call, to one that the .calltargets of the call does not list, or to one that Crosslane cannot run. The manual leaves that undefined; the run stops before the call.",
			Remedy:  "Check where the pointer comes from: it is uninitialised, overwritten, or the address of a function of another type.",
			Example: runExample + ptxFile("", "\t.reg .b64 %d<2>;\n\tmov.u64 %d1, 4096;\nproto: .callprototype _ ();\n\tcall %d1, (), proto;\n\tret;"),
		},
		{
			Code: "stack-overflow", Class: Fault, Severity: Error,
			Doc:     "A lane's stack has no room for the frame of a function, for arguments, or for a request of alloca. Functions that call themselves, directly or indirectly, keep their variables there. The message says how much was used and how much more is needed; nothing is overwritten.",
			Remedy:  "If the recursion ends, give every lane a larger stack with --stack; else find out why it does not end.",
			Example: runExample + " --stack 4K" + "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n.func f()\n{\n\tcall f;\n\tret;\n}\n.entry k()\n{\n\tcall f;\n\tret;\n}",
		},
		{
			Code: "bad-stack-pointer", Class: Fault, Severity: Error,
			Doc:     "A stackrestore sets the stack pointer to a value that stacksave did not return in the same function.",
			Remedy:  "Keep the register that stacksave wrote unchanged.",
			Example: runExample + ptxFile("", "\t.reg .b64 %d<2>;\n\tmov.u64 %d1, 1;\n\tstackrestore.u64 %d1;\n\tret;"),
		},
		{
			Code: "assert", Class: Fault, Severity: Error,
			Doc:    "The kernel called __assertfail: an assert() of the program failed. The message is the one that CUDA's runtime prints, for the first of the lanes.",
			Remedy: "Find out why the condition does not hold for these lanes.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n.global .b8 msg[6] = {120, 32, 62, 32, 48, 0};\n.global .b8 file[5] = {97, 46, 99, 117, 0};\n.global .b8 fn[2] = {107, 0};\n" +
				".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n.entry k()\n{\n\t.reg .b64 %d<4>;\n\tmov.u64 %d1, msg;\n\tmov.u64 %d2, file;\n\tmov.u64 %d3, fn;\n\tcall __assertfail, (%d1, %d2, 7, %d3, 1);\n\tret;\n}",
		},
		{
			Code: "bad-free", Class: Fault, Severity: Error,
			Doc:    "A lane frees an address that malloc did not return, or one that was freed before.",
			Remedy: "Free each address that malloc returned once, and no other address.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n" +
				".entry k()\n{\n\t.reg .b64 %d<2>;\n\tcall (%d1), malloc, (16);\n\tcall free, (%d1);\n\tcall free, (%d1);\n\tret;\n}",
		},
		{
			Code: "output-limit", Class: Fault, Severity: Error,
			Doc:    "A block prints more than 16 MiB. What a block prints is held until all blocks before it have ended, so that the text of a run is in order.",
			Remedy: "Print from fewer lanes, or less often.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n.global .b8 fmt[7] = {37, 54, 53, 53, 48, 100, 0};\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n" +
				".entry k()\n{\n\t.reg .b64 %d<3>;\n\t.reg .b32 %r<2>;\n\t.local .align 8 .b8 args[8];\n\tmov.u64 %d1, fmt;\n\tmov.u64 %d2, args;\n\tcvta.local.u64 %d2, %d2;\nagain:\n\tcall (%r1), vprintf, (%d1, %d2);\n\tbra again;\n}",
		},
		{
			Code: "not-provided", Class: Unsupported, Severity: Error,
			Doc:    "A GCN3 kernel uses a service that a runtime provides through a hidden argument, and that Crosslane does not provide: host calls (printf of HIP), the heap of malloc. Kernels that have the argument and do not use it run. printf of OpenCL works.",
			Remedy: "Avoid the features that need it.",
			Example: gcn3Run + "k:\n  s_load_dwordx2 s[0:1], s[0:1], 0x0\n  s_waitcnt lgkmcnt(0)\n  s_load_dword s2, s[0:1], 0x0\n  s_waitcnt lgkmcnt(0)\n  s_endpgm\n" +
				gcn3Hidden("hidden_hostcall_buffer", ""),
		},
		{
			Code: "bad-printf", Class: Finding, Severity: Warning,
			Doc:    "The contents of a GCN3 kernel's printf buffer cannot be printed: the buffer is full, and later text is lost; the text has more than 64 MiB, or more than 16 MiB in one record; or a record has an identifier that the metadata do not list, because another store wrote there, or the run ended before the record was written.",
			Remedy: "Print from fewer work-items; look for stores beyond the end of a buffer.",
			Example: gcn3Run + "k:\n  s_load_dwordx2 s[0:1], s[0:1], 0x0\n  s_waitcnt lgkmcnt(0)\n  v_mov_b32 v0, s0\n  v_mov_b32 v1, s1\n  v_mov_b32 v2, 4\n  flat_store_dword v[0:1], v2\n  s_endpgm\n" +
				gcn3Hidden("hidden_printf_buffer", "amdhsa.printf: ['1:0:text']\n"),
		},
		{
			Code: "not-initialized", Class: Finding, Severity: Warning,
			Doc:     "The code object has constructors: kernels of the kind init, or functions in .init_array, which a runtime runs when it loads the file. Crosslane runs the one kernel that is launched; variables that constructors would set keep the values in the file.",
			Remedy:  "Initialise such variables with constants.",
			Example: gcn3Run + "k:\n  s_endpgm\n.section .init_array,\"aw\",@init_array\n.p2align 3\n.quad k\n" + gcn3Block,
		},
		{
			Code: "entry-alignment", Class: Finding, Severity: Warning,
			Doc:     "A GCN3 kernel begins at an address that is no multiple of 256. The dispatcher gets the address without its low 8 bits, so that hardware would first execute the code before the kernel. Crosslane runs the kernel from the address in the descriptor.",
			Remedy:  "Write .p2align 8 before the kernel's label.",
			Example: gcn3Run + "  s_nop 0\nk:\n  s_endpgm\n" + gcn3Block,
		},
	}
}
