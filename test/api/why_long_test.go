package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/internal/short"
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
	rounds := short.Of(60_000, 6_000)
	text := whyLong(t, int64(rounds))
	if !strings.Contains(text, fmt.Sprintf("%d more of the same: mad.lo.u32", rounds-2)) || !strings.Contains(text, "mov.u32 %r2, 1") {
		t.Errorf("not folded down to the beginning:\n%s", text)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
}

// A value that is too long to follow ends with the limit, not as if there were no history.
func TestWhyEndsAtLimit(t *testing.T) {
	short.Skip(t, "the limit is 200,000 steps; TestWhyLongChains follows a shorter chain")
	text := whyLong(t, 150_000)
	if !strings.Contains(text, "more than 200000 steps: not followed further") {
		t.Errorf("no limit is named:\n%s", text)
	}
}

// A value that depends on a million instructions, each of which reads the results of other lanes,
// is followed and drawn.
func TestWhyMillion(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n)\n{\n\t.reg .b32 %r<66>;\n\t.reg .pred %p;\n\t.reg .b64 %d;\n\tld.param.u64 %d, [out];\n\tld.param.u32 %r65, [n];\n\tmov.u32 %r64, 0;\n")
	for i := range 64 {
		fmt.Fprintf(&b, "\tmov.u32 %%r%d, %d;\n", i, i+1)
	}
	b.WriteString("loop:\n")
	for i := range 400 {
		fmt.Fprintf(&b, "\tmad.lo.u32 %%r%d, %%r%d, %d, %%r%d;\n", i%64, i*7%64, 2*i+1, (i*13+5)%64)
	}
	b.WriteString("\tadd.u32 %r64, %r64, 1;\n\tsetp.lt.u32 %p, %r64, %r65;\n\t@%p bra loop;\n\tst.global.u32 [%d], %r7;\n\tret;\n}\n")
	rounds := short.Of(2500, 20)
	var r [64]uint32
	for i := range r {
		r[i] = uint32(i + 1)
	}
	for range rounds {
		for i := range 400 {
			r[i%64] = r[i*7%64]*uint32(2*i+1) + r[(i*13+5)%64]
		}
	}
	m, err := crosslane.Load([]byte(b.String()), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := m.Kernel("")
	p, err := k.Why(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: 32},
		Args: []crosslane.Arg{crosslane.Slice("out", make([]uint32, 1)), crosslane.Int(int64(rounds))}}, crosslane.WhyOptions{Buffer: "out"})
	if err != nil {
		t.Fatal(err)
	}
	if text, want := p.Text(crosslane.WhyView{}), fmt.Sprintf("out[0] = %d (%#x)\n", r[7], r[7]); !strings.HasPrefix(text, want) || !strings.Contains(text, "Folded to") || strings.Count(text, "\n") > 62 {
		t.Errorf("want %q first:\n%s", want, text)
	}
	if want := min(rounds*350, 200_000); len(p.Nodes) < want { // the last rounds write values that nothing reads
		t.Errorf("%d nodes of %d", len(p.Nodes), want)
	}
	if len(p.SVG(crosslane.WhyView{})) > 1<<20 {
		t.Errorf("the picture has more than a MB")
	}
}
