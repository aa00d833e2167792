package api_test

import (
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// All places of a deprecated opcode change, and the text that comes out has nothing to
// propose.
func TestProposeFixes(t *testing.T) {
	t.Parallel()
	const src = ".version 6.0\n.target sm_60\n.address_size 64\n.entry k()\n{\n\t.reg .b32 %r<4>;\n\t.reg .pred %p;\n\tmov.u32 %r1, %laneid;\n" +
		"\tshfl.bfly.b32 %r2, %r1, 1, 31;\n\tshfl.bfly.b32 %r3|%p, %r2, 2, 31; // again\n\t@%p vote.ballot.b32 %r2, %p;\n\tret;\n}\n"
	want := strings.NewReplacer("shfl.bfly.b32 %r2, %r1, 1, 31", "shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffffffff",
		"shfl.bfly.b32 %r3|%p, %r2, 2, 31", "shfl.sync.bfly.b32 %r3|%p, %r2, 2, 31, 0xffffffff",
		"vote.ballot.b32 %r2, %p;", "vote.sync.ballot.b32 %r2, %p, 0xffffffff;").Replace(src)
	r, err := crosslane.ProposeFixes([]byte(src), "k.ptx")
	if err != nil || string(r.Text) != want || len(r.Edits) != 3 || !r.Proposed || r.Edits[1].Line != 10 {
		t.Fatalf("%v %+v\n%s", err, r, r.Text)
	}
	again, err := crosslane.ProposeFixes(r.Text, "k.ptx")
	if err != nil || len(again.Edits) != 0 || string(again.Text) != want {
		t.Errorf("%v %+v", err, again)
	}
	// For sm_70 and PTX 6.4 it does not load, and has fixes all the same.
	newer := strings.NewReplacer("6.0", "6.4", "sm_60", "sm_70").Replace(src)
	r, err = crosslane.ProposeFixes([]byte(newer), "k.ptx")
	if err != nil || string(r.Text) != strings.NewReplacer("6.0", "6.4", "sm_60", "sm_70").Replace(want) {
		t.Errorf("%v %s", err, r.Text)
	}
	if _, err := crosslane.ProposeFixes([]byte(".version 6.0\n.target sm_60\n.entry k() { nonsense }"), "k.ptx"); diag.Of(err).ExitCode() == 0 {
		t.Error("what does not parse has fixes")
	}
}
