package ir

import (
	"strings"
	"testing"
)

// sample has every kind of line.
const sample = `func "k" lanes=32 guest=640 frame=1152 shared=16 local=8 max=64 req=32,1,1 windows=0x10000,0x0,0x0 exec=%m meet stack observer observed
file "k.ptx"
value %r1 b32 @64
value #2 b32 @192 = "two words"
value %m b1 @320
value #4 b32 @64 = "%r1"
value s0 b32 scalar @328
const 0x4:b32 b32 @640 = 0x4
const 0x4:b32.s b32 scalar @768 = 0x4
temp t8 b32 @832
temp t9 b32 scalar @960
value %d b64 @384
var "v" 0 16
function "f"
table 1 -1
observed 3 %r1 _ s0
input 13 %r1 0x0
b0:
  ; 0 7 2 16 "add.u32 %r1, %r1, 4;" "add.u32" "PTX 9.7.1.1" "no \"fact\""
    t8 = Add32 %r1, 0x4:b32
    @!%m %r1 = Mov32 t8
    s.Observe #0x3
  ; 2 8 1 0 "ld" "ld.global" ""
    @%m %r1 = Load.global.4 %d #0x8 align=0x4 flags=0x2 order=0x3
    BraTable %r1 first=true
b1:
  ; 0
    @%m Bra #0x0
b2:
    Exit
`

// Text is the inverse of Parse, and Parse that of Text.
func TestParse(t *testing.T) {
	t.Parallel()
	f, err := Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Text(); err != nil || got != sample {
		t.Errorf("%v\n%s", err, got)
	}
	if f.Name != "k" || f.Exec != 3 || !f.MeetAnywhere || f.StackUp || f.Windows.Shared() != SharedPTX+0x10000 || f.Blocks[2] != (Block{6, 7}) ||
		f.Values[4].Name != "%r1" || f.Code[3].Order != Strong|Acquire || f.Pos[0].Open[0] != `no "fact"` || f.Observed[3].Refs[1] != 5 || f.Tables[0][1] != -1 {
		t.Errorf("%+v", f)
	}
}

// A text that is wrong gets an error with its line, or with the place that Validate names.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new, want string }{
		{sample, "", "no line that begins with func"},
		{`func "k"`, `file "x"`, "line 1: \"file\" comes before"},
		{"lanes=32", "lanes=16", "line 1: a function has 32 or 64 lanes"},
		{"frame=1152", "frame=99999999", "line 1: a frame has at most"},
		{"exec=%m", "exec=%q", "there is no value \"%q\""},
		{"meet", "met=1 what", "a function has no \"what\""},
		{"value %r1 b32 @64", "value %r1 b33 @64", "line 3: there is no type \"b33\""},
		{"value %r1 b32 @64", "value %r1 b32 64", "line 3: %r1 has no offset"},
		{"value %m b1", "value %r1 b1", "line 5: %r1 is declared twice"},
		{"@64", "@1151", "outside the frame"},
		{"const 0x4:b32 b32 @640 = 0x4", "const 0x4:b32 b32 @640 = four", "line 8: the value of 0x4:b32"},
		{"table 1 -1", "table 1 -2", "line 15: \"-2\" is no block"},
		{"table 1 -1", "table 1 7", "a table has block 7 of 3"},
		{"observed 3 %r1 _ s0", "observed 3 %r1", "line 16: an observed line"},
		{"input 13", "input 200", "line 17: there is no input of kind 200"},
		{"b1:", "b7:", "line 26: there is no operation \"b7:\""},
		{"b0:\n", "", "line 19: \"t8"},
		{"  ; 2 8 1 0", "  ; 16777 8 1 0", "line 23: \"16777\" is no number of a guest instruction"},
		{`"ld.global" ""`, `"ld.global"`, "a text in quotes is expected"},
		{"Add32", "Add33", "line 20: there is no operation \"Add33\""},
		{"Add32 %r1, 0x4:b32", "Add32 %r1, 0x5:b32", "there is no value \"0x5:b32\""},
		{"Add32 %r1, 0x4:b32", "Add32 %r1, %r1, %r1, %r1, %r1", "more than 4 operands"},
		{"Add32 %r1, 0x4:b32", "Add32 %r1, %d", "Add32"},
		{"Load.global.4", "Load.globe.4", "there is no space \"globe\""},
		{"Load.global.4", "Load.global.five", "no size of an access"},
		{"align=0x4", "size=0x4", "an operation has no size=0x4"},
		{"flags=0x2", "flags=0x200", "an operation has no flags"},
		{"Bra #0x0", "Bra #0x9", "branch to block 9 of 3"},
		{"    Exit", "    @%m Exit", "past the end"},
	} {
		text := strings.Replace(sample, c.old, c.new, 1)
		if text == sample {
			t.Fatalf("%q is not in the sample", c.old)
		}
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

// FuzzParse: no text makes Parse panic; a function that it returns has a text that Parse reads, and
// that has the same text.
func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add("func \"\" lanes=64 guest=64 frame=64\nb0:\n; 0 0 0 0 \"\" \"\" \"\"\nExit")
	f.Fuzz(func(t *testing.T, text string) {
		fn, err := Parse(text)
		if err != nil {
			return
		}
		once, err := fn.Text()
		if err != nil {
			return
		}
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("%v\n%s", err, once)
		}
		if twice, err := again.Text(); err != nil || twice != once {
			t.Fatalf("%v\n%s\n%s", err, once, twice)
		}
	})
}
