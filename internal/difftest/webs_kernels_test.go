package difftest

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	sample "example.org/crosslane/internal/short"

	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/ptx"
)

// TestWebsKernels runs compiled kernels on functions in webs, with arbitrary arguments: a buffer
// for every 64-bit parameter, and a small number for each of the rest.
func TestWebsKernels(t *testing.T) {
	t.Parallel()
	seen, kernels := &WebsSeen{}, 0
	for _, pattern := range []string{"../../examples/ptx/*.ptx", "../bench/kernels/*.ptx"} {
		files, _ := filepath.Glob(filepath.FromSlash(pattern))
		for _, name := range sample.Sample(files, 5) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			m, _ := ptx.Parse(name, string(src))
			for _, entry := range m.Entries() {
				k, err := ptx.Lift(m, entry.Name)
				if err != nil {
					continue // examples of mistakes
				}
				for i, block := range [][3]uint32{{64, 1, 1}, {40, 1, 1}, {16, 8, 1}} {
					if sample.Every(kernels+i, 3) {
						runKernel(t, k, block, seen)
					}
				}
				kernels++
			}
		}
	}
	t.Log(seen)
	if part := sample.Of(int64(1), 24); seen.Launches.Load() < 50/part || seen.Affine.Load() < 1000/part || seen.Rows.Load() < 1000/part || seen.InRows.Load() < 100/part {
		t.Errorf("too little was done: %s", seen)
	}
}

func runKernel(t *testing.T, k *ptx.Kernel, block [3]uint32, seen *WebsSeen) {
	f := *k.Func
	f.FoldConstants()
	f.Converge()
	c := &randprog.Case{Func: &f, Grid: [3]uint32{2, 1, 1}, Block: block}
	for _, g := range k.Globals {
		data := make([]byte, g.Size)
		copy(data, g.Data)
		c.Buffers = append(c.Buffers, randprog.Buffer{Name: g.Name, Data: data, ReadOnly: g.ReadOnly})
	}
	globals := len(c.Buffers)
	params, size := k.Entry.ParamLayout()
	for i := range params {
		data := make([]byte, 1<<14)
		for j := range data {
			data[j] = byte(j * (i + 3) >> 3)
		}
		c.Buffers = append(c.Buffers, randprog.Buffer{Name: "p", Data: data})
	}
	c.Params = func(addrs []uint64) []byte {
		p := make([]byte, size+8)
		for i := range params {
			if off := params[i].Offset; params[i].Size >= 8 {
				binary.LittleEndian.PutUint64(p[off:], addrs[globals+i])
			} else {
				p[off] = 64
			}
		}
		return p
	}
	wrong := ""
	e := Webs{NoWrap: true, Seen: seen, Report: func(msg string) {
		if wrong == "" {
			wrong = msg
		}
	}}
	mode := randprog.Mode{Edit: func(l *sim.Launch) { l.Limit = 1 << 16 }}
	ref := c.Run(interp.Engine{}, mode)
	if ref.Code == sim.LimitReached || ref.Code == sim.CodeTimeout {
		return // the kernel cannot run with these arguments
	}
	if d := c.Diff(ref, c.Run(e, mode), mode); d != "" || wrong != "" {
		t.Errorf("%s of %s, block %v: %s\n%s", f.Name, f.File, block, wrong, d)
	}
}
