package pack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// numbersSection is the name of the section that says where a module needs the numbers of its functions. site/functions.js reads it.
const numbersSection = "crosslane.functions"

// In WebAssembly an address of code is the number of a function, times 65536, plus the number of a block. So Go's index from addresses to
// functions, which has a bucket for each 4096 addresses, has 16 equal buckets for each function, and one or more for the last.
const (
	bucketBytes        = 20
	bucketsOfFunctions = 16
)

// dropNumbers sets to 0 what the number of a function gives: its address in the table of functions and in its record, and the buckets of the
// index. A thirtieth of what a module weighs compressed is that. A section at the end of the result, four numbers of 32 bits, says where the
// numbers have to be before the module starts: the address of the table, how many functions there are, the number of the first one, and the
// address of the index.
func dropNumbers(module []byte) ([]byte, error) {
	m, err := readMemory(module)
	if err != nil {
		return nil, err
	}
	at := bytes.Index(m.data, []byte(tableMagic))
	if at < 0 {
		return nil, errors.New("the module has no table of functions that is known: this version of Go is not known here")
	}
	f, err := readFunctions(m.data[at:])
	if err != nil {
		return nil, fmt.Errorf("the table of functions: %w", err)
	}
	le := binary.LittleEndian
	if f.count < 2 {
		return nil, fmt.Errorf("the table has %d functions", f.count)
	}
	first := le.Uint32(f.table[f.records:])
	index := make([]byte, (f.count-1)*bucketsOfFunctions*bucketBytes+4) // the last bucket may be shorter than the rest
	for i := range f.count {
		r, err := f.record(i)
		if err != nil {
			return nil, fmt.Errorf("the table of functions: %w", err)
		}
		entry := f.table[f.records+8*i:][:4]
		if n := le.Uint32(entry); n != first+uint32(i) || le.Uint32(r) != n {
			return nil, fmt.Errorf("function %d begins at %d in the table and at %d in its record: this version of Go is not known here", i, n, le.Uint32(r))
		}
		clear(entry)
		clear(r[:4])
	}
	for b := range (f.count-1)*bucketsOfFunctions + 1 {
		le.PutUint32(index[b*bucketBytes:], uint32(b/bucketsOfFunctions))
	}
	buckets := bytes.Index(m.data, index)
	if buckets < 0 {
		return nil, errors.New("the module has no index of functions that is known: this version of Go is not known here")
	}
	clear(m.data[buckets:][:len(index)])
	out := bytes.Clone(module)
	m.write(out)
	body := append([]byte{byte(len(numbersSection))}, numbersSection...)
	for _, n := range []int{at + f.records, f.count, int(first), buckets} {
		body = le.AppendUint32(body, uint32(n))
	}
	out = append(out, 0, byte(len(body))) // a section of the module's own; both lengths are below 128
	return append(out, body...), nil
}
