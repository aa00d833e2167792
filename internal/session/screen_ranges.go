package session

import (
	"cmp"
	"slices"
	"unsafe"

	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/check/screen"
	"example.org/crosslane/internal/sim"
)

// What a screened launch has accessed, from its tags.
//
// Input: the tags of writers and readers, each lower than maxTag; those from lowest on are of the launch.
// Output: ranges of bytes, as those of race.Detector.
// Invariant: bytes between two ranges were not accessed.
// Example: tags 0 9 9 9 0 with lowest 9 and words: bytes 4 to 15.

// words are the tags of an allocation.
func words(a *sim.Alloc) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(a.Data))), len(a.Data)/4)
}

// Ranges yields the words of global memory that the launch accessed, like race.Detector.
func (x *Screening) Ranges(yield func(a *sim.Alloc, r race.Range)) {
	if x.bare() {
		x.Runs.Again(yield)
		return
	}
	list := make([]*sim.Alloc, 0, len(x.allocs))
	for a := range x.allocs {
		if a != nil {
			list = append(list, a)
		}
	}
	// Read-only memory comes last.
	slices.SortFunc(list, func(a, b *sim.Alloc) int {
		if a.ReadOnly != b.ReadOnly {
			if a.ReadOnly {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.Base, b.Base)
	})
	for _, a := range list {
		x.rangesOf(a, yield)
	}
}

// Late is that of a LateRanger.
func (x *Screening) Late() bool { return !x.Runs.Prompt || x.bare() }

// Judges reports whether Ranges sets Short: always, or never for launches that are like this one.
func (x *Screening) Judges() (now, never bool) {
	now = x.form != nil && x.form.Runs
	return now, x.Footprint && !now && !x.bare()
}

// Accessed is that of a LateRanger.
func (x *Screening) Accessed(yield func(a *sim.Alloc) bool) {
	for a := range x.allocs {
		if a != nil && !yield(a) {
			return
		}
	}
}

func (x *Screening) rangesOf(a *sim.Alloc, yield func(a *sim.Alloc, r race.Range)) {
	y := x.allocs[a]
	size, step := uint64(len(a.Data)), uint64(y.grain)
	n := int((size + step - 1) / step)
	var last race.Range // the last one that is known, if last.Hi is not 0
	add := func(r race.Range) {
		r.Hi = min(r.Hi, size)
		if last.Hi != 0 && last.Hi >= r.Lo && last.Write == r.Write && last.Strong == r.Strong {
			last.Hi = max(last.Hi, r.Hi)
			return
		}
		if last.Hi != 0 {
			yield(a, last)
		}
		last = r
	}
	switch {
	case y.class == screen.ReadOnly && x.form.Runs:
		all, units := 0, uint64(0)
		runs(words(y.reads)[:n], x.lowest, func(from, to int) int {
			var was, bytes uint64
			pos := int32(-1)
			for i := from; i < to; i++ {
				if t := words(y.reads)[i]; uint64(t) != was {
					mark, n := x.form.UnitsOf(t - x.lowest)
					was, bytes, pos = uint64(t), n*step, x.form.Marks[mark].Pos
				}
				all, units = all+1, units+bytes/step
				add(race.Range{Lo: step * uint64(i), Hi: step*uint64(i) + bytes, Strong: y.strong, Pos: pos})
			}
			return to
		})
		x.Runs.Short = x.Runs.Short || uint64(all)*shortRun > units
	case y.class == screen.ReadOnly:
		marks, tags := x.form.Marks, words(y.reads)[:n]
		longest := 1 // tags of the longest mark
		if n := len(marks); n > 0 {
			longest = int((uint64(marks[n-1].Bytes) + step - 1) / step)
		}
		runs(tags, x.lowest, func(from, to int) int {
			next := to
			if longest == unrolled && to == from+1 {
				next = repeated(tags, from, x.lowest)
			}
			r := race.Range{Lo: step * uint64(from), Strong: y.strong, Pos: marks[tags[from]-x.lowest-1].Pos}
			// One of the last marks ends last.
			last := max(next-longest, from)
			if next != to {
				last = next - 1
			}
			for i := last; i < next; i++ {
				r.Hi = max(r.Hi, step*uint64(i)+uint64(marks[tags[i]-x.lowest-1].Bytes))
			}
			add(r)
			return next
		})
	case y.class == screen.WriteOnly, y.class == screen.Updated, y.class == screen.ReadWrite|screen.Paired:
		runs(words(y.writes)[:n], x.lowest, func(from, to int) int {
			add(race.Range{Lo: step * uint64(from), Hi: step * uint64(to), Write: true, Strong: y.strong || y.class == screen.Updated, Pos: y.store})
			return to
		})
	case y.class == screen.ReadWrite:
		writes, reads := words(y.writes)[:n], words(y.reads)[:n]
		read := func(from, to int) { // words that were not written
			runs(reads[from:to], x.lowest, func(lo, hi int) int {
				add(race.Range{Lo: step * uint64(from+lo), Hi: step * uint64(from+hi), Strong: y.strong, Pos: y.load})
				return hi
			})
		}
		end := 0
		runs(writes, x.lowest, func(from, to int) int {
			read(end, from)
			add(race.Range{Lo: step * uint64(from), Hi: step * uint64(to), Write: true, Strong: y.strong, Pos: y.store})
			end = to
			return to
		})
		read(end, n)
	default: // atomics beside other accesses
		var writes, reads []uint32
		if y.writes != nil {
			writes = words(y.writes)
		}
		if y.reads != nil {
			reads = words(y.reads)
		}
		for i := range n {
			r := race.Range{Lo: step * uint64(i), Hi: step * uint64(i+1)}
			read := reads != nil && reads[i] >= x.lowest
			switch {
			case writes != nil && writes[i] >= x.lowest:
				r.Write, r.Pos = true, y.store
				r.Strong = y.strong || !read && screen.Strong(writes[i], x.lowest)
			case read:
				r.Pos, r.Strong = y.load, y.strong
			default:
				continue
			}
			add(r)
		}
	}
	if last.Hi != 0 {
		yield(a, last)
	}
}

// runs calls f for each run of tags that are at least least: the index of the first, and after the last. f returns the
// index with which to go on.
func runs(tags []uint32, least uint32, f func(from, to int) int) {
	add := uint64(maxTag-least) * both
	for i := 0; ; {
		if i = untagged(tags, i, least); i == len(tags) {
			return
		}
		from := i
		for i < len(tags) && tags[i] >= least {
			i++
			for i+8 <= len(tags) {
				p := (*[4]uint64)(unsafe.Pointer(&tags[i]))
				if (p[0]+add)&(p[1]+add)&(p[2]+add)&(p[3]+add)&high != high {
					break
				}
				i += 8
			}
		}
		i = f(from, i)
	}
}

// shortRun is how many units a thread has to load in a row, on average, so that a tag for all of them pays.
const shortRun = 3

// unrolled is how many loads compilers make of one in a loop.
const unrolled = 4

// repeated returns the index after the last of equal tags that follow each other at a distance of unrolled, with none
// that is at least least between them.
func repeated(tags []uint32, from int, least uint32) int {
	t, add := tags[from], uint64(maxTag-least)*both
	i := from
	for ; i+2*unrolled <= len(tags) && tags[i+unrolled] == t; i += unrolled {
		p := (*[2]uint64)(unsafe.Pointer(&tags[i]))
		if (p[0]+add)&(high&^maxTag)|(p[1]+add)&high != 0 {
			break
		}
	}
	return i + 1
}

// Two tags are compared at a time: maxTag-least takes a tag to maxTag or more if it is at least least.
const (
	both = 1<<32 | 1
	high = maxTag * both
)

// untagged returns the index of the first tag from i on that is at least least.
func untagged(tags []uint32, i int, least uint32) int {
	add := uint64(maxTag-least) * both
	for i < len(tags) && tags[i] < least {
		i++
		for i+8 <= len(tags) {
			p := (*[4]uint64)(unsafe.Pointer(&tags[i]))
			if ((p[0]+add)|(p[1]+add)|(p[2]+add)|(p[3]+add))&high != 0 {
				break
			}
			i += 8
		}
	}
	return i
}
