package bench

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane"
)

//go:embed peers/*.c peers/*.h peers/*.inc peers/probe/probe.c peers/opencl
var peerSources embed.FS

// A Peer is another program that does the work of the kernels.
type Peer struct {
	Name string // "C AVX-512"
	// Slow reports that it takes microseconds an instruction, so it gets the least sizes.
	Slow bool

	dir    string
	path   string
	before []string // a command that runs the program
	opencl string   // the platform's name, if it runs the kernels by OpenCL
}

// ErrNoPeer reports that a peer has no implementation of a kernel's work.
var ErrNoPeer = errors.New("no peer does this")

// compilers are searched in this order.
var compilers = [...]string{"clang-22", "clang", "clang-23", "clang-21", "clang-20", "clang-19"}

// NewPeers compiles the C peers: for AVX-512 and for AVX2, as far as the processor has them. notes
// has a line for each that is missing. Close removes the compiled program.
func NewPeers(ctx context.Context) (peers []*Peer, notes []string, err error) {
	cc := compiler()
	if runtime.GOARCH != "amd64" {
		return nil, []string{"the peers in C are for amd64; this is " + runtime.GOARCH}, nil
	}
	if cc == "" {
		return nil, []string{"no clang is installed: nothing to compile the peers in C with"}, nil
	}
	has, err := probe(ctx, cc)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range targets {
		if has&t.bit == 0 {
			notes = append(notes, "the processor has no "+t.what+": no peer for it")
			continue
		}
		p, err := compilePeer(ctx, cc, t)
		if err != nil {
			for _, p := range peers {
				p.Close()
			}
			return nil, notes, err
		}
		peers = append(peers, p)
	}
	return peers, notes, nil
}

// compiler returns the path of a clang, or "".
func compiler() string {
	for _, c := range compilers {
		if p, err := exec.LookPath(c); err == nil {
			return p
		}
	}
	return ""
}

// A target is a target of the peers; bit is its bit in the result of probe.
type target struct {
	name, what, march string
	bit               int
}

var targets = [...]target{
	{"C AVX-512", "AVX-512", "x86-64-v4", 2},
	{"C AVX2", "AVX2", "x86-64-v3", 1},
}

// probe examines the processor with a program that needs no extension of it.
func probe(ctx context.Context, cc string) (int, error) {
	dir, err := os.MkdirTemp("", "crosslane-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	src, err := peerSources.ReadFile("peers/probe/probe.c")
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "probe.c"), src, 0o600); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, cc, "-o", "probe", "probe.c")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", cmd, err, bytes.TrimSpace(out))
	}
	err = exec.CommandContext(ctx, filepath.Join(dir, "probe")).Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// compilePeer compiles the C sources for a target.
func compilePeer(ctx context.Context, cc string, t target) (*Peer, error) {
	dir, err := os.MkdirTemp("", "crosslane-bench-")
	if err != nil {
		return nil, err
	}
	p := &Peer{Name: t.name, dir: dir, path: filepath.Join(dir, "peer")}
	if err := p.compile(ctx, cc, t); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// compile runs the compiler.
func (p *Peer) compile(ctx context.Context, cc string, t target) error {
	files, err := peerSources.ReadDir("peers")
	if err != nil {
		return err
	}
	// Without contraction, products and sums are rounded like those of the kernels.
	args := []string{"-O3", "-march=" + t.march, "-mtune=native", "-mprefer-vector-width=512", "-ffp-contract=off", "-w", "-o", p.path}
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		data, err := peerSources.ReadFile("peers/" + f.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(p.dir, f.Name()), data, 0o600); err != nil {
			return err
		}
		if strings.HasSuffix(f.Name(), ".c") {
			args = append(args, f.Name())
		}
	}
	cmd := exec.CommandContext(ctx, cc, append(args, "-lm")...)
	cmd.Dir = p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, bytes.TrimSpace(out))
	}
	return nil
}

// Close removes the program.
func (p *Peer) Close() {
	// Files that remain are in the folder for temporary files.
	_ = os.RemoveAll(p.dir)
}

// Measure does the same work as an engine did, and checks it.
func (p *Peer) Measure(ctx context.Context, like *Result, o Options) (*Result, error) {
	k, name := like.Kernel, like.Kernel.peer
	if p.opencl != "" {
		name = k.opencl
	}
	if name == "" {
		return nil, ErrNoPeer
	}
	w := k.Work(like.Size)
	in, out := filepath.Join(p.dir, "in"), filepath.Join(p.dir, "out")
	defer os.Remove(out)
	defer os.Remove(in)
	grid := []string{fmt.Sprint(max(w.Grid.X, 1)), fmt.Sprint(max(w.Grid.Y, 1))}
	clock := "wall"
	if o.CPU {
		clock = "cpu"
	}
	args := append(slices.Concat(p.before, []string{p.path, name, in, out, clock, fmt.Sprint(o.Time.Seconds()), fmt.Sprint(min(max(o.Count, 1), 64))}), grid...)
	var sizes, scalars []string
	var buffers [][]byte
	for _, a := range w.Args {
		switch a := a.(type) {
		case *crosslane.Buffer:
			sizes = append(sizes, fmt.Sprint(len(a.Data)))
			buffers = append(buffers, a.Data)
		case crosslane.Scalar:
			scalars = append(scalars, fmt.Sprint(a.Bits))
		}
	}
	if err := writeAll(in, buffers); err != nil {
		return nil, err
	}
	args = append(append(append(args, fmt.Sprint(len(sizes))), sizes...), scalars...)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	if p.opencl != "" {
		block := fmt.Sprintf("CROSSLANE_BLOCK=%d,%d", max(w.Block.X, 1), max(w.Block.Y, 1))
		cmd.Env = append(os.Environ(), block, "CROSSLANE_KERNELS="+filepath.Join(p.dir, "suite.cl"), "CROSSLANE_PLATFORM="+p.opencl,
			"POCL_MAX_PTHREAD_COUNT=1", "POCL_AFFINITY=0")
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("%s, %s: %w %s", k.ID(), p.Name, err, bytes.TrimSpace(said.Bytes()))
	}
	ns, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil || !(ns > 0) || math.IsInf(ns, 0) {
		return nil, fmt.Errorf("%s, %s: the time is %q", k.ID(), p.Name, text)
	}
	if err := readAll(out, buffers); err != nil {
		return nil, err
	}
	if err := w.Check(); err != nil {
		return nil, &WrongError{Kernel: k, By: p.Name, Err: err}
	}
	return &Result{Kernel: k, Engine: p.Name, Workers: 1, Peer: true, Size: like.Size, Work: w, Warp: like.Warp, Lane: like.Lane, Seconds: ns / 1e9}, nil
}

// writeAll writes buffers to a file.
func writeAll(name string, parts [][]byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := f.Write(p); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

// readAll reads buffers from a file.
func readAll(name string, parts [][]byte) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if len(data) < len(p) {
			return fmt.Errorf("%s is too short", name)
		}
		data = data[copy(p, data):]
	}
	return nil
}
