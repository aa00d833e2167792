package diag

// A page holds the parts of a code's page that its row does not have: the manual's section, and an
// example that is right where the code's own is wrong.
type page struct{ code, section, good string }

// pages are about codes of the guest program.
func pages() []page {
	const load = "\t.reg .b64 %d<3>;\n\t.reg .b32 %r<3>;\n\t.reg .pred %p;\n\tld.param.u64 %d1, [a];\n\tld.global.u32 %r1, [%d1];\n"
	defined := func(rest string) string {
		return "crosslane check k.ptx --grid 1 --block 32 --arg a:u32[32]=zero" + ptxFile(".param .u64 a", load+rest)
	}
	return []page{
		{"undefined-source", "PTX 9.7.9.6 (shfl.sync); GCN3 ISA, DPP and ds_bpermute_b32", "crosslane try --set %r1=iota 'shfl.sync.down.b32 %r2, %r1, 16, 31, 0xffffffff;'"},
		{"not-in-membermask", "PTX 9.7.9.6", "crosslane try --set %r1=iota 'shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0x0000ffff;' --exec 0x0000ffff"},
		{"poison-branch", "", defined("\tsetp.eq.u32 %p, %r1, 3;\n\t@%p bra e;\n\tmov.u32 %r2, 1;\ne:\n\tret;")},
		{"poison-address", "", defined("\tand.b32 %r1, %r1, 28;\n\tcvt.u64.u32 %d2, %r1;\n\tadd.u64 %d2, %d2, %d1;\n\tld.global.u32 %r2, [%d2];\n\tret;")},
		{"poison-store", "", defined("\tmov.u32 %r2, %tid.x;\n\tmul.wide.u32 %d2, %r2, 4;\n\tadd.u64 %d2, %d2, %d1;\n\tbar.warp.sync -1;\n\tst.global.u32 [%d2], %r1;\n\tret;")},
		{"poison-trap", "", defined("\tsetp.eq.u32 %p, %r1, 3;\n\t@%p trap;\n\tret;")},
		{"use-after-free", "CUDA C++ Programming Guide, dynamic global memory allocation", runExample + freed("\tst.u32 [%d1], 1;\n\tcall free, (%d1);\n\tret;")},
		{"race-shared", "PTX 8.7.1 (data-races), 9.7.14.1 (bar), 9.7.14.2 (bar.warp.sync)", "crosslane check k.ptx --grid 1 --block 64 --arg out:u32[64]" + ptxFile(".param .u64 out", "\t.shared .align 4 .b32 s[64];\n\t.reg .b64 %d<4>;\n\t.reg .b32 %r<5>;\n\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, s;\n"+
			"\tmad.lo.u32 %r3, %r1, 4, %r2;\n\tst.shared.u32 [%r3], %r1;\n\tbar.sync 0;\n\txor.b32 %r4, %r1, 32;\n\tmad.lo.u32 %r3, %r4, 4, %r2;\n\tld.shared.u32 %r4, [%r3];\n\tmul.wide.u32 %d2, %r1, 4;\n\tadd.s64 %d3, %d1, %d2;\n\tst.global.u32 [%d3], %r4;\n\tret;")},
		{"race-global", "PTX 8.7.1 (data-races), 8.8 (release and acquire patterns); AMDGPUUsage, memory model gfx6-gfx9", "crosslane check k.ptx --grid 2 --block 1 --arg out:u32[1]=zero" + ptxFile(".param .u64 out", "\t.reg .b64 %d<2>;\n\tld.param.u64 %d1, [out];\n\tred.global.add.u32 [%d1], 1;\n\tret;")},
		{"race-same-value", "PTX 8.7.1 (data-races)", "crosslane check k.ptx --grid 1 --block 1 --arg out:u32[1]" + ptxFile(".param .u64 out", "\t.reg .b64 %d<2>;\n\tld.param.u64 %d1, [out];\n\tst.global.u32 [%d1], 1;\n\tret;")},
		{"read-only-written", "PTX 9.7.9.9 (ld.global.nc), 9.7.9.10 (ldu)", "crosslane check k.ptx --grid 1 --block 1 --arg out:u32[1]=zero" + ptxFile(".param .u64 out", "\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tld.global.u32 %r1, [%d1];\n\tadd.u32 %r1, %r1, 1;\n\tst.global.u32 [%d1], %r1;\n\tret;")},
		{"beyond-variable", "PTX 5.4.5 (alignment: the only rule about the places of variables)", "crosslane check k.ptx --grid 1 --block 16" + ptxFile("", "\t.shared .align 4 .b8 a[64];\n\t.shared .align 4 .b8 b[64];\n\t.reg .b32 %r<4>;\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, b;\n\tmov.u32 %r2, a;\n\tmad.lo.u32 %r3, %r1, 4, %r2;\n\tst.shared.u32 [%r3], %r1;\n\tret;")},
		{"shared-limit", "CUDA C++ Programming Guide, technical specifications of compute capabilities", "crosslane check k.ptx --grid 1 --block 1" + ptxFile("", "\t.shared .align 4 .b8 s[49152];\n\tst.shared.u32 [s], 1;\n\tret;")},
		{"race-rounding", "PTX 8.7.1 (data-races)", "crosslane check k.ptx --grid 1 --block 32" + ptxFile("", "\t.shared .align 4 .b32 s[1];\n\t.reg .f32 %f<3>;\n\t.reg .b32 %r<3>;\n\t.reg .pred %p;\n\tmov.u32 %r1, %laneid;\n\tcvt.rn.f32.u32 %f1, %r1;\n\tfma.rn.f32 %f2, %f1, 0f33800000, 0f3F800000;\n\tsetp.eq.u32 %p, %r1, 0;\n\t@%p st.shared.f32 [s], %f2;\n\tret;")},
		{"undefined-behaviour", "PTX 9.7.9.26.3.1 (cp.async), 9.7.9.26.4.1 (cp.async.bulk), 9.7.14.18 (clusterlaunchcontrol.try_cancel)", "crosslane check k.ptx --grid 1 --block 1 --arg in:u32[4]=iota" + ptxFile(".param .u64 in", "\t.shared .align 16 .b8 s[16];\n\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [in];\n\tmov.u32 %r1, 4;\n\tcp.async.ca.shared.global [s], [%d1], 4, %r1;\n\tcp.async.wait_all;\n\tret;")},
		{"activemask-membermask", "PTX 9.7.14.12 (activemask)", runExample + ptxFile("", "\t.reg .b32 %r<4>;\n\t.reg .pred %p;\n\tmov.u32 %r1, %laneid;\n\tsetp.lt.u32 %p, %r1, 16;\n"+
			"\tvote.sync.ballot.b32 %r2, %p, -1;\n\t@%p shfl.sync.bfly.b32 %r3, %r1, 1, 31, %r2;\n\tret;")},
		{"duplicate-destination", "PTX 9.7.9.3 (mov)", runExample + ptxFile("", "\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<2>;\n\tmov.u64 %rd1, 5;\n\tmov.b64 {%r1, _}, %rd1;\n\tret;")},
		{"not-aligned", "PTX 9.7.15 (matrix instructions)", runExample + ptxFile("", "\t.reg .b32 %r<3>;\n\tmov.u32 %r1, %laneid;\n\tmovmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n\tret;")},
		{"deadlock", "PTX 9.7.9.6, 9.7.14.1", runExample + ptxFile("", "\t.reg .b32 %r<3>;\n\t.reg .pred %p;\n\tmov.u32 %r1, %laneid;\n\tsetp.lt.u32 %p, %r1, 16;\n"+
			"\t@%p bra a;\n\tshfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffff0000;\n\tret;\na:\n\tshfl.sync.bfly.b32 %r2, %r1, 1, 31, 0x0000ffff;\n\tret;")},
		{"livelock", "PTX 9.7.14.16 (mbarrier), 8.7 (memory consistency: loops that wait)", "crosslane run k.ptx --grid 2 --block 32 --arg flag:u32[1]=zero" + ptxFile(".param .u64 flag", "\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\t.reg .pred %p;\n\tld.param.u64 %d1, [flag];\n\tmov.u32 %r1, %ctaid.x;\n\tsetp.eq.u32 %p, %r1, 1;\n"+
			"\t@%p st.release.gpu.global.u32 [%d1], %r1;\nwait:\n\tld.acquire.gpu.global.u32 %r1, [%d1];\n\tsetp.eq.u32 %p, %r1, 0;\n\t@%p bra wait;\n\tret;")},
		{"bad-barrier", "PTX 9.7.14.1 (bar, barrier)", runExample + ptxFile("", "\t.reg .b32 %r<2>;\n\tmov.u32 %r1, 15;\n\tbar.sync %r1;\n\tret;")},
		{"unmatched-arrive", "PTX 9.7.14.1", "crosslane run k.ptx --grid 1 --block 64" + ptxFile("", "\t.reg .b32 %r<2>;\n\t.reg .pred %p;\n\tmov.u32 %r1, %tid.x;\n\tsetp.lt.u32 %p, %r1, 32;\n\t@%p bra wait;\n\tbar.arrive 1, 64;\n\tret;\nwait:\n\tbar.sync 1, 64;\n\tret;")},
		{"wait-states", "GCN3 ISA 4.5 (manually inserted wait states)", "crosslane try --isa gcn3 --set v0=iota 'v_mov_b32 v1, v0; s_nop 1; v_mov_b32_dpp v2, v1 row_shr:1'"},
		{"waitcnt", "GCN3 ISA 4.4 (s_waitcnt)", "crosslane try --isa gcn3 --set v0=iota --set v1=iota 'ds_bpermute_b32 v2, v0, v1; s_waitcnt lgkmcnt(0); v_add_u32 v3, vcc, v2, v2'"},
		{"waitcnt-barrier", "AMDGPUUsage, Memory Model GFX6-GFX9; GCN3 ISA 4.4 (s_waitcnt)", "crosslane check --static k.s" + staticFile("  s_mov_b32 m0, -1\n  ds_write_b32 v1, v0\n  s_waitcnt lgkmcnt(0)\n  s_barrier\n  ds_read_b32 v2, v3\n  s_waitcnt lgkmcnt(0)")},
		{"register-count", "AMDGPUUsage, kernel descriptor: GRANULATED_WORKITEM_VGPR_COUNT, GRANULATED_WAVEFRONT_SGPR_COUNT", gcn3Run + "k:\n  v_mov_b32 v3, 1\n  s_endpgm\n" + gcn3Block},
		{"m0-uninitialised", "GCN3 ISA, DS instructions: M0; AMDGPUUsage, kernel prolog: M0", gcn3Run + "k:\n  s_mov_b32 m0, -1\n  v_lshlrev_b32 v1, 2, v0\n  ds_write_b32 v1, v0\n  s_endpgm\n" +
			".section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel k\n  .amdhsa_group_segment_fixed_size 256\n  .amdhsa_next_free_vgpr 4\n  .amdhsa_next_free_sgpr 12\n.end_amdhsa_kernel"},
		{"exec-zero", "GCN3 ISA 12, VOP1: v_readfirstlane_b32", "crosslane run k.s --grid 1 --block 64" + staticFile("  v_cmp_lt_u32 vcc, 63, v0\n  s_and_saveexec_b64 s[4:5], vcc\n  s_cbranch_execz e\n  v_readfirstlane_b32 s6, v0\ne:")},
		{"dpp-stale", "GCN3 ISA, DPP: row_mask, bank_mask, bound_ctrl", "crosslane check --static k.s" + staticFile("  v_lshlrev_b32 v2, 2, v0\n  v_add_u32 v3, vcc, v2, v0\n  v_mov_b32 v2, 0\n  v_mov_b32 v2, v0 row_bcast:15 row_mask:0xa\n  v_add_u32 v1, vcc, v0, v2")},
		{"lds-limit", "GCN3 ISA, DS instructions: M0", gcn3Run + "k:\n  s_mov_b32 m0, -1\n  v_lshlrev_b32 v1, 2, v0\n  ds_write_b32 v1, v0\n  s_endpgm\n" +
			".section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel k\n  .amdhsa_group_segment_fixed_size 256\n  .amdhsa_next_free_vgpr 4\n  .amdhsa_next_free_sgpr 12\n.end_amdhsa_kernel"},
		{"out-of-bounds", "", runExample + " --arg out:u32[32]" + ptxFile(".param .u64 out", "\t.reg .b64 %d<4>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, %tid.x;\n"+
			"\tmul.wide.u32 %d2, %r1, 4;\n\tadd.s64 %d3, %d1, %d2;\n\tst.global.u32 [%d3], %r1;\n\tret;")},
		{"misaligned", "PTX 9.7.9 (data movement: addresses are aligned)", runExample + " --arg out:u32[16]" + ptxFile(".param .u64 out", "\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, 0;\n\tst.global.u32 [%d1+4], %r1;\n\tret;")},
		{"bad-mbarrier", "PTX 9.7.14.16 (mbarrier)", runExample + ptxFile("", "\t.shared .align 8 .b64 bar;\n\t.reg .b64 %d<2>;\n\t.reg .b32 %r<2>;\n\t.reg .pred %p;\n\tmov.u32 %r1, %laneid;\n\tsetp.eq.u32 %p, %r1, 0;\n"+
			"\t@%p mbarrier.init.shared.b64 [bar], 32;\n\tbar.sync 0;\n\tmbarrier.arrive.shared.b64 %d1, [bar];\n\tret;")},
		{"bad-branch", "PTX 9.7.13.4 (brx.idx)", runExample + ptxFile("", "\t.reg .b32 %r<2>;\n\tmov.u32 %r1, %laneid;\n\tand.b32 %r1, %r1, 1;\nlist: .branchtargets a, b;\n\tbrx.idx %r1, list;\na:\n\tret;\nb:\n\tret;")},
		{"entry-alignment", "AMDGPUUsage, kernel descriptor: KERNEL_CODE_ENTRY_BYTE_OFFSET", gcn3Run + "k:\n  s_endpgm\n" + gcn3Block},
		{"needless-wait", "GCN3 ISA 4.4, 4.5", "crosslane check --static k.s" + staticFile("  v_mov_b32 v1, v0\n  s_nop 1\n  v_mov_b32 v2, v1 row_shr:1")},
		{"unused-ignore", "", "crosslane check k.ptx --grid 1 --block 20" + ptxFile("", "\t.reg .b32 %r<3>;\n\tmov.u32 %r1, %laneid;\n\tshfl.sync.down.b32 %r2, %r1, 16, 31, -1; // crosslane:ignore undefined-source the lanes above 3 are not used\n\tret;")},
	}
}

// withPages adds the pages to their codes.
func withPages(all []Code) []Code {
	byCode := map[string]page{}
	for _, p := range append(pages(), staticPTXPages()...) {
		byCode[p.code] = p
	}
	for i := range all {
		p, ok := byCode[all[i].Code]
		if !ok {
			continue
		}
		all[i].Section, all[i].Good = p.section, p.good
	}
	for _, c := range changes() {
		for i := range all {
			if all[i].Code == c.code {
				c.apply(&all[i])
			}
		}
	}
	return all
}
