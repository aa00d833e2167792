package pack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// The table of functions that Go puts into a program, as versions 1.20 to 1.26 lay it out: a header of a magic number, bytes 0, 0, 1 and 8 (the
// size of a pointer), and eight numbers of 64 bits; then names, files, tables from addresses to values, and functions.
const (
	tableMagic  = "\xf1\xff\xff\xff\x00\x00\x01\x08"
	tableHeader = 72
	// Offsets in the record of a function, whose fixed part is 44 bytes; then come offsets of further tables of addresses.
	// recordData is how many kinds of data there are, as offsets behind those of the tables.
	recordStack, recordFile, recordLine, recordTables, recordUnit, recordStart, recordData = 16, 20, 24, 28, 32, 36, 43

	recordBytes   = 44
	tableUnsafe   = 0 // the table of the addresses at which a signal must not stop a goroutine: in WebAssembly there are no signals
	dataArguments = 5 // where a traceback finds the arguments of a function
)

// dropLines sets to 0 what only serves to tell the file and the line of an address, or the arguments of a function: a traceback then has the
// names of the functions alone. A tenth of what a module weighs compressed is that. The length of the module stays.
func dropLines(module []byte) error {
	m, err := readMemory(module)
	if err != nil {
		return err
	}
	at := bytes.Index(m.data, []byte(tableMagic))
	if at < 0 || bytes.Contains(m.data[at+1:], []byte(tableMagic)) {
		return errors.New("the module has no table of functions that is known, or several: this version of Go is not known here")
	}
	table := m.data[at:]
	if err := dropFromTable(table); err != nil {
		return fmt.Errorf("the table of functions: %w", err)
	}
	m.write(module)
	return nil
}

// A funcTable is the table of functions: offsets in it, and how many functions it has.
type funcTable struct {
	table                                []byte
	count                                int
	names, units, files, values, records int
}

func readFunctions(table []byte) (*funcTable, error) {
	le := binary.LittleEndian
	if len(table) < tableHeader {
		return nil, errors.New("its header ends early")
	}
	var h [8]int
	for i := range h {
		n := le.Uint64(table[8+8*i:])
		if n > uint64(len(table)) {
			return nil, fmt.Errorf("number %d of its header, %d, is beyond its end", i, n)
		}
		h[i] = int(n)
	}
	f := &funcTable{table: table, count: h[0], names: h[3], units: h[4], files: h[5], values: h[6], records: h[7]}
	if !slices.IsSorted([]int{tableHeader, f.names, f.units, f.files, f.values, f.records}) || 8*f.count > len(table)-f.records {
		return nil, fmt.Errorf("its parts are not in order: %v", h)
	}
	return f, nil
}

// record is the record of a function: its fixed part, and all that comes after it.
func (f *funcTable) record(i int) ([]byte, error) {
	off := f.records + int(binary.LittleEndian.Uint32(f.table[f.records+8*i+4:]))
	if off > len(f.table)-recordBytes {
		return nil, fmt.Errorf("function %d is beyond its end", i)
	}
	return f.table[off:], nil
}

func dropFromTable(table []byte) error {
	le := binary.LittleEndian
	f, err := readFunctions(table)
	if err != nil {
		return err
	}
	// Which tables from addresses to values are there, and which of them are only for files and lines?
	kept := map[int]bool{}
	for i := range f.count {
		r, err := f.record(i)
		if err != nil {
			return err
		}
		more := int(le.Uint32(r[recordTables:]))
		data := int(r[recordData])
		if more > 16 || recordBytes+4*(more+data) > len(r) {
			return fmt.Errorf("function %d has %d tables of addresses, and data of %d kinds", i, more, data)
		}
		for _, off := range []int{recordFile, recordLine} {
			if n := int(le.Uint32(r[off:])); !kept[n] {
				kept[n] = false
			}
		}
		kept[int(le.Uint32(r[recordStack:]))] = true
		for j := range more {
			n := int(le.Uint32(r[recordBytes+4*j:]))
			kept[n] = kept[n] || j != tableUnsafe
		}
	}
	list := make([]int, 0, len(kept)+1)
	for n := range kept {
		list = append(list, n)
	}
	list = append(list, f.records-f.values)
	slices.Sort(list)
	if list[len(list)-1] != f.records-f.values {
		return fmt.Errorf("a table of addresses begins at %d of %d", list[len(list)-1], f.records-f.values)
	}
	for i, n := range list[:len(list)-1] {
		if !kept[n] {
			clear(table[f.values+n : f.values+list[i+1]])
		}
	}
	for i := range f.count {
		r, err := f.record(i)
		if err != nil {
			return err
		}
		clear(r[recordFile : recordLine+4]) // 0 means that there is no table
		clear(r[recordUnit : recordStart+4])
		more := int(le.Uint32(r[recordTables:]))
		if more > tableUnsafe {
			clear(r[recordBytes+4*tableUnsafe:][:4])
		}
		if r[recordData] > dataArguments {
			le.PutUint32(r[recordBytes+4*(more+dataArguments):], 1<<32-1) // there is none
		}
	}
	clear(table[f.units:f.values]) // the files of the packages, and their names
	return nil
}

// A memory is what the data of a WebAssembly module make of its memory.
type memory struct {
	data     []byte
	segments []segment
}

// A segment is a run of bytes of the memory: at its address, and where the module has them.
type segment struct{ address, offset, length int }

// The numbers in a WebAssembly module that matter here.
const (
	wasmHeader      = "\x00asm\x01\x00\x00\x00"
	wasmDataSection = 11
	wasmI32Const    = 0x41
	wasmEnd         = 0x0b
	maxWasmMemory   = 1 << 30
)

func readMemory(module []byte) (*memory, error) {
	if !bytes.HasPrefix(module, []byte(wasmHeader)) {
		return nil, errors.New("no WebAssembly module of version 1")
	}
	r := &reader{data: module, at: len(wasmHeader)}
	m := &memory{}
	for r.at < len(module) && !r.bad {
		section, length := r.byte(), r.number()
		end := r.at + length
		if section != wasmDataSection {
			r.skip(length)
			continue
		}
		for n := r.number(); n > 0 && !r.bad; n-- {
			if r.number() != 0 || r.byte() != wasmI32Const {
				return nil, fmt.Errorf("the segment of data at %d has no constant address", r.at)
			}
			s := segment{address: r.signed()}
			if r.byte() != wasmEnd {
				return nil, fmt.Errorf("the segment of data at %d has no constant address", r.at)
			}
			s.length = r.number()
			s.offset = r.at
			r.skip(s.length)
			if s.address < 0 || s.address+s.length > maxWasmMemory {
				return nil, fmt.Errorf("the segment of data at %d is for the address %d", s.offset, s.address)
			}
			m.segments = append(m.segments, s)
		}
		if r.at != end {
			return nil, fmt.Errorf("the section of data ends at %d, not %d", end, r.at)
		}
	}
	if r.bad {
		return nil, errors.New("the module ends early")
	}
	most := 0
	for _, s := range m.segments {
		most = max(most, s.address+s.length)
	}
	m.data = make([]byte, most)
	for _, s := range m.segments {
		copy(m.data[s.address:], module[s.offset:s.offset+s.length])
	}
	return m, nil
}

// write puts the memory back into its module. Bytes between the segments stay 0.
func (m *memory) write(module []byte) {
	for _, s := range m.segments {
		copy(module[s.offset:s.offset+s.length], m.data[s.address:])
	}
}

// A reader reads the numbers of a module. bad says that one was beyond the end.
type reader struct {
	data []byte
	at   int
	bad  bool
}

func (r *reader) byte() byte {
	if r.at >= len(r.data) {
		r.bad = true
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

func (r *reader) skip(n int) {
	if n > len(r.data)-r.at {
		r.bad, n = true, len(r.data)-r.at
	}
	r.at += n
}

// number reads an unsigned number (LEB128), signed one with a sign.
func (r *reader) number() int {
	n, _ := r.leb()
	return int(n & (1<<32 - 1))
}

func (r *reader) signed() int {
	n, bits := r.leb()
	return int(int64(n<<(64-bits)) >> (64 - bits))
}

func (r *reader) leb() (n uint64, bits uint) {
	for bits = 0; bits < 35; {
		b := r.byte()
		n |= uint64(b&0x7f) << bits
		bits += 7
		if b < 0x80 {
			return n, bits
		}
	}
	r.bad = true
	return 0, bits
}
