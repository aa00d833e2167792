package sim

import (
	"reflect"
	"testing"

	"example.org/crosslane/internal/ir"
)

// TestBlockAgain checks that storage which a launch has left keeps nothing of its last block.
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

// TestBlockOfOthers makes a launch use the storage of a launch of another function, with fewer or more
// waves and smaller or larger frames.
func TestBlockOfOthers(t *testing.T) {
	launch := func(lanes, frame, shared uint32) *Launch {
		return &Launch{Func: &ir.Func{Lanes: 32, FrameSizes: ir.FrameSizes{FrameSize: frame}, Values: make([]ir.Value, 1)}, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{lanes, 1, 1}, Dynamic: shared, Storage: new(Storage)}
	}
	for _, of := range []*Launch{launch(32, 64, 0), launch(64, 640, 8), launch(256, 4096, 4096)} {
		for _, l := range []*Launch{launch(32, 640, 8), launch(128, 320, 64), launch(128, 8192, 128)} {
			k := &Worker{Launch: of}
			used := newBlock(k, nil, nil)
			for _, w := range used.Waves {
				for i := range w.frame {
					w.frame[i] = ^uint64(0)
				}
			}
			for i := range used.Shared {
				used.Shared[i] = 255
			}
			dirty(used)
			k.free = append(k.free, used)
			of.Storage.give(k)
			fresh, again := newBlock(&Worker{Launch: l}, nil, nil), newBlock(&Worker{Launch: l}, nil, used)
			clear(again.Shared) // as Block.start does
			for i, w := range again.Waves {
				for _, x := range again.Waves[:i] {
					if x == w || x.Base == w.Base {
						t.Errorf("two waves of %v share memory", l.Block)
					}
				}
				if &w.frame[0] != (*uint64)(w.Base) {
					t.Error("a wave's frame is somewhere else")
				}
				fresh.Waves[i].Base, w.Base = nil, nil
				fresh.Waves[i].Block, w.Block = nil, nil
				if !reflect.DeepEqual(fresh.Waves[i].frame, w.frame[:len(fresh.Waves[i].frame)]) {
					t.Errorf("a frame of %v begins as %x", l.Block, w.frame)
				}
			}
			if len(again.Waves) != len(fresh.Waves) || !reflect.DeepEqual(fresh.Shared, again.Shared) {
				t.Errorf("%d waves, want %d; shared memory is %x", len(again.Waves), len(fresh.Waves), again.Shared)
			}
		}
	}
}

// dirty writes to the fields that a block uses.
func dirty(b *Block) {
	b.block, b.index, b.quiet, b.look, b.stuck, b.before = 7, [3]uint32{7}, 7, 7, 7, 7
	b.barred, b.fresh, b.begun, b.runner = true, true, true, 7
	b.fault, b.noted, b.out = new(Fault), make([]findingKey, 1), make([]byte, 1)
	b.undef = make([]byte, 8)
}
