package enginetest

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/internal/sim"
)

// tileBytes is the memory for a matrix.
const tileBytes = 4096

// MatrixTiles compares wmma.load and wmma.store on an engine and on another one: in all
// layouts of 8, 16 and 32 bits, in global and shared memory, and through generic addresses.
// Each runs twice, because an engine may record the region of memory at the first run.
func MatrixTiles(t *testing.T, e, reference sim.Engine) {
	tiles := 0
	for _, shape := range [][3]int{{16, 16, 16}, {8, 32, 16}, {32, 8, 16}, {16, 16, 8}} {
		for _, of := range "ABC" {
			for _, elem := range []matrix.Elem{matrix.F16, matrix.BF16, matrix.TF32, matrix.F32, matrix.S8, matrix.S32} {
				for _, row := range []bool{false, true} {
					o := matrix.Op{Kind: matrix.LoadTile, Wmma: true, M: shape[0], N: shape[1], K: shape[2], Matrix: byte(of), Elem: elem, RowMajor: row}
					if o.Layout(0) == nil {
						continue
					}
					tiles++
					for i, c := range []tileCase{
						{space: ir.Global}, {space: ir.Shared}, {space: ir.Generic}, {space: ir.Global, more: 32, offset: 64}, {space: ir.Shared, more: 32},
						{space: ir.Global, offset: 4}, {space: ir.Shared, offset: 4}, {space: ir.Shared, end: true}, {space: ir.Global, end: true}, {space: ir.Shared, end: true, offset: 32},
						{space: ir.Global, end: true, offset: 32},
					} {
						if testing.Short() && i != tiles%11 {
							continue // a short run takes one place for each layout
						}
						got, found, err := tile(t, e, o, c)
						want, note, wrong := tile(t, reference, o, c)
						if fmt.Sprint(err, found) != fmt.Sprint(wrong, note) || !slices.Equal(got, want) {
							t.Fatalf("%c of %s, %s, row %v, %+v: %v %v and %#x, want %v %v and %#x", of, o.Shape(), elem, row, c, err, found, got, wrong, note, want)
						}
					}
				}
			}
		}
	}
}

// A tileCase is the place of a matrix in memory.
type tileCase struct {
	space  ir.Space
	more   uint32 // elements between the end of a row and the next row
	offset int64
	end    bool // the matrix is at the end of memory
}

// tile loads a matrix fragment and, for C, stores it, in two iterations. It returns all memory and the
// findings.
func tile(t *testing.T, e sim.Engine, o matrix.Op, c tileCase) (out []uint32, found []string, err error) {
	l := o.Layout(0)
	info := ir.CollectiveInfo{Matrix: o, Tile: l, Offset: c.offset, Stride: uint32(l.Rows)}
	if o.RowMajor {
		info.Stride = uint32(l.Cols)
	}
	size := uint8(l.Elem.Bits() / 8)
	k := newKern(t)
	k.Func().SharedStatic = tileBytes
	base := uint64(0)
	if c.end {
		base = tileBytes - uint64(l.Rows*l.Cols)*uint64(size)
	}
	addr := k.reg(ir.B64)
	in := ir.Inst{Op: ir.Collective, Args: [4]ir.Ref{addr, 0, 0, k.c(1<<32 - 1)}, Size: size, Align: uint16(size), Space: c.space}
	if c.more > 0 {
		in.Args[1] = k.c(info.Stride + c.more)
	}
	mem := sim.NewMemory()
	data := make([]byte, tileBytes)
	for i := range tileBytes / 4 {
		binary.LittleEndian.PutUint32(data[4*i:], uint32(i+77)*0x9e3779b1)
	}
	at := mem.Add("matrix", data)
	k.ins("fill")
	for i := range uint32(tileBytes / 128) {
		from := k.T(ir.Add64, k.T(ir.Pack64, k.T(ir.Mul32, k.tid, k.c(4)), k.c(0)), k.Const(ir.B64, at.Base+128*uint64(i)))
		x := k.Temp(ir.B32)
		k.Emit(ir.Inst{Op: ir.Load, Dst: x, Args: [4]ir.Ref{from}, Size: 4, Align: 4, Space: ir.Global})
		k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k.T(ir.Add32, k.T(ir.Mul32, k.tid, k.c(4)), k.c(128*i)), x}, Size: 4, Align: 4, Space: ir.Shared})
	}
	k.ins("mov")
	if c.space == ir.Shared {
		k.To(addr, ir.Mov64, k.Const(ir.B64, base))
	} else {
		k.To(addr, ir.Mov64, k.Const(ir.B64, at.Base+base))
	}
	var regs []ir.Ref
	for range l.Regs() {
		regs = append(regs, k.reg(ir.B32))
	}
	f := k.Func()
	load, store := info, info
	load.Dst, store.Src = regs, regs
	store.Matrix.Kind = matrix.StoreTile
	f.Collectives = []ir.CollectiveInfo{load, store}
	i, p, again := k.reg(ir.B32), k.reg(ir.B1), k.NewLabel()
	k.Bind(again)
	for n := range f.Collectives {
		if n == 1 && o.Matrix != 'C' {
			continue // several elements would be stored to one address
		}
		k.ins("matrix")
		in.Imm = uint64(n)
		k.Emit(in)
		for j, r := range regs {
			k.ins("add")
			k.To(r, ir.Add32, r, k.c(uint32(j)*0x10001+3))
		}
	}
	k.ins("add")
	k.To(i, ir.Add32, i, k.c(1))
	k.ins("setp")
	k.To(p, ir.LtU32, i, k.c(2))
	k.branch(again, p, false)
	n := uint32(len(regs))
	for j, r := range regs {
		k.store(r, n+tileBytes/128, uint32(j), 0)
	}
	for j := range uint32(tileBytes / 128) {
		k.ins("ld")
		x := k.reg(ir.B32)
		k.Emit(ir.Inst{Op: ir.Load, Dst: x, Args: [4]ir.Ref{k.T(ir.Add32, k.T(ir.Mul32, k.tid, k.c(4)), k.c(128*j))}, Size: 4, Align: 4, Space: ir.Shared})
		k.store(x, n+tileBytes/128, n+j, 0)
	}
	k.exit(0)
	result := mem.Add("out", make([]byte, 4*32*(n+tileBytes/128)))
	found, _, err = launch(t, e, k.finish(), 1, 32, mem, func(l *sim.Launch) { l.Values = []uint64{result.Base} })
	for _, b := range [][]byte{result.Data, at.Data} {
		for i := range len(b) / 4 {
			out = append(out, binary.LittleEndian.Uint32(b[4*i:]))
		}
	}
	return out, found, err
}
