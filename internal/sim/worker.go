package sim

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"example.org/crosslane/diag"
)

// The scheduler of blocks. Each worker runs a block until the block ends or seems to wait for another block.
// Only then does the worker start or resume another one, so that most launches need the storage of one
// block per worker.
//
// Input: the queue of blocks of the launch, and the states that Block.slice returns.
// Output: every block run to its end, or the fault that stops the launch.
// Invariant: if a block faults, all blocks before it have been started, so that the first fault is found
// with any number of workers. A block that waits is resumed after any change that other blocks can see.
// Example: block 0 spins on a flag that block 1 sets. slice(0) returns blockWaits; no other block is in
// flight, so start admits block 1; its store counts as a change, so choose returns to block 0.

// Worker runs blocks: one to its end as long as it does not wait for other blocks, else several in turn.
// The storage of a block that has ended is used again for later blocks.
type Worker struct {
	Launch *Launch
	// WorkerID distinguishes the workers of a launch: 0 and up.
	WorkerID int

	stats   Stats
	dear    uint64 // cost of operations beyond the instructions that they belong to: see slowCost
	found   map[findingKey]*finding
	fault   *Fault
	printed []byte // the text that the block of the fault had printed
	shfl    [64]shflEntry
	tmp     [64]uint32 // gather buffer of cross-lane operations
	coll    *collector // the memory of operations of all lanes of a wave; nil: none yet
	rand    *rand.Rand // the source of a random schedule; else nil
	trail   *trail     // the way of undefined bits, if Func.Steps; else nil
	alone   bool       // there is no other worker
	// sweeper runs the waves of new blocks; nil: the waves take turns from the start.
	sweeper BlockRunner
	order   uint32 // written by Fence; the value has no meaning
	queue   *queue // the queue of the launch
	// The worker has reserved ahead blocks, beginning with block following.
	ahead, following uint64

	residency
	patience
}

// residency is the storage of the blocks of a worker.
type residency struct {
	resident []*Block // blocks in flight
	cur      int      // index of the block that ran last
	free     []*Block // storage of blocks that have ended
	left     uint64   // bytes that may still be spent on blocks
	crowded  bool     // a block was not started for want of bytes
	begun    uint64   // how many blocks have been started
}

// patience is what a worker knows about blocks that wait for each other.
type patience struct {
	changes uint64 // how often a time slice changed memory that other blocks can see
	burst   int    // blocks to admit when all wait
	admit   int    // how many blocks of burst are still to be admitted
	budget  uint64 // instructions after which a working block is set aside
	tries   tries  // attempts to prove that memory cannot change any more
	plain   bool   // blocks have been seen that wait with plain loads
	// lookAfter is the value of Block.quiet from which on the plain loads of a block are watched for one round
	// of turns.
	lookAfter uint64
}

// queue hands out the blocks of a launch, in order. After a fault no worker takes another block, and all
// blocks before the fault have been started. So the first fault is found with any number of workers.
type queue struct {
	next   atomic.Uint64
	blocks uint64
	turned bool // the last block first
	halt   atomic.Bool
}

// take returns the number of the next block. ok is false if none is left or a block has faulted.
func (q *queue) take() (uint64, bool) {
	if q.halt.Load() || q.next.Load() >= q.blocks {
		return 0, false
	}
	n := q.next.Add(1) - 1
	if n >= q.blocks {
		return 0, false
	}
	if q.turned {
		n = q.blocks - 1 - n
	}
	return n, true
}

// takeAll takes the blocks of the next cluster, of size blocks: the numbers from first on.
func (q *queue) takeAll(size uint64) (first uint64, ok bool) {
	if q.halt.Load() || q.next.Load() >= q.blocks {
		return 0, false
	}
	first = q.next.Add(size) - size
	if first >= q.blocks {
		return 0, false
	}
	if q.turned {
		first = q.blocks - size - first
	}
	return first, true
}

// run takes up to most consecutive blocks, and leaves enough blocks for the other workers. It returns 0, 0
// if it takes none.
func (q *queue) run(most, workers uint64) (first, n uint64) {
	next := q.next.Load()
	if q.turned || q.halt.Load() || next >= q.blocks {
		return 0, 0
	}
	if n = min(most, q.blocks-next); workers > 1 {
		n = min(n, (q.blocks-next)/(4*workers))
	}
	if n < 2 || !q.next.CompareAndSwap(next, next+n) {
		return 0, 0
	}
	return next, n
}

// reserve takes consecutive blocks that only this worker will run.
func (k *Worker) reserve(most uint64) {
	k.following, k.ahead = k.queue.run(most, uint64(max(k.Launch.Workers, 1)))
}

// take returns the next block for the worker to run. The blocks that the worker has reserved come first,
// even if a block of another worker has faulted: see queue.
func (k *Worker) take() (uint64, bool) {
	if k.ahead == 0 {
		return k.queue.take()
	}
	n := k.following
	k.ahead--
	k.following++
	return n, true
}

// residentBytes is how many bytes the storage of all blocks in flight may take beyond one block per worker.
func (l *Launch) residentBytes() uint64 {
	if l.Resident > 0 {
		return l.Resident
	}
	return 1 << 30
}

// maxResident is how many blocks of one worker may be in flight.
const maxResident = 1 << 14

// quietSlice is the first value of Worker.lookAfter.
const quietSlice = 1 << 18

// longSlice is the number of instructions after which another block is admitted in any case. It doubles
// each time.
const longSlice = 1 << 24

// Alone reports whether no other worker touches global memory.
func (k *Worker) Alone() bool { return k.alone }

// newWorker makes worker id of a launch, with the storage that an earlier launch has left, if there is any.
func newWorker(l *Launch, id int) *Worker {
	k, old := l.Storage.take()
	*k = Worker{Launch: l, WorkerID: id, found: map[findingKey]*finding{},
		residency: residency{free: k.free[:0], resident: k.resident[:0]},
		patience:  patience{burst: 1, changes: 1, budget: longSlice, lookAfter: quietSlice}}
	k.left = l.residentBytes() / uint64(max(l.Workers, 1))
	if l.Schedule.Random {
		k.rand = rand.New(rand.NewPCG(l.Schedule.Seed, uint64(id)))
	}
	k.sweeper = l.sweeps()
	k.free = append(k.free, newBlock(k, nil, old))
	return k
}

// run executes blocks until none is left.
func (k *Worker) run(q *queue) {
	k.queue = q
	defer k.Launch.still.ended(k)
	for k.Launch.stop.Load() == nil {
		b := k.choose(q)
		if b == nil {
			return
		}
		was, aside := k.changes, b.stuck
		b.awaits = b.awaits[:0] // the slice looks anew
		state := b.slice()
		if k.plain && aside == was && (state == blockEnded || k.changes != was) {
			// The block was set aside and went on without help: it did not wait. It only looks as if it
			// did, and watching its loads takes time.
			k.plain = false
			k.lookAfter *= 4
		}
		if k.changes != was {
			k.cameTrue(b)
			k.Launch.still.changed()
			if b.stuck != 0 {
				k.burst, b.stuck = 1, 0
			}
		}
		switch state {
		case blockEnded:
			b.ended()
			k.release(b)
		case blockFault:
			k.faulted(b)
		case blockWaits:
			b.stuck, b.polling = k.changes, true
		case blockLong:
			// The block may be waiting all the same, in a way that is not recognised.
			k.budget *= 2
			k.admit = max(k.admit, 1)
			b.stuck, b.polling = k.changes, false
		}
	}
	if f := k.Launch.stop.Load(); f != nil && f.Code != CodeLivelock && k.fault == nil && len(k.resident) > 0 {
		k.fault = k.stopped(f)
	}
}

// faulted accounts for a block that has come to a fault.
func (k *Worker) faulted(b *Block) {
	if f := b.fault; k.fault == nil || k.Launch.turnOf(f.Block) < k.Launch.turnOf(k.fault.Block) {
		k.fault, k.printed = f, slices.Clone(b.out)
	}
	k.queue.halt.Store(true)
	k.ahead = 0 // those come after the faulty block
	k.Launch.text.release()
	k.release(b)
}

// choose returns the block to run next, or nil if there is none. The current block goes on unless it waits;
// then the other blocks in flight have a turn. If all of them wait, choose admits more blocks, twice as
// many each time.
func (k *Worker) choose(q *queue) *Block {
	if k.rand != nil {
		return k.chooseRandom(q)
	}
	// First, blocks that an earlier call decided to admit.
	if k.admit > 0 || len(k.resident) == 0 {
		if b := k.start(q); b != nil {
			k.admit = max(k.admit-1, 0)
			return b
		}
		k.admit = 0
	}
	// Next, a block in flight that has not been seen waiting since the last change.
	for i := range k.resident {
		at := (k.cur + i) % len(k.resident)
		if b := k.resident[at]; b.stuck != k.changes {
			k.cur = at
			return b
		}
	}
	if len(k.resident) == 0 || q.halt.Load() && k.ahead == 0 {
		return nil // after a fault no block will start that could help
	}
	// All blocks wait. Another block may help, so the number of admitted blocks doubles.
	k.await()
	if b := k.start(q); b != nil {
		k.burst *= 2
		k.admit = k.burst - 1
		return b
	}
	// Blocks of other workers may help. Or these blocks end by themselves, because a loop may count its
	// rounds. Or nothing can help.
	if k.stuckForGood() {
		return nil
	}
	if len(k.resident) == 0 {
		return nil
	}
	// Let the other workers run before a waiting block looks again.
	if k.Launch.still.alive.Load() > 1 {
		runtime.Gosched()
		if k.cur == 0 {
			time.Sleep(20 * time.Microsecond)
		}
	}
	k.cur = (k.cur + 1) % len(k.resident)
	return k.resident[k.cur]
}

// chooseRandom is choose for a random schedule: any block in flight, now and then a new one.
func (k *Worker) chooseRandom(q *queue) *Block {
	if n := len(k.resident); n == 0 || n < 8 && k.rand.IntN(4) == 0 || k.rand.IntN(64) == 0 {
		if b := k.start(q); b != nil {
			return b
		}
	}
	if len(k.resident) == 0 {
		return nil
	}
	if q.halt.Load() && !slices.ContainsFunc(k.resident, func(b *Block) bool { return b.stuck != k.changes }) {
		return nil
	}
	if !slices.ContainsFunc(k.resident, func(b *Block) bool { return b.stuck != k.changes }) {
		if b := k.start(q); b != nil {
			return b
		}
		if k.stuckForGood() || len(k.resident) == 0 {
			return nil
		}
	}
	k.cur = k.rand.IntN(len(k.resident))
	return k.resident[k.cur]
}

// start admits the next block of the grid. It returns nil if there is none or no room.
func (k *Worker) start(q *queue) *Block {
	if k.Launch.clusterSize() > 1 {
		return k.startCluster(q)
	}
	if len(k.free) == 0 {
		like := k.resident[0]
		if n := like.bytes(); n > k.left || len(k.resident) >= maxResident {
			k.crowded = true
			return nil
		}
	}
	if len(k.resident) == 0 {
		k.Launch.text.wait()
	}
	n, ok := k.take()
	if !ok {
		return nil
	}
	var b *Block
	if i := len(k.free) - 1; i >= 0 {
		b, k.free = k.free[i], k.free[:i]
	} else {
		b = newBlock(k, k.resident[0], nil)
		k.left -= min(k.left, b.bytes()) // like may be smaller: machine code needs larger frames
	}
	k.begun++
	if b.number = k.begun; len(k.resident) > 0 {
		k.stats.Beside++
	}
	b.start(n)
	k.resident = append(k.resident, b)
	k.cur = len(k.resident) - 1
	return b
}

// startCluster admits the blocks of the next cluster, and returns the one to begin with. It returns nil if there is none or no room.
func (k *Worker) startCluster(q *queue) *Block {
	size := k.Launch.clusterSize()
	if len(k.resident) > 0 {
		need := size - min(size, uint64(len(k.free)))
		if n := need * k.resident[0].bytes(); n > k.left || uint64(len(k.resident))+size > maxResident {
			k.crowded = true
			return nil
		}
	} else {
		k.Launch.text.wait()
	}
	first, ok := q.takeAll(size)
	if !ok {
		return nil
	}
	c := &cluster{blocks: make([]*Block, size), running: int(size)}
	for i := range c.blocks {
		var b *Block
		if n := len(k.free) - 1; n >= 0 {
			b, k.free = k.free[n], k.free[:n]
		} else {
			like := c.blocks[0]
			if len(k.resident) > 0 {
				like = k.resident[0]
			}
			b = newBlock(k, like, nil)
			k.left -= min(k.left, b.bytes())
		}
		k.begun++
		if b.number = k.begun; len(k.resident) > 0 {
			k.stats.Beside++
		}
		b.cluster, b.rank = c, uint64(i)
		c.blocks[i] = b
	}
	k.cur = len(k.resident)
	for i, b := range c.blocks {
		b.start(k.Launch.blockAt(first + uint64(i)))
	}
	k.resident = append(k.resident, c.blocks...)
	if q.turned {
		slices.Reverse(k.resident[k.cur:])
	}
	return k.resident[k.cur]
}

// release removes a block from those in flight. The block that came after it in turn is next.
func (k *Worker) release(b *Block) {
	i := slices.Index(k.resident, b)
	k.resident = slices.Delete(k.resident, i, i+1)
	if k.cur > i {
		k.cur--
	}
	if k.cur >= len(k.resident) {
		k.cur = 0
	}
	if c := b.cluster; c != nil {
		// Other blocks of the cluster may still use its memory, by mistake; and lanes that exit may end a phase.
		b.gone = b.fault == nil
		if b.blockRaces != nil && b.gone {
			b.blockRaces.End()
		}
		k.changes++
		if c.running--; c.running > 0 {
			return
		}
		for _, b := range c.blocks {
			b.cluster = nil
		}
		k.free = append(k.free, c.blocks...)
		return
	}
	k.free = append(k.free, b)
}

// stopped makes the fault of a run that was stopped from outside. Its place is that of the first wave of
// the first block that can run. It takes the lanes of that wave that come first in the code, because the
// lanes after them may wait where the code joins.
func (k *Worker) stopped(f *Fault) *Fault {
	c := *f
	b := slices.MinFunc(k.resident, func(x, y *Block) int { return int(int64(x.block) - int64(y.block)) })
	c.Block = b.block
	fn := k.Launch.Func
	for _, w := range b.Waves {
		if len(w.frags) > 0 {
			first := slices.MinFunc(w.frags, func(x, y frag) int { return x.pc - y.pc })
			c.Pos = fn.Code[fn.Blocks[first.pc].Start].Pos
			c.Lanes, c.Wave = first.lanes, w.ID
			break
		}
	}
	return &c
}

// room is how many blocks of the worker can be in flight.
func (k *Worker) room() uint64 {
	return min(maxResident, 1+k.left/max(k.free[0].bytes(), 1))
}

// tooMany is the error of a launch whose blocks cannot all be in flight.
func tooMany(l *Launch, room uint64) *diag.Diagnostic {
	d := diag.Errorf(diag.Pos{File: l.Func.File}, diag.Input, "bad-launch", "kernel %s: a cooperative launch of %d blocks; all of them have to be in flight at the same time, and at most %d can be", l.Func.Name, l.Blocks(), room)
	d.Remedy = fmt.Sprintf("launch fewer blocks and let each do more; their registers and memory may take %d MB, and %d blocks be in flight on a worker", l.residentBytes()>>20, maxResident)
	return d
}

// clusterTooLarge is the error of a launch of which not even one cluster can be in flight.
func clusterTooLarge(l *Launch, room uint64) *diag.Diagnostic {
	d := diag.Errorf(diag.Pos{File: l.Func.File}, diag.Input, "bad-launch", "kernel %s: clusters of %d blocks; all blocks of one have to be in flight at the same time, and at most %d can be", l.Func.Name, l.clusterSize(), room)
	d.Remedy = fmt.Sprintf("launch smaller clusters, or blocks with less memory; it may be %d MB in all", l.residentBytes()>>20)
	return d
}

// laneCount is the number of lanes of a block.
func (l *Launch) laneCount() uint64 {
	return uint64(l.Block[0]) * uint64(l.Block[1]) * uint64(l.Block[2])
}

// waits returns the words for lanes of the wave in the messages about deadlocks, singular and plural.
func (w *Wave) waits() (one, many string) {
	return fmt.Sprintf("of wave %d waits", w.ID), fmt.Sprintf("of wave %d wait", w.ID)
}
