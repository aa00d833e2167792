package diag

import (
	"fmt"
	"testing"
)

// The function of makes a finding about an instruction that was compiled from a line of k.cu, and
// inlined there.
func of(line int, origins ...int) *Diagnostic {
	d := &Diagnostic{
		Pos: Pos{File: "k.ptx", Line: line, Col: 2}, Severity: Error, Code: "out-of-bounds", Message: "m", Source: "ld.u32 %r1, [%r2];",
		Lanes: "5-7", Kernel: "k", Blocks: 1, Count: 2, Wave: 1, Threads: [3]uint32{8, 4, 2}, WaveLanes: 32,
	}
	for _, o := range origins {
		d.Related = append(d.Related, Related{Pos: Pos{File: "k.cu", Line: o, Col: 3}, Origin: true})
	}
	d.Related = append(d.Related, Related{Pos: Pos{File: "k.ptx", Line: 1}, Message: "it began here"})
	return d
}

func TestTextOrigin(t *testing.T) {
	t.Parallel()
	d := of(12, 40, 7)
	d.Absorb(of(14, 40, 7))
	d.Absorb(of(16, 40, 7))
	d.Absorb(of(16, 40, 7))
	lines := func(file string, n int) (string, bool) { return fmt.Sprintf("  %s line %d", file, n), file == "k.cu" }
	const want = `k.cu:40:3: error: m [out-of-bounds]
    k.cu line 40
    ^
  inlined at: k.cu:7:3
    k.cu line 7
    ^
  at: k.ptx:12:2
    ld.u32 %r1, [%r2];
     ^
  also at: 2 more instructions of this line: line 14, line 16
  lanes: 5-7
  where: kernel k, block (0,0,0), wave 1, thread (5,0,1); 8 times in all
  note: k.ptx:1: it began here
`
	if got := d.Text(TextOptions{Line: lines}); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	other := of(20, 40, 7)
	other.Object = "b"
	list := List{of(10, 40, 7), of(11, 40, 7), of(12, 40, 8), of(13, 41), of(14), of(15), other}
	var got []string
	for _, d := range Join(list) {
		got = append(got, fmt.Sprintf("%d%v%d", d.Pos.Line, d.Same, d.Count))
	}
	// One line of the source is one finding, but not if it was inlined elsewhere, nor of another
	// object; without a known line each instruction is one.
	want := []string{"10[k.ptx:11:2]4", "12[]2", "13[]2", "14[]2", "15[]2", "20[]2"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(list[0].Same) != 0 || list[0].Count != 2 {
		t.Error("the list itself was changed")
	}
}

// The thread of a lane, against the definition of the linear index (PTX 2.2.1): x + y Dx + z Dx Dy.
func TestThread(t *testing.T) {
	t.Parallel()
	size := [3]uint32{5, 3, 4}
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				index := x + y*size[0] + z*size[0]*size[1]
				d := Diagnostic{Blocks: 1, Threads: size, WaveLanes: 32, Wave: int(index / 32), Lanes: fmt.Sprintf("%d,31", index%32)}
				if got, ok := d.Thread(); !ok || got != [3]uint32{x, y, z} {
					t.Errorf("thread %d is %v, want %d,%d,%d", index, got, x, y, z)
				}
			}
		}
	}
	for _, d := range []Diagnostic{{}, {Blocks: 1, Lanes: "3"}, {Blocks: 1, Threads: size, Lanes: "none"}, {Blocks: 1, Threads: size}} {
		if got, ok := d.Thread(); ok {
			t.Errorf("%+v: %v", d, got)
		}
	}
}
