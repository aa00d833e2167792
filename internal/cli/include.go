package cli

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/internal/input"
)

// includeFlags adds the flags that only GCN3 assembly uses.
func (a *app) includeFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&a.include, "include", "I", nil, "GCN3 assembly: look for included files in `DIR` too, after the file's folder")
	cmd.Flags().StringArrayVar(&a.defsym, "defsym", nil, "GCN3 assembly: define a symbol before the first line, `NAME=VALUE`")
}

// fatbinFlags adds the flags that only NVIDIA's fat binaries use.
func (a *app) fatbinFlags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&a.fatbin, "fatbin", 0, "fat binaries: take the `N`-th one of the file; 0: all")
	cmd.Flags().IntVar(&a.sm, "sm", 0, "fat binaries: choose the PTX for a device sm_`N`; 0: the newest")
}

// load loads a program as the flags of the command say.
func (a *app) load(data []byte, shown, isa string) (module, error) {
	if len(a.linked) > 0 {
		return a.link(data, shown, isa)
	}
	if units := a.units[shown]; units != nil {
		return a.api.Link(units)
	}
	o, err := a.loadOptions(shown, isa)
	if err != nil {
		return nil, err
	}
	o.Unit = a.alone[shown]
	return a.api.Load(data, shown, o)
}

// link loads a program joined with the files of --link.
func (a *app) link(data []byte, shown, isa string) (module, error) {
	files := []crosslane.LinkFile{{File: shown, Text: string(data)}}
	for _, name := range a.linked {
		text, of, err := a.readProgram(name)
		if err != nil {
			return nil, err
		}
		files = append(files, crosslane.LinkFile{File: of, Text: string(text)})
	}
	for i, f := range files {
		is := crosslane.DetectISA([]byte(f.Text))
		if i == 0 && isa != "auto" {
			is = isaOf(isa)
		}
		if is == crosslane.GCN3 {
			return nil, usage("--link joins modules of PTX; %s is GCN3: crosslane asm links GCN3 code", f.File)
		}
	}
	return a.api.Link(files)
}

// loadOptions are those of a file: included files are looked for in its folder first.
func (a *app) loadOptions(shown, isa string) (crosslane.LoadOptions, error) {
	dir := filepath.Dir(shown)
	if shown == stdinName {
		dir = "."
	}
	read := crosslane.IncludeFrom(append([]string{dir}, a.include...)...)
	o := crosslane.LoadOptions{ISA: isaOf(isa), SM: a.sm, FatBinary: a.fatbin, Include: func(name string) ([]byte, error) {
		b, err := read(name)
		if err == nil && utf8.Valid(b) {
			a.remember(name, b)
		}
		return b, err
	}}
	for _, s := range a.defsym {
		name, text, _ := strings.Cut(s, "=")
		v, ok := symbolValue(text)
		if !ok || !symbolName.MatchString(name) {
			return o, usage("--defsym must be NAME=VALUE with a number of 64 bits, found %s", input.Quoted(s))
		}
		if o.Symbols == nil {
			o.Symbols = map[string]int64{}
		}
		o.Symbols[name] = v
	}
	return o, nil
}

// symbolName matches the names that the assembler takes without quotes.
var symbolName = regexp.MustCompile(`^[A-Za-z_.$][A-Za-z0-9_.$]*$`)

// symbolValue is a number as the assembler writes them: decimal, 0x, 0b or octal with 0.
func symbolValue(text string) (int64, bool) {
	if strings.Contains(text, "_") {
		return 0, false
	}
	if v, err := strconv.ParseInt(text, 0, 64); err == nil {
		return v, true
	}
	v, err := strconv.ParseUint(text, 0, 64)
	return int64(v), err == nil
}
