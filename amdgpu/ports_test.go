package amdgpu

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var updatePorts = flag.Bool("update-ports", false, "write zports.go anew, by llvm-mc-22")

// A portSample is an instruction as text.
type portSample struct{ key, text string }

// portSamples returns a few instructions of every form: random ones, and ones without modifiers and
// with registers of even numbers. Every chip that has the form accepts the latter.
func portSamples(n int) (list []portSample) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, row := range Rows() {
		for e := E32; e <= EncSDWA; e++ {
			if !row.Encs.Has(e) {
				continue
			}
			seen := map[string]bool{}
			for try := 0; len(seen) < n && try < 8*n; try++ {
				in, ok := randomInst(r, row, e)
				if !ok {
					continue
				}
				x := row.encs[e]
				tame := in
				for i := range x.mods {
					switch m := x.mods[i].mod; m {
					case ModDPPCtrl:
						tame.Mods[m] = 0xb1 // quad_perm:[1,0,3,2]
					case ModRowMask, ModBankMask:
						tame.Mods[m] = 15
					case ModDstSel, ModSrc0Sel, ModSrc1Sel:
						tame.Mods[m] = 6
					case ModGDS:
						if !row.Flags.Has(FlagGDSOnly) {
							tame.Mods[m] = 0
						}
					case ModLDS:
						if !row.Flags.Has(FlagLDSOnly) {
							tame.Mods[m] = 0
						}
					case ModDMask, ModEN, ModOffen, ModIdxen, ModDFmt, ModNFmt, ModD16, ModUnorm, ModCompr:
					default:
						tame.Mods[m] = 0
					}
				}
				for i := range x.ops {
					o := &tame.Ops[i]
					o.Neg, o.Abs, o.Sext = false, false, false
					switch o.Kind {
					case KindVGPR:
						o.Reg = uint16(16 * i)
					case KindSGPR:
						if o.Reg < 100 {
							o.Reg = uint16(16 * i)
						}
					}
				}
				if tame.Check() == "" {
					in = tame
				}
				if s := Print(&in); !seen[s] {
					seen[s] = true
					list = append(list, portSample{portKey(row, e), s})
				}
			}
		}
	}
	return list
}

// takes reports for each line whether the assembler accepts it for a chip.
func takes(t *testing.T, mc, cpu string, lines []string) []bool {
	t.Helper()
	args := []string{"-triple=amdgcn", "-mcpu=" + cpu, "-filetype=null"}
	if len(cpu) == len("gfx1010") {
		args = append(args, "-mattr=+wavefrontsize64")
	}
	cmd := exec.Command(mc, args...)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	_ = cmd.Run() // it fails if it refuses a line
	out := make([]bool, len(lines))
	for i := range out {
		out[i] = true
	}
	for _, m := range regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: error: `).FindAllStringSubmatch(stderr.String(), -1) {
		n, _ := strconv.Atoi(m[1])
		out[n-1] = false
	}
	if strings.Contains(stderr.String(), "PLEASE submit") || strings.Contains(stderr.String(), "not a recognized processor") {
		t.Fatalf("%s: %s", cpu, stderr.String()[:min(stderr.Len(), 2000)])
	}
	return out
}

// portNames returns the names on newer chips for an instruction with the same operands and the same
// effect.
func portNames(name string) []string {
	var list []string
	for _, p := range [][2]string{
		{"v_add_u32", "v_add_co_u32"}, {"v_sub_u32", "v_sub_co_u32"}, {"v_subrev_u32", "v_subrev_co_u32"},
		{"v_addc_u32", "v_addc_co_u32"}, {"v_subb_u32", "v_subb_co_u32"}, {"v_subbrev_u32", "v_subbrev_co_u32"},
		{"v_addc_u32", "v_add_co_ci_u32"}, {"v_subb_u32", "v_sub_co_ci_u32"}, {"v_subbrev_u32", "v_subrev_co_ci_u32"},
		{"v_lshlrev_b16", "v_lshlrev_b16_e64"}, {"v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"}, {"v_cvt_pkrtz_f16_f32", "v_cvt_pkrtz_f16_f32_e64"},
		{"v_mul_lo_u16", "v_mul_lo_u16_e64"}, {"v_max_u16", "v_max_u16_e64"}, {"v_max_i16", "v_max_i16_e64"}, {"v_min_u16", "v_min_u16_e64"}, {"v_min_i16", "v_min_i16_e64"},
		{"v_lshrrev_b16", "v_lshrrev_b16_e64"}, {"v_ashrrev_i16", "v_ashrrev_i16_e64"},
		{"v_bcnt_u32_b32", "v_bcnt_u32_b32_e64"}, {"v_mul_legacy_f32", "v_mul_dx9_zero_f32"}, {"s_andn2_b64", "s_and_not1_b64"},
	} {
		if p[0] == name {
			list = append(list, p[1])
		}
	}
	return list
}

// madePorts asks the assembler about the samples.
func madePorts(t *testing.T, mc string, samples []portSample, cpus []string) map[string]*portEntry {
	t.Helper()
	type line struct {
		key, instead string
	}
	var lines []string
	var whose []line
	for _, s := range samples {
		lines, whose = append(lines, s.text), append(whose, line{s.key, ""})
		name, _, _ := strings.Cut(s.key, "_e32")
		if len(name) == len(s.key) {
			name = s.key[:strings.LastIndexByte(s.key, '_')]
		}
		for _, other := range portNames(name) {
			suffix := strings.TrimPrefix(s.key, name)
			if suffix == "_e32" || suffix == "_e64" {
				suffix = "" // the assembler chooses
			} else if strings.HasSuffix(other, "_e64") {
				continue
			}
			_, operands, _ := strings.Cut(s.text, " ")
			lines, whose = append(lines, other+suffix+" "+operands), append(whose, line{s.key, other})
		}
	}
	for _, f := range portFeatures() {
		lines, whose = append(lines, f.sample), append(whose, line{f.name, ""})
	}
	m := map[string]*portEntry{}
	for c, cpu := range cpus {
		has := map[line]bool{}
		for i, ok := range takes(t, mc, cpu, lines) {
			if ok {
				has[whose[i]] = true
			}
		}
		for _, w := range whose {
			e := m[w.key]
			if e == nil {
				e = &portEntry{}
				m[w.key] = e
			}
			if has[line{w.key, ""}] {
				continue
			}
			e.missing |= 1 << c
			if w.instead != "" && has[w] && e.instead[c] == "" {
				e.instead[c] = w.instead
			}
		}
	}
	return m
}

func portCPUs() (cpus []string) {
	for _, t := range portTargets {
		cpus = append(cpus, t.name)
	}
	return cpus
}

//go:generate go test -run ^TestPorts$ -update-ports .

// TestPorts checks that zports.go has the answer of LLVM's assembler for every form on every chip.
// By default it tries a few instructions of each form; with -update-ports it writes the file.
func TestPorts(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	n := 6
	if perRow > 100 || *updatePorts {
		n = 40
	}
	got := madePorts(t, mc, portSamples(n), portCPUs())
	if *updatePorts {
		writePorts(t, got)
		return
	}
	feature := map[string]bool{}
	for _, f := range portFeatures() {
		feature[f.name] = true
	}
	bad := 0
	for key, g := range got {
		w := ports()[key]
		if feature[key] {
			w = featurePorts()[key]
		}
		if w == nil {
			w = &portEntry{}
		}
		// If there are only a few samples, the chip may refuse all of them for another reason.
		if w.missing&^g.missing != 0 || n > 6 && *w != *g {
			if bad++; bad < 10 {
				t.Errorf("%s: llvm-mc %+v, zports.go %+v", key, *g, *w)
			}
		}
	}
	if len(ports()) < 100 || len(featurePorts()) < 5 {
		t.Errorf("zports.go has %d forms, %d features", len(ports()), len(featurePorts()))
	}
}

// TestPortsLike checks the chips that the table describes as like another chip: both chips have
// exactly the same forms.
func TestPortsLike(t *testing.T) {
	t.Parallel()
	mc, perRow := oracle(t)
	if perRow < 100 {
		t.Skip("CROSSLANE_REQUIRE_ORACLES=1 compares all chips")
	}
	samples := portSamples(6)
	for i, p := range portTargets {
		cpus := append([]string{p.name}, strings.Fields(p.like)...)
		for key, e := range madePorts(t, mc, samples, cpus) {
			if e.missing != 0 && e.missing != 1<<len(cpus)-1 {
				t.Errorf("%d %v: %s is missing on %b", i, cpus, key, e.missing)
			}
		}
	}
}

func writePorts(t *testing.T, m map[string]*portEntry) {
	t.Helper()
	feature := map[string]bool{}
	var features []string
	for _, f := range portFeatures() {
		feature[f.name] = true
		features = append(features, f.name)
	}
	type groupKey struct {
		missing uint16
		instead string
	}
	groups := map[groupKey][]string{}
	for key, e := range m {
		if feature[key] {
			continue
		}
		masks := map[string]uint16{}
		for c := range portTargets {
			if e.missing>>c&1 != 0 {
				masks[e.instead[c]] |= 1 << c
			}
		}
		for instead, mask := range masks {
			groups[groupKey{mask, instead}] = append(groups[groupKey{mask, instead}], key)
		}
	}
	var keys []groupKey
	for k := range groups {
		slices.Sort(groups[k])
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b groupKey) int {
		if a.missing != b.missing {
			return int(a.missing) - int(b.missing)
		}
		return strings.Compare(a.instead, b.instead)
	})
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by go test ./amdgpu -run TestPorts -update-ports; DO NOT EDIT.\n\npackage amdgpu\n\n"+
		"// The forms that llvm-mc of LLVM 22 refuses for chips newer than gfx803, bit by bit\n// %s.\nvar portForms = []portForm{\n", strings.Join(portCPUs(), ", "))
	for _, k := range keys {
		fmt.Fprintf(&b, "{%#x, %q, ", k.missing, k.instead)
		line := ""
		for i, f := range groups[k] {
			if len(line)+len(f) > 90 {
				fmt.Fprintf(&b, "%q + \n", line)
				line = ""
			}
			line += f
			if i < len(groups[k])-1 {
				line += " "
			}
		}
		fmt.Fprintf(&b, "%q},\n", line)
	}
	b.WriteString("}\n\n// The modifiers that it refuses for them.\nvar portMissingFeatures = []portForm{\n")
	for _, f := range features {
		if e := m[f]; e.missing != 0 {
			fmt.Fprintf(&b, "{%#x, \"\", %q},\n", e.missing, f)
		}
	}
	b.WriteString("}\n")
	src, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	if err := os.WriteFile("zports.go", src, 0o644); err != nil {
		t.Fatal(err)
	}
}
