package session

import (
	"context"
	"errors"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// Dump requests a form of a kernel instead of a run.
type Dump struct {
	What, Text string
	// Native makes the forms of the native engine; nil: the engine of the launch does. Tests set it.
	Native func(fn *ir.Func, s *sim.Launch, what string) (string, error)
}

// Dump is crosslane.Kernel.Dump.
func (k *Kernel) Dump(l api.Launch, what string) (string, error) {
	k = k.LaidOut(&l)
	p, err := k.Prepare(l.Adversarial)
	if err != nil {
		return "", err
	}
	d := &Dump{What: what}
	_, err = k.Execute(context.Background(), p, Launch{Launch: l, Dump: d})
	return d.Text, err
}

// dumped makes the form of a kernel that a dump requests.
func (k *Kernel) dumped(p *Prepared, l *Launch, s *sim.Launch) (err error) {
	d := l.Dump
	switch d.What {
	case "ir":
		d.Text = p.Fn.Print()
		return nil
	case "webs", "alloc", "asm":
		d.Text, err = k.dumpNative(p, l, s, d.What)
	default:
		return diag.List{k.Errorf("bad-launch", "there is no form %q of a kernel: ir, webs, alloc and asm are", d.What)}
	}
	var told diag.List
	if errors.As(err, &told) {
		return err
	}
	if err != nil {
		e := k.Errorf("unsupported", "no %s of it: %v", d.What, err)
		e.Class = diag.Unsupported
		return diag.List{e}
	}
	return nil
}

// dumpNative is the form of the kernel that a step of the native engine makes for a launch.
func (k *Kernel) dumpNative(p *Prepared, l *Launch, s *sim.Launch, what string) (string, error) {
	if l.Dump.Native != nil {
		return l.Dump.Native(p.Fn, s, what)
	}
	asked := *l
	asked.Engine = engineJIT
	c, err := k.choose(p, &asked)
	if err != nil {
		return "", err
	}
	d, ok := c.program.(interface {
		Dump(s *sim.Launch, what string) (string, error)
	})
	if !ok {
		return "", errNoNative
	}
	return d.Dump(s, what)
}

var errNoNative = errors.New("there is no native engine here")
