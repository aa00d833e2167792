package programs

// compiled lists the programs in src.
func compiled() []entry {
	return []entry{
		{"reduce", "sums of a block in five styles, and of a grid by its last block", reduceCases},
		{"scan", "prefix sums: Hillis and Steele, Blelloch, warps and block", scanCases},
		{"lookback", "a prefix sum of the whole grid in one pass: blocks look back at blocks before them", lookbackCases},
		{"sort", "bitonic sort in shared memory, in steps and in a warp; radix sort", sortCases},
		{"histogram", "atomics in shared and global memory, 32 and 64 bits", histogramCases},
		{"sha256", "SHA-256 of messages of any length", sha256Cases},
		{"chacha20", "ChaCha20 with structures by value", chachaCases},
		{"crc32", "CRC-32 of records, and of one message by a warp", crcCases},
		{"mandelbrot", "escape times in f32 and f64", mandelbrotCases},
		{"matmul", "matrix products by tiles and by registers, bytes by dp4a", matmulCases},
		{"nbody", "gravity, approximate and exact", nbodyCases},
		{"fft", "256 points a block, 32 points a warp", fftCases},
		{"softmax", "by blocks, by warps in one pass, the logarithm of the sum", softmaxCases},
		{"layernorm", "rows normalised by warps, Welford's variance", layernormCases},
		{"attention", "a head with its running maximum and sum", attentionCases},
		{"stencil", "in two and three dimensions, Conway's life by shuffles", stencilCases},
		{"graph", "breadth first, connected components, sparse products", graphCases},
		{"text", "string search, edit distance, base64", textCases},
		{"compact", "stream compaction, warp-aggregated atomics, run lengths", compactCases},
		{"locks", "spin locks and tickets among lanes of one warp", lockCases},
		{"exchange", "blocks that wait for each other: a barrier of the grid, a pipe", exchangeCases},
		{"hashtable", "open addressing by compare and swap, 32 and 64 bits; chains", hashCases},
		{"half", "f16, f16x2 and bfloat16 by hand", halfCases},
		{"bfloat", "__bf16 as the compiler has it", bfloatCases},
		{"recursion", "functions that call themselves and each other, quicksort", recursionCases},
		{"pointers", "function pointers, tables of them, virtual functions", pointerCases},
		{"structs", "structures by value to kernels and functions", structCases},
		{"arrays", "local arrays with dynamic index", arrayCases},
		{"machine", "switches: a byte-code interpreter, a lexer", machineCases},
		{"integers", "64 and 128 bits: division, products, primes, Philox; bytes", integerCases},
		{"doubles", "f64: elimination, Newton, Simpson, compensated sums, conversions", doubleCases},
		{"wmma", "matrix products by warp, sums in f32 and f16", wmmaCases},
		{"tensor", "mma.sync of every kind, with cp.async, ldmatrix and movmatrix", tensorCases},
		{"warps", "redux, match and elect", warpCases},
		{"printing", "printf, the heap, assertions", printingCases},
		{"wave64", "scans, sorts, partitions and votes of 64 lanes by DPP, permutes, swizzles and ballots; GCN3 alone", wave64Cases},
		{"transpose", "of a matrix of f64, of bits in a warp, of bytes", transposeCases},
	}
}

// handWritten lists the programs in hand, in the style of nvcc.
func handWritten() []entry {
	return []entry{
		{"gemm_tile", "cp.async, ldmatrix and mma.sync in a pipeline of two stages", gemmTileCases},
		{"warp_ops", "redux, match, elect and votes with masks in registers", warpOpsCases},
		{"bulk_pipeline", "mbarrier and bulk copies in a pipeline of two stages", bulkCases},
		{"specialised", "warps that produce and warps that consume, through named barriers", specialisedCases},
		{"predicate_scan", "shuffles with predicates: a prefix sum, a maximum with its place", predicateScanCases},
		{"aggregate", "one atomic for the lanes that are there; ranks by votes", aggregateCases},
	}
}

// handWrittenGCN3 lists the programs in hand for GCN3, in the style of libraries of
// mathematics and of miners.
func handWrittenGCN3() []entry {
	return []entry{
		{"stream", "loads two steps ahead of their use, partial waits that count the stores, too", streamCases},
		{"three_scans", "three DPP scans of 64 lanes interleaved, so that no wait states are empty", threeScansCases},
		{"sgemm", "64 x 64 tiles by ds_read_b128 and v_mac_f32, two buffers in LDS, operands a step ahead", sgemmCases},
		{"sha256_block", "a block a lane by v_alignbit, v_bfi and v_perm; macros that rename registers", sha256BlockCases},
		{"digit_ranks", "ds_add_rtn_u32 on digits that SDWA picks, ds_write2st64, buffer atomics", digitRanksCases},
		{"taps", "a filter with s_buffer_load weights and zeros from the buffer's bounds", tapsCases},
		{"blend", "pixels byte by byte with SDWA sources and destinations", blendCases},
	}
}
