package ir

import "math/rand/v2"

// Windows holds the beginnings of the windows of PTX with addresses of 64 bits. The zero value is
// the ordinary layout: SharedPTX, LocalPTX and ParamPTX.
type Windows struct {
	shared, local, param uint64 // offsets from the ordinary bases, modulo 2^64
}

// RandomWindows returns the windows of a seed. As in the ordinary layout, no low half is 0 or lies
// in the window of constant variables, and two low halves differ by more than any space holds. The
// upper 16 bits are the ordinary ones. All bases are multiples of 64 KiB: code that masks the bits
// of an address has no promise beyond that.
func RandomWindows(seed uint64) Windows {
	const (
		slot = 1 << 28 // there are three below ConstantWindow, after an empty one
		room = 1 << 24 // at the end of a slot, for the contents of the space
		step = 1 << 16
	)
	r := rand.New(rand.NewPCG(seed, 0))
	slots := r.Perm(3)
	low := func(i int, base uint64) uint64 {
		at := uint64(slots[i]+1)*slot + (1+r.Uint64N((slot-room)/step-1))*step
		return at - base&^WindowMask
	}
	return Windows{low(0, SharedPTX), low(1, LocalPTX), low(2, ParamPTX)}
}

// Shared returns the beginning of the window of shared memory.
func (w *Windows) Shared() uint64 { return SharedPTX + w.shared }

// Local returns the beginning of the window of private memory.
func (w *Windows) Local() uint64 { return LocalPTX + w.local }

// Param returns the beginning of the window of the kernel's parameters.
func (w *Windows) Param() uint64 { return ParamPTX + w.param }

// Base returns where the window of shared or private memory or of parameters begins; 0 for a space
// without a window.
func (w *Windows) Base(s Space) uint64 {
	switch s {
	case Shared:
		return w.Shared()
	case Local:
		return w.Local()
	case Param:
		return w.Param()
	}
	return 0
}

// Has reports whether one of the windows begins at an address.
func (w *Windows) Has(base uint64) bool {
	return base == w.Shared() || base == w.Local() || base == w.Param()
}

// Place returns the meaning of an address. For a generic address it is the space and the address
// there; for a window, that is the offset in it. wide reports that generic addresses have 64 bits.
func (w *Windows) Resolve(space Space, addr uint64, wide bool) (Space, uint64) {
	if space != Generic {
		return space, addr
	}
	g := addr
	if !wide {
		g = Widen(addr)
	}
	switch g >> 48 {
	case 0:
	case SharedWindow >> 48:
		return Shared, g &^ WindowMask
	case SharedPTX >> 48:
		if base := w.Shared(); g >= base {
			return Shared, g - base
		}
	case LocalWindow >> 48:
		return Local, g &^ WindowMask
	case LocalPTX >> 48:
		if base := w.Local(); g >= base {
			return Local, g - base
		}
	case ParamWindow >> 48:
		return Param, g &^ WindowMask
	case ParamPTX >> 48:
		if base := w.Param(); g >= base {
			return Param, g - base
		}
	}
	return Global, addr
}
