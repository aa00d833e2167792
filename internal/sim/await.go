package sim

import (
	"bytes"
	"fmt"
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A block that waits for a store of another block ends only if both are in flight at the same time, or if
// the other block begins first. A grid promises neither (PTX 2.2: blocks are independent). This file finds
// the pair. If all blocks in flight look at memory that does not change, the worker has to start one more
// block. If that block then changes memory at which a waiting block looks, the waiting block has waited for
// a block that had not begun. Blocks that take their numbers from an atomic counter wait only for blocks
// that began before, in any order of the blocks.
//
// Input: the last look of each wave (lastLook), and the blocks in the order in which they began.
// Output: notes of the code blocks-wait.
// Invariant: a note names a load or atomic of a block whose memory was changed by a block that began after
// that look.
// Example: block 0 spins on flag[1], which block 1 stores. await copies the 4 bytes of flag[1]; the worker
// starts block 1; cameTrue sees that the bytes have changed and notes the load of block 0.

// lastLook is the last look of a wave at memory that other blocks may change: a load, or an atomic that
// left the memory as it was.
type lastLook struct {
	in   *ir.Inst
	lane int // the lane that looks at addr
	addr uint64
}

// awaited is the memory at which a waiting block looks.
type awaited struct {
	lastLook
	wave  *Wave
	at    []byte // the bytes, a slice of Alloc.Data
	was   []byte // their contents at that time
	name  string
	begun uint64 // how many blocks had begun
}

// await remembers the memory at which the blocks in flight look. choose calls it before it starts another
// block because all of them wait.
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

// cameTrue notes the blocks that have waited for a store of b, which has just run. It skips stores of a
// block that had begun when the other block looked: that block has waited, too, or was set aside.
func (k *Worker) cameTrue(b *Block) {
	for _, r := range k.resident {
		r.awaits = slices.DeleteFunc(r.awaits, func(a awaited) bool {
			if bytes.Equal(a.at, a.was) {
				return false
			}
			if b.number > a.begun {
				first := lane.Lane(a.lane)
				r.note(a.wave, CodeBlocksWait, a.in.Pos, finding{lanes: first, text: fmt.Sprintf("%s at %s for a store by a block that had not begun when this one did: "+
					"the wait ends only if both are in flight at the same time, or begin in the other order", first.Do("waits", "wait"), a.name)})
			}
			return true
		})
	}
}
