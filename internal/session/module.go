// Package session loads files and launches their kernels: it joins the front ends, which lift code,
// to the simulator and its engines, which run it. A Module is a loaded file. A Kernel is prepared in
// variants (lifted, rewritten, compiled), each once. Execute is one launch: it checks the launch,
// binds arguments to memory, chooses the engine, calls sim.Run and completes the findings. The
// packages of the features (verdict, provenance, fix, try) call it with requests of their own.
package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/api"
	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/fatbin"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/names"
	"example.org/crosslane/internal/profile"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/ptx"
)

// maxInput is the largest file that Load takes, in bytes.
const maxInput = 64 << 20

// A Module is a loaded file: PTX text, GCN3 assembly, a GCN3 code object, or a container of them. It
// is safe for concurrent use.
type Module struct {
	file     string
	isa      api.ISA
	kernels  []*Kernel
	index    sync.Once
	byName   map[string]*Kernel // the first of each name, made by named
	warnings diag.List
	ptx      *ptx.Module // nil: not PTX, or several modules of PTX
	linked   *linkedText // nil: not linked from several modules of PTX
	inText   []int       // for linked modules, the line of each warning in the linked text
	modules  []*Module   // those of a container that holds several; see loadFat
	unit     string      // its number in the container: #2
	left     string      // the fat binaries that were not loaded, for the remedy of a missing kernel
	source   string      // GCN3 assembly, else ""
	spare    functions   // for GCN3, and for translation units of PTX
	placer   *objectPlacer
	native   native
}

// A Kernel is one kernel of a module. It is safe for concurrent use.
type Kernel struct {
	m      *Module
	name   string
	unit   string // number of its module if the container has other kernels of the name, else ""
	params []api.Param
	// untyped reports that the file has no metadata: arguments are packed in order.
	untyped  bool
	function bool // it is a function of a translation unit, which no launch can start
	load     func(late bool) (*Prepared, error)
	// loadApart is load with gaps between variables, for checks; nil for GCN3, whose code has no
	// variables.
	loadApart func() (*Prepared, error)
	// withLayout returns the kernel in another layout; nil if its code has none. lay is its layout, moved the last kernel with
	// other windows that LaidOut made, and ranked that for clusters of several blocks.
	withLayout func(ptx.Layout) *Kernel
	lay        ptx.Layout
	moved      atomic.Pointer[movedKernel]
	ranked     atomic.Pointer[Kernel]
	code       func() amdgpu.Code // nil: not GCN3
	origin     func(diag.List)    // adds to diagnostics the source lines of the code
	plain      build
	late       build    // for Launch.Adversarial
	apart      build    // for Check: see prepareApart
	kept       sync.Map // what features keep: see Keep
	variants   sync.Map // the variants that features make: any -> *build; see variant
	waits      waitFixes
}

// build is a kernel translated and compiled in one variant, when it is first needed.
type build struct {
	once  sync.Once
	done  atomic.Bool
	ready *Prepared
	err   error
}

// Prepared is a kernel translated and compiled.
type Prepared struct {
	Fn       *ir.Func
	Checked  *ir.Func    // fn with operations that only checks need
	Prog     sim.Program // the interpreter's program: see compile
	warnings diag.List
	// bind lays out parameters and memory of one launch.
	bind     func(l *Launch, s *sim.Launch, mem *Memory) error
	wide     bool // 64-bit addresses
	Track    bool // fn keeps the undefined bits of values and memory
	Races    bool // fn reports its accesses to memory
	fidelity []api.Fidelity
	globals  []*ptx.Global // PTX: the variables that the kernel uses
	PTX      *ptx.Kernel   // PTX only
	Target   ptx.Target    // PTX only
	// counts gives the meaning of the Record operations of fn if fn is made for a Profile.
	counts *profile.Plan
	// Watch sees a launch before it runs; may be nil.
	Watch func(mem *Memory, s *sim.Launch)
	// Origin adds to findings the source lines of their instructions; may be nil.
	Origin func(diag.List)
}

// LoadFile is crosslane.LoadFile.
func LoadFile(path string) (*Module, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, diag.List{diag.Errorf(diag.Pos{}, diag.Input, "io", "%v", err)}
	}
	return LoadWith(data, path, api.LoadOptions{Include: IncludeFrom(filepath.Dir(path))})
}

// readFile reads one byte more than Load accepts at most, so that Load can refuse a file that is
// too large.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxInput+1))
}

// byteOrderMark is written by some editors before UTF-8 text. It has no meaning.
const byteOrderMark = "\ufeff"

// Load is crosslane.Load.
func Load(data []byte, file string, isa api.ISA) (*Module, error) {
	return LoadWith(data, file, api.LoadOptions{ISA: isa})
}

// LoadWith is Load with options.
func LoadWith(data []byte, file string, o api.LoadOptions) (*Module, error) {
	isa := o.ISA
	if len(data) > maxInput {
		return nil, diag.List{diag.Errorf(diag.Pos{File: file}, diag.Input, "too-large", "the file has %d bytes; at most %d are accepted", len(data), maxInput)}
	}
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	whole := data
	if !codeobject.IsELF(data) && !codeobject.IsBundle(data) && !fatbin.Is(data) {
		data = data[:ptx.TextEnd(data)]
		if text, err := listed(data, file); err != nil {
			return nil, err
		} else if text != nil {
			data, isa = text, api.PTX
		}
	}
	told := isa != api.Auto
	if !told {
		isa = Detect(data)
	}
	if isa != api.PTX {
		if err := foreign(whole, file); err != nil {
			return nil, err
		}
	}
	switch {
	case isa == api.PTX && IsFat(whole):
		return loadFat(whole, file, o)
	case isa == api.PTX && o.Unit:
		return loadUnit(data, file)
	case isa == api.PTX:
		return loadPTX(data, file)
	case codeobject.IsBundle(data):
		return loadBundle(data, file)
	case codeobject.IsELF(data):
		return loadObject(data, file)
	case isa == api.GCN3:
		m, err := loadAssembly(data, file, o)
		if err != nil && !told {
			if other := inOtherLanguage(data, file); other != nil {
				return nil, other
			}
		}
		return m, err
	}
	return nil, unknownKind(file)
}

// Detect looks for a beginning that only one of the kinds has.
func Detect(data []byte) api.ISA {
	if IsFat(data) {
		return api.PTX
	}
	if codeobject.IsELF(data) || codeobject.IsBundle(data) {
		return api.GCN3
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return api.Auto
	}
	rest := data
	block := false
	for len(rest) > 0 {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		s := strings.TrimSpace(string(line))
		for block || strings.HasPrefix(s, "/*") {
			_, after, closed := strings.Cut(strings.TrimPrefix(s, "/*"), "*/")
			if block = !closed; block {
				break
			}
			s = strings.TrimSpace(after)
		}
		switch {
		case block:
		case s == "" || strings.HasPrefix(s, "//") || strings.HasPrefix(s, ";") || strings.HasPrefix(s, "#"):
		case ptxStart(s):
			return api.PTX
		default:
			return api.GCN3
		}
	}
	return api.Auto
}

// ptxStart reports whether a line begins with a directive that only PTX has. A file without
// .version then gets the message that it lacks one.
func ptxStart(line string) bool {
	for _, d := range [...]string{".version", ".target", ".address_size", ".visible", ".entry", ".func"} {
		if rest, ok := strings.CutPrefix(line, d); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '/') {
			return true
		}
	}
	return false
}

// ISA returns the module's instruction set.
func (m *Module) ISA() api.ISA { return m.isa }

// File returns the name under which the module was loaded.
func (m *Module) File() string { return m.file }

// Warnings returns the remarks of loading, none of which is an error.
func (m *Module) Warnings() diag.List { return m.warnings }

// Kernels returns the kernels in the order of the file.
func (m *Module) Kernels() []*Kernel { return m.kernels }

// Kernel returns a kernel by its Selector, by its name, mangled or demangled, or by a text in either
// name that only one kernel has; "" is allowed if the module has one kernel.
func (m *Module) Kernel(name string) (*Kernel, error) {
	if k := m.named(name); k != nil {
		return k, nil
	}
	if name == "" && len(m.kernels) == 1 {
		return m.kernels[0], nil
	}
	found := m.resembling(name)
	if len(found) == 1 {
		return found[0], nil
	}
	d := diag.Errorf(diag.Pos{File: m.file}, diag.Input, "no-such-kernel", "there is no kernel %q", name)
	switch {
	case len(m.kernels) == 0:
		d.Message = "the file has no kernel"
		d.Remedy = "PTX kernels are .entry functions; GCN3 kernels have an .amdhsa_kernel block" + m.left
	case name == "":
		d.Message = fmt.Sprintf("the file has %d kernels: name one of them", len(m.kernels))
		d.Remedy = "the file has " + kernelNames(m.kernels)
	case len(found) > 1:
		d.Message = fmt.Sprintf("%d kernels have %q in their names: name one of them", len(found), name)
		d.Remedy = "these are " + kernelNames(found)
	default:
		d.Remedy = "the file has " + kernelNames(m.kernels) + m.left
	}
	return nil, diag.List{d}
}

// resembling returns the kernels that a text may name: those whose demangled name equals it, with
// or without the types of parameters, else those whose name contains it.
func (m *Module) resembling(name string) (found []*Kernel) {
	if name == "" {
		return nil
	}
	unit := ""
	if first, rest, ok := strings.Cut(name, ":"); ok && strings.HasPrefix(first, "#") {
		unit, name = first, rest
	}
	is := []func(k *Kernel) bool{
		func(k *Kernel) bool { return k.name == name },
		func(k *Kernel) bool { return names.Full(k.name) == name },
		func(k *Kernel) bool { return names.Short(k.name) == name },
		func(k *Kernel) bool {
			return strings.Contains(k.name, name) || strings.Contains(names.Full(k.name), name)
		},
	}
	for _, is := range is {
		for _, k := range m.kernels {
			if (unit == "" || k.m.unit == unit) && is(k) {
				found = append(found, k)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// maxNamed is how many kernels a message names.
const maxNamed = 20

func kernelNames(list []*Kernel) string {
	var all []string
	for i, k := range list {
		if i == maxNamed {
			all = append(all, fmt.Sprintf("and %d more", len(list)-maxNamed))
			break
		}
		all = append(all, k.prefix()+names.Full(k.name))
	}
	return strings.Join(all, ", ")
}

// PTX is the tree of PTX text; nil for GCN3, and for a container of several modules.
func (m *Module) PTX() *ptx.Module { return m.ptx }

// Modules returns the modules of a container; of another file the module itself.
func (m *Module) Modules() []*Module {
	if m.modules == nil {
		return []*Module{m}
	}
	return m.modules
}

// Source is the text of GCN3 assembly; "" for other files.
func (m *Module) Source() string { return m.source }

// Functions returns the functions of a GCN3 file that no kernel calls, in the order of their
// addresses, or those of a translation unit of PTX that other units may call (api.LoadOptions.Unit). They
// can be checked without a launch, but not launched.
func (m *Module) Functions() []*Kernel { return m.spare.of(m) }

// named is the first kernel with that Selector, or nil: files may have a hundred thousand.
func (m *Module) named(name string) *Kernel {
	m.index.Do(func() {
		m.byName = make(map[string]*Kernel, len(m.kernels))
		for _, k := range m.kernels {
			if name := k.Selector(); m.byName[name] == nil {
				m.byName[name] = k
			}
		}
	})
	return m.byName[name]
}

// Selector is the name by which Module.Kernel finds the kernel: its Name, or #2:scan for the kernel
// scan of the second fat binary if another one has a kernel of the same name.
func (k *Kernel) Selector() string { return k.prefix() + k.name }

// prefix is the text of a Selector before the name.
func (k *Kernel) prefix() string {
	if k.unit == "" {
		return ""
	}
	return k.unit + ":"
}

// Module is the module of the kernel.
func (k *Kernel) Module() *Module { return k.m }

// Code is the code of a GCN3 kernel, for checks of all paths.
func (k *Kernel) Code() amdgpu.Code { return k.code() }

// AddOrigins adds to diagnostics the source lines of the code that they are about.
func (k *Kernel) AddOrigins(list diag.List) { k.origin(list) }

// Name returns the kernel's name.
func (k *Kernel) Name() string { return k.name }

// Warnings returns those of the module's warnings that are not in the text of another kernel.
func (k *Kernel) Warnings() diag.List {
	if k.m.ptx == nil || len(k.m.warnings) == 0 {
		return k.m.warnings
	}
	var others []*ptx.Func // in the order of their lines
	for _, it := range k.m.ptx.Items {
		if f, ok := it.(*ptx.Func); ok && f.Entry && f.Defined() && f.Name != k.name {
			others = append(others, f)
		}
	}
	var list diag.List
	for n, d := range k.m.warnings {
		line := d.Pos.Line
		if k.m.linked != nil {
			line = k.m.inText[n]
		}
		i, found := slices.BinarySearchFunc(others, line, func(f *ptx.Func, line int) int { return cmp.Compare(int(f.Pos.Line), line) })
		if !found && (i == 0 || line > int(others[i-1].End.Line)) {
			list = append(list, d)
		}
	}
	return list
}

// Lines returns the first and the last line of a PTX kernel's text; 0, 0 for GCN3, and for a kernel
// that was linked and is not in the first module.
func (k *Kernel) Lines() (from, to int) {
	if k.m.ptx == nil {
		return 0, 0
	}
	f := k.m.ptx.Func(k.name)
	file, from := k.m.SourceLine(int(f.Pos.Line))
	if file != k.m.file {
		return 0, 0
	}
	_, to = k.m.SourceLine(int(f.End.Line))
	return from, to
}

// Params returns the kernel's parameters that the caller passes.
func (k *Kernel) Params() []api.Param { return k.params }

// Prepare translates and compiles the kernel, once; late is Launch.Adversarial.
func (k *Kernel) Prepare(late bool) (*Prepared, error) {
	b := &k.plain
	if late {
		p, err := k.Prepare(false)
		if err != nil || p.Fn.NewObserver == nil && k.m.isa == api.GCN3 {
			return p, err // no result can be late
		}
		b = &k.late
		if k.m.isa == api.PTX {
			b.once.Do(func() {
				b.ready = p
				if fn := p.Fn.Delayed(); fn != p.Fn {
					b.ready, b.err = k.WithCode(p, fn)
				}
				b.done.Store(true)
			})
			return b.ready, b.err
		}
	}
	b.once.Do(func() {
		b.ready, b.err = k.load(late)
		b.err = k.finishBuild(b.ready, b.err)
		b.done.Store(true)
	})
	return b.ready, b.err
}

// glance is prepare(false) for a query about every kernel of a module: for a large module it keeps
// nothing.
func (k *Kernel) glance() (*Prepared, error) {
	if k.m.ptx == nil || !k.m.ptx.Large() || k.plain.done.Load() {
		return k.Prepare(false)
	}
	p, err := k.load(false)
	return p, k.finishBuild(p, err)
}

// PrepareApart is prepare for checks: with gaps between the variables of shared and private memory,
// if there are several.
func (k *Kernel) PrepareApart() (*Prepared, error) {
	p, err := k.Prepare(false)
	if err != nil || k.loadApart == nil || len(p.Fn.SharedVars) < 2 && p.Fn.LocalSize == 0 {
		return p, err
	}
	b := &k.apart
	b.once.Do(func() {
		b.ready, b.err = k.loadApart()
		if b.err == nil && b.ready.Fn.Apart == nil {
			b.ready = p // the variables are apart already
			return
		}
		b.err = k.finishBuild(b.ready, b.err)
	})
	return b.ready, b.err
}

// Variant is the kernel in a variant that a feature makes from another one, once for each key.
func (k *Kernel) Variant(key any, make func() (*Prepared, error)) (*Prepared, error) {
	v, _ := k.variants.LoadOrStore(key, new(build))
	b := v.(*build)
	b.once.Do(func() { b.ready, b.err = make() })
	return b.ready, b.err
}

// Keep returns what a feature keeps for the kernel under a key. make makes it at the first use.
func (k *Kernel) Keep(key any, make func() any) any {
	if v, ok := k.kept.Load(key); ok {
		return v
	}
	v, _ := k.kept.LoadOrStore(key, make())
	return v
}

// WithCode is a kernel that is prepared already, with its function in another form, compiled.
func (k *Kernel) WithCode(p *Prepared, fn *ir.Func) (*Prepared, error) {
	out := *p
	out.Fn = fn
	var err error
	if out.Prog, err = Compile(fn); err != nil {
		return nil, diag.List{diag.Errorf(diag.Pos{File: k.m.file}, diag.Unsupported, "unsupported", "%s: %v", k.name, err)}
	}
	return &out, nil
}

// finishBuild makes a translated kernel ready to run, if there is no error.
func (k *Kernel) finishBuild(p *Prepared, err error) error {
	if err != nil {
		return err
	}
	p.Fn.FoldConstants()
	p.Fn.Converge()
	p.Checked, p.Fn = p.Fn, p.Fn.Unchecked()
	if p.Prog, err = Compile(p.Fn); err != nil {
		return diag.List{diag.Errorf(diag.Pos{File: k.m.file}, diag.Unsupported, "unsupported", "%s: %v", k.name, err)}
	}
	return nil
}

// loadPTX parses and checks PTX text.
func loadPTX(data []byte, file string) (*Module, error) { return loadText(string(data), file, nil) }

// loadText parses and checks PTX text. linked is nil if the text is that of the file.
func loadText(text, file string, linked *linkedText) (*Module, error) {
	name := file
	if linked != nil {
		name = linked.name
	}
	pm, list := ptx.Load(name, text)
	ptx.Suggest(pm, list)
	m := &Module{file: file, isa: api.PTX, warnings: list, ptx: pm, linked: linked}
	if linked != nil {
		for _, d := range list {
			m.inText = append(m.inText, d.Pos.Line)
		}
		linked.translate(list)
	}
	if err := list.Err(); err != nil {
		return nil, err
	}
	from := &origins{}
	for _, f := range pm.Entries() {
		k := &Kernel{m: m, name: f.Name}
		params, _ := f.ParamLayout()
		mentioned := f.Mentioned()
		for _, p := range params {
			out := ptxParam(&p)
			if out.Unread = !mentioned[p.Var]; p.Var.Hidden {
				out.Hidden = "a parameter that the compiler's runtime passes"
			}
			k.params = append(k.params, out)
		}
		markScratch(pm, f, k.params)
		k.loadsFrom(pm, from, ptx.Layout{})
		m.kernels = append(m.kernels, k)
	}
	return m, nil
}

// loadsFrom sets the origin of a PTX kernel, and its layout.
func (k *Kernel) loadsFrom(pm *ptx.Module, from *origins, lay ptx.Layout) {
	k.lay = lay
	k.origin = func(l diag.List) { from.tell(pm, k.m.linked, l) }
	load := func(apart bool) (*Prepared, error) {
		lay := lay
		lay.Apart = apart
		p, err := preparePTX(pm, k, lay)
		if p != nil {
			p.Origin = k.origin
			k.m.Translate(p.warnings)
		}
		k.m.Translate(diag.Of(err))
		return p, err
	}
	k.load = func(bool) (*Prepared, error) { return load(false) }
	k.loadApart = func() (*Prepared, error) { return load(true) }
	if pm.AddressSize == 64 {
		k.withLayout = func(lay ptx.Layout) *Kernel {
			moved := &Kernel{m: k.m, name: k.name, unit: k.unit, params: k.params, untyped: k.untyped}
			moved.loadsFrom(pm, from, lay)
			return moved
		}
	}
}

// LaidOut is the kernel in the layout of a launch. In a launch with clusters of several blocks, addresses of shared memory have the
// rank of their block. The seed of a random schedule decides where the windows of generic addresses are, if the code depends on
// that; a repetition in another order keeps the layout.
func (k *Kernel) LaidOut(l *api.Launch) *Kernel {
	if k.withLayout == nil {
		return k
	}
	if p, err := k.Prepare(false); err == nil && !k.lay.Clusters {
		if c := k.clusterOf(p.Fn, l); c[0] > 1 || c[1] > 1 || c[2] > 1 {
			r := k.ranked.Load()
			if r == nil {
				lay := k.lay
				lay.Clusters = true
				k.ranked.CompareAndSwap(nil, k.withLayout(lay))
				r = k.ranked.Load()
			}
			k = r
		}
	}
	order, err := orderOf(l.Schedule)
	if err != nil || !order.Random {
		return k
	}
	if p, err := k.Prepare(false); err != nil || !p.PTX.Windowed {
		return k
	}
	if m := k.moved.Load(); m != nil && m.seed == order.Seed {
		return m.Kernel
	}
	lay := k.lay
	lay.Windows = ir.RandomWindows(order.Seed)
	m := &movedKernel{k.withLayout(lay), order.Seed}
	k.moved.Store(m)
	return m.Kernel
}

// movedKernel is a kernel in the layout of a seed.
type movedKernel struct {
	*Kernel
	seed uint64
}

func ptxParam(p *ptx.Param) api.Param {
	out := api.Param{Name: p.Var.Name, Offset: int(p.Offset), Size: int(p.Size), Kind: api.ParamScalar}
	switch {
	case p.Var.Ptr:
		out.Kind = api.ParamPointer
	case len(p.Var.Dims) > 0 || p.Var.Vec > 1:
		out.Kind = api.ParamBytes
	default:
		if t := api.ElemType(p.Var.Type.String()); t.Size() > 0 {
			out.Type = t
		}
	}
	return out
}

// Run is crosslane.Kernel.Run.
func (k *Kernel) Run(ctx context.Context, l api.Launch) (*api.Result, error) {
	return k.RunOn(ctx, Launch{Launch: l})
}

// RunOn is Run of a launch that may be in memory that outlives it.
func (k *Kernel) RunOn(ctx context.Context, l Launch) (*api.Result, error) {
	k = k.LaidOut(&l.Launch)
	p, err := k.Prepare(l.Adversarial)
	if err != nil {
		return nil, err
	}
	if l.Profile {
		if p, err = k.Profiled(p); err != nil {
			return nil, err
		}
	}
	return k.Execute(ctx, p, l)
}

// Ended is the error of a context that has ended during a task; nil: the context goes on. A limit
// of 0 is not mentioned.
func (k *Kernel) Ended(ctx context.Context, doing string, limit time.Duration, remedy string) error {
	if ctx.Err() == nil {
		return nil
	}
	d := diag.Errorf(diag.Pos{File: k.m.file}, diag.Timeout, sim.CodeCancelled, "the run was cancelled while %s", doing)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		of := ""
		if limit > 0 {
			of = fmt.Sprintf(" of %v", limit)
		}
		d.Code, d.Message, d.Remedy = sim.CodeTimeout, fmt.Sprintf("the time limit%s was reached while %s", of, doing), remedy
	}
	d.Kernel = k.name
	return diag.List{d}
}
