package difftest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	sample "example.org/crosslane/internal/short"
)

// A textProgram is a random program in the text of an instruction set: lines between a beginning
// and an end that all programs of the language share.
type textProgram struct {
	seed        uint64
	grid, block uint32
	mode        uint32   // for GCN3: bits of MODE; also the bits short and private
	wide, high  uint32   // the block's sizes, if it is not all in x: the rest is in z; in GCN3 v8 is then the row, and v9 the place in it
	lines       []string // some are several lines that belong together
	build       func(p *textProgram) (*randprog.Case, string, error)
}

// short is the bit of textProgram.mode for programs with one result for each lane, which combines
// all registers. Separate loads and stores of all registers would be half of the machine code.
const short = 1 << 10

// private is the bit of textProgram.mode for programs whose lanes have private memory.
const private = 1 << 11

// roomy is the bit of textProgram.mode for programs whose blocks have textRoomBytes of memory.
const roomy = 1 << 12

// whole is the bit of textProgram.mode for programs in GCN3 that begin with all lanes of every
// wave.
const whole = 1 << 13

// late is the bit of textProgram.mode for programs in GCN3 whose loads arrive as late as possible.
const late = 1 << 14

const (
	textInBytes   = 4096
	textOwnBytes  = 512 // for each block
	textRoomBytes = 4096
	textAccBytes  = 64
)

// own returns the number of bytes of a block's own memory.
func (p *textProgram) own() int {
	if p.mode&roomy != 0 {
		return textRoomBytes
	}
	return textOwnBytes
}

// made returns the program in the form that a test runs.
func (p *textProgram) made(ext string) (made, error) {
	c, text, err := p.build(p)
	if err != nil {
		return made{print: func() string { return text }}, err
	}
	comment := map[string]string{".ptx": "//", ".s": ";"}[ext]
	head := fmt.Sprintf("%s seed %d grid %d block %d mode %d\n", comment, p.seed, p.grid, p.block, p.mode)
	if p.wide > 0 {
		head = fmt.Sprintf("%s shape %d %d\n", strings.TrimSuffix(head, "\n"), p.wide, p.high)
	}
	print := func() string { return head + strings.Join(p.lines, "\n") + "\n" }
	return made{seed: p.seed, launch: c, print: print, ext: ext, smaller: func(fails func(*randprog.Case) bool) made {
		m, _ := p.smaller(fails).made(ext)
		return m
	}}, nil
}

// parseText reads the text that made writes.
func parseText(data []byte, build func(p *textProgram) (*randprog.Case, string, error)) (*textProgram, error) {
	head, rest, _ := strings.Cut(string(data), "\n")
	p := &textProgram{build: build, lines: strings.Split(strings.TrimSuffix(rest, "\n"), "\n")}
	_, head, _ = strings.Cut(head, " ")
	head, shape, shaped := strings.Cut(head, " shape ")
	if shaped {
		if _, err := fmt.Sscanf(shape, "%d %d", &p.wide, &p.high); err != nil {
			return p, err
		}
	}
	_, err := fmt.Sscanf(head, "seed %d grid %d block %d mode %d", &p.seed, &p.grid, &p.block, &p.mode)
	return p, err
}

// smaller removes lines, and makes the launch smaller, while the program still fails.
func (p *textProgram) smaller(fails func(*randprog.Case) bool) *textProgram {
	tries := 2000
	try := func(q *textProgram) bool {
		if tries--; tries < 0 {
			return false
		}
		c, _, err := q.build(q)
		if err != nil || !fails(c) {
			return false
		}
		p = q
		return true
	}
	for changed := true; changed && tries > 0; {
		changed = false
		for size := max(1, len(p.lines)/2); size > 0; size /= 2 {
			for at := len(p.lines) - size; at >= 0; at -= size {
				if at+size > len(p.lines) {
					continue
				}
				q := *p
				q.lines = slices.Delete(slices.Clone(p.lines), at, at+size)
				changed = try(&q) || changed
			}
		}
		for _, edit := range []func(q *textProgram){func(q *textProgram) { q.grid = 1 }, func(q *textProgram) { q.block = 1 }, func(q *textProgram) { q.block = 32 },
			func(q *textProgram) { q.wide, q.high = 0, 0 }, func(q *textProgram) { q.block = min(q.block, q.wide*q.high) }, func(q *textProgram) { q.block = q.wide; q.high = 1 }} {
			q := *p
			if edit(&q); q.block > 0 && (q.grid < p.grid || q.block < p.block || q.wide < p.wide) {
				changed = try(&q) || changed
			}
		}
	}
	return p
}

// buffers returns the memory of a program whose lanes have out bytes each for results.
func (p *textProgram) buffers(lanes, out int) []randprog.Buffer {
	r := rand.New(rand.NewPCG(p.seed, 0x62756666))
	fill := func(n int) []byte {
		var b []byte
		for len(b) < n {
			if r.IntN(3) == 0 {
				b = binary.LittleEndian.AppendUint64(b, enginetest.RandomValue(r, ir.B64))
			} else {
				b = binary.LittleEndian.AppendUint32(b, uint32(enginetest.RandomValue(r, ir.B32)))
				b = binary.LittleEndian.AppendUint32(b, uint32(enginetest.RandomValue(r, ir.B32)))
			}
		}
		return b
	}
	return []randprog.Buffer{
		{Name: "in", Data: fill(textInBytes), ReadOnly: true},
		{Name: "out", Data: make([]byte, int(p.grid)*p.lanesOfBlock(lanes)*out)},
		{Name: "own", Data: fill(int(p.grid) * p.own())},
		{Name: "acc", Data: make([]byte, textAccBytes)},
	}
}

// shape returns the block's size in x, y and z.
func (p *textProgram) shape() ([3]uint32, error) {
	if p.wide == 0 {
		return [3]uint32{p.block, 1, 1}, nil
	}
	n := p.wide * p.high
	if n == 0 || p.block%n != 0 {
		return [3]uint32{}, fmt.Errorf("a block of %d lanes is not %d wide and %d high", p.block, p.wide, p.high)
	}
	return [3]uint32{p.wide, p.high, p.block / n}, nil
}

// result returns the number of bytes that each lane has for results.
func (p *textProgram) result(full int) int {
	if p.mode&short != 0 {
		return 8
	}
	return full
}

// lanesOfBlock returns the number of lanes in the waves of a block.
func (p *textProgram) lanesOfBlock(lanes int) int { return (int(p.block) + lanes - 1) / lanes * lanes }

// A writer writes lines from templates in which {x} stands for an operand of kind x.
type writer struct {
	*rand.Rand
	lines   []string
	labels  int
	depth   int
	left    int
	operand func(kind string) string
	few     []string // the templates of operations that a program has, if it has few; nil: not chosen yet
}

// pure returns one of the templates of operations. Every other program uses only a few templates,
// so that one operation continues with the results of another.
func (w *writer) pure(list []string) string {
	if w.few == nil {
		w.few = []string{}
		if w.IntN(2) == 0 {
			for range 2 + w.IntN(8) {
				w.few = append(w.few, list[w.IntN(len(list))])
			}
		}
	}
	if len(w.few) > 0 && w.IntN(8) > 0 {
		return w.few[w.IntN(len(w.few))]
	}
	return list[w.IntN(len(list))]
}

func (w *writer) line(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

// inner writes the body of a loop or a branch: at least one statement, and at most the given
// number.
func (w *writer) inner(most int, statement func()) {
	w.depth++
	for range 1 + w.IntN(most) {
		statement()
	}
	w.depth--
}

func (w *writer) label() string {
	w.labels++
	return fmt.Sprint("L", w.labels)
}

func pickOne[T any](r *rand.Rand, l ...T) T { return l[r.IntN(len(l))] }

// fill writes a template. '<' and '>' are braces of the language.
func (w *writer) fill(template string) {
	w.left--
	var lines []string
	for t := range strings.SplitSeq(template, "\n") {
		var b strings.Builder
		for {
			before, rest, ok := strings.Cut(t, "{")
			b.WriteString(before)
			if !ok {
				break
			}
			kind, after, _ := strings.Cut(rest, "}")
			if alternatives := strings.Split(kind, "/"); len(alternatives) > 1 {
				b.WriteString(pickOne(w.Rand, alternatives...))
			} else {
				b.WriteString(w.operand(kind))
			}
			t = after
		}
		lines = append(lines, strings.NewReplacer("<", "{", ">", "}").Replace(b.String()))
	}
	w.lines = append(w.lines, strings.Join(lines, "\n")) // they stay together
}

// TestTextPrograms checks that every template gives existing instructions for all operands, and
// that most programs end without a fault.
func TestTextPrograms(t *testing.T) {
	t.Parallel()
	for _, s := range sources() {
		if s.name == "IR" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			faults := map[string]int{}
			programs := sample.Of(300, 30)
			for seed := range uint64(programs) {
				m, err := s.make(seed)
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
					continue
				}
				again, _ := s.make(seed)
				back, err := kept("x"+m.ext, []byte(m.text()))
				if err != nil || again.text() != m.text() || back.text() != m.text() {
					t.Fatalf("seed %d gives two programs, or another one when read back: %v", seed, err)
				}
				o := m.launch.Run(interp.Engine{}, randprog.Mode{})
				if o.Err != nil || o.Code == "timeout" {
					t.Fatalf("seed %d: %v %s\n%s", seed, o.Err, o.Fault, m.text())
				}
				faults[o.Code]++
			}
			t.Log(faults)
			if faults[""]*300 < 260*programs {
				t.Errorf("of %d programs %d end without a fault: %v", programs, faults[""], faults)
			}
		})
	}
}
