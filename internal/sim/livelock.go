package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
	"example.org/crosslane/num"
)

// The text about a launch in which nothing can change memory any more: see standstill.go.
//
// Input: the looks that a trial has collected in Wave.looks, and the lanes that are parked.
// Output: one Fault of the code livelock: the instruction, the memory, its value, and up to eight more
// places.
// Example: lanes 0–31 of wave 0 look again and again at flag[0], which holds 0.

// look is an instruction of lanes that stand still, with the memory at which it looks.
type look struct {
	pos    int32
	lanes  lane.Mask
	atomic bool
	in     *ir.Inst
	where  string // the memory at which the first lane looks
	others bool   // other lanes look elsewhere
	value  uint64 // the value that the first lane sees
	mbar   bool   // it is an mbarrier object
	waits  string // the phase that lanes wait for
}

// lookAt describes the memory at which an access of lanes, at least one, is about to look. ok is false if
// that memory cannot change, or if it is private memory.
func (w *Wave) lookAt(in *ir.Inst, m lane.Mask) (l look, ok bool) {
	if in.Scalar {
		m = 1
	}
	at := func(i int) uint64 { return w.Address(in.Args[0], i, in.Offset()) }
	first := at(m.First())
	space, off := w.Resolve(in.Space, first)
	l = look{pos: in.Pos, in: in, lanes: m, atomic: in.Op == ir.Atomic}
	switch space {
	case ir.Local, ir.Param:
		return l, false
	case ir.Shared:
		owner, off := w.SharedAt(off)
		l.where = w.addresses().sharedPlace(off)
		if owner != nil && owner != w.Block {
			l.where += fmt.Sprintf(" of block (%d,%d,%d)", owner.index[0], owner.index[1], owner.index[2])
		}
	default:
		a := w.Mem.Find(first, 1)
		if a == nil || a.ReadOnly {
			return l, false
		}
		l.where = fmt.Sprintf("offset %d of %q", first-a.Base, a.Name)
		if n := a.Elem; n > 0 && (first-a.Base)%n == 0 {
			l.where = fmt.Sprintf("%s[%d]", a.Name, (first-a.Base)/n)
		}
	}
	for i := range m.Lanes() {
		l.others = l.others || at(i) != first
	}
	return l, true
}

// hostChanges reports whether an access of lanes uses memory that the host may change while they run.
func (w *Wave) hostChanges(in *ir.Inst, m lane.Mask) bool {
	if in.Scalar {
		m = 1
	}
	for i := range m.Lanes() {
		addr := w.Address(in.Args[0], i, in.Offset())
		if space, _ := w.Resolve(in.Space, addr); space != ir.Global {
			continue
		}
		if a := w.Mem.Find(addr, 1); a != nil && a.Outside {
			return true
		}
	}
	return false
}

// sharedPlace names an offset in shared memory.
func (x addressSpaces) sharedPlace(off uint64) string {
	for _, v := range x.f.SharedVars {
		if off >= uint64(v.Off) && (v.Size == 0 || off-uint64(v.Off) < uint64(v.Size)) {
			if off == uint64(v.Off) {
				return v.Name + " in shared memory"
			}
			return fmt.Sprintf("offset %d of %s in shared memory", off-uint64(v.Off), v.Name)
		}
	}
	return fmt.Sprintf("offset %#x of shared memory", off)
}

// saw adds a look that has been made to those of the wave, and merges looks of one instruction.
func (x *trialWave) saw(w *Wave, in *ir.Inst, l look) {
	if in.Dst != 0 {
		l.value = w.Get(in.Dst, l.lanes.First())
	}
	for i := range x.looks {
		o := &x.looks[i]
		if o.pos != l.pos {
			continue
		}
		if l.lanes.First() < o.lanes.First() {
			l.waits, l.mbar = o.waits, o.mbar
			l.lanes, l.others = l.lanes|o.lanes, l.others || o.others || l.where != o.where
			*o = l
			return
		}
		o.lanes, o.others = o.lanes|l.lanes, o.others || l.others || l.where != o.where
		return
	}
	x.looks = append(x.looks, l)
}

// waitsFor notes the phase for which lanes ask after they have looked at an mbarrier object.
func (t *trial) waitsFor(w *Wave, in *ir.Inst) {
	x := &t.waves[w.ID]
	for i := range x.looks {
		l := &x.looks[i]
		if l.pos != in.Pos || l.mbar {
			continue
		}
		y := w.Get(in.Args[1], l.lanes.First())
		if in.Op == ir.MbarDone {
			y = uint64(num.Mbarrier(y).Parity())
		}
		l.mbar, l.waits = true, fmt.Sprint(y&1)
	}
}

// what describes the action of the lanes of a look.
func (l *look) what(wave int) string {
	who := func(one, many string) string {
		return l.lanes.Do(fmt.Sprintf("of wave %d %s", wave, one), fmt.Sprintf("of wave %d %s", wave, many))
	}
	if m := num.Mbarrier(l.value); l.mbar && m.Valid() {
		arrivals := "arrivals are"
		if m.Pending() == 1 {
			arrivals = "arrival is"
		}
		return fmt.Sprintf("%s for the end of phase %s of the mbarrier object %s, which is in phase %d: %d %s missing, and %d bytes",
			who("waits", "wait"), l.waits, l.where, m.Parity(), m.Pending(), arrivals, m.Bytes())
	}
	verb := who("looks", "look")
	end := ""
	if l.atomic {
		verb = who("tries", "try")
		end = ", and leaves it as it is"
		if l.lanes.Count() > 1 {
			end = ", and leave it as it is"
		}
	}
	text := fmt.Sprintf("%s again and again at %s", verb, l.where)
	if l.atomic && l.in.Dst == 0 {
		return text + end
	}
	text += fmt.Sprintf(", which holds %s%s", shown(l.value, l.in.Size), end)
	if l.others {
		text += fmt.Sprintf(" (%s; other lanes look elsewhere)", lane.Lane(l.lanes.First()).Named())
	}
	return text
}

// shown formats a value in memory: small values as decimal numbers.
func shown(v uint64, size uint8) string {
	if size < 8 {
		v &= 1<<(8*size) - 1
	}
	if v < 1<<16 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%#x", v)
}

// spin is an instruction that looks at memory repeatedly: the first wave that does so, and the number of
// waves and blocks that do it too.
type spin struct {
	*look
	block  *Block
	wave   int
	waves  int // waves of the first block
	blocks int
	last   *Block
}

// spins returns the looks of blocks, in the order of the blocks.
func spins(blocks []*Block) (list []*spin) {
	at := map[int32]*spin{}
	for _, b := range blocks {
		for _, w := range b.Waves {
			slices.SortFunc(w.looks, func(x, y look) int { return cmp.Compare(x.pos, y.pos) })
			for i := range w.looks {
				s := at[w.looks[i].pos]
				if s == nil {
					s = &spin{look: &w.looks[i], block: b, wave: w.ID}
					at[s.pos] = s
					list = append(list, s)
				}
				if s.block == b {
					s.waves++
				}
				if s.last != b {
					s.last = b
					s.blocks++
				}
			}
		}
	}
	return list
}

// text describes the action of the lanes, and the number of waves and blocks like the first.
func (s *spin) text() string { return s.what(s.wave) + alsoIn(s.waves, s.blocks) }

// alsoIn gives the number of waves of a block, and of blocks, that are like the first.
func alsoIn(waves, blocks int) string {
	var so []string
	if waves > 1 {
		so = append(so, plural(waves-1, "more wave", "more waves")+" of the block")
	}
	if blocks > 1 {
		so = append(so, plural(blocks-1, "more block", "more blocks"))
	}
	if len(so) == 0 {
		return ""
	}
	return "; so it is in " + strings.Join(so, " and ")
}

// shownOthers is how many places the message about a livelock shows beside the first.
const shownOthers = 8

// livelock describes why nothing can change any more: the looks, and the lanes that wait for other lanes.
//
// Input: the blocks in flight, whose waves hold the looks of a successful trial; crowded.
// Output: the fault: the first look, then up to shownOthers further looks and parked lanes, then the
// remedy.
func (l *Launch) livelock(blocks []*Block, crowded bool) *Fault {
	fn := l.Func
	in := func(b *Block) string {
		if l.Blocks() == 1 {
			return ""
		}
		return fmt.Sprintf(" in block (%d,%d,%d)", b.index[0], b.index[1], b.index[2])
	}
	f := &Fault{Code: CodeLivelock}
	var others []diag.Related
	mbar, barriers := false, false
	// The first look becomes the fault itself; the other looks and the parked lanes become its further
	// places.
	for i, s := range spins(blocks) {
		mbar = mbar || s.mbar
		if i == 0 {
			f.Block, f.Wave, f.Pos, f.Lanes, f.Text = s.block.block, s.wave, s.pos, s.lanes, "livelock: "+s.text()
			continue
		}
		pos, src := where(fn, s.pos)
		others = append(others, related(pos, fn.Pos[s.pos].Name+": "+s.text()+in(s.block), src))
	}
	for _, b := range blocks {
		b.eachParked(func(w *Wave, p *parked, text string) {
			barriers = true
			pos, src := where(fn, p.inst(fn).Pos)
			others = append(others, related(pos, fn.Pos[p.inst(fn).Pos].Name+": "+text+in(b), src))
		})
		others = append(others, b.clusterWaits()...)
	}
	f.Text += "; no lane that still runs can change that"
	if gone := blocks[0].exitedLanes(); gone != "" {
		f.Text += "; " + gone
	}
	switch n := uint64(len(blocks)); {
	case crowded:
		f.Text += fmt.Sprintf("; %d of %d blocks are in flight, and no more can be, for their registers and memory may take %d MB", n, l.Blocks(), l.residentBytes()>>20)
	case n < l.Blocks():
		f.Text += fmt.Sprintf("; %d of %d blocks had ended", l.Blocks()-n, l.Blocks())
	}
	if n := len(others) - shownOthers; n > 0 {
		others = append(others[:shownOthers], diag.Related{Message: fmt.Sprintf("%s where lanes look or wait", plural(n, "more place", "more places"))})
	}
	f.Others = others
	switch {
	case mbar:
		f.Remedy = "let as many arrivals come to the object as mbarrier.init counts, in every phase: expect_tx alone, and the bytes of a copy, are none"
	case barriers:
		f.Remedy = "lanes wait for lanes that wait for a store after the barrier: let all of them come to the barrier first, or store before it"
	case crowded:
		f.Remedy = "let no block wait for one that starts later, or launch as many blocks as can be in flight"
	default:
		f.Remedy = "let a lane that still runs store the expected value, release a lock on every path, and compare bits: a NaN is equal to nothing"
	}
	return f
}

// exitedLanes describes the lanes of the block that have exited; "" if there are none. It names the lanes
// of the first wave with exited lanes, and counts the other waves. Lanes of GCN3 end together and do not
// count.
func (b *Block) exitedLanes() string {
	text, waves := "", 0
	for _, w := range b.Waves {
		gone := w.Initial &^ w.Live
		if gone == 0 || w.Func.Exec != 0 {
			continue
		}
		if waves++; waves == 1 {
			text = gone.Do(fmt.Sprintf("of wave %d has exited", w.ID), fmt.Sprintf("of wave %d have exited", w.ID))
		}
	}
	if waves > 1 {
		text += fmt.Sprintf(", and lanes of %s", plural(waves-1, "more wave", "more waves"))
	}
	return text
}

// plural formats a count with the singular or the plural of its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
