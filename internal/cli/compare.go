package cli

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/results"
	"example.org/crosslane/internal/value"
)

// diffFlags are the flags of diff as written.
type diffFlags struct {
	runFlags          // of the first launch
	second   []string // the differences of the second one
	pairs    []string // A=B: buffers that have other names
	tol      float64  // 0: bit for bit
	noWhy    bool     // only the values
	columns  int      // 0: as wide as the terminal
}

func (a *app) diffCommand() *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff A B [the arguments of run] [--b NAME=VALUE]...",
		Short: "Run two kernels, and show the first element that differs, and why",
		Long: `Run a kernel of file A and one of file B with the same arguments, and compare their buffers.
The first element that differs is shown with its provenance in both runs: the instructions,
lanes and inputs that made it.

A and B may be the same file. --b sets an argument of run for B alone, as in
--b block=64, --b kernel=scan64 or --b schedule=random:7; the --b arg=... replace all
--arg. B may be of the other instruction set. Buffers are compared by their names, or else
in their order; floats bit for bit unless --tolerance is given.

Exit status: 0 if all buffers are equal, 1 if some differ.`,
		Example: `  crosslane diff examples/ptx/mistakes.ptx examples/ptx/mistakes.ptx --kernel partial_reduce \
    --grid 1 --block 32 --arg in:s32[32]=iota --arg out:s32[1] --arg 32 \
    --b arg=in:s32[32]=iota --b arg=out:s32[1] --b arg=20`,
		Args: cobra.ExactArgs(2),
	}
	fl := cmd.Flags()
	f.register(a, cmd)
	a.includeFlags(cmd)
	fl.StringArrayVar(&f.second, "b", nil, "an argument of run that B alone has, `NAME=VALUE`")
	fl.StringArrayVar(&f.pairs, "pair", nil, "compare buffer A of the first kernel with B of the second, `A=B`")
	fl.Float64Var(&f.tol, "tolerance", 0, "let floats differ by `T`, absolutely or relative to the value of A")
	fl.BoolVar(&f.noWhy, "no-why", false, "show the values only")
	fl.IntVar(&f.columns, "columns", 0, "show both provenances beside each other in so many `COLUMNS` (default: those of the terminal)")
	formatFlag(cmd, &f.format, "text", "json")
	cmd.RunE = a.command(func(args []string) error { return comparison{a}.diff(&f, cmd, args) })
	return cmd
}

// diffJSON is the result of diff, schema crosslane.diff/1.
type diffJSON struct {
	Schema   string                  `json:"schema"`
	Files    []string                `json:"files"`
	Kernels  []string                `json:"kernels"`
	Equal    bool                    `json:"equal"`
	Buffers  []diffBufferJSON        `json:"buffers"`
	Why      []*crosslane.Provenance `json:"why,omitempty"` // of the first element that differs, in A and in B
	Findings diag.List               `json:"findings"`
}

// diffBufferJSON is a pair of buffers.
type diffBufferJSON struct {
	Names     []string `json:"names"` // in A and in B
	Type      string   `json:"type"`
	Elements  int      `json:"elements"`         // that were compared
	Lengths   []int    `json:"lengths"`          // of A and of B
	Different int      `json:"different"`        // elements
	First     *int     `json:"first,omitempty"`  // the index of the first of them
	Values    []string `json:"values,omitempty"` // of that element, in A and in B
}

// comparedLaunch is one of the two launches.
type comparedLaunch struct {
	file    string
	kernel  kernel
	spec    launchspec.Spec
	buffers []*crosslane.Buffer
}

// comparison runs and compares two launches for the command line.
type comparison struct{ *app }

// diff is the command's body.
func (a comparison) diff(f *diffFlags, cmd *cobra.Command, files []string) error {
	out := diffJSON{Schema: "crosslane.diff/1", Files: files, Kernels: []string{}, Buffers: []diffBufferJSON{}}
	err := a.diffFiles(f, cmd, files, &out)
	if f.format != "json" {
		return err
	}
	out.Findings = append(diag.List{}, diag.Of(err)...)
	if jerr := a.writeJSON(out); err == nil {
		return jerr
	}
	return err
}

func (a comparison) diffFiles(f *diffFlags, cmd *cobra.Command, files []string, out *diffJSON) error {
	if err := input.OneOf("--format", f.format, "text", "json"); err != nil {
		return err
	}
	if !(f.tol >= 0) || math.IsInf(f.tol, 0) {
		return usage("--tolerance is a number of at least 0")
	}
	if files[0] == "-" && files[1] == "-" {
		return usage("standard input can be one of the two files only")
	}
	changed := cmd.Flags().Changed
	second, otherChanged, err := f.other(a.app, cmd)
	if err != nil {
		return err
	}
	first, err := a.runOne("A", &f.runFlags, changed, files[0])
	if err != nil {
		return named(err, "A")
	}
	other, err := a.runOne("B", second, otherChanged, files[1])
	if err != nil {
		return named(err, "B")
	}
	out.Kernels = []string{first.kernel.Name(), other.kernel.Name()}
	return a.compareRuns(f, first, other, out)
}

// named adds to an error which of the two launches it is about.
func named(err error, which string) error {
	list := diag.Of(err)
	if len(list) == 0 {
		return err
	}
	d := *list[0]
	d.Message = which + ": " + d.Message
	return append(diag.List{&d}, list[1:]...)
}

// other makes the flags of the second launch: those of the first, and --b.
func (f *diffFlags) other(a *app, cmd *cobra.Command) (*runFlags, func(string) bool, error) {
	second := &runFlags{}
	to := &cobra.Command{Use: "b"}
	second.register(a, to)
	fl := to.Flags()
	var err error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		same := fl.Lookup(flag.Name)
		if same == nil {
			return
		}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			for _, v := range list.GetSlice() {
				err = cmp.Or(err, fl.Set(flag.Name, v))
			}
			return
		}
		err = cmp.Or(err, fl.Set(flag.Name, flag.Value.String()))
	})
	if err != nil {
		return nil, nil, usage("%s", err)
	}
	seen := map[string]bool{}
	for _, text := range f.second {
		name, v, ok := strings.Cut(text, "=")
		name = strings.TrimPrefix(name, "--")
		flag := fl.Lookup(name)
		if !ok || flag == nil {
			return nil, nil, usage("--b must be NAME=VALUE with the name of an argument of run, as in block=64; found %s", input.Quoted(text))
		}
		if list, ok := flag.Value.(pflag.SliceValue); ok && !seen[name] {
			if err := list.Replace(nil); err != nil {
				return nil, nil, usage("--b %s: %s", name, err)
			}
		}
		seen[name] = true
		if err := fl.Set(name, v); err != nil {
			return nil, nil, usage("--b %s: %s", name, err)
		}
	}
	return second, fl.Changed, nil
}

// runOne runs one of the two launches.
func (a comparison) runOne(which string, f *runFlags, changed func(string) bool, file string) (*comparedLaunch, error) {
	l, err := f.spec(changed)
	if err != nil {
		return nil, err
	}
	l.Save, l.Expect = nil, nil // a launch file may have them for run
	file = program(file)
	tr := tritonBeside(file)
	if err := addTriton(&l, tr); err != nil {
		return nil, err
	}
	if err := checkLaunch(&l, false); err != nil {
		return nil, a.sourceFirst(file, f.isa, err)
	}
	a.limit = l.Timeout
	defer a.patient(a.limit, f.quiet)()
	data, shown, err := a.readProgram(file)
	if err != nil {
		return nil, err
	}
	m, err := a.load(data, shown, f.isa)
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	a.report(k.Warnings()...)
	if err := addTritonScratch(&l, tr, k); err != nil {
		return nil, err
	}
	made, err := await(a.app, shown, func() (*launchspec.Built, error) { return l.Build(k, 1) })
	if err != nil {
		return nil, err
	}
	res, err := k.Run(a.ctx, l.Launch(made))
	if err != nil {
		return nil, err
	}
	a.countFindings("run "+which, results.NotTold(res.Findings, k.Warnings()))
	return &comparedLaunch{file: shown, kernel: k, spec: l, buffers: made.Buffers}, nil
}

// pairBuffers finds for each buffer of the first launch that of the second: by --pair, by its name, or by its place.
func (f *diffFlags) pairBuffers(first, other *comparedLaunch) ([][2]*crosslane.Buffer, error) {
	find := func(l *comparedLaunch, name string) *crosslane.Buffer {
		if i := slices.IndexFunc(l.buffers, func(b *crosslane.Buffer) bool { return b.Name == name }); i >= 0 {
			return l.buffers[i]
		}
		return nil
	}
	var out [][2]*crosslane.Buffer
	if len(f.pairs) > 0 {
		for _, p := range f.pairs {
			x, y, ok := strings.Cut(p, "=")
			a, b := find(first, x), find(other, y)
			if !ok || a == nil || b == nil {
				return nil, usage("--pair must be NAME=NAME, of a buffer of A and one of B; found %s", input.Quoted(p))
			}
			out = append(out, [2]*crosslane.Buffer{a, b})
		}
		return out, nil
	}
	for i, a := range first.buffers {
		b := find(other, a.Name)
		if b == nil && i < len(other.buffers) && find(first, other.buffers[i].Name) == nil {
			b = other.buffers[i]
		}
		if b == nil {
			return nil, usage("B has no buffer that belongs to %s of A; --pair %s=NAME names it", a.Name, a.Name)
		}
		out = append(out, [2]*crosslane.Buffer{a, b})
	}
	if len(out) == 0 {
		return nil, usage("there is nothing to compare: no argument is a buffer")
	}
	return out, nil
}

// compareRuns compares the buffers, and explains the first element that differs.
func (a comparison) compareRuns(f *diffFlags, first, other *comparedLaunch, out *diffJSON) error {
	pairs, err := f.pairBuffers(first, other)
	if err != nil {
		return err
	}
	elements := 0
	var at [2]*crosslane.Buffer
	index := -1
	for _, p := range pairs {
		t := value.Type(p[0].Type)
		if p[1].Type != p[0].Type {
			return usage("%s has elements of type %s in A and %s in B", p[0].Name, p[0].Type, p[1].Type)
		}
		n, m := len(p[0].Data)/t.Size(), len(p[1].Data)/t.Size()
		same := launchspec.Within(f.tol)
		b := diffBufferJSON{Names: []string{p[0].Name, p[1].Name}, Type: string(t), Elements: min(n, m), Lengths: []int{n, m}}
		for i := range b.Elements {
			x, y := value.Get(t, p[0].Data, i), value.Get(t, p[1].Data, i)
			if same.Same(t, y, x) {
				continue
			}
			if b.Different++; b.Different == 1 {
				b.First, b.Values = &i, []string{value.Format(t, x), value.Format(t, y)}
				if b.Values[0] == b.Values[1] {
					b.Values = []string{b.Values[0] + " (0x" + value.Hex(t, x) + ")", b.Values[1] + " (0x" + value.Hex(t, y) + ")"}
				}
				if index < 0 {
					at, index = p, i
				}
			}
		}
		elements += b.Elements
		out.Buffers = append(out.Buffers, b)
	}
	out.Equal = index < 0
	if f.format != "json" {
		a.showDifferences(out, pairs, first, other)
	}
	if out.Equal {
		if f.format != "json" {
			fmt.Fprintf(a.out, "equal: %s in %s\n", diag.Count(elements, "element"), diag.Count(len(pairs), "buffer"))
		}
		return nil
	}
	if !f.noWhy {
		for i, l := range []*comparedLaunch{first, other} {
			p, err := a.whyElement(l, at[i].Name, index)
			if err != nil {
				return named(err, string("AB"[i]))
			}
			out.Why = append(out.Why, p)
		}
		if f.format != "json" {
			a.showBoth(f, at, index, out.Why)
		}
	}
	a.out.Flush() // the answer comes first
	return diag.Errorf(diag.Pos{}, diag.Finding, "results-differ", "%s of A and %s of B differ in %s",
		launchspec.IndexText(at[0], index), launchspec.IndexText(at[1], index), diag.Count(countDifferent(out), "element"))
}

func countDifferent(out *diffJSON) (n int) {
	for i := range out.Buffers {
		n += out.Buffers[i].Different
	}
	return n
}

// showDifferences writes how each buffer differs.
func (a comparison) showDifferences(out *diffJSON, pairs [][2]*crosslane.Buffer, first, other *comparedLaunch) {
	fmt.Fprintf(a.out, "A  %s of %s\nB  %s of %s\n", first.kernel.Name(), first.file, other.kernel.Name(), other.file)
	for i, b := range out.Buffers {
		name := b.Names[0]
		if b.Names[1] != name {
			name += " and " + b.Names[1]
		}
		if b.Lengths[0] != b.Lengths[1] {
			fmt.Fprintf(a.out, "%s: A has %s, B %d; the first %d are compared\n", name, diag.Count(b.Lengths[0], "element"), b.Lengths[1], b.Elements)
		}
		if b.Different > 0 {
			differ := "differ"
			if b.Different == 1 {
				differ = "differs"
			}
			fmt.Fprintf(a.out, "%s: %d of %s %s; the first is %s: A %s, B %s\n", name, b.Different, diag.Count(b.Elements, "element"), differ, launchspec.IndexText(pairs[i][0], *b.First), b.Values[0], b.Values[1])
		}
	}
}

// whyElement runs a launch again, and explains an element.
func (a comparison) whyElement(l *comparedLaunch, buffer string, index int) (*crosslane.Provenance, error) {
	made, err := await(a.app, l.file, func() (*launchspec.Built, error) { return l.spec.Build(l.kernel, 1) })
	if err != nil {
		return nil, err
	}
	launch := l.spec.Launch(made)
	launch.Workers = 0
	return l.kernel.Why(a.ctx, launch, crosslane.WhyOptions{Buffer: buffer, Index: index})
}

// besideColumns is how wide a terminal has to be for two provenances beside each other.
const besideColumns = 140

// showBoth writes both provenances: beside each other if there is room, else one after the other.
func (a comparison) showBoth(f *diffFlags, at [2]*crosslane.Buffer, index int, why []*crosslane.Provenance) {
	columns := f.columns
	if w, ok := a.outFile.(*os.File); ok && columns == 0 && term.IsTerminal(int(w.Fd())) {
		if n, _, err := term.GetSize(int(w.Fd())); err == nil {
			columns = n
		}
	}
	if columns < besideColumns {
		for i, p := range why {
			fmt.Fprintf(a.out, "\n%s in %c:\n%s", launchspec.IndexText(at[i], index), "AB"[i], p.Text(crosslane.WhyView{}))
		}
		return
	}
	width := (columns - 3) / 2
	var side [2][]string
	for i, p := range why {
		text := fmt.Sprintf("%s in %c:\n%s", launchspec.IndexText(at[i], index), "AB"[i], p.Text(crosslane.WhyView{Width: width}))
		side[i] = strings.Split(strings.TrimRight(text, "\n"), "\n")
	}
	fmt.Fprintln(a.out)
	for i := range max(len(side[0]), len(side[1])) {
		var left, right string
		if i < len(side[0]) {
			left = side[0][i]
		}
		if i < len(side[1]) {
			right = side[1][i]
		}
		fmt.Fprintln(a.out, strings.TrimRight(fmt.Sprintf("%-*s │ %s", width, left, right), " "))
	}
}
