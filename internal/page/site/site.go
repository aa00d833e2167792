// Package site holds the files of the page: HTML, CSS and modules that a browser loads as they are.
package site

import "embed"

// Files are the files of the page; index.html is the first one that a browser asks for.
//
//go:embed index.html
var Files embed.FS
