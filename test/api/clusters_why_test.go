package api_test

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"example.org/crosslane"
)

// TestClusterProvenance: a value is followed through the shared memory of another block, and a recording shows the memory of each
// block at each step.
func TestClusterProvenance(t *testing.T) {
	t.Parallel()
	next := "\tadd.u32 %r7, %r2, 1;\n\trem.u32 %r7, %r7, %r3;\n\tmapa.shared::cluster.u32 %r8, %r5, %r7;\n"
	// Each block stores 1000 x rank + thread in the block after it, and reads its own cell.
	push := clusterBarrier + next + "\tmad.lo.u32 %r6, %r2, 1000, %r1;\n\tst.shared::cluster.u32 [%r8], %r6;\n" + clusterBarrier + "\tld.shared.u32 %r0, [%r5];\n"
	// The same, with nothing stored.
	none := clusterBarrier + next + "\tld.shared::cluster.u32 %r0, [%r8];\n" + clusterBarrier
	kernel := func(body string) *crosslane.Kernel {
		m, err := crosslane.Load([]byte(clusterKernel("", body)), "k.ptx", crosslane.PTX)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	launch := func() crosslane.Launch {
		return crosslane.Launch{Grid: crosslane.Dim3{X: 6}, Cluster: crosslane.Dim3{X: 3}, Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{crosslane.Slice("out", make([]uint32, 6*32))}}
	}
	for block := range 6 {
		from := block/3*3 + (block+2)%3
		p, err := kernel(push).Why(context.Background(), launch(), crosslane.WhyOptions{Buffer: "out", Index: 32*block + 5})
		if err != nil {
			t.Fatal(err)
		}
		text := p.Text(crosslane.WhyView{})
		for _, want := range []string{"st.shared::cluster.u32 [%r8], %r6", "warp 0 of block " + string(rune('0'+from)), "%tid.x = 5", "%cluster_ctarank = " + string(rune('0'+from%3))} {
			if !strings.Contains(text, want) {
				t.Errorf("block %d: %s\nwant %s", block, text, want)
			}
		}
	}
	p, err := kernel(none).Why(context.Background(), launch(), crosslane.WhyOptions{Buffer: "out", Index: 5})
	if want := "rank 1's shared memory[20]: nothing wrote it"; err != nil || !strings.Contains(p.Text(crosslane.WhyView{}), want) {
		t.Errorf("%s, %v, want %s", p.Text(crosslane.WhyView{}), err, want)
	}

	// A recording of one block is one of its cluster.
	r, err := kernel(push).Record(context.Background(), launch(), crosslane.RecordOptions{Blocks: []crosslane.Dim3{{X: 4}}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Info().Waves); n != 3 {
		t.Fatalf("%d waves, want those of 3 blocks", n)
	}
	stores := map[uint32]int{} // the step of the store, by block
	first, steps := r.Bounds()
	for n := first; n < first+steps; n++ {
		s, err := r.Step(n)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(s.Text, "st.shared::cluster") {
			stores[r.Info().Waves[s.Wave].Block[0]] = n
		}
	}
	for from, n := range stores {
		to := crosslane.Dim3{X: 3 + (from-3+1)%3}
		cell := crosslane.MemoryRange{Space: "shared", Block: to, Offset: 4 * 5, Size: 4}
		for after, want := range []uint32{0, (from-3)*1000 + 5} {
			data, err := r.Memory(n+after, cell)
			if err != nil || binary.LittleEndian.Uint32(data) != want {
				t.Errorf("the store of block %d, step %d: %x, %v, want %d", from, n+after, data, err, want)
			}
		}
		if s, ok, err := r.LastStore(n+1, cell); err != nil || !ok || s.Step != n || s.Block.X != from || s.Lane != 5 {
			t.Errorf("the store of block %d: %+v, %v, %v, want step %d", from, s, ok, err, n)
		}
		if _, ok, err := r.LastStore(n, cell); err != nil || ok {
			t.Errorf("before the store of block %d: %v, %v", from, ok, err)
		}
	}
	if len(stores) != 3 {
		t.Errorf("stores of %d blocks, want 3", len(stores))
	}
}
