package codeobject

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
)

// ParseMetadataYAML reads the text between .amdgpu_metadata and .end_amdgpu_metadata. first is the
// position of its first line; diagnostics count lines from it.
func ParseMetadataYAML(text []byte, first diag.Pos) (*Metadata, error) {
	if first.Line == 0 {
		first.Line = 1
	}
	bad := func(line int, format string, args ...any) error {
		p := diag.Pos{File: first.File, Line: first.Line + max(line, 1) - 1}
		return diag.Errorf(p, diag.Input, CodeMetadata, format, args...)
	}
	tree, line, err := parseYAML(text)
	if err != nil {
		return nil, bad(line, "metadata: %v", err)
	}
	m, err := fromTree(tree)
	if err != nil {
		return nil, bad(1, "%v", err)
	}
	return m, nil
}

// parseYAML reads one document; an error comes with its line.
func parseYAML(text []byte) (any, int, error) {
	if len(text) > maxMetadata {
		return nil, 1, fmt.Errorf("%d bytes, more than %d", len(text), maxMetadata)
	}
	return readYAML(text)
}

// yamlScalar gives a scalar its type by the rules of the LLVM tools: its text decides, quoted or
// not, unless a tag names a type.
func yamlScalar(s, tag string, tagged bool) (any, error) {
	if !tagged {
		return untagged(s), nil
	}
	v := untagged(s)
	switch strings.TrimPrefix(tag, "!") {
	case "str", "!str":
		return s, nil
	case "int", "!int":
		switch v.(type) {
		case uint64, int64:
			return v, nil
		}
	case "bool", "!bool":
		if _, ok := v.(bool); ok {
			return v, nil
		}
	case "float", "!float":
		if f, ok := parseFloat(s); ok {
			return f, nil
		}
	case "nil", "!null":
		return nil, nil
	}
	return nil, fmt.Errorf("%.40q has the tag %.40s", s, tag)
}

// untagged returns the value of a scalar without a tag.
func untagged(s string) any {
	if n, ok := parseInt(s); ok {
		return n
	}
	switch s {
	case "true":
		return true
	case "false":
		return false
	}
	if f, ok := parseFloat(s); ok {
		return f
	}
	return s
}

// parseInt reads decimal, 0x, 0b, 0o and 0-prefixed octal numbers.
func parseInt(s string) (any, bool) {
	digits, neg := strings.CutPrefix(s, "-")
	if digits == "" || strings.ContainsAny(digits, "_+-") {
		return nil, false
	}
	n, err := strconv.ParseUint(digits, 0, 64)
	if err != nil {
		return nil, false
	}
	if neg {
		if n > 1<<63 {
			return nil, false
		}
		if n != 0 {
			return int64(-n), true
		}
	}
	return n, true
}

// parseFloat parses a floating-point number as YAML does.
func parseFloat(s string) (float64, bool) {
	if strings.Contains(s, "_") {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !(err.(*strconv.NumError).Err == strconv.ErrRange) {
		return 0, false
	}
	return f, true
}

// YAML returns the text of the metadata as the LLVM tools print it, from --- to ..., with sorted
// keys.
func (m *Metadata) YAML() string {
	var b bytes.Buffer
	b.WriteString("---")
	writeYAML(&b, m.toTree(), 0, true)
	b.WriteString("...\n")
	return b.String()
}

// writeYAML writes a value after "key:" or "-". newline starts a list or map on a line of its own.
func writeYAML(b *bytes.Buffer, v any, indent int, newline bool) {
	pad := strings.Repeat(" ", indent)
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			b.WriteString("{}\n")
			return
		}
		if newline {
			b.WriteByte('\n')
		}
		for i, k := range sortedKeys(v) {
			if i > 0 || newline {
				b.WriteString(pad)
			}
			key := quote(k, false) + ":"
			b.WriteString(key)
			if compound(v[k]) {
				writeYAML(b, v[k], indent+2, true)
				continue
			}
			b.WriteString(strings.Repeat(" ", max(1, 17-len(key))))
			writeYAML(b, v[k], 0, false)
		}
	case []any:
		if len(v) == 0 {
			b.WriteString("[]\n")
			return
		}
		if newline {
			b.WriteByte('\n')
		}
		for i, x := range v {
			if i > 0 || newline {
				b.WriteString(pad)
			}
			b.WriteString("- ")
			writeYAML(b, x, indent+2, false)
		}
	default:
		b.WriteString(scalarText(v))
		b.WriteByte('\n')
	}
}

// compound reports whether the value needs lines of its own.
func compound(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// scalarText returns the text of a scalar.
func scalarText(v any) string {
	switch v := v.(type) {
	case nil:
		return "!nil ''"
	case bool:
		return strconv.FormatBool(v)
	case uint64:
		return strconv.FormatUint(v, 10)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return strings.ToUpper(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+"))
		}
		if s := strconv.FormatFloat(v, 'e', 6, 64); roundTrips(s, v) {
			return s
		}
		return strconv.FormatFloat(v, 'e', -1, 64)
	case []byte:
		return quote(string(v), true)
	case string:
		if _, str := untagged(v).(string); !str {
			return "!str " + quote(v, true)
		}
		return quote(v, false)
	}
	return fmt.Sprint(v)
}

func roundTrips(s string, v float64) bool {
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && (f == v || float32(f) == float32(v) && float64(float32(v)) == v)
}

// quote quotes a string if YAML requires it, or always.
func quote(s string, always bool) string {
	single := always || s == "" || s[0] == ' ' || s[len(s)-1] == ' ' || s == "null" || s == "Null" || s == "NULL" || s == "~" ||
		strings.IndexByte("-?:\\,[]{}#&*!|>'\"%@`", s[0]) >= 0
	if s == "true" || s == "false" || s == "True" || s == "TRUE" || s == "False" || s == "FALSE" {
		single = true
	}
	switch strings.TrimLeft(s, "+-") {
	case ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN":
		single = true
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', strings.IndexByte("_-^., \t", c) >= 0:
		case c < ' ', c >= 0x7f:
			return doubleQuote(s)
		default:
			single = true
		}
	}
	if single {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return s
}

// doubleQuote quotes a string with escapes.
func doubleQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02X`, r)
		case r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
