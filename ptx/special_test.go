package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// TestSpecialRegisters reads every special register of chapter 10 on one block of 40 threads, and
// checks the values in three of the threads.
func TestSpecialRegisters(t *testing.T) {
	t.Parallel()
	tests := map[string]func(tid uint32) uint32{
		"%nsmid": func(uint32) uint32 { return 1 }, "%smid": nil, "%gridid": nil, "%warpid": func(i uint32) uint32 { return i / 32 },
		"%nwarpid": func(uint32) uint32 { return 2 }, "%laneid": func(i uint32) uint32 { return i % 32 },
		"%tid.x": func(i uint32) uint32 { return i }, "%tid.y": nil, "%ntid.x": func(uint32) uint32 { return 40 }, "%ntid.z": func(uint32) uint32 { return 1 },
		"%ctaid.x": nil, "%nctaid.y": func(uint32) uint32 { return 1 },
		"%clusterid.x": nil, "%nclusterid.x": func(uint32) uint32 { return 1 }, "%cluster_ctaid.y": nil, "%cluster_nctaid.z": func(uint32) uint32 { return 1 },
		"%cluster_ctarank": nil, "%cluster_nctarank": func(uint32) uint32 { return 1 },
		"%lanemask_eq": func(i uint32) uint32 { return 1 << (i % 32) },
		"%lanemask_lt": func(i uint32) uint32 { return 1<<(i%32) - 1 },
		"%lanemask_le": func(i uint32) uint32 { return uint32(uint64(2)<<(i%32) - 1) },
		"%lanemask_ge": func(i uint32) uint32 { return -(uint32(1) << (i % 32)) },
		"%lanemask_gt": func(i uint32) uint32 { return uint32(-(int64(2) << (i % 32))) },
		"%pm0":         nil, "%pm7_64": nil, "%envreg0": nil, "%envreg31": nil, "%clock_hi": nil, "%globaltimer_hi": nil,
		"%reserved_smem_offset_begin": nil, "%reserved_smem_offset_end": nil, "%reserved_smem_offset_cap": nil,
		"%reserved_smem_offset_0": nil, "%reserved_smem_offset_1": nil, "%current_graph_exec": nil,
		// 100 bytes and 256 of the launch, in units of 128 (PTX 10.30).
		"%total_smem_size": func(uint32) uint32 { return 384 }, "%aggr_smem_size": func(uint32) uint32 { return 384 }, "%dynamic_smem_size": func(uint32) uint32 { return 256 },
	}
	const decl = ".extern .shared .b32 dyn[]; .shared .b8 s[100];"
	for reg, want := range tests {
		mov := "mov.u32 %r9, " + reg + ";"
		if info := LookupSpecial(strings.SplitN(reg, ".", 2)[0]).Info(); info.Type.Bits() == 64 {
			mov = "mov.u64 %rd5, " + reg + "; cvt.u32.u64 %r9, %rd5;"
		}
		got := launchKernel(t, body(decl, "mov.u32 %r2, s; mov.u32 %r3, dyn;"+mov), "k", 40, 40, 0)
		for _, i := range []uint32{0, 7, 31, 33} {
			w := uint32(0)
			if want != nil {
				w = want(i)
			}
			if got[i] != w {
				t.Errorf("%s, thread %d: got %#x, want %#x", reg, i, got[i], w)
			}
		}
	}
	// Before sm_80 the unit is 256. Clusters are explicit if the kernel declares them. Clocks grow.
	for _, c := range []struct {
		target, dir, code string
		want              uint32
	}{
		{".target sm_70", "", "mov.u32 %r9, %total_smem_size;", 512},
		{".target sm_90", ".reqnctapercluster 1, 1, 1", "mov.pred %p1, %is_explicit_cluster; selp.u32 %r9, 5, 6, %p1;", 5},
		{".target sm_90", "", "mov.pred %p1, %is_explicit_cluster; selp.u32 %r9, 5, 6, %p1;", 6},
		{".target sm_90", "", "mov.u32 %r2, %clock; mov.u64 %rd5, %clock64; cvt.u32.u64 %r3, %rd5; setp.lt.u32 %p1, %r2, %r3; selp.u32 %r9, 1, 0, %p1;", 1},
		{".target sm_90", "", "mov.u32 %r2, %globaltimer_lo; mov.u64 %rd5, %globaltimer; cvt.u32.u64 %r3, %rd5; setp.lt.u32 %p1, %r2, %r3; selp.u32 %r9, 1, 0, %p1;", 1},
	} {
		src := strings.Replace(body(decl, "mov.u32 %r2, s; mov.u32 %r3, dyn;"+c.code), ".target sm_90", c.target, 1)
		src = strings.Replace(src, ".param .u32 n)", fmt.Sprintf(".param .u32 n) %s", c.dir), 1)
		if got := launchKernel(t, src, "k", 1, 1, 0); got[0] != c.want {
			t.Errorf("%s %s: got %d, want %d", c.target, c.code, got[0], c.want)
		}
	}
}
