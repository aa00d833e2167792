package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/try"
	"example.org/crosslane/lane"
)

// A run executes the text of an answer.
type run struct {
	isa    api.ISA
	n      int
	active lane.Mask
	text   []string
}

// values runs the text with values of registers, by name, and returns the values of a register. It
// fails if the run has a finding, or if a lane of need has undefined bits.
func (r *run) values(ctx context.Context, set map[string][]uint64, show string, need lane.Mask) ([]uint64, error) {
	active := uint64(r.active)
	o := api.TryOptions{ISA: r.isa, Exec: &active, Show: []string{show}}
	text := strings.Join(r.text, "\n")
	named := ptxRegister.FindAllString(text, -1)
	for _, name := range sortedKeys(set) {
		if r.isa == api.PTX && !slices.Contains(named, name) {
			continue // a register that the text does not name does not exist
		}
		o.Set = append(o.Set, api.TrySet{Reg: name, Type: api.U32, Bits: set[name]})
		if len(set[name]) > 0 && strings.HasPrefix(name, "%p") {
			o.Set[len(o.Set)-1].Type = ""
		}
	}
	res, err := try.Try(ctx, text, o)
	if err != nil {
		return nil, err
	}
	if len(res.Findings) > 0 {
		return nil, fmt.Errorf("the run has a finding: %w", diag.List(res.Findings))
	}
	reg := res.Registers[0]
	for _, i := range reg.Poison {
		if need.Has(i) {
			return nil, fmt.Errorf("lane %d of %s is undefined", i, show)
		}
	}
	if len(reg.Bits) == 1 { // a scalar register
		for len(reg.Bits) < r.n {
			reg.Bits = append(reg.Bits, reg.Bits[0])
		}
	}
	return reg.Bits, nil
}

// The tags of the lanes of the source and of the old result; no tag is 0 and no two are equal, also
// after complementing.
const (
	tagSource = 0x5a00
	tagOld    = 0x3c00
)

// proveMap runs a sequence with the lanes' tags and with the complemented tags, and compares every
// lane with the goal. A move does not look at its bits, so that the result holds for all values. The
// old result is undefined unless the goal keeps lanes of it, and so are all temporary registers.
func proveMap(ctx context.Context, r *run, g *goal) (api.PlanProof, error) {
	var need lane.Mask
	keeps := false
	for i, s := range g.want[:g.n] {
		if s != free {
			need |= lane.Lane(i)
		}
		keeps = keeps || s == keep
	}
	src, dst := registers(r.isa)
	for _, flip := range []uint64{0, 0xffffffff} {
		from, old := make([]uint64, g.n), make([]uint64, g.n)
		for i := range g.n {
			from[i], old[i] = (tagSource+uint64(i))^flip, (tagOld+uint64(i))^flip
		}
		set := map[string][]uint64{src: from}
		if keeps {
			set[dst] = old
		}
		got, err := r.values(ctx, set, dst, need)
		if err != nil {
			return api.PlanProof{}, err
		}
		for i, s := range g.want[:g.n] {
			var want uint64
			switch {
			case s == free:
				continue
			case s == keep:
				want = old[i]
			case s >= 0:
				want = from[s]
			}
			if got[i] != want {
				return api.PlanProof{}, fmt.Errorf("lane %d gets %#x, want %#x: the value of lane %s", i, got[i], want, sourceText(s))
			}
		}
	}
	return api.PlanProof{Lanes: need.Count(), Vectors: 2, What: fmt.Sprintf("proved: %d of %d lanes, 2 tag vectors, no undefined lane; waits: 0 findings", need.Count(), g.n)}, nil
}

// registers names the source and the result.
func registers(isa api.ISA) (src, dst string) {
	if isa == api.GCN3 {
		return "v0", "v1"
	}
	return "%r0", "%r1"
}

func sortedKeys(m map[string][]uint64) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
