package lsp

import (
	"encoding/json"

	"example.org/crosslane/internal/language"
)

// The structures of the Language Server Protocol 3.17 that the server uses, with the protocol's names.

type initializeParams struct {
	InitializationOptions *settings `json:"initializationOptions"`
	Capabilities          struct {
		TextDocument struct {
			Hover struct {
				ContentFormat []string `json:"contentFormat"`
			} `json:"hover"`
			DocumentSymbol struct {
				Hierarchical bool `json:"hierarchicalDocumentSymbolSupport"`
			} `json:"documentSymbol"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

// settings are the choices of an editor's user. A member that is absent keeps its value.
type settings struct {
	// Pictures lets hovers hold SVG images.
	Pictures *bool `json:"pictures"`
	// Hints shows inlay hints, Lenses the commands above kernels.
	Hints  *bool `json:"hints"`
	Lenses *bool `json:"lenses"`
	// Delay is the time after a change until the text is checked, in milliseconds.
	Delay *int `json:"delay"`
	// Debug adds a command to lenses that the editor itself carries out, crosslane.debug.
	Debug *bool `json:"debug"`
	// CodePage is the address of a page about a code, with {code} for it.
	CodePage *string `json:"codePage"`
}

type textDocumentItem struct {
	URI        string `json:"uri"`
	LanguageID string `json:"languageId"`
	Version    int    `json:"version"`
	Text       string `json:"text"`
}

type textDocument struct {
	URI     string `json:"uri"`
	Version *int   `json:"version,omitempty"`
}

// positionParams are those of every request about a place, with the members that single requests add.
type positionParams struct {
	TextDocument textDocument      `json:"textDocument"`
	Position     language.Position `json:"position"`
	Range        language.Range    `json:"range"`
	NewName      string            `json:"newName"`
	Context      struct {
		IncludeDeclaration bool     `json:"includeDeclaration"`
		Only               []string `json:"only"`
	} `json:"context"`
}

type didOpenParams struct {
	TextDocument textDocumentItem `json:"textDocument"`
}

type didChangeParams struct {
	TextDocument   textDocument    `json:"textDocument"`
	ContentChanges []contentChange `json:"contentChanges"`
}

type contentChange struct {
	Range *language.Range `json:"range"`
	Text  string          `json:"text"`
}

type location struct {
	URI   string         `json:"uri"`
	Range language.Range `json:"range"`
}

type diagnostic struct {
	Range           language.Range   `json:"range"`
	Severity        int              `json:"severity"`
	Code            string           `json:"code,omitempty"`
	CodeDescription *codeDescription `json:"codeDescription,omitempty"`
	Source          string           `json:"source"`
	Message         string           `json:"message"`
	Tags            []int            `json:"tags,omitempty"`
	Related         []relatedPlace   `json:"relatedInformation,omitempty"`
}

type codeDescription struct {
	Href string `json:"href"`
}

type relatedPlace struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type publishDiagnosticsParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup         `json:"contents"`
	Range    language.Range `json:"range"`
}

type completionItem struct {
	Label    string            `json:"label"`
	Kind     int               `json:"kind"`
	Detail   string            `json:"detail,omitempty"`
	Doc      string            `json:"documentation,omitempty"`
	Tags     []int             `json:"tags,omitempty"`
	Sort     string            `json:"sortText"`
	Filter   string            `json:"filterText,omitempty"`
	TextEdit language.TextEdit `json:"textEdit"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []completionItem `json:"items"`
}

type signatureHelp struct {
	Signatures      []signatureInformation `json:"signatures"`
	ActiveSignature int                    `json:"activeSignature"`
	ActiveParameter int                    `json:"activeParameter"`
}

type signatureInformation struct {
	Label      string                 `json:"label"`
	Doc        string                 `json:"documentation,omitempty"`
	Parameters []parameterInformation `json:"parameters"`
}

type parameterInformation struct {
	Label [2]int `json:"label"`
	Doc   string `json:"documentation,omitempty"`
}

type documentHighlight struct {
	Range language.Range `json:"range"`
	Kind  int            `json:"kind"`
}

type prepareRenameResult struct {
	Range       language.Range `json:"range"`
	Placeholder string         `json:"placeholder"`
}

type workspaceEdit struct {
	Changes map[string][]language.TextEdit `json:"changes"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	IsPreferred bool           `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit `json:"edit,omitempty"`
	Command     *command       `json:"command,omitempty"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments"`
}

type codeLens struct {
	Range   language.Range `json:"range"`
	Command command        `json:"command"`
}

type documentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           int              `json:"kind"`
	Range          language.Range   `json:"range"`
	SelectionRange language.Range   `json:"selectionRange"`
	Children       []documentSymbol `json:"children,omitempty"`
}

type symbolInformation struct {
	Name     string   `json:"name"`
	Kind     int      `json:"kind"`
	Location location `json:"location"`
}

type foldingRange struct {
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind,omitempty"`
}

type semanticTokens struct {
	Data []int `json:"data"`
}

type inlayHint struct {
	Position    language.Position `json:"position"`
	Label       string            `json:"label"`
	Tooltip     string            `json:"tooltip,omitempty"`
	PaddingLeft bool              `json:"paddingLeft"`
}

type executeCommandParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// kernelArgument is the argument of the commands about a kernel.
type kernelArgument struct {
	URI    string   `json:"uri"`
	Kernel string   `json:"kernel"`
	Args   []string `json:"args,omitempty"` // those of run
}
