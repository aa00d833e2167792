package cli

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/launchspec"
)

// paramKernel has the parameters a and n, and no other behaviour.
type paramKernel struct{ fakeKernel }

func (paramKernel) Params() []crosslane.Param { return []crosslane.Param{{Name: "a"}, {Name: "n"}} }

// The launches of a sweep are all combinations, each once.
func TestSweepLaunches(t *testing.T) {
	t.Parallel()
	s, err := parseSweep([]string{"block=8x4,32; n=-1..1", "schedule=lowest-pc,random:3..4"}, paramKernel{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	base := launchspec.Spec{Args: []launchspec.Arg{{}, {}}}
	for i := range s.launches() {
		l, err := s.apply(base, i)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d,%d %s %s", l.Block.X, l.Block.Y, l.Args[1].Text, l.Schedule))
	}
	var want []string
	for _, b := range []string{"8,4", "32,1"} {
		for _, n := range []string{"-1", "0", "1"} {
			for _, o := range []string{"lowest-pc", "random:3", "random:4"} {
				want = append(want, b+" "+n+" "+o)
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"1":                                    "1",
		"1 2":                                  "1, 2",
		"1 2 3":                                "1..3",
		"1 31 32 33 48 63 64 65 96":            "1, 31..33, 48, 63..65, 96",
		"-2 -1 0 1":                            "-2..1",
		"lowest-pc random:1 random:2 random:3": "lowest-pc, random:1..3",
		"3 2 1":                                "3, 2, 1",
		"8x4 8x5 8x6":                          "8x4, 8x5, 8x6",
		"1.5 2.5 3.5":                          "1.5, 2.5, 3.5",
		"01 02 03":                             "01, 02, 03",
		"9223372036854775806 9223372036854775807": "9223372036854775806, 9223372036854775807",
	} {
		if got := strings.Join(runs(strings.Fields(in)), ", "); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	s, err := parseSweep([]string{"block=1..4"}, paramKernel{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	at := func(code string, line int, from ...int) *diag.Diagnostic {
		d := &diag.Diagnostic{Pos: diag.Pos{File: "k", Line: line}, Code: code, Message: "m"}
		for _, l := range from {
			d.Related = append(d.Related, diag.Related{Pos: diag.Pos{File: "k", Line: l}})
		}
		return d
	}
	shared := at("lds-limit", 1)
	c := &checked{}
	c.merge(s, []diag.List{
		{shared, at("waitcnt", 5, 2), at("waitcnt", 5, 3), at("trap", 9, 1)},
		{shared, at("waitcnt", 5, 3), at("trap", 9, 2)},
		{shared},
		{at("waitcnt", 5, 2)}, // its launch was cut short
	}, []bool{true, true, true, false})
	var got []string
	for _, d := range c.list {
		got = append(got, fmt.Sprintf("%s %d: %s", d.Code, len(d.Related), d.Launches))
	}
	want := []string{"lds-limit 0: all 3", "waitcnt 1: block size 1", "waitcnt 1: block sizes 1, 2", "trap 1: block sizes 1, 2"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if shared.Launches != "" {
		t.Error("the kernel's own warning was changed")
	}
	if size := c.sizes[c.list[1]]; size != [3]uint32{1, 1, 1} {
		t.Errorf("size %v", size)
	}
}

func TestBareSweep(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"check k.ptx --sweep":              "check k.ptx --sweep=block=",
		"check --sweep k.ptx":              "check --sweep=block= k.ptx",
		"check --sweep --grid 1 k.ptx":     "check --sweep=block= --grid 1 k.ptx",
		"check k.ptx --sweep block=1":      "check k.ptx --sweep block=1",
		"check k.ptx --sweep %n=1;block=2": "check k.ptx --sweep %n=1;block=2",
		"check k.ptx --sweep=block=1":      "check k.ptx --sweep=block=1",
		"check -- --sweep":                 "check -- --sweep",
		"run k.ptx --sweep":                "run k.ptx --sweep",
		"":                                 "",
	} {
		if got := strings.Join(bareSweep(strings.Fields(in)), " "); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	if bareSweep(nil) == nil {
		t.Error("nil would mean the process' arguments")
	}
}

func FuzzSweep(f *testing.F) {
	f.Add("block=1..3,8x8;grid=2;schedule=random:1..2;n=0..1;arg1=f32:0.5")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSweep([]string{text}, paramKernel{}, 2)
		if err != nil {
			if d := diag.Of(err); d[0].Code == "error" {
				t.Errorf("%q: %v has no code", text, err)
			}
			return
		}
		n := s.launches()
		if n < 1 || n > maxLaunches {
			t.Fatalf("%q: %d launches", text, n)
		}
		for _, i := range []int{0, n / 2, n - 1} {
			if _, err := s.apply(launchspec.Spec{Args: make([]launchspec.Arg, 2)}, i); err != nil && diag.Of(err)[0].Code != "usage" {
				t.Errorf("%q: launch %d: %v", text, i, err)
			}
			s.describe([]int{0, n - 1, n}, []int{i})
		}
	})
}
