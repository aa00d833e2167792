package programs

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"math/bits"
)

func sha256Cases() []Case {
	w := words(10)
	// Lengths at the edges of the padding, and the messages of FIPS 180-4.
	var text []byte
	start := []uint32{0}
	var digests []uint32
	add := func(m []byte) {
		text = append(text, m...)
		start = append(start, uint32(len(text)))
		d := sha256.Sum256(m)
		for i := range 8 {
			digests = append(digests, binary.BigEndian.Uint32(d[4*i:]))
		}
	}
	add([]byte("abc"))
	add([]byte("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))
	for _, n := range []int{0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128} {
		add(w.bytes(n))
	}
	count := uint32(len(start) - 1)
	return []Case{one("messages", "sha256", x(1), x(32), in("text", text), in("start", start), out("digests", digests), count)}
}

// chachaBlock is the block function of RFC 8439, section 2.3, with the state as a
// list and the quarter rounds by their indices.
func chachaBlock(key [8]uint32, counter uint32, nonce [3]uint32) [16]uint32 {
	s := [16]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}
	copy(s[4:], key[:])
	s[12] = counter
	copy(s[13:], nonce[:])
	v := s
	for range 10 {
		for _, q := range [8][4]int{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}, {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14}} {
			for i, n := range [4]int{16, 12, 8, 7} {
				to, from := q[0], q[1]
				turned := q[3]
				if i%2 == 1 {
					to, from, turned = q[2], q[3], q[1]
				}
				v[to] += v[from]
				v[turned] = bits.RotateLeft32(v[turned]^v[to], n)
			}
		}
	}
	for i := range v {
		v[i] += s[i]
	}
	return v
}

func chachaCases() []Case {
	// RFC 8439, section 2.4.2: its key, nonce and text, and its first bytes out.
	var key [8]uint32
	raw := fill(32, func(i int) byte { return byte(i) })
	for i := range key {
		key[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	nonce := [3]uint32{0, 0x4a000000, 0}
	known, _ := hex.DecodeString("6e2e359a2568f98041ba0728dd0d6981")
	text := []byte("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.")
	text = append(text, make([]byte, 32*64-8-len(text))...)
	words := fill(len(text)/4, func(i int) uint32 { return binary.LittleEndian.Uint32(text[4*i:]) })
	var stream []uint32
	for i := range uint32(32) {
		b := chachaBlock(key, 1+i, nonce)
		stream = append(stream, b[:]...)
	}
	cipher := fill(len(words), func(i int) uint32 { return words[i] ^ stream[i] })
	for i := range 4 {
		cipher[i] = binary.LittleEndian.Uint32(known[4*i:])
	}
	return []Case{one("rfc 8439", "chacha20", x(1), x(32), encode(key), encode(nonce), uint32(1), in("in", words), out("out", cipher), uint32(len(words)))}
}

func crcCases() []Case {
	w := words(11)
	data := w.bytes(64 * 37)
	records := fill(64, func(i int) uint32 { return crc32.ChecksumIEEE(data[37*i : 37*(i+1)]) })
	whole := []uint32{crc32.ChecksumIEEE(data[:32*37])}
	return []Case{
		one("records", "crc32_records", x(2), x(32), in("data", data), out("out", records), uint32(37)),
		one("joined", "crc32_joined", x(1), x(32), in("data", data), out("out", whole), uint32(37)),
	}
}
