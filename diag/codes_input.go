package diag

import "strings"

// Examples share a command and a kernel's frame.
const runExample = "crosslane run k.ptx --grid 1 --block 32"

// ptxFile is the file k.ptx with one kernel, k.
func ptxFile(params, body string) string {
	return "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n" +
		".visible .entry k(" + params + ")\n{\n" + body + "\n}\n"
}

// Examples of linking share a command and the head of the second module.
const (
	linkExample = runExample + " --link other.ptx"
	otherModule = "-- other.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n"
)

// inputCodes are about the user's input, found before any run.
func inputCodes() []Code {
	return []Code{
		{
			Code: "usage", Class: Input, Severity: Error,
			Doc:     "The command line is not one that Crosslane understands: an unknown command or flag, a missing argument, a value that the flag does not take.",
			Remedy:  "crosslane COMMAND --help shows the flags and the forms of their values.",
			Example: "crosslane run k.ptx --gird 4",
		},
		{
			Code: "io", Class: Input, Severity: Error,
			Doc:     "A file cannot be read or written. Existing files that --save would overwrite count, too: a repeated command never loses results.",
			Remedy:  "Check the name and the permissions; --force lets --save overwrite.",
			Example: "crosslane run nosuch.ptx --grid 1 --block 32",
		},
		{
			Code: "unknown-kind", Class: Input, Severity: Error,
			Doc:     "The file is neither PTX text nor GCN3 assembly nor an AMDGPU code object. PTX begins with .version, a code object with the ELF magic number. Or a command needs another kind: fix needs text.",
			Remedy:  "Name the kind with --isa, or check that it is the file you meant.",
			Example: runExample + "\n-- k.ptx --\n// nothing here",
		},
		{
			Code: "no-such-kernel", Class: Input, Severity: Error,
			Doc:     "The file has no kernel of that name, or has several and none was named. The message lists the existing ones.",
			Remedy:  "Name one with --kernel.",
			Example: runExample + " --kernel other" + ptxFile("", "\tret;"),
		},
		{
			Code: "no-such-variable", Class: Input, Severity: Error,
			Doc:     "The file has no variable of that name in .const or .global memory, or the kernel does not use it, so that there is nothing to print. The message lists the existing ones.",
			Remedy:  "Name one as the file does, or by its demangled name.",
			Example: runExample + " --set-symbol other=1" + ptxFile("", "\tret;"),
		},
		{
			Code: "bad-argument", Class: Input, Severity: Error,
			Doc:     "A kernel argument, an initial value, an expected value or a register's value is malformed, does not fit its type or size, or does not fit the kernel's parameter; or there are too few or too many arguments.",
			Remedy:  "The message gives the expected form; crosslane run --help lists the forms of arguments.",
			Example: runExample + " --arg u8:256" + ptxFile(".param .u8 n", "\tret;"),
		},
		{
			Code: "bad-launch", Class: Input, Severity: Error,
			Doc:     "The grid, the block or the shared memory is larger than the instruction set allows, the block is not the one that the kernel requires, or a launch file is malformed.",
			Remedy:  "Use sizes within the limits that the message names.",
			Example: "crosslane run k.ptx --grid 1 --block 2048" + ptxFile("", "\tret;"),
		},
		{
			Code: "bad-target", Class: Input, Severity: Error,
			Doc:     "The value that why should explain does not exist: the line has no instruction of the kernel, or the lane that is named never executed it.",
			Remedy:  "Name the line of an instruction that writes something, and a lane that executes it.",
			Example: "crosslane why k.ptx --grid 1 --block 32 --at 99" + ptxFile("", "\tret;"),
		},
		{
			Code: "not-compiled", Class: Input, Severity: Error,
			Doc:    "The compiler that is installed does not translate a file of CUDA C++. The message is the compiler's.",
			Remedy: "Fix the errors that the compiler names, give it the flags that it needs with --compiler, or compile the file yourself and name the result.",
		},
		{
			Code: "bad-engine", Class: Unsupported, Severity: Error,
			Doc:     "The engine that --engine names cannot run on this machine, or is switched off.",
			Remedy:  "crosslane version lists the engines; auto chooses one.",
			Example: "CROSSLANE_JIT=off " + runExample + " --engine jit" + ptxFile("", "\tret;"),
		},
		{
			Code: "unsupported", Class: Unsupported, Severity: Error,
			Doc:     "A part of the input is legal but not supported by Crosslane. It is named, and no code that contains it is run, so that results are never wrong silently.",
			Remedy:  "Rewrite the part that is named, or report it.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n.extern .func elsewhere();\n.entry k()\n{\n\tcall elsewhere;\n\tret;\n}",
		},
		{
			Code: "too-large", Class: Input, Severity: Error,
			Doc:     "A part of the input exceeds the limits that keep bad input from using up memory: a file, a variable, the parameters of a function.",
			Remedy:  "Make it smaller; the message names the limit.",
			Example: runExample + ptxFile("", "\t.shared .b8 s[99999999999999];\n\tret;"),
		},
		{
			Code: "too-deep", Class: Input, Severity: Error,
			Doc:     "Blocks, expressions or initialisers are nested deeper than any compiler nests them. The limit keeps bad input from using up the stack.",
			Remedy:  "Nest less.",
			Example: runExample + ptxFile("", "\t.global .b32 x = "+repeat("(", 300)+"1"+repeat(")", 300)+";\n\tret;"),
		},
		{
			Code: "syntax", Class: Input, Severity: Error,
			Doc:     "The text does not have the form that the language requires. The message names the text that was found and the form that was expected; the caret shows where.",
			Remedy:  "Correct the text at the caret. Later errors may follow from the first.",
			Example: runExample + ptxFile("", "\tret"),
		},
		{
			Code: "undeclared", Class: Input, Severity: Error,
			Doc:     "A name is used that no declaration in scope introduces. Register families such as %r<8> declare %r0 to %r7.",
			Remedy:  "Declare it, or correct its spelling; the message names the nearest one.",
			Example: runExample + ptxFile("", "\t.reg .b32 %r<2>;\n\tmov.u32 %r1, %r2;\n\tret;"),
		},
		{
			Code: "more-errors", Class: Input, Severity: Note,
			Doc:     "The file has more errors than the 20 that are reported, and this is how many.",
			Remedy:  "Correct the reported ones first: the rest may follow from them.",
			Example: runExample + ptxFile("", strings.Repeat("\t,;\n", 22)+"\tret;"),
		},
		{
			Code: "redeclared", Class: Input, Severity: Error,
			Doc:     "A name is declared twice in one scope, or two declarations of a function differ.",
			Remedy:  "Rename one of them, or put it into a scope of its own.",
			Example: runExample + ptxFile("", "\t.reg .b32 a;\n\t.reg .b32 a;\n\tret;"),
		},
		{
			Code: "multiple-definition", Class: Input, Severity: Error,
			Doc:     "Two modules that are linked define the same function, kernel or variable for other modules. The message names one definition, and the note the other.",
			Remedy:  "Define it in one module. Leave out .visible if only its module uses it, or write .weak if any of the definitions may be taken.",
			Example: linkExample + ptxFile("", "\tret;") + otherModule + ".visible .entry k()\n{\n\tret;\n}\n",
		},
		{
			Code: "link-mismatch", Class: Input, Severity: Error,
			Doc:     "Two modules that are linked do not fit together: their addresses have different sizes, a module is for a target whose features the other one's target lacks, or they declare one name differently.",
			Remedy:  "Compile both modules with the same options, and declare the name alike.",
			Example: linkExample + ptxFile("", "\tret;") + otherModule + ".extern .global .align 4 .b32 k;\n",
		},
		{
			Code: "bad-literal", Class: Input, Severity: Error,
			Doc:     "A number or constant expression is malformed, is of the wrong kind, or has no value, such as a division by zero.",
			Remedy:  "Write the number as section 4.5 of the PTX manual describes.",
			Example: runExample + ptxFile("", "\t.global .b32 x = 1 / 0;\n\tret;"),
		},
		{
			Code: "bad-declaration", Class: Input, Severity: Error,
			Doc:     "A variable is declared as its state space or type does not allow: a register array, a predicate in memory, an initialiser in a state space that has none.",
			Remedy:  "See the section of the manual that the message cites.",
			Example: runExample + ptxFile("", "\t.global .pred p;\n\tret;"),
		},
		{
			Code: "bad-directive", Class: Input, Severity: Error,
			Doc:     "A directive is unknown, has the wrong arguments, or stands in a place where it is not allowed.",
			Remedy:  "See section 11 of the PTX manual.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 48",
		},
		{
			Code: "unsupported-directive", Class: Unsupported, Severity: Error,
			Doc:     "A directive or declaration is legal PTX and not supported.",
			Remedy:  "Remove it if the kernel does not need it.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_80\n#include \"common.h\"",
		},
		{
			Code: "newer-version", Class: Finding, Severity: Warning,
			Doc:     "The .version is newer than the newest that Crosslane supports. The file is read as one of the newest supported version; a later instruction gets the code unsupported-instruction.",
			Remedy:  "None is needed if the file loads; a newer release of Crosslane may support the version.",
			Example: runExample + "\n-- k.ptx --\n.version 99.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tret;\n}",
		},
		{
			Code: "beyond-manual", Class: Finding, Severity: Note,
			Doc:     "The file uses a spelling that the manual does not have and that the usual assembler takes: NVIDIA's for PTX, LLVM's for GCN3. Crosslane takes it as well; the note stands once for each kind of spelling in a file.",
			Remedy:  "None is needed. Other tools that follow the manual may refuse the file.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_80\n.address_size 64\n.func f()\n.func f()\n{\n\tret;\n}\n.entry k()\n{\n\tret;\n}",
		},
		{
			Code: "newer-target", Class: Finding, Severity: Warning,
			Doc:     "The .target is higher than those that Crosslane supports. Its features follow from its number and its suffix: all features of lower targets, and those of its family.",
			Remedy:  "None is needed if the file loads; a newer release of Crosslane may support the target.",
			Example: runExample + "\n-- k.ptx --\n.version 9.4\n.target sm_130\n.address_size 64\n.entry k()\n{\n\tret;\n}",
		},
		{
			Code: "unknown-target", Class: Input, Severity: Error,
			Doc:     "The .target names no architecture of a version of PTX that Crosslane supports. The message lists the existing ones.",
			Remedy:  "Compile for an architecture such as sm_70.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_99",
		},
		{
			Code: "target-version", Class: Input, Severity: Error,
			Doc:     "The .target is newer than the .version: that version of PTX does not have the architecture.",
			Remedy:  "Raise the .version, or compile for an older target.",
			Example: runExample + "\n-- k.ptx --\n.version 6.0\n.target sm_90",
		},
		{
			Code: "unsupported-instruction", Class: Unsupported, Severity: Error,
			Doc:     "The instruction is a PTX instruction that Crosslane parses but does not run, or it stands in a module of a newer version of PTX and is unknown. A spelling that PTX does not have gets the code unknown-instruction.",
			Remedy:  "Use another instruction, or run the kernels that do not reach it; see the reference of instructions.",
			Example: runExample + strings.NewReplacer("8.0", "9.3", "sm_80", "sm_100").Replace(ptxFile("", "\tfabric.wait.sync_restrict::reads;\n\tret;")),
		},
		{
			Code: "unknown-instruction", Class: Input, Severity: Error,
			Doc:     "The mnemonic is no GCN3 instruction, or none that gfx803 has in this encoding; or it is no instruction of PTX, or has a modifier that PTX does not have there.",
			Remedy:  "Correct the mnemonic or its modifiers; the message names the nearest ones.",
			Example: "crosslane asm --hex 'v_ad_f32 v0, v1, v2'",
		},
		{
			Code: "needs-version", Class: Input, Severity: Error,
			Doc:     "The instruction came with a later version of PTX than the module's .version.",
			Remedy:  "Raise the .version to the one that the message names.",
			Example: runExample + "\n-- k.ptx --\n.version 5.0\n.target sm_35\n.address_size 64\n.entry k()\n{\n\t.reg .b32 %r<2>;\n\tshfl.sync.up.b32 %r1, %r1, 1, 0, -1;\n\tret;\n}",
		},
		{
			Code: "needs-target", Class: Input, Severity: Error,
			Doc:     "The instruction needs a later architecture than the module's .target.",
			Remedy:  "Compile for the target that the message names, or later.",
			Example: runExample + "\n-- k.ptx --\n.version 8.0\n.target sm_70\n.address_size 64\n.entry k()\n{\n\t.reg .b32 %r<2>;\n\tredux.sync.add.s32 %r1, %r1, -1;\n\tret;\n}",
		},
		{
			Code: "removed-instruction", Class: Input, Severity: Error,
			Doc:     "The instruction no longer exists for this .version and .target: shfl and vote without .sync are gone from PTX 6.4 on sm_70 and later, because threads of a warp no longer run in step.",
			Remedy:  "Use the form with .sync and name the participating lanes in its membermask.",
			Example: runExample + ptxFile("", "\t.reg .b32 %r<2>;\n\tshfl.up.b32 %r1, %r1, 1, 0;\n\tret;"),
		},
		{
			Code: "deprecated-instruction", Class: Finding, Severity: Warning,
			Doc:     "The instruction is deprecated in this .version of PTX. It still works.",
			Remedy:  "Use the form with .sync.",
			Example: "crosslane run k.ptx --grid 1 --block 32\n-- k.ptx --\n.version 6.0\n.target sm_35\n.address_size 64\n.entry k()\n{\n\t.reg .b32 %r<2>;\n\tmov.u32 %r1, %laneid;\n\tshfl.up.b32 %r1, %r1, 1, 0;\n\tret;\n}",
		},
		{
			Code: "operand-count", Class: Input, Severity: Error,
			Doc:     "The instruction has too few or too many operands.",
			Remedy:  "The message shows the form of the instruction.",
			Example: runExample + ptxFile("", "\t.reg .b32 %r<2>;\n\tadd.u32 %r1, %r1;\n\tret;"),
		},
		{
			Code: "operand-type", Class: Input, Severity: Error,
			Doc:     "An operand's register or variable is of a type that the instruction does not take: of another size, or a float instead of an integer (PTX 9.4).",
			Remedy:  "Use a register of the type that the message names, or cvt.",
			Example: runExample + ptxFile("", "\t.reg .b32 %r<2>;\n\t.reg .b64 %d<2>;\n\tadd.u32 %r1, %r1, %d1;\n\tret;"),
		},
		{
			Code: "bad-operand", Class: Input, Severity: Error,
			Doc:     "An operand is of a kind that the instruction does not take there, or breaks a rule of the encoding: an address instead of a register, a scalar register although DPP needs a VGPR.",
			Remedy:  "The message lists the kinds that are allowed.",
			Example: runExample + ptxFile("", "\t.reg .b32 %r<2>;\n\tadd.u32 5, %r1, %r1;\n\tret;"),
		},
		{
			Code: "bad-immediate", Class: Input, Severity: Error,
			Doc:     "A constant operand does not fit the operand's width or range, or is a float instead of an integer, or the other way round.",
			Remedy:  "Use a constant in the range that the message names.",
			Example: runExample + ptxFile("", "\t.reg .f32 %f<2>;\n\tadd.f32 %f1, %f1, 1;\n\tret;"),
		},
		{
			Code: "bad-modifier", Class: Input, Severity: Error,
			Doc:     "A modifier is unknown, is missing, contradicts another, or is not taken by this instruction: a rounding mode on an operation that does not round, row_shr:16 although 15 is the limit.",
			Remedy:  "The message lists the allowed ones.",
			Example: runExample + ptxFile("", "\t.reg .b32 %r<2>;\n\tcvt.rni.u32.u32 %r1, %r1;\n\tret;"),
		},
		{
			Code: "state-space", Class: Input, Severity: Error,
			Doc:     "A memory instruction names another state space than that of the variable, or writes one that is read-only.",
			Remedy:  "Name the variable's space, or use a generic address.",
			Example: runExample + ptxFile("", "\t.reg .b32 %r<2>;\n\t.shared .b32 s;\n\tld.global.b32 %r1, [s];\n\tret;"),
		},
		{
			Code: "illegal-operand", Class: Input, Severity: Error,
			Doc:    "An instruction built by a program cannot be encoded: an operand or modifier has no place in the encoding. The assembler reports bad-operand with a place; users of the Go package see this one.",
			Remedy: "Give the instruction operands that its row in the table allows.",
		},
		{
			Code: "illegal-instruction", Class: Input, Severity: Error,
			Doc:     "The bytes at this offset are no GCN3 instruction: an opcode that gfx803 does not have, a reserved field that is not zero, or an instruction cut off.",
			Remedy:  "Check that this is code, and code for gfx803.",
			Example: "crosslane dis --hex ffffffff",
		},
		{
			Code: "bad-code-object", Class: Input, Severity: Error,
			Doc:     "The file is ELF, and broken: a header, table, section, symbol or kernel descriptor contradicts the file's size or itself. The message names the byte offset.",
			Remedy:  "Make the file again; llvm-readelf shows its parts.",
			Example: "crosslane dis bad.co\n-- bad.co --\n\x7fELF, it says",
		},
		{
			Code: "unsupported-code-object", Class: Unsupported, Severity: Error,
			Doc:     "The ELF file is valid but not one that Crosslane runs: it is for another processor or GPU, has another code object version, or uses a relocation or argument kind that is not supported.",
			Remedy:  "Compile with -mcpu=gfx803; code object versions 2 to 6 are read.",
			Example: "crosslane run k.s --grid 1 --block 64\n-- k.s --\n# __CLANG_OFFLOAD_BUNDLE____START__ hip-amdgcn-amd-amdhsa--gfx803\n\n# __CLANG_OFFLOAD_BUNDLE____END__ hip-amdgcn-amd-amdhsa--gfx803\n",
		},
		{
			Code: "bad-bundle", Class: Input, Severity: Error,
			Doc:     "The file is a clang offload bundle, and broken: an entry lies beyond the file, the compressed contents do not match the header, or an entry for gfx803 is no code object.",
			Remedy:  "Make the file again; clang-offload-bundler --list shows its entries.",
			Example: "crosslane dis bad.co\n-- bad.co --\n__CLANG_OFFLOAD_BUNDLE__",
		},
		{
			Code: "no-code-for-target", Class: Unsupported, Severity: Error,
			Doc:     "A bundle of code objects for several processors has none for gfx803. The message lists its entries.",
			Remedy:  "Compile it with --offload-arch=gfx803 too.",
			Example: "crosslane dis k.co\n-- k.co --\n__CLANG_OFFLOAD_BUNDLE__\x01\x00\x00\x00\x00\x00\x00\x00\x57\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x1f\x00\x00\x00\x00\x00\x00\x00hipv4-amdgcn-amd-amdhsa--gfx900\n",
		},
		{
			Code: "bad-fatbin", Class: Input, Severity: Error,
			Doc:     "The file is an NVIDIA fat binary, or a host's program or library that holds some, and broken: an entry lies beyond the file, or does not uncompress to the size that its header states.",
			Remedy:  "Make the file again; cuobjdump -all lists its entries. The message names the byte offset.",
			Example: "crosslane kernels k.fatbin\n-- k.fatbin --\n\x50\xed\x55\xba, it says",
		},
		{
			Code: "bad-container", Class: Input, Severity: Error,
			Doc:     "A program, library, archive or zip file, in which extract or check looks for code for GPUs, is broken: a section or a member lies beyond the file, or does not uncompress. The rest of the file is read.",
			Remedy:  "Make the file again, or fetch it again.",
			Example: "crosslane extract lib.a\n-- lib.a --\n!<arch>\nbroken",
		},
		{
			Code: "no-ptx", Class: Unsupported, Severity: Error,
			Doc:    "An NVIDIA fat binary has no PTX that the device can run. It may have machine code alone, or PTX for newer devices, or for other devices of an architecture-specific target such as sm_90a. The message lists its entries.",
			Remedy: "Compile it with PTX: nvcc -gencode arch=compute_80,code=compute_80, or clang --offload-arch=sm_80 --cuda-include-ptx=sm_80.",
			Example: "crosslane kernels k.fatbin\n-- k.fatbin --\n\x50\xed\x55\xba\x01\x00\x10\x00\x49\x00\x00\x00\x00\x00\x00\x00" +
				"\x02\x00\x01\x01\x40\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x01\x00\x50\x00\x00\x00" +
				"\x00\x00\x00\x00\x00\x00\x00\x00\x11\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x7fELF\x02\x01\x01\x00",
		},
		{
			Code: "foreign-file", Class: Unsupported, Severity: Error,
			Doc:     "The file is of a kind that Crosslane recognises by its first bytes but does not read: LLVM bitcode, SPIR-V, an archive, a program for Windows.",
			Remedy:  "The message says how to get PTX or a code object from it.",
			Example: "crosslane run lib.a --grid 1 --block 64\n-- lib.a --\n!<arch>\n",
		},
		{
			Code: "bad-metadata", Class: Input, Severity: Error,
			Doc:     "The kernel metadata, MessagePack in a code object or YAML in assembly, cannot be read or contradicts itself.",
			Remedy:  "Compare it with the compiler's output; the message names the key.",
			Example: "crosslane asm k.s\n-- k.s --\n\t.amdgpu_metadata\n---\namdhsa.kernels: 7\n...\n\t.end_amdgpu_metadata",
		},
		{
			Code: "unknown-directive", Class: Unsupported, Severity: Error,
			Doc:     "A GCN3 assembly file has a directive that Crosslane does not support.",
			Remedy:  "Remove it if the kernel does not need it.",
			Example: "crosslane asm k.s\n-- k.s --\n.bogus 1",
		},
		{
			Code: "bad-symbol", Class: Input, Severity: Error,
			Doc:     "A symbol of a GCN3 assembly file is used and not defined, or defined twice, or has no value although one is needed.",
			Remedy:  "Define it once; the message names the place.",
			Example: "crosslane asm k.s\n-- k.s --\na:\n\ts_nop 0\na:\n\ts_endpgm",
		},
		{
			Code: "unsupported-target", Class: Unsupported, Severity: Error,
			Doc:     "The GCN3 file or --target requests another processor than gfx803.",
			Remedy:  "Compile for gfx803.",
			Example: "crosslane asm k.s --target gfx900\n-- k.s --\n\ts_endpgm",
		},
		{
			Code: "code-outside", Class: Input, Severity: Error,
			Doc:     "A branch of a GCN3 kernel leads outside its code, or the code ends without s_endpgm.",
			Remedy:  "Check the branch's target; end the kernel with s_endpgm.",
			Example: gcn3Run + "k:\n  s_branch .+40000\n  s_endpgm\n" + gcn3Block,
		},
		{
			Code: "bad-initialiser", Class: Input, Severity: Error,
			Doc:    "An initialiser has more values than its variable has elements. The parser reports bad-declaration first.",
			Remedy: "Make the variable larger, or drop values.",
		},
		{
			Code: "internal", Class: Unsupported, Severity: Error,
			Doc:    "A contradiction inside Crosslane: a bug of Crosslane that a check found before it could do harm.",
			Remedy: "Report it, with the file.",
		},
		{
			Code: "error", Class: Input, Severity: Error,
			Doc:    "An error that carries no code of its own.",
			Remedy: "Read the message.",
		},
	}
}

func repeat(s string, n int) string {
	out := make([]byte, 0, len(s)*n)
	for range n {
		out = append(out, s...)
	}
	return string(out)
}
