package debug

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/internal/value"
)

var (
	sourceLine = regexp.MustCompile(`^(.+):([0-9]{1,9})$`)
	watchText  = regexp.MustCompile(`^(%?[\w.$]+(?:\[[0-9]+:[0-9]+\])?)(?:\[(0x[0-9a-fA-F]+|[0-9]+)\])?(?::([a-z0-9]+))?$`)
)

// addBreakpoint reads a breakpoint: WHERE [if EXPR] [after N] [log EXPR, EXPR …]. WHERE is LINE, FILE:LINE, +OFFSET, or
// finding [CODE].
func (s *Session) addBreakpoint(text string) (*point, error) {
	p := &point{text: text}
	rest := text
	var err error
	if before, log, ok := strings.Cut(rest, " log "); ok {
		rest = before
		for _, e := range splitTop(log) {
			n, err := parse(strings.TrimSpace(e))
			if err != nil {
				return nil, err
			}
			p.log = append(p.log, n)
		}
	}
	if before, n, ok := strings.Cut(rest, " after "); ok {
		if p.ignore, err = strconv.Atoi(strings.TrimSpace(n)); err != nil || p.ignore < 0 {
			return nil, fmt.Errorf("after: %q is not a number of stops", strings.TrimSpace(n))
		}
		rest = before
	}
	if before, cond, ok := strings.Cut(rest, " if "); ok {
		if p.condition, err = parse(strings.TrimSpace(cond)); err != nil {
			return nil, err
		}
		rest = before
	}
	rest = strings.TrimSpace(rest)
	word, code, _ := strings.Cut(rest, " ")
	m := sourceLine.FindStringSubmatch(rest)
	switch {
	case word == "finding":
		p.finding, p.code = true, strings.TrimSpace(code)
	case strings.HasPrefix(rest, "+"):
		if p.offset, err = strconv.ParseInt(rest[1:], 0, 64); err != nil || p.offset < 0 {
			return nil, fmt.Errorf("%q is no offset in the code", rest)
		}
		p.offsetSet = true
	case m != nil:
		p.source = rest
	default:
		if p.line, err = strconv.Atoi(rest); err != nil || p.line < 1 {
			return nil, fmt.Errorf("a breakpoint is LINE, FILE:LINE, +OFFSET or finding [CODE]; found %q", rest)
		}
	}
	if err := s.settle(p); err != nil {
		return nil, err
	}
	return s.add(p), nil
}

func (s *Session) add(p *point) *point {
	s.last++
	p.id = s.last
	s.points = append(s.points, p)
	return p
}

// settle moves the line of a breakpoint to the next line that has an instruction in the recording.
func (s *Session) settle(p *point) error {
	if p.line == 0 && p.source == "" {
		return nil
	}
	file, want := "", p.line
	if p.source != "" {
		m := sourceLine.FindStringSubmatch(p.source)
		file = m[1]
		want, _ = strconv.Atoi(m[2])
	}
	best := 0
	for _, l := range s.lines(file) {
		if l >= want && (best == 0 || l < best) {
			best = l
		}
	}
	switch {
	case best == 0 && file != "":
		return fmt.Errorf("no step is of line %d of %s, or of a line after it", want, file)
	case best == 0:
		return fmt.Errorf("no step is of line %d, or of a line after it", want)
	case file != "":
		p.source = fmt.Sprintf("%s:%d", file, best)
	default:
		p.line = best
	}
	return nil
}

// lines are those of the recording's file, or of a file of the program, that have steps.
func (s *Session) lines(file string) []int {
	if l, ok := s.known[file]; ok {
		return l
	}
	seen := map[int]bool{}
	first, _ := s.rec.Bounds()
	for n := first; n < s.end; n++ {
		st, err := s.rec.Step(n)
		if err != nil {
			continue
		}
		if file == "" && st.File == "" {
			seen[st.Line] = true
		}
		for _, l := range st.Source {
			if file != "" && sourceIs(l, fmt.Sprintf("%s:%d", file, l.Line)) {
				seen[l.Line] = true
			}
		}
	}
	var out []int
	for l := range seen {
		out = append(out, l)
	}
	slices.Sort(out)
	if s.known == nil {
		s.known = map[string][]int{}
	}
	s.known[file] = out
	return out
}

// addWatch reads a watch: %r6, %r6[4], out[3], shared[0x40]:u32, with if, after and log as a breakpoint.
func (s *Session) addWatch(text string) (*point, error) {
	where, rest := text, ""
	for _, word := range []string{" if ", " after ", " log "} {
		if i := strings.Index(where, word); i >= 0 {
			where, rest = where[:i], where[i:]+rest
		}
	}
	m := watchText.FindStringSubmatch(strings.TrimSpace(where))
	if m == nil {
		return nil, fmt.Errorf("a watch is REGISTER, REGISTER[LANE] or MEMORY[INDEX]; found %q", strings.TrimSpace(where))
	}
	p := &point{}
	if rest != "" {
		// The rest is that of a breakpoint.
		other, err := s.parseRest(rest)
		if err != nil {
			return nil, err
		}
		p = other
	}
	p.text = text
	w := &watch{lane: -1}
	name, index := m[1], m[2]
	e := &stepEnv{s: s, n: s.at, wave: s.wave}
	if e.hasMemory(name) && index != "" {
		i, err := strconv.ParseUint(index, 0, 40)
		if err != nil {
			return nil, err
		}
		t, each, err := s.elements(name, value.Type(m[3]))
		if err != nil && m[3] == "" {
			t, each, err = "u8", 1, nil
		}
		if err != nil || !t.Valid() {
			return nil, cmp.Or(err, fmt.Errorf("%q is no element type", m[3]))
		}
		at := s.rangeOf(name, s.wave, 0)
		at.Offset, at.Size = int(i)*each, t.Size()
		base := uint64(0)
		if w.space = "global"; at.Space != "" {
			w.space = at.Space
			w.block = s.info.Waves[s.wave].Block
		}
		if mem := s.memory(name); mem != nil {
			base = uint64(mem.Base)
		}
		if w.space == "local" {
			return nil, fmt.Errorf("private memory cannot be watched: watch the register that is stored")
		}
		w.memory, w.from = &at, base+i*uint64(each)
		w.to = w.from + uint64(t.Size())
		if _, err := s.rec.Memory(s.at, at); err != nil {
			return nil, err
		}
		p.watch = w
		return s.add(p), nil
	}
	w.register = name
	if index != "" {
		n, err := strconv.ParseUint(index, 0, 6)
		if err != nil || int(n) >= s.info.Lanes {
			return nil, fmt.Errorf("lanes are 0 to %d, found %s", s.info.Lanes-1, index)
		}
		w.lane = int(n)
	}
	if v, err := e.register(name); err != nil || v == nil {
		return nil, cmp.Or(err, fmt.Errorf("there is no register or memory %s", name))
	}
	p.watch = w
	return s.add(p), nil
}

// parseRest reads the text that may follow the place of a breakpoint or a watch.
func (s *Session) parseRest(rest string) (*point, error) {
	last := s.last
	p, err := s.addBreakpoint("finding" + rest)
	if err != nil {
		return nil, err
	}
	s.points, s.last = s.points[:len(s.points)-1], last
	p.finding = false
	return p, nil
}

// remove takes a point away.
func (s *Session) remove(id int) bool {
	n := len(s.points)
	s.points = slices.DeleteFunc(s.points, func(p *point) bool { return p.id == id })
	return len(s.points) < n
}

// where says at which events a point stops.
func (p *point) where() string {
	switch {
	case p.watch != nil || p.finding:
		return p.text
	case p.source != "":
		return p.source
	case p.offsetSet:
		return fmt.Sprintf("+%#x", p.offset)
	}
	return fmt.Sprintf("line %d", p.line)
}

// splitTop splits text at the commas that are in no parentheses.
func splitTop(text string) (out []string) {
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, text[from:i])
				from = i + 1
			}
		}
	}
	return append(out, text[from:])
}
