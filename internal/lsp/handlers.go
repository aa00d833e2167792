package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/language"
)

// A handler answers a request about a document; doc is nil if it is not open.
type handler func(ctx context.Context, s *server, doc *openDocument, params json.RawMessage) (any, error)

// handlers are the requests by their methods.
var handlers = map[string]handler{
	"textDocument/hover":               about(hoverAt),
	"textDocument/completion":          about(completionAt),
	"textDocument/signatureHelp":       about(signatureAt),
	"textDocument/definition":          about(definitionAt),
	"textDocument/declaration":         about(declarationAt),
	"textDocument/references":          about(referencesAt),
	"textDocument/documentHighlight":   about(highlightsAt),
	"textDocument/prepareRename":       about(prepareRenameAt),
	"textDocument/rename":              about(renameAt),
	"textDocument/codeAction":          about(actionsAt),
	"textDocument/codeLens":            about(lensesOf),
	"textDocument/documentSymbol":      about(symbolsOf),
	"textDocument/foldingRange":        about(foldsOf),
	"textDocument/semanticTokens/full": about(semanticOf),
	"textDocument/inlayHint":           about(hintsOf),
	"workspace/executeCommand":         execute,
}

// about makes the handler of a request about an open document.
func about(answer func(ctx context.Context, s *server, d *openDocument, p *positionParams) (any, error)) handler {
	return func(ctx context.Context, s *server, d *openDocument, params json.RawMessage) (any, error) {
		var p positionParams
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, failf(codeInvalidParams, "the params do not fit the request: %s", err)
		}
		if d == nil {
			return nil, failf(codeInvalidParams, "%s is not open", p.TextDocument.URI)
		}
		return answer(ctx, s, d, &p)
	}
}

// initialize answers the first request, with the abilities of the server.
func (s *server) initialize(params json.RawMessage) (any, error) {
	var p initializeParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, failf(codeInvalidParams, "the params do not fit the request: %s", err)
	}
	s.mu.Lock()
	again := s.initialized
	s.initialized = true
	s.flat = !p.Capabilities.TextDocument.DocumentSymbol.Hierarchical
	s.mu.Unlock()
	if again {
		return nil, failf(codeInvalidRequest, "initialize came twice")
	}
	s.configure(p.InitializationOptions)
	type options map[string]any
	can := options{
		"positionEncoding":          "utf-16",
		"textDocumentSync":          options{"openClose": true, "change": 2},
		"hoverProvider":             true,
		"completionProvider":        options{"triggerCharacters": []string{".", "%", "@", "["}},
		"signatureHelpProvider":     options{"triggerCharacters": []string{" ", ","}},
		"definitionProvider":        true,
		"declarationProvider":       true,
		"referencesProvider":        true,
		"documentHighlightProvider": true,
		"documentSymbolProvider":    true,
		"renameProvider":            options{"prepareProvider": true},
		"codeActionProvider":        options{"codeActionKinds": []string{"quickfix", "refactor"}},
		"codeLensProvider":          options{},
		"foldingRangeProvider":      true,
		"inlayHintProvider":         true,
		"semanticTokensProvider": options{"full": true, "legend": options{
			"tokenTypes": language.SemanticTypes(), "tokenModifiers": language.SemanticModifiers()}},
	}
	if s.opt.Command != nil {
		can["executeCommandProvider"] = options{"commands": []string{"crosslane.run", "crosslane.check", "crosslane.plan"}}
	}
	return options{"capabilities": can, "serverInfo": options{"name": "crosslane", "version": s.opt.Version}}, nil
}

// fileOf returns the name of the file that a URI names; the URI itself if it names none.
func fileOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if runtime.GOOS == "windows" && len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:]
	}
	return filepath.FromSlash(path)
}

// uriOf returns the URI of a file; that of the document if it is its file.
func uriOf(file, doc string) string {
	if file == "" || file == fileOf(doc) {
		return doc
	}
	if !filepath.IsAbs(file) {
		if strings.Contains(file, "://") {
			return file
		}
		file = filepath.Join(filepath.Dir(fileOf(doc)), file)
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// shown is a diagnostic in the protocol's form.
func shown(f *language.Diagnostic, uri, codePage string) diagnostic {
	d := diagnostic{Range: f.Range, Code: f.Code, Source: "crosslane", Message: f.Message}
	switch f.Severity {
	case diag.Error:
		d.Severity = 1
	case diag.Warning:
		d.Severity = 2
	default:
		d.Severity = 3
	}
	if f.Needless {
		d.Tags = append(d.Tags, 1)
	}
	if f.Old {
		d.Tags = append(d.Tags, 2)
	}
	if codePage != "" && f.Code != "" {
		d.CodeDescription = &codeDescription{strings.ReplaceAll(codePage, "{code}", url.PathEscape(f.Code))}
	}
	for _, r := range f.Related {
		d.Related = append(d.Related, relatedPlace{location{uriOf(r.File, uri), r.Range}, r.Message})
	}
	return d
}

func hoverAt(_ context.Context, s *server, d *openDocument, p *positionParams) (any, error) {
	h := d.document().Hover(p.Position, language.HoverStyle{Images: s.chosen().pictures})
	if h == nil {
		return nil, nil
	}
	return hover{markup{"markdown", h.Text}, h.Range}, nil
}

// completionKinds are the protocol's numbers of language.CompletionKind.
var completionKinds = map[language.CompletionKind]int{
	language.CompleteMnemonic: 14, language.CompleteModifier: 20, language.CompleteRegister: 6, language.CompleteLabel: 18,
	language.CompleteFunction: 3, language.CompleteVariable: 6, language.CompleteDirective: 14, language.CompleteType: 25,
}

func completionAt(_ context.Context, _ *server, d *openDocument, p *positionParams) (any, error) {
	list := completionList{Items: []completionItem{}}
	for _, c := range d.document().Complete(p.Position) {
		item := completionItem{Label: c.Label, Kind: completionKinds[c.Kind], Detail: c.Detail, Doc: c.Doc,
			Sort: fmt.Sprintf("%06d", c.Rank), Filter: c.Edit.NewText, TextEdit: c.Edit}
		if c.Old {
			item.Tags = []int{1}
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

func signatureAt(_ context.Context, _ *server, d *openDocument, p *positionParams) (any, error) {
	h := d.document().SignatureHelp(p.Position)
	if h == nil {
		return nil, nil
	}
	out := signatureHelp{ActiveSignature: h.Form, ActiveParameter: h.Param}
	for _, g := range h.Signatures {
		info := signatureInformation{Label: g.Label, Doc: g.About, Parameters: []parameterInformation{}}
		for _, q := range g.Params {
			info.Parameters = append(info.Parameters, parameterInformation{[2]int{q.From, q.To}, q.Meaning})
		}
		out.Signatures = append(out.Signatures, info)
	}
	return out, nil
}

func locations(uri string, list []language.Range) []location {
	out := []location{}
	for _, r := range list {
		out = append(out, location{uri, r})
	}
	return out
}

func definitionAt(_ context.Context, _ *server, d *openDocument, p *positionParams) (any, error) {
	return locations(d.uri, d.document().Definition(p.Position)), nil
}

func declarationAt(_ context.Context, _ *server, d *openDocument, p *positionParams) (any, error) {
	return locations(d.uri, d.document().Declaration(p.Position)), nil
}

func referencesAt(_ context.Context, _ *server, d *openDocument, p *positionParams) (any, error) {
	var list []language.Range
	for _, r := range d.document().References(p.Position) {
		if !r.Declares || p.Context.IncludeDeclaration {
			list = append(list, r.Range)
		}
	}
	return locations(d.uri, list), nil
}

func highlightsAt(_ context.Context, _ *server, d *openDocument, p *positionParams) (any, error) {
	out := []documentHighlight{}
	for _, r := range d.document().References(p.Position) {
		h := documentHighlight{r.Range, 2}
		if r.Writes {
			h.Kind = 3
		}
		out = append(out, h)
	}
	return out, nil
}

func prepareRenameAt(_ context.Context, _ *server, d *openDocument, p *positionParams) (any, error) {
	r, text, err := d.document().PrepareRename(p.Position)
	if err != nil {
		return nil, err
	}
	return prepareRenameResult{r, text}, nil
}

func renameAt(_ context.Context, _ *server, d *openDocument, p *positionParams) (any, error) {
	edits, err := d.document().Rename(p.Position, p.NewName)
	if err != nil {
		return nil, err
	}
	if edits == nil {
		edits = []language.TextEdit{}
	}
	return workspaceEdit{map[string][]language.TextEdit{d.uri: edits}}, nil
}

func actionsAt(ctx context.Context, s *server, d *openDocument, p *positionParams) (any, error) {
	out := []codeAction{}
	wants := func(kind string) bool {
		return len(p.Context.Only) == 0 || slices.Contains(p.Context.Only, kind) || slices.Contains(p.Context.Only, "")
	}
	if wants("quickfix") {
		list, err := d.document().Actions(ctx, p.Range)
		if err != nil {
			return nil, err
		}
		page := s.chosen().codePage
		for _, a := range list {
			out = append(out, codeAction{Title: a.Title, Kind: "quickfix", IsPreferred: a.Preferred,
				Diagnostics: []diagnostic{shown(&a.Of, d.uri, page)}, Edit: &workspaceEdit{map[string][]language.TextEdit{d.uri: a.Edits}}})
		}
	}
	if wants("refactor") && s.opt.Plan != nil {
		if g := d.document().Goal(p.Range.Start); g != nil {
			title := "Other instructions for the same lanes (" + g.Label + ")"
			out = append(out, codeAction{Title: title, Kind: "refactor", Command: &command{title, "crosslane.plan", []any{g}}})
		}
	}
	return out, nil
}

func lensesOf(_ context.Context, s *server, d *openDocument, _ *positionParams) (any, error) {
	out := []codeLens{}
	set := s.chosen()
	if !set.lenses || s.opt.Command == nil {
		return out, nil
	}
	for _, l := range d.document().Lenses() {
		arg := kernelArgument{URI: d.uri, Kernel: l.Kernel}
		out = append(out, codeLens{l.Range, command{"Run", "crosslane.run", []any{arg}}}, codeLens{l.Range, command{"Check", "crosslane.check", []any{arg}}})
		if set.debug {
			out = append(out, codeLens{l.Range, command{"Debug", "crosslane.debug", []any{arg}}})
		}
	}
	return out, nil
}

// symbolKinds are the protocol's numbers of language.SymbolKind.
var symbolKinds = map[language.SymbolKind]int{
	language.SymbolFunction: 12, language.SymbolKernel: 12, language.SymbolVariable: 13, language.SymbolLabel: 20, language.SymbolConstant: 14,
}

func symbolsOf(_ context.Context, s *server, d *openDocument, _ *positionParams) (any, error) {
	list := d.document().Symbols()
	s.mu.Lock()
	flat := s.flat
	s.mu.Unlock()
	if !flat {
		return symbolTree(list), nil
	}
	out := []symbolInformation{}
	var add func(list []language.DocumentSymbol)
	add = func(list []language.DocumentSymbol) {
		for _, x := range list {
			out = append(out, symbolInformation{x.Name, symbolKinds[x.Kind], location{d.uri, x.Range}})
			add(x.Children)
		}
	}
	add(list)
	return out, nil
}

func symbolTree(list []language.DocumentSymbol) []documentSymbol {
	out := []documentSymbol{}
	for _, x := range list {
		out = append(out, documentSymbol{Name: x.Name, Detail: x.Detail, Kind: symbolKinds[x.Kind], Range: x.Range, SelectionRange: x.Selection, Children: symbolTree(x.Children)})
	}
	return out
}

func foldsOf(_ context.Context, _ *server, d *openDocument, _ *positionParams) (any, error) {
	out := []foldingRange{}
	for _, f := range d.document().Folds() {
		kind := ""
		if f.Comment {
			kind = "comment"
		}
		out = append(out, foldingRange{f.From, f.To, kind})
	}
	return out, nil
}

func semanticOf(_ context.Context, _ *server, d *openDocument, _ *positionParams) (any, error) {
	list := d.document().SemanticTokens()
	out := semanticTokens{Data: make([]int, 0, 5*len(list))}
	var last language.Position
	for _, t := range list {
		line, char := t.Start.Line-last.Line, t.Start.Character
		if line == 0 {
			char -= last.Character
		}
		out.Data = append(out.Data, line, char, t.Length, t.Type, t.Modifiers)
		last = t.Start
	}
	return out, nil
}

func hintsOf(ctx context.Context, s *server, d *openDocument, p *positionParams) (any, error) {
	out := []inlayHint{}
	if !s.chosen().hints {
		return out, nil
	}
	list, err := d.document().InlayHints(ctx, p.Range)
	if err != nil {
		return nil, err
	}
	for _, h := range list {
		out = append(out, inlayHint{h.At, h.Label, h.Tooltip, true})
	}
	return out, nil
}

// execute carries out a command about a kernel, and answers with the text that it prints.
func execute(ctx context.Context, s *server, _ *openDocument, params json.RawMessage) (any, error) {
	var p executeCommandParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, failf(codeInvalidParams, "the params do not fit the request: %s", err)
	}
	if p.Command == "crosslane.plan" && s.opt.Plan != nil {
		var g language.Goal
		if len(p.Arguments) != 1 || json.Unmarshal(p.Arguments[0], &g) != nil {
			return nil, failf(codeInvalidParams, `crosslane.plan takes one argument, {"goal": GOAL OF plan, "target": TARGET}`)
		}
		return s.opt.Plan(ctx, g.Text, g.Target)
	}
	name, ok := strings.CutPrefix(p.Command, "crosslane.")
	if !ok || name != "run" && name != "check" || s.opt.Command == nil {
		return nil, failf(codeInvalidParams, "there is no command %s; there are crosslane.run and crosslane.check", p.Command)
	}
	var arg kernelArgument
	if len(p.Arguments) != 1 || json.Unmarshal(p.Arguments[0], &arg) != nil {
		return nil, failf(codeInvalidParams, `%s takes one argument, {"uri": URI, "kernel": NAME, "args": [ARGUMENT OF run, ...]}`, p.Command)
	}
	s.mu.Lock()
	doc := s.docs[arg.URI]
	s.mu.Unlock()
	if doc == nil {
		return nil, failf(codeInvalidParams, "%s is not open", arg.URI)
	}
	return s.opt.Command(ctx, name, fileOf(arg.URI), doc.text, arg.Kernel, arg.Args)
}
