package cli

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.org/crosslane"
)

// includeFlags adds the flags that only GCN3 assembly uses.
func (a *app) includeFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&a.include, "include", "I", nil, "GCN3 assembly: look for included files in `DIR` too, after the file's folder")
	cmd.Flags().StringArrayVar(&a.defsym, "defsym", nil, "GCN3 assembly: define a symbol before the first line, `NAME=VALUE`")
}

// load loads a program as the flags of the command say.
func (a *app) load(data []byte, shown, isa string) (module, error) {
	o, err := a.loadOptions(shown, isa)
	if err != nil {
		return nil, err
	}
	return a.api.Load(data, shown, o)
}

// loadOptions are those of a file: included files are looked for in its folder first.
func (a *app) loadOptions(shown, isa string) (crosslane.LoadOptions, error) {
	dir := filepath.Dir(shown)
	if shown == stdinName {
		dir = "."
	}
	read := crosslane.IncludeFrom(append([]string{dir}, a.include...)...)
	o := crosslane.LoadOptions{ISA: isaOf(isa), Include: func(name string) ([]byte, error) {
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
			return o, usage("--defsym must be NAME=VALUE with a number of 64 bits, found %s", quoted(s))
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
