package examples

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/short"
)

// Why explains elements of everything that the examples compute: recording changes no
// result, and there is nothing in these programs that is not followed.
func TestWhyExplains(t *testing.T) {
	t.Parallel()
	for i, l := range short.Sample(allLaunches(), 8) {
		for j, file := range l.files {
			if j != i%len(l.files) { // one build of each, in turn
				continue
			}
			t.Run(file+"/"+l.name, func(t *testing.T) {
				t.Parallel()
				k := l.load(t, file)
				got, _, err := l.runBy(t, func(ctx context.Context, how crosslane.Launch) (*crosslane.Result, error) {
					var before [][]byte
					var buffers []*crosslane.Buffer
					for _, a := range how.Args {
						if b, ok := a.(*crosslane.Buffer); ok {
							buffers, before = append(buffers, b), append(before, slices.Clone(b.Data))
						}
					}
					how.Workers = 1
					for _, b := range buffers {
						for _, at := range [...]int{b.Len() * 3 / 5} {
							for j, o := range buffers {
								copy(o.Data, before[j])
							}
							p, err := k.Why(ctx, how, crosslane.WhyOptions{Buffer: b.Name, Index: at})
							if err != nil {
								t.Fatal(err)
							}
							for _, n := range p.Nodes {
								if n.Kind == crosslane.KindNotFollowed {
									t.Errorf("%s: %q at line %d is not followed: %s", p.At, n.Text, n.Line, n.Name)
								}
							}
							if len(p.Text(crosslane.WhyView{})) == 0 || !bytes.HasPrefix(p.SVG(crosslane.WhyView{}), []byte("<svg")) {
								t.Errorf("%s: no picture", p.At)
							}
						}
					}
					for j, o := range buffers {
						copy(o.Data, before[j])
					}
					return k.Run(ctx, how)
				}, crosslane.Launch{})
				if err != nil {
					t.Fatal(err)
				}
				l.compare(t, got)
			})
		}
	}
}
