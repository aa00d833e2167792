package page

import (
	_ "embed" // the gallery
	"encoding/json"
	"sync"
)

// galleryText is written by go generate; see gen.
//
//go:embed gallery.json
var galleryText []byte

//go:generate go run ./gen

// gallery returns the examples of the gallery.
var gallery = sync.OnceValues(func() (list []example, err error) {
	err = json.Unmarshal(galleryText, &list)
	return list, err
})
