package ir

// ClaimKind is what a Claim tells of. Where it tells of memory, Args[0]+Imm in Space is
// the address.
type ClaimKind uint8

// The kinds.
const (
	// ClaimOpen: of the lanes where Args[1] (B1) is set the manual says nothing: Imm is
	// the index of what it leaves undefined in Pos.Open.
	ClaimOpen ClaimKind = iota
	// ClaimUndefined: the bits of Args[1] are undefined from here on.
	ClaimUndefined
	// ClaimDiscard: the Align bytes at the address are undefined from here on.
	ClaimDiscard
	// ClaimReadOnly: Align bytes are about to be read that nothing may write during the launch.
	ClaimReadOnly
	// ClaimMbarInit, ClaimMbarEnd: an mbarrier object is about to be made, or ended.
	ClaimMbarInit
	ClaimMbarEnd
	// ClaimMbarState, ClaimMbarParity: the object at the address is asked about the phase of the
	// state (B64), or of the parity (B32), in Args[1].
	ClaimMbarState
	ClaimMbarParity
	// ClaimMbarCounted: an arrival with .noComplete has returned the state Args[1].
	ClaimMbarCounted
	// ClaimMbarCount: the pending count of the state Args[1] is asked for.
	ClaimMbarCount
	// ClaimCancel: a request to cancel a cluster is about to be made; Imm as of ClaimOpen.
	ClaimCancel
	// ClaimCancelSeen: the block learns that such a request failed.
	ClaimCancelSeen
)

// Checked emits the operations of emit for checks only.
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

// Unchecked returns the function without what is there for checks only; f itself if there
// is nothing. f is not changed.
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
