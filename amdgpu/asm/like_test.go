package asm_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/amdgpu/asm"
)

var updateLLVM = flag.Bool("update-llvm", false, "write what llvm-mc-22 makes of the cases to testdata/llvm_cases.txt")

// A likeCase is one source of testdata/llvm_cases.txt with the output of LLVM's assembler. A mark
// after the name gives the reason for a difference: "(refused: …)" if Crosslane refuses a source
// that LLVM accepts, "(differs: …)" if Crosslane gives another output.
type likeCase struct {
	name, mark string // mark is the reason for a difference from LLVM
	src, want  string
}

const llvmCases = "testdata/llvm_cases.txt"

func likeCases(t *testing.T) []likeCase {
	var out []likeCase
	for _, part := range strings.Split("\n"+strings.TrimSuffix(string(readFile(t, llvmCases)), "\n"), "\n=== ")[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		c := likeCase{name: name}
		if i := strings.IndexByte(name, '('); i > 0 {
			c.name, c.mark = strings.TrimSpace(name[:i]), strings.TrimSuffix(name[i+1:], ")")
		}
		c.src, c.want, _ = strings.Cut(rest, "\n~~~\n")
		c.src, c.want = strings.TrimSuffix(c.src, "\n~~~")+"\n", strings.TrimSuffix(c.want, "\n")+"\n"
		out = append(out, c)
	}
	return out
}

// likeText returns the compared parts of an object as text: sections with contents, symbols and
// relocations, in the order of their names.
func likeText(o *asm.Object) string {
	var secs, syms, rels []string
	section := func(i int) string {
		switch i {
		case asm.SymbolAbsolute:
			return "abs"
		case asm.SymbolUndefined:
			return "undefined"
		case asm.SymbolCommon:
			return "common"
		case asm.SymbolLDS:
			return "lds"
		}
		return o.Sections[i].Name
	}
	for _, s := range o.Sections {
		if n := uint64(len(s.Data)) + s.Size; n > 0 {
			secs = append(secs, fmt.Sprintf("%s type %d flags %#x entry %d align %d size %d %x", s.Name, s.Type, s.Flags, s.EntSize, max(s.Align, 1), n, s.Data))
		}
	}
	name := func(s asm.Symbol) string {
		if s.Type == 3 {
			return section(s.Section)
		}
		return s.Name
	}
	for _, s := range o.Symbols {
		if s.Type != 3 {
			syms = append(syms, fmt.Sprintf("symbol %q %s+%#x size %d bind %d type %d visibility %d", s.Name, section(s.Section), s.Value, s.Size, s.Bind, s.Type, s.Visibility))
		}
	}
	for _, r := range o.Relocs {
		rels = append(rels, fmt.Sprintf("reloc %s+%#x type %d %s%+d", section(r.Section), r.Offset, r.Type, name(o.Symbols[r.Symbol]), r.Addend))
	}
	slices.Sort(secs)
	slices.Sort(syms)
	slices.Sort(rels)
	all := slices.Concat(secs, syms, rels)
	if len(all) == 0 {
		return "nothing\n"
	}
	return strings.Join(append(all, ""), "\n")
}

// likeLLVM returns the likeText of a file from LLVM.
func likeLLVM(data []byte) (string, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	o := &asm.Object{}
	index := map[int]int{}
	for i, s := range f.Sections {
		switch s.Type {
		case elf.SHT_NULL, elf.SHT_SYMTAB, elf.SHT_STRTAB, elf.SHT_RELA:
			continue
		}
		index[i] = len(o.Sections)
		x := asm.Section{Name: s.Name, Type: uint32(s.Type), Flags: uint64(s.Flags), EntSize: s.Entsize, Align: s.Addralign}
		if s.Type == elf.SHT_NOBITS {
			x.Size = s.Size
		} else if x.Data, err = s.Data(); err != nil {
			return "", err
		}
		o.Sections = append(o.Sections, x)
	}
	syms, err := f.Symbols()
	if err != nil && err != elf.ErrNoSymbols {
		return "", err
	}
	for _, s := range syms {
		x := asm.Symbol{Name: s.Name, Value: s.Value, Size: s.Size, Bind: s.Info >> 4, Type: s.Info & 15, Visibility: s.Other & 3}
		switch s.Section {
		case elf.SHN_UNDEF:
			x.Section = asm.SymbolUndefined
		case elf.SHN_LOPROC: // SHN_AMDGPU_LDS
			x.Section = asm.SymbolLDS
		case elf.SHN_COMMON:
			x.Section = asm.SymbolCommon
		case elf.SHN_ABS:
			x.Section = asm.SymbolAbsolute
		default:
			i, ok := index[int(s.Section)]
			if !ok {
				return "", fmt.Errorf("symbol %s in section %v", s.Name, s.Section)
			}
			x.Section = i
		}
		o.Symbols = append(o.Symbols, x)
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA {
			continue
		}
		data, _ := s.Data()
		for ; len(data) >= 24; data = data[24:] {
			info := binary.LittleEndian.Uint64(data[8:])
			o.Relocs = append(o.Relocs, asm.Reloc{
				Section: index[int(s.Info)], Offset: binary.LittleEndian.Uint64(data), Type: uint32(info),
				Symbol: int(info>>32) - 1, Addend: int64(binary.LittleEndian.Uint64(data[16:])),
			})
		}
	}
	o.Symbols = slices.Clone(o.Symbols)
	return likeText(o), nil
}

// runMC returns the output of llvm-mc for a source, or "error\n".
func runMC(t testing.TB, src string) (string, string) {
	out := filepath.Join(t.TempDir(), "a.o")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) // llvm-mc does not terminate on some sources
	defer cancel()
	cmd := exec.CommandContext(ctx, llvm(t, "llvm-mc"), "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-filetype=obj", "-o", out)
	cmd.Stdin = strings.NewReader(src)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); ctx.Err() != nil {
		return "endless\n", ""
	} else if err != nil {
		return "error\n", stderr.String()
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	text, err := likeLLVM(data)
	if err != nil {
		t.Fatal(err)
	}
	return text, stderr.String()
}

// TestAssembleCases checks that directives, macros, expressions and operands give the bytes,
// symbols and relocations of LLVM's assembler, and that a source that LLVM refuses is refused.
// LLVM's outputs are committed: go test -run TestAssembleCases -update-llvm.
func TestAssembleCases(t *testing.T) {
	t.Parallel()
	cases := likeCases(t)
	if *updateLLVM {
		updateCases(t, cases)
	}
	for _, c := range cases {
		o, l := asm.Assemble([]byte(c.src), "case", asm.Options{Relocatable: true})
		got := "error\n"
		if o != nil {
			got = likeText(o)
		}
		switch {
		case strings.HasPrefix(c.mark, "refused: "):
			if o != nil || c.want == "error\n" {
				t.Errorf("=== %s\n%sgives\n%sexpected a refusal (%s) of what LLVM takes", c.name, c.src, got, c.mark)
			}
		case strings.HasPrefix(c.mark, "differs: "):
			if o == nil || got == c.want {
				t.Errorf("=== %s\n%sgives\n%s%vexpected a difference from LLVM (%s)", c.name, c.src, got, l, c.mark)
			}
		case got != c.want || c.mark != "":
			t.Errorf("=== %s (%s)\n%sgives\n%s%vexpected\n%s", c.name, c.mark, c.src, got, l, c.want)
		}
	}
}

// TestAssembleCasesAreLLVMs checks that the committed outputs are those of the installed LLVM.
func TestAssembleCasesAreLLVMs(t *testing.T) {
	t.Parallel()
	for i, c := range likeCases(t) {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "1" && i%20 != 0 {
			continue
		}
		if got, msg := runMC(t, c.src); got != c.want {
			t.Errorf("=== %s\n%sLLVM gives\n%s%sexpected\n%s", c.name, c.src, got, msg, c.want)
		}
	}
}

func updateCases(t *testing.T, cases []likeCase) {
	for i := range cases {
		var msg string
		cases[i].want, msg = runMC(t, cases[i].src)
		if testing.Verbose() && msg != "" {
			fmt.Printf("=== %s\n%s%s\n", cases[i].name, cases[i].src, msg)
		}
	}
	var b strings.Builder
	for _, c := range cases {
		if c.mark != "" {
			c.name += " (" + c.mark + ")"
		}
		fmt.Fprintf(&b, "=== %s\n%s~~~\n%s", c.name, c.src, c.want)
	}
	if err := os.WriteFile(llvmCases, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
