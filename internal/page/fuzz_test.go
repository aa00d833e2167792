package page

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"
)

// FuzzRequest: every request gets a reply that is a JSON object with the request's id or none, in bounded time.
func FuzzRequest(f *testing.F) {
	for _, text := range []string{
		`{"id":1,"op":"hello"}`, `{"id":2,"op":"cancel","params":{"id":1}}`, `{"id":"x","op":"explain","params":{"text":"shfl"}}`, `{"id":3,"op":"steps","params":{"rec":1,"from":-5,"to":9}}`,
		`{"id":4,"op":"run","params":{"program":{"text":".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { ret; }"},"launch":{"line":"--grid 1 --block 1"},"options":{"timeout_ms":100}}}`,
		`{"id":5,"op":"record","params":{"program":{"base64":"AAAA"},"launch":{"line":"--grid 'ceil(n/block)' --block 1,2,3 --arg {1,2}"}}}`,
		`{"id":6,"op":"memory","params":{"rec":1,"step":3,"range":{"name":"o","offset":-1,"size":99999999999},"writes":true}}`,
		`{"id":7,"op":"state","params":{"rec":1,"step":0,"wave":-1}}`, `{"id":8,"op":"outline","params":{"rec":1,"wave":77}}`, `{"id":9,"op":"why","params":{"rec":1,"step":0,"lane":99,"register":"%r"}}`,
		`{"id":[],"op":""}`, `[]`, `null`, `{"id":1e400}`, `{"id":10,"op":"laststore","params":{"rec":1,"step":2,"space":"local","lane":-3}}`, `{"id":11,"op":"query","params":{"rec":1,"from":-9,"to":-1,"source":"x:"}}`,
	} {
		f.Add([]byte(text))
	}
	o := SmallLimits()
	o.Time, o.MaxTime = 200*time.Millisecond, 300*time.Millisecond
	p := New(Options{Limits: o})
	text, err := json.Marshal(m{"id": 1, "op": "record", "params": m{"program": m{"text": ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 o) { .reg .u64 %d; .reg .u32 %r; ld.param.u64 %d, [o]; mov.u32 %r, %tid.x; st.global.u32 [%d], %r; ret; }"},
		"launch": m{"line": "--grid 1 --block 4 --arg o:u32[1]"}}})
	if err != nil {
		f.Fatal(err)
	}
	if reply := p.Answer(context.Background(), text); !bytes.HasPrefix(reply, []byte(`{"id":1,"ok":true`)) {
		f.Fatalf("%s", reply)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		start := time.Now()
		reply := p.Answer(t.Context(), text)
		var r struct {
			ID    json.RawMessage
			OK    *bool
			Error *struct{ Message string }
		}
		if err := json.Unmarshal(reply, &r); err != nil || r.OK == nil || *r.OK != (r.Error == nil) || r.Error != nil && r.Error.Message == "" {
			t.Fatalf("%s: %.300s (%v)", text, reply, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s took %v", text, took)
		}
	})
}

// Requests that ask for too much get an error that says so.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	o := SmallLimits()
	o.Time = 500 * time.Millisecond
	p := New(Options{Limits: o})
	const kernel = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 o) { .reg .u64 %d; .reg .u32 %r; ld.param.u64 %d, [o]; mov.u32 %r, %tid.x; st.global.u32 [%d], %r; ret; }"
	for _, c := range []struct {
		name    string
		program m
		line    string
		want    string
	}{
		{"a huge grid", m{"text": kernel}, "--grid 2147483647,65535,65535 --block 1024 --arg o:u32[1]", "500ms"},
		{"a grid beyond the limits", m{"text": kernel}, "--grid 2147483648 --block 1 --arg o:u32[1]", "2147483647"},
		{"a huge block", m{"text": kernel}, "--grid 1 --block 1025 --arg o:u32[1]", "1024"},
		{"a buffer of 1 GB", m{"text": kernel}, "--grid 1 --block 1 --arg o:u32[268435456]", "64 MiB"},
		{"many buffers", m{"text": kernel}, "--grid 1 --block 1 --arg o:u8[60000000] --buffer x:u8[60000000]", "64 MiB"},
		{"a shape that overflows", m{"text": kernel}, "--grid 1 --block 1 --arg 'o:f64[9999999999,9999999999]'", "exceeds any memory"},
		{"includes without end", m{"name": "a.s", "text": `.include "a.s"`, "includes": m{"a.s": `.include "a.s"`}}, "--grid 1 --block 64 --isa gcn3", "includ"},
		{"repetitions", m{"name": "a.s", "text": ".rept 100000\n.rept 100000\ns_nop 0\n.endr\n.endr\n"}, "--grid 1 --block 64 --isa gcn3", ""},
		{"a missing include", m{"name": "a.s", "text": `.include "/etc/passwd"`}, "--grid 1 --block 64 --isa gcn3", "not among the files that were opened in the page"},
		{"a long expression", m{"text": kernel}, "--grid '" + string(bytes.Repeat([]byte("("), 5000)) + "' --block 1", ""},
	} {
		for _, op := range []string{"run", "check", "record"} {
			start := time.Now()
			text, err := json.Marshal(m{"program": c.program, "launch": m{"line": c.line}})
			if err != nil {
				t.Fatal(err)
			}
			reply := p.AnswerOp(t.Context(), op, text)
			if !bytes.Contains(reply, []byte(c.want)) || !bytes.Contains(reply, []byte(`"message":`)) {
				t.Errorf("%s, %s: %.500s", c.name, op, reply)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%s, %s took %v", c.name, op, took)
			}
		}
	}
	big, err := json.Marshal(m{"program": m{"text": string(bytes.Repeat([]byte("x"), 9<<20))}, "launch": m{"line": ""}})
	if err != nil {
		t.Fatal(err)
	}
	if reply := p.AnswerOp(t.Context(), "run", big); !bytes.Contains(reply, []byte("8 MiB is the limit")) {
		t.Errorf("%.200s", reply)
	}
}
