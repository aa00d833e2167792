package cli

import (
	_ "embed" // the schema
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/internal/debug"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/report"
	"example.org/crosslane/internal/results"
)

// LaunchSchema is the JSON Schema of launch files; docs/schema has a copy of it.
//
//go:embed schema/launch.json
var LaunchSchema string

// schemaObject is a JSON Schema, or a part of one.
type schemaObject map[string]any

// draft7 is the JSON Schema that is written: the one that validators of all languages know.
const draft7 = "http://json-schema.org/draft-07/schema#"

// An outputForm is a form that --format json, or a file that a command writes, has.
type outputForm struct {
	name  string // "run" of crosslane.run/1
	what  string
	value any
	fails bool // if the command fails, the form has findings only
}

func outputForms() []outputForm {
	return []outputForm{
		{"asm", "the instructions that asm --hex writes", instructionsJSON{}, true},
		{"baseline", "a file of findings that are known", report.Baseline{}, false},
		{"bench", "the figures of bench", benchJSON{}, false},
		{"bench-list", "the kernels of bench --list", benchListJSON{}, false},
		{"check", "the findings of check in a file", results.Check{}, false},
		{"check-files", "the findings of check in several files", checkFilesJSON{}, false},
		{"code", "the page of explain about a code of diagnostics", codeJSON{}, false},
		{"diff", "the differences between two runs", diffJSON{}, false},
		{"dis", "the instructions that dis --hex writes", instructionsJSON{}, true},
		{"exec", "the findings of exec and serve", execJSON{}, false},
		{"extract", "the GPU code in files", extractJSON{}, false},
		{"explain", "the page of explain about an instruction", crosslane.Explanation{}, true},
		{"family", "the page of explain about a family of instructions", familyJSON{}, false},
		{"kernels", "the kernels of a file", kernelsJSON{}, false},
		{"plan", "the sequences of plan for a lane map", crosslane.PlanResult{}, true},
		{"record", "the steps of a recording", crosslane.RecordingData{}, true},
		{"debug", "the reply to a command of debug", debug.Reply{}, false},
		{"rules", "the codes of check --rules list", rulesJSON{}, false},
		{"run", "the results of a run", results.Run{}, false},
		{"trace", "the launches of a trace", traceJSON{}, false},
		{"try", "the registers of try", results.Try{}, false},
		{"version", "the output of version", versionJSON{}, false},
		{"why", "the provenance of a value", crosslane.Provenance{}, true},
	}
}

// OutputSchema is the JSON Schema of all that --format json writes. The member schema names the
// form of an object. docs/schema has a copy of it.
func OutputSchema() string {
	s := &schemas{defs: schemaObject{}, names: map[reflect.Type]string{}}
	var forms []any
	for _, o := range outputForms() {
		s.defs[o.name] = s.form(o)
		forms = append(forms, schemaObject{"$ref": "#/definitions/" + o.name})
	}
	return text(schemaObject{"$schema": draft7, "title": "The JSON output of crosslane", "oneOf": forms, "definitions": s.defs})
}

// outputSchema is that of one form; "" if there is none of the name.
func outputSchema(name string) string {
	for _, o := range outputForms() {
		if o.name == name {
			s := &schemas{defs: schemaObject{}, names: map[reflect.Type]string{}}
			top := s.form(o)
			top["$schema"], top["definitions"] = draft7, s.defs
			return text(top)
		}
	}
	return ""
}

func text(s schemaObject) string {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // maps of strings and lists
	}
	return string(b) + "\n"
}

// schemas are made of the types that are written.
type schemas struct {
	defs  schemaObject
	names map[reflect.Type]string
}

// form is an output with its member schema.
func (s *schemas) form(o outputForm) schemaObject {
	id := schemaObject{"const": "crosslane." + o.name + "/1"}
	whole := schemaObject{"type": "object", "properties": schemaObject{}}
	s.fields(reflect.TypeOf(o.value), whole)
	whole["properties"].(schemaObject)["schema"] = id
	required, _ := whole["required"].([]string)
	if !slices.Contains(required, "schema") {
		required = append([]string{"schema"}, required...)
	}
	whole["required"] = required
	if !o.fails {
		whole["title"] = "crosslane." + o.name + "/1: " + o.what
		return whole
	}
	failed := schemaObject{"type": "object", "required": []string{"schema", "findings"}, "properties": schemaObject{
		"schema": id, "findings": s.of(reflect.TypeOf(failedJSON{}.Findings)),
	}}
	return schemaObject{"title": "crosslane." + o.name + "/1: " + o.what, "anyOf": []any{whole, failed}}
}

// The method of returns the schema of a type, as encoding/json writes it.
func (s *schemas) of(t reflect.Type) schemaObject {
	zero := reflect.Zero(t)
	if t.Kind() == reflect.Pointer && !t.Implements(reflect.TypeFor[interface{ JSONForm() any }]()) {
		return s.of(t.Elem())
	}
	switch v := zero.Interface().(type) {
	case interface{ JSONSchema() map[string]any }:
		return v.JSONSchema()
	case interface{ JSONForms() []any }:
		return s.named(t, v.JSONForms()...)
	case interface{ JSONForm() any }:
		return s.named(t, v.JSONForm())
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return schemaObject{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return schemaObject{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return schemaObject{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return schemaObject{"type": "integer", "minimum": 0}
	case reflect.Float32, reflect.Float64:
		return schemaObject{"type": "number"}
	case reflect.String:
		return schemaObject{"type": "string"}
	case reflect.Slice: // without members it may be null
		return schemaObject{"type": []string{"array", "null"}, "items": s.of(t.Elem())}
	case reflect.Array:
		return schemaObject{"type": "array", "items": s.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return schemaObject{"type": []string{"object", "null"}, "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.named(t, zero.Interface())
	case reflect.Interface:
		return schemaObject{}
	}
	panic(fmt.Sprintf("no JSON Schema of %v", t))
}

// named is a reference to the definition of a type, whose members are those of values.
func (s *schemas) named(t reflect.Type, values ...any) schemaObject {
	name, ok := s.names[t]
	if !ok {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		name = strings.TrimSuffix(strings.ToLower(t.Name()[:1])+t.Name()[1:], "JSON")
		for s.defs[name] != nil {
			name += "Part"
		}
		s.names[t] = name
		def := schemaObject{"type": "object", "properties": schemaObject{}}
		s.defs[name] = def
		for _, v := range values {
			s.fields(reflect.TypeOf(v), def)
		}
	}
	return schemaObject{"$ref": "#/definitions/" + name}
}

// fields adds the members of a struct; those that may be left out are not required. Further members
// may come: members are added without a new number.
func (s *schemas) fields(t reflect.Type, to schemaObject) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, has := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		if f.Anonymous && !has {
			ft := f.Type
			for ft.Kind() == reflect.Pointer {
				ft = ft.Elem()
			}
			s.fields(ft, to)
			continue
		}
		if !f.IsExported() || tag == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		to["properties"].(schemaObject)[name] = s.of(f.Type)
		if options == "" {
			required, _ := to["required"].([]string)
			to["required"] = append(required, name)
		}
	}
}

func (a *app) schemaCommand() *cobra.Command {
	names := []string{"launch", "output"}
	var lines strings.Builder
	for _, o := range outputForms() {
		names = append(names, o.name)
		fmt.Fprintf(&lines, "  %-12s %s\n", o.name, o.what)
	}
	return &cobra.Command{
		Use:   "schema NAME",
		Short: "Print a JSON Schema: of launch files, or of the output of --format json",
		Long: `Print a JSON Schema (draft 7), for editors and validators. NAME is "launch" for launch
files, which may name it as "$schema"; "output" for all that --format json writes; or one
of these forms:
` + lines.String(),
		Example:   `  crosslane schema launch > launch.schema.json` + "\n" + `  crosslane schema check`,
		Args:      cobra.ExactArgs(1),
		ValidArgs: names,
		RunE: a.command(func(args []string) error {
			s := ""
			switch args[0] {
			case "launch":
				s = strings.TrimSpace(LaunchSchema) + "\n"
			case "output":
				s = OutputSchema()
			default:
				if s = outputSchema(args[0]); s == "" {
					return usage("there is no form %s (there are: %s)", input.Quoted(args[0]), strings.Join(names, ", "))
				}
			}
			a.out.WriteString(s)
			return nil
		}),
	}
}
