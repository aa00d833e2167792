// Package site holds the files of the page: HTML, CSS and modules that a browser loads as they are.
package site

import "embed"

// Files are the files of the page; index.html is the first one that a browser asks for.
//
//go:embed index.html icon.svg style.css *.js vendor
var Files embed.FS
