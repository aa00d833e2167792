package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// Text is recognised with any text that an editor or a generator wrote around it.
func TestLoadForms(t *testing.T) {
	t.Parallel()
	ptx, err := os.ReadFile("examples/ptx/saxpy.ptx")
	if err != nil {
		t.Fatal(err)
	}
	asm, err := os.ReadFile("examples/gcn3/saxpy.s")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		isa        crosslane.ISA
	}{
		{"ptx", string(ptx), crosslane.PTX},
		{"gcn3", string(asm), crosslane.GCN3},
	} {
		for form, text := range map[string]string{
			"byte order mark":     "\ufeff" + c.text,
			"carriage returns":    strings.ReplaceAll(c.text, "\n", "\r\n"),
			"no last line end":    strings.TrimRight(c.text, "\n"),
			"comment before":      "/* a */ /* b\n */ " + c.text[max(strings.Index(c.text, "\n.version"), 0):],
			"mark and line ends":  "\ufeff\r\n" + strings.ReplaceAll(c.text, "\n", "\r\n"),
			"comment of one line": "/* a */\n" + c.text,
		} {
			m, err := crosslane.Load([]byte(text), "f", crosslane.Auto)
			if err != nil {
				t.Errorf("%s with %s: %v", c.name, form, err)
				continue
			}
			if m.ISA() != c.isa || len(m.Kernels()) == 0 {
				t.Errorf("%s with %s: is %s with %d kernels", c.name, form, m.ISA(), len(m.Kernels()))
			}
		}
	}
	if _, diags := crosslane.Assemble([]byte("\ufeff"+string(asm)), "f", crosslane.AsmOptions{}); diags.Err() != nil {
		t.Errorf("Assemble with a byte order mark: %v", diags.Err())
	}
}

// PTX without .version is told so, not that its directives are no GCN3.
func TestMissingVersion(t *testing.T) {
	t.Parallel()
	_, err := crosslane.Load([]byte(".target sm_70\n.entry k() { ret; }\n"), "f", crosslane.Auto)
	if err == nil || !strings.Contains(err.Error(), ".version") {
		t.Errorf("got %v", err)
	}
}

// A file without end is not read to its end.
func TestEndlessFile(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("there is no /dev/zero here")
	}
	if _, err := crosslane.LoadFile("/dev/zero"); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("got %v", err)
	}
	if _, err := crosslane.LoadFile(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there loads")
	}
}

// A fault names every lane that the instruction would fault in, not the first alone.
func TestFaultLanes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, want string }{
		{"st.global.u32 [%rd4+64], %r0;", "out-of-bounds 16-31"},
		{"setp.gt.u32 %p1, %r0, 20; @%p1 st.global.u32 [%rd4+64], %r0;", "out-of-bounds 21-31"},
		{"setp.gt.u32 %p1, %r0, 20; @!%p1 st.global.u32 [%rd4+64], %r0;", "out-of-bounds 16-20"},
		{"setp.lt.u32 %p1, %r0, 20; @%p1 bra L; ld.global.u32 %r2, [%rd4+64]; L: bar.sync 0;", "out-of-bounds 20-31"},
		{"and.b32 %r2, %r0, 1; cvt.u64.u32 %rd6, %r2; add.u64 %rd6, %rd6, %rd4; ld.global.u32 %r2, [%rd6];", "misaligned 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31"},
	} {
		_, _, _, err := start(t, header+c.body+" ret; }", crosslane.PTX, nil)
		if got := codes(diag.Of(err)); got != c.want {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
}

// Lanes of one warp that name different barriers wait at different barriers.
func TestBarriersByLane(t *testing.T) {
	t.Parallel()
	// The halves of warp 0 go to barriers 1 and 2, warp 1 to barrier 1 and then to 2:
	// never are all lanes at one barrier.
	const body = `
	shr.u32 %r2, %r0, 4;
	and.b32 %r2, %r2, 1;
	add.u32 %r3, %r2, 1;
	setp.ge.u32 %p2, %r0, 32;
	@%p2 bra W1;
	barrier.sync %r3;
	bra D;
W1:
	barrier.sync 1;
	barrier.sync 2;
D:
	and.b32 %r4, %r0, 31;
	mul.wide.u32 %rd3, %r4, 4;
	add.s64 %rd4, %rd1, %rd3;
	st.global.u32 [%rd4], %r3;
	ret;
}`
	block := func(l *crosslane.Launch) { l.Block.X = 64 }
	_, _, _, err := start(t, header+body, crosslane.PTX, block)
	if got := codes(diag.Of(err)); !strings.HasPrefix(got, "deadlock") {
		t.Errorf("got %s, want a deadlock", got)
	}
}

// A warp that is not full counts as a whole one at a barrier with a count (PTX 9.7.14.1), and a
// reduction holds the values of all warps, whichever came first.
func TestBarrierCountsAndReductions(t *testing.T) {
	t.Parallel()
	const body = `
	setp.lt.u32 %p1, %r0, LIMIT;
	bar.sync 3, 64;
	barrier.red.or.pred %p2, 1, %p1;
	barrier.red.and.pred %p3, 2, %p1;
	barrier.red.popc.u32 %r2, 4, %p1;
	selp.u32 %r3, 1000, 0, %p2;
	selp.u32 %r4, 2000, 0, %p3;
	add.u32 %r2, %r2, %r3;
	add.u32 %r2, %r2, %r4;
	and.b32 %r4, %r0, 31;
	mul.wide.u32 %rd3, %r4, 4;
	add.s64 %rd4, %rd1, %rd3;
	st.global.u32 [%rd4], %r2;
	ret;
}`
	for _, c := range []struct {
		limit string
		want  uint32
	}{{"0", 0}, {"1", 1001}, {"32", 1032}, {"39", 1039}, {"40", 3040}} {
		a, _, _, err := start(t, header+strings.ReplaceAll(body, "LIMIT", c.limit), crosslane.PTX,
			func(l *crosslane.Launch) { l.Block.X = 40 })
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range a {
			if got != c.want {
				t.Errorf("limit %s: element %d is %d, want %d", c.limit, i, got, c.want)
			}
		}
	}
	// Only warp 1 holds the predicate: the order of arrival must not matter.
	a, _, _, err := start(t, header+strings.ReplaceAll(strings.Replace(body, "setp.lt", "setp.ge", 1), "LIMIT", "32"), crosslane.PTX,
		func(l *crosslane.Launch) { l.Block.X = 40 })
	if err != nil || a[0] != 1008 {
		t.Errorf("lanes 32-39: %d, %v; want 1008", a[0], err)
	}
}

// Variables are refused before memory is asked for them.
func TestHugeVariables(t *testing.T) {
	t.Parallel()
	var globals, uses strings.Builder
	for _, name := range []string{"a0", "a1", "a2", "a3", "a4", "a5"} {
		globals.WriteString(".global .b8 " + name + "[1000000000];\n")
		uses.WriteString("st.global.u32 [" + name + "], 1;\n")
	}
	src := strings.Replace(header, ".visible", globals.String()+".visible", 1) + uses.String() + "ret;\n}\n"
	_, _, _, err := start(t, src, crosslane.PTX, nil)
	if err == nil || !strings.HasPrefix(codes(diag.Of(err)), "bad-launch") || !strings.Contains(err.Error(), "a4 has 1000000000") {
		t.Errorf("got %v", err)
	}
}
