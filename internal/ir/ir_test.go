package ir

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	t.Parallel()
	if len(Ops) != NumOps {
		t.Fatalf("%d rows for %d operations", len(Ops), NumOps)
	}
	seen := map[string]bool{}
	for i, info := range Ops {
		if info.Name == "" || seen[info.Name] {
			t.Errorf("operation %d is called %q, which is empty or used twice", i, info.Name)
		}
		seen[info.Name] = true
		if Op(i).Pure() != (info.Fn != nil) {
			t.Errorf("%s: pure %v, but has a function: %v", info.Name, Op(i).Pure(), info.Fn != nil)
		}
	}
}

func TestBuilder(t *testing.T) {
	t.Parallel()
	b := NewBuilder("loop", 32)
	n, p := b.Vector("n", B32), b.Vector("p", B1)
	loop := b.NewLabel()
	b.Bind(loop)
	b.At(Pos{Line: 1, Text: "sub n, n, 1"})
	b.To(n, Sub32, n, b.Const(B32, 1))
	b.At(Pos{Line: 2, Text: "setp"})
	b.To(p, NeU32, n, b.Const(B32, 0))
	b.At(Pos{Line: 3, Text: "bra"})
	b.Guard(p, false)
	b.Bra(loop)
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	want := `func loop lanes=32 frame=512 shared=0 local=0
b0:
  ; 1: sub n, n, 1
    n = Sub32 n, 0x1:b32
  ; 2: setp
    p = NeU32 n, 0x0:b32
  ; 3: bra
    @p Bra b0
b1:
    Exit
`
	if got := f.Print(); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

// TestMistakes checks that mistakes of front ends give errors, and never code.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		emit func(b *Builder)
		want string
	}{
		{"argument count", func(b *Builder) { b.To(b.Vector("d", B32), Add32, b.Const(B32, 1)) }, "takes 2 arguments"},
		{"argument type", func(b *Builder) { b.T(Add32, b.Const(B32, 1), b.Const(B64, 1)) }, "argument 1 is b64"},
		{"destination type", func(b *Builder) { b.To(b.Vector("d", B64), Add32, b.Const(B32, 1), b.Const(B32, 1)) }, "destination d is b64"},
		{"vector into scalar", func(b *Builder) { b.To(b.Scalar("d", B32), Not32, b.Const(B32, 1)) }, "lane vector"},
		{"guard", func(b *Builder) { b.Guard(b.Const(B32, 1), false) }, "guard"},
		{"unbound label", func(b *Builder) { b.Bra(b.NewLabel()) }, "not bound"},
		{"constant written", func(b *Builder) { b.To(b.Const(B32, 5), Mov32, b.Const(B32, 1)) }, "writes a constant"},
		{"address", func(b *Builder) {
			b.Emit(Inst{Op: Load, Dst: b.Vector("d", B32), Args: [4]Ref{b.Const(B16, 1)}, Size: 4})
		}, "address of type b16"},
		{"size", func(b *Builder) {
			b.Emit(Inst{Op: Load, Dst: b.Vector("d", B32), Args: [4]Ref{b.Const(B32, 1)}, Size: 3})
		}, "of 3 bytes"},
	} {
		b := NewBuilder("f", 32)
		b.At(Pos{Line: 1, Text: "x"})
		c.emit(b)
		if _, err := b.Finish(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}
