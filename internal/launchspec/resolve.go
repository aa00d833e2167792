package launchspec

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"

	"example.org/crosslane"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/value"
)

// resolve computes the sizes of a launch that follow other values: those of the block from
// parameters, then the grid, shared memory and the shapes of buffers.
func (l *Spec) resolve(k Kernel) error {
	known := map[string]*big.Rat{}
	names := func(name string) (*big.Rat, error) {
		if v := known[name]; v != nil {
			return v, nil
		}
		return l.parameter(k, name)
	}
	dim := func(what string, d *crosslane.Dim3, by []*Expr) error {
		v := [3]uint64{uint64(d.X), uint64(d.Y), uint64(d.Z)}
		if by != nil {
			v = [3]uint64{1, 1, 1}
		}
		for i, e := range by {
			var err error
			if v[i], err = e.size(names, 1, 1<<31-1); err != nil {
				return usageError("%s: %s", what, err)
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
	if err := dim("block", &l.Block, l.BlockBy); err != nil {
		return err
	}
	if err := dim("grid", &l.Grid, l.GridBy); err != nil {
		return err
	}
	if l.SharedBy != nil {
		n, err := l.SharedBy.size(names, 0, 1<<31)
		if err != nil {
			return usageError("shared: %s", err)
		}
		l.Shared = uint32(n)
	}
	// The launches of a sweep share the arguments as written.
	l.Args, l.Buffers = slices.Clone(l.Args), slices.Clone(l.Buffers)
	for _, list := range [][]Arg{l.Args, l.Buffers} {
		for i := range list {
			if err := list[i].resolve(names); err != nil {
				return usageError("buffer %s: %s", list[i].name, err)
			}
		}
	}
	return nil
}

// resolve computes the shape of a buffer.
func (s *Arg) resolve(names func(string) (*big.Rat, error)) error {
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

// ParamsOf are the parameters that n arguments are for.
func ParamsOf(k Kernel, n int) []crosslane.Param {
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
func (l *Spec) parameter(k Kernel, name string) (*big.Rat, error) {
	at := -1
	for i, p := range ParamsOf(k, len(l.Args)) {
		if p.Name == name {
			at = i
		}
	}
	if m := ArgKey.FindStringSubmatch(name); at < 0 && m != nil {
		n, _ := strconv.Atoi(m[1])
		at = n - 1
	}
	switch {
	case name == "grid" || name == "block":
		return nil, fmt.Errorf("%s is not known here", name)
	case at < 0:
		return nil, fmt.Errorf("there is no parameter %s (a scalar by its name or as arg1, arg2, ...; block, grid)", input.Quoted(name))
	case at >= len(l.Args):
		return nil, fmt.Errorf("the argument %s is not given", name)
	}
	a := &l.Args[at]
	switch a.kind {
	case argScalar:
		if n, err := strconv.ParseInt(a.Text, 0, 64); err == nil {
			return new(big.Rat).SetInt64(n), nil
		}
		if n, err := strconv.ParseUint(a.Text, 0, 64); err == nil {
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

// argKey matches the name of an argument by its number, from 1 on.
var ArgKey = regexp.MustCompile(`^arg([0-9]{1,4})$`)
