//go:build !js

package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/jit/isa"
)

// spinning is a kernel that counts to its argument.
const spinning = `.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u32 n)
{
	.reg .u32 %r<3>;
	.reg .pred %p;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 0;
loop:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, %r1;
	@%p bra loop;
	ret;
}
`

func TestEngineRefused(t *testing.T) {
	t.Parallel()
	run := func(engine string, native api.Native, n string) (*api.Result, error) {
		m, err := Load([]byte(spinning), "k.ptx", api.PTX)
		if err != nil {
			t.Fatal(err)
		}
		m.native.arena = exec.Refusing(errors.New("not in this house"))
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		return k.Run(context.Background(), api.Launch{Grid: api.Dim3{X: 1}, Block: api.Dim3{X: 32}, Args: []api.Arg{api.Scalar{Text: n}}, Engine: engine, Native: native})
	}
	why := "no executable memory: not in this house"
	if exec.Detect().Best == isa.None {
		why = "machine code needs"
	}
	for _, engine := range []string{"", "auto"} {
		res, err := run(engine, "", "10")
		if err != nil || res.Stats.Engine != "interp" || !strings.Contains(res.Stats.Fallback, why) {
			t.Errorf("engine %q: %+v, %v", engine, res, err)
		}
		res, err = run(engine, api.NativeOff, "10")
		if err != nil || res.Stats.Fallback != "" {
			t.Errorf("engine %q, switched off: %+v, %v", engine, res, err)
		}
	}
	if res, err := run("interp", "", "10"); err != nil || res.Stats.Fallback != "" {
		t.Errorf("interp: %+v, %v", res, err)
	}
	for _, test := range []struct {
		engine string
		native api.Native
		code   string
		want   string
	}{
		{"jit", "", "bad-engine", why},
		{"jit", api.NativeOff, "bad-engine", "machine code is switched off"},
		{"cuda", "", "bad-engine", `there is no engine "cuda" here`},
		{"auto", "sse", "bad-launch", `machine code cannot be "sse"`},
	} {
		_, err := run(test.engine, test.native, "10")
		list := diag.Of(err)
		if len(list) != 1 || list[0].Code != test.code || !strings.Contains(list[0].Message, test.want) {
			t.Errorf("%s %s: %v", test.engine, test.native, err)
		}
	}
	if list := Engines(); !slices.Contains(list, "interp") {
		t.Errorf("the engines are %v", list)
	}
}

// TestNoRoomForCode: a kernel for whose machine code there is no room runs on the
// interpreter, although the native engine was asked for, and that is told.
func TestNoRoomForCode(t *testing.T) {
	t.Parallel()
	m, err := Load([]byte(spinning), "k.ptx", api.PTX)
	if err != nil {
		t.Fatal(err)
	}
	e, err := jit.New(jit.Options{Code: 64})
	if err != nil {
		t.Skip(err)
	}
	m.native.once.Do(func() { m.native.e = e })
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	res, err := k.Run(context.Background(), api.Launch{Block: api.Dim3{X: 32}, Args: []api.Arg{api.Scalar{Text: "10"}}, Engine: "jit"})
	if err != nil {
		t.Fatal(err)
	}
	if s := res.Stats; s.Engine != "interp" || s.Native != 0 || !strings.Contains(s.Fallback, "more machine code than is kept") {
		t.Errorf("%+v", s)
	}
}
