package api_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/crosslane"
)

// laneNumbers holds every lane's number.
func laneNumbers() *[64]int32 {
	var v [64]int32
	for i := range v {
		v[i] = int32(i)
	}
	return &v
}

func ExampleAMDGCNDSBpermute() {
	// Every lane reads the next one; lane 63 wraps to lane 0.
	src := laneNumbers()
	var index [64]int32
	for i := range index {
		index[i] = int32(4 * (i + 1))
	}
	d := crosslane.AMDGCNDSBpermute(&index, src, ^crosslane.Mask(0))
	fmt.Println(d[:4], d[60:])
	// Output: [1 2 3 4] [61 62 63 0]
}

func ExampleAMDGCNDSPermute() {
	// Lanes 0 to 15 all push to lane 5: the greatest wins. The remaining lanes push to their own
	// place.
	src := laneNumbers()
	var index [64]int32
	for i := range index {
		index[i] = int32(4 * i)
		if i < 16 {
			index[i] = 4 * 5
		}
	}
	d := crosslane.AMDGCNDSPermute(&index, src, ^crosslane.Mask(0))
	fmt.Println(d[:8], d[16:20])
	// Output: [0 0 0 0 0 15 0 0] [16 17 18 19]
}

func ExampleAMDGCNDSSwizzle() {
	// and 0x1f, or 0, xor 0x10: neighbouring groups of 16 lanes swap.
	d := crosslane.AMDGCNDSSwizzle(laneNumbers(), 0x10<<10|0x1f, ^crosslane.Mask(0))
	fmt.Println(d[:3], d[16:19], d[32:35])
	// Output: [16 17 18] [0 1 2] [48 49 50]
}

func ExampleAMDGCNMoveDPP() {
	src := laneNumbers()
	// row_shr:1: the first lane of each row has no source. Without bound_ctrl it is not
	// updated and has its own value, with it it gets 0.
	d, updated, _ := crosslane.AMDGCNMoveDPP(src, 0x111, 0xf, 0xf, false, ^crosslane.Mask(0))
	fmt.Println(d[15:19], updated.Has(15), updated.Has(16))
	d, updated, _ = crosslane.AMDGCNMoveDPP(src, 0x111, 0xf, 0xf, true, ^crosslane.Mask(0))
	fmt.Println(d[15:19], updated.Has(15), updated.Has(16))
	_, _, err := crosslane.AMDGCNMoveDPP(src, 0x110, 0xf, 0xf, false, ^crosslane.Mask(0))
	fmt.Println(err)
	// Output:
	// [14 16 16 17] true false
	// [14 0 16 17] true true
	// dpp_ctrl 0x110 is reserved; the nearest legal control is 0x111 (row_shr:1)
}

func ExampleAMDGCNUpdateDPP() {
	// row_bcast:15 into rows 1 and 3: the lanes of rows 0 and 2 keep their values.
	old := new([64]int32)
	for i := range old {
		old[i] = -1
	}
	d, _ := crosslane.AMDGCNUpdateDPP(old, laneNumbers(), 0x142, 0xa, 0xf, false, ^crosslane.Mask(0))
	fmt.Println(d[14:18], d[31:33], d[48])
	// Output: [-1 -1 15 15] [15 -1] 47
}

func ExamplePTXShflSync() {
	var a [32]int32
	for i := range a {
		a[i] = int32(i * i)
	}
	// The last four lanes are not in membermask and do not execute it.
	const members = 0x0fffffff
	d, p, undefined := crosslane.PTXShflSync(crosslane.ShflDown, &a, 2, 0x1f, members, members)
	fmt.Println(d[0], d[25], p, undefined)
	// Output: 4 729 0-27 26-27
}

// Against the text of the article on GCN3's cross-lane operations, step by step.
func TestIntrinsics(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		var index, src [64]int32
		for i := range src {
			index[i], src[i] = int32(r.Uint32()), int32(r.Uint32())
			if r.IntN(2) == 0 {
				index[i] &= 0xff
			}
		}
		exec := crosslane.Mask(r.Uint64() | r.Uint64())
		active := func(i int) bool { return exec>>uint(i)&1 != 0 }
		target := func(i int) int { return int(uint32(index[i])/4) % 64 }

		// Pull: all active lanes write tmp[lane], then read tmp[index].
		var tmp, want [64]int32
		for i := range src {
			if active(i) {
				tmp[i] = src[i]
			}
		}
		for i := range src {
			if active(i) {
				want[i] = tmp[target(i)]
			}
		}
		if got := crosslane.AMDGCNDSBpermute(&index, &src, exec); got != want {
			t.Fatalf("bpermute: %v, want %v", got, want)
		}
		// Push: all active lanes write tmp[index], then read tmp[lane].
		tmp, want = [64]int32{}, [64]int32{}
		for i := range src {
			if active(i) {
				tmp[target(i)] = src[i]
			}
		}
		for i := range src {
			if active(i) {
				want[i] = tmp[i]
			}
		}
		if got := crosslane.AMDGCNDSPermute(&index, &src, exec); got != want {
			t.Fatalf("permute: %v, want %v", got, want)
		}
		// Swizzle: thread_out[i] = thread_valid[j] ? thread_in[j] : 0.
		pattern := uint16(r.Uint32())
		want = [64]int32{}
		for i := range src {
			j := i&32 | ((i&31&int(pattern&31) | int(pattern>>5&31)) ^ int(pattern>>10&31))
			if pattern&0x8000 != 0 {
				j = i/4*4 + int(pattern>>(2*(i%4)))%4
			}
			if active(i) && active(j) {
				want[i] = src[j]
			}
		}
		if got := crosslane.AMDGCNDSSwizzle(&src, pattern, exec); got != want {
			t.Fatalf("swizzle %#x: %v, want %v", pattern, got, want)
		}
		// row_shr:N with masks and bound control.
		n := 1 + r.IntN(15)
		rows, banks, bound := uint8(r.IntN(16)), uint8(r.IntN(16)), r.IntN(2) == 0
		want = index
		var updated crosslane.Mask
		for i := range src {
			if !active(i) || rows>>(i/16)&1 == 0 || banks>>(i%16/4)&1 == 0 {
				continue
			}
			switch {
			case i%16 >= n && active(i-n):
				want[i] = src[i-n]
			case bound:
				want[i] = 0
			default:
				continue
			}
			updated |= 1 << uint(i)
		}
		got, err := crosslane.AMDGCNUpdateDPP(&index, &src, 0x110+uint16(n), rows, banks, bound, exec)
		if err != nil || got != want {
			t.Fatalf("update_dpp row_shr:%d: %v %v, want %v", n, got, err, want)
		}
		moved, up, err := crosslane.AMDGCNMoveDPP(&src, 0x110+uint16(n), rows, banks, bound, exec)
		if err != nil || up != updated {
			t.Fatalf("move_dpp row_shr:%d updates %v (%v), want %v", n, up, err, updated)
		}
		for i := range moved {
			w := want[i]
			if !up.Has(i) && active(i) {
				w = src[i]
			} else if !up.Has(i) {
				w = 0
			}
			if moved[i] != w {
				t.Fatalf("move_dpp row_shr:%d lane %d is %d", n, i, moved[i])
			}
		}
	}
}
