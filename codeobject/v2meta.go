package codeobject

import (
	"fmt"
	"strings"

	"example.org/crosslane/diag"
)

// Metadata of version 2 is YAML with other keys. Attributes and properties are in maps of their
// own, and arguments have an alignment instead of an offset (AMDGPUUsage, "Code Object V2
// Metadata"). It is renamed to that of version 3.

// v2Keys returns the keys of version 3 for those of version 2, by the map that contains them.
func v2Keys(in string) map[string]string {
	switch in {
	case "":
		return map[string]string{"Version": "amdhsa.version", "Printf": "amdhsa.printf", "Kernels": "amdhsa.kernels"}
	case "Kernels":
		return map[string]string{"Name": ".name", "SymbolName": ".symbol", "Language": ".language", "LanguageVersion": ".language_version", "Args": ".args"}
	case "Attrs":
		return map[string]string{"ReqdWorkGroupSize": ".reqd_workgroup_size", "WorkGroupSizeHint": ".workgroup_size_hint", "VecTypeHint": ".vec_type_hint", "RuntimeHandle": ".device_enqueue_symbol"}
	case "CodeProps":
		return map[string]string{"KernargSegmentSize": ".kernarg_segment_size", "GroupSegmentFixedSize": ".group_segment_fixed_size",
			"PrivateSegmentFixedSize": ".private_segment_fixed_size", "KernargSegmentAlign": ".kernarg_segment_align", "WavefrontSize": ".wavefront_size",
			"NumSGPRs": ".sgpr_count", "NumVGPRs": ".vgpr_count", "MaxFlatWorkGroupSize": ".max_flat_workgroup_size",
			"NumSpilledSGPRs": ".sgpr_spill_count", "NumSpilledVGPRs": ".vgpr_spill_count"}
	case "Args":
		return map[string]string{"Name": ".name", "TypeName": ".type_name", "Size": ".size", "ValueKind": ".value_kind", "PointeeAlign": ".pointee_align",
			"AddrSpaceQual": ".address_space", "AccQual": ".access", "ActualAccQual": ".actual_access",
			"IsConst": ".is_const", "IsRestrict": ".is_restrict", "IsVolatile": ".is_volatile", "IsPipe": ".is_pipe"}
	}
	return nil
}

// renamer makes version 3's tree; it keeps the first error.
type renamer struct{ err string }

func (r *renamer) fail(format string, args ...any) {
	if r.err == "" {
		r.err = fmt.Sprintf(format, args...)
	}
}

// rename moves the known keys of a map. Other keys keep their names: "additional information can be
// added to the mappings".
func (r *renamer) rename(in string, tree any, to map[string]any) map[string]any {
	m, ok := tree.(map[string]any)
	if !ok {
		r.fail("%s: found %s, expected a map", in, describe(tree))
		return nil
	}
	keys := v2Keys(in)
	for k, v := range m {
		if name := keys[k]; name != "" {
			to[name] = v
		} else {
			to[k] = v
		}
	}
	return m
}

// each renames the maps of a list.
func (r *renamer) each(in string, tree any, f func(m, to map[string]any)) []any {
	l, ok := tree.([]any)
	if !ok {
		r.fail("%s: found %s, expected a list of maps", in, describe(tree))
		return nil
	}
	out := make([]any, 0, min(len(l), 1024))
	for _, x := range l {
		to := map[string]any{}
		if m := r.rename(in, x, to); m != nil {
			f(m, to)
		}
		if r.err != "" {
			return nil
		}
		out = append(out, to)
	}
	return out
}

// kernel gives a kernel the keys that version 3 has directly.
func (r *renamer) kernel(m, to map[string]any) {
	for _, in := range []string{"Attrs", "CodeProps"} {
		if x, ok := m[in]; ok {
			delete(to, in)
			r.rename(in, x, to)
		}
	}
	// The metadata has a symbol with @kd, the runtime's name for it; the file has it without.
	if s, ok := to[".symbol"].(string); ok {
		to[".symbol"] = strings.TrimSuffix(s, "@kd")
	} else if to[".symbol"] == nil {
		to[".symbol"] = to[".name"]
	}
	end := uint64(0)
	if a, ok := m["Args"]; ok {
		to[".args"] = r.each("Args", a, func(m, to map[string]any) {
			size, ok1 := m["Size"].(uint64)
			align, ok2 := m["Align"].(uint64)
			if !ok1 || !ok2 || align == 0 || align&(align-1) != 0 || align > 1<<16 || size > 1<<32 || end > 1<<32 {
				r.fail("Args: Size %s and Align %s, expected a number of bytes and a power of two up to 65536", describe(m["Size"]), describe(m["Align"]))
				return
			}
			delete(to, "Align")
			end = alignUp(end, align)
			to[".offset"] = end
			end += size
			r.argument(to)
		})
	}
	// Properties that the first compilers omitted; the code structure has them.
	for key, v := range map[string]uint64{".kernarg_segment_size": end, ".kernarg_segment_align": 16, ".wavefront_size": 64,
		".group_segment_fixed_size": 0, ".private_segment_fixed_size": 0, ".sgpr_count": 0, ".vgpr_count": 0, ".max_flat_workgroup_size": 0} {
		if to[key] == nil {
			to[key] = v
		}
	}
	if n, ok := to[".kernarg_segment_size"].(uint64); ok {
		to[".kernarg_segment_size"] = max(n, end)
	}
}

// argument converts the names of an argument's kind and qualifiers to version 3's spelling:
// HiddenGlobalOffsetX becomes hidden_global_offset_x.
func (r *renamer) argument(to map[string]any) {
	for _, key := range []string{".value_kind", ".address_space", ".access", ".actual_access"} {
		if s, ok := to[key].(string); ok && len(s) < 64 {
			to[key] = snake(s)
		}
	}
}

// snake separates words with underscores. MultiGrid is one word.
func snake(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return strings.ReplaceAll(b.String(), "multi_grid", "multigrid")
}

// metadataV2 reads a note's YAML.
func (f *file) metadataV2(n *note) (*Metadata, *diag.Diagnostic) {
	// Positions are offsets in the file: that of the note, not of the line in it.
	return parseV2([]byte(strings.TrimRight(string(n.desc), "\x00")), diag.Pos{File: f.name, Off: int64(n.at), HasOff: true})
}

// ParseMetadataV2 reads metadata of version 2, which is YAML with other keys. pos is the place of
// the first line.
func ParseMetadataV2(text []byte, pos diag.Pos) (*Metadata, error) {
	m, d := parseV2(text, pos)
	if d != nil {
		return nil, d
	}
	return m, nil
}

// parseV2 parses the YAML, renames its keys and checks the result.
func parseV2(text []byte, pos diag.Pos) (*Metadata, *diag.Diagnostic) {
	bad := func(format string, args ...any) *diag.Diagnostic {
		return diag.Errorf(pos, diag.Input, CodeMetadata, format, args...)
	}
	tree, line, err := parseYAML(text)
	switch {
	case err != nil && pos.HasOff:
		return nil, bad("metadata, line %d: %v", line, err)
	case err != nil:
		pos.Line += max(line, 1) - 1
		d := bad("metadata: %v", err)
		if strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
			d.Remedy = "inside { } a list is [ ], with commas, as YAML asks for; LLVM is less strict"
		}
		return nil, d
	}
	r := &renamer{}
	to := map[string]any{}
	if top := r.rename("", tree, to); top != nil {
		if k, ok := top["Kernels"]; ok {
			to["amdhsa.kernels"] = r.each("Kernels", k, r.kernel)
		}
	}
	if r.err != "" {
		return nil, bad("metadata: %s", r.err)
	}
	m, err := fromTree(to)
	if err != nil {
		return nil, bad("%v", err)
	}
	return m, m.check(2, pos)
}
