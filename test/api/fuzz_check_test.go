package api_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// corpus returns the small kernels of the examples as seeds.
func corpus(f *testing.F, ext string) (texts []string) {
	f.Helper()
	for _, folder := range []string{"examples/bad", "examples/good"} {
		names, err := filepath.Glob(folder + "/" + map[string]string{".ptx": "ptx", ".s": "gcn3"}[ext] + "/*" + ext)
		if err != nil || len(names) == 0 {
			f.Fatal(folder, err)
		}
		for _, name := range short.Sample(names, 6) {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			texts = append(texts, string(b))
		}
	}
	return texts
}

// sane fails on findings that lack a field that every report needs.
func sane(t *testing.T, list diag.List) {
	t.Helper()
	for _, d := range list {
		if d.Code == "" || d.Message == "" {
			t.Errorf("incomplete: %+v", d)
		}
	}
}

// statically does all that is done without a launch.
func statically(t *testing.T, src, file string, isa crosslane.ISA, targets ...string) *crosslane.Module {
	t.Helper()
	m, err := crosslane.Load([]byte(src), file, isa)
	if err != nil {
		return nil
	}
	reports, err := m.CheckStatic()
	sane(t, diag.Of(err))
	for _, r := range reports {
		sane(t, r.Findings)
		if r.MeetsProved > r.Meets || r.BarriersProved > r.Barriers {
			t.Errorf("more is proved than there is: %+v", r)
		}
	}
	for _, target := range targets {
		ports, err := m.Portability("", target)
		sane(t, diag.Of(err))
		for _, r := range ports {
			sane(t, r.Findings)
		}
	}
	return m
}

// FuzzStaticPTX: no PTX text makes the checks without a launch or the proposals panic or hang.
func FuzzStaticPTX(f *testing.F) {
	for _, s := range corpus(f, ".ptx") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 16<<10 {
			return
		}
		if statically(t, src, "f.ptx", crosslane.PTX, "sm_90", "gfx90a") == nil {
			return
		}
		r, err := crosslane.ProposeFixes([]byte(src), "f.ptx")
		sane(t, diag.Of(err))
		if r != nil && err == nil {
			if _, err := crosslane.Load(r.Text, "f.ptx", crosslane.PTX); err != nil {
				t.Errorf("what is proposed does not load: %v\n%s", err, r.Text)
			}
		}
	})
}

// FuzzStaticGCN3: no assembly makes them panic or hang, and the output of fix loads.
func FuzzStaticGCN3(f *testing.F) {
	for _, s := range corpus(f, ".s") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 16<<10 {
			return
		}
		if statically(t, src, "f.s", crosslane.GCN3, "gfx1030", "sm_90") == nil {
			return
		}
		r, err := crosslane.FixWaits([]byte(src), "f.s", crosslane.FixOptions{})
		sane(t, diag.Of(err))
		if r != nil && err == nil {
			if _, err := crosslane.Load(r.Text, "f.s", crosslane.GCN3); err != nil {
				t.Errorf("what is mended does not load: %v\n%s", err, r.Text)
			}
		}
	})
}

// FuzzCheckAndWhy: no PTX text makes a check with a launch, or the question why, panic,
// hang or grow without bound.
func FuzzCheckAndWhy(f *testing.F) {
	for i, s := range corpus(f, ".ptx") {
		if i%8 == 0 {
			f.Add(s, uint8(i*7), uint8(i), uint16(12+i%24))
		}
	}
	f.Fuzz(func(t *testing.T, src string, block, lane uint8, line uint16) {
		if len(src) > 8<<10 {
			return
		}
		m, err := crosslane.Load([]byte(src), "f.ptx", crosslane.PTX)
		if err != nil || len(m.Kernels()) == 0 {
			return
		}
		k := m.Kernels()[0]
		launch := func() crosslane.Launch {
			l := crosslane.Launch{Grid: crosslane.Dim3{X: 2, Y: 1, Z: 1}, Block: crosslane.Dim3{X: uint32(block%97) + 1, Y: 1, Z: 1}, Timeout: 300 * time.Millisecond}
			for _, p := range k.Params() {
				if p.Size == 8 {
					l.Args = append(l.Args, crosslane.NewBuffer("b"+strings.Repeat("x", len(l.Args)), crosslane.U32, 256))
				} else {
					l.Args = append(l.Args, crosslane.Int(int64(lane)))
				}
			}
			return l
		}
		ctx := context.Background()
		if r, err := k.Check(ctx, launch()); r != nil {
			sane(t, r.Findings)
		} else if err == nil {
			t.Error("neither result nor error")
		}
		for _, o := range []crosslane.WhyOptions{{Line: int(line), Lane: int(lane%34) - 1}, {Buffer: "b", Index: int(lane)}} {
			o.History = 8 << 20
			p, err := k.Why(ctx, launch(), o)
			sane(t, diag.Of(err))
			if p != nil {
				sane(t, p.Findings)
				_, _ = p.Text(crosslane.WhyView{}), p.SVG(crosslane.WhyView{})
			}
		}
	})
}
