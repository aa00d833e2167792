package sim

import "sync"

// Storage keeps the memory of workers that have ended, for later launches. Making the frames of a short
// launch takes longer than the launch itself. No launch owns the memory, and the garbage collector takes it
// if it is not used for a while. Its old contents are never visible: frames, shared and private memory
// begin with zeros. The zero Storage is ready. It is safe for concurrent use.
//
// Input: workers that have ended (give).
// Output: memory for new workers (take).
// Invariant: give clears every field except the memory itself, so that no state passes from one launch to
// the next.
// Example: a module that is launched 1,000 times makes its frames once.
type Storage struct{ workers sync.Pool }

// spare holds memory without meaning, so the package still has no state that matters. No other object could
// own it: most modules are launched once or twice, and with a Storage in each the first launch would make
// some 50 KB anew, a third of the memory that it needs.
var spare Storage

// Spare returns the storage that the launches of all modules share.
func Spare() *Storage { return &spare }

// maxStored is how many bytes the storage of a worker may have and still be kept. Memory that the process
// touches for the first time is slow while the operating system provides it for several workers at once: a
// block of sha256, of 2.5 MB, took 1.7 times as long.
const maxStored = 16 << 20

// take returns memory for a worker, and the storage of a block if there is some.
func (s *Storage) take() (*Worker, *Block) {
	if s != nil {
		if k, ok := s.workers.Get().(*Worker); ok {
			return k, k.free[0]
		}
	}
	return new(Worker), nil
}

// give keeps the memory of a worker whose launch has ended. It does not if the launch had hooks that may
// still hold its waves, or if the memory is large.
func (s *Storage) give(k *Worker) {
	if l := k.Launch; s == nil || l.Setup != nil || l.Inspect != nil || l.Recorder != nil || len(k.resident) != 0 || len(k.free) != 1 {
		return
	}
	b := k.free[0]
	if b.bytes() > maxStored {
		return
	}
	for _, w := range b.Waves {
		*w = Wave{
			ValueFrame:    ValueFrame{frame: w.frame, image: w.image, perBlock: w.perBlock},
			privateMemory: privateMemory{Local: w.Local},
			fragments:     fragments{frags: w.frags, parked: w.parked},
		}
	}
	*b = Block{Shared: b.Shared, Waves: b.Waves}
	*k = Worker{residency: residency{free: k.free, resident: k.resident}}
	s.workers.Put(k)
}
