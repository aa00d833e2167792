package jit

import (
	"encoding/binary"
	"fmt"
	"testing"

	"example.org/crosslane/internal/sim"
)

// meeting is a kernel in which half of the lanes shuffle a float sum at one place, and the
// other half shuffle integers at another place.
const meeting = `.version 8.1
.target sm_90
.address_size 64
.visible .entry meet(.param .u64 out)
{
	.reg .pred %%p, %%q;
	.reg .b32 %%r<12>;
	.reg .f32 %%f<9>;
	.reg .b64 %%rd<3>;
	ld.param.u64 %%rd1, [out];
	mov.u32 %%r1, %%tid.x;
	mul.wide.u32 %%rd2, %%r1, 4;
	add.s64 %%rd1, %%rd1, %%rd2;
	setp.lt.u32 %%p, %%r1, 16;
	cvt.rn.f32.u32 %%f1, %%r1;
	mov.f32 %%f3, 0f00000000;
	add.u32 %%r4, %%r1, 0x7fc00020;
	@%%p bra other;
%s	st.global.f32 [%%rd1], %%f2;
	ret;
other:
%s	st.global.u32 [%%rd1], %%r5;
	ret;
}
`

// thrice repeats lines in three nested loops of two iterations each.
func thrice(name, lines string) string {
	for k := range 3 {
		lines = fmt.Sprintf("\tmov.u32 %%r%[1]d, 0;\n%[2]s%[1]d:\n%[3]s\tadd.u32 %%r%[1]d, %%r%[1]d, 1;\n\tsetp.lt.u32 %%q, %%r%[1]d, 2;\n\t@%%q bra %[2]s%[1]d;\n", 9+k, name, lines)
	}
	return lines
}

// TestShufflesThatMeet: a lane that shuffles floats may read a lane that waits at another
// shuffle with an integer, whose bits must stay unchanged.
func TestShufflesThatMeet(t *testing.T) {
	t.Parallel()
	text := fmt.Sprintf(meeting,
		thrice("floats", "add.f32 %f1, %f1, %f3; shfl.sync.bfly.b32 %f2, %f1, 16, 31, 0xffffffff; add.f32 %f3, %f2, %f1;\n"),
		thrice("words", "add.u32 %r4, %r4, 1; shfl.sync.bfly.b32 %r5, %r4, 16, 31, 0xffffffff;\n"))
	agree(t, "two shuffles", func(e sim.Engine) string {
		mem := sim.NewMemory()
		out := mem.Add("out", make([]byte, 128))
		l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Param: binary.LittleEndian.AppendUint64(nil, out.Base)}
		return fmt.Sprintf("%s %x", ended(t, e, lift(t, text, "meet"), l), out.Data)
	})
}
