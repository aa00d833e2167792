package profile

import (
	"math/bits"
	"slices"

	"crosslane/internal/ir"
	"crosslane/internal/sim"
	"crosslane/lane"
)

// Shared memory has 32 banks of 4 bytes (CUDA C++ Programming Guide, "Shared Memory";
// AMD OpenCL Programming Guide, "Local Memory (LDS) Optimization").
const (
	banks = 32
	word  = 4
)

// access accounts for one execution of the accesses of a site.
func (k *shard) access(w *sim.Wave, s *site, lanes lane.Mask) {
	c := &k.counts[s.in.Pos]
	m := &k.mem
	m.begin()
	if s.in.Scalar {
		lanes = 1
	}
	shared := false
	for _, p := range s.pieces {
		m.banks.begin(p.size)
		for i := range lanes.Lanes() {
			shared = m.touch(w, s.in.Space, i, w.Get(s.in.Args[0], i)+p.off, p.size) || shared
		}
		c.BankConflicts += m.banks.rounds(s.in.Op == ir.Atomic)
	}
	n, used := m.end()
	c.Transactions += n
	c.Used += used
	if s.first && n > 0 {
		c.Requests++
	}
	if s.first && shared {
		c.SharedRequests++
	}
}

// A touch is an access that package sim makes for a lane.
type touch struct {
	lane  int
	space ir.Space
	addr  uint64
	size  uint64
}

// Wrote is part of sim.Recorder.
func (r *Recorder) Wrote(w *sim.Wave, in *ir.Inst, lane int, space ir.Space, addr, n uint64) {
	r.shards[w.WorkerID].other(w, in, touch{lane, space, addr, n})
}

// Read is part of sim.ReadRecorder.
func (r *Recorder) Read(w *sim.Wave, in *ir.Inst, lane int, space ir.Space, addr, n uint64) {
	r.shards[w.WorkerID].other(w, in, touch{lane, space, addr, n})
}

// other accounts for an access of a Collective, which Met ends, or a copy of a block of
// memory, which is one by itself.
func (k *shard) other(w *sim.Wave, in *ir.Inst, t touch) {
	if in.Op == ir.Collective {
		k.pending = append(k.pending, t)
		return
	}
	if t.size == 0 {
		return
	}
	if space, at := w.Place(t.space, t.addr); space == ir.Global {
		c := &k.counts[in.Pos]
		c.Requests++
		c.Transactions += (at+t.size-1)/k.mem.unit - at/k.mem.unit + 1
		c.Used += t.size
	}
}

// Met is part of sim.Recorder.
func (r *Recorder) Met(w *sim.Wave, who []sim.Meeting, _, _ lane.Mask) {
	k := &r.shards[w.WorkerID]
	if len(k.pending) == 0 || len(who) == 0 {
		return
	}
	c, m := &k.counts[who[0].Inst.Pos], &k.mem
	m.begin()
	// What lanes do one after another: the first access of each, the second, and so on.
	// Package sim goes through the lanes in order.
	var seen [64]int
	rounds := 0
	for _, t := range k.pending {
		seen[t.lane&63]++
		rounds = max(rounds, seen[t.lane&63])
	}
	shared := false
	for round := 1; round <= rounds; round++ {
		seen = [64]int{}
		m.banks.begin(k.pending[0].size)
		for _, t := range k.pending {
			if seen[t.lane&63]++; seen[t.lane&63] == round {
				shared = m.touch(w, t.space, t.lane, t.addr, t.size) || shared
			}
		}
		c.BankConflicts += m.banks.rounds(false)
	}
	n, used := m.end()
	c.Transactions += n
	c.Used += used
	if n > 0 {
		c.Requests++
	}
	if shared {
		c.SharedRequests++
	}
	k.pending = k.pending[:0]
}

// traffic is what one instruction of a wave asks of memory.
type traffic struct {
	unit  uint64 // bytes of a transaction
	banks bankUse

	// The pieces of memory touched by this instruction: a hash table, of which the
	// entries of other times are empty.
	table [1 << 9]entry
	time  uint64
	n     uint64 // entries
	moved uint64 // entries before those, which had to be given up
	used  uint64
}

type entry struct {
	time  uint64
	at    uint64
	bytes uint64 // a mask
}

// begin starts an instruction.
func (m *traffic) begin() {
	m.time++
	m.n, m.moved, m.used = 0, 0, 0
}

// end returns how many transactions the instruction is, and how many of their bytes lanes
// asked for.
func (m *traffic) end() (n, used uint64) { return m.moved + m.n, m.used }

// privateTag sets pieces of private memory apart from those of global memory.
const privateTag = 1 << 62

// touch accounts for an access of a lane, and reports whether it is one of shared memory.
func (m *traffic) touch(w *sim.Wave, space ir.Space, i int, addr, size uint64) bool {
	space, at := w.Place(space, addr)
	switch space {
	case ir.Shared:
		m.banks.touch(i, at, size)
		return true
	case ir.Local:
		// Private memory is laid out so that the same word of all lanes is together (CUDA
		// C++ Programming Guide, "Local Memory"; GCN3 ISA, chapter 8: swizzled buffers).
		lanes := uint64(w.Func.Lanes)
		for a := at; a < at+size; {
			n := min(word-a%word, at+size-a)
			m.bytes(privateTag|(a/word*lanes+uint64(i))*word+a%word, n)
			a += n
		}
	case ir.Global:
		if !w.Mem.Wide() || at < ir.ConstantWindow || at >= ir.ConstantEnd {
			m.bytes(at, size)
		}
	}
	return false
}

// bytes accounts for bytes of memory.
func (m *traffic) bytes(at, size uint64) {
	for size > 0 {
		off := at % m.unit
		n := min(m.unit-off, size)
		e := m.find(at / m.unit)
		mask := (uint64(1)<<n - 1) << off // n is 64 at most, where the shift gives 0
		m.used += uint64(bits.OnesCount64(mask &^ e.bytes))
		e.bytes |= mask
		at, size = at+n, size-n
	}
}

// find returns the entry of a piece of memory.
func (m *traffic) find(at uint64) *entry {
	if m.n > uint64(len(m.table))*3/4 {
		m.moved += m.n
		m.n = 0
		m.time++
	}
	for h := at * 0x9e3779b97f4a7c15 >> 55; ; h = (h + 1) % uint64(len(m.table)) {
		e := &m.table[h]
		if e.time != m.time {
			*e = entry{time: m.time, at: at}
			m.n++
			return e
		}
		if e.at == at {
			return e
		}
	}
}

// bankUse finds the rounds that an access to shared memory takes. Each bank gives one word
// a round, to any number of lanes. Lanes are served in groups that ask for 128 bytes at
// most: 32 lanes of 4 bytes or less (a warp, or half a wave: AMD OpenCL Programming Guide,
// "Local Memory (LDS) Optimization"), 16 lanes of 8 bytes, 8 of 16.
type bankUse struct {
	shift uint // lanes of a group, as a power of two
	words []bankWord
}

// A bankWord is a word that a lane of a group reaches.
type bankWord struct{ group, word uint64 }

func (b *bankUse) begin(size uint64) {
	b.words = b.words[:0]
	b.shift = 5
	for lanes := uint64(1); lanes*word < size && b.shift > 0; lanes *= 2 {
		b.shift--
	}
}

func (b *bankUse) touch(i int, at, size uint64) {
	if size == 0 {
		return
	}
	for n := at / word; n <= (at+size-1)/word; n++ {
		b.words = append(b.words, bankWord{uint64(i) >> b.shift, n})
	}
}

// rounds returns the rounds beyond the first of each group. Lanes of an atomic take
// turns at one word, too.
func (b *bankUse) rounds(atomic bool) uint64 {
	total := uint64(0)
	for words := b.words; len(words) > 0; {
		var use [banks]uint64
		most, group := uint64(0), words[0].group
		end := 0
		for ; end < len(words) && words[end].group == group; end++ {
			x := words[end]
			n := &use[x.word%banks]
			if !atomic && *n > 0 && slices.Contains(words[:end], x) {
				continue
			}
			*n++
			most = max(most, *n)
		}
		total += most - 1
		words = words[end:]
	}
	return total
}
