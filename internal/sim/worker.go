package sim

import (
	"fmt"
	"slices"
	"unsafe"

	"crosslane/internal/ir"
	"crosslane/lane"
)

// Worker runs blocks, one at a time. Its waves and buffers are used again for
// every block.
type Worker struct {
	Launch *Launch
	Shared []byte // shared memory of the block in flight
	Waves  []*Wave

	stats Stats
	found map[findingKey]*finding
	fault *Fault
	block uint64 // linear index of the block in flight
	index [3]uint32
	bars  [numBarriers]barrier
	shfl  [64]shflEntry
	tmp   [64]uint32 // gather buffer of cross-lane operations
}

// waveQuantum is how many guest instructions a wave runs before the next wave of
// its block has a turn, and how often the time limit is looked at.
const waveQuantum = 1 << 16

// spinQuantum is how many guest instructions a fragment runs while others of its
// wave wait.
const spinQuantum = 1 << 10

func newWorker(l *Launch) *Worker {
	f := l.Func
	k := &Worker{Launch: l, found: map[findingKey]*finding{}}
	k.Shared = make([]byte, (uint64(f.SharedStatic)+uint64(l.Dynamic)+7)&^7)
	lanes := uint64(l.Block[0]) * uint64(l.Block[1]) * uint64(l.Block[2])
	waves := int((lanes + uint64(f.Lanes) - 1) / uint64(f.Lanes))
	k.Waves = make([]*Wave, waves)
	for i := range k.Waves {
		k.Waves[i] = newWave(k, i, lanes)
	}
	return k
}

// newWave makes a wave: its frame, its constants and what stays the same for all
// blocks.
func newWave(k *Worker, id int, blockLanes uint64) *Wave {
	f := k.Launch.Func
	w := &Wave{Worker: k, ID: id, Func: f, Mem: k.Launch.Memory}
	w.frame = make([]uint64, (f.FrameSize+7)/8+1)
	w.Base = unsafe.Pointer(&w.frame[0])
	first := uint64(id) * uint64(f.Lanes)
	w.Initial = lane.All(int(min(uint64(f.Lanes), blockLanes-first)))
	w.full = lane.All(f.Lanes)
	for i := range f.Values {
		if v := &f.Values[i]; v.Kind == ir.Const && i > 0 {
			w.Fill(ir.Ref(i), v.Const)
		}
	}
	if f.LocalSize > 0 {
		w.Local = make([]byte, uint64(f.LocalSize)*uint64(f.Lanes))
	}
	w.firstInputs()
	return w
}

// runBlock executes one block to its end. It returns a fault, or nil.
func (k *Worker) runBlock(n uint64) *Fault {
	k.block, k.index = n, k.Launch.blockIndex(n)
	clear(k.Shared)
	for i := range k.bars {
		k.bars[i] = barrier{}
	}
	for _, w := range k.Waves {
		w.start()
	}
	for {
		running, progress := false, false
		for _, w := range k.Waves {
			if w.Live&^k.Launch.Idle == 0 {
				continue
			}
			running = true
			if len(w.frags) == 0 {
				continue
			}
			progress = true
			if f := w.turn(); f != nil {
				return f
			}
		}
		if f := k.Launch.stop.Load(); f != nil && running {
			return k.stopped(f)
		}
		if !running {
			break
		}
		if !progress {
			return k.deadlock()
		}
	}
	k.stats.Blocks++
	if k.Launch.Inspect != nil {
		for _, w := range k.Waves {
			k.Launch.Inspect(w)
		}
	}
	return nil
}

// stopped makes the fault of a run that was stopped from outside: at the place
// where the first wave that can run is.
func (k *Worker) stopped(f *Fault) *Fault {
	c := *f
	c.Block = k.block
	for _, w := range k.Waves {
		if len(w.frags) > 0 {
			fn := k.Launch.Func
			c.Pos = fn.Code[fn.Blocks[w.frags[0].pc].Start].Pos
			c.Lanes, c.Wave = w.frags[0].lanes, w.ID
			break
		}
	}
	return &c
}

// waits is what lanes of the wave do in the messages about deadlocks.
func (w *Wave) waits() (one, many string) {
	return fmt.Sprintf("of wave %d waits", w.ID), fmt.Sprintf("of wave %d wait", w.ID)
}

// deadlock describes why nothing can run.
func (k *Worker) deadlock() *Fault {
	fn := k.Launch.Func
	f := &Fault{Code: CodeDeadlock, Block: k.block}
	first := true
	told := 0
	for _, w := range k.Waves {
		for _, p := range w.parked {
			in := p.inst(fn)
			var text string
			if in.Op.Meets() {
				missing := lane.Mask(p.members) & w.Live &^ w.arrived(&p)
				text = fmt.Sprintf("%s for %s (membermask %s)%s", p.lanes.Do(w.waits()), missing.Named(), p.members.Hex(32), w.whereAre(missing))
			} else {
				text = fmt.Sprintf("%s at %s%s", p.lanes.Do(w.waits()), barrierName(p.bar), k.barrierMissing(p.bar, w))
			}
			if first {
				f.Pos, f.Lanes, f.Wave, f.Text, first = in.Pos, p.lanes, w.ID, "deadlock: "+text+"; nothing can run", false
				continue
			}
			if told++; told <= 8 {
				pos, src := where(fn, in.Pos)
				f.Others = append(f.Others, related(pos, fn.Pos[in.Pos].Name+": "+text, src))
			}
		}
	}
	f.Remedy = "let every lane that the mask or barrier names reach the same kind of operation with the same mask"
	if slices.ContainsFunc(k.Waves, (*Wave).apart) {
		f.Remedy = "below sm_70 only lanes at the same instruction meet: move it out of divergent code, or compile for sm_70 or higher"
	}
	return f
}
