package sim

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"
)

// still brings the workers of a launch together that have seen all their blocks stand still:
// see standstill.go. What one of them has seen holds as long as no other changes memory, which
// time tells: it goes on whenever a worker has changed memory.
type still struct {
	waiting atomic.Int32 // workers that try or wait: only then somebody wants to know the time
	time    atomic.Uint64

	alive atomic.Int32 // workers that have not come to their end

	mu     sync.Mutex
	proved map[*Worker]uint64 // those whose blocks stand still, and the time for which they do; nil: none yet
}

func (s *still) start(workers int) { s.alive.Store(int32(workers)) }

// changed says that memory has changed.
func (s *still) changed() {
	if s.waiting.Load() > 0 {
		s.time.Add(1)
	}
}

// leaves says that a worker has come to its end.
func (s *still) ended(k *Worker) {
	s.changed()
	s.mu.Lock()
	s.alive.Add(-1)
	delete(s.proved, k)
	s.mu.Unlock()
}

// all reports whether the blocks of all workers stand still at a time.
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

// tries counts how often a worker has found all its blocks waiting, with none to be started.
type tries struct {
	changes uint64 // Worker.changes at the first of these times
	began   uint64 // Worker.spent then
	found   int    // how often since
	next    int    // when to try whether they stand still
	most    int    // basic blocks that a fragment may run then
}

// stuckAfter is how many instructions the waves of a worker have to run without a change of
// memory before it is tried whether they stand still, unless Launch.StuckAfter says; one that
// takes as long as some dozens counts as these. A trial runs lanes in an order of its own,
// which a kernel that races would show. With several workers such a kernel has no order that is
// the same every time, and a worker that waits runs little.
const stuckAfter = 1 << 22

// spent is what the waves of the worker have run, in instructions of the usual kind.
func (k *Worker) spent() uint64 { return k.stats.WaveInstructions + k.dear }

// stuckForGood is called when all blocks of the worker have been seen waiting and none can be
// started. It reports whether nothing can change that any more, and stops the launch then. It
// may change which blocks are in flight.
func (k *Worker) stuckForGood() bool {
	t := &k.tries
	if t.changes != k.changes {
		*t = tries{changes: k.changes, began: k.spent(), next: 1, most: trialBlocks}
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
			k.Launch.stop.CompareAndSwap(nil, &Fault{Code: CodeLivelock})
			return true
		}
		time.Sleep(20 * time.Microsecond)
	}
	return k.Launch.stop.Load() != nil
}
