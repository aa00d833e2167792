package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/value"
)

// tryFlags are the flags of try and explain as written.
type tryFlags struct {
	isa, exec, as, format string
	set, show             []string
	timeout               string
	trace                 bool
}

const setHelp = `REG is a register as the instruction names it; TYPE is u32 unless said (u64 for
register pairs); INIT is iota, iota:START, fill:V, zero, rand:SEED, V,V,... or
@FILE, for every lane, or one value for all of them.`

func (a *app) tryCommand() *cobra.Command {
	var f tryFlags
	cmd := &cobra.Command{
		Use:   "try [--isa ptx|gcn3] [--set REG[:TYPE]=INIT]... 'INSTR; INSTR; ...'",
		Short: "Run a few instructions on registers, lane by lane",
		Long: `A scratchpad: run instructions without a kernel and print the registers they wrote,
lane by lane. Registers are declared by use; those not --set are uninitialised and
shown as "?"; with --as hex, the digits with undefined bits are. "-" reads the
instructions from standard input.

` + setHelp,
		Example: `  crosslane try --set %r1=iota 'shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 0x1f, 0xffffffff;'
  crosslane try --isa gcn3 --set v0:f32=fill:1 'v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0'`,
		Args: cobra.ExactArgs(1),
	}
	f.register(cmd)
	cmd.Flags().StringArrayVar(&f.show, "show", nil, "show register `REG` (default: all written)")
	cmd.Flags().BoolVar(&f.trace, "trace", false, "show the registers after each instruction too")
	cmd.Flags().StringVar(&f.as, "as", "", "read 32-bit registers as f32, u32, s32 or hex")
	cmd.Flags().StringVar(&f.timeout, "timeout", "10s", "stop after `DURATION`")
	complete(cmd, "as", "f32", "u32", "s32", "hex")
	formatFlag(cmd, &f.format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check("text", "json"); err != nil {
			return err
		}
		if f.as != "" {
			if err := input.OneOf("--as", f.as, "f32", "u32", "s32", "hex"); err != nil {
				return err
			}
		}
		return a.command(func(args []string) error { return a.try(&f, args[0]) })(cmd, args)
	}
	return cmd
}

func (f *tryFlags) register(cmd *cobra.Command) {
	isaFlag(cmd, &f.isa)
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "give a register its value, `REG[:TYPE]=INIT`")
	cmd.Flags().StringVar(&f.exec, "exec", "", "the active lanes, `MASK` (default: all)")
}

func (f *tryFlags) check(formats ...string) error {
	if err := input.OneOf("--format", f.format, formats...); err != nil {
		return err
	}
	return input.OneOf("--isa", f.isa, "auto", "ptx", "gcn3")
}

// guestISA is the ISA of instructions: as said, else by their look. PTX registers
// and special registers begin with %, its opcodes have dots, its lines end in ;.
func guestISA(flag, src string) crosslane.ISA {
	if flag != "auto" {
		return crosslane.ISA(flag)
	}
	if gcn3Opcode.MatchString(src) {
		return crosslane.GCN3
	}
	return crosslane.PTX
}

var gcn3Opcode = regexp.MustCompile(`^\s*((v|s|ds|flat|buffer|tbuffer|image)_[a-z]|exp(_e32)?(\s|$))`)

// scalarReg are the GCN3 registers with one value for the wave, and the pairs.
var (
	scalarReg = regexp.MustCompile(`^(s\d+|s\[\d+(:\d+)?\]|ttmp\d+|ttmp\[\d+(:\d+)?\]|(vcc|exec|flat_scratch|xnack_mask|tba|tma)(_lo|_hi)?|m0|scc)$`)
	pairReg   = regexp.MustCompile(`^(vcc|exec|flat_scratch|xnack_mask|tba|tma)$|^(?:s|v|ttmp)\[(\d+):(\d+)\]$`)
)

// parseSet reads REG[:TYPE]=INIT for a wave of the ISA.
func parseSet(s string, isa crosslane.ISA) (crosslane.TrySet, error) {
	bad := func(format string, args ...any) (crosslane.TrySet, error) {
		return crosslane.TrySet{}, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "--set "+format, args...)
	}
	left, init, ok := strings.Cut(s, "=")
	if !ok {
		return bad("must be REG[:TYPE]=INIT, found %s", input.Quoted(s))
	}
	reg, typ := strings.TrimSpace(left), value.Type("")
	if i := strings.LastIndexByte(reg, ':'); i > strings.LastIndexByte(reg, ']') {
		reg, typ = reg[:i], value.Type(reg[i+1:])
		if !typ.Valid() {
			return bad("%s: %s is no element type (known: %s)", reg, input.Quoted(string(typ)), value.TypeNames())
		}
	}
	if reg == "" {
		return bad("must be REG[:TYPE]=INIT, found %s", input.Quoted(s))
	}
	in, err := value.ParseInit(init)
	if err != nil {
		return bad("%s: %s", reg, err)
	}
	out := crosslane.TrySet{Reg: reg, Type: crosslane.ElemType(typ)}
	lanes := 32
	if isa == crosslane.GCN3 {
		lanes = 64
		if scalarReg.MatchString(reg) {
			lanes = 1
		}
		if m := pairReg.FindStringSubmatch(reg); m != nil && typ == "" && (m[2] == "" || isPair(m[2], m[3])) {
			typ = "u64"
			out.Type = crosslane.U64
		}
	}
	if typ == "" {
		typ = "u32"
	}
	n := lanes
	if in.Len() == 1 {
		n = 1 // one value for all lanes
	}
	if out.Bits, err = in.Bits(typ, n, input.Values("")); err != nil {
		d := diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "--set %s: %s", reg, err)
		if out.Type == "" && strings.Contains(init, ".") {
			d.Remedy = "give it a type, as in " + reg + ":f32=" + init
		}
		return out, d
	}
	for n == 1 && len(out.Bits) < lanes {
		out.Bits = append(out.Bits, out.Bits[0])
	}
	return out, nil
}

func isPair(lo, hi string) bool {
	l, err := strconv.Atoi(lo)
	h, herr := strconv.Atoi(hi)
	return err == nil && herr == nil && h == l+1
}

// options turns the flags into sets and the EXEC mask.
func (f *tryFlags) options(isa crosslane.ISA) (sets []crosslane.TrySet, exec *uint64, err error) {
	for _, s := range f.set {
		t, err := parseSet(s, isa)
		if err != nil {
			return nil, nil, err
		}
		sets = append(sets, t)
	}
	if f.exec == "" {
		return sets, nil, nil
	}
	typ := value.Type("u64")
	if isa == crosslane.PTX {
		typ = "u32"
	}
	m, err := value.Parse(typ, f.exec)
	if err != nil {
		return nil, nil, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "--exec: %s", err)
	}
	return sets, &m, nil
}

// instructions are the command's argument, or standard input for "-".
func (a *app) instructions(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, _, err := a.readInput(arg)
	return string(data), err
}

// tryJSON is the result of try, schema crosslane.try/1.
type tryJSON struct {
	Schema    string        `json:"schema"`
	ISA       crosslane.ISA `json:"isa,omitempty"`
	Lanes     int           `json:"lanes,omitempty"`
	Registers registersJSON `json:"registers"`
	Steps     []stepJSON    `json:"steps,omitempty"`
	Findings  diag.List     `json:"findings"`
}

type stepJSON struct {
	Text      string        `json:"text"`
	Registers registersJSON `json:"registers"`
}

func (a *app) try(f *tryFlags, arg string) error {
	out := tryJSON{Schema: "crosslane.try/1"}
	err := a.tryText(f, arg, &out)
	if f.format != "json" {
		return err
	}
	if out.Findings = append(out.Findings, diag.Of(err)...); out.Findings == nil {
		out.Findings = diag.List{}
	}
	if jerr := a.writeJSON(out); err == nil {
		return jerr
	}
	return err
}

func (a *app) tryText(f *tryFlags, arg string, out *tryJSON) error {
	src, err := a.instructions(arg)
	if err != nil {
		return err
	}
	a.remember("try", []byte(src))
	isa := guestISA(f.isa, src)
	sets, exec, err := f.options(isa)
	if err != nil {
		return err
	}
	limit, err := launchspec.ParseTimeout(f.timeout)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(a.ctx, limit)
	defer cancel()
	res, err := a.api.Try(ctx, src, crosslane.TryOptions{ISA: isa, Set: sets, Exec: exec, Show: f.show, Trace: f.trace})
	if err != nil && ctx.Err() != nil && a.ctx.Err() == nil {
		err = diag.Errorf(diag.Pos{}, diag.Timeout, "timeout", "the time limit of %s was reached", limit)
	}
	if res == nil {
		return err
	}
	for _, d := range res.Findings {
		d.Kernel, d.Blocks = "", 0 // there is one wave, and no kernel
	}
	out.ISA, out.Lanes, out.Findings = res.ISA, res.Lanes, res.Findings
	if f.format == "json" {
		out.Registers = registersJSON{res.Registers, f.as}
		for _, s := range res.Steps {
			out.Steps = append(out.Steps, stepJSON{s.Text, registersJSON{s.Registers, f.as}})
		}
	} else {
		for _, s := range res.Steps {
			fmt.Fprintf(a.out, "> %s\n", strings.TrimSpace(s.Text))
			a.showRegisters(s.Registers, f.as)
		}
		if len(res.Steps) > 0 {
			a.out.WriteString("> end\n")
		}
		a.showRegisters(res.Registers, f.as)
	}
	a.report(res.Findings...)
	return err
}

// registerView chooses how a register's bits are read: a type and whether in hexadecimal.
// Predicates are 0 and 1.
func registerView(r crosslane.Register, as string) (t value.Type, hex bool) {
	t = value.Type(r.Type)
	if !t.Valid() {
		bits, _ := strconv.Atoi(strings.TrimLeft(r.Type, "abcdefghijklmnopqrstuvwxyz"))
		switch {
		case r.Type == "pred" || r.Type == "b1":
			return "u8", false
		case bits == 8, bits == 16, bits == 64:
			t = value.Type("u" + strconv.Itoa(bits))
		default:
			t = "u32"
		}
	}
	if r.Float && t.Size() == 4 {
		t = "f32"
	}
	switch {
	case as == "hex":
		return value.Type("u" + strconv.Itoa(8*t.Size())), true
	case as != "" && t.Size() == 4:
		return value.Type(as), false
	}
	return t, false
}

func registerCell(r crosslane.Register, t value.Type, hex bool, lane int) string {
	switch {
	case slices.Contains(r.Poison, lane):
		if hex && partly(r, t, lane) {
			return partHex(value.Hex(t, r.Bits[lane]), r.Undefined[lane])
		}
		return "?"
	case hex:
		return value.Hex(t, r.Bits[lane])
	}
	return value.Format(t, r.Bits[lane])
}

// partly reports whether some bits of a lane are defined and some are not.
func partly(r crosslane.Register, t value.Type, lane int) bool {
	if r.Undefined == nil {
		return false
	}
	all := ^uint64(0) >> (64 - 8*t.Size())
	u := r.Undefined[lane] & all
	return u != 0 && u != all
}

// partHex puts question marks for the digits of a number in hexadecimal that have
// undefined bits.
func partHex(digits string, undefined uint64) string {
	out := []byte(digits)
	for i := range out {
		if undefined>>(4*(len(out)-1-i))&15 != 0 {
			out[i] = '?'
		}
	}
	return string(out)
}

// showRegisters prints registers: a scalar on its line, lanes in rows of at most 16.
func (a *app) showRegisters(regs []crosslane.Register, as string) {
	for _, r := range regs {
		t, hex := registerView(r, as)
		name := string(t)
		if r.Type == "pred" || r.Type == "b1" {
			name = "pred"
		}
		if hex && name != "pred" {
			name = "hex"
		}
		if len(r.Bits) == 1 {
			fmt.Fprintf(a.out, "%s %s = %s\n", r.Name, name, scalarText(r, t, hex))
			continue
		}
		if c, ok := uniform(r, t, hex); ok {
			fmt.Fprintf(a.out, "%s %s\n  [0-%d] %s in every lane\n", r.Name, name, len(r.Bits)-1, c)
			continue
		}
		fmt.Fprintf(a.out, "%s %s\n", r.Name, name)
		table{typ: t, shape: []int{len(r.Bits)}, full: true, cell: func(i int) string { return registerCell(r, t, hex, i) }}.write(a.out)
	}
}

// scalarText is the value of a register that all lanes share. Many are masks, so that
// integers are shown in hexadecimal too.
func scalarText(r crosslane.Register, t value.Type, hex bool) string {
	s := registerCell(r, t, hex, 0)
	if hex || s == "?" || t.Kind() == value.Float || r.Bits[0] < 10 {
		return s
	}
	return s + " (0x" + strings.TrimLeft(value.Hex(t, r.Bits[0]), "0") + ")"
}

// uniform returns the value that every lane has, if it is too wide for a row of 16.
func uniform(r crosslane.Register, t value.Type, hex bool) (string, bool) {
	first := registerCell(r, t, hex, 0)
	for i := range r.Bits {
		if registerCell(r, t, hex, i) != first {
			return "", false
		}
	}
	return first, len(first) > 3
}

// registersJSON are registers in their order, as one JSON object.
type registersJSON struct {
	regs []crosslane.Register
	as   string
}

func (registersJSON) jsonSchema() schemaObject {
	lanes := schemaObject{"type": "array", "items": schemaObject{"type": "integer", "minimum": 0, "maximum": 63}}
	words := schemaObject{"type": "array", "items": schemaObject{"type": []string{"number", "string"}}}
	return schemaObject{"type": "object", "additionalProperties": schemaObject{
		"type": "object", "required": []string{"type", "data", "poison"},
		"properties": schemaObject{"type": schemaObject{"type": "string"}, "data": words, "poison": lanes, "undefined": words},
	}}
}

func (j registersJSON) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, r := range j.regs {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(r.Name)
		if err != nil {
			return nil, err
		}
		t, hex := registerView(r, j.as)
		typ := string(t)
		if r.Type == "pred" || r.Type == "b1" {
			typ = "pred"
		}
		out = append(out, name...)
		out = append(out, `:{"type":"`+typ+`","data":[`...)
		for l, bits := range r.Bits {
			if l > 0 {
				out = append(out, ',')
			}
			if hex {
				out = append(out, `"0x`+value.Hex(t, bits)+`"`...)
			} else {
				out = value.AppendJSON(out, t, bits)
			}
		}
		poison := r.Poison
		if poison == nil {
			poison = []int{}
		}
		lanes, err := json.Marshal(poison)
		if err != nil {
			return nil, err
		}
		out = append(out, `],"poison":`...)
		out = append(out, lanes...)
		if slices.ContainsFunc(poison, func(l int) bool { return partly(r, t, l) }) {
			out = append(out, `,"undefined":[`...)
			for i, l := range poison {
				if i > 0 {
					out = append(out, ',')
				}
				out = append(out, `"0x`+value.Hex(value.Type("u"+strconv.Itoa(8*t.Size())), r.Undefined[l])+`"`...)
			}
			out = append(out, ']')
		}
		out = append(out, '}')
	}
	return append(out, '}'), nil
}
