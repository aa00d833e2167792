package crosslane

import (
	"context"
	"errors"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// dump requests a form of a kernel instead of a run.
type dump struct {
	what, text string
	// native makes the forms of the native engine; nil: the engine of the launch does. Tests set it.
	native func(fn *ir.Func, s *sim.Launch, what string) (string, error)
}

// Dump returns a form of the kernel as text, as it would be for a launch. "ir" is the form that
// both guest languages are lifted to; "ssa", "alloc" and "asm" are the steps of the native engine.
// The launch is checked like that of Run. Nothing is run.
func (k *Kernel) Dump(l Launch, what string) (string, error) {
	k = k.laidOut(l.Schedule)
	p, err := k.prepare(l.Adversarial)
	if err != nil {
		return "", err
	}
	l.dump = &dump{what: what}
	_, err = k.run(context.Background(), p, l)
	return l.dump.text, err
}

// dumped makes the form of a kernel that a dump requests.
func (k *Kernel) dumped(p *prepared, l *Launch, s *sim.Launch) (err error) {
	d := l.dump
	switch d.what {
	case "ir":
		d.text = p.fn.Print()
		return nil
	case "ssa", "alloc", "asm":
		d.text, err = k.dumpNative(p, l, s, d.what)
	default:
		return diag.List{k.errorf("bad-launch", "there is no form %q of a kernel: ir, ssa, alloc and asm are", d.what)}
	}
	var told diag.List
	if errors.As(err, &told) {
		return err
	}
	if err != nil {
		e := k.errorf("unsupported", "no %s of it: %v", d.what, err)
		e.Class = diag.Unsupported
		return diag.List{e}
	}
	return nil
}

// dumpNative is the form of the kernel that a step of the native engine makes for a launch.
func (k *Kernel) dumpNative(p *prepared, l *Launch, s *sim.Launch, what string) (string, error) {
	if l.dump.native != nil {
		return l.dump.native(p.fn, s, what)
	}
	asked := *l
	asked.Engine = engineJIT
	c, err := k.choose(p, &asked)
	if err != nil {
		return "", err
	}
	d, ok := c.program.(*jit.Program)
	if !ok {
		return "", errNoNative
	}
	return d.Dump(s, what)
}

var errNoNative = errors.New("there is no native engine here")
