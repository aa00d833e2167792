package cli

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"example.org/crosslane"
	"example.org/crosslane/internal/value"
)

// resolve computes the sizes of a launch that follow other values: those of the block from
// parameters, then the grid, shared memory and the shapes of buffers.
func (l *launchSpec) resolve(k kernel) error {
	known := map[string]*big.Rat{}
	names := func(name string) (*big.Rat, error) {
		if v := known[name]; v != nil {
			return v, nil
		}
		return l.parameter(k, name)
	}
	dim := func(what string, d *crosslane.Dim3, by []*expr) error {
		v := [3]uint64{uint64(d.X), uint64(d.Y), uint64(d.Z)}
		if by != nil {
			v = [3]uint64{1, 1, 1}
		}
		for i, e := range by {
			var err error
			if v[i], err = e.size(names, 1, 1<<31-1); err != nil {
				return usage("%s: %s", what, err)
			}
		}
		all := big.NewInt(1)
		for i, n := range v {
			one := new(big.Int).SetUint64(max(n, 1))
			all.Mul(all, one)
			known[what+"."+"xyz"[i:i+1]] = new(big.Rat).SetInt(one)
		}
		known[what] = new(big.Rat).SetInt(all)
		*d = crosslane.Dim3{X: uint32(v[0]), Y: uint32(v[1]), Z: uint32(v[2])}
		return nil
	}
	if err := dim("block", &l.block, l.blockBy); err != nil {
		return err
	}
	if err := dim("grid", &l.grid, l.gridBy); err != nil {
		return err
	}
	if l.sharedBy != nil {
		n, err := l.sharedBy.size(names, 0, 1<<31)
		if err != nil {
			return usage("shared: %s", err)
		}
		l.shared = uint32(n)
	}
	// The launches of a sweep share the arguments as written.
	l.args, l.buffers = slices.Clone(l.args), slices.Clone(l.buffers)
	for _, list := range [][]argSpec{l.args, l.buffers} {
		for i := range list {
			if err := list[i].resolve(names); err != nil {
				return usage("buffer %s: %s", list[i].name, err)
			}
		}
	}
	return nil
}

// resolve computes the shape of a buffer.
func (s *argSpec) resolve(names func(string) (*big.Rat, error)) error {
	if s.shapeBy == nil {
		return nil
	}
	s.shape = nil
	total := uint64(1)
	for _, e := range s.shapeBy {
		n, err := e.size(names, 0, maxElems)
		if err != nil {
			return err
		}
		if n > maxElems/total {
			return fmt.Errorf("its size exceeds any memory")
		}
		total *= max(n, 1)
		s.shape = append(s.shape, int(n))
	}
	return nil
}

// paramsOf are the parameters that n arguments are for.
func paramsOf(k kernel, n int) []crosslane.Param {
	all := k.Params()
	if n == len(all) {
		return all
	}
	given := slices.DeleteFunc(slices.Clone(all), func(p crosslane.Param) bool {
		return p.Hidden != "" || p.Kind == crosslane.ParamBytes && p.Size == 1 && p.Unread
	})
	if n == len(given) {
		return given
	}
	return all
}

// parameter is the value of a scalar argument, by the parameter's name or as argN.
func (l *launchSpec) parameter(k kernel, name string) (*big.Rat, error) {
	at := -1
	for i, p := range paramsOf(k, len(l.args)) {
		if p.Name == name {
			at = i
		}
	}
	if m := argKey.FindStringSubmatch(name); at < 0 && m != nil {
		n, _ := strconv.Atoi(m[1])
		at = n - 1
	}
	switch {
	case name == "grid" || name == "block":
		return nil, fmt.Errorf("%s is not known here", name)
	case at < 0:
		return nil, fmt.Errorf("there is no parameter %s (a scalar by its name or as arg1, arg2, ...; block, grid)", quoted(name))
	case at >= len(l.args):
		return nil, fmt.Errorf("the argument %s is not given", name)
	}
	a := &l.args[at]
	switch a.kind {
	case argScalar:
		if n, err := strconv.ParseInt(a.text, 0, 64); err == nil {
			return new(big.Rat).SetInt64(n), nil
		}
		if n, err := strconv.ParseUint(a.text, 0, 64); err == nil {
			return new(big.Rat).SetInt(new(big.Int).SetUint64(n)), nil
		}
	case argTyped:
		if a.typ.Kind() != value.Float {
			if v, ok := new(big.Rat).SetString(value.Format(a.typ, a.bits)); ok {
				return v, nil
			}
		}
	}
	return nil, fmt.Errorf("the argument %s is no integer", name)
}
