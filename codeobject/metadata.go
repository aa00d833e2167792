package codeobject

import (
	"fmt"
	"math"
	"strings"

	"example.org/crosslane/diag"
)

// Metadata is the content of a code object's NT_AMDGPU_METADATA note (AMDGPUUsage, "Code Object
// Metadata", versions 3 to 6). The metadata of version 2 is converted to the same form.
type Metadata struct {
	Version [2]uint64 // 1.0 for code object version 3, 1.1 for 4, 1.2 for 5 and 6
	Target  string    // for example "amdgcn-amd-amdhsa--gfx803"; absent in version 3
	Printf  []string
	Kernels []KernelMeta

	tree map[string]any // as parsed, including the keys without a field above
}

// KernelMeta describes one kernel. Sizes are in bytes.
type KernelMeta struct {
	Name, Symbol        string // Symbol is Name + ".kd"
	Language            string
	LanguageVersion     []uint64
	Args                []Arg
	VecTypeHint         string
	DeviceEnqueueSymbol string
	Kind                string // "", "normal", "init" or "fini"
	KernargSize         uint64
	KernargAlign        uint64
	GroupSize           uint64 // LDS, without dynamic LDS
	PrivateSize         uint64 // scratch of one work-item
	WavefrontSize       uint64
	RegisterCounts
	WorkgroupSizes
	UsesDynamicStack bool
}

// RegisterCounts are the numbers of registers that a kernel uses, and of those that it spills.
type RegisterCounts struct {
	SGPRCount      uint64
	VGPRCount      uint64
	AGPRCount      uint64
	SGPRSpillCount uint64
	VGPRSpillCount uint64
}

// WorkgroupSizes are the sizes and numbers of workgroups for which a kernel is compiled.
type WorkgroupSizes struct {
	ReqdWorkgroupSize    []uint64 // nil, or 3 numbers
	WorkgroupSizeHint    []uint64 // nil, or 3 numbers
	MaxFlatWorkgroupSize uint64
	MaxNumWorkgroupsX    uint64
	MaxNumWorkgroupsY    uint64
	MaxNumWorkgroupsZ    uint64
	UniformWorkGroupSize uint64
}

// An Arg is one argument of a kernel: a range of its kernarg segment.
type Arg struct {
	Name, TypeName string
	Offset, Size   uint64
	ValueKind      ValueKind
	AddressSpace   string // "global", "constant", "local", ...; "" if not a pointer
	Access         string // "read_only", "write_only", "read_write" or ""
	ActualAccess   string
	PointeeAlign   uint64 // only for a dynamic_shared_pointer
	IsConst        bool
	IsRestrict     bool
	IsVolatile     bool
	IsPipe         bool
}

// A ValueKind is the way in which an argument is set up.
type ValueKind string

// The kinds that a caller passes. All other kinds are hidden: the runtime sets them.
const (
	ByValue              ValueKind = "by_value"
	GlobalBuffer         ValueKind = "global_buffer"
	DynamicSharedPointer ValueKind = "dynamic_shared_pointer"
	Sampler              ValueKind = "sampler"
	Image                ValueKind = "image"
	Pipe                 ValueKind = "pipe"
	Queue                ValueKind = "queue"
)

// Hidden reports whether the runtime sets the argument, not the caller.
func (k ValueKind) Hidden() bool { return strings.HasPrefix(string(k), "hidden_") }

// valueKinds lists all kinds of the manual.
func valueKinds() string {
	return " by_value global_buffer dynamic_shared_pointer sampler image pipe queue" +
		" hidden_global_offset_x hidden_global_offset_y hidden_global_offset_z hidden_none" +
		" hidden_printf_buffer hidden_hostcall_buffer hidden_default_queue hidden_completion_action" +
		" hidden_multigrid_sync_arg hidden_block_count_x hidden_block_count_y hidden_block_count_z" +
		" hidden_group_size_x hidden_group_size_y hidden_group_size_z" +
		" hidden_remainder_x hidden_remainder_y hidden_remainder_z hidden_grid_dims hidden_heap_v1" +
		" hidden_dynamic_lds_size hidden_private_base hidden_shared_base hidden_queue_ptr "
}

// A mapper converts between the keys of one map and fields, in one direction.
type mapper interface {
	text(key string, v *string, required bool)
	number(key string, v *uint64, required bool)
	flag(key string, v *bool)
	numbers(key string, v *[]uint64, count int) // count 0: any
	texts(key string, v *[]string)
	list(key string, n int, each func(i int, m mapper)) int
	grow(func())
}

// fields lists the top-level keys for both directions.
func (m *Metadata) fields(v mapper) {
	ver := m.Version[:]
	v.numbers("amdhsa.version", &ver, 2)
	copy(m.Version[:], ver)
	v.text("amdhsa.target", &m.Target, false)
	v.texts("amdhsa.printf", &m.Printf)
	v.grow(func() { m.Kernels = append(m.Kernels, KernelMeta{}) })
	v.list("amdhsa.kernels", len(m.Kernels), func(i int, v mapper) { m.Kernels[i].fields(v) })
}

// fields lists a kernel's keys for both directions.
func (k *KernelMeta) fields(v mapper) {
	v.text(".name", &k.Name, true)
	v.text(".symbol", &k.Symbol, true)
	v.text(".language", &k.Language, false)
	v.numbers(".language_version", &k.LanguageVersion, 2)
	v.grow(func() { k.Args = append(k.Args, Arg{}) })
	v.list(".args", len(k.Args), func(i int, v mapper) { k.Args[i].fields(v) })
	v.numbers(".reqd_workgroup_size", &k.ReqdWorkgroupSize, 3)
	v.numbers(".workgroup_size_hint", &k.WorkgroupSizeHint, 3)
	v.text(".vec_type_hint", &k.VecTypeHint, false)
	v.text(".device_enqueue_symbol", &k.DeviceEnqueueSymbol, false)
	v.text(".kind", &k.Kind, false)
	v.number(".kernarg_segment_size", &k.KernargSize, true)
	v.number(".kernarg_segment_align", &k.KernargAlign, true)
	v.number(".group_segment_fixed_size", &k.GroupSize, true)
	v.number(".private_segment_fixed_size", &k.PrivateSize, true)
	v.number(".wavefront_size", &k.WavefrontSize, true)
	v.number(".sgpr_count", &k.SGPRCount, true)
	v.number(".vgpr_count", &k.VGPRCount, true)
	v.number(".agpr_count", &k.AGPRCount, false)
	v.number(".max_flat_workgroup_size", &k.MaxFlatWorkgroupSize, true)
	v.number(".max_num_work_groups_x", &k.MaxNumWorkgroupsX, false)
	v.number(".max_num_work_groups_y", &k.MaxNumWorkgroupsY, false)
	v.number(".max_num_work_groups_z", &k.MaxNumWorkgroupsZ, false)
	v.number(".sgpr_spill_count", &k.SGPRSpillCount, false)
	v.number(".vgpr_spill_count", &k.VGPRSpillCount, false)
	v.number(".uniform_work_group_size", &k.UniformWorkGroupSize, false)
	v.flag(".uses_dynamic_stack", &k.UsesDynamicStack)
}

// fields lists an argument's keys for both directions.
func (a *Arg) fields(v mapper) {
	v.text(".name", &a.Name, false)
	v.text(".type_name", &a.TypeName, false)
	v.number(".offset", &a.Offset, true)
	v.number(".size", &a.Size, true)
	kind := string(a.ValueKind)
	v.text(".value_kind", &kind, true)
	a.ValueKind = ValueKind(kind)
	v.text(".address_space", &a.AddressSpace, false)
	v.text(".access", &a.Access, false)
	v.text(".actual_access", &a.ActualAccess, false)
	v.number(".pointee_align", &a.PointeeAlign, false)
	v.flag(".is_const", &a.IsConst)
	v.flag(".is_restrict", &a.IsRestrict)
	v.flag(".is_volatile", &a.IsVolatile)
	v.flag(".is_pipe", &a.IsPipe)
}

// taker sets fields from a parsed map; it keeps the first error.
type taker struct {
	m    map[string]any
	path string
	err  *string
	more func()
}

func (t taker) fail(key, format string, args ...any) {
	if *t.err == "" {
		*t.err = t.path + key + ": " + fmt.Sprintf(format, args...)
	}
}

func (t taker) get(key string, required bool) (any, bool) {
	v, ok := t.m[key]
	if !ok && required {
		t.fail(key, "missing")
	}
	return v, ok
}

func (t taker) text(key string, v *string, required bool) {
	if x, ok := t.get(key, required); ok {
		if *v, ok = x.(string); !ok {
			t.fail(key, "found %s, expected a string", describe(x))
		}
	}
}

func (t taker) number(key string, v *uint64, required bool) {
	if x, ok := t.get(key, required); ok {
		if *v, ok = x.(uint64); !ok {
			t.fail(key, "found %s, expected a non-negative integer", describe(x))
		}
	}
}

func (t taker) flag(key string, v *bool) {
	if x, ok := t.get(key, false); ok {
		if *v, ok = x.(bool); !ok {
			t.fail(key, "found %s, expected true or false", describe(x))
		}
	}
}

// numbers reads a list of numbers.
func (t taker) numbers(key string, v *[]uint64, count int) {
	x, ok := t.get(key, key == "amdhsa.version")
	if !ok {
		return
	}
	l, ok := x.([]any)
	if !ok || count != 0 && len(l) != count {
		t.fail(key, "found %s, expected a list of %d integers", describe(x), count)
		return
	}
	out := make([]uint64, len(l))
	for i, e := range l {
		if out[i], ok = e.(uint64); !ok {
			t.fail(key, "found %s, expected a non-negative integer", describe(e))
		}
	}
	*v = out
}

// texts reads a list of strings.
func (t taker) texts(key string, v *[]string) {
	x, ok := t.get(key, false)
	if !ok {
		return
	}
	l, ok := x.([]any)
	if !ok {
		t.fail(key, "found %s, expected a list of strings", describe(x))
		return
	}
	out := make([]string, len(l))
	for i, e := range l {
		if out[i], ok = e.(string); !ok {
			t.fail(key, "found %s, expected a string", describe(e))
		}
	}
	*v = out
}

// grow is called before list: f makes room for one more entry. Room is made after an entry turns
// out to be valid, so a list of invalid entries uses no memory.
func (t *taker) grow(f func()) { t.more = f }

// list calls each for the maps of a list.
func (t *taker) list(key string, _ int, each func(i int, m mapper)) int {
	x, ok := t.get(key, false)
	if !ok {
		return 0
	}
	l, ok := x.([]any)
	if !ok {
		t.fail(key, "found %s, expected a list of maps", describe(x))
		return 0
	}
	more := t.more
	for i, e := range l {
		m, ok := e.(map[string]any)
		if !ok {
			t.fail(key, "entry %d is %s, expected a map", i, describe(e))
			return 0
		}
		more()
		each(i, &taker{m: m, path: fmt.Sprintf("%s%s[%d]", t.path, key, i), err: t.err})
		if *t.err != "" {
			return 0
		}
	}
	return len(l)
}

// giver makes a map from fields that are required or not zero.
type giver struct{ m map[string]any }

func (g giver) text(key string, v *string, required bool) {
	if required || *v != "" {
		g.m[key] = *v
	}
}

func (g giver) number(key string, v *uint64, required bool) {
	if required || *v != 0 {
		g.m[key] = *v
	}
}

func (g giver) flag(key string, v *bool) {
	if *v {
		g.m[key] = true
	}
}

func (g giver) numbers(key string, v *[]uint64, _ int) {
	if *v != nil {
		l := make([]any, len(*v))
		for i, e := range *v {
			l[i] = e
		}
		g.m[key] = l
	}
}

func (g giver) texts(key string, v *[]string) {
	if *v != nil {
		l := make([]any, len(*v))
		for i, e := range *v {
			l[i] = e
		}
		g.m[key] = l
	}
}

func (g giver) grow(func()) {}

// list makes a list of n maps, which each fills.
func (g giver) list(key string, n int, each func(i int, m mapper)) int {
	if n == 0 && key != "amdhsa.kernels" {
		return 0
	}
	l := make([]any, n)
	for i := range l {
		m := giver{map[string]any{}}
		each(i, m)
		l[i] = m.m
	}
	g.m[key] = l
	return n
}

// describe describes a value for a message.
func describe(x any) string {
	switch x := x.(type) {
	case nil:
		return "nothing"
	case string:
		return fmt.Sprintf("the string %.40q", x)
	case []any:
		return fmt.Sprintf("a list of %d", len(x))
	case map[string]any:
		return "a map"
	case []byte:
		return "binary data"
	}
	return fmt.Sprint(x)
}

// fromTree converts a parsed tree to Metadata.
func fromTree(tree any) (*Metadata, error) {
	top, ok := tree.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("metadata: found %s, expected a map", describe(tree))
	}
	m := &Metadata{tree: top}
	var problem string
	m.fields(&taker{m: top, err: &problem})
	if problem != "" {
		return nil, fmt.Errorf("metadata: %s", problem)
	}
	return m, nil
}

// toTree returns the parsed form: the kept one, or one made from the fields.
func (m *Metadata) toTree() map[string]any {
	if m.tree != nil {
		return m.tree
	}
	g := giver{map[string]any{}}
	m.fields(g)
	return g.m
}

// metadataVersion returns the metadata's version for a version of code objects (AMDGPUUsage).
func metadataVersion(codeObject int) [2]uint64 {
	switch codeObject {
	case 2, 3:
		return [2]uint64{1, 0}
	case 4:
		return [2]uint64{1, 1}
	}
	return [2]uint64{1, 2}
}

// check validates the facts on which launches of the kernels rely.
func (m *Metadata) check(version int, pos diag.Pos) *diag.Diagnostic {
	bad := func(format string, args ...any) *diag.Diagnostic {
		return diag.Errorf(pos, diag.Input, CodeMetadata, "metadata: "+format, args...)
	}
	// Each version of the code object has its version of the metadata. Newer metadata only adds
	// members, and hand-written assembly keeps the old version, so loaders accept it.
	if want := metadataVersion(version); m.Version[0] != want[0] || m.Version[1] > 2 {
		return bad("amdhsa.version is %d.%d, expected %d.%d in code object version %d", m.Version[0], m.Version[1], want[0], want[1], version)
	}
	if m.Target != "" && !strings.HasSuffix(m.Target, "-"+Target) {
		return diag.Errorf(pos, diag.Unsupported, CodeUnsupported, "metadata: amdhsa.target is %.60q, expected one that ends in -%s", m.Target, Target)
	}
	names := make(map[string]bool, len(m.Kernels))
	for i := range m.Kernels {
		k := &m.Kernels[i]
		if names[k.Symbol] {
			return bad("two kernels have the symbol %.60q", k.Symbol)
		}
		names[k.Symbol] = true
		switch {
		case version > 2 && !strings.HasSuffix(k.Symbol, ".kd"):
			return bad("kernel %.60q has the symbol %.60q, expected a name that ends in .kd", k.Name, k.Symbol)
		case k.WavefrontSize != 64:
			return bad("kernel %.60q: .wavefront_size is %d, expected 64", k.Name, k.WavefrontSize)
		case k.KernargSize > math.MaxUint32:
			return bad("kernel %.60q: .kernarg_segment_size %d does not fit 32 bits", k.Name, k.KernargSize)
		case k.KernargAlign == 0 || k.KernargAlign&(k.KernargAlign-1) != 0 || k.KernargAlign > 1<<16:
			return bad("kernel %.60q: .kernarg_segment_align is %d, expected a power of two up to 65536", k.Name, k.KernargAlign)
		}
		for j := range k.Args {
			a := &k.Args[j]
			if a.Size > k.KernargSize || a.Offset > k.KernargSize-a.Size {
				return bad("kernel %.60q, argument %d: %d bytes at offset %d end after .kernarg_segment_size %d", k.Name, j, a.Size, a.Offset, k.KernargSize)
			}
			if !strings.Contains(valueKinds(), " "+string(a.ValueKind)+" ") || strings.Contains(string(a.ValueKind), " ") {
				return diag.Errorf(pos, diag.Unsupported, CodeUnsupported, "metadata: kernel %.60q, argument %d: .value_kind %.60q is not known", k.Name, j, string(a.ValueKind))
			}
		}
	}
	return nil
}
