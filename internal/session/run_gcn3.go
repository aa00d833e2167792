package session

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/hazard"
	"example.org/crosslane/api"
	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/internal/value"
)

// lineTable returns the place in assembly source of the instruction at a code offset.
type lineTable func(off int64) (line, col int, text string, ok bool)

// loadObject loads a code object.
func loadObject(data []byte, file string) (*Module, error) {
	o, err := codeobject.Load(data, file)
	if err != nil {
		return nil, diag.Of(err)
	}
	return objectModule(o, file, nil, nil), nil
}

// objectModule makes a module of a code object; lines is nil for one without
// source.
func objectModule(o *codeobject.Object, file string, lines lineTable, warnings diag.List) *Module {
	m := &Module{file: file, isa: api.GCN3, warnings: warnings}
	from, placer := &objectOrigins{o: o}, &objectPlacer{o: o}
	m.placer = placer
	for i := range o.Kernels {
		ok := &o.Kernels[i]
		k := &Kernel{m: m, name: ok.Name}
		k.origin = func(l diag.List) { from.tell(ok, l) }
		if ok.Meta == nil {
			k.untyped = true
		} else {
			for _, a := range ok.Meta.Args {
				if !a.ValueKind.Hidden() {
					k.params = append(k.params, gcnParam(&a))
				}
			}
		}
		k.code = func() amdgpu.Code { return kernelCode(o, ok, file, lines) }
		k.load = func(late bool) (*Prepared, error) { return prepareGCN3(o, placer, ok, k, lines, late) }
		m.kernels = append(m.kernels, k)
	}
	m.spare.o, m.spare.lines = o, lines
	return m
}

// openclTypes are the type names of scalars in code-object metadata.
var openclTypes = map[string]api.ElemType{"char": api.S8, "uchar": api.U8, "short": api.S16, "ushort": api.U16, "int": api.S32, "uint": api.U32,
	"long": api.S64, "ulong": api.U64, "half": api.F16, "float": api.F32, "double": api.F64}

func gcnParam(a *codeobject.Arg) api.Param {
	p := api.Param{Name: a.Name, Offset: int(a.Offset), Size: int(a.Size), Kind: api.ParamScalar}
	switch a.ValueKind {
	case codeobject.GlobalBuffer:
		p.Kind = api.ParamPointer
	case codeobject.DynamicSharedPointer:
		p.Kind = api.ParamShared
	case codeobject.ByValue:
		p.Type = openclTypes[a.TypeName]
		if p.Type.Size() != p.Size {
			p.Type = ""
		}
		structure := strings.HasPrefix(a.TypeName, "struct ") || strings.HasPrefix(a.TypeName, "union ")
		if structure || p.Size != 1 && p.Size != 2 && p.Size != 4 && p.Size != 8 {
			p.Kind = api.ParamBytes
		}
	default:
		p.Kind = api.ParamKind(a.ValueKind)
	}
	return p
}

// prepareGCN3 lifts a kernel of a code object and sets how a launch binds it.
func prepareGCN3(o *codeobject.Object, placer *objectPlacer, ok *codeobject.Kernel, k *Kernel, lines lineTable, late bool) (*Prepared, error) {
	for i := range k.params {
		switch k.params[i].Kind {
		case api.ParamScalar, api.ParamPointer, api.ParamShared, api.ParamBytes:
		default:
			d := k.Errorf("unsupported", "parameter %s is of kind %s, which is not supported", k.params[i].Name, k.params[i].Kind)
			d.Class = diag.Unsupported
			return nil, diag.List{d}
		}
	}
	d := &ok.Descriptor
	abi := amdgpu.ABI{
		PrivateSegmentBuffer: d.UsePrivateBuffer != 0, DispatchPtr: d.UseDispatchPtr != 0, QueuePtr: d.UseQueuePtr != 0,
		KernargSegmentPtr: d.UseKernargPtr != 0, DispatchID: d.UseDispatchID != 0, FlatScratchInit: d.UseFlatScratch != 0,
		PrivateSegmentSize: d.UsePrivateSize != 0, GridCountX: d.GridCountX != 0, GridCountY: d.GridCountY != 0, GridCountZ: d.GridCountZ != 0,
		UserSGPRs:    int(d.UserSGPRs),
		WorkgroupIDX: d.WorkgroupIDX != 0, WorkgroupIDY: d.WorkgroupIDY != 0, WorkgroupIDZ: d.WorkgroupIDZ != 0,
		WorkgroupInfo: d.WorkgroupInfo != 0, PrivateSegmentWaveStart: d.PrivateSegment != 0,
		WorkitemID: int(d.WorkitemID), Scratch: d.PrivateSegmentSize,
	}
	opt := amdgpu.LiftOptions{
		Name: ok.Name, Late: late, Excp: d.Exceptions(), Inputs: abi.Inputs(), VGPRs: d.VGPRs(),
		LDSSize: d.GroupSegmentSize, Scratch: d.PrivateSegmentSize, DynamicStack: d.UsesDynamicStack != 0,
		Mode: amdgpu.FloatMode{Denorm32: amdgpu.Denorm(d.FloatDenorm32), Denorm16_64: amdgpu.Denorm(d.FloatDenorm16_64),
			Round32: uint8(d.FloatRound32), Round16_64: uint8(d.FloatRound16_64), NoDX10Clamp: d.DX10Clamp == 0, NoIEEE: d.IEEEMode == 0},
	}
	if d.GroupSegmentSize > maxLDSBytes || d.PrivateSegmentSize > maxScratch {
		e := k.Errorf("bad-launch", "the descriptor asks for %d bytes of LDS and %d bytes of scratch per work-item; at most %d and %d are allowed",
			d.GroupSegmentSize, d.PrivateSegmentSize, maxLDSBytes, maxScratch)
		return nil, diag.List{e}
	}
	if meta := ok.Meta; meta != nil {
		for i, n := range meta.ReqdWorkgroupSize {
			opt.ReqBlock[i] = uint32(min(n, 1<<31))
		}
		opt.MaxBlock = uint32(min(meta.MaxFlatWorkgroupSize, MaxBlockLanes))
	}
	code := kernelCode(o, ok, k.m.file, lines)
	// A finding without a run concerns the code that is called for certain.
	fn, found, err := hazard.LiftChecked(code, opt, d.VGPRs(), d.SGPRs())
	if err != nil {
		list := diag.Of(err)
		k.origin(list)
		return nil, list
	}
	k.origin(found)
	p := &Prepared{Fn: fn, wide: true, Origin: k.origin, warnings: slices.Concat(notStarted(o, ok, k), notAligned(ok, k, code.Source, code.Entry),
		InKernel(found, k.name))}
	p.bind = func(l *Launch, s *sim.Launch, mem *Memory) error { return bindGCN3(o, placer, ok, k, l, s, mem) }
	return p, nil
}

// notStarted warns of code that a runtime runs before a file's kernels: kernels of the kind init
// (AMDGPUUsage, ".kind"), which call the functions that .init_array lists.
func notStarted(o *codeobject.Object, ok *codeobject.Kernel, k *Kernel) diag.List {
	what := ""
	if o.Meta != nil {
		for i := range o.Meta.Kernels {
			if m := &o.Meta.Kernels[i]; m.Kind == "init" && (ok.Meta == nil || ok.Meta.Kind != "init") {
				what = "kernel " + m.Name + " of the kind init"
			}
		}
	}
	if s := o.Section(".init_array"); s != nil && s.Size > 0 && what == "" {
		what = "the functions in section .init_array"
	}
	if what == "" {
		return nil
	}
	d := k.Errorf("not-initialized", "a runtime runs %s before the kernel; Crosslane does not", what)
	d.Class, d.Severity = diag.Finding, diag.Warning
	d.Remedy = "avoid constructors of device variables"
	return diag.List{d}
}

// entryAlign is the alignment of a kernel's first instruction: the dispatcher gets its address
// without the low 8 bits (Errata E106; AMDGPUUsage, "Kernel Descriptor":
// KERNEL_CODE_ENTRY_BYTE_OFFSET).
const entryAlign = 256

// notAligned warns of a kernel that the hardware would start at another address than its first
// instruction.
func notAligned(ok *codeobject.Kernel, k *Kernel, lines lineTable, entry int64) diag.List {
	if ok.Entry%entryAlign == 0 {
		return nil
	}
	d := k.Errorf("entry-alignment", "it begins at address %#x, which is no multiple of %d; hardware would begin at %#x", ok.Entry, entryAlign, ok.Entry&^(entryAlign-1))
	d.Class, d.Severity = diag.Finding, diag.Warning
	d.Remedy = "write .p2align 8 before its label"
	if lines != nil {
		if line, col, text, known := lines(entry); known {
			d.Pos.Line, d.Pos.Col, d.Source = line, col, text
		}
	}
	return diag.List{d}
}

// bindGCN3 places the code object, the kernarg segment and the dispatch packet.
func bindGCN3(o *codeobject.Object, placer *objectPlacer, ok *codeobject.Kernel, k *Kernel, l *Launch, s *sim.Launch, mem *Memory) error {
	mem.sharedBase = s.Func.SharedStatic
	if n := o.Size(); n > maxObjectBytes {
		return diag.List{k.Errorf("bad-launch", "the code object takes %d bytes of memory; at most %d are allowed", n, uint64(maxObjectBytes))}
	}
	at, _ := o.Code(ok.Entry)
	base := uint64(0)
	if l.On != nil {
		base = l.On.base
	} else {
		base = placer.load(mem)
	}
	// The queue is opaque to kernels but for the apertures (amd_queue_t, offsets 0x40
	// and 0x44: group_segment_aperture_base_hi, private_segment_aperture_base_hi).
	queue := Aligned(256)
	binary.LittleEndian.PutUint32(queue[0x40:], uint32(ir.SharedWindow>>32))
	binary.LittleEndian.PutUint32(queue[0x44:], uint32(ir.LocalWindow>>32))
	qa := mem.fixture("queue", queue)
	qa.ReadOnly = true
	var kernarg []byte
	if k.untyped && l.Params != nil {
		// The kernel may read, after its arguments, values that compilers pass along: keep room.
		kernarg = Aligned(len(l.Params) + 256)
		copy(kernarg, l.Params)
	} else if k.untyped {
		block, err := k.pack(l.Args, mem)
		if err != nil {
			return err
		}
		kernarg = block
	} else {
		size := uint64(ok.Descriptor.KernargSize)
		if ok.Meta != nil {
			size = max(size, ok.Meta.KernargSize)
			for _, a := range ok.Meta.Args {
				size = max(size, a.Offset+a.Size)
			}
		}
		if size > maxKernargBytes {
			return diag.List{k.Errorf("bad-launch", "the kernarg segment has %d bytes; at most %d are allowed", size, maxKernargBytes)}
		}
		// Compilers load whole cache lines of arguments: the segment is as large.
		kernarg = Aligned(int(size+63) &^ 63)
		if err := k.rawOrTyped(l, kernarg, size, mem); err != nil {
			return err
		}
		s.Dynamic = l.Shared + mem.shared
		if ok.Meta != nil {
			for _, a := range ok.Meta.Args {
				v, known := hiddenArgument(a.ValueKind, s, mem, qa.Base)
				if a.ValueKind == "hidden_printf_buffer" {
					var err error
					if v, err = printfAddress(o, mem); err != nil {
						return diag.List{diag.Errorf(diag.Pos{File: k.m.file}, diag.Input, codeobject.CodeMetadata, "%v", err)}
					}
				}
				if a.ValueKind == "hidden_hostcall_buffer" {
					v = hostcallAddress(s, mem)
				}
				if known {
					for n := range min(a.Size, 8) {
						kernarg[a.Offset+n] = byte(v >> (8 * n))
					}
				}
			}
		}
	}
	s.Dynamic = l.Shared + mem.shared
	ka := mem.fixture("kernarg segment", kernarg)
	ka.ReadOnly = true
	pa := mem.fixture("dispatch packet", dispatchPacket(s, ok, ka.Base, base, mem))
	pa.ReadOnly = true
	s.Values = make([]uint64, amdgpu.NumLaunchValues)
	s.Values[amdgpu.ValueKernarg] = ka.Base
	s.Values[amdgpu.ValueDispatch] = pa.Base
	s.Values[amdgpu.ValueQueue] = qa.Base
	s.Values[amdgpu.ValueCode] = base + at
	for _, in := range s.Func.Inputs {
		if in.Kind == ir.LaunchValue && in.Imm == amdgpu.ValueGDS {
			s.Values[amdgpu.ValueGDS] = mem.fixture("GDS", Aligned(gdsBytes)).Base
		}
	}
	return nil
}

// gdsBytes is the size of the global data share. Every launch begins with one of zeros.
const gdsBytes = 64 << 10

// maxObjectBytes is how much memory a code object may take, with all its variables.
const maxObjectBytes = 1 << 30

// maxKernargBytes is the greatest kernarg segment.
const maxKernargBytes = 64 << 10

// hiddenArgument is the value of an argument that the runtime fills (AMDGPUUsage,
// "Code Object V5 Metadata", hidden arguments).
func hiddenArgument(kind codeobject.ValueKind, s *sim.Launch, mem *Memory, queue uint64) (uint64, bool) {
	dims := uint64(3)
	for dims > 1 && s.Grid[dims-1] == 1 && s.Block[dims-1] == 1 {
		dims--
	}
	switch kind {
	case "hidden_block_count_x":
		return uint64(s.Grid[0]), true
	case "hidden_block_count_y":
		return uint64(s.Grid[1]), true
	case "hidden_block_count_z":
		return uint64(s.Grid[2]), true
	case "hidden_group_size_x":
		return uint64(s.Block[0]), true
	case "hidden_group_size_y":
		return uint64(s.Block[1]), true
	case "hidden_group_size_z":
		return uint64(s.Block[2]), true
	case "hidden_grid_dims":
		return dims, true
	case "hidden_dynamic_lds_size":
		return uint64(s.Dynamic), true
	case "hidden_shared_base":
		return ir.SharedWindow >> 32, true
	case "hidden_private_base":
		return ir.LocalWindow >> 32, true
	case "hidden_queue_ptr":
		return queue, true
	}
	switch kind {
	case "hidden_hostcall_buffer":
		return 0, true // see hostcallAddress
	case "hidden_heap_v1":
		// A runtime makes them for every kernel with the argument. A use of one is reported.
		return mem.missing(string(kind)), true
	}
	// Grids are counted in whole workgroups, so that remainders are 0; offsets are 0. Code
	// may ask whether default_queue, completion_action and multigrid_sync_arg are null, and
	// they are in ordinary launches: Errata E105.
	return 0, kind.Hidden()
}

// dispatchPacket is the AQL packet that the kernel may look at
// (hsa_kernel_dispatch_packet_t).
func dispatchPacket(s *sim.Launch, ok *codeobject.Kernel, kernarg, base uint64, mem *Memory) []byte {
	p := Aligned(64)
	le := binary.LittleEndian
	dims := uint16(3)
	for dims > 1 && s.Grid[dims-1] == 1 && s.Block[dims-1] == 1 {
		dims--
	}
	// HSA_PACKET_TYPE_KERNEL_DISPATCH, that acquires and releases at system scope.
	le.PutUint16(p[0:], 2|2<<9|2<<11)
	le.PutUint16(p[2:], dims)
	for i := range 3 {
		le.PutUint16(p[4+2*i:], uint16(s.Block[i]))
		le.PutUint32(p[12+4*i:], s.Grid[i]*s.Block[i])
	}
	le.PutUint32(p[24:], ok.Descriptor.PrivateSegmentSize)
	le.PutUint32(p[28:], ok.Descriptor.GroupSegmentSize+s.Dynamic)
	le.PutUint64(p[32:], base+ok.DescriptorAddr)
	le.PutUint64(p[40:], kernarg)
	return p
}

// pack lays out the arguments of a kernel without metadata: each at the next
// multiple of its own size, as the ABI does.
func (k *Kernel) pack(args []api.Arg, mem *Memory) ([]byte, error) {
	var params []api.Param
	off := 0
	for i, a := range args {
		p, align := api.Param{Name: fmt.Sprintf("argument %d", i+1), Kind: api.ParamScalar, Size: 4}, 0
		switch a := a.(type) {
		case *api.Buffer:
			p.Kind, p.Size = api.ParamPointer, 8
		case api.Pointer, api.DevicePtr:
			p.Kind, p.Size = api.ParamPointer, 8
		case api.Bytes:
			p.Kind, p.Size, align = api.ParamBytes, len(a.Data), a.Align()
		case api.SharedBytes:
			p.Kind = api.ParamShared
		case api.Scalar:
			if a.Type == "" {
				d := k.Errorf("bad-argument", "argument %d: the file has no metadata, so the argument's type is not known", i+1)
				d.Remedy = "give the scalar a type, such as u32:" + a.Text
				return nil, diag.List{d}
			}
			p.Size, p.Type = a.Type.Size(), a.Type
		}
		if align == 0 {
			align = p.Size
		}
		off = value.RoundUp(off, align)
		p.Offset = off
		off += p.Size
		params = append(params, p)
	}
	// The kernel may read, after its arguments, values that compilers pass along: keep room.
	block := Aligned(off + 256)
	for i := range params {
		if d := k.argumentFor(&params[i], i, args[i], block, mem); d != nil {
			return nil, diag.List{d}
		}
	}
	return block, nil
}

// InKernel adds the name of their kernel to findings that need no run.
func InKernel(list diag.List, kernel string) diag.List {
	for _, d := range list {
		d.Kernel = kernel
	}
	return list
}

// oneWave reports whether all blocks of a kernel have one wave.
func oneWave(ok *codeobject.Kernel) bool {
	m := ok.Meta
	if m == nil {
		return false
	}
	r := m.ReqdWorkgroupSize
	return m.MaxFlatWorkgroupSize > 0 && m.MaxFlatWorkgroupSize <= 64 || len(r) == 3 && r[0] > 0 && r[0] <= 64 && r[1] == 1 && r[2] == 1
}

// kernelCode is a kernel's code, with the functions that calls of pointers may reach.
func kernelCode(o *codeobject.Object, ok *codeobject.Kernel, file string, lines lineTable) amdgpu.Code {
	at, text := o.Code(ok.Entry)
	if textAt, _ := o.Text(); lines != nil && textAt != at {
		ofText := lines
		lines = func(off int64) (int, int, string, bool) { return ofText(off + int64(at) - int64(textAt)) }
	}
	code := amdgpu.Code{Bytes: text, Entry: int64(ok.Entry - at), File: file, Source: lines, OneWave: oneWave(ok)}
	known := map[uint64]bool{}
	for i := range o.Kernels {
		known[o.Kernels[i].Entry] = true
	}
	function := func(addr uint64) {
		if addr >= at && addr-at < uint64(len(text)) && addr%4 == 0 && !known[addr] {
			known[addr] = true
			code.Functions = append(code.Functions, int64(addr-at))
		}
	}
	for i := range o.Symbols {
		if s := &o.Symbols[i]; s.Type == 2 { // STT_FUNC, of the code that was lifted
			function(s.Addr)
		}
	}
	// Tables of functions in files whose symbols were stripped.
	for i := range o.Relocs {
		function(o.Relocs[i].Value)
	}
	return code
}
