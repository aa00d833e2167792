package lineprofile_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/session/sessiontest"
	"example.org/crosslane/internal/sim"
)

// A profile changes nothing, and its lines add up to the executed instructions, for every example
// kernel.
func TestProfileChangesNothing(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("examples/*/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	summed := 0
	for _, file := range files {
		if ext := filepath.Ext(file); ext != ".ptx" && ext != ".hsaco" {
			continue
		}
		m, err := session.LoadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range m.Kernels() {
			p, err := k.Prepare(false)
			if err != nil {
				t.Fatal(err)
			}
			counting, err := k.Profiled(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := counting.Fn.Validate(); err != nil {
				t.Error(err)
			}
			if want, got := sessiontest.Outcome(t, k, p), sessiontest.Outcome(t, k, counting); want != got {
				t.Errorf("%s: %s: with a profile:\n%s\nwithout:\n%s", file, k.Name(), got, want)
			}
			res, err := k.Run(context.Background(), api.Launch{Block: api.Dim3{X: 64}, Args: madeUp(k), Profile: true})
			if err != nil {
				continue // the last block of instructions is not whole
			}
			summed++
			var lanes, wave, inactive uint64
			for _, l := range res.Profile.Lines {
				wave += l.Counts.Instructions
				lanes += l.Counts.LaneInstructions
				inactive += l.Counts.InactiveLanes
			}
			if wave != res.Stats.WarpInstructions || lanes != res.Stats.LaneInstructions {
				t.Errorf("%s: %s: the lines have %d instructions and %d of lanes, the run %d and %d", file, k.Name(), wave, lanes, res.Stats.WarpInstructions, res.Stats.LaneInstructions)
			}
			if all := wave * uint64(res.Profile.Lanes); m.ISA() == api.PTX && inactive+lanes != all {
				t.Errorf("%s: %s: %d lanes active and %d not, of %d", file, k.Name(), lanes, inactive, all)
			}
		}
	}
	if summed < 20 {
		t.Errorf("only %d kernels ran to their end", summed)
	}
}

// madeUp are arguments that fit the kernel's parameters.
func madeUp(k *session.Kernel) (args []api.Arg) {
	for _, p := range k.Params() {
		switch {
		case p.Kind == api.ParamShared:
			args = append(args, api.SharedBytes(1024))
		case p.Kind == api.ParamPointer || p.Size == 8:
			args = append(args, api.NewBuffer(p.Name, api.U32, 4096))
		default:
			args = append(args, api.Scalar{Type: map[int]api.ElemType{1: api.U8, 2: api.U16, 4: api.U32}[p.Size], Bits: 8})
		}
	}
	return args
}

func profileOf(t *testing.T, text string, l api.Launch) *api.Profile {
	t.Helper()
	m, err := session.Load([]byte(text), "k", api.Auto)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	l.Profile = true
	res, err := k.Run(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	return res.Profile
}

// at is the line of a profile whose text contains something.
func at(p *api.Profile, t *testing.T, text string) *api.ProfileCounts {
	t.Helper()
	for i := range p.Lines {
		if strings.Contains(p.Lines[i].Text, text) {
			return &p.Lines[i].Counts
		}
	}
	t.Fatalf("no line has %q", text)
	return nil
}

const divergentPTX = `.version 8.5
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .pred %p;
	.reg .b32 %r<4>;
	.reg .b64 %a<3>;
	ld.param.u64 %a0, [out];
	mov.u32 %r0, %tid.x;
	setp.lt.u32 %p, %r0, 8;
	@%p bra FEW;
	mul.lo.u32 %r1, %r0, 3;
	bra JOIN;
FEW:
	mul.lo.u32 %r1, %r0, 5;
JOIN:
	mul.wide.u32 %a1, %r0, 128;
	add.u64 %a1, %a0, %a1;
	st.global.u32 [%a1], %r1;
	ret;
}
`

// The facts that a reader looks for: the sides of a branch with their lanes, a store that strides.
// Several workers count the same as one.
func TestProfileLines(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 3} {
		p := profileOf(t, divergentPTX, api.Launch{Grid: api.Dim3{X: 6}, Block: api.Dim3{X: 32}, Workers: workers, Args: []api.Arg{api.NewBuffer("out", api.U32, 1024)}})
		if c := at(p, t, "%r0, 3"); c.Instructions != 6 || c.LaneInstructions != 6*24 || c.InactiveLanes != 6*8 || c.ActiveLanes(32) != 24 {
			t.Errorf("the larger side: %+v", c)
		}
		if c := at(p, t, "%r0, 5"); c.Instructions != 6 || c.LaneInstructions != 6*8 {
			t.Errorf("the smaller side: %+v", c)
		}
		if c := at(p, t, "st.global"); c.LaneInstructions != 6*32 || c.Requests != 6 || c.Transactions != 6*32 || c.UsedBytes != 6*128 {
			t.Errorf("the store: %+v", c)
		}
		var s strings.Builder
		if err := p.WriteText(&s, nil); err != nil {
			t.Fatal(err)
		}
		if want := "    6   9.1%   24.0                  13  mul.lo.u32 %r1, %r0, 3\n"; !strings.Contains(s.String(), want) {
			t.Errorf("the text has no\n%s\n%s", want, s.String())
		}
		if want := "  transactions    192  of 32 bytes, 12.5% of which were asked for\n"; !strings.Contains(s.String(), want) {
			t.Errorf("the text has no\n%s\n%s", want, s.String())
		}
	}
}

// Scalar instructions of GCN3 have no lanes that could be inactive; the rest have those that EXEC
// leaves out, also where it changes in the middle of a straight line.
func TestProfileEXEC(t *testing.T) {
	t.Parallel()
	p := profileOf(t, `
k:
	v_mov_b32 v1, 1
	s_mov_b64 exec, 7
	v_mov_b32 v1, 2
	s_add_u32 s0, s0, s0
	s_mov_b32 exec_lo, 1
	v_mov_b32 v1, 3
	s_endpgm
	.amdhsa_kernel k
		.amdhsa_next_free_vgpr 2
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
`, api.Launch{Block: api.Dim3{X: 64}})
	for text, want := range map[string]api.ProfileCounts{
		"v1, 1": {Instructions: 1, LaneInstructions: 64, VectorInstructions: 1},
		"v1, 2": {Instructions: 1, LaneInstructions: 3, VectorInstructions: 1, InactiveLanes: 61},
		"v1, 3": {Instructions: 1, LaneInstructions: 1, VectorInstructions: 1, InactiveLanes: 63},
		"s_add": {Instructions: 1, LaneInstructions: 3},
	} {
		if got := at(p, t, text); *got != want {
			t.Errorf("%s: %+v, want %+v", text, *got, want)
		}
	}
}

// Rows of ldmatrix, 128 bytes apart: the eight of a matrix are in the same four banks.
// With a pad of 16 bytes they are in all 32.
func TestProfileMatrix(t *testing.T) {
	t.Parallel()
	for pitch, want := range map[string]uint64{"128": 4 * 7, "144": 0} {
		p := profileOf(t, `.version 8.5
.target sm_80
.address_size 64
.visible .entry k()
{
	.reg .b32 %r<8>;
	.shared .align 16 .b8 tile[8192];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, tile;
	mad.lo.u32 %r1, %r0, `+pitch+`, %r1;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];
	ret;
}
`, api.Launch{Block: api.Dim3{X: 32}})
		if c := at(p, t, "ldmatrix"); c.BankConflicts != want || c.SharedRequests != 1 || c.Transactions != 0 {
			t.Errorf("rows %s bytes apart: %+v, want %d conflicts", pitch, c, want)
		}
	}
}

// Instructions of a code object are told by the lines that they were compiled from, or by
// their offsets.
func TestProfileOfCodeObjects(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"codeobject/testdata/lines/lines5.co": "lines.cl:7", "examples/gcn3/saxpy.hsaco": ":0"} {
		m, err := session.LoadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k := m.Kernels()[0]
		res, err := k.Run(context.Background(), api.Launch{Block: api.Dim3{X: 64}, Args: madeUp(k), Profile: true})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, l := range res.Profile.Lines {
			found = found || want == ":0" && l.Line == 0 && l.Text != "" || l.File == "lines.cl" && l.Line == 7
			if want == ":0" && l.Line != 0 || want != ":0" && l.Line == 0 {
				t.Errorf("%s: an instruction of line %d at %#x", file, l.Line, l.Offset)
			}
		}
		if !found {
			t.Errorf("%s: nothing is of %s: %+v", file, want, res.Profile.Lines)
		}
	}
}

// A fault leaves the profile of the run until then.
func TestProfileOfFault(t *testing.T) {
	t.Parallel()
	m, err := session.Load([]byte(divergentPTX), "k", api.PTX)
	if err != nil {
		t.Fatal(err)
	}
	res, err := m.Kernels()[0].Run(context.Background(), api.Launch{Block: api.Dim3{X: 32}, Args: []api.Arg{api.NewBuffer("out", api.U32, 1)}, Profile: true})
	if err == nil || res == nil || res.Profile == nil || at(res.Profile, t, "mov.u32").Instructions != 1 {
		t.Errorf("%v, %+v", err, res)
	}
}

// calling is a program of one block whose engine leaves stores to the interpreter.
type calling struct {
	sim.Program
	f *ir.Func
}

func (c calling) Run(w *sim.Wave) sim.Stop {
	for i := range c.f.Code {
		switch in := &c.f.Code[i]; in.Op {
		case ir.Store, ir.Record:
			w.CalledOut(in)
		default:
			w.Native(1)
		}
	}
	return c.Program.Run(w)
}

// The call-outs that engines report are in the figures, and by line; instrumentation is not.
func TestProfileCallOuts(t *testing.T) {
	t.Parallel()
	text := regexp.MustCompile(`(?m)^(.*bra .*|[A-Z]+:)$`).ReplaceAllString(divergentPTX, "")
	m, err := session.Load([]byte(text), "k", api.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernels()[0]
	p, err := k.Prepare(false)
	if err != nil {
		t.Fatal(err)
	}
	plain := uint64(len(p.Fn.Code))
	if p, err = k.Profiled(p); err != nil {
		t.Fatal(err)
	}
	p.Prog = calling{p.Prog, p.Fn}
	res, err := k.Execute(context.Background(), p, session.Launch{Launch: api.Launch{Grid: api.Dim3{X: 2}, Block: api.Dim3{X: 64}, Args: []api.Arg{api.NewBuffer("out", api.U32, 4096)}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Fn.Blocks) != 1 {
		t.Fatalf("%d blocks", len(p.Fn.Blocks))
	}
	const waves = 4
	if s := res.Stats; s.CalledOut != waves || s.Native != waves*(plain-1) {
		t.Errorf("%d operations native and %d called out, want %d and %d", s.Native, s.CalledOut, waves*(plain-1), waves)
	}
	if n := at(res.Profile, t, "st.global").CallOuts; n != waves || res.Profile.Total.CallOuts != n {
		t.Errorf("%d call-outs of the store, %d of all; want %d", n, res.Profile.Total.CallOuts, waves)
	}
	var b strings.Builder
	if err := res.Profile.WriteText(&b, nil); err != nil || !strings.Contains(b.String(), "call-outs") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// go tool pprof reads the output of WritePprof.
func TestProfileOfPprof(t *testing.T) {
	t.Parallel()
	goTool, err := exec.LookPath("go")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal(err)
		}
		t.Skip("no go command: ", err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "k.pprof")
	write := func(p *api.Profile) {
		t.Helper()
		var b bytes.Buffer
		if err := p.WritePprof(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(profileOf(t, divergentPTX, api.Launch{Grid: api.Dim3{X: 2}, Block: api.Dim3{X: 32}, Args: []api.Arg{api.NewBuffer("out", api.U32, 1024)}}))
	// The listing reads the source, beside which it is run.
	if err := os.WriteFile(filepath.Join(dir, "k"), []byte(divergentPTX), 0o600); err != nil {
		t.Fatal(err)
	}
	pprof := func(args ...string) string {
		cmd := exec.Command(goTool, append(append([]string{"tool", "pprof"}, args...), file)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+dir, "PPROF_BINARY_PATH="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go tool pprof %s: %v\n%s", args, err, out)
		}
		return string(out)
	}
	top := pprof("-top", "-sample_index=transactions", "-lines")
	if !regexp.MustCompile(`(?m)^\s*64\s+100%.* k k:20$`).MatchString(top) {
		t.Errorf("the store of line 20 is not on top, with 64 transactions:\n%s", top)
	}
	if testing.Short() {
		return // each view starts the tool again
	}
	if all := pprof("-top"); !regexp.MustCompile(`Type: instructions\n(?s:.*)of 22 total`).MatchString(all) {
		t.Errorf("the instructions of the kernel are not 22:\n%s", all)
	}
	raw := pprof("-raw")
	for _, want := range []string{"instructions/count[dflt] lane_instructions/count inactive_lanes/count transactions/count bank_conflicts/count callouts/count", "2         48         16          0          0          0:"} {
		if !strings.Contains(raw, want) {
			t.Errorf("the profile has no %q:\n%s", want, raw)
		}
	}
	if list := pprof("-list=k", "-sample_index=inactive_lanes"); !regexp.MustCompile(`(?m)^\s*16\s+16\s+13:\s+mul.lo.u32 %r1, %r0, 3;$`).MatchString(list) {
		t.Errorf("the listing does not have the 16 inactive lanes of line 13:\n%s", list)
	}

	// Code without lines has addresses: the loads and the store move 4 lines of a wave.
	m, err := session.LoadFile("examples/gcn3/saxpy.hsaco")
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("vector_add")
	if err != nil {
		t.Fatal(err)
	}
	buf := func(name string) *api.Buffer { return api.NewBuffer(name, api.F32, 64) }
	res, err := k.Run(context.Background(), api.Launch{Block: api.Dim3{X: 64}, Args: []api.Arg{buf("a"), buf("b"), buf("c"), api.Scalar{Text: "64"}}, Profile: true})
	if err != nil {
		t.Fatal(err)
	}
	write(res.Profile)
	if top := pprof("-top", "-addresses", "-sample_index=transactions"); len(regexp.MustCompile(`(?m)^\s*4 .* 00000000000000(68|70|8c) vector_add`).FindAllString(top, -1)) != 3 {
		t.Errorf("the flat accesses at 0x68, 0x70 and 0x8c do not have 4 transactions each:\n%s", top)
	}
}

// Dump shows the kernel, checks the launch, and knows its forms.
func TestDump(t *testing.T) {
	t.Parallel()
	m, err := session.Load([]byte(divergentPTX), "k", api.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernels()[0]
	l := api.Launch{Block: api.Dim3{X: 32}, Args: []api.Arg{api.NewBuffer("out", api.U32, 1024)}}
	text, err := k.Dump(l, "ir")
	if err != nil || !strings.Contains(text, "func k lanes=32") || !strings.Contains(text, "Store.global.4 %a1, %r1") {
		t.Errorf("%v\n%s", err, text)
	}
	for what, want := range map[string]string{"webs": "%r1.0 = ", "alloc": "bytes of slots", "asm": "\tret\n"} {
		text, err := k.Dump(l, what)
		if none := !slices.Contains(session.Engines(), "jit"); !none && (err != nil || !strings.Contains(text, want)) || none && err == nil {
			t.Errorf("%s: %v\n%s", what, err, text)
		}
	}
	if slices.ContainsFunc(l.Args[0].(*api.Buffer).Data, func(b byte) bool { return b != 0 }) {
		t.Error("it was run")
	}
	if _, err := k.Dump(l, "soup"); err == nil || !strings.Contains(err.Error(), `no form "soup"`) {
		t.Error(err)
	}
	if _, err := k.Dump(api.Launch{Block: api.Dim3{X: 32}}, "ir"); err == nil || !strings.Contains(err.Error(), "too few arguments") {
		t.Error(err)
	}
}
