package extract

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strings"

	"example.org/crosslane/ptx"
)

const (
	elfHead     = 64               // bytes of the header of a 64-bit ELF file
	machineCUDA = elf.Machine(190) // EM_CUDA
)

// isPTX reports whether a text begins with what only PTX begins with: comments and .version.
func isPTX(head []byte) bool {
	rest := bytes.TrimPrefix(head, []byte("\ufeff"))
	for {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			_, after, ok := bytes.Cut(rest, []byte("\n"))
			if !ok {
				return false // the comment is longer than the head
			}
			rest = after
		case bytes.HasPrefix(rest, []byte("/*")):
			_, after, ok := bytes.Cut(rest[2:], []byte("*/"))
			if !ok {
				return false
			}
			rest = after
		default:
			after, ok := bytes.CutPrefix(rest, []byte(".version"))
			return ok && len(after) > 0 && (after[0] == ' ' || after[0] == '\t')
		}
	}
}

// ptxFacts reads the target, the kernels and the debug information of a module. It does not check
// the text.
func ptxFacts(i *Item, text []byte) {
	words := words{rest: text[:ptx.TextEnd(text)]}
	for w := words.next(); w != ""; w = words.next() {
		switch w {
		case ".target":
			if i.Target == "" {
				i.Target = words.next()
			}
		case "debug":
			i.Debug = "full"
		case ".loc":
			if i.Debug == "" {
				i.Debug = "lines"
			}
		case ".entry":
			if name := words.next(); name != "" && !slices.Contains(i.Kernels, name) {
				i.Kernels = append(i.Kernels, name)
			}
		}
	}
}

// words splits a text of PTX into words: names, directives and numbers. Comments, strings and
// punctuation are left out.
type words struct{ rest []byte }

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%' || c == '.'
}

// next returns the next word; "" at the end of the text.
func (w *words) next() string {
	b := w.rest
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c == '/' && i+1 < len(b) && b[i+1] == '/':
			n := bytes.IndexByte(b[i:], '\n')
			if n < 0 {
				n = len(b) - i
			}
			i += n
		case c == '/' && i+1 < len(b) && b[i+1] == '*':
			n := bytes.Index(b[i+2:], []byte("*/"))
			if n < 0 {
				n = len(b) - i - 4
			}
			i += n + 4
		case c == '"':
			n := bytes.IndexByte(b[i+1:], '"')
			if n < 0 {
				n = len(b) - i - 2
			}
			i += n + 2
		case wordByte(c):
			k := i + 1
			for k < len(b) && wordByte(b[k]) {
				k++
			}
			w.rest = b[k:]
			return string(b[i:k])
		default:
			i++
		}
	}
	w.rest = nil
	return ""
}

// elfFacts reads the kernels and the debug information of machine code. A damaged file has none.
func elfFacts(i *Item, data []byte, isKernel func(s elf.Symbol) (name string, ok bool)) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return
	}
	for _, s := range f.Sections {
		switch s.Name {
		case ".debug_info":
			i.Debug = "full"
		case ".debug_line":
			if i.Debug == "" {
				i.Debug = "lines"
			}
		}
	}
	symbols, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	seen := map[string]bool{}
	for _, s := range slices.Concat(symbols, dynamic) {
		if name, ok := isKernel(s); ok && !seen[name] {
			seen[name] = true
			i.Kernels = append(i.Kernels, name)
		}
	}
	slices.Sort(i.Kernels)
}

// entryMark is the bit of st_other that marks the kernels among the functions of a cubin.
const entryMark = 0x10

// cudaKernel reports whether a symbol of a cubin is a kernel.
func cudaKernel(s elf.Symbol) (string, bool) {
	return s.Name, elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Other&entryMark != 0 && s.Section != elf.SHN_UNDEF
}

// amdKernel reports whether a symbol of a code object is the descriptor of a kernel (AMDGPUUsage,
// "Code Object Symbols"). Version 2 has a type of its own for kernels.
func amdKernel(s elf.Symbol) (string, bool) {
	const typeKernel = 10 // STT_AMDGPU_HSA_KERNEL
	if elf.ST_TYPE(s.Info) == typeKernel {
		return s.Name, true
	}
	return strings.CutSuffix(s.Name, ".kd")
}

// cubinTarget names the architecture of a cubin by the head of the file. Files of ABI version 8 and
// newer have the number in other bits (LLVM, BinaryFormat/ELF.h, EF_CUDA_SM); whether the code is
// architecture-specific is not in the head.
func cubinTarget(head []byte) string {
	sm := binary.LittleEndian.Uint32(head[48:])
	if abi := head[8]; abi >= 8 {
		sm >>= 8
	}
	return fmt.Sprintf("sm_%d", sm&0xff)
}

// baseName is the last part of a name, which is a name for a file on all systems.
func baseName(name string) string {
	name = path.Base(strings.ReplaceAll(name, "\\", "/"))
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"|?*/`, r) {
			return '_'
		}
		return r
	}, name)
}
