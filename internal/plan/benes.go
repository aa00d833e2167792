package plan

import (
	"fmt"
	"math/bits"

	"example.org/crosslane/lane"
)

// A network of exchanges gives each row of 16 lanes a permutation of its own, without LDS.
//
// Input: a goal in which lanes read lanes of their own row, no two the same one.
// Output: at most seven DPP selections: in stage k some pairs of lanes i and i ^ m exchange their values, for the m of the
// stage.
// Invariant: the m of the first four stages are independent as vectors over F2, so the network is one of Beneš after a linear
// change of the lanes' numbers; the last three stages have those of the first three, backwards.
// Example: with m = 8, 7, 2, 1 each exchange is one DPP move: row_ror:8, row_half_mirror and two permutations of quads.
// Literature: Beneš, Permutation groups, complexes, and rearrangeable connecting networks (1964); Waksman, A permutation
// network (1968).

// A benesMask is a move that exchanges lanes i and i ^ by.
type benesMask struct {
	by      int
	control string
}

// benesMasks are the exchanges that are one DPP move each. They are independent.
func benesMasks() [4]benesMask {
	return [4]benesMask{{8, "row_ror:8"}, {7, "row_half_mirror"}, {2, "quad_perm:[2,3,0,1]"}, {1, "quad_perm:[1,0,3,2]"}}
}

// A network is the lanes that exchange in each of the seven stages.
type network [7]lane.Mask

// benes routes a goal through the exchanges in an order of theirs; ok is false if it is no permutation of each row. Lanes that
// may get any value get one that no other lane reads, their own if it is left.
func benes(want *lanes, order [4]int) (n network, ok bool) {
	for row := range 4 {
		var p [16]int
		read := 0
		for i := range 16 {
			w := want[16*row+i]
			p[i] = -1
			if w == free {
				continue
			}
			if w < 0 || int(w)/16 != row || read>>(w%16)&1 != 0 {
				return n, false
			}
			p[i] = int(w % 16)
			read |= 1 << p[i]
		}
		for _, own := range []bool{true, false} {
			for i := range p {
				if p[i] < 0 && (!own || read>>i&1 == 0) {
					p[i] = i
					if !own {
						p[i] = bits.TrailingZeros(uint(^read))
					}
					read |= 1 << p[i]
				}
			}
		}
		r := router{group: row, order: order, net: &n}
		for x := range r.coordinates {
			y := 0
			for k := range 4 {
				if x>>k&1 != 0 {
					y ^= order[k]
				}
			}
			r.coordinates[y] = x
		}
		all := make([]int, 16)
		for i := range all {
			all[i] = i
		}
		r.route(0, all, p)
	}
	return n, true
}

// A router routes one row.
type router struct {
	group       int // of 16 lanes
	order       [4]int
	coordinates [16]int // by lane: bit k says whether order[k] is in the sum that makes it
	net         *network
}

// exchange notes that the pairs of some lanes exchange in a stage.
func (r *router) exchange(stage, lanes int) { r.net[stage] |= lane.Mask(lanes) << (16 * r.group) }

// route gives each of the lanes the value of lane p of it, with the exchanges from one stage on. The lanes are closed under
// these.
func (r *router) route(stage int, lanes []int, p [16]int) {
	by := r.order[stage]
	if stage == 3 {
		for _, i := range lanes {
			if p[i] != i {
				r.exchange(3, 1<<i)
			}
		}
		return
	}
	half := func(i int) bool { return r.coordinates[i]>>stage&1 != 0 }
	var from [16]int // the inverse of p
	for _, i := range lanes {
		from[p[i]] = i
	}
	// The value of each lane goes through one half; those of a pair through both, and so do those that a pair ends with.
	var through [16]bool // by the lane that the value ends in
	done := 0
	for _, i := range lanes {
		side := half(i)
		for o := i; done>>o&1 == 0; {
			through[o], through[o^by] = side, !side
			done |= 1<<o | 1<<(o^by)
			o = from[p[o^by]^by]
		}
	}
	var inner [16]int
	for _, i := range lanes {
		source, end := p[i], i
		if half(source) != through[i] {
			r.exchange(stage, 1<<source|1<<(source^by))
			source ^= by
		}
		if half(end) != through[i] {
			r.exchange(6-stage, 1<<end|1<<(end^by))
			end ^= by
		}
		inner[end] = source
	}
	for _, side := range []bool{false, true} {
		var rest []int
		for _, i := range lanes {
			if half(i) == side {
				rest = append(rest, i)
			}
		}
		r.route(stage+1, rest, inner)
	}
}

// networked adds a network of exchanges, with the order of stages that needs the fewest.
func (s *search) networked() {
	if s.keeps || s.g.active != lane.All(s.d.n) {
		return
	}
	masks := benesMasks()
	var best []string
	count := 0
	for code := range 256 {
		var order [4]int
		var control [7]string
		used := 0
		for k := range order {
			m := masks[code>>(2*k)&3]
			order[k], control[k], control[6-k] = m.by, m.control, m.control
			used |= m.by
			for j := range k {
				if order[j] == m.by {
					used = -1
				}
			}
			if used < 0 {
				break
			}
		}
		if used < 0 {
			continue
		}
		n, ok := benes(&s.g.want, order)
		if !ok {
			return
		}
		var list []string
		stages := 0
		src := "v0"
		for k, m := range n {
			if m == 0 {
				continue
			}
			stages++
			if m == lane.All(64) {
				list = append(list, fmt.Sprintf("v_mov_b32_dpp v1, %s %s row_mask:0xf bank_mask:0xf", src, control[k]))
			} else {
				keeps := uint64(^m)
				list = append(list, fmt.Sprintf("s_mov_b32 vcc_lo, %s", constant(uint32(keeps))), fmt.Sprintf("s_mov_b32 vcc_hi, %s", constant(uint32(keeps>>32))),
					fmt.Sprintf("v_cndmask_b32_dpp v1, %s, %s, vcc %s row_mask:0xf bank_mask:0xf", src, src, control[k]))
			}
			src = "v1"
		}
		if best == nil || stages < count || stages == count && len(list) < len(best) {
			best, count = list, stages
		}
	}
	if count > 0 {
		s.addPlain(sequence{how: fmt.Sprintf("a network of %d exchanges within rows", count), code: best})
	}
}
