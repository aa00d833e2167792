package hazard

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/internal/gcntest"
	"example.org/crosslane/internal/short"
)

var long = flag.Bool("long", false, "run exhaustive and very long tests")

// TestStaticSize checks that a million instructions take a few seconds. By default it tries fewer.
func TestStaticSize(t *testing.T) {
	t.Parallel()
	n := short.Of(20_000, 4_000)
	if *long {
		n = 1_000_000
	}
	line := func(text string) []byte { return gcntest.Assemble(t, text) }
	pieces := [][]byte{
		line("v_add_f32 v1, v2, v3"), line("v_mov_b32 v4, v5"), line("ds_read_b32 v6, v0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v7, v6"),
		line("buffer_load_dword v8, v0, s[8:11], 0 offen\nv_mov_b32 v9, v10\ns_waitcnt vmcnt(0)\nv_mov_b32 v11, v8"), line("v_mov_b32 v12, v1\ns_nop 1\nv_mov_b32 v13, v12 row_shr:1"),
		line("s_cbranch_scc1 2\nv_mov_b32 v14, v15\nv_mov_b32 v14, v16"), line("v_nop\nv_nop\nv_nop\ns_cbranch_scc1 -4"), line("s_add_u32 s0, s0, 1"),
	}
	r := rand.New(rand.NewPCG(1, 1))
	head := line("v_mov_b32 v1, v0\nv_mov_b32 v1, v0\nv_mov_b32 v1, v0\nv_mov_b32 v1, v0")
	for name, choose := range map[string]func() []byte{
		"usual": func() []byte { return pieces[r.IntN(len(pieces))] },
		"no waits": func() []byte {
			return slices.Concat(line("ds_read_b32 v6, v0\nbuffer_load_dword v8, v0, s[8:11], 0 offen"), line("v_mov_b32 v1, v1\nv_mov_b32 v1, v1\ns_cbranch_scc1 -3"))
		},
		"only errors": func() []byte { return slices.Concat(pieces[1], line("v_mov_b32 v4, v4 row_shr:1")) },
	} {
		code := slices.Clone(head)
		for len(code) < 5*n {
			code = append(code, choose()...)
		}
		code = append(code, line("s_endpgm")...)
		start := time.Now()
		rep, err := CheckStatic(amdgpu.Code{Bytes: code})
		if err != nil {
			t.Fatal(name, err)
		}
		t.Logf("%s: %d bytes, %v, proved %d, missing %d, needless %d", name, len(code), time.Since(start), rep.Proved, len(rep.Missing), len(rep.Spare))
	}
}
