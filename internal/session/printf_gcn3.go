package session

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/sim"
)

// printf of OpenCL on AMD GPUs: code reserves a record in a buffer of the runtime's with
// an atomic, and stores the identifier of the call and its arguments there; the format is
// in the metadata. The runtime prints when the kernel has ended.

// printfBytes is the size of the buffer, as the runtime for Linux has it.
const printfBytes = 4 << 20

// printfHead are the words at the start of the buffer: how many bytes of records there
// are, and for how many there is room.
const printfHead = 8

// unwritten fills the buffer, so that records with strings whose terminating zero is counted but
// not stored can be recognised (Errata E108).
const unwritten = 0xfbadc0de

// A printfCall is one entry of amdhsa.printf.
type printfCall struct {
	sizes  []int // argument sizes, in bytes
	record int   // bytes of the call's record: its identifier, and arguments at multiples of 4
	format string
}

// printfCalls parses ID:N:S[0]:…:S[N-1]:format (AMDGPUUsage, "amdhsa.printf").
func printfCalls(list []string) (map[uint32]printfCall, error) {
	calls := map[uint32]printfCall{}
	for _, text := range list {
		rest := text
		number := func() (int, bool) {
			s, after, ok := strings.Cut(rest, ":")
			n, err := strconv.ParseUint(s, 10, 31)
			rest = after
			return int(n), ok && err == nil
		}
		id, ok := number()
		n, ok2 := number()
		if !ok || !ok2 || n > len(rest) {
			return nil, fmt.Errorf("amdhsa.printf: %.60q, expected ID:N:sizes:format", text)
		}
		c := printfCall{record: 4}
		for range n {
			size, ok := number()
			if c.record += (size + 3) &^ 3; !ok || c.record > printfBytes {
				return nil, fmt.Errorf("amdhsa.printf: %.60q, expected %d sizes before the format, of at most %d bytes together", text, n, printfBytes)
			}
			c.sizes = append(c.sizes, size)
		}
		c.format = unescape(rest)
		calls[uint32(id)] = c
	}
	return calls, nil
}

// unescape undoes the compiler's escapes in formats: it writes the characters that C escapes as C
// does, and a colon as \72.
func unescape(s string) string {
	return strings.NewReplacer(`\a`, "\a", `\b`, "\b", `\f`, "\f", `\n`, "\n", `\r`, "\r", `\t`, "\t", `\v`, "\v", `\72`, ":", `\\`, `\`).Replace(s)
}

// A printfBuffer is the buffer of one launch.
type printfBuffer struct {
	calls map[uint32]printfCall
	data  []byte
}

// printfAddress makes the buffer and returns its address. If the file has no description of the
// texts that its kernels print, it returns the address of an absent object.
func printfAddress(o *codeobject.Object, mem *Memory) (uint64, error) {
	if o.Meta == nil || len(o.Meta.Printf) == 0 {
		return mem.missing("hidden_printf_buffer"), nil
	}
	calls, err := printfCalls(o.Meta.Printf)
	if err != nil {
		return 0, err
	}
	mem.printf = &printfBuffer{calls: calls, data: Aligned(printfBytes)}
	data := mem.printf.data
	binary.LittleEndian.PutUint32(data[printfHead:], unwritten)
	for n := 4; printfHead+n < len(data); n *= 2 {
		copy(data[printfHead+n:], data[printfHead:printfHead+n])
	}
	binary.LittleEndian.PutUint32(data[4:], printfBytes-printfHead)
	a := mem.fixture("printf buffer", mem.printf.data)
	a.Visible = true
	return a.Base, nil
}

// print writes the text that the kernel has printed and returns an error text, or "".
func (p *printfBuffer) print(w io.Writer) string {
	le := binary.LittleEndian
	n := int(min(le.Uint32(p.data), printfBytes-printfHead))
	rest := p.data[printfHead : printfHead+n]
	most, printed := 0, 0
	for _, c := range p.calls {
		most = max(most, c.record)
	}
	for at := 0; len(rest) >= 4; {
		id := le.Uint32(rest)
		c, ok := p.calls[id]
		if ok && c.record > len(rest) {
			return fmt.Sprintf("the record at byte %d of the printf buffer, which holds %d, has the identifier %d and would take %d bytes: it is cut short", at, n, id, c.record)
		}
		if !ok {
			return fmt.Sprintf("the record at byte %d of the printf buffer, which holds %d, has the identifier %d, which is not in the metadata", at, n, id)
		}
		text, whole := sim.FormatRaw(c.format, c.sizes, rest[4:c.record], le.Uint32(rest[c.record-4:]) == unwritten)
		if printed += len(text); !whole || printed > maxOutput {
			return fmt.Sprintf("there is too much text: the records from byte %d of the printf buffer on, which holds %d, are left out", at, n)
		}
		io.WriteString(w, text)
		rest, at = rest[c.record:], at+c.record
	}
	if printfHead+n+most > printfBytes-printfHead {
		return fmt.Sprintf("the printf buffer is full, with %d bytes: what was printed afterwards is lost", n)
	}
	return ""
}

// finishPrintf prints the records that a launch has left in its buffer.
func (k *Kernel) finishPrintf(mem *Memory, w io.Writer) *diag.Diagnostic {
	if mem.printf == nil {
		return nil
	}
	text := mem.printf.print(w)
	if text == "" {
		return nil
	}
	d := k.Errorf("bad-printf", "%s", text)
	d.Class, d.Severity = diag.Finding, diag.Warning
	return d
}
