package api_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"example.org/crosslane/test/kit"

	"example.org/crosslane"
)

// schedules are the default and a few random ones.
func schedules(n int) []crosslane.Schedule {
	s := []crosslane.Schedule{crosslane.LowestPC, crosslane.Reversed}
	for i := range n {
		s = append(s, crosslane.RandomSchedule(uint64(i)))
	}
	return s
}

// From sm_70 on every lane makes progress: locks that lanes of one warp hold in turn,
// in the shapes that hang where lanes run in lockstep. Each thread adds its number to
// a plain counter under a lock, a plain load and store.
func TestLocksWithinAWarp(t *testing.T) {
	t.Parallel()
	// The counter is at [%p0], locks follow at [%p0+4] and [%p0+8].
	add := "ld.volatile.global.u32 %r3, [%p0];\nadd.u32 %r3, %r3, %id;\nst.volatile.global.u32 [%p0], %r3;\n"
	unlock := func(at int) string {
		return fmt.Sprintf("membar.gl;\natom.global.exch.b32 %%r5, [%%p0+%d], 0;\n", at)
	}
	for _, c := range []struct{ name, body string }{
		{"the section outside the loop", "SPIN: atom.global.cas.b32 %r2, [%p0+4], 0, 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra SPIN;\n" + add + unlock(4)},
		{"the section inside the loop", "mov.u32 %r9, 0;\nSPIN: atom.global.cas.b32 %r2, [%p0+4], 0, 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra NEXT;\n" + add + unlock(4) +
			"mov.u32 %r9, 1;\nNEXT: setp.eq.u32 %q2, %r9, 0;\n@%q2 bra SPIN;\n"},
		{"the section before the loop in the text", "bra SPIN;\nSECTION: " + add + unlock(4) + "bra END;\nSPIN: atom.global.cas.b32 %r2, [%p0+4], 0, 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra SPIN;\nbra SECTION;\nEND:"},
		{"exch, with a sleep", "SPIN: atom.global.exch.b32 %r2, [%p0+4], 1;\nsetp.eq.u32 %q1, %r2, 0;\n@%q1 bra GOT;\nnanosleep.u32 100;\nbra SPIN;\nGOT: " + add + unlock(4)},
		{"look before trying", "SPIN: ld.volatile.global.u32 %r2, [%p0+4];\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra SPIN;\natom.global.cas.b32 %r2, [%p0+4], 0, 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra SPIN;\n" + add + unlock(4)},
		{"two locks, one inside the other", "SPIN: atom.global.cas.b32 %r2, [%p0+4], 0, 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra SPIN;\nSPIN2: atom.global.cas.b32 %r2, [%p0+8], 0, 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra SPIN2;\n" +
			add + unlock(8) + unlock(4)},
		{"and the warp meets afterwards", "SPIN: atom.global.cas.b32 %r2, [%p0+4], 0, 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra SPIN;\n" + add + unlock(4) + "bar.warp.sync -1;\n"},
		{"a ticket for everybody", "atom.global.add.u32 %r6, [%p0+4], 1;\nSPIN: ld.acquire.gpu.global.u32 %r2, [%p0+8];\nsetp.ne.u32 %q1, %r2, %r6;\n@%q1 bra SPIN;\n" + add + "add.u32 %r6, %r6, 1;\nst.release.gpu.global.u32 [%p0+8], %r6;\n"},
		// Lane after lane, by their own order: each waits for the one before it.
		{"lane by lane", "SPIN: ld.volatile.global.u32 %r2, [%p0+4];\nsetp.ne.u32 %q1, %r2, %lane;\n@%q1 bra SPIN;\nsetp.lt.u32 %q3, %id, 32;\n@!%q3 bra SKIP;\n" + add + "add.u32 %r2, %r2, 1;\nst.volatile.global.u32 [%p0+4], %r2;\nbra END;\nSKIP: " + add + "END:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, s := range schedules(4) {
				n := uint32(96)
				if c.name == "lane by lane" {
					n = 32
				}
				out := make([]uint32, 3)
				_, err := kit.Launch(t, kit.Kernel("sm_70", 1, c.body), crosslane.Launch{Block: crosslane.Dim3{X: n}, Schedule: s}, out)
				if err != nil {
					t.Fatalf("%s: %v", s, err)
				}
				if want := n * (n - 1) / 2; out[0] != want {
					t.Errorf("%s: the sum is %d, want %d", s, out[0], want)
				}
			}
		})
	}
}

// Blocks that wait for each other.
func TestBlocksTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		grid  uint32
		block uint32
		words int
		body  string
		want  func(b, n uint32) uint32 // the expected word b
	}{
		// Three times all blocks meet: the last to arrive counts the phase up. In each phase a
		// block adds the value that its neighbour stored in the one before.
		{"a barrier of the grid", 40, 64, 40*3 + 3, `
	mov.u32 %r1, 0;                  // phase
	mul.wide.u32 %rd1, %bid, 4;
	add.s64 %rd1, %rd1, %p0;         // own word of phase 0
	add.u32 %r2, %bid, 1;
	rem.u32 %r2, %r2, %nb;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd2, %rd2, %p0;         // the neighbour's
	st.global.u32 [%rd1], %bid;
	mul.wide.u32 %rd3, %nb, 12;
	add.s64 %rd3, %rd3, %p0;         // arrivals, phase
	setp.eq.u32 %q1, %id, 0;
PHASE:
	bar.sync 0;
	@!%q1 bra MET;
	membar.gl;
	atom.global.add.u32 %r3, [%rd3], 1;
	sub.u32 %r4, %nb, 1;
	setp.ne.u32 %q2, %r3, %r4;
	@%q2 bra WAIT;
	st.volatile.global.u32 [%rd3], 0;
	add.u32 %r5, %r1, 1;
	membar.gl;
	st.volatile.global.u32 [%rd3+4], %r5;
	bra MET;
WAIT:
	ld.volatile.global.u32 %r6, [%rd3+4];
	setp.le.u32 %q2, %r6, %r1;
	@%q2 bra WAIT;
MET:
	bar.sync 0;
	add.u32 %r1, %r1, 1;
	setp.ge.u32 %q3, %r1, 3;
	@%q3 bra END;
	ld.volatile.global.u32 %r7, [%rd2];
	ld.volatile.global.u32 %r8, [%rd1];
	add.u32 %r7, %r7, %r8;
	mul.wide.u32 %rd4, %nb, 4;
	add.s64 %rd1, %rd1, %rd4;
	add.s64 %rd2, %rd2, %rd4;
	st.volatile.global.u32 [%rd1], %r7;
	bra PHASE;
END:`, func(w, n uint32) uint32 {
			v := func(p, b uint32) uint32 { return b % n }
			next := func(f func(p, b uint32) uint32) func(p, b uint32) uint32 {
				return func(p, b uint32) uint32 { return f(p, b) + f(p, (b+1)%n) }
			}
			for range w / n {
				v = next(v)
			}
			return v(0, w%n)
		}},
		// Block b needs the value that block b-1 publishes, but blocks take their places in an
		// order of their own, the last first.
		{"look-back against the order", 30, 32, 30, `
	sub.u32 %r1, %nb, 1;
	sub.u32 %r1, %r1, %bid;          // place
	mul.wide.u32 %rd1, %r1, 4;
	add.s64 %rd1, %rd1, %p0;
	mov.u32 %r2, 0;
	setp.eq.u32 %q1, %r1, 0;
	@%q1 bra GOT;
LOOK:
	ld.relaxed.gpu.global.u32 %r2, [%rd1+-4];
	setp.eq.u32 %q2, %r2, 0;
	@%q2 bra LOOK;
GOT:
	add.u32 %r2, %r2, %r1;
	add.u32 %r2, %r2, 1;
	st.release.gpu.global.u32 [%rd1], %r2;`, func(w, n uint32) uint32 { return (w + 1) * (w + 2) / 2 }},
		// Even blocks ask, odd blocks answer, five times; the word before shows the round.
		{"questions and answers", 20, 32, 40, `
	setp.ne.u32 %q9, %lane, 0;
	@%q9 bra END;
	shr.u32 %r1, %bid, 1;
	mul.wide.u32 %rd1, %r1, 16;
	add.s64 %rd1, %rd1, %p0;         // question, answer, sum
	and.b32 %r2, %bid, 1;
	setp.ne.u32 %q1, %r2, 0;
	mov.u32 %r3, 1;
	mov.u32 %r9, 0;
	@%q1 bra ANSWER;
ASK:
	st.release.gpu.global.u32 [%rd1], %r3;
WA:
	ld.acquire.gpu.global.u32 %r4, [%rd1+4];
	shr.u32 %r5, %r4, 8;
	setp.ne.u32 %q2, %r5, %r3;
	@%q2 bra WA;
	and.b32 %r4, %r4, 255;
	add.u32 %r9, %r9, %r4;
	add.u32 %r3, %r3, 1;
	setp.le.u32 %q2, %r3, 5;
	@%q2 bra ASK;
	st.global.u32 [%rd1+8], %r9;
	bra END;
ANSWER:
	ld.acquire.gpu.global.u32 %r4, [%rd1];
	setp.ne.u32 %q2, %r4, %r3;
	@%q2 bra ANSWER;
	mad.lo.u32 %r5, %r3, 256, %r3;
	add.u32 %r5, %r5, %r1;
	st.release.gpu.global.u32 [%rd1+4], %r5;
	add.u32 %r3, %r3, 1;
	setp.le.u32 %q2, %r3, 5;
	@%q2 bra ANSWER;
END:`, func(w, n uint32) uint32 {
			return []uint32{5, 5*256 + 5 + w/4, 15 + 5*(w/4), 0}[w%4]
		}},
		// Block 0 gathers the results of all other blocks; these wait for its sign, and take turns
		// at a lock.
		{"one waits for all, all wait for one", 50, 96, 4, `
	setp.ne.u32 %q1, %id, 0;
	@%q1 bra REST;
	setp.eq.u32 %q2, %bid, 0;
	@%q2 bra FIRST;
L:	atom.global.cas.b32 %r1, [%p0], 0, 1;
	setp.ne.u32 %q3, %r1, 0;
	@%q3 bra L;
	ld.volatile.global.u32 %r2, [%p0+4];
	add.u32 %r2, %r2, 1;
	st.volatile.global.u32 [%p0+4], %r2;
	membar.gl;
	atom.global.exch.b32 %r1, [%p0], 0;
W:	ld.volatile.global.u32 %r2, [%p0+8];
	setp.eq.u32 %q3, %r2, 0;
	@%q3 bra W;
	bra REST;
FIRST:
	ld.volatile.global.u32 %r2, [%p0+4];
	add.u32 %r2, %r2, 1;
	setp.ne.u32 %q3, %r2, %nb;
	@%q3 bra FIRST;
	st.volatile.global.u32 [%p0+8], 1;
REST:
	bar.sync 0;
	@!%q1 red.global.add.u32 [%p0+12], 1;`, func(w, n uint32) uint32 { return []uint32{0, 49, 1, 50}[w] }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := kit.Kernel("sm_80", 1, c.body)
			for _, s := range schedules(3) {
				for _, workers := range []int{1, 2} {
					out := make([]uint32, c.words)
					_, err := kit.Launch(t, src, crosslane.Launch{Grid: crosslane.Dim3{X: c.grid}, Block: crosslane.Dim3{X: c.block}, Schedule: s, Workers: workers}, out)
					if err != nil {
						t.Fatalf("%s, %d workers: %v", s, workers, err)
					}
					for w, v := range out {
						if c.name == "a barrier of the grid" && w >= 3*int(c.grid) {
							continue
						}
						if want := c.want(uint32(w), c.grid); v != want {
							t.Errorf("%s, %d workers: word %d is %d, want %d", s, workers, w, v, want)
							break
						}
					}
				}
			}
		})
	}
}

// The same for GCN3, whose waves wait as a whole: work-groups wait for the next one,
// and in each of them the first wave waits for the second one through LDS.
func TestGroupsTogether(t *testing.T) {
	t.Parallel()
	src := `.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_load_dword s2, s[4:5], 0x8
  s_mov_b32 m0, -1
  v_mov_b32 v9, 0
  v_cmp_gt_u32 vcc, 64, v0
  s_cbranch_vccnz WAVE0
  v_mov_b32 v8, 5
  ds_write_b32 v9, v8
  s_endpgm
WAVE0:
  ds_read_b32 v8, v9
  s_waitcnt lgkmcnt(0)
  v_readfirstlane_b32 s7, v8
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 WAVE0
  s_lshl_b32 s8, s6, 2
  s_add_u32 s0, s0, s8
  s_addc_u32 s1, s1, 0
  v_mov_b32 v2, s0
  v_mov_b32 v3, s1
  v_add_u32 v4, vcc, 4, v2
  v_addc_u32 v5, vcc, 0, v3, vcc
  s_mov_b32 s7, 0
  s_add_u32 s9, s6, 1
  s_cmp_eq_u32 s9, s2
  s_cbranch_scc1 DONE
LOOK:
  flat_load_dword v6, v[4:5] glc
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_readfirstlane_b32 s7, v6
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 LOOK
DONE:
  s_add_u32 s7, s7, 1
  v_mov_b32 v6, s7
  flat_store_dword v[2:3], v6 glc
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 64
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
`
	m, err := crosslane.Load([]byte(src), "k.s", crosslane.GCN3)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("")
	if err != nil {
		t.Fatal(err)
	}
	const n = 12
	for _, s := range schedules(3) {
		out := make([]uint32, n)
		_, err := k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: n}, Block: crosslane.Dim3{X: 128}, Schedule: s, Timeout: 20 * time.Second,
			Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Typed(crosslane.U32, n)}})
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		for i, v := range out {
			if int(v) != n-i {
				t.Errorf("%s: group %d stored %d, want %d", s, i, v, n-i)
			}
		}
	}
}
