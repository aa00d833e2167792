package examples

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/debug"
	"example.org/crosslane/internal/short"
)

// A recording of each launch leaves the results of a run, and in each one n steps forwards and n steps back, from random
// steps, show the same registers, fragments and position as before.
func TestDebugBackAndForth(t *testing.T) {
	t.Parallel()
	for i, l := range short.Sample(allLaunches(), 8) {
		file := l.files[(i+2)%len(l.files)]
		t.Run(file+"/"+l.name, func(t *testing.T) {
			t.Parallel()
			k := l.load(t, file)
			got, _, err := l.runBy(t, func(ctx context.Context, how crosslane.Launch) (*crosslane.Result, error) {
				rec, err := k.Record(ctx, how, crosslane.RecordOptions{Limit: 4 << 20})
				if err != nil {
					return nil, err
				}
				backAndForth(ctx, t, rec)
				return &crosslane.Result{}, nil
			}, crosslane.Launch{})
			if err != nil {
				t.Fatal(err)
			}
			l.compare(t, got)
		})
	}
}

func backAndForth(ctx context.Context, t *testing.T, rec *crosslane.Recording) {
	s := debug.New(rec)
	first, steps := rec.Bounds()
	if steps == 0 {
		t.Fatal("no step is recorded")
	}
	r := rand.New(rand.NewPCG(uint64(steps), 5))
	do := func(format string, args ...any) *debug.Reply {
		a := s.Do(ctx, fmt.Sprintf(format, args...), nil)
		if a.Error != "" {
			t.Fatalf(format+": %s", append(args, a.Error)...)
		}
		return a
	}
	show := func() string {
		st, regs, lanes := do("waves"), do("registers"), do("lanes")
		return fmt.Sprint(st.Lines, regs.Values, lanes.Lines)
	}
	for range 6 {
		n := first + r.IntN(steps)
		at := do("goto %d", n).At
		before := show()
		// Steps of the wave that are left: at its end there is nothing to go back from.
		own, err := rec.StepsOf(at.Wave)
		if err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, x := range own {
			if x > n {
				left++
			}
		}
		m := 1 + r.IntN(40)
		m = min(m, left)
		if m == 0 {
			continue
		}
		var forth, back *debug.Reply
		if r.IntN(2) == 0 {
			forth, back = do("step %d", m), do("back %d", m)
		} else {
			for range m {
				forth = do("step")
			}
			for range m {
				back = do("back")
			}
		}
		if forth.At == nil || forth.At.Step <= n {
			t.Fatalf("%d steps from step %d lead to %+v", m, n, forth.At)
		}
		if after := show(); after != before || back.At.Step != n {
			t.Fatalf("%d steps from step %d and back to %d:\n%s\n%s", m, n, back.At.Step, before, after)
		}
	}
}
