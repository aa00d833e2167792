package api_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane"
)

// storageText is a module with a kernel that writes all kinds of a block's memory, and one that
// reads that memory without having written it.
func storageText() string {
	return `.version 8.1
.target sm_90
.address_size 64
.visible .entry dirty(.param .u64 out)
{
.reg .b32 %r<40>;
.reg .b64 %rd<8>;
.reg .pred %p<2>;
.shared .align 4 .b8 s[4096];
.local .align 4 .b8 l[256];
mov.u32 %r1, %tid.x;
` + lines(38, func(i int) string { return fmt.Sprintf("add.u32 %%r%d, %%r1, 0x7ead0000;\n", i+2) }) + `
and.b32 %r1, %r1, 1023;
mul.wide.u32 %rd1, %r1, 4;
mov.u64 %rd2, s;
add.u64 %rd3, %rd2, %rd1;
st.shared.u32 [%rd3], %r5;
` + lines(64, func(i int) string { return fmt.Sprintf("st.local.u32 [l+%d], %%r6;\n", 4*i) }) + `
ld.param.u64 %rd0, [out];
add.u64 %rd0, %rd0, %rd1;
st.global.u32 [%rd0], %r39;
ret;
}
.visible .entry look(.param .u64 out)
{
.reg .b32 %r<48>;
.reg .b64 %rd<8>;
.shared .align 4 .b8 s2[4096];
.local .align 4 .b8 l2[256];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd1, %r1, 4;
mov.u64 %rd2, s2;
add.u64 %rd3, %rd2, %rd1;
ld.shared.u32 %r45, [%rd3];
` + lines(40, func(i int) string { return fmt.Sprintf("or.b32 %%r45, %%r45, %%r%d;\n", i+2) }) +
		lines(64, func(i int) string {
			return fmt.Sprintf("ld.local.u32 %%r46, [l2+%d];\nor.b32 %%r45, %%r45, %%r46;\n", 4*i)
		}) + `
ld.param.u64 %rd0, [out];
add.u64 %rd0, %rd0, %rd1;
st.global.u32 [%rd0], %r45;
ret;
}
`
}

func lines(n int, line func(i int) string) string {
	var s strings.Builder
	for i := range n {
		s.WriteString(line(i))
	}
	return s.String()
}

// TestLaunchMemory launches kernels of one module one after another, and at the same time:
// they use each other's memory, and see nothing of it.
func TestLaunchMemory(t *testing.T) {
	t.Parallel()
	for _, engine := range crosslane.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			m, err := crosslane.Load([]byte(storageText()), "storage.ptx", crosslane.PTX)
			if err != nil {
				t.Fatal(err)
			}
			// run returns the values that a kernel has stored.
			run := func(name string, lanes, blocks uint32) ([]uint32, error) {
				out := make([]uint32, 1024)
				k, err := m.Kernel(name)
				if err != nil {
					return nil, err
				}
				_, err = k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: blocks}, Block: crosslane.Dim3{X: lanes}, Args: []crosslane.Arg{crosslane.Slice("out", out)}, Engine: engine, Workers: 1})
				return out, err
			}
			one := func(lanes, blocks uint32) error {
				for range 2 {
					got, err := run("dirty", lanes, blocks)
					if err != nil {
						return err
					}
					for i, x := range got[:lanes] {
						if want := 0x7ead0000 + uint32(i); x != want {
							return fmt.Errorf("dirty: element %d is %#x, want %#x", i, x, want)
						}
					}
					got, err = run("look", lanes, blocks)
					if err != nil {
						return err
					}
					if i := slices.IndexFunc(got, func(x uint32) bool { return x != 0 }); i >= 0 {
						return fmt.Errorf("look: element %d is %#x", i, got[i])
					}
				}
				return nil
			}
			for _, shape := range [][2]uint32{{256, 1}, {40, 1}, {1024, 3}, {256, 2}, {32, 1}} {
				if err := one(shape[0], shape[1]); err != nil {
					t.Errorf("%v: %v", shape, err)
				}
			}
			var wg sync.WaitGroup
			for i := range 2 * runtime.GOMAXPROCS(0) {
				wg.Go(func() {
					for range 8 {
						if err := one(uint32(64+32*i), 1); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}
