package debug

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"example.org/crosslane"
)

// callsKernel adds up 1 to lane%4 by recursion, in add, and doubles the sum in twice, which is inlined. Lane 31 reaches
// add by another call.
const callsKernel = `.version 8.0
.target sm_80
.address_size 64
.func (.reg .u32 r) twice(.reg .u32 a) {
	add.u32 r, a, a;
	ret;
}
.func (.reg .u32 r) sum(.reg .u32 n) {
	.reg .pred p;
	.reg .u32 t;
	setp.eq.u32 p, n, 0;
	mov.u32 r, 0;
	@p bra done;
	sub.u32 t, n, 1;
	call (r), sum, (t);
	add.u32 r, r, n;
done:
	ret;
}
.visible .entry k(.param .u64 out) {
	.reg .pred p;
	.reg .u32 t, n, s, d;
	.reg .u64 a, o;
	mov.u32 t, %laneid;
	and.b32 n, t, 3;
	setp.eq.u32 p, t, 31;
	@p bra other;
	call (s), sum, (n);
	bra join;
other:
	call (s), sum, (n);
join:
	call (d), twice, (s);
	ld.param.u64 o, [out];
	mul.wide.u32 a, t, 4;
	add.u64 a, a, o;
	st.global.u32 [a], d;
	ret;
}
.visible .entry plain() {
	.reg .u32 n, s;
	mov.u32 n, %laneid;
	and.b32 n, n, 3;
	call (s), sum, (n);
	call (s), twice, (s);
	ret;
}
`

func calling(t *testing.T, name string) (*Session, []uint32) {
	t.Helper()
	m, err := crosslane.Load([]byte(callsKernel), "calls.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, 32)
	l := crosslane.Launch{Block: crosslane.Dim3{X: 32}}
	if name == "k" {
		l.Args = []crosslane.Arg{crosslane.Slice("out", out)}
	}
	r, err := k.Record(t.Context(), l, crosslane.RecordOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return New(r), out
}

// lineOf is the number of the n-th line of the kernel that has a text.
func lineOf(text string, n int) int {
	for i, l := range strings.Split(callsKernel, "\n") {
		if strings.Contains(l, text) {
			if n--; n == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// TestCalls compares the calls of each step of each lane with a model: the recursion of a lane is lane%4 deep, and lanes
// come from the call of their path.
func TestCalls(t *testing.T) {
	t.Parallel()
	s, out := calling(t, "k")
	for i, v := range out {
		if n := uint32(i % 4); v != n*(n+1) {
			t.Fatalf("out[%d] = %d", i, v)
		}
	}
	recursive, twice := lineOf("call (r), sum", 1), lineOf("call (d)", 1)
	deepest := map[int]int{}
	for _, n := range s.stepsOf() {
		st, err := s.rec.Step(n)
		if err != nil {
			t.Fatal(err)
		}
		calls, err := s.rec.Calls(n)
		if err != nil {
			t.Fatal(err)
		}
		l := st.Lanes.Lanes()[0]
		var lines []int
		for _, c := range calls {
			lines = append(lines, c.Line)
		}
		state, err := s.rec.At(n, st.Wave)
		if err != nil {
			t.Fatal(err)
		}
		for i := range state.Fragments {
			if f := &state.Fragments[i]; f.ID == state.Running && fmt.Sprint(f.Calls) != fmt.Sprint(calls) {
				t.Errorf("step %d: the state has the calls %v, the step %v", n, f.Calls, calls)
			}
		}
		switch {
		case st.Function == "" && len(lines) == 0:
			continue
		case st.Function == "twice" && len(lines) == 1 && lines[0] == twice:
			continue
		case st.Function != "sum" || len(lines) == 0:
			t.Fatalf("step %d, line %d in %q, has the calls %v", n, st.Line, st.Function, lines)
		}
		entry := lineOf("call (s), sum", 1)
		if l == 31 {
			entry = lineOf("call (s), sum", 2)
		}
		for _, x := range lines[:len(lines)-1] {
			if x != recursive {
				t.Errorf("step %d: line %d is not the recursive call", n, x)
			}
		}
		if x := lines[len(lines)-1]; x != entry {
			t.Errorf("step %d of lane %d: the outermost call is line %d, want %d", n, l, x, entry)
		}
		deepest[l] = max(deepest[l], len(lines))
	}
	if deepest[31] != 31%4+1 && deepest[31] != 0 {
		t.Errorf("lane 31 is %d calls deep", deepest[31])
	}
	top := 0
	for _, d := range deepest {
		top = max(top, d)
	}
	if top != 4 {
		t.Errorf("the deepest stack has %d calls, want 4", top)
	}
}

// TestStepOver: next goes over a call with all that it does, finish goes to the return, and a breakpoint in the function ends both.
func TestStepOver(t *testing.T) {
	t.Parallel()
	call, ret, twice := lineOf("call (s), sum", 3), lineOf("add.u32 r, r, n", 1), lineOf("call (s), twice", 1)
	line := func(s *Session) int {
		st, err := s.rec.Step(s.at)
		if err != nil {
			t.Fatal(err)
		}
		return st.Line
	}
	s, _ := calling(t, "plain")
	got := script(t, s, "b "+strconv.Itoa(call), "c", "next")
	if line(s) == call {
		t.Fatalf("next did not move:\n%s", got)
	}
	// The inlined function, too.
	for line(s) != twice && s.at != s.end {
		script(t, s, "next")
	}
	if script(t, s, "next"); s.at != s.end && line(s) < twice {
		t.Errorf("next went into the inlined function, to line %d", line(s))
	}
	s, _ = calling(t, "plain")
	got = script(t, s, "b "+strconv.Itoa(call), "c", "b "+strconv.Itoa(ret), "next", "stack")
	wants(t, got, "stop 1", fmt.Sprintf("stop 2: line %d", ret), "0: sum, "+strconv.Itoa(ret), fmt.Sprintf("plain, %d  call (s), sum, (n)", call))
	before, _ := s.rec.Calls(s.at)
	script(t, s, "delete", "finish")
	if after, err := s.rec.Calls(s.at); err != nil || len(after) != len(before)-1 {
		t.Errorf("finish went from the calls %v to %v, %v", before, after, err)
	}
	s, _ = calling(t, "plain")
	wants(t, script(t, s, "b "+strconv.Itoa(call), "c", "s", "stack"), "0: sum,", "1: plain,")
}

// TestAdapterCalls: frames of calls follow their fragment, stepIn enters, stepOut returns, next goes over.
func TestAdapterCalls(t *testing.T) {
	t.Parallel()
	s, _ := calling(t, "plain")
	c := connect(t, s.rec, `{"program":"calls.ptx"}`)
	call, twice := lineOf("call (s), sum", 3), lineOf("call (s), twice", 1)
	c.request("setBreakpoints", fmt.Sprintf(`{"source":{"path":"/x/calls.ptx"},"breakpoints":[{"line":%d}]}`, call))
	c.moves("configurationDone", "{}")
	if _, f := c.moves("continue", `{"threadId":1}`); f.Line != call {
		t.Fatalf("line %d", f.Line)
	}
	_, f := c.moves("stepIn", `{"threadId":1}`)
	frames := c.request("stackTrace", `{"threadId":1}`).(*dap.StackTraceResponse).Body.StackFrames
	if !strings.Contains(f.Name, "in sum") || len(frames) != 2 || frames[1].Line != call || !strings.HasPrefix(frames[1].Name, "called by plain: call") {
		t.Fatalf("%+v", frames)
	}
	c.request("setBreakpoints", `{"source":{"path":"/x/calls.ptx"},"breakpoints":[]}`)
	if _, f = c.moves("stepOut", `{"threadId":1}`); strings.Contains(f.Name, "in sum") || f.Line < call || f.Line > twice {
		t.Errorf("stepOut: %+v", f)
	}
	if m := c.request("modules", "{}").(*dap.ModulesResponse).Body; len(m.Modules) != 1 || m.Modules[0].Name != "calls.ptx" {
		t.Errorf("%+v", m)
	}
}
