package launchspec

import (
	"fmt"
	"strconv"

	"example.org/crosslane"
	"example.org/crosslane/internal/input"
)

// Flags are the flags of a launch as written; docs/launch.md describes them. Their names are those of the command line.
type Flags struct {
	Kernel, Grid, Block, Cluster                    string
	Shared, Stack, Heap                             string
	Args, Buffers, Symbols                          []string
	Engine, Timeout, Undefined, Schedule, MaxMemory string
	Workers                                         int
	Cooperative, Adversarial                        bool
	Print, Save, Expect                             []string
}

// Join puts the flags over a launch. changed reports whether a flag of that name was given.
func (f *Flags) Join(l *Spec, changed func(string) bool) (err error) {
	if changed("kernel") {
		l.Kernel = f.Kernel
	}
	if changed("grid") {
		if l.Grid, l.GridBy, err = ParseSize("--grid", f.Grid); err != nil {
			return err
		}
	}
	if changed("block") {
		if l.Block, l.BlockBy, err = ParseSize("--block", f.Block); err != nil {
			return err
		}
	}
	if changed("cluster") {
		if l.Cluster, err = ParseDim("--cluster", f.Cluster); err != nil {
			return err
		}
	}
	if changed("shared") {
		n, err := ParseBytes(f.Shared)
		l.SharedBy = nil
		if e, exprErr := ParseExpr(f.Shared); err != nil && exprErr == nil {
			n, err, l.SharedBy = 0, nil, e
		}
		if err != nil || n > 1<<31 {
			return usageError("--shared: want a number of bytes, up to 2G, or an expression such as 4*block, found %s", input.Quoted(f.Shared))
		}
		l.Shared = uint32(n)
	}
	for _, n := range []struct {
		flag, text, most string
		limit            uint64
		set              func(uint64)
	}{
		{"stack", f.Stack, "2G", 1 << 31, func(n uint64) { l.Stack = uint32(n) }},
		{"heap", f.Heap, "1024G", 1 << 40, func(n uint64) { l.Heap = n }},
	} {
		if !changed(n.flag) {
			continue
		}
		v, err := ParseBytes(n.text)
		if err != nil || v == 0 || v > n.limit {
			return usageError("--%s: want a number of bytes, from 1 to %s, found %s", n.flag, n.most, input.Quoted(n.text))
		}
		n.set(v)
	}
	if changed("arg") {
		l.Args = nil
		for i, s := range f.Args {
			arg, err := ParseArg(s)
			if err != nil {
				return ArgError(i, err)
			}
			l.Args = append(l.Args, arg)
		}
	}
	if changed("buffer") {
		l.Buffers = nil
		for _, s := range f.Buffers {
			b, err := ParseArg(s)
			if err == nil {
				err = b.OnlyBuffer()
			}
			if err != nil {
				return usageError("--buffer: %s", err)
			}
			l.Buffers = append(l.Buffers, b)
		}
	}
	if changed("print") {
		l.Print = f.Print
	}
	for _, n := range []struct {
		flag, want string
		list       []string
		to         *[]Named
	}{{"save", "NAME=FILE", f.Save, &l.Save}, {"set-symbol", "NAME=VALUES, NAME={FIELD,...} or NAME=@FILE", f.Symbols, &l.Symbols}, {"expect", "NAME=VALUES or NAME=@FILE", f.Expect, &l.Expect}} {
		if !changed(n.flag) {
			continue
		}
		*n.to = nil
		for _, s := range n.list {
			v, err := ParseNamed("--"+n.flag, n.want, s)
			if err != nil {
				return err
			}
			*n.to = append(*n.to, v)
		}
	}
	if changed("engine") || l.Engine == "" {
		l.Engine = f.Engine
	}
	if changed("workers") {
		l.Workers = f.Workers
	}
	if changed("undefined") || l.Undefined == "" {
		l.Undefined = f.Undefined
	}
	if changed("schedule") || l.Schedule == "" {
		l.Schedule = crosslane.Schedule(f.Schedule)
	}
	if changed("cooperative") {
		l.Cooperative = f.Cooperative
	}
	if changed("adversarial") {
		l.Adversarial = f.Adversarial
	}
	if changed("timeout") {
		if l.Timeout, err = ParseTimeout(f.Timeout); err != nil {
			return err
		}
	}
	if l.MaxMemory, err = ParseBytes(f.MaxMemory); err != nil {
		return usageError("--max-memory: %s", err)
	}
	return nil
}

// Complete returns an error if a launch lacks its size, or makes a choice that does not exist.
func (l *Spec) Complete() error {
	if l.Grid.X == 0 && l.GridBy == nil {
		return usageError("--grid is missing: the number of blocks")
	}
	if l.Block.X == 0 && l.BlockBy == nil {
		return usageError("--block is missing: the number of lanes in a block")
	}
	if err := l.CheckChoices("--"); err != nil {
		return usageError("%s", err)
	}
	return nil
}

// ParseBytes reads a number of bytes, with an optional K, M or G (powers of 1024).
func ParseBytes(s string) (uint64, error) {
	digits, shift := s, 0
	if s != "" {
		switch s[len(s)-1] {
		case 'K', 'k':
			shift = 10
		case 'M', 'm':
			shift = 20
		case 'G', 'g':
			shift = 30
		}
		if shift > 0 {
			digits = s[:len(s)-1]
		}
	}
	n, err := strconv.ParseUint(digits, 0, 64)
	if err != nil || n > (1<<63)>>shift {
		return 0, fmt.Errorf("want a number of bytes (also 64K, 16M, 4G), found %q", s)
	}
	return n << shift, nil
}
