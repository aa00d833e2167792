package ptx_test

import (
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/ptx"
)

// Modules that need each other are one group, also by way of others, and whatever their order.
func TestLinkGroups(t *testing.T) {
	t.Parallel()
	head := ".version 8.0\n.target sm_80\n.address_size 64\n"
	for _, c := range []struct {
		name  string
		texts string // a module each, with the letter of its file
		want  string
	}{
		{"alone", "a: .visible .func f() { ret; } | b: .visible .func g() { ret; }", "a|b"},
		{"a function", "a: .extern .func f(); | b: .visible .func g() { ret; } | c: .visible .func f() { ret; }", "ac|b"},
		{"a function that is defined before", "a: .visible .func f() { ret; } | b: .extern .func f();", "ab"},
		{"a variable", "a: .extern .global .b32 v; | b: .visible .global .b32 v;", "ab"},
		{"by way of others", "a: .extern .func f(); | b: .visible .func f() { ret; } .extern .global .b32 v; | c: .visible .global .b32 v; | d: .global .b32 v;", "abc|d"},
		{"the same weak function", "a: .weak .func f() { ret; } | b: .weak .func f() { ret; } | c: .extern .func f();", "ac|b"},
		{"in a circle", "a: .visible .func f() { ret; } .extern .func g(); | b: .extern .func f(); .visible .func g() { ret; }", "ab"},
		{"nothing defines it", "a: .extern .func f(); | b: .extern .func f();", "a|b"},
		{"an error", "a: .extern .func f(); rubbish | b: .visible .func f() { ret; }", "a|b"},
	} {
		var parts []ptx.LinkPart
		for _, text := range strings.Split(c.texts, " | ") {
			file, body, _ := strings.Cut(text, ": ")
			parts = append(parts, ptx.LinkPart{File: file, Text: head + body + "\n"})
		}
		var got []string
		for _, group := range ptx.LinkGroups(parts) {
			var names []string
			for _, p := range group {
				names = append(names, p.File)
			}
			got = append(got, strings.Join(names, ""))
		}
		if want := strings.Split(c.want, "|"); !slices.Equal(got, want) {
			t.Errorf("%s: groups %q, want %q", c.name, got, want)
		}
	}
}
