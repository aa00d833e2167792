package ptx

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/sim"
)

// callRun is a launch of a kernel with one parameter, a buffer of words.
type callRun struct {
	src    string
	kernel string // "": k
	words  int
	lanes  int
	stack  uint32
	heap   uint64
	seed   uint64 // the seed of a random schedule; 0: no random schedule
}

// run returns the buffer, the printed text and the fault.
func (c callRun) run(t *testing.T) (out []uint32, text string, err error) {
	t.Helper()
	m, errs := Parse("k.ptx", c.src)
	if errs.Err() != nil {
		t.Fatal(errs)
	}
	k, err := Lift(m, cmpOr(c.kernel, "k"))
	if err != nil {
		t.Fatal(err)
	}
	mem := sim.NewMemory()
	data := make([]byte, 4*c.words+8)[:4*c.words]
	buf := mem.Add("out", data)
	var printed bytes.Buffer
	l := &sim.Launch{
		Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(cmpOr(c.lanes, 32)), 1, 1}, Memory: mem, Workers: 1, Limits: sim.Limits{Timeout: 20 * time.Second},
		Stack: cmpOr(c.stack, 1<<16), Heap: cmpOr(c.heap, 1<<20), Stdout: &printed, Func: k.Func,
	}
	if c.seed != 0 {
		l.Schedule = sim.Schedule{Random: true, Seed: c.seed}
	}
	var allocs []*sim.Alloc
	for _, g := range k.Globals {
		d := make([]byte, g.Size+8)[:g.Size]
		copy(d, g.Data)
		allocs = append(allocs, mem.Add(g.Name, d))
		l.Values = append(l.Values, allocs[len(allocs)-1].Base)
	}
	for i, g := range k.Globals {
		for _, r := range g.Relocs {
			binary.LittleEndian.PutUint64(allocs[i].Data[r.Offset:], allocs[r.Target].Base+uint64(r.Addend))
		}
	}
	l.Param = binary.LittleEndian.AppendUint64(nil, buf.Base)
	recordRun(t, k)
	if l.Program, err = (interp.Engine{}).Compile(k.Func); err != nil {
		t.Fatal(err)
	}
	_, found, err := sim.Run(context.Background(), l)
	if len(found) > 0 {
		t.Errorf("findings: %v", found)
	}
	out = make([]uint32, c.words)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return out, printed.String(), err
}

func cmpOr[T comparable](a, b T) T {
	var zero T
	if a != zero {
		return a
	}
	return b
}

// These are the functions of testdata/calls/functions.c, in Go.
type person struct {
	a uint32
	b float64
	c [3]uint32
}

func makePerson(s person, k uint32) person {
	if k == 0 {
		return s
	}
	s.a += k
	s.b = s.b*2 + float64(k)
	s.c[k%3] ^= k
	t := makePerson(s, k-1)
	t.c[1] += s.a
	return t
}

func ackermann(m, n uint32) uint32 {
	switch {
	case m == 0:
		return n + 1
	case n == 0:
		return ackermann(m-1, 1)
	}
	return ackermann(m-1, ackermann(m, n-1))
}

func fibonacci(n uint32) uint32 {
	a, b := uint32(0), uint32(1)
	for range n {
		a, b = b, a+b
	}
	return a
}

func hanoi(n, a, b, c uint32, s *uint32) uint32 {
	if n == 0 {
		return a*5 + b
	}
	x := hanoi(n-1, a, c, b, s)
	*s = *s*31 + a*4 + c
	x += a*5 + b
	return x + hanoi(n-1, b, a, c, s)
}

func functionsOf(t uint32) [10]uint32 {
	var o [10]uint32
	o[0] = 1
	for i := uint32(2); i <= t%13; i++ {
		o[0] *= i
	}
	o[1] = fibonacci(t % 11)
	o[2] = ackermann(t%3, t%5)
	if t%2 == 0 {
		o[3] = 3 // t is even, t+1 odd
	}
	var a [16]uint32
	for i := range a {
		a[i] = (uint32(i)*7 + t*13 + 5) * 2654435761
	}
	slices.Sort(a[:t%16+1])
	for _, v := range a {
		o[4] = o[4]*31 + v
	}
	s := makePerson(person{t, 1.5, [3]uint32{1, 2, 3}}, t%7)
	o[5] = s.a*3 + uint32(s.b) + s.c[0]*5 + s.c[1]*7 + s.c[2]
	visit := [3]func(a, b uint32) uint32{
		func(a, b uint32) uint32 { return a*3 + b },
		func(a, b uint32) uint32 { return (a ^ b) * 7 },
		func(a, b uint32) uint32 { return a + fibonacci(b%7) },
	}
	o[6] = t
	for _, i := range []uint32{3, 1, 4, 0, 5, 2, 6} { // a complete tree of 7 nodes in order
		o[6] = visit[t%3](o[6], i*t+1)
	}
	o[7] = visit[(t+1)%3](t, 5)
	o[9] = 1
	o[8] = hanoi(t%6, 1, 2, 3, &o[9])
	return o
}

// TestCompiledCalls runs clang's output for testdata/calls/functions.c: recursion of a different
// depth in every lane, structures by value, tables of functions.
func TestCompiledCalls(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"O0", "O1", "O3"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile("testdata/calls/functions_" + level + ".ptx")
			if err != nil {
				t.Fatal(err)
			}
			out, _, err := callRun{src: string(src), words: 640, lanes: 64}.run(t)
			if err != nil {
				t.Fatal(err)
			}
			for tid := range 64 {
				if got, want := [10]uint32(out[10*tid:]), functionsOf(uint32(tid)); got != want {
					t.Errorf("lane %d: %v, want %v", tid, got, want)
				}
			}
		})
	}
}

// callBody is a kernel that stores %r9 of each lane, with functions before it.
func callBody(funcs, code string) string {
	return head + funcs + `
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<9>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<20>;
	.reg .f64 %fd<9>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd1, %rd1, %rd2;
` + code + `
	st.global.u32 [%rd1], %r9;
	ret;
}
`
}

// threeFuncs holds three functions with the same parameters.
const threeFuncs = `
.func (.reg .u32 r) plus(.reg .u32 a, .reg .u32 b) { add.u32 r, a, b; ret; }
.func (.param .u32 r) minus(.param .u32 a, .param .u32 b)
{
	.reg .u32 x, y;
	ld.param.u32 x, [a];
	ld.param.u32 y, [b];
	sub.u32 x, x, y;
	st.param.u32 [r], x;
	ret;
}
.func (.reg .u32 r) times(.reg .u32 a, .reg .u32 b) { mul.lo.u32 r, a, b; ret; }
.func (.reg .u64 r) wide(.reg .u32 a, .reg .u32 b) { mul.wide.u32 r, a, b; ret; }
.func none() { ret; }
`

func oneOfThree(i, a, b uint32) uint32 {
	switch i {
	case 0:
		return a + b
	case 1:
		return a - b
	}
	return a * b
}

// TestCalls runs calls written by hand.
func TestCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, src string
		want      func(tid uint32) uint32
	}{
		{"through a table of functions, a target per lane", callBody(threeFuncs+".global .u64 table[3] = {plus, minus, times};\n", `
	rem.u32 %r2, %r1, 3;
	mul.wide.u32 %rd3, %r2, 8;
	mov.u64 %rd4, table;
	add.u64 %rd4, %rd4, %rd3;
	ld.global.u64 %rd5, [%rd4];
proto: .callprototype (.param .u32 _) _ (.param .u32 _, .param .u32 _);
	call (%r9), %rd5, (%r1, 5), proto;`), func(i uint32) uint32 { return oneOfThree(i%3, i, 5) }},
		{"the table says what is called", callBody(threeFuncs+".const .u64 table[3] = {plus, minus, times};\n", `
	setp.lt.u32 %p1, %r1, 20;
	ld.const.u64 %rd5, [table+8];
	mov.u32 %r9, 7;
	@%p1 call (%r9), %rd5, (%r1, 3), table;`), func(i uint32) uint32 {
			if i < 20 {
				return i - 3
			}
			return 7
		}},
		{".calltargets, addresses of 32 bits", callBody(threeFuncs, `
	mov.u32 %r3, times;
	mov.u32 %r4, plus;
	setp.gt.u32 %p1, %r1, 9;
	selp.u32 %r3, %r3, %r4, %p1;
list: .calltargets plus, times;
	call.uni (%r9), %r3, (%r1, %r1), list;`), func(i uint32) uint32 {
			if i > 9 {
				return i * i
			}
			return 2 * i
		}},
		{"pointers as arguments and in memory", callBody(threeFuncs+`
.func (.reg .u32 r) apply(.reg .u64 f, .reg .u32 x)
{
p: .callprototype (.param .u32 _) _ (.param .u32 _, .param .u32 _);
	call (r), f, (x, x), p;
	ret;
}`, `
	.local .u64 slot;
	mov.u64 %rd3, minus;
	mov.u64 %rd4, times;
	and.b32 %r2, %r1, 1;
	setp.eq.u32 %p1, %r2, 0;
	selp.u64 %rd3, %rd3, %rd4, %p1;
	st.local.u64 [slot], %rd3;
	ld.local.u64 %rd5, [slot];
	call (%r9), apply, (%rd5, %r1);
	add.u32 %r9, %r9, 1;`), func(i uint32) uint32 {
			if i%2 == 0 {
				return 1
			}
			return i*i + 1
		}},
		{"arguments without a size", callBody(`
.func (.param .u32 r) sum(.param .u32 n, .param .align 4 .b8 list[])
{
	.reg .u32 %r<6>;
	.reg .u64 %d<4>;
	.reg .pred p;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 0;
	mov.u64 %d1, list;
loop:
	setp.eq.u32 p, %r1, 0;
	@p bra done;
	ld.local.u32 %r3, [%d1];
	add.u32 %r2, %r2, %r3;
	add.u64 %d1, %d1, 4;
	sub.u32 %r1, %r1, 1;
	bra loop;
done:
	st.param.u32 [r], %r2;
	ret;
}`, `
	mov.u64 %rd9, sum;
	{
		.param .u32 n;
		.param .align 4 .b8 list[12];
		.param .u32 r;
		st.param.u32 [n], 3;
		st.param.u32 [list], %r1;
		st.param.u32 [list+4], 100;
		st.param.u32 [list+8], %r1;
		call (r), sum, (n, list);
		ld.param.u32 %r9, [r];
		call (r), sum, (0);
		ld.param.u32 %r8, [r];
		add.u32 %r9, %r9, %r8;
	p: .callprototype (.param .u32 _) _ (.param .u32 _, .param .align 4 .b8 _[]);
		call (r), %rd9, (n, list), p;
		ld.param.u32 %r8, [r];
		mad.lo.u32 %r9, %r8, 1000, %r9;
	}`), func(i uint32) uint32 { return 1001 * (2*i + 100) }},
		{"arguments are passed by value", callBody(`
.func (.param .u32 r) f(.param .u32 a, .param .u32 b)
{
	.reg .u32 %r<4>;
	.reg .u64 %d<2>;
	mov.u64 %d1, a;
	ld.param.u32 %r1, [a];
	add.u32 %r1, %r1, 10;
	st.local.u32 [%d1], %r1;
	st.param.u32 [r], 7;
	ld.param.u32 %r2, [b];
	ld.param.u32 %r3, [a];
	add.u32 %r2, %r2, %r3;
	st.param.u32 [r], %r2;
	ret;
}`, `
	{
		.param .u32 a, b;
		st.param.u32 [a], %r1;
		st.param.u32 [b], 1000;
		call (b), f, (a, b);
		ld.param.u32 %r9, [b];
		call (b), f, (a, b);
		ld.param.u32 %r2, [b];
		mad.lo.u32 %r9, %r2, 10000, %r9;
	}`), func(i uint32) uint32 { return i + 1010 + 10000*(i+10+i+1010) }},
		{"exit in a function", callBody(`
.func (.reg .u32 r) f(.reg .u32 n, .reg .u64 out)
{
	.reg .pred p;
	.reg .u32 m;
	setp.eq.u32 p, n, 4;
	@p st.global.u32 [out], 44;
	@p exit;
	mov.u32 r, 0;
	setp.eq.u32 p, n, 0;
	@p ret;
	sub.u32 m, n, 1;
	call (r), f, (m, out);
	add.u32 r, r, n;
	ret;
}`, `
	and.b32 %r2, %r1, 7;
	call (%r9), f, (%r2, %rd1);`), func(i uint32) uint32 {
			if i%8 >= 4 {
				return 44 // its recursion passes 4
			}
			return i % 8 * (i%8 + 1) / 2
		}},
		{"lanes come together again: full shuffles in and after recursion", callBody(`
.func (.reg .u32 r) f(.reg .u32 n)
{
	.reg .pred p;
	.reg .u32 m;
	mov.u32 r, 1;
	setp.eq.u32 p, n, 0;
	@p bra all;
	sub.u32 m, n, 1;
	call (m), f, (m);
	add.u32 r, r, m;
all:
	ret;
}
.func (.reg .u32 r) g(.reg .u32 n, .reg .u32 v)
{
	.reg .pred p;
	.reg .u32 m, w;
	shfl.sync.bfly.b32 w, v, 1, 31, -1;
	mov.u32 r, w;
	setp.eq.u32 p, n, 0;
	@p ret;
	sub.u32 m, n, 1;
	call (r), g, (m, w);
	add.u32 r, r, w;
	ret;
}`, `
	and.b32 %r2, %r1, 15;
	call (%r3), f, (%r2);
	activemask.b32 %r4;
	shfl.sync.idx.b32 %r5, %r3, 9, 31, -1;
	call (%r6), g, (4, %r1);
	not.b32 %r4, %r4;
	add.u32 %r9, %r4, %r5;
	mad.lo.u32 %r9, %r6, 100, %r9;`), func(i uint32) uint32 {
			// f(n) is n+1; all lanes are active; lane 9 has f = 10. g adds five values that are the
			// neighbour's and the lane's own number in turn.
			return 10 + 100*(3*(i^1)+2*i)
		}},
		{"alloca, stacksave, stackrestore, in a function that calls", callBody(`
.func (.reg .u64 r) fill(.reg .u64 n)
{
	.reg .u64 %d<6>;
	.reg .u32 %r<4>;
	.reg .pred p;
	stacksave.u64 %d4;
	alloca.u64 %d1, n, 64;
	and.b64 %d5, %d1, 63;
	mov.u64 %d2, 0;
loop:
	add.u64 %d3, %d1, %d2;
	cvt.u32.u64 %r1, %d2;
	st.local.u8 [%d3], %r1;
	add.u64 %d2, %d2, 1;
	setp.lt.u64 p, %d2, n;
	@p bra loop;
	ld.local.u8 %r2, [%d3];
	stackrestore.u64 %d4;
	cvt.u64.u32 %d3, %r2;
	add.u64 r, %d3, %d5;
	setp.le.u64 p, n, 8;
	@p ret;
	sub.u64 %d2, n, 7;
	call (%d3), fill, (%d2);
	add.u64 r, r, %d3;
	ret;
}
.func (.reg .u64 r) once(.reg .u32 n)
{
	.reg .u32 %r<3>;
	.reg .u64 %d<3>;
	alloca.u32 %r1, n;
	stacksave.u32 %r2;
	sub.u32 %r2, %r2, %r1;
	cvt.u64.u32 r, %r2;
	ret;
}`, `
	stacksave.u64 %rd3;
	add.u32 %r2, %r1, 1;
	cvt.u64.u32 %rd4, %r2;
	call (%rd5), fill, (%rd4);
	call (%rd7), once, (%r2);
	stacksave.u64 %rd6;
	sub.u64 %rd3, %rd3, %rd6;
	add.u64 %rd5, %rd5, %rd3;
	add.u64 %rd5, %rd5, %rd7;
	cvt.u32.u64 %r9, %rd5;`), func(i uint32) uint32 {
			sum := uint32(0)
			for n := i + 1; ; n -= 7 {
				sum += n - 1
				if n <= 8 {
					return sum
				}
			}
		}},
		{"registers of all kinds survive", callBody(`
.func (.reg .f64 r) f(.reg .u32 n, .reg .f64 x)
{
	.reg .pred %p<3>;
	.reg .b16 %h<3>;
	.reg .b64 %d<3>;
	.reg .v2 .b32 v;
	.reg .u32 m;
	.reg .f64 y;
	mov.f64 r, x;
	setp.eq.u32 %p1, n, 0;
	@%p1 ret;
	and.b32 m, n, 1;
	setp.eq.u32 %p2, m, 1;
	cvt.u16.u32 %h1, n;
	cvt.u64.u32 %d1, n;
	mov.u32 v.x, n;
	mov.u32 v.y, m;
	sub.u32 m, n, 1;
	add.f64 y, x, 0d3FF0000000000000;
	call (r), f, (m, y);
	cvt.u32.u16 m, %h1;
	add.u32 m, m, v.x;
	add.u32 m, m, v.y;
	@%p2 add.u32 m, m, 1000;
	cvt.rn.f64.u32 y, m;
	add.f64 r, r, y;
	cvt.rn.f64.u64 y, %d1;
	add.f64 r, r, y;
	ret;
}`, `
	and.b32 %r2, %r1, 7;
	mov.f64 %fd1, 0d0000000000000000;
	call (%fd2), f, (%r2, %fd1);
	cvt.rzi.u32.f64 %r9, %fd2;`), func(i uint32) uint32 {
			sum := i % 8
			for n := i % 8; n > 0; n-- {
				sum += 3*n + n%2*1001
			}
			return sum
		}},
		{".alias and .weak", callBody(`
.weak .func (.reg .u32 r) deep(.reg .u32 n);
.visible .func (.reg .u32 r) real(.reg .u32 n)
{
	.reg .pred p;
	mov.u32 r, 3;
	setp.eq.u32 p, n, 0;
	@p ret;
	sub.u32 n, n, 1;
	call (r), deep, (n);
	add.u32 r, r, 2;
	ret;
}
.alias deep, real;
`, `
	and.b32 %r2, %r1, 3;
	call (%r9), deep, (%r2);`), func(i uint32) uint32 { return 3 + 2*(i%4) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, _, err := callRun{src: tt.src, words: 32}.run(t)
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range out {
				if want := tt.want(uint32(i)); got != want {
					t.Fatalf("lane %d: %d, want %d", i, got, want)
				}
			}
		})
	}
}

// TestCallFaults checks that a call that the manual leaves undefined is a fault that names the
// lanes.
func TestCallFaults(t *testing.T) {
	t.Parallel()
	proto := "p: .callprototype (.param .u32 _) _ (.param .u32 _, .param .u32 _);\n"
	for _, tt := range []struct{ name, src, code, lanes, text string }{
		{"no function", callBody(threeFuncs, "\tmov.u64 %rd3, out0;\n"+proto+"\tcall (%r9), %rd1, (1, 2), p;"), sim.CodeBadCall, "0-31", "which is no function"},
		{"between functions", callBody(threeFuncs, `
	mov.u64 %rd3, plus;
	setp.eq.u32 %p1, %r1, 5;
	@%p1 add.u64 %rd3, %rd3, 4;
`+proto+"\tcall (%r9), %rd3, (1, 2), p;"), sim.CodeBadCall, "5", "which is no function"},
		{"another shape", callBody(threeFuncs, `
	mov.u64 %rd3, plus;
	mov.u64 %rd4, wide;
	setp.lt.u32 %p1, %r1, 2;
	selp.u64 %rd3, %rd4, %rd3, %p1;
`+proto+"\tcall (%r9), %rd3, (1, 2), p;"), sim.CodeBadCall, "0-1", "calls wide, which has other parameters"},
		{"no body", callBody(".extern .func (.reg .u32 r) far(.reg .u32 a, .reg .u32 b);\n", "\tmov.u64 %rd3, far;\n"+proto+"\tcall (%r9), %rd3, (1, 2), p;"), sim.CodeBadCall, "0-31", "calls far"},
		{"reading a function", callBody(threeFuncs, "\tmov.u64 %rd3, minus;\n\tld.u32 %r9, [%rd3];"), sim.CodeOutOfBounds, "0-31", "it is the address of the function minus"},
		{"endless recursion", callBody(".func f(.reg .u32 n) { call f, (n); ret; }", "\tsetp.gt.u32 %p1, %r1, 29;\n\t@%p1 call f, (%r1);"), sim.CodeStackOverflow, "30-31", "of the 65536 bytes of its stack"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := callRun{src: strings.Replace(tt.src, "\tmov.u64 %rd3, out0;\n", "", 1), words: 32}.run(t)
			d := diag.Of(err)
			if len(d) != 1 || d[0].Code != tt.code || d[0].Lanes != tt.lanes || !strings.Contains(d[0].Message, tt.text) {
				t.Errorf("%v, want %s of lanes %s: %s", err, tt.code, tt.lanes, tt.text)
			}
		})
	}
}

// TestRecursionDepth checks that the possible depth grows in proportion to the size of the stack,
// and that a recursion that fits exactly is accepted.
func TestRecursionDepth(t *testing.T) {
	t.Parallel()
	src := callBody(`
.func (.reg .u32 r) f(.reg .u32 n)
{
	.reg .pred p;
	.reg .u32 m;
	mov.u32 r, 0;
	setp.eq.u32 p, n, 0;
	@p ret;
	sub.u32 m, n, 1;
	call (r), f, (m);
	add.u32 r, r, n;
	ret;
}`, "\tmul.lo.u32 %r2, %r1, 50;\n\tcall (%r9), f, (%r2);")
	out, _, err := callRun{src: src, words: 32, stack: 1 << 20}.run(t)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range out {
		if n := uint32(i) * 50; got != n*(n+1)/2 {
			t.Errorf("lane %d: %d", i, got)
		}
	}
	_, _, err = callRun{src: src, words: 32, stack: 8 << 10}.run(t)
	if d := diag.Of(err); len(d) != 1 || d[0].Code != sim.CodeStackOverflow || !strings.HasSuffix(d[0].Lanes, "-31") {
		t.Errorf("%v, want a stack overflow", err)
	}
}

// TestManyCalls checks that a called function gets code of its own if inlining would make the code
// too large or too deep.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	// Function z17 adds 1 to %r9 2^17 times.
	var b strings.Builder
	b.WriteString(".func (.reg .u32 r) z0(.reg .u32 a) { add.u32 r, a, 1; ret; }\n")
	for i := range 17 {
		fmt.Fprintf(&b, ".func (.reg .u32 r) z%d(.reg .u32 a) { call (r), z%d, (a); call (r), z%d, (r); ret; }\n", i+1, i, i)
	}
	// A chain of 300 functions.
	b.WriteString(".func (.reg .u32 r) c0(.reg .u32 a) { add.u32 r, a, 1; ret; }\n")
	for i := range 300 {
		fmt.Fprintf(&b, ".func (.reg .u32 r) c%d(.reg .u32 a) { call (r), c%d, (a); add.u32 r, r, 1; ret; }\n", i+1, i)
	}
	src := callBody(b.String(), "\tcall (%r2), z17, (%r1);\n\tcall (%r9), c300, (%r2);")
	out, _, err := callRun{src: src, words: 32}.run(t)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range out {
		if want := uint32(i) + 1<<17 + 301; got != want {
			t.Errorf("lane %d: %d, want %d", i, got, want)
		}
	}
}
