package amdgpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/internal/ir"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/sim"
)

// state holds the contents of a wavefront's registers, in the tests' own layout.
type state struct {
	v    [64][64]uint32 // v[n][lane]
	s    [128]uint32
	scc  bool
	exec uint64
}

func randomState(r *rand.Rand) *state {
	st := &state{exec: r.Uint64()}
	for n := range 12 {
		for l := range 64 {
			st.v[n][l] = r.Uint32() >> (r.UintN(2) * r.UintN(32))
		}
	}
	for n := range st.s[:104] {
		st.s[n] = r.Uint32()
	}
	st.s[RegVCC], st.s[RegVCC+1] = r.Uint32(), r.Uint32()
	st.s[RegM0] = r.Uint32()
	st.scc = r.UintN(2) == 0
	switch r.UintN(4) {
	case 0:
		st.exec = ^uint64(0)
	case 1:
		st.exec &= st.exec >> 7
	}
	return st
}

// assembleText turns lines with labels ("name:") into bytes.
func assembleText(t testing.TB, text string) []byte {
	t.Helper()
	return hooks.Assemble(t, text)
}

// isWait reports a finding about waits.
func isWait(d *diag.Diagnostic) bool { return d.Code == "waitcnt" || d.Code == "wait-states" }

// machine runs code on a state.
type machine struct {
	opt    LiftOptions
	mem    *sim.Memory
	values []uint64
	lds    uint32
	// interrupt is Launch.Interrupt.
	interrupt func() (text []byte, problem string)
}

// run executes the code once and replaces the state by the final contents of the registers. It sets
// and reads back v0 to v13, s0 to s103, vcc and m0.
func (m *machine) run(t testing.TB, code []byte, st *state) {
	t.Helper()
	if err := m.try(code, st); err != nil {
		t.Fatal(err)
	}
}

const testVGPRs = 14

// testScalars are the scalar registers of a state that a run sets and reads.
func testScalars() []uint16 {
	var l []uint16
	for n := range uint16(102) {
		l = append(l, n)
	}
	return append(l, RegVCC, RegVCC+1, RegM0, RegEXEC, RegEXEC+1)
}

// nameRegisters names every register once, so that it is a value of the function.
func nameRegisters(x Lifting) {
	for n := range testVGPRs {
		x.VGPR(uint16(n))
	}
	for _, n := range testScalars() {
		x.SGPR(n, 1)
	}
}

// vgprNames returns the names of the vector registers of a test, v0 first.
var vgprNames = sync.OnceValue(func() (list [testVGPRs]string) {
	for n := range list {
		list[n] = fmt.Sprintf("v%d", n)
	}
	return list
})

func (m *machine) try(code []byte, st *state) error {
	opt := m.opt
	opt.Name, opt.AllowEnd, opt.MinVGPRs = "test", true, testVGPRs
	if opt.Mode == (FloatMode{}) {
		opt.Mode = DefaultMode()
	}
	opt.LDSSize = m.lds
	st.s[RegEXEC], st.s[RegEXEC+1] = uint32(st.exec), uint32(st.exec>>32)
	opt.Track, opt.Declare = hooks.Track, nameRegisters
	f, err := Lift(Code{Bytes: code}, opt)
	if err != nil {
		return err
	}
	p, err := (interp.Engine{}).Compile(f)
	if err != nil {
		return err
	}
	if m.mem == nil {
		m.mem = sim.NewMemory()
	}
	l := &sim.Launch{Func: f, Program: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: m.mem, Workers: 1, Interrupt: m.interrupt,
		Values: append(m.values, make([]uint64, NumLaunchValues)...)}
	named := map[string]ir.Ref{}
	for i := range f.Values {
		if v := &f.Values[i]; v.Kind == ir.Guest && named[v.Name] == 0 {
			named[v.Name] = ir.Ref(i)
		}
	}
	l.Setup = func(w *sim.Wave) {
		for n, name := range vgprNames() {
			for i := range 64 {
				w.Set(named[name], i, uint64(st.v[n][i]))
			}
		}
		for _, n := range testScalars() {
			w.Set(named[GFX803.sgprName(n, 1)], 0, uint64(st.s[n]))
		}
		w.Set(named["scc"], 0, b2u(st.scc))
	}
	l.Inspect = func(w *sim.Wave) {
		for n, name := range vgprNames() {
			for i := range 64 {
				st.v[n][i] = uint32(w.Get(named[name], i))
			}
		}
		for _, n := range testScalars() {
			st.s[n] = uint32(w.Get(named[GFX803.sgprName(n, 1)], 0))
		}
		st.exec = uint64(w.Mask(f.Exec))
		st.scc = w.Get(named["scc"], 0) != 0
	}
	_, list, err := sim.Run(context.Background(), l)
	// Random states have EXEC = 0, too.
	list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { return d.Code == sim.CodeExecZero })
	if len(list) > 0 {
		return list
	}
	if err == nil {
		recordRun(code)
	}
	return err
}

// diff names the first registers in which two states differ.
func (st *state) diff(want *state) string {
	for n := range testVGPRs {
		for l := range 64 {
			if st.v[n][l] != want.v[n][l] {
				return fmt.Sprintf("v%d lane %d = %#x, want %#x", n, l, st.v[n][l], want.v[n][l])
			}
		}
	}
	for n := range st.s {
		if st.s[n] != want.s[n] && n != RegEXEC && n != RegEXEC+1 {
			return fmt.Sprintf("scalar register %d = %#x, want %#x", n, st.s[n], want.s[n])
		}
	}
	if st.exec != want.exec {
		return fmt.Sprintf("exec = %#x, want %#x", st.exec, want.exec)
	}
	if st.scc != want.scc {
		return fmt.Sprintf("scc = %v, want %v", st.scc, want.scc)
	}
	return ""
}

// TestLiftExamples checks that every compiled kernel of the examples can be lifted.
func TestLiftExamples(t *testing.T) {
	t.Parallel()
	for _, file := range hooks.KernelFiles(t) {
		hooks.EachKernel(t, file, func(name string, text []byte, entry int64) {
			f, err := Lift(Code{Bytes: text, Entry: entry}, LiftOptions{Name: name, Mode: DefaultMode()})
			if err != nil {
				t.Errorf("%s: %v", filepath.Base(file), err)
				return
			}
			if _, err := (interp.Engine{}).Compile(f); err != nil {
				t.Errorf("%s: %v", filepath.Base(file), err)
			}
		})
	}
}

func TestLiftErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"s_setpc_b64 s[2:3]", "s_setpc_b64 at offset 0x0: the address that it goes to is not known"},
		{"s_swappc_b64 s[2:3], s[4:5]", "control runs past the end of the code, 4 bytes, after s_swappc_b64"},
		{"s_nop 0", "control runs past the end of the code, 4 bytes, after s_nop"},
		{"s_branch 0x7ff", "s_branch goes to offset 0x2000, outside the code of 4 bytes"},
		{"s_endpgm\ns_setpc_b64 s[2:3]", ""},
		{"s_setvskip s1, s2\ns_endpgm", "s_setvskip at offset 0x0"},
		{"ds_gws_barrier v1 gds\ns_endpgm", "the global wave sync unit is not modelled"},
	}
	for _, c := range tests {
		_, err := Lift(Code{Bytes: assembleText(t, c.text)}, LiftOptions{Name: "t"})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

// FuzzLift checks that random bytes give a function or an error.
func FuzzLift(f *testing.F) {
	for _, file := range hooks.KernelFiles(f)[:3] {
		hooks.EachKernel(f, file, func(_ string, text []byte, entry int64) {
			f.Add(text[entry:min(int(entry)+400, len(text))])
		})
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		fn, err := Lift(Code{Bytes: b}, LiftOptions{Name: "f", AllowEnd: true})
		if err == nil {
			if _, err := (interp.Engine{}).Compile(fn); err != nil {
				t.Fatal(err)
			}
		} else if strings.Contains(err.Error(), "ir:") {
			t.Fatal(err)
		}
	})
}
