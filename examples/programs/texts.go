package programs

import (
	"bytes"
	"encoding/base64"
)

// editDistance is defined by its recurrence, remembered.
func editDistance(a, b []byte) uint32 {
	type key struct{ m, n int }
	known := map[key]uint32{}
	var of func(m, n int) uint32
	of = func(m, n int) uint32 {
		if m == 0 || n == 0 {
			return uint32(m + n)
		}
		d, ok := known[key{m, n}]
		if !ok {
			d = of(m-1, n-1)
			if a[m-1] != b[n-1] {
				d = 1 + min(d, of(m-1, n), of(m, n-1))
			}
			known[key{m, n}] = d
		}
		return d
	}
	return of(len(a), len(b))
}

func textCases() []Case {
	w := words(40)
	// A text of few letters, in which a word occurs, also across lanes and at the end.
	text := convert(w.bytes(250), func(b byte) byte { return 'a' + b%3 })
	word := []byte("abca")
	copy(text[246:], word)
	copy(text[62:], "abcabca")
	found := make([]uint32, 8)
	count := uint32(0)
	for i := range text {
		if bytes.HasPrefix(text[i:], word) {
			found[i/32] |= 1 << (i % 32)
			count++
		}
	}
	long := convert(w.bytes(500), func(b byte) byte { return 'a' + b%2 })
	needle := long[333:351]
	a, b := convert(w.bytes(40), func(b byte) byte { return 'a' + b%4 }), convert(w.bytes(29), func(b byte) byte { return 'a' + b%4 })
	data := w.bytes(94)
	return []Case{
		one("naive", "find_word", x(2), x(128), in("text", text), uint32(250), in("word", word), uint32(4), out("found", found), out("count", []uint32{count})),
		one("hash", "find_hash", x(1), x(32), in("text", long), uint32(500), in("word", needle), uint32(len(needle)),
			&Buffer{Name: "first", Data: []int32{1 << 30}, Want: []int32{int32(bytes.Index(long, needle))}}, uint32(16)),
		one("distance", "edit_distance", x(1), x(32), in("a", a), uint32(40), in("b", b), uint32(29), out("out", []uint32{editDistance(a, b)})),
		one("base64", "base64", x(1), x(32), in("in", data), uint32(94), out("out", []byte(base64.StdEncoding.EncodeToString(data)))),
	}
}

func compactCases() []Case {
	w := words(41)
	v := w.ints(500, -5, 5)
	counts := make([]uint32, 4)
	var kept []int32
	for i, e := range v {
		if e > 0 {
			counts[i/128]++
			kept = append(kept, e)
		}
	}
	padded := append(kept, make([]int32, 500-len(kept))...)
	input, placed := in("in", v), out("counts", counts)
	keys := w.ints(128, 0, 6)
	byKey := make([]uint32, 7)
	for _, k := range keys {
		byKey[k]++
	}
	runs := convert(w.bytes(230), func(b byte) byte { return b % 2 })
	value, length := make([]byte, 230), make([]uint32, 230)
	n := -1
	for i, b := range runs {
		if i == 0 || b != runs[i-1] {
			n++
			value[n] = b
		}
		length[n]++
	}
	packed := out("out", padded)
	packed.Unordered = true
	return []Case{
		steps("in order",
			Step{Kernel: "count_kept", Grid: x(4), Block: x(128), Args: []any{input, placed, uint32(500)}},
			Step{Kernel: "place_kept", Grid: x(4), Block: x(128), Args: []any{input, placed, out("out", padded), uint32(500)}}),
		one("by active lanes", "append_active", x(4), x(128), input, packed, out("count", []uint32{uint32(len(kept))}), uint32(500)),
		one("by key", "add_by_key", x(2), x(64), in("key", keys), out("counts", byKey)),
		one("runs", "run_lengths", x(1), x(256), in("in", runs), out("value", value), out("length", length), out("runs", []uint32{uint32(n + 1)}), uint32(230)),
	}
}
