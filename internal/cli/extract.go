package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/extract"
	"example.org/crosslane/internal/fatbin"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/results"
)

// extractJSON is the result of extract, schema crosslane.extract/1.
type extractJSON struct {
	Schema  string      `json:"schema"`
	Entries []entryJSON `json:"entries"`
	Errors  diag.List   `json:"errors,omitempty"`
}

// entryJSON is a piece of code for a GPU.
type entryJSON struct {
	File        string       `json:"file"`
	Entry       string       `json:"entry,omitempty"`
	Kind        extract.Kind `json:"kind"`
	Target      string       `json:"target,omitempty"`
	Size        int64        `json:"size"`
	Stored      int64        `json:"stored"`
	Compression string       `json:"compression,omitempty"`
	Debug       string       `json:"debug,omitempty"`
	Kernels     []string     `json:"kernels"`
	Runs        bool         `json:"runs"`
	Written     string       `json:"written,omitempty"`
}

// extractFlags are the flags of extract.
type extractFlags struct {
	output, format string
	kinds, targets []string
	force          bool
}

func (a *app) extractCommand() *cobra.Command {
	var f extractFlags
	cmd := &cobra.Command{
		Use:   "extract PATH... [-o DIR]",
		Short: "List or write the GPU code in programs, libraries and wheels",
		Long: `List the code for GPUs in files: programs, shared libraries and objects of any system (ELF
and PE), archives (.a), Python wheels and other zip files, NVIDIA's fat binaries, clang's
bundles, LLVM's offload binaries, PTX, cubins and code objects. PATH is a file, or a folder
with all that is below it. No other tool is needed, such as cuobjdump.

ENTRY #2.1 is the first entry of fat binary 2. DEBUG is full for code with debug
information, lines for code with line numbers. KERNELS is ? for machine code of more than
64 MiB, which is not uncompressed. Machine code for NVIDIA GPUs is listed and
not decoded: it cannot run. -o writes PTX and the code objects of AMD GPUs to a folder,
which is made if it does not exist; with --kind it writes any kind. A file that exists is
not overwritten.`,
		Example: `  crosslane extract app
  crosslane extract libscan.so pkg.whl -o code
  crosslane extract app --kind ptx --target sm_80 --format json`,
		Args: cobra.MinimumNArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.output, "output", "o", "", "write the code to files in `DIR`")
	fl.StringSliceVar(&f.kinds, "kind", nil, "only code of these kinds, `KIND,...`: ptx, cubin, nvvm, code-object, bitcode, other")
	fl.StringSliceVar(&f.targets, "target", nil, "only code for these targets, `TARGET,...`: sm_80, gfx803, ...")
	fl.BoolVar(&f.force, "force", false, "overwrite files")
	formatFlag(cmd, &f.format, "text", "json")
	var kinds []string
	for _, k := range extract.Kinds {
		kinds = append(kinds, string(k))
	}
	complete(cmd, "kind", kinds...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := input.OneOf("--format", f.format, "text", "json"); err != nil {
			return err
		}
		for _, k := range f.kinds {
			if err := input.OneOf("--kind", k, kinds...); err != nil {
				return err
			}
		}
		return a.command(func(args []string) error { return a.extract(&f, args) })(cmd, args)
	}
	return cmd
}

// extracted holds the pieces that extract has found so far.
type extracted struct {
	a       *app
	f       *extractFlags
	out     extractJSON
	file    string          // of the last line of the text
	names   map[string]bool // of the files that were written
	counts  map[extract.Kind]int
	written int
}

func (a *app) extract(f *extractFlags, paths []string) error {
	x := &extracted{a: a, f: f, out: extractJSON{Schema: "crosslane.extract/1", Entries: []entryJSON{}}, names: map[string]bool{}, counts: map[extract.Kind]int{}}
	if f.output != "" {
		if err := os.MkdirAll(f.output, 0o777); err != nil {
			return ioError(diag.Pos{File: f.output}, "cannot make the folder: %s", input.Reason(err))
		}
	}
	for _, path := range paths {
		if err := x.path(path); err != nil {
			return err
		}
	}
	if f.format == "json" {
		return a.writeJSON(x.out)
	}
	x.summary()
	if f.output != "" && x.written == 0 && x.counts[extract.Cubin] > 0 && len(f.kinds) == 0 {
		d := diag.Errorf(diag.Pos{File: paths[0]}, diag.Unsupported, fatbin.CodeNoPTX, "nothing was written: there is no PTX, only machine code, which cannot run")
		d.Remedy = "build with PTX: add code=compute_80, as in nvcc -gencode arch=compute_80,code=compute_80; or write the machine code with --kind cubin"
		return d
	}
	return nil
}

// path searches a file, or the files below a folder.
func (x *extracted) path(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return ioError(diag.Pos{File: path}, "cannot read: %s", input.Reason(err))
	}
	found := 0
	search := func(file string) error {
		n, err := extract.File(file, x.visit)
		if found += n; err != nil {
			if len(diag.Of(err)) > 0 && diag.Of(err)[0].Code != "" {
				return err
			}
			return ioError(diag.Pos{File: file}, "cannot read: %s", input.Reason(err))
		}
		return x.a.ctx.Err()
	}
	if st.IsDir() {
		err = filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			return search(file)
		})
	} else {
		err = search(path)
	}
	if err == nil && found == 0 {
		d := diag.Errorf(diag.Pos{File: path}, diag.Input, "unknown-kind", "no code for GPUs was found")
		d.Remedy = "give a program, a library, an object, an archive, a wheel, a fat binary, a bundle, PTX or a code object"
		x.a.report(d)
	}
	return err
}

// visit lists a piece of code, and writes it if that was asked for.
func (x *extracted) visit(i *extract.Item, data []byte) error {
	if err := x.a.ctx.Err(); err != nil {
		return err
	}
	if i.Problem != nil {
		x.a.report(i.Problem)
		x.out.Errors = append(x.out.Errors, i.Problem)
		return nil
	}
	if len(x.f.kinds) > 0 && !slices.Contains(x.f.kinds, string(i.Kind)) || len(x.f.targets) > 0 && !slices.Contains(x.f.targets, i.Target) {
		return nil
	}
	x.counts[i.Kind]++
	e := entryJSON{i.File, i.Entry, i.Kind, i.Target, i.Size, i.Stored, i.Compression, i.Debug, i.Kernels, i.Runs(), ""}
	if e.Kernels == nil && !i.Unread {
		e.Kernels = []string{}
	}
	if i.Unread && x.f.output != "" && slices.Contains(x.f.kinds, string(i.Kind)) {
		d := diag.Errorf(diag.Pos{File: i.File}, diag.Unsupported, "unsupported", "entry %s has %s uncompressed, and is not written", i.Entry, input.BytesText(uint64(i.Size)))
		d.Remedy = "leave it out with --target"
		x.a.report(d)
	} else if x.f.output != "" && (len(x.f.kinds) > 0 || i.Kind == extract.PTX || i.Kind == extract.Object) {
		e.Written = x.newName(i.Name)
		if err := writeFile(e.Written, x.f.force, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		}); err != nil {
			return err
		}
		x.written++
	}
	if x.f.format == "json" {
		x.out.Entries = append(x.out.Entries, e)
	} else {
		x.line(&e)
	}
	return nil
}

// newName is the name of a new file in the folder: two pieces of one name get numbers.
func (x *extracted) newName(name string) string {
	end := filepath.Ext(name)
	for n, try := 2, name; ; n++ {
		if !x.names[strings.ToLower(try)] {
			x.names[strings.ToLower(try)] = true
			return filepath.Join(x.f.output, try)
		}
		try = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, end), n, end)
	}
}

// line writes an entry as text.
func (x *extracted) line(e *entryJSON) {
	const columns = "  %-8s %-11s %-10s %11s  %-18s %-5s %7s%s\n"
	w := x.a.out
	if e.File != x.file {
		x.file = e.File
		fmt.Fprintf(w, "%s\n"+columns, e.File, "entry", "kind", "target", "size", "compression", "debug", "kernels", "")
	}
	none := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	packed := none(e.Compression)
	if e.Compression != "" && e.Stored > 0 {
		packed = fmt.Sprintf("%s, %d", e.Compression, e.Stored)
	}
	remark := ""
	if e.Written != "" {
		remark = "  written: " + e.Written
	}
	kernels := "?" // code that is too large to look at
	if e.Kernels != nil {
		kernels = fmt.Sprint(len(e.Kernels))
	}
	fmt.Fprintf(w, columns, none(e.Entry), e.Kind, none(e.Target), fmt.Sprint(e.Size), packed, none(e.Debug), kernels, remark)
}

// summary counts the pieces of each kind.
func (x *extracted) summary() {
	var parts []string
	for _, k := range extract.Kinds {
		if n := x.counts[k]; n > 0 {
			s := fmt.Sprintf("%d %s", n, k)
			if k == extract.Cubin {
				s += " (machine code, cannot run)"
			}
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return
	}
	if x.f.output != "" {
		parts = append(parts, fmt.Sprintf("%s in %s", results.Numbered(x.written, "new file"), x.f.output))
	}
	fmt.Fprintf(x.a.out, "extract: %s\n", strings.Join(parts, ", "))
}
