package api_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// scatterPTX reads and writes, round after round, elements that lie anywhere: in memory that is the
// buffer's, the block's or the lane's own. The stored values differ by lane and round.
const scatterPTX = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 %%r<12>;
	.reg .b64 %%a<4>;
	.reg .pred %%p;
	.shared .b32 sh[4096];
	.local .b32 lo[4096];
	ld.param.u64 %%a1, [out];
	ld.param.u32 %%r1, [n];
	mov.u32 %%r2, %%tid.x;
	mul.lo.u32 %%r3, %%r2, 2654435761;
	mov.u32 %%r4, 0;
	mov.u64 %%a2, %[1]s;
loop:
	mad.lo.u32 %%r3, %%r3, 1664525, 1013904223;
	%[2]s
	mul.wide.u32 %%a0, %%r5, 4;
	add.u64 %%a0, %%a2, %%a0;
	ld%[3]s.u32 %%r6, [%%a0];
	redux.sync.or.b32 %%r9, %%r6, -1;
	shr.u32 %%r9, %%r9, 24;
	shl.b32 %%r7, %%r4, 5;
	add.u32 %%r7, %%r7, %%r2;
	add.u32 %%r7, %%r7, %%r9;
	add.u32 %%r8, %%r7, 1;
	st%[3]s.u32 [%%a0], %%r8;
	add.u32 %%r4, %%r4, 1;
	setp.lt.u32 %%p, %%r4, %%r1;
	@%%p bra loop;
	st.global.u32 [%%a1], %%r6;
	ret;
}
`

// Every load of a long run with scattered stores leads to the stores that wrote the loaded value,
// in either way of search.
func TestWhyScattered(t *testing.T) {
	t.Parallel()
	random := "shr.u32 %r5, %r3, 20;"                                            // anywhere
	column := "shl.b32 %r5, %r2, 7; and.b32 %r6, %r4, 3; add.u32 %r5, %r5, %r6;" // 128 elements apart
	few := "shr.u32 %r5, %r3, 26; shl.b32 %r5, %r5, 4;"                          // in each lane
	for _, c := range []struct{ name, base, index, space string }{
		{"global, anywhere", "%a1", random, ".global"},
		{"global, columns", "%a1", column, ".global"},
		{"shared, anywhere", "sh", random, ".shared"},
		{"shared, columns", "sh", column, ".shared"},
		{"local, anywhere", "lo", few, ".local"},
		{"local, columns", "lo", column, ".local"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, err := crosslane.Load(fmt.Appendf(nil, scatterPTX, c.base, c.index, c.space), "k.ptx", crosslane.PTX)
			if err != nil {
				t.Fatal(err)
			}
			k, _ := m.Kernel("")
			p, err := k.Why(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: 32},
				Args: []crosslane.Arg{crosslane.Slice("out", make([]uint32, 4096)), crosslane.Int(short.Of(int64(3000), 300))}}, crosslane.WhyOptions{Buffer: "out"})
			if err != nil {
				t.Fatal(err)
			}
			loads, lanes, initial := 0, 0, 0
			for i := range p.Nodes {
				n := &p.Nodes[i]
				if n.Op != "ld"+c.space+".u32" || n.Kind != crosslane.KindInstruction || len(n.Values) == 0 {
					continue
				}
				loads++
				// The values of its stores, and the places that were never stored, make up the
				// loaded value.
				want, got, missing := map[uint64]bool{}, map[uint64]bool{}, 0
				for _, e := range n.From {
					to := &p.Nodes[e.Node]
					switch {
					case e.Role != "memory":
					case to.Kind != crosslane.KindInstruction:
						missing += len(to.Elements)
					default:
						for _, l := range e.Lanes {
							want[stored(t, to, l)] = true
						}
					}
				}
				for _, b := range n.Values[0].Bits {
					if b == 0 {
						missing--
						initial++
					} else {
						got[b] = true
					}
				}
				if lanes += len(n.Values[0].Bits); !maps.Equal(got, want) || missing != 0 {
					t.Fatalf("node %d loads %v, and leads to stores of %v; %d elements more or less that nothing stored", i, n.Values[0].Bits, slices.Sorted(maps.Keys(want)), missing)
				}
			}
			if loads < short.Of(500, 30) || lanes < 31*loads || initial == 0 {
				t.Errorf("%d loads of %d lanes, %d of them of what was never stored", loads, lanes, initial)
			}
		})
	}
}

// stored is the value that a store stored in a lane.
func stored(t *testing.T, n *crosslane.ProvenanceNode, lane int) uint64 {
	for i, l := range n.Values[0].Lanes {
		if l == lane {
			return n.Values[0].Bits[i]
		}
	}
	t.Fatalf("node %d stores nothing in lane %d", n.ID, lane)
	return 0
}

// The time limit is for the answer, too, and says so; a context ends it.
func TestWhyStopped(t *testing.T) {
	m, err := crosslane.Load(fmt.Appendf(nil, scatterPTX, "%a1", "shr.u32 %r5, %r3, 20;", ".global"), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := m.Kernel("")
	launch := crosslane.Launch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{crosslane.Slice("out", make([]uint32, 4096)), crosslane.Int(short.Of(int64(1000), 200))}}
	whole := time.Now()
	if _, err := k.Why(context.Background(), launch, crosslane.WhyOptions{Buffer: "out"}); err != nil {
		t.Fatal(err)
	}
	took := time.Since(whole)
	for part := range short.Of(4, 1) { // wherever it is then
		l := launch
		l.Timeout = took * time.Duration(2*part+1) / 10
		p, err := k.Why(context.Background(), l, crosslane.WhyOptions{Buffer: "out"})
		if list := diag.Of(err); p != nil && err != nil || err != nil && (list[0].Class != diag.Timeout || list[0].Code != "timeout") {
			t.Errorf("after %v of %v: %v", l.Timeout, took, err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		time.AfterFunc(l.Timeout, cancel)
		p, err = k.Why(ctx, launch, crosslane.WhyOptions{Buffer: "out"})
		if list := diag.Of(err); p != nil && err != nil || err != nil && list[0].Code != "cancelled" {
			t.Errorf("cancelled after %v of %v: %v", l.Timeout, took, err)
		}
	}
}
