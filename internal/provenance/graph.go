package provenance

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/value"
	"example.org/crosslane/lane"
)

// lineGraph answers a question about a line or an offset.
func (x *whyRun) lineGraph(ctx context.Context) (*why.Graph, string, error) {
	o := &x.o
	what := fmt.Sprintf("line %d", o.Line)
	m := x.k.Module()
	at := func(p *ir.Pos) bool {
		file, line := m.SourceLine(p.Line)
		return line == o.Line && file == m.File()
	}
	if o.Line == 0 {
		what = fmt.Sprintf("+%#x", o.Offset)
		at = func(p *ir.Pos) bool { return p.Off == o.Offset }
	}
	g := x.launch.Grid
	block := uint64(o.Block.X) + uint64(g[0])*(uint64(o.Block.Y)+uint64(g[1])*uint64(o.Block.Z))
	bad := func(remedy, format string, args ...any) error {
		d := x.k.Errorf("bad-target", format, args...)
		d.Remedy = remedy
		return diag.List{d}
	}
	if !slices.ContainsFunc(x.launch.Func.Pos, func(p ir.Pos) bool { return at(&p) }) {
		return nil, "", bad("name the line of an instruction of the kernel, or its offset as dis --offsets shows it", "%s: there is no instruction of this kernel", what)
	}
	found, l, err := x.history.Executions(ctx, why.Query{At: at, Block: block, Wave: o.Warp, Lane: o.Lane, Nth: o.Nth})
	if err != nil {
		return nil, "", err
	}
	if len(found) == 0 {
		who := "no lane"
		if o.Lane >= 0 {
			who = fmt.Sprintf("no lane %d", o.Lane)
		}
		if o.Warp >= 0 {
			who += fmt.Sprintf(" of %s %d", x.waveWord(), o.Warp)
		}
		remedy := "choose another one with --lane, --warp and --at-block"
		if x.history.Truncated() {
			remedy = "the history of early instructions was dropped: --history keeps more"
		}
		return nil, "", bad(remedy, "%s: %s of block %d,%d,%d wrote anything there", what, who, o.Block.X, o.Block.Y, o.Block.Z)
	}
	n := len(found)
	if o.Nth > 0 {
		if n = o.Nth; n > len(found) {
			return nil, "", bad("--nth counts from 1; without it the last one is shown", "%s: lane %d executed it %d times; there is no execution %d", what, l, len(found), n)
		}
	}
	_, wave := x.history.WaveOf(found[n-1])
	at2 := fmt.Sprintf("%s, lane %d of %s %d of block %d,%d,%d", what, l, x.waveWord(), wave, o.Block.X, o.Block.Y, o.Block.Z)
	if len(found) > 1 {
		at2 += fmt.Sprintf(", execution %d of %d", n, len(found))
	}
	graph, err := x.history.Registers(ctx, found[n-1], l)
	return graph, at2, err
}

func (x *whyRun) waveWord() string {
	if x.k.Module().ISA() == api.GCN3 {
		return "wave"
	}
	return "warp"
}

// plainText is an instruction without irrelevant details of its spelling.
func plainText(p *ir.Pos) string {
	return strings.TrimSuffix(strings.Join(strings.Fields(p.Text), " "), ";")
}

func lanesOf(m lane.Mask) []int {
	var out []int
	for i := range m.Lanes() {
		out = append(out, i)
	}
	return out
}

// provenance translates a graph into the types of the API. Its error is the context's.
func (x *whyRun) provenance(ctx context.Context, g *why.Graph, at string, res *api.Result) (*api.Provenance, error) {
	f := x.launch.Func
	p := &api.Provenance{Schema: "crosslane.why/1", File: x.k.Module().File(), Kernel: x.k.Name(), ISA: x.k.Module().ISA(), At: at, Root: g.Root,
		Grid: x.launch.Grid, Block: x.launch.Block, Truncated: x.history.Truncated() || g.Cut, Findings: res.Findings}
	if p.Findings == nil {
		p.Findings = diag.List{}
	}
	p.Nodes = make([]api.ProvenanceNode, 0, len(g.Nodes))
	texts := map[int32]string{}
	for i, n := range g.Nodes {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		o := api.ProvenanceNode{ID: n.ID, Kind: n.Kind.String(), BlockIndex: x.launch.Index(n.Block), Warp: n.Wave, Store: n.Store, Name: n.Name,
			Kept: lanesOf(n.Kept), Lanes: lanesOf(n.Lanes)}
		switch {
		case n.Pos >= 0:
			pos := &f.Pos[n.Pos]
			text, ok := texts[n.Pos]
			if !ok {
				text = x.k.Module().Original(plainText(pos))
				texts[n.Pos] = text
			}
			o.File, o.Line = x.sourceLine(pos.Line)
			o.Offset, o.Text, o.Op = pos.Off, text, pos.Name
			o.Copy = n.Kind == why.Executed && x.plan.Copies(n.Pos)
		case n.Kind == why.Executed:
			o.Kind, o.Name, o.Store = api.KindElement, at, false
		}
		for _, v := range n.Value {
			packed := several(&f.Pos[max(n.Pos, 0)], f.Val(v.Ref))
			val := api.ProvenanceValue{Register: f.Val(v.Ref).Name, Type: typeOf(&f.Pos[max(n.Pos, 0)], f.Val(v.Ref)), Lanes: lanesOf(v.Lanes), Bits: v.Bits}
			if f.Val(v.Ref).Kind != ir.Guest {
				val.Register = ""
			}
			for _, b := range v.Bits {
				if packed {
					val.Values = append(val.Values, fmt.Sprintf("%#x", b))
					continue
				}
				val.Values = append(val.Values, showAs(val.Type, b))
			}
			o.Values = append(o.Values, val)
		}
		x.ends(n, &o)
		for _, a := range n.Absent {
			o.Absent = append(o.Absent, x.absent(&a))
		}
		for _, e := range n.Edges {
			o.From = append(o.From, api.ProvenanceEdge{Node: e.To, Role: e.Role.String(), Register: f.Val(e.Ref).Name, Lanes: lanesOf(e.Lanes)})
		}
		p.Nodes = append(p.Nodes, o)
	}
	betterTypes(p)
	return p, nil
}

// betterTypes gives values whose instruction names only their size the type of their uses, or of
// the memory that they are loaded from.
func betterTypes(p *api.Provenance) {
	set := func(n *api.ProvenanceNode, t string) {
		size := value.Type(t).Size()
		for i := range n.Values {
			v := &n.Values[i]
			if !strings.HasPrefix(v.Type, "b") || v.Type == "bf16" || v.Type != fmt.Sprintf("b%d", 8*size) {
				continue
			}
			v.Type, v.Values = t, nil
			for _, b := range v.Bits {
				v.Values = append(v.Values, showAs(t, b))
			}
		}
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		for _, e := range n.From {
			if to := &p.Nodes[e.Node]; e.Role == "members" {
				for k := range to.Values {
					if v := &to.Values[k]; v.Type == "b32" {
						v.Values = nil
						for _, b := range v.Bits {
							v.Values = append(v.Values, fmt.Sprintf("%#x", b))
						}
					}
				}
			}
		}
		t := ""
		switch {
		case n.Kind == api.KindElement && len(n.Elements) > 0:
			t = n.Elements[0].Type
		case n.Kind == api.KindInstruction && len(n.Values) > 0:
			t = n.Values[0].Type
		}
		if t == "" || t == "pred" || strings.Contains(n.Op, "mma") {
			continue // the factors of a product are of other types, several to a register
		}
		for _, e := range n.From {
			to := &p.Nodes[e.Node]
			if e.Role == "memory" && to.Kind == api.KindInput && len(to.Elements) > 0 && strings.HasPrefix(t, "b") && t != "bf16" {
				set(n, to.Elements[0].Type)
				continue
			}
			if (e.Role == "data" || e.Role == "memory") && to.Kind == api.KindInstruction && value.Type(t).Valid() {
				set(to, t)
			}
		}
	}
}

// sourceLine returns the line of the file that a line of the loaded text comes from; file is "" if it
// is the module's file.
func (x *whyRun) sourceLine(line int) (file string, n int) {
	file, n = x.k.Module().SourceLine(line)
	if file == x.k.Module().File() {
		file = ""
	}
	return file, n
}

func (x *whyRun) absent(a *why.AbsentLane) api.AbsentLane {
	f := x.launch.Func
	o := api.AbsentLane{Lane: a.Lane, Reader: a.Reader}
	at := a.Here
	switch {
	case a.Outside:
		o.Reasons = append(o.Reasons, "outside-block")
	case a.Off:
		o.Reasons = append(o.Reasons, "exec-off")
	}
	if a.NotMember {
		o.Reasons, o.Members = append(o.Reasons, "not-member"), uint64(a.Members)
	}
	if a.Exited {
		o.Reasons, at = append(o.Reasons, "exited"), a.At
	}
	if len(o.Reasons) == 0 || a.NotMember && !a.Exited && !a.Outside {
		o.Reasons = append(o.Reasons, "elsewhere")
	}
	if a.Leaves > 0 && !a.Exited {
		o.ExitFile, o.ExitLine = x.sourceLine(f.Pos[a.Leaves].Line)
	}
	if at >= 0 {
		o.File, o.Line = x.sourceLine(f.Pos[at].Line)
		o.Text = x.k.Module().Original(plainText(&f.Pos[at]))
	}
	return o
}

// ends describes where a graph ends, and the memory of stores.
func (x *whyRun) ends(n *why.Node, o *api.ProvenanceNode) {
	switch {
	case n.Kind == why.Input || n.Kind == why.Unwritten:
		t := "u32"
		if n.Kind == why.Input {
			if s := x.special(n.In); s != "" {
				o.Name = s
			}
		}
		for _, it := range n.Items {
			o.Elements = append(o.Elements, api.ProvenanceElement{Lane: it.Lane, Index: -1, Bits: it.Bits, Type: t, Value: showAs(t, it.Bits)})
		}
	case n.Kind == why.Param:
		x.parameters(n, o)
	case n.Space == ir.Global || n.Space == ir.Generic || n.Space == ir.Constant:
		x.elements(n, o)
	default:
		o.Name = n.Space.String()
		for _, it := range n.Items {
			if n.Space == ir.Shared && x.launch.Func.Ranked {
				o.Name = fmt.Sprintf("rank %d's shared", it.Addr>>ir.RankShift)
				it.Addr &= 1<<ir.RankShift - 1
			}
			o.Elements = append(o.Elements, api.ProvenanceElement{Lane: it.Lane, Index: int(it.Addr), Bytes: int(it.Size)})
		}
	}
}

// parameters names parameters by their offset.
func (x *whyRun) parameters(n *why.Node, o *api.ProvenanceNode) {
	for _, it := range n.Items {
		var bits uint64
		for i := range min(it.Size, 8) {
			if int(it.Addr+i) < len(x.launch.Param) {
				bits |= uint64(x.launch.Param[it.Addr+i]) << (8 * i)
			}
		}
		x.parameter(int(it.Addr), it, bits, o)
	}
}

// parameter adds one, by its offset in the block of parameters.
func (x *whyRun) parameter(off int, it why.Item, bits uint64, o *api.ProvenanceNode) {
	e := api.ProvenanceElement{Lane: it.Lane, Index: off, Bytes: int(it.Size), Bits: bits, Type: fmt.Sprintf("b%d", 8*min(it.Size, 8))}
	name := fmt.Sprintf("parameter bytes at %d", off)
	for i := range x.k.Params() {
		q := &x.k.Params()[i]
		if off < q.Offset || off >= q.Offset+q.Size {
			continue
		}
		name = q.Name
		if name == "" {
			name = fmt.Sprintf("parameter %d", i)
		}
		if q.Type != "" && int(it.Size) == q.Size {
			e.Type = string(q.Type)
		}
	}
	e.Value = showAs(e.Type, bits)
	if a := x.mem.Find(bits, 1); a != nil && it.Size == 8 || a != nil && !x.mem.Wide() {
		e.Value = "the address of " + a.Name
	}
	o.Kind, o.Name = api.KindParameter, name
	o.Elements = append(o.Elements, e)
}

// elements names elements of buffers.
func (x *whyRun) elements(n *why.Node, o *api.ProvenanceNode) {
	for _, it := range n.Items {
		bits, a := x.initialBytes(it.Addr, it.Size)
		if a == nil {
			o.Name = "memory"
			o.Elements = append(o.Elements, api.ProvenanceElement{Lane: it.Lane, Index: int(it.Addr), Bytes: int(it.Size)})
			continue
		}
		if a.Name == "kernarg segment" && o.Kind == api.KindInput {
			x.parameter(int(it.Addr-a.Base), it, bits, o)
			continue
		}
		if o.Kind != api.KindElement {
			o.Name = a.Name
		}
		var b *api.Buffer
		for have, at := range x.mem.Allocs {
			if at == a {
				b = have
			}
		}
		off := it.Addr - a.Base
		if b == nil {
			t := fmt.Sprintf("b%d", 8*min(it.Size, 8))
			o.Elements = append(o.Elements, api.ProvenanceElement{Lane: it.Lane, Index: int(off), Bytes: int(it.Size), Type: t, Bits: bits, Value: showAs(t, bits)})
			continue
		}
		size := uint64(b.Type.Size())
		for i := off / size; i*size < off+it.Size; i++ {
			bits, _ := x.initialBytes(a.Base+i*size, size)
			if o.Kind == api.KindElement {
				bits = value.Get(value.Type(b.Type), b.Data, int(i))
			}
			o.Elements = append(o.Elements, api.ProvenanceElement{Lane: it.Lane, Index: int(i), Bytes: int(size), Type: string(b.Type), Bits: bits, Value: showAs(string(b.Type), bits)})
		}
	}
}

// typeOf is the type in which a result of an instruction is best read: that of its row, as wide as the register. mul.wide.u32
// makes a u64 and ld.s8 an s32; an f16 in a wider register stays one; packed numbers are bits.
func typeOf(at *ir.Pos, v *ir.Value) string {
	if v.Type == ir.B1 {
		return "pred"
	}
	name := at.Result
	if name == "tf32" {
		name = "f32" // its form, with fewer digits
	}
	bits := int(8 * v.Type.Bytes())
	t := value.Type(name)
	switch {
	case !t.Valid() || 8*t.Size() > bits:
		return "b" + strconv.Itoa(bits)
	case 8*t.Size() == bits || t.Kind() == value.Type("f16").Kind():
		return name
	}
	return name[:1] + strconv.Itoa(bits)
}

// several reports that a result holds several elements: f16x2, or b16 in a register of 32 bits.
func several(at *ir.Pos, v *ir.Value) bool {
	if v.Type == ir.B1 {
		return false
	}
	digits, isBits := strings.CutPrefix(at.Result, "b")
	n, err := strconv.Atoi(digits)
	return strings.Contains(at.Result, "x") || isBits && err == nil && n < int(8*v.Type.Bytes())
}

// showAs is the text of a value.
func showAs(t string, bits uint64) string {
	switch {
	case t == "pred":
		if bits&1 != 0 {
			return "true"
		}
		return "false"
	case t == "b64" && bits > 1<<32:
		return fmt.Sprintf("%#x", bits)
	case strings.HasPrefix(t, "b") && t != "bf16":
		return strconv.FormatUint(bits, 10)
	}
	return value.Format(value.Type(t), bits)
}
