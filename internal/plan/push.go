package plan

import "example.org/crosslane/lane"

// pushed adds sends to a computed lane, for goals in which no lane is read twice and none keeps its
// value. A lane to which none sends gets zero, and of several senders the greatest lane wins, so that
// the lanes that no lane reads need a target that does no harm.
func (s *search) pushed(w gcn3Writer) {
	want := &s.g.want
	var to lanes // by lane: the one that reads it
	for i := range to {
		to[i] = free
	}
	var zeroes lane.Mask
	last := int8(-1) // the greatest lane that is read
	for i, r := range want[:s.d.n] {
		switch {
		case r == keep:
			return
		case r == zero:
			zeroes |= lane.Lane(i)
		case r >= 0:
			if !s.g.active.Has(int(r)) || to[r] != free {
				return
			}
			to[r] = int8(i)
			last = max(last, r)
		}
	}
	list := indexes(&to, s.d.n)
	if len(list) == 0 {
		return
	}
	// The table is that of a map of all lanes.
	all := to
	for i := range all[:s.d.n] {
		if all[i] == free && s.g.active.Has(i) {
			all[i] = harmless(want, &to, int8(i), last)
		}
	}
	tables := indexes(&all, s.d.n)
	list[len(list)-1] = tables[len(tables)-1]
	for _, x := range list {
		var addresses [lane.WavefrontLanes]uint32
		for i := range addresses {
			addresses[i] = 4 * uint32(x.source(i, s.d.n))
		}
		m := lane.DSPermute(&addresses, 0, s.g.active)
		got := sources(&m)
		fits, clears := true, false
		for i, r := range want[:s.d.n] {
			fits = fits && (r == free || r == zero || r == got[i])
			clears = clears || r == zero && got[i] != zero
		}
		if !fits {
			continue
		}
		code, operand, setup := w.index(x, true)
		q := sequence{how: "a send by index: " + x.how, code: code, setup: setup}
		q.code = append(q.code, w.push(w.reg(1), w.reg(0), operand, x.offset))
		if clears {
			q.code = append(q.code, w.choose(w.reg(1), w.reg(1), "0", zeroes)...)
		}
		s.add(q)
		s.read = min(s.read, latency(s.isa, q))
	}
}

// harmless returns a target for a lane that no lane reads: one whose value is free or, if there is
// none, one that a greater lane overwrites; free if there is none either.
func harmless(want, to *lanes, sender, last int8) int8 {
	for i, r := range want {
		if r == free {
			return int8(i)
		}
	}
	if last > sender {
		return to[last]
	}
	return free
}
