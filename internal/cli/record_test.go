package cli

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/trace"
)

// A launch of a trace is recorded with the memory that it found, and its recording holds it alone.
func TestRecordTrace(t *testing.T) {
	t.Parallel()
	const text = ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 %d<4>;\n" +
		"\tld.param.u64 %d1, [p];\n\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %d2, %r1, 4;\n\tadd.u64 %d1, %d1, %d2;\n" +
		"\tld.global.u32 %r2, [%d1];\n\tadd.u32 %r2, %r2, 5;\n\tst.global.u32 [%d1], %r2;\n\tret;\n}\n"
	const base = 0x300000000
	name := filepath.Join(t.TempDir(), "t.trace")
	w, err := trace.Create(name, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		data := make([]byte, 128)
		for i := range 32 {
			binary.LittleEndian.PutUint32(data[4*i:], uint32(100*n))
		}
		r := &device.Recorded{Image: []byte(text), Name: "k.ptx", Kernel: "k", Memory: []device.RecordedAlloc{{Name: "allocation 1", Base: base, Data: data}},
			Launch: crosslane.DeviceLaunch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 32}, Params: binary.LittleEndian.AppendUint64(nil, base)}}
		err = errors.Join(err, w.Add(trace.Process{PID: 7, Program: "app"}, "sm_80", false, r))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	out := name + ".clrec"
	code, stdout, stderr := runMain(t, "record", name, "--launch", "2", "-o", out)
	if code != 0 || !strings.Contains(stdout, "8 steps of 1 warp") {
		t.Fatal(code, stdout, stderr)
	}
	for _, args := range [][]string{{"replay", out}, {"record", name, "--launch", "2"}} {
		if code, stdout, stderr = runMain(t, args...); code != 0 || !strings.Contains(stdout, "%r2 = 100 ×32") || !strings.Contains(stdout, "%r2 = 105 ×32") || stderr != "" {
			t.Errorf("%q: %d\n%s%s", args, code, stdout, stderr)
		}
	}
	for _, args := range [][]string{{"--launch", "3"}, {"--launch", "x"}, {"--launch", "1", "--grid", "2"}} {
		if code, _, stderr := runMain(t, append([]string{"record", name}, args...)...); code != 2 || stderr == "" {
			t.Errorf("%q: %d %s", args, code, stderr)
		}
	}
}
