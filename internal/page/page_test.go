package page

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
)

// ask answers an operation; the reply's data goes to out.
func answer(t *testing.T, p *Page, op string, params, out any) {
	t.Helper()
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		OK    bool
		Data  json.RawMessage
		Error struct{ Message string }
	}
	if err := json.Unmarshal(p.AnswerOp(t.Context(), op, text), &r); err != nil {
		t.Fatal(err)
	}
	if !r.OK {
		t.Fatalf("%s: %s", op, r.Error.Message)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(r.Data, out); err != nil {
		t.Fatal(err)
	}
}

// refusal is the message of an operation that fails.
func refusal(t *testing.T, p *Page, op string, params any) string {
	t.Helper()
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		OK    bool
		Error struct{ Message string }
	}
	if err := json.Unmarshal(p.AnswerOp(t.Context(), op, text), &r); err != nil || r.OK {
		t.Fatalf("%s %s: no error (%v)", op, text, err)
	}
	return r.Error.Message
}

type m = map[string]any

// program is a file of the examples.
func program(t *testing.T, name string) m {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return m{"name": name, "text": string(text)}
}

const reduceLine = "--kernel partial_reduce --grid 1 --block 32 --arg in:s32[32]=fill:1 --arg out:s32[1] --arg 20"

func newPage() *Page { return New(Options{Limits: DefaultLimits(), Native: true}) }

func TestRecordingOfThePage(t *testing.T) {
	t.Parallel()
	p := newPage()
	prog := program(t, "ptx/mistakes.ptx")
	var rec struct {
		Rec  int
		Info struct{ Steps int }
	}
	answer(t, p, "record", m{"program": prog, "launch": m{"line": reduceLine}}, &rec)
	if rec.Rec != 1 || rec.Info.Steps != 27 {
		t.Fatalf("%+v", rec)
	}
	var o struct {
		Line      []int
		Ops       []string
		Op        []int
		Undefined []string
		Findings  map[string][]int
		Lanes     []string
	}
	answer(t, p, "outline", m{"rec": 1, "wave": 0}, &o)
	if len(o.Line) != 27 || o.Line[13] != 36 || !strings.HasPrefix(o.Ops[o.Op[13]], "shfl.sync.down.b32 %r6") {
		t.Fatalf("%+v", o)
	}
	// Lanes 4 to 15 read lanes 20 to 31, which take no part; lanes 20 to 31 are at the end of the kernel.
	if o.Undefined[13] != "0xfff0" || o.Lanes[13] != "0xfffff" || len(o.Findings["13"]) == 0 || o.Undefined[12] != "0x0" {
		t.Errorf("undefined %s, lanes %s, findings %v", o.Undefined[13], o.Lanes[13], o.Findings)
	}
	var why struct {
		Step, Lane int
		Text       string
		Cells      [][2]any
		Nodes      map[string][]int
	}
	answer(t, p, "why", m{"rec": 1, "step": 27, "buffer": "out", "index": 0}, &why)
	if why.Step != 25 || why.Lane != 0 || !strings.Contains(why.Text, "shfl.sync.down.b32") {
		t.Fatalf("%+v", why)
	}
	// The reduction is a triangle: each shuffle has half as many lanes.
	want := map[float64]string{13: "0xffff", 15: "0xff", 17: "0xf", 19: "0x3", 21: "0x1", 25: "0x1"}
	for _, c := range why.Cells {
		if w, ok := want[c[0].(float64)]; ok && c[1] != w {
			t.Errorf("step %v: lanes %v, want %s", c[0], c[1], w)
		} else if ok {
			delete(want, c[0].(float64))
		}
	}
	if len(want) > 0 {
		t.Errorf("the steps %v are missing in %v", want, why.Cells)
	}
	var step struct{ Step int }
	answer(t, p, "lastwrite", m{"rec": 1, "step": 27, "wave": 0, "register": "%r6", "lane": 4}, &step)
	if step.Step != 13 {
		t.Errorf("%%r6 was written in step %d, want 13", step.Step)
	}
	var mem struct {
		Type   string
		Values []string
		Writes []int
	}
	answer(t, p, "memory", m{"rec": 1, "step": 27, "range": m{"name": "out"}, "writes": true}, &mem)
	if mem.Type != "s32" || !slices.Equal(mem.Values, []string{"32"}) || !slices.Equal(mem.Writes, []int{25}) {
		t.Errorf("%+v", mem)
	}
	answer(t, p, "memory", m{"rec": 1, "step": 25, "range": m{"name": "out"}, "writes": true}, &mem)
	if !slices.Equal(mem.Values, []string{"0"}) || !slices.Equal(mem.Writes, []int{-1}) {
		t.Errorf("before the store: %+v", mem)
	}
}

// The page keeps some recordings; the one that was asked longest ago goes first.
// round is a loop whose value depends on each of its rounds.
const round = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .u32 %%r<4>;
	.reg .u64 %%d<2>;
	.reg .pred %%p<2>;
	mov.u32 %%r1, 0;
	mov.u32 %%r2, %%tid.x;
	ld.param.u64 %%d1, [out];
loop:
	add.u32 %%r1, %%r1, 1;
	xor.b32 %%r2, %%r2, %%r1;
	setp.lt.u32 %%p1, %%r1, %d;
	@%%p1 bra loop;
	st.global.u32 [%%d1], %%r2;
	ret;
}
`

// The provenance of a value deep in a loop takes memory in proportion to the steps, and the answer has a bounded tree, all cells, and the
// path to any value.
func TestWhyDeepInALoop(t *testing.T) {
	p := newPage()
	const rounds = 6000
	answer(t, p, "record", m{"program": m{"name": "k.ptx", "text": fmt.Sprintf(round, rounds)}, "launch": m{"line": "--grid 1 --block 32 --arg out:u32[1]"}}, nil)
	var why struct {
		Cells      [][2]any
		Nodes      map[string][]int
		More       int
		Provenance struct {
			Root  int
			Nodes []struct {
				ID   int
				From []struct{ Node int }
			}
		}
		Path *struct {
			Nodes []int
			Cells [][2]any
		}
	}
	last := 3 + 4*(rounds-1) + 1 // the last xor
	answer(t, p, "why", m{"rec": 1, "step": last, "lane": 3, "wave": 0}, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text, err := json.Marshal(m{"rec": 1, "step": last, "lane": 3, "wave": 0, "path": m{"step": 4, "lane": 3}})
	if err != nil {
		t.Fatal(err)
	}
	reply := p.AnswerOp(t.Context(), "why", text)
	runtime.ReadMemStats(&after)
	// A list of all steps for each node would be 12,000 times 24,000 numbers.
	if n := after.TotalAlloc - before.TotalAlloc; n > 300<<20 {
		t.Errorf("why took %d MB for %d steps", n>>20, 4*rounds)
	}
	if len(reply) > 5<<20 {
		t.Errorf("the reply has %d bytes", len(reply))
	}
	if err := json.Unmarshal(reply, &struct{ Data any }{&why}); err != nil {
		t.Fatal(err)
	}
	// The value depends on the additions and the exclusive ors of all rounds, the mov of 0 and the lane's number.
	if n := len(why.Provenance.Nodes); n < maxNodes || n > 2*maxNodes || why.More+n < 2*rounds {
		t.Errorf("%d nodes and %d more", n, why.More)
	}
	shown := map[string]string{}
	for _, c := range why.Cells {
		shown[fmt.Sprint(c[0])] = c[1].(string)
	}
	for step := 3; step <= last; step += 4 {
		if shown[fmt.Sprint(step)] != "0x8" || shown[fmt.Sprint(step+1)] != "0x8" {
			t.Fatalf("the cells of the steps %d and %d are %q and %q", step, step+1, shown[fmt.Sprint(step)], shown[fmt.Sprint(step+1)])
		}
	}
	// From the first xor, the path goes through the xor of each round.
	if why.Path == nil || len(why.Path.Nodes) != rounds || len(why.Path.Cells) != rounds || why.Path.Cells[0][0] != 4.0 || why.Path.Cells[rounds-1][0] != float64(last) {
		t.Fatalf("the path: %.300v", why.Path)
	}
	if why.Path.Nodes[rounds-1] != why.Provenance.Root {
		t.Errorf("the path ends at node %d, not at the root %d", why.Path.Nodes[rounds-1], why.Provenance.Root)
	}
	// Another lane's value is no part of it.
	why.Path = nil
	answer(t, p, "why", m{"rec": 1, "step": last, "lane": 3, "wave": 0, "path": m{"step": 4, "lane": 5}}, &why)
	if why.Path != nil {
		t.Errorf("a path from lane 5: %v", why.Path)
	}
}

// StepLanes and StepBrief have what Step has, for scalar instructions, under EXEC, and where lanes part, for steps in order and backwards.
func TestStepLanes(t *testing.T) {
	t.Parallel()
	p := newPage()
	var list []struct {
		Kind            string
		Program, Launch any
	}
	answer(t, p, "examples", m{}, &list)
	steps, scalars, undefined := 0, 0, 0
	for i, e := range list {
		var rec struct{ Rec int }
		answer(t, p, "record", m{"program": e.Program, "launch": e.Launch}, &rec)
		k, err := p.shelf.find(rec.Rec)
		if err != nil {
			t.Fatal(err)
		}
		for s := k.info.First; s < k.info.First+min(k.info.Steps, 400); s++ {
			want, err := k.rec.Step(s)
			if err != nil {
				t.Fatal(err)
			}
			if lanes, scalar, err := k.rec.StepLanes(s); err != nil || lanes != want.Lanes || scalar != want.Scalar {
				t.Fatalf("example %d, step %d: %v %v, want %v %v (%v)", i, s, lanes, scalar, want.Lanes, want.Scalar, err)
			}
			if steps++; want.Scalar {
				scalars++
			}
		}
		last := k.info.First + min(k.info.Steps, 400)
		for s := k.info.First; s < last; s++ {
			for _, s := range []int{s, last - 1 + k.info.First - s} {
				want, err := k.rec.Step(s)
				if err != nil {
					t.Fatal(err)
				}
				lanes := undefinedLanes(want)
				want.Writes, want.Access, want.Exchange, want.Barrier = nil, nil, nil, nil
				if got, u, err := k.rec.StepBrief(s); err != nil || u != lanes || !reflect.DeepEqual(got, want) {
					t.Fatalf("example %d, step %d:\n%+v undefined %v\nwant\n%+v undefined %v (%v)", i, s, got, u, want, lanes, err)
				}
				if lanes != 0 {
					undefined++
				}
				if at, err := k.rec.At(s, want.Wave); err != nil || at.Running != want.Fragment {
					t.Fatalf("example %d, step %d: fragment %d, but fragment %d runs (%v)", i, s, want.Fragment, at.Running, err)
				}
			}
		}
		if _, _, err := k.rec.StepLanes(k.info.First + k.info.Steps); err == nil {
			t.Error("a step after the last one is no error")
		}
		if _, _, err := k.rec.StepBrief(k.info.First + k.info.Steps); err == nil {
			t.Error("a brief step after the last one is no error")
		}
	}
	if steps < 300 || scalars < 10 || undefined < 10 {
		t.Errorf("only %d steps, %d of them scalar, %d with undefined bits", steps, scalars, undefined)
	}
}

// undefinedLanes are the lanes in which a step wrote undefined bits.
func undefinedLanes(s *crosslane.Step) (lanes crosslane.Hex) {
	for _, w := range s.Writes {
		for i, u := range w.Undefined {
			switch {
			case u == 0:
			case w.Scalar:
				lanes |= s.Lanes
			default:
				lanes |= 1 << uint(w.Lanes.Lanes()[i])
			}
		}
	}
	return lanes
}

func TestShelf(t *testing.T) {
	t.Parallel()
	p := newPage()
	for range 4 {
		answer(t, p, "record", m{"program": program(t, "ptx/mistakes.ptx"), "launch": m{"line": reduceLine}, "options": m{"check": false}}, nil)
	}
	answer(t, p, "outline", m{"rec": 1, "wave": 0}, nil)
	answer(t, p, "record", m{"program": program(t, "ptx/mistakes.ptx"), "launch": m{"line": reduceLine}, "options": m{"check": false}}, nil)
	if got := refusal(t, p, "outline", m{"rec": 2, "wave": 0}); got != "recording 2 was dropped: the page keeps 4" {
		t.Error(got)
	}
	answer(t, p, "outline", m{"rec": 1, "wave": 0}, nil)
	answer(t, p, "drop", m{"rec": 1}, nil)
	if got := refusal(t, p, "steps", m{"rec": 1}); !strings.Contains(got, "was dropped") {
		t.Error(got)
	}
	if got := refusal(t, p, "steps", m{"rec": 9}); got != "there is no recording 9" {
		t.Error(got)
	}
}

// endless is a kernel that never ends and changes memory all the time, so that it is no livelock.
const endless = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 o) {
.reg .u64 %d; .reg .u32 %r;
ld.param.u64 %d, [o];
mov.u32 %r, 0;
L: add.u32 %r, %r, 1;
st.global.u32 [%d], %r;
bra L;
}
`

func TestTimeLimitAndStop(t *testing.T) {
	t.Parallel()
	p := newPage()
	for _, op := range []string{"run", "check", "record"} {
		start := time.Now()
		text, _ := json.Marshal(m{"program": m{"name": "k.ptx", "text": endless}, "launch": m{"line": "--grid 1 --block 32 --arg o:u32[1]"}, "options": m{"timeout_ms": 300}})
		reply := string(p.AnswerOp(t.Context(), op, text))
		if !strings.Contains(reply, "300ms") {
			t.Errorf("%s: the reply does not name the limit: %.300s", op, reply)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %v", op, took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		text, _ = json.Marshal(m{"program": m{"name": "k.ptx", "text": endless}, "launch": m{"line": "--grid 1 --block 32 --arg o:u32[1]"}, "options": m{"timeout_ms": 60000}})
		if reply := string(p.AnswerOp(ctx, op, text)); !strings.Contains(reply, `"stopped"`) {
			t.Errorf("%s: a stop is told as %.300s", op, reply)
		}
	}
	// The work of a request that was stopped has ended: both places are free.
	answer(t, p, "run", m{"program": program(t, "ptx/mistakes.ptx"), "launch": m{"line": reduceLine}}, nil)
}

// A request can be ended by another one.
func TestCancel(t *testing.T) {
	t.Parallel()
	p := newPage()
	text, _ := json.Marshal(m{"id": 7, "op": "run", "params": m{"program": m{"name": "k.ptx", "text": endless}, "launch": m{"line": "--grid 1 --block 32 --arg o:u32[1]"}, "options": m{"timeout_ms": 60000}}})
	done := make(chan string)
	go func() { done <- string(p.Answer(t.Context(), text)) }()
	for {
		select {
		case reply := <-done:
			if !strings.HasPrefix(reply, `{"id":7,"ok":false,"error":{"message":"stopped"`) {
				t.Error(reply)
			}
			return
		case <-time.After(20 * time.Millisecond):
			if reply := string(p.Answer(t.Context(), []byte(`{"id":8,"op":"cancel","params":{"id":7}}`))); !strings.HasPrefix(reply, `{"id":8,"ok":true`) {
				t.Fatal(reply)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	p := newPage()
	prog := program(t, "ptx/mistakes.ptx")
	launch := func(line string) m { return m{"program": prog, "launch": m{"line": line}} }
	for _, c := range []struct {
		op     string
		params any
		want   string
	}{
		{"run", m{}, "params: program is missing"},
		{"run", m{"program": prog}, "params: launch is missing"},
		{"run", m{"program": prog, "speed": 1}, `params: unknown field "speed"`},
		{"run", m{"program": m{"text": "a", "base64": "AA=="}}, "program: give text or base64, not both"},
		{"run", m{"program": m{"base64": "?"}}, "program: base64: illegal base64 data at input byte 0"},
		{"run", launch(""), "--grid is missing: the number of blocks"},
		{"run", launch("--grid 1 --block 'x"), "launch: a quote ' has no end"},
		{"run", launch("--grid 1 --blok 1"), "launch: there is no flag --blok of run"},
		{"run", launch("--grid"), "launch: --grid has no value"},
		{"run", launch("mistakes.ptx"), `launch: "mistakes.ptx" is no flag of run; write --NAME VALUE`},
		{"run", launch("--grid 1 --block 32 --save out=x.npy"), "launch: the page does not take --save: the page writes no files; it can download buffers"},
		{"run", launch("--grid 1 --block 32 -I /etc"), "launch: the page does not take --include: included files are opened in the page"},
		{"run", launch("--grid 1 --block 32 --workers many"), `launch: --workers is a number, found "many"`},
		{"run", launch("--grid 1 --block 32 --shared 2G"), "--shared: the page allows 1 MiB, found 2 GiB"},
		{"run", launch("--grid 1 --block 32 --stack 1G"), "--stack: the page allows 1 MiB, found 1 GiB"},
		{"run", m{"program": prog, "launch": m{"line": "--grid 1 --block 1"}, "options": m{"timeout_ms": -1}}, "timeout_ms is 0 to 600000, found -1"},
		{"record", m{"program": prog, "launch": m{"line": reduceLine}, "options": m{"limit": 1 << 40}}, "record: limit is 0 to 67108864 bytes, found 1099511627776"},
		{"record", m{"program": prog, "launch": m{"line": reduceLine}, "options": m{"blocks": [][]int{{1, 0, 0}}}}, "kernel partial_reduce: block 1,0,0 is not in the grid of 1,1,1"},
		{"query", m{"rec": 1}, "there is no recording 1"},
		{"explain", m{"text": " "}, "the text is empty: give an instruction"},
		{"explain", m{"text": "shfl", "options": m{"set": []string{"v0=@/etc/passwd"}}}, `--set v0: "/etc/passwd" is a file, and the page reads only files that were opened in it`},
		{"fly", m{}, `there is no operation "fly" (there are: check, drop, examples, explain, fix, hello, kernels, laststore, lastwrite, memory, nextwrite, outline, query, record, run, source, state, static, steps, try, why)`},
	} {
		if got := refusal(t, p, c.op, c.params); got != c.want {
			t.Errorf("%s %.80v:\n got %s\nwant %s", c.op, c.params, got, c.want)
		}
	}
	// Errors in the arguments are findings of the run, as on the command line.
	for line, want := range map[string]string{
		strings.Replace(reduceLine, "in:s32[32]=fill:1", "in:s32[32]=@/etc/passwd", 1): "the page reads only files that were opened in it",
		strings.Replace(reduceLine, "in:s32[32]=fill:1", "in:s32[1000000000]", 1):      "more than the limit of 1 GiB",
	} {
		var out struct {
			Findings []struct{ Message, Remedy string }
		}
		answer(t, p, "run", launch(line), &out)
		if len(out.Findings) != 1 || !strings.Contains(out.Findings[0].Message, want) || strings.Contains(out.Findings[0].Remedy, "--max-memory") {
			t.Errorf("%s: %+v", line, out)
		}
	}
}

// An opened file is one that arguments can name.
func TestOpenedFiles(t *testing.T) {
	t.Parallel()
	var out struct {
		Buffers  []struct{ Data []int }
		Findings []struct{ Message string }
	}
	answer(t, newPage(), "run", m{"program": m{"name": "k.ptx", "text": `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) { .reg .u64 %d; .reg .u32 %r; ld.param.u64 %d, [p]; ld.global.u32 %r, [%d+4]; add.u32 %r, %r, 1; st.global.u32 [%d], %r; ret; }
`}, "launch": m{"line": "crosslane run k.ptx --grid 1 --block 1 --arg 'x:u32[2]=@my file.bin'", "files": m{"my file.bin": "AQAAAAcAAAA="}}}, &out)
	if len(out.Buffers) != 1 || !slices.Equal(out.Buffers[0].Data, []int{8, 7}) || len(out.Findings) > 0 {
		t.Errorf("%+v", out)
	}
}

func TestSplitLine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		`--arg 'a b' --x="c d"\ e`:                 {"--arg", "a b", "--x=c d e"},
		`a\'b "c\"\$\n" ''`:                        {"a'b", `c"$\n`, ""},
		"crosslane check k.ptx --grid \\\n 1\t--x": {"--grid", "1", "--x"},
		"": nil,
	} {
		got, err := splitLine(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", line, got, err, want)
		}
	}
	for _, w := range []string{"", "a b", "it's", "x[3]=1", "a\"b\\c", "ümlaut", "$x", "~"} {
		if got, err := splitLine(Quote(w)); err != nil || !slices.Equal(got, []string{w}) {
			t.Errorf("%q: quoted %s, read %q, %v", w, Quote(w), got, err)
		}
	}
}

// Loops of steps, given by letters.
func TestLoops(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"abcd":            "[]",
		"abab":            "[]",
		"xabababy":        "[{1 7 2 3 0 []}]",
		"aaaa":            "[{0 4 1 4 0 []}]",
		"abbbcabbbcabbbc": "[{0 15 5 3 0 []} {1 4 1 3 0 []} {6 9 1 3 0 []} {11 14 1 3 0 []}]",
		// An inner loop with 3, 4 and 5 rounds: the rounds of the outer loop differ.
		"abbbcabbbbcabbbbbc": "[{0 18 0 3 0 [0 5 11]} {1 4 1 3 0 []} {6 10 1 4 0 []} {12 17 1 5 0 []}]",
	} {
		keys := make([]uint64, len(text))
		for i := range text {
			keys[i] = uint64(text[i])
		}
		if got := printed(loops(keys, make([]int, len(text)))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func printed(v any) string { return fmt.Sprint(v) }
