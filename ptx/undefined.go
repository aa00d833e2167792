package ptx

import "strings"

// An Undefined is one fact about an instruction that the manual leaves undefined, with the check
// that reports it.
type Undefined struct {
	Text   string // as explain prints it
	Code   string // code of the finding that reports it; poison-store stands for all poison codes
	Reason string // the reason if no check reports it; "" if Code is set
}

// undefined returns the facts of the row in one text.
func (r *row) undefined() string { return strings.Join(r.facts, "; ") }

// open returns the index of a fact of the row. It panics if the row lacks the fact.
func (r *row) open(u Undefined) uint64 {
	for i := range r.Undefined {
		if r.Undefined[i] == u {
			return uint64(i)
		}
	}
	panic("ptx: the row " + r.Form + " does not say: " + u.Text)
}

// The facts, one by one, and the lists that several rows share.
var (
	undefDivision       = Undefined{Text: "division by zero yields an unspecified, machine-specific value", Code: "poison-store"}
	undefRemainder      = Undefined{Text: "the remainder of a division by zero is an unspecified, machine-specific value", Code: "poison-store"}
	undefBase           = Undefined{Text: "everything, if base is greater than 31", Code: "poison-store"}
	undefWarpgroup      = Undefined{Text: "everything, if not all warps of the warpgroup execute it", Reason: "registers are not counted, so that no run depends on it"}
	undefLiveMbarrier   = Undefined{Text: "everything, if the address holds a valid mbarrier object already", Code: "bad-mbarrier"}
	undefNoMbarrier     = Undefined{Text: "everything, if the address holds no mbarrier object", Code: "bad-mbarrier"}
	undefPhase          = Undefined{Text: "the phase asked for is neither the current one nor the one before", Code: "bad-mbarrier"}
	undefParity         = Undefined{Text: "everything, if the parity is neither 0 nor 1", Code: "bad-mbarrier"}
	undefCompletes      = Undefined{Text: "everything, if the arrival completes the phase", Code: "bad-mbarrier"}
	undefCount          = Undefined{Text: "the count, if the state comes from anything but an arrival with .noComplete", Code: "bad-mbarrier"}
	undefNotGlobalConst = Undefined{Text: "everything, if the address is neither in global nor in constant memory", Code: "wrong-space"}
	undefWritten        = Undefined{Text: "the value, if the kernel writes the location while it runs", Code: "read-only-written"}
	undefNotGlobal      = Undefined{Text: "everything, if the address is not one of global memory", Code: "wrong-space"}
	undefOutsideGlobal  = Undefined{Text: "everything, if the address lies outside global memory", Code: "wrong-space"}
	undefCancel         = Undefined{Text: "everything, if the block has seen an earlier request fail", Code: "undefined-behaviour"}
	undefOwnBlock       = Undefined{Text: "everything, if the destination is in the executing block", Code: "needs-cluster"}
	undefOneBlock       = Undefined{Text: "everything, in a cluster of one block", Code: "needs-cluster"}
	undefMember         = Undefined{Text: "everything, if the executing thread is not in membermask", Code: "not-in-membermask"}
	undefTarget         = Undefined{Text: "everything, if the index is not below the number of targets", Code: "bad-branch"}
	undefStack          = Undefined{Text: "everything, if the operand is not a value that stacksave returned", Code: "bad-stack-pointer"}
	undefRoom           = Undefined{Text: "the use of the memory, if there is too little of it: here that is a fault", Code: "stack-overflow"}
	undefFill           = Undefined{Text: "everything, if the size is no multiple of 8", Code: "misaligned"}
	undefFillSpace      = Undefined{Text: "the address lies outside shared memory", Code: "wrong-space"}
	undefRank           = Undefined{Text: "the result, if the cluster has no block of that rank", Code: "no-such-rank"}
	undefWindow         = Undefined{Text: "the result, if the generic address lies outside the window of the state space", Reason: "the address that comes out is checked where memory is accessed through it"}
	undefFailed         = Undefined{Text: "the result, if the request failed", Code: "poison-store"}
	undefInactive       = Undefined{Text: "the value that an active thread reads from an inactive thread", Code: "undefined-source"}
	undefAbsent         = Undefined{Text: "the value that a thread reads from an inactive thread or from one that is not in membermask", Code: "undefined-source"}
	undefTogether       = Undefined{Text: "which threads of a warp run together is not defined, so that the result is no safe membermask", Code: "activemask-membermask"}
	undefDiscarded      = Undefined{Text: "the contents of the line until it is written again", Code: "poison-store"}
	undefSourceSize     = Undefined{Text: "everything, if the source size is greater than the size", Code: "undefined-behaviour"}
	undefCopied         = Undefined{Text: "the copied data, if they are read before a wait for the copy", Code: "race-shared"}
	undefBulkSize       = Undefined{Text: "everything, if the size is no multiple of 16", Code: "misaligned"}
	undefUnderWay       = Undefined{Text: "the copied data, if they are read before the copy is known to be done", Code: "race-shared"}
	undefIgnoreSize     = Undefined{Text: "everything, if the size is no multiple of 16 or more than 15 bytes are ignored at an end", Code: "undefined-behaviour"}
	undefIgnoredBytes   = Undefined{Text: "the destination's bytes that are ignored", Reason: "they keep their old values: kernels use this for the edges of their tiles, and read none of these bytes"}
	undefAligned        = Undefined{Text: "everything, if not all 32 threads of the warp execute the same instruction together", Code: "not-aligned"}
	undefSelectors      = Undefined{Text: "selectors of the scale factors outside their ranges", Code: "matrix-operand"}
	undefMetadata       = Undefined{Text: "metadata whose indices are equal, or not ascending with .ordered_metadata", Code: "matrix-operand"}
	undefFourWarps      = Undefined{Text: "everything, if the four warps of the warpgroup do not execute it alike", Code: "wgmma-uniform"}
	undefInFlight       = Undefined{Text: "accumulators and registers of A that are used before the product is waited for", Code: "wgmma-acc"}
	undefNoFence        = Undefined{Text: "registers that were accessed before without a wgmma.fence in between", Code: "wgmma-fence"}
	undefTile           = Undefined{Text: "a matrix descriptor whose fields contradict each other", Code: "matrix-descriptor"}
	undefLiveColumns    = Undefined{Text: "addresses of Tensor Memory outside the live allocations", Code: "tmem-bounds"}
	undefWarpLanes      = Undefined{Text: "lanes of Tensor Memory that the warp does not reach", Code: "tmem-lane"}
	undefOneAddress     = Undefined{Text: "everything, if the lanes give different addresses or numbers of columns", Code: "matrix-operand"}
	undefTensorWord     = Undefined{Text: "an instruction descriptor whose fields contradict each other or the instruction, or a matrix descriptor that is wrong", Code: "matrix-descriptor"}
	undefAllocation     = Undefined{Text: "allocations that grow, come after relinquish_alloc_permit, or are not freed as they were made", Code: "tmem-leak"}
	undefSelector       = Undefined{Text: "a selector outside its range", Code: "matrix-operand"}
	undefMultimem       = Undefined{Text: "everything, if the address is not a multimem address; here every address of global memory is one, of one memory", Reason: "every address of global memory is a multimem address here"}
	undefWide           = Undefined{Text: "without .sat, the value that .min and .max compare c with, if the first result does not fit in 33 bits", Reason: "the comparison takes the exact first result: the bits that depend on it are not followed"}

	undefTensorMap = Undefined{Text: "everything, if a field of the tensor map is out of its range, or the map is not one for the instruction", Code: "tensormap-bad"}
	undefHandle    = Undefined{Text: "everything, if the handle is not one of a texture, sampler or surface that fits the instruction", Code: "texture-bad"}
	undefStale     = Undefined{Text: "the value, if the kernel writes the texel or element while it runs", Code: "texture-stale"}

	textureUndefined   = []Undefined{undefHandle, undefStale}
	handleUndefined    = []Undefined{undefHandle}
	tensorBeyond       = []Undefined{undefTensorMap, undefUnderWay}
	mbarMisuse         = []Undefined{undefNoMbarrier}
	mbarWaits          = []Undefined{undefNoMbarrier, undefPhase}
	mbarParity         = []Undefined{undefNoMbarrier, undefParity}
	cpBeyond           = []Undefined{undefSourceSize, undefCopied}
	bulkBeyond         = []Undefined{undefBulkSize, undefUnderWay}
	bulkIgnored        = []Undefined{undefIgnoreSize, undefIgnoredBytes}
	undefWgmma         = []Undefined{undefAligned, undefFourWarps, undefInFlight, undefNoFence, undefTile}
	undefWgmmaSparse   = []Undefined{undefAligned, undefFourWarps, undefInFlight, undefNoFence, undefTile, undefMetadata}
	undefColumns       = []Undefined{undefAligned, undefOneAddress, undefAllocation}
	undefTensorWarp    = []Undefined{undefAligned}
	undefTensor        = []Undefined{undefAligned, undefOneAddress, undefLiveColumns, undefWarpLanes}
	undefScale         = []Undefined{undefAligned, undefSelectors}
	undefSparse        = []Undefined{undefAligned, undefMetadata, undefSelector}
	multimemUndefined  = []Undefined{undefMultimem}
	multimemBulk       = []Undefined{undefMultimem, undefBulkSize, undefUnderWay}
	wideSecond         = []Undefined{undefWide}
	undefTensorProduct = []Undefined{undefLiveColumns, undefTensorWord}
	undefTensorSparse  = []Undefined{undefLiveColumns, undefTensorWord, undefMetadata}
	undefTensorCopy    = []Undefined{undefLiveColumns, undefTile}
	undefTensorShift   = []Undefined{undefLiveColumns, undefWarpLanes}
)
