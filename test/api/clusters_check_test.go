package api_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// checkCluster checks a kernel of blocks of 32 threads, and returns the codes of the findings.
func checkCluster(t *testing.T, src string, grid, cluster crosslane.Dim3, schedule crosslane.Schedule) (codes []string, all string) {
	t.Helper()
	m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	res, err := k.Check(context.Background(), crosslane.Launch{Grid: grid, Cluster: cluster, Block: crosslane.Dim3{X: 32}, Schedule: schedule,
		Timeout: 2 * time.Minute, Args: []crosslane.Arg{crosslane.Slice("out", make([]uint32, 32*grid.Blocks()))}})
	list := diag.Of(err)
	if err == nil {
		list = res.Findings
	}
	for _, d := range list {
		codes = append(codes, d.Code)
		all += d.Error() + " " + d.Remedy + "\n"
	}
	return slices.Compact(slices.Sorted(slices.Values(codes))), all
}

// TestClusterChecks: races between the blocks of a cluster, and uses of shared memory before a block begins and after it ends. Each
// case has a correct twin on which check is silent.
func TestClusterChecks(t *testing.T) {
	t.Parallel()
	const (
		zero  = "\tmov.u32 %r0, 0;\n"
		first = "\tsetp.eq.u32 %p1, %r1, 0;\n\tmov.u32 %r10, bar;\n"
		init  = first + "\t@%p1 mbarrier.init.shared.b64 [%r10], 1;\n"
		own   = "\tmad.lo.u32 %r6, %r2, 1000, %r1;\n\tst.shared.u32 [%r5], %r6;\n"
		other = "\txor.b32 %r7, %r2, 1;\n\tmapa.shared::cluster.u32 %r8, %r5, %r7;\n"
		load  = "\tld.shared::cluster.u32 %r0, [%r8];\n"
		store = "\tst.shared::cluster.u32 [%r8], %r1;\n"
		odd   = "\tand.b32 %r11, %r2, 1;\n\tsetp.eq.u32 %p3, %r11, 1;\n\tand.pred %p4, %p3, %p1;\n"
		await = "again:\n\tmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r10], 0;\n\t@!%p2 bra again;\n"
		// The flag is the first word of out; block 0 of each pair stores the word of its thread 0 there.
		flag = "\tld.param.u64 %rd5, [out];\n\tmov.u64 %rd6, data;\n"
	)
	// signal: the odd block writes data in global memory, then a flag in the shared memory of the even one, which reads the data.
	signal := func(write, read string) string {
		return first + "\tst.shared.u32 [%r5], 0;\n" + clusterBarrier + odd + flag + zero +
			"\tmapa.shared::cluster.u32 %r8, %r4, 0;\n" +
			"\t@%p4 st.global.u32 [%rd6], 7;\n\t@%p4 " + write + " [%r8], 1;\n" +
			"\t@%p3 bra after;\n\t@!%p1 bra after;\nagain:\n\t" + read + " %r12, [%r4];\n\tsetp.eq.u32 %p5, %r12, 0;\n\t@%p5 bra again;\n\tld.global.u32 %r0, [%rd6];\nafter:\n" + clusterBarrier
	}
	fences := func(f string) string {
		return strings.NewReplacer("\t@%p4 st.relaxed", "\t"+f+";\n\t@%p4 st.relaxed", "\tld.global.u32 %r0", "\t"+f+";\n\tld.global.u32 %r0").
			Replace(signal("st.relaxed.cluster.shared::cluster.u32", "ld.relaxed.cluster.shared::cluster.u32"))
	}
	// empty: the even block reads its cell and arrives at the object of the odd one, which then writes that cell.
	empty := func(arrive string) string {
		return init + own + clusterBarrier + zero + odd + "\tmapa.shared::cluster.u32 %r8, %r10, 1;\n\t@%p3 bra writer;\n\tld.shared.u32 %r0, [%r5];\n\tbar.warp.sync 0xffffffff;\n\t@%p1 " + arrive + " _, [%r8];\n\tbra after;\n" +
			"writer:\n" + await + "\tmapa.shared::cluster.u32 %r9, %r5, 0;\n\tst.shared::cluster.u32 [%r9], 5;\nafter:\n" + clusterBarrier
	}
	copies := func(wait string) string {
		return first + "\t@%p1 mbarrier.init.shared.b64 [%r10], 1;\n\t@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 128;\n" + clusterBarrier +
			"\tsetp.eq.u32 %p3, %r2, 0;\n\tand.pred %p3, %p3, %p1;\n\tmov.u16 %rs1, 3;\n\tmov.u64 %rd5, table;\n" +
			"\t@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r4], [%rd5], 128, [%r10], %rs1;\n" + wait
	}
	add := func(scope string) string {
		return zero + "\tmov.u64 %rd6, data;\n\tred.relaxed." + scope + ".global.add.u32 [%rd6], 1;\n"
	}
	pair := crosslane.Dim3{X: 2}
	for name, c := range map[string]struct {
		bad, good string
		grid      crosslane.Dim3
		code      string
		text      string
	}{
		"memory of a block that may not have begun": {other + store + clusterBarrier + zero, clusterBarrier + other + store + clusterBarrier + zero, pair, "unstarted-block", "before the first access"},
		"an arrival at a block that may not have begun": {init + odd + "\tmapa.shared::cluster.u32 %r8, %r10, 0;\n\tbar.sync 0;\n\t@%p4 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];\n" + clusterBarrier + zero,
			init + odd + "\tmapa.shared::cluster.u32 %r8, %r10, 0;\n" + clusterBarrier + "\t@%p4 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];\n" + clusterBarrier + zero, pair, "unstarted-block bad-mbarrier", "block (0,0,0)"},
		"memory of a block that may have exited": {own + clusterBarrier + other + load, own + clusterBarrier + other + load + clusterBarrier, pair, "exited-block", ""},
		// Block 0 is busy while block 1 reads, so that no run shows it.
		"the same, while it happens to run": {own + clusterBarrier + zero + first + odd + other + "\t@%p3 ld.shared::cluster.u32 %r0, [%r8];\n\tmov.u32 %r13, 0;\n\t@%p3 bra done2;\nspin:\n\tadd.u32 %r13, %r13, 1;\n\tsetp.lt.u32 %p6, %r13, 20000;\n\t@%p6 bra spin;\ndone2:\n",
			own + clusterBarrier + zero + first + odd + other + "\t@%p3 ld.shared::cluster.u32 %r0, [%r8];\n" + clusterBarrier, pair, "exited-block", "may have exited"},
		"a read without a barrier":       {clusterBarrier + own + other + load + clusterBarrier, clusterBarrier + own + clusterBarrier + other + load + clusterBarrier, pair, "race-shared", "barrier.cluster.arrive"},
		"a write without a barrier":      {clusterBarrier + own + other + "\tst.shared::cluster.u32 [%r8], %r4;\n" + clusterBarrier + zero, clusterBarrier + own + clusterBarrier + other + store + clusterBarrier + zero, pair, "race-shared", "block (1,0,0)"},
		"a barrier of the block only":    {clusterBarrier + own + "\tbar.sync 0;\n" + other + load + clusterBarrier, clusterBarrier + own + "\tbar.sync 0;\n" + clusterBarrier + other + load + clusterBarrier, pair, "race-shared", ""},
		"an arrival that is relaxed":     {clusterBarrier + own + "\tbarrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait;\n" + other + load + clusterBarrier, clusterBarrier + own + "\tbarrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;\n" + other + load + clusterBarrier, pair, "race-shared", ""},
		"a release to the block":         {signal("st.release.cta.shared::cluster.u32", "ld.acquire.cluster.shared::cluster.u32"), signal("st.release.cluster.shared::cluster.u32", "ld.acquire.cluster.shared::cluster.u32"), pair, "race-global race-shared", ""},
		"an acquire from the block":      {signal("st.release.cluster.shared::cluster.u32", "ld.acquire.cta.shared::cluster.u32"), signal("st.release.gpu.shared::cluster.u32", "ld.acquire.cluster.shared::cluster.u32"), pair, "race-global race-shared", ""},
		"fences of the block":            {fences("fence.acq_rel.cta"), fences("fence.acq_rel.cluster"), pair, "race-global", ""},
		"no fences":                      {signal("st.relaxed.cluster.shared::cluster.u32", "ld.relaxed.cluster.shared::cluster.u32"), fences("fence.acq_rel.gpu"), pair, "race-global", ""},
		"an arrival of the block only":   {empty("mbarrier.arrive.release.cta.shared::cluster.b64"), empty("mbarrier.arrive.shared::cluster.b64"), pair, "race-shared", ""},
		"an arrival that orders nothing": {empty("mbarrier.arrive.relaxed.cluster.shared::cluster.b64"), empty("mbarrier.arrive.release.cluster.shared::cluster.b64"), pair, "race-shared", ""},
		"a copy that was not waited for": {copies("\tld.shared.u32 %r0, [%r5];\n" + clusterBarrier), copies(await + "\tld.shared.u32 %r0, [%r5];\n" + clusterBarrier), pair, "race-shared", ""},
		"a sum of two clusters":          {add("cluster"), add("gpu"), crosslane.Dim3{X: 4}, "race-global", "scope"},
		"a sum of two blocks":            {add("cta"), add("cluster"), pair, "race-global", "scope"},
	} {
		table := ".global .align 16 .b32 table[32];\n.global .align 16 .b32 data[4];\n"
		for i, body := range []string{c.bad, c.good} {
			src := strings.Replace(clusterKernel("", body), ".visible", table+".visible", 1)
			src = strings.Replace(src, "\t.reg .b64 %rd<16>;", "\t.reg .b64 %rd<16>;\n\t.reg .b16 %rs<4>;", 1)
			for _, schedule := range []crosslane.Schedule{"", "reversed", "random:3"} {
				codes, all := checkCluster(t, src, c.grid, pair, schedule)
				switch got := strings.Join(codes, " "); {
				case i == 1 && got != "":
					t.Errorf("%s, %q, the correct twin:\n%s", name, schedule, all)
				case i == 0 && (!slices.ContainsFunc(codes, func(code string) bool { return slices.Contains(strings.Fields(c.code), code) }) || schedule == "" && !strings.Contains(all, c.text)):
					t.Errorf("%s, %q: %q, want %s with %q\n%s", name, schedule, got, c.code, c.text, all)
				}
			}
		}
	}
}
