package language

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// findingsOf returns the findings about a text in an order that does not depend on the way of finding them.
func findingsOf(t testing.TB, svc *Service, text string) (list []string) {
	t.Helper()
	found, err := svc.Open("k.ptx", text, Options{Language: "ptx"}).Diagnostics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		c := *f.From
		s := fmt.Sprintf("%v %s %s %v %v %v %v", f.Range, f.Code, f.Message, f.Related, c.Pos, c.Kernel, c.Severity)
		for _, x := range c.Fixes {
			s += fmt.Sprintf(" %s %v", x.Message, x.Edits)
		}
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

// A text that is checked in pieces has the findings of the whole text.
func TestPieces(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 30
	}
	rng := rand.New(rand.NewPCG(3, 4))
	texts := []string{large(t)[:20_000]}
	texts[0] = texts[0][:strings.LastIndex(texts[0], "\n}\n")+3]
	for _, file := range examples(t, "ptx/*.ptx", "bad/ptx/*.ptx") {
		texts = append(texts, read(t, file))
	}
	lines := []string{"", "// note", "\tbar.sync 0;", "\tmov.u32 %r1, %laneid;", "\t.reg .b32 %fresh;", "/* a", "*/", "}", "{", "\tret;", "\tshfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;",
		".visible .entry another() {\n\tret;\n}", "// crosslane:ignore", ".global .u32 g;", "\t.loc 1 1 1"}
	pieces, found := 0, 0
	for i, text := range texts {
		svc := NewService()
		rounds := n
		if i > 0 {
			rounds = max(n/30, 1)
		}
		findingsOf(t, svc, text)
		now := text
		for range rounds {
			if rng.IntN(6) == 0 {
				now = text
			}
			list := strings.SplitAfter(now, "\n")
			at := rng.IntN(len(list))
			switch rng.IntN(5) {
			case 0:
				list = slices.Delete(list, at, at+1)
			case 1:
				list = slices.Insert(list, at, list[rng.IntN(len(list))])
			default:
				list = slices.Insert(list, at, lines[rng.IntN(len(lines))]+"\n")
			}
			now = strings.Join(list, "")
			if _, divided := svc.knownBodies(svc.Open("k.ptx", now, Options{Language: "ptx"}).divide()); divided {
				pieces++
			}
			got, want := findingsOf(t, svc, now), findingsOf(t, NewService(), now)
			found += len(want)
			if !slices.Equal(got, want) {
				t.Fatalf("text %d:\n%s\nin pieces:\n%s\nwhole:\n%s", i, now, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
	if pieces < n/3 || found < n {
		t.Errorf("%d texts were divided, with %d findings", pieces, found)
	}
	t.Logf("%d texts were divided, with %d findings", pieces, found)
}

// The pieces of a text: the findings of a kernel that did not change move with it, and are kept for a bounded number
// of kernels.
func TestKeptFindings(t *testing.T) {
	svc := NewService()
	text := large(t)
	before := findingsOf(t, svc, text)
	kept := len(svc.bodies)
	if kept == 0 {
		t.Fatal("no findings are kept")
	}
	if after := findingsOf(t, svc, strings.Replace(text, "\n", "\n\n", 1)); len(after) != len(before) || slices.Equal(after, before) {
		t.Errorf("%d findings after a line, %d before", len(after), len(before))
	}
	if len(svc.bodies) != kept {
		t.Errorf("an empty line before all kernels checked %d of them again", len(svc.bodies)-kept)
	}
	for i := range 2 * maxBodies / kept {
		if d := svc.Open("k.ptx", strings.Replace(text, ".version", fmt.Sprintf(".version /* */ %*s", i, ""), 1), Options{}); d.divide() != nil {
			svc.keepBodies(d.divide(), make([]*bodyFindings, len(d.divide().keys)))
		}
		if len(svc.bodies) > maxBodies {
			t.Fatalf("%d kernels are kept", len(svc.bodies))
		}
	}
	// A function whose address is taken joins kernels.
	joined := ".version 8.0\n.target sm_80\n.address_size 64\n.func f() {\n\tret;\n}\n.visible .entry k() {\n\t.reg .b64 %d;\n\tmov.u64 %d, f;\n\tret;\n}\n"
	if svc.Open("k.ptx", joined, Options{}).divide() != nil {
		t.Error("the address of a function is taken, but the text was divided")
	}
	if svc.Open("k.ptx", strings.Replace(joined, "mov.u64 %d, f", "call f", 1), Options{}).divide() == nil {
		t.Error("a direct call joined kernels")
	}
}
