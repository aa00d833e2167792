package launchspec

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/internal/value"
)

// Words are the flags that describe the launch, with those of its choices that differ from the usual ones: Flags.Join makes the same
// launch of them. Save is left out.
func (l *Spec) Words() []string {
	var words []string
	flag := func(name, text string) {
		if text != "" {
			words = append(words, "--"+name, text)
		}
	}
	number := func(name string, n uint64) {
		if n != 0 {
			flag(name, fmt.Sprint(n))
		}
	}
	flag("kernel", l.Kernel)
	flag("grid", sizeText(l.Grid, l.GridBy))
	flag("block", sizeText(l.Block, l.BlockBy))
	flag("cluster", sizeText(l.Cluster, nil))
	if number("shared", uint64(l.Shared)); l.SharedBy != nil {
		flag("shared", l.SharedBy.text)
	}
	number("stack", uint64(l.Stack))
	number("heap", l.Heap)
	for _, a := range l.Args {
		flag("arg", a.written)
	}
	for _, b := range l.Buffers {
		flag("buffer", b.written)
	}
	for _, s := range l.Symbols {
		flag("set-symbol", s.Name+"="+s.Text)
	}
	for _, p := range l.Print {
		flag("print", p)
	}
	for _, e := range l.Expect {
		flag("expect", e.Name+"="+e.Text)
	}
	if l.Engine != "auto" {
		flag("engine", l.Engine)
	}
	number("workers", uint64(max(l.Workers, 0)))
	if l.Timeout > 0 {
		flag("timeout", l.Timeout.String())
	}
	if l.Undefined != "own" {
		flag("undefined", l.Undefined)
	}
	if l.Schedule != crosslane.LowestPC {
		flag("schedule", string(l.Schedule))
	}
	if l.Adversarial {
		words = append(words, "--adversarial")
	}
	if l.Cooperative {
		words = append(words, "--cooperative")
	}
	return words
}

// sizeText is a size as --grid takes it; "": it is not given.
func sizeText(d crosslane.Dim3, by []*Expr) string {
	var parts []string
	for _, e := range by {
		parts = append(parts, e.text)
	}
	switch {
	case by != nil || d.X == 0:
		return strings.Join(parts, ",")
	case d.Z > 1:
		return fmt.Sprintf("%d,%d,%d", d.X, max(d.Y, 1), d.Z)
	case d.Y > 1:
		return fmt.Sprintf("%d,%d", d.X, d.Y)
	}
	return fmt.Sprint(d.X)
}

// Files calls do for each file that the launch names, with the function that reads it.
func (l *Spec) Files(do func(name string, read value.ReadFile)) {
	var fields func(list []fieldSpec, read value.ReadFile)
	fields = func(list []fieldSpec, read value.ReadFile) {
		for i := range list {
			f := &list[i]
			if f.file != "" {
				do(f.file, read)
			}
			if name := f.init.File(); name != "" {
				do(name, read)
			}
			fields(f.fields, read)
		}
	}
	for _, a := range slices.Concat(l.Args, l.Buffers) {
		if name := a.init.File(); name != "" {
			do(name, a.reader())
		}
		fields(a.fields, a.reader())
	}
	for _, n := range slices.Concat(l.Symbols, l.Expect) {
		text := n.Text
		if i := strings.LastIndexByte(text, '~'); i >= 0 {
			text = text[:i]
		}
		if in, err := value.ParseInit(text); err == nil && in.File() != "" {
			do(in.File(), n.reader())
		}
	}
}
