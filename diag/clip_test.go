package diag

import (
	"encoding/json"
	"strings"
	"testing"
)

// A message that quotes a huge word of the input stays readable, in every form.
func TestLongMessages(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("aé", 1<<20)
	d := Errorf(Pos{File: "f", Line: 1, Col: 1}, Input, "syntax", "found %s", long)
	d.Source = long
	d.Related = []Related{{Message: long, Source: long}}
	js, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	for form, s := range map[string]string{"text": d.Text(TextOptions{}), "error": d.Error(), "json": string(js)} {
		if len(s) > 8*maxMessage || !strings.Contains(s, "bytes more") || strings.Contains(s, "\ufffd") {
			t.Errorf("%s: %d bytes: %.60q", form, len(s), s)
		}
	}
	short := strings.Repeat("b", maxMessage)
	if got := clip(short); got != short {
		t.Errorf("a message of the limit is clipped: %d bytes", len(got))
	}
}
