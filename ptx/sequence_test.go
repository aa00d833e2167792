package ptx

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/short"
)

// pooled is a register of operandText: its width, or none for a predicate.
var pooled = regexp.MustCompile(`\b(?:r(8|16|32|64)_\w+|pp|p\d+)\b`)

// sequences makes random instructions of rows that compute lane by lane, on few
// registers.
type sequences struct {
	*rand.Rand
	rows  []*row
	forms map[*row][]sequenceForm // a form that cannot be lifted is removed at the first attempt
}

type sequenceForm struct {
	op   string
	args []string
	dst  []bool
}

func newSequences(seed uint64) *sequences {
	s := &sequences{Rand: rand.New(rand.NewPCG(seed, 77)), forms: map[*row][]sequenceForm{}}
	allVariants(func(r *row, op string, v *variant) {
		switch r.mnemonic {
		case "addc", "subc", "madc", "bra", "brx", "exit", "ret", "trap", "brkpt":
			return // the carry does not survive a step
		}
		if r.Do.unsupported != "" || r.Do.inlines || r.Do.ends || r.Do.noEffect || strings.Contains(op+".", ".cc.") {
			return
		}
		f := sequenceForm{op: op}
		for i := range v.ops {
			if v.args[i] != NoType && v.args[i].Bits() == 128 {
				return
			}
			f.args = append(f.args, operandText(v, i, s.IntN(2) == 0))
			f.dst = append(f.dst, v.ops[i].dst)
		}
		if s.forms[r] == nil {
			s.rows = append(s.rows, r)
		}
		s.forms[r] = append(s.forms[r], f)
	})
	return s
}

// instruction returns a random instruction that can be lifted, without its guard.
func (s *sequences) instruction() string {
	for {
		r := s.rows[s.IntN(len(s.rows))]
		k := s.IntN(len(s.forms[r]))
		f := s.forms[r][k]
		var args, written []string
		constant := false
		for i, a := range f.args {
			if !f.dst[i] && s.IntN(6) == 0 && pooled.FindString(a) == a && a[0] == 'r' {
				constant = true
				args = append(args, fmt.Sprintf("0x%x", s.Uint64()>>s.IntN(64)&0x7f))
				continue
			}
			args = append(args, pooled.ReplaceAllStringFunc(a, func(reg string) string {
				head, _, _ := strings.Cut(reg, "_")
				if head += "_"; head[0] == 'p' {
					head = "p"
				}
				n := s.IntN(5)
				for f.dst[i] && slices.Contains(written, fmt.Sprint(head, n)) {
					n++
				}
				name := fmt.Sprint(head, n)
				if f.dst[i] {
					written = append(written, name)
				}
				return name
			}))
		}
		text := f.op + " " + strings.Join(args, ", ") + ";"
		p, err := ParseTry("", text)
		switch {
		case err == nil && lanewiseFunc(p.Kernel.Func):
			return text
		case err != nil && constant: // perhaps the row takes no constant at this operand
		default:
			if s.forms[r] = slices.Delete(s.forms[r], k, k+1); len(s.forms[r]) == 0 {
				s.rows = slices.DeleteFunc(s.rows, func(x *row) bool { return x == r })
			}
		}
	}
}

// TestSequences compares the registers after a random program, with guards and branches over parts
// of it, with the registers after each of its instructions ran as a program of its own.
func TestSequences(t *testing.T) {
	t.Parallel()
	s := newSequences(5)
	programs := short.Of(150, 30)
	if *long {
		programs = 20000
	}
	for range programs {
		var src []string
		state, want := map[string][]uint64{}, map[string][]uint64{}
		value := func(name string) []uint64 { // at the start
			if state[name] == nil {
				typ := B64
				if digits := strings.TrimPrefix(name, "r"); digits != name {
					width, _, _ := strings.Cut(digits, "_")
					typ = ParseType("b" + width)
				}
				for range 32 {
					state[name] = append(state[name], pickOperand(s.Rand, typ))
					if name[0] == 'p' {
						state[name][len(state[name])-1] &= 1
					}
				}
				want[name] = slices.Clone(state[name])
			}
			return want[name]
		}
		n := 12 + s.IntN(30)
		away := [32]int{} // the step at which a lane continues
		labels := map[int]int{}
		for i := range n {
			for range labels[i] {
				src = append(src, fmt.Sprintf("L%d:", i))
				break
			}
			guard, not := fmt.Sprintf("p%d", s.IntN(4)), s.IntN(2) == 0
			bang := map[bool]string{true: "!"}[not]
			if s.IntN(8) == 0 {
				to := i + 1 + s.IntN(n-i)
				labels[to]++
				src = append(src, fmt.Sprintf("@%s%s bra L%d;", bang, guard, to))
				for lane, p := range value(guard) {
					if away[lane] <= i && (p == 1) != not {
						away[lane] = to
					}
				}
			}
			text := s.instruction()
			guarded := s.IntN(4) == 0
			p, err := ParseTry("", text)
			if err != nil {
				t.Fatal(err)
			}
			guards := slices.Clone(value(guard))
			for _, r := range p.Regs {
				value(r.Name)
			}
			out := runLanes(t, interp.Engine{}, p, func(r TryReg, lane int) uint64 { return want[r.Name][lane] })
			for name, x := range out {
				for lane := range x {
					if away[lane] <= i && (!guarded || (guards[lane] == 1) != not) {
						want[name][lane] = x[lane]
					}
				}
			}
			if guarded {
				text = "@" + bang + guard + " " + text
			}
			src = append(src, text)
		}
		if labels[n] > 0 {
			src = append(src, fmt.Sprintf("L%d:", n))
		}
		src = append(src, "exit;")
		p, err := ParseTry("", strings.Join(src, "\n"))
		if err != nil {
			t.Fatalf("%s: %v", strings.Join(src, "\n"), err)
		}
		for _, e := range []interp.Engine{{}, {Portable: true}} {
			out := runLanes(t, e, p, func(r TryReg, lane int) uint64 { return state[r.Name][lane] })
			for name, x := range out {
				if !slices.Equal(x, want[name]) {
					t.Errorf("%s\n%s is %#x,\nwant %#x;\nat the start %#x", strings.Join(src, "\n"), name, x, want[name], state[name])
					return
				}
			}
		}
	}
}
