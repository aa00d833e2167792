// Package names leaves mangled names as they are: the demangler would make the WebAssembly module larger by a twentieth.
package names

// Full returns the name.
func Full(name string) string { return name }

// Short returns the name.
func Short(name string) string { return name }

// InText returns the text.
func InText(s string) string { return s }
