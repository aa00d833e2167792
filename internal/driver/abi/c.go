package abi

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// ctypes are the C types of the kinds. The header defines the structures.
var ctypes = map[Kind]string{
	I32: "int32_t", U8: "uint8_t", U16: "uint16_t", U32: "uint32_t", U64: "uint64_t", F32: "float",
	Pointer: "void *", Struct8: "struct crosslane_struct8", Struct64: "struct crosslane_struct64",
}

const headerHead = `/* The functions of the CUDA driver API. Crosslane writes this file from its table.

   The library exports a stub for each function. The stub of cuInit calls crosslane_cuInit if the
   library has a function of that name, and otherwise returns 801. This header declares all functions
   that stubs call; pointers and handles are void *. */
#ifndef CROSSLANE_CUDA_H
#define CROSSLANE_CUDA_H

#include <stdint.h>

struct crosslane_struct8 { uint32_t word[2]; };
struct crosslane_struct64 { uint64_t word[8]; };

#pragma GCC visibility push(hidden)

/* The choice of cuGetProcAddress: the newest ABI of a name that the version of CUDA already had.
   driver is the version that cuDriverGetVersion reports. Returns 0 and the function; 1, the
   API lacks the name; 2, all ABIs of the name are newer than the version; -1, the version is above
   the driver's, a flag is unknown, or name is NULL. *function is NULL unless the result is 0. */
int crosslane_lookup(const char *name, int version, uint64_t flags, int driver, void **function);

`

const headerTail = `
#pragma GCC visibility pop

#endif
`

const sourceHead = `
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* missing reports the call of a function that the library lacks, once for each function. */
static int missing(const char *name, int *reported)
{
	if (!__atomic_exchange_n(reported, 1, __ATOMIC_RELAXED))
		fprintf(stderr, "crosslane: %s is not implemented: it returns 801 (CUDA_ERROR_NOT_SUPPORTED)\n", name);
	return 801;
}

/* The table refers to stub_*, because a program may define a variable with the name of a function. */
#define STUB(name, kinds) \
	int crosslane_##name PARAMS_##kinds __attribute__((weak)); \
	static int stub_##name PARAMS_##kinds \
	{ \
		static int reported; \
		return crosslane_##name ? crosslane_##name ARGS_##kinds : missing(#name, &reported); \
	} \
	int name PARAMS_##kinds __attribute__((alias("stub_" #name), visibility("default")));

`

const sourceTable = `
/* The table is sorted by base, then by stream form (1 is per thread), then by version. */
#define ENTRY(base, name, version, per_thread) { #base, (void *)stub_##name, version, per_thread },
static const struct entry { const char *base; void *function; int version, per_thread; } table[] = {
`

const sourceTail = `};

int crosslane_lookup(const char *name, int version, uint64_t flags, int driver, void **function)
{
	size_t low = 0, high = sizeof table / sizeof table[0], end = high, first;
	int per_thread = 0;

	*function = NULL;
	if (!name || version > driver || flags > 2)
		return -1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(table[middle].base, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (first = low; low < end && !strcmp(table[low].base, name); low++)
		per_thread |= flags == 2 && table[low].per_thread;
	if (low == first)
		return 1;
	while (low-- > first) {
		if (table[low].per_thread == per_thread && table[low].version <= version) {
			*function = table[low].function;
			return 0;
		}
	}
	return 2;
}
`

// WriteHeader writes the C header that declares the functions of WriteC. An implementation that
// includes it is compiled with the parameters of the table. The error is the writer's.
func WriteHeader(w io.Writer) error {
	b := bufio.NewWriter(w)
	writeHeader(b)
	return b.Flush()
}

func writeHeader(b *bufio.Writer) {
	b.WriteString(headerHead)
	for s := range Symbols() {
		fmt.Fprintf(b, "int crosslane_%s%s;\n", s.Name, params(s, false))
	}
	b.WriteString(headerTail)
}

// WriteDeclarations writes a C header that declares the functions that the library exports, under their own names, for C
// code that calls the library. The error is the writer's.
func WriteDeclarations(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString("/* The functions of the CUDA driver API. Crosslane writes this file from its table; pointers and handles are void *. */\n" +
		"#include <stdint.h>\n\nstruct crosslane_struct8 { uint32_t word[2]; };\nstruct crosslane_struct64 { uint64_t word[8]; };\n\n")
	for s := range Symbols() {
		fmt.Fprintf(b, "int %s%s;\n", s.Name, params(s, false))
	}
	return b.Flush()
}

// WriteC writes the C source of the exported functions: one stub for each Symbol, and
// crosslane_lookup, which is Lookup in C. The source includes no other file of Crosslane, and needs
// GCC or Clang on Linux. Compile it with -fPIC and link it with the files that implement functions:
//
//	int crosslane_cuInit(uint32_t flags) { return 0; }
//
// The error is the writer's.
func WriteC(w io.Writer) error {
	b := bufio.NewWriter(w)
	writeHeader(b)
	b.WriteString(sourceHead)
	defined := map[string]bool{}
	for s := range Symbols() {
		tag := tagOf(s)
		if defined[tag] {
			continue
		}
		defined[tag] = true
		fmt.Fprintf(b, "#define PARAMS_%s %s\n#define ARGS_%s (%s)\n", tag, params(s, true), tag, strings.Join(args(s), ", "))
	}
	b.WriteString("\n")
	for s := range Symbols() {
		fmt.Fprintf(b, "STUB(%s, %s)\n", s.Name, tagOf(s))
	}
	b.WriteString(sourceTable)
	for s := range Symbols() {
		fmt.Fprintf(b, "ENTRY(%s, %s, %d, %d)\n", s.Base, s.Name, s.Version, s.Stream)
	}
	b.WriteString(sourceTail)
	return b.Flush()
}

// tagOf returns the end of the macros' names for the parameters of a function.
func tagOf(s Symbol) string {
	if s.params == "" {
		return "none"
	}
	return s.params
}

// args returns the names of the parameters: a0, a1 …
func args(s Symbol) []string {
	list := make([]string, len(s.params))
	for i := range list {
		list[i] = fmt.Sprint("a", i)
	}
	return list
}

// params returns the list of parameters in C, with names or without.
func params(s Symbol, named bool) string {
	if s.params == "" {
		return "(void)"
	}
	names := args(s)
	list := make([]string, len(names))
	for i, k := range s.Params() {
		list[i] = ctypes[k]
		if named {
			list[i] += " " + names[i]
		}
	}
	return "(" + strings.Join(list, ", ") + ")"
}
