package measure

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// vague are words without a referent, or with one that the reader has to guess.
var vague = []string{"who", "whom", "whoever", "what", "whatever", "nobody", "somebody", "others", "such", "thing", "things"}

// openings are words that open an inverted sentence, whose subject comes late.
var openings = []string{"what", "who", "whose", "of", "where", "whoever", "whatever"}

// words holds the counts of a text.
type words struct{ words, vague, sentences, inverted int }

var (
	codeSpan = regexp.MustCompile("`[^`]*`|\"[^\"]*\"")
	// A sentence ends with a mark and a space.
	sentenceEnd = regexp.MustCompile(`[.!?](?:\s+|$)`)
)

// wordsOf counts the comments of packages.
func wordsOf(pkgs []pkg, in []string) words {
	var w words
	for _, p := range pkgs {
		if !p.in(in) {
			continue
		}
		for _, f := range p.Syntax {
			if ast.IsGenerated(f) {
				continue
			}
			for _, g := range f.Comments {
				w.add(g.Text())
			}
		}
	}
	return w
}

// add counts a text.
func (w *words) add(text string) {
	text = codeSpan.ReplaceAllString(text, "x")
	for _, s := range sentenceEnd.Split(text, -1) {
		list := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
		if len(list) == 0 {
			continue
		}
		w.sentences++
		if slices.Contains(openings, list[0]) {
			w.inverted++
		}
		for _, x := range list {
			w.words++
			if slices.Contains(vague, x) {
				w.vague++
			}
		}
	}
}

// A homonym is a word of the code that once had several meanings. Declarations in the packages of
// homes have the meaning that the glossary gives. The field others lists all remaining declarations
// by package.
type homonym struct {
	word   string
	homes  []string
	others []string
}

// homonyms lists the words that have one meaning, and the declarations (types, functions, methods,
// fields of named types) with another one. Declarations inside a function are not counted.
func homonyms(pkgs []pkg) []homonym {
	list := []homonym{
		{word: "row", homes: []string{"ptx", "amdgpu", "internal/jit/x64/gen", "internal/matrix"}},      // a row of a table of instructions
		{word: "place", homes: []string{"internal/jit/alloc", "internal/jit/sel"}},                      // the place of a virtual register
		{word: "sweep", homes: []string{"internal/cli"}},                                                // launches that differ in the values of axes
		{word: "span", homes: []string{"internal/jit/abi", "internal/jit/coarsen", "internal/jit/sel"}}, // the bytes that an access touches
		{word: "whole"}, {word: "part"}, {word: "pass"}, {word: "walk"}, {word: "near"}, // none
	}
	for _, p := range pkgs {
		count := func(id *ast.Ident) {
			for i := range list {
				if h := &list[i]; strings.EqualFold(id.Name, h.word) && !slices.Contains(h.homes, p.rel) {
					h.others = append(h.others, p.Fset.Position(id.Pos()).String())
				}
			}
		}
		for _, f := range p.Syntax {
			if ast.IsGenerated(f) {
				continue
			}
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					count(d.Name)
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						t, ok := spec.(*ast.TypeSpec)
						if !ok {
							continue
						}
						count(t.Name)
						if st, ok := t.Type.(*ast.StructType); ok {
							for _, f := range st.Fields.List {
								for _, id := range f.Names {
									count(id)
								}
							}
						}
					}
				}
			}
		}
	}
	return list
}
