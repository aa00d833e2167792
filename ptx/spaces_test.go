package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// TestGenericAddresses checks that addresses of every space become generic and convert back, that
// loads through them find the variable, and that isspacep reports their space.
func TestGenericAddresses(t *testing.T) {
	t.Parallel()
	spaces := []string{"const", "global", "local", "shared", "param"}
	for at, space := range spaces {
		decl, name := "."+space+" .align 4 .b32 x[2] = {11, 22};", "x+4"
		local, init := "", ""
		switch space {
		case "local", "shared":
			decl, local = "", "."+space+" .align 4 .b32 x[2];"
			init = "mov.u32 %r2, 22; st." + space + ".u32 [x+4], %r2;"
		case "param":
			decl, name = "", "n"
		}
		// want has a bit for each space in which the address lies. The kernel's parameters are also
		// in global memory.
		want := uint32(1 << at)
		if space == "param" {
			want |= 1 << 1
		}
		var query strings.Builder
		for i, s := range spaces {
			fmt.Fprintf(&query, "isspacep.%s %%p2, %%rd5; selp.b32 %%r5, %d, 0, %%p2; or.b32 %%r6, %%r6, %%r5;\n", s, 1<<i)
		}
		src := body(decl, local+init+fmt.Sprintf(`
	cvta.%[1]s.u64 %%rd5, %[2]s;
	ld.u32 %%r9, [%%rd5];
	cvta.to.%[1]s.u64 %%rd6, %%rd5;
	ld.%[1]s.u32 %%r3, [%%rd6];
	mov.u64 %%rd7, %[2]s;
	cvta.%[1]s.u64 %%rd8, %%rd7;
	ld.u32 %%r4, [%%rd8];
	mov.u32 %%r6, 0;
	%[3]s
	mad.lo.u32 %%r9, %%r9, 100, %%r3;
	mad.lo.u32 %%r9, %%r9, 100, %%r4;
	mad.lo.u32 %%r9, %%r9, 100, %%r6;`, space, name, query.String()))
		got := launchKernel(t, src, "k", 4, 4, 22)
		for i := range got {
			if w := 22222200 + want; got[i] != w {
				t.Errorf(".%s, thread %d: got %d, want %d", space, i, got[i], w)
				break
			}
		}
	}
}

// TestWrongAddresses checks that every kind of access outside its memory is a fault, and that the
// fault names the lane, the address and the nearest variable.
func TestWrongAddresses(t *testing.T) {
	t.Parallel()
	const decl = ".global .align 16 .b32 g[4]; .const .align 16 .b32 c[4] = {1, 2, 3, 4};"
	const start = `
	.shared .align 16 .b32 s[4];
	.local .align 16 .b32 l[4];
	.reg .f32 %f<9>;
	.reg .b128 %q<3>;
	setp.lt.u32 %p1, %r1, 5;
	@%p1 bra done;
	mov.u64 %rd5, g; cvta.shared.u64 %rd6, s; cvta.local.u64 %rd7, l; cvta.param.u64 %rd8, out; cvta.const.u64 %rd9, c;
	mov.u32 %r5, 0; mov.f32 %f1, 0f00000000; mov.b64 %rd10, 0; mov.b128 %q1, {%rd10, %rd10};
	`
	for _, c := range []struct{ code, kind, want string }{
		{"ld.global.u32 %r2, [%rd5+16];", "out-of-bounds", `lane 5 of wave 0 in block (0,0,0) reads 4 bytes at global address`},
		{"ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd5+4];", "misaligned", "multiple of 16"},
		{"ld.global.v2.u32 {%r2, %r3}, [%rd5+16];", "out-of-bounds", `just past the end of "g" (16 bytes)`},
		{"ld.global.b128 %q2, [%rd5+8];", "misaligned", "multiple of 16"},
		{"ldu.global.u32 %r2, [%rd5+-4];", "out-of-bounds", `4 bytes before the start of "g"`},
		{"ld.global.nc.u64 %rd11, [%rd5+12];", "misaligned", "multiple of 8"},
		{"st.global.v4.f32 [%rd5+16], {%f1, %f1, %f1, %f1};", "out-of-bounds", "writes 4 bytes"},
		{"st.shared.u32 [s+16], %r5;", "out-of-bounds", "shared memory of the block has 16 bytes"},
		{"ld.u32 %r2, [%rd6+16];", "out-of-bounds", "shared memory of the block has 16 bytes"},
		{"ld.u32 %r2, [%rd7+20];", "out-of-bounds", "private memory of the lane has 16 bytes"},
		{"st.local.b16 [l+1], %r5;", "misaligned", "multiple of 2"},
		{"st.u32 [%rd8], %r5;", "write-to-const", "kernel parameters are read only"},
		{"ld.u32 %r2, [%rd8+12];", "out-of-bounds", "the kernel's parameters have 12 bytes"},
		{"st.u32 [%rd9], %r5;", "write-to-const", `"c" is constant memory`},
		{"atom.add.u32 %r2, [%rd9], 1;", "write-to-const", `"c" is constant memory`},
		{"ld.const.u32 %r2, [%rd9+16];", "out-of-bounds", `just past the end of "c" (16 bytes)`},
		{"atom.global.add.u32 %r2, [%rd5+16], 1;", "out-of-bounds", "lane 5 of wave 0 in block (0,0,0) updates 4 bytes"},
		{"atom.shared.cas.b16 %h1, [s+16], %h1, %h1;", "out-of-bounds", "updates 2 bytes at shared address"},
		{"atom.global.exch.b128 %q2, [%rd5+8], %q1;", "misaligned", "multiple of 16"},
		{"red.global.add.f32 [%rd5+2], %f1;", "misaligned", "multiple of 4"},
		{"atom.add.u32 %r2, [%rd7], 1;", "wrong-space", "lies in private memory, and this instruction works on global and shared memory only"},
		{"atom.global.v4.f32.add {%f1, %f2, %f3, %f4}, [%rd5+8], {%f1, %f1, %f1, %f1};", "misaligned", "multiple of 16"},
		{"cp.async.ca.shared.global [s], [%rd5+16], 4;", "out-of-bounds", "reads 4 bytes"},
		{"cp.async.cg.shared.global [s], [%rd5+4], 16;", "misaligned", "reads 16 bytes"},
		{"cp.async.ca.shared.global [s+16], [%rd5], 4;", "out-of-bounds", "writes 4 bytes at shared address"},
		{"ld.u32 %r2, [%rd10];", "out-of-bounds", "it is a null pointer"},
	} {
		d := faultOf(t, body(decl, start+c.code+"\ndone:"), 8)
		if d == nil || d.Code != c.kind || !strings.Contains(d.Message, c.want) || !strings.Contains(d.Message, "lane 5") {
			t.Errorf("%s: %v, want %s with %q", c.code, d, c.kind, c.want)
		}
	}
}
