package ptx

import "testing"

// TestStaticShared compares the bytes of .shared variables with the report of ptxas 13.5 -v for the
// same text.
func TestStaticShared(t *testing.T) {
	const a, b = ".shared .align 4 .b8 a[40000]; ", ".shared .align 1024 .b8 b[8500]; "
	const c, e, f = ".shared .align 4 .b8 c[3]; ", ".shared .align 16 .b8 e[20]; ", ".shared .align 8 .b8 f[9]; "
	for _, x := range []struct {
		module, body string
		want         uint64
	}{
		{a + b, "", 49460}, {b + a, "", 48500}, {a, b, 48500}, {b, a, 49460}, {"", a + b, 49460}, {"", b + a, 48500},
		{c + e + f, "", 49}, {c + f + e, "", 52}, {e + f + c, "", 39}, {f + e + c, "", 39}, {e + c + f, "", 33}, {"", f + c + e, 36},
	} {
		use := "mov.u32 %r1, c; mov.u32 %r1, e; mov.u32 %r1, f;"
		if x.want > 100 {
			use = "mov.u32 %r1, a; mov.u32 %r1, b;"
		}
		m, list := Parse("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n"+x.module+"\n.visible .entry k() {\n.reg .b32 %r<2>;\n"+x.body+"\n"+use+"\nret;\n}\n")
		if err := list.Err(); err != nil {
			t.Fatal(err)
		}
		k, err := Lift(m, "k")
		if err != nil {
			t.Fatal(err)
		}
		if k.StaticShared != x.want {
			t.Errorf("module %q, kernel %q: %d bytes, ptxas says %d", x.module, x.body, k.StaticShared, x.want)
		}
	}
}

// TestVariablesApart checks the places that LiftAs gives to variables: there are gaps of 1 KB or
// more, and the low ten bits of each offset are the same as without gaps.
func TestVariablesApart(t *testing.T) {
	m, list := Parse("k.ptx", `.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 d[];
.visible .entry k() {
.reg .b32 %r<2>;
.shared .align 4 .b8 a[12]; .shared .align 8 .b8 b[2000]; .shared .align 128 .b8 c[4];
mov.u32 %r1, a; mov.u32 %r1, b; mov.u32 %r1, c; mov.u32 %r1, d;
ret;
}
`)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	side, err := Lift(m, "k")
	if err != nil {
		t.Fatal(err)
	}
	apart, err := LiftAs(m, "k", Layout{Apart: true})
	if err != nil {
		t.Fatal(err)
	}
	if side.Func.Apart != nil || apart.Func.Apart == nil || len(apart.Func.Apart.Shared) != 3 {
		t.Fatalf("gaps: %v, %v", side.Func.Apart, apart.Func.Apart)
	}
	end := uint32(0)
	for i, v := range apart.Shared {
		if s := side.Shared[i]; v.Name != s.Name || v.Size != s.Size || v.Offset%1024 != s.Offset%1024 {
			t.Errorf("%v lies at %v", s, v)
		}
		if i > 0 && v.Offset < end+1024 {
			t.Errorf("%v is less than 1 KB behind %d", v, end)
		}
		end = v.Offset + v.Size
	}
	if apart.Func.Declared() != side.Func.SharedStatic {
		t.Errorf("%d bytes without gaps, want %d", apart.Func.Declared(), side.Func.SharedStatic)
	}
}
