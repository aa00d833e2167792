package difftest

import (
	"flag"
	"testing"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/engine/interp"
)

var websPrograms = flag.Int("webs", 400, "random programs of TestWebsRandom")

// TestWebsConformance runs the conformance suite on functions in webs.
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

// TestWebsRandom checks that random programs of all kinds have the same results on functions in
// webs as in the interpreter.
func TestWebsRandom(t *testing.T) {
	t.Parallel()
	seen := &WebsSeen{}
	for i := range sampled(*websPrograms) {
		n := *seed + uint64(i)
		m, err := of(sources(), n).make(n)
		if err != nil {
			t.Fatal(err)
		}
		try := func(c *randprog.Case) (wrong string) {
			e := Webs{Exact: i%8 == 7, NoWrap: i%2 == 0, Seen: seen, Report: func(msg string) {
				if wrong == "" {
					wrong = msg
				}
			}}
			ref := c.Run(interp.Engine{}, randprog.Mode{})
			if d := c.Diff(ref, c.Run(e, randprog.Mode{}), randprog.Mode{}); wrong == "" {
				wrong = d
			}
			return wrong
		}
		if wrong := try(m.launch); wrong != "" {
			m = m.smaller(func(c *randprog.Case) bool { return try(c) != "" })
			t.Errorf("program %d: %s\nsmaller: %s\n%s", n, wrong, try(m.launch), m.text())
			break
		}
	}
	t.Log(seen)
}
