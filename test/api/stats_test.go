package api_test

import (
	"context"
	"testing"

	"example.org/crosslane"
)

// Instructions count for the lanes that run them, also where EXEC changes in the
// middle of a straight line.
func TestLaneInstructionsFollowEXEC(t *testing.T) {
	t.Parallel()
	m, err := crosslane.Load([]byte(`
k:
	v_mov_b32 v1, 1
	v_mov_b32 v1, 2
	s_mov_b64 exec, 7
	v_mov_b32 v1, 3
	s_mov_b32 exec_lo, 1
	v_mov_b32 v1, 4
	s_endpgm
	.amdhsa_kernel k
		.amdhsa_next_free_vgpr 2
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
`), "k.s", crosslane.GCN3)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1, Y: 1, Z: 1}, Block: crosslane.Dim3{X: 64, Y: 1, Z: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Stats.LaneInstructions, uint64(3*64+2*3+2); got != want || r.Stats.WarpInstructions != 7 {
		t.Errorf("%d lane instructions, %d instructions; want %d and 7", got, r.Stats.WarpInstructions, want)
	}
}
