package difftest

import (
	"math/rand/v2"
	"strings"
	"testing"

	sample "example.org/crosslane/internal/short"

	"example.org/crosslane"
)

// far holds accesses at %r3, or at %rd0 plus %r4:%r3. X is a guard or nothing, OFF an offset.
var far = []string{
	"mul.wide.u32 %rd5, %r3, 4;\nadd.u64 %rd5, %rd0, %rd5;\nXld.global.u32 %r7, [%rd5+OFF];",
	"mul.wide.s32 %rd5, %r3, 4;\nadd.s64 %rd5, %rd0, %rd5;\nXld.global.u32 %r7, [%rd5+OFF];",
	"mul.wide.s32 %rd5, %r3, 1;\nadd.s64 %rd5, %rd0, %rd5;\nXld.global.u8 %r7, [%rd5+OFF];",
	farLong + "Xld.global.u32 %r7, [%rd5+OFF];",
	farLong + "Xst.global.u32 [%rd5+OFF], %r3;",
	farLong + "Xatom.global.add.u32 %r7, [%rd5+OFF], 3;",
	farLong + "Xld.global.v2.u32 {%r7,%r8}, [%rd5+OFF];",
	"Xld.shared.u32 %r7, [%r3+OFF];",
	"Xst.shared.u32 [%r3+OFF], %r3;\nXld.shared.u32 %r7, [%r3+OFF];",
	"Xatom.shared.add.u32 %r7, [%r3], 3;",
	"Xld.shared.u8 %r7, [%r3+OFF];",
	"Xst.local.u32 [%r3+OFF], %r3;\nXld.local.u32 %r7, [%r3+OFF];",
}

const farLong = "mov.b64 %rd5, {%r3, %r4};\nadd.s64 %rd5, %rd0, %rd5;\n"

// farOffsets are offsets just inside and outside of memory, offsets at which sums wrap, and
// misaligned ones.
var farOffsets = []uint64{0, 2, 4, 5, 4092, 4096, 16380, 16384, 16388, 1<<29 - 1, 1 << 29, 1<<30 - 4, 1 << 30, 1<<30 + 4, 1<<31 - 4, 1 << 31, 1<<31 + 1, 1<<31 + 4, 3 << 30, 1<<32 - 16384, 1<<32 - 4, 1 << 32, 1<<32 + 4, 1<<33 + 8, 1 << 62, 1<<63 - 4, 1 << 63, 1<<64 - 4096, 1<<64 - 4}

// farHead reads, for each lane, its address and whether it is active. farRounds is a loop of four
// rounds. The first two stay inside memory, so that machine code is specialised for this memory.
const (
	farHead = `
ld.param.u64 %rd2, [low]; ld.param.u64 %rd3, [high]; ld.param.u64 %rd4, [on];
mul.wide.u32 %rd6, %r0, 4;
add.u64 %rd2, %rd2, %rd6; add.u64 %rd3, %rd3, %rd6; add.u64 %rd4, %rd4, %rd6;
mov.u32 %r9, 0;
and.b32 %r11, %r0, 31;
`
	farRounds = `
again:
shl.b32 %r3, %r11, 2; mov.u32 %r4, 0;
setp.lt.u32 %p1, %r9, 2;
setp.lt.u32 %p3, %r9, 2;
@%p1 bra near;
ld.global.u32 %r3, [%rd2]; ld.global.u32 %r4, [%rd3]; ld.global.u32 %r5, [%rd4];
setp.ne.u32 %p3, %r5, 0;
near:
ACCESS
add.u32 %r10, %r10, %r7;
add.u32 %r9, %r9, 1;
setp.lt.u32 %p2, %r9, 4;
@%p2 bra again;
st.global.u32 [%rd1+8192], %r10;`
)

// farLanes chooses the address of each of 64 lanes. Most addresses are near. A few are far, and
// some of their lanes are inactive. If some is set, half of all lanes are inactive.
func farLanes(r *rand.Rand, some bool) (low, high, on []uint32) {
	low, high, on = make([]uint32, 64), make([]uint32, 64), make([]uint32, 64)
	for i := range low {
		low[i] = uint32(4 * r.IntN(60))
		if !some || r.IntN(2) == 0 {
			on[i] = 1
		}
	}
	for range 1 + r.IntN(3) {
		i, x := r.IntN(64), farOffsets[r.IntN(len(farOffsets))]
		low[i], high[i] = uint32(x), uint32(x>>32)
		if r.IntN(2) == 0 {
			on[i] = 0
		}
	}
	return low, high, on
}

// TestFar has a few lanes, some of them inactive, that access memory far from the rest.
func TestFar(t *testing.T) {
	t.Parallel()
	const decl = ".shared .align 16 .b8 sm[4096]; .local .align 16 .b8 lm[256]; mov.u32 %r19, sm; mov.u32 %r18, lm;"
	r := rand.New(rand.NewPCG(5, 6))
	pick := func(l ...string) string { return l[r.IntN(len(l))] }
	ends := map[string]int{}
	programs := sample.Of(420, 84)
	for n := range programs {
		guard, offset := pick("", "@%p3 "), pick("0", "0", "4", "-4", "8", "64")
		access := strings.NewReplacer("X", guard, "OFF", offset).Replace(far[n%len(far)])
		low, high, on := farLanes(r, n/len(far)%3 > 0)
		if n%11 == 0 {
			clear(on)
		}
		src := ptxKernel(", .param .u64 low, .param .u64 high, .param .u64 on", decl, farHead+strings.Replace(farRounds, "ACCESS", access, 1))
		ends[ending(t, src, crosslane.PTX, crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 64}}, low, high, on)]++
		if t.Failed() {
			t.Fatalf("program %d", n)
		}
	}
	for _, code := range []string{"", "out-of-bounds", "misaligned"} {
		if ends[code] < programs/21 {
			t.Errorf("only %d launches of %d ended with %q", ends[code], programs, code)
		}
	}
	t.Log(ends)
}
