package recording

import (
	"fmt"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// snapshot holds the contents of memory at the end of the record: of global memory, of shared memory by block, and of
// private memory by wave.
type snapshot struct {
	left   int64 // bytes that may be copied still
	taken  bool
	allocs []keptAlloc
	shared map[uint64][]byte
	local  map[int]localCopy // by the place in why.History.Waves
}

// keptAlloc is an allocation; Data is nil if it did not fit.
type keptAlloc struct {
	alloc *sim.Alloc
	data  []byte
}

// localCopy is the private memory of the lanes of a wave.
type localCopy [][]byte

func (s *snapshot) init(limit int64) {
	s.left, s.shared, s.local = limit, map[uint64][]byte{}, map[int]localCopy{}
}

// copyOf copies bytes, if they fit; else it returns nil.
func (s *snapshot) copyOf(data []byte) []byte {
	if int64(len(data)) > s.left {
		return nil
	}
	s.left -= int64(len(data))
	return append(make([]byte, 0, len(data)), data...)
}

// takeWave keeps the memory of a wave and its block after the block has ended, unless it is kept already.
func (r *Recording) takeWave(w *sim.Wave) {
	n := r.h.PlaceOf(w)
	if n < 0 {
		return
	}
	s := &r.kept
	if _, have := s.shared[w.Number()]; !have {
		s.shared[w.Number()] = s.copyOf(w.Shared)
	}
	if _, have := s.local[n]; have || w.Local == nil {
		return
	}
	lanes := make(localCopy, w.Func.Lanes)
	for i := range lanes {
		lanes[i] = s.copyOf(w.LocalOf(i))
	}
	s.local[n] = lanes
}

// takeAll keeps all memory, once: when the record is full, or at the end of the launch.
func (r *Recording) takeAll() {
	s := &r.kept
	if s.taken || r.mem == nil {
		return
	}
	s.taken = true
	r.h.Live(r.takeWave)
	for _, a := range r.mem.All() {
		k := keptAlloc{alloc: a, data: a.Data}
		if !a.ReadOnly {
			k.data = s.copyOf(a.Data)
		}
		s.allocs = append(s.allocs, k)
	}
}

// buffer returns the buffer of an allocation, or nil.
func (r *Recording) buffer(a *sim.Alloc) *api.Buffer {
	for b, x := range r.mem.Allocs {
		if x == a {
			return b
		}
	}
	return nil
}

// memories lists the memories for RecordingInfo.
func (r *Recording) memories() []api.RecordedMemory {
	out := []api.RecordedMemory{}
	for _, k := range r.kept.allocs {
		m := api.RecordedMemory{Space: "global", Name: k.alloc.Name, Base: api.Hex(k.alloc.Base), Size: len(k.alloc.Data), Kept: k.data != nil}
		if b := r.buffer(k.alloc); b != nil {
			m.Type, m.Shape = b.Type, b.Shape
			if len(m.Shape) == 0 {
				m.Shape = []int{b.Len()}
			}
		}
		out = append(out, m)
	}
	blocks := []uint64{}
	for b := range r.kept.shared {
		blocks = append(blocks, b)
	}
	slices.Sort(blocks)
	for _, b := range blocks {
		if data := r.kept.shared[b]; len(data) > 0 {
			out = append(out, api.RecordedMemory{Space: "shared", Block: r.sim.Index(b), Size: len(data), Kept: true})
		}
	}
	return out
}

// memory finds a memory as it was at the end of the record.
func (r *Recording) memory(m *api.MemoryRange) (*why.MemoryAt, error) {
	var data []byte
	at := &why.MemoryAt{}
	what := ""
	known := true
	switch m.Space {
	case "", "global":
		what = fmt.Sprintf("%q", m.Name)
		at.Space = ir.Global
		i := slices.IndexFunc(r.kept.allocs, func(k keptAlloc) bool { return k.alloc.Name == m.Name })
		if i < 0 {
			return nil, r.bad("name one of the memories of the recording", "there is no memory %s", what)
		}
		data, at.Base = r.kept.allocs[i].data, r.kept.allocs[i].alloc.Base
		known = data != nil || len(r.kept.allocs[i].alloc.Data) == 0
	case "shared":
		g := r.sim.Grid
		at.Space, at.Block = ir.Shared, uint64(m.Block.X)+uint64(g[0])*(uint64(m.Block.Y)+uint64(g[1])*uint64(m.Block.Z))
		what = fmt.Sprintf("the shared memory of block %d,%d,%d", m.Block.X, m.Block.Y, m.Block.Z)
		have := false
		if data, have = r.kept.shared[at.Block]; !have {
			return nil, r.bad("record the block: see Blocks", "%s is not recorded", what)
		}
	case "local":
		what = fmt.Sprintf("the private memory of lane %d of wave %d", m.Lane, m.Wave)
		lanes := r.kept.local[m.Wave]
		at.Space, at.Wave, at.Lane = ir.Local, m.Wave, m.Lane
		if m.Lane < 0 || m.Lane >= len(lanes) {
			return nil, r.bad("name a lane of a recorded wave of a kernel with private memory", "there is no memory that is %s", what)
		}
		data = lanes[m.Lane]
	default:
		return nil, r.bad("the spaces are global, shared and local", "there is no space %q", m.Space)
	}
	if !known {
		return nil, r.bad("raise RecordOptions.Memory", "the contents of %s were not kept", what)
	}
	if r.h.Lost() {
		return nil, r.bad("record fewer steps: see From and Limit", "a copy of the kernel overwrote more bytes than a recording keeps, so earlier contents of memory are not known")
	}
	size := m.Size
	if size == 0 {
		size = len(data) - m.Offset
	}
	if m.Offset < 0 || size < 0 || m.Offset > len(data) || size > len(data)-m.Offset {
		return nil, r.bad("name bytes inside it", "%s has %d bytes; %d from %d on are not all in it", what, len(data), m.Size, m.Offset)
	}
	at.Base += uint64(m.Offset)
	at.Data = slices.Clone(data[m.Offset : m.Offset+size])
	return at, nil
}

// initial returns the contents that an allocation had when the record began; nil: they are not known.
func (r *Recording) initial(a *sim.Alloc) []byte {
	for _, k := range r.kept.allocs {
		if k.alloc == a && k.data != nil && !r.h.Lost() {
			at := &why.MemoryAt{Space: ir.Global, Base: a.Base, Data: slices.Clone(k.data)}
			r.h.Before(at, 0)
			return at.Data
		}
	}
	return nil
}
