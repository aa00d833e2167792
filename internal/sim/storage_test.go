package sim

import (
	"reflect"
	"testing"

	"crosslane/internal/ir"
)

// TestBlockAgain has the storage of a block that a launch has left know nothing of it.
func TestBlockAgain(t *testing.T) {
	l := &Launch{Func: &ir.Func{Lanes: 32, Values: make([]ir.Value, 1)}, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}, Dynamic: 64, Storage: new(Storage)}
	k := &Worker{Launch: l}
	fresh := newBlock(k, nil, nil)
	used := newBlock(k, nil, nil)
	dirty(used)
	wave, shared := used.Waves[0], &used.Shared[0]
	k.free = append(k.free, used)
	l.Storage.give(k)
	bare := &Block{Shared: used.Shared, Waves: used.Waves}
	if !reflect.DeepEqual(used, bare) {
		t.Errorf("storage that nobody uses holds %+v", used)
	}
	dirty(used)
	k = fresh.Worker
	*k = Worker{Launch: l}
	again := newBlock(k, nil, used)
	if again != used || again.Waves[0] != wave || &again.Shared[0] != shared {
		t.Error("the storage is not used again")
	}
	if again.Waves[0].Block != again {
		t.Error("a wave is in another block")
	}
	fresh.Shared, fresh.Waves, again.Shared, again.Waves = nil, nil, nil, nil
	if !reflect.DeepEqual(fresh, again) {
		t.Errorf("a block begins as %+v", again)
	}
}

// dirty fills what a block is used for.
func dirty(b *Block) {
	b.block, b.index, b.quiet, b.look, b.stuck, b.before, b.changed = 7, [3]uint32{7}, 7, 7, 7, 7, 7
	b.barred, b.fresh, b.late, b.sweep = true, true, true, 7
	b.fault, b.noted, b.out = new(Fault), make([]findingKey, 1), make([]byte, 1)
	b.undef = make([]byte, 8)
}
