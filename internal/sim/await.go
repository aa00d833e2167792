package sim

import (
	"bytes"
	"fmt"
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A block that waits for what another block stores comes to an end only if both are in flight at
// the same time, or if the other one begins first. A grid promises neither (PTX 2.2: blocks are
// independent). It is seen where all blocks in flight look at memory that does not change, so
// that one more has to be started: if one that is started then changes what another one looks
// at, that one has waited for a block that had not begun. Blocks that take their numbers from an
// atomic counter wait only for those that began before, in whatever order that was.

// lastLook is the last look of a wave at memory that others may change: a load, or an atomic that
// left the memory as it was.
type lastLook struct {
	in   *ir.Inst
	lane int // that looks at addr
	addr uint64
}

// awaited is what a block that waits looks at.
type awaited struct {
	lastLook
	wave  *Wave
	at    []byte // part of Alloc.Data
	was   []byte
	name  string
	begun uint64 // how many blocks had begun
}

// await remembers what the blocks in flight look at, before another one is started because all
// of them wait.
func (k *Worker) await() {
	if !k.Launch.Awaits || k.Launch.Together || k.plain {
		return
	}
	for _, b := range k.resident {
		b.awaits = b.awaits[:0]
		if !b.polling {
			continue
		}
		for _, w := range b.Waves {
			l := w.lastLook
			if l.in == nil || len(w.frags) == 0 {
				continue
			}
			if space, _ := w.Resolve(l.in.Space, l.addr); space != ir.Global && space != ir.Generic {
				continue
			}
			n := uint64(l.in.Size)
			a := w.Mem.Find(l.addr, n)
			if a == nil || !a.Visible {
				continue
			}
			off := l.addr - a.Base
			name := fmt.Sprintf("offset %d of %q", off, a.Name)
			if a.Elem > 0 && off%a.Elem == 0 {
				name = fmt.Sprintf("%s[%d]", a.Name, off/a.Elem)
			}
			at := a.Data[off : off+n]
			b.awaits = append(b.awaits, awaited{l, w, at, slices.Clone(at), name, k.begun})
		}
	}
}

// cameTrue notes which blocks have waited for what b, which has just run, has stored. What a
// block has stored that had begun when others looked is nothing to tell of: it has waited, too,
// or it was put aside.
func (k *Worker) cameTrue(b *Block) {
	for _, r := range k.resident {
		r.awaits = slices.DeleteFunc(r.awaits, func(a awaited) bool {
			if bytes.Equal(a.at, a.was) {
				return false
			}
			if b.number > a.begun {
				first := lane.Lane(a.lane)
				r.note(a.wave, CodeBlocksWait, a.in.Pos, finding{lanes: first, text: fmt.Sprintf("%s at %s for what a block stores that had not begun when this one did: "+
					"it ends only if both are in flight at the same time, or begin in the other order", first.Do("waits", "wait"), a.name)})
			}
			return true
		})
	}
}
