package api

import (
	"fmt"
	"strings"
)

// PlanOptions configure Plan.
type PlanOptions struct {
	Target string  // "sm_80", "gfx803"
	Prefer string  // "latency" (also ""), "throughput", "no-lds", "registers"
	Active *uint64 // active lanes; nil: all
}

// Plan holds the cheapest sequences of instructions for a goal: a lane map, or a computation over the
// lanes of a wave.
type Plan struct {
	Goal    string        `json:"goal"`
	Target  string        `json:"target"`
	ISA     ISA           `json:"isa"`
	Prefer  string        `json:"prefer"`
	Active  string        `json:"active"`        // the mask, in hexadecimal
	About   string        `json:"about"`         // the goal in words
	Map     []string      `json:"map,omitempty"` // by lane: the source, "zero", "keep" or "any"; nil if the goal is no lane map
	Answers []PlanAnswer  `json:"answers"`       // the preferred one first; no other one is better in everything
	Notes   []string      `json:"notes,omitempty"`
	Picture func() []byte `json:"-"` // SVG of the map; nil if there is none
}

// PlanAnswer is one sequence of instructions. It reads v0 or %r0 and writes v1 or %r1.
type PlanAnswer struct {
	How     string    `json:"how"`     // the kind of sequence
	Code    []string  `json:"code"`    // the instructions, with their waits
	Ran     []string  `json:"ran"`     // the text that was run as proof: the code between a write of the source and a read of the result
	Cost    PlanCost  `json:"cost"`    // without the instructions around the code
	Reasons []string  `json:"reasons"` // the sources of the cost
	Proof   PlanProof `json:"proof"`
}

// PlanCost is the cost of a sequence. The cycles are sums of weights, not measurements.
type PlanCost struct {
	Latency      int `json:"latency"`         // cycles until the result can be read
	Issue        int `json:"issue"`           // cycles in which the wave occupies units
	Instructions int `json:"instructions"`    // waits included
	Setup        int `json:"setup"`           // of these, the instructions that depend on nothing but the lane's number
	Bytes        int `json:"bytes,omitempty"` // of code; GCN3
	WaitStates   int `json:"wait_states"`     // of s_nop
	LDS          int `json:"lds_trips"`       // instructions that go through the LDS hardware
	Shuffles     int `json:"shuffles"`        // instructions that go through the data path of shared memory
	Registers    int `json:"registers"`       // per lane, without the source
	Scalars      int `json:"scalars"`         // SGPRs, or predicates
}

// PlanProof counts the runs that proved an answer.
type PlanProof struct {
	Lanes   int    `json:"lanes"`   // lanes whose result was compared
	Vectors int    `json:"vectors"` // runs with different values
	Waits   int    `json:"waits"`   // findings of the check of all paths, which are 0
	What    string `json:"what"`    // the same in words
}

// Text returns the plan as a page.
func (p *Plan) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s: %s\n", p.Goal, p.Target, p.About)
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for i := range p.Answers {
		a := &p.Answers[i]
		fmt.Fprintf(&b, "\n%d. %s\n", i+1, a.How)
		for _, c := range a.Code {
			fmt.Fprintf(&b, "   %s\n", c)
		}
		fmt.Fprintf(&b, "   cost: %s\n", a.Cost.text(p.ISA))
		for _, r := range a.Reasons {
			fmt.Fprintf(&b, "   why:  %s\n", r)
		}
		fmt.Fprintf(&b, "   %s\n", a.Proof.What)
	}
	return b.String()
}

// SVG returns the picture of the lane map; nil if the goal is none.
func (p *Plan) SVG() []byte {
	if p.Picture == nil {
		return nil
	}
	return p.Picture()
}

func (c *PlanCost) text(isa ISA) string {
	plural := func(n int, one string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %ss", n, one)
	}
	s := fmt.Sprintf("latency %d, issue %d; %s", c.Latency, c.Issue, plural(c.Instructions, "instruction"))
	if isa == GCN3 {
		return s + fmt.Sprintf(", %s, %s, %s, %s, %s", plural(c.Bytes, "byte"), plural(c.WaitStates, "wait state"), plural(c.LDS, "LDS trip"), plural(c.Registers, "VGPR"), plural(c.Scalars, "SGPR"))
	}
	return s + fmt.Sprintf(", %s, %s, %s", plural(c.Shuffles, "shuffle"), plural(c.Registers, "register"), plural(c.Scalars, "predicate"))
}
