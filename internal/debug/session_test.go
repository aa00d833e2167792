package debug

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/value"
)

// partialReduce is a recording of partial_reduce in examples/ptx/mistakes.ptx: 20 lanes shuffle as if they were 32.
func partialReduce(t *testing.T) *Session {
	t.Helper()
	src, err := os.ReadFile("../../examples/ptx/mistakes.ptx")
	if err != nil {
		t.Fatal(err)
	}
	m, err := crosslane.Load(src, "mistakes.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("partial_reduce")
	if err != nil {
		t.Fatal(err)
	}
	in, out := make([]int32, 32), make([]int32, 1)
	for i := range in {
		in[i] = int32(i%7 + 1)
	}
	r, err := k.Record(t.Context(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 32},
		Args: []crosslane.Arg{crosslane.Slice("in", in), crosslane.Slice("out", out), crosslane.Int(20)}}, crosslane.RecordOptions{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	return New(r)
}

// script runs commands and returns what they print.
func script(t *testing.T, s *Session, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Run(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out, Options{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func wants(t *testing.T, got string, parts ...string) {
	t.Helper()
	at := 0
	for _, p := range parts {
		i := strings.Index(got[at:], p)
		if i < 0 {
			t.Fatalf("%q is missing, or too early, in\n%s", p, got)
		}
		at += i + len(p)
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	s := partialReduce(t)
	// Lane i of line 36 reads lane i+16: 4 lanes find one, 12 are undefined and keep their own value, 4 are beyond the end.
	wants(t, script(t, s, "b 36", "c", "s", "p %r6", "p %r6[4]", "p count(undefined(%r6))", "p sum(%r5)", "lanes"),
		"1: line 36", "stop 1", "lanes 0-19: 36  shfl.sync.down.b32 %r6, %r5", "undefined-source",
		"%r6 = 3..6 5? 6? 7? 1? 2? 3? 4? 5? 6? 7? 1? 2? 3..6",
		"%r6[4] = 5?", "count(undefined(%r6)) = 12", "sum(%r5) = 77", "lanes 0-19", "lanes 20-31")
	// Going back takes the value away.
	back := script(t, s, "goto 0", "b 36", "c", "s", "bs", "p any(%r6)")
	if strings.Contains(back, "any(%r6) = 1") {
		t.Errorf("line 36 is undone, and %%r6 has a value:\n%s", back)
	}
}

// TestWatch stops at the write of a lane's register, from both sides, and at a store.
func TestWatch(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"goto 0\nc", "goto end\nrc"} {
		wants(t, script(t, partialReduce(t), "watch %r13[0]", from), "stop 1: %r13[0]: writes %r13 of lane 0", "43  add.s32 %r13")
		wants(t, script(t, partialReduce(t), "watch out[0]", from), "stop 1: out[0]: store by lane 0", "49  st.global.b32")
		wants(t, script(t, partialReduce(t), "break finding undefined-source", from), "undefined-source")
	}
	// The address of lane 5 is that of in[5].
	wants(t, script(t, partialReduce(t), "b 35 if lane == 5 && %rd6 - %rd5 == in[0]*0 + %rd1", "c", "p in[lane]:u32", "p in[3]"),
		"35  ld.global", "in[lane]:u32 = 1..7 1..7 1..6 · ×12", "in[3] = 4")
}

// TestBackAndForth: n steps and n back are the identity, at random positions.
func TestBackAndForth(t *testing.T) {
	t.Parallel()
	s := partialReduce(t)
	r := rand.New(rand.NewPCG(3, 4))
	all := func() string { return script(t, s, "regs", "lanes") }
	for range 40 {
		if err := s.jump(r.IntN(s.end)); err != nil {
			t.Fatal(err)
		}
		before, at := all(), s.at
		n := s.move(1 + r.IntN(8))
		if s.move(-n); s.at != at || all() != before {
			t.Fatalf("step %d, %d forwards and back: step %d, or another state", at, n, s.at)
		}
		n = s.move(-1 - r.IntN(8))
		if s.move(-n); s.at != at || all() != before {
			t.Fatalf("step %d, %d back and forwards: step %d, or another state", at, n, s.at)
		}
	}
}

// TestMistakes: bad commands are named and change nothing.
func TestMistakes(t *testing.T) {
	t.Parallel()
	s := partialReduce(t)
	for text, want := range map[string]string{
		"jump":                           "there is no command",
		"b 9999":                         "no step is of line 9999",
		"b here":                         "found \"here\"",
		"b 36 if":                        "found \"36 if\"",
		"b 36 if %r1 +":                  "ends too early",
		"b 36 if (%r1":                   "is missing at the end",
		"b 36 if %r1 %r2":                "not expected",
		"w %r6[40]":                      "lanes are 0 to 31",
		"w nothing":                      "there is no register or memory nothing",
		"w local[0]":                     "private memory cannot be watched",
		"p %r99":                         "%r99",
		"p nothing":                      "there is no register, buffer or function nothing",
		"p out":                          "an element is out[INDEX]",
		"p out[99]":                      "out",
		"p %r6:f33":                      "no element type",
		"p %r6[99]":                      "from 0 to 63",
		"p shared[0]":                    "type of elements of shared",
		"p f(1)":                         "there is no function f",
		"s -1":                           "not a number",
		"goto 9999":                      "9999",
		"wave 7":                         "there is no wave 7",
		"last %r6":                       "REGISTER[LANE]",
		"why %r14[31]":                   "no step before this one wrote",
		"d 7":                            "there is no breakpoint 7",
		"p " + strings.Repeat("(", 1000): "nested",
	} {
		at := s.at
		if r := s.Do(context.Background(), text, nil); !strings.Contains(r.Error, want) {
			t.Errorf("%s: %q, want %q", text, r.Error, want)
		}
		if s.at != at || len(s.points) != 0 {
			t.Fatalf("%s: it changed something", text)
		}
	}
}

func TestWhyAndJSON(t *testing.T) {
	t.Parallel()
	s := partialReduce(t)
	var out bytes.Buffer
	if err := s.Run(t.Context(), strings.NewReader("goto end\nwhy out[0]\nlast %r13[0]\ns\nq\n"), &out, Options{JSON: true}); err != nil {
		t.Fatal(err)
	}
	type answer struct {
		Reply
		Why json.RawMessage `json:"why"`
	}
	var replies []answer
	for d := json.NewDecoder(&out); d.More(); {
		var r answer
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		replies = append(replies, r)
	}
	if len(replies) != 6 {
		t.Fatalf("%d replies", len(replies))
	}
	if !replies[1].At.End || !bytes.Contains(replies[2].Why, []byte("undefined")) || replies[3].At.Line != 43 || replies[4].Did[0].Line != 43 || replies[4].At.Line != 44 {
		t.Errorf("%+v", replies)
	}
}

// FuzzExpression: no expression panics.
func FuzzExpression(f *testing.F) {
	for _, s := range []string{"any(%r1 > 5)", "lane == 17", "%r6[0..7]:f32", "out[3]", "shared[0x40]:u32", "v[0:1] << 3 % 0", "-~!1.5e+3/0", "sum(%r6)*lane-step", "in[lane*4]:f64"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parse(text)
		if err != nil {
			return
		}
		_, _ = n(fakeEnv{})
	})
}

// fakeEnv has one register of every name that begins with %, and memory of every other name.
type fakeEnv struct{}

func (fakeEnv) lanes() uint64 { return 0xff }
func (fakeEnv) step() int     { return 3 }
func (fakeEnv) register(name string) (*vector, error) {
	if name[0] != '%' {
		return nil, nil
	}
	v := &vector{lanes: 0xffff, typ: "s32"}
	for i := range 16 {
		v.setBits(i, uint64(i)*0x20000001)
	}
	return v, nil
}
func (fakeEnv) hasMemory(string) bool                                          { return true }
func (fakeEnv) element(_ string, index *vector, _ value.Type) (*vector, error) { return index, nil }
