package crosslane

import (
	"context"

	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// RunProgram is Kernel.Run on one worker with a program that make makes of the kernel's function.
func RunProgram(ctx context.Context, k *Kernel, l Launch, make func(*ir.Func) (sim.Program, error)) (*Result, error) {
	p, err := k.inner().Prepare(false)
	if err != nil {
		return nil, err
	}
	q, fn := *p, *p.Fn
	q.Fn = &fn
	if q.Prog, err = make(q.Fn); err != nil {
		return nil, err
	}
	l.Engine, l.Workers = "interp", 1 // so q.Prog is left as it is
	return k.inner().Execute(ctx, &q, session.Launch{Launch: l})
}

// RunStuckAfter is Kernel.Run of a launch that looks whether anything can change after so many
// instructions without a change of memory.
func RunStuckAfter(ctx context.Context, k *Kernel, l Launch, instructions uint64) (*Result, error) {
	s := k.inner().LaidOut(&l)
	p, err := s.Prepare(false)
	if err != nil {
		return nil, err
	}
	return s.Execute(ctx, p, session.Launch{Launch: l, StuckAfter: instructions})
}

// MachineCode is Kernel.Dump of machine code for l.Native. This processor need not run it. half
// reports that the processor has instructions for f16.
func MachineCode(k *Kernel, l Launch, half bool) (string, error) {
	tier, err := isa.ParseTier(string(l.Native))
	if err != nil {
		return "", err
	}
	p, err := k.inner().Prepare(false)
	if err != nil {
		return "", err
	}
	d := &session.Dump{What: "asm", Native: func(fn *ir.Func, s *sim.Launch, what string) (string, error) {
		return jit.Text(fn, s, jit.Mode{Tier: tier}, half, jit.DefaultCode, what)
	}}
	_, err = k.inner().Execute(context.Background(), p, session.Launch{Launch: l, Dump: d})
	return d.Text, err
}
