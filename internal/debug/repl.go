package debug

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.org/crosslane"
)

// A Position is where a session is.
type Position struct {
	Step     int                    `json:"step"` // the step that comes next
	Wave     int                    `json:"wave"`
	Block    [3]uint32              `json:"block"`
	Warp     int                    `json:"warp"`
	Lanes    crosslane.Hex          `json:"lanes"`  // of the fragment that does the step
	Active   crosslane.Hex          `json:"active"` // those for which it acts
	Line     int                    `json:"line,omitempty"`
	Offset   int64                  `json:"offset,omitempty"`
	Text     string                 `json:"text,omitempty"`
	Source   []crosslane.SourceLine `json:"source,omitempty"`
	End      bool                   `json:"end,omitempty"` // no step of the wave comes next
	Findings []string               `json:"findings,omitempty"`
}

// A Value is the value of an expression, or a result of a step.
type Value struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
	// Lanes has a text for each lane of the wave; one text if all lanes have one value. A lane without a value has "·", and
	// undefined bits are marked with ?.
	Lanes []string `json:"lanes"`
	strip string
}

// A Reply is the answer to a command; schema crosslane.debug/1.
type Reply struct {
	Schema  string                `json:"schema"`
	Command string                `json:"command"`
	Error   string                `json:"error,omitempty"`
	Stop    string                `json:"stop,omitempty"` // why the run stopped
	Point   int                   `json:"point,omitempty"`
	At      *Position             `json:"at,omitempty"`
	Did     []crosslane.Step      `json:"did,omitempty"` // the steps that were done, or undone; at most 20
	Values  []Value               `json:"values,omitempty"`
	Why     *crosslane.Provenance `json:"why,omitempty"`
	Lines   []string              `json:"lines,omitempty"`
	text    []string
	quit    bool
}

// Options choose how a REPL speaks.
type Options struct {
	Prompt string // "": none
	JSON   bool   // a Reply as JSON on a line for each command
	// Source returns a line of a file, for list; nil: none is known.
	Source func(file string, line int) (string, bool)
	// Stop ends the commands after the first that fails.
	Stop bool
}

// Run reads commands, one in a line, and writes their replies, up to quit or the end of the input. A # begins a comment.
func (s *Session) Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	before := ""
	show := func(r *Reply) error {
		if o.JSON {
			return json.NewEncoder(out).Encode(r)
		}
		for _, l := range r.text {
			if _, err := fmt.Fprintln(out, l); err != nil {
				return err
			}
		}
		return nil
	}
	if err := show(s.hello()); err != nil {
		return err
	}
	for {
		if o.Prompt != "" {
			if _, err := io.WriteString(out, o.Prompt); err != nil {
				return err
			}
		}
		if !lines.Scan() {
			return lines.Err()
		}
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			if o.Prompt == "" || before == "" {
				continue
			}
			text = before // an empty line repeats a step
		}
		r := s.Do(ctx, text, o.Source)
		before = ""
		switch strings.Fields(text)[0] {
		case "s", "step", "bs", "back", "c", "continue", "rc", "reverse-continue":
			before = text
		}
		if err := show(r); err != nil {
			return err
		}
		switch {
		case r.quit:
			return nil
		case r.Error != "" && ctx.Err() != nil:
			return ctx.Err()
		case r.Error != "" && o.Stop:
			return fmt.Errorf("%s: %s", text, r.Error)
		}
	}
}

func (s *Session) hello() *Reply {
	r := &Reply{Schema: "crosslane.debug/1"}
	i := &s.info
	r.say("%s: kernel %s, grid %s, block %s: %s of %s recorded", i.File, i.Kernel, dims(i.Grid), dims(i.Block), plural(i.Steps, "step"), plural(len(i.Waves), "warp"))
	if i.Full {
		r.say("the record is full: steps %d to %d of %d are kept", i.First, i.First+i.Steps-1, i.Total)
	}
	if n := len(i.Findings); n > 0 {
		r.say("%s; findings lists them", plural(n, "finding"))
	}
	s.position(r)
	return r
}

func (r *Reply) say(format string, args ...any) {
	r.text = append(r.text, fmt.Sprintf(format, args...))
}

// line says something that has no member of its own in JSON.
func (r *Reply) line(format string, args ...any) {
	r.Lines = append(r.Lines, fmt.Sprintf(format, args...))
	r.say(format, args...)
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func dims(d [3]uint32) string {
	if d[1] == 1 && d[2] == 1 {
		return strconv.Itoa(int(d[0]))
	}
	return fmt.Sprintf("%d,%d,%d", d[0], d[1], d[2])
}

func (s *Session) waveText(wave int) string {
	w := &s.info.Waves[wave]
	return fmt.Sprintf("block %d,%d,%d warp %d", w.Block[0], w.Block[1], w.Block[2], w.Warp)
}

// placeText is where an instruction is, as breakpoints name it.
func placeText(l *crosslane.Location) string {
	switch {
	case l.Line > 0 && l.File == "":
		return strconv.Itoa(l.Line)
	case l.Line > 0:
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	}
	return fmt.Sprintf("+%#x", l.Offset)
}

// position adds where the session is.
func (s *Session) position(r *Reply) {
	if len(s.info.Waves) == 0 {
		r.say("no step is recorded")
		return
	}
	w := &s.info.Waves[s.wave]
	p := &Position{Step: s.at, Wave: s.wave, Block: w.Block, Warp: w.Warp, End: s.at == s.end}
	r.At = p
	if p.End {
		r.say("%s: after its last step", s.waveText(s.wave))
		return
	}
	st, err := s.rec.Step(s.at)
	if err != nil {
		r.fail(err)
		return
	}
	p.Lanes, p.Active, p.Line, p.Offset, p.Text, p.Source = st.Lanes, st.Active, st.Line, st.Offset, st.Text, st.Source
	acts := lanesText(uint64(st.Active))
	if st.Scalar {
		acts = "scalar"
	}
	r.say("step %d, %s, %s: %s  %s", s.at, s.waveText(s.wave), acts, placeText(&st.Location), st.Text)
	for _, l := range st.Source {
		r.say("    from %s:%d", l.File, l.Line)
	}
	for _, f := range st.Findings {
		d := s.info.Findings[f].Finding
		p.Findings = append(p.Findings, d.Code)
		r.say("    %s [%s]: %s", d.Severity, d.Code, d.Message)
	}
}

func (r *Reply) fail(err error) {
	r.Error = err.Error()
	r.say("%s", err.Error())
}

// value adds a value.
func (s *Session) value(r *Reply, name string, v *vector) {
	x := Value{Name: name, Type: string(v.typ), strip: v.strip(s.info.Lanes)}
	n := s.info.Lanes
	if v.scalar {
		n = 1
	}
	for i := range n {
		x.Lanes = append(x.Lanes, v.laneText(i))
	}
	r.Values = append(r.Values, x)
	r.say("%s = %s", name, x.strip)
}

// did adds the results of a step.
func (s *Session) did(r *Reply, n int) {
	st, err := s.rec.Step(n)
	if err != nil {
		r.fail(err)
		return
	}
	if len(r.Did) < 20 {
		r.Did = append(r.Did, *st)
	}
	r.say("  %s  %s", placeText(&st.Location), st.Text)
	for i := range st.Writes {
		w := &st.Writes[i]
		r.say("      %s = %s", w.Name, vectorOf(w).strip(s.info.Lanes))
	}
	if st.Branch {
		r.say("      taken by %s", lanesText(uint64(st.Taken)))
	}
	if st.Exits != 0 {
		r.say("      %s end", lanesText(uint64(st.Exits)))
	}
	if x := st.Exchange; x != nil && len(x.Absent) > 0 {
		m := uint64(0)
		for _, a := range x.Absent {
			m |= 1 << a.Lane
		}
		r.say("      absent: %s", lanesText(m))
	}
	if st.Done > n {
		r.say("      waits for other lanes, up to step %d", st.Done)
	} else if st.Done < 0 {
		r.say("      waits for other lanes, which never come")
	}
}

// commands are the commands with their short forms and help, in the order of help.
var commands = []struct{ name, short, args, help string }{
	{"step", "s", "[N]", "do the next N instructions of the warp"},
	{"back", "bs", "[N]", "undo the last N instructions of the warp"},
	{"next", "n", "", "do the next instruction of the warp; a call up to its return"},
	{"finish", "", "", "go on to the return from the function"},
	{"continue", "c", "", "go on to a breakpoint, a watched write or the end"},
	{"reverse-continue", "rc", "", "go back to a breakpoint, a watched write or the beginning"},
	{"break", "b", "WHERE [if EXPR] [after N] [log EXPR,…]", "stop at LINE, FILE:LINE, +OFFSET, or finding [CODE]"},
	{"watch", "w", "WHAT [if EXPR]", "stop at writes of %r6, %r6[4], out[3] or shared[0x40]:u32"},
	{"delete", "d", "[N]", "remove breakpoint or watch N, or all"},
	{"points", "", "", "list breakpoints and watches"},
	{"print", "p", "EXPR", "the value of an expression in all lanes"},
	{"registers", "regs", "[TEXT]", "all registers, or those whose names begin with TEXT"},
	{"stack", "bt", "", "the calls that the lanes have not returned from"},
	{"lanes", "", "", "the fragments of the warp, and where their lanes are"},
	{"last", "", "REG[LANE]", "go back to the step that wrote a lane of a register"},
	{"why", "", "REG[LANE] | NAME[INDEX]", "the instructions and inputs that made a value"},
	{"list", "l", "", "the lines around the position"},
	{"goto", "g", "N | end", "go to step N"},
	{"waves", "", "", "list the recorded warps"},
	{"wave", "", "N", "put warp N of the list in focus"},
	{"findings", "f", "", "list findings with their steps"},
	{"help", "?", "", "this list"},
	{"quit", "q", "", "end"},
}

// Do does one command. source returns a line of a file; nil: none is known.
func (s *Session) Do(ctx context.Context, text string, source func(string, int) (string, bool)) *Reply {
	r := &Reply{Schema: "crosslane.debug/1", Command: text}
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	name := ""
	for _, c := range commands {
		if word == c.name || word == c.short {
			name = c.name
		}
	}
	if err := s.do(ctx, r, name, rest, source); err != nil {
		r.fail(err)
	}
	if name == "" && r.Error == "" {
		r.fail(fmt.Errorf("there is no command %q; help lists them", word))
	}
	return r
}

func (s *Session) do(ctx context.Context, r *Reply, name, rest string, source func(string, int) (string, bool)) error {
	switch name {
	case "step", "back":
		n := 1
		if rest != "" {
			var err error
			if n, err = strconv.Atoi(rest); err != nil || n < 1 {
				return fmt.Errorf("%s: %q is not a number of instructions", name, rest)
			}
		}
		s.steps(r, name, n)
	case "continue", "reverse-continue", "next", "finish":
		logged := func(p *point, st *crosslane.Step) { s.log(r, p, st) }
		var why stop
		var err error
		switch name {
		case "continue":
			why, err = s.run(ctx, 1, logged)
		case "reverse-continue":
			why, err = s.run(ctx, -1, logged)
		case "next":
			why, err = s.runOver(ctx, logged)
		case "finish":
			why, err = s.runOut(ctx, logged)
		}
		if err != nil {
			return err
		}
		r.Stop = why.text
		if why.point != nil {
			r.Point = why.point.id
			r.Stop = strings.TrimSuffix(why.point.where()+": "+why.text, ": ")
			r.say("stop %d: %s", why.point.id, r.Stop)
		} else if why.text != "" {
			r.say("stop: %s", why.text)
		}
		s.position(r)
	case "break", "watch":
		add := s.addBreakpoint
		if name == "watch" {
			add = s.addWatch
		}
		p, err := add(rest)
		if err != nil {
			return err
		}
		r.Point = p.id
		r.line("%d: %s", p.id, p.where())
	case "delete":
		if rest == "" {
			s.points = nil
			return nil
		}
		if n, err := strconv.Atoi(rest); err != nil || !s.remove(n) {
			return fmt.Errorf("there is no breakpoint %s", rest)
		}
	case "points":
		for _, p := range s.points {
			r.line("%d: %s", p.id, p.text)
		}
	case "print":
		return s.print(r, rest)
	case "registers":
		return s.registers(r, rest)
	case "stack":
		return s.stack(r)
	case "lanes":
		return s.fragments(r)
	case "last":
		return s.lastWrite(r, rest)
	case "why":
		return s.why(ctx, r, rest)
	case "list":
		s.list(r, source)
	case "goto":
		n, err := strconv.Atoi(rest)
		if rest == "end" {
			n, err = s.end, nil
		}
		if err == nil {
			err = s.jump(n)
		}
		if err != nil {
			return err
		}
		s.position(r)
	case "waves":
		for i := range s.info.Waves {
			r.line("%d: %s, %s, %s", i, s.waveText(i), lanesText(uint64(s.info.Waves[i].Lanes)), plural(s.info.Waves[i].Steps, "step"))
		}
	case "wave":
		n, err := strconv.Atoi(rest)
		if err == nil {
			err = s.focus(n)
		}
		if err != nil {
			return err
		}
		s.position(r)
	case "findings":
		s.findings(r)
	case "help":
		for _, c := range commands {
			r.line("%-4s %-17s %s", c.short, c.name, c.help)
			if c.args != "" {
				r.line("     %-17s %s", "", c.args)
			}
		}
	case "quit":
		r.quit = true
	}
	return nil
}

// maxShown limits the instructions that step prints.
const maxShown = 20

func (s *Session) steps(r *Reply, name string, n int) {
	list := s.stepsOf()
	i := s.indexOf(list)
	if name == "back" {
		moved := s.move(-n)
		if moved == 0 {
			r.Stop = "the first step"
			r.say("stop: %s", r.Stop)
		}
		s.position(r)
		return
	}
	moved := s.move(n)
	done := list[i : i+moved]
	if len(done) > maxShown {
		r.say("  … %s", plural(len(done)-maxShown, "instruction"))
		done = done[len(done)-maxShown:]
	}
	for _, n := range done {
		s.did(r, n)
	}
	if moved == 0 {
		r.Stop = "the end"
	}
	s.position(r)
}

// log prints the values of a point that only logs.
func (s *Session) log(r *Reply, p *point, st *crosslane.Step) {
	e := &stepEnv{s: s, n: st.Step, wave: st.Wave, active: uint64(st.Active)}
	var out []string
	for i, n := range p.log {
		if n == nil {
			out = append(out, p.between[i])
			continue
		}
		v, err := n(e)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		out = append(out, v.strip(s.info.Lanes))
	}
	separator := ", "
	if p.between != nil {
		separator = ""
	}
	r.line("step %d, %s, %s: %s", st.Step, s.waveText(st.Wave), placeText(&st.Location), strings.Join(out, separator))
}

// env is the state that expressions read at the position: the registers before the next step.
func (s *Session) env() *stepEnv {
	e := &stepEnv{s: s, n: s.at, wave: s.wave}
	if st, err := s.rec.Step(s.at); err == nil && st.Wave == s.wave {
		e.active = uint64(st.Active)
	} else if s.wave < len(s.info.Waves) {
		e.active = uint64(s.info.Waves[s.wave].Lanes)
	}
	return e
}

func (s *Session) print(r *Reply, text string) error {
	if len(s.info.Waves) == 0 {
		return errors.New("no step is recorded")
	}
	n, err := parse(text)
	if err != nil {
		return err
	}
	v, err := n(s.env())
	if err != nil {
		return err
	}
	s.value(r, text, v)
	return nil
}

func (s *Session) registers(r *Reply, prefix string) error {
	st, err := s.state()
	if err != nil {
		return err
	}
	for i := range st.Registers {
		if x := &st.Registers[i]; strings.HasPrefix(x.Name, prefix) {
			s.value(r, x.Name, vectorOf(x))
		}
	}
	return nil
}

// functionName is the function of an instruction.
func (s *Session) functionName(l *crosslane.Location) string {
	return cmp.Or(l.Function, s.info.Kernel)
}

// stack lists the calls of the step that comes next, the innermost first.
func (s *Session) stack(r *Reply) error {
	if s.at == s.end {
		return errors.New("no lane is in a function at the end")
	}
	st, err := s.rec.Step(s.at)
	if err != nil {
		return err
	}
	calls, err := s.rec.Calls(s.at)
	if err != nil {
		return err
	}
	for i, l := range append([]crosslane.Location{st.Location}, calls...) {
		r.line("%d: %s, %s  %s", i, s.functionName(&l), placeText(&l), l.Text)
	}
	return nil
}

func (s *Session) fragments(r *Reply) error {
	st, err := s.state()
	if err != nil {
		return err
	}
	for i := range st.Fragments {
		f := &st.Fragments[i]
		state := "go on in step " + strconv.Itoa(f.Next)
		switch {
		case f.Waiting && f.Next < 0:
			state = fmt.Sprintf("wait since step %d, for ever", f.Since)
		case f.Waiting:
			state = fmt.Sprintf("wait since step %d, up to step %d", f.Since, f.Next)
		case f.Next < 0:
			state = "do no further step"
		}
		if f.Waiting && f.Barrier != nil && *f.Barrier != 0 {
			state = strings.Replace(state, "wait", "wait at barrier "+strconv.Itoa(*f.Barrier), 1)
		}
		mark := " "
		if f.ID == st.Running {
			mark = ">"
		}
		r.line("%s %s: %s  %s; %s", mark, lanesText(uint64(f.Lanes)), placeText(&f.Location), f.Text, state)
	}
	if st.Exec != nil {
		r.line("  EXEC: %s", lanesText(uint64(*st.Exec)))
	}
	if st.Exited != 0 {
		r.line("  ended: %s", lanesText(uint64(st.Exited)))
	}
	return nil
}

// laneOf reads REG[LANE].
func (s *Session) laneOf(text string) (register string, lane int, err error) {
	m := watchText.FindStringSubmatch(text)
	if m == nil || m[2] == "" || m[3] != "" {
		return "", 0, fmt.Errorf("want REGISTER[LANE], as in %%r6[4]; found %q", text)
	}
	n, err := strconv.ParseUint(m[2], 0, 6)
	if err != nil || int(n) >= s.info.Lanes {
		return "", 0, fmt.Errorf("lanes are 0 to %d, found %s", s.info.Lanes-1, m[2])
	}
	return m[1], int(n), nil
}

func (s *Session) lastWrite(r *Reply, text string) error {
	reg, lane, err := s.laneOf(text)
	if err != nil {
		return err
	}
	n, err := s.rec.LastWrite(s.at, s.wave, reg, lane)
	switch {
	case err != nil:
		return err
	case n < 0:
		return fmt.Errorf("no step before this one wrote %s", text)
	}
	if err := s.jump(n); err != nil {
		return err
	}
	s.position(r)
	return nil
}

func (s *Session) why(ctx context.Context, r *Reply, text string) error {
	n, lane := -1, 0
	if m := watchText.FindStringSubmatch(text); m != nil && m[2] != "" && (&stepEnv{s: s}).hasMemory(m[1]) {
		i, err := strconv.ParseUint(m[2], 0, 40)
		if err != nil {
			return err
		}
		t, each, err := s.elements(m[1], "")
		if err != nil {
			t, each = "u8", 1
		}
		at := s.rangeOf(m[1], s.wave, 0)
		at.Offset, at.Size = int(i)*each, t.Size()
		store, ok, err := s.rec.LastStore(s.at, at)
		switch {
		case err != nil:
			return err
		case !ok || store.Step < 0:
			return fmt.Errorf("no step before this one stored %s", text)
		}
		n, lane = store.Step, store.Lane
	} else {
		reg, l, err := s.laneOf(text)
		if err != nil {
			return err
		}
		if n, err = s.rec.LastWrite(s.at, s.wave, reg, l); err != nil {
			return err
		}
		if lane = l; n < 0 {
			return fmt.Errorf("no step before this one wrote %s", text)
		}
	}
	p, err := s.rec.Why(ctx, n, lane)
	if err != nil {
		return err
	}
	r.Why = p
	r.say("%s", strings.TrimRight(p.Text(crosslane.WhyView{}), "\n"))
	return nil
}

// list shows the lines around the position, the next instruction marked.
func (s *Session) list(r *Reply, source func(string, int) (string, bool)) {
	st, err := s.rec.Step(s.at)
	if err != nil || source == nil || st.Line == 0 {
		s.position(r)
		return
	}
	file := st.File
	if file == "" {
		file = s.info.File
	}
	for l := max(st.Line-5, 1); l <= st.Line+5; l++ {
		text, ok := source(file, l)
		if !ok {
			continue
		}
		mark := " "
		if l == st.Line {
			mark = ">"
		}
		r.line("%s %4d  %s", mark, l, text)
	}
}

func (s *Session) findings(r *Reply) {
	for i := range s.info.Findings {
		f := &s.info.Findings[i]
		where := "in no step that is kept"
		if len(f.Steps) > 0 {
			where = fmt.Sprintf("step %d", f.Steps[0])
			if len(f.Steps) > 1 {
				where += fmt.Sprintf(" and %d more", len(f.Steps)-1)
			}
		}
		r.line("%s [%s], %s: %s", f.Finding.Severity, f.Finding.Code, where, f.Finding.Message)
	}
}
