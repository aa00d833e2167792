package recfile

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/klauspost/compress/zstd"

	"example.org/crosslane/api"
)

// launch has every kind of argument, a buffer that points to itself, and a variable.
func launch() *api.Launch {
	a := &api.Buffer{Name: "a", Type: api.U32, Shape: []int{2, 2}, Data: make([]byte, 16)}
	b := &api.Buffer{Name: "b", Type: api.U64, Data: make([]byte, 16), Uninitialised: true}
	b.Pointers = []api.Pointer{{At: 8, To: b, Add: 4}}
	return &api.Launch{
		Grid: api.Dim3{X: 2}, Block: api.Dim3{X: 32, Y: 2}, Shared: 64, Schedule: api.RandomSchedule(7), Undefined: api.UndefinedZero,
		Args: []api.Arg{a, api.Int(5), api.Typed(api.F32, 7), a, api.Pointer{To: b, Add: 8}, api.SharedBytes(12),
			api.Bytes{Data: make([]byte, 24), Pointers: []api.Pointer{{At: 16, To: a}}}},
		Symbols: []api.Symbol{{Name: "v", Value: b, Set: true}},
	}
}

// TestLaunches: a launch is the same after it was in a file, and aliases stay aliases.
func TestLaunches(t *testing.T) {
	t.Parallel()
	s := &Saved{Version: "1", Modules: []File{{"k.ptx", []byte("text")}}, Total: 3, Digest: 0xfedcba9876543210, Kernel: "k"}
	if err := s.SetLaunch(launch()); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := Write(&file, s); err != nil {
		t.Fatal(err)
	}
	back, err := Read(&file)
	if err != nil || !reflect.DeepEqual(back, s) {
		t.Fatalf("%v\n%+v\n%+v", err, back, s)
	}
	l := back.MakeLaunch()
	want := launch()
	if !reflect.DeepEqual(&l, want) {
		t.Fatalf("%+v\n%+v", l, want)
	}
	if l.Args[0] != l.Args[3] || l.Symbols[0].Value != l.Args[4].(api.Pointer).To {
		t.Error("two buffers are made of one")
	}
}

// FuzzRead: no input makes Read panic, and what it returns makes a launch.
func FuzzRead(f *testing.F) {
	s := &Saved{Modules: []File{{"k.ptx", []byte("text")}}}
	if err := s.SetLaunch(launch()); err != nil {
		f.Fatal(err)
	}
	var file bytes.Buffer
	if err := Write(&file, s); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add([]byte(header))
	for _, text := range []string{`{}`, `{"modules":[{}],"args":[{"buffer":3}]}`, `{"modules":[{}],"args":[{}]}`, `{"modules":[{}],"buffers":[{"type":"u32","shape":[-1],"data":"AAAA"}]}`,
		`{"modules":[{}],"buffers":[{"type":"u8","shape":[4611686018427387904,4],"data":""}]}`, `{"modules":[{}],"buffers":[{"type":"u8","data":"AA==","pointers":[{"at":9,"to":0}]}]}`,
		`{"trace":"AA==","variables":[{"value":-1}]}`} {
		f.Add(append([]byte(header), packed(text)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read(bytes.NewReader(data))
		if err == nil {
			s.MakeLaunch()
		}
		// The same bytes as contents, which the fuzzer reaches more easily.
		if s, err := Read(bytes.NewReader(append([]byte(header), packed(string(data))...))); err == nil {
			s.MakeLaunch()
		}
	})
}

// TestDamaged: damaged files are refused with a reason.
func TestDamaged(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:                                     "it holds no module",
		`{"modules":[{}],"args":[{"buffer":3}]}`: "argument 1 is a buffer that is not there",
		`{"modules":[{}],"args":[{}]}`:           "argument 1 is empty",
		`{"modules":[{}],"buffers":[{"name":"a","type":"u32","shape":[2],"data":"AAAAAA=="}]}`: `buffer "a" of 4 bytes is no u32[2]`,
	} {
		_, err := Read(bytes.NewReader(append([]byte(header), packed(text)...)))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := Read(bytes.NewReader([]byte("crosslane recording 2\n"))); err == nil {
		t.Error("another version is read")
	}
}

func packed(text string) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return w.EncodeAll([]byte(text), nil)
}
