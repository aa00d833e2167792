package ir

import "testing"

// A register counts as read if an operation names it, or one that shares bytes with it, in any of its fields.
func TestRead(t *testing.T) {
	t.Parallel()
	// 1 and 2 share bytes, 3 and 4 are halves of 16 bytes, 5 is a predicate, 6 is read by nothing.
	values := []Value{{}, {Type: B32}, {Type: B32, Off: 64}, {Type: B64, Off: 1024}, {Type: B64, Off: 2048}, {Type: B1, Off: 4096}, {Type: B32, Off: 5120}}
	for _, c := range []struct {
		name string
		in   Inst
		want [6]bool // values 1 to 6
	}{
		{name: "an argument", in: Inst{Op: Mov32, Dst: 6, Args: [4]Ref{2}}, want: [6]bool{true, true}},
		{name: "a guard", in: Inst{Op: Exit, Guard: 5}, want: [6]bool{4: true}},
		{name: "a shadow", in: Inst{Op: ShflSync, Dst: 6, Shadow: [4]Ref{0, 3}}, want: [6]bool{2: true}},
		{name: "16 bytes", in: Inst{Op: Atomic, Size: 16, Args: [4]Ref{0, 3}}, want: [6]bool{2: true, 3: true}},
		{name: "8 bytes", in: Inst{Op: Atomic, Size: 8, Args: [4]Ref{0, 3}}, want: [6]bool{2: true}},
		{name: "a list of a collective operation", in: Inst{Op: Collective}, want: [6]bool{3: true}},
		{name: "a list of a recorder", in: Inst{Op: Record, Imm: 1}, want: [6]bool{4: true}},
		{name: "an observer", in: Inst{Op: Observe, Imm: 7}, want: [6]bool{2: true}},
	} {
		f := &Func{Lanes: 32, Values: values, Code: []Inst{c.in}, Collectives: []CollectiveInfo{{Src: []Ref{4}}}}
		f.Recorded, f.Observed = [][]Ref{nil, {5}}, map[uint64]Observed{7: {Address: 3}}
		for r := Ref(1); r <= 6; r++ {
			if got := f.Read(r); got != c.want[r-1] {
				t.Errorf("%s: value %d: %v", c.name, r, got)
			}
		}
		if f.Exec = 1; !f.Read(6) {
			t.Errorf("%s: on GCN3 operations may compute the number of a register", c.name)
		}
	}
}
