package crosslane_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"crosslane"
)

// longPTX computes round after round, from the value before and from a counter that is a
// chain itself.
const longPTX = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 %r<8>;
	.reg .pred %p;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [out];
	ld.param.u32 %r4, [n];
	mov.u32 %r1, 0;
	mov.u32 %r2, 1;
loop:
	mad.lo.u32 %r2, %r2, %r1, 7;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p, %r1, %r4;
	@%p bra loop;
	st.global.u32 [%d1], %r2;
	ret;
}
`

func whyLong(t *testing.T, rounds int64) string {
	t.Helper()
	m, err := crosslane.Load([]byte(longPTX), "long.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("")
	if err != nil {
		t.Fatal(err)
	}
	out := crosslane.Slice("out", make([]uint32, 1))
	p, err := k.Why(context.Background(), crosslane.Launch{
		Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 1}, Args: []crosslane.Arg{out, crosslane.Int(rounds)},
	}, crosslane.WhyOptions{Buffer: "out", Index: 0})
	if err != nil {
		t.Fatal(err)
	}
	return p.Text(crosslane.WhyView{})
}

// Chains of many rounds that hang on each other are folded in a time that grows as they do.
func TestWhyLongChains(t *testing.T) {
	start := time.Now()
	text := whyLong(t, 60_000)
	if !strings.Contains(text, "59998 more of the same: mad.lo.u32") || !strings.Contains(text, "mov.u32 %r2, 1") {
		t.Errorf("not folded down to the beginning:\n%s", text)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
}

// What is too long to follow ends with the limit, not as if nothing were there.
func TestWhyEndsAtLimit(t *testing.T) {
	text := whyLong(t, 150_000)
	if !strings.Contains(text, "more than 200000 steps: not followed further") {
		t.Errorf("no limit is named:\n%s", text)
	}
}
