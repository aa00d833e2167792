package driver

import (
	"example.org/crosslane/api"
	"example.org/crosslane/internal/device"
)

// Launches on the host's own memory (ptx_run of the library). The client copies pieces of its memory into an area of the
// shared memory, and copies back what the kernel has changed.

// area is shared memory for the pieces; it is no memory of the device.
type area struct{ base, n uint64 }

// maxPieces is how many pieces a launch may have.
const maxPieces = 1 << 12

// takeArea gives the client another area.
func (c *client) takeArea(in *reader) Status {
	n := in.u64()
	if in.bad || n == 0 {
		return InvalidValue
	}
	if c.area.n > 0 {
		c.arena.Free(c.area.base, c.area.n)
		c.area = area{}
	}
	base, _, err := c.arena.Alloc(n)
	if err != nil {
		return c.status(err)
	}
	c.area = area{base, n}
	c.out.u64(base)
	return Success
}

// piece reads the next piece of a launch; ok is false if it is not in the area.
func (c *client) piece(in *reader) (p device.HostPiece, ok bool) {
	p.Base = in.u64()
	at, n := in.u64(), in.u64()
	if at < c.area.base || at-c.area.base > c.area.n || n > c.area.n-(at-c.area.base) || n == 0 || at%8 != 0 || p.Base%8 != 0 {
		return p, false
	}
	off := at - ArenaBase
	p.Data = c.arena.data[off : off+n : off+n]
	return p, true
}

// inPlace launches a kernel on memory of the host.
func (c *client) inPlace(in *reader) Status {
	k := c.functions[in.u64()]
	dim := func() api.Dim3 { return api.Dim3{X: in.u32(), Y: in.u32(), Z: in.u32()} }
	l := api.DeviceLaunch{Grid: dim(), Block: dim(), Shared: in.u32()}
	last := in.u32() != 0
	l.Params = append([]byte{}, in.bytes()...)
	count := in.u32()
	if in.bad || k == nil || count > maxPieces {
		return InvalidHandle
	}
	var pieces []device.HostPiece
	for range count {
		p, ok := c.piece(in)
		if in.bad || !ok {
			return InvalidValue
		}
		pieces = append(pieces, p)
	}
	need, err := c.dev.LaunchInPlace(c.ctx, k, l, pieces, last)
	if need.N == 0 {
		c.server.launches.Add(1)
	}
	c.out.u64(need.Addr)
	c.out.u64(need.N)
	return c.status(err)
}
