package amdgpu

import (
	"slices"
	"strings"
	"sync"
)

// A portTarget is a chip, or a group of chips for which the assembler accepts the same
// instructions, to which code of gfx803 may be moved. The column of zports.go is its index.
type portTarget struct {
	name string
	like string // names of other chips that accept the same instructions
	only bool   // the wave has 64 lanes; else 32 or 64, and compilers choose 32
	// newer marks gfx10 and later, which wait for data by themselves in cases that need wait states
	// on GCN3.
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

// portForm is a line of zports.go: forms of instructions (mnemonic and encoding) that the targets
// of a mask do not accept, and the form with the same operands that they accept instead.
type portForm struct {
	missing uint16
	instead string
	forms   string
}

// portFeature is a modifier, by its name in zports.go, with an instruction that has it.
type portFeature struct {
	name, sample string
	has          func(in *Inst) bool
}

// dppCtrl recognises a DPP control by its text.
func dppCtrl(text string) func(in *Inst) bool {
	return func(in *Inst) bool {
		return in.Enc == EncDPP && dppText(int(in.Mods[ModDPPCtrl])) == text
	}
}

func hasMod(m ModID, units ...Unit) func(in *Inst) bool {
	return func(in *Inst) bool { return in.Has(m) && slices.Contains(units, in.Row.Unit) }
}

// portFeatures returns the modifiers that some target lacks, or might lack.
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

// portEntry is the state of a form on the targets.
type portEntry struct {
	missing uint16
	instead [len(portTargets)]string
}

// ports and featurePorts return zports.go by form and by feature. The first call makes the map.
var (
	ports        = sync.OnceValue(func() map[string]*portEntry { return readPorts(portForms, " ") })
	featurePorts = sync.OnceValue(func() map[string]*portEntry { return readPorts(portMissingFeatures, ",") })
)

// readPorts makes the map from a list of forms, whose names are separated by sep.
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

// portKey returns the name of a form in zports.go.
func portKey(r *Row, e Enc) string { return r.Name + "_" + e.String() }

// portIndex returns the column of a target's name; -1 if it is not known.
func portIndex(name string) int {
	return slices.IndexFunc(portTargets[:], func(t portTarget) bool {
		return t.name == name || slices.Contains(strings.Fields(t.like), name)
	})
}

// PortTargets returns the names that Portability accepts.
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

// WideTarget reports whether the waves of a chip always have 64 lanes. known reports that the chip
// is one of PortTargets, or gfx803.
func WideTarget(name string) (wide, known bool) {
	if t := portIndex(name); t >= 0 {
		return portTargets[t].only, true
	}
	return true, name == GFX803.Name
}
