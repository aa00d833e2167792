package difftest

// This file holds what loops around accesses have in common in PTX and GCN3.

// tileWords are what a language says in a loop over tiles of shared memory.
type tileWords struct {
	begin   []string // in front of the loop
	store   string   // stores a word
	barrier string
	zero    string        // begins to count rounds of the inner loop
	load    func() string // something between barriers
	move    string        // goes on in shared memory
	again   [2]string     // ends the outer and the inner loop: so many rounds, from a label on
}

// tiles emits a loop between whose barriers waves only load from shared memory, or first store
// there.
func (w *writer) tiles(t *tileWords) {
	left := w.left
	for _, s := range t.begin {
		w.fill(s)
	}
	top, inner := w.label(), w.label()
	stores := w.IntN(2) == 0
	w.line("%s:", top)
	if stores {
		w.fill(t.store)
	}
	w.fill(t.barrier)
	w.line("%s", t.zero)
	w.line("%s:", inner)
	w.depth += 2
	for range 1 + w.IntN(3) {
		w.fill(t.load())
	}
	w.depth -= 2
	w.fill(t.move)
	w.line(t.again[1], 2+w.IntN(3), inner)
	if stores || w.IntN(3) == 0 {
		w.fill(t.barrier)
	}
	w.line(t.again[0], 2+w.IntN(3), top)
	w.left = left
}

// loops emits loops around accesses, of all lanes or of some: then some says which, and joined, a
// format of a label, ends that.
func (w *writer) loops(some func(end string) string, joined string, rounds, tiles, sums func()) {
	end := ""
	if w.IntN(5) == 0 {
		end = w.label()
		w.fill(some(end))
	}
	switch k := w.IntN(8); {
	case end != "" || k < 5:
		rounds()
	case k < 7:
		tiles()
	default:
		sums()
	}
	if end != "" {
		w.line(joined, end)
	}
	if w.IntN(4) == 0 {
		rounds()
	}
}

// setOnce sets the addresses of places in front of a loop, but for those that it says are to be set
// in each round.
func setOnce[P any](w *writer, places []P, set func(P)) (again []bool) {
	again = make([]bool, len(places))
	for i, x := range places {
		if again[i] = w.IntN(3) == 0; !again[i] {
			set(x)
		}
	}
	return again
}

// setAgain sets the others.
func setAgain[P any](places []P, again []bool, set func(P)) {
	for i, x := range places {
		if again[i] {
			set(x)
		}
	}
}
