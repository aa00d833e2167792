package sim

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// The codes of the findings and faults of a run. Package diag documents them.
const (
	CodeUndefinedSource = "undefined-source"
	CodeNotInMembermask = "not-in-membermask"
	CodeNotConverged    = "not-converged"
	CodeDeadlock        = "deadlock"
	CodeLivelock        = "livelock"
	CodeOutOfBounds     = "out-of-bounds"
	CodeMisaligned      = "misaligned"
	CodeWriteToConst    = "write-to-const"
	CodeWrongSpace      = "wrong-space"
	CodeBadMbarrier     = "bad-mbarrier"
	CodeTensorMap       = "tensormap-bad"
	CodeTexture         = "texture-bad"
	CodeNoRank          = "no-such-rank"
	CodeBlockGone       = "exited-block"
	CodeNeedsCluster    = "needs-cluster"
	CodeNotCooperative  = "not-cooperative"
	CodeBadRegister     = "bad-register"
	CodeBufferFormat    = "buffer-format"
	CodeLDSLimit        = "lds-limit"
	CodeExecZero        = "exec-zero"
	CodeTrap            = "trap"
	CodeTimeout         = "timeout"
	CodeCancelled       = "cancelled"
	LimitReached        = "limit" // never reported: see Launch.Limit
	CodeBadBarrier      = "bad-barrier"
	CodeUnmatchedArrive = "unmatched-arrive"
	CodeNotAligned      = "not-aligned"
	CodeExitedLanes     = "exited-lanes"
	CodeBarrierApart    = "barriers-apart"
	CodeMatrixOperand   = "matrix-operand"
	CodeBadBranch       = "bad-branch"
	CodeWarpgroup       = "wgmma-uniform"
	CodeWarpgroupFence  = "wgmma-fence"
	CodeAccumulator     = "wgmma-acc"
	CodeBadCall         = "bad-call"
	CodeStackOverflow   = "stack-overflow"
	CodeBadStack        = "bad-stack-pointer"
	CodeAssert          = "assert"
	CodeBadFree         = "bad-free"
	CodeOutputLimit     = "output-limit"
	CodeNotProvided     = "not-provided"
	CodePoisonBranch    = "poison-branch"
	CodePoisonAddress   = "poison-address"
	CodePoisonStore     = "poison-store"
	CodePoisonTrap      = "poison-trap"
	CodeBlocksWait      = "blocks-wait"
	CodeUnwritten       = "never-written"
	CodeUseAfterFree    = "use-after-free"
	CodeNoAccess        = "no-access"
	CodeBeyondVariable  = "beyond-variable"

	CodeMatrixDescriptor = "matrix-descriptor"
	CodeTensorLeak       = "tmem-leak"
	CodeTensorBounds     = "tmem-bounds"
	CodeTensorLane       = "tmem-lane"

	CodeUndefinedBehaviour = "undefined-behaviour"
)

// findingKey identifies a finding: one per code and instruction, and per note of an observer.
type findingKey struct {
	code string
	pos  int32
	with int32 // for notes of an observer: see ir.Note
}

// finding collects the occurrences of one mistake at one instruction.
//
// Input: occurrences, by any worker in any order (note).
// Output: one finding per code and instruction (mergeFindings), sorted by place.
// Invariant: the example comes from the first block in which the mistake occurs, so that the text does not
// depend on the number of workers.
// Example: lanes 3 and 5 of block 0 and lane 1 of block 7 read an undefined source: lanes = {3, 5}, blocks
// = 2.
type finding struct {
	findingKey
	lanes   lane.Mask // the lanes that show it, in the wave of the example
	others  lane.Mask // the lanes they read, if any
	members lane.Mask // the membermask of the first example
	exited  lane.Mask // the lanes that are read and had exited, in the first example
	sync    bool      // a *.sync operation
	first   uint64    // linear index of the example's block, the first one
	wave    int       // the first wave of that block that was seen to do it
	blocks  int
	count   uint64
	bar     bool           // a barrier of the block
	used    bool           // the barrier has completed before
	reach   bool           // undefined bits reach an effect: see Wave.Reach
	text    string         // the message after the mnemonic, of some codes
	rel     []diag.Related // other places that the first example names
	remedy  string         // the finding's own remedy, with the section; "": diagnostic words it
	section string
	object  string        // the buffer or variable, if one is named
	mild    bool          // milder than the code demands
	milder  diag.Severity // how much milder than an error the worst occurrence is
}

// note records one occurrence. The example is that of the first block, in any order of blocks.
func (b *Block) note(w *Wave, code string, pos int32, f finding) {
	key := findingKey{code, pos, f.with}
	if s := w.Launch.Seen; s != nil {
		s(w, code, pos, f.lanes)
	}
	f.findingKey, f.first, f.wave, f.blocks, f.count = key, b.block, w.ID, 1, 1
	have := b.found[key]
	if have == nil {
		b.found[key] = &f
		b.noted = append(b.noted, key)
		return
	}
	// The example of the first block is kept; lanes of the same wave are added to it.
	switch {
	case f.first < have.first:
		have.example(&f)
	case f.first == have.first && f.wave < have.wave && (f.text != "" || have.text == "") && have.rel == nil:
		// The first wave may depend on other workers. (A text that is expensive to make is made for the
		// first occurrence only; f has none then.)
		have.example(&f)
	case f.first == have.first && f.wave == have.wave:
		have.lanes |= f.lanes
		have.others |= f.others
	}
	have.count++
	have.milder = min(have.milder, f.milder)
	if !slices.Contains(b.noted, key) {
		b.noted = append(b.noted, key)
		have.blocks++
	}
}

// A Finding is one occurrence of a mistake, as a RaceDetector reports it.
type Finding struct {
	Severity diag.Severity // of several occurrences the worst one counts
	Lanes    lane.Mask     // the lanes that show it
	Text     string        // the message after the mnemonic
	Remedy   string
	Section  string // of the manual
	Object   string // the buffer or variable, if one is named
	Related  []diag.Related
}

// Note records one occurrence of a mistake at an instruction. Text and what goes with it may be missing
// unless Unseen reports true.
func (w *Wave) Note(code string, pos int32, f Finding) {
	w.note(w, code, pos, finding{milder: diag.Error - f.Severity, lanes: f.Lanes, text: f.Text, remedy: f.Remedy, section: f.Section, object: f.Object, rel: f.Related})
}

// Unseen reports whether an occurrence in this wave would be the example of a finding: no block before this
// one, and no wave before this one in this block, has shown it. The text of other occurrences is not used.
func (w *Wave) Unseen(code string, pos int32) bool {
	have := w.found[findingKey{code, pos, 0}]
	return have == nil || w.block < have.first || w.block == have.first && w.ID < have.wave
}

// example replaces the example of a finding by that of another wave's occurrence.
func (f *finding) example(g *finding) {
	f.first, f.wave, f.lanes, f.others = g.first, g.wave, g.lanes, g.others
	f.members, f.exited, f.text, f.rel = g.members, g.exited, g.text, g.rel
	f.used = g.used
	f.remedy, f.section, f.object, f.mild = g.remedy, g.section, g.object, g.mild
}

// mergeFindings joins the findings of several workers. Each block runs on one worker only.
func mergeFindings(workers []*Worker) []*finding {
	if !slices.ContainsFunc(workers, func(k *Worker) bool { return len(k.found) > 0 }) {
		return nil
	}
	all := map[findingKey]*finding{}
	for _, k := range workers {
		for key, f := range k.found {
			have := all[key]
			if have == nil {
				c := *f
				all[key] = &c
				continue
			}
			if f.first < have.first {
				have.example(f)
			}
			have.milder = min(have.milder, f.milder)
			have.blocks += f.blocks
			have.count += f.count
		}
	}
	list := make([]*finding, 0, len(all))
	for _, f := range all {
		list = append(list, f)
	}
	// Maps have no order, so the list is sorted: by place, code and note.
	sort.Slice(list, func(i, j int) bool {
		if list[i].pos != list[j].pos {
			return list[i].pos < list[j].pos
		}
		if list[i].code != list[j].code {
			return list[i].code < list[j].code
		}
		return list[i].with < list[j].with
	})
	return list
}

// Where returns the place of a guest instruction and its text.
func Where(f *ir.Func, pos int32) (diag.Pos, string) { return where(f, pos) }

// where returns the place of a guest instruction for a diagnostic, and its text.
func where(f *ir.Func, pos int32) (diag.Pos, string) {
	p := &f.Pos[pos]
	return whereIs(f, p), p.Text
}

// whereIs returns the place of a guest instruction for a diagnostic.
func whereIs(f *ir.Func, p *ir.Pos) diag.Pos {
	d := diag.Pos{File: f.File, Line: p.Line, Col: p.Col}
	if p.Line == 0 {
		d.Off, d.HasOff = p.Off, true
	}
	return d
}

// diagnostic turns a finding into a diagnostic for the user.
func (f *finding) diagnostic(l *Launch) *diag.Diagnostic {
	fn := l.Func
	pos, text := where(fn, f.pos)
	name := fn.Pos[f.pos].Name
	d := &diag.Diagnostic{
		Pos: pos, Severity: diag.Error, Class: diag.Finding, Code: f.code, Source: text, Lanes: f.lanes.String(),
		Kernel: fn.Name, Block: l.blockIndex(f.first), Wave: f.wave, Blocks: f.blocks, Count: f.count,
		Threads: l.Block, WaveLanes: uint32(fn.Lanes), Section: fn.Pos[f.pos].Section, Object: f.object,
	}
	if f.reach {
		f.reached(d, name)
	}
	// The text of the codes that this package words here. The other codes bring their text, remedy and
	// section.
	switch f.code {
	case CodeUndefinedSource:
		var why []string
		if f.sync {
			if out := f.others &^ f.members; out != 0 {
				why = append(why, fmt.Sprintf("%s not in membermask %s", out.Do("is", "are"), f.members.Hex(fn.Lanes)))
			}
			if gone := f.others & f.members & f.exited; gone != 0 {
				why = append(why, gone.Do("has", "have")+" exited")
			}
			if rest := f.others & f.members &^ f.exited; rest != 0 {
				why = append(why, rest.Do("does", "do")+" not take part")
			}
		} else {
			why = append(why, f.others.Do("is", "are")+" inactive")
		}
		d.Message = fmt.Sprintf("%s: %s %s: undefined, because %s", name, f.lanes.Do("reads", "read"), f.others.Named(), strings.Join(why, " and "))
		d.Remedy = fmt.Sprintf("use the value only where the source lane takes part, or make all lanes execute the shuffle; the run took %s", l.Undefined)
	case CodeNotInMembermask:
		d.Message = fmt.Sprintf("%s: %s it without being in the membermask given, %s: undefined", name, f.lanes.Do("executes", "execute"), f.members.Hex(fn.Lanes))
		d.Remedy = "give a membermask that holds every lane that executes the instruction"
	case CodeNotConverged:
		d.Message = fmt.Sprintf("%s: %s it, not together with all of membermask %s: undefined for targets below sm_70", name, f.lanes.Do("executes", "execute"), f.members.Hex(fn.Lanes))
		d.Remedy = "compile for sm_70 or higher, or move the instruction out of divergent code"
		if f.bar {
			d.Message = fmt.Sprintf("%s: %s: undefined, because it is aligned", name, f.text)
			d.Remedy = "move the barrier out of divergent code, or from sm_70 on use barrier.sync without .aligned"
		}
	case CodeNotAligned:
		d.Message = fmt.Sprintf("%s: %s: undefined", name, f.text)
		d.Remedy = "let all 32 threads of the warp execute the same instruction: no branch around it that differs within the warp, and a block size that is a multiple of 32"
	case CodeMatrixOperand, CodeWarpgroup, CodeWarpgroupFence, CodeAccumulator, CodeMatrixDescriptor:
		d.Message = fmt.Sprintf("%s: %s: undefined", name, f.text)
	case CodeBadBarrier:
		d.Message = fmt.Sprintf("%s: %s", name, f.text)
		d.Remedy = "give the threads that meet at a barrier the same number, 0 to 15, the same count and the same kind of operation"
	case CodeExitedLanes:
		d.Severity = diag.Note
		d.Message = fmt.Sprintf("%s: %s", name, f.text)
		d.Remedy = "no change is needed if this works without them; else let threads without work stay until here instead of returning early"
	case CodeBarrierApart:
		d.Severity = diag.Note
		d.Message = fmt.Sprintf("%s: %s", name, f.text)
		d.Remedy = "no change is needed if this is intended; all threads of the block have to reach __syncthreads() and barrier() at one place"
	case CodeBlocksWait:
		d.Severity = diag.Note
		d.Message = fmt.Sprintf("%s: %s", name, f.text)
		d.Remedy = "take the number of a block's tile from an atomic counter, so that it waits only for blocks that began before it; or launch no more blocks than can be in flight, as --cooperative has it"
	case CodeNeedsCluster:
		d.Severity = diag.Warning
		d.Message = fmt.Sprintf("%s: %s", name, f.text)
	case CodeLDSLimit:
		d.Severity = diag.Warning
		d.Message = fmt.Sprintf("%s: %s memory beyond the limit in M0: loads give 0, stores and atomics do nothing", name, f.lanes.Do("accesses", "access"))
		d.Remedy = "set M0 to -1 before DS instructions, or to the bytes that they may reach"
	case CodeExecZero:
		d.Severity = diag.Warning
		d.Message = fmt.Sprintf("%s: EXEC is 0: it reads lane 0, which does not execute", name)
		d.Remedy = "branch around it with s_cbranch_execz, or read a lane that is known to hold the value with v_readlane_b32"
	case CodeUnmatchedArrive:
		if d.Severity = diag.Warning; f.used {
			d.Severity = diag.Note
		}
		d.Message = fmt.Sprintf("%s: %s", name, f.text)
		d.Remedy = "let as many threads wait at the barrier as its count says, or leave the last arrival out"
	}
	if f.milder > 0 {
		d.Severity = diag.Error - f.milder
	}
	if f.remedy != "" {
		d.Message, d.Remedy, d.Section = fmt.Sprintf("%s: %s", name, f.text), f.remedy, f.section
	}
	if f.mild {
		d.Severity = diag.Warning
	}
	d.Related = f.rel
	return d
}

// Fault is the end of a run by a fault of the guest: an access that no memory backs, a trap, a deadlock.
type Fault struct {
	Code   string
	Pos    int32
	Lanes  lane.Mask
	Block  uint64
	Wave   int
	Text   string // the message after the mnemonic
	Remedy string
	Others []diag.Related

	between bool // it belongs to no block: the run was stopped between two of them
}

// betweenBlocks returns f, which stopped a run, for the time between blocks. ended of the blocks had ended.
func (f *Fault) betweenBlocks(ended, blocks uint64) *Fault {
	c := *f
	c.between = true
	c.Text += fmt.Sprintf("; %d of %d blocks had ended", ended, blocks)
	switch {
	case c.Remedy == "":
	case ended == 0:
		c.Remedy = "raise --timeout: making machine code of a large kernel is part of it"
	default:
		c.Remedy = "raise --timeout, or launch fewer blocks"
	}
	return &c
}

// diagnostic turns a fault into a diagnostic for the user.
func (f *Fault) diagnostic(l *Launch) *diag.Diagnostic {
	if f.between {
		return &diag.Diagnostic{Pos: diag.Pos{File: l.Func.File}, Severity: diag.Error, Class: diag.Timeout, Code: f.Code, Message: f.Text, Remedy: f.Remedy, Kernel: l.Func.Name}
	}
	pos, text := where(l.Func, f.Pos)
	d := &diag.Diagnostic{
		Pos: pos, Severity: diag.Error, Class: diag.Fault, Code: f.Code, Source: text, Lanes: f.Lanes.String(),
		Message: fmt.Sprintf("%s: %s", l.Func.Pos[f.Pos].Name, f.Text), Remedy: f.Remedy, Related: f.Others,
		Kernel: l.Func.Name, Block: l.blockIndex(f.Block), Wave: f.Wave, Blocks: 1, Count: 1,
		Threads: l.Block, WaveLanes: uint32(l.Func.Lanes), Section: l.Func.Pos[f.Pos].Section,
	}
	if f.Code == CodeTrap && d.Remedy == "" && l.Workspace == 0 && l.Func.ReadsWorkspace() {
		d.Remedy = "launch it with --cooperative, if it synchronises the grid (in CUDA: cudaLaunchCooperativeKernel for this_grid().sync()): it reads %envreg1 and %envreg2, which hold the address where the blocks meet, and are 0 in other launches"
	}
	if f.Code == CodeNotProvided {
		d.Class = diag.Unsupported
	}
	if f.Code == CodeTimeout || f.Code == CodeCancelled || f.Code == LimitReached {
		d.Class = diag.Timeout
		d.Message, d.Section = f.Text, ""
	}
	return d
}
