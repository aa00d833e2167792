package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// fake stands in for Crosslane where a test is about the command line alone. Its
// programs are lines "kernel NAME BEHAVIOUR".
type fake struct{}

type fakeModule struct {
	file    string
	kernels map[string]string
}

type fakeKernel struct {
	name, does, file string
	warnings         diag.List
}

func (f fake) Link(files []crosslane.LinkFile) (module, error) {
	var all []byte
	for _, p := range files {
		all = append(all, p.Text...)
	}
	return f.Load(all, files[0].File, crosslane.LoadOptions{})
}

func (fake) Load(data []byte, file string, o crosslane.LoadOptions) (module, error) {
	m := fakeModule{file, map[string]string{}}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		f := strings.Fields(line)
		pos := diag.Pos{File: file, Line: i + 1, Col: strings.Index(line, f[0]) + 1}
		switch {
		case f[0] == "unknown":
			return nil, diag.List{diag.Errorf(pos, diag.Unsupported, "unsupported", "unknown is not supported")}
		case len(f) != 3 || f[0] != "kernel":
			return nil, diag.List{diag.Errorf(pos, diag.Input, "syntax", "want kernel NAME BEHAVIOUR")}
		}
		m.kernels[f[1]] = f[2]
	}
	return m, nil
}

func (k fakeKernel) Selector() string { return k.name }
func (k fakeKernel) File() string     { return k.file }

func (fakeModule) ISA() crosslane.ISA { return crosslane.PTX }

func (m fakeModule) Warnings() diag.List {
	if _, ok := m.kernels["old"]; ok {
		return diag.List{{Severity: diag.Warning, Code: "legacy-shfl", Message: "old", Pos: diag.Pos{File: m.file, Line: 1, Col: 1}}}
	}
	return nil
}

func (m fakeModule) Kernel(name string) (kernel, error) {
	for n, does := range m.kernels {
		if n == name || name == "" {
			return fakeKernel{n, does, m.file, m.Warnings()}, nil
		}
	}
	return nil, diag.Errorf(diag.Pos{File: m.file}, diag.Input, "no-such-kernel", "no kernel %s", name)
}

func (fakeModule) Functions() []kernel { return nil }

func (m fakeModule) Names() (names []string) {
	for n := range m.kernels {
		names = append(names, n)
	}
	return names
}

func (k fakeKernel) Check(ctx context.Context, l crosslane.Launch) (*crosslane.Result, error) {
	return k.Run(ctx, l)
}

func (k fakeKernel) Dump(l crosslane.Launch, what string) (string, error) {
	return what + " of " + k.name + "\n", nil
}

func (m fakeModule) Portability(kernel, target string) ([]*crosslane.PortReport, error) {
	return nil, nil
}

func (k fakeKernel) Why(context.Context, crosslane.Launch, crosslane.WhyOptions) (*crosslane.Provenance, error) {
	return nil, errors.New("no provenance here")
}

func (k fakeKernel) Record(context.Context, crosslane.Launch, crosslane.RecordOptions) (*crosslane.Recording, error) {
	return nil, errors.New("no recording here")
}

func (k fakeKernel) Warnings() diag.List { return k.warnings }

func (k fakeKernel) Lines() (from, to int) { return 0, 0 }

func (k fakeKernel) CheckStatic(context.Context, crosslane.Dim3) (staticResult, error) {
	return staticResult{}, nil
}

func (k fakeKernel) Params() []crosslane.Param {
	return []crosslane.Param{{Name: "p"}, {Name: "n"}}
}

func (k fakeKernel) BlockLimits() (crosslane.Dim3, uint32, error) { return crosslane.Dim3{}, 64, nil }

func (k fakeKernel) Symbol(name string) (crosslane.Symbol, error) {
	return crosslane.Symbol{}, diag.Errorf(diag.Pos{File: k.file}, diag.Input, "no-such-variable", "no variable %s", name)
}

func (k fakeKernel) HasSymbol(string) bool { return false }

func (k fakeKernel) Name() string { return k.name }

func (k fakeKernel) Run(ctx context.Context, l crosslane.Launch) (*crosslane.Result, error) {
	res := &crosslane.Result{
		Kernel: k.name, ISA: crosslane.PTX, Grid: l.Grid, Block: l.Block,
		Stats: crosslane.Stats{Engine: "fake", WarpInstructions: 10, LaneInstructions: 320, Seconds: 0.5},
	}
	var bufs []*crosslane.Buffer
	for _, a := range l.Args {
		switch a := a.(type) {
		case *crosslane.Buffer:
			bufs = append(bufs, a)
		case crosslane.Scalar:
			if a.Text == "99" {
				return nil, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "argument: 99")
			}
		}
	}
	pos := diag.Pos{File: k.file, Line: 1, Col: 8}
	switch k.does {
	case "args":
		var s []string
		for _, a := range l.Args {
			s = append(s, fmt.Sprintf("%T", a))
		}
		return nil, errors.New(strings.Join(s, " ") + fmt.Sprintf(" shared=%d engine=%s workers=%d timeout=%s undefined=%s grid=%v block=%v schedule=%s native=%s",
			l.Shared, l.Engine, l.Workers, l.Timeout, l.Undefined, l.Grid, l.Block, l.Schedule, l.Native))
	case "copy":
		copy(bufs[len(bufs)-1].Data, bufs[0].Data)
		bufs[len(bufs)-1].Written = true
	case "nothing":
	case "fallback":
		res.Stats.Fallback = "no executable memory: not here"
	case "native":
		res.Stats.Native, res.Stats.CalledOut = 90, 10
	case "finding":
		res.Findings = diag.List{{
			Pos: pos, Severity: diag.Error, Code: "undefined-source", Message: "lanes 1-2 read lane 3", Lanes: "1-2",
			Remedy: "do not", Kernel: k.name, Blocks: 1, Count: 1,
		}}
		bufs[0].Written = true
	case "fault":
		bufs[0].Data[0] = 7
		bufs[0].Written = true
		return res, diag.Errorf(pos, diag.Fault, "out-of-bounds", "out of bounds")
	case "hang":
		limit := l.Timeout
		if limit == 0 {
			limit = time.Minute
		}
		select {
		case <-ctx.Done():
			return res, ctx.Err()
		case <-time.After(limit):
			return res, diag.Errorf(pos, diag.Timeout, "timeout", "time limit of %s reached", l.Timeout)
		}
	}
	return res, nil
}

func (fake) Try(ctx context.Context, src string, o crosslane.TryOptions) (*crosslane.TryResult, error) {
	if src == "hang" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	lanes := 32
	if o.ISA == crosslane.GCN3 {
		lanes = 64
	}
	res := &crosslane.TryResult{ISA: o.ISA, Lanes: lanes}
	for _, s := range o.Set {
		r := crosslane.Register{Name: s.Reg, Type: string(s.Type), Lanes: len(s.Bits), Bits: s.Bits}
		if r.Type == "" {
			r.Type = "u32"
		}
		if s.Reg == "%p1" {
			r.Type = "pred"
		}
		if strings.Contains(src, "poison") {
			r.Poison = []int{1, lanes - 1}
		}
		r.Float = strings.Contains(src, "float")
		res.Registers = append(res.Registers, r)
	}
	if o.Exec != nil {
		res.Registers = append(res.Registers, crosslane.Register{Name: "exec", Type: "u64", Lanes: 1, Bits: []uint64{*o.Exec}})
	}
	if o.Trace {
		for _, t := range strings.Split(src, ";") {
			res.Steps = append(res.Steps, crosslane.TryStep{Text: t, Registers: res.Registers})
		}
	}
	return res, nil
}

type fakeExplanation struct{ instr string }

func (e fakeExplanation) Text() string { return "text of " + e.instr + "\n" }
func (e fakeExplanation) SVG() []byte {
	if e.instr == "v_nop" {
		return nil
	}
	return []byte("<svg/>")
}
func (e fakeExplanation) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"instr": e.instr})
}

func (fake) Explain(instr string, isa crosslane.ISA, exec *uint64, set []crosslane.TrySet) (explanation, error) {
	if instr == "bad" {
		return nil, diag.Errorf(diag.Pos{Line: 1, Col: 1}, diag.Input, "syntax", "bad")
	}
	return fakeExplanation{instr}, nil
}

func (fake) Assemble(src []byte, file string, o crosslane.AsmOptions) ([]byte, diag.List) {
	if o.Target != "gfx803" {
		return nil, diag.List{diag.Errorf(diag.Pos{}, diag.Unsupported, "unsupported", "target %s", o.Target)}
	}
	if s := string(src); strings.Contains(s, "bad") {
		return nil, diag.List{diag.Errorf(diag.Pos{File: file, Line: 1, Col: 1 + strings.Index(s, "bad")}, diag.Input, "syntax", "bad")}
	}
	return append([]byte("\x7fELF"), src...), diag.List{{Severity: diag.Warning, Code: "syntax", Message: "careful", Pos: diag.Pos{File: file, Line: 1, Col: 1}}}
}

func (fake) AssembleInstructions(src string) ([]encoded, diag.List) {
	if strings.Contains(src, "bad") {
		return nil, diag.List{diag.Errorf(diag.Pos{}, diag.Input, "syntax", "bad")}
	}
	return []encoded{{src, []byte{0xf6, 0x80}}, {"v_nop", []byte{0}}}, nil
}

func (fake) Disassemble(data []byte, file string, _ bool) (string, error) {
	return strings.TrimPrefix(string(data), "\x7fELF"), nil
}

func (fake) Fix(src []byte, file string, o crosslane.FixOptions) (*crosslane.FixResult, error) {
	return &crosslane.FixResult{Text: src}, nil
}

func (fake) DisassembleBytes(b []byte) ([]encoded, error) {
	if b[0] == 0xff {
		return []encoded{{"v_nop", b[:1]}}, diag.Errorf(diag.Pos{Off: 1, HasOff: true}, diag.Input, "illegal-instruction", "bits")
	}
	return []encoded{{fmt.Sprintf("inst %x", b), b}}, nil
}

func (fake) Version() string { return "0.0.0-fake" }

func (fake) Engines() []string { return []string{"interp", "slow"} }
