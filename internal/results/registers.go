package results

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/value"
)

// Try is the result of try, schema crosslane.try/1.
type Try struct {
	Schema    string        `json:"schema"`
	ISA       crosslane.ISA `json:"isa,omitempty"`
	Lanes     int           `json:"lanes,omitempty"`
	Registers Registers     `json:"registers"`
	Steps     []Step        `json:"steps,omitempty"`
	Findings  diag.List     `json:"findings"`
}

// A Step is an instruction of a try, and the registers after it.
type Step struct {
	Text      string    `json:"text"`
	Registers Registers `json:"registers"`
}

// TryText is the text of a try: the registers, and those after each instruction if they were asked for. as is that of ShowRegisters.
func TryText(res *crosslane.TryResult, as string) string {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	for _, s := range res.Steps {
		fmt.Fprintf(w, "> %s\n", strings.TrimSpace(s.Text))
		ShowRegisters(w, s.Registers, as)
	}
	if len(res.Steps) > 0 {
		w.WriteString("> end\n")
	}
	ShowRegisters(w, res.Registers, as)
	w.Flush()
	return b.String()
}

// registerView chooses how a register's bits are read: a type and whether in hexadecimal.
// Predicates are 0 and 1.
func registerView(r crosslane.Register, as string) (t value.Type, hex bool) {
	t = value.Type(r.Type)
	if !t.Valid() {
		bits, _ := strconv.Atoi(strings.TrimLeft(r.Type, "abcdefghijklmnopqrstuvwxyz"))
		switch {
		case r.Type == "pred" || r.Type == "b1":
			return "u8", false
		case bits == 8, bits == 16, bits == 64:
			t = value.Type("u" + strconv.Itoa(bits))
		default:
			t = "u32"
		}
	}
	if r.Float && t.Size() == 4 {
		t = "f32"
	}
	switch {
	case as == "hex":
		return value.Type("u" + strconv.Itoa(8*t.Size())), true
	case as != "" && t.Size() == 4:
		return value.Type(as), false
	}
	return t, false
}

func registerCell(r crosslane.Register, t value.Type, hex bool, lane int) string {
	switch {
	case slices.Contains(r.Poison, lane):
		if hex && partly(r, t, lane) {
			return partHex(value.Hex(t, r.Bits[lane]), r.Undefined[lane])
		}
		return "?"
	case hex:
		return value.Hex(t, r.Bits[lane])
	}
	return value.Format(t, r.Bits[lane])
}

// partly reports whether some bits of a lane are defined and some are not.
func partly(r crosslane.Register, t value.Type, lane int) bool {
	if r.Undefined == nil {
		return false
	}
	all := ^uint64(0) >> (64 - 8*t.Size())
	u := r.Undefined[lane] & all
	return u != 0 && u != all
}

// partHex puts question marks for the digits of a number in hexadecimal that have
// undefined bits.
func partHex(digits string, undefined uint64) string {
	out := []byte(digits)
	for i := range out {
		if undefined>>(4*(len(out)-1-i))&15 != 0 {
			out[i] = '?'
		}
	}
	return string(out)
}

// ShowRegisters prints registers: a scalar on its line, lanes in rows of at most 16. as is how 32-bit registers are read: f32, u32,
// s32, hex, or "" for their own type.
func ShowRegisters(w *bufio.Writer, regs []crosslane.Register, as string) {
	for _, r := range regs {
		t, hex := registerView(r, as)
		name := string(t)
		if r.Type == "pred" || r.Type == "b1" {
			name = "pred"
		}
		if hex && name != "pred" {
			name = "hex"
		}
		if len(r.Bits) == 1 {
			fmt.Fprintf(w, "%s %s = %s\n", r.Name, name, scalarText(r, t, hex))
			continue
		}
		if c, ok := uniform(r, t, hex); ok {
			fmt.Fprintf(w, "%s %s\n  [0-%d] %s in every lane\n", r.Name, name, len(r.Bits)-1, c)
			continue
		}
		fmt.Fprintf(w, "%s %s\n", r.Name, name)
		Table{Type: t, Shape: []int{len(r.Bits)}, Full: true, Cell: func(i int) string { return registerCell(r, t, hex, i) }}.Write(w)
	}
}

// scalarText is the value of a register that all lanes share. Many are masks, so that
// integers are shown in hexadecimal too.
func scalarText(r crosslane.Register, t value.Type, hex bool) string {
	s := registerCell(r, t, hex, 0)
	if hex || s == "?" || t.Kind() == value.Float || r.Bits[0] < 10 {
		return s
	}
	return s + " (0x" + strings.TrimLeft(value.Hex(t, r.Bits[0]), "0") + ")"
}

// uniform returns the value that every lane has, if it is too wide for a row of 16.
func uniform(r crosslane.Register, t value.Type, hex bool) (string, bool) {
	first := registerCell(r, t, hex, 0)
	for i := range r.Bits {
		if registerCell(r, t, hex, i) != first {
			return "", false
		}
	}
	return first, len(first) > 3
}

// Registers are registers in their order, as one JSON object. As is that of ShowRegisters.
type Registers struct {
	List []crosslane.Register
	As   string
}

// JSONSchema is the JSON Schema of what MarshalJSON writes.
func (Registers) JSONSchema() map[string]any {
	lanes := map[string]any{"type": "array", "items": map[string]any{"type": "integer", "minimum": 0, "maximum": 63}}
	words := map[string]any{"type": "array", "items": map[string]any{"type": []string{"number", "string"}}}
	return map[string]any{"type": "object", "additionalProperties": map[string]any{
		"type": "object", "required": []string{"type", "data", "poison"},
		"properties": map[string]any{"type": map[string]any{"type": "string"}, "data": words, "poison": lanes, "undefined": words},
	}}
}

// MarshalJSON implements json.Marshaler.
func (j Registers) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, r := range j.List {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(r.Name)
		if err != nil {
			return nil, err
		}
		t, hex := registerView(r, j.As)
		typ := string(t)
		if r.Type == "pred" || r.Type == "b1" {
			typ = "pred"
		}
		out = append(out, name...)
		out = append(out, `:{"type":"`+typ+`","data":[`...)
		for l, bits := range r.Bits {
			if l > 0 {
				out = append(out, ',')
			}
			if hex {
				out = append(out, `"0x`+value.Hex(t, bits)+`"`...)
			} else {
				out = value.AppendJSON(out, t, bits)
			}
		}
		poison := r.Poison
		if poison == nil {
			poison = []int{}
		}
		lanes, err := json.Marshal(poison)
		if err != nil {
			return nil, err
		}
		out = append(out, `],"poison":`...)
		out = append(out, lanes...)
		if slices.ContainsFunc(poison, func(l int) bool { return partly(r, t, l) }) {
			out = append(out, `,"undefined":[`...)
			for i, l := range poison {
				if i > 0 {
					out = append(out, ',')
				}
				out = append(out, `"0x`+value.Hex(value.Type("u"+strconv.Itoa(8*t.Size())), r.Undefined[l])+`"`...)
			}
			out = append(out, ']')
		}
		out = append(out, '}')
	}
	return append(out, '}'), nil
}
