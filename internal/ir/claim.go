package ir

// ClaimKind is the subject of a Claim. If the subject is memory, its address is Args[0]+Imm in
// Space.
type ClaimKind uint8

// The kinds.
const (
	// ClaimOpen: the manual leaves the effect undefined for the lanes in which Args[1] (B1) is set;
	// Imm is the index of the undefined fact in Pos.Open.
	ClaimOpen ClaimKind = iota
	// ClaimUndefined: the bits of Args[1] are undefined from here on.
	ClaimUndefined
	// ClaimDiscard: the Align bytes at the address are undefined from here on.
	ClaimDiscard
	// ClaimReadOnly: the next operation reads Align bytes that must not be written during the
	// launch.
	ClaimReadOnly
	// ClaimMbarInit, ClaimMbarEnd: the next operation makes an mbarrier object, or ends it.
	ClaimMbarInit
	ClaimMbarEnd
	// ClaimMbarState, ClaimMbarParity: the next operation tests the object at the address for the
	// phase of the state (B64), or of the parity (B32), in Args[1].
	ClaimMbarState
	ClaimMbarParity
	// ClaimMbarCounted: an arrival with .noComplete has returned the state Args[1].
	ClaimMbarCounted
	// ClaimMbarCount: the next operation reads the pending count of the state Args[1].
	ClaimMbarCount
	// ClaimCancel: the next operation requests the cancellation of a cluster; Imm as in ClaimOpen.
	ClaimCancel
	// ClaimCancelSeen: the block reads the result of a failed request.
	ClaimCancelSeen
	// ClaimCluster: the manual defines the next operation only in a cluster of several blocks. ClaimOtherBlock: and only if the
	// address is in another block.
	ClaimCluster
	ClaimOtherBlock
	// ClaimInFlight: the next operation accesses a register of a product of a warpgroup. Imm is InFlightImm.
	ClaimInFlight
)

// InFlightImm packs a register, and whether it is written, for a ClaimInFlight.
func InFlightImm(r Ref, writes bool) uint64 {
	if writes {
		return uint64(r)<<1 | 1
	}
	return uint64(r) << 1
}

// InFlightFields unpacks InFlightImm.
func InFlightFields(imm uint64) (r Ref, writes bool) { return Ref(imm >> 1), imm&1 != 0 }

// Checked emits the operations of emit and marks them as present for checks only.
func (b *Builder) Checked(emit func()) {
	n := len(b.f.Code)
	first := b.first
	emit()
	for i := n; i < len(b.f.Code); i++ {
		b.f.Code[i].Flags |= Checked
		b.f.Code[i].First = false
	}
	b.first = first
}

// Unchecked returns the function without the operations that are present for checks only; f itself
// if there are none. f is not changed.
func (f *Func) Unchecked() *Func {
	some := false
	for i := range f.Code {
		some = some || f.Code[i].Flags&Checked != 0
	}
	if !some {
		return f
	}
	out := *f
	out.Code = make([]Inst, 0, len(f.Code))
	out.Blocks = make([]Block, len(f.Blocks))
	for n, b := range f.Blocks {
		start := len(out.Code)
		for i := b.Start; i < b.End; i++ {
			if f.Code[i].Flags&Checked == 0 {
				out.Code = append(out.Code, f.Code[i])
			}
		}
		if len(out.Code) == start {
			out.Code = append(out.Code, Inst{Op: Nop, Pos: f.Code[b.Start].Pos})
		}
		out.Blocks[n] = Block{Start: start, End: len(out.Code)}
	}
	return &out
}
