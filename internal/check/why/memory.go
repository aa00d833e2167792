package why

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/internal/tensormap"
	"example.org/crosslane/lane"
)

// read follows the memory that lanes m loaded with operation k, as it was before event n.
func (s *slicer) read(t *task, k int, in *ir.Inst, m lane.Mask, n int) {
	off := in.Offset()
	v := s.h.Plan.f.Val(in.Args[0])
	if v.Scalar {
		m &= 1
	}
	var items []Item
	var unknown lane.Mask
	for i := range m.Lanes() {
		a, ok := s.eval(t, k, in.Args[0], i)
		if !ok {
			unknown |= lane.Lane(i)
			continue
		}
		items = append(items, Item{Lane: i, Addr: v.Type.Sum(a, off), Size: uint64(in.Size)})
	}
	if unknown != 0 {
		s.end(t.node, Memory, 0, unknown, &Node{Kind: Unknown, Name: "an address that the instruction computes from memory"})
	}
	s.load(t, in.Space, items, n)
}

// load follows pieces of memory, as they were before event n.
//
// Input: items, each with the lane that reads it.
// Output: for each piece an edge Memory to the last stores of its bytes; parameters, and bytes that no
// recorded store wrote, end the graph.
// Invariant: a byte has one last store before n in its memory; pieces are grouped by memory, because
// each memory has its own log.
func (s *slicer) load(t *task, space ir.Space, items []Item, n int) {
	h := s.h
	type group struct {
		space ir.Space
		log   *spaceLog
		rank  uint64 // of the block whose shared memory it is
		reads []memRead
	}
	var groups []*group
	params := &Node{Kind: Param, Space: ir.Param}
	var pm lane.Mask
	for _, x := range items {
		sp, at := h.resolve(space, x.Addr)
		// Parameters are never written.
		if sp == ir.Param {
			x.Addr = at
			params.Items = append(params.Items, x)
			pm |= lane.Lane(x.Lane)
			continue
		}
		log, _ := h.logOf(t.wave, space, x.Addr)
		var g *group
		rank := uint64(0)
		if sp == ir.Shared && h.Plan.f.Ranked {
			rank = at >> ir.RankShift
		}
		for _, have := range groups {
			if have.log == log && have.space == sp && have.rank == rank {
				g = have
			}
		}
		if g == nil {
			g = &group{space: sp, log: log, rank: rank}
			if sp == ir.Constant {
				g.space = ir.Global
			}
			groups = append(groups, g)
		}
		for x.Size > 0 { // memRead.need has one bit per byte, 64 bits
			size := min(x.Size, 32)
			g.reads = append(g.reads, memRead{x.Lane, at, size, 1<<size - 1})
			at, x.Size = at+size, x.Size-size
		}
	}
	if pm != 0 {
		s.end(t.node, Memory, 0, pm, params)
	}
	for _, g := range groups {
		for _, x := range h.stores(g.log, n, g.reads, g.space == ir.Local) {
			w, nd := s.need(x.n)
			w.lanes |= lane.Lane(x.lane)
			e, _ := h.event(x.n)
			if e.kind == kWrote {
				w.bytes = append(w.bytes, Item{Addr: x.lo, Size: x.hi - x.lo})
			}
			edge(t.node, Memory, 0, lane.Lane(x.lane), nd.ID)
		}
		// The bytes that no recorded store wrote.
		nd := &Node{Kind: Initial, Space: g.space}
		if g.space != ir.Global {
			nd.Kind = UnwrittenMem
		}
		if h.first > 0 {
			nd.Kind = Older
		}
		var m lane.Mask
		for _, r := range g.reads {
			if r.need != 0 {
				nd.Items = append(nd.Items, Item{Lane: r.lane, Addr: r.addr, Size: r.size})
				m |= lane.Lane(r.lane)
			}
		}
		if m != 0 {
			s.end(t.node, Memory, 0, m, nd)
		}
	}
}

// old follows the old value that an atomic returned to lanes m: memory before the atomic, and the lanes
// of the same atomic that acted on it earlier.
func (s *slicer) old(t *task, k int, in *ir.Inst, m lane.Mask) {
	h := s.h
	for n := t.time - 1; n >= h.begin(); n-- {
		e, _ := h.event(n)
		if e.kind != kAccess || e.wave != t.wave || h.Plan.segs[e.seg].op != k {
			continue
		}
		// Lanes that acted on the same memory earlier.
		var before lane.Mask
		for i := range m.Lanes() {
			before |= s.sharing(n, e, lane.Lane(i)) &^ lane.Lane(i)
		}
		if before != 0 {
			w, nd := s.need(n)
			w.lanes |= before
			edge(t.node, Memory, 0, before, nd.ID)
		}
		s.read(t, k, in, m, n)
		return
	}
	s.end(t.node, Memory, 0, m, &Node{Kind: Older})
}

// wrote follows memory that an operation of package sim wrote: a bulk copy, a matrix fragment or a
// service of the host.
func (s *slicer) wrote(n int, e *event, d []uint64, nd *Node, w *want) {
	f := s.h.Plan.f
	nd.Lanes |= w.lanes
	nd.Space, nd.Items = ir.Space(d[0]), []Item{{Lane: e.lanes.First(), Addr: d[1], Size: d[2]}}
	if e.seg < 0 {
		s.end(nd, Data, 0, w.lanes, &Node{Kind: Host, Name: "a service of the runtime"})
		return
	}
	in := &f.Code[e.seg]
	t := &task{node: nd, wave: e.wave, time: n, start: s.h.Plan.startOf(int(e.seg)), end: int(e.seg), act: e.lanes, access: -1}
	need := &needs{}
	switch in.Op {
	// A copy: each wanted byte came from the corresponding byte at the source.
	case ir.Bulk:
		for _, a := range in.Args {
			need.add(a, Address, e.lanes)
		}
		src, size, _ := ir.BulkFields(in.Imm)
		from, ok := s.eval(t, t.end, in.Args[1], e.lanes.First())
		_, to := s.h.resolve(ir.Space(d[0]), d[1])
		if in.Args[1] != 0 && ok {
			var items []Item
			for _, b := range w.bytes {
				items = append(items, Item{Lane: e.lanes.First(), Addr: from + b.Addr - to, Size: b.Size})
			}
			s.load(t, src, items, n)
		} else if in.Args[1] != 0 {
			s.end(nd, Data, 0, e.lanes, &Node{Kind: Unknown, Name: "the source of a copy"})
		}
		if size != 0 || in.Args[3] != 0 {
			var items []Item
			for _, b := range w.bytes {
				items = append(items, Item{Lane: e.lanes.First(), Addr: d[1] + b.Addr - to, Size: b.Size})
			}
			s.load(t, ir.Space(d[0]), items, n)
		}
	case ir.Tensor:
		s.tensor(t, in, n, e, d, w, need)
	case ir.Collective:
		info := &f.Collectives[in.Imm]
		from := e.lanes
		// All lanes give data to a store of rows, though only some give addresses.
		if info.Matrix.Kind == matrix.StoreRows {
			from = lane.All(f.Lanes)
		}
		for _, r := range info.Src {
			need.add(r, Data, from)
		}
		need.add(in.Args[0], Address, from)
	case ir.HostCall:
		s.served(t, in, d, w, need)
	default:
		for _, a := range in.Args {
			need.add(a, Data, e.lanes)
		}
		s.end(nd, Data, 0, e.lanes, &Node{Kind: Host, Name: "a service of the runtime"})
	}
	s.flow(t, need)
}

// tensor follows bytes that a copy through a tensor map wrote: to the bytes at their source, to the coordinates, and to the map.
// Bytes outside the tensor come from the map alone.
func (s *slicer) tensor(t *task, in *ir.Inst, n int, e *event, d []uint64, w *want, need *needs) {
	info := &s.h.Plan.f.Tensors[in.Imm]
	for _, a := range append(in.Args[:], info.Src...) {
		need.add(a, Address, e.lanes)
	}
	first := e.lanes.First()
	if at, ok := s.eval(t, t.end, in.Args[1], first); ok {
		s.load(t, ir.Generic, []Item{{Lane: first, Addr: at, Size: tensormap.Size / 2}}, n)
		for i := range t.node.Edges {
			if edge := &t.node.Edges[i]; edge.Role == Memory {
				edge.Role = Address
			}
		}
	}
	_, to := s.h.resolve(ir.Space(d[0]), d[1])
	items := func(base uint64) (list []Item) {
		for _, b := range w.bytes {
			list = append(list, Item{Lane: first, Addr: base + b.Addr - to, Size: b.Size})
		}
		return list
	}
	switch {
	case info.Kind != ir.TensorLoads:
		s.load(t, in.Space, items(d[3]), n)
	case d[3] != 0:
		s.load(t, ir.Global, items(d[3]), n)
	default:
		s.end(t.node, Data, 0, e.lanes, &Node{Kind: Host, Name: "the fill outside the tensor"})
	}
	if info.Kind == ir.TensorReduces {
		s.load(t, ir.Space(d[0]), items(d[1]), n)
	}
}

// served follows bytes that a service of the host wrote. A copy leads to the bytes at its source that
// correspond to the wanted ones.
func (s *slicer) served(t *task, in *ir.Inst, d []uint64, w *want, need *needs) {
	lanes := t.act
	data, copied := in.Args[:], false
	switch service, _, _ := ir.HostFields(in.Imm); service {
	case ir.HostMemset:
		data = in.Args[1:2]
	case ir.HostMemcpy, ir.HostMemmove, ir.HostStrcpy, ir.HostStrcat:
		data, copied = nil, true
	default:
		s.end(t.node, Data, 0, lanes, &Node{Kind: Host, Name: "a service of the runtime"})
	}
	for _, a := range data {
		need.add(a, Data, lanes)
	}
	if len(data) == len(in.Args) {
		return
	}
	// Destination and length are addresses, even if the instruction loads them itself.
	where := &needs{}
	for _, a := range in.Args {
		if len(data) == 0 || a != data[0] {
			where.add(a, Address, lanes)
		}
	}
	s.flow(t, where)
	for i := range t.node.Edges {
		if e := &t.node.Edges[i]; e.Role == Memory {
			e.Role = Address
		}
	}
	if copied {
		_, to := s.h.resolve(ir.Space(d[0]), d[1])
		var items []Item
		for _, b := range w.bytes {
			items = append(items, Item{Lane: lanes.First(), Addr: d[3] + b.Addr - to, Size: b.Size})
		}
		s.load(t, ir.Generic, items, t.time)
	}
}

// startOf returns the first operation, in the same block, of the guest instruction that an operation
// belongs to.
func (p *Plan) startOf(op int) int {
	start := op
	for start > 0 && p.f.Code[start-1].Pos == p.f.Code[op].Pos && !p.f.Code[start-1].Op.EndsBlock() {
		start--
	}
	return start
}

// met follows the results that a rendezvous gave to lanes. Lanes may have arrived in different
// instructions, so the operands of each lane are followed from its own instruction.
func (s *slicer) met(n int, e *event, d []uint64, nd *Node, w *want) {
	h, f := s.h, s.h.Plan.f
	in := &f.Code[e.seg]
	all, members := lane.Mask(d[0]), lane.Mask(d[1])
	index, count := int(uint32(d[2])), int(d[2]>>32)
	first := n - index
	// The group began in an event that has been forgotten.
	if first < h.begin() {
		s.end(nd, Data, 0, e.lanes, &Node{Kind: Older})
		return
	}
	// A barrier that reduces: its operands come from all waves of the block.
	if in.Op == ir.Bar {
		s.barrier(n, e, nd, w)
		return
	}
	taskOf := func(op int) *task {
		return &task{node: nd, wave: e.wave, time: first, start: h.Plan.startOf(op), end: op, act: e.lanes, access: -1}
	}
	// own adds needs of the given lanes, each from the instruction at which it arrived.
	own := func(lanes lane.Mask, args func(op int, in *ir.Inst, m lane.Mask, need *needs)) {
		for i := range count {
			x, _ := h.event(first + i)
			if m := x.lanes & lanes; m != 0 {
				need := &needs{}
				args(int(x.seg), &f.Code[x.seg], m, need)
				s.flow(taskOf(int(x.seg)), need)
			}
		}
	}
	var m, m2 lane.Mask
	m = w.regs.of(h.Plan.register(in.Dst))
	m2 = w.regs.of(h.Plan.register(in.Dst2))
	t := taskOf(int(e.seg))
	need := &needs{}
	need.add(in.Args[3], Members, m|m2)
	data := func(_ int, x *ir.Inst, m lane.Mask, need *needs) {
		need.add(x.Args[0], Data, m)
		s.guardNeed(need, x, m)
	}
	switch in.Op {
	case ir.ShflSync:
		need.add(in.Args[1], Source, m|m2)
		need.add(in.Args[2], Source, m|m2)
		var from lane.Mask
		var absent []AbsentLane
		for i := range m.Lanes() {
			j, ok := s.source(t, int(e.seg), in, i)
			switch {
			case !ok:
				from |= all & members
			case (all & members).Has(j):
				from |= lane.Lane(j)
			default:
				absent = append(absent, s.absent(t, i, j, members))
				if h.launch.Undefined == sim.Own {
					from |= lane.Lane(i)
				}
			}
		}
		own(from, data)
		s.missing(t, absent)
	case ir.Collective:
		s.collective(t, in, all, w, own)
	case ir.ElectSync, ir.WarpSync:
	default:
		own(all&members, data)
		var absent []AbsentLane
		for i := range (members &^ all).Lanes() {
			if i < f.Lanes {
				absent = append(absent, s.absent(t, e.lanes.First(), i, members))
			}
		}
		s.missing(t, absent)
	}
	s.flow(t, need)
}

// collective follows matrix operations: the source registers of all lanes, and the memory that a
// fragment was loaded from.
func (s *slicer) collective(t *task, in *ir.Inst, all lane.Mask, w *want, own func(lane.Mask, func(int, *ir.Inst, lane.Mask, *needs))) {
	h, f := s.h, s.h.Plan.f
	info := &f.Collectives[in.Imm]
	which := h.factors(info, w)
	own(all, func(_ int, x *ir.Inst, m lane.Mask, need *needs) {
		for i, r := range f.Collectives[x.Imm].Src {
			if which == nil {
				need.add(r, Data, m)
			} else {
				need.add(r, Data, m&which[i])
			}
		}
		need.add(x.Args[0], Address, m)
		need.add(x.Args[1], Address, m)
	})
	switch info.Matrix.Kind {
	case matrix.LoadTile:
		l := info.Tile
		bits, per := uint64(l.Elem.Bits()), l.PerReg()
		unit := 1
		// Elements below a byte: one item covers all elements of a register.
		if bits < 8 {
			unit = per
		}
		var items []Item
		for i, r := range info.Dst {
			for lane := range w.regs.of(h.Plan.register(r)).Lanes() {
				addr, ok := s.eval(t, t.end, in.Args[0], lane)
				stride, ok2 := uint64(info.Stride), true
				if in.Args[1] != 0 {
					stride, ok2 = s.eval(t, t.end, in.Args[1], lane)
				}
				if !ok || !ok2 {
					s.end(t.node, Memory, 0, all, &Node{Kind: Unknown, Name: "the addresses of a fragment"})
					return
				}
				for e := 0; e < per; e += unit {
					_, row, col := l.At(lane, i*per+e)
					at := uint64(row)*stride + uint64(col)
					if !info.Matrix.RowMajor {
						at = uint64(col)*stride + uint64(row)
					}
					a := f.Val(in.Args[0]).Type.Sum(addr, uint64(info.Offset)+at*bits/8)
					items = append(items, Item{Lane: lane, Addr: a, Size: uint64(in.Size)})
				}
			}
		}
		s.load(t, in.Space, items, t.time)
	case matrix.LoadRows:
		s.rows(t, in, info, w)
	case matrix.TensorLoad:
		s.cells(t, in, info, w)
	case matrix.WarpgroupMultiply:
		s.tiles(t, info, w)
	}
}

// barrier follows the result of a barrier that reduces: to the predicates that all waves of the block
// brought.
func (s *slicer) barrier(n int, e *event, nd *Node, w *want) {
	h := s.h
	block := h.waves[e.wave].block
	for i := range h.waves {
		r := &h.waves[i]
		if r.block != block || !r.full {
			continue
		}
		// A wave may bring its lanes in several groups.
		var seen lane.Mask
		after, _ := slices.BinarySearch(r.arrives, n+1)
		for k := after - 1; k >= 0 && seen != r.initial; k-- {
			a := r.arrives[k]
			x, _ := h.event(a)
			m := x.lanes &^ seen
			if m != x.lanes {
				break // this arrival belongs to the phase before
			}
			seen |= m
			seg := &h.Plan.segs[x.seg]
			t := &task{node: nd, wave: int32(i), time: a, start: seg.start, end: seg.op, act: x.lanes, access: -1}
			need := &needs{}
			need.add(h.Plan.f.Code[seg.op].Args[2], Data, m)
			s.flow(t, need)
		}
	}
}

// rows follows the memory that ldmatrix reads. Lane 8j+r gives the address of row r of matrix j. Its
// 16-bit elements 2(l%4) and 2(l%4)+1 go to lane 4r+l%4 (PTX 9.7.15.5.15). For the other forms all rows
// count.
func (s *slicer) rows(t *task, in *ir.Inst, info *ir.CollectiveInfo, w *want) {
	h := s.h
	var items []Item
	row := func(reader, j, r int, from, n uint64) bool {
		l := 8*j + r
		a, ok := s.eval(t, t.end, in.Args[0], l)
		a = h.Plan.f.Val(in.Args[0]).Type.Sum(a, uint64(info.Offset))
		items = append(items, Item{Lane: reader, Addr: a + from, Size: n})
		return ok
	}
	ok := true
	plain := !info.Matrix.Bytes && info.Matrix.Pack == 0
	if !plain {
		for l := range info.Matrix.RowLanes() * info.Matrix.Num {
			ok = row(l, l/8, l%8, 0, 16) && ok
		}
	}
	for j, r := range info.Dst {
		for l := range w.regs.of(h.Plan.register(r)).Lanes() {
			switch at := uint64(l % 4); {
			case !plain:
			case info.Matrix.Trans:
				ok = row(l, j, 2*(l%4), uint64(l/4)*2, 2) && row(l, j, 2*(l%4)+1, uint64(l/4)*2, 2) && ok
			default:
				ok = row(l, j, l/4, 4*at, 4) && ok
			}
		}
	}
	if !ok {
		s.end(t.node, Memory, 0, t.act, &Node{Kind: Unknown, Name: "the rows of a fragment in memory"})
		return
	}
	s.load(t, in.Space, items, t.time)
}
