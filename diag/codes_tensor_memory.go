package diag

// tensorMemoryFile is a kernel of one warp that allocates 64 columns of Tensor Memory and frees columns at the end.
func tensorMemoryFile(middle, freed string) string {
	return "\n-- k.ptx --\n.version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n\t.reg .b32 %r<5>;\n\t.shared .align 4 .b32 at;\n" +
		"\ttcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 64;\n\tbar.sync 0;\n\tld.shared.b32 %r1, [at];\n" + middle +
		"\ttcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, " + freed + ";\n\tret;\n}"
}

// tensorMemoryCodes are about Tensor Memory.
func tensorMemoryCodes() []Code {
	const (
		command = "crosslane check k.ptx --grid 1 --block 32"
		wait    = "\ttcgen05.wait::st.sync.aligned;\n"
	)
	return []Code{
		{
			Code: "tmem-unordered", Class: Finding, Severity: Error,
			Doc:     "Two operations access one cell of Tensor Memory, one of them writes it, and nothing orders them: a store is not waited for with tcgen05.wait::st, or a product, copy or shift is not waited for at the mbarrier object of a tcgen05.commit, or no barrier lies between two threads. The operations of tensor cores that one thread issues are ordered among themselves.",
			Remedy:  "Wait for stores with tcgen05.wait::st. After products, copies and shifts execute tcgen05.commit for an mbarrier object, and wait for its phase before the cells are used. Between threads put tcgen05.fence::before_thread_sync, a barrier and tcgen05.fence::after_thread_sync.",
			Example: command + tensorMemoryFile("\ttcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r2};\n\ttcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r1];\n\ttcgen05.wait::ld.sync.aligned;\n", "64"),
		},
		{
			Code: "tmem-ld-wait", Class: Finding, Severity: Error,
			Doc:     "A cell of Tensor Memory is written while a tcgen05.ld may still read it: no tcgen05.wait::ld has waited for the load. An instruction that uses the loaded registers does not wait in this sense.",
			Remedy:  "Put tcgen05.wait::ld.sync.aligned after the load, and before the barrier or arrival that lets other threads write the cells.",
			Example: command + tensorMemoryFile("\ttcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r1];\n\ttcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r2};\n"+wait, "64"),
		},
		{
			Code: "tmem-leak", Class: Finding, Severity: Error,
			Doc:     "An allocation of Tensor Memory breaks a rule: a block ends without freeing it, frees another number of columns or an address that is none, asks for more columns than before, or allocates after it has given up the right to. On a GPU later blocks may wait for the columns for ever. The run goes on.",
			Remedy:  "Free each allocation with its own address and number of columns before the block ends, and put tcgen05.relinquish_alloc_permit after the last allocation.",
			Example: command + tensorMemoryFile("", "32"),
		},
		{
			Code: "tmem-bounds", Class: Fault, Severity: Error,
			Doc:     "An operation accesses a lane above 127, a column above 511, or a column of Tensor Memory that belongs to no live allocation. The run ends there.",
			Remedy:  "Use addresses that tcgen05.alloc has given, plus less than the number of columns that it was asked for. The lane is in bits 16 to 31 of an address, the column in bits 0 to 15.",
			Example: command + tensorMemoryFile("\ttcgen05.st.sync.aligned.32x32b.x1.b32 [%r1+64], {%r2};\n"+wait, "64"),
		},
		{
			Code: "tmem-lane", Class: Fault, Severity: Error,
			Doc:     "A warp names a lane of Tensor Memory that it does not reach. tcgen05.ld and tcgen05.st of the warp whose number in its warpgroup is w reach lanes 32w to 32w+31, and begin at the first of them, or with shapes of 16 lanes in the middle, too. The run ends there.",
			Remedy:  "Add the number of the warp in its warpgroup, shifted left by 21, to the address.",
			Example: command + tensorMemoryFile("\tadd.u32 %r2, %r1, 0x200000;\n\ttcgen05.st.sync.aligned.32x32b.x1.b32 [%r2], {%r3};\n"+wait, "64"),
		},
	}
}
