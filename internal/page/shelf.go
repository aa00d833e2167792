package page

import (
	"context"
	"sync"

	"example.org/crosslane"
	"example.org/crosslane/internal/page/ask"
)

// shelf holds the recordings of a page. If it is full, the one that was asked longest ago is dropped.
type shelf struct {
	mu    sync.Mutex
	limit int
	last  int // the number of the newest one
	live  []*kept
}

// kept is a recording on the shelf. Its lock is held while it is asked.
type kept struct {
	number int
	mu     sync.Mutex
	rec    *crosslane.Recording
	info   crosslane.RecordingInfo
	first  bool // the page was opened with it: it is never dropped for another one
}

// put takes a recording onto the shelf.
func (s *shelf) put(r *crosslane.Recording, first bool) *kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	k := &kept{number: s.last, rec: r, info: r.Info(), first: first}
	if n := len(s.live); n >= s.limit {
		for i, old := range s.live {
			if !old.first || i == n-1 {
				s.live = append(s.live[:i:i], s.live[i+1:]...)
				break
			}
		}
	}
	s.live = append(s.live, k)
	return k
}

// find returns a recording by its number, and notes that it was asked.
func (s *shelf) find(number int) (*kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, k := range s.live {
		if k.number == number {
			s.live = append(append(s.live[:i:i], s.live[i+1:]...), k)
			return k, nil
		}
	}
	if number > 0 && number <= s.last {
		d := usage("recording %d was dropped: the page keeps %d", number, s.limit)
		d.Remedy = "record the launch again"
		return nil, d
	}
	return nil, usage("there is no recording %d", number)
}

// opened is the recording that the page was opened with; nil: none.
func (s *shelf) opened() *recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.live {
		if k.first {
			return &recorded{Rec: k.number, Info: k.info}
		}
	}
	return nil
}

// Open gives the page a recording to show first.
func (p *Page) Open(r *crosslane.Recording) { p.shelf.put(r, true) }

// recorded is the answer of record.
type recorded struct {
	Rec  int                     `json:"rec"`
	Info crosslane.RecordingInfo `json:"info"`
}

// record records a launch.
func (p *Page) record(ctx context.Context, t *task) (*recorded, error) {
	l, err := t.read(p, limitOf(ctx))
	if err != nil {
		return nil, err
	}
	o := crosslane.RecordOptions{From: t.Options.From, Limit: t.Options.Limit, Check: t.Options.Check == nil || *t.Options.Check, Memory: p.o.Limits.History}
	switch most := p.o.Limits.History; {
	case o.From < 0:
		return nil, usage("record: from is at least 0, found %d", o.From)
	case o.Limit < 0 || o.Limit > most:
		return nil, usage("record: limit is 0 to %d bytes, found %d", most, o.Limit)
	case o.Limit == 0:
		o.Limit = most
	}
	if len(t.Options.Blocks) > maxBlocks {
		return nil, usage("record: at most %d blocks can be recorded, found %d", maxBlocks, len(t.Options.Blocks))
	}
	for _, b := range t.Options.Blocks {
		o.Blocks = append(o.Blocks, crosslane.Dim3{X: b[0], Y: b[1], Z: b[2]})
	}
	m, err := t.Program.load(l)
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	copies := uint64(2)
	if o.Check {
		copies = checkCopies
	}
	made, err := l.build(k, copies, p)
	if err != nil {
		return nil, err
	}
	r, err := k.Record(ctx, l.Launch(made), o)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	x := p.shelf.put(r, false)
	return &recorded{Rec: x.number, Info: x.info}, nil
}

// maxBlocks is the greatest number of blocks that the page records at a time.
const maxBlocks = 1024

// drop forgets a recording.
func (p *Page) drop(_ context.Context, params []byte) (any, error) {
	var q struct {
		Rec int `json:"rec"`
	}
	if err := ask.Params(params, &q); err != nil {
		return nil, err
	}
	if _, err := p.shelf.find(q.Rec); err != nil {
		return nil, err
	}
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	for i, k := range p.shelf.live {
		if k.number == q.Rec {
			p.shelf.live = append(p.shelf.live[:i:i], p.shelf.live[i+1:]...)
			break
		}
	}
	return struct{}{}, nil
}
