package sim

import (
	"fmt"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// The text about an access that no memory backs.
//
// Input: the access, the lane and its address.
// Output: a Fault that names the place relative to the closest memory, the likely mistake and a remedy.
// Example: a load at 0 reads "it is a null pointer"; at 4096+4 of a buffer of 4096 bytes, "4 bytes past the
// end of "out" (4096 bytes)".

// addressSpaces explains addresses: which memory holds one, and which memory is near it.
type addressSpaces struct {
	f                    *ir.Func
	mem                  *Memory
	shared, local, param uint64 // bytes of these memories
}

// addresses returns the address spaces of the wave.
func (w *Wave) addresses() addressSpaces {
	return addressSpaces{w.Func, w.Mem, uint64(len(w.Shared)), w.laneBytes, uint64(len(w.Launch.Param))}
}

// resolve is Wave.Resolve.
func (x addressSpaces) resolve(space ir.Space, addr uint64) (ir.Space, uint64) {
	return x.f.Windows.Resolve(space, addr, x.mem.Wide())
}

// A window is a range of the generic address space outside the allocations.
type window struct {
	space     ir.Space
	base      uint64
	name, has string
}

// windows returns the windows of these memories.
func (x addressSpaces) windows() [6]window {
	const shared, local, param = "shared memory of the block", "private memory of the lane", "the kernel's parameters"
	ptx := &x.f.Windows
	return [...]window{
		{ir.Shared, ir.SharedWindow, shared, "has"},
		{ir.Shared, ptx.Shared(), shared, "has"},
		{ir.Local, ir.LocalWindow, local, "has"},
		{ir.Local, ptx.Local(), local, "has"},
		{ir.Param, ir.ParamWindow, param, "have"},
		{ir.Param, ptx.Param(), param, "have"},
	}
}

// beyond describes the place of size bytes at an offset that are not within the n bytes of a space.
func (x addressSpaces) beyond(space ir.Space, at, size, n uint64) string {
	text := ""
	for _, k := range x.windows() {
		if k.space == space {
			text = fmt.Sprintf("%s %s %d bytes", k.name, k.has, n-x.f.GapBytes(space, n))
		}
	}
	// If too much was subtracted, the offset is below 0, in 32 or in 64 bits.
	under := min(-at, uint64(-uint32(at))|at>>32<<32)
	switch {
	case at >= 1<<28 && x.mistaken(space, at).what != "":
		return "it is " + x.mistaken(space, at).what
	case at < n:
		return crossing(at+size-n) + ": " + text
	case under-1 < 1<<31:
		return fmt.Sprintf("%s before the start: %s", count(under), text)
	case at == n:
		return "just past the end: " + text
	}
	return fmt.Sprintf("%s past the end: %s", count(at-n), text)
}

// crossing describes an access whose last n bytes are outside.
func crossing(n uint64) string {
	if n == 1 {
		return "the last of these bytes is past the end"
	}
	return fmt.Sprintf("the last %d of these bytes are past the end", n)
}

// count formats a number of bytes.
func count(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// nearNull is the distance from address 0 within which an address counts as a null pointer with an offset.
const nearNull = 1 << 16

// nearest describes an address that no allocation backs.
func (x addressSpaces) nearest(in *ir.Inst, addr, size uint64) string {
	if n := ir.FuncNumber(addr); n < uint64(len(x.f.Functions)) {
		return fmt.Sprintf("it is the address of the function %s, which is no memory", x.f.Functions[n])
	}
	m := x.mistaken(in.Space, addr)
	switch {
	case addr == 0:
		return "it is a null pointer" + also(m)
	case addr < nearNull:
		return fmt.Sprintf("it is %s past a null pointer", count(addr)) + also(m)
	case -addr <= nearNull:
		return fmt.Sprintf("it is %s before a null pointer", count(-addr))
	}
	if space, at := x.justBelow(addr); space != ir.Generic {
		for _, k := range x.windows() {
			if k.space == space {
				return fmt.Sprintf("%s before the start of %s", count(at), k.name)
			}
		}
	}
	if m.what != "" {
		return "it is " + m.what
	}
	return x.mem.Nearest(addr, size)
}

// justBelow returns the window that begins shortly after an address, and the distance; else ir.Generic.
func (x addressSpaces) justBelow(addr uint64) (ir.Space, uint64) {
	for _, k := range x.windows() {
		if d := k.base - x.mem.widen(addr); x.mem.Wide() && d <= nearNull && d > 0 {
			return k.space, d
		}
	}
	return ir.Generic, 0
}

// remedy returns the advice for an access that is out of bounds.
func (x addressSpaces) remedy(in *ir.Inst, addr uint64) string {
	space, _ := x.resolve(in.Space, addr)
	if in.Space == ir.Generic {
		if s, _ := x.justBelow(addr); s != ir.Generic {
			space = s
		}
	}
	moved := ""
	if x.moved() {
		moved = "; if other seeds of --schedule do not find it, the code depends on where a window of generic addresses begins: convert addresses with cvta and cvta.to"
	}
	gcn3 := x.f.Exec != 0
	if m := x.mistaken(in.Space, addr); m.remedy != "" {
		return m.remedy
	}
	switch {
	case space == ir.Shared && gcn3:
		return "check the offset against .amdhsa_group_segment_fixed_size and the LDS that the launch adds"
	case space == ir.Shared:
		return "check the index against the size of the .shared variable; what .extern .shared arrays hold is given at the launch: --shared" + moved
	case space == ir.Local && gcn3:
		return "check the offset against .amdhsa_private_segment_fixed_size"
	case space == ir.Local:
		return "check the index against the size of the .local variable" + moved
	case space == ir.Param:
		return "check the offset against the parameters that the kernel declares" + moved
	case addr < nearNull || -addr <= nearNull:
		return "check where the pointer comes from: an argument that is 0, memory that holds no address, or malloc that found no room"
	case x.mem.heap.about(addr, x.mem.Wide()):
		return "check the index against the bytes that malloc was asked for"
	}
	return "check the index against the number of elements, and the launch against the size of the buffer"
}

// fault sets w.Fault for an access of lane i that fails for the reason why.
func (w *Wave) fault(code string, in *ir.Inst, addr, size uint64, i int, store bool, why string) {
	verb := "reads"
	if in.Op == ir.Atomic {
		verb = "updates"
	} else if store {
		verb = "writes"
	}
	who := fmt.Sprintf("lane %d of wave %d", i, w.ID)
	if in.Scalar {
		who = fmt.Sprintf("wave %d", w.ID)
	}
	remedy := ""
	switch code {
	case CodeOutOfBounds:
		remedy = w.addresses().remedy(in, addr)
	case CodeUseAfterFree:
		remedy = "free memory after its last use by any lane"
	case CodeNoAccess:
		remedy = "give the device the rights that its kernels need: cuMemSetAccess with CU_MEM_ACCESS_FLAGS_PROT_READWRITE"
	case CodeWriteToConst:
		remedy = "write to a buffer that is not constant; parameters and .const memory stay as the launch found them"
		if w.Func.Exec != 0 {
			remedy = "write to a buffer of the launch; kernel arguments, the dispatch packet and code stay as the launch made them"
		}
	case CodeMisaligned:
		remedy = "align the address, or access smaller pieces"
		size = max(size, uint64(in.Align)) // for a vector, this is the first element
	case CodeNotProvided:
		remedy = "avoid features that need it, such as printf through host calls or malloc of HIP"
	case CodeWrongSpace:
		remedy = "pass an address of the memory that the instruction takes"
	}
	lanes := w.blame(code, in, addr, size, i, store)
	if more := lanes &^ lane.Lane(i); more != 0 && !in.Scalar {
		why += "; " + more.Named() + ", too"
	}
	w.Fault = &Fault{Code: code, Pos: in.Pos, Lanes: lanes, Remedy: remedy,
		Text: fmt.Sprintf("%s in block (%d,%d,%d) %s %s at %s address %#x: %s", who, w.index[0], w.index[1], w.index[2], verb, count(size), in.Space, w.addresses().sideBySide(in.Space, addr), why)}
	if pos, ok := w.Mem.heap.freed(addr); ok && pos >= 0 && code == CodeUseAfterFree {
		p, src := where(w.Func, pos)
		w.Fault.Others = append(w.Fault.Others, related(p, w.Func.Pos[pos].Name+": it was freed here", src))
	}
	if code == CodeOutOfBounds || code == CodeUseAfterFree || code == CodeWriteToConst || code == CodeNoAccess {
		if space, _ := w.Resolve(in.Space, addr); space == ir.Global || space == ir.Generic {
			w.Fault.Others = append(w.Fault.Others, w.Mem.Origins(addr)...)
		}
	}
}

// blame returns the lanes whose access fails as that of lane i does: lane i, and the lanes after it, which
// have not been served, with the same mistake.
func (w *Wave) blame(code string, in *ir.Inst, addr, size uint64, i int, store bool) lane.Mask {
	all := lane.Lane(i)
	if in.Scalar && w.Func.Exec != 0 {
		return 0 // it is not an access of a lane
	}
	if in.Scalar {
		return w.Active
	}
	m := w.writeMask(in)
	offset := addr - w.Get(in.Args[0], i) // the same for all lanes
	for j := i + 1; j < w.Func.Lanes; j++ {
		if !m.Has(j) {
			continue
		}
		if _, _, c, _ := w.find(in, w.Address(in.Args[0], j, offset), size, j, store); c == code {
			all |= lane.Lane(j)
		}
	}
	return all
}
