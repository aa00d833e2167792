package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
)

// maxLaunches is the most launches of a sweep.
const maxLaunches = 10_000

// A sweep is launches that differ in the values of some axes: all combinations.
type sweep struct{ axes []axis }

// An axis is a choice that differs between launches, and its values as written.
type axis struct {
	key    string // block, grid, schedule, or the parameter's name as given
	kind   axisKind
	arg    int // for axisArg: index of the argument
	values []string
}

type axisKind uint8

const (
	axisBlock axisKind = iota
	axisGrid
	axisShared
	axisSchedule
	axisArg
)

// defaultBlocks are the block sizes that find most: around the sizes of waves, one
// that is no multiple of anything, and several waves.
var defaultBlocks = [...]string{"1", "31", "32", "33", "48", "63", "64", "65", "96"}

// bareSweep lets --sweep stand without a value: the next word is not one if it does not begin with
// KEY=. It makes no nil of args, which would mean os.Args.
func bareSweep(args []string) []string {
	out := append([]string{}, args...)
	if len(out) == 0 || out[0] != "check" {
		return out
	}
	for i := 1; i < len(out) && out[i] != "--"; i++ {
		if out[i] == "--sweep" && (i+1 == len(out) || !sweepKey.MatchString(out[i+1])) {
			out[i] = "--sweep=block="
		}
	}
	return out
}

var (
	sweepKey = regexp.MustCompile(`^[A-Za-z_$%.][\w$%.]*=`)
	rangeOf  = regexp.MustCompile(`^(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})(?:\.\.([0-9]{1,18}))?$`)
	sizeForm = regexp.MustCompile(`^[0-9]+(x[0-9]+){0,2}$`)
)

// parseSweep reads KEY=VALUES;KEY=VALUES for a kernel that is given so many arguments.
func parseSweep(texts []string, k kernel, args int) (*sweep, error) {
	s := &sweep{}
	for _, text := range texts {
		for _, part := range strings.Split(text, ";") {
			if strings.TrimSpace(part) == "" {
				continue
			}
			key, list, ok := strings.Cut(strings.TrimSpace(part), "=")
			if !ok {
				return nil, usage("--sweep must be KEY=VALUES, found %s", input.Quoted(part))
			}
			a, err := parseAxis(key, list, k, args)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(s.axes, func(b axis) bool { return a.kind == b.kind && a.arg == b.arg }) {
				return nil, usage("--sweep: %s stands twice", key)
			}
			s.axes = append(s.axes, a)
		}
	}
	n := 1
	for _, a := range s.axes {
		if n *= len(a.values); n > maxLaunches {
			return nil, usage("--sweep: more than %d launches, the limit; take fewer values", maxLaunches)
		}
	}
	return s, nil
}

func parseAxis(key, list string, k kernel, args int) (axis, error) {
	a := axis{key: key}
	switch m := launchspec.ArgKey.FindStringSubmatch(key); {
	case key == "block":
		a.kind = axisBlock
	case key == "grid":
		a.kind = axisGrid
	case key == "shared":
		a.kind = axisShared
	case key == "schedule":
		a.kind = axisSchedule
	default:
		a.kind, a.arg = axisArg, -1
		params := launchspec.ParamsOf(k, args)
		for i := range params {
			if params[i].Name == key {
				a.arg = i
			}
		}
		if a.arg < 0 && m != nil {
			n, _ := strconv.Atoi(m[1])
			a.arg = n - 1
		}
		if a.arg < 0 {
			var names []string
			for i := range params {
				if params[i].Name != "" {
					names = append(names, params[i].Name)
				}
			}
			d := diag.Errorf(diag.Pos{}, diag.Input, "usage", "--sweep: there is no parameter %s", input.Quoted(key))
			d.Remedy = strings.Join(append([]string{"the keys are block, grid, shared, schedule, arg1, arg2 and so on"}, names...), ", ")
			return a, d
		}
	}
	if a.kind == axisBlock && list == "" {
		return defaultAxis(a, k)
	}
	values, err := launchspec.SplitList(list)
	if err != nil {
		return a, usage("--sweep %s: %s", key, err)
	}
	for _, v := range values {
		if err := a.add(strings.TrimSpace(v)); err != nil {
			return a, err
		}
	}
	return a, a.checkNames(launchspec.ParamsOf(k, args))
}

// checkNames refuses expressions with names that there are not, before a launch is made.
func (a *axis) checkNames(params []crosslane.Param) error {
	if a.kind != axisBlock && a.kind != axisGrid && a.kind != axisShared {
		return nil
	}
	for _, v := range a.values {
		e, err := launchspec.ParseExpr(v)
		if err != nil || sizeForm.MatchString(v) {
			continue
		}
		for _, name := range e.Names() {
			what, _, _ := strings.Cut(name, ".")
			known := launchspec.ArgKey.MatchString(name) || what == "block" || what == "grid" ||
				slices.ContainsFunc(params, func(p crosslane.Param) bool { return p.Name == name })
			if !known {
				return usage("--sweep %s: want numbers such as 64 or 16x16, ranges such as 1..32 or 32..256..32, or expressions such as ceil(n/block) of parameters and the block, found %s", a.key, input.Quoted(v))
			}
		}
	}
	return nil
}

// defaultAxis takes the default block sizes that the kernel's directives allow.
func defaultAxis(a axis, k kernel) (axis, error) {
	req, most, err := k.BlockLimits()
	if err != nil {
		return a, err
	}
	if req.X != 0 {
		a.values = []string{fmt.Sprintf("%dx%dx%d", req.X, max(req.Y, 1), max(req.Z, 1))}
		return a, nil
	}
	for _, v := range defaultBlocks {
		if n, _ := strconv.Atoi(v); n <= int(most) {
			a.values = append(a.values, v)
		}
	}
	return a, nil
}

// add takes one value or range of values.
func (a *axis) add(v string) error {
	prefix, text := "", v
	if a.kind == axisSchedule {
		if rest, ok := strings.CutPrefix(v, "random:"); ok {
			prefix, text = "random:", rest
		}
	}
	if m := rangeOf.FindStringSubmatch(text); m != nil {
		lo, _ := strconv.ParseInt(m[1], 10, 64)
		hi, _ := strconv.ParseInt(m[2], 10, 64)
		step := int64(1)
		if m[3] != "" {
			step, _ = strconv.ParseInt(m[3], 10, 64)
		}
		if hi < lo || step == 0 || (hi-lo)/step >= maxLaunches {
			return usage("--sweep %s: the range %s is empty or has more than %d values", a.key, input.Quoted(v), maxLaunches)
		}
		for ; lo <= hi; lo += step {
			if err := a.add(prefix + strconv.FormatInt(lo, 10)); err != nil {
				return err
			}
		}
		return nil
	}
	switch a.kind {
	case axisBlock, axisGrid:
		if !sizeForm.MatchString(v) {
			if _, err := launchspec.ParseExpr(v); err != nil || strings.IndexFunc(v, unicode.IsLetter) < 0 {
				return usage("--sweep %s: want numbers such as 64 or 16x16, ranges such as 1..32 or 32..256..32, or expressions such as ceil(n/block), found %s", a.key, input.Quoted(v))
			}
		} else if _, err := launchspec.ParseDim("--sweep "+a.key, strings.ReplaceAll(v, "x", ",")); err != nil {
			return err
		}
	case axisShared:
		if _, err := launchspec.ParseExpr(v); err != nil {
			return usage("--sweep shared: want numbers of bytes or expressions such as 4*block: %s", err)
		}
	case axisSchedule:
		if err := crosslane.Schedule(v).Check(); err != nil {
			return usage("--sweep schedule: %s", err)
		}
	case axisArg:
		if _, err := launchspec.ParseArg(v); err != nil {
			return usage("--sweep %s: %s", a.key, err)
		}
	}
	if len(a.values) >= maxLaunches {
		return usage("--sweep %s: more than %d values, the limit", a.key, maxLaunches)
	}
	if !slices.Contains(a.values, v) {
		a.values = append(a.values, v)
	}
	return nil
}

// launches is their number.
func (s *sweep) launches() int {
	n := 1
	for _, a := range s.axes {
		n *= len(a.values)
	}
	return n
}

// value is which of the values of axis x launch i has. The last axis runs fastest.
func (s *sweep) value(i, x int) int {
	for _, a := range s.axes[x+1:] {
		i /= len(a.values)
	}
	return i % len(s.axes[x].values)
}

// apply sets the values of launch i.
func (s *sweep) apply(l launchspec.Spec, i int) (launchspec.Spec, error) {
	for x, a := range s.axes {
		v := a.values[s.value(i, x)]
		switch a.kind {
		case axisBlock, axisGrid:
			d, by, err := crosslane.Dim3{}, []*launchspec.Expr(nil), error(nil)
			if sizeForm.MatchString(v) {
				d, err = launchspec.ParseDim("--sweep", strings.ReplaceAll(v, "x", ","))
			} else {
				by = make([]*launchspec.Expr, 1)
				by[0], err = launchspec.ParseExpr(v)
			}
			if err != nil {
				return l, err
			}
			if a.kind == axisBlock {
				l.Block, l.BlockBy = d, by
			} else {
				l.Grid, l.GridBy = d, by
			}
		case axisShared:
			e, err := launchspec.ParseExpr(v)
			if err != nil {
				return l, err
			}
			l.Shared, l.SharedBy = 0, e
		case axisSchedule:
			l.Schedule = crosslane.Schedule(v)
		case axisArg:
			if a.arg >= len(l.Args) {
				d := diag.Errorf(diag.Pos{}, diag.Input, "usage", "--sweep %s: argument %d is not given", a.key, a.arg+1)
				d.Remedy = "give every argument with --arg; arguments that the sweep changes may have any value there"
				return l, d
			}
			arg, err := launchspec.ParseArg(v)
			if err != nil {
				return l, err
			}
			arg.Dir = l.Args[a.arg].Dir
			l.Args = slices.Clone(l.Args)
			l.Args[a.arg] = arg
		}
	}
	return l, nil
}

// describe names the launches in hits among those that ran, in the order of launches; "" if all are
// and there was one.
func (s *sweep) describe(ran, hits []int) string {
	if len(ran) <= 1 {
		return ""
	}
	if len(hits) == len(ran) {
		return fmt.Sprintf("all %d", len(ran))
	}
	within := map[int]bool{}
	for _, i := range hits {
		within[i] = true
	}
	// The values that occur on every axis. If those of all axes together are the hits,
	// they say it all.
	var parts []string
	product := true
	have := make([][]bool, len(s.axes))
	for x, a := range s.axes {
		have[x] = make([]bool, len(a.values))
		for _, i := range hits {
			have[x][s.value(i, x)] = true
		}
		if slices.Contains(have[x], false) {
			parts = append(parts, a.name(have[x]))
		}
	}
	for _, i := range ran {
		all := true
		for x := range s.axes {
			all = all && have[x][s.value(i, x)]
		}
		product = product && all == within[i]
	}
	text := strings.Join(parts, "; ")
	if product {
		return text
	}
	some := fmt.Sprintf("%d of %d, first %s", len(hits), len(ran), s.one(hits[0]))
	if text != "" {
		some += "; among " + text
	}
	return some
}

// one names one launch.
func (s *sweep) one(i int) string {
	var parts []string
	for x, a := range s.axes {
		only := make([]bool, len(a.values))
		only[s.value(i, x)] = true
		parts = append(parts, a.name(only))
	}
	return strings.Join(parts, ", ")
}

// name writes a subset of an axis' values: "block sizes 33..63, 96".
func (a *axis) name(have []bool) string {
	var vals []string
	for i, v := range a.values {
		if have[i] {
			vals = append(vals, v)
		}
	}
	s := ""
	if len(vals) > 1 {
		s = "s"
	}
	list := strings.Join(runs(vals), ", ")
	switch a.kind {
	case axisBlock:
		return "block size" + s + " " + list
	case axisGrid:
		return "grid" + s + " " + list
	case axisSchedule:
		return "schedule" + s + " " + list
	}
	return a.key + " = " + list
}

// runs writes three or more whole numbers in a row as a range.
func runs(vals []string) []string {
	const shown = 40
	number := func(v string) (string, int64, bool) {
		rest := strings.TrimPrefix(v, "random:")
		n, err := strconv.ParseInt(rest, 10, 64)
		return v[:len(v)-len(rest)], n, err == nil && strconv.FormatInt(n, 10) == rest
	}
	var out []string
	for i := 0; i < len(vals); {
		j := i + 1
		p, n, ok := number(vals[i])
		for ; ok && j < len(vals); j++ {
			if q, m, ok := number(vals[j]); !ok || p != q || m != n+int64(j-i) {
				break
			}
		}
		if j-i < 3 {
			j = i + 1
			out = append(out, vals[i])
		} else {
			out = append(out, vals[i]+".."+strings.TrimPrefix(vals[j-1], p))
		}
		i = j
	}
	if len(out) > shown {
		out = append(out[:shown], fmt.Sprintf("and %d more", len(out)-shown))
	}
	return out
}
