package device_test

import (
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
)

// Why explains an element of an allocation and a value of a line by the memory that earlier launches left, and leaves
// the memory, its undefined bits and the findings as they are.
func TestDeviceWhy(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o crosslane.DeviceOptions) {
		h := newHost(t, o)
		p := h.alloc("numbers", 128)
		h.must(h.launch(h.DefaultStream(), "fill", p, crosslane.Int(32), crosslane.Int(7)))
		l := crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{p, crosslane.Int(32)}}
		for range 2 {
			a, err := h.Why(t.Context(), h.kernel("bump"), l, crosslane.WhyOptions{Buffer: "numbers", Index: 5, Lane: -1, Warp: -1})
			h.must(err)
			text := a.Text(crosslane.WhyView{})
			for _, want := range []string{"numbers[5] = 8", "lane 5", "↑ numbers[5] = 7"} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in\n%s", want, text)
				}
			}
		}
		if got := h.words(p, 32); !slices.Equal(got, repeat(7, 32)) {
			t.Errorf("the memory is %v after Why", got)
		}
		h.must(h.launch(h.DefaultStream(), "bump", p, crosslane.Int(32)))
		if got := h.words(p, 32); !slices.Equal(got, repeat(8, 32)) {
			t.Errorf("a later launch makes %v", got)
		}
		q := h.alloc("unwritten", 128)
		l.Args[0] = q
		a, err := h.Why(t.Context(), h.kernel("bump"), l, crosslane.WhyOptions{Buffer: "unwritten", Index: 3, Lane: -1, Warp: -1})
		h.must(err)
		if a.Undefined != o.Check {
			t.Errorf("undefined: %t", a.Undefined)
		}
		if _, err := h.Why(t.Context(), h.kernel("bump"), l, crosslane.WhyOptions{Buffer: "nothing"}); err == nil || !strings.Contains(err.Error(), `there is no buffer "nothing" (there are: `) || !strings.Contains(err.Error(), "numbers, ") {
			t.Errorf("%v", err)
		}
		if _, err := h.Why(t.Context(), nil, l, crosslane.WhyOptions{Line: 1}); err == nil {
			t.Error("a launch of no kernel is explained")
		}
		h.must(h.Free(p), h.Free(q))
		h.only("bad-handle")
	})
}
