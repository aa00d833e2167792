package device_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
)

// accessBodies are kernels of one warp by what they do to their words of the buffer.
var accessBodies = []struct{ name, body string }{
	{"loads", "ld.global.u32 %r2, [%rd2];\nst.global.u32 [%rd4], %r2;\n"},
	{"stores", "st.global.u32 [%rd2], %r1;\n"},
	{"looks", "ld.volatile.global.u32 %r2, [%rd2];\nst.global.u32 [%rd4], %r2;\n"},
	{"tells", "st.relaxed.gpu.global.u32 [%rd2], %r1;\n"},
	{"tells-block", "st.relaxed.cta.global.u32 [%rd2], %r1;\n"},
	{"sums", "red.global.add.u32 [%rd2], 1;\n"},
	{"sums-one", "red.global.add.u32 [%rd1], 1;\n"},
	{"sums-block", "red.relaxed.cta.global.add.u32 [%rd2], 1;\n"},
	{"exchanges", "atom.global.exch.b32 %r2, [%rd2], %r1;\nst.global.u32 [%rd4], %r2;\n"},
	{"exchanges-block", "atom.relaxed.cta.global.exch.b32 %r2, [%rd2], %r1;\nst.global.u32 [%rd4], %r2;\n"},
	{"clears-sums", "st.global.u32 [%rd2], 0;\nbar.sync 0;\nred.global.add.u32 [%rd2], 1;\n"},
	{"sums-loads", "red.global.add.u32 [%rd2], 1;\nbar.sync 0;\nld.global.u32 %r2, [%rd2];\nst.global.u32 [%rd4], %r2;\n"},
	{"sums-looks", "red.global.add.u32 [%rd2], 1;\nbar.sync 0;\nld.relaxed.gpu.global.u32 %r2, [%rd2];\nst.global.u32 [%rd4], %r2;\n"},
	{"tells-next", "st.relaxed.gpu.global.u32 [%rd2+4], %r1;\n"},
	{"looks-tells", "ld.volatile.global.u32 %r2, [%rd2+4];\nbar.sync 0;\nst.relaxed.gpu.global.u32 [%rd2], %r2;\n"},
	{"looks-stores", "ld.volatile.global.u32 %r2, [%rd2+4];\nbar.sync 0;\nst.global.u32 [%rd2], %r2;\n"},
}

// Kernels in two streams that nothing orders race with each other, or do not because both are atomic, in the same way whether
// the launches are screened or not.
func TestScreenedStreams(t *testing.T) {
	t.Parallel()
	var src strings.Builder
	src.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n")
	for i, b := range accessBodies {
		fmt.Fprintf(&src, ".visible .entry k%d(.param .u64 a, .param .u64 b)\n{\n.reg .b32 %%r<4>;\n.reg .b64 %%rd<6>;\nld.param.u64 %%rd1, [a];\nld.param.u64 %%rd3, [b];\nmov.u32 %%r1, %%tid.x;\n"+
			"mul.wide.u32 %%rd5, %%r1, 4;\nadd.s64 %%rd2, %%rd1, %%rd5;\nadd.s64 %%rd4, %%rd3, %%rd5;\n%sret;\n}\n", i, b.body)
	}
	races := 0
	for i, a := range accessBodies {
		for j, b := range accessBodies {
			// The last one: the kernels have been launched and waited for before.
			var found [3][]string
			for n, engine := range []string{"", "interp", ""} { // launches of the interpreter are not screened
				d, err := crosslane.NewDevice("sm_80", crosslane.DeviceOptions{Check: true, NoCallers: true, Engine: engine})
				if err != nil {
					t.Fatal(err)
				}
				m := load(t, d, src.String(), "k.ptx")
				data, err := crosslane.Upload(d, "data", make([]uint32, 64))
				if err != nil {
					t.Fatal(err)
				}
				var last []func()
				for _, k := range []int{i, j} {
					s, err := d.NewNonBlockingStream()
					if err != nil {
						t.Fatal(err)
					}
					out, err := crosslane.Upload(d, "out", make([]uint32, 64))
					if err != nil {
						t.Fatal(err)
					}
					kernel, err := m.Kernel(fmt.Sprintf("k%d", k))
					if err != nil {
						t.Fatal(err)
					}
					launch := func() {
						if _, err := s.Launch(t.Context(), kernel, crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{data, out}}); err != nil {
							t.Fatal(err)
						}
					}
					for range 6 * (n / 2) {
						launch()
						if err := s.Synchronize(); err != nil {
							t.Fatal(err)
						}
					}
					last = append(last, launch)
				}
				for _, launch := range last {
					launch()
				}
				for _, f := range d.Findings() {
					found[n] = append(found[n], f.Code+": "+f.Message)
				}
			}
			if !slices.Equal(found[0], found[1]) || !slices.Equal(found[2], found[1]) {
				t.Errorf("%s beside %s: with screening %q, without %q, after other launches %q", a.name, b.name, found[0], found[1], found[2])
			}
			if len(found[1]) > 0 {
				races++
			}
		}
	}
	if n := len(accessBodies); races < n*n/2 || races > n*n-n {
		t.Errorf("%d of %d pairs race", races, n*n)
	}
}
