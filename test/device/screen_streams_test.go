package device_test

import (
	"errors"
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
	{"lines", "mul.wide.u32 %rd5, %r1, 8;\nadd.s64 %rd5, %rd1, %rd5;\nmov.u32 %r3, 0;\n{\n.reg .pred %q;\nL:\nld.global.u32 %r2, [%rd5];\nadd.s64 %rd5, %rd5, 4;\nadd.u32 %r3, %r3, 1;\n" +
		"setp.lt.u32 %q, %r3, 2;\n@%q bra L;\n}\nst.global.u32 [%rd4], %r2;\n"},
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

// The accesses of a launch may be listed later, by another run of it, but before anything changes the words that it has loaded.
func TestListedLater(t *testing.T) {
	t.Parallel()
	const src = ".version 8.0\n.target sm_80\n.address_size 64\n" +
		// out[i] = data[at[0] + i]
		".visible .entry look(.param .u64 at, .param .u64 data, .param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [at];\nld.param.u64 %rd2, [data];\nld.param.u64 %rd3, [out];\n" +
		"mov.u32 %r1, %tid.x;\nld.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, %r1;\nmul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd4, %rd2, %rd4;\nld.global.u32 %r3, [%rd4];\n" +
		"mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd5, %rd3, %rd5;\nst.global.u32 [%rd5], %r3;\nret;\n}\n" +
		// out[i] = data[at[i]]; at[i] += 32
		".visible .entry step(.param .u64 at, .param .u64 data, .param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [at];\nld.param.u64 %rd2, [data];\nld.param.u64 %rd3, [out];\n" +
		"mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd1, %rd1, %rd5;\nadd.s64 %rd3, %rd3, %rd5;\nld.global.u32 %r2, [%rd1];\nmul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd4, %rd2, %rd4;\n" +
		"ld.global.u32 %r3, [%rd4];\nst.global.u32 [%rd3], %r3;\nadd.u32 %r2, %r2, 32;\nst.global.u32 [%rd1], %r2;\nret;\n}\n"
	for _, c := range []struct {
		name  string
		warm  int
		next  uint64 // of the copy: the first word of data that it writes
		waits bool
		frees bool // at is freed in between
		step  bool // the kernel moves its index
		why   bool // a launch is explained in between
		skips bool // a launch that is not checked comes in between
		want  string
	}{
		{name: "the same words", next: 32, want: "bytes 128 to 255"},
		{name: "the same words, after other launches", warm: 5, next: 32, want: "bytes 128 to 255"},
		{name: "half of them", warm: 5, next: 48, want: "bytes 192 to 255"},
		{name: "other words", warm: 5, next: 0},
		{name: "words that a later launch would load", warm: 5, next: 64},
		{name: "waited for", warm: 5, next: 32, waits: true},
		{name: "an index that the launch moves", warm: 5, next: 192, step: true, want: "bytes 768 to 895"},
		{name: "where the index was moved to", warm: 5, next: 224, step: true},
		{name: "where the index was before", warm: 5, next: 160, step: true},
		{name: "an index that the launch moves, and another launch explained", warm: 5, next: 192, step: true, why: true, want: "bytes 768 to 895"},
		{name: "where an explained launch looks", warm: 5, next: 224, step: true, why: true},
		{name: "an index that an unchecked launch moves", warm: 5, next: 32, skips: true, want: "bytes 128 to 255"},
		{name: "where an unchecked launch moves the index", warm: 5, next: 64, skips: true},
		{name: "the index is freed", warm: 5, next: 32, frees: true, want: "bytes 128 to 255"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			unchecked := false
			d, err := crosslane.NewDevice("sm_80", crosslane.DeviceOptions{Check: true, NoCallers: true, Checks: func(string) bool { return !unchecked }})
			if err != nil {
				t.Fatal(err)
			}
			m := load(t, d, src, "k.ptx")
			name := "look"
			if c.step {
				name = "step"
			}
			kernel, err := m.Kernel(name)
			if err != nil {
				t.Fatal(err)
			}
			upload := func(name string, words ...uint32) crosslane.DevicePtr {
				p, err := crosslane.Upload(d, name, words)
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			var index []uint32
			for i := range uint32(32) {
				index = append(index, 32+i)
			}
			at, data, out := upload("at", index...), upload("data", make([]uint32, 512)...), upload("out", make([]uint32, 32)...)
			one, err1 := d.NewNonBlockingStream()
			two, err2 := d.NewNonBlockingStream()
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			launch := func() {
				if _, err := one.Launch(t.Context(), kernel, crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{at, data, out}}); err != nil {
					t.Fatal(err)
				}
			}
			for range c.warm {
				launch()
				if err := one.Synchronize(); err != nil {
					t.Fatal(err)
				}
			}
			launch()
			switch {
			case c.waits:
				err = one.Synchronize()
			case c.frees:
				err = one.Free(at)
			case c.why:
				_, err = d.Why(t.Context(), kernel, crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{at, data, out}}, crosslane.WhyOptions{Buffer: "out", Lane: -1})
			case c.skips:
				unchecked = true
				if kernel, err = m.Kernel("step"); err == nil {
					launch()
				}
			case c.step:
			default: // the next launch of the stream would look elsewhere
				err = one.Write(at, []byte{64, 0, 0, 0})
			}
			if err == nil {
				err = two.Write(data+crosslane.DevicePtr(4*c.next), make([]byte, 128))
			}
			if err != nil {
				t.Fatal(err)
			}
			list := d.Findings()
			if c.want == "" && len(list) > 0 || c.want != "" && (len(list) != 1 || !strings.Contains(list[0].Message, c.want)) {
				t.Errorf("found %v, want %q", list, c.want)
			}
			if !c.step {
				return
			}
			var now [4]byte
			if err := one.Read(now[:], at); err != nil || now[0] != byte(32+32*(c.warm+1)) {
				t.Errorf("%v: the index is %d after %d launches", err, now[0], c.warm+1)
			}
		})
	}
}
