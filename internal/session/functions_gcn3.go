package session

import (
	"cmp"
	"slices"
	"sync"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
)

// functions are those of a GCN3 file that no kernel calls: clang writes the body of an OpenCL
// kernel twice, once for calls. Of a translation unit of PTX they are those that other units may call.
type functions struct {
	o     *codeobject.Object // nil: not GCN3
	alone bool               // the file is a translation unit of PTX
	lines lineTable
	once  sync.Once
	list  []*Kernel
}

func (f *functions) of(m *Module) []*Kernel {
	f.once.Do(func() {
		if f.o != nil {
			f.list = f.find(m, false)
		}
	})
	return f.list
}

// Snippet is the code of a file without kernels and functions: from its start, and from labels that
// no earlier code reaches.
func (m *Module) Snippet() []*Kernel {
	if m.spare.o == nil {
		return nil
	}
	return m.spare.find(m, true)
}

// find takes the functions that no kernel and no other function reaches; of those that reach each
// other it takes the first one.
func (f *functions) find(m *Module, labels bool) (list []*Kernel) {
	known := map[uint64]bool{}
	for i := range f.o.Kernels {
		known[f.o.Kernels[i].Entry] = true
	}
	type function struct {
		k     *Kernel
		entry uint64
		goes  map[uint64]bool
	}
	var all []*function
	at, text := f.o.Text()
	add := func(name string, addr uint64) {
		if !known[addr] && addr >= at && addr-at < uint64(len(text)) && addr%4 == 0 {
			known[addr] = true
			all = append(all, &function{k: f.function(m, name, addr), entry: addr})
		}
	}
	for i := range f.o.Symbols {
		if s := &f.o.Symbols[i]; s.Type == 2 || labels && s.Type == 0 && s.Defined() && !s.Absolute { // STT_FUNC, STT_NOTYPE
			add(s.Name, s.Addr)
		}
	}
	if labels {
		add("the code", at)
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b *function) int { return cmp.Compare(a.entry, b.entry) })
	called := map[uint64]bool{}
	reach := func(k *Kernel, entry uint64) map[uint64]bool {
		goes := map[uint64]bool{}
		base, _ := f.o.Code(entry)
		offs, _ := amdgpu.Reached(k.code()) // the check of the function reports the error
		for _, off := range offs {
			goes[base+uint64(off)] = true
		}
		return goes
	}
	for i, k := range m.kernels {
		for addr := range reach(k, f.o.Kernels[i].Entry) {
			called[addr] = true
		}
	}
	all = slices.DeleteFunc(all, func(x *function) bool { return called[x.entry] })
	for _, x := range all {
		x.goes = reach(x.k, x.entry)
	}
	take := func(x *function) {
		list = append(list, x.k)
		for addr := range x.goes {
			called[addr] = true
		}
	}
	for _, x := range all {
		if !slices.ContainsFunc(all, func(y *function) bool { return y != x && y.goes[x.entry] }) {
			take(x)
		}
	}
	for _, x := range all {
		if !called[x.entry] {
			take(x)
		}
	}
	return list
}

// function makes a kernel for checks from the function at an address.
func (f *functions) function(m *Module, name string, entry uint64) *Kernel {
	k := &Kernel{m: m, name: name}
	ok := &codeobject.Kernel{Name: name, Entry: entry}
	from := &objectOrigins{o: f.o}
	k.origin = func(l diag.List) { from.tell(ok, l) }
	k.load = func(bool) (*Prepared, error) {
		return nil, diag.List{k.Errorf("no-such-kernel", "%s is a function, and no kernel", name)}
	}
	k.code = func() amdgpu.Code {
		code := kernelCode(f.o, ok, m.file, f.lines)
		code.Function, code.OneWave = true, len(f.o.Kernels) > 0
		for i := range f.o.Kernels {
			code.OneWave = code.OneWave && oneWave(&f.o.Kernels[i])
		}
		return code
	}
	return k
}
