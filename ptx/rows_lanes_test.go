package ptx

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// identifier is a register in an operand, with its selector.
var identifier = regexp.MustCompile(`[a-z]\w*(?:\.h1)?`)

// laneForms holds an instruction in variants that must give the same result. d0 is the result of
// the form with registers, d1 that of the guarded form, d2 that of the opposite guard. From d3 on,
// the destination is one of the sources, or one of the sources is a constant.
type laneForms struct {
	src      []string
	versions []string          // "d1_": destinations begin with it
	twin     map[string]string // a register that is source and destination → the source with the same value
	whole    map[string]uint64 // a register that is a constant in another variant → its value in all lanes
	guarded  map[string]bool   // the version → the value of gp with which it executes
}

func writeLaneForms(op string, v *variant, r *rand.Rand) *laneForms {
	f := &laneForms{twin: map[string]string{}, whole: map[string]uint64{}, guarded: map[string]bool{"d1_": true, "d2_": false}}
	var args []string
	for i := range v.ops {
		args = append(args, operandText(v, i, false))
	}
	carry := ""
	if strings.HasPrefix(v.row.mnemonic, "addc") || strings.HasPrefix(v.row.mnemonic, "subc") || strings.HasPrefix(v.row.mnemonic, "madc") {
		carry = "add.cc.u32 k0, k1, k2; "
		if strings.HasPrefix(v.row.mnemonic, "subc") {
			carry = "sub.cc.u32 k0, k1, k2; "
		}
	}
	write := func(guard string, args []string) string {
		version := fmt.Sprintf("d%d_", len(f.versions))
		out := slices.Clone(args)
		for i, s := range v.ops {
			if s.dst && !strings.HasPrefix(out[i], "z") {
				out[i] = identifier.ReplaceAllString(out[i], version+"$0")
			}
		}
		f.versions = append(f.versions, version)
		f.src = append(f.src, carry+guard+op+" "+strings.Join(out, ", ")+";")
		return version
	}
	write("", args)
	write("@gp ", args)
	write("@!gp ", args)
	if len(v.ops) == 0 || !v.ops[0].dst || v.ops[0].kind != opValue {
		return f
	}
	plain := func(i int) bool {
		return v.ops[i].kind == opValue && !v.ops[i].selMust && identifier.FindString(args[i]) == args[i]
	}
	one := 1 + r.IntN(max(1, len(v.ops)-1)) // every source, or one of them
	for i := 1; i < len(v.ops); i++ {
		if i != one && !*long || v.ops[i].dst || !plain(i) || v.args[i] == NoType {
			continue
		}
		if plain(0) && v.args[0] != NoType && v.args[i].Bits() == v.args[0].Bits() && (v.args[i] == Pred) == (v.args[0] == Pred) {
			out := slices.Clone(args)
			z := fmt.Sprintf("z%d_%s", i, args[i])
			out[0], out[i] = z, z
			f.twin[z] = args[i]
			f.src = append(f.src, carry+op+" "+strings.Join(out, ", ")+";")
		}
		if t := v.args[i]; t.Bits() <= 64 {
			out := slices.Clone(args)
			value := pickOperand(r, t)
			switch {
			case t == Pred:
				continue
			case t == F32:
				out[i] = fmt.Sprintf("0f%08X", value)
			case t == F64:
				out[i] = fmt.Sprintf("0d%016X", value)
			default:
				out[i] = fmt.Sprintf("0x%x", value)
			}
			constant := write("", out)
			out[i] = fmt.Sprintf("w%s%s", constant, args[i])
			f.whole[out[i]] = value
			write("", out)
		}
	}
	return f
}

// runLanes runs a program on an engine; preset gives the registers their values.
func runLanes(t *testing.T, e sim.Engine, p *Try, preset func(reg TryReg, lane int) uint64) map[string][]uint64 {
	t.Helper()
	prog, err := e.Compile(p.Kernel.Func)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]uint64{}
	l := &sim.Launch{
		Func: p.Kernel.Func, Program: prog, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: sim.NewMemory(), Workers: 1,
		Hooks: sim.Hooks{
			Setup: func(w *sim.Wave) {
				for _, r := range p.Regs {
					for i := range 32 {
						w.Set(r.Ref, i, preset(r, i))
					}
				}
			},
			Inspect: func(w *sim.Wave) {
				for _, r := range p.Regs {
					for i := range 32 {
						out[r.Name] = append(out[r.Name], w.Get(r.Ref, i))
					}
				}
			},
		},
	}
	if _, _, err := sim.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	return out
}

// lanewiseFunc reports whether a function consists of arithmetic of single lanes.
func lanewiseFunc(f *ir.Func) bool {
	for i := range f.Code {
		if op := f.Code[i].Op; ir.Ops[op].Fn == nil && op != ir.Exit && op != ir.Splat && op != ir.LaneBit && op != ir.Nop {
			return false
		}
	}
	return true
}

// TestLanes runs the spellings of every row that computes lane by lane, on operands with all kinds
// of numbers. Guards and branches leave the registers of other lanes alone. A destination may also
// be a source. A constant gives the same result as a register that holds it. The forms in assembly
// leave the same state as the portable forms.
func TestLanes(t *testing.T) {
	t.Parallel()
	type job struct {
		op string
		v  *variant
	}
	var jobs []job
	seen := map[*row]int{}
	allVariants(func(r *row, op string, v *variant) {
		if seen[r]++; seen[r] > short.Of(8, 1) && seen[r]%short.Of(3, 24) != 0 && !*long {
			return // a third of many spellings
		}
		if r.Do.unsupported == "" && !r.Do.inlines && !r.Do.ends && !strings.HasPrefix(op, "bra") && !strings.HasPrefix(op, "brx") {
			jobs = append(jobs, job{op, v})
		}
	})
	var wg sync.WaitGroup
	var mu sync.Mutex
	count := map[*row]int{}
	constants := 0
	next := make(chan job)
	for range 2 {
		wg.Go(func() {
			for j := range next {
				r := rand.New(rand.NewPCG(uint64(len(j.op)), uint64(j.v.row.PTX.Major)))
				if n := testLanes(t, j.op, j.v, r); n > 0 {
					mu.Lock()
					count[j.v.row]++
					constants += n - 1
					mu.Unlock()
				}
			}
		})
	}
	for _, j := range jobs {
		next <- j
	}
	close(next)
	wg.Wait()
	n := 0
	for _, c := range count {
		n += c
	}
	t.Logf("%d rows, %d spellings, %d with a constant", len(count), n, constants)
	if len(count) < 200 || n < short.Of(2000, 400) || constants < short.Of(1000, 350) {
		t.Errorf("%d rows in %d spellings, %d times with a constant: too few", len(count), n, constants)
	}
}

// testLanes tests one spelling. It returns 0 if the spelling does not compute lane by lane; else it
// returns 1 plus the number of its constants.
func testLanes(t *testing.T, op string, v *variant, r *rand.Rand) int {
	f := writeLaneForms(op, v, r)
	p, err := ParseTry("", f.src[0])
	if err != nil || !lanewiseFunc(p.Kernel.Func) {
		return 0 // refused, as TestEveryVariantLifts checks, or not lane by lane
	}
	// Constants that the row refuses (an amount of a shift out of range) are left out.
	var src []string
	constants := 1
	for i, s := range f.src {
		if i > 2 && !strings.Contains(s, " z") && !strings.Contains(s, " wd") {
			if _, err := ParseTry("", s); err != nil {
				if d := diag.Of(err); len(d) == 0 {
					t.Errorf("%s: %v", s, err)
				}
				continue
			}
			constants++
		}
		src = append(src, s)
	}
	p, err = ParseTry("", strings.Join(src, "\n"))
	if err != nil {
		t.Errorf("%s: %v", src, err)
		return 1
	}
	values := map[string][]uint64{}
	preset := func(reg TryReg, lane int) uint64 {
		name := reg.Name
		if x, ok := f.whole[name]; ok {
			return x
		}
		if s := f.twin[name]; s != "" {
			name = s
		}
		if values[name] == nil {
			for range 32 {
				values[name] = append(values[name], pickOperand(r, reg.Type))
			}
		}
		return values[name][lane]
	}
	all := runLanes(t, interp.Engine{}, p, preset)
	portable := runLanes(t, interp.Engine{Portable: true}, p, preset)
	// In this program some of the lanes branch around the instructions.
	fewer, err := ParseTry("", "@!gp bra END;\n"+strings.Join(src, "\n")+"\nEND: exit;")
	if err != nil {
		t.Errorf("%s: %v", src, err)
		return 1
	}
	some := runLanes(t, interp.Engine{Portable: r.IntN(2) == 0}, fewer, preset)
	bad := func(what, reg string, lane int, got, want uint64) bool {
		if got == want {
			return false
		}
		t.Errorf("%s: %s: lane %d of %s has %#x, want %#x; operands %v", strings.Join(src, "\n"), what, lane, reg, got, want, lane1(values, lane))
		return true
	}
	for _, reg := range p.Regs {
		before := func(i int) uint64 { return preset(reg, i) & (1<<(width(p, reg)-1)<<1 - 1) }
		version, base, _ := strings.Cut(reg.Name, "_")
		version += "_"
		for i := range 32 {
			want := all[reg.Name][i]
			if values["gp"][i]&1 == 0 {
				want = before(i)
			}
			if bad("some lanes", reg.Name, i, some[reg.Name][i], want) || bad("the portable form", reg.Name, i, portable[reg.Name][i], all[reg.Name][i]) {
				return constants
			}
			if !reg.Written || version == "d0_" {
				continue
			}
			if reg.Name[0] == 'z' {
				// Its result equals that of the first destination.
				for name, x := range all {
					if strings.HasPrefix(name, "d0_") && strings.HasSuffix(name, "_0") && bad("a destination that is a source", reg.Name, i, all[reg.Name][i], x[i]) {
						return constants
					}
				}
				continue
			}
			if !slices.Contains(f.versions, version) {
				continue
			}
			if all["d0_"+base] == nil {
				t.Errorf("%s: %s is not d0_%s", src, reg.Name, base)
				return constants
			}
			want = all["d0_"+base][i]
			if g, ok := f.guarded[version]; ok {
				if (values["gp"][i]&1 == 1) != g {
					want = before(i)
				}
			} else if k := slices.Index(f.versions, version); k%2 == 0 {
				// The even versions have a register in place of the constant in the version before.
				x, ok := all[f.versions[k-1]+base]
				if !ok {
					continue // the row refused the constant
				}
				want = x[i]
			} else {
				continue
			}
			if bad("another way to write it", reg.Name, i, all[reg.Name][i], want) {
				return constants
			}
		}
	}
	return constants
}

func width(p *Try, r TryReg) int {
	switch p.Kernel.Func.Val(r.Ref).Type {
	case ir.B1:
		return 1
	case ir.B8:
		return 8
	case ir.B16:
		return 16
	case ir.B32:
		return 32
	}
	return 64
}

// lane1 returns the values of the registers of a lane.
func lane1(values map[string][]uint64, lane int) map[string]string {
	m := map[string]string{}
	for n, x := range values {
		m[n] = fmt.Sprintf("%#x", x[lane])
	}
	return m
}
