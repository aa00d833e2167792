package sim

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"example.org/crosslane/internal/ir"
)

// blockOutput is how many bytes a block may print. The block holds them until all blocks before it have
// ended.
const blockOutput = 16 << 20

// waitingOutput is how many bytes blocks that ended early may hold together before workers stop taking new
// ones.
const waitingOutput = 64 << 20

// printer writes the output of blocks in the order of the blocks, although they may end in another order.
//
// Input: the output of each block when it ends (done).
// Output: the launch's Stdout.
// Invariant: next is the first block that has not ended; early holds outputs of later blocks only.
// Example: block 1 ends before block 0: its text waits in early. When block 0 ends, both are written.
type printer struct {
	mu      sync.Mutex
	changed *sync.Cond
	next    uint64 // the first block that has not ended
	early   map[uint64][]byte
	bytes   int
	dead    bool // the launch ends: no worker waits any longer
	idle    bool // no text is ever written; set before the launch begins
}

// prints reports whether blocks of the launch may print text for which there is a Stdout.
func (l *Launch) prints() bool {
	return l.Stdout != nil && slices.ContainsFunc(l.Func.Code, func(in ir.Inst) bool { return in.Op == ir.HostCall })
}

// done takes the output of a block that has ended, and writes all outputs that are next.
func (p *printer) done(b *Block) {
	if p.idle {
		b.out = b.out[:0]
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := b.Launch.turnOf(b.block)
	if b.Launch.Schedule.Reversed {
		n = b.Launch.Blocks() - 1 - n
	}
	if n != p.next {
		if p.early == nil {
			p.early = map[uint64][]byte{}
		}
		p.early[n] = b.out
		p.bytes += len(b.out)
		b.out = nil
		return
	}
	p.write(b.Launch, b.out)
	b.out = b.out[:0]
	for p.next++; ; p.next++ {
		text, ok := p.early[p.next]
		if !ok {
			break
		}
		delete(p.early, p.next)
		p.bytes -= len(text)
		p.write(b.Launch, text)
	}
	if p.changed != nil {
		p.changed.Broadcast()
	}
}

// wait holds a worker without a block in flight while too many bytes wait for earlier blocks. The first
// block that has not ended is always in flight on some worker.
func (p *printer) wait() {
	if p.idle {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.bytes > waitingOutput && !p.dead {
		if p.changed == nil {
			p.changed = sync.NewCond(&p.mu)
		}
		p.changed.Wait()
	}
}

// release wakes all workers that wait: a block has faulted, or the run is stopped.
func (p *printer) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	if p.changed != nil {
		p.changed.Broadcast()
	}
}

// finish writes the output of the block that faulted. It drops the output of later blocks, because it
// depends on the workers whether they ran. If the run was stopped, finish writes all output, in the order
// of the blocks.
func (p *printer) finish(l *Launch, text []byte, blocks []*Block) {
	p.write(l, text)
	if len(blocks) > 0 && !p.idle {
		for _, b := range blocks {
			n := l.turnOf(b.block)
			if l.Schedule.Reversed {
				n = l.Blocks() - 1 - n
			}
			if p.early == nil {
				p.early = map[uint64][]byte{}
			}
			p.early[n] = b.out
		}
		for _, n := range slices.Sorted(maps.Keys(p.early)) {
			p.write(l, p.early[n])
		}
	}
	p.early = nil
}

func (p *printer) write(l *Launch, b []byte) {
	if l.Stdout != nil && len(b) > 0 {
		l.Stdout.Write(b)
	}
}

// print adds text to the output of the block in flight. It returns a fault if the output becomes too long.
func (w *Wave) print(text []byte) *Fault {
	if len(w.out)+len(text) > blockOutput {
		return &Fault{Code: CodeOutputLimit,
			Text:   fmt.Sprintf("block (%d,%d,%d) prints more than %d bytes", w.index[0], w.index[1], w.index[2], blockOutput),
			Remedy: "print from fewer lanes or less often"}
	}
	w.out = append(w.out, text...)
	return nil
}
