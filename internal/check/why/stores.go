package why

import (
	"sort"

	"example.org/crosslane/internal/ir"
)

// A spaceLog lists the events that write one memory.
//
// Invariant: narrow events have bounds at most twice as wide as the bytes that they write, so their
// bounds find them. The bounds of wide events find too much. When many wide events have been looked at
// in vain, an index by words is built, see index.
type spaceLog struct {
	narrow, wide eventLog[bounds]
	looked       int // how many wide events have been looked at
	words        *wordIndex
	tooMany      bool // words for an index
}

// add appends an event that writes the given number of pieces, each of size bytes, within bounds.
func (s *spaceLog) add(n int, b bounds, pieces int, size uint64) {
	if b.hi-b.lo > 2*uint64(pieces)*size {
		s.wide.add(n, b)
		return
	}
	s.narrow.add(n, b)
}

// A wordIndex lists, for each word of a memory, the events that write it, as indices in a log, in
// order.
type wordIndex struct {
	pages  map[uint64]*[pageWords]wordList
	last   *[pageWords]wordList // the page of the last question, and its number
	lastAt uint64
	places []int32
}

// wordList is a range of wordIndex.places.
type wordList struct{ from, to int32 }

const (
	wordBytes = 4
	pageWords = 1 << 9
	// maxIndex bounds the index: it takes 4 bytes for each word that a lane wrote.
	maxIndex = 64 << 20
)

// list returns the list of a word, by the word's number.
func (x *wordIndex) list(word uint64) *wordList {
	at := word / pageWords
	if x.last == nil || x.lastAt != at {
		x.last, x.lastAt = x.pages[at], at
		if x.last == nil {
			x.last = new([pageWords]wordList)
			x.pages[at] = x.last
		}
	}
	return &x.last[word%pageWords]
}

// before returns the last index below i at which a word is written; -1 if there is none.
func (x *wordIndex) before(word uint64, i int32) int32 {
	w := x.list(word)
	l := x.places[w.from:w.to]
	if k := sort.Search(len(l), func(k int) bool { return l[k] >= i }); k > 0 {
		return l[k-1]
	}
	return -1
}

// wordsOf calls do with the number of every word that the bytes from lo up to hi touch. In local memory
// the number includes the lane, because each lane has a memory of its own.
func wordsOf(lo, hi uint64, lane int, local bool, do func(word uint64)) {
	for w := lo / wordBytes; w*wordBytes < hi; w++ {
		if local {
			do(w<<6 | uint64(lane))
		} else {
			do(w)
		}
	}
}

// index builds the index of a log's wide events, unless it would be too large. Two rounds over the
// events, as in a counting sort: the first counts the words, the second fills the lists.
func (h *History) index(log *spaceLog, local bool) {
	x := &wordIndex{pages: map[uint64]*[pageWords]wordList{}}
	each := func(do func(place int, word uint64)) {
		for i, ev := range log.wide.events {
			h.pieces(log, ev, local, func(l int, a, size uint64) {
				wordsOf(a, a+size, l, local, func(w uint64) { do(i, w) })
			})
		}
	}
	n := 0
	each(func(_ int, w uint64) {
		if n++; n <= maxIndex {
			x.list(w).to++
		}
	})
	if n > maxIndex {
		log.tooMany = true
		return
	}
	x.places = make([]int32, n)
	at := int32(0)
	for _, p := range x.pages {
		for i := range p {
			n := p[i].to
			p[i] = wordList{at, at}
			at += n
		}
	}
	each(func(place int, w uint64) {
		l := x.list(w)
		x.places[l.to] = int32(place)
		l.to++
	})
	log.words = x
}

// pieces calls do with every piece that an event writes to a log's memory, later lanes first: if
// several lanes write the same bytes, the last lane's value stays.
func (h *History) pieces(log *spaceLog, ev int, local bool, do func(l int, a, size uint64)) {
	e, d := h.event(ev)
	if e.kind == kWrote {
		_, at := h.resolve(ir.Space(d[0]), d[1])
		do(e.lanes.First(), at, d[2])
		return
	}
	in := &h.Plan.f.Code[h.Plan.segs[e.seg].op]
	var lanes [64]int
	var at [64]uint64
	n := 0
	h.addresses(ev, func(l int, a uint64) bool {
		sp, x := h.resolve(in.Space, a)
		if other, _ := h.logOf(e.wave, in.Space, a); other == log && (sp != ir.Local) == !local {
			lanes[n], at[n] = l, x
			n++
		}
		return true
	})
	for n--; n >= 0; n-- {
		do(lanes[n], at[n], uint64(in.Size))
	}
}

// A memHit is a store that wrote bytes which a lane reads.
type memHit struct {
	n, lane int    // the event and its lane
	reader  int    // the lane that reads
	lo, hi  uint64 // the bytes in the memory
}

// A memRead is a piece of memory that a lane reads, of at most 64 bytes.
type memRead struct {
	lane int
	addr uint64 // in its space
	size uint64
	need uint64 // the bytes whose store has not been found yet, one bit each
}

// stores finds the last stores before event n of the bytes that lanes of a wave read. Bytes that stay
// in a read's need were not stored by any event. In local memory only stores of the reader's own lane
// count.
func (h *History) stores(log *spaceLog, n int, reads []memRead, local bool) (hits []memHit) {
	if log == nil || len(reads) == 0 {
		return nil
	}
	open := 0
	all := bounds{reads[0].addr, reads[0].addr + reads[0].size}
	for _, r := range reads {
		all = all.join(bounds{r.addr, r.addr + r.size})
		if r.need != 0 {
			open++
		}
	}
	take := func(ev int) {
		h.pieces(log, ev, local, func(l int, a, size uint64) {
			if a >= all.hi || a+size <= all.lo {
				return
			}
			for k := range reads {
				r := &reads[k]
				if r.need == 0 || local && l != r.lane || a >= r.addr+r.size || a+size <= r.addr {
					continue
				}
				from, to := max(a, r.addr), min(a+size, r.addr+r.size)
				// The bytes of the read that this piece wrote; a later store may have written some of
				// them.
				m := (uint64(1)<<(to-r.addr) - 1) &^ (uint64(1)<<(from-r.addr) - 1)
				if r.need&m == 0 {
					continue
				}
				if r.need &^= m; r.need == 0 {
					open--
				}
				hits = append(hits, memHit{n: ev, lane: l, reader: r.lane, lo: from, hi: to})
			}
		})
	}
	// The next event is the later one of the next narrow and the next wide event.
	near := log.narrow.before(log.narrow.at(n), all)
	wide := h.wideBefore(log, reads, all, local)
	w := wide(log.wide.at(n))
	for open > 0 && (near >= 0 || w >= 0) {
		if w < 0 || near >= 0 && log.narrow.events[near] > log.wide.events[w] {
			take(log.narrow.events[near])
			near = log.narrow.before(near, all)
			continue
		}
		take(log.wide.events[w])
		w = wide(w)
	}
	return hits
}

// wideBefore returns a function that finds the last wide event below an index that may write bytes
// which are read. The caller asks for decreasing indices.
func (h *History) wideBefore(log *spaceLog, reads []memRead, all bounds, local bool) func(i int) int {
	if log.words == nil && !log.tooMany && log.looked > 1000+4*len(log.wide.events) {
		h.index(log, local)
	}
	if log.words == nil {
		return func(i int) int {
			log.looked++
			return log.wide.before(i, all)
		}
	}
	type word struct {
		number uint64
		read   int
		last   int32 // the last event found that writes the word
	}
	var words []word
	return func(i int) int {
		if words == nil {
			for k, r := range reads {
				if r.need != 0 {
					wordsOf(r.addr, r.addr+r.size, r.lane, local, func(w uint64) {
						words = append(words, word{w, k, log.words.before(w, int32(i))})
					})
				}
			}
		}
		best := int32(-1)
		for k := range words {
			w := &words[k]
			if reads[w.read].need == 0 {
				continue
			}
			if w.last >= int32(i) {
				w.last = log.words.before(w.number, int32(i))
			}
			best = max(best, w.last)
		}
		return int(best)
	}
}
