package jit

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/internal/sim"
)

// halfAlone is a kernel in which half of the lanes wait for the other half, which execute a
// shuffle first: each half reads lanes that are not there.
const halfAlone = `.version 6.0
.target sm_60
.address_size 64
.visible .entry part(.param .u64 out)
{
	.reg .pred %%p, %%q;
	.reg .b32 %%r<9>;
	.reg .b64 %%rd<3>;
	.shared .align 4 .b32 flag;
	.shared .align 4 .b32 list[4];
	ld.param.u64 %%rd1, [out];
	mov.u32 %%r1, %%tid.x;
	mul.wide.u32 %%rd2, %%r1, 4;
	add.s64 %%rd1, %%rd1, %%rd2;
	%s
	setp.ge.u32 %%p, %%r1, 16;
	@%%p bra join;
spin:
	ld.volatile.shared.u32 %%r2, [flag];
	setp.eq.u32 %%q, %%r2, 0;
	@%%q bra spin;
join:
	shfl.%s;
	st.volatile.shared.u32 [flag], 1;
	bar.sync 0;
	mov.u32 %%r5, list;
	%s
	st.global.u32 [%%rd1], %%r4;
	ret;
}
`

// halfGone is a kernel in which the half that does not wait exits before the other half
// shuffles. That half takes another path, and part of it exits later.
const halfGone = `.version 7.0
.target sm_70
.address_size 64
.visible .entry gone(.param .u64 out)
{
	.reg .pred %%p, %%q;
	.reg .b32 %%r<19>;
	.reg .b64 %%rd<3>;
	.shared .align 4 .b32 flag;
	.shared .align 4 .b32 g;
	.shared .align 4 .b32 list[4];
	ld.param.u64 %%rd1, [out];
	mov.u32 %%r1, %%tid.x;
	mul.wide.u32 %%rd2, %%r1, 4;
	add.s64 %%rd1, %%rd1, %%rd2;
	%s
	setp.ge.u32 %%p, %%r1, 16;
	@%%p bra join;
spin:
	ld.volatile.shared.u32 %%r2, [flag];
	setp.eq.u32 %%q, %%r2, 0;
	@%%q bra spin;
join:
	ld.shared.u32 %%r6, [g];
	setp.ne.u32 %%q, %%r6, 0;
	@%%q bra more;
	st.shared.u32 [g], 1;
	st.volatile.shared.u32 [flag], 1;
	ret;
more:
	shfl.sync.%s, 0xffffffff;
	setp.eq.u32 %%q, %%r1, 3;
	@%%q ret;
	mov.u32 %%r7, 0;
loop:
	add.u32 %%r7, %%r7, 1;
	setp.lt.u32 %%q, %%r7, 20000;
	@%%q bra loop;
	mov.u32 %%r5, list;
	%s
	st.global.u32 [%%rd1], %%r4;
	ret;
}
`

// shuffleApart runs the kernels with a value to shuffle, the shuffle, and an operation on the
// values that lanes read.
func shuffleApart(t *testing.T, from, shuffle, use string, absent sim.Policy) {
	t.Helper()
	together := strings.Replace(halfGone, "setp.eq.u32 %%q, %%r1, 3;\n\t@%%q ret;", "", 1) // as they were when all exit
	for name, text := range map[string]string{"part": halfAlone, "gone": halfGone, "together": strings.Replace(together, "entry gone", "entry together", 1)} {
		agree(t, fmt.Sprint(name, ": ", from, " ", shuffle, " ", use, " ", absent), func(e sim.Engine) string {
			mem := sim.NewMemory()
			out := mem.Add("out", make([]byte, 128))
			l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Undefined: absent, Param: binary.LittleEndian.AppendUint64(nil, out.Base)}
			return fmt.Sprintf("%s %x", ended(t, e, lift(t, fmt.Sprintf(text, from, shuffle, use), name), l), out.Data)
		})
	}
}

// TestShuffleAlone: the launch determines the value that a shuffle gives for missing lanes.
// It may exceed the bound of the other lanes' values, or differ from the constant that all of
// them have.
func TestShuffleAlone(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"mov.u32 %r3, 7;", "mov.u32 %r3, %ctaid.x; and.b32 %r3, %r3, 3; xor.b32 %r3, %r3, 3;"} {
		for _, use := range []string{"add.u32 %r4, %r4, 1;", "and.b32 %r4, %r4, 0xff;", "mad.lo.u32 %r5, %r4, 4, %r5; ld.shared.u32 %r4, [%r5];"} {
			for _, absent := range []sim.Policy{sim.Own, sim.Zero, sim.Poison} {
				shuffleApart(t, from, "bfly.b32 %r4, %r3, 16, 31", use, absent)
			}
		}
	}
}

// TestShuffleUnread: reads of missing lanes are reported, also if the results are not used or
// are equal in all lanes.
func TestShuffleUnread(t *testing.T) {
	t.Parallel()
	shuffleApart(t, "mov.u32 %r3, %r1; mov.u32 %r8, %ctaid.x; add.u32 %r8, %r8, 18;", "bfly.b32 %r4, %r3, %r8, 31", "mov.u32 %r4, 5;", sim.Own)
	shuffleApart(t, "mov.u32 %r3, %ctaid.x; add.u32 %r3, %r3, 7; and.b32 %r8, %r1, 17;", "bfly.b32 %r4, %r3, %r8, 31", "add.u32 %r4, %r4, 1;", sim.Own)
	shuffleApart(t, "mov.u32 %r3, %ctaid.x; add.u32 %r3, %r3, 7; xor.b32 %r8, %r1, 24;", "bfly.b32 %r4, %r3, %r8, 31", "add.u32 %r4, %r4, 1;", sim.Zero)
}

// TestShuffleOwn: a lane that reads a missing lane gets its own value, although no lane would
// read that if all lanes were there.
func TestShuffleOwn(t *testing.T) {
	t.Parallel()
	for _, shuffle := range []string{"idx.b32 %r4, %r3, 0, 31", "idx.b32 %r4|%q, %r3, 20, 31", "idx.b32 %r4, %r3, 1, 0x101f", "up.b32 %r4, %r3, 16, 0", "up.b32 %r4|%q, %r3, 24, 0", "down.b32 %r4, %r3, 16, 31"} {
		for _, from := range []string{"mul.lo.u32 %r3, %r1, %r1;", "add.u32 %r3, %r1, 7;"} {
			for _, use := range []string{"add.u32 %r4, %r4, 1;", "mov.u32 %r4, 5;"} {
				shuffleApart(t, from, shuffle, use, sim.Own)
			}
		}
	}
}
