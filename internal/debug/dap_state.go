package debug

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"example.org/crosslane"
	"example.org/crosslane/internal/value"
)

// frameIDs is how many frames a thread may have: the number of a frame is frameIDs times its thread, and its number there.
const frameIDs = 1 << 12

// frames are the fragments of a wave, each followed by the lines that its instruction was compiled from.
func (a *adapter) frames(wave int) ([]dap.StackFrame, error) {
	if wave < 0 || wave >= len(a.s.info.Waves) {
		return nil, fmt.Errorf("there is no thread %d", wave+1)
	}
	st, err := a.s.rec.At(a.s.at, wave)
	if err != nil {
		return nil, err
	}
	var out []dap.StackFrame
	frame := func(name string, l *crosslane.Location, hint string) {
		f := dap.StackFrame{Name: name, Line: l.Line, Column: max(l.Column, 1), PresentationHint: hint}
		if l.Offset > 0 || l.Line == 0 {
			f.InstructionPointerReference = fmt.Sprintf("%#x", l.Offset)
		}
		if l.Line > 0 {
			f.Source = a.sourceOf(cmp.Or(l.File, a.s.info.File))
		}
		out = append(out, f)
		for _, l := range l.Source {
			out = append(out, dap.StackFrame{Name: fmt.Sprintf("%s:%d", filepath.Base(l.File), l.Line), Line: l.Line, Column: max(l.Column, 1), Source: a.sourceOf(l.File), PresentationHint: "subtle"})
		}
	}
	add := func(f *crosslane.FragmentState) {
		state := ""
		switch {
		case f.Waiting && f.Next < 0:
			state = ", waiting for ever"
		case f.Waiting:
			state = ", waiting"
		}
		if f.Waiting && f.Barrier != nil && *f.Barrier != 0 {
			state += fmt.Sprintf(" at barrier %d", *f.Barrier)
		}
		if f.Function != "" {
			state += ", in " + f.Function
		}
		hint := ""
		if f.ID != st.Running {
			hint = "subtle"
		}
		frame(fmt.Sprintf("%s%s: %s", lanesText(uint64(f.Lanes)), state, f.Text), &f.Location, hint)
		for i := range f.Calls {
			c := &f.Calls[i]
			frame(fmt.Sprintf("called by %s: %s", a.s.functionName(c), c.Text), c, hint)
		}
	}
	for i := range st.Fragments {
		if st.Fragments[i].ID == st.Running {
			add(&st.Fragments[i])
		}
	}
	for i := range st.Fragments {
		if st.Fragments[i].ID != st.Running {
			add(&st.Fragments[i])
		}
	}
	if len(out) == 0 {
		out = append(out, dap.StackFrame{Name: "all lanes have ended", PresentationHint: "label"})
	}
	for i := range out {
		out[i].Id = wave*frameIDs + min(i, frameIDs-1) + 1
	}
	return out, nil
}

func (a *adapter) sourceOf(file string) *dap.Source {
	return &dap.Source{Name: filepath.Base(file), Path: a.path(file)}
}

// A handle is the meaning of a reference to variables, up to the next stop.
type handle struct {
	wave     int
	scope    string  // "registers", "memory", "lanes", "findings"
	register string  // its lanes
	vector   *vector // the lanes of a value
	memory   string  // its elements
	typ      value.Type
	size     int // bytes
}

func (a *adapter) newHandle(h handle) int {
	a.handles = append(a.handles, h)
	return len(a.handles)
}

func (a *adapter) scopes(wave int) []dap.Scope {
	if wave < 0 || wave >= len(a.s.info.Waves) {
		return []dap.Scope{}
	}
	out := []dap.Scope{
		{Name: "Registers × lanes", PresentationHint: "registers", VariablesReference: a.newHandle(handle{wave: wave, scope: "registers"})},
		{Name: "Lanes", VariablesReference: a.newHandle(handle{wave: wave, scope: "lanes"})},
		{Name: "Memory", VariablesReference: a.newHandle(handle{wave: wave, scope: "memory"}), Expensive: true},
	}
	if st, err := a.s.rec.Step(a.s.at); err == nil && len(st.Findings) > 0 && st.Wave == wave {
		out = append(out, dap.Scope{Name: "Findings here", VariablesReference: a.newHandle(handle{wave: wave, scope: "findings"})})
	}
	return out
}

// paged are the elements from start on that a client asks for.
func paged(n, start, count int) (from, to int) {
	from = min(max(start, 0), n)
	if to = n; count > 0 {
		to = min(n, from+count)
	}
	return from, to
}

func (a *adapter) variables(ref, start, count int, filter string) ([]dap.Variable, error) {
	if ref < 1 || ref > len(a.handles) {
		return nil, fmt.Errorf("there are no variables %d", ref)
	}
	h := a.handles[ref-1]
	out := []dap.Variable{}
	if filter == "named" && h.scope == "" {
		return out, nil
	}
	switch {
	case h.scope == "registers":
		return a.registerVariables(h.wave)
	case h.scope == "lanes":
		reply := &Reply{}
		s := *a.s
		s.wave, s.states = h.wave, map[int]*crosslane.State{}
		if err := s.fragments(reply); err != nil {
			return nil, err
		}
		for i, l := range reply.Lines {
			out = append(out, dap.Variable{Name: strconv.Itoa(i), Value: strings.TrimSpace(l)})
		}
	case h.scope == "findings":
		st, err := a.s.rec.Step(a.s.at)
		if err != nil {
			return nil, err
		}
		for _, f := range st.Findings {
			d := a.s.info.Findings[f].Finding
			out = append(out, dap.Variable{Name: d.Code, Value: d.Message, Type: d.Severity.String()})
		}
	case h.scope == "memory":
		for i := range a.s.info.Memories {
			m := &a.s.info.Memories[i]
			name := m.Name
			if m.Space == "shared" {
				if m.Block != a.s.info.Waves[h.wave].Block {
					continue
				}
				name = "shared"
			}
			if name == "" || !m.Kept {
				continue
			}
			t := value.Type(m.Type)
			if !t.Valid() {
				t = "b32"
			}
			v := dap.Variable{Name: name, Value: fmt.Sprintf("%s[%d]", t, m.Size/t.Size()), Type: string(t), MemoryReference: name, IndexedVariables: m.Size / t.Size()}
			v.VariablesReference = a.newHandle(handle{wave: h.wave, memory: name, typ: t, size: m.Size})
			out = append(out, v)
		}
	case h.memory != "":
		return a.elementVariables(h, start, count)
	case h.vector != nil:
		from, to := paged(a.s.info.Lanes, start, count)
		for i := from; i < to; i++ {
			v := dap.Variable{Name: fmt.Sprintf("[%d]", i), Value: h.vector.laneText(i)}
			if h.register != "" {
				v.EvaluateName = fmt.Sprintf("%s[%d]", h.register, i)
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// registerVariables lists the registers that have a value; those that the last step wrote come first.
func (a *adapter) registerVariables(wave int) ([]dap.Variable, error) {
	st, err := a.s.rec.At(a.s.at, wave)
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{}
	s := *a.s
	s.wave = wave
	if list := s.stepsOf(); len(list) > 0 {
		if at := s.indexOf(list); at > 0 {
			if last, err := a.s.rec.Step(list[at-1]); err == nil {
				for i := range last.Writes {
					changed[last.Writes[i].Name] = true
				}
			}
		}
	}
	var first, rest []dap.Variable
	for i := range st.Registers {
		r := &st.Registers[i]
		if !a.written(r, wave) {
			continue
		}
		v := vectorOf(r)
		x := dap.Variable{Name: r.Name, Value: v.strip(a.s.info.Lanes), Type: r.Type, EvaluateName: r.Name}
		if !r.Scalar {
			x.IndexedVariables = a.s.info.Lanes
			x.VariablesReference = a.newHandle(handle{wave: wave, register: r.Name, vector: v})
		}
		if changed[r.Name] {
			first = append(first, x)
			continue
		}
		rest = append(rest, x)
	}
	return append(append([]dap.Variable{}, first...), rest...), nil
}

// written reports that a step before the position wrote a lane of a register.
func (a *adapter) written(r *crosslane.RegisterValue, wave int) bool {
	lanes := []int{0}
	if !r.Scalar {
		lanes = r.Lanes.Lanes()
	}
	for _, l := range lanes {
		if n, err := a.s.rec.LastWrite(a.s.at, wave, r.Name, l); err == nil && n >= 0 {
			return true
		}
	}
	return false
}

// elementVariables lists elements of a memory.
func (a *adapter) elementVariables(h handle, start, count int) ([]dap.Variable, error) {
	if count <= 0 {
		count = 1000
	}
	size := h.typ.Size()
	from, to := paged(h.size/size, start, count)
	out := []dap.Variable{}
	if from == to {
		return out, nil
	}
	at := a.s.rangeOf(h.memory, h.wave, 0)
	at.Offset, at.Size = from*size, (to-from)*size
	data, err := a.s.rec.Memory(a.s.at, at)
	if err != nil {
		return nil, err
	}
	for i := from; i < to; i++ {
		v := dap.Variable{Name: fmt.Sprintf("[%d]", i), Value: value.Format(h.typ, value.Get(h.typ, data, i-from))}
		v.EvaluateName = fmt.Sprintf("%s[%d]", h.memory, i)
		if h.memory == "shared" {
			v.EvaluateName = fmt.Sprintf("shared[%#x]:%s", i*size, h.typ)
		}
		out = append(out, v)
	}
	return out, nil
}

// evaluate answers a hover, a watch, the clipboard or the console. The console also takes the commands of crosslane debug.
func (a *adapter) evaluate(m *dap.EvaluateRequest, r *dap.Request) (dap.Message, error) {
	text := strings.TrimSpace(m.Arguments.Expression)
	if m.Arguments.FrameId > 0 {
		if wave := (m.Arguments.FrameId - 1) / frameIDs; wave < len(a.s.info.Waves) && wave != a.s.wave {
			keep := a.s.wave
			a.s.wave = wave
			defer func() { a.s.wave = keep }()
		}
	}
	out := &dap.EvaluateResponse{Response: a.ok(r)}
	word, rest, _ := strings.Cut(text, " ")
	if word == "why" {
		reply := &Reply{}
		err := a.s.why(a.ctx, reply, strings.TrimSpace(rest))
		out.Body.Result = strings.Join(reply.text, "\n")
		return out, err
	}
	if m.Arguments.Context == "repl" && isQuestion(word) {
		reply := a.s.Do(a.ctx, text, a.source)
		out.Body.Result = strings.Join(reply.text, "\n")
		return out, nil
	}
	n, err := parse(text)
	if err != nil {
		return nil, err
	}
	v, err := n(a.s.env())
	if err != nil {
		return nil, err
	}
	out.Body.Type = string(v.typ)
	if out.Body.Result = v.strip(a.s.info.Lanes); m.Arguments.Context == "clipboard" {
		var lanes []string
		for i := range a.s.info.Lanes {
			lanes = append(lanes, strconv.Quote(v.laneText(i)))
		}
		out.Body.Result = "[" + strings.Join(lanes, ", ") + "]"
	}
	if !v.scalar {
		out.Body.IndexedVariables = a.s.info.Lanes
		out.Body.VariablesReference = a.newHandle(handle{wave: a.s.wave, register: text, vector: v})
	}
	return out, nil
}

// isQuestion reports that a word is a command that does not move the session.
func isQuestion(word string) bool {
	for _, c := range commands {
		if word == c.name || word == c.short && c.short != "" {
			switch c.name {
			case "print", "registers", "lanes", "list", "waves", "findings", "points", "help":
				return true
			}
		}
	}
	return false
}

// dataInfo says how a variable is watched.
func (a *adapter) dataInfo(m *dap.DataBreakpointInfoRequest, r *dap.Request) dap.Message {
	out := &dap.DataBreakpointInfoResponse{Response: a.ok(r)}
	text := m.Arguments.Name
	if ref := m.Arguments.VariablesReference; ref > 0 && ref <= len(a.handles) {
		switch h := a.handles[ref-1]; {
		case h.register != "":
			text = h.register + text
		case h.memory == "shared":
			i, _ := strconv.Atoi(strings.Trim(text, "[]"))
			text = fmt.Sprintf("shared[%#x]:%s", i*h.typ.Size(), h.typ)
		case h.memory != "":
			text = h.memory + text
		}
	}
	p, err := a.s.addWatch(text)
	if err != nil {
		out.Body.Description = err.Error()
		return out
	}
	a.s.remove(p.id)
	out.Body.DataId, out.Body.Description = text, "writes of "+text
	out.Body.AccessTypes = []dap.DataBreakpointAccessType{"write"}
	return out
}
