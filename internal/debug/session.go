// Package debug moves through a recording as a debugger does: forwards and backwards, to breakpoints, to the
// writes of a lane's register or of an element of memory, and to findings. It has the commands of crosslane debug.
//
// The position is a step that has not been done yet, of the wave in focus. A stop at a breakpoint, at a write that is watched
// or at a finding is a position at that step, in both directions.
package debug

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/value"
)

// Session is a position in a recording, with breakpoints. It is for one goroutine at a time.
type Session struct {
	rec    *crosslane.Recording
	info   crosslane.RecordingInfo
	end    int // the number after that of the last step
	wave   int
	at     int // the next step of the wave; end: there is none
	points []*point
	last   int // the number of the last point
	states map[int]*crosslane.State
	known  map[string][]int // lines that have steps, by file
}

// point is a reason to stop.
type point struct {
	id        int
	text      string // as it was asked for
	line      int
	source    string // FILE:LINE
	offset    int64  // of code; with offsetSet
	offsetSet bool
	condition node // nil: always
	watch     *watch
	finding   bool
	code      string   // of the finding; "": any
	severity  string   // of the finding; "": any
	ignore    int      // stops that are still passed over
	log       []node   // log: their values are printed, and the run goes on; nil: the text in between
	between   []string // text of the log, beside log; nil: commas are between the values
}

// watch is a register of one or all lanes, or a range of memory.
type watch struct {
	register string
	lane     int // -1: all
	memory   *crosslane.MemoryRange
	from, to uint64 // addresses, of memory
	space    string
	block    [3]uint32 // of shared memory
}

// New begins at the first step of the first wave.
func New(rec *crosslane.Recording) *Session {
	s := &Session{rec: rec, info: rec.Info(), states: map[int]*crosslane.State{}}
	first, steps := rec.Bounds()
	s.end = first + steps
	s.at = s.end
	if steps > 0 {
		if st, err := rec.Step(first); err == nil {
			s.wave, s.at = st.Wave, first
		}
	}
	return s
}

// stepsOf are the steps of the wave in focus.
func (s *Session) stepsOf() []int {
	list, err := s.rec.StepsOf(s.wave)
	if err != nil {
		return nil
	}
	return list
}

// state is that of the wave before the next step.
func (s *Session) state() (*crosslane.State, error) {
	if st := s.states[s.at]; st != nil && st.Wave == s.wave {
		return st, nil
	}
	st, err := s.rec.At(s.at, s.wave)
	if err == nil {
		clear(s.states)
		s.states[s.at] = st
	}
	return st, err
}

// indexOf is how many of the steps of a wave are done.
func (s *Session) indexOf(steps []int) int { return sort.SearchInts(steps, s.at) }

// move goes n steps of the wave forwards or, if n is negative, backwards. It returns how many there were.
func (s *Session) move(n int) int {
	list := s.stepsOf()
	i := s.indexOf(list)
	to := min(max(i+n, 0), len(list))
	s.at = s.end
	if to < len(list) {
		s.at = list[to]
	}
	return to - i
}

// jump goes to a step of any wave, and puts its wave in focus.
func (s *Session) jump(n int) error {
	if n == s.end {
		s.at = n
		return nil
	}
	st, err := s.rec.Step(n)
	if err != nil {
		return err
	}
	s.at, s.wave = n, st.Wave
	return nil
}

// focus puts a wave in focus, at its first step from the position on.
func (s *Session) focus(wave int) error {
	if wave < 0 || wave >= len(s.info.Waves) {
		return fmt.Errorf("there is no wave %d: they are 0 to %d", wave, len(s.info.Waves)-1)
	}
	s.wave = wave
	list := s.stepsOf()
	i := s.indexOf(list)
	if s.at = s.end; i < len(list) {
		s.at = list[i]
	}
	return nil
}

// stop says why the run stopped.
type stop struct {
	point *point // nil: the first or the last step of the recording
	text  string
}

// maxScan is after how many steps a search looks whether it was cancelled.
const maxScan = 1 << 12

// run goes on to the next reason to stop, in direction 1 or -1. It calls logged for each point that only prints. If ctx ends
// it stops where it is, with the error of ctx.
func (s *Session) run(ctx context.Context, direction int, logged func(*point, *crosslane.Step)) (stop, error) {
	first, _ := s.rec.Bounds()
	n := s.at + direction
	if s.at == s.end && direction < 0 {
		n = s.end - 1
	}
	for ; len(s.points) > 0 && n >= first && n < s.end; n += direction {
		if n%maxScan == 0 && ctx.Err() != nil {
			return stop{}, errors.Join(ctx.Err(), s.jump(n))
		}
		why, stops, err := s.stopsAt(n, logged)
		if err != nil {
			return stop{}, err
		}
		if stops {
			return why, s.jump(n)
		}
	}
	if direction < 0 {
		if len(s.info.Waves) > 0 && first < s.end {
			return stop{text: "the first step"}, s.jump(first)
		}
		return stop{text: "the first step"}, nil
	}
	s.at = s.end
	return stop{text: "the end"}, nil
}

// stopsAt reports whether a point stops at a step.
func (s *Session) stopsAt(n int, logged func(*point, *crosslane.Step)) (stop, bool, error) {
	st, err := s.rec.Step(n)
	if err != nil {
		return stop{}, false, err
	}
	for _, p := range s.points {
		hit, text, err := s.hits(p, st)
		if err != nil {
			return stop{}, false, fmt.Errorf("breakpoint %d at step %d: %w", p.id, n, err)
		}
		switch {
		case !hit:
		case p.ignore > 0:
			p.ignore--
		case p.log != nil:
			logged(p, st)
		default:
			return stop{point: p, text: text}, true, nil
		}
	}
	return stop{}, false, nil
}

// runOut goes on in the wave until the lowest lane of the next step has returned from the innermost call that it is in.
// A point stops earlier.
func (s *Session) runOut(ctx context.Context, logged func(*point, *crosslane.Step)) (stop, error) {
	if s.at == s.end {
		return stop{text: "the end"}, nil
	}
	calls, err := s.rec.Calls(s.at)
	if err != nil {
		return stop{}, err
	}
	return s.runTo(ctx, len(calls)-1, logged)
}

// runOver does a step and, if it calls a function, the steps up to the return of its lowest lane. A point stops earlier.
func (s *Session) runOver(ctx context.Context, logged func(*point, *crosslane.Step)) (stop, error) {
	if s.at == s.end {
		return stop{text: "the end"}, nil
	}
	calls, err := s.rec.Calls(s.at)
	if err != nil {
		return stop{}, err
	}
	n, err := s.after(ctx, s.at)
	if err != nil {
		return stop{}, err
	}
	if n >= 0 {
		inner, err := s.rec.Calls(n)
		if err != nil {
			return stop{}, err
		}
		if len(inner) > len(calls) {
			return s.runTo(ctx, len(calls), logged)
		}
	}
	if s.move(1); s.at == s.end {
		return stop{text: "the end"}, nil
	}
	return stop{}, nil
}

// after returns the next step of the lowest lane of step n; -1: there is none.
func (s *Session) after(ctx context.Context, n int) (int, error) {
	st, err := s.rec.Step(n)
	if err != nil {
		return -1, err
	}
	l := bits.TrailingZeros64(uint64(st.Lanes))
	list, err := s.rec.Find(ctx, crosslane.StepQuery{From: n + 1, Wave: &s.wave, Lane: &l, Max: 1})
	if err != nil || len(list) == 0 {
		return -1, err
	}
	return list[0], nil
}

// runTo goes on in the wave to the next step of the lowest lane of this one that is in at most depth calls.
func (s *Session) runTo(ctx context.Context, depth int, logged func(*point, *crosslane.Step)) (stop, error) {
	st, err := s.rec.Step(s.at)
	if err != nil {
		return stop{}, err
	}
	l := bits.TrailingZeros64(uint64(st.Lanes))
	list := s.stepsOf()
	for i := s.indexOf(list) + 1; i < len(list); i++ {
		n := list[i]
		if i%maxScan == 0 && ctx.Err() != nil {
			return stop{}, errors.Join(ctx.Err(), s.jump(n))
		}
		if len(s.points) > 0 {
			if why, stops, err := s.stopsAt(n, logged); stops || err != nil {
				return why, errors.Join(err, s.jump(n))
			}
		}
		if st, err = s.rec.Step(n); err != nil {
			return stop{}, err
		}
		if !st.Lanes.Has(l) {
			continue
		}
		calls, err := s.rec.Calls(n)
		if err != nil {
			return stop{}, err
		}
		if len(calls) <= depth {
			return stop{}, s.jump(n)
		}
	}
	s.at = s.end
	return stop{text: "the end"}, nil
}

// hits reports whether a step is one at which a point stops, and the text about it.
func (s *Session) hits(p *point, st *crosslane.Step) (bool, string, error) {
	text := ""
	switch {
	case p.watch != nil:
		hit, t, err := s.watched(p.watch, st)
		if !hit || err != nil {
			return false, "", err
		}
		text = t
	case p.finding:
		i := slices.IndexFunc(st.Findings, func(i int) bool {
			return p.matches(s.info.Findings[i].Finding)
		})
		if i < 0 {
			return false, "", nil
		}
		text = s.info.Findings[st.Findings[i]].Finding.Message
	case p.offsetSet:
		if st.Offset != p.offset {
			return false, "", nil
		}
	case p.source != "":
		if !slices.ContainsFunc(st.Source, func(l crosslane.SourceLine) bool { return sourceIs(l, p.source) }) {
			return false, "", nil
		}
	default:
		if st.File != "" || st.Line != p.line {
			return false, "", nil
		}
	}
	if p.condition == nil {
		return true, text, nil
	}
	v, err := p.condition(&stepEnv{s: s, n: st.Step, wave: st.Wave, active: uint64(st.Active)})
	if err != nil {
		return false, "", err
	}
	lanes := v.lanes & uint64(st.Active)
	if v.scalar {
		return v.n[0].truth(), text, nil
	}
	return count(v, lanes) > 0, text, nil
}

// matches reports that a point stops at a finding.
func (p *point) matches(d *diag.Diagnostic) bool {
	return (p.code == "" || p.code == d.Code) && (p.severity == "" || p.severity == d.Severity.String())
}

// sourceIs reports that a line of the program is FILE:LINE, where FILE may be the end of its path.
func sourceIs(l crosslane.SourceLine, text string) bool {
	file, line, ok := cutLine(text)
	return ok && line == l.Line && (l.File == file || strings.HasSuffix(l.File, "/"+file) || filepath.Base(l.File) == file)
}

// cutLine splits FILE:LINE.
func cutLine(text string) (file string, line int, ok bool) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return text, 0, false
	}
	n, err := strconv.Atoi(text[at+1:])
	return text[:at], n, err == nil
}

// watched reports that a step writes the bytes that a point watches.
func (s *Session) watched(w *watch, st *crosslane.Step) (bool, string, error) {
	if w.register != "" {
		for i := range st.Writes {
			r := &st.Writes[i]
			if r.Name != w.register || w.lane >= 0 && !r.Scalar && !r.Lanes.Has(w.lane) || r.Lanes == 0 {
				continue
			}
			text := "writes " + w.register
			if w.lane >= 0 {
				before, err := s.rec.At(st.Step, st.Wave, w.register)
				if err != nil {
					return false, "", err
				}
				old := "no value"
				if b := before.Register(w.register); b != nil {
					old = vectorOf(b).laneText(w.lane)
				}
				text = fmt.Sprintf("writes %s of lane %d: %s, was %s", w.register, w.lane, vectorOf(r).laneText(w.lane), old)
			}
			return true, text, nil
		}
		return false, "", nil
	}
	for _, a := range st.Access {
		if a.Kind == "load" || a.Space != w.space || w.space == "shared" && s.info.Waves[st.Wave].Block != w.block {
			continue
		}
		lanes := a.Lanes.Lanes()
		for i, from := range a.Addresses {
			if uint64(from) < w.to && uint64(from)+uint64(max(a.Size, 1)) > w.from {
				text := "writes it"
				if i < len(lanes) {
					text = fmt.Sprintf("%s by lane %d", a.Kind, lanes[i])
				}
				return true, text, nil
			}
		}
	}
	return false, "", nil
}

// vectorOf is a register as the operand of an expression.
func vectorOf(r *crosslane.RegisterValue) *vector {
	v := &vector{lanes: uint64(r.Lanes), scalar: r.Scalar, typ: value.Type(r.Type)}
	lanes := r.Lanes.Lanes()
	if r.Scalar {
		v.lanes, lanes = ^uint64(0), []int{0}
	}
	for i, l := range lanes {
		if i >= len(r.Bits) {
			break
		}
		v.setBits(l, uint64(r.Bits[i]))
		if i < len(r.Undefined) && r.Undefined[i] != 0 {
			v.undefined |= 1 << l
			if r.Scalar {
				v.undefined = ^uint64(0)
			}
		}
	}
	return v
}

// stepEnv is the state that an expression reads before a step.
type stepEnv struct {
	s      *Session
	n      int
	wave   int
	active uint64
}

func (e *stepEnv) lanes() uint64 { return e.active }
func (e *stepEnv) step() int     { return e.n }

func (e *stepEnv) register(name string) (*vector, error) {
	st, err := e.s.rec.At(e.n, e.wave, name)
	if err != nil {
		if e.hasMemory(name) {
			return nil, nil //nolint:nilerr // it is no register
		}
		return nil, err
	}
	if r := st.Register(name); r != nil {
		return vectorOf(r), nil
	}
	return nil, nil
}

func (e *stepEnv) hasMemory(name string) bool {
	return name == "shared" || name == "local" || e.s.memory(name) != nil
}

// memory finds a buffer or a variable in global memory.
func (s *Session) memory(name string) *crosslane.RecordedMemory {
	for i := range s.info.Memories {
		if m := &s.info.Memories[i]; m.Space == "global" && m.Name == name {
			return m
		}
	}
	return nil
}

// elements says where the elements of a memory are: their type, and how many bytes are from one to the next. Elements of
// shared and private memory are named by the offset of their first byte.
func (s *Session) elements(name string, as value.Type) (t value.Type, each int, err error) {
	t, each = as, 1
	if m := s.memory(name); m != nil {
		if own := value.Type(m.Type); own.Valid() {
			if each = own.Size(); as == "" {
				t = own
			}
		} else if as != "" {
			each = as.Size()
		}
	}
	if t == "" {
		return "", 0, fmt.Errorf("the type of elements of %s is not known: write %s[INDEX]:TYPE, as in %s[0]:u32", name, name, name)
	}
	return t, each, nil
}

// rangeOf is the place of some bytes of a memory, as the recording names it.
func (s *Session) rangeOf(name string, wave, lane int) crosslane.MemoryRange {
	switch {
	case s.memory(name) != nil:
		return crosslane.MemoryRange{Name: name}
	case name == "shared":
		b := s.info.Waves[wave].Block
		return crosslane.MemoryRange{Space: "shared", Block: crosslane.Dim3{X: b[0], Y: b[1], Z: b[2]}}
	}
	return crosslane.MemoryRange{Space: "local", Wave: wave, Lane: lane}
}

func (e *stepEnv) element(name string, index *vector, as value.Type) (*vector, error) {
	t, each, err := e.s.elements(name, as)
	if err != nil {
		return nil, err
	}
	get := func(lane int) (uint64, error) {
		i := index.at(lane)
		if i.kind == float || i.u > 1<<40 {
			return 0, fmt.Errorf("%s is no index of %s", i.text(), name)
		}
		m := e.s.rangeOf(name, e.wave, lane)
		m.Offset, m.Size = int(i.u)*each, t.Size()
		data, err := e.s.rec.Memory(e.n, m)
		if err != nil {
			return 0, err
		}
		return value.Get(t, data, 0), nil
	}
	v := &vector{lanes: index.lanes, scalar: index.scalar && name != "local", typ: t}
	if v.scalar {
		b, err := get(0)
		v.setBits(0, b)
		return v, err
	}
	v.lanes &= e.active
	for i := range 64 {
		if v.lanes>>i&1 == 0 {
			continue
		}
		b, err := get(i)
		if err != nil {
			return nil, fmt.Errorf("lane %d: %w", i, err)
		}
		v.setBits(i, b)
	}
	return v, nil
}
