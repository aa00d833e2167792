package ptx

import (
	"slices"
	"strings"
)

// A modKind determines how freely a modifier may move within an opcode: see matchFree.
type modKind uint8

const (
	modOther  modKind = iota
	modWord           // a word of the instruction's name
	modType           // the format of an operand
	modSpace          // a state space
	modLayout         // .row, .col
	numModKinds
)

// longNames are the instructions whose names have more than one word. The further words are no
// modifiers, so they keep their places.
var longNames = strings.Fields(`
	mul.lo mul.hi mul.wide mad.lo mad.hi mad.wide mul24.lo mul24.hi mad24.lo mad24.hi madc.lo madc.hi clmad.lo clmad.hi dp2a.lo dp2a.hi
	div.full shf.l shf.r cvta.to cvt.pack pmevent.mask
	bar.cta bar.warp bar.red bar.arrive barrier.cta barrier.red barrier.arrive barrier.cluster.arrive barrier.cluster.wait
	fence.proxy membar.proxy createpolicy.fractional createpolicy.range createpolicy.cvt brx.idx st.bulk st.async red.async setmaxnreg.inc setmaxnreg.dec
	cp.async.bulk.tensor cp.async.bulk.prefetch.tensor cp.async.mbarrier.arrive cp.async.commit_group cp.async.wait_group cp.async.wait_all
	cp.async.bulk.commit_group cp.async.bulk.wait_group cp.reduce.async.bulk.tensor applypriority.async.bulk.tensor
	mbarrier.init mbarrier.inval mbarrier.arrive.expect_tx mbarrier.arrive_drop.expect_tx mbarrier.expect_tx mbarrier.complete_tx
	mbarrier.test_wait.parity mbarrier.try_wait.parity mbarrier.pending_count mbarrier.check_layout
	multimem.ld_reduce multimem.st.async multimem.red.async multimem.cp.async.bulk multimem.cp.reduce.async.bulk
	wmma.load.a wmma.load.b wmma.load.c wmma.store.d wmma.mma wgmma.mma_async wgmma.fence wgmma.commit_group wgmma.wait_group
	clusterlaunchcontrol.try_cancel.async clusterlaunchcontrol.query_cancel
	tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit tcgen05.ld tcgen05.st tcgen05.wait::ld tcgen05.wait::st tcgen05.cp tcgen05.shift
	tcgen05.mma.ws tcgen05.fence::before_thread_sync tcgen05.fence::after_thread_sync tcgen05.commit
	tex.base tex.level tex.grad fabric.try_get fabric.try_put fabric.try_red fabric.try_pullred fabric.submit fabric.wait
	tensormap.replace tensormap.cp_fenceproxy suld.b sust.b sust.p sured.b sured.p`)

// nameWords holds each further word of longNames, after its mnemonic and a dot.
var nameWords = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range longNames {
		words := strings.Split(name, ".")
		for _, w := range words[1:] {
			m[words[0]+"."+w] = true
		}
	}
	return m
}()

// repeatable are the modifiers that may occur twice: flags without alternatives.
var repeatable = map[string]bool{"sat": true, "satfinite": true, "relu": true, "approx": true, "cc": true, "sync": true, "uni": true, "shiftamt": true, "NaN": true}

// isFormat reports whether a modifier names the format of data: a type, or a packed pair
// or quadruple. It reads by hand
//
//	pred|[subf]\d+(x\d+)?(_p\d+)?|bf16(x2)?|tf32|u?e\dm\d(p4)?(x[24])?|s2f6x2
//
// because the search for corrections asks about every modifier of every row.
func isFormat(mod string) bool {
	switch mod {
	case "pred", "bf16", "bf16x2", "tf32", "s2f6x2":
		return true
	case "":
		return false
	}
	switch mod[0] {
	case 's', 'u', 'b', 'f':
		if rest, ok := cutDigits(mod[1:]); ok {
			if after, x := strings.CutPrefix(rest, "x"); x {
				if rest, ok = cutDigits(after); !ok {
					return false
				}
			}
			if after, p := strings.CutPrefix(rest, "_p"); p {
				if rest, ok = cutDigits(after); !ok {
					return false
				}
			}
			return rest == ""
		}
	}
	small := strings.TrimPrefix(mod, "u")
	if len(small) < 4 || small[0] != 'e' || !isDigit(small[1]) || small[2] != 'm' || !isDigit(small[3]) {
		return false
	}
	small = strings.TrimPrefix(small[4:], "p4")
	return small == "" || small == "x2" || small == "x4"
}

// cutDigits returns what follows the decimal digits at the beginning of s, and whether there are
// digits.
func cutDigits(s string) (after string, found bool) {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return s[n:], n > 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// modKindOf returns the kind of a modifier that is no word of a name.
func modKindOf(mod string) modKind {
	switch {
	case mod == "b1024": // the size of a tensor map
		return modOther
	case isFormat(mod):
		return modType
	case mod == "row" || mod == "col":
		return modLayout
	case spaceOf(mod) != SpaceGeneric:
		return modSpace
	}
	return modOther
}

// spaced reports whether a form may name a state space, and means generic addresses without one.
func (r *row) spaced() bool {
	return slices.ContainsFunc(r.elems, func(e elem) bool { return e.class == "ss" && e.opt })
}

// kindOf returns the kind of a position of a form.
func (r *row) kindOf(e *elem) modKind {
	for _, a := range e.alts {
		if nameWords[r.mnemonic+"."+a] {
			return modWord
		}
	}
	return modKindOf(e.alts[0])
}
