package session

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/short"
)

// The text form of every kernel of the examples is read back as the same function.
func TestTextOfKernels(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"examples/ptx/*.ptx", "examples/gcn3/*.s", "examples/programs/*/*.ptx", "examples/programs/*/*.hsaco", "examples/good/*/*"} {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	kernels, without := 0, 0
	for n, file := range files {
		if !short.Every(n, 40) {
			continue // each kernel takes the same path
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Load(data, file, api.Auto)
		if err != nil {
			continue // a file that is refused, or none of a program
		}
		for _, k := range m.Kernels() {
			p, err := k.Prepare(false)
			if err != nil {
				continue
			}
			text, err := p.Checked.Text()
			if err != nil {
				without++
				continue
			}
			f, err := ir.Parse(text)
			if err != nil {
				t.Errorf("%s: %s: %v", file, k.Name(), err)
				continue
			}
			kernels++
			if again, err := f.Text(); err != nil || again != text {
				t.Errorf("%s: %s: %v: the text of the function that was read is another one", file, k.Name(), err)
			}
			was := *p.Checked
			if f.Print() != was.Print() || !reflect.DeepEqual(f.Code, was.Code) || !reflect.DeepEqual(f.Blocks, was.Blocks) || !reflect.DeepEqual(f.Inputs, was.Inputs) ||
				!reflect.DeepEqual(f.Values, was.Values) || (f.NewObserver == nil) != (was.NewObserver == nil) || f.Windows != was.Windows || f.Exec != was.Exec ||
				f.GuestSize != was.GuestSize || f.FrameSize != was.FrameSize || f.LocalSize != was.LocalSize || f.ReqBlock != was.ReqBlock || f.MaxBlock != was.MaxBlock {
				t.Errorf("%s: %s: the function that was read is another one", file, k.Name())
			}
		}
	}
	if kernels < short.Of(20, 5) || without > kernels/2 {
		t.Errorf("%d kernels have a text, %d have none", kernels, without)
	}
}
