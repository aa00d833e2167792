package lir

import (
	"fmt"

	"example.org/crosslane/internal/jit/x64"
)

// Blocks is the control-flow graph of a list: basic blocks, edges, entries and regions.
//
// Input: a Func.
// Output: the blocks in layout order, and their edges.
// Invariant: control enters a block only at its first instruction and leaves it only at its
// last.
// Example: LABEL L1; ADD; JNE L1; RET is three blocks: L1 to JNE, RET, and edges 0→0 and 0→1.
type Blocks struct {
	// Start holds the first instruction of each block, in layout order, and at the end the
	// length of the code.
	Start []int32
	// Of holds the block of each instruction.
	Of []int32
	// Hub, if not -1, is an artificial last block without code: every jump through a register
	// leads to it, and it leads to every label with an address that is taken.
	Hub int32
	// Entry and Cold, by block: Go may enter the block, at an ENTRY that is its first
	// instruction apart from a COLD; the block is in a cold region.
	Entry, Cold []bool
	// Region holds the region of each block. A region has one entrance, its first block, and
	// no back edge: all jumps inside it go forward in the list.
	Region  []int32
	Regions int32

	edges, taken   []edge
	labels         []int32
	marks          []int32 // the instructions that begin blocks, name labels or jump
	nextAt, predAt []int32
	next, preds    []int32
}

// An edge is a possible transfer of control from one block to another.
type edge [2]int32

// Len returns the number of blocks, including the hub.
func (b *Blocks) Len() int { return len(b.Entry) }

// Preds returns the blocks from which control may come to block i.
func (b *Blocks) Preds(i int32) []int32 { return b.preds[b.predAt[i]:b.predAt[i+1]] }

// Next returns the blocks to which control may go from block i.
func (b *Blocks) Next(i int32) []int32 { return b.next[b.nextAt[i]:b.nextAt[i+1]] }

// MaxCode is the largest number of instructions of a Func.
const MaxCode = 1 << 26

// Cut computes the blocks of fn. It reports errors of labels and regions.
func Cut(fn *Func) (*Blocks, error) { return new(Blocks).Cut(fn) }

// Cut is like the function Cut, and reuses the memory of b, which loses its content.
func (b *Blocks) Cut(fn *Func) (*Blocks, error) {
	code := fn.Code
	if len(code) > MaxCode {
		return nil, fmt.Errorf("lir: %d instructions are more than %d", len(code), MaxCode)
	}
	b.Hub, b.Regions = -1, 0
	b.Of = Cleared(&b.Of, len(code))
	labels := Cleared(&b.labels, int(fn.Labels)+1) // block+1
	n := 0
	fresh := true
	b.marks = b.marks[:0]
	for i := range code {
		op := code[i].Op
		if !fresh && partsIn(&code[i]).kind&cuts == 0 { // the frequent case
			if code[i].Label != 0 {
				b.marks = append(b.marks, int32(i))
			}
			b.Of[i] = int32(n - 1)
			continue
		}
		switch op {
		case x64.LABEL, x64.ENTRY:
			fresh = fresh || code[i-1].Op != x64.COLD // a cold region starts with its label
		case x64.COLD, x64.HOT:
			fresh = true
		}
		info := op.Info()
		if fresh || code[i].Label != 0 || info.Jump || info.Ends {
			b.marks = append(b.marks, int32(i))
		}
		if fresh {
			n++
			fresh = false
		}
		b.Of[i] = int32(n - 1)
		if op == x64.LABEL || op == x64.ENTRY {
			l := code[i].Label
			if l < 1 || int32(l) > fn.Labels {
				return nil, fmt.Errorf("lir: instruction %d: label %d is not one of 1 to %d", i, l, fn.Labels)
			}
			if labels[l] != 0 {
				return nil, fmt.Errorf("lir: instruction %d: label %d is there twice", i, l)
			}
			labels[l] = int32(n)
		}
		if info.Jump || info.Ends {
			// A run of EDGEs and the jump after them end one block together.
			fresh = !(op == x64.EDGE && i+1 < len(code) && (code[i+1].Op == x64.EDGE || code[i+1].Op == x64.JMP))
		}
	}
	if err := b.link(fn, labels, n); err != nil {
		return nil, err
	}
	b.number()
	return b, nil
}

// link computes the starts, flags and edges of the blocks.
func (b *Blocks) link(fn *Func, labels []int32, n int) error {
	code := fn.Code
	b.Start = Cleared(&b.Start, n+2)[:n+1]
	b.edges = b.edges[:0]
	taken := b.taken[:0] // edges from the hub
	b.Entry = Cleared(&b.Entry, n+1)[:n]
	b.Cold = Cleared(&b.Cold, n+1)[:n]
	hub := int32(n)
	var before int32 = -2 // the block before the cold region, which continues after it; -2: not in a cold region
	prev := int32(-1)
	for _, at := range b.marks {
		i, in := int(at), &code[at]
		k := b.Of[i]
		if k != prev { // a block begins
			b.Start[k] = int32(i)
			from := prev
			switch in.Op {
			case x64.COLD:
				if before != -2 || i == 0 {
					return fmt.Errorf("lir: instruction %d: COLD in a cold region or at the start", i)
				}
				before, from = prev, -1
			case x64.HOT:
				if before == -2 {
					return fmt.Errorf("lir: instruction %d: HOT without COLD", i)
				}
				if !ends(code, i-1) {
					return fmt.Errorf("lir: instruction %d: control falls out of the cold region", i)
				}
				from, before = before, -2
			}
			b.Cold[k] = before != -2
			// Control falls through from the block before.
			if from >= 0 && !ends(code, lastOf(b, from, i)) {
				b.edges = append(b.edges, edge{from, k})
			}
			prev = k
		}
		if in.Op == x64.ENTRY {
			b.Entry[k] = true
		}
		info := in.Op.Info()
		if in.Op == x64.JMPReg {
			b.edges, b.Hub = append(b.edges, edge{k, hub}), hub
		}
		if in.Label == 0 || in.Op == x64.LABEL || in.Op == x64.ENTRY {
			if info.Jump {
				return fmt.Errorf("lir: instruction %d: a jump without a label", i)
			}
			continue
		}
		if in.Label < 0 || int32(in.Label) > fn.Labels || labels[in.Label] == 0 {
			return fmt.Errorf("lir: instruction %d: label %d is nowhere", i, in.Label)
		}
		t := labels[in.Label] - 1
		if info.Jump {
			b.edges = append(b.edges, edge{k, t})
		} else {
			// The address of the label is taken, so every jump through a register may go
			// there.
			taken = append(taken, edge{hub, t})
		}
	}
	b.taken = taken
	if before != -2 {
		return fmt.Errorf("lir: COLD without HOT")
	}
	b.Start[n] = int32(len(code))
	if b.Hub >= 0 {
		b.Start = append(b.Start, int32(len(code)))
		b.edges = append(b.edges, taken...)
		b.Entry = append(b.Entry, false)
		b.Cold = append(b.Cold, false)
	}
	return nil
}

// ends reports whether control never continues after instruction i.
func ends(code []x64.Inst, i int) bool {
	return i >= 0 && code[i].Op.Info().Ends
}

// lastOf returns the last instruction of block k, which is before instruction i of another
// block.
func lastOf(b *Blocks, k int32, i int) int {
	if b.Of[i-1] == k {
		return i - 1
	}
	return int(b.Start[k+1]) - 1 // k ends at the start of the cold region
}

// number groups the edges by block, and numbers the regions. A block joins the region of its
// predecessors if they all come before it and have the same region.
func (b *Blocks) number() {
	n := int32(b.Len())
	b.nextAt, b.next = sorted(b.nextAt, b.next, b.edges, n, 0)
	b.predAt, b.preds = sorted(b.predAt, b.preds, b.edges, n, 1)
	b.Region = Cleared(&b.Region, int(n))
	for i := range n {
		r := int32(-1)
		for _, p := range b.Preds(i) {
			if p >= i || r >= 0 && b.Region[p] != r {
				r = -1
				break
			}
			r = b.Region[p]
		}
		if r < 0 || b.Entry[i] || i == 0 {
			r = b.Regions
			b.Regions++
		}
		b.Region[i] = r
	}
}

// sorted lists one end of the edges, grouped by the other end, which is by: the list of block
// i starts at at[i]. It is a counting sort that keeps the order of the edges.
func sorted(at, list []int32, edges []edge, n int32, by int) ([]int32, []int32) {
	at = Cleared(&at, int(n)+2)
	count := at[1:]
	for i := range edges {
		count[edges[i][by&1]+1]++
	}
	for i := range n {
		count[i+1] += count[i]
	}
	list = Cleared(&list, len(edges))
	for i := range edges {
		next := &count[edges[i][by&1]]
		list[*next] = edges[i][by&1^1]
		*next++
	}
	// count[i] has been advanced to the end of block i's part, which is the start of the next
	// part.
	return at, list
}
