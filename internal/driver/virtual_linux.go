package driver

import "example.org/crosslane/api"

// Memory and addresses that a host manages apart (cuMemMap). The bytes of created memory have a place in the arena;
// reserved addresses are a range of the arena without storage. To map memory is to show its bytes in that range, too,
// here and in the client. So copies, kernels and the host see one memory at several addresses.

// Reserve returns n bytes at a multiple of align, a power of two.
func (a *arena) Reserve(n, align uint64) (base uint64, data []byte, err error) {
	if n > ArenaBytes-2*arenaGap || align > ArenaBytes/2 {
		return 0, nil, a.full(n)
	}
	// The alignment may take unused bytes in front, which stay in the range before.
	unused := -(ArenaBase + a.next) & (align - 1)
	if need := room(n); unused+need <= ArenaBytes-a.next {
		off := a.next + unused
		a.next = off + need
		return ArenaBase + off, a.data[off : off+n : off+n], nil
	}
	off, err := a.again(n, room(n)+align)
	if err != nil {
		return 0, nil, err
	}
	start := off
	off += -(ArenaBase + off) & (align - 1)
	if off > start {
		a.free = append(a.free, arenaRange{start, off - start})
	}
	if end := start + room(n) + align; off+room(n) < end {
		a.free = append(a.free, arenaRange{off + room(n), end - off - room(n)})
	}
	return ArenaBase + off, a.data[off : off+n : off+n], nil
}

// Map shows the n bytes at from in the range at base, too. All are multiples of a page.
func (a *arena) Map(base, n, from uint64) error {
	off := base - ArenaBase
	if err := a.mapOver(off, n, a.fd, from-ArenaBase); err != nil {
		return err
	}
	if a.mapped == nil {
		a.mapped = map[uint64]uint64{}
	}
	a.mapped[off] = n
	return nil
}

// Unmap shows the own bytes of the range at base again, all zero.
func (a *arena) Unmap(base, n uint64) {
	off := base - ArenaBase
	if err := a.mapOver(off, n, a.fd, off); err != nil {
		panic(err) // the range was mapped a moment ago
	}
	for at := range a.mapped {
		if at >= off && at < off+n {
			delete(a.mapped, at)
		}
	}
}

func (c *client) reserve(in *reader) Status {
	n, align := in.u64(), in.u64()
	if in.bad {
		return InvalidValue
	}
	p, err := c.dev.ReserveAddresses(n, align)
	c.out.u64(uint64(p))
	return c.status(err)
}

func (c *client) unreserve(in *reader) Status {
	p, n := api.DevicePtr(in.u64()), in.u64()
	if in.bad {
		return InvalidValue
	}
	return c.status(c.dev.FreeAddresses(p, n))
}

func (c *client) create(in *reader) Status {
	n := in.u64()
	if in.bad {
		return InvalidValue
	}
	number, err := c.dev.CreateMemory(n)
	c.out.u64(number)
	return c.status(err)
}

func (c *client) retain(in *reader) Status {
	p := api.DevicePtr(in.u64())
	if in.bad {
		return InvalidValue
	}
	number, err := c.dev.RetainMemory(p)
	c.out.u64(number)
	return c.status(err)
}

func (c *client) release(in *reader) Status {
	number := in.u64()
	if in.bad {
		return InvalidValue
	}
	return c.status(c.dev.ReleaseMemory(number))
}

func (c *client) mapMemory(in *reader) Status {
	p, n, off, number := api.DevicePtr(in.u64()), in.u64(), in.u64(), in.u64()
	if in.bad {
		return InvalidValue
	}
	from, err := c.dev.MapMemory(p, n, off, number)
	c.out.u64(from)
	return c.status(err)
}

func (c *client) unmap(in *reader) Status {
	p, n := api.DevicePtr(in.u64()), in.u64()
	if in.bad {
		return InvalidValue
	}
	return c.status(c.dev.UnmapMemory(p, n))
}

func (c *client) rights(in *reader) Status {
	p, n, rights := api.DevicePtr(in.u64()), in.u64(), in.u32()
	if in.bad {
		return InvalidValue
	}
	return c.status(c.dev.SetRights(p, n, rights))
}
