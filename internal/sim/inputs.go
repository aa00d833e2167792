package sim

import (
	"math"
	"slices"
	"unsafe"

	"example.org/crosslane/internal/ir"
)

// firstInputs fills the inputs that are the same for all blocks. It keeps the guest part of the frame as
// the image from which the wave starts every block.
//
// Input: Func.Inputs, and the launch.
// Output: the filled frame, perBlock, and image, a copy of the guest's part without the zeros at its ends.
// Invariant: startFrame restores exactly the frame that this function leaves, without the inputs of
// perBlock.
// Example: only word 40 of 64 words holds an input: image is that word, imageAt is 40, and a start clears
// the 63 other words.
func (w *Wave) firstInputs() {
	f, l := w.Func, w.Launch
	for _, in := range f.Inputs {
		if in.Kind.ByBlock() {
			w.perBlock = append(w.perBlock, in)
			continue
		}
		switch in.Kind {
		case ir.ThreadIDX, ir.ThreadIDY, ir.ThreadIDZ:
			w.threadIDs(in.Dst, int(in.Kind-ir.ThreadIDX))
		case ir.LaneID:
			for i := range f.Lanes {
				w.Set(in.Dst, i, uint64(i))
			}
		case ir.ActiveMask0:
			w.SetMask(in.Dst, w.Initial)
		default:
			w.Fill(in.Dst, l.input(in, w.ID))
		}
	}
	if l.Blocks() == 1 {
		return // the frame is its own image: see startFrame
	}
	guest := w.frame[:f.GuestSize/8]
	isSet := func(x uint64) bool { return x != 0 }
	// The image leaves out the zeros at both ends of the guest part, which are cleared instead of copied.
	w.imageAt = max(slices.IndexFunc(guest, isSet), 0)
	n := len(guest)
	for n > w.imageAt && guest[n-1] == 0 {
		n--
	}
	w.image = append(w.image, guest[w.imageAt:n]...)
}

// threadIDs fills an input with a component, x, y or z, of the place of each lane in the block.
func (w *Wave) threadIDs(dst ir.Ref, component int) {
	f := w.Func
	bx, by := uint64(w.Launch.Block[0]), uint64(w.Launch.Block[1])
	t := uint64(w.ID * f.Lanes)
	id := [3]uint64{t % bx, t / bx % by, t / bx / by}
	words := w.words(dst)
	for i := 0; i < f.Lanes; {
		// A row of the block, or the part of it that belongs to the wave.
		n := int(min(bx-id[0], uint64(f.Lanes-i)))
		at, step := id[component], uint64(0)
		if component == 0 {
			step = 1
		}
		for j := i; j < i+n; j++ {
			if words != nil {
				words[j] = uint32(at)
			} else {
				w.Set(dst, j, at)
			}
			at += step
		}
		i += n
		// The next row of the block; after the last row, the next layer.
		id[0] = 0
		if id[1]++; id[1] == by {
			id[1] = 0
			id[2]++
		}
	}
}

// words returns a lane vector of 32 bits; nil if the value has another type.
func (f *ValueFrame) words(r ir.Ref) []uint32 {
	if v := &f.Func.Values[r]; v.Type != ir.B32 || v.Scalar {
		return nil
	}
	return unsafe.Slice((*uint32)(f.Ptr(r)), f.Func.Lanes)
}

// input returns the value of an input that is the same in all lanes of a wave and in all blocks.
func (l *Launch) input(in ir.Input, wave int) uint64 {
	f := l.Func
	switch in.Kind {
	case ir.InConst:
		return in.Imm
	case ir.BlockDimX, ir.BlockDimY, ir.BlockDimZ:
		return uint64(l.Block[in.Kind-ir.BlockDimX])
	case ir.GridDimX, ir.GridDimY, ir.GridDimZ:
		return uint64(l.Grid[in.Kind-ir.GridDimX])
	case ir.GlobalSizeX, ir.GlobalSizeY, ir.GlobalSizeZ:
		d := in.Kind - ir.GlobalSizeX
		return uint64(l.Grid[d]) * uint64(l.Block[d])
	case ir.WaveID:
		return uint64(wave)
	case ir.WaveCount, ir.WaveInfo:
		n := (uint64(l.Block[0])*uint64(l.Block[1])*uint64(l.Block[2]) + uint64(f.Lanes) - 1) / uint64(f.Lanes)
		if in.Kind == ir.WaveInfo && wave == 0 {
			n |= 1 << 31
		}
		return n
	case ir.LaunchValue:
		return l.Values[in.Imm]
	case ir.SharedTotal:
		return uint64(f.Declared()) + uint64(l.Dynamic)
	case ir.SharedDynamic:
		return uint64(l.Dynamic)
	case ir.StackTop:
		return uint64(f.LocalSize) + uint64(l.Stack)
	case ir.WorkspaceLow:
		return l.Workspace & math.MaxUint32
	case ir.WorkspaceHigh:
		return l.Workspace >> 32
	case ir.ClusterDimX, ir.ClusterDimY, ir.ClusterDimZ:
		return uint64(l.clusterDim()[in.Kind-ir.ClusterDimX])
	case ir.ClusterSize:
		return l.clusterSize()
	case ir.ClusterCountX, ir.ClusterCountY, ir.ClusterCountZ:
		d := in.Kind - ir.ClusterCountX
		return uint64(l.Grid[d] / l.clusterDim()[d])
	case ir.ClusterGiven:
		if l.Cluster != ([3]uint32{}) {
			return 1
		}
	}
	return 0 // GridID
}

// start prepares a wave for a block.
func (w *Wave) start() {
	w.startFrame()
	w.clearLocal()
	w.startLanes()
	w.blockInputs(false)
	l := w.Launch
	if l.Setup != nil {
		l.Setup(w)
	}
	if l.Recorder != nil {
		l.Recorder.Start(w)
	}
	if l.starter != nil {
		l.starter.Start(w)
	}
}

// startLanes puts all lanes at the start of the function.
func (w *Wave) startLanes() {
	clear(w.last)
	w.Live, w.Dead = w.Initial, ^w.Initial&w.full
	// On GCN3 all lanes live: EXEC selects the lanes that run.
	if w.Func.Exec != 0 {
		w.Live, w.Dead = w.full, 0
	}
	w.frags, w.overtook = w.frags[:0], false
	w.add(0, w.Live&^w.Launch.Idle, false)
	w.parked = w.parked[:0]
	w.Clock, w.atCluster, w.inCluster = 0, 0, 0
	w.watch = watch{}
	if w.observer != nil {
		w.observer.Start()
	}
}
