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

// openings are words with which a sentence opens inverted: its subject comes late.
var openings = []string{"what", "who", "whose", "of", "where", "whoever", "whatever"}

// words are the counts of a text.
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

// A homonym is a word of the code that once had several meanings.
type homonym struct {
	word  string
	count int
}

// homonyms counts the types, functions, methods and fields that are called by a word that should
// have one meaning.
func homonyms(pkgs []pkg) []homonym {
	var list []homonym
	for _, word := range []string{"row", "place", "whole", "part", "pass", "sweep", "walk", "near", "span"} {
		list = append(list, homonym{word: word})
	}
	count := func(name string) {
		for i := range list {
			if strings.EqualFold(name, list[i].word) {
				list[i].count++
			}
		}
	}
	for _, p := range pkgs {
		for _, f := range p.Syntax {
			if ast.IsGenerated(f) {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					count(n.Name.Name)
				case *ast.TypeSpec:
					count(n.Name.Name)
				case *ast.StructType:
					for _, f := range n.Fields.List {
						for _, id := range f.Names {
							count(id.Name)
						}
					}
				}
				return true
			})
		}
	}
	return list
}
