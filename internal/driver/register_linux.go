package driver

import (
	"fmt"
	"slices"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/device"
)

// Memory of the host that kernels may use: the client replaces the pages of a range by pages of the arena. Ranges may
// share a page, and each is an allocation of its own with exact bounds.

// hostPages are pages of the arena that a client has put into its own memory.
type hostPages struct {
	off, n uint64 // offset in the arena, bytes with the gap
	users  int    // allocations in them
	host   uint64 // the address of the only allocation, if it is one of the host; else 0
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
		pages = &hostPages{first - ArenaBase, room(off + n), 0, 0}
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
		if p.host != 0 {
			continue
		}
		if first := ArenaBase + p.off; base >= first && base-first < p.n-arenaGap && n <= p.n-arenaGap-(base-first) {
			return p
		}
	}
	return nil
}

// AllocAt returns the memory of a variable that the client has at an address of its own, the first one of a page. The client
// puts the pages there.
func (a *arena) AllocAt(base, n uint64) ([]byte, error) {
	const end = 1 << 47 // of the addresses of hosts
	if base%arenaAlign != 0 || base == 0 || n == 0 || n > ArenaBytes || base > end-n-arenaAlign || base+n > ArenaBase && base < ArenaBase+ArenaBytes {
		return nil, badPlace(base, n, "is not the first one of a page of the host")
	}
	for _, p := range a.pages {
		if p.host != 0 && base < p.host+p.n-arenaGap && p.host < base+room(n)-arenaGap {
			return nil, badPlace(base, n, "is in a page with another variable")
		}
	}
	first, data, err := a.Alloc(n)
	if err != nil {
		return nil, err
	}
	a.pages = append(a.pages, &hostPages{first - ArenaBase, room(n), 1, base})
	return data, nil
}

// badPlace is the error of AllocAt.
func badPlace(base, n uint64, why string) error {
	return diag.List{diag.Errorf(diag.Pos{}, diag.Input, device.CodeBadPointer, "the address %#x of a managed variable of %d bytes %s", base, n, why)}
}

// hostPagesAt returns the pages of a variable of the client, or nil.
func (a *arena) hostPagesAt(base uint64) *hostPages {
	if i := slices.IndexFunc(a.pages, func(p *hostPages) bool { return p.host == base && base != 0 }); i >= 0 {
		return a.pages[i]
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
	p := a.hostPagesAt(base)
	if p == nil {
		p = a.pagesOf(base, n)
	}
	if p == nil || p.users == 0 {
		return false
	}
	if p.users--; p.users == 0 {
		a.drop(p)
	}
	return true
}

// managedOfHost stands for a managed variable whose pages the client has to put where it has the variable.
const managedOfHost = 2

// addresses reads the addresses of variables that the client has, by their names.
func (c *client) addresses(in *reader) map[string]uint64 {
	if len(in.b) == 0 {
		return nil
	}
	at := map[string]uint64{}
	for n := in.u32(); n > 0 && !in.bad; n-- {
		name := in.text()
		at[name] = in.u64()
	}
	return at
}
