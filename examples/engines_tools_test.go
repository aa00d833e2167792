package examples

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/difftest"
	"example.org/crosslane/internal/short"
)

// oneWorker are the choices of an engine with one worker.
func oneWorker() []crosslane.Launch {
	return slices.DeleteFunc(difftest.Choices(), func(l crosslane.Launch) bool { return l.Workers > 1 })
}

// buffersOf returns the buffers of a launch, and a function that restores their present contents.
func buffersOf(args []crosslane.Arg) (buffers []*crosslane.Buffer, restore func()) {
	var before [][]byte
	for _, a := range args {
		if b, ok := a.(*crosslane.Buffer); ok && b.Len() > 0 {
			buffers, before = append(buffers, b), append(before, slices.Clone(b.Data))
		}
	}
	return buffers, func() {
		for i, b := range buffers {
			copy(b.Data, before[i])
		}
	}
}

// The answer of Why about a value does not depend on the engine.
func TestWhyOnEveryEngine(t *testing.T) {
	t.Parallel()
	for i, l := range short.Sample(allLaunches(), 12) {
		file := l.files[i%len(l.files)]
		t.Run(file+"/"+l.name, func(t *testing.T) {
			t.Parallel()
			k := l.load(t, file)
			var first string
			for _, how := range oneWorker() {
				_, _, err := l.runBy(t, func(ctx context.Context, how crosslane.Launch) (*crosslane.Result, error) {
					var all []byte
					buffers, restore := buffersOf(how.Args)
					for _, b := range buffers {
						restore()
						p, err := k.Why(ctx, how, crosslane.WhyOptions{Buffer: b.Name, Index: b.Len() * 2 / 5})
						if err != nil {
							return nil, err
						}
						p.Findings = nil
						text, err := json.Marshal(p)
						if err != nil {
							return nil, err
						}
						all = append(all, text...)
					}
					if how.Engine == "interp" {
						first = string(all)
					} else if string(all) != first {
						t.Errorf("%s %s:\n%s, want\n%s", how.Engine, how.Native, all, first)
					}
					return nil, nil
				}, how)
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// The figures of a profile do not depend on the engine, except the operations that engines leave to
// the interpreter.
func TestProfileOnEveryEngine(t *testing.T) {
	t.Parallel()
	for i, l := range short.Sample(allLaunches(), 4) {
		file := l.files[i%len(l.files)]
		t.Run(file+"/"+l.name, func(t *testing.T) {
			t.Parallel()
			k := l.load(t, file)
			var first string
			for _, how := range oneWorker() {
				how.Profile = true
				_, _, err := l.runBy(t, func(ctx context.Context, how crosslane.Launch) (*crosslane.Result, error) {
					res, err := k.Run(ctx, how)
					if err != nil {
						return nil, err
					}
					p := *res.Profile
					p.Lines = slices.Clone(p.Lines)
					for n := range p.Lines {
						p.Lines[n].Counts.CallOuts = 0
					}
					p.Total.CallOuts = 0
					text, err := json.Marshal(p)
					if how.Engine == "interp" {
						first = string(text)
					} else if string(text) != first {
						t.Errorf("%s %s:\n%s, want\n%s", how.Engine, how.Native, text, first)
					}
					return res, err
				}, how)
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
