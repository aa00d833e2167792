package page

import (
	"strings"
	"testing"
)

// A bug of the gallery shows its finding, a twin and a tour show none; and all of them can be recorded.
func TestGallery(t *testing.T) {
	t.Parallel()
	p := newPage()
	var list []m
	answer(t, p, "examples", m{}, &list)
	kinds := map[string]int{}
	for _, e := range list {
		kind, id := e["kind"].(string), e["id"].(string)
		kinds[kind]++
		params := m{"program": e["program"], "launch": e["launch"]}
		var c struct {
			Findings []struct{ Code, Severity, Message string }
		}
		answer(t, p, "check", params, &c)
		found := false
		for _, f := range c.Findings {
			found = found || f.Code == e["code"]
			if f.Severity != "note" && kind != "bug" {
				t.Errorf("%s: %s: %s", id, f.Code, f.Message)
			}
		}
		if kind == "bug" && !found {
			t.Errorf("%s: there is no finding %s in %+v", id, e["code"], c.Findings)
		}
		var r struct{ Info struct{ Steps int } }
		answer(t, p, "record", params, &r)
		if r.Info.Steps < 5 {
			t.Errorf("%s has %d steps", id, r.Info.Steps)
		}
		text := e["program"].(m)["text"].(string)
		if strings.Contains(text, "// want") || strings.Contains(text, "// check:") || e["question"] == "" || e["hint"] == "" || e["title"] == "" {
			t.Errorf("%s gives its answer, or lacks a question", id)
		}
	}
	if kinds["bug"] < 10 || kinds["twin"] < 4 || kinds["tour"] < 2 {
		t.Errorf("%v", kinds)
	}
}
