package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
)

// Findings of undefined bits say where they began, and which way they came: places of
// instructions by line of the kernel below, the origin's text first.
func TestCheckWays(t *testing.T) {
	t.Parallel()
	const first = 19 // the line that lines begins with
	for _, c := range []struct {
		name, lines, origin string
		way                 []int // lines of Related, counted from the first of lines
	}{
		{"register", "add.u32 %r6, %r5, 1;\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%rd1], %r6; // want poison-store",
			"add.u32: reads %r5, which nothing has written", []int{0, 1}},
		{"at once", "st.global.u32 [%rd1], %r5; // want poison-store", "st.global.u32: reads %r5, which nothing has written", []int{0}},
		{"buffer", "ld.global.u32 %r5, [%rd2];\nst.global.u32 [%rd1], %r5; // want poison-store",
			`ld.global.u32: reads "in" where nothing has been written`, []int{0}},
		{"through memory", "mov.u32 %r7, sh;\nst.shared.u32 [%r7], %r5;\nbar.sync 0;\nld.shared.u32 %r6, [%r7];\nst.global.u32 [%rd1], %r6; // want poison-store",
			"st.shared.u32: reads %r5, which nothing has written", []int{1, 3}},
		{"shared memory", "mov.u32 %r7, sh;\nld.shared.u32 %r6, [%r7];\nst.global.u32 [%rd1], %r6; // want poison-store",
			"ld.shared.u32: reads shared memory where nothing has been written", []int{1}},
		{"loop", "mov.u32 %r6, 0;\nl:\nadd.u32 %r5, %r5, 1;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 4;\n@%p1 bra l;\nst.global.u32 [%rd1], %r5; // want poison-store",
			"add.u32: reads %r5, which nothing has written", []int{2}},
		{"guard", "setp.lt.u32 %p1, %r1, 4;\n@%p1 mov.u32 %r5, 1;\nst.global.u32 [%rd1], %r5; // want poison-store",
			"mov.u32: keeps %r5, which nothing has written, in lanes that get no value", []int{1}},
		{"guard over another", "add.u32 %r6, %r5, 1;\nsetp.lt.u32 %p1, %r1, 4;\n@%p1 mov.u32 %r6, 1;\nst.global.u32 [%rd1], %r6; // want poison-store",
			"add.u32: reads %r5, which nothing has written", []int{0, 2}},
		{"shuffle", "shfl.sync.down.b32 %r6, %r1, 1, 31, 0xffff; // want undefined-source not-in-membermask\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%rd1], %r6; // want poison-store",
			"shfl.sync.down.b32: reads lanes that do not take part", []int{0, 1}},
		{"rounds", "mov.u32 %r6, 8;\nl:\nshfl.sync.down.b32 %r5, %r1, %r6, 31, 0xffff; // want undefined-source not-in-membermask\nadd.u32 %r1, %r1, %r5;\nshr.u32 %r6, %r6, 1;\nsetp.ne.u32 %p1, %r6, 0;\n@%p1 bra l;\nst.global.u32 [%rd1], %r1; // want poison-store",
			"shfl.sync.down.b32: reads lanes that do not take part", []int{2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := checkCase(t, ptxCheckKernel(c.lines), true)
			for _, f := range res.Findings {
				if f.Code != "poison-store" {
					continue
				}
				var way []int
				for _, r := range f.Related {
					way = append(way, r.Pos.Line-first)
				}
				if len(way) == 0 || f.Related[0].Message != c.origin || !slices.Equal(way, c.way) {
					t.Errorf("%v: from %v, want %v, %q", f, fmt.Sprint(f.Related), c.way, c.origin)
				}
			}
		})
	}
}

func TestCheckWayGCN3(t *testing.T) {
	t.Parallel()
	const lines = "v_mov_b32 v8, s9\nv_cmp_eq_u32 vcc, 1, v8\ns_and_saveexec_b64 s[8:9], vcc // want poison-branch\nv_mov_b32 v9, 1\ns_mov_b64 exec, s[8:9]\ns_endpgm"
	res := checkCase(t, badKernel(lines), false)
	var way []string
	for _, r := range res.Findings[0].Related {
		way = append(way, r.Message)
	}
	if want := []string{"v_mov_b32_e32: reads s9, which nothing has written", "v_cmp_eq_u32_e32: passes them on"}; !slices.Equal(way, want) {
		t.Errorf("%q, want %q", way, want)
	}
}

// wayOf runs a kernel k on two blocks of 64 and returns the way that the finding of
// undefined bits at the last line of that code names, its messages.
func wayOf(t *testing.T, src, code string) []string {
	t.Helper()
	m, err := crosslane.Load([]byte(src), "k", crosslane.Auto)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	args := []crosslane.Arg{crosslane.NewBuffer("out", crosslane.U32, 256), crosslane.NewBuffer("in", crosslane.U32, 256)}[:len(k.Params())]
	args[len(args)-1].(*crosslane.Buffer).Uninitialised = true
	res, err := k.Check(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 2}, Block: crosslane.Dim3{X: 64}, Args: args, Timeout: 20 * time.Second, Skip: []string{"schedule-dependent"}})
	if err != nil {
		t.Fatal(err)
	}
	var way []string
	for _, f := range res.Findings {
		if f.Code == code {
			way = nil
			for _, r := range f.Related {
				way = append(way, r.Message)
			}
		}
	}
	return way
}

// A value that came through memory from another wave names that wave.
func TestCheckWayThroughOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lines string
		way   []string
	}{
		{"mov.u32 %r7, sh;\nsetp.eq.u32 %p1, %r1, 37;\n@%p1 st.shared.u32 [%r7], %r5;\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 3;\n@!%p1 exit;\nld.shared.u32 %r6, [%r7];\nst.global.u32 [%rd1], %r6;",
			[]string{"st.shared.u32: reads %r5, which nothing has written, as lane 5 of wave 1", "ld.shared.u32: passes them on"}},
		// Both words of a store of 8 bytes.
		{"mov.u32 %r7, sh;\nmov.b64 %rd7, {%r1, %r5};\nst.shared.u64 [%r7], %rd7;\nld.shared.u32 %r6, [%r7+4];\nst.global.u32 [%rd1], %r6;",
			[]string{"mov.b64: reads %r5, which nothing has written", "st.shared.u64: passes them on", "ld.shared.u32: passes them on"}},
		{"mov.u32 %r8, %ctaid.x;\nmov.u64 %rd7, gl;\nsetp.eq.u32 %p1, %r8, 0;\n@!%p1 bra b;\nsetp.eq.u32 %p1, %r1, 33;\n@%p1 st.global.u32 [%rd7], %r5;\nexit;\nb:\nld.global.u32 %r6, [%rd7];\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%rd1], %r6;",
			[]string{"st.global.u32: reads %r5, which nothing has written, as lane 1 of wave 1, block (0,0,0)", "ld.global.u32: passes them on", "add.u32: passes them on"}},
		// The origin, and the last seven of many steps.
		{"add.u32 %r6, %r5, 1;\nadd.u32 %r7, %r6, 1;\nadd.u32 %r8, %r7, 1;\nadd.u32 %r9, %r8, 1;\nadd.u32 %r10, %r9, 1;\nadd.u32 %r11, %r10, 1;\nadd.u32 %r12, %r11, 1;\nadd.u32 %r13, %r12, 1;\nadd.u32 %r14, %r13, 1;\nadd.u32 %r15, %r14, 1;\nst.global.u32 [%rd1], %r15;",
			append([]string{"add.u32: reads %r5, which nothing has written (the next 2 steps are not shown)"}, slices.Repeat([]string{"add.u32: passes them on"}, 7)...)},
	} {
		src := strings.Replace(ptxCheckKernel(c.lines), ".visible .entry", ".global .u32 gl;\n.visible .entry", 1)
		if way := wayOf(t, src, "poison-store"); !slices.Equal(way, c.way) {
			t.Errorf("%s\n%q, want %q", c.lines, way, c.way)
		}
	}
}

// Scalars of GCN3: SCC, VCC, EXEC, and the values that s_load brings from a buffer.
func TestCheckWayScalars(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lines, code string
		way         []string
	}{
		{"s_cmp_eq_u32 s9, 3\ns_cselect_b32 s10, 1, 2\nv_mov_b32 v9, s10\nflat_store_dword v[2:3], v9", "poison-store",
			[]string{"s_cmp_eq_u32: reads s9, which nothing has written", "s_cselect_b32: passes them on", "v_mov_b32_e32: passes them on"}},
		{"s_cmp_eq_u32 s9, 3\ns_cbranch_scc1 e\nv_mov_b32 v9, 1\ne:", "poison-branch", []string{"s_cmp_eq_u32: reads s9, which nothing has written"}},
		{"v_cmp_eq_u32 vcc, 3, v9\ns_and_b64 s[10:11], vcc, -1\ns_mov_b64 exec, s[10:11]", "poison-branch",
			[]string{"v_cmp_eq_u32_e32: reads v9, which nothing has written", "s_and_b64: passes them on"}},
		{"v_cmp_eq_u32 vcc, 3, v9\nv_cndmask_b32 v8, 1, 2, vcc\nflat_store_dword v[2:3], v8", "poison-store",
			[]string{"v_cmp_eq_u32_e32: reads v9, which nothing has written", "v_cndmask_b32_e64: passes them on"}},
		// If some lanes have written a register, the one that has not is named.
		{"s_mov_b64 s[10:11], exec\ns_mov_b32 exec_lo, 0xffefffff\nv_mov_b32 v9, 1\ns_mov_b64 exec, s[10:11]\nv_readlane_b32 s12, v9, 20\nv_mov_b32 v8, s12\nflat_store_dword v[2:3], v8", "poison-store",
			[]string{"v_readlane_b32: reads lane 20 of v9, which nothing has written", "v_mov_b32_e32: passes them on"}},
		{"s_load_dword s10, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v9, s10\nflat_store_dword v[2:3], v9", "poison-store",
			[]string{`s_load_dword: reads "out" where nothing has been written`, "v_mov_b32_e32: passes them on"}},
	} {
		if way := wayOf(t, badKernel(c.lines+"\ns_endpgm"), c.code); !slices.Equal(way, c.way) {
			t.Errorf("%s\n%q, want %q", c.lines, way, c.way)
		}
	}
}
