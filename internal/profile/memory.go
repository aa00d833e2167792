package profile

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Shared memory has 32 banks of 4 bytes (CUDA C++ Programming Guide, "Shared Memory";
// AMD OpenCL Programming Guide, "Local Memory (LDS) Optimization").
const (
	banks = 32
	word  = 4
)

// access counts one execution of the accesses of a site.
func (k *shard) access(w *sim.Wave, s *site, lanes lane.Mask) {
	c := &k.counts[s.in.Pos]
	m := &k.mem
	m.begin()
	if s.in.Scalar {
		lanes = 1
	}
	shared := false
	for _, p := range s.pieces {
		m.banks.begin(p.size, s.in.Op == ir.Atomic)
		for x := uint64(lanes); x != 0; x &= x - 1 {
			i := bits.TrailingZeros64(x)
			shared = m.touch(w, s.in.Space, i, w.Address(s.in.Args[0], i, p.off), p.size) || shared
		}
		c.BankConflicts += m.banks.rounds()
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

// Wrote implements sim.Recorder.
func (r *Recorder) Wrote(w *sim.Wave, in *ir.Inst, lane int, space ir.Space, addr, n uint64) {
	r.shards[w.WorkerID].other(w, in, touch{lane, space, addr, n})
}

// Read implements sim.ReadRecorder.
func (r *Recorder) Read(w *sim.Wave, in *ir.Inst, lane int, space ir.Space, addr, n uint64) {
	r.shards[w.WorkerID].other(w, in, touch{lane, space, addr, n})
}

// other counts an access of a Collective, which Met ends, or a copy of a block of memory, which is
// an access by itself.
func (k *shard) other(w *sim.Wave, in *ir.Inst, t touch) {
	if in.Op == ir.Collective {
		k.pending = append(k.pending, t)
		return
	}
	if t.size == 0 {
		return
	}
	if space, at := w.Resolve(t.space, t.addr); space == ir.Global {
		c := &k.counts[in.Pos]
		c.Requests++
		c.Transactions += (at+t.size-1)/k.mem.unit - at/k.mem.unit + 1
		c.Used += t.size
	}
}

// Met implements sim.Recorder.
func (r *Recorder) Met(w *sim.Wave, who []sim.Meeting, _, _ lane.Mask) {
	k := &r.shards[w.WorkerID]
	if len(k.pending) == 0 || len(who) == 0 {
		return
	}
	c, m := &k.counts[who[0].Inst.Pos], &k.mem
	m.begin()
	// The accesses that lanes make one after another: the first access of each lane, the second,
	// and so on. Package sim visits the lanes in order.
	var seen [64]int
	rounds := 0
	for _, t := range k.pending {
		seen[t.lane&63]++
		rounds = max(rounds, seen[t.lane&63])
	}
	shared := false
	for round := 1; round <= rounds; round++ {
		seen = [64]int{}
		m.banks.begin(k.pending[0].size, false)
		for _, t := range k.pending {
			if seen[t.lane&63]++; seen[t.lane&63] == round {
				shared = m.touch(w, t.space, t.lane, t.addr, t.size) || shared
			}
		}
		c.BankConflicts += m.banks.rounds()
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

// traffic counts the requests that one instruction of a wave makes to memory.
//
// Input: the accesses of the instruction, lane by lane (touch).
// Output: the number of transactions, and the bytes of them that lanes requested (end).
// Invariant: a piece of unit bytes counts once per instruction, unless the table had to drop it.
// Example: 32 lanes load adjacent words: four pieces of 32 bytes, 128 bytes used.
type traffic struct {
	unit  uint64 // bytes of a transaction, a power of two
	banks bankUse

	// The pieces of memory that this instruction touched: a hash table in which entries of other
	// times count as empty.
	table [1 << 9]entry
	last  *entry
	time  uint64
	n     uint64 // number of entries
	moved uint64 // number of earlier entries that had to be dropped
	used  uint64
}

// An entry is a touched piece of memory.
type entry struct {
	time  uint64
	at    uint64 // its first byte
	bytes uint64 // a mask
}

// begin starts an instruction.
func (m *traffic) begin() {
	m.time++
	m.n, m.moved, m.used = 0, 0, 0
}

// end returns the number of transactions of the instruction, and the number of their bytes that
// lanes requested.
func (m *traffic) end() (n, used uint64) { return m.moved + m.n, m.used }

// privateTag distinguishes pieces of private memory from those of global memory.
const privateTag = 1 << 62

// touch counts an access of a lane, and reports whether it is to shared memory.
func (m *traffic) touch(w *sim.Wave, space ir.Space, i int, addr, size uint64) bool {
	at := addr
	if space == ir.Generic {
		space, at = w.Resolve(space, addr)
	}
	switch space {
	case ir.Shared:
		m.banks.touch(i, at, size)
		return true
	case ir.Local:
		// Private memory is laid out so that the same word of all lanes is adjacent (CUDA C++
		// Programming Guide, "Local Memory"; GCN3 ISA, chapter 8: swizzled buffers).
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

// bytes counts bytes of memory.
func (m *traffic) bytes(at, size uint64) {
	for size > 0 {
		off := at & (m.unit - 1)
		n := min(m.unit-off, size)
		e := m.last
		if at -= off; e.time != m.time || e.at != at {
			e = m.find(at)
			m.last = e
		}
		mask := (uint64(1)<<n - 1) << off // n is at most 64, for which the shift gives 0
		m.used += uint64(bits.OnesCount64(mask &^ e.bytes))
		e.bytes |= mask
		at, size = at+off+n, size-n
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

// bankUse counts the rounds of an access to shared memory. In a round, each bank delivers one word
// to any number of lanes. Lanes are served in groups that request at most 128 bytes: 32 lanes of 4
// bytes or less (a warp, or half a wave: AMD OpenCL Programming Guide, "Local Memory (LDS)
// Optimization"), 16 lanes of 8 bytes, 8 of 16.
type bankUse struct {
	shift  uint // lanes of a group, as a power of two
	atomic bool // lanes that access one word are served one after another
	total  uint64

	// The current group: the words of each bank, as lists in words.
	group uint64
	most  uint32
	count [banks]uint32
	first [banks]uint32 // index in words, plus 1
	words []bankWord
}

// A bankWord is a word that lanes of a group access.
type bankWord struct {
	word uint64
	next uint32 // the next word in the same bank
}

// begin starts an access of size bytes a lane.
func (b *bankUse) begin(size uint64, atomic bool) {
	b.shift, b.atomic, b.total, b.group = 5, atomic, 0, 0
	for lanes := uint64(1); lanes*word < size && b.shift > 0; lanes *= 2 {
		b.shift--
	}
}

// touch counts a lane. Lanes come in order.
func (b *bankUse) touch(i int, at, size uint64) {
	if size == 0 {
		return
	}
	if g := uint64(i) >> b.shift; g != b.group {
		b.close()
		b.group = g
	}
	for n := at / word; n <= (at+size-1)/word; n++ {
		bank := n % banks
		known := false
		if !b.atomic {
			for x := b.first[bank]; x != 0 && !known; x = b.words[x-1].next {
				known = b.words[x-1].word == n
			}
		}
		if known {
			continue
		}
		b.words = append(b.words, bankWord{n, b.first[bank]})
		b.first[bank] = uint32(len(b.words))
		b.count[bank]++
		b.most = max(b.most, b.count[bank])
	}
}

// close ends a group.
func (b *bankUse) close() {
	if b.most == 0 {
		return
	}
	b.total += uint64(b.most - 1)
	b.words, b.most = b.words[:0], 0
	b.count, b.first = [banks]uint32{}, [banks]uint32{}
}

// rounds returns the rounds beyond the first of each group.
func (b *bankUse) rounds() uint64 {
	b.close()
	return b.total
}
