package api_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"example.org/crosslane"
)

// A chain in which each block waits for the flag of the one before it and sets its own, as scans
// with look-back do. All flags keep the clocks that they have published, which are some 2 KB for
// each block, for any number of blocks, and counts as memory.
const lookback = `
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 flag, .param .u64 data)
{
.reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;
ld.param.u64 %%rd1, [flag]; ld.param.u64 %%rd2, [data];
mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x;
setp.ne.u32 %%p1, %%r1, 0;
@%%p1 bra E;
mad.wide.u32 %%rd3, %%r2, 4, %%rd1;
mad.wide.u32 %%rd4, %%r2, 4, %%rd2;
setp.eq.u32 %%p1, %%r2, 0;
mov.u32 %%r4, 0;
@%%p1 bra F;
W:
ld.%s.u32 %%r3, [%%rd3+-4];
setp.eq.u32 %%p2, %%r3, 0;
@%%p2 bra W;
ld.global.u32 %%r4, [%%rd4+-4];
ld.global.u32 %%r5, [%%rd2];
F:
add.u32 %%r4, %%r4, 1;
st.global.u32 [%%rd4], %%r4;
st.release.gpu.global.u32 [%%rd3], 1;
E:
ret;
}
`

func TestRaceMemoryOfClocks(t *testing.T) {
	t.Parallel()
	const blocks = 8192
	for _, c := range []struct {
		load   string
		memory uint64
		want   []string
	}{
		{"acquire.gpu.global", 0, nil},
		{"acquire.gpu.global", 32 << 20, nil},
		{"acquire.gpu.global", 8 << 20, []string{"race-limit"}},
		{"relaxed.gpu.global", 0, []string{"race-global"}},
	} {
		m, err := crosslane.Load(fmt.Appendf(nil, lookback, c.load), "k.ptx", crosslane.PTX)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		res, err := k.Check(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: blocks}, Block: crosslane.Dim3{X: 32}, RaceMemory: c.memory,
			Args: []crosslane.Arg{crosslane.NewBuffer("flag", crosslane.U32, blocks), crosslane.NewBuffer("data", crosslane.U32, blocks)}, Skip: []string{"schedule-dependent"}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range res.Findings {
			got = append(got, d.Code)
		}
		if got = slices.Compact(got); !slices.Equal(got, c.want) {
			t.Errorf("%s, %d bytes: %q, want %q", c.load, c.memory, got, c.want)
		}
	}
}
