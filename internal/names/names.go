//go:build !js

// Package names converts the mangled names of compiled code (Itanium C++ and Rust) to the names of
// the source.
package names

import (
	"regexp"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maxLength limits a demangled name to 2 to this power characters: a short mangled name may stand
// for a very long one.
const maxLength = 12

// Full returns the whole name, with the types of its parameters: "void tile<false>(float const*)".
// A name that is not mangled is returned unchanged. A mangled name that linking has changed, as
// _ZL3bufi$2, becomes "buf(int) of module 2".
func Full(name string) string {
	if base, of, ok := cutModule(name); ok {
		return Full(base) + of
	}
	return demangle.Filter(name, demangle.MaxLength(maxLength))
}

// Short returns the name without the types of parameters: "tile<false>" for a function, and "t in
// tile<false>" for a variable that is declared in a function. Names of Numba lose their tags, and get back the
// "<locals>" that Python has between a function and one that is defined in it.
func Short(name string) string {
	return strings.ReplaceAll(numbaTag.ReplaceAllString(short(name), ""), "_3clocals_3e", "<locals>")
}

// numbaTag matches the tags by which Numba tells versions and flags of a function apart.
var numbaTag = regexp.MustCompile(`\[abi:(v[0-9]+|[0-9A-Za-z_]{20,})\]`)

func short(name string) string {
	if base, of, ok := cutModule(name); ok {
		return short(base) + of
	}
	short := []demangle.Option{demangle.NoParams, demangle.MaxLength(maxLength)}
	tree, err := demangle.ToAST(name, short...)
	if err != nil {
		return demangle.Filter(name, short...)
	}
	local, ok := tree.(*demangle.Qualified)
	if !ok || !local.LocalName {
		return demangle.Filter(name, short...)
	}
	variable := demangle.ASTToString(local.Name, short...)
	return variable + " in " + function(local.Scope, short)
}

// renamed matches a mangled name that linking has changed: it adds a dollar sign and the number of the
// module.
var renamed = regexp.MustCompile(`^(_(?:Z|R).*)\$([0-9]+)_*$`)

// cutModule splits a mangled name that linking has changed into the name of the source and a text
// that names the module: " of module 2".
func cutModule(name string) (base, of string, ok bool) {
	if !strings.Contains(name, "$") {
		return name, "", false
	}
	m := renamed.FindStringSubmatch(name)
	if m == nil || demangle.Filter(m[1], demangle.MaxLength(maxLength)) == m[1] {
		return name, "", false
	}
	return m[1], " of module " + m[2], true
}

// function returns the name of a function without its parameters.
func function(tree demangle.AST, options []demangle.Option) string {
	if typed, ok := tree.(*demangle.Typed); ok {
		tree = typed.Name
	}
	return demangle.ASTToString(tree, options...)
}

// mangled matches candidates for mangled names in a text.
var mangled = regexp.MustCompile(`\b_(?:Z|R)[A-Za-z0-9_$.]*[A-Za-z0-9_$]`)

// InText replaces the mangled names in a text by their short forms.
func InText(s string) string {
	if !strings.Contains(s, "_Z") && !strings.Contains(s, "_R") {
		return s
	}
	return mangled.ReplaceAllStringFunc(s, Short)
}
