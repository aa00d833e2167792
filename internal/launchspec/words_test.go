package launchspec

import (
	"reflect"
	"testing"
)

// The words of a launch make the same launch again.
func TestWords(t *testing.T) {
	t.Parallel()
	l, err := Parse("k.json", []byte(`{"kernel": "k", "grid": "ceil(n/block)", "block": [8, 4], "shared": "4*block", "stack": 4096, "heap": 65536,
		"args": ["x:f32[2,3]=1,2,3,4,5,6", {"name": "y", "type": "u64", "shape": [2], "data": ["&x", 7]}, 5, {"value": 1.5, "type": "f64"}, {"struct": [1, "&x", [2]]}, {"shared": 64}],
		"buffers": ["z:u8[4]"], "symbols": {"s": [1, 2]}, "print": ["x"], "expect": {"x": "iota~0.5"}, "timeout": "1.5s", "schedule": "random:7", "undefined": "zero", "cooperative": true, "adversarial": true, "workers": 3}`))
	if err != nil {
		t.Fatal(err)
	}
	l.Engine = "interp"
	f := Flags{Engine: "auto", Undefined: "own", Schedule: "lowest-pc", MaxMemory: "4G"}
	lists := map[string]*[]string{"--arg": &f.Args, "--buffer": &f.Buffers, "--set-symbol": &f.Symbols, "--print": &f.Print, "--expect": &f.Expect}
	texts := map[string]*string{"--kernel": &f.Kernel, "--grid": &f.Grid, "--block": &f.Block, "--shared": &f.Shared, "--stack": &f.Stack, "--heap": &f.Heap,
		"--engine": &f.Engine, "--timeout": &f.Timeout, "--schedule": &f.Schedule, "--undefined": &f.Undefined}
	given := map[string]bool{}
	words := l.Words()
	for i := 0; i < len(words); i++ {
		w := words[i]
		given[w[2:]] = true
		switch {
		case w == "--cooperative":
			f.Cooperative = true
		case w == "--adversarial":
			f.Adversarial = true
		case w == "--workers":
			i++
			f.Workers = 3
		case lists[w] != nil:
			i++
			*lists[w] = append(*lists[w], words[i])
		case texts[w] != nil:
			i++
			*texts[w] = words[i]
		default:
			t.Fatalf("%s in %q", w, words)
		}
	}
	var again Spec
	if err := f.Join(&again, func(name string) bool { return given[name] }); err != nil {
		t.Fatal(err)
	}
	// A launch file lies in a folder; the flags do not.
	for _, list := range [][]Arg{l.Args, l.Buffers} {
		for i := range list {
			list[i].Dir = ""
		}
	}
	l.Symbols[0].Dir, l.Expect[0].Dir, l.MaxMemory = "", "", 4<<30
	if !reflect.DeepEqual(l, again) {
		t.Errorf("%q:\n%+v\nwant %+v", words, again, l)
	}
}
