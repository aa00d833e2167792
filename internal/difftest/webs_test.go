package difftest

import (
	"flag"
	"testing"

	"crosslane/internal/engine/enginetest"
	"crosslane/internal/engine/enginetest/randprog"
	"crosslane/internal/engine/interp"
)

var websPrograms = flag.Int("webs", 400, "random programs of TestWebsRandom")

// TestWebsConformance: the conformance suite on functions in webs.
func TestWebsConformance(t *testing.T) {
	seen := &WebsSeen{}
	t.Run("webs", func(t *testing.T) {
		enginetest.Run(t, Webs{NoWrap: true, Report: func(msg string) { t.Error(msg) }, Seen: seen})
	})
	t.Log(seen)
	if seen.Launches.Load() < 50 || seen.Spoilt.Load() < 100000 || seen.Looks.Load() < 100 || seen.Masked.Load() == 0 || seen.Divergent.Load() == 0 {
		t.Errorf("too little was done: %s", seen)
	}
}

// TestWebsRandom: random programs on functions in webs give what they give on the
// interpreter.
func TestWebsRandom(t *testing.T) {
	t.Parallel()
	seen := &WebsSeen{}
	for i := range *websPrograms {
		s := *seed + uint64(i)
		c, err := randprog.New(s).Case()
		if err != nil {
			t.Fatal(err)
		}
		wrong := ""
		e := Webs{Exact: i%8 == 7, NoWrap: i%2 == 0, Seen: seen, Report: func(msg string) {
			if wrong == "" {
				wrong = msg
			}
		}}
		ref := c.Run(interp.Engine{}, randprog.Mode{})
		d := c.Diff(ref, c.Run(e, randprog.Mode{}), randprog.Mode{})
		if d != "" || wrong != "" {
			t.Errorf("program %d: %s\n%s", s, wrong, d)
			break
		}
	}
	t.Log(seen)
}
