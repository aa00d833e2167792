package ir

// MarkInFlight inserts a ClaimInFlight before each operation that accesses a register of a product of a warpgroup, except
// the products themselves. The claims are Checked. It does nothing if there is no such product.
func (f *Func) MarkInFlight() {
	watched := map[Ref]bool{}
	for i := range f.Collectives {
		c := &f.Collectives[i]
		if p := c.Product; p != nil && c.Matrix.Kind.Warpgroup() {
			for _, r := range c.Dst {
				watched[r] = true
			}
			if !p.SharedA {
				for _, r := range c.Src[p.SrcA:p.SrcB] {
					watched[r] = true
				}
			}
		}
	}
	if len(watched) == 0 {
		return
	}
	code := make([]Inst, 0, len(f.Code))
	for n := range f.Blocks {
		b := &f.Blocks[n]
		start := len(code)
		for _, in := range f.Code[b.Start:b.End] {
			claim := func(r Ref, writes bool) {
				if r != 0 && watched[r] {
					code = append(code, Inst{Op: Claim, Size: uint8(ClaimInFlight), Flags: Checked, Imm: InFlightImm(r, writes), Guard: in.Guard, GuardNot: in.GuardNot, Pos: in.Pos})
				}
			}
			if in.Op == Collective {
				if c := &f.Collectives[in.Imm]; !c.Matrix.Kind.Warpgroup() {
					for _, r := range c.Src {
						claim(r, false)
					}
					for _, r := range c.Dst {
						claim(r, true)
					}
				}
			} else {
				for _, r := range in.Args {
					claim(r, false)
				}
				claim(in.Dst, true)
				claim(in.Dst2, true)
			}
			code = append(code, in)
		}
		b.Start, b.End = start, len(code)
	}
	f.Code = code
}
