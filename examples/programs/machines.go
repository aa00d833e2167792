package programs

import "slices"

func arrayCases() []Case {
	w := words(74)
	const n = 20
	rows := w.bytes(32 * n)
	var ordered []byte
	for r := range slices.Chunk(rows, n) {
		ordered = append(ordered, sorted(r)...)
	}
	const length = 25
	a := convert(w.bytes(32*length), func(b byte) byte { return b % 3 })
	b := convert(w.bytes(32*length), func(b byte) byte { return b % 3 })
	common := fill(32, func(i int) uint32 { return lcs(a[i*length:(i+1)*length], b[i*length:(i+1)*length]) })
	v := fill(32*8, func(int) float64 { return float64(w.next()) })
	turned := slices.Clone(v)
	for t := range 32 {
		r := turned[8*t : 8*t+8]
		for i := range 20 {
			a, b, c := (t+i)%8, (t+3*i+1)%8, (i+2*t)%8
			first := r[a]
			r[a] = r[b]
			r[b] = r[c]
			r[c] = first
		}
	}
	queens := fill(32, func(i int) uint32 { return [6]uint32{1, 0, 0, 2, 10, 4}[i%6] })
	return []Case{
		one("insertion", "insertion_sort", x(1), x(32), in("in", rows), out("out", ordered), uint32(n)),
		one("queens", "queens", x(1), x(32), out("out", queens)),
		one("subsequence", "subsequence", x(1), x(32), in("a", a), in("b", b), out("out", common), uint32(length)),
		one("rotated", "rotated", x(1), x(32), in("in", v), out("out", turned)),
	}
}

// lcs is the length of the longest common subsequence: for each length the earliest
// end in b of a common subsequence of what was seen of a.
func lcs(a, b []byte) uint32 {
	var ends []int
	for _, c := range a {
		for k := len(ends); k >= 0; k-- {
			from := 0
			if k > 0 {
				from = ends[k-1] + 1
			}
			at := slices.Index(b[from:], c)
			if at < 0 {
				continue
			}
			if at += from; k == len(ends) {
				ends = append(ends, at)
			} else {
				ends[k] = min(ends[k], at)
			}
		}
	}
	return uint32(len(ends))
}

// Byte codes of the machine.
const (
	opHalt = iota
	opPush
	opAdd
	opSub
	opMul
	opDup
	opSwap
	opJnz
	opLane
	opDiv
	opRem
	opXor
)

func machineCases() []Case {
	code := []int8{
		opLane, opPush, 3, opMul, opPush, 7, opAdd, opHalt, // 3 lane + 7
		opPush, 1, opLane, opPush, 1, opAdd, // 8: a = 1, then lane + 1 times a = 3a + 1
		opSwap, opPush, 3, opMul, opPush, 1, opAdd, opSwap, opPush, 1, opSub, opDup, opJnz, -14, opSwap, opHalt,
		opLane, opPush, 100, opSub, opPush, 7, opDiv, opLane, opPush, 5, opRem, opXor, opHalt, // 30: (lane - 100)/7 ^ lane%5
	}
	starts := [3]uint32{0, 8, 30}
	entry := fill(64, func(i int) uint32 { return starts[i*i/3%3] })
	results := fill(64, func(i int) int32 {
		l := int32(i % 32)
		switch entry[i] {
		case 0:
			return 3*l + 7
		case 8:
			a := int32(1)
			for range l + 1 {
				a = 3*a + 1
			}
			return a
		}
		return (l-100)/7 ^ l%5
	})
	// HALT is not counted.
	counts := fill(64, func(i int) uint32 {
		switch entry[i] {
		case 0:
			return 5
		case 8:
			return 4 + 10*uint32(i%32+1) + 1
		}
		return 9
	})
	w := words(75)
	const length = 60
	text := convert(w.bytes(32*length), func(b byte) byte { return "ab12./ \n/ab "[b%12] })
	var found []uint32
	for part := range slices.Chunk(text, length) {
		found = append(found, lexemes(part)...)
	}
	return []Case{
		one("machine", "machine", x(2), x(32), in("code", code), in("entry", entry), out("out", results), out("steps", counts)),
		one("lexer", "lexer", x(1), x(32), in("text", text), uint32(length), out("counts", found)),
	}
}

// lexemes counts words, numbers and comments by looking for the end of each.
func lexemes(s []byte) []uint32 {
	counts := make([]uint32, 3)
	letter := func(i int) bool { return i < len(s) && 'a' <= s[i] && s[i] <= 'z' }
	digit := func(i int) bool { return i < len(s) && '0' <= s[i] && s[i] <= '9' }
	for i := 0; i < len(s); {
		switch {
		case letter(i):
			counts[0]++
			for letter(i) || digit(i) {
				i++
			}
		case digit(i):
			counts[1]++
			for digit(i) {
				i++
			}
			// What follows a number belongs to it: a fraction, a suffix, or one character.
			switch {
			case i < len(s) && s[i] == '.':
				for i++; digit(i); i++ {
				}
				i++
			case letter(i):
				for letter(i) || digit(i) {
					i++
				}
				i++
			case i < len(s) && s[i] == '/':
			default:
				i++
			}
		case s[i] == '/':
			i++
			if i < len(s) && s[i] == '/' {
				counts[2]++
				for i < len(s) && s[i] != '\n' {
					i++
				}
				i++
			} else if !letter(i) {
				i++ // a slash takes the character behind it, if that begins no word
			}
		default:
			i++
		}
	}
	return counts
}
