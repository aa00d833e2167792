// Package codeobject reads and writes AMD GPU code objects: the ELF files that compilers make for
// gfx803 and that a runtime loads.
//
// A code object holds machine code (.text), one 64-byte kernel descriptor for each kernel (the
// symbol NAME.kd in .rodata), data, and a note with metadata in MessagePack form: the kernels'
// arguments and sizes. Load reads finished code objects (ET_DYN) and relocatable ones (ET_REL) of
// versions 2 to 6. Build links sections, symbols and relocations into a finished code object.
// Version 2 has an amd_kernel_code_t before the code instead of the descriptor, and metadata in
// YAML.
//
// Every size and offset in a file is checked against the file before it is used. Errors are
// diagnostics with the byte offset, the value found there and the expected value. A valid file with
// a feature that Crosslane lacks (another target, a newer version, an undefined symbol) yields a
// diagnostic of class Unsupported that names the feature.
//
// References: "AMDGPUUsage" of the LLVM documentation, sections "Code Object", "Code Object
// Metadata" and "Kernel Descriptor"; the System V ABI (gABI).
package codeobject
