package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// clusterKernel is a kernel for sm_90 that writes %r0 to out[linear thread of the grid].
func clusterKernel(directives, body string) string {
	return `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) ` + directives + `
{
	.shared .align 16 .b32 pad[4];
	.shared .align 16 .b32 cell[32];
	.shared .align 8 .b64 bar;
	.reg .b32 %r<32>;
	.reg .b64 %rd<16>;
	.reg .pred %p<8>;
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %cluster_ctarank;
	mov.u32 %r3, %cluster_nctarank;
	mov.u32 %r4, cell;
	mad.lo.u32 %r5, %r1, 4, %r4;   // &cell[t]
` + body + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r30, %ctaid.z;
	mov.u32 %r31, %nctaid.y;
	mov.u32 %r29, %ctaid.y;
	mad.lo.u32 %r30, %r30, %r31, %r29;
	mov.u32 %r31, %nctaid.x;
	mov.u32 %r29, %ctaid.x;
	mad.lo.u32 %r30, %r30, %r31, %r29;
	mad.lo.u32 %r30, %r30, 32, %r1;
	mul.wide.u32 %rd2, %r30, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r0;
done:
	ret;
}
`
}

const clusterBarrier = "\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n"

// runCluster runs a kernel of blocks of 32 threads, and returns what the threads wrote, block by block in linear order.
func runCluster(t *testing.T, src string, grid, cluster crosslane.Dim3, change func(*crosslane.Launch)) ([]uint32, error) {
	t.Helper()
	m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, 32*grid.Blocks())
	l := crosslane.Launch{Grid: grid, Cluster: cluster, Block: crosslane.Dim3{X: 32}, Timeout: 2 * time.Minute, Args: []crosslane.Arg{crosslane.Slice("out", out)}}
	if change != nil {
		change(&l)
	}
	res, err := k.Run(context.Background(), l)
	if err == nil && len(res.Findings) > 0 {
		err = res.Findings
	}
	return out, err
}

// clusterOrders are schedules and workers that must not show in results.
var clusterOrders = []func(*crosslane.Launch){
	nil,
	func(l *crosslane.Launch) { l.Schedule = "reversed" },
	func(l *crosslane.Launch) { l.Schedule = "random:1" },
	func(l *crosslane.Launch) { l.Schedule = "random:77" },
	func(l *crosslane.Launch) { l.Workers = 3 },
}

// clusterPlace is where a block is in its cluster, from PTX 10.12 to 10.16: clusters tile the grid, and the rank counts x first.
type clusterPlace struct{ id, at [3]uint32 }

func placesOf(grid, cluster crosslane.Dim3) (list []clusterPlace) {
	g, c := [3]uint32{max(grid.X, 1), max(grid.Y, 1), max(grid.Z, 1)}, [3]uint32{max(cluster.X, 1), max(cluster.Y, 1), max(cluster.Z, 1)}
	for z := range g[2] {
		for y := range g[1] {
			for x := range g[0] {
				list = append(list, clusterPlace{[3]uint32{x / c[0], y / c[1], z / c[2]}, [3]uint32{x % c[0], y % c[1], z % c[2]}})
			}
		}
	}
	return list
}

func (p clusterPlace) rank(c crosslane.Dim3) uint32 {
	return p.at[0] + max(c.X, 1)*(p.at[1]+max(c.Y, 1)*p.at[2])
}

// TestClusterRegisters compares the special registers with a second computation of where blocks are.
func TestClusterRegisters(t *testing.T) {
	t.Parallel()
	body := ""
	for _, r := range []string{"%clusterid.x", "%clusterid.y", "%clusterid.z", "%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z", "%cluster_ctarank",
		"%nclusterid.x", "%nclusterid.y", "%nclusterid.z", "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z", "%cluster_nctarank"} {
		body += "\tmov.u32 %r6, " + r + ";\n\tmad.lo.u32 %r0, %r0, 17, %r6;\n"
	}
	body = "\tmov.u32 %r0, 0;\n" + body + "\tmov.pred %p1, %is_explicit_cluster;\n\tselp.u32 %r6, 1, 0, %p1;\n\tmad.lo.u32 %r0, %r0, 17, %r6;\n"
	for _, c := range [][2]crosslane.Dim3{
		{{X: 4}, {X: 2}}, {{X: 6, Y: 4, Z: 2}, {X: 3, Y: 2, Z: 2}}, {{X: 3, Y: 4}, {X: 1, Y: 4}}, {{X: 5}, {}}, {{X: 16}, {X: 16}}, {{X: 4}, {X: 1}},
	} {
		for i, change := range clusterOrders {
			got, err := runCluster(t, clusterKernel("", body), c[0], c[1], change)
			if err != nil {
				t.Fatal(err)
			}
			for b, p := range placesOf(c[0], c[1]) {
				want := uint32(0)
				add := func(x uint32) { want = want*17 + x }
				for _, x := range append(p.id[:], p.at[:]...) {
					add(x)
				}
				add(p.rank(c[1]))
				size := uint32(1)
				for _, d := range [][2]uint32{{c[0].X, c[1].X}, {c[0].Y, c[1].Y}, {c[0].Z, c[1].Z}} {
					add(max(d[0], 1) / max(d[1], 1))
				}
				for _, d := range []uint32{c[1].X, c[1].Y, c[1].Z} {
					add(max(d, 1))
					size *= max(d, 1)
				}
				add(size)
				add(map[bool]uint32{true: 1}[c[1] != crosslane.Dim3{}])
				if got[32*b] != want {
					t.Fatalf("%v, order %d, block %d: %d, want %d", c, i, b, got[32*b], want)
				}
			}
		}
	}
}

// TestClusterMemory: blocks read, write and count in the shared memory of others, by addresses of the space and by generic ones.
func TestClusterMemory(t *testing.T) {
	t.Parallel()
	store := "\tmad.lo.u32 %r6, %r2, 1000, %r1;\n\tst.shared.u32 [%r5], %r6;\n" + clusterBarrier
	next := "\tadd.u32 %r7, %r2, 1;\n\trem.u32 %r7, %r7, %r3;\n"
	generic := "\tcvt.u64.u32 %rd3, %r5;\n\tcvta.shared.u64 %rd3, %rd3;\n\tmapa.u64 %rd4, %rd3, %r7;\n"
	for name, c := range map[string]struct {
		body string
		want func(rank, size, t uint32) uint32
	}{
		"read": {store + next + "\tmapa.shared::cluster.u32 %r8, %r5, %r7;\n\tld.shared::cluster.u32 %r0, [%r8];\n",
			func(r, n, t uint32) uint32 { return (r+1)%n*1000 + t }},
		"read by a generic address": {store + next + generic + "\tld.u32 %r0, [%rd4];\n",
			func(r, n, t uint32) uint32 { return (r+1)%n*1000 + t }},
		"rank of an address": {next + generic + "\tgetctarank.u64 %r0, %rd4;\n\tmapa.shared::cluster.u32 %r8, cell, %r7;\n\tgetctarank.shared::cluster.u32 %r9, %r8;\n\tmad.lo.u32 %r0, %r0, 16, %r9;\n" +
			"\tgetctarank.shared::cluster.u32 %r9, cell;\n\tmad.lo.u32 %r0, %r0, 16, %r9;\n",
			func(r, n, t uint32) uint32 { return (r+1)%n*256 + (r+1)%n*16 + r }},
		"space of an address": {next + generic + "\tisspacep.shared::cta %p1, %rd4;\n\tisspacep.shared::cluster %p2, %rd4;\n\tisspacep.shared::cta %p3, %rd3;\n\tisspacep.global %p4, %rd4;\n" +
			"\tselp.u32 %r0, 1, 0, %p1;\n\t@%p2 add.u32 %r0, %r0, 2;\n\t@%p3 add.u32 %r0, %r0, 4;\n\t@%p4 add.u32 %r0, %r0, 8;\n",
			func(r, n, t uint32) uint32 {
				if n == 1 {
					return 7
				}
				return 6
			}},
		"write": {next + "\tmapa.shared::cluster.u32 %r8, %r5, %r7;\n\tmad.lo.u32 %r6, %r2, 1000, %r1;\n\tst.shared::cluster.u32 [%r8], %r6;\n" + clusterBarrier + "\tld.shared.u32 %r0, [%r5];\n",
			func(r, n, t uint32) uint32 { return (r+n-1)%n*1000 + t }},
		"count": {"\tmov.u32 %r6, 0;\n\tst.shared.u32 [%r5], %r6;\n" + clusterBarrier + "\tmapa.shared::cluster.u32 %r8, %r5, 0;\n\tadd.u32 %r6, %r2, 1;\n\tatom.shared::cluster.add.u32 %r9, [%r8], %r6;\n" + clusterBarrier + "\tld.shared.u32 %r0, [%r5];\n",
			func(r, n, t uint32) uint32 {
				if r > 0 {
					return 0
				}
				return n * (n + 1) / 2
			}},
		"own address after a round trip": {"\tst.shared.u32 [%r5], %r1;\n" + next + "\tmapa.shared::cluster.u32 %r8, %r5, %r7;\n\tmapa.shared::cluster.u32 %r8, %r8, %r2;\n\tsub.u32 %r0, %r8, %r5;\n\tld.shared.u32 %r9, [%r8];\n\tadd.u32 %r0, %r0, %r9;\n",
			func(r, n, t uint32) uint32 { return t }},
	} {
		src := clusterKernel("", c.body+clusterBarrier)
		for _, size := range []crosslane.Dim3{{X: 1}, {X: 2}, {X: 2, Y: 2}, {X: 8}, {X: 4, Y: 2, Z: 2}} {
			grid := crosslane.Dim3{X: 2 * size.X, Y: max(size.Y, 1), Z: max(size.Z, 1)}
			for i, change := range clusterOrders {
				got, err := runCluster(t, src, grid, size, change)
				if err != nil {
					t.Fatalf("%s, %v, order %d: %v", name, size, i, err)
				}
				for b, p := range placesOf(grid, size) {
					for l := range uint32(32) {
						n := size.X * max(size.Y, 1) * max(size.Z, 1)
						if want := c.want(p.rank(size), n, l); got[32*b+int(l)] != want {
							t.Fatalf("%s, clusters of %v, order %d, block %d, thread %d: %d, want %d", name, size, i, b, l, got[32*b+int(l)], want)
						}
					}
				}
			}
		}
	}
}

// TestClusterMbarriers: arrivals, stores and copies that complete at the mbarrier objects of other blocks.
func TestClusterMbarriers(t *testing.T) {
	t.Parallel()
	first := "\tsetp.eq.u32 %p1, %r1, 0;\n\tmov.u32 %r10, bar;\n"
	wait := "again:\n\tmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r10], 0;\n\t@!%p2 bra again;\n"
	for name, c := range map[string]struct {
		body string
		want func(rank, size, t uint32) uint32
	}{
		// Every block arrives once at the object of every other one, and of itself.
		"arrive": {first + "\t@%p1 mbarrier.init.shared.b64 [%r10], %r3;\n\tmov.u32 %r6, 0;\n\tst.shared.u32 [%r5], %r6;\n" + clusterBarrier +
			"\tmov.u32 %r7, 0;\nloop:\n\tmapa.shared::cluster.u32 %r8, %r5, %r7;\n\tadd.u32 %r6, %r2, 1;\n\tred.shared::cluster.add.u32 [%r8], %r6;\n" +
			"\tbar.sync 0;\n\tmapa.shared::cluster.u32 %r8, %r10, %r7;\n\t@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];\n\tadd.u32 %r7, %r7, 1;\n\tsetp.lt.u32 %p3, %r7, %r3;\n\t@%p3 bra loop;\n" +
			wait + "\tld.shared.u32 %r0, [%r5];\n",
			func(r, n, t uint32) uint32 { return n * (n + 1) / 2 }},
		// The block before stores a word for each thread, and its bytes complete the phase.
		"st.async": {first + "\t@%p1 mbarrier.init.shared.b64 [%r10], 1;\n\t@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 128;\n" + clusterBarrier +
			"\tadd.u32 %r7, %r2, 1;\n\trem.u32 %r7, %r7, %r3;\n\tmapa.shared::cluster.u32 %r8, %r5, %r7;\n\tmapa.shared::cluster.u32 %r9, %r10, %r7;\n\tmad.lo.u32 %r6, %r2, 100, %r1;\n" +
			"\tst.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r8], %r6, [%r9];\n" + wait + "\tld.shared.u32 %r0, [%r5];\n",
			func(r, n, t uint32) uint32 { return (r+n-1)%n*100 + t }},
		// Block 0 copies 128 bytes of global memory to all blocks of its cluster at once.
		"multicast": {first + "\t@%p1 mbarrier.init.shared.b64 [%r10], 1;\n\t@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 128;\n" + clusterBarrier +
			"\tsetp.eq.u32 %p3, %r2, 0;\n\tand.pred %p3, %p3, %p1;\n\tmov.u32 %r6, 1;\n\tshl.b32 %r6, %r6, %r3;\n\tsub.u32 %r6, %r6, 1;\n\tcvt.u16.u32 %rs1, %r6;\n\tmov.u64 %rd5, table;\n" +
			"\t@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r4], [%rd5], 128, [%r10], %rs1;\n" + wait + "\tld.shared.u32 %r0, [%r5];\n",
			func(r, n, t uint32) uint32 { return 7 + 3*t }},
		// Only the blocks of odd rank get the copy; the others see their own words.
		"multicast to some": {first + "\tst.shared.u32 [%r5], %r1;\n\t@%p1 mbarrier.init.shared.b64 [%r10], 1;\n\t@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 128;\n" + clusterBarrier +
			"\tsetp.eq.u32 %p3, %r2, 0;\n\tand.pred %p3, %p3, %p1;\n\tmov.u16 %rs1, 0xaaaa;\n\tmov.u32 %r6, 1;\n\tshl.b32 %r6, %r6, %r3;\n\tsub.u32 %r6, %r6, 1;\n\tcvt.u16.u32 %rs2, %r6;\n\tand.b16 %rs1, %rs1, %rs2;\n\tmov.u64 %rd5, table;\n" +
			"\t@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r4], [%rd5], 128, [%r10], %rs1;\n" +
			"\tand.b32 %r11, %r2, 1;\n\tsetp.eq.u32 %p4, %r11, 0;\n\t@%p4 bra after;\n" + wait + "after:\n\tld.shared.u32 %r0, [%r5];\n" + clusterBarrier,
			func(r, n, t uint32) uint32 {
				if r%2 == 1 {
					return 7 + 3*t
				}
				return t
			}},
	} {
		table := ".global .align 16 .b32 table[32] = {"
		for i := range 32 {
			table += fmt.Sprint(7+3*i, map[bool]string{true: "}", false: ", "}[i == 31])
		}
		src := strings.Replace(clusterKernel("", c.body+clusterBarrier), ".visible", table+";\n.visible", 1)
		src = strings.Replace(src, "\t.reg .b64 %rd<16>;", "\t.reg .b64 %rd<16>;\n\t.reg .b16 %rs<4>;", 1)
		for _, size := range []crosslane.Dim3{{X: 2}, {X: 8}, {X: 2, Y: 2, Z: 4}} {
			grid := crosslane.Dim3{X: 2 * size.X, Y: max(size.Y, 1), Z: max(size.Z, 1)}
			for i, change := range clusterOrders {
				got, err := runCluster(t, src, grid, size, change)
				if err != nil {
					t.Fatalf("%s, %v, order %d: %v", name, size, i, err)
				}
				for b, p := range placesOf(grid, size) {
					for l := range uint32(32) {
						n := size.X * max(size.Y, 1) * max(size.Z, 1)
						if want := c.want(p.rank(size), n, l); got[32*b+int(l)] != want {
							t.Fatalf("%s, clusters of %v, order %d, block %d, thread %d: %d, want %d", name, size, i, b, l, got[32*b+int(l)], want)
						}
					}
				}
			}
		}
	}
}

// TestClusterMistakes: what goes wrong between the blocks of a cluster is named, and its correct twin is silent.
func TestClusterMistakes(t *testing.T) {
	t.Parallel()
	mapped := "\tmapa.shared::cluster.u32 %r8, %r5, 1;\n"
	other := "\txor.b32 %r7, %r2, 1;\n\tmapa.shared::cluster.u32 %r8, %r5, %r7;\n"
	zero := "\tmov.u32 %r0, 0;\n"
	for name, c := range map[string]struct {
		bad, good  string
		code, text string
	}{
		"a rank that does not exist": {"\tmapa.shared::cluster.u32 %r8, %r5, 2;\n" + zero, "\tmapa.shared::cluster.u32 %r8, %r5, 1;\n" + zero, "no-such-rank", "%cluster_nctarank"},
		// Each block reads the other one; the first one to run exits before the second one reads.
		"a block that has exited":       {other + "\tld.shared::cluster.u32 %r0, [%r8];\n", other + "\tld.shared::cluster.u32 %r0, [%r8];\n" + clusterBarrier, "exited-block", "of the cluster, which has exited"},
		"past the end of another block": {mapped + "\tld.shared::cluster.u32 %r0, [%r8+4096];\n" + clusterBarrier, mapped + "\tld.shared::cluster.u32 %r0, [%r8];\n" + clusterBarrier, "out-of-bounds", "past the end"},
		"a block that does not come":    {zero + "\tsetp.eq.u32 %p1, %r2, 1;\n\t@%p1 bar.sync 1, 64;\n" + clusterBarrier, zero + "\tsetp.eq.u32 %p1, %r2, 1;\n\t@%p1 bar.sync 1, 32;\n" + clusterBarrier, "deadlock", ""},
		"an arrival that never comes": {zero + "\tmov.u32 %r10, bar;\n\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 mbarrier.init.shared.b64 [%r10], 2;\n" + clusterBarrier +
			"\tmapa.shared::cluster.u32 %r8, %r10, 0;\n\tsetp.eq.u32 %p3, %r2, 1;\n\tand.pred %p3, %p3, %p1;\n\t@%p3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];\n" +
			"\tsetp.ne.u32 %p4, %r2, 0;\n\t@%p4 bra after;\nagain:\n\tmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r10], 0;\n\t@!%p2 bra again;\nafter:\n" + clusterBarrier,
			zero + "\tmov.u32 %r10, bar;\n\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 mbarrier.init.shared.b64 [%r10], 1;\n" + clusterBarrier +
				"\tmapa.shared::cluster.u32 %r8, %r10, 0;\n\tsetp.eq.u32 %p3, %r2, 1;\n\tand.pred %p3, %p3, %p1;\n\t@%p3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];\n" +
				"\tsetp.ne.u32 %p4, %r2, 0;\n\t@%p4 bra after;\nagain:\n\tmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r10], 0;\n\t@!%p2 bra again;\nafter:\n" + clusterBarrier,
			"livelock", "bar"},
	} {
		for _, schedule := range []crosslane.Schedule{"", "reversed"} {
			change := func(l *crosslane.Launch) { l.Schedule = schedule }
			_, err := runCluster(t, clusterKernel("", c.bad), crosslane.Dim3{X: 2}, crosslane.Dim3{X: 2}, change)
			if list := diag.Of(err); len(list) == 0 || list[0].Code != c.code || !strings.Contains(list[0].Error()+list[0].Remedy, c.text) {
				t.Errorf("%s, %q: %v, want %s with %q", name, schedule, err, c.code, c.text)
			}
			if _, err := runCluster(t, clusterKernel("", c.good), crosslane.Dim3{X: 2}, crosslane.Dim3{X: 2}, change); err != nil {
				t.Errorf("%s, %q, the correct twin: %v", name, schedule, err)
			}
		}
	}
}

// TestClusterLaunches: the sizes of clusters that a kernel and a launch may have (PTX 11.7, 11.8.1).
func TestClusterLaunches(t *testing.T) {
	t.Parallel()
	size := "\tmov.u32 %r0, %cluster_nctarank;\n"
	for _, c := range []struct {
		directives    string
		grid, cluster crosslane.Dim3
		want          uint32
		text          string
	}{
		{"", crosslane.Dim3{X: 4}, crosslane.Dim3{}, 1, ""},
		{"", crosslane.Dim3{X: 4}, crosslane.Dim3{X: 4}, 4, ""},
		{"", crosslane.Dim3{X: 6}, crosslane.Dim3{X: 4}, 0, "no multiple of the 4 of a cluster"},
		{"", crosslane.Dim3{X: 32}, crosslane.Dim3{X: 32}, 0, "at most 16 blocks"},
		{"", crosslane.Dim3{X: 8, Y: 8}, crosslane.Dim3{X: 8, Y: 4}, 0, "at most 16 blocks"},
		{".reqnctapercluster 2", crosslane.Dim3{X: 4}, crosslane.Dim3{}, 2, ""},
		{".reqnctapercluster 2", crosslane.Dim3{X: 4}, crosslane.Dim3{X: 2}, 2, ""},
		{".reqnctapercluster 2", crosslane.Dim3{X: 4}, crosslane.Dim3{X: 4}, 0, "the kernel requires 2,1,1"},
		{".reqnctapercluster 2", crosslane.Dim3{X: 3}, crosslane.Dim3{}, 0, "no multiple of the 2"},
		{".maxclusterrank 4", crosslane.Dim3{X: 8}, crosslane.Dim3{X: 4}, 4, ""},
		{".maxclusterrank 4", crosslane.Dim3{X: 8}, crosslane.Dim3{X: 8}, 0, ".maxclusterrank"},
		{".explicitcluster", crosslane.Dim3{X: 8}, crosslane.Dim3{X: 8}, 8, ""},
		{".explicitcluster", crosslane.Dim3{X: 8}, crosslane.Dim3{}, 0, ".explicitcluster"},
	} {
		got, err := runCluster(t, clusterKernel(c.directives, size), c.grid, c.cluster, nil)
		switch {
		case c.text == "" && (err != nil || got[0] != c.want):
			t.Errorf("%s, grid %v, cluster %v: %d, %v, want %d", c.directives, c.grid, c.cluster, got[0], err, c.want)
		case c.text != "" && (err == nil || !strings.Contains(err.Error()+diag.Of(err)[0].Remedy, c.text)):
			t.Errorf("%s, grid %v, cluster %v: %v, want %q", c.directives, c.grid, c.cluster, err, c.text)
		}
	}
	// The grid counts clusters.
	src := strings.Replace(clusterKernel(".reqntid 32 .reqnctapercluster 2 .blocksareclusters", "\tmov.u32 %r0, %nctaid.x;\n"), ".version 8.6", ".version 9.0", 1)
	got, err := runCluster(t, src, crosslane.Dim3{X: 4}, crosslane.Dim3{}, func(l *crosslane.Launch) { l.Grid.X = 2 })
	if err != nil || got[0] != 4 || got[127] != 4 {
		t.Errorf(".blocksareclusters: %v, %v", got, err)
	}
	old := strings.Replace(clusterKernel("", "\tmov.u32 %r0, 1;\n"), "sm_90", "sm_90", 1)
	old = strings.NewReplacer(".target sm_90", ".target sm_80", "%cluster_ctarank", "%ctaid.x", "%cluster_nctarank", "%nctaid.x").Replace(old)
	if _, err := runCluster(t, old, crosslane.Dim3{X: 2}, crosslane.Dim3{X: 2}, nil); err == nil || !strings.Contains(err.Error(), "sm_90") {
		t.Errorf("sm_80: %v", err)
	}
}
