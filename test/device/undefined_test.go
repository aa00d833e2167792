package device_test

import (
	"strings"
	"testing"

	"example.org/crosslane"
)

// half reads lanes that do not take part and stores what it gets.
const half = `.version 7.0
.target sm_70
.address_size 64
.visible .entry half(.param .u64 p)
{
	.reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %q;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	setp.ge.u32 %q, %r1, 16;
	@%q ret;
	shfl.sync.down.b32 %r2, %r1, 8, 31, 0xffff;
	st.global.u32 [%rd1], %r2;
	ret;
}
`

// An undefined read whose bits stay in the memory of the device is not said to be harmless: the copy that shows them to
// the host is reported.
func TestUndefinedStays(t *testing.T) {
	t.Parallel()
	h := newHost(t, crosslane.DeviceOptions{Check: true})
	m := load(t, h.Device, half, "half.ptx")
	k, err := m.Kernel("half")
	h.must(err)
	p := h.alloc("p", 64)
	_, err = h.DefaultStream().Launch(t.Context(), k, crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{p}})
	h.must(err)
	h.words(p, 16)
	h.must(h.Free(p))
	list := h.only("undefined-source", "undefined-copy")
	if len(list) == 2 && !strings.Contains(list[0].Message, "a use of what it leaves in memory is reported then") {
		t.Error(list[0].Message)
	}
}
