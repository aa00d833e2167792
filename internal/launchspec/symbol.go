package launchspec

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/value"
)

// Build makes the data of a launch: its arguments and buffers, the variables of the module that
// it sets, and those that --print, --save and --expect name.
func (l *Spec) Build(k Kernel, copies uint64) (*Built, error) {
	if err := l.resolve(k); err != nil {
		return nil, err
	}
	made, err := buildArgs(l.Args, l.Buffers, l.MaxMemory, copies)
	if err != nil {
		return nil, err
	}
	for _, s := range l.Symbols {
		if made.symbolOf(s.Name) {
			return nil, usageError("--set-symbol: %s is named twice", s.Name)
		}
		sym, err := k.Symbol(s.Name)
		if err != nil {
			// A launch may set a variable that only another kernel of the file uses.
			if k.HasSymbol(s.Name) {
				continue
			}
			return nil, err
		}
		if err := s.set(&sym, made.byName); err != nil {
			return nil, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "--set-symbol %s: %s", s.Name, err)
		}
		made.addSymbol(sym, s.Name)
	}
	reached := made.reached()
	for _, b := range l.Buffers {
		if !reached[made.byName[b.name]] {
			d := diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "--buffer: nothing uses buffer %s", b.name)
			d.Remedy = "name it in an argument: " + b.name + ", &" + b.name + ", or in braces"
			return nil, d
		}
	}
	for _, n := range l.Print {
		if err := made.Ask(k, "--print", n); err != nil {
			return nil, err
		}
	}
	for _, e := range l.Expect {
		if err := made.Ask(k, "--expect", e.Name); err != nil {
			return nil, err
		}
	}
	for _, s := range l.Save {
		if err := made.Ask(k, "--save", s.Name); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// Ask makes sure that there is a buffer of that name, if need be one for a variable.
func (m *Built) Ask(k Kernel, flag, name string) error {
	if m.byName[name] != nil {
		return nil
	}
	sym, err := k.Symbol(name)
	if err == nil {
		for _, other := range m.symbols {
			if other.Name == sym.Name {
				return usageError("%s: %s and %s are one variable; call it by one name", flag, input.Quoted(name), input.Quoted(other.Value.Name))
			}
		}
		m.addSymbol(sym, name)
		return nil
	}
	if k.HasSymbol(name) {
		return err
	}
	var names []string
	for _, b := range m.Buffers {
		names = append(names, b.Name)
	}
	if len(names) == 0 {
		return usageError("%s: no buffer is named %s: no argument is a buffer, and the file has no such variable", flag, input.Quoted(name))
	}
	return usageError("%s: no buffer is named %s (there are: %s), and the file has no such variable", flag, input.Quoted(name), strings.Join(names, ", "))
}

// reached are the buffers that arguments and variables name, and those that they point to.
func (m *Built) reached() map[*crosslane.Buffer]bool {
	seen := map[*crosslane.Buffer]bool{}
	var add func(b *crosslane.Buffer)
	follow := func(list []crosslane.Pointer) {
		for _, p := range list {
			add(p.To)
		}
	}
	add = func(b *crosslane.Buffer) {
		if !seen[b] {
			seen[b] = true
			follow(b.Pointers)
		}
	}
	for _, a := range m.args {
		switch a := a.(type) {
		case *crosslane.Buffer:
			add(a)
		case crosslane.Pointer:
			add(a.To)
		case crosslane.Bytes:
			follow(a.Pointers)
		}
	}
	for _, s := range m.symbols {
		add(s.Value)
	}
	return seen
}

// Launch is the launch without the choices that only one of the commands has.
func (l *Spec) Launch(made *Built) crosslane.Launch {
	return crosslane.Launch{
		Grid: l.Grid, Block: l.Block, Cluster: l.Cluster, Args: made.args, Symbols: made.symbols, Shared: l.Shared, Engine: l.Engine, Workers: l.Workers,
		Timeout: l.Timeout, Stack: l.Stack, Heap: l.Heap, Undefined: crosslane.Undefined(l.Undefined), Schedule: l.Schedule,
		Adversarial: l.Adversarial, Cooperative: l.Cooperative, Native: l.Native,
	}
}

// addSymbol makes a variable one of the buffers, under the name by which it was asked for
// unless a buffer of the launch has it.
func (m *Built) addSymbol(s crosslane.Symbol, name string) {
	s.Value.Name = name
	m.symbols = append(m.symbols, s)
	if m.byName[name] == nil {
		m.byName[name] = s.Value
		m.Buffers = append(m.Buffers, s.Value)
	}
}

// symbolOf reports whether a variable is set already.
func (m *Built) symbolOf(name string) bool {
	return slices.ContainsFunc(m.symbols, func(s crosslane.Symbol) bool { return s.Name == name || s.Value.Name == name })
}

// set gives a variable the value of --set-symbol:
//
//	1.5  1,2,3  iota  @FILE   values of the variable's type, or an INIT
//	f32:1.5                   one with a type of its own
//	&NAME                     the address of a buffer
//	{FIELD,...}               a structure; with fields at offsets, over what the file gives
func (s Named) set(sym *crosslane.Symbol, buffers map[string]*crosslane.Buffer) error {
	b := sym.Value
	sym.Set = true
	text := strings.TrimSpace(s.Text)
	t, _, typed := strings.Cut(text, ":")
	single := len(b.Data) == 8 && strings.HasPrefix(text, "&") && !strings.Contains(text, ",")
	if _, head, body, err := described(text); head != "" || err != nil {
		if err != nil {
			return err
		}
		return s.setTexture(sym, head, body, buffers)
	}
	switch {
	case single || typed && value.Type(t).Valid():
		text = "{" + text + "}"
	case !strings.HasPrefix(text, "{"):
		return s.setValues(b, text, buffers)
	}
	body, ok := strings.CutSuffix(text[1:], "}")
	if !ok {
		return fmt.Errorf("no } at its end")
	}
	fields, err := parseStruct(body)
	if err != nil {
		return err
	}
	v, err := buildStruct(fields, s.reader(), buffers)
	if err != nil {
		return err
	}
	return sym.SetBytes(v)
}

// setValues gives it elements.
func (s Named) setValues(b *crosslane.Buffer, text string, buffers map[string]*crosslane.Buffer) error {
	text, addresses, err := parseAddresses(text)
	if err != nil {
		return err
	}
	size := b.Type.Size()
	if len(addresses) > 0 && size != 8 {
		return fmt.Errorf("an address takes 8 bytes, an element of the variable %d: write {&NAME,...}", size)
	}
	in, err := value.ParseInit(text)
	if err != nil {
		return err
	}
	for _, a := range addresses {
		p, err := a.address.pointer(a.index*size, buffers)
		if err != nil {
			return err
		}
		b.Pointers = append(b.Pointers, p)
	}
	return in.Fill(value.Type(b.Type), b.Data, b.Len(), s.reader())
}
