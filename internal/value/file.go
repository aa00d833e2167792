package value

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// npyType returns numpy's name of an element type: kind and size. numpy has no bf16; the usual
// extension types save it as two bytes of void.
func npyType(t Type) string {
	if t == "bf16" {
		return "V2"
	}
	kind := map[Kind]string{Unsigned: "u", Signed: "i", Float: "f"}[t.Kind()]
	return kind + strconv.Itoa(t.Size())
}

// npyAccepts reports whether a file of numpy's type d can fill a buffer of type t: it has the same
// type, the other signedness, or bare bytes of the size.
func npyAccepts(t Type, d string) bool {
	switch {
	case d == npyType(t):
		return true
	case d == "b1":
		return t.Size() == 1
	case t == "bf16":
		return d == "u2"
	}
	return t.Kind() != Float && (d == "u"+strconv.Itoa(t.Size()) || d == "i"+strconv.Itoa(t.Size()))
}

// readNPY reads numpy's format, versions 1 to 3.
func readNPY(t Type, data []byte, n int, raw []byte) error {
	h, body, err := npyHeader(raw)
	if err != nil {
		return err
	}
	order, d := byte('|'), h.descr
	if d != "" && strings.IndexByte("<>=|", d[0]) >= 0 {
		order, d = d[0], d[1:]
	}
	if !npyAccepts(t, d) {
		err := fmt.Errorf("holds elements of numpy type %s, the buffer's %s is %s", quote(h.descr), t, quote("<"+npyType(t)))
		if own := npyElem(d); own != "" {
			err = fmt.Errorf("%w; convert the array with .astype(%q) before it is saved, or let the buffer be of the type %s if the kernel reads %s", err, "<"+npyType(t), own, own)
		}
		return err
	}
	total, err := h.elements()
	if err != nil {
		return err
	}
	if total != n {
		return fmt.Errorf("holds %s (shape %v), %s wanted", count(total, "element"), h.shape, count(n, "element"))
	}
	size := t.Size()
	if len(body) < n*size {
		return fmt.Errorf("truncated: %s of data, %d wanted", count(len(body), "byte"), n*size)
	}
	copy(data, body[:n*size])
	if order == '>' {
		for i := 0; i < n*size; i += size {
			slices.Reverse(data[i : i+size])
		}
	}
	if h.fortran && len(h.shape) > 1 {
		transpose(data[:n*size], size, h.shape)
	}
	return nil
}

// elements returns the product of the shape.
func (h *npyHead) elements() (int, error) {
	total := 1
	for _, s := range h.shape {
		if s < 0 || s > 0 && total > math.MaxInt/16/s {
			return 0, fmt.Errorf("its shape %v exceeds any memory", h.shape)
		}
		total *= s
	}
	return total, nil
}

// npyElem returns the element type for numpy's type d, without its byte order; "" if there is none.
func npyElem(d string) Type {
	if d == "b1" {
		return "u8"
	}
	for _, t := range Types() {
		if npyType(t) == d {
			return t
		}
	}
	return ""
}

// NPY reads the header of a .npy file: the type of its elements, and their number in each
// dimension.
func NPY(raw []byte) (Type, []int, error) {
	h, _, err := npyHeader(raw)
	if err != nil {
		return "", nil, err
	}
	t := npyElem(strings.TrimLeft(h.descr, "<>=|"))
	if t == "" {
		return "", nil, fmt.Errorf("holds elements of numpy type %s, which is no element type (%s); convert the array with .astype before it is saved", quote(h.descr), TypeNames())
	}
	_, err = h.elements()
	return t, h.shape, err
}

// transpose turns column-major order (first index fastest) into row-major.
func transpose(data []byte, size int, shape []int) {
	src := slices.Clone(data)
	idx := make([]int, len(shape))
	for i := 0; i < len(src)/size; i++ {
		at := 0
		for k, s := range shape {
			at = at*s + idx[k]
		}
		copy(data[at*size:(at+1)*size], src[i*size:])
		for k := range idx {
			if idx[k]++; idx[k] < shape[k] {
				break
			}
			idx[k] = 0
		}
	}
}

type npyHead struct {
	descr   string
	fortran bool
	shape   []int
}

// npyHeader reads the header, and returns the data after it.
func npyHeader(raw []byte) (h npyHead, body []byte, err error) {
	bad := func(format string, a ...any) (npyHead, []byte, error) {
		return npyHead{}, nil, fmt.Errorf("not a .npy file: "+format, a...)
	}
	if len(raw) < 10 || string(raw[:6]) != "\x93NUMPY" {
		return bad("no \\x93NUMPY at offset 0")
	}
	n, at := int(binary.LittleEndian.Uint16(raw[8:])), 10
	switch raw[6] {
	case 1:
	case 2, 3:
		if len(raw) < 12 {
			return bad("header cut off at offset %d", len(raw))
		}
		n, at = int(binary.LittleEndian.Uint32(raw[8:])), 12
	default:
		return bad("format version %d at offset 6 (known: 1, 2, 3)", raw[6])
	}
	if n > len(raw)-at {
		return bad("header of %d bytes in a file of %d", n, len(raw))
	}
	text, body := string(raw[at:at+n]), raw[at+n:]
	var ok bool
	if h.descr, ok = pyField(text, "descr"); !ok {
		return bad("no descr in its header")
	}
	h.descr = strings.Trim(h.descr, `'"`)
	order, _ := pyField(text, "fortran_order")
	h.fortran = order == "True"
	shape, ok := pyField(text, "shape")
	if !ok || len(shape) < 2 || shape[0] != '(' || shape[len(shape)-1] != ')' {
		return bad("no shape in its header")
	}
	for _, s := range strings.Split(shape[1:len(shape)-1], ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		v, err := strconv.Atoi(strings.TrimSuffix(s, "L"))
		if err != nil {
			return bad("shape %s", quote(shape))
		}
		h.shape = append(h.shape, v)
	}
	return h, body, nil
}

// pyField finds 'key': value in the header's Python dictionary.
func pyField(text, key string) (string, bool) {
	i := strings.Index(text, "'"+key+"'")
	if i < 0 {
		return "", false
	}
	s := strings.TrimLeft(text[i+len(key)+2:], " ")
	if !strings.HasPrefix(s, ":") {
		return "", false
	}
	s = strings.TrimLeft(s[1:], " ")
	end := strings.IndexAny(s, ",}")
	if strings.HasPrefix(s, "(") {
		end = strings.IndexByte(s, ')') + 1
	}
	if end <= 0 {
		return "", false
	}
	return strings.TrimSpace(s[:end]), true
}

// readCSV reads values separated by commas, semicolons, blanks or line ends. A # starts a comment.
func readCSV(t Type, data []byte, n int, raw []byte) error {
	line, at := 0, 0
	sc := bufio.NewScanner(bytes.NewReader(raw))
	sc.Buffer(nil, len(raw)+1)
	for sc.Scan() {
		line++
		text, _, _ := strings.Cut(sc.Text(), "#")
		fields := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",; \t\r\ufeff", r) })
		for _, f := range fields {
			v, err := Parse(t, f)
			if err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
			if at < n {
				Put(t, data, at, v)
			}
			at++
		}
	}
	if at != n {
		return fmt.Errorf("has %s, %s wanted", count(at, "value"), count(n, "element"))
	}
	return sc.Err()
}

// Write writes elements to a stream in the format of the file's name: .npy, .csv (a line per row),
// else raw little-endian bytes.
func Write(w io.Writer, name string, t Type, shape []int, data []byte) error {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, ".npy"):
		return writeNPY(w, t, shape, data)
	case strings.HasSuffix(lower, ".csv"):
		return writeCSV(w, t, shape, data)
	}
	_, err := w.Write(data)
	return err
}

// writeNPY writes numpy's format, version 1.
func writeNPY(w io.Writer, t Type, shape []int, data []byte) error {
	order := "<"
	if t.Size() == 1 || t == "bf16" {
		order = "|"
	}
	dims := ""
	for _, s := range shape {
		dims += strconv.Itoa(s) + ", "
	}
	if dims = strings.TrimSuffix(dims, " "); len(shape) > 1 {
		dims = strings.TrimSuffix(dims, ",")
	}
	h := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, npyType(t), dims)
	// numpy requires that the data starts at a multiple of 64 bytes and the header ends in \n.
	pad := 64 - (10+len(h)+1)%64
	h += strings.Repeat(" ", pad%64) + "\n"
	head := append([]byte("\x93NUMPY\x01\x00"), byte(len(h)), byte(len(h)>>8))
	if _, err := w.Write(append(head, h...)); err != nil {
		return err
	}
	_, err := w.Write(data)
	return err
}

// writeCSV writes one line for each row.
func writeCSV(w io.Writer, t Type, shape []int, data []byte) error {
	bw := bufio.NewWriter(w)
	cols := 1
	if len(shape) > 1 {
		cols = shape[len(shape)-1]
	}
	var buf []byte
	for i := range len(data) / t.Size() {
		buf = Append(buf[:0], t, Get(t, data, i))
		if (i+1)%cols == 0 {
			buf = append(buf, '\n')
		} else {
			buf = append(buf, ',')
		}
		if _, err := bw.Write(buf); err != nil {
			return err
		}
	}
	return bw.Flush()
}
