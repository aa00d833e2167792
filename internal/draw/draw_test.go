package draw_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.org/crosslane/internal/draw"
	"example.org/crosslane/lane"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden compares the gallery's text pictures with testdata.
func TestGolden(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, p := range gallery(t) {
		texts[p.name] = draw.Text(&p.m, p.o)
	}
	for name, f := range folds() {
		texts[name] = f.Text()
	}
	for name, got := range texts {
		file := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
}

// readText reads a text picture back: it returns, for each lane, the contents of the "reads" lines.
func readText(t interface{ Fatalf(string, ...any) }, text string) map[int]string {
	got := map[int]string{}
	var lanes []string
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) < 2:
		case f[0] == "lane" && line[0] == 'l':
			lanes = f[1:]
		case f[0] == "reads" && line[0] == 'r':
			if len(f)-1 != len(lanes) {
				t.Fatalf("%d lanes and %d sources in\n%s", len(lanes), len(f)-1, text)
			}
			for i, l := range lanes {
				n, err := strconv.Atoi(l)
				if err != nil {
					t.Fatalf("lane %q", l)
				}
				got[n] = f[i+1]
			}
		}
	}
	return got
}

// svgDoc is the content that a reader finds in an SVG picture.
type svgDoc struct {
	said  map[int]string // lane: the sentence of its cell
	texts []string
	wires int
}

func readSVG(t interface{ Fatalf(string, ...any) }, doc []byte) svgDoc {
	r := svgDoc{said: map[int]string{}}
	d := xml.NewDecoder(bytes.NewReader(doc))
	var stack []string
	ids := map[string]bool{}
	refs := map[string]bool{}
	url := regexp.MustCompile(`^url\(#(.*)\)$`)
	sentence := regexp.MustCompile(`^lane (\d+) (.*)$`)
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, doc)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if len(stack) == 0 && (e.Name.Local != "svg" || e.Name.Space != "http://www.w3.org/2000/svg") {
				t.Fatalf("root element %v", e.Name)
			}
			stack = append(stack, e.Name.Local)
			for _, a := range e.Attr {
				if a.Name.Local == "id" {
					if ids[a.Value] {
						t.Fatalf("id %q twice", a.Value)
					}
					ids[a.Value] = true
				}
				if m := url.FindStringSubmatch(a.Value); m != nil {
					refs[m[1]] = true
				}
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Fatalf("%s=%q", a.Name.Local, a.Value)
				}
				if a.Name.Local == "fill" && a.Value == "none" && e.Name.Local == "path" {
					r.wires++
				}
			}
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			s := string(e)
			switch stack := strings.Join(stack, "/"); {
			case strings.HasSuffix(stack, "g/g/title"):
				if m := sentence.FindStringSubmatch(s); m != nil {
					n, _ := strconv.Atoi(m[1])
					r.said[n] = m[2]
				}
			case strings.HasSuffix(stack, "/text"):
				r.texts = append(r.texts, s)
			}
		}
	}
	for id := range refs {
		if !ids[id] {
			t.Fatalf("fill refers to %q, which is not there", id)
		}
	}
	return r
}

// checkPicture reads both pictures back and compares them with the map.
func checkPicture(t interface {
	Fatalf(string, ...any)
	Errorf(string, ...any)
}, m *lane.Map, o draw.Options) {
	text := draw.Text(m, o)
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
			t.Fatalf("%d columns: %q", n, line)
		}
	}
	reads := readText(t, text)
	doc := readSVG(t, draw.SVG(m, o))
	wires := 0
	for i := range m.Lanes {
		var sign, said string
		j, ok := m.Src[i].Lane()
		switch {
		case ok && m.Undef.Has(i):
			sign, said = fmt.Sprint(j, "!"), fmt.Sprintf("would read lane %d: undefined", j)
		case m.Undef.Has(i):
			sign, said = "!", "is undefined"
		case ok && i == j:
			sign, said = fmt.Sprint(j), "reads itself"
		case ok:
			sign, said = fmt.Sprint(j), fmt.Sprintf("reads lane %d", j)
		case m.Src[i] == lane.Zero:
			sign, said = "z", "receives 0"
		case o.Inactive.Has(i):
			sign, said = ".", "is inactive"
		default:
			sign, said = "=", "keeps its old value"
		}
		if ok {
			wires++
		}
		sign = strings.ReplaceAll(sign, " ", "")
		if reads[i] != sign {
			t.Errorf("text: lane %d reads %q, want %q", i, reads[i], sign)
		}
		if doc.said[i] != said {
			t.Errorf("SVG: lane %d %q, want %q", i, doc.said[i], said)
		}
	}
	if len(reads) != m.Lanes || len(doc.said) != m.Lanes {
		t.Errorf("%d and %d lanes, want %d", len(reads), len(doc.said), m.Lanes)
	}
	if want := wires + o.Lost.Count(); o.Lost == 0 && doc.wires != want {
		t.Errorf("%d lines, want %d", doc.wires, want)
	}
}

func TestGallery(t *testing.T) {
	t.Parallel()
	for _, p := range gallery(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			checkPicture(t, &p.m, p.o)
			doc := string(draw.SVG(&p.m, p.o))
			for _, want := range []string{`role="img"`, "<title ", "<desc ", `viewBox="0 0 1120 `} {
				if !strings.Contains(doc, want) {
					t.Errorf("no %s", want)
				}
			}
		})
	}
}

func TestAnyMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lanes := rapid.SampledFrom([]int{32, 64}).Draw(t, "lanes")
		m := lane.NewMap(lanes)
		density := rapid.IntRange(1, 8).Draw(t, "density")
		for i := range lanes {
			switch k := rapid.IntRange(0, density).Draw(t, "k"); k {
			case 0:
				m.Src[i] = lane.Zero
			case 1:
			default:
				m.Src[i] = lane.Source(rapid.IntRange(0, lanes-1).Draw(t, "src"))
			}
		}
		m.Undef = lane.Mask(rapid.Uint64().Draw(t, "undef") & rapid.Uint64().Draw(t, "undef2"))
		o := draw.Options{
			Title:    rapid.String().Draw(t, "title"),
			Subtitle: rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "subtitle"),
			Inactive: lane.Mask(rapid.Uint64().Draw(t, "inactive")),
			Before:   rapid.SliceOfN(rapid.StringMatching(`[0-9a-f]{0,12}`), 0, 70).Draw(t, "before"),
			After:    rapid.SliceOfN(rapid.StringMatching(`[0-9a-f]{0,12}`), 0, 70).Draw(t, "after"),
			HasPred:  rapid.Bool().Draw(t, "hasPred"),
		}
		// A title that looks like a line of the picture would confuse this reader.
		for _, s := range append([]string{o.Title}, o.Subtitle...) {
			if strings.HasPrefix(s, "lane") || strings.HasPrefix(s, "reads") {
				t.Skip()
			}
		}
		checkPicture(t, &m, o)
	})
}

// TestHostile checks that titles, values and maps may contain any text.
func TestHostile(t *testing.T) {
	t.Parallel()
	bad := "<&>\"'\x00\x1b[31m\xff]]>\n\tverylongword" + strings.Repeat("x", 300)
	for _, lanes := range []int{-1, 0, 1, 17, 64, 1000} {
		m := lane.Map{Lanes: lanes}
		for i := range m.Src {
			m.Src[i] = lane.Source(i * 3)
		}
		o := draw.Options{Title: bad, Subtitle: []string{bad, ""}, Before: []string{bad}, After: []string{bad}, Lost: 1, HasPred: true}
		f := draw.Fold{Title: bad, Lanes: lanes, Active: 5, Picked: 2, In: []string{bad, bad}, InName: bad, Out: []string{bad}, OutName: bad, Result: bad, ResultName: bad}
		readSVG(t, draw.SVG(&m, o))
		readSVG(t, f.SVG())
		for _, text := range []string{draw.Text(&m, o), f.Text()} {
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
					t.Errorf("%d columns: %q", n, line)
				}
				if strings.ContainsAny(line, "\x00\x1b") {
					t.Errorf("control characters in %q", line)
				}
			}
		}
	}
}

func TestFolds(t *testing.T) {
	t.Parallel()
	for name, f := range folds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := readSVG(t, f.SVG())
			all := strings.Join(doc.texts, "\n")
			if len(doc.said) != f.Lanes {
				t.Errorf("%d lanes, want %d", len(doc.said), f.Lanes)
			}
			if f.Result != "" && !strings.Contains(all, f.ResultName+" = "+f.Result) {
				t.Errorf("SVG does not show the result: %s", all)
			}
			if f.Result != "" && !strings.Contains(f.Text(), "=> "+f.ResultName+" = "+f.Result) {
				t.Errorf("text does not show the result:\n%s", f.Text())
			}
			for i := range f.Lanes {
				want := "is inactive"
				if f.Active.Has(i) {
					want = "brings " + f.In[i]
					if len(f.Out) > 0 {
						want += " and gets " + f.Out[i]
					}
				}
				if doc.said[i] != want {
					t.Errorf("lane %d %q, want %q", i, doc.said[i], want)
				}
			}
		})
	}
}
