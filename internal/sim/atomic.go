package sim

import (
	"math"
	"sync/atomic"
	"unsafe"

	"example.org/crosslane/internal/ir"
)

// An AtomFn computes the value that an atomic stores, from the old value and the operands.
type AtomFn func(old, a, b uint64) uint64

// AtomicFn returns the function of an atomic of 2, 4, 8 or 16 bytes; nil if the operation does not exist. The
// function sees only the low halves of 16 bytes: see AtomicWide.
func AtomicFn(op ir.AtomicOp, size uint8) AtomFn {
	if p, ok := op.Pure(); ok {
		return pureFn(ir.Ops[p].Fn)
	}
	if op == ir.AtomAddF32 {
		return pureFn(ir.Ops[ir.AddF32].Fn)
	}
	switch size {
	case 2:
		return integerFn[uint16](op)
	case 4:
		return integerFn[uint32](op)
	}
	return integerFn[uint64](op)
}

// AtomicFnGlobal is AtomicFn for global memory.
//
// PTX 9.7.14.5: atom.add.f32 flushes subnormal inputs and results on global memory,
// and on shared memory it does not.
func AtomicFnGlobal(op ir.AtomicOp, size uint8) AtomFn {
	if op == ir.AtomAddF32 {
		return pureFn(ir.Ops[ir.AddF32Ftz].Fn)
	}
	return AtomicFn(op, size)
}

// pureFn wraps a function of package num as one of bits; nil for an unsupported signature.
func pureFn(fn any) AtomFn {
	switch f := fn.(type) {
	case func(uint16, uint16) uint16:
		return func(o, a, _ uint64) uint64 { return uint64(f(uint16(o), uint16(a))) }
	case func(uint32, uint32) uint32:
		return func(o, a, _ uint64) uint64 { return uint64(f(uint32(o), uint32(a))) }
	case func(int32, int32) int32:
		return func(o, a, _ uint64) uint64 { return uint64(uint32(f(int32(o), int32(a)))) }
	case func(uint64, uint64) uint64:
		return func(o, a, _ uint64) uint64 { return f(o, a) }
	case func(int64, int64) int64:
		return func(o, a, _ uint64) uint64 { return uint64(f(int64(o), int64(a))) }
	case func(uint32, uint32, uint32) uint32:
		return func(o, a, b uint64) uint64 { return uint64(f(uint32(o), uint32(a), uint32(b))) }
	case func(uint64, uint64, uint64) uint64:
		return f
	case func(uint64, uint32) uint64:
		return func(o, a, _ uint64) uint64 { return f(o, uint32(a)) }
	case func(float32, float32) float32:
		return func(o, a, _ uint64) uint64 {
			return uint64(math.Float32bits(f(math.Float32frombits(uint32(o)), math.Float32frombits(uint32(a)))))
		}
	case func(float64, float64) float64:
		return func(o, a, _ uint64) uint64 {
			return math.Float64bits(f(math.Float64frombits(o), math.Float64frombits(a)))
		}
	}
	return nil
}

// integerFn is PTX 9.7.14.5's table of integer and bit operations.
func integerFn[U uint16 | uint32 | uint64](op ir.AtomicOp) AtomFn {
	sign := ^(^U(0) >> 1) // flipped, signed numbers compare as unsigned ones
	switch op {
	case ir.AtomAdd:
		return func(o, a, _ uint64) uint64 { return o + a }
	case ir.AtomSub:
		return func(o, a, _ uint64) uint64 { return o - a }
	case ir.AtomMinU:
		return func(o, a, _ uint64) uint64 { return uint64(min(U(o), U(a))) }
	case ir.AtomMaxU:
		return func(o, a, _ uint64) uint64 { return uint64(max(U(o), U(a))) }
	case ir.AtomMinS:
		return func(o, a, _ uint64) uint64 { return uint64(min(U(o)^sign, U(a)^sign) ^ sign) }
	case ir.AtomMaxS:
		return func(o, a, _ uint64) uint64 { return uint64(max(U(o)^sign, U(a)^sign) ^ sign) }
	case ir.AtomAnd:
		return func(o, a, _ uint64) uint64 { return o & a }
	case ir.AtomOr:
		return func(o, a, _ uint64) uint64 { return o | a }
	case ir.AtomXor:
		return func(o, a, _ uint64) uint64 { return o ^ a }
	case ir.AtomExch:
		return func(_, a, _ uint64) uint64 { return a }
	case ir.AtomCAS:
		return func(o, a, b uint64) uint64 {
			if U(o) == U(a) {
				return b
			}
			return o
		}
	case ir.AtomInc:
		return func(o, a, _ uint64) uint64 {
			if U(o) >= U(a) {
				return 0
			}
			return o + 1
		}
	case ir.AtomDec:
		return func(o, a, _ uint64) uint64 {
			if U(o) == 0 || U(o) > U(a) {
				return a
			}
			return o - 1
		}
	}
	return nil
}

// AtomicRMW performs an atomic operation of 2, 4 or 8 bytes at p, which other workers may touch, and
// returns the old value. f is the operation's AtomicFn. a is its operand, or the comparand of CAS; b is the
// new value of CAS. addr is the guest address of p.
func (w *Wave) AtomicRMW(p unsafe.Pointer, addr uint64, op ir.AtomicOp, size uint8, f AtomFn, a, b uint64) uint64 {
	switch size {
	case 2:
		l := w.Mem.Lock(addr)
		q := (*uint16)(p)
		old := uint64(*q)
		*q = uint16(f(old, a, b))
		l.Unlock()
		return old
	case 8:
		q := (*uint64)(p)
		switch op {
		case ir.AtomAdd:
			return atomic.AddUint64(q, a) - a
		case ir.AtomAnd:
			return atomic.AndUint64(q, a)
		case ir.AtomOr:
			return atomic.OrUint64(q, a)
		case ir.AtomExch:
			return atomic.SwapUint64(q, a)
		}
		for {
			old := atomic.LoadUint64(q)
			if atomic.CompareAndSwapUint64(q, old, f(old, a, b)) {
				return old
			}
		}
	}
	q := (*uint32)(p)
	switch op {
	case ir.AtomAdd:
		return uint64(atomic.AddUint32(q, uint32(a)) - uint32(a))
	case ir.AtomAnd:
		return uint64(atomic.AndUint32(q, uint32(a)))
	case ir.AtomOr:
		return uint64(atomic.OrUint32(q, uint32(a)))
	case ir.AtomExch:
		return uint64(atomic.SwapUint32(q, uint32(a)))
	}
	for {
		old := atomic.LoadUint32(q)
		if atomic.CompareAndSwapUint32(q, old, uint32(f(uint64(old), a, b))) {
			return uint64(old)
		}
	}
}

// AtomicWide performs an exchange or compare-and-swap of 16 bytes, low half first, and returns the old
// value (PTX 9.7.14.5, .b128).
func (w *Wave) AtomicWide(p unsafe.Pointer, addr uint64, op ir.AtomicOp, a, b [2]uint64) [2]uint64 {
	defer w.Mem.Lock(addr).Unlock()
	q := (*[2]uint64)(p)
	old := *q
	switch {
	case op == ir.AtomExch:
		*q = a
	case old == a:
		*q = b
	}
	return old
}
