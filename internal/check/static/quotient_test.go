package static

import (
	"context"
	"strings"
	"testing"

	"example.org/crosslane/ptx"
)

// The number of a warp by signed division is no evidence that lanes part, and neither is a loop that all lanes may leave together.
// Other divisors, other biases, and loops whose number of rounds is that of the lane are evidence.
func TestQuotients(t *testing.T) {
	t.Parallel()
	const quotient = `
	mad.lo.s32 %r3, %r2, 32, %r1; // k·32 + lane
	shr.s32 %r4, %r3, 31;
	shr.u32 %r5, %r4, 27;
	add.s32 %r6, %r3, %r5;
	shr.s32 %r7, %r6, 5;
`
	const branch = `
	setp.lt.s32 %p1, %r7, 7;
	@%p1 bra E;
	shfl.sync.idx.b32 %r2, %r2, 0, 31, -1;
`
	const rounds = `
	mov.b32 %r8, %r2;
L:
	add.s32 %r8, %r8, 3;
	sub.s32 %r7, %r7, 1;
	setp.gt.s32 %p1, %r7, 0;
	@%p1 bra L;
	setp.eq.s32 %p1, %r8, 9;
	@%p1 bra E;
	shfl.sync.idx.b32 %r2, %r2, 0, 31, -1;
`
	const nested = `
	mov.b32 %r8, %r2;
M:
	mov.b32 %r9, %r7;
L:
	add.s32 %r8, %r8, 3;
	sub.s32 %r9, %r9, 1;
	setp.gt.s32 %p1, %r9, 0;
	@%p1 bra L;
	sub.s32 %r1, %r1, 1;
	setp.gt.s32 %p1, %r1, 0;
	@%p1 bra M;
	setp.eq.s32 %p1, %r8, 9;
	@%p1 bra E;
	shfl.sync.idx.b32 %r2, %r2, 0, 31, -1;
`
	for name, test := range map[string]struct {
		body  string
		warns bool
	}{
		"a quotient":                       {quotient + branch, false},
		"a multiple below the number":      {strings.Replace(quotient, "shr.s32 %r7, %r6, 5", "and.b32 %r7, %r6, -32", 1) + branch, false},
		"the mask first":                   {strings.Replace(quotient, "shr.s32 %r7, %r6, 5", "and.b32 %r7, -32, %r6", 1) + branch, false},
		"the bias first":                   {strings.Replace(quotient, "add.s32 %r6, %r3, %r5", "add.s32 %r6, %r5, %r3", 1) + branch, false},
		"of 64 bits":                       {strings.NewReplacer("shr.s32 %r4, %r3, 31", "cvt.s64.s32 %d1, %r3;\n\tshr.s64 %d2, %d1, 63", "shr.u32 %r5, %r4, 27", "shr.u64 %d2, %d2, 59", "add.s32 %r6, %r3, %r5", "add.s64 %d1, %d1, %d2", "shr.s32 %r7, %r6, 5", "shr.s64 %d1, %d1, 5;\n\tcvt.u32.u64 %r7, %d1").Replace(quotient) + branch, false},
		"a loop of that many rounds":       {quotient + rounds, false},
		"a remainder":                      {strings.Replace(quotient, "shr.s32 %r7, %r6, 5", "and.b32 %r7, %r6, 31", 1) + branch, true},
		"a quotient by 16":                 {strings.NewReplacer(" 27;", " 28;", "%r6, 5;", "%r6, 4;").Replace(quotient) + branch, true},
		"a bias for 16":                    {strings.Replace(quotient, " 27;", " 28;", 1) + branch, true},
		"rounded up":                       {strings.Replace(quotient, "shr.u32 %r5, %r4, 27", "add.u32 %r5, %r2, 3", 1) + branch, true},
		"of other multiples":               {strings.Replace(quotient, "%r2, 32, %r1", "%r2, 16, %r1", 1) + branch, true},
		"the sign of another number":       {strings.Replace(quotient, "shr.s32 %r4, %r3, 31", "shr.s32 %r4, %r2, 31", 1) + branch, true},
		"a loop of the lane's rounds":      {"\tmov.b32 %r7, %r1;\n" + rounds, true},
		"within a loop of the lane's":      {quotient + nested, true},
		"a loop of the argument's rounds":  {"\tmov.b32 %r7, %r2;\n" + rounds, false},
		"a quotient that is only computed": {quotient + "\tshfl.sync.idx.b32 %r2, %r2, 0, 31, -1;\n", false},
	} {
		text := ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n\t.reg .b32 %r<10>; .reg .b64 %d<3>;\n\t.reg .pred %p<2>;\n" +
			"\tmov.u32 %r1, %laneid;\n\tld.param.u32 %r2, [n];\n" + test.body + "E:\n\tret;\n}\n"
		m, errs := ptx.Parse("k.ptx", text)
		if err := errs.Err(); err != nil {
			t.Fatal(err)
		}
		k, err := ptx.Lift(m, "k")
		if err != nil {
			t.Fatal(err)
		}
		r := Check(context.Background(), k.Func, Options{})
		warned := false
		for _, d := range r.Findings {
			warned = warned || d.Code == "divergent-sync"
		}
		if warned != test.warns {
			t.Errorf("%s: warned %t\n%v\n%s", name, warned, r.Findings, text)
		}
		// A negative number of the warp parts its lanes, so nothing is proved.
		if strings.Contains(test.body, "bra E") && name != "a loop of the argument's rounds" && r.Proved != 0 {
			t.Errorf("%s: proved", name)
		}
	}
}
