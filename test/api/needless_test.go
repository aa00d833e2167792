package api_test

import (
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/verdict"
	"example.org/crosslane/test/kit"
)

// Other orders are needless for a launch without races whose instructions do the same in every order, and only
// for those: each pair differs by one fact.
func TestOrdersAreNeedless(t *testing.T) {
	t.Parallel()
	const at = "mul.wide.u32 %rd1, %id, 4;\nadd.s64 %rd2, %rd1, %p0;\nmov.u64 %rd3, sm;\nadd.s64 %rd3, %rd3, %rd1;\n"
	const store = "st.shared.u32 [%rd3], %id;\nbar.sync 0;\nld.shared.u32 %r2, [sm];\nst.global.u32 [%rd2], %r2;\n"
	for _, c := range []struct {
		name, sm, body string
		skip           []string
		want           bool
	}{
		{name: "a tile and a barrier", body: at + store, want: true},
		{name: "races are not looked for", body: at + store, skip: []string{"race-shared"}},
		{name: "undefined bits are not looked for", body: at + store, skip: []string{"poison-store"}},
		{name: "a note is not looked for", body: at + store, skip: []string{"exited-lanes"}, want: true},
		{name: "lanes run in step below sm_70", sm: "sm_60", body: at + store},
		{name: "a barrier with a count", body: at + "st.shared.u32 [%rd3], %id;\nbar.sync 0, 64;\nld.shared.u32 %r2, [sm];\nst.global.u32 [%rd2], %r2;\n"},
		{name: "a sum of integers", body: "red.global.add.u32 [%p0], %id;\n", want: true},
		{name: "a sum whose old value is used", body: at + "atom.global.add.u32 %r1, [%p0+252], 0;\nst.global.u32 [%rd2], %id;\nadd.u32 %r1, %r1, 0;\n"},
		{name: "a sum whose old value nothing reads", body: "atom.global.add.u32 %r1, [%p0], %id;\n", want: true},
		{name: "a sum of floats", body: "mov.f32 %r1, 0f3f800000;\nred.global.add.f32 [%p0], %r1;\n"},
		{name: "a sum and a maximum", body: "red.global.add.u32 [%p0], %id;\nred.global.max.u32 [%p0+4], %id;\n"},
		{name: "words of two sizes", body: "red.global.add.u32 [%p0], %id;\nred.global.add.u64 [%p0+8], %p0;\n"},
		{name: "a sum and a fence", body: "red.global.add.u32 [%p0], %id;\nmembar.gl;\n"},
		{name: "a sum that a warp clears after it has added", body: "red.global.add.u32 [%p0], 1;\nbar.warp.sync -1;\nsetp.eq.u32 %q1, %id, 63;\n@%q1 st.global.u32 [%p0], 0;\n"},
		{name: "a sum that a warp clears after a barrier", body: "red.global.add.u32 [%p0], 1;\nbar.sync 0;\nsetp.eq.u32 %q1, %id, 63;\n@%q1 st.global.u32 [%p0], 0;\n", want: true},
		{name: "a fence", body: at + "membar.gl;\nst.global.u32 [%rd2], %id;\n", want: true},
		{name: "a volatile store", body: at + "st.volatile.global.u32 [%rd2], %id;\n"},
		{name: "a shuffle of all lanes", body: at + "shfl.sync.bfly.b32 %r1, %id, 1, 31, -1;\nst.global.u32 [%rd2], %r1;\n", want: true},
		{name: "the lanes that are here", body: at + "activemask.b32 %r1;\nst.global.u32 [%rd2], %r1;\n"},
		{name: "a clock", body: at + "mov.u32 %r1, %clock;\nst.global.u32 [%rd2], %id;\n"},
		{name: "lanes of a warp race", body: "st.global.u32 [%p0], %id;\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sm := c.sm
			if sm == "" {
				sm = "sm_80"
			}
			m, err := crosslane.Load([]byte(kit.Kernel(sm, 1, c.body)), "k.ptx", crosslane.PTX)
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Kernel("")
			if err != nil {
				t.Fatal(err)
			}
			a := &orderAudit{t: t}
			if _, err := k.Check(verdict.Audited(t.Context(), a), crosslane.Launch{Block: crosslane.Dim3{X: 64}, Skip: c.skip, Args: []crosslane.Arg{crosslane.Slice("out", make([]uint32, 64))}}); err != nil {
				t.Fatal(err)
			}
			if got := a.needless > 0; got != c.want {
				t.Errorf("other orders are needless: %v, want %v", got, c.want)
			}
		})
	}
}
