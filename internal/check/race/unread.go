package race

import (
	"fmt"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Bulk copies whose source is the block's shared memory (PTX 9.7.9.26.6). The memory ends with the block. So a lane that starts
// such a copy has to wait until the copy has read its source, before the block ends.
//
// Input: reads of bulk copies of groups, waits for groups, the ends of blocks.
// Output: findings of the code store-unwaited.
// Invariant: groups end in order, so an entry needs the latest group of each lane only. There are at most as many entries
// as copies in the code, times the groups of one wave that differ.
// Example: cp.async.bulk.global.shared::cta of a tile; commit_group; ret. With wait_group.read 0 before ret there is no finding.

// CodeUnwaited is the code of the findings.
const CodeUnwaited = "store-unwaited"

// unread is a copy that may not have read its source.
type unread struct {
	pos   int32
	group uint32
	lanes lane.Mask
}

// reading notes that lane i has started a copy from shared memory.
func (w *wave) reading(i int, group uint32, pos int32) {
	l := lane.Lane(i)
	at := -1
	for j := 0; j < len(w.unread); j++ {
		if u := &w.unread[j]; u.pos == pos {
			if u.lanes &^= l; u.group == group {
				at = j
			}
		}
	}
	if at >= 0 {
		w.unread[at].lanes |= l
		return
	}
	for j := range w.unread {
		if u := &w.unread[j]; u.lanes == 0 {
			*u = unread{pos, group, l}
			return
		}
	}
	w.unread = append(w.unread, unread{pos, group, l})
}

// startsRead notes a read of a bulk copy of a group.
func (x *racing) startsRead(i int, space ir.Space, addr uint64) {
	if x.slot != slotBulkRead {
		return
	}
	w := x.w
	if space, addr = w.Resolve(space, addr); space != ir.Shared {
		return
	}
	if owner, _ := w.SharedAt(addr); owner == w.Block {
		w.reading(i, x.g.bulk, x.in.Pos)
	}
}

// Exit handles the exit of all lanes of the block.
func (k *block) Exit() {
	for _, w := range k.waves {
		for _, u := range w.unread {
			var late lane.Mask
			for i := range u.lanes.Lanes() {
				if w.groupOf(i).done[slotBulkRead] < u.group {
					late |= lane.Lane(i)
				}
			}
			if late == 0 {
				continue
			}
			f := sim.Finding{Severity: diag.Error, Lanes: late}
			if k.d.unseen(w.Wave, CodeUnwaited, u.pos) {
				f.Text = fmt.Sprintf("the block ends, and %s of wave %d has not waited until the copy has read its source in shared memory", late.Named(), w.ID)
				if late.Count() > 1 {
					f.Text = fmt.Sprintf("the block ends, and %s of wave %d have not waited until the copies have read their sources in shared memory", late.Named(), w.ID)
				}
				f.Section = "PTX 9.7.9.26.6; CUDA C++ Programming Guide, Asynchronous Data Copies"
				f.Remedy = "put cp.async.bulk.commit_group and cp.async.bulk.wait_group.read 0 behind the copy, in the thread that starts it, before it exits"
			}
			k.d.note(w.Wave, CodeUnwaited, u.pos, f)
		}
		w.unread = w.unread[:0]
	}
}
