package gcn3

import (
	"slices"
	"strings"
	"sync"
)

// A portTarget is a chip, or several for which the assembler takes the same, that code of
// gfx803 may be moved to. The column of zports.go is its index.
type portTarget struct {
	name string
	like string // other names of chips that take the same instructions
	only bool   // the wave has 64 lanes; else 32 or 64, and compilers take 32
	// newer: gfx10 and later, which wait for data by themselves where GCN3 wants wait states.
	newer bool
}

var portTargets = [...]portTarget{
	{name: "gfx900", like: "gfx902 gfx909 gfx90c", only: true},
	{name: "gfx906", like: "gfx904", only: true},
	{name: "gfx908", only: true},
	{name: "gfx90a", only: true},
	{name: "gfx942", only: true},
	{name: "gfx950", only: true},
	{name: "gfx1010", like: "gfx1011 gfx1012 gfx1013", newer: true},
	{name: "gfx1030", like: "gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036", newer: true},
	{name: "gfx1100", like: "gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153", newer: true},
	{name: "gfx1200", like: "gfx1201", newer: true},
}

// portForm is a line of zports.go: forms of instructions, mnemonic and encoding, that the
// targets of a mask do not take, and what they take in their place with the same operands.
type portForm struct {
	missing uint16
	instead string
	forms   string
}

// portFeature is a modifier, in zports.go by its name, with an instruction that has it.
type portFeature struct {
	name, sample string
	has          func(in *Inst) bool
}

// dppCtrl tells a DPP control by its text.
func dppCtrl(text string) func(in *Inst) bool {
	return func(in *Inst) bool {
		return in.Enc == EncDPP && dppText(int(in.Mods[ModDPPCtrl])) == text
	}
}

func hasMod(m ModID, units ...Unit) func(in *Inst) bool {
	return func(in *Inst) bool { return in.Has(m) && slices.Contains(units, in.Row.Unit) }
}

// portFeatures are the modifiers that some target lacks, or might.
func portFeatures() []portFeature {
	list := []portFeature{
		{"glc", "buffer_load_dword v1, off, s[4:7], s1 glc", hasMod(ModGLC, UnitVMEM)},
		{"slc", "buffer_load_dword v1, off, s[4:7], s1 slc", hasMod(ModSLC, UnitVMEM)},
		{"tfe", "buffer_load_dword v[1:2], off, s[4:7], s1 tfe", hasMod(ModTFE, UnitVMEM)},
		{"lds", "buffer_load_dword off, s[4:7], s1 lds", hasMod(ModLDS, UnitVMEM)},
		{"glc of flat", "flat_load_dword v1, v[2:3] glc", hasMod(ModGLC, UnitFlat)},
		{"slc of flat", "flat_load_dword v1, v[2:3] slc", hasMod(ModSLC, UnitFlat)},
		{"glc of scalar loads", "s_load_dword s1, s[2:3], 0x0 glc", hasMod(ModGLC, UnitSMEM)},
		{"gds", "ds_add_u32 v1, v2 gds", hasMod(ModGDS, UnitLDS)},
	}
	for _, c := range []string{"wave_shl:1", "wave_rol:1", "wave_shr:1", "wave_ror:1", "row_bcast:15", "row_bcast:31", "row_mirror", "row_half_mirror", "row_shl:1", "row_shr:1", "row_ror:1", "quad_perm:[1,0,3,2]"} {
		list = append(list, portFeature{c, "v_mov_b32_dpp v1, v2 " + c + " row_mask:0xf bank_mask:0xf", dppCtrl(c)})
	}
	return list
}

// portEntry is what a form is on the targets.
type portEntry struct {
	missing uint16
	instead [len(portTargets)]string
}

// ports and featurePorts return zports.go by form and by feature, made when first asked for.
var (
	ports        = sync.OnceValue(func() map[string]*portEntry { return readPorts(portForms, " ") })
	featurePorts = sync.OnceValue(func() map[string]*portEntry { return readPorts(portMissingFeatures, ",") })
)

func readPorts(list []portForm, sep string) map[string]*portEntry {
	m := map[string]*portEntry{}
	for _, p := range list {
		for _, name := range strings.Split(p.forms, sep) {
			e := m[name]
			if e == nil {
				e = &portEntry{}
				m[name] = e
			}
			e.missing |= p.missing
			for t := range portTargets {
				if p.missing>>t&1 != 0 && p.instead != "" {
					e.instead[t] = p.instead
				}
			}
		}
	}
	return m
}

// portKey names a form in zports.go.
func portKey(r *Row, e Enc) string { return r.Name + "_" + e.String() }

// portIndex is the column of a target's name; -1 if it is not known.
func portIndex(name string) int {
	return slices.IndexFunc(portTargets[:], func(t portTarget) bool {
		return t.name == name || slices.Contains(strings.Fields(t.like), name)
	})
}

// PortTargets are the names that Portability takes.
func PortTargets() []string {
	var list []string
	for _, t := range portTargets {
		list = append(append(list, t.name), strings.Fields(t.like)...)
	}
	slices.SortFunc(list, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return list
}

// WideTarget reports whether the waves of a chip have 64 lanes, and no choice; known says
// that it is one of PortTargets, or gfx803.
func WideTarget(name string) (wide, known bool) {
	if t := portIndex(name); t >= 0 {
		return portTargets[t].only, true
	}
	return true, name == "gfx803"
}
