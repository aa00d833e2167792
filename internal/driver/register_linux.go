package driver

import (
	"fmt"
	"slices"
)

// Memory of the host that kernels may use: the client replaces the pages of a range by pages of the arena. Ranges may
// share a page, and each is an allocation of its own with exact bounds.

// hostPages are pages of the arena that a client has put into its own memory.
type hostPages struct {
	off, n uint64 // offset in the arena, bytes with the gap
	users  int    // allocations in them
}

// register makes an allocation at an offset of new pages, or at an address in pages of an earlier call.
func (c *client) register(in *reader) Status {
	base, off, n := in.u64(), uint64(in.u32()), in.u64()
	if in.bad || n == 0 || n > ArenaBytes || off >= arenaAlign {
		return InvalidValue
	}
	a := c.arena
	var pages *hostPages
	if base == 0 {
		first, _, err := a.Alloc(off + n)
		if err != nil {
			return statusOf(err)
		}
		pages = &hostPages{first - ArenaBase, room(off + n), 0}
		a.pages = append(a.pages, pages)
		base = first + off
	} else if pages = a.pagesOf(base, n); pages == nil {
		return InvalidValue
	}
	a.fixed = base
	a.registered++
	p, err := c.dev.Alloc(fmt.Sprintf("registered memory %d", a.registered), n, true)
	a.fixed = 0
	if err != nil && pages.users == 0 && slices.Contains(a.pages, pages) {
		a.drop(pages)
	}
	c.out.u64(uint64(p))
	return statusOf(err)
}

// pagesOf returns the pages that hold a range of addresses, or nil.
func (a *arena) pagesOf(base, n uint64) *hostPages {
	for _, p := range a.pages {
		if first := ArenaBase + p.off; base >= first && base-first < p.n-arenaGap && n <= p.n-arenaGap-(base-first) {
			return p
		}
	}
	return nil
}

// drop gives pages back that no allocation uses.
func (a *arena) drop(p *hostPages) {
	a.pages = slices.DeleteFunc(a.pages, func(x *hostPages) bool { return x == p })
	a.Free(ArenaBase+p.off, p.n-arenaGap)
}

// allocFixed returns the memory of an allocation in pages of the host.
func (a *arena) allocFixed(n uint64) (base uint64, data []byte, err error) {
	p := a.pagesOf(a.fixed, n)
	p.users++
	off := a.fixed - ArenaBase
	return a.fixed, a.data[off : off+n : off+n], nil
}

// freeFixed reports whether an allocation lies in pages of the host, and gives them back with their last allocation.
func (a *arena) freeFixed(base, n uint64) bool {
	p := a.pagesOf(base, n)
	if p == nil || p.users == 0 {
		return false
	}
	if p.users--; p.users == 0 {
		a.drop(p)
	}
	return true
}
