package measure

import (
	"fmt"
	"slices"
	"testing"

	"example.org/crosslane/internal/short"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want words
	}{
		{"share keeps a pair. It drops the rest.", words{words: 8, sentences: 2}},
		{"What nobody reads is such a thing. `who` and \"what\" are quoted.", words{words: 12, vague: 4, sentences: 2, inverted: 1}},
		{"Of two, one. Where it is, it stays! See v0.1 of x.", words{words: 12, sentences: 3, inverted: 2}},
		{"", words{}},
	} {
		var w words
		w.add(c.text)
		if w != c.want {
			t.Errorf("%q: %+v, want %+v", c.text, w, c.want)
		}
	}
}

// TestOrder checks that the order of an acyclic graph has no backward edge, and that a cycle costs
// one.
func TestOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		edges []string
		back  int
	}{
		{[]string{"ab", "bc", "ac", "dc"}, 0},
		{[]string{"ba", "cb", "ca"}, 0},
		{[]string{"ab", "ba", "bc"}, 1},
		{[]string{"ab", "bc", "ca", "da", "ce"}, 1},
	} {
		edges := map[string]map[string]bool{}
		var nodes []string
		for _, e := range c.edges {
			for _, n := range []string{e[:1], e[1:]} {
				if edges[n] == nil {
					edges[n] = map[string]bool{}
					nodes = append(nodes, n)
				}
			}
			edges[e[:1]][e[1:]] = true
		}
		slices.Sort(nodes)
		list := order(nodes, edges)
		if sorted := slices.Sorted(slices.Values(list)); fmt.Sprint(sorted) != fmt.Sprint(nodes) {
			t.Errorf("%v: order %v of %v", c.edges, list, nodes)
		}
		back := 0
		for _, e := range c.edges {
			if slices.Index(list, e[:1]) > slices.Index(list, e[1:]) {
				back++
			}
		}
		if back != c.back {
			t.Errorf("%v: order %v has %d edges backwards, want %d", c.edges, list, back, c.back)
		}
	}
}

// TestAll checks that the figures of the repository itself exist and are plausible.
func TestAll(t *testing.T) {
	t.Parallel()
	short.Skip(t, "it reads all packages")
	list, err := figures()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if f.Value < 0 || f.Unit != "" && f.Value > 100 {
			t.Errorf("%s is %v", f.Name, f.Value)
		}
	}
	if i := slices.IndexFunc(list, func(f Figure) bool { return f.Name == "most methods on a type" }); i < 0 || list[i].Value < 20 || list[i].Which == "" {
		t.Errorf("the type with most methods: %+v", list)
	}
}
