package diag

// hostCodes are about host programs: what they do with a device. Their examples are Go, in which dev is a Device
// with a module, and dev.launch runs a kernel of 32 lanes in a stream.
func hostCodes() []Code {
	return []Code{
		{Code: "bad-handle", Class: Finding, Severity: Error, Host: true,
			Doc:     "A host uses an object that is closed, is nil or belongs to another device: a module or its kernel, a stream, an event or a device.",
			Remedy:  "Close an object after its last use.",
			Section: "CUDA driver API, CUDA_ERROR_INVALID_HANDLE",
			Example: `p, _ := dev.Alloc("data", 128)
k, _ := dev.m.Kernel("look")
dev.m.Unload()
dev.DefaultStream().Launch(ctx, k, crosslane.DeviceLaunch{Args: []crosslane.Arg{p}})
dev.Free(p)`,
			Good: `p, _ := dev.Alloc("data", 128)
k, _ := dev.m.Kernel("look")
dev.DefaultStream().Launch(ctx, k, crosslane.DeviceLaunch{Args: []crosslane.Arg{p}})
dev.m.Unload()
dev.Free(p)`},
		{Code: "bad-pointer", Class: Finding, Severity: Error, Host: true,
			Doc:     "A host passes an address outside all memory of the device, such as an address of the host. A free also needs the first byte of an allocation; a fill needs a multiple of the size of the pattern.",
			Remedy:  "Pass an address that an allocation returned.",
			Section: "CUDA driver API, cuMemFree, cuMemcpy",
			Example: `p, _ := dev.Alloc("data", 128)
dev.Free(p + 4)
dev.Free(p)`,
			Good: `p, _ := dev.Alloc("data", 128)
dev.Free(p)`},
		{Code: "copy-out-of-bounds", Class: Finding, Severity: Error, Host: true,
			Doc:     "A host copies or fills more bytes than the allocation has. Hardware, which allocates in larger pieces, may not notice.",
			Remedy:  "Compare the number of bytes with the size of the allocation.",
			Section: "CUDA driver API, cuMemcpy, cuMemset",
			Example: `p, _ := dev.Alloc("data", 100)
dev.Write(p, make([]byte, 128))
dev.Free(p)`,
			Good: `p, _ := dev.Alloc("data", 128)
dev.Write(p, make([]byte, 128))
dev.Free(p)`},
		{Code: "double-free", Class: Finding, Severity: Error, Host: true,
			Doc:     "A host frees memory that it has freed before.",
			Remedy:  "Free memory once.",
			Section: "CUDA driver API, cuMemFree",
			Example: `p, _ := dev.Alloc("data", 128)
dev.Free(p)
dev.Free(p)`,
			Good: `p, _ := dev.Alloc("data", 128)
dev.Free(p)
p = 0
dev.Free(p)`},
		{Code: "freed-in-use", Class: Finding, Severity: Error, Host: true,
			Doc:     "A host frees memory in one stream while an operation of another stream may still use it: nothing orders the two.",
			Remedy:  "Free it in the stream that used it last, or after an event of that stream.",
			Section: "CUDA driver API, cuMemFreeAsync",
			Example: `a, _ := dev.NewStream()
b, _ := dev.NewStream()
p, _ := dev.Alloc("data", 128)
dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
b.Free(p)`,
			Good: `a, _ := dev.NewStream()
p, _ := dev.Alloc("data", 128)
dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
a.Free(p)`},
		{Code: "host-access", Class: Finding, Severity: Error, Host: true, InC: true,
			Doc:     "A host reads or writes memory of the device as if it were its own, or names it where a copy needs memory of the host. The access ends the program by a signal, as on hardware; the copy has no effect.",
			Remedy:  "Copy the bytes; or allocate managed or pinned memory, which host and device use both.",
			Section: "CUDA driver API, cuMemAlloc, cuMemcpyHtoD",
			Example: `ptr p = device_memory(7);
seen = *(unsigned *)(p + 8);`,
			Good: `ptr p = device_memory(7);
unsigned v = 0;
OK(cuMemcpyDtoH_v2(&v, p + 8, 4));
WANT(v, 7);
OK(cuMemFree_v2(p));`},
		{Code: "host-race", Class: Finding, Severity: Error, Host: true, InC: true,
			Doc:     "A host accesses its memory while an operation of a stream may still use it, because the host has not waited: it reads or writes the target of an asynchronous copy, it writes the source of one, or it accesses managed memory while a kernel runs.",
			Remedy:  "Synchronise with the stream, or with an event after the operation, before the access.",
			Section: "CUDA driver API, cuMemcpyDtoHAsync; CUDA Programming Guide, coherency and concurrency of unified memory",
			Example: `ptr p = device_memory(7);
unsigned *h = pinned_memory();
void *s = new_stream(0);
OK(cuMemcpyDtoHAsync_v2(h, p, BYTES, s));
seen = h[4];
OK(cuStreamSynchronize(s));
OK(cuMemFreeHost(h));
OK(cuMemFree_v2(p));`,
			Good: `ptr p = device_memory(7);
unsigned *h = pinned_memory();
void *s = new_stream(0);
OK(cuMemcpyDtoHAsync_v2(h, p, BYTES, s));
OK(cuStreamSynchronize(s));
seen = h[4];
WANT(seen, 7);
OK(cuMemFreeHost(h));
OK(cuMemFree_v2(p));`},
		{Code: "ignored-error", Class: Finding, Severity: Error, Host: true,
			Doc:     "A host goes on after a fault: a call has returned the fault, and the host launches a kernel or copies memory, which has no effect. Without Check the host sees old results.",
			Remedy:  "Look at the error of each call; after a fault, end the program or make a new device.",
			Section: "CUDA driver API, CUDA_ERROR_ILLEGAL_ADDRESS",
			Example: `p, _ := dev.Alloc("data", 64)
dev.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(1))
dev.Read(make([]byte, 64), p)`,
			Good: `p, _ := dev.Alloc("data", 128)
if dev.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(1)) == nil {
	dev.Read(make([]byte, 128), p)
}
dev.Free(p)`},
		{Code: "no-access", Class: Finding, Severity: Error, Host: true, InC: true,
			Doc:     "A kernel, a copy or a fill uses memory that the host has mapped at reserved addresses (cuMemMap), and the device has no right to it, or only that to read. In a kernel it is a fault.",
			Remedy:  "Give the device rights by cuMemSetAccess: CU_MEM_ACCESS_FLAGS_PROT_READWRITE.",
			Section: "CUDA driver API, cuMemSetAccess",
			Example: `ptr p = mapped_memory(1);
OK(run(add, p, 1, NULL));
WANT(cuCtxSynchronize(), 700);`,
			Good: `ptr p = mapped_memory(3);
OK(run(add, p, 1, NULL));
OK(cuCtxSynchronize());
OK(cuMemUnmap(p, 2 << 20));
OK(cuMemAddressFree(p, 2 << 20));`},
		{Code: "leak", Class: Finding, Severity: Warning, Host: true,
			Doc:     "A host closes a device and has not freed all its memory.",
			Remedy:  "Free memory when it is no longer used.",
			Section: "CUDA driver API, cuMemFree",
			Example: `p, _ := dev.Alloc("data", 128)
dev.Fill(p, []byte{0}, 128)
dev.Close()`,
			Good: `p, _ := dev.Alloc("data", 128)
dev.Fill(p, []byte{0}, 128)
dev.Free(p)
dev.Close()`},
		{Code: "mismatched-free", Class: Finding, Severity: Error, Host: true, InC: true,
			Doc:     "A host frees memory by the function for another kind of memory, such as pinned memory by cuMemFree. The memory is not freed.",
			Remedy:  "Free memory of cuMemAlloc and cuMemAllocManaged by cuMemFree, memory of cuMemAllocHost by cuMemFreeHost.",
			Section: "CUDA driver API, cuMemFree, cuMemFreeHost",
			Example: `unsigned *h = pinned_memory();
WANT(cuMemFree_v2((ptr)h), 1);
OK(cuMemFreeHost(h));`,
			Good: `unsigned *h = pinned_memory();
OK(cuMemFreeHost(h));`},
		{Code: "overlapping-copy", Class: Finding, Severity: Error, Host: true,
			Doc:     "A host copies memory within the device to a range that overlaps the source. Hardware copies many bytes at a time, so the result is undefined.",
			Remedy:  "Copy by another allocation, or in pieces that do not overlap.",
			Section: "CUDA runtime API, cudaMemcpy: the memory areas may not overlap",
			Example: `p, _ := dev.Alloc("data", 128)
dev.Fill(p, []byte{1}, 128)
dev.Copy(p+4, p, 124)
dev.Free(p)`,
			Good: `p, _ := dev.Alloc("data", 128)
dev.Fill(p, []byte{1}, 128)
dev.Copy(p+64, p, 64)
dev.Free(p)`},
		{Code: "refused-call", Class: Finding, Severity: Error, Host: true,
			Doc:     "A host makes a call that the driver refuses, such as a launch with more shared memory than the kernel may have. The call has no effect, and a host that ignores its error goes on with wrong results.",
			Remedy:  "Look at the error of each call, and give it what the message says.",
			Section: "CUDA driver API, CUDA_ERROR_INVALID_VALUE",
			Example: `p, _ := dev.Alloc("data", 128)
k, _ := dev.m.Kernel("look")
dev.Launch(ctx, k, crosslane.DeviceLaunch{Shared: 50000, Args: []crosslane.Arg{p}})
dev.Free(p)`,
			Good: `p, _ := dev.Alloc("data", 128)
k, _ := dev.m.Kernel("look")
k.SetMaxDynamicShared(50000)
dev.Launch(ctx, k, crosslane.DeviceLaunch{Shared: 50000, Args: []crosslane.Arg{p}})
dev.Free(p)`},
		{Code: "stream-race", Class: Finding, Severity: Error, Host: true,
			Doc:     "Operations of two streams use the same bytes, at least one of them writes, and nothing orders the two: no event, no synchronisation of the host, and no rule of the default stream.",
			Remedy:  "Let the second stream wait for an event that the first one records, or synchronise with the host between them.",
			Section: "CUDA driver API, stream synchronization behavior",
			Example: `a, _ := dev.NewStream()
b, _ := dev.NewStream()
p, _ := dev.Alloc("data", 128)
dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
dev.launch(b, "bump", p, crosslane.Int(32))
dev.Free(p)`,
			Good: `a, _ := dev.NewStream()
b, _ := dev.NewStream()
p, _ := dev.Alloc("data", 128)
dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
done := dev.NewEvent()
a.Record(done)
b.Wait(done)
dev.launch(b, "bump", p, crosslane.Int(32))
dev.Free(p)`},
		{Code: "undefined-copy", Class: Finding, Severity: Error, Host: true,
			Doc:     "A host reads bytes of the device that have undefined bits: a kernel stored undefined bits there, which is an error, or nothing wrote the bytes, which is a note.",
			Remedy:  "Store only what has been written or computed from defined values; copy what was written.",
			Section: "CUDA driver API, cuMemAlloc: the memory is not cleared",
			Example: `p, _ := dev.Alloc("data", 128)
dev.launch(nil, "forget", p)
dev.Read(make([]byte, 128), p)
dev.Free(p)`,
			Good: `p, _ := dev.Alloc("data", 128)
dev.launch(nil, "forget", p)
dev.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(1))
dev.Read(make([]byte, 128), p)
dev.Free(p)`},
		{Code: "out-of-memory", Class: Input, Severity: Error, Host: true,
			Doc:    "An allocation needs more bytes than the device has left, or than this machine has.",
			Remedy: "Free memory first, or give the device more."},
		{Code: "no-binary-for-device", Class: Input, Severity: Error, Host: true,
			Doc:    "The device cannot run the target of a module: the target is newer, it is for another architecture or family, or it is of the other instruction set.",
			Remedy: "Compile the module for the device, or make a device that runs the target of the module."},
		{Code: "cooperative-too-large", Class: Input, Severity: Error, Host: true,
			Doc:    "A cooperative launch has more blocks than the device has room for at a time.",
			Remedy: "Launch at most as many blocks as the occupancy of each multiprocessor allows, and let them loop."},
		{Code: "not-recorded", Class: Input, Severity: Error, Host: true,
			Doc:    "A launch of a trace depends on memory that the trace does not hold, such as memory that kernels have allocated.",
			Remedy: "Replay an earlier launch."},
		{Code: "no-such-device", Class: Input, Severity: Error, Host: true,
			Doc:    "There is no device of this name.",
			Remedy: "Use one of the targets that the message lists."},
	}
}
