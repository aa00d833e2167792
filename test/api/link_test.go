package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// linkMain is a kernel that calls scaled of linkLib: out[lane] = lane*scale + calls, and that counts
// in calls, a variable of linkLib.
const linkMain = `.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) scaled(.param .b32 x, .param .b64 at);
.extern .global .align 4 .b8 calls[];
.global .u32 scale = 1000;
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<5>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %laneid;
	.param .b32 x; .param .b64 at; .param .b32 r;
	st.param.b32 [x], %r1;
	st.param.b64 [at], %rd1;
	call (r), scaled, (x, at);
	ld.param.b32 %r2, [r];
	ld.global.u32 %r3, [calls];
	add.u32 %r2, %r2, %r3;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	st.global.u32 [%rd2], %r2;
	ret;
}
`

// linkLib has a scale of its own.
const linkLib = `// the library
.version 7.8
.target sm_70
.address_size 64
.visible .global .u32 calls = 7;
.global .u32 scale = 10;
.visible .func (.param .b32 r) scaled(.param .b32 x, .param .b64 at)
{
	.reg .b32 %r<4>; .reg .b64 %rd<2>;
	ld.param.b32 %r1, [x];
	ld.global.u32 %r2, [scale];
	mul.lo.u32 %r3, %r1, %r2;
	st.param.b32 [r], %r3;
	// STORE
	ret;
}
`

// linkKernel links linkMain with linkLib, in which a statement may stand before the return.
func linkKernel(t *testing.T, statement string) *crosslane.Kernel {
	t.Helper()
	m, err := crosslane.Link(
		crosslane.LinkFile{File: "main.ptx", Text: linkMain},
		crosslane.LinkFile{File: "lib.ptx", Text: strings.Replace(linkLib, "// STORE", statement, 1)},
	)
	if err != nil {
		t.Fatal(err)
	}
	if m.File() != "main.ptx" || len(m.Kernels()) != 1 {
		t.Errorf("%s has %d kernels", m.File(), len(m.Kernels()))
	}
	return m.Kernels()[0]
}

// TestLinkRun checks the results of linked modules against the formula of the kernel.
func TestLinkRun(t *testing.T) {
	t.Parallel()
	k := linkKernel(t, "")
	for _, calls := range []uint32{7, 100} {
		out := make([]uint32, 32)
		l := crosslane.Launch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{crosslane.Slice("out", out)}}
		if calls != 7 {
			s, err := k.Symbol("calls")
			if err != nil {
				t.Fatal(err)
			}
			s.Set = true
			s.Value.Data[0] = byte(calls)
			l.Symbols = append(l.Symbols, s)
		}
		res, err := k.Run(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Findings) > 0 {
			t.Error(res.Findings)
		}
		for i, v := range out {
			if want := uint32(i)*10 + calls; v != want {
				t.Fatalf("lane %d: %d, want %d", i, v, want)
			}
		}
	}
}

// TestLinkPlaces checks that faults, findings, profiles, static checks and explanations name the
// file and the line of the module.
func TestLinkPlaces(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	launch := func(words int) crosslane.Launch {
		return crosslane.Launch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{crosslane.Slice("out", make([]uint32, words))}}
	}
	first := func(list diag.List, err error) *diag.Diagnostic {
		t.Helper()
		if of := diag.Of(err); len(of) > 0 {
			return of[0]
		}
		if len(list) == 0 {
			t.Fatal("no finding")
		}
		return list[0]
	}

	// The store is in line 14 of the library; it names the library's own variable.
	k := linkKernel(t, "ld.param.b64 %rd1, [at]; st.global.u32 [%rd1+4096], %r3;")
	_, err := k.Run(ctx, launch(32))
	if d := first(nil, err); d.Pos.String() != "lib.ptx:14:27" || d.Code != "out-of-bounds" {
		t.Errorf("the fault is %v", d)
	}
	k = linkKernel(t, "st.global.u32 [scale+4], %r3;")
	_, err = k.Run(ctx, launch(32))
	if d := first(nil, err); d.Pos.String() != "lib.ptx:14:2" || !strings.Contains(d.Source, "[scale+4]") {
		t.Errorf("the fault is %v in %s", d, d.Source)
	}

	k = linkKernel(t, "shfl.sync.down.b32 %r3, %r1, 16, 31, 0xffff; // undefined")
	res, err := k.Check(ctx, launch(32))
	if err != nil {
		t.Fatal(err)
	}
	if d := first(res.Findings, nil); d.Pos.String() != "lib.ptx:14:2" || d.Kernel != "k" {
		t.Errorf("the finding is %v", d)
	}
	static, err := k.CheckStatic()
	if err != nil {
		t.Fatal(err)
	}
	if d := first(static.Findings, nil); d.Pos.File != "lib.ptx" || d.Pos.Line != 14 {
		t.Errorf("the static finding is %v", d)
	}

	k = linkKernel(t, "")
	l := launch(32)
	l.Profile = true
	if res, err = k.Run(ctx, l); err != nil {
		t.Fatal(err)
	}
	executed := map[string]uint64{}
	for _, line := range res.Profile.Lines {
		executed[fmt.Sprintf("%s:%d", line.File, line.Line)] += line.Counts.LaneInstructions
	}
	if executed["lib.ptx:12"] != 32 || executed["main.ptx:19"] != 32 || executed["main.ptx:12"] != 32 {
		t.Errorf("executed: %v", executed)
	}

	// Line 19 of the kernel adds the product of line 12 of the library.
	p, err := k.Why(ctx, launch(32), crosslane.WhyOptions{Line: 19, Lane: 3, Warp: -1})
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for _, n := range p.Nodes {
		lines[fmt.Sprintf("%s:%d", n.File, n.Line)] = n.Text
	}
	if !strings.HasPrefix(lines[":19"], "add.u32") || !strings.HasPrefix(lines["lib.ptx:12"], "mul.lo.u32") || lines["lib.ptx:11"] != "ld.global.u32 %r2, [scale]" {
		t.Errorf("the explanation has the lines %v", lines)
	}
	if text := p.Text(crosslane.WhyView{}); !strings.Contains(text, "line 12 of lib.ptx") {
		t.Errorf("the explanation is\n%s", text)
	}
}

// TestLinkErrors checks that errors name the file and the line of a module, whether the module, the
// joined text or a kernel of it is wrong.
func TestLinkErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lib, pos, code string }{
		{strings.Replace(linkLib, "// STORE", "mov.u32 %r9, 1;", 1), "lib.ptx:14:10", "undeclared"},
		{strings.Replace(linkLib, ".version 7.8", ".version 4.2", 1), "lib.ptx:3:9", "target-version"},
		{linkLib + ".visible .entry k() { ret; }\n", "lib.ptx:17:17", "multiple-definition"},
		{strings.Replace(linkLib, ".param .b64 at)", ".param .b32 at)", 1), "main.ptx:4:31", "link-mismatch"},
	} {
		_, err := crosslane.Link(crosslane.LinkFile{File: "main.ptx", Text: linkMain}, crosslane.LinkFile{File: "lib.ptx", Text: c.lib})
		list := diag.Of(err)
		if len(list) == 0 || list[0].Pos.String() != c.pos || list[0].Code != c.code {
			t.Errorf("the error is %v, want %s at %s", err, c.code, c.pos)
		}
	}

	// A function that no module defines is an error of the kernel that calls it.
	missing := strings.Replace(linkLib, ".visible .global", ".extern .func absent();\n.visible .global", 1)
	m, err := crosslane.Link(crosslane.LinkFile{File: "main.ptx", Text: linkMain},
		crosslane.LinkFile{File: "lib.ptx", Text: strings.Replace(missing, "// STORE", "call absent;", 1)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Kernels()[0].Run(context.Background(), crosslane.Launch{Args: []crosslane.Arg{crosslane.Slice("out", make([]uint32, 32))}})
	if list := diag.Of(err); len(list) != 1 || list[0].Pos.String() != "lib.ptx:15:2" || !strings.Contains(list[0].Message, "absent") {
		t.Errorf("the error is %v", err)
	}

	one, err := crosslane.Link(crosslane.LinkFile{File: "lib.ptx", Text: linkLib})
	if err != nil || one.File() != "lib.ptx" {
		t.Errorf("one module: %v", err)
	}
	if _, err := crosslane.Link(); err == nil {
		t.Error("no module is linked without error")
	}
}
