package sim

import (
	"fmt"
	"slices"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// The scheduler of waves. The waves of a block share one worker and take turns.
//
// Input: a block of the grid, and the time slices that its waves run (Wave.timeSlice).
// Output: the state of the block: ended, faulted, waiting for other blocks, or running for long.
// Invariant: every wave that can run has one time slice per round. A slice ends as waiting only if its
// waves looked pollLimit times at memory that did not change and did no other work.
// Example: wave 0 waits at a barrier and wave 1 spins on a flag in global memory. Each round gives a slice
// to wave 1 only; after 32 looks without change slice returns blockWaits, and the worker runs another
// block.

// Block is one block in flight: its waves, its shared memory, its barriers.
type Block struct {
	*Worker
	Shared []byte
	undef  []byte // the undefined bits of Shared, if Launch.Track
	Waves  []*Wave

	block uint64 // linear index
	// cluster has the other blocks of the cluster, and rank is the block's index there; nil: a cluster has one block.
	cluster *cluster
	rank    uint64
	gone    bool // it has ended
	index   [3]uint32
	barriers
	noted []findingKey // the findings in this block so far
	out   []byte       // the text that it has printed
	fault *Fault
	standing
	awaits []awaited
	number uint64 // its number among the blocks that the worker has begun, from 1 on
	fresh  bool   // its waves have not begun
	begun  bool   // a BlockRunner has begun its waves
	before uint64 // WaveInstructions when the block began, or an earlier block that Skipped has passed
	runner any    // data that the BlockRunner keeps about the block

	claims     // the facts that ir.Claim operations have reported
	warpgroups // operations of warpgroups
	tensor     TensorMemory
	delays     delays     // asynchronous effects that are not done yet
	blockRaces BlockRaces // the part of Launch.Races for this storage; nil: there is no detector
}

// barriers are the barriers of a block.
type barriers struct {
	bars     [numBarriers]barrier
	lastBars [numBarriers]lastUse
	barred   bool // barriers have been used
}

// standing is what a block counts to tell that it waits for other blocks.
type standing struct {
	// quiet is the length of the time slices that work has used up since the block last changed memory that
	// other blocks can see, or a barrier opened; under a random schedule, of all time slices.
	quiet   uint64
	look    uint64 // value of quiet at which plain loads are watched for a round
	stuck   uint64 // Worker.changes when the block was seen waiting; 0: it was not
	polling bool   // it was seen looking repeatedly at memory, not only running for long
}

// blockState is the way in which the slice of a block ended.
type blockState uint8

const (
	blockEnded   blockState = iota
	blockFault              // Block.fault is set
	blockStopped            // the run was stopped from outside
	blockWaits              // all lanes that run look again and again at memory that does not change
	blockLong               // it has run for longer than Worker.budget
	blockYields             // a random schedule gives another block a turn
)

// newBlock makes the storage of a block. like, if not nil, is an existing block to copy constants from;
// old, if not nil, is storage that a launch has left.
func newBlock(k *Worker, like, old *Block) *Block {
	f, l := k.Launch.Func, k.Launch
	b := old
	if b == nil {
		b = new(Block)
	}
	shared, waves := b.Shared, b.Waves
	*b = Block{Worker: k, standing: standing{look: k.lookAfter}}
	n := uint64(f.SharedStatic) + uint64(l.Dynamic)
	if old != nil && uint64(cap(shared)) >= n {
		b.Shared = shared[:n] // start clears it
	} else {
		b.Shared = alignedBytes(n)
	}
	if l.Track {
		b.undef = alignedBytes(n)
	}
	lanes := l.laneCount()
	count := int((lanes + uint64(f.Lanes) - 1) / uint64(f.Lanes))
	if b.Waves = waves; count != len(waves) {
		b.Waves = make([]*Wave, count)
	}
	// All new waves are made at once: one by one takes several times as long.
	fresh := make([]Wave, max(0, count-len(waves)))
	var frames []uint64
	stride := l.frameStride()
	if len(fresh) > 0 || cap(waves[0].frame) < l.frameWords() {
		frames = alignedWords(count * stride)
	}
	for i := range b.Waves {
		var same, w *Wave
		if like != nil {
			same = like.Waves[i]
		}
		if i < len(waves) {
			w = waves[i]
		} else {
			w = &fresh[i-len(waves)]
		}
		if frames != nil {
			w.frame = frames[i*stride : (i+1)*stride : (i+1)*stride]
		} else {
			w.frame = w.frame[:min(l.frameWords(), cap(w.frame))]
			clear(w.frame)
		}
		b.Waves[i] = newWave(b, i, lanes, same, w)
	}
	if l.Races != nil {
		b.blockRaces = l.Races.Block(b)
		for i, w := range b.Waves {
			w.races = b.blockRaces.Wave(i)
		}
	}
	return b
}

// bytes is how much memory a block takes.
func (b *Block) bytes() uint64 {
	w := b.Waves[0]
	return b.Launch.tensorBytes() + uint64(len(b.Shared)+len(b.undef)) + uint64(len(b.Waves))*(uint64(unsafe.Sizeof(*w))+8*uint64(len(w.frame))+uint64(len(w.Local)+len(w.undefLocal)))
}

// newWave makes a wave: its frame, its constants and the values that are the same for all blocks. like, if
// not nil, is the same wave of another block. w has memory that the wave may use, with a frame of zeros.
func newWave(b *Block, id int, blockLanes uint64, like, w *Wave) *Wave {
	f := b.Launch.Func
	words := b.Launch.frameWords()
	local := w.Local
	*w = Wave{
		Block:      b,
		ID:         id,
		ValueFrame: ValueFrame{Func: f, frame: w.frame, image: w.image[:0], perBlock: w.perBlock[:0]},
		Mem:        b.Launch.Memory,
		laneOrder:  laneOrder{random: b.rand != nil || b.Launch.Schedule.Reversed, reversed: b.Launch.Schedule.Reversed},
		fragments:  fragments{frags: w.frags[:0], parked: w.parked[:0]},
	}
	if words <= len(w.frame) {
		w.frame = w.frame[:words]
	} else {
		w.frame = alignedWords(words)
	}
	w.Base = unsafe.Pointer(&w.frame[0])
	w.full = lane.All(f.Lanes)
	w.makeLocal(local)
	if f.NewObserver != nil {
		w.observer = f.NewObserver()
	}
	if like != nil {
		copy(w.frame, like.frame[:(f.FrameSize+7)/8]) // for the constants
		w.Initial, w.image, w.imageAt, w.perBlock, w.parts = like.Initial, like.image, like.imageAt, like.perBlock, like.parts
		return w
	}
	w.parts = w.strays() && !w.reversed && !looksAround(f)
	first := uint64(id) * uint64(f.Lanes)
	w.Initial = lane.All(int(min(uint64(f.Lanes), blockLanes-first)))
	for i := range f.Values {
		if v := &f.Values[i]; v.Kind == ir.Const && i > 0 {
			w.Fill(ir.Ref(i), v.Const)
		}
	}
	w.firstInputs()
	return w
}

// start prepares the storage for a block of the grid.
func (b *Block) start(n uint64) {
	b.block, b.index = n, b.Launch.blockIndex(n)
	b.fault, b.stuck, b.noted, b.out, b.gone = nil, 0, b.noted[:0], b.out[:0], false
	b.quiet, b.look = 0, b.lookAfter
	b.claims = claims{}
	b.warpgroups.begin()
	b.tensor.begin()
	b.delays.begin()
	clear(b.Shared)
	b.unwritten(b.undef)
	if a := b.Launch.Func.Apart; a != nil {
		definesGaps(b.undef, a.Shared)
	}
	if b.barred {
		for i := range b.bars {
			b.bars[i], b.lastBars[i] = barrier{}, lastUse{}
		}
		b.barred = false
	}
	b.fresh = true
	if b.sweeper == nil {
		b.startWaves()
		b.fresh = false
	}
	if b.blockRaces != nil {
		b.blockRaces.Start(n)
	}
}

// slice runs the block to its end, or until it seems to wait for other blocks.
func (b *Block) slice() blockState {
	k := b.Worker
	idle := uint32(0) // operations that saw nothing new since the last change
	used := uint64(0) // instructions
	from, begun := 0, false
	if b.fresh {
		b.fresh = false
		b.before = k.stats.WaveInstructions
		// A block runner may end the block, or leave it in the middle of a round.
		from, begun = b.begin()
		used = k.stats.WaveInstructions - b.before
	}
	// Each iteration is one round: a time slice of every wave that can run.
	for ; ; from, begun = 0, false {
		running, progress, busy := begun, begun, false
		watch := k.plain
		if b.quiet >= b.look {
			watch, b.look = true, b.quiet+k.lookAfter
		}
		// turn runs one time slice; it returns false after a fault.
		turn := func(w *Wave) bool {
			if w.Live&^b.Launch.Idle == 0 {
				return true
			}
			running = true
			if len(w.frags) == 0 {
				return true
			}
			progress = true
			w.Watch = watch
			changes, before, live := w.Changes, k.stats.WaveInstructions, w.Live
			if b.fault = w.timeSlice(); b.fault != nil {
				return false
			}
			ran := k.stats.WaveInstructions - before // not by the clock, because reading the clock advances it
			used += ran
			// Only slices that work has used up count. So a BlockRunner, in which no wave uses up its slice,
			// need not count, and plain loads are watched in the same rounds on every engine: that shows in
			// the counts of instructions, because watched lanes may give their slices away.
			switch {
			case k.rand != nil:
				b.quiet += ran
			case w.busy:
				b.quiet += waveQuantum
			}
			// A change that other blocks can see restarts all counts of quiet. Lanes that exit may end a phase of the
			// cluster's barrier.
			if w.Changes != changes || b.cluster != nil && w.Live != live {
				k.changes++
				idle, b.quiet, b.look = 0, 0, k.lookAfter
			} else {
				idle += w.idle
			}
			busy = busy || w.busy
			return true
		}
		if k.rand != nil {
			for _, i := range k.rand.Perm(len(b.Waves)) {
				if k.rand.IntN(4) > 0 && !turn(b.Waves[i]) {
					return blockFault
				}
			}
			// The waves that were skipped at random may still be able to run.
			if !progress {
				running = slices.ContainsFunc(b.Waves, func(w *Wave) bool { return w.Live&^b.Launch.Idle != 0 })
				progress = slices.ContainsFunc(b.Waves, func(w *Wave) bool { return w.Live&^b.Launch.Idle != 0 && len(w.frags) > 0 })
			}
		} else {
			for i, w := range b.Waves[from:] {
				if b.Launch.Schedule.Reversed {
					w = b.Waves[len(b.Waves)-1-i]
				}
				if !turn(w) {
					return blockFault
				}
			}
		}
		// The round is over.
		if n := b.Launch.Limit; n > 0 && k.stats.WaveInstructions > n {
			b.Launch.stop.CompareAndSwap(nil, &Fault{Code: LimitReached, Text: fmt.Sprintf("%d instructions were reached", n)})
		}
		// Asynchronous effects are done when nothing else can go on, one at a time, or at the end.
		if b.delays.any() && b.Launch.stop.Load() == nil {
			waits := running && (!progress || idle >= pollLimit && !busy || b.quiet >= patientDelay*waveQuantum)
			switch {
			case !running:
				b.fault = b.delays.finish()
			case waits:
				b.fault = b.delays.next()
			}
			if b.fault != nil {
				return blockFault
			}
			if waits {
				k.changes++
				idle, b.quiet, b.look = 0, 0, k.lookAfter
				continue
			}
		}
		// The verdict of the round. The order of the cases matters: an end comes before a deadlock, and a
		// deadlock before waiting.
		switch {
		case b.Launch.stop.Load() != nil && running:
			return blockStopped
		case !running:
			b.leftOver()
			b.warpgroups.unmet(b)
			if b.blockRaces != nil {
				b.blockRaces.Exit()
			}
			b.tensor.unfreed(b)
			if b.Launch.Inspect != nil {
				for _, w := range b.Waves {
					b.Launch.Inspect(w)
				}
			}
			return blockEnded
		case !progress, idle >= pollLimit && !busy && (b.clusterStuck() || tensorStuck(b)):
			b.fault = b.deadlock()
			return blockFault
		case idle >= pollLimit && !busy:
			k.plain = k.plain || watch
			return blockWaits
		case used > k.budget:
			return blockLong
		case k.rand != nil && b.quiet > quietSlice:
			return blockWaits // or works; a trial decides: see standstill.go
		case k.rand != nil:
			return blockYields
		}
	}
}

// ended counts a block that has ended.
func (b *Block) ended() {
	b.stats.Blocks++
	if e := b.Launch.Ended; e != nil {
		e.Add(1)
	}
	b.Launch.text.done(b)
}

// eachParked calls tell for the lanes that wait at a rendezvous or a barrier, with the lanes they wait for.
func (k *Block) eachParked(tell func(w *Wave, p *parked, text string)) {
	for _, w := range k.Waves {
		for i := range w.parked {
			p := &w.parked[i]
			if p.inst(w.Func).Op.Meets() {
				missing := lane.Mask(p.members) & w.Live &^ w.arrived(p)
				tell(w, p, fmt.Sprintf("%s for %s (membermask %s)%s", p.lanes.Do(w.waits()), missing.Named(), p.members.Hex(32), w.whereAre(missing)))
			} else {
				tell(w, p, fmt.Sprintf("%s at %s%s", p.lanes.Do(w.waits()), barrierName(p.bar), k.barrierMissing(p.bar, w)))
			}
		}
	}
}

// deadlock describes why nothing can run.
func (k *Block) deadlock() *Fault {
	fn := k.Launch.Func
	f := &Fault{Code: CodeDeadlock, Block: k.block}
	first := true
	told := 0
	k.eachParked(func(w *Wave, p *parked, text string) {
		in := p.inst(fn)
		if first {
			f.Pos, f.Lanes, f.Wave, f.Text, first = in.Pos, p.lanes, w.ID, "deadlock: "+text+"; nothing can run", false
			return
		}
		if told++; told <= 8 {
			pos, src := where(fn, in.Pos)
			f.Others = append(f.Others, related(pos, fn.Pos[in.Pos].Name+": "+text, src))
		}
	})
	f.Others = append(f.Others, k.clusterWaits()...)
	if k.tensor.stuck(k, f) {
		return f
	}
	f.Remedy = k.mismatch()
	return f
}

// mismatch returns the remedy for a deadlock.
func (k *Block) mismatch() string {
	if slices.ContainsFunc(k.Waves, (*Wave).apart) {
		return "below sm_70 only lanes at the same instruction meet: move it out of divergent code, or compile for sm_70 or higher"
	}
	if slices.ContainsFunc(k.Waves, func(w *Wave) bool { return w.inCluster != 0 }) {
		return "lanes wait at the barrier of the cluster for lanes that wait for them: let all of them arrive there first"
	}
	counted := false
	for _, w := range k.Waves {
		for i := range w.parked {
			p := &w.parked[i]
			if !p.inst(w.Func).Op.Meets() {
				counted = counted || k.bars[p.bar].count != 0
				continue
			}
			for j := range w.parked {
				q := &w.parked[j]
				switch {
				case i == j || p.members&q.lanes == 0:
				case !q.inst(w.Func).Op.Meets():
					return "lanes wait at a barrier of the block for lanes of their warp that wait for them: let all of them come to the same of the two first"
				case q.members&p.lanes == 0 || w.alike(p, q):
				case p.members != q.members:
					return "the lanes name each other in different membermasks, and so never meet: give all of them the same one"
				default:
					return "the lanes of one membermask are at operations of different kinds or qualifiers, and so never meet: let all of them execute the same one"
				}
			}
		}
	}
	if counted {
		return "let as many threads come to the barrier as its count says, each warp once for each use"
	}
	return "let every lane that the mask or barrier names reach the same kind of operation with the same mask"
}
