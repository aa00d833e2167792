package ptx

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var long = flag.Bool("long", false, "run many more random programs")

// A randomFunc is a function of (depth, x) of a random program: statements on four
// registers, some of them calls, direct or through a table of all functions.
type randomFunc struct {
	params bool // parameters in .param space
	stmts  []randomStmt
}

type randomStmt struct {
	op      int // 0 add, 1 mul, 2 xor, 3 a local variable, 4 call, 5 call through the table, 6 early return
	d, a, b int // registers
	k       uint32
	guard   int // the register whose bit decides; -1: no guard
	bit     int
	not     bool
	to      int
}

func randomCalls(r *rand.Rand) []randomFunc {
	fs := make([]randomFunc, 1+r.IntN(5))
	for i := range fs {
		f := &fs[i]
		f.params = r.IntN(2) == 0
		calls := 0
		for range 4 + r.IntN(8) {
			s := randomStmt{op: r.IntN(7), d: r.IntN(4), a: r.IntN(4), b: r.IntN(4), k: r.Uint32() >> uint(r.IntN(32)), guard: -1, bit: r.IntN(8), not: r.IntN(2) == 0, to: r.IntN(len(fs))}
			if s.op == 4 || s.op == 5 {
				if calls++; calls > 3 {
					s.op = 0
				}
			}
			if r.IntN(2) == 0 || s.op == 6 {
				s.guard = r.IntN(4)
			}
			f.stmts = append(f.stmts, s)
		}
	}
	return fs
}

// eval runs function i in Go.
func eval(fs []randomFunc, i int, depth, x uint32) uint32 {
	r := [4]uint32{x, depth*7 + uint32(i), x ^ 0x55, 1}
	for _, s := range fs[i].stmts {
		if s.guard >= 0 && r[s.guard]>>s.bit&1 == 1 == s.not {
			continue
		}
		switch s.op {
		case 0:
			r[s.d] = r[s.a] + r[s.b] + s.k
		case 1:
			r[s.d] = r[s.a] * (r[s.b] | s.k)
		case 2:
			r[s.d] = r[s.a] ^ r[s.b]>>3
		case 3:
			r[s.d] = r[s.a] + r[s.b] + x
		case 4:
			if depth > 0 {
				r[s.d] = eval(fs, s.to, depth-1, r[s.a])
			}
		case 5:
			if depth > 0 {
				r[s.d] = eval(fs, int(r[s.b]%uint32(len(fs))), depth-1, r[s.a])
			}
		case 6:
			return r[s.d]
		}
	}
	return r[0] + r[1]*3 + r[2]*5 + r[3]*7
}

// text writes the program as PTX.
func text(fs []randomFunc) string {
	var b strings.Builder
	sig := func(i int) string {
		if fs[i].params {
			return fmt.Sprintf(".func (.param .b32 res) f%d(.param .b32 depth, .param .b32 x)", i)
		}
		return fmt.Sprintf(".func (.reg .b32 res) f%d(.reg .b32 depth, .reg .b32 x)", i)
	}
	var names []string
	for i := range fs {
		b.WriteString(sig(i) + ";\n")
		names = append(names, fmt.Sprintf("f%d", i))
	}
	fmt.Fprintf(&b, ".global .u64 table[%d] = {%s};\n", len(fs), strings.Join(names, ", "))
	for i, f := range fs {
		b.WriteString(sig(i) + "\n{\n\t.reg .b32 r<4>, n, t, dp;\n\t.reg .b64 fp, off;\n\t.reg .pred p, q;\n\t.local .b32 cell[2];\n")
		if f.params {
			b.WriteString("\tld.param.b32 dp, [depth];\n\tld.param.b32 r0, [x];\n")
		} else {
			b.WriteString("\tmov.b32 dp, depth;\n\tmov.b32 r0, x;\n")
		}
		b.WriteString("\tst.local.b32 [cell+4], r0;\n")
		fmt.Fprintf(&b, "\tmad.lo.u32 r1, dp, 7, %d;\n\txor.b32 r2, r0, 0x55;\n\tmov.u32 r3, 1;\nproto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n", i)
		give := func(reg int) string {
			if f.params {
				return fmt.Sprintf("st.param.b32 [res], r%d;", reg)
			}
			return fmt.Sprintf("mov.b32 res, r%d;", reg)
		}
		for j, s := range f.stmts {
			end := fmt.Sprintf("L%d", j)
			if s.guard >= 0 {
				not := ""
				if !s.not {
					not = "!"
				}
				fmt.Fprintf(&b, "\tshr.u32 t, r%d, %d;\n\tand.b32 t, t, 1;\n\tsetp.eq.u32 p, t, 1;\n\t@%sp bra %s;\n", s.guard, s.bit, not, end)
			}
			switch s.op {
			case 0:
				fmt.Fprintf(&b, "\tadd.u32 t, r%d, r%d;\n\tadd.u32 r%d, t, %d;\n", s.a, s.b, s.d, s.k)
			case 1:
				fmt.Fprintf(&b, "\tor.b32 t, r%d, %d;\n\tmul.lo.u32 r%d, r%d, t;\n", s.b, s.k, s.d, s.a)
			case 2:
				fmt.Fprintf(&b, "\tshr.u32 t, r%d, 3;\n\txor.b32 r%d, r%d, t;\n", s.b, s.d, s.a)
			case 3:
				// The cell keeps x across all the code in between.
				fmt.Fprintf(&b, "\tadd.u32 t, r%d, r%d;\n\tld.local.b32 n, [cell+4];\n\tadd.u32 r%d, n, t;\n", s.a, s.b, s.d)
			case 4, 5:
				callee, proto := fmt.Sprintf("f%d", s.to), ""
				if s.op == 5 {
					fmt.Fprintf(&b, "\trem.u32 t, r%d, %d;\n\tmul.wide.u32 off, t, 8;\n\tmov.u64 fp, table;\n\tadd.u64 fp, fp, off;\n\tld.global.u64 fp, [fp];\n", s.b, len(fs))
					callee, proto = "fp", ", proto"
				}
				fmt.Fprintf(&b, "\tsetp.ne.u32 q, dp, 0;\n\tsub.u32 n, dp, 1;\n")
				if j%2 == 0 {
					fmt.Fprintf(&b, "\t@q call (r%d), %s, (n, r%d)%s;\n", s.d, callee, s.a, proto)
				} else {
					fmt.Fprintf(&b, "\t{\n\t.param .b32 a0, a1, v;\n\t@!q bra %s;\n\tst.param.b32 [a0], n;\n\tst.param.b32 [a1], r%d;\n\tcall (v), %s, (a0, a1)%s;\n\tld.param.b32 r%d, [v];\n\t}\n", end, s.a, callee, proto, s.d)
				}
			case 6:
				fmt.Fprintf(&b, "\t%s\n\tret;\n", give(s.d))
			}
			fmt.Fprintf(&b, "%s:\n", end)
		}
		b.WriteString("\tmad.lo.u32 r0, r1, 3, r0;\n\tmad.lo.u32 r0, r2, 5, r0;\n\tmad.lo.u32 r0, r3, 7, r0;\n\t" + give(0) + "\n\tret;\n}\n")
	}
	return b.String()
}

// TestRandomCalls compares random programs of functions that call each other with the same programs
// in Go. Every lane takes its own path.
func TestRandomCalls(t *testing.T) {
	t.Parallel()
	rounds := 40
	if *long {
		rounds = 4000
	}
	for n := range rounds {
		r := rand.New(rand.NewPCG(7, uint64(n)))
		fs := randomCalls(r)
		depth := r.IntN(4)
		src := callBody(text(fs), fmt.Sprintf("\tmul.lo.u32 %%r2, %%r1, 40503;\n\tcall (%%r9), f0, (%d, %%r2);", depth))
		out, _, err := callRun{src: src, words: 32, seed: uint64(n % 3)}.run(t)
		if err != nil {
			t.Fatalf("program %d: %v\n%s", n, err, src)
		}
		for i, got := range out {
			if want := eval(fs, 0, uint32(depth), uint32(i)*40503); got != want {
				t.Fatalf("program %d, lane %d: %#x, want %#x\n%s", n, i, got, want, src)
			}
		}
	}
}
