package cli

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
)

func (a *app) asmCommand() *cobra.Command {
	var output, format string
	var asHex bool
	var o crosslane.AsmOptions
	cmd := &cobra.Command{
		Use:   "asm FILE.s [-o FILE.co] [-c] [-I DIR]... [--defsym NAME=VALUE]... | asm --hex 'INSTR; ...'",
		Short: "Assemble GCN3",
		Long: `Assemble a GCN3 file to a finished code object, or, with -c, to a relocatable
file for a linker; or, with --hex, instructions to their bytes in memory order, one
instruction a line. "-" is standard input; without -o the code object goes to standard
output. Included files are looked for in the folder of the source, then in the folders
of -I.`,
		Example: `  crosslane asm kernel.s -o kernel.co
  crosslane asm -c kernel.s -o kernel.o
  crosslane asm --hex 'ds_swizzle_b32 v5, v2 offset:0x80F6'`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the code object to `FILE`")
	cmd.Flags().StringVar(&o.Target, "target", "gfx803", "the target")
	cmd.Flags().BoolVarP(&o.Relocatable, "relocatable", "c", false, "make a relocatable file, for a linker")
	a.includeFlags(cmd)
	cmd.Flags().BoolVar(&asHex, "hex", false, "the argument is instructions; print their bytes")
	formatFlag(cmd, &format, "text", "json")
	complete(cmd, "target", "gfx803")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := input.OneOf("--format", format, "text", "json"); err != nil {
			return err
		}
		if asHex && o.Relocatable {
			return fmt.Errorf("--hex prints bytes as text; it takes no -c")
		}
		if asHex && output != "" {
			return fmt.Errorf("--hex prints bytes as text; it takes no -o")
		}
		if !asHex && format != "text" {
			return fmt.Errorf("--format %s is for --hex: the result of assembling a file is a code object", format)
		}
		return a.command(func(args []string) error {
			if asHex {
				return a.asmHex(args[0], format)
			}
			return a.asmFile(args[0], output, o)
		})(cmd, args)
	}
	return cmd
}

func (a *app) asmFile(file, output string, o crosslane.AsmOptions) error {
	if (output == "" || output == "-") && isTerminal(a.outFile) {
		d := usage("a code object is binary and is not written to a terminal").(*diag.Diagnostic)
		d.Remedy = "-o FILE, or a pipe"
		return d
	}
	src, shown, err := a.readInput(file)
	if err != nil {
		return err
	}
	lo, err := a.loadOptions(shown, "gcn3")
	if err != nil {
		return err
	}
	o.Include, o.Symbols = lo.Include, lo.Symbols
	obj, l := a.api.Assemble(src, shown, o)
	a.report(l...)
	if l.Err() != nil {
		return nil // reported already, which decides the exit status
	}
	return a.writeResult(file, output, obj)
}

func (a *app) asmHex(arg, format string) error {
	src, err := a.instructions(arg)
	if err != nil {
		return err
	}
	insts, l := a.api.AssembleInstructions(src)
	a.report(l...)
	if l.Err() != nil {
		if format == "json" {
			return a.writeJSON(failedJSON{"crosslane.asm/1", l})
		}
		return nil
	}
	if format == "json" {
		return a.writeJSON(instsJSON("crosslane.asm/1", insts))
	}
	for _, i := range insts {
		fmt.Fprintf(a.out, "%x\n", i.Bytes)
	}
	return nil
}

type instructionsJSON struct {
	Schema       string            `json:"schema"`
	Instructions []instructionJSON `json:"instructions"`
}

type instructionJSON struct {
	Text  string `json:"text"`
	Bytes string `json:"bytes"` // hexadecimal, memory order
}

func instsJSON(schema string, insts []encoded) instructionsJSON {
	j := instructionsJSON{Schema: schema, Instructions: []instructionJSON{}}
	for _, i := range insts {
		j.Instructions = append(j.Instructions, instructionJSON{i.Text, hex.EncodeToString(i.Bytes)})
	}
	return j
}

func (a *app) disCommand() *cobra.Command {
	var asHex, offsets bool
	var format, output string
	cmd := &cobra.Command{
		Use:   "dis FILE.co | dis --hex 'BYTES'",
		Short: "Disassemble GCN3, or print the PTX of fat binaries",
		Long: `Disassemble an AMDGPU code object to text that assembles to the same bytes, or,
with --hex, bytes in memory order to instructions, one a line. "-" is standard
input. With --offsets each instruction is followed by its offset in its section, the
+0x1c of diagnostics about code objects. Of an NVIDIA fat binary, and of a program or library that
holds some, dis prints the PTX.`,
		Example: `  crosslane dis kernel.co | crosslane asm - -o same.co
  crosslane dis program --fatbin 2 -o unit.ptx
  crosslane dis --hex f6807ad802000005`,
		Args: cobra.MinimumNArgs(1),
	}
	cmd.Flags().BoolVar(&asHex, "hex", false, "the argument is bytes in hexadecimal")
	cmd.Flags().BoolVar(&offsets, "offsets", false, "give the offset of each instruction, in a comment")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the text to `FILE`")
	a.fatbinFlags(cmd)
	formatFlag(cmd, &format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := input.OneOf("--format", format, "text", "json"); err != nil {
			return err
		}
		if !asHex && len(args) != 1 {
			return fmt.Errorf("accepts 1 arg(s), received %d", len(args))
		}
		if !asHex && format != "text" {
			return fmt.Errorf("--format %s is for --hex: the result of disassembling a file is assembly text", format)
		}
		return a.command(func(args []string) error {
			if asHex {
				return a.disHex(strings.Join(args, " "), format)
			}
			return a.disFile(args[0], output, offsets)
		})(cmd, args)
	}
	return cmd
}

func (a *app) disFile(file, output string, offsets bool) error {
	data, shown, err := a.readInput(file)
	if err != nil {
		return err
	}
	text, err := crosslane.FatPTX(data, shown, crosslane.LoadOptions{SM: a.sm, FatBinary: a.fatbin})
	if text == "" && err == nil {
		text, err = a.api.Disassemble(data, shown, offsets)
	}
	if err != nil {
		return err
	}
	return a.writeResult(file, output, []byte(text))
}

func (a *app) disHex(arg, format string) error {
	src, err := a.instructions(arg)
	if err != nil {
		return err
	}
	data, err := parseHex(src)
	if err != nil {
		return err
	}
	insts, err := a.api.DisassembleBytes(data)
	if format == "json" {
		if err != nil {
			if jerr := a.writeJSON(failedJSON{"crosslane.dis/1", diag.Of(err)}); jerr != nil {
				return jerr
			}
			return err
		}
		return a.writeJSON(instsJSON("crosslane.dis/1", insts))
	}
	for _, i := range insts {
		fmt.Fprintf(a.out, "%s\n", i.Text)
	}
	return err
}

// parseHex reads bytes: pairs of digits, with or without blanks, commas, brackets
// and 0x before each byte.
func parseHex(s string) ([]byte, error) {
	var digits strings.Builder
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ,[]\t\r\n", r) }) {
		d := strings.TrimPrefix(strings.TrimPrefix(f, "0x"), "0X")
		if len(d)%2 != 0 {
			return nil, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "%s: an odd number of hexadecimal digits", input.Quoted(f))
		}
		digits.WriteString(d)
	}
	data, err := hex.DecodeString(digits.String())
	if err != nil {
		return nil, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "%s: want bytes in hexadecimal, two digits each", input.Quoted(s))
	}
	if len(data) == 0 {
		return nil, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "no bytes given")
	}
	return data, nil
}
