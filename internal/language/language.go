// Package language answers an editor's questions about a text in PTX or GCN3 assembly, or about inline PTX in CUDA C++: its findings,
// the meaning of a place, the words that fit it, and the origin of a name.
//
// A Document is one version of a text. It reads the text twice. A reader of its own, which accepts
// every text, makes tokens, statements and symbols; so half of a line that is being typed costs only
// the facts of that line. The findings come from the same functions as those of crosslane check
// --static. The package does no input or output: a host gives it the text, and included files if there
// are any. A language server and a page in a browser are hosts.
package language

//go:generate go run ./gen

import (
	"sync"
	"sync/atomic"

	"example.org/crosslane"
)

// Options hold the host's knowledge about a text.
type Options struct {
	// Language is the editor's name of the language, "ptx", "gcn3" or "cuda-cpp"; "" leaves it to the
	// text and its name.
	Language string
	// Include reads a file that GCN3 assembly includes; nil: there are none.
	Include func(name string) ([]byte, error)
}

// A Service makes documents. It keeps the explanations of instructions and the findings about kernels for further
// versions of a text. It is safe for concurrent use.
type Service struct {
	mu     sync.Mutex
	known  map[explainKey]*crosslane.Explanation
	bodies map[bodyKey]*bodyFindings
	// layouts is an upper bound of the entries in the layouts of bodies.
	layouts int
	inline  map[string]*Document // the kernels of asm statements, by the name of the file and their text
	// indivisible holds the skeletons of texts whose kernels depend on each other.
	indivisible map[bodyKey]bool
}

// maxKnown bounds the explanations that a Service keeps.
const maxKnown = 4096

// NewService makes a Service.
func NewService() *Service {
	return &Service{known: map[explainKey]*crosslane.Explanation{}, bodies: map[bodyKey]*bodyFindings{}, indivisible: map[bodyKey]bool{}, inline: map[string]*Document{}}
}

// A Document is one version of a text. Its methods may be called concurrently.
type Document struct {
	name string
	isa  crosslane.ISA
	opt  Options
	svc  *Service
	text textIndex

	toks     []token // without comments
	comments []token
	stmts    []statement
	funcs    []function
	syms     []*symbol
	symOf    []int32 // by token: index into syms plus 1; 0: none
	stmtOf   []int32 // by token: the statement; -1: none
	special  map[int]bool
	module   moduleFacts
	inline   []*inlineAsm // of CUDA C++, in the order of the text

	foundMu sync.Mutex // held while the text is checked
	found   atomic.Pointer[[]Diagnostic]
	shapes  atomic.Pointer[map[shapeKey]crosslane.RegisterShape] // set before found
}

// Open makes the Document of a text. name is that of the file, for findings.
func (s *Service) Open(name, text string, o Options) *Document {
	d := &Document{name: name, opt: o, svc: s, text: newTextIndex(text), special: map[int]bool{}}
	d.isa = languageOf(name, text, o.Language)
	switch d.isa {
	case crosslane.PTX:
		d.readPTX()
	case crosslane.GCN3:
		d.readGCN3()
	default:
		if isCUDA(name, o.Language) {
			d.readInline()
		}
	}
	return d
}

// ISA returns the instruction set of the text; Auto if it is neither PTX nor GCN3 assembly, for example
// assembly of a host. That text has no findings and no symbols.
func (d *Document) ISA() crosslane.ISA { return d.isa }

// Text returns the text.
func (d *Document) Text() string { return d.text.text }
