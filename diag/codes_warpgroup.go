package diag

// warpgroupFile is a kernel with one product of a warpgroup, between the texts before and after it.
func warpgroupFile(before, after string) string {
	return "\n-- k.ptx --\n.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n\t.reg .f32 %f<9>;\n\t.reg .b64 %d<2>;\n\t.shared .align 1024 .b8 tile[8192];\n" +
		"\tmov.u64 %d1, tile;\n\tshr.u64 %d1, %d1, 4;\n\tor.b64 %d1, %d1, 0x4000004000080000;\n" + before +
		"\twgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d1, 0, 1, 1, 0, 0;\n" +
		"\twgmma.commit_group.sync.aligned;\n" + after + "\tret;\n}"
}

// warpgroupCodes are about products of warpgroups.
func warpgroupCodes() []Code {
	const (
		command = "crosslane check k.ptx --grid 1 --block 128"
		fence   = "\twgmma.fence.sync.aligned;\n"
		wait    = "\twgmma.wait_group.sync.aligned 0;\n"
	)
	return []Code{
		{
			Code: "wgmma-uniform", Class: Finding, Severity: Error,
			Doc:     "The four warps of a warpgroup do not execute a wgmma instruction alike: one of them took another path, gives another matrix descriptor or scale-d, has ended, or does not exist because the block is no multiple of 128 threads. The manual leaves the effect undefined; a GPU may wait for ever. The run goes on: each warp computes its rows of the product.",
			Remedy:  "Let all four warps of the warpgroup execute the same wgmma instructions in the same order, with descriptors computed from values that are the same in all of them.",
			Example: "crosslane run k.ptx --grid 1 --block 64" + warpgroupFile(fence, wait),
		},
		{
			Code: "wgmma-fence", Class: Finding, Severity: Error,
			Doc:     "A product of a warpgroup uses registers that were accessed before it, and no wgmma.fence lies between; or no wgmma.fence comes before the first product; or the accumulator is that of an unfinished product of another shape. The manual leaves the result undefined. ptxas adds a missing fence, and then may let products run one after another.",
			Remedy:  "Put wgmma.fence.sync.aligned after the last access to the registers and before the product. Products of the same shape on one accumulator need none between them.",
			Example: command + warpgroupFile("\tmov.f32 %f1, 0f00000000;\n", wait),
		},
		{
			Code: "wgmma-acc", Class: Finding, Severity: Error,
			Doc:     "An accumulator of a product of a warpgroup, or a register that holds its A, is used before the product is waited for: wgmma.mma_async only starts the product. The manual leaves the value undefined. ptxas adds a wait, which costs the overlap that the program asks for.",
			Remedy:  "End the group with wgmma.commit_group, and wait for it with wgmma.wait_group, before the registers are read or written.",
			Example: command + warpgroupFile(fence, "\tadd.f32 %f5, %f1, %f2;\n"+wait),
		},
		{
			Code: "matrix-descriptor", Class: Finding, Severity: Error,
			Doc:     "The 64 bits that say where shared memory holds a matrix of wgmma have a field that is wrong: bits that have to be 0, a tile that does not start where the pattern of its swizzle does, a swizzle that is narrower than the product reads. No assembler checks them. The message decodes the descriptor. The run continues with its fields as given.",
			Remedy:  "Set address>>4 in bits 0 to 13, the leading offset>>4 in bits 16 to 29, the stride offset>>4 in bits 32 to 45, the swizzle in bits 62 and 63 (0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes), and align tiles to 1024, 512 or 256 bytes.",
			Example: "crosslane run k.ptx --grid 1 --block 128" + warpgroupFile("\tor.b64 %d1, %d1, 0x10000000000000;\n"+fence, wait),
		},
	}
}
