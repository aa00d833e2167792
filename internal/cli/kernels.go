package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/names"
	"example.org/crosslane/internal/results"
)

// kernelsJSON is the result of kernels, schema crosslane.kernels/1.
type kernelsJSON struct {
	Schema  string        `json:"schema"`
	File    string        `json:"file"`
	ISA     crosslane.ISA `json:"isa"`
	Kernels []kernelJSON  `json:"kernels"`
}

// kernelJSON describes a kernel before a launch.
type kernelJSON struct {
	Name      string      `json:"name"`
	Demangled string      `json:"demangled,omitempty"`
	Selector  string      `json:"selector,omitempty"` // for --kernel, if the name is not enough
	File      string      `json:"file,omitempty"`     // of Lines, if the file holds several
	Lines     []int       `json:"lines,omitempty"`
	Params    []paramJSON `json:"params"`
	Required  []uint32    `json:"required_block,omitempty"`
	Most      uint32      `json:"max_lanes,omitempty"`
	Problem   string      `json:"problem,omitempty"` // why it cannot be run
}

type paramJSON struct {
	Name   string              `json:"name"`
	Kind   crosslane.ParamKind `json:"kind"`
	Type   crosslane.ElemType  `json:"type,omitempty"`
	Offset int                 `json:"offset"`
	Size   int                 `json:"size"`
	Hidden string              `json:"hidden,omitempty"`
}

func (a *app) kernelsCommand() *cobra.Command {
	var format, isa string
	cmd := &cobra.Command{
		Use:   "kernels FILE",
		Short: "List the kernels of a file with their parameters",
		Long: `List the kernels of a file: their names, demangled and as the file has them, their
parameters, and the block sizes that their directives allow. --kernel of other commands
takes either name, or a part of it that only one kernel has.`,
		Example: `  crosslane kernels k.ptx
  crosslane kernels k.hsaco --format json`,
		Args: cobra.ExactArgs(1),
	}
	formatFlag(cmd, &format, "text", "json")
	a.includeFlags(cmd)
	cmd.Flags().StringVar(&isa, "isa", "auto", "the kind of FILE: auto, ptx or gcn3")
	a.compilerFlag(cmd)
	complete(cmd, "isa", "auto", "ptx", "gcn3")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := input.OneOf("--format", format, "text", "json"); err != nil {
			return err
		}
		if err := input.OneOf("--isa", isa, "auto", "ptx", "gcn3"); err != nil {
			return err
		}
		return a.command(func(args []string) error { return a.kernels(args[0], isa, format) })(cmd, args)
	}
	return cmd
}

func (a *app) kernels(file, isa, format string) error {
	data, shown, err := a.readProgram(program(file))
	if err != nil {
		return err
	}
	m, err := a.load(data, shown, isa)
	if err != nil {
		return err
	}
	out := kernelsJSON{Schema: "crosslane.kernels/1", File: shown, ISA: m.ISA(), Kernels: []kernelJSON{}}
	for _, name := range m.Names() {
		k, err := m.Kernel(name)
		if err != nil {
			return err
		}
		out.Kernels = append(out.Kernels, describeKernel(k, shown))
	}
	if format == "json" {
		return a.writeJSON(out)
	}
	for i := range out.Kernels {
		out.Kernels[i].text(a.out)
	}
	fmt.Fprintf(a.out, "%s: %s\n", shown, results.Numbered(len(out.Kernels), "kernel"))
	return nil
}

func describeKernel(k kernel, shown string) kernelJSON {
	d := kernelJSON{Name: k.Name(), Params: []paramJSON{}}
	if full := names.Full(d.Name); full != d.Name {
		d.Demangled = full
	}
	if from, to := k.Lines(); to > 0 {
		d.Lines = []int{from, to}
		if k.File() != shown {
			d.File = k.File()
		}
	}
	if k.Selector() != d.Name {
		d.Selector = k.Selector()
	}
	for _, p := range k.Params() {
		d.Params = append(d.Params, paramJSON{p.Name, p.Kind, p.Type, p.Offset, p.Size, p.Hidden})
	}
	required, most, err := k.BlockLimits()
	if err != nil {
		d.Problem = diag.Of(err)[0].Message
		return d
	}
	if d.Most = most; required.X != 0 {
		d.Required = []uint32{required.X, required.Y, required.Z}
	}
	return d
}

func (d *kernelJSON) text(w io.Writer) {
	if d.Demangled != "" {
		fmt.Fprintf(w, "%s\n  name: %s\n", d.Demangled, d.Name)
	} else {
		fmt.Fprintf(w, "%s\n", d.Name)
	}
	if d.Lines != nil {
		of := ""
		if d.File != "" {
			of = " of " + d.File
		}
		fmt.Fprintf(w, "  lines: %d to %d%s\n", d.Lines[0], d.Lines[1], of)
	}
	if d.Selector != "" {
		fmt.Fprintf(w, "  for --kernel: %s\n", d.Selector)
	}
	for i, p := range d.Params {
		what := string(p.Kind)
		switch {
		case p.Hidden != "":
			what = p.Hidden + ", may be left out"
		case p.Kind == crosslane.ParamBytes:
			what = "a structure by value"
		case p.Kind == crosslane.ParamScalar && p.Type != "":
			what = string(p.Type)
		}
		name := ""
		if p.Name != "" {
			name = " " + p.Name
		}
		fmt.Fprintf(w, "  parameter %d:%s at byte %d, %s: %s\n", i+1, name, p.Offset, results.Numbered(p.Size, "byte"), what)
	}
	switch {
	case d.Problem != "":
		fmt.Fprintf(w, "  cannot be run: %s\n", d.Problem)
	case d.Required != nil:
		fmt.Fprintf(w, "  block: %d,%d,%d, which the kernel requires\n", d.Required[0], d.Required[1], d.Required[2])
	default:
		fmt.Fprintf(w, "  block: at most %s\n", results.Numbered(int(d.Most), "lane"))
	}
}

// initFlags are the flags of init.
type initFlags struct {
	kernel, isa, output string
	force               bool
}

func (a *app) initCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init FILE",
		Short: "Write a launch file for a kernel, to fill in",
		Long: `Write a launch file for a kernel: its parameters in order, each with an argument of the
right kind. Sizes and contents are placeholders to fill in. Without -o the file is written
next to FILE, as k.launch.json for k.ptx, where check finds it. An existing file is not
overwritten.`,
		Example: `  crosslane init k.ptx
  crosslane init k.ptx --kernel scan -o -`,
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&f.kernel, "kernel", "", "the kernel's `NAME`; may be left out if the file has one")
	a.includeFlags(cmd)
	fl.StringVar(&f.isa, "isa", "auto", "the kind of FILE: auto, ptx or gcn3")
	a.compilerFlag(cmd)
	fl.StringVarP(&f.output, "output", "o", "", "write to `FILE`; -: standard output")
	fl.BoolVar(&f.force, "force", false, "overwrite a file")
	complete(cmd, "isa", "auto", "ptx", "gcn3")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := input.OneOf("--isa", f.isa, "auto", "ptx", "gcn3"); err != nil {
			return err
		}
		return a.command(func(args []string) error { return a.init(&f, args[0]) })(cmd, args)
	}
	return cmd
}

// launchDraft is a launch file as init writes it.
type launchDraft struct {
	Schema string   `json:"schema"`
	Kernel string   `json:"kernel"`
	Grid   any      `json:"grid"`
	Block  any      `json:"block"`
	Shared uint32   `json:"shared,omitempty"`
	Args   []string `json:"args"`
}

func (a *app) init(f *initFlags, file string) error {
	file = program(file)
	data, shown, err := a.readProgram(file)
	if err != nil {
		return err
	}
	m, err := a.load(data, shown, f.isa)
	if err != nil {
		return err
	}
	k, err := m.Kernel(f.kernel)
	if err != nil {
		return err
	}
	text, err := draftLaunch(k, tritonBeside(file))
	if err != nil {
		return err
	}
	output := f.output
	if output == "" && file != "-" {
		output = strings.TrimSuffix(file, filepath.Ext(file)) + ".launch.json"
	}
	if output == "-" || output == "" {
		a.out.Write(text)
		return nil
	}
	if err := writeFile(output, f.force, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "init: %s is written: fill in sizes and contents, then crosslane check %s\n", output, file)
	return nil
}

// fillLaunch makes a launch file that the kernel's parameters take.
func draftLaunch(k kernel, t *tritonKernel) ([]byte, error) {
	block, args, err := draft(k, t)
	if err != nil {
		return nil, err
	}
	d := launchDraft{Schema: launchspec.Schema, Kernel: k.Name(), Grid: 1, Block: block.X, Args: args}
	if t != nil && t.Name == k.Name() {
		d.Shared = t.Shared
	}
	if block.Y > 1 || block.Z > 1 {
		d.Block = []uint32{block.X, block.Y, block.Z}
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

// draft is a block and arguments that a kernel takes. The cache of Triton, t, may know the names of its parameters.
func draft(k kernel, t *tritonKernel) (block crosslane.Dim3, args []string, err error) {
	if t != nil && t.Name == k.Name() {
		return launchspec.Draft(k, t.params)
	}
	return launchspec.Draft(k, nil)
}

// needsDraft reports whether nothing is said of a launch.
func needsDraft(l *launchspec.Spec) bool {
	return l.Grid.X == 0 && l.GridBy == nil && l.Block.X == 0 && l.BlockBy == nil && len(l.Args) == 0
}

// fillLaunch makes the launch one that the kernel takes.
func fillLaunch(l *launchspec.Spec, k kernel, t *tritonKernel) error {
	block, args, err := draft(k, t)
	if err != nil {
		return err
	}
	l.Grid, l.Block = crosslane.Dim3{X: 1, Y: 1, Z: 1}, block
	for _, text := range args {
		arg, err := launchspec.ParseArg(text)
		if err != nil {
			return err
		}
		l.Args = append(l.Args, arg)
	}
	return nil
}
