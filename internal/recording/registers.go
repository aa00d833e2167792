package recording

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/provenance"
	"example.org/crosslane/internal/value"
	"example.org/crosslane/lane"
)

// The registers of a state, as a user of the instruction set knows them.
//
// Input: the values of the function. For GCN3 several of them are views of one register: s2, s[2:3], and the mask in s[2:3].
// Output: each register once. exec and vcc are predicates of lanes; pairs of scalar registers are two registers of 32 bits.

// maskSuffix marks the view of a pair of scalar registers as a mask of lanes.
const maskSuffix = ".mask"

// typeOf is the type in which a result of an instruction is best read, with the size of the register.
func typeOf(at *ir.Pos, v *ir.Value) string {
	t := provenance.TypeOf(at, v)
	if size := value.Type(t).Size(); v.Type != ir.B1 && value.Type(t).Valid() && size != int(v.Type.Bytes()) {
		return fmt.Sprintf("b%d", 8*v.Type.Bytes())
	}
	return t
}

// registerType is the type in which a register is best read: that of the first instruction that says more than its size.
func (r *Recording) registerType(ref ir.Ref) string {
	f := r.plan.Func()
	if r.types == nil {
		r.types = map[ir.Ref]string{}
		for i := range f.Code {
			in := &f.Code[i]
			for _, d := range [2]ir.Ref{in.Dst, in.Dst2} {
				if d == 0 || f.Val(d).Kind != ir.Guest {
					continue
				}
				if t := typeOf(&f.Pos[in.Pos], f.Val(d)); r.types[d] == "" && (t[0] != 'b' || t == "bf16") {
					r.types[d] = t
				}
			}
		}
	}
	if t := r.types[ref]; t != "" {
		return t
	}
	return typeOf(&ir.Pos{}, f.Val(ref))
}

// registers lists the registers of a state, by name; wanted names some of them, or is empty.
func (r *Recording) registers(w *why.WaveState, wanted []string) []api.RegisterValue {
	out := []api.RegisterValue{}
	seen := map[string]bool{}
	add := func(v api.RegisterValue) {
		if !seen[v.Name] && (len(wanted) == 0 || slices.Contains(wanted, v.Name)) {
			seen[v.Name] = true
			out = append(out, v)
		}
	}
	var pairs []api.RegisterValue
	for _, x := range w.Registers(nil) {
		v := api.RegisterValue{Name: x.Name, Type: r.registerType(x.Ref), Scalar: x.Scalar, Lanes: api.Hex(lane.All(r.sim.Func.Lanes)), Bits: hexes(x.Bits)}
		if x.Scalar {
			v.Lanes = 1
		}
		if slices.ContainsFunc(x.Undef, func(u uint64) bool { return u != 0 }) {
			v.Undefined = hexes(x.Undef)
		}
		v = r.named(v)
		if strings.ContainsRune(v.Name, '[') || strings.HasSuffix(v.Name, "_lo") || strings.HasSuffix(v.Name, "_hi") {
			pairs = append(pairs, v)
			continue
		}
		add(v)
	}
	for _, v := range pairs {
		if slices.Contains(wanted, v.Name) {
			add(v)
			continue
		}
		var a, b int
		if n, _ := fmt.Sscanf(v.Name, "s[%d:%d]", &a, &b); n != 2 || b != a+1 || !v.Scalar {
			continue // exec and vcc are there
		}
		for i, s := range []int{a, b} {
			h := api.RegisterValue{Name: fmt.Sprintf("s%d", s), Type: "b32", Scalar: true, Lanes: 1, Bits: []api.Hex{v.Bits[0] >> (32 * i) & 0xffffffff}}
			if len(v.Undefined) > 0 && v.Undefined[0]>>(32*i)&0xffffffff != 0 {
				h.Undefined = []api.Hex{v.Undefined[0] >> (32 * i) & 0xffffffff}
			}
			add(h)
		}
	}
	slices.SortStableFunc(out, func(a, b api.RegisterValue) int { return compareNames(a.Name, b.Name) })
	return out
}

// named gives a value the name and the form that users of the instruction set know: exec and vcc are predicates of lanes.
func (r *Recording) named(v api.RegisterValue) api.RegisterValue {
	if r.sim.Func.Exec == 0 {
		return v
	}
	name, isMask := strings.CutSuffix(v.Name, maskSuffix)
	v.Name = name
	if isMask || !v.Scalar || v.Type == "pred" || name != "exec" && name != "vcc" {
		return v
	}
	m := v.Bits[0]
	u := api.Hex(0)
	if len(v.Undefined) > 0 {
		u = v.Undefined[0]
	}
	v.Type, v.Scalar, v.Lanes, v.Bits, v.Undefined = "pred", false, api.Hex(lane.All(64)), nil, nil
	for i := range 64 {
		v.Bits = append(v.Bits, m>>uint(i)&1)
		if u != 0 {
			v.Undefined = append(v.Undefined, u>>uint(i)&1)
		}
	}
	return v
}

// compareNames sorts r2 before r10.
func compareNames(a, b string) int {
	head := func(s string) (string, int) {
		h := strings.TrimRight(s, "0123456789")
		n, err := strconv.Atoi(s[len(h):])
		if err != nil {
			n = -1
		}
		return h, n
	}
	x, i := head(a)
	y, j := head(b)
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(i, j), cmp.Compare(a, b))
}

// ref finds the value of the function that holds a register; 0: there is none.
func (r *Recording) ref(name string) ir.Ref {
	for _, n := range []string{name, name + maskSuffix} {
		if ref := r.h.RegisterNamed(n); ref != 0 {
			return ref
		}
	}
	// A scalar register of GCN3 may be used as half of a pair only.
	if r.sim.Func.Exec != 0 {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "s")); err == nil && strings.HasPrefix(name, "s") {
			return r.h.RegisterNamed(fmt.Sprintf("s[%d:%d]", n&^1, n|1))
		}
	}
	return 0
}
