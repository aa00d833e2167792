// Package race finds races in a launch. A race is two accesses to the same bytes, one of them a write, that
// no synchronisation orders (PTX 8.7.1).
//
// Track rewrites a function: it marks the accesses to memory that lanes share, and the fences. A Detector
// receives the marks and the barriers of a launch from package sim (sim.RaceDetector). It compares each
// access with the accesses that were made to the same memory before. Vector clocks decide whether two
// accesses are ordered, not the order in which this run executed them. So one run finds the races of all
// its orders.
//
// Input: a function, and the events of one launch of its rewritten form.
// Output: findings: the two accesses, the lanes, the memory and a remedy.
// Example: lane 0 stores a[1]; lane 1 loads a[1] with no barrier between: race-shared, at the load.
//
// Literature: Flanagan and Freund, FastTrack: efficient and precise dynamic race detection (PLDI 2009);
// Lamport, Time, clocks, and the ordering of events in a distributed system (CACM 1978).
package race

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// The codes of the findings.
const (
	CodeShared          = "race-shared"
	CodeTensor          = "tmem-unordered"
	CodeTensorLoad      = "tmem-ld-wait"
	CodeGlobal          = "race-global"
	CodeSameValue       = "race-same-value"
	CodeRounding        = "race-rounding"
	CodeLimit           = "race-limit"
	CodeReadOnlyWritten = "read-only-written"
	CodeTextureStale    = "texture-stale"
)

// Codes are the codes of findings about accesses. CodeLimit is about the detector itself.
var Codes = []string{
	CodeShared, CodeTensor, CodeTensorLoad, CodeGlobal, CodeSameValue, CodeRounding, CodeReadOnlyWritten, CodeTextureStale,
	CodeUnstarted, CodeExited, CodeStaleMap, CodeUnwaited,
}

// A Detector looks for races in one launch of a function that Track has made. It is a sim.RaceDetector: it
// receives accesses and the events that order them, and notes findings in the launch.
//
// Input: the events of sim.WaveRaces.
// Output: findings of the codes above.
// Invariant: verdicts depend on the events of each lane and on what an acquire reads, and on nothing else of
// the schedule.
// Example: Launch{Func: Track(f), Races: NewDetector(1 << 30), Workers: 1}.
type Detector struct {
	segs []segment
	sets []readSet
	chains
	free []uint32 // indices of unused sets
	grid
	slots  int    // epochs of a wave in a clock
	limit  uint64 // bytes that the detector may use
	used   uint64
	over   bool // the memory is used up
	ended  bool // and a finding has reported it
	forgot bool // a comparison left out accesses that are no longer known one by one: see Complete
	judged verdict
	pairs  map[pair]bool // pairs of instructions that were found to race
	// stepped maps a buffer to the instruction at which lanes of a wave were found to exchange data in
	// step. The key nil is shared memory.
	stepped map[*sim.Alloc]int32
	guesses map[int32]bool // the instructions whose loads are guesses: see ir.Guess
	generic map[int32]bool // see genericCopies
	shadows map[*sim.Alloc]*shadowMem
	// The reads of read-only memory; nil: they are not remembered.
	constants map[*sim.Alloc]*constantReads
	// The clocks, the places that hold signals, the share of their memory in used (kept), and the value of
	// clocks.made at that count (counted).
	clocks        *clocks
	signals       []*strongSet
	kept, counted uint64
	promised      [2]struct { // the last promises of waves in lockstep, with their clocks
		promise
		wave *wave
		clk  *clock
	}
	// note and unseen are those of sim.Wave. Tests replace them.
	note   func(w *sim.Wave, code string, pos int32, f sim.Finding)
	unseen func(w *sim.Wave, code string, pos int32) bool
}

// grid is the blocks of the launch.
type grid struct {
	launch *sim.Launch
	blocks map[*sim.Block]*block // by storage
	// The barrier of the cluster whose blocks begin, and the number of that cluster.
	meeting *phase
	meets   uint64
	// The acquires of tensor maps: see maps.go.
	maps map[mapPiece][]touch
}

// NewDetector makes the detector of one launch. limit is how many bytes its records may take; a finding
// reports that they are used up.
func NewDetector(limit uint64) *Detector {
	return &Detector{limit: limit, shadows: map[*sim.Alloc]*shadowMem{}, grid: grid{blocks: map[*sim.Block]*block{}}, note: (*sim.Wave).Note, unseen: (*sim.Wave).Unseen}
}

// Complete reports whether the detector compared each access with all accesses before it. It does not if its
// memory was used up, if a place was written that more lanes had read than are kept one by one (chain), or
// if a plain access met a place that had more strong accesses than are kept (maxStrong), or whose latest ones stood for
// earlier ones that nothing else orders.
func (d *Detector) Complete() bool { return !d.over && !d.forgot }

// block is the state of the block that uses a storage of the launch.
type block struct {
	d      *Detector
	waves  []*wave
	shared shadowMem // the accesses to shared memory so far
	tensor shadowMem // those to Tensor Memory
	// For each barrier of the block, the releases of the lanes that have arrived in the open phase, and of those that
	// arrived in the phase before.
	bars  [sim.ClusterBarrier]phase
	meet  *phase // the barrier of the cluster
	alone phase  // that of a cluster of one block
	// visited says that lanes of other blocks have accessed the shared memory.
	visited bool
}

// phase holds the releases of the lanes that have arrived at a barrier in the open phase, and in the phase before.
type phase struct{ arriving, arrived signal }

// barrier returns the phases of a barrier.
func (k *block) barrier(n int) *phase {
	if n == sim.ClusterBarrier {
		return k.meet
	}
	return &k.bars[n]
}

// wave is the state of a wave.
type wave struct {
	*sim.Wave
	d        *Detector
	own      *block
	block    uint64 // linear index of its block
	cluster  uint64 // number of its cluster
	lockstep bool   // see inLockstep
	groups   []laneGroup
	// The allocation of the last access to global memory, and its shadow.
	last   *sim.Alloc
	shadow *shadowMem
	pos    int32 // the instruction of the present access
	unread []unread
}

// Block returns the state for a storage of the launch.
func (d *Detector) Block(b *sim.Block) sim.BlockRaces {
	if d.clocks == nil {
		d.launch, d.slots, d.clocks = b.Launch, slotsOf(b.Launch.Func), newClocks(b.Launch.Blocks())
		if d.slots == slotCount {
			d.generic = genericCopies(b.Launch.Func)
		}
	}
	k := &block{d: d}
	d.blocks[b] = k
	for _, w := range b.Waves {
		k.waves = append(k.waves, &wave{Wave: w, d: d, own: k, lockstep: inLockstep(w.Func)})
	}
	return k
}

// Wave returns the state of a wave.
func (k *block) Wave(id int) sim.WaveRaces { return k.waves[id] }

// Start begins a block: no lane of it comes before another one.
func (k *block) Start(n uint64) {
	base := k.d.clocks.clock(n, make([]epoch, k.d.slots*len(k.waves)), nil)
	for _, w := range k.waves {
		w.block, w.cluster = n, k.d.launch.ClusterOf(n)
		w.unread = w.unread[:0]
		w.groups = append(w.groups[:0], laneGroup{lanes: ^lane.Mask(0), t: 1, at: 1, bulk: 1, product: 1, clk: base})
	}
	clear(k.bars[:])
	k.visited, k.meet = false, &k.alone
	if of := k.waves[0].cluster; !k.d.launch.Func.Ranked {
		k.alone = phase{}
	} else {
		if k.d.meeting == nil || k.d.meets != of { // it is the first block of its cluster
			k.d.meeting, k.d.meets = &phase{}, of
		}
		k.meet = k.d.meeting
	}
	for _, p := range k.shared.pages {
		if p != nil {
			p.strong = nil
		}
	}
}

// Open ends the phase of a barrier. A barrier of the whole block also orders the accesses of waves all of
// whose lanes have exited.
//
// Unspecified: whether a barrier orders these accesses. No other operation could.
func (k *block) Open(barrier int, whole bool) {
	p := k.barrier(barrier)
	done := p.arriving
	if whole {
		for _, w := range k.waves {
			if w.Live == 0 {
				done = done.join(w.releaseAll(^lane.Mask(0)))
			}
		}
	}
	p.arrived, p.arriving = done, signal{}
}

// Arrive releases the accesses of lanes at a barrier. If no other lane is left, the lanes that have exited
// belong to them.
func (w *wave) Arrive(barrier int, m lane.Mask) {
	at := &w.own.barrier(barrier).arriving
	*at = at.join(w.releaseAll(w.orAll(m)))
}

// ArriveRelaxed releases at a barrier of the cluster what the last fences of lanes have released (PTX 8.8: a fence and then a relaxed
// operation are a release pattern; 9.7.14.4 has it for fence.mbarrier_init).
func (w *wave) ArriveRelaxed(barrier int, m lane.Mask) {
	var fenced signal
	w.eachGroup(w.orAll(m), func(g *laneGroup) { fenced.clk = fenced.clk.join(g.rel[inCluster].by(w, g.lanes)) })
	if fenced.clk != nil {
		at := &w.own.barrier(barrier).arriving
		*at = at.join(fenced)
	}
}

// Leave lets lanes acquire what other lanes have released at a barrier.
func (w *wave) Leave(barrier int, m lane.Mask) { w.learn(w.orAll(m), w.own.barrier(barrier).arrived) }

// Sync handles bar.warp.sync, which orders the accesses of its members (PTX 9.7.14.2). The manual does not
// say so about shuffles and votes.
func (w *wave) Sync(m lane.Mask) {
	m = w.orAll(m)
	w.learn(m, w.releaseAll(m))
}

// orAll returns all lanes of the wave if m holds all that have not exited, else m.
func (w *wave) orAll(m lane.Mask) lane.Mask {
	if w.Live&^m == 0 {
		return ^lane.Mask(0)
	}
	return m
}

// inLockstep reports whether the lanes of a wave execute each instruction together, so that they are
// ordered among themselves. They do on GCN3, and below sm_70, where programs rely on it.
func inLockstep(f *ir.Func) bool { return f.Exec != 0 || !f.MeetAnywhere }
