// Package pprof writes profiles in the format that go tool pprof reads.
package pprof

import (
	"compress/gzip"
	"io"
)

// A Sample holds the figures of one place in the code, for pprof.
type Sample struct {
	Function, File string
	StartLine      int    // the first line of the function; 0: not known
	Line           int    // 0: not known
	Address        uint64 // for code without lines
	Values         []int64
}

// A ValueType names a figure of the samples and its unit.
type ValueType struct{ Type, Unit string }

// Write writes samples in the format of pprof: a gzip stream of the message Profile
// (github.com/google/pprof, proto/profile.proto, whose field numbers are below).
func Write(w io.Writer, types []ValueType, samples []Sample, comments []string) error {
	t := strings{at: map[string]uint64{"": 0}, list: []string{""}}
	var out message
	for _, v := range types {
		var m message
		m.number(1, t.of(v.Type))
		m.number(2, t.of(v.Unit))
		out.bytes(1, m) // sample_type
	}
	type function struct{ name, file string }
	functions := map[function]uint64{}
	var locations, definitions message
	for i, s := range samples {
		key := function{s.Function, s.File}
		f, known := functions[key]
		if !known {
			f = uint64(len(functions) + 1)
			functions[key] = f
			var m message
			m.number(1, f)                   // id
			m.number(2, t.of(s.Function))    // name
			m.number(3, t.of(s.Function))    // system_name
			m.number(4, t.of(s.File))        // filename
			m.number(5, uint64(s.StartLine)) // start_line
			definitions.bytes(5, m)          // function
		}
		id := uint64(i + 1)
		var line, loc, m message
		line.number(1, f)               // function_id
		line.number(2, uint64(s.Line))  // line
		loc.number(1, id)               // id
		loc.number(3, s.Address)        // address
		loc.bytes(4, line)              // line
		locations.bytes(4, loc)         // location
		m.packed(1, []uint64{id})       // location_id
		m.packed(2, unsigned(s.Values)) // value
		out.bytes(2, m)                 // sample
	}
	out = append(append(out, locations...), definitions...)
	var notes []uint64
	for _, c := range comments {
		notes = append(notes, t.of(c))
	}
	main := uint64(0)
	if len(types) > 0 {
		main = t.of(types[0].Type)
	}
	for _, s := range t.list {
		out.bytes(6, []byte(s)) // string_table
	}
	out.packed(13, notes) // comment
	out.number(14, main)  // default_sample_type
	z := gzip.NewWriter(w)
	if _, err := z.Write(out); err != nil {
		return err
	}
	return z.Close()
}

// unsigned converts values to the varints that pprof expects.
func unsigned(v []int64) []uint64 {
	out := make([]uint64, len(v))
	for i := range v {
		out[i] = uint64(v[i])
	}
	return out
}

// strings is the table of a profile's strings; the first string is empty.
type strings struct {
	at   map[string]uint64
	list []string
}

// of returns the index of a string in the table, and adds the string if it is new.
func (t *strings) of(s string) uint64 {
	n, ok := t.at[s]
	if !ok {
		n = uint64(len(t.list))
		t.at[s] = n
		t.list = append(t.list, s)
	}
	return n
}

// message is a protocol buffer under construction (Protocol Buffers, "Encoding").
type message []byte

// The wire types.
const (
	wireVarint = 0
	wireBytes  = 2
)

// varint appends an integer in groups of 7 bits, the lowest first.
func (m *message) varint(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		*m = append(*m, byte(v)|0x80)
	}
	*m = append(*m, byte(v))
}

// number adds an integer field. A field of value 0 is omitted, because 0 is the default.
func (m *message) number(field int, v uint64) {
	if v != 0 {
		m.varint(uint64(field)<<3 | wireVarint)
		m.varint(v)
	}
}

// bytes adds a field of bytes, a string or a message.
func (m *message) bytes(field int, b []byte) {
	m.varint(uint64(field)<<3 | wireBytes)
	m.varint(uint64(len(b)))
	*m = append(*m, b...)
}

// packed adds a field of several integers.
func (m *message) packed(field int, v []uint64) {
	var p message
	for _, x := range v {
		p.varint(x)
	}
	if len(v) > 0 {
		m.bytes(field, p)
	}
}
