package static

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/ptx"
)

// shapes are kernels of about n instructions that might cost more than their size.
var shapes = []struct {
	name string
	body func(n int) string
}{
	{"straight", func(n int) string {
		return strings.Repeat("\tadd.u32 %r2, %r1, %r2;\n\tmad.lo.u32 %r3, %r2, 4, %r1;\n\txor.b32 %r4, %r3, %r2;\n\tshfl.sync.bfly.b32 %r5, %r4, 1, 31, -1;\n", n/4)
	}},
	{"branches", func(n int) string {
		var b strings.Builder
		for i := range n / 4 {
			fmt.Fprintf(&b, "\tsetp.lt.u32 %%p1, %%r2, %%r1;\n\t@%%p1 bra L%d;\n\tadd.u32 %%r2, %%r2, %%r1;\nL%d:\n\txor.b32 %%r3, %%r2, %%r1;\n", i, i)
		}
		return b.String()
	}},
	{"exits", func(n int) string { // every branch leads to the end
		return strings.Repeat("\tsetp.lt.u32 %p1, %r2, %r1;\n\t@%p1 bra E;\n\tadd.u32 %r2, %r2, %r1;\n\txor.b32 %r3, %r2, %r1;\n", n/4)
	}},
	{"nest", func(n int) string { // branches in branches
		var b strings.Builder
		for i := range n / 4 {
			fmt.Fprintf(&b, "\tsetp.lt.u32 %%p1, %%r2, %%r1;\n\t@%%p1 bra L%d;\n\tadd.u32 %%r2, %%r2, %%r1;\n\txor.b32 %%r3, %%r2, %%r1;\n", i)
		}
		for i := n/4 - 1; i >= 0; i-- {
			fmt.Fprintf(&b, "L%d:\n", i)
		}
		return b.String()
	}},
	{"loops", func(n int) string { // loops one after another
		var b strings.Builder
		for i := range n / 4 {
			fmt.Fprintf(&b, "L%d:\n\tadd.u32 %%r2, %%r2, %%r1;\n\txor.b32 %%r3, %%r2, %%r1;\n\tsetp.lt.u32 %%p1, %%r2, %%r3;\n\t@%%p1 bra L%d;\n", i, i)
		}
		return b.String()
	}},
	{"deep", func(n int) string { // loops in loops
		var b strings.Builder
		for i := range n / 4 {
			fmt.Fprintf(&b, "L%d:\n\tadd.u32 %%r2, %%r2, %%r1;\n", i)
		}
		for i := n/4 - 1; i >= 0; i-- {
			fmt.Fprintf(&b, "\txor.b32 %%r3, %%r2, %%r1;\n\tsetp.lt.u32 %%p1, %%r2, %%r3;\n\t@%%p1 bra L%d;\n", i)
		}
		return b.String()
	}},
	{"registers", func(n int) string { // many registers that are written on both sides
		var b strings.Builder
		k := n / 8
		for i := range k {
			fmt.Fprintf(&b, "\tsetp.lt.u32 %%p1, %%r1, %%r2;\n\t@%%p1 bra L%d;\n\tmov.u32 %%x%d, %%r1;\n\tbra M%d;\nL%d:\n\tmov.u32 %%x%d, 5;\nM%d:\n", i, i, i, i, i, i)
		}
		for i := range k {
			fmt.Fprintf(&b, "\tadd.u32 %%r2, %%r2, %%x%d;\n", i)
		}
		return b.String()
	}},
}

// TestManyWays: a block with many incoming edges and many registers is given up, soundly.
func TestManyWays(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	t.Parallel()
	const n = 6000
	f := shape(t, 8*n, func(int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "\tmov.u32 %%x%d, %d;\n\tsetp.lt.u32 %%p1, %%r2, %%r1;\n\t@%%p1 bra J;\n", i, i)
		}
		b.WriteString("J:\n")
		for i := range n {
			fmt.Fprintf(&b, "\tadd.u32 %%r2, %%r2, %%x%d;\n", i)
		}
		return b.String()
	})
	r := Check(context.Background(), f, Options{})
	if len(r.Findings) == 0 || r.Findings[0].Code != "not-followed" {
		t.Errorf("%v", r.Findings)
	}
}

func shape(t testing.TB, n int, body func(int) string) *ir.Func {
	src := ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\t.reg .b32 %r<9>, %x<" + fmt.Sprint(n/8+1) + ">;\n\t.reg .pred %p<2>;\n" +
		"\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, 0;\n" + body(n) + "E:\n\tret;\n}\n"
	m, errs := ptx.Parse("k.ptx", src)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	k, err := ptx.Lift(m, "k")
	if err != nil {
		t.Fatal(err)
	}
	return k.Func
}

// BenchmarkCheck measures checks of up to half a million instructions, of several shapes.
func BenchmarkCheck(b *testing.B) {
	for _, s := range shapes {
		for _, n := range []int{1 << 14, 1 << 17, 1 << 19} {
			if testing.Short() {
				n >>= 3
			}
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				f := shape(b, n, s.body)
				b.ResetTimer()
				for range b.N {
					Check(context.Background(), f, Options{})
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/instruction")
			})
		}
	}
}

// TestShapes: no shape takes more work than a fixed multiple of its size, and no analysis gives up.
func TestShapes(t *testing.T) {
	t.Parallel()
	for _, s := range shapes {
		f := shape(t, short.Of(1<<12, 1<<10), s.body)
		g := newGraph(f)
		for _, w := range worlds(f) {
			a := analyse(context.Background(), g, newSSA(g), w, evaluators{}, nil)
			if a.gaveUp || a.d.overflow || a.work > 64*len(f.Code) {
				t.Errorf("%s: gave up %v, overflow %v, work %d for %d operations", s.name, a.gaveUp, a.d.overflow, a.work, len(f.Code))
			}
		}
	}
}
