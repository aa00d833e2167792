package api_test

import (
	"context"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// Kernels that never end, each in a way of its own.
var endless = map[string]string{
	"loop": `
L:	add.u32 %r1, %r1, 1;
	bra L;`,
	"two fragments": `
	setp.lt.u32 %p1, %r0, 7;
	@%p1 bra M;
L:	add.u32 %r1, %r1, 1;
	bra L;
M:	add.u32 %r1, %r1, 2;
	bra M;`,
	"barriers": `
L:	add.u32 %r1, %r1, 1;
	bar.sync 0;
	bra L;`,
}

// TestEndless stops kernels that never end by the time limit of the launch, by the deadline of the
// caller and by cancelling. In WebAssembly all of that and the kernel share one thread.
func TestEndless(t *testing.T) {
	for name, body := range endless {
		m, err := crosslane.Load([]byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .pred %p<2>;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, 0;"+body+"\n}\n"), "endless.ptx", crosslane.PTX)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range crosslane.Engines() {
			l := crosslane.Launch{Block: crosslane.Dim3{X: 64}, Engine: engine}
			ends := func(how string, code string, l crosslane.Launch, ctx context.Context) {
				t.Helper()
				_, err := k.Run(ctx, l)
				if list := diag.Of(err); len(list) != 1 || list[0].Code != code {
					t.Errorf("%s, %s, %s: %v, want %s", name, engine, how, err, code)
				}
			}
			limited := l
			limited.Timeout = 50 * time.Millisecond
			ends("time limit", "timeout", limited, t.Context())
			late, done := context.WithTimeout(t.Context(), 50*time.Millisecond)
			ends("deadline", "timeout", l, late)
			done()
			broken, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			ends("cancelled", "cancelled", l, broken)
			cancel()
		}
	}
}
