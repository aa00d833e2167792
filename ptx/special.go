package ptx

import "fmt"

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
	SrPm0 // %pm0 … %pm7 have consecutive values
	SrPm1
	SrPm2
	SrPm3
	SrPm4
	SrPm5
	SrPm6
	SrPm7
	SrPm0_64 // %pm0_64 … %pm7_64 have consecutive values
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
	SrPerCtaMemoryOffset
	SrPerCtaMemorySize
	SrEnvreg0   // %envreg0 … %envreg31 are SrEnvreg0+n
	SrEnvreg31  = SrEnvreg0 + 31
	numSpecials = SrEnvreg31 + 1
)

// A SpecialInfo describes a special register.
type SpecialInfo struct {
	Name string // "%tid"
	Type Type
	Vec  bool // .v4, read by .x, .y, .z (and .w)
	// PTX and SM are the version and target that the register needs.
	PTX     Version
	SM      int
	Section string // in the PTX ISA: "10.1"
}

// specials is the table of special registers, in the manual's order.
var specials = func() (t [numSpecials]SpecialInfo) {
	set := func(s Special, section, name string, typ Type, vec bool, ptx Version, sm int) {
		t[s] = SpecialInfo{name, typ, vec, ptx, sm, section}
	}
	set(SrTid, "10.1", "%tid", U32, true, Version{1, 0}, 0)
	set(SrNtid, "10.2", "%ntid", U32, true, Version{1, 0}, 0)
	set(SrLaneid, "10.3", "%laneid", U32, false, Version{1, 3}, 0)
	set(SrWarpid, "10.4", "%warpid", U32, false, Version{1, 3}, 0)
	set(SrNwarpid, "10.5", "%nwarpid", U32, false, Version{2, 0}, 20)
	set(SrCtaid, "10.6", "%ctaid", U32, true, Version{1, 0}, 0)
	set(SrNctaid, "10.7", "%nctaid", U32, true, Version{1, 0}, 0)
	set(SrSmid, "10.8", "%smid", U32, false, Version{1, 3}, 0)
	set(SrNsmid, "10.9", "%nsmid", U32, false, Version{2, 0}, 20)
	set(SrGridid, "10.10", "%gridid", U64, false, Version{1, 0}, 0)
	set(SrIsExplicitCluster, "10.11", "%is_explicit_cluster", Pred, false, Version{7, 8}, 90)
	set(SrClusterid, "10.12", "%clusterid", U32, true, Version{7, 8}, 90)
	set(SrNclusterid, "10.13", "%nclusterid", U32, true, Version{7, 8}, 90)
	set(SrClusterCtaid, "10.14", "%cluster_ctaid", U32, true, Version{7, 8}, 90)
	set(SrClusterNctaid, "10.15", "%cluster_nctaid", U32, true, Version{7, 8}, 90)
	set(SrClusterCtarank, "10.16", "%cluster_ctarank", U32, false, Version{7, 8}, 90)
	set(SrClusterNctarank, "10.17", "%cluster_nctarank", U32, false, Version{7, 8}, 90)
	set(SrLanemaskEq, "10.18", "%lanemask_eq", U32, false, Version{2, 0}, 20)
	set(SrLanemaskLe, "10.19", "%lanemask_le", U32, false, Version{2, 0}, 20)
	set(SrLanemaskLt, "10.20", "%lanemask_lt", U32, false, Version{2, 0}, 20)
	set(SrLanemaskGe, "10.21", "%lanemask_ge", U32, false, Version{2, 0}, 20)
	set(SrLanemaskGt, "10.22", "%lanemask_gt", U32, false, Version{2, 0}, 20)
	set(SrClock, "10.23", "%clock", U32, false, Version{1, 0}, 0)
	set(SrClockHi, "10.23", "%clock_hi", U32, false, Version{5, 0}, 20)
	set(SrClock64, "10.24", "%clock64", U64, false, Version{2, 0}, 20)
	for i := range Special(8) {
		ptx, sm := Version{1, 3}, 0
		if i >= 4 {
			ptx, sm = Version{3, 0}, 20
		}
		set(SrPm0+i, "10.25", fmt.Sprintf("%%pm%d", i), U32, false, ptx, sm)
		set(SrPm0_64+i, "10.26", fmt.Sprintf("%%pm%d_64", i), U64, false, Version{4, 0}, 50)
	}
	set(SrGlobaltimer, "10.28", "%globaltimer", U64, false, Version{3, 1}, 30)
	set(SrGlobaltimerLo, "10.28", "%globaltimer_lo", U32, false, Version{3, 1}, 30)
	set(SrGlobaltimerHi, "10.28", "%globaltimer_hi", U32, false, Version{3, 1}, 30)
	set(SrReservedSmemOffsetBegin, "10.29", "%reserved_smem_offset_begin", B32, false, Version{7, 6}, 80)
	set(SrReservedSmemOffsetEnd, "10.29", "%reserved_smem_offset_end", B32, false, Version{7, 6}, 80)
	set(SrReservedSmemOffsetCap, "10.29", "%reserved_smem_offset_cap", B32, false, Version{7, 6}, 80)
	set(SrReservedSmemOffset0, "10.29", "%reserved_smem_offset_0", B32, false, Version{7, 6}, 80)
	set(SrReservedSmemOffset1, "10.29", "%reserved_smem_offset_1", B32, false, Version{7, 6}, 80)
	set(SrTotalSmemSize, "10.30", "%total_smem_size", U32, false, Version{4, 1}, 20)
	set(SrAggrSmemSize, "10.31", "%aggr_smem_size", U32, false, Version{8, 1}, 90)
	set(SrDynamicSmemSize, "10.32", "%dynamic_smem_size", U32, false, Version{4, 1}, 20)
	set(SrCurrentGraphExec, "10.33", "%current_graph_exec", U64, false, Version{8, 0}, 50)
	set(SrPerCtaMemoryOffset, "10.34", "%perctamemoryoffset", U64, false, Version{9, 4}, 80)
	set(SrPerCtaMemorySize, "10.35", "%perctamemorysize", U32, false, Version{9, 4}, 80)
	for i := range Special(32) {
		set(SrEnvreg0+i, "10.27", fmt.Sprintf("%%envreg%d", i), B32, false, Version{1, 0}, 0) // not 2.1, errata E138
	}
	for s := range t {
		if s > 0 && t[s].Name == "" {
			panic(fmt.Sprintf("ptx: special register %d has no row", s))
		}
	}
	return
}()

// specialNames finds a special register by its name.
var specialNames = func() map[string]Special {
	m := make(map[string]Special, len(specials))
	for s := range specials {
		if s > 0 {
			m[specials[s].Name] = Special(s)
		}
	}
	return m
}()

// Info describes the special register.
func (s Special) Info() SpecialInfo { return specials[s] }

// LookupSpecial returns the special register called name, with its percent sign;
// SpecialNone if there is none.
func LookupSpecial(name string) Special { return specialNames[name] }

// componentIndex returns the index of the element .x … .w or .r … .a; -1 if comp is neither.
func componentIndex(comp string) int {
	if len(comp) == 1 {
		for i := range 4 {
			if comp[0] == "xyzw"[i] || comp[0] == "rgba"[i] {
				return i
			}
		}
	}
	return -1
}
