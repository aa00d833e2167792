package cli

import (
	"fmt"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
)

// isRule reports whether a code is about the guest program.
func isRule(c diag.Code) bool {
	return c.Class == diag.Finding || c.Class == diag.Fault || c.Class == diag.Timeout
}

// parseRules reads CODE,CODE or -CODE,-CODE.
func parseRules(text string) (keep func(code string) bool, err error) {
	if text == "" {
		return func(string) bool { return true }, nil
	}
	only, but := map[string]bool{}, map[string]bool{}
	for _, w := range strings.Split(text, ",") {
		code, not := strings.CutPrefix(strings.TrimSpace(w), "-")
		if c, ok := diag.LookupCode(code); !ok || !isRule(c) {
			d := diag.Errorf(diag.Pos{}, diag.Input, "usage", "--rules: there is no rule %s", input.Quoted(code))
			d.Remedy = "crosslane check --rules list shows them"
			return nil, d
		}
		if not {
			but[code] = true
		} else {
			only[code] = true
		}
	}
	return func(code string) bool { return (len(only) == 0 || only[code]) && !but[code] }, nil
}

// rulesJSON is the output of check --rules list.
type rulesJSON struct {
	Schema string     `json:"schema"`
	Rules  []ruleJSON `json:"rules"`
}

// ruleJSON is one of them.
type ruleJSON struct {
	Code     string `json:"code"`
	Class    string `json:"class"`
	Severity string `json:"severity"`
	Doc      string `json:"doc"`
	Remedy   string `json:"remedy"`
}

// listRules prints the codes that a check can report.
func (a *app) listRules(format string) error {
	list := []ruleJSON{}
	for _, c := range diag.Codes() {
		if isRule(c) {
			list = append(list, ruleJSON{c.Code, c.Class.String(), c.Severity.String(), c.Doc, c.Remedy})
		}
	}
	switch format {
	case "json":
		return a.writeJSON(rulesJSON{"crosslane.rules/1", list})
	case "text":
	default:
		return usage("--rules list has the formats text and json, found %s", input.Quoted(format))
	}
	for _, r := range list {
		short, _, _ := strings.Cut(r.Doc, ". ")
		short = strings.TrimSuffix(short, ".")
		if head, _, ok := strings.Cut(short, ": "); ok {
			short = head
		}
		const width = 76
		if len(short) > width {
			short = short[:strings.LastIndexByte(short[:width], ' ')] + " ..."
		}
		fmt.Fprintf(a.out, "%-24s %-8s %s\n", r.Code, r.Severity, short)
	}
	return nil
}
