package ptx

// Special is a special register (PTX 10); 0: none.
type Special uint8

// The special registers.
const (
	SpecialNone Special = iota
	SrTid
	SrNtid
	SrLaneid
	SrWarpid
	SrNwarpid
	SrCtaid
	SrNctaid
	SrSmid
	SrNsmid
	SrGridid
	SrIsExplicitCluster
	SrClusterid
	SrNclusterid
	SrClusterCtaid
	SrClusterNctaid
	SrClusterCtarank
	SrClusterNctarank
	SrLanemaskEq
	SrLanemaskLe
	SrLanemaskLt
	SrLanemaskGe
	SrLanemaskGt
	SrClock
	SrClockHi
	SrClock64
	SrPm0 // %pm0 … %pm7 follow one another
	SrPm1
	SrPm2
	SrPm3
	SrPm4
	SrPm5
	SrPm6
	SrPm7
	SrPm0_64 // %pm0_64 … %pm7_64 likewise
	SrPm1_64
	SrPm2_64
	SrPm3_64
	SrPm4_64
	SrPm5_64
	SrPm6_64
	SrPm7_64
	SrGlobaltimer
	SrGlobaltimerLo
	SrGlobaltimerHi
	SrReservedSmemOffsetBegin
	SrReservedSmemOffsetEnd
	SrReservedSmemOffsetCap
	SrReservedSmemOffset0
	SrReservedSmemOffset1
	SrTotalSmemSize
	SrAggrSmemSize
	SrDynamicSmemSize
	SrCurrentGraphExec
	SrEnvreg0   // %envreg0 … %envreg31 are SrEnvreg0+n
	SrEnvreg31  = SrEnvreg0 + 31
	numSpecials = SrEnvreg31 + 1
)

// A SpecialInfo describes a special register.
type SpecialInfo struct {
	Name string // "%tid"
	Type Type
	Vec  bool // .v4, read by .x, .y, .z (and .w)
	// PTX and SM are what the register needs.
	PTX     Version
	SM      int
	Section string // of the PTX ISA: "10.1"
}
