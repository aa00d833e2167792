//go:build linux && amd64

package compilers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// wheels are the packages for Python that TestWheels runs, with their versions. Together they take 800 MB, of which
// NVIDIA's libraries are 340 MB.
const wheels = "numba-cuda==0.30.4 cuda-bindings==13.5.0 cuda-core==1.2.2 nvidia-nvvm==13.5.37 nvidia-cuda-nvrtc==13.5.37 nvidia-nvjitlink==13.5.37 nvidia-cuda-runtime==13.5.37 triton==3.9.0"

// Programs in Python run with NVIDIA's own compilers, which are asked for PTX. CROSSLANE_CUDA_PYTHON is a Python that has
// the wheels; none says that they are not wanted.
func TestWheels(t *testing.T) {
	t.Parallel()
	python := os.Getenv("CROSSLANE_CUDA_PYTHON")
	switch {
	case python == "none":
		t.Skip("CROSSLANE_CUDA_PYTHON is none: the wheels take 800 MB")
	case python == "" && os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "":
		t.Fatal("CROSSLANE_REQUIRE_ORACLES is set, and CROSSLANE_CUDA_PYTHON is not. It names a Python, or it is none. The Python has " + wheels)
	case python == "":
		t.Skip("CROSSLANE_CUDA_PYTHON names no Python with " + wheels)
	}
	list, err := exec.Command(python, "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range strings.Fields(wheels) {
		if !strings.Contains("\n"+string(list), "\n"+w+"\n") {
			t.Fatalf("%s lacks %s", python, w)
		}
	}
	_, work := prepared(t)
	crosslane := filepath.Join(work, "crosslane")
	if out, err := exec.Command("go", "build", "-o", crosslane, "example.org/crosslane/cmd/crosslane").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	e, err := Prepare(filepath.Join(work, "cache"), crosslane, runtimeLibraries(t))
	if err != nil {
		t.Fatal(err)
	}
	e.Set["NUMBA_CACHE_DIR"] = filepath.Join(work, "numba")
	for _, target := range []string{"sm_80", "sm_89", "sm_120"} {
		for name, want := range map[string]string{
			"wheel_nvrtc.py":  "True\n",
			"wheel_core.py":   "cubin True\nptx Linker True\ncubin Linker True\nltoir Linker True\n",
			"wheel_numba.py":  "True\nTrue\n",
			"wheel_triton.py": "True\nTrue\n",
		} {
			t.Run(target+"/"+name, func(t *testing.T) {
				t.Parallel()
				env := []string{"CROSSLANE_SOCKET=" + serve(t, target), "LD_LIBRARY_PATH=" + driverLibrary(t)}
				if got := output(t, e, env, python, filepath.Join("testdata", name)); got != want {
					t.Errorf("%s\nwant %s", got, want)
				}
			})
		}
	}
}
