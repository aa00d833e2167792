package jit

import "testing"

// BenchmarkLaunch measures a launch of one block of a kernel of about 10 instructions: warm,
// with its code in the cache; cold, without it; and on the interpreter.
func BenchmarkLaunch(b *testing.B) {
	e, err := New(Options{Mode: Mode{Eager: true}})
	if err != nil {
		b.Skip(err)
	}
	f := loop(b, 1)
	p, err := e.Compile(f)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			if _, err := launch(b, p, f, 1, 1, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("interp", func(b *testing.B) {
		for b.Loop() {
			if _, err := launch(b, p.(*Program).Program, f, 1, 1, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			f := loop(b, 1)
			p, err := e.Compile(f)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := launch(b, p, f, 1, 1, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
