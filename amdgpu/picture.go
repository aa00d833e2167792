package amdgpu

import (
	"fmt"
	"strings"
)

// pictureWidth is the width of pictures of bits; a longer picture is split into several pieces.
const pictureWidth = 74

// column is one field of a picture.
type column struct{ bits, name, value string }

// Picture draws the format's bits, dword by dword from the highest bit to the lowest: the bit
// numbers, and the names of the fields. FormatDPP and FormatSDWA are second dwords.
func (f Format) Picture() string {
	var fields []BitField
	for _, b := range layoutsGFX8[f].fields {
		if f == FormatDS && (b.ID == fieldMod+FieldID(ModOffset0) || b.ID == fieldMod+FieldID(ModOffset1)) {
			continue // the halves of OFFSET
		}
		fields = append(fields, b)
	}
	for i, b := range fields {
		if b.ID == FieldEnc {
			fields[i].Name = fmt.Sprintf("%0*b", b.Width, b.Value)
		}
	}
	return picture(fields, func(BitField) string { return "" })
}

// Picture draws the instruction's bits with their values, see [Format.Picture].
func (in *Inst) Picture() (string, error) {
	vs, err := in.FieldValues()
	if err != nil {
		return "", err
	}
	fields := make([]BitField, len(vs))
	bits := map[uint8]uint64{}
	for i, v := range vs {
		fields[i], bits[v.Lo] = v.BitField, v.Bits
		if x := in.encoding(); v.ID != FieldLit && x.used&v.mask() == 0 {
			fields[i].ID = FieldReserved // the row does not use it
		}
	}
	return picture(fields, func(b BitField) string {
		switch v := bits[b.Lo]; {
		case b.ID == FieldEnc:
			return fmt.Sprintf("%0*b", b.Width, v)
		case b.Width >= 16, b.ID > fieldMod && b.Width >= 4: // values that are bits rather than numbers of registers
			return fmt.Sprintf("0x%x", v)
		default:
			return fmt.Sprint(v)
		}
	}), nil
}

// picture draws fields; value returns the text of a field's value.
func picture(fields []BitField, value func(b BitField) string) string {
	var s strings.Builder
	var cols []column
	for i, b := range fields {
		c := column{fmt.Sprint(b.Lo), b.Name, value(b)}
		if b.Width > 1 {
			c.bits = fmt.Sprintf("%d:%d", b.Lo+b.Width-1, b.Lo)
		}
		switch b.ID {
		case FieldEnc:
			if b.Name == "ENCODING" {
				c.name = ""
			}
		case FieldReserved:
			c.name = "-"
		}
		if i > 0 && fields[i-1].Lo/32 != b.Lo/32 {
			writeColumns(&s, cols)
			cols = nil
		}
		cols = append(cols, c)
	}
	writeColumns(&s, cols)
	return s.String()
}

// writeColumns writes the columns of a dword side by side.
func writeColumns(s *strings.Builder, cols []column) {
	for len(cols) > 0 {
		n, width := 0, 0
		for _, c := range cols {
			w := max(len(c.bits), len(c.name), len(c.value)) + 1
			if n > 0 && width+w > pictureWidth {
				break
			}
			width += w
			n++
		}
		for _, of := range []func(c column) string{
			func(c column) string { return c.bits },
			func(c column) string { return c.name },
			func(c column) string { return c.value },
		} {
			line := ""
			for _, c := range cols[:n] {
				line += fmt.Sprintf("%-*s|", max(len(c.bits), len(c.name), len(c.value)), of(c))
			}
			if strings.Trim(line, " |") != "" {
				s.WriteString("|" + line + "\n")
			}
		}
		cols = cols[n:]
	}
}
