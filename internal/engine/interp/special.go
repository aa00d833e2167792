package interp

import (
	"fmt"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// trap returns the fault of a trap instruction.
func trap(in *ir.Inst, m lane.Mask) *sim.Fault {
	return &sim.Fault{Code: sim.CodeTrap, Pos: in.Pos, Lanes: m, Text: "the kernel trapped"}
}

// special selects the function of an operation that is not pure. Most of them call package
// sim.
func (p *Program) special(in *inst) error {
	src := in.src
	switch src.Op {
	case ir.Splat:
		in.run = splat(p.f.Val(src.Dst).Type, p.f.Lanes)
		if p.wide && p.f.Lanes == 64 {
			switch p.f.Val(src.Dst).Type {
			case ir.B32:
				in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
					fill256(unsafe.Add(w.Base, in.d), *(*uint32)(unsafe.Add(w.Base, in.a)))
					return true
				}
			case ir.B64:
				in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
					fill512(unsafe.Add(w.Base, in.d), *(*uint64)(unsafe.Add(w.Base, in.a)))
					return true
				}
			}
		}
		if p.f.Val(src.Dst).Kind != ir.Temp {
			in.run = splatGuest
		}
	case ir.LaneBit:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			v := lane.Mask(-uint64(*(*uint32)(unsafe.Add(w.Base, in.a)) & 1))
			d := (*lane.Mask)(unsafe.Add(w.Base, in.d))
			*d = *d&^m | v&m
			return true
		}
	case ir.Load:
		if err := p.load(in); err != nil {
			return err
		}
		watched(in)
	case ir.Store:
		return p.store(in)
	case ir.Fence:
		in.run = func(w *sim.Wave, _ *inst, m lane.Mask) bool {
			if m != 0 {
				w.Fence()
			}
			return true
		}
	case ir.Atomic:
		return p.atomic(in)
	case ir.Delay:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool { return sim.Delay(w, in.src, m) }
	case ir.Settle:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool { return sim.Settle(w, in.src, m) }
	case ir.Bulk:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool { return w.Bulk(in.src, m) }
	case ir.Tensor:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool { return w.Tensor(in.src, m) }
	case ir.Fail:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool { return w.Fail(in.src, m) }
	case ir.Yield:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			if m != 0 {
				w.Sleep()
			}
			return true
		}
	case ir.ClusterArrive:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			w.ClusterArrive(in.src, m)
			return true
		}
	case ir.ClusterDone:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			d := (*lane.Mask)(unsafe.Add(w.Base, in.d))
			*d = *d&^m | w.ClusterDone(m)&m
			return true
		}
	case ir.Shfl:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			if m != 0 {
				w.Shfl(in.src, m)
			}
			return true
		}
	case ir.Vote:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			if m != 0 {
				w.Vote(in.src, m)
			}
			return true
		}
	case ir.ActiveMask:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			w.ActiveMask(in.src, m)
			return true
		}
	case ir.DPPRead:
		t := sim.NewDPPTable(src.Imm)
		var fast *permutation
		if p.wide {
			fast = newPermutation(t.Sources())
		}
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			exec := *(*lane.Mask)(unsafe.Add(w.Base, in.b))
			if fast != nil && exec == ^lane.Mask(0) {
				fast.apply(unsafe.Add(w.Base, in.d), unsafe.Add(w.Base, in.a))
				return true
			}
			t.Read((*[64]uint32)(unsafe.Add(w.Base, in.d)), (*[64]uint32)(unsafe.Add(w.Base, in.a)), exec)
			return true
		}
	case ir.DPPMask:
		t := sim.NewDPPTable(src.Imm)
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			*(*lane.Mask)(unsafe.Add(w.Base, in.d)) = t.Mask(*(*lane.Mask)(unsafe.Add(w.Base, in.a)))
			return true
		}
	case ir.DSSwizzle:
		t := sim.NewSwizzleTable(uint16(src.Imm))
		var fast *permutation
		if p.wide {
			fast = newPermutation(t.Sources(), ^lane.Mask(0))
		}
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			if fast != nil && m == ^lane.Mask(0) {
				fast.apply(unsafe.Add(w.Base, in.d), unsafe.Add(w.Base, in.a))
				return true
			}
			t.Apply((*[64]uint32)(unsafe.Add(w.Base, in.d)), (*[64]uint32)(unsafe.Add(w.Base, in.a)), m)
			return true
		}
	case ir.DSPermute:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			mp := lane.DSPermute((*[64]uint32)(unsafe.Add(w.Base, in.a)), uint32(in.imm), m)
			sim.ApplyMap(&mp, (*[64]uint32)(unsafe.Add(w.Base, in.d)), (*[64]uint32)(unsafe.Add(w.Base, in.b)))
			return true
		}
	case ir.DSBpermute:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			sim.Bpermute((*[64]uint32)(unsafe.Add(w.Base, in.d)), (*[64]uint32)(unsafe.Add(w.Base, in.b)), (*[64]uint32)(unsafe.Add(w.Base, in.a)), uint32(in.imm), m)
			return true
		}
	case ir.ReadLane:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			i := lane.ReadLane(*(*uint32)(unsafe.Add(w.Base, in.b)))
			*(*uint32)(unsafe.Add(w.Base, in.d)) = (*[64]uint32)(unsafe.Add(w.Base, in.a))[i&63]
			return true
		}
	case ir.ReadFirstLane:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			exec := *(*lane.Mask)(unsafe.Add(w.Base, in.b))
			if exec == 0 && in.imm != 0 {
				w.NoteNobody(in.src)
			}
			i := lane.ReadFirstLane(exec)
			*(*uint32)(unsafe.Add(w.Base, in.d)) = (*[64]uint32)(unsafe.Add(w.Base, in.a))[i&63]
			return true
		}
	case ir.WriteLane:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			i := lane.WriteLane(*(*uint32)(unsafe.Add(w.Base, in.b)))
			(*[64]uint32)(unsafe.Add(w.Base, in.d))[i&63] = *(*uint32)(unsafe.Add(w.Base, in.a))
			return true
		}
	case ir.Clock:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			w.Clock++
			for i := range m.Lanes() {
				w.Set(in.src.Dst, i, w.Clock)
			}
			return true
		}
	case ir.Observe:
		in.run = func(w *sim.Wave, in *inst, _ lane.Mask) bool {
			w.Observe(in.src)
			return true
		}
	case ir.Record:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			w.Record(in.src, m)
			return true
		}
	case ir.Reach:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			w.Reach(in.src, m)
			return true
		}
	case ir.Claim:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			if m != 0 {
				w.Claim(in.src, m)
			}
			return true
		}
	case ir.Access:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
			if m != 0 {
				w.Access(in.src, m)
			}
			return true
		}
	case ir.HostCall:
		in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool { return m == 0 || w.Host(in.src, m) }
	default:
		return fmt.Errorf("interp: operation %s cannot stand inside a block", src.Op)
	}
	return nil
}

// splat returns the function that broadcasts a scalar into a temporary.
func splat(t ir.Type, lanes int) func(w *sim.Wave, in *inst, m lane.Mask) bool {
	switch {
	case t == ir.B1:
		return func(w *sim.Wave, in *inst, m lane.Mask) bool {
			*(*lane.Mask)(unsafe.Add(w.Base, in.d)) = lane.Mask(-uint64(*(*uint32)(unsafe.Add(w.Base, in.a)) & 1))
			return true
		}
	case t == ir.B32:
		return func(w *sim.Wave, in *inst, m lane.Mask) bool {
			v := uint64(*(*uint32)(unsafe.Add(w.Base, in.a)))
			v |= v << 32
			d := unsafe.Slice((*uint64)(unsafe.Add(w.Base, in.d)), lanes/2)
			for i := range d {
				d[i] = v
			}
			return true
		}
	case t == ir.B64:
		return func(w *sim.Wave, in *inst, m lane.Mask) bool {
			v := *(*uint64)(unsafe.Add(w.Base, in.a))
			d := unsafe.Slice((*uint64)(unsafe.Add(w.Base, in.d)), lanes)
			for i := range d {
				d[i] = v
			}
			return true
		}
	}
	return splatGuest
}

// splatGuest broadcasts a scalar to the lanes of the mask.
func splatGuest(w *sim.Wave, in *inst, m lane.Mask) bool {
	if in.wide && m == ^lane.Mask(0) && in.width == 4 && w.Func.Lanes == 64 {
		fill256(unsafe.Add(w.Base, in.d), *(*uint32)(unsafe.Add(w.Base, in.a)))
		return true
	}
	v := w.Get(in.src.Args[0], 0)
	if w.Func.Val(in.src.Dst).Kind == ir.Temp {
		m = lane.All(w.Func.Lanes)
	}
	for i := range m.Lanes() {
		w.Set(in.src.Dst, i, v)
	}
	return true
}
