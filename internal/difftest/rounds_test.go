package difftest

// This file holds the parts of loops around accesses that PTX and GCN3 have in common.

// tileWords are the texts of a language for a loop over tiles of shared memory.
type tileWords struct {
	begin   []string // before the loop
	store   string   // stores a word
	barrier string
	zero    string        // begins to count rounds of the inner loop
	load    func() string // an operation between barriers
	move    string        // advances in shared memory
	again   [2]string     // ends the outer and the inner loop after the given number of rounds from a label
}

// tiles emits a loop with barriers. Between them, waves only load from shared memory, or store
// there first.
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

// loops emits loops around accesses, by all lanes or by some. In the second case the text of some
// selects the lanes, and joined, a format of a label, ends the selection.
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

// setOnce sets the addresses of places before a loop. Its result marks the places that are to be
// set in each round instead.
func setOnce[P any](w *writer, places []P, set func(P)) (again []bool) {
	again = make([]bool, len(places))
	for i, x := range places {
		if again[i] = w.IntN(3) == 0; !again[i] {
			set(x)
		}
	}
	return again
}

// setAgain sets the addresses of the marked places.
func setAgain[P any](places []P, again []bool, set func(P)) {
	for i, x := range places {
		if again[i] {
			set(x)
		}
	}
}
