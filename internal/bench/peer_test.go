package bench

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/internal/short"
)

// TestPeersOracle checks that every peer has the results of plain Go.
func TestPeersOracle(t *testing.T) {
	t.Parallel()
	short.Skip(t, "a compiler makes the peers")
	peers, notes, err := NewPeers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range peers {
		t.Cleanup(p.Close)
	}
	if len(peers) == 0 {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatalf("no peers: %q", notes)
		}
		t.Skipf("no peers: %q", notes)
	}
	o := Options{Time: time.Microsecond, Count: 1}
	for _, p := range peers {
		done := map[string]bool{}
		for _, k := range Suite() {
			if k.peer != "" && done[k.peer] {
				continue
			}
			done[k.peer] = true
			r, err := p.Measure(t.Context(), &Result{Kernel: k, Size: k.Min, Warp: 1}, o)
			switch {
			case errors.Is(err, ErrNoPeer) && k.Launches != "":
			case err != nil:
				t.Error(err)
			case !(r.Seconds > 0):
				t.Errorf("%s, %s: %v s", k.ID(), p.Name, r.Seconds)
			}
		}
	}
}

// TestOtherPeers makes the same check for the peers that run OpenCL, if there are any.
func TestOtherPeers(t *testing.T) {
	peers, notes, err := NewOtherPeers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(peers) == 0 {
		t.Skipf("no peers: %q", notes)
	}
	for _, p := range peers {
		t.Cleanup(p.Close)
		for _, k := range Suite() {
			if k.opencl == "" || k.ISA != crosslane.PTX {
				continue
			}
			if _, err := p.Measure(t.Context(), &Result{Kernel: k, Size: k.Min, Warp: 1}, Options{Time: time.Microsecond, Count: 1}); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestNoPeers checks that one line names each missing program if no peer is installed.
func TestNoPeers(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	peers, notes, err := NewPeers(t.Context())
	if len(peers) > 0 || len(notes) != 1 || err != nil {
		t.Errorf("%d peers, notes %q, error %v", len(peers), notes, err)
	}
	others, notes, err := NewOtherPeers(t.Context())
	if err != nil || len(others) > 0 {
		t.Errorf("%d peers, error %v", len(others), err)
	}
	if !slices.Contains(notes, "Oclgrind is not installed: no peer for it") {
		t.Errorf("notes %q", notes)
	}
}

// TestMeasure checks that Measure finds a size, counts, and returns the counts.
func TestMeasure(t *testing.T) {
	t.Parallel()
	for _, k := range Suite() {
		if k.Name != "alu" && k.Launches == "" {
			continue
		}
		r, err := Measure(t.Context(), k, Options{Engine: "interp", Time: time.Millisecond, Count: 3})
		if err != nil {
			t.Fatal(err)
		}
		lanes := uint64(32)
		if k.ISA == crosslane.GCN3 {
			lanes = 64
		}
		if r.Lane > r.Warp*lanes || r.Lane < r.Warp || r.Seconds <= 0 || r.Size < k.Min || r.Size > k.Full {
			t.Errorf("%s: %+v", k.ID(), r)
		}
	}
	if p := peak(); runtime.GOOS == "linux" && (p < 1<<20 || p > 1<<40) {
		t.Errorf("the process has had %d bytes at most", p)
	}
	if _, err := Measure(t.Context(), Suite()[0], Options{Engine: "nothing"}); err == nil {
		t.Error("there is no engine called nothing")
	}
}
