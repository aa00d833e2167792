package ptx

// Products of tensor cores of the fifth generation, PTX ISA 9.7.17.10.
var tcgenRows = []row{
	{Form: "tcgen05.mma.cta_group.kind{.collector_usage} ...; " + ctaGroups + "; " + mmaKinds + "; " + collectorA, About: "Multiply matrices, asynchronously, into Tensor Memory.", PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.1", Needs: i8Need, Loose: true, Do: tensorMultiply, Bound: matrixBound, Cost: costMatrix, Undefined: undefTensorProduct, Says: tensorProductSays},
	{Form: "tcgen05.mma.cta_group.kind.ashift{.collector_usage} ...; " + ctaGroups + "; " + mmaKinds + "; " + collectorA, PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.1", Needs: i8Need, Loose: true, Do: unsupported("shifts of the rows of A (.ashift)", checkTcgenMma)},
	{Form: "tcgen05.mma.cta_group.kind{.block_scale}{.scale_vectorsize}{.collector_usage} ...; " + ctaGroups + "; kind = kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4; " + scaleVectors + "; " + collectorA, About: "Multiply matrices, asynchronously, into Tensor Memory.", PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.1", Needs: scaleNeeds, Loose: true, Do: tensorMultiply, Bound: matrixBound, Cost: costMatrix, Undefined: undefTensorProduct, Says: tensorProductSays},
	{Form: "tcgen05.mma.sp.cta_group.kind{.collector_usage} ...; " + ctaGroups + "; " + mmaKinds + "; " + collectorA, About: "Multiply matrices, asynchronously, into Tensor Memory.", PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.2", Needs: i8Need, Loose: true, Do: tensorMultiply, Bound: matrixBound, Cost: costMatrix, Undefined: undefTensorSparse, Says: tensorProductSays},
	{Form: "tcgen05.mma.sp.cta_group.kind.ashift{.collector_usage} ...; " + ctaGroups + "; " + mmaKinds + "; " + collectorA, PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.2", Needs: i8Need, Loose: true, Do: unsupported("shifts of the rows of A (.ashift)", checkTcgenMma)},
	{Form: "tcgen05.mma.sp.cta_group.kind{.block_scale}{.scale_vectorsize}{.collector_usage} ...; " + ctaGroups + "; kind = kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4; " + scaleVectors + "; " + collectorA, About: "Multiply matrices, asynchronously, into Tensor Memory.", PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.2", Needs: spNeeds, Loose: true, Do: tensorMultiply, Bound: matrixBound, Cost: costMatrix, Undefined: undefTensorSparse, Says: tensorProductSays},
	{Form: "tcgen05.mma.ws.cta_group::1.kind{.collector_usage} ...; " + mmaKinds + "; " + collectorB, About: "Multiply matrices, asynchronously, into Tensor Memory; B is kept for other products.", PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.3", Needs: i8Need, Loose: true, Do: tensorMultiply, Bound: matrixBound, Cost: costMatrix, Undefined: undefTensorProduct, Says: tensorProductSays},
	{Form: "tcgen05.mma.ws.sp.cta_group::1.kind{.collector_usage} ...; " + mmaKinds + "; " + collectorB, About: "Multiply matrices, asynchronously, into Tensor Memory; B is kept for other products.", PTX: v(8, 6), SM: 100, Arch: blackwell, Sec: "9.7.17.10.9.4", Needs: i8Need, Loose: true, Do: tensorMultiply, Bound: matrixBound, Cost: costMatrix, Undefined: undefTensorSparse, Says: tensorProductSays},
}

// tensorProductSays explains the operands and modifiers of tcgen05.mma.
var tensorProductSays = map[string]string{
	"cta_group": "the number of blocks of the cluster that work together", "kind": "the family of types; the instruction descriptor says which",
	".sp": "A is sparse: the half of its elements that is stored", ".ws": "B is kept for other products, and the columns of D are in other lanes",
	".block_scale": "A and B have scale factors in Tensor Memory", "scale_vectorsize": "the number of scale factors of a row, or of elements of one factor",
	"collector_usage": "the collector keeps a matrix for the next product, or gives it; here it changes nothing",
}
