package draw

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func testGrid(rows, cols, width int) *Grid {
	p := GridPart{Title: fmt.Sprintf("A: %dx%d", rows, cols)}
	for i := range rows {
		p.Rows = append(p.Rows, fmt.Sprint(i))
		var cells []GridCell
		for j := range cols {
			cells = append(cells, GridCell{Text: strings.Repeat(string(rune('a'+j%26)), width), Key: i, Say: "<&>"})
		}
		p.Cells = append(p.Cells, cells)
	}
	for j := range cols {
		p.Cols = append(p.Cols, fmt.Sprint(j))
	}
	return &Grid{Title: "t", Parts: []GridPart{p, p}}
}

func TestGridText(t *testing.T) {
	t.Parallel()
	want := "t\n\n  A: 2x3\n       0  1  2\n    0 aa bb cc\n    1 aa bb cc\n\n  A: 2x3\n       0  1  2\n    0 aa bb cc\n    1 aa bb cc\n"
	if got := testGrid(2, 3, 2).Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for cols := 1; cols <= 64; cols++ {
		for width := 1; width < 12; width++ {
			text := testGrid(3, cols, width).Text()
			for _, l := range strings.Split(text, "\n") {
				if utf8.RuneCountInString(l) > 80 {
					t.Fatalf("%d columns of %d: a line of %d: %q", cols, width, len(l), l)
				}
			}
			for j := range cols {
				if c := strings.Repeat(string(rune('a'+j%26)), width); strings.Count(text, c) < 6*len(c)/width {
					t.Fatalf("%d columns of %d: column %d is missing:\n%s", cols, width, j, text)
				}
			}
		}
	}
}

func TestGridSVG(t *testing.T) {
	t.Parallel()
	d := xml.NewDecoder(bytes.NewReader(testGrid(16, 32, 5).SVG()))
	cells := 0
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := tok.(xml.StartElement); ok && s.Name.Local == "rect" {
			cells++
		}
	}
	if cells < 2*16*32 {
		t.Errorf("%d rectangles", cells)
	}
}
