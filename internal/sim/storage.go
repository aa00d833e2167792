package sim

import "sync"

// Storage keeps the memory of workers that have ended for launches to come: the frames of
// short launches take longer to make than the launches themselves. What it holds belongs to
// nobody, and the garbage collector takes it when it has not been used for a while. Its
// content is never seen: frames, shared and private memory begin with zeros, whoever had
// them. The zero Storage is ready; it is safe for concurrent use.
type Storage struct{ workers sync.Pool }

// spare is memory, which says nothing, so that the package is as good as without state. Nobody
// else could own it: most modules are launched once or twice, and with a Storage in each the
// first launch would make some 50 KB anew, a third of all that it needs.
var spare Storage

// Spare is the storage that the launches of all modules share.
func Spare() *Storage { return &spare }

// maxStored is how many bytes the storage of a worker may have to be kept. Memory that the
// process touches for the first time is slow where the operating system has to find it for
// several workers at once: a block of sha256, of 2.5 MB, took 1.7 times as long for it.
const maxStored = 16 << 20

// take returns memory for a worker, and the storage of a block, if there is one.
func (s *Storage) take() (*Worker, *Block) {
	if s != nil {
		if k, ok := s.workers.Get().(*Worker); ok {
			return k, k.free[0]
		}
	}
	return new(Worker), nil
}

// give keeps the memory of a worker whose launch has ended, unless somebody may still look at
// it, or it is much.
func (s *Storage) give(k *Worker) {
	if l := k.Launch; s == nil || l.Setup != nil || l.Inspect != nil || l.Recorder != nil || len(k.resident) != 0 || len(k.free) != 1 {
		return
	}
	b := k.free[0]
	if b.bytes() > maxStored {
		return
	}
	for _, w := range b.Waves {
		*w = Wave{Local: w.Local, frame: w.frame, image: w.image, perBlock: w.perBlock, frags: w.frags, parked: w.parked}
	}
	*b = Block{Shared: b.Shared, Waves: b.Waves}
	*k = Worker{free: k.free, resident: k.resident}
	s.workers.Put(k)
}
