//go:build linux && amd64

package driver

import (
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
)

// A livelock names the call in which the host waits for the kernel, and the line of the call if the server knows it.
func TestLivelockNamesTheHost(t *testing.T) {
	t.Parallel()
	folder := library(t)
	program := compileLoud(t, folder, "stalls")
	for what, want := range map[string]string{
		"same":    "it waits for the stream in a copy to the device that comes after the kernel",
		"default": "it waits for the stream in a copy to the device that comes after the kernel",
		"nothing": "it waits for the stream in a call that waits for the stream",
	} {
		for _, check := range []bool{false, true} {
			found, out, err := findingsOf(t, folder, api.DeviceOptions{Check: check, Skip: []string{"leak"}}, program, what)
			if err != nil || len(found) != 1 {
				t.Fatalf("%s: %v %v\n%s", what, found, err, out)
			}
			if !slices.ContainsFunc(found[0].Related, func(r diag.Related) bool {
				return strings.Contains(r.Message, want) && (!check || strings.HasSuffix(r.Pos.File, "stalls.c"))
			}) {
				t.Errorf("%s, check %t: %v", what, check, found[0].Related)
			}
		}
	}
}

// A host that waits for the launch itself cannot help the kernel: that is a livelock at once.
func TestLivelockOfSeenLaunch(t *testing.T) {
	t.Parallel()
	for _, check := range []bool{false, true} {
		var found collector
		_, path := server(t, Options{Device: api.DeviceOptions{Check: check, Skip: []string{"race-global"}}, Report: found.report})
		h := connect(t, path)
		fn := h.function(h.number(CallLoad, "k.ptx", waiter), "wait")
		p := h.number(CallAlloc, 8, 0, uint32(0))
		h.ok(CallSet, 0, p, []byte{0, 0, 0, 0}, 2)
		if s, _, _ := h.call(CallLaunchSeen, launch(fn, 1, p)...); s != LaunchTimeout {
			t.Errorf("check %t: status %d, want %d", check, s, LaunchTimeout)
		}
		if got := found.codes(); !slices.Contains(got, "livelock") {
			t.Errorf("check %t: found %v", check, got)
		}
	}
}
