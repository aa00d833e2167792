package session

import (
	"bytes"
	"os"
	"testing"

	"example.org/crosslane/codeobject"
)

// TestPlacedObjects: launches share the code of an object, and none sees the values that another
// one has written to its variables.
func TestPlacedObjects(t *testing.T) {
	t.Parallel()
	const file = "examples/programs/gcn3/reduce_O3_v4.hsaco"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o, err := codeobject.Load(data, file)
	if err != nil {
		t.Fatal(err)
	}
	p := &objectPlacer{o: o}
	var code, memory *byte
	for round, gap := range []int{0, 0, 64, 0} {
		mem := NewMemory(true)
		if gap > 0 {
			mem.Add("something before", make([]byte, gap)) // so that it is at another address
		}
		base := p.load(mem)
		allocs := mem.All()[len(mem.All())-2:]
		fixed, own := allocs[0], allocs[1]
		if !fixed.ReadOnly || own.ReadOnly || fixed.Base != base || own.Base != fixed.End() || own.End()-base != o.Size() {
			t.Fatalf("round %d: %+v %+v", round, fixed, own)
		}
		image := make([]byte, o.Size())
		for _, s := range o.Loaded(base) {
			copy(image[s.Addr-base:], s.Data)
		}
		if got := bytes.Join([][]byte{fixed.Data, own.Data}, nil); !bytes.Equal(got, image) {
			t.Errorf("round %d: the memory is not the object's", round)
		}
		if code == &fixed.Data[0] != (round == 1) {
			t.Errorf("round %d: whether the code is that of the round before is not as it should be", round)
		}
		code = &fixed.Data[0]
		if memory == &own.Data[0] {
			t.Errorf("round %d: what the launch before still has is used again", round)
		}
		memory = &own.Data[0]
		for i := range own.Data {
			own.Data[i] = 0xee
		}
		if round == 2 {
			mem.unused()
			memory = nil
		}
		if next := mem.Add("something behind", make([]byte, 8)); next.Base < own.End() {
			t.Errorf("round %d: %#x lies in the object", round, next.Base)
		}
	}
}
