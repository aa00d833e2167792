package page

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"slices"

	"example.org/crosslane"
)

// outline holds columns with an element for each step of a wave: what the timeline of a page needs of all steps. Lanes are sets,
// "0x…".
type outline struct {
	First    int             `json:"first"` // the first step of the recording that is kept
	Step     []int           `json:"step"`
	Line     []int           `json:"line"`
	Op       []int           `json:"op"`    // an index of Ops
	Ops      []string        `json:"ops"`   // texts of instructions
	Names    []string        `json:"names"` // for each of Ops its mnemonic in full
	Lanes    []crosslane.Hex `json:"lanes"`
	Active   []crosslane.Hex `json:"active"`
	Fragment []int           `json:"fragment"`
	Done     []int           `json:"done"`
	// Undefined are the lanes in which the step wrote undefined bits.
	Undefined []crosslane.Hex `json:"undefined"`
	// Findings are the findings of steps, as indices of the findings of the recording; Exits and Taken the lanes that ended and
	// that a branch sent to its target. Their keys are indices of the columns.
	Findings map[int][]int         `json:"findings"`
	Exits    map[int]crosslane.Hex `json:"exits"`
	Taken    map[int]crosslane.Hex `json:"taken"`
	Loops    []loop                `json:"loops"`
	More     bool                  `json:"more,omitempty"` // further steps were left out
}

// maxOutline is the greatest number of steps of an outline.
const maxOutline = 200_000

func (p *Page) outline(ctx context.Context, params []byte) (any, error) {
	var q struct {
		Rec  int `json:"rec"`
		Wave int `json:"wave"`
	}
	k, err := about(p, params, &q, &q.Rec)
	if err != nil {
		return nil, err
	}
	defer k.mu.Unlock()
	list, err := k.rec.StepsOf(q.Wave)
	if err != nil {
		return nil, err
	}
	out := &outline{First: k.info.First, Ops: []string{}, Names: []string{}, Findings: map[int][]int{}, Exits: map[int]crosslane.Hex{}, Taken: map[int]crosslane.Hex{}}
	if len(list) > maxOutline {
		list, out.More = list[:maxOutline], true
	}
	ops := map[string]int{}
	keys := make([]uint64, len(list))
	for i, n := range list {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s, undefined, err := k.rec.StepBrief(n)
		if err != nil {
			return nil, err
		}
		at, known := ops[s.Text]
		if !known {
			at = len(out.Ops)
			ops[s.Text] = at
			out.Ops, out.Names = append(out.Ops, s.Text), append(out.Names, s.Op)
		}
		out.add(i, s, undefined, at)
		h := fnv.New64a()
		h.Write([]byte(s.File))
		keys[i] = hashed(h.Sum64(), uint64(s.Line), uint64(s.Column), uint64(s.Offset), uint64(at))
	}
	out.Loops = loops(keys, out.Line)
	return out, nil
}

// add adds the columns of a step.
func (o *outline) add(i int, s *crosslane.Step, undefined crosslane.Hex, op int) {
	o.Step, o.Line, o.Op = append(o.Step, s.Step), append(o.Line, s.Line), append(o.Op, op)
	o.Lanes, o.Active = append(o.Lanes, s.Lanes), append(o.Active, s.Active)
	o.Fragment, o.Done = append(o.Fragment, s.Fragment), append(o.Done, s.Done)
	o.Undefined = append(o.Undefined, undefined)
	if len(s.Findings) > 0 {
		o.Findings[i] = s.Findings
	}
	if s.Exits != 0 {
		o.Exits[i] = s.Exits
	}
	if s.Taken != 0 {
		o.Taken[i] = s.Taken
	}
}

// A loop is a stretch of steps that executes the same lines again and again. From and To are indices of the columns of the
// outline, To exclusive; Period is how many steps a round has, 0: rounds differ, because a loop inside has other numbers of rounds.
// Starts are the indices at which rounds begin then.
type loop struct {
	From   int   `json:"from"`
	To     int   `json:"to"`
	Period int   `json:"period"`
	Rounds int   `json:"rounds"`
	Line   int   `json:"line"` // of the first step of a round
	Starts []int `json:"starts,omitempty"`
}

// token is a step, or a loop that was folded.
type token struct {
	key      uint64
	from, to int
}

const (
	maxPeriod = 2000 // tokens of a round that is looked for
	maxDepth  = 8    // loops in loops
	minRounds = 3
)

// loops finds the loops of a sequence of steps, given by keys that are equal for the same instruction. Inner loops are folded first,
// so that the rounds of an outer loop are alike even if an inner loop has other numbers of rounds in each.
func loops(keys []uint64, lines []int) []loop {
	tokens := make([]token, len(keys))
	for i, k := range keys {
		tokens[i] = token{k, i, i + 1}
	}
	out := []loop{}
	for range maxDepth {
		folded, found := fold(tokens, lines, &out)
		tokens = folded
		if !found {
			break
		}
	}
	slices.SortFunc(out, func(a, b loop) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return b.To - a.To
	})
	return out
}

// fold folds repeated stretches of tokens, the shortest round first.
func fold(tokens []token, lines []int, out *[]loop) (folded []token, found bool) {
	last := map[uint64]int{} // where a key was last, in tokens
	begin := 0               // tokens before it are folded or passed over for good
	for i := 0; i < len(tokens); {
		j, seen := last[tokens[i].key]
		last[tokens[i].key] = i
		period := i - j
		if !seen || j < begin || period > maxPeriod {
			i++
			continue
		}
		end := i
		for end+period <= len(tokens) && same(tokens[end:end+period], tokens[j:i]) {
			end += period
		}
		rounds := (end - j) / period
		if rounds < minRounds {
			i++
			continue
		}
		folded = append(folded, tokens[begin:j]...)
		l := loop{From: tokens[j].from, To: tokens[end-1].to, Rounds: rounds, Line: lines[tokens[j].from]}
		l.Period = (l.To - l.From) / rounds
		for r := j; r < end; r += period {
			l.Starts = append(l.Starts, tokens[r].from)
		}
		if even(l.Starts, l.To) {
			l.Starts = nil
		} else {
			l.Period = 0
		}
		*out = append(*out, l)
		h := uint64(period)
		for _, t := range tokens[j:i] {
			h = hashed(h, t.key)
		}
		folded = append(folded, token{h, l.From, l.To})
		begin, i, found = end, end, true
		clear(last)
	}
	return append(folded, tokens[begin:]...), found
}

func same(a, b []token) bool {
	for i := range a {
		if a[i].key != b[i].key {
			return false
		}
	}
	return true
}

// even reports whether rounds that begin at starts are equally long.
func even(starts []int, to int) bool {
	period := starts[1] - starts[0]
	for i := 1; i < len(starts); i++ {
		if starts[i]-starts[i-1] != period {
			return false
		}
	}
	return to-starts[len(starts)-1] == period
}

func hashed(h uint64, more ...uint64) uint64 {
	f := fnv.New64a()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], h)
	f.Write(b[:])
	for _, m := range more {
		binary.LittleEndian.PutUint64(b[:], m)
		f.Write(b[:])
	}
	return f.Sum64()
}
