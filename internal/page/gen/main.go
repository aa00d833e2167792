// Command gen writes the gallery of the page from the kernels of the examples: gallery.json in the folder of package page.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A source is a kernel of the examples, with its text in the gallery.
type source struct {
	file, kind, title, question, hint string
	line                              string // of the launch; "": the file has it in its comments
}

var sources = []source{
	{"ptx/mistakes.ptx", "bug", "A sum of 20 numbers", "The kernel adds 20 ones with shuffles, and the sum is 32. Which lanes bring the rest?", "Look at the first shuffle: who reads whom?", "--kernel partial_reduce --grid 1 --block 32 --arg in:s32[32]=fill:1 --arg out:s32[1] --arg 20"},
	{"bad/ptx/activemask-membermask_radix_count.ptx", "bug", "Counting digits", "The counts are right here and wrong on some GPUs. What does the ballot rely on?", "The membermask says who takes part. Who decides what activemask gives?", ""},
	{"good/ptx/activemask-membermask_radix_count.ptx", "twin", "Counting digits, mended", "Where does this kernel take its membermask from?", "Compare the last lines of the loop.", ""},
	{"bad/ptx/undefined-source_team_reduction.ptx", "bug", "A team of 8 x 3", "The sum of 24 ones is not 24. Where do the other values come from?", "A warp has 32 lanes, and this block fills 24 of them.", ""},
	{"good/ptx/undefined-source_team_reduction.ptx", "twin", "A team of 8 x 3, mended", "How does this kernel keep the shuffles within a row?", "Look at operand c of the shuffles.", ""},
	{"bad/ptx/undefined-source_index_of_exited_lane.ptx", "bug", "The last block", "Every block but the last is right. Which lane is asked there, and where is it?", "50 elements and blocks of 32: step through block 1.", ""},
	{"bad/ptx/not-in-membermask_five_bits.ptx", "bug", "0x1f", "The broadcast reaches five lanes only. What is 0x1f?", "A membermask has a bit for each lane.", ""},
	{"bad/ptx/deadlock_shuffle_of_all_in_a_branch.ptx", "bug", "A shuffle in a branch", "The kernel does not end. Who waits for whom?", "Two fragments wait at different shuffles. Look at their membermasks.", ""},
	{"good/ptx/deadlock_shuffle_of_two_lanes.ptx", "twin", "A shuffle in a branch, mended", "Why does this one end?", "Compare the membermask in the branch.", ""},
	{"bad/ptx/race-shared_lanes_of_a_warp.ptx", "bug", "Lockstep", "The results are right in this order. What may go wrong in another one?", "Lanes of a warp need not run together since sm_70.", ""},
	{"bad/ptx/race-shared_write_after_read.ptx", "bug", "Two rows", "The first row is right, the second need not be. Which write comes too early?", "Two warps use the partial sums: one reads them while the other is in the next row.", ""},
	{"bad/ptx/poison-store_half_initialised_counts.ptx", "bug", "64 counters", "Half of the counters are not what they should be. Which lanes clear the table?", "Ask why one of the upper elements has its value.", ""},
	{"bad/gcn3/wait-states_one_of_two.s", "bug", "One s_nop too few", "A DPP move reads what the instruction before has written. How many wait states does it need?", "Count the instructions between the two.", ""},
	{"bad/gcn3/waitcnt_second_load.s", "bug", "Two loads, one wait", "Which of the two loads may be outstanding after s_waitcnt vmcnt(1)?", "Loads return in order, so the count is that of the last ones.", ""},
	{"bad/gcn3/dpp-stale_shifts_in_a_reduction.s", "bug", "Shifts in a row", "Lanes without a source keep their register. What was in it?", "Ask why lane 15 has its value.", ""},
	{"good/gcn3/dpp-stale_rotations_in_a_reduction.s", "twin", "Rotations in a row", "Why has a rotation no lane without a source?", "Compare row_shr and row_ror in Explain.", ""},
	{"bad/gcn3/race-shared_no_barrier.s", "bug", "Two wavefronts", "The wavefronts exchange values through LDS, with all waits. What is missing?", "s_waitcnt waits for the own accesses of a wave.", ""},
	{"good/gcn3/race-shared_s_barrier.s", "twin", "Two wavefronts, mended", "What does the barrier order?", "Look at the steps of both waves around it.", ""},
	{"bad/gcn3/exec-zero_after_v_cmpx.s", "bug", "No lane left", "v_cmpx leaves no lane active. What does v_readfirstlane_b32 read then?", "Look at EXEC before the step.", ""},
	{"ptx/block_scan.ptx", "tour", "A scan of a block", "How does a value of lane 0 get to lane 31, and from warp 0 to warp 7?", "Ask why an element has its value: the steps light up in the timeline.", "--grid 1 --block 256 --arg in:s32[256]=fill:1 --arg out:s32[256] --arg 256"},
	{"gcn3/dpp_scan.s", "tour", "A scan by DPP", "How many steps does the sum of 64 lanes take?", "row_shr moves within 16 lanes; row_bcast carries the sums on.", "--grid 1 --block 64 --arg in:f32[64]=fill:1 --arg out:f32[64]"},
}

// An example is what gallery.json holds of a source.
type example struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	ISA      string            `json:"isa"`
	Kind     string            `json:"kind"`
	Program  map[string]string `json:"program"`
	Launch   map[string]string `json:"launch"`
	Question string            `json:"question"`
	Hint     string            `json:"hint"`
	Code     string            `json:"code"`
}

var want = regexp.MustCompile(`\s*// want [a-z].*$`)

func main() {
	if err := write("../../examples", "gallery.json"); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func write(examples, out string) error {
	var list []example
	for i := range sources {
		e, err := read(examples, &sources[i])
		if err != nil {
			return fmt.Errorf("%s: %w", sources[i].file, err)
		}
		list = append(list, e)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(list); err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o666)
}

// read makes an example of a kernel. The comments that give the answer are left out.
func read(examples string, s *source) (e example, err error) {
	text, err := os.ReadFile(filepath.Join(examples, filepath.FromSlash(s.file)))
	if err != nil {
		return e, err
	}
	base := filepath.Base(s.file)
	name, _, _ := strings.Cut(base, "_")
	line := s.line
	var lines []string
	head := true
	for _, l := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n") {
		if flags, ok := strings.CutPrefix(l, "// check: "); ok {
			if line == "" && strings.Contains(flags, "--grid") && !strings.Contains(flags, "--sweep") {
				line = flags
			}
			continue
		}
		// The comments at the beginning of a kernel of the corpus say what is wrong.
		if head = head && s.line == "" && strings.HasPrefix(l, "//"); head || strings.HasPrefix(l, "// rules:") {
			continue
		}
		if l = want.ReplaceAllString(l, ""); strings.HasPrefix(l, "// want") {
			continue
		}
		lines = append(lines, l)
	}
	if line == "" {
		return e, fmt.Errorf("there is no launch in its comments")
	}
	e = example{ID: strings.TrimSuffix(strings.ReplaceAll(s.file, "/", "-"), filepath.Ext(base)), Title: s.title, ISA: "ptx", Kind: s.kind,
		Launch: map[string]string{"line": line}, Question: s.question, Hint: s.hint}
	if filepath.Ext(base) == ".s" {
		e.ISA = "gcn3"
	}
	if s.kind == "bug" {
		e.Code = name
		if s.line != "" {
			e.Code = "undefined-source"
		}
	}
	e.Program = map[string]string{"name": strings.TrimPrefix(base, name+"_"), "text": strings.TrimLeft(strings.Join(lines, "\n"), "\n")}
	if s.line != "" {
		e.Program["name"] = base
	}
	return e, nil
}
