package input

import (
	"regexp"
	"strconv"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/value"
)

// GuestISA is the ISA of instructions: as the flag says, "auto", "ptx" or "gcn3", else by their look. PTX registers
// and special registers begin with %, its opcodes have dots, its lines end in ;.
func GuestISA(flag, src string) api.ISA {
	if flag != "auto" {
		return api.ISA(flag)
	}
	if gcn3Opcode.MatchString(src) {
		return api.GCN3
	}
	return api.PTX
}

var gcn3Opcode = regexp.MustCompile(`^\s*((v|s|ds|flat|buffer|tbuffer|image)_[a-z]|exp(_e32)?(\s|$))`)

// scalarReg are the GCN3 registers with one value for the wave, and the pairs.
var (
	scalarReg = regexp.MustCompile(`^(s\d+|s\[\d+(:\d+)?\]|ttmp\d+|ttmp\[\d+(:\d+)?\]|(vcc|exec|flat_scratch|xnack_mask|tba|tma)(_lo|_hi)?|m0|scc)$`)
	pairReg   = regexp.MustCompile(`^(vcc|exec|flat_scratch|xnack_mask|tba|tma)$|^(?:s|v|ttmp)\[(\d+):(\d+)\]$`)
)

// ParseSet reads REG[:TYPE]=INIT for a wave of the ISA. read reads the files that values name.
func ParseSet(s string, isa api.ISA, read value.ReadFile) (api.TrySet, error) {
	bad := func(format string, args ...any) (api.TrySet, error) {
		return api.TrySet{}, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "--set "+format, args...)
	}
	left, init, ok := strings.Cut(s, "=")
	if !ok {
		return bad("must be REG[:TYPE]=INIT, found %s", Quoted(s))
	}
	reg, typ := strings.TrimSpace(left), value.Type("")
	if i := strings.LastIndexByte(reg, ':'); i > strings.LastIndexByte(reg, ']') {
		reg, typ = reg[:i], value.Type(reg[i+1:])
		if !typ.Valid() {
			return bad("%s: %s is no element type (known: %s)", reg, Quoted(string(typ)), value.TypeNames())
		}
	}
	if reg == "" {
		return bad("must be REG[:TYPE]=INIT, found %s", Quoted(s))
	}
	in, err := value.ParseInit(init)
	if err != nil {
		return bad("%s: %s", reg, err)
	}
	out := api.TrySet{Reg: reg, Type: api.ElemType(typ)}
	lanes := 32
	if isa == api.GCN3 {
		lanes = 64
		if scalarReg.MatchString(reg) {
			lanes = 1
		}
		if m := pairReg.FindStringSubmatch(reg); m != nil && typ == "" && (m[2] == "" || isPair(m[2], m[3])) {
			typ = "u64"
			out.Type = api.U64
		}
	}
	if typ == "" {
		typ = "u32"
	}
	n := lanes
	if in.Len() == 1 {
		n = 1 // one value for all lanes
	}
	if out.Bits, err = in.Bits(typ, n, read); err != nil {
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
