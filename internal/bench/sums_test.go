package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"testing"

	"example.org/crosslane"
)

// sumsEnv names a file with the sums of the buffers of all kernels. The test writes it if it does not exist, and else compares: so two
// builds, such as that for WebAssembly, are held against each other.
const sumsEnv = "CROSSLANE_SUMS"

func TestSums(t *testing.T) {
	name := os.Getenv(sumsEnv)
	if name == "" {
		t.Skip(sumsEnv + " is not set")
	}
	sums := map[string]string{}
	for _, k := range Suite() {
		kernel, err := k.Load()
		if err != nil {
			t.Fatal(err)
		}
		w := k.Work(k.Min)
		res, err := kernel.Run(t.Context(), crosslane.Launch{Grid: w.Grid, Block: w.Block, Args: w.Args, Engine: "interp", Workers: 1})
		if err != nil {
			t.Fatalf("%s: %v", k.ID(), err)
		}
		if err := w.Check(); err != nil {
			t.Errorf("%s: %v", k.ID(), err)
		}
		h := fnv.New64a()
		for _, b := range res.Buffers {
			h.Write(b.Data)
		}
		sums[k.ID()] = fmt.Sprintf("%016x", h.Sum64())
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = json.Marshal(sums); err == nil {
			err = os.WriteFile(name, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for id, sum := range sums {
		if sum != want[id] {
			t.Errorf("%s: the sum is %s, want %s", id, sum, want[id])
		}
	}
	if len(sums) != len(want) || len(sums) < 40 {
		t.Errorf("%d kernels, want %d", len(sums), len(want))
	}
}
