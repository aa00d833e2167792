package session

import (
	"encoding/binary"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/ptx"
)

// preparePTX lifts a kernel in a layout, and sets how a launch binds it.
func preparePTX(pm *ptx.Module, k *Kernel, lay ptx.Layout) (*Prepared, error) {
	pk, err := ptx.LiftAs(pm, k.name, lay)
	if err != nil {
		return nil, err
	}
	_, size := pk.Entry.ParamLayout()
	p := &Prepared{Fn: pk.Func, warnings: pk.Warnings, wide: pm.AddressSize == 64, globals: pk.Globals, PTX: pk, Target: pm.Target}
	for _, u := range pk.Uses {
		p.fidelity = append(p.fidelity, api.Fidelity{Opcode: u.Opcode, Sites: u.Sites, Class: u.Fidelity.String(), Bound: u.Bound, Ignored: u.Ignored, Section: "PTX ISA " + u.Section})
	}
	p.bind = func(l *Launch, s *sim.Launch, mem *Memory) error {
		if l.On != nil {
			return l.On.bindPTX(k, pk, size, l, s, mem)
		}
		s.Param = Aligned(int(size))
		// Arguments and buffers may hold addresses of variables that the launch has buffers for.
		if len(l.Symbols) > 0 {
			if err := PlaceGlobals(k, pk, l, s, mem); err != nil {
				return err
			}
			placeWorkspace(l, s, mem)
			return k.arguments(l.Args, s.Param, mem)
		}
		if err := k.arguments(l.Args, s.Param, mem); err != nil {
			return err
		}
		placeWorkspace(l, s, mem)
		return PlaceGlobals(k, pk, l, s, mem)
	}
	return p, nil
}

// placeWorkspace allocates the memory in which the blocks of a cooperative launch meet.
func placeWorkspace(l *Launch, s *sim.Launch, mem *Memory) {
	if !l.Cooperative {
		return
	}
	// The size of the workspace, and the word that the blocks count in.
	const size = 8
	work := Aligned(size)
	binary.LittleEndian.PutUint32(work, size)
	s.Workspace = mem.fixture("workspace of the grid", work).Base
}

// PlaceGlobals allocates the module's variables and fills in the addresses that
// their initialisers name. Those that the launch has a buffer for lie in it.
func PlaceGlobals(k *Kernel, pk *ptx.Kernel, l *Launch, s *sim.Launch, mem *Memory) error {
	allocs := make([]*sim.Alloc, len(pk.Globals))
	left := uint64(maxGlobalBytes)
	for _, g := range pk.Globals {
		if g.Size > left {
			return diag.List{k.Errorf("bad-launch", "the variables that the kernel uses need more than %d bytes: %s has %d", uint64(maxGlobalBytes), g.Name, g.Size)}
		}
		left -= g.Size
	}
	symbols := map[string]*api.Symbol{}
	for i := range l.Symbols {
		symbols[l.Symbols[i].Name] = &l.Symbols[i]
	}
	for i, g := range pk.Globals {
		sym := symbols[g.Name]
		var data []byte
		if sym != nil {
			if uint64(len(sym.Value.Data)) != g.Size {
				return diag.List{k.Errorf("bad-launch", "the variable %s has %d bytes, its buffer %d", g.Name, g.Size, len(sym.Value.Data))}
			}
			data = mem.bytes(sym.Value)
		} else {
			data = Aligned(int(g.Size))
		}
		if sym == nil || !sym.Set {
			clear(data[copy(data, g.Data):])
		}
		if g.ReadOnly {
			allocs[i] = mem.AddConstant(g.Name, data)
		} else {
			allocs[i] = mem.Add(g.Name, data)
		}
		if sym != nil {
			mem.Allocs[sym.Value] = allocs[i]
			mem.Buffers = append(mem.Buffers, sym.Value)
			allocs[i].Visible, allocs[i].Elem = !g.ReadOnly, uint64(sym.Value.Type.Size())
		}
		s.Values = append(s.Values, allocs[i].Base)
	}
	for i, g := range pk.Globals {
		if sym := symbols[g.Name]; sym != nil && sym.Set {
			mem.put(allocs[i].Data, sym.Value.Pointers)
			continue
		}
		relocate(g, allocs[i].Data, allocs)
	}
	return nil
}

// maxGlobalBytes limits a module's variables in global memory, of one launch.
const maxGlobalBytes = 4 << 30
