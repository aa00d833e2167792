package page

import (
	"context"

	"example.org/crosslane/internal/page/ask"
)

// An example is a program of the gallery, with a launch and a question about it.
type example struct {
	ID       string  `json:"id"`
	Title    string  `json:"title"`
	ISA      string  `json:"isa"`
	Kind     string  `json:"kind"` // "bug", "twin" or "tour"
	Program  Program `json:"program"`
	Launch   Launch  `json:"launch"`
	Question string  `json:"question"`
	Hint     string  `json:"hint"`
	Code     string  `json:"code"` // of the finding that check shows; "": none
}

func (p *Page) examples(_ context.Context, params []byte) (any, error) {
	var none struct{}
	if err := ask.Params(params, &none); err != nil {
		return nil, err
	}
	return gallery()
}
