package lane

// The pseudo-code of shfl, eight lanes at a time: one lane per byte of a word. It exists for speed
// only; ShflSource is the definition, and the tests compare the two for all inputs. No byte borrows
// from its neighbour: lane numbers are below 64, and bit 7 of a byte is the flag of the comparison.
const (
	byteOnes  = 0x0101010101010101
	byteFlags = 0x8080808080808080
	byteLanes = 0x0706050403020100 // lanes 0 to 7
	// byteGather moves bit 0 of byte i to bit 56+i.
	byteGather = 0x0102040810204080
)

// shflBytes returns, for the lanes in l, the final source lanes and the range predicates (bit 7 of
// every byte). b holds every lane's b[4:0]; seg and free hold segmask and cval &^ segmask in every
// byte.
func shflBytes(mode ShflMode, l, b, seg, free uint64) (j, in uint64) {
	minLane := l & seg
	maxLane := minLane | free
	switch mode {
	case ShflUp: // j = lane - bval >= maxLane, kept above zero by 0x80
		j = (l | byteFlags) - b
		in = (j - maxLane) & byteFlags
	case ShflDown:
		j = l + b
		in = ((maxLane | byteFlags) - j) & byteFlags
	case ShflBfly:
		j = l ^ b
		in = ((maxLane | byteFlags) - j) & byteFlags
	case ShflIdx:
		j = minLane | b&^seg
		in = ((maxLane | byteFlags) - j) & byteFlags
	}
	sel := in >> 7 * 0xff
	return j&^byteFlags&sel | l&^sel, in
}

// maskBytes widens the low eight lanes of a mask to bytes of 0xff or 0.
func maskBytes(m Mask) uint64 {
	x := uint64(m&0xff) * byteOnes & 0x8040201008040201
	x = (x&^byteFlags + (byteFlags - byteOnes)) | x
	return (x & byteFlags) >> 7 * 0xff
}

// putBytes stores a word into eight entries of a map, lowest byte first.
func putBytes(d *[8]Source, x uint64) {
	d[0], d[1], d[2], d[3] = Source(x), Source(x>>8), Source(x>>16), Source(x>>24)
	d[4], d[5], d[6], d[7] = Source(x>>32), Source(x>>40), Source(x>>48), Source(x>>56)
}

// packBytes packs b[4:0] of eight lanes.
func packBytes(b *[8]uint32) uint64 {
	lo := b[0]&31 | b[1]&31<<8 | b[2]&31<<16 | b[3]&31<<24
	hi := b[4]&31 | b[5]&31<<8 | b[6]&31<<16 | b[7]&31<<24
	return uint64(lo) | uint64(hi)<<32
}

// shflMap assembles the map of a warp from b per lane (or, if nil, uniform) and
// uniform c.
func shflMap(mode ShflMode, b *[32]uint32, uniform, c uint32, executing, members Mask) (m Map, pred Mask) {
	m = Map{Lanes: WarpLanes, Src: keepAll}
	executing &= All(WarpLanes)
	seg := uint64(c>>8&31) * byteOnes
	free := uint64(c&^(c>>8)&31) * byteOnes
	word := uint64(uniform&31) * byteOnes
	for k := range 4 {
		if b != nil {
			word = packBytes((*[8]uint32)(b[8*k : 8*k+8]))
		}
		l := byteLanes + uint64(8*k)*byteOnes
		j, in := shflBytes(mode, l, word, seg, free)
		on := maskBytes(executing >> (8 * k))
		putBytes((*[8]Source)(m.Src[8*k:8*k+8]), j&on|uint64(Keep)*byteOnes&^on)
		pred |= Mask((in&on)>>7*byteGather>>56) << (8 * k)
	}
	valid := executing & members
	if valid != All(WarpLanes) {
		m.Undef = m.ReadersOf(^valid) | executing&^members
	}
	return m, pred
}
