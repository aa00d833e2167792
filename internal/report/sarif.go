package report

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/crosslane/diag"
)

// Limits of code scanning ("SARIF results exceed limits"). Results beyond the limits are omitted
// here, mildest first, so that code scanning does not cut them in an arbitrary order.
const (
	sarifResults   = 5000
	sarifSteps     = 1000 // thread flow locations of a result
	sarifLocations = 100  // related locations of a result
)

// The parts of SARIF 2.1.0 that are written, with the names of the standard.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"semanticVersion,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string      `json:"id"`
		Short   sarifText   `json:"shortDescription"`
		Full    sarifText   `json:"fullDescription"`
		Help    sarifText   `json:"help"`
		Default sarifConfig `json:"defaultConfiguration"`
		Props   sarifTags   `json:"properties"`
	}
	sarifTags struct {
		Tags []string `json:"tags"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level      string          `json:"level"`
		Message    sarifText       `json:"message"`
		Locations  []sarifLocation `json:"locations,omitempty"`
		Descriptor sarifDescriptor `json:"descriptor"`
	}
	sarifDescriptor struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Flows        []sarifFlow        `json:"codeFlows,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Fixes        []sarifFix         `json:"fixes,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Props        *sarifProps        `json:"properties,omitempty"`
	}
	sarifProps struct {
		Lanes    string `json:"lanes,omitempty"`
		Kernel   string `json:"kernel,omitempty"`
		Launches string `json:"launches,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification,omitempty"`
	}
	sarifFlow struct {
		Flows []sarifThreadFlow `json:"threadFlows"`
	}
	sarifThreadFlow struct {
		Locations []sarifStep `json:"locations"`
	}
	sarifStep struct {
		Location sarifLocation `json:"location"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifDeleted `json:"deletedRegion"`
		Inserted sarifContent `json:"insertedContent"`
	}
	sarifDeleted struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifContent struct {
		Text string `json:"text"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int        `json:"startLine,omitempty"`
		StartColumn int        `json:"startColumn,omitempty"`
		ByteOffset  *int64     `json:"byteOffset,omitempty"`
		Snippet     *sarifText `json:"snippet,omitempty"`
	}
)

// fingerprint is the name and version of Finding.ID among SARIF's fingerprints.
const fingerprint = "crosslaneFinding/v1"

// SARIF writes the findings as SARIF 2.1.0. A diagnostic about the input or an unsupported feature
// is a notification of the invocation, which then counts as unsuccessful.
func (r *Report) SARIF(w io.Writer) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "crosslane", Version: r.Version, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{Successful: true}},
		ColumnKind:  "unicodeCodePoints", Results: []sarifResult{},
	}
	inv := &run.Invocations[0]
	list := slices.Clone(r.Findings)
	slices.SortStableFunc(list, func(a, b *Finding) int { return int(b.Severity) - int(a.Severity) })
	rules := map[string]int{}
	for _, f := range list {
		if !IsFinding(f.Diagnostic) {
			if f.Severity == diag.Error {
				inv.Successful = false
			}
			n := sarifNotification{Level: f.Severity.String(), Message: sarifMessage(f), Descriptor: sarifDescriptor{f.Code}}
			if f.Pos.File != "" {
				n.Locations = []sarifLocation{r.location(f.Pos, f.Source)}
			}
			inv.Notifications = append(inv.Notifications, n)
			continue
		}
		if len(run.Results) == sarifResults {
			inv.Notifications = append(inv.Notifications, sarifNotification{
				Level: "warning", Message: sarifText{"there are more findings than code scanning shows; the mildest are left out"}, Descriptor: sarifDescriptor{"more-findings"},
			})
			break
		}
		i, ok := rules[f.Code]
		if !ok {
			i = len(run.Tool.Driver.Rules)
			rules[f.Code] = i
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(f.Diagnostic))
		}
		run.Results = append(run.Results, r.sarifResult(f, i))
	}
	data, err := json.MarshalIndent(sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	}, "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// sarifRuleOf returns the rule of a diagnostic's code.
func sarifRuleOf(d *diag.Diagnostic) sarifRule {
	c, ok := diag.LookupCode(d.Code)
	if !ok {
		c = diag.Code{Code: d.Code, Severity: d.Severity, Doc: d.Code, Remedy: d.Remedy}
	}
	short, _, _ := strings.Cut(c.Doc, ". ")
	return sarifRule{
		ID: c.Code, Short: sarifText{strings.TrimSuffix(short, ".") + "."}, Full: sarifText{c.Doc}, Help: sarifText{c.Doc + "\n\n" + c.Remedy},
		Default: sarifConfig{c.Severity.String()}, Props: sarifTags{[]string{"gpu", "correctness"}},
	}
}

func sarifMessage(f *Finding) sarifText {
	return sarifText{strings.Join(append([]string{headline(f.Message)}, details(f)...), "\n")}
}

// sarifResult returns a finding as a result of a rule.
func (r *Report) sarifResult(f *Finding, rule int) sarifResult {
	at := r.location(f.Pos, f.Source)
	if f.Kernel != "" {
		at.Logical = []sarifLogical{{clean(f.Kernel), "function"}}
	}
	res := sarifResult{
		RuleID: f.Code, RuleIndex: rule, Level: f.Severity.String(), Message: sarifMessage(f), Locations: []sarifLocation{at},
		Fingerprints: map[string]string{fingerprint: f.ID}, Props: &sarifProps{Kernel: clean(f.Kernel), Launches: clean(f.Launches)},
	}
	if f.Lanes != "none" {
		res.Props.Lanes = clean(f.Lanes)
	}
	if *res.Props == (sarifProps{}) {
		res.Props = nil
	}
	if !f.Counts() {
		kind := "inSource"
		if f.By == "baseline" {
			kind = "external"
		}
		res.Suppressions = []sarifSuppression{{kind, clean(f.Reason)}}
	}
	for _, x := range f.Fixes {
		res.Fixes = append(res.Fixes, r.sarifFix(x))
	}
	var steps, after []sarifStep
	for _, o := range f.Related {
		if o.Pos.File == "" && o.Pos.Line == 0 {
			continue // the message contains it
		}
		l := r.location(o.Pos, o.Source)
		l.Message = &sarifText{clean(o.Message)}
		switch {
		case o.Origin || len(steps)+len(after) == sarifSteps-1:
		case o.After:
			after = append(after, sarifStep{l})
		default:
			steps = append(steps, sarifStep{l})
		}
		if len(res.Related) < sarifLocations {
			l.ID = len(res.Related) + 1
			res.Related = append(res.Related, l)
		}
	}
	if len(steps)+len(after) > 0 {
		end := r.location(f.Pos, f.Source)
		end.Message = &sarifText{headline(f.Message)}
		res.Flows = []sarifFlow{{[]sarifThreadFlow{{slices.Concat(steps, []sarifStep{{end}}, after)}}}}
	}
	return res
}

// sarifFix returns a fix in SARIF's form: the replacements of each file.
func (r *Report) sarifFix(f diag.Fix) sarifFix {
	x := sarifFix{Description: sarifText{clean(f.Message)}, Changes: []sarifChange{}}
	for _, e := range f.Edits {
		at := r.location(e.Pos, "").Physical
		n := len(x.Changes) - 1
		if n < 0 || x.Changes[n].Artifact != at.Artifact {
			x.Changes = append(x.Changes, sarifChange{Artifact: at.Artifact})
			n++
		}
		col := max(at.Region.StartColumn, 1)
		x.Changes[n].Replacements = append(x.Changes[n].Replacements, sarifReplacement{
			// An empty region is a place of insertion.
			Deleted:  sarifDeleted{at.Region.StartLine, col, at.Region.StartLine, col + utf8.RuneCountInString(e.Old)},
			Inserted: sarifContent{strings.ToValidUTF8(e.New, "\uFFFD")},
		})
	}
	return x
}

// location returns a place in SARIF's form. Code scanning requires a line of every place, so a
// place in a binary has line 1 beside its offset.
func (r *Report) location(p diag.Pos, source string) sarifLocation {
	file := p.File
	if file == "" {
		file = r.File
	}
	var l sarifLocation
	l.Physical.Artifact.URI = uriEscape(URI(clean(file)))
	if strings.HasPrefix(l.Physical.Artifact.URI, "/") {
		l.Physical.Artifact.URI = "file://" + l.Physical.Artifact.URI
	}
	l.Physical.Region = sarifRegion{StartLine: max(p.Line, 1)}
	// Pos.Col counts bytes, but columnKind is characters.
	if p.Line > 0 && p.Col > 0 {
		l.Physical.Region.StartColumn = p.Col
		if r.Line != nil {
			if line, ok := r.Line(p.File, p.Line); ok && p.Col <= len(line) {
				l.Physical.Region.StartColumn = utf8.RuneCountInString(line[:p.Col-1]) + 1
			}
		}
	}
	if p.HasOff {
		l.Physical.Region.ByteOffset = &p.Off
	}
	if source != "" && len(source) < 1000 {
		l.Physical.Region.Snippet = &sarifText{clean(source)}
	}
	return l
}

// uriEscape escapes the characters that a URI may not contain, and keeps slashes.
func uriEscape(s string) string {
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/!$&'()*+,;=@", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String()
}
