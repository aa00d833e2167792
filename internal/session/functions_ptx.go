package session

import (
	"example.org/crosslane/diag"
	"example.org/crosslane/ptx"
)

// loadUnit loads a translation unit: see api.LoadOptions.Unit.
func loadUnit(data []byte, file string) (*Module, error) {
	m, err := loadPTX(data, file)
	if err != nil {
		return nil, err
	}
	m.spare.alone = true
	from := &origins{}
	m.spare.once.Do(func() {
		for _, f := range ptx.UnitFunctions(m.ptx) {
			k := &Kernel{m: m, name: f.Name, function: true}
			k.origin = func(l diag.List) { from.tell(m.ptx, nil, l) }
			k.load = func(bool) (*Prepared, error) {
				return nil, diag.List{k.Errorf("no-such-kernel", "%s is a function, and no kernel", f.Name)}
			}
			m.spare.list = append(m.spare.list, k)
		}
	})
	return m, nil
}

// LiftStatic translates a PTX kernel, or a function of a translation unit, for checks of all paths.
// The code is new: the changes that a run makes to code would be in the way.
func (k *Kernel) LiftStatic() (*ptx.Kernel, error) {
	if k.m.spare.alone {
		return ptx.LiftUnit(k.m.ptx, k.m.ptx.Func(k.name))
	}
	return ptx.Lift(k.m.ptx, k.name)
}

// Function reports whether k is a function, which no launch can start.
func (k *Kernel) Function() bool { return k.function }
