package compilers

import (
	"os"
	"path/filepath"
)

// A toolkit is a folder that clients take for an installation of CUDA. It has what Numba looks for:
//
//	nvvm/lib64/libnvvm.so.4          src/libnvvm.c, which runs the next file
//	nvvm/bin/crosslane-nvvm          a script: crosslane nvvm
//	nvvm/libdevice/libdevice.10.bc   no more than the first bytes of bitcode: its functions are builtins of Crosslane
//	lib64/libcudart.so.11.0          a link to the runtime library: Numba asks for its version
//	lib64/libcudadevrt.a             an empty library, because its functions are builtins, too
//
// toolkitSteps compile the first one. The soname of libnvvm is not NVIDIA's, for which the auditing library has another
// stand-in.
var toolkitSteps = [][]string{
	{"-shared", "-fPIC", "-O2", "-fvisibility=hidden", "-Wl,-soname,libcrosslane-nvvm.so", "-o", "toolkit-nvvm.so", "libnvvm.c", "-ldl"},
	{"-shared", "-fPIC", "-O2", "-fvisibility=hidden", "-o", "hiprtc.so", "hiprtc.c", "-ldl"},
}

// hiprtc makes the folder hip in tools and returns its folder lib, where programs find libhiprtc:
//
//	lib/libhiprtc.so            src/hiprtc.c, also with the versions 5, 6 and 7, which runs the next file
//	bin/crosslane-hiprtc        a script: crosslane hiprtc
func hiprtc(tools, libraries, crosslane string) (string, error) {
	crosslane, err := filepath.Abs(crosslane)
	if err != nil {
		return "", err
	}
	command, lib := filepath.Join(tools, "hip/bin/crosslane-hiprtc"), filepath.Join(tools, "hip/lib")
	if err := os.MkdirAll(filepath.Dir(command), 0o755); err != nil {
		return "", err
	}
	if err := replaceFile(command, script(crosslane, "hiprtc")); err != nil {
		return "", err
	}
	for _, name := range []string{"libhiprtc.so", "libhiprtc.so.5", "libhiprtc.so.6", "libhiprtc.so.7"} {
		if err := replaceLink(filepath.Join(lib, name), filepath.Join(libraries, "hiprtc.so")); err != nil {
			return "", err
		}
	}
	return lib, nil
}

// toolkit makes the folder cuda in tools and returns its path. libraries is the folder of the compiled libraries, runtime
// that of the runtime libraries.
func toolkit(tools, libraries, crosslane, runtime string) (string, error) {
	crosslane, err := filepath.Abs(crosslane)
	if err != nil {
		return "", err
	}
	top := filepath.Join(tools, "cuda")
	for _, f := range []struct {
		name, text string
	}{
		{"nvvm/bin/crosslane-nvvm", script(crosslane, "nvvm")},
		{"nvvm/libdevice/libdevice.10.bc", "BC\xc0\xde"},
		{"lib64/libcudadevrt.a", "!<arch>\n"},
	} {
		name := filepath.Join(top, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return "", err
		}
		if err := replaceFile(name, f.text); err != nil {
			return "", err
		}
	}
	for name, to := range map[string]string{
		"nvvm/lib64/libnvvm.so.4": filepath.Join(libraries, "toolkit-nvvm.so"),
		"lib64/libcudart.so.11.0": filepath.Join(runtime, "libcudart.so.11.0"),
	} {
		if err := replaceLink(filepath.Join(top, filepath.FromSlash(name)), to); err != nil {
			return "", err
		}
	}
	return top, nil
}

// replaceLink makes a symbolic link. Another process sees the old link or the new one.
func replaceLink(name, to string) error {
	if old, err := os.Readlink(name); err == nil && old == to {
		return nil
	}
	folder := filepath.Dir(name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(folder, "writing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	made := filepath.Join(work, "link")
	if err := os.Symlink(to, made); err != nil {
		return err
	}
	return os.Rename(made, name)
}
