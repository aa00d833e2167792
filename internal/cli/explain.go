package cli

import (
	"bytes"
	"encoding/json"
	"regexp"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
)

func (a *app) explainCommand() *cobra.Command {
	var f tryFlags
	cmd := &cobra.Command{
		Use:   "explain 'INSTR' [--exec MASK] [--set REG[:TYPE]=INIT]... | explain FAMILY | explain CODE",
		Short: "Explain one instruction and draw its lane map; or explain a diagnostic",
		Long: `Explain one instruction: its decoded operands, its lane map (which lane each lane
reads; which lanes keep their value, get 0 or are undefined), encodings, versions and
targets, hazards, cost, and the section of the manual. "-" reads the instruction from
standard input.

A FAMILY is the first part of an opcode, such as shfl, mma or add, or of a mnemonic, such
as v_add. The page lists all its forms, each with its effect and its section.

A CODE, such as undefined-source, stands at the end of a message. The page gives its
meaning, the section of the manual, the remedy, and a wrong and a right example.

` + setHelp,
		Example: `  crosslane explain 'shfl.sync.bfly.b32 %r1|%p, %r0, 4, 0x181f, 0xffffffff;'
  crosslane explain 'v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa' --format svg > map.svg
  crosslane explain shfl
  crosslane explain undefined-source`,
		Args: cobra.ExactArgs(1),
	}
	f.register(cmd)
	formatFlag(cmd, &f.format, "text", "json", "svg")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check("text", "json", "svg"); err != nil {
			return err
		}
		return a.command(func(args []string) error { return a.explain(&f, args[0]) })(cmd, args)
	}
	return cmd
}

// explainCode prints the page of a diagnostic code.
func (a *app) explainCode(c diag.Code, format string) error {
	switch format {
	case "json":
		return a.writeJSON(codeJSON{"crosslane.code/1", c.Code, c.Class.String(), c.Severity.String(), c.Doc, c.Remedy, c.Section, c.Example, c.Good})
	case "svg":
		return usage("there is no picture of a code; the formats are text and json")
	}
	a.out.WriteString(c.Page())
	if c.Code == "trap" {
		a.out.WriteString("\nThe instruction: crosslane explain 'trap;'\n")
	}
	return nil
}

// oneWord matches the first part of an opcode, or the beginning of a mnemonic.
var oneWord = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// explainFamily prints the forms of an instruction.
func (a *app) explainFamily(page *crosslane.FamilyPage, format string) error {
	switch format {
	case "json":
		return a.writeJSON(familyJSON{"crosslane.family/1", page})
	case "svg":
		return usage("there is no picture of all forms of %s; the formats are text and json", page.Name)
	}
	a.out.WriteString(page.Text())
	return nil
}

func (a *app) explain(f *tryFlags, arg string) error {
	// An instruction of one word needs a semicolon, or --isa, to be distinguished from a code.
	if c, ok := diag.LookupCode(arg); ok && f.isa == "auto" && f.exec == "" && len(f.set) == 0 {
		return a.explainCode(c, f.format)
	}
	src, err := a.instructions(arg)
	if err != nil {
		return err
	}
	isa := input.GuestISA(f.isa, src)
	sets, exec, err := f.options(isa)
	if err != nil {
		return err
	}
	e, err := a.api.Explain(src, isa, exec, sets)
	if err != nil && oneWord.MatchString(arg) && len(diag.Of(err)) == 1 && diag.Of(err)[0].Code == "unknown-instruction" {
		if page := crosslane.Family(arg, isaOf(f.isa)); page != nil {
			return a.explainFamily(page, f.format)
		}
	}
	if err != nil {
		if f.format == "json" {
			if jerr := a.writeJSON(failedJSON{"crosslane.explain/1", diag.Of(err)}); jerr != nil {
				return jerr
			}
		}
		return err
	}
	switch f.format {
	case "json":
		b, err := withSchema("crosslane.explain/1", e)
		if err != nil {
			return ioError(diag.Pos{}, "cannot write the explanation: %s", err)
		}
		a.out.Write(b)
	case "svg":
		svg := e.SVG()
		if len(svg) == 0 {
			d := diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "there is no picture of this instruction: it moves nothing between lanes")
			d.Remedy = "the text form explains it"
			return d
		}
		a.out.Write(bytes.TrimRight(svg, "\n"))
		a.out.WriteByte('\n')
	default:
		a.out.WriteString(string(bytes.TrimRight([]byte(e.Text()), "\n")) + "\n")
	}
	return nil
}

// failedJSON is the result of a command that has none.
type failedJSON struct {
	Schema   string    `json:"schema"`
	Findings diag.List `json:"findings"`
}

// withSchema writes a JSON object with the schema's name as its first member.
func withSchema(schema string, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	head := `{"schema":"` + schema + `"`
	if bytes.HasPrefix(b, []byte(`{"schema":`)) {
		return append(b, '\n'), nil
	}
	if len(b) > 2 {
		head += ","
	}
	return append([]byte(head), append(b[1:], '\n')...), nil
}

// codeJSON is the output of explain for a code of diagnostics.
type codeJSON struct {
	Schema   string `json:"schema"`
	Code     string `json:"code"`
	Class    string `json:"class"`
	Severity string `json:"severity"`
	Doc      string `json:"doc"`
	Remedy   string `json:"remedy"`
	Section  string `json:"section,omitempty"`
	Wrong    string `json:"wrong,omitempty"`
	Right    string `json:"right,omitempty"`
}

// familyJSON is the output of explain for a family of instructions.
type familyJSON struct {
	Schema string `json:"schema"`
	*crosslane.FamilyPage
}
