package lane

import "math/bits"

// WavefrontLanes is the number of lanes of a GCN3 wavefront.
const WavefrontLanes = 64

// permuteLane returns the lane for a byte address of ds_permute_b32 and ds_bpermute_b32. Only bits
// [7:2] of addr + offset count: the low two bits are ignored and the address wraps at 64 lanes.
func permuteLane(addr, offset uint32) int { return int((addr + offset) >> 2 & 63) }

// DSPermute is ds_permute_b32 dest, addr, src offset:offset ("push": put my data in lane addr/4),
// as a map that pulls. AMD describes two steps:
//
//	all active lanes write data to a temporary buffer   tmp[(addr+offset)[7:2]] = src
//	all active lanes read data from the buffer          dest = tmp[lane], unwritten entries are 0
//
// If several lanes write one entry, the one with the highest number wins. Lanes that exec disables
// neither write the buffer nor update dest. No result is undefined.
func DSPermute(addr *[64]uint32, offset uint32, exec Mask) Map {
	m := NewMap(WavefrontLanes)
	for r := exec; r != 0; r &= r - 1 {
		m.Src[r.First()&63] = Zero
	}
	for r := exec; r != 0; r &= r - 1 { // ascending, so that the highest lane wins
		i := r.First() & 63
		if d := permuteLane(addr[i], offset); exec.Has(d) {
			m.Src[d] = Source(i)
		}
	}
	return m
}

// DSPermuteLost returns the lanes in exec whose data ds_permute_b32 loses: a higher lane overwrites
// it, or it is pushed to a lane that exec disables.
func DSPermuteLost(addr *[64]uint32, offset uint32, exec Mask) Mask {
	m := DSPermute(addr, offset, exec)
	return exec &^ m.Reads()
}

// DSBpermute is ds_bpermute_b32 dest, addr, src offset:offset ("pull": read data from lane addr/4):
//
//	all active lanes write data to a temporary buffer   tmp[lane] = src
//	all active lanes read data from the buffer          dest = tmp[(addr+offset)[7:2]]
//
// A lane that exec disables did not write its entry: it reads as 0. Lanes that exec disables keep
// dest. No result is undefined.
func DSBpermute(addr *[64]uint32, offset uint32, exec Mask) Map {
	m := NewMap(WavefrontLanes)
	for r := exec; r != 0; r &= r - 1 {
		i := r.First() & 63
		m.Src[i] = Zero
		if j := permuteLane(addr[i], offset); exec.Has(j) {
			m.Src[i] = Source(j)
		}
	}
	return m
}

// MbcntLo is v_mbcnt_lo_u32_b32 for one lane: the number of lanes below it,
// among lanes 0 to 31, whose bit is set in mask, plus add.
//
//	ThreadMask = (1 << ThreadPosition) - 1
//	D.u = CountOneBits(S0.u & ThreadMask[31:0]) + S1.u
func MbcntLo(mask, add uint32, lane int) uint32 {
	below := uint64(1)<<uint(lane&63) - 1
	return uint32(bits.OnesCount32(mask&uint32(below))) + add
}

// MbcntHi is v_mbcnt_hi_u32_b32 for one lane: like [MbcntLo], but among lanes 32 to 63, whose bits
// are those of mask.
//
//	D.u = CountOneBits(S0.u & ThreadMask[63:32]) + S1.u
func MbcntHi(mask, add uint32, lane int) uint32 {
	below := uint64(1)<<uint(lane&63) - 1
	return uint32(bits.OnesCount32(mask&uint32(below>>32))) + add
}

// ReadLane returns the lane that v_readlane_b32 reads for a lane select: modulo 64. EXEC is
// ignored, so a disabled lane is read as well.
func ReadLane(sel uint32) int { return int(sel & 63) }

// WriteLane returns the lane that v_writelane_b32 writes for a lane select: modulo 64. EXEC is
// ignored, so a disabled lane is written as well.
func WriteLane(sel uint32) int { return int(sel & 63) }

// ReadFirstLane returns the lane that v_readfirstlane_b32 reads: the lowest lane in exec, lane 0 if
// exec is empty.
func ReadFirstLane(exec Mask) int { return max(exec.First(), 0) }
