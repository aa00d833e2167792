package sim

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"
)

// still joins the proofs of the workers of a launch: each of them has seen all its blocks stand still (see
// standstill.go). The proof of one worker holds as long as no other worker changes memory. time advances
// whenever a worker has changed memory.
//
// Input: pairs (worker, time) from stuckForGood.
// Output: all, true if every worker that is alive has a proof for the same time.
// Invariant: if time is unchanged since a worker began its trial, that worker's blocks still stand still.
// Example: worker 0 proves its blocks at time 7; worker 1 stores, time becomes 8; the proof of worker 0 is
// void, and it tries again.
type still struct {
	waiting atomic.Int32 // workers that try or wait; time is only needed while there are some
	time    atomic.Uint64

	alive atomic.Int32 // workers that have not ended

	host   sync.Mutex // held while Launch.Stalled is called
	mu     sync.Mutex
	proved map[*Worker]uint64 // workers whose blocks stand still, and the time of their proof; nil: none yet
}

// start prepares for a launch with that many workers.
func (s *still) start(workers int) { s.alive.Store(int32(workers)) }

// changed declares that memory has changed.
func (s *still) changed() {
	if s.waiting.Load() > 0 {
		s.time.Add(1)
	}
}

// ended declares that a worker has ended.
func (s *still) ended(k *Worker) {
	s.changed()
	s.mu.Lock()
	s.alive.Add(-1)
	delete(s.proved, k)
	s.mu.Unlock()
}

// all notes that the blocks of worker k stand still at a time, and reports whether those of all workers do.
func (s *still) all(k *Worker, time uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.time.Load() != time {
		return false
	}
	if s.proved == nil {
		s.proved = map[*Worker]uint64{}
	}
	s.proved[k] = time
	if len(s.proved) != int(s.alive.Load()) {
		return false
	}
	for _, t := range s.proved {
		if t != time {
			return false
		}
	}
	return true
}

// A HostState says whether the host of a launch can end the wait of its blocks.
type HostState int

// The states.
const (
	HostWaits   HostState = iota // the host waits for the launch, too, or there is none
	HostMay                      // the host may change memory later
	HostChanged                  // the host may have changed memory: the blocks look again
)

// stalled asks the host, which may use memory meanwhile: all blocks of all workers stand still, or there is one worker.
func (k *Worker) stalled() HostState {
	f := k.Launch.Stalled
	if f == nil {
		return HostWaits
	}
	s := &k.Launch.still
	if !s.host.TryLock() {
		return HostMay // another worker asks
	}
	defer s.host.Unlock()
	state := f()
	if state == HostChanged {
		k.changes++
		s.time.Add(1)
	}
	return state
}

// askAfter is how many instructions a single worker runs, while its blocks wait in a way that is not proved, before it
// asks the host again.
const askAfter = 1 << 20

// tries counts how often a worker has found all its blocks waiting while no block could be started.
type tries struct {
	changes uint64 // Worker.changes at the first of these occasions
	began   uint64 // Worker.spent at that time
	found   int    // how often it has happened since
	next    int    // the value of found at which the next trial takes place
	most    int    // basic blocks that a fragment may run in a round of that trial
	asked   uint64 // Worker.spent when the host was asked last
}

// stuckAfter is how many instructions the waves of a single worker have to run without a change of memory
// before a trial, unless Launch.StuckAfter is set. An instruction that takes as long as some dozens counts
// as some dozens. The delay matters because a trial runs lanes in an order of its own, which could show in
// the results of a kernel that races. With several workers that kernel has no reproducible order anyway,
// and a waiting worker runs little; there is no delay then.
const stuckAfter = 1 << 22

// spent returns the work of the worker's waves, in instructions of usual cost.
func (k *Worker) spent() uint64 { return k.stats.WaveInstructions + k.dear }

// stuckForGood reports whether nothing can change any more, and stops the launch if so. It is called when
// all blocks of the worker have been seen waiting and no block can be started. It may change which blocks
// are in flight.
func (k *Worker) stuckForGood() bool {
	t := &k.tries
	if t.changes != k.changes {
		*t = tries{changes: k.changes, began: k.spent(), next: 1, most: trialBlocks, asked: k.spent()}
	}
	if k.alone && k.spent()-t.asked > askAfter {
		t.asked = k.spent()
		if k.stalled() == HostChanged {
			return false
		}
	}
	if t.found++; t.found < t.next || k.alone && k.spent()-t.began < cmp.Or(k.Launch.StuckAfter, stuckAfter) {
		return false
	}
	t.next = 2 * t.found
	s := &k.Launch.still
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	now := s.time.Load()
	for _, b := range k.resident {
		if b.standsStill(t.most) {
			continue
		}
		t.most = min(2*t.most, trialMost)
		if b.fault != nil {
			k.faulted(b)
		}
		return false
	}
	defer func() {
		s.mu.Lock()
		delete(s.proved, k)
		s.mu.Unlock()
	}()
	for k.Launch.stop.Load() == nil && !k.queue.halt.Load() && s.time.Load() == now {
		if s.all(k, now) {
			switch k.stalled() {
			case HostChanged:
				return false
			case HostMay:
				time.Sleep(20 * time.Microsecond)
				continue
			}
			k.Launch.stop.CompareAndSwap(nil, &Fault{Code: CodeLivelock})
			return true
		}
		time.Sleep(20 * time.Microsecond)
	}
	return k.Launch.stop.Load() != nil
}
