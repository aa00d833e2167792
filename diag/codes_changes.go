package diag

import "strings"

// A change makes the example of a code right: its page's good example is the bad one with
// old texts replaced by new ones.
type change struct {
	code, section string
	edits         []string // old, new, old, new …
}

// changes are about codes whose good example differs from the bad one in few places.
func changes() []change {
	return []change{
		{"assert", "CUDA, assert()", []string{"\tcall __assertfail", "\t.reg .pred %p;\n\t.reg .b32 %lane;\n\tmov.u32 %lane, %laneid;\n\tsetp.gt.u32 %p, %lane, 31;\n\t@%p call __assertfail"}},
		{"bad-call", "PTX 9.7.13.5 (call)", []string{".visible .entry k()", ".func f()\n{\n\tret;\n}\n.visible .entry k()", "mov.u64 %d1, 4096;", "mov.u64 %d1, f;"}},
		{"bad-free", "CUDA, malloc() and free() on the device", []string{"\tcall free, (%d1);\n\tcall free, (%d1);", "\tcall free, (%d1);"}},
		{"bad-printf", "AMDGPUUsage, hidden_printf_buffer", []string{"  flat_store_dword v[0:1], v2\n", ""}},
		{"bad-register", "GCN3 ISA, v_movrels_b32: M0", []string{"s_mov_b32 m0, 4", "s_mov_b32 m0, 2"}},
		{"bad-stack-pointer", "PTX 9.7.18.2 (stackrestore)", []string{"mov.u64 %d1, 1;", "stacksave.u64 %d1;"}},
		{"beyond-manual", "PTX 11.2.2 (.func)", []string{".func f()\n.func f()", ".func f();\n.func f()"}},
		{"buffer-format", "GCN3 ISA, buffer resource descriptor", []string{"s_mov_b64 s[10:11], 0", "s_mov_b32 s10, 0\n  s_mov_b32 s11, 0x27004"}},
		{"budget-reached", "", []string{"a:\n\tbra a;", "\tret;"}},
		{"deprecated-instruction", "PTX 9.7.9.5 (shfl), 9.7.14.9 (vote)", []string{"shfl.up.b32 %r1, %r1, 1, 0;", "shfl.sync.up.b32 %r1, %r1, 1, 0, -1;"}},
		{"exited-block", "PTX 2.2.2 (clusters)", []string{"\tret;", "\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n\tret;"}},
		{"expect-failed", "", []string{"--expect out=2", "--expect out=1"}},
		{"fixed", "GCN3 ISA 4.4, 4.5", []string{"v_mov_b32 v1, v0\n", "v_mov_b32 v1, v0\n  s_nop 1\n"}},
		{"ineffective-directive", "PTX 11.4.4 (.minnctapersm)", []string{".minnctapersm 2", ".maxntid 32 .minnctapersm 2"}},
		{"matrix-descriptor", "PTX 9.7.16.5.1.2.2 (matrix descriptor)", []string{"\tor.b64 %d1, %d1, 0x10000000000000;\n", ""}},
		{"matrix-operand", "PTX 9.7.15 (matrix instructions)", []string{"--set %r9=0 ", "--set %r9=0x44444444 "}},
		{"modifier-order", "PTX 9.7.3.9 (div)", []string{"div.ftz.rn.f32", "div.rn.ftz.f32"}},
		{"needs-cluster", "PTX 9.7.14.16 (mbarrier)", []string{"\tmbarrier.expect_tx.shared.b64 [x+8], 4;\n", "",
			"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r2], %r1, [%r3];", "st.shared.u32 [%r2], %r1;"}},
		{"never-written", "CUDA, cudaMalloc: the memory is not cleared", []string{"--block 32", "--block 40"}},
		{"newer-target", "PTX 11.1.2 (.target)", []string{".target sm_130", ".target sm_121a"}},
		{"newer-version", "PTX 11.1.1 (.version)", []string{".version 99.0", ".version 9.5"}},
		{"no-such-rank", "PTX 9.7.9.24 (mapa)", []string{"%r1, x, 1;", "%r1, x, 0;"}},
		{"not-converged", "PTX 9.7.9.6 (shfl.sync)", []string{".target sm_60", ".target sm_70"}},
		{"not-cooperative", "CUDA, grid synchronization", []string{"--block 32", "--block 32 --cooperative"}},
		{"not-fixable", "GCN3 ISA 4.5", []string{".long 0x7e020300, 0x7e0402fa, 0xff011101", "v_mov_b32 v1, v0\n  s_nop 1\n  v_mov_b32 v2, v1 row_shr:1"}},
		{"not-followed", "GCN3 ISA, s_setpc_b64", []string{"s_setpc_b64 s[4:5]", "s_branch end\nend:"}},
		{"not-initialized", "System V ABI, .init_array", []string{".section .init_array,\"aw\",@init_array\n.p2align 3\n.quad k\n", ""}},
		{"output-limit", "CUDA, printf() on the device", []string{"again:\n", "", "\tbra again;", "\tret;"}},
		{"race-limit", "", []string{"--max-memory 1100", "--max-memory 64M"}},
		{"results-differ", "", []string{"--b arg=2", "--b arg=1"}},
		{"unstarted-block", "PTX 2.2.2 (clusters)", []string{"\tmov.u32 %r1, %cluster_ctarank;", "\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n\tmov.u32 %r1, %cluster_ctarank;"}},
		{"stack-overflow", "", []string{"\tcall f;\n\tret;\n}\n.entry", "\tret;\n}\n.entry"}},
		{"store-unwaited", "PTX 9.7.9.26.6; CUDA C++ Programming Guide, Asynchronous Data Copies", []string{"commit_group;", "commit_group;\n\tcp.async.bulk.wait_group.read 0;"}},
		{"stale-baseline", "", []string{"[{\"id\":\"0011223344556677\",\"code\":\"undefined-source\",\"file\":\"k.ptx\",\"line\":7}]", "[]"}},
		{"tensormap-bad", "PTX 9.7.9.26.5 (tensor copies)", []string{"tensor.2d.L2.global.tile [%d1, {%r1, %r1}]", "tensor.1d.L2.global.tile [%d1, {%r1}]"}},
		{"tensormap-stale", "PTX 9.7.14.4 (fence.proxy.tensormap)", []string{"[%d1+32], 99;", "[%d1+32], 99;\n\tfence.proxy.tensormap::generic.release.gpu;\n\tfence.proxy.tensormap::generic.acquire.gpu [%d1], 128;"}},
		{"tmem-bounds", "PTX 9.7.17.7.1 (tcgen05.alloc)", []string{"[%r1+64]", "[%r1+63]"}},
		{"tmem-lane", "PTX 9.7.17.8.1 (access restrictions)", []string{"0x200000", "32"}},
		{"tmem-ld-wait", "PTX 9.7.17.6.4 (tcgen05.wait::ld)", []string{"[%r1];\n\ttcgen05.st", "[%r1];\n\ttcgen05.wait::ld.sync.aligned;\n\ttcgen05.st"}},
		{"tmem-leak", "PTX 9.7.17.7.1 (tcgen05.alloc)", []string{"%r1, 32;", "%r1, 64;"}},
		{"texture-bad", "PTX 9.7.11.3 (tex)", []string{"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1}];", "suq.width.b32 %r1, [s];", ".global .texref t;", ".global .surfref s;"}},
		{"texture-stale", "CUDA C++ Programming Guide, \"Read/Write Coherency\"; PTX 9.7.12.1 (suld)", []string{"\tmov.u32 %r1, 0;\n\tsust.b.1d.b32.trap [%d1, {%r1}], %r1;\n", "\tmov.u32 %r1, 0;\n\tmov.u32 %r2, 4;\n\tsust.b.1d.b32.trap [%d1, {%r2}], %r1;\n"}},
		{"tmem-unordered", "PTX 9.7.17.6 (memory consistency model)", []string{"{%r2};\n\ttcgen05.ld", "{%r2};\n\ttcgen05.wait::st.sync.aligned;\n\ttcgen05.ld"}},
		{"trap", "PTX 9.7.20.4 (trap); GCN3 ISA, s_trap", []string{"\ttrap;", "\t.reg .pred %p;\n\t.reg .b32 %lane;\n\tmov.u32 %lane, %laneid;\n\tsetp.gt.u32 %p, %lane, 31;\n\t@%p trap;"}},
		{"wgmma-acc", "PTX 9.7.16.7.3 (wgmma.wait_group)", []string{"\tadd.f32 %f5, %f1, %f2;\n\twgmma.wait_group.sync.aligned 0;", "\twgmma.wait_group.sync.aligned 0;\n\tadd.f32 %f5, %f1, %f2;"}},
		{"wgmma-fence", "PTX 9.7.16.7.1 (wgmma.fence)", []string{"\tmov.f32 %f1, 0f00000000;\n", "\tmov.f32 %f1, 0f00000000;\n\twgmma.fence.sync.aligned;\n"}},
		{"wgmma-uniform", "PTX 9.7.16.1 (warpgroups)", []string{"--block 64", "--block 128"}},
		{"write-to-const", "PTX 5.1.3 (.const)", []string{"st.u32 [%d2], %r1;", "ld.u32 %r1, [%d2];"}},
		{"wrong-space", "PTX 6.4.1 (generic addressing)", []string{".local .align 4 .b32 x;", ".shared .align 4 .b32 x;", "cvta.local", "cvta.shared"}},
		// These have pages of their own.
		{"out-of-bounds", "PTX 6.4.1 (addresses); GCN3 ISA, flat and buffer memory", nil},
		{"poison-branch", "PTX 5.4.4 (initialisation), 9.7.13.3 (bra)", nil},
		{"poison-address", "PTX 5.4.4 (initialisation), 6.4.1 (addresses)", nil},
		{"poison-store", "PTX 5.4.4 (initialisation)", nil},
		{"poison-trap", "PTX 5.4.4 (initialisation), 9.7.20.4 (trap)", nil},
		{"uninitialised-register", "PTX 5.4.4 (initialisation)", nil},
		{"bank-conflict", "CUDA, shared memory: 32 banks of 4 bytes", nil},
	}
}

// apply fills in the fields that the change has for its code.
func (c *change) apply(to *Code) {
	to.Section = c.section
	if len(c.edits) > 0 {
		to.Good = strings.NewReplacer(c.edits...).Replace(to.Example)
	}
}
