package api_test

import (
	"context"
	"slices"
	"testing"

	"example.org/crosslane"
)

// counting is a kernel that counts to its argument. Because of activemask its checks are not screened.
const counting = `.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u32 n)
{
	.reg .u32 %r<4>;
	.reg .pred %p;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 0;
	activemask.b32 %r3;
more:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, %r1;
	@%p bra more;
	ret;
}
`

// TestCheckEngine: code that follows undefined bits runs as machine code if that is asked
// for; auto leaves it to the interpreter.
func TestCheckEngine(t *testing.T) {
	t.Parallel()
	if !slices.Contains(crosslane.Engines(), "jit") {
		t.Skip("no machine code runs here")
	}
	for engine, want := range map[string]string{"auto": "interp", "jit": "jit"} {
		m, err := crosslane.Load([]byte(counting), "k.ptx", crosslane.PTX)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		l := crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{crosslane.Scalar{Text: "200000"}}, Engine: engine}
		res, err := k.Check(context.Background(), l)
		if err != nil || res.Stats.Engine != want {
			t.Errorf("engine %s: Check ran on %+v, %v", engine, res, err)
		}
		if res, err = k.Run(context.Background(), l); err != nil || res.Stats.Engine != "jit" {
			t.Errorf("engine %s: Run ran on %+v, %v", engine, res, err)
		}
	}
}
