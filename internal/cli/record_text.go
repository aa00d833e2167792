package cli

import (
	"fmt"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/internal/provenance"
	"example.org/crosslane/internal/results"
)

// recordedText is a summary of a recording.
func recordedText(i *crosslane.RecordingInfo) string {
	word := "warp"
	if i.ISA == crosslane.GCN3 {
		word = "wave"
	}
	text := fmt.Sprintf("%s of %s: %s of %s", i.Kernel, i.File, results.Numbered(i.Steps, "step"), results.Numbered(len(i.Waves), word))
	if i.Steps != i.Total {
		text += fmt.Sprintf(", from step %d on, of %d", i.First, i.Total)
	}
	return text
}

// writeTimeline writes steps, a line each, and states.
func (a *app) writeTimeline(d *crosslane.RecordingData, from, to int) {
	fmt.Fprintln(a.out, recordedText(&d.RecordingInfo))
	wave := -1
	for i := range d.Timeline {
		s := &d.Timeline[i]
		if s.Wave != wave {
			wave = s.Wave
			w := &d.Waves[wave]
			word := "warp"
			if d.ISA == crosslane.GCN3 {
				word = "wave"
			}
			fmt.Fprintf(a.out, "%s %d of block %d,%d,%d\n", word, w.Warp, w.Block[0], w.Block[1], w.Block[2])
		}
		a.writeStep(d, s)
	}
	if len(d.Timeline) > 0 && to < d.First+d.Steps {
		fmt.Fprintf(a.out, "… %s more: --steps %d..\n", results.Numbered(d.First+d.Steps-to, "step"), to)
	}
	for i := range d.States {
		a.writeState(&d.States[i], d.Lanes)
	}
}

// writeStep writes the line of a step: its number, its place, its lanes, its text, and what it wrote.
func (a *app) writeStep(d *crosslane.RecordingData, s *crosslane.Step) {
	fmt.Fprintf(a.out, "%6d %s %s  %s", s.Step, placeText(&s.Location), laneStrip(s, d.Lanes), s.Text)
	for i := range s.Writes {
		fmt.Fprintf(a.out, "  %s = %s", s.Writes[i].Name, foldedValues(&s.Writes[i]))
	}
	if x := s.Exchange; x != nil && len(x.Absent) > 0 {
		var absent crosslane.Hex
		for _, l := range x.Absent {
			absent |= 1 << uint(l.Lane)
		}
		fmt.Fprintf(a.out, "  (reads absent %s)", laneText(absent))
	}
	if s.Done != s.Step {
		if s.Done < 0 {
			fmt.Fprint(a.out, "  (waits for ever)")
		} else {
			fmt.Fprintf(a.out, "  (done in step %d)", s.Done)
		}
	}
	for _, f := range s.Findings {
		fmt.Fprintf(a.out, "  [%s]", d.Findings[f].Finding.Code)
	}
	fmt.Fprintln(a.out)
}

// placeText is the line of an instruction, or its offset.
func placeText(l *crosslane.Location) string {
	if l.Line == 0 {
		return fmt.Sprintf("%6s", fmt.Sprintf("+%#x", l.Offset))
	}
	return fmt.Sprintf("%6d", l.Line)
}

// laneStrip is a character for each lane; see the help of record.
func laneStrip(s *crosslane.Step, lanes int) string {
	var undefined crosslane.Hex
	for i := range s.Writes {
		for l := range lanes {
			if _, u, ok := s.Writes[i].Lane(l); ok && u != 0 && !s.Writes[i].Scalar {
				undefined |= 1 << uint(l)
			}
		}
	}
	b := make([]byte, lanes)
	for l := range b {
		switch {
		case !s.Lanes.Has(l):
			b[l] = '.'
		case undefined.Has(l):
			b[l] = '?'
		case s.Active.Has(l):
			b[l] = '#'
		default:
			b[l] = '-'
		}
	}
	return string(b)
}

// laneText names lanes: 4-15.
func laneText(m crosslane.Hex) string {
	var parts []string
	for _, l := range m.Lanes() {
		if n := len(parts); n > 0 && m.Has(l-1) {
			first, _, _ := strings.Cut(parts[n-1], "-")
			parts[n-1] = fmt.Sprintf("%s-%d", first, l)
			continue
		}
		parts = append(parts, fmt.Sprint(l))
	}
	if len(parts) == 1 && m.Count() == 1 {
		return "lane " + parts[0]
	}
	return "lanes " + strings.Join(parts, ",")
}

// maxRuns bounds the values of a register in a line.
const maxRuns = 8

// foldedValues are the values of lanes, equal neighbours together.
func foldedValues(v *crosslane.RegisterValue) string {
	type run struct {
		text string
		n    int
	}
	var runs []run
	for i, b := range v.Bits {
		text := provenance.Show(v.Type, uint64(b))
		if i < len(v.Undefined) && v.Undefined[i] != 0 {
			text = "?"
		}
		if n := len(runs); n > 0 && runs[n-1].text == text {
			runs[n-1].n++
			continue
		}
		runs = append(runs, run{text, 1})
	}
	var out []string
	for i, r := range runs {
		if i == maxRuns {
			out = append(out, "…")
			break
		}
		if r.n > 1 {
			r.text += fmt.Sprintf(" ×%d", r.n)
		}
		out = append(out, r.text)
	}
	return strings.Join(out, ", ")
}

// writeState writes the fragments and the registers of a state.
func (a *app) writeState(s *crosslane.State, lanes int) {
	fmt.Fprintf(a.out, "before step %d:\n", s.Step)
	for i := range s.Fragments {
		f := &s.Fragments[i]
		fmt.Fprintf(a.out, "  fragment %d, %s, at %s: %s", f.ID, laneText(f.Lanes), strings.TrimSpace(placeText(&f.Location)), f.Text)
		barrier := ""
		if f.Barrier != nil && *f.Barrier != 0 {
			barrier = fmt.Sprintf(" at barrier %d", *f.Barrier)
		}
		switch {
		case f.Waiting && f.Next < 0:
			fmt.Fprintf(a.out, "  (waits%s since step %d, for ever)", barrier, f.Since)
		case f.Waiting:
			fmt.Fprintf(a.out, "  (waits%s since step %d, until step %d)", barrier, f.Since, f.Next)
		case f.ID == s.Running:
			fmt.Fprint(a.out, "  (next)")
		}
		fmt.Fprintln(a.out)
	}
	if s.Exited != 0 {
		fmt.Fprintf(a.out, "  ended: %s\n", laneText(s.Exited))
	}
	for i := range s.Registers {
		fmt.Fprintf(a.out, "  %-8s %-5s %s\n", s.Registers[i].Name, s.Registers[i].Type, foldedValues(&s.Registers[i]))
	}
}
