//go:build linux && amd64

package driver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
)

// virtualMistakes are the mistakes of virtual.c: the codes of the findings of the wrong program, and texts of the first one.
var virtualMistakes = []struct {
	name, codes string
	texts       []string
}{
	{"after_unmap", "use-after-free", []string{`inside "memory 1" (4194304 bytes), which was unmapped|it is "memory 1" (4194304 bytes), which was unmapped`, "it was unmapped here", `"memory 1" was mapped here`}},
	{"copy_after_unmap", "use-after-free", []string{`a copy to the device writes 128 bytes`, `8 bytes inside "memory 1" (2097152 bytes), which was unmapped`, "it was unmapped here"}},
	{"no_rights", "no-access", []string{`"memory 1" is mapped there, and the device has no rights to it`, `"memory 1" was mapped here`, "launched here"}},
	{"copy_no_rights", "no-access", []string{`a copy to the device writes 128 bytes`, `the device has no rights to it`}},
	{"only_read", "no-access", []string{`st.global.u32`, `it is in "reservation 1": cuMemSetAccess gave the right to read only`}},
	{"fill_only_read", "no-access", []string{`a fill writes 128 bytes`, `cuMemSetAccess gave the right to read only`}},
	{"past_mapping", "out-of-bounds", []string{`it is in "reservation 1" (4194304 bytes of addresses), and no memory is mapped there`, `"reservation 1" was reserved here`}},
	{"unmap_in_use", "freed-in-use", []string{`while kernel add in stream 1 writes bytes 0 to 127 of "reservation 1": the host has not waited for it|while kernel add in stream 1 reads bytes 0 to 127`, "the operation was enqueued here"}},
	{"never_written", "undefined-copy", []string{`4 of 4 bytes that the host reads from "reservation 1" were never written; the first is byte 2097152`}},
	{"race", "stream-race", []string{`kernel add in stream 2 reads "reservation 1", bytes 0 to 127, while kernel add in stream 1 writes them|kernel add in stream 2 writes "reservation 1", bytes 0 to 127, while kernel add in stream 1`}},
	{"leak_memory", "leak", []string{`"memory 1" (2097152 bytes) was never released`, "was created here"}},
	{"leak_mapping", "leak leak", []string{`"memory 1" (2097152 bytes) was released, but is still mapped at`}},
	{"leak_addresses", "leak", []string{`"reservation 1" (6291456 bytes) was never freed`, "was reserved here"}},
	{"release_twice", "refused-call", []string{"cuMemRelease is refused: the handle is none of memory, or one that was released"}},
}

// Each mistake with memory that the host maps is named, with the calls of the host; its twin has no finding.
func TestVirtualMistakes(t *testing.T) {
	t.Parallel()
	folder := library(t)
	program := compileLoud(t, folder, "virtual")
	for _, m := range virtualMistakes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			found, out, err := findingsOf(t, folder, api.DeviceOptions{Check: true, Skip: skipOther(m.codes)}, program, "wrong", m.name)
			if out != "0 wrong\n" {
				t.Errorf("the program: %v\n%s", err, out)
			}
			var codes []string
			for _, d := range found {
				codes = append(codes, d.Code)
			}
			if got := strings.Join(codes, " "); got != m.codes {
				t.Fatalf("found %q, want %q\n%v", got, m.codes, found)
			}
			all := fmt.Sprint(found[0].Message, found[0].Related)
			for _, want := range m.texts {
				if !slices.ContainsFunc(strings.Split(want, "|"), func(s string) bool { return strings.Contains(all, s) }) {
					t.Errorf("%q is not in\n%s", want, all)
				}
			}
			rightTwin(t, folder, program, m.name)
		})
	}
}

// A conditional node without a value, and a loop that no kernel can end, are named.
func TestConditionalMistakes(t *testing.T) {
	t.Parallel()
	folder := library(t)
	program := compileLoud(t, folder, "conditional")
	for arg, want := range map[string]string{
		"unset":   "cuGraphLaunch returns 1 (CUDA_ERROR_INVALID_VALUE): the value of a conditional node is undefined",
		"endless": "cuGraphLaunch returns 702 (CUDA_ERROR_LAUNCH_TIMEOUT): a WHILE node would never end",
	} {
		found, out, err := findingsOf(t, folder, api.DeviceOptions{Check: true}, program, arg)
		if err != nil || len(found) != 1 || found[0].Code != "refused-call" || !strings.HasPrefix(found[0].Message, want) {
			t.Errorf("%s: %v\n%s%v", arg, err, out, found)
		}
	}
}

// skipOther leaves out the leaks that follow a fault.
func skipOther(codes string) []string {
	if strings.Contains(codes, "leak") {
		return nil
	}
	return []string{"leak"}
}
