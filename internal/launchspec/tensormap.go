package launchspec

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/internal/input"
)

// A tensorSpec is tensormap{&NAME, TYPE, dims=…, box=…, …}: a tensor map as written.
type tensorSpec struct {
	address addressSpec
	m       crosslane.TensorMap
}

// parseTensorMap reads the text between the braces: an address, a type of elements, and named fields. Lists are numbers with an
// x between them, the innermost dimension first: dims=4096x128.
func parseTensorMap(s string) (*tensorSpec, error) {
	parts, err := SplitList(s)
	if err != nil {
		return nil, err
	}
	if len(parts) < 2 {
		return nil, fmt.Errorf("want &NAME, TYPE, dims=AxB, box=AxB and further fields")
	}
	t := &tensorSpec{}
	name, ok := strings.CutPrefix(strings.TrimSpace(parts[0]), "&")
	if !ok {
		return nil, fmt.Errorf("%s is no address: want &NAME, the buffer of the tensor", input.Quoted(parts[0]))
	}
	if t.address, err = parseAddress(name); err != nil {
		return nil, err
	}
	t.m.Elem = strings.TrimSpace(parts[1])
	seen := map[string]bool{}
	for _, part := range parts[2:] {
		key, val, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || seen[key] {
			return nil, fmt.Errorf("%s: want each of dims=, strides=, box=, steps=, swizzle=, fill=, l2=, mode=, lower=, upper=, channels=, pixels= once at most", input.Quoted(part))
		}
		seen[key] = true
		if err := t.set(key, val); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return t, nil
}

// set sets a named field.
func (t *tensorSpec) set(key, val string) (err error) {
	one := func() (n int, err error) {
		l, err := numbers[int](val, 1)
		if err == nil {
			n = l[0]
		}
		return n, err
	}
	const most = 5
	switch key {
	case "dims":
		t.m.Dims, err = numbers[uint64](val, most)
	case "strides":
		t.m.Strides, err = numbers[uint64](val, most)
	case "box":
		t.m.Box, err = numbers[int](val, most)
	case "steps":
		t.m.Steps, err = numbers[int](val, most)
	case "lower":
		t.m.Lower, err = numbers[int](val, most)
	case "upper":
		t.m.Upper, err = numbers[int](val, most)
	case "channels":
		t.m.Channels, err = one()
	case "pixels":
		t.m.Pixels, err = one()
	case "l2":
		val = strings.TrimSuffix(val, "B")
		t.m.L2, err = one()
	case "swizzle":
		t.m.Swizzle = val
	case "mode":
		t.m.Mode = val
	case "fill":
		if t.m.NaN = val == "nan"; !t.m.NaN && val != "zero" {
			err = fmt.Errorf("%s is no fill: want zero or nan", input.Quoted(val))
		}
	default:
		err = fmt.Errorf("no field has this name (known: dims, strides, box, steps, swizzle, fill, l2, mode, lower, upper, channels, pixels)")
	}
	return err
}

// numbers reads at most n numbers with an x between them.
func numbers[T int | uint64](s string, n int) (list []T, err error) {
	parts := strings.Split(s, "x")
	if len(parts) > n {
		return nil, fmt.Errorf("%d numbers, and %d at most", len(parts), n)
	}
	for _, p := range parts {
		v, err := strconv.ParseInt(strings.TrimSpace(p), 10, 48)
		if err != nil || v < 0 && T(0)-1 > 0 {
			return nil, fmt.Errorf("%s is not a number here (want numbers such as 64x32)", input.Quoted(p))
		}
		list = append(list, T(v))
	}
	return list, nil
}

// arg makes the argument.
func (t *tensorSpec) arg(buffers map[string]*crosslane.Buffer) (crosslane.Arg, error) {
	p, err := t.address.pointer(0, buffers)
	if err != nil {
		return nil, err
	}
	m := t.m
	m.Tensor = p
	b := m.Bytes()
	if err := b.Err(); err != nil {
		return nil, err
	}
	return b, nil
}
