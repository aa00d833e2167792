package crosslane

import (
	"context"

	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/sim"
)

// RunProgram is Kernel.Run on one worker with a program that make makes of the kernel's
// function.
func RunProgram(ctx context.Context, k *Kernel, l Launch, make func(*ir.Func) (sim.Program, error)) (*Result, error) {
	p, err := k.prepare(false)
	if err != nil {
		return nil, err
	}
	q, fn := *p, *p.fn
	q.fn = &fn
	if q.prog, err = make(q.fn); err != nil {
		return nil, err
	}
	l.Engine, l.Workers = engineInterp, 1 // so q.prog is left as it is
	return k.run(ctx, &q, l)
}

// SetStuckAfter sets how many instructions without a change of memory pass before it is
// looked whether anything can change.
func SetStuckAfter(l *Launch, instructions uint64) { l.stuckAfter = instructions }

// MachineCode is Kernel.Dump of machine code for l.Native. This processor need not run it. half
// says that the processor has instructions for f16.
func MachineCode(k *Kernel, l Launch, half bool) (string, error) {
	tier, err := isa.ParseTier(string(l.Native))
	if err != nil {
		return "", err
	}
	p, err := k.prepare(false)
	if err != nil {
		return "", err
	}
	l.dump = &dump{what: "asm", native: func(fn *ir.Func, s *sim.Launch, what string) (string, error) {
		return jit.Text(fn, s, jit.Mode{Tier: tier}, half, jit.DefaultCode, what)
	}}
	_, err = k.run(context.Background(), p, l)
	return l.dump.text, err
}
