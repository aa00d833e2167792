package ptx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzCheck checks that a text that parses can be checked, lifted and validated without a panic,
// and that a text that lifts has passed the checks.
func FuzzCheck(f *testing.F) {
	files, _ := filepath.Glob("../examples/ptx/*.ptx")
	for _, file := range files {
		if src, err := os.ReadFile(file); err == nil && len(src) < 20000 {
			f.Add(string(src))
		}
	}
	f.Add(body("", "brx.idx %r1, ts;\nts: .branchtargets a, b;\na: b:"))
	f.Add(body(".global .u64 a[2] = {a, 5};", "ld.global.v2.u64 {%rd3, %rd4}, [a];"))
	f.Add(head + ".func f(.reg .b32 x) { ret; } .entry k() { call f, (5); @p call f, (_); mov.b64 {a, b}, c; }")
	f.Fuzz(func(t *testing.T, src string) {
		m, errs := Parse("f.ptx", src)
		if errs.Err() != nil {
			return
		}
		Check(m)
		for i, e := range m.Entries() {
			if i < 4 {
				Lift(m, e.Name)
			}
		}
	})
}

// FuzzTry checks the same for scratchpad programs and explanations.
func FuzzTry(f *testing.F) {
	for _, s := range []string{
		"shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 0x1f, 0xffffffff;", "add.f32 Rx, Ry, Rx", "@p mov.b64 {a, b}, c", "L: bra L",
		"ld.global.v4.f32 {a, b, c, d}, [p+4]", "vote.sync.ballot.b32 r, !p, -1", "match.all.sync.b64 r|p, a, m", "{ .reg .v4 .f32 V; mov.f32 V.x, 1.0; }",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		ParseTry("", src)
		Explain(src, ExplainOptions{Values: map[string][]uint64{"a": {1, 2}, "m": {3}}})
	})
}

// bigModule is a module with one kernel of about n bytes in the style of a
// compiler.
func bigModule(n int) string {
	var b strings.Builder
	b.WriteString(head + ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .pred %p<4000>;\n.reg .b32 %r<9000>;\n.reg .f32 %f<9000>;\n.reg .b64 %rd<9000>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n")
	for i := 2; b.Len() < n; i += 4 {
		fmt.Fprintf(&b, "\tadd.s32 \t%%r%d, %%r%d, 17;\n\tmul.wide.s32 \t%%rd%d, %%r%d, 4;\n\tadd.s64 \t%%rd%d, %%rd1, %%rd%d;\n\tld.global.f32 \t%%f%d, [%%rd%d+128];\n\tfma.rn.f32 \t%%f%d, %%f%d, 0f3F800000, %%f%d;\n", i, i-1, i, i, i+1, i, i, i+1, i+1, i, i)
		fmt.Fprintf(&b, "\tsetp.lt.s32 \t%%p%d, %%r%d, %%r1;\n\t@%%p%d bra \t$L_%d;\n\tst.global.f32 \t[%%rd%d], %%f%d;\n$L_%d:\n\tshfl.sync.down.b32 \t%%r%d|%%p1, %%r%d, 4, 31, -1;\n\tmov.b32 %%r%d, %%r%d;\n", i/4, i, i/4, i, i+1, i+1, i, i+1, i, i+3, i+1)
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

// BenchmarkPipeline parses, checks and lifts a kernel file of 64 KB.
func BenchmarkPipeline(b *testing.B) {
	src := bigModule(64 << 10)
	m, errs := Parse("big.ptx", src)
	if errs.Err() != nil {
		b.Fatal(errs)
	}
	b.Run("all", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			m, _ := Parse("big.ptx", src)
			if l := Check(m); len(l) > 0 {
				b.Fatal(l)
			}
			if _, err := Lift(m, "k"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("check", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Check(m)
		}
	})
	b.Run("lift", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Lift(m, "k")
		}
	})
}
