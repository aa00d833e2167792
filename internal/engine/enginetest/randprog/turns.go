package randprog

import "crosslane/internal/sim"

// turner is a program that stops after every few instructions, at the end of a basic block, and
// tells nobody: engines of which parts take turns, as machine code and interpreter do, change
// between them at all blocks then.
type turner struct {
	prog  sim.Program
	every int
}

// Specialise is that of the program.
func (s *turner) Specialise(l *sim.Launch) (sim.Program, error) {
	p, ok := s.prog.(sim.Specialiser)
	if !ok {
		return s, nil
	}
	prog, err := p.Specialise(l)
	if err != nil {
		return nil, err
	}
	return &turner{prog, s.every}, nil
}

// FrameBytes is that of the program.
func (s *turner) FrameBytes() uint32 {
	if p, ok := s.prog.(sim.FrameSizer); ok {
		return p.FrameBytes()
	}
	return 0
}

// Start is that of the program.
func (s *turner) Start(w *sim.Wave) {
	if p, ok := s.prog.(sim.Starter); ok {
		p.Start(w)
	}
}

// Run runs the program for a few instructions.
func (s *turner) Run(w *sim.Wave) sim.Stop {
	rest := max(0, w.Budget-s.every)
	w.Budget -= rest
	stop := s.prog.Run(w)
	w.Budget += rest
	if stop == sim.StopBudget && rest > 0 {
		return sim.StopLimit // nobody is put aside for it
	}
	return stop
}
