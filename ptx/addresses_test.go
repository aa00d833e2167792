package ptx

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/sim"
)

// A kept is memory that lives across the launches of one module: its variables and a buffer of 64
// bits.
type kept struct {
	m      *Module
	mem    *sim.Memory
	list   []*Global
	allocs map[GlobalKey]*sim.Alloc
	data   []byte
	buf    *sim.Alloc
}

// keep places the variables of a module.
func keep(t *testing.T, m *Module) *kept {
	t.Helper()
	list, err := Globals(m)
	if err != nil {
		t.Fatal(err)
	}
	d := &kept{m: m, mem: sim.NewMemory(), list: list, allocs: map[GlobalKey]*sim.Alloc{}, data: make([]byte, 264)[:256]}
	d.buf = d.mem.Add("buf", d.data)
	for _, g := range list {
		data := make([]byte, g.Size+8)[:g.Size]
		copy(data, g.Data)
		d.allocs[g.Key] = d.mem.Add(g.Name, data)
	}
	for _, g := range list {
		for _, r := range g.Relocs {
			binary.LittleEndian.PutUint64(d.allocs[g.Key].Data[r.Offset:], d.allocs[list[r.Target].Key].Base+uint64(r.Addend))
		}
	}
	return d
}

// launch runs one lane of a kernel whose parameter is the address of the buffer.
func (d *kept) launch(t *testing.T, kernel string) error {
	t.Helper()
	k, err := Lift(d.m, kernel)
	if err != nil {
		t.Fatal(err)
	}
	l := &sim.Launch{
		Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Memory: d.mem, Workers: 1, Limits: sim.Limits{Timeout: 20 * time.Second},
		Stack: 1 << 16, Func: k.Func, Param: binary.LittleEndian.AppendUint64(nil, d.buf.Base),
	}
	for _, g := range k.Globals {
		l.Values = append(l.Values, d.allocs[g.Key].Base)
	}
	if l.Program, err = (interp.Engine{}).Compile(k.Func); err != nil {
		t.Fatal(err)
	}
	_, _, err = sim.Run(context.Background(), l)
	return err
}

// word returns element i of the buffer.
func (d *kept) word(i int) uint64 { return binary.LittleEndian.Uint64(d.data[8*i:]) }

// pointersText has kernels that store pointers for one another. Each kernel mentions other functions
// in another order, so a number in order of use would differ. No kernel that calls mentions twice,
// plus or the table.
const pointersText = head + `
.global .u32 seen;
.func (.param .b32 r) half(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; shr.u32 %x, %x, 1; st.param.b32 [r], %x; ret; }
.func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, %x; st.param.b32 [r], %x; ret; }
.func (.param .b32 r) plus(.param .b32 a) {
	.reg .b32 %x; .reg .b64 %c;
	ld.param.b32 %x, [a];
	mov.u64 %c, seen; st.global.u32 [%c], %x;
	add.u32 %x, %x, 100;
	st.param.b32 [r], %x; ret;
}
.func (.param .b32 r) refused(.param .b32 a) { .reg .b32 %x; .reg .b64 %rd; inner; st.param.b32 [r], 1; ret; }
.func other(.param .b64 a) { ret; }
.global .u64 methods[2] = {plus, half};
.entry make(.param .u64 p) {
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	mov.u64 %rd2, other;
	st.global.u64 [%rd1+56], %rd2;
	mov.u64 %rd2, twice;
	st.global.u64 [%rd1], %rd2;
	mov.u64 %rd2, methods;
	st.global.u64 [%rd1+8], %rd2;
	ret;
}
.entry mistake(.param .u64 p) {
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	mov.u64 %rd2, refused;
	st.global.u64 [%rd1], %rd2;
	ret;
}
.entry use(.param .u64 p) {
proto: .callprototype (.param .b32 _) _ (.param .b32 _);
	.reg .b64 %rd<6>; .reg .b32 %r<4>;
	.param .b32 in; .param .b32 out;
	ld.param.u64 %rd1, [p];
	mov.u64 %rd2, half;
	st.param.b32 [in], 21;
	ld.global.u64 %rd3, [%rd1];
	call (out), %rd3, (in), proto;
	ld.param.b32 %r1, [out];
	st.global.u32 [%rd1+16], %r1;
	ld.global.u64 %rd4, [%rd1+8];
	ld.global.u64 %rd5, [%rd4];
	call (out), %rd5, (in), proto;
	ld.param.b32 %r1, [out];
	st.global.u32 [%rd1+24], %r1;
	call (out), %rd2, (in), proto;
	ld.param.b32 %r1, [out];
	st.global.u32 [%rd1+32], %r1;
	ret;
}
.entry listed(.param .u64 p) {
targets: .calltargets half;
	.reg .b64 %rd<4>; .reg .b32 %r<4>;
	.param .b32 in; .param .b32 out;
	ld.param.u64 %rd1, [p];
	st.param.b32 [in], 21;
	ld.global.u64 %rd3, [%rd1];
	call (out), %rd3, (in), targets;
	ret;
}
.entry plain(.param .u64 p) { ret; }
`

// TestPointersOfOtherKernels makes kernels call functions through pointers that another kernel
// stored: the address of a function, and the address of a table of functions.
func TestPointersOfOtherKernels(t *testing.T) {
	t.Parallel()
	src := strings.Replace(pointersText, "inner;", "tex.2dms.v4.s32.s32 {%x, %x, %x, %x}, [%rd, {%x, %x, %x, %x}];", 1)
	for _, large := range []int{0, 1 << 30} {
		m, errs := load("k.ptx", src, large)
		if errs.Err() != nil {
			t.Fatal(errs)
		}
		d := keep(t, m)
		for _, k := range []string{"make", "use"} {
			if err := d.launch(t, k); err != nil {
				t.Fatalf("%s: %v", k, err)
			}
		}
		if got, want := []uint64{d.word(2), d.word(3), d.word(4)}, []uint64{42, 121, 10}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the calls return %d, want %d", got, want)
		}
		for _, g := range d.list {
			if g.Name == "seen" {
				if n := binary.LittleEndian.Uint32(d.allocs[g.Key].Data); n != 21 {
					t.Errorf("plus stored %d in the variable of the module, want 21", n)
				}
			}
		}
		// A list of targets promises that no other function is called.
		if err := d.launch(t, "listed"); err == nil || !strings.Contains(err.Error(), "calls twice, which") {
			t.Errorf("listed: %v", err)
		}
		// A function that Crosslane does not support is a fault only if a lane calls it.
		if err := d.launch(t, "mistake"); err != nil {
			t.Fatal(err)
		}
		if err := d.launch(t, "use"); err == nil || !strings.Contains(err.Error(), "calls refused, which") {
			t.Errorf("use of refused: %v", err)
		}
		if k, err := Lift(m, "plain"); err != nil || len(k.Func.Tables) > 0 || len(k.Func.Functions) > 0 {
			t.Errorf("a kernel without calls: %v, %d tables", err, len(k.Func.Tables))
		}
		if k, err := Lift(m, "make"); err != nil || len(k.Func.Tables) > 0 {
			t.Errorf("a kernel that calls nothing has %d tables, %v", len(k.Func.Tables), err)
		}
	}
}

// TestCompactTables checks that a table of an indirect call has an entry for each function of its
// shape whose address the module takes, and none for the 5000 other functions.
func TestCompactTables(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(head)
	for i := range 2000 {
		fmt.Fprintf(&b, ".func plain%d(.param .b32 a) { ret; }\n.func long%d(.param .b64 a) { ret; }\n", i, i)
	}
	for i := range 1000 {
		fmt.Fprintf(&b, ".func short%d(.param .b16 a) { ret; }\n", i)
	}
	b.WriteString(".global .u64 longs[2000] = {long0")
	for i := range 1999 {
		fmt.Fprintf(&b, ", long%d", i+1)
	}
	b.WriteString(`};
.global .u64 two[2] = {short7, short900};
.entry k(.param .u64 p) {
proto: .callprototype _ (.param .b16 _);
	.reg .b64 %rd; .param .b16 in;
	ld.param.u64 %rd, [p];
	ld.global.u64 %rd, [%rd];
	call %rd, (in), proto;
	ret;
}
`)
	for _, large := range []int{0, 1 << 30} {
		m, errs := load("k.ptx", b.String(), large)
		if errs.Err() != nil {
			t.Fatal(errs)
		}
		k, err := Lift(m, "k")
		if err != nil {
			t.Fatal(err)
		}
		entries := 0
		for _, list := range k.Func.Tables {
			entries += len(list)
		}
		if entries != 2+1 || len(k.Func.Code) > 100 {
			t.Errorf("the tables have %d entries, want 2 functions and 1 place to return to; %d operations", entries, len(k.Func.Code))
		}
	}
}
