package ptx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/lane"
)

// TestEveryMnemonicSaysWhatItIsAbout checks that explain has a sentence for each mnemonic.
func TestEveryMnemonicSaysWhatItIsAbout(t *testing.T) {
	t.Parallel()
	for _, name := range instructions().names {
		if about(instructions().rows[name][0]) == "" {
			t.Errorf("%s has no About", name)
		}
	}
}

func parts(ps []ExplainedPart) string {
	var b strings.Builder
	for _, p := range ps {
		fmt.Fprintf(&b, "%s=%s %s: %s\n", p.Name, p.Text, p.Type, p.Meaning)
	}
	return b.String()
}

func TestExplainShfl(t *testing.T) {
	t.Parallel()
	e, err := Explain("shfl.sync.bfly.b32 %r1|%p, %r0, 4, 0x181f, 0xffffffff;", ExplainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Map == nil || e.Section != "9.7.9.6" || e.Needs != v(6, 0) || e.NeedsSM != 30 {
		t.Fatalf("%+v", e)
	}
	// c = 0x181f: segments of 8 lanes, clamp 31: lane XOR 4 stays inside.
	for i := range 32 {
		if e.Map.Src[i] != lane.Source(i^4) {
			t.Errorf("lane %d reads %v, want %d", i, e.Map.Src[i], i^4)
		}
	}
	if e.Pred != lane.All(32) || e.Map.Undef != 0 {
		t.Errorf("pred %v, undef %v", e.Pred, e.Map.Undef)
	}
	text := parts(e.Operands)
	for _, want := range []string{"p=%p pred: true where", "4 segments of 8 lanes", "membermask=0xffffffff u32: the lanes that must meet here: 0-31 (32 lanes)", "b=4 u32: the lane mask"} {
		if !strings.Contains(strings.ReplaceAll(text, "4294967295", "0xffffffff"), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}

	// Some bits of b and c have no effect, and b has a different meaning in each mode.
	for src, want := range map[string]string{
		"shfl.sync.idx.b32 d, a, 40, 0x1f, -1":        "b=40 u32: the source lane, within the segment: 8 (bits [4:0] of 0x28; the other bits are ignored)",
		"shfl.sync.up.b32 d, a, 32, 0x1800, -1":       "b=32 u32: the lane offset: 0 (bits [4:0] of 0x20",
		"shfl.sync.bfly.b32 d, a, 31, 0xffff1fff, -1": "clamp 31, segmask 0x1f: 32 segments of 1 lane",
	} {
		e, err := Explain(src, ExplainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if text := parts(e.Operands); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", src, want, text)
		}
	}

	// Lanes 16 and up are off. Lanes 0-3 of each segment still read inside it, and the membermask
	// names lanes that do not execute.
	exec := uint32(0xf)
	e, err = Explain("shfl.sync.down.b32 d, a, b, 31, m", ExplainOptions{Exec: &exec, Values: map[string][]uint64{"b": {2}, "m": {0xf}}})
	if err != nil {
		t.Fatal(err)
	}
	if e.Map.Undef != 0b1100 { // lanes 2 and 3 read 4 and 5
		t.Errorf("undef %v", e.Map.Undef)
	}
	e, err = Explain("shfl.up.b32 d, a, b, 0", ExplainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Map != nil || len(e.Notes) == 0 || e.Deprecated != v(6, 0) || e.RemovedSM != 70 {
		t.Errorf("%+v", e)
	}
}

// TestExplainShf checks the order of the two words, and how the amount counts.
func TestExplainShf(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][]string{
		"shf.l.clamp.b32 r3, r1, r0, 16;": {".l=.l : to the left: the most significant 32 bits", "min(c, 32)", "a=r1 b32: the low word, bits 31:0", "b=r0 b32: the high word, bits 63:32", "c=16 u32: the amount, unsigned"},
		"shf.r.wrap.b32 d, x, x, n;":      {".r=.r : to the right: the least significant 32 bits", "c & 31", "the same register as b makes it a rotate"},
	} {
		e, err := Explain(src, ExplainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text := parts(e.Modifiers) + parts(e.Operands)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", src, w, text)
			}
		}
		if e.Section != "9.7.8.7" || e.Needs != v(3, 1) || e.NeedsSM != 32 || e.Map != nil {
			t.Errorf("%s: %+v", src, e)
		}
	}
}

func TestExplainFolds(t *testing.T) {
	t.Parallel()
	iota32 := make([]uint64, 32)
	for i := range iota32 {
		iota32[i] = uint64(i)
	}
	exec := uint32(0xff)
	tests := []struct{ src, result string }{
		{"redux.sync.add.s32 d, a, 0xff", "28"},
		{"redux.sync.max.u32 d, a, 0x0f", "3"},
		{"redux.sync.xor.b32 d, a, 0xff", "0x0"},
		{"vote.sync.ballot.b32 d, a, 0xff", "0x000000aa"},
		{"vote.sync.ballot.b32 d, !a, 0xff", "0x00000055"},
		{"vote.sync.any.pred d, a, 0x55", "false"},
		{"match.all.sync.b32 d|p, a, 0xff", "0x00000000, false"},
		{"activemask.b32 d", "0x000000ff"},
		{"elect.sync d|p, 0xf0", "4"},
	}
	for _, tt := range tests {
		e, err := Explain(tt.src, ExplainOptions{Exec: &exec, Values: map[string][]uint64{"a": iota32}})
		if err != nil {
			t.Errorf("%s: %v", tt.src, err)
			continue
		}
		if e.Fold == nil || e.Fold.Result != tt.result {
			t.Errorf("%s: %+v, want %s", tt.src, e.Fold, tt.result)
		}
	}
}

func TestExplainErrors(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"", "frob a, b", "add.s32 a, b", "ret; ret", "bra 5", "call", "call (r)", "call (r), (a)", "call %rd1, (a)", "bra L, M"} {
		if _, err := Explain(src, ExplainOptions{}); err == nil {
			t.Errorf("%q: no error", src)
		}
	}
}

// TestExplainNames checks that labels and functions need no declaration, and that they are
// distinguished from registers.
func TestExplainNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ src, operands string }{
		{"@!p bra.uni $L__BB0_2", "tgt=$L__BB0_2"},
		{"brx.idx i, targets", "a=i tlist=targets"},
		{"call.uni f", "function=f"},
		{"call f, (%r1)", "function=f arguments=%r1"},
		{"@p call (%r3), f, (%r1, %r2, 5)", "results=%r3 function=f arguments=%r1, %r2, 5"},
		{"call (%r3), %rd1, (%r1), proto", "results=%r3 function=%rd1 arguments=%r1 prototype=proto"},
		{"call %rd1, proto", "function=%rd1 prototype=proto"},
	} {
		e, err := Explain(tt.src, ExplainOptions{})
		if err != nil {
			t.Errorf("%s: %v", tt.src, err)
			continue
		}
		var got []string
		for _, p := range e.Operands {
			got = append(got, p.Name+"="+p.Text)
		}
		if s := strings.Join(got, " "); s != tt.operands {
			t.Errorf("%s: %s, want %s", tt.src, s, tt.operands)
		}
	}
	if e, err := Explain("ex2.approx.f32 f, g", ExplainOptions{}); err != nil || e.Bound != "2 ulp of the correctly rounded result" {
		t.Errorf("ex2: bound %q, %v", e.Bound, err)
	}
}

// TestExplainWords checks modifier and operand names that mean something different in each
// instruction.
func TestExplainWords(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][]string{
		"setp.lt.f16x2 p|q, a, b":                          {"q: the result for the high halves"},
		"setp.lt.s32 p|q, a, b":                            {"q: the same of the comparison's complement"},
		"lop3.or.b32 d|p, a, b, c, 0x80, q":                {"p: d is not 0, combined with q by BoolOp"},
		"match.all.sync.b32 d|p, a, -1":                    {"p: true if all members hold the same value", ".sync: waits for the lanes of membermask"},
		"vote.sync.uni.pred p, q, -1":                      {".uni: true if all are equal"},
		"bra.uni L":                                        {".uni: all threads of the warp branch the same way"},
		"dp2a.hi.s32.u32 d, a, b, c":                       {".hi: bytes 2 and 3 of b"},
		"mul.hi.s32 d, a, b":                               {".hi: the high half of the product"},
		"bar.red.popc.u32 d, 2, 64, p":                     {"b: how many threads it waits for: a multiple of 32"},
		"barrier.sync 3":                                   {".sync: waits for other threads", "a: the number of the barrier, 0 to 15"},
		"bar.warp.sync m":                                  {".sync: waits for the lanes of membermask"},
		"atom.acquire.gpu.global.add.u32 d, [a], b":        {".acquire: accesses after it see the released writes", ".gpu: with regard to all threads on the device"},
		"mbarrier.try_wait.parity.shared.b64 p, [a], b, c": {"state: the parity of the phase: 0 or 1", "hint: how long to wait at most, in nanoseconds"},
		"mbarrier.test_wait.shared.b64 p, [a], b":          {"state: the state that an arrival gave"},
		"cp.async.ca.shared.global [a], [b], 16, s":        {".async: runs in the background"},
	} {
		e, err := Explain(src, ExplainOptions{})
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		var got []string
		for _, p := range e.Modifiers {
			got = append(got, p.Text+": "+p.Meaning)
		}
		for _, p := range e.Operands {
			got = append(got, p.Name+": "+p.Meaning)
		}
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: no %q in %q", src, w, got)
			}
		}
	}
}

// TestForms checks the view of the table that the reference pages use.
func TestForms(t *testing.T) {
	t.Parallel()
	forms := Forms()
	n := 0
	for _, f := range forms {
		if f.About == "" || f.Section == "" || f.Cost == "" || !strings.HasPrefix(f.Syntax, f.Mnemonic) {
			t.Errorf("%+v", f)
		}
		if f.Deprecated != (Version{}) && f.Instead == "" {
			t.Errorf("%s is deprecated, in favour of what?", f.Syntax)
		}
		n += len(f.Classes)
	}
	if len(forms) < 200 || n < 200 {
		t.Errorf("%d forms, %d classes", len(forms), n)
	}
	for op, want := range map[string]bool{"shfl.sync.bfly.b32": true, "add.s32": true, "wmma.load.a": false, "": false, "add": false, "ld.global.volatile.u32": true} {
		if Supports(op) != want {
			t.Errorf("Supports(%q) = %v", op, !want)
		}
	}
}
