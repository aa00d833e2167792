// Package sessiontest runs prepared kernels on arguments of its own, for tests that compare variants of
// a kernel.
package sessiontest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// Outcome runs a kernel on made-up arguments and describes the result.
func Outcome(t *testing.T, k *session.Kernel, p *session.Prepared) string {
	t.Helper()
	var args []api.Arg
	for i, prm := range k.Params() {
		switch {
		case prm.Kind == api.ParamShared:
			args = append(args, api.SharedBytes(1024))
		case prm.Kind == api.ParamPointer || prm.Size == 8:
			b := api.NewBuffer(prm.Name, api.U32, 4096)
			for j := range b.Len() {
				b.SetBits(j, uint64((j*7+i)%61))
			}
			args = append(args, b)
		default:
			args = append(args, api.Scalar{Type: map[int]api.ElemType{1: api.U8, 2: api.U16, 4: api.U32}[prm.Size], Bits: 64})
		}
	}
	l := api.Launch{Grid: api.Dim3{X: 2}, Block: api.Dim3{X: 128}, Args: args, Workers: 1, Timeout: 20 * time.Second, Skip: []string{sim.CodeUnwritten}}
	if r := p.Fn.ReqBlock; r != [3]uint32{} {
		l.Block = api.Dim3{X: r[0], Y: r[1], Z: r[2]}
	} else if p.Fn.MaxBlock > 0 {
		l.Block.X = min(l.Block.X, p.Fn.MaxBlock)
	}
	res, err := k.Execute(context.Background(), p, session.Launch{Launch: l})
	for _, d := range diag.Of(err) {
		if d.Class == diag.Input || d.Class == diag.Timeout {
			t.Fatalf("%s: %v", k.Name(), err)
		}
	}
	var s bytes.Buffer
	fmt.Fprintln(&s, err)
	if res != nil {
		for _, f := range res.Findings {
			if !strings.HasPrefix(f.Code, "poison-") {
				fmt.Fprintln(&s, f)
			}
		}
		fmt.Fprintln(&s, res.Stats.WarpInstructions, res.Stats.LaneInstructions)
		for _, b := range res.Buffers {
			fmt.Fprintf(&s, "%s written %v %x\n", b.Name, b.Written, b.Data)
		}
	}
	return s.String()
}
