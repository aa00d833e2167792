package num

// An Mbarrier is the 64 bits of an mbarrier object, for messages.
type Mbarrier uint64

// Valid reports whether it is an object that mbarrier.init made.
func (m Mbarrier) Valid() bool { return MbarError(uint64(m)) == MbarOK }

// Pending returns the number of arrivals for which the current phase still waits.
func (m Mbarrier) Pending() uint32 { return uint32(m & mbarMax) }

// Expected returns the number of arrivals of the next phase.
func (m Mbarrier) Expected() uint32 { return uint32(m >> mbarBits & mbarMax) }

// Bytes returns the tx-count of the current phase: bytes that are expected and have not arrived.
func (m Mbarrier) Bytes() int64 { return mbarTx(uint64(m)) }

// Parity returns the parity of the current phase.
func (m Mbarrier) Parity() uint32 { return uint32(m>>61) & 1 }

// Phase returns the number of the current phase, modulo 4.
func (m Mbarrier) Phase() int { return int(m>>61&1 | m>>62&2) }
