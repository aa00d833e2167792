package request

import "testing"

// What was appended is read; a message that is cut off anywhere sets Bad, and a length beyond its end, too.
func TestReader(t *testing.T) {
	t.Parallel()
	data := AppendText(AppendNumber(AppendText(nil, "ab"), 1<<40+5), "")
	if string(data[:10]) != "\x02\x00\x00\x00\x00\x00\x00\x00ab" {
		t.Errorf("%q", data)
	}
	for n := range len(data) + 1 {
		r := Reader{Data: data[:n]}
		a, b, c := string(r.Text()), r.Number(), r.Text()
		if whole := n == len(data); r.Bad == whole || whole && (a != "ab" || b != 1<<40+5 || len(c) > 0 || len(r.Data) > 0) {
			t.Errorf("%d bytes: %q %d %q, bad %t", n, a, b, c, r.Bad)
		}
	}
	r := Reader{Data: AppendNumber(nil, 1<<63)}
	if r.Text() != nil || !r.Bad || r.Number() != 0 {
		t.Errorf("%+v", r)
	}
}
