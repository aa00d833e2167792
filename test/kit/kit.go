// Package kit makes PTX kernels of short bodies and launches them, for tests of the API.
package kit

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
)

// Launch runs the only kernel of a PTX text on u32 buffers, which it changes.
func Launch(t *testing.T, src string, l crosslane.Launch, bufs ...[]uint32) (*crosslane.Result, error) {
	t.Helper()
	return Load(t, src, &l, bufs...).Run(context.Background(), l)
}

// Load returns the only kernel of a PTX text, and completes a launch of it on u32 buffers.
func Load(t *testing.T, src string, l *crosslane.Launch, bufs ...[]uint32) *crosslane.Kernel {
	t.Helper()
	m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("")
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range bufs {
		l.Args = append(l.Args, crosslane.Slice(fmt.Sprint("buf", i), b))
	}
	if l.Timeout == 0 {
		l.Timeout = 20 * time.Second
	}
	return k
}

// Kernel wraps a body: %p0, %p1 … are the addresses of the buffers, and %bid, %nb, %tid and
// %lane have the values that their names suggest.
func Kernel(target string, params int, body string) string {
	var ps, ld []string
	for i := range params {
		ps = append(ps, fmt.Sprintf(".param .u64 a%d", i))
		ld = append(ld, fmt.Sprintf("\tld.param.u64 %%p%d, [a%d];", i, i))
	}
	return ".version 8.0\n.target " + target + "\n.address_size 64\n.visible .entry k(" + strings.Join(ps, ", ") + ")\n{\n" +
		"\t.reg .b32 %r<64>, %bid, %nb, %id, %lane;\n\t.reg .b64 %rd<32>, %p<4>;\n\t.reg .pred %q<16>;\n" +
		"\t.shared .align 8 .b32 sm[64];\n" + strings.Join(ld, "\n") +
		"\n\tmov.u32 %bid, %ctaid.x;\n\tmov.u32 %nb, %nctaid.x;\n\tmov.u32 %id, %tid.x;\n\tmov.u32 %lane, %laneid;\n" + body + "\n\tret;\n}\n"
}
