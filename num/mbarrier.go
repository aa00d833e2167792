package num

// The 64 bits of an mbarrier object. The manual keeps them opaque (PTX 9.7.14.16); this layout is
// Crosslane's own:
//
//	bits  0 to 19  pending arrivals of the current phase
//	bits 20 to 39  expected arrivals of the next phase
//	bits 40 to 60  tx-count, a signed number
//	bit  61        parity of the current phase
//	bit  62        set: this is an object that mbarrier.init made
//	bit  63        of an object: the second bit of the number of the current phase.
//	               Without bit 62: misused. Bits 0 to 7 give the reason (Mbar…), until
//	               the next mbarrier.init
//
// A zero word, which mbarrier.inval leaves, is no object. The state that an arrival returns is the
// object before the arrival: its phase and its pending count. Two bits of the phase distinguish a
// state that is two phases old from one of the current phase.
//
// An operation that the manual leaves undefined makes a misused object. It stays misused, so that a
// check after the operation can report the first mistake.
const (
	mbarBits    = 20
	mbarMax     = 1<<mbarBits - 1 // PTX 9.7.14.16.3: the range of the counts
	mbarPhase   = 1 << 61
	mbarValid   = 1 << 62
	mbarSecond  = 1 << 63
	mbarMisused = 1 << 63 // without mbarValid
)

// The ways to misuse an mbarrier object.
const (
	MbarOK         = iota
	MbarNoObject   // the word holds no object
	MbarBadCount   // mbarrier.init with a count outside 1 to 2^20-1
	MbarTooMany    // more arrivals than are pending, or dropped than are expected
	MbarTxRange    // the tx-count leaves its range
	MbarIncomplete // .noComplete completed the phase
)

func mbarBroken(reason uint64) uint64 { return mbarMisused | reason }

func mbarPack(pending, expected uint64, tx int64, flags uint64) uint64 {
	return pending | expected<<mbarBits | uint64(tx)&(1<<21-1)<<40 | flags
}

func mbarTx(m uint64) int64 { return int64(m<<3) >> 43 }

// mbarSettle completes the phase if nothing is pending (PTX 9.7.14.16.8): the next phase begins
// with the expected arrivals.
func mbarSettle(m uint64) uint64 {
	expected := m >> mbarBits & mbarMax
	if m&mbarMax == 0 && mbarTx(m) == 0 {
		next := m&^mbarMax | expected ^ mbarPhase
		return next ^ m&mbarPhase<<2 // an odd phase carries into bit 63
	}
	return m
}

// mbarBad returns the result of an operation on a word that is no object or was misused before; ok
// if it is neither.
func mbarBad(m uint64) (left uint64, ok bool) {
	r := MbarError(m)
	return mbarBroken(uint64(r)), r == MbarOK
}

// MbarInit returns the object that mbarrier.init makes: phase 0, count arrivals pending and
// expected, tx-count 0.
func MbarInit(count uint32) uint64 {
	if count < 1 || count > mbarMax {
		return mbarBroken(MbarBadCount)
	}
	return mbarPack(uint64(count), uint64(count), 0, mbarValid)
}

// MbarArrive is the arrive-on operation: it subtracts count from the pending arrivals.
func MbarArrive(m uint64, count uint32) uint64 {
	if left, ok := mbarBad(m); !ok {
		return left
	}
	if uint64(count) > m&mbarMax {
		return mbarBroken(MbarTooMany)
	}
	return mbarSettle(m - uint64(count))
}

// MbarExpectTx is the expect-tx operation: it adds to the tx-count.
func MbarExpectTx(m uint64, count uint32) uint64 { return mbarAddTx(m, int64(count), false) }

// MbarCompleteTx is the complete-tx operation: it subtracts from the tx-count, which may complete
// the phase.
func MbarCompleteTx(m uint64, count uint32) uint64 { return mbarAddTx(m, -int64(count), true) }

// mbarAddTx adds n to the tx-count, and completes the phase if settle is set and nothing is
// pending.
func mbarAddTx(m uint64, n int64, settle bool) uint64 {
	if left, ok := mbarBad(m); !ok {
		return left
	}
	tx := mbarTx(m) + n
	if tx < -mbarMax || tx > mbarMax {
		return mbarBroken(MbarTxRange)
	}
	m = mbarPack(m&mbarMax, m>>mbarBits&mbarMax, tx, m&(mbarPhase|mbarValid|mbarSecond))
	if settle {
		return mbarSettle(m)
	}
	return m
}

// MbarArriveExpectTx is expect-tx, then an arrival.
func MbarArriveExpectTx(m uint64, count uint32) uint64 { return MbarArrive(MbarExpectTx(m, count), 1) }

// MbarArriveDrop subtracts count from the expected arrivals of later phases, then arrives count
// times.
func MbarArriveDrop(m uint64, count uint32) uint64 {
	if left, ok := mbarBad(m); !ok {
		return left
	}
	if uint64(count) > m>>mbarBits&mbarMax {
		return mbarBroken(MbarTooMany)
	}
	return MbarArrive(m-uint64(count)<<mbarBits, count)
}

// MbarArriveDropExpectTx is expect-tx, then MbarArriveDrop of one.
func MbarArriveDropExpectTx(m uint64, count uint32) uint64 {
	return MbarArriveDrop(MbarExpectTx(m, count), 1)
}

// MbarArriveNoComplete is an arrival that must not complete the phase.
func MbarArriveNoComplete(m uint64, count uint32) uint64 { return mbarStays(m, MbarArrive(m, count)) }

// MbarArriveDropNoComplete is MbarArriveDrop that must not complete the phase.
func MbarArriveDropNoComplete(m uint64, count uint32) uint64 {
	return mbarStays(m, MbarArriveDrop(m, count))
}

func mbarStays(before, after uint64) uint64 {
	if after&mbarValid != 0 && (before^after)&mbarPhase != 0 {
		return mbarBroken(MbarIncomplete)
	}
	return after
}

// MbarTrack is cp.async.mbarrier.arrive without .noinc, after the copies are done: one more arrival
// becomes pending, and arrives. The object is unchanged, unless the operation is a misuse.
func MbarTrack(m uint64, _ uint32) uint64 {
	if left, ok := mbarBad(m); !ok {
		return left
	}
	if m&mbarMax == mbarMax {
		return mbarBroken(MbarTooMany)
	}
	return m
}

// MbarDone is test_wait: it reports whether the phase in which the state was taken is over. The
// state is of the current phase or of the one before it.
func MbarDone(m, state uint64) bool { return (m^state)&mbarPhase != 0 }

// MbarDoneParity is test_wait.parity: it reports whether the phase of that parity, the current one
// or the one before it, is over.
func MbarDoneParity(m uint64, parity uint32) bool { return uint32(m>>61)&1 != parity&1 }

// MbarPending returns the pending count of a state.
func MbarPending(state uint64) uint32 { return uint32(state & mbarMax) }

// MbarError returns the reason (Mbar…) for which a word is a misused mbarrier object.
func MbarError(m uint64) uint32 {
	switch {
	case m&mbarValid != 0:
		return MbarOK
	case m&mbarMisused != 0:
		if r := uint32(m & 0xff); r != MbarOK && r <= MbarIncomplete {
			return r
		}
	}
	return MbarNoObject
}
