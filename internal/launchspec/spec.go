// Package launchspec reads launches as users write them, by options or in a launch file, and makes the
// arguments and buffers of a launch. docs/launch.md describes the text.
package launchspec

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/value"
)

// Size is how many blocks, lanes and blocks of a cluster a launch has.
type Size struct {
	Grid, Block crosslane.Dim3 // zero: not given, or computed
	Cluster     crosslane.Dim3 // zero: not given
	GridBy      []*Expr        // for each dimension, if it follows other values
	BlockBy     []*Expr
}

// Spec is a launch as written, by flags or by a launch file.
type Spec struct {
	Kernel string
	Size
	SharedBy    *Expr
	Args        []Arg
	Buffers     []Arg // that are no arguments
	Symbols     []Named
	Shared      uint32
	Stack       uint32 // 0: not given
	Heap        uint64 // 0: not given
	Print       []string
	Save        []Named
	Expect      []Named
	Engine      string
	Workers     int
	Timeout     time.Duration
	Undefined   string
	Schedule    crosslane.Schedule
	Adversarial bool
	Cooperative bool
	Native      crosslane.Native // from the environment: see nativeEnv
	MaxMemory   uint64
	RaceMemory  uint64 // the memory that check may use for races, in bytes
}

// Kernel is what a launch has to know of the kernel that it is for.
type Kernel interface {
	Params() []crosslane.Param
	// Symbol is a variable that the kernel uses; HasSymbol reports whether the file has a variable.
	Symbol(name string) (crosslane.Symbol, error)
	HasSymbol(name string) bool
}

// usageError is an error about what the user wrote.
func usageError(format string, args ...any) error {
	return diag.Errorf(diag.Pos{}, diag.Input, "usage", format, args...)
}

// Named is NAME=TEXT; files that it names are relative to Dir, or come from Read.
type Named struct {
	Name, Text, Dir string
	Read            value.ReadFile
}

func (s Named) reader() value.ReadFile { return readerOf(s.Read, s.Dir) }
func (s *Arg) reader() value.ReadFile  { return readerOf(s.Read, s.Dir) }

func readerOf(read value.ReadFile, dir string) value.ReadFile {
	if read != nil {
		return read
	}
	return input.Values(dir)
}

// ReadFrom makes all files that the launch names come from read, and none from the file system.
func (l *Spec) ReadFrom(read value.ReadFile) {
	for _, list := range [][]Arg{l.Args, l.Buffers} {
		for i := range list {
			list[i].Read = read
		}
	}
	for _, list := range [][]Named{l.Symbols, l.Expect} {
		for i := range list {
			list[i].Read = read
		}
	}
}

func ParseNamed(flag, want, s string) (Named, error) {
	name, text, ok := strings.Cut(s, "=")
	if !ok || name == "" || text == "" {
		return Named{}, usageError("%s must be %s, found %s", flag, want, input.Quoted(s))
	}
	return Named{Name: name, Text: text}, nil
}

// ParseDim reads X, X,Y or X,Y,Z.
func ParseDim(what, s string) (crosslane.Dim3, error) {
	parts := strings.Split(s, ",")
	v := [3]uint32{1, 1, 1}
	if len(parts) > 3 {
		return crosslane.Dim3{}, usageError("%s must be X, X,Y or X,Y,Z, found %s", what, input.Quoted(s))
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(strings.TrimSpace(p), 0, 31)
		if err != nil || n == 0 {
			return crosslane.Dim3{}, usageError("%s must be whole numbers from 1 to 2147483647, found %s", what, input.Quoted(p))
		}
		v[i] = uint32(n)
	}
	return crosslane.Dim3{X: v[0], Y: v[1], Z: v[2]}, nil
}

// ParseSize reads X, X,Y or X,Y,Z, of numbers or of expressions.
func ParseSize(what, s string) (crosslane.Dim3, []*Expr, error) {
	d, err := ParseDim(what, s)
	if err == nil {
		return d, nil, nil
	}
	wanted := func(err error) error {
		return usageError("%s must be whole numbers from 1 to 2147483647, or expressions such as ceil(n/block): %s", what, err)
	}
	parts, split := SplitList(s)
	switch {
	case split != nil:
		return d, nil, wanted(fmt.Errorf("%s: %w", input.Quoted(s), split))
	case len(parts) > 3:
		return d, nil, err
	}
	var by []*Expr
	for _, p := range parts {
		if strings.IndexFunc(p, unicode.IsLetter) < 0 {
			return d, nil, err // numbers that do not fit
		}
		e, exprErr := ParseExpr(p)
		if exprErr != nil {
			return d, nil, wanted(exprErr)
		}
		by = append(by, e)
	}
	return crosslane.Dim3{}, by, nil
}

// ParseTimeout reads a Go duration, or seconds.
func ParseTimeout(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if f, ferr := strconv.ParseFloat(s, 64); ferr == nil && f < 1e9 {
		d, err = time.Duration(f*float64(time.Second)), nil
	}
	if err != nil || d <= 0 {
		return 0, usageError("--timeout must be a duration such as 500ms, 10s or 2m, found %s", input.Quoted(s))
	}
	return d, nil
}

// launchFile is the JSON form of a launch; docs/launch.md describes it.
type launchFile struct {
	Editor      string                     `json:"$schema"` // the address of its JSON Schema
	Schema      string                     `json:"schema"`
	Kernel      string                     `json:"kernel"`
	Grid        json.RawMessage            `json:"grid"`
	Block       json.RawMessage            `json:"block"`
	Cluster     json.RawMessage            `json:"cluster"`
	Args        []json.RawMessage          `json:"args"`
	Buffers     []json.RawMessage          `json:"buffers"`
	Symbols     map[string]json.RawMessage `json:"symbols"`
	Shared      json.RawMessage            `json:"shared"`
	Stack       uint32                     `json:"stack"`
	Heap        uint64                     `json:"heap"`
	Print       []string                   `json:"print"`
	Save        map[string]string          `json:"save"`
	Expect      map[string]json.RawMessage `json:"expect"`
	Engine      string                     `json:"engine"`
	Workers     int                        `json:"workers"`
	Timeout     string                     `json:"timeout"`
	Undefined   string                     `json:"undefined"`
	Schedule    crosslane.Schedule         `json:"schedule"`
	Adversarial bool                       `json:"adversarial"`
	Cooperative bool                       `json:"cooperative"`
}

// launchSchema is the schema's name and version.
const Schema = "crosslane.launch/1"

// Parse reads the contents of a launch file of that name.
func Parse(name string, data []byte) (Spec, error) {
	data = input.TrimMark(data)
	var f launchFile
	if err := strictJSON(data, &f); err != nil {
		d := jsonError(name, data, err)
		d.Remedy = "the form is described in docs/launch.md"
		return Spec{}, d
	}
	l, err := f.spec()
	if err != nil {
		d := diag.Of(err)[0]
		return Spec{}, diag.Errorf(diag.Pos{File: name}, diag.Input, "bad-launch", "%s", d.Message)
	}
	// Files that a launch file names lie beside it.
	dir := filepath.Dir(name)
	for i := range l.Args {
		l.Args[i].Dir = dir
	}
	for i := range l.Buffers {
		l.Buffers[i].Dir = dir
	}
	for i := range l.Expect {
		l.Expect[i].Dir = dir
	}
	for i := range l.Symbols {
		l.Symbols[i].Dir = dir
	}
	for i, s := range l.Save {
		if !filepath.IsAbs(s.Text) {
			l.Save[i].Text = filepath.Join(dir, s.Text)
		}
	}
	return l, nil
}

func (f *launchFile) spec() (l Spec, err error) {
	if f.Schema != "" && f.Schema != Schema {
		return l, fmt.Errorf("schema is %s, want %q", input.Quoted(f.Schema), Schema)
	}
	l = Spec{Kernel: f.Kernel, Stack: f.Stack, Heap: f.Heap, Print: f.Print, Engine: f.Engine, Workers: f.Workers, Undefined: f.Undefined, Schedule: f.Schedule, Adversarial: f.Adversarial, Cooperative: f.Cooperative}
	if l.Grid, l.GridBy, err = jsonDim("grid", f.Grid); err != nil {
		return l, err
	}
	if l.Block, l.BlockBy, err = jsonDim("block", f.Block); err != nil {
		return l, err
	}
	if l.Cluster, err = jsonCluster(f.Cluster); err != nil {
		return l, err
	}
	if l.Shared, l.SharedBy, err = jsonShared(f.Shared); err != nil {
		return l, err
	}
	for i, raw := range f.Args {
		a, err := jsonArg(raw)
		if err != nil {
			return l, ArgError(i, err)
		}
		l.Args = append(l.Args, a)
	}
	for _, raw := range f.Buffers {
		a, err := jsonArg(raw)
		if err == nil {
			err = a.OnlyBuffer()
		}
		if err != nil {
			return l, fmt.Errorf("buffers: %w", err)
		}
		l.Buffers = append(l.Buffers, a)
	}
	for _, name := range sortedKeys(f.Symbols) {
		text, err := jsonSymbol(f.Symbols[name])
		if err != nil {
			return l, fmt.Errorf("symbols: %s: %w", name, err)
		}
		l.Symbols = append(l.Symbols, Named{Name: name, Text: text})
	}
	for _, name := range sortedKeys(f.Save) {
		l.Save = append(l.Save, Named{Name: name, Text: f.Save[name]})
	}
	for _, name := range sortedKeys(f.Expect) {
		text, err := jsonValues(f.Expect[name])
		if err != nil {
			return l, fmt.Errorf("expect %s: %w", name, err)
		}
		l.Expect = append(l.Expect, Named{Name: name, Text: text})
	}
	if f.Timeout != "" {
		if l.Timeout, err = ParseTimeout(f.Timeout); err != nil {
			return l, err
		}
	}
	given := l
	given.Engine, given.Undefined = cmp.Or(l.Engine, "auto"), cmp.Or(l.Undefined, "own")
	return l, given.CheckChoices("")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// strictJSON decodes one JSON value, refusing unknown fields and anything after it.
// Numbers keep their text.
func strictJSON(data []byte, to any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(to); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

// jsonError gives a JSON error its line and column.
func jsonError(name string, data []byte, err error) *diag.Diagnostic {
	pos := diag.Pos{File: name}
	off := int64(-1)
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	msg := strings.TrimPrefix(err.Error(), "json: ")
	switch {
	case errors.As(err, &syn):
		off = syn.Offset - 1
	case errors.As(err, &typ):
		off = typ.Offset - 1
		what := typ.Field
		if what == "" {
			what = "the launch"
		}
		msg = fmt.Sprintf("%s is a JSON %s, which does not fit", what, typ.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		msg = "the JSON ends too early"
	}
	src := ""
	if off >= 0 && off <= int64(len(data)) {
		before := data[:off]
		start := bytes.LastIndexByte(before, '\n') + 1
		pos.Line, pos.Col = bytes.Count(before, []byte("\n"))+1, int(off)-start+1
		line, _, _ := bytes.Cut(data[start:], []byte("\n"))
		src = string(line)
	}
	d := diag.Errorf(pos, diag.Input, "bad-launch", "%s", msg)
	d.Source = src
	return d
}

// jsonDim reads N, [X], [X,Y] or [X,Y,Z], of numbers or of expressions as strings.
// jsonCluster reads the size of a cluster: numbers, for they follow nothing.
func jsonCluster(raw json.RawMessage) (crosslane.Dim3, error) {
	d, by, err := jsonDim("cluster", raw)
	if err == nil && by != nil {
		err = fmt.Errorf("cluster must be a number or [x,y,z], found %s", input.Quoted(string(raw)))
	}
	return d, err
}

func jsonDim(what string, raw json.RawMessage) (crosslane.Dim3, []*Expr, error) {
	if raw == nil {
		return crosslane.Dim3{}, nil, nil
	}
	if text, ok := jsonSize(raw); ok {
		return ParseSize(what, text)
	}
	var v []json.RawMessage
	err := strictJSON(raw, &v)
	text := make([]string, len(v))
	for i, n := range v {
		var ok bool
		if text[i], ok = jsonSize(n); !ok {
			err = errors.New("neither a number nor a text")
		}
	}
	if err != nil || len(v) == 0 {
		return crosslane.Dim3{}, nil, fmt.Errorf("%s must be a number, an expression or [x,y,z], found %s", what, input.Quoted(string(raw)))
	}
	return ParseSize(what, strings.Join(text, ","))
}

// jsonSize reads a number, or an expression as a string.
func jsonSize(raw json.RawMessage) (string, bool) {
	var n json.Number
	if len(raw) > 0 && raw[0] != '"' {
		err := strictJSON(raw, &n)
		return n.String(), err == nil && n != ""
	}
	var s string
	err := strictJSON(raw, &s)
	return s, err == nil && s != ""
}

// jsonShared reads a number of bytes, or an expression as a string.
func jsonShared(raw json.RawMessage) (uint32, *Expr, error) {
	if raw == nil {
		return 0, nil, nil
	}
	text, ok := jsonSize(raw)
	if n, err := strconv.ParseUint(text, 10, 32); ok && err == nil {
		return uint32(n), nil, nil
	}
	if !ok || raw[0] != '"' {
		return 0, nil, fmt.Errorf("shared must be a number of bytes or an expression, found %s", input.Quoted(string(raw)))
	}
	e, err := ParseExpr(text)
	if err != nil {
		return 0, nil, fmt.Errorf("shared: %w", err)
	}
	return 0, e, nil
}

// jsonObjectArg is an argument as an object: a buffer (name, type, shape, and init
// or data), a scalar (value, type), a structure (name, struct) or LDS (shared).
type jsonObjectArg struct {
	Name   string          `json:"name"`
	Type   string          `json:"type"`
	Shape  json.RawMessage `json:"shape"`
	Init   string          `json:"init"`
	Data   json.RawMessage `json:"data"`
	Value  json.RawMessage `json:"value"`
	Struct json.RawMessage `json:"struct"`
	Shared *uint32         `json:"shared"`
	// Undefined is a file of as many bytes as the buffer has: its bits are set where those of the buffer are undefined.
	Undefined string `json:"undefined"`
}

// jsonArg reads one argument: a string in the grammar of --arg, a number, or an
// object. All of them become the text of --arg, so that there is one grammar.
func jsonArg(raw json.RawMessage) (Arg, error) {
	var s string
	if strictJSON(raw, &s) == nil {
		return ParseArg(s)
	}
	if n, ok := jsonScalar(raw); ok {
		return ParseArg(n)
	}
	var o jsonObjectArg
	if err := strictJSON(raw, &o); err != nil {
		return Arg{}, fmt.Errorf("want a string, a number or an object, found %s (%s)", input.Quoted(string(raw)), strings.TrimPrefix(err.Error(), "json: "))
	}
	switch {
	case o.Shared != nil:
		return Arg{kind: argShared, shared: *o.Shared, written: fmt.Sprintf("shared:%d", *o.Shared)}, nil
	case o.Struct != nil:
		text, err := jsonFields(o.Struct, 0)
		if err != nil {
			return Arg{}, fmt.Errorf("struct: %w", err)
		}
		if o.Name != "" {
			text = o.Name + "=" + text
		}
		return ParseArg(text)
	case o.Value != nil:
		v, ok := jsonScalar(o.Value)
		if !ok {
			return Arg{}, fmt.Errorf("value must be a number, found %s", input.Quoted(string(o.Value)))
		}
		if o.Type != "" {
			if !value.Type(o.Type).Valid() {
				return Arg{}, fmt.Errorf("%s is no element type (known: %s)", input.Quoted(o.Type), value.TypeNames())
			}
			v = o.Type + ":" + v
		}
		return ParseArg(v)
	case o.Init != "" && o.Data != nil:
		return Arg{}, fmt.Errorf("buffer %s has both init and data", o.Name)
	case o.Name == "" || o.Type == "" || o.Shape == nil:
		return Arg{}, fmt.Errorf("an object needs name, type and shape (a buffer), value (a scalar), struct or shared")
	}
	var dims []string
	if n, ok := jsonSize(o.Shape); ok {
		dims = []string{n}
	} else {
		var list []json.RawMessage
		err := strictJSON(o.Shape, &list)
		for _, v := range list {
			if n, ok = jsonSize(v); !ok {
				err = errors.New("neither a number nor a text")
			}
			dims = append(dims, n)
		}
		if err != nil {
			return Arg{}, fmt.Errorf("shape must be a number, an expression or [r,c], found %s", input.Quoted(string(o.Shape)))
		}
	}
	text := o.Name + ":" + o.Type + "[" + strings.Join(dims, ",") + "]"
	if o.Data != nil {
		list, err := jsonValues(o.Data)
		if err != nil {
			return Arg{}, fmt.Errorf("data: %w", err)
		}
		text += "=" + list
	} else if o.Init != "" {
		text += "=" + o.Init
	}
	a, err := ParseArg(text)
	if err == nil && o.Undefined != "" {
		file, found := strings.CutPrefix(o.Undefined, "@")
		if !found || file == "" || !a.hasInit {
			return Arg{}, fmt.Errorf("buffer %s: undefined is \"@FILE\", for a buffer with init or data", o.Name)
		}
		a.undefined = file
	}
	return a, err
}

// jsonFields writes the fields of a structure, an array, in the grammar of --arg.
func jsonFields(raw json.RawMessage, depth int) (string, error) {
	var list []json.RawMessage
	if err := strictJSON(raw, &list); err != nil || depth > maxNesting {
		return "", fmt.Errorf("want an array of fields, at most %d deep, found %s", maxNesting, input.Quoted(string(raw)))
	}
	out := make([]string, len(list))
	for i, v := range list {
		var s string
		var o jsonObjectArg
		n, number := jsonScalar(v)
		switch {
		case number:
			out[i] = n
		case strictJSON(v, &s) == nil:
			out[i] = s
		case v[0] == '[':
			text, err := jsonFields(v, depth+1)
			if err != nil {
				return "", err
			}
			out[i] = text
		default:
			if n, number = "", false; strictJSON(v, &o) == nil {
				n, number = jsonScalar(o.Value)
			}
			if !number || !value.Type(o.Type).Valid() {
				return "", fmt.Errorf("field %d: want a string, a number, an array, or an object of value and type, found %s", i+1, input.Quoted(string(v)))
			}
			out[i] = o.Type + ":" + n
		}
	}
	return "{" + strings.Join(out, ",") + "}", nil
}

// jsonSymbol reads the value of a variable: values, or an object with a structure.
func jsonSymbol(raw json.RawMessage) (string, error) {
	if n, ok := jsonScalar(raw); ok {
		return n, nil
	}
	var o struct {
		Struct json.RawMessage `json:"struct"`
	}
	if len(raw) > 0 && raw[0] == '{' {
		if err := strictJSON(raw, &o); err != nil || o.Struct == nil {
			return "", fmt.Errorf("an object needs struct, found %s", input.Quoted(string(raw)))
		}
		return jsonFields(o.Struct, 0)
	}
	return jsonValues(raw)
}

// jsonScalar reads a number, or "NaN", "Infinity", "-Infinity".
func jsonScalar(raw json.RawMessage) (string, bool) {
	var n json.Number
	if len(raw) > 0 && raw[0] != '"' && strictJSON(raw, &n) == nil && n != "" {
		return n.String(), true
	}
	var s string
	if strictJSON(raw, &s) == nil && isFloatWord(strings.TrimPrefix(s, "-")) {
		return s, true
	}
	return "", false
}

// jsonValues reads values: a string in the grammar of INIT or an array of numbers.
func jsonValues(raw json.RawMessage) (string, error) {
	var s string
	if strictJSON(raw, &s) == nil {
		return s, nil
	}
	var list []json.RawMessage
	if err := strictJSON(raw, &list); err != nil || len(list) == 0 {
		return "", fmt.Errorf("want an array of numbers or a string, found %s", input.Quoted(string(raw)))
	}
	out := make([]string, len(list))
	for i, v := range list {
		var ok bool
		if out[i], ok = jsonScalar(v); !ok && (strictJSON(v, &out[i]) != nil || !strings.HasPrefix(out[i], "&")) {
			return "", fmt.Errorf("value %d: %s is neither a number nor an address such as \"&in\"", i, input.Quoted(string(v)))
		}
	}
	return strings.Join(out, ","), nil
}

// CheckChoices returns an error if a choice about a launch is not valid. Options are named as they
// are in their source: dash is the prefix of their names there.
func (l *Spec) CheckChoices(dash string) error {
	if err := input.OneOf(dash+"engine", l.Engine, "auto", "interp", "jit"); err != nil {
		return err
	}
	if err := input.OneOf(dash+"undefined", l.Undefined, "own", "zero", "poison"); err != nil {
		return err
	}
	if err := l.Schedule.Check(); err != nil {
		return fmt.Errorf("%sschedule: %w", dash, err)
	}
	if l.Workers < 0 || l.Workers > crosslane.MaxWorkers {
		return fmt.Errorf("%sworkers must be 0 (automatic) to %d, found %d", dash, crosslane.MaxWorkers, l.Workers)
	}
	return nil
}
