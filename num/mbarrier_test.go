package num

import (
	"math/rand/v2"
	"testing"
)

// A model is an mbarrier object as PTX 9.7.14.16 describes it, in plain numbers.
type model struct {
	phase, pending, expected, tx int64
	bad                          uint32 // the kind of misuse
}

const limit = 1<<20 - 1

func (m *model) settle() {
	if m.bad == MbarOK && m.pending == 0 && m.tx == 0 {
		m.phase++
		m.pending = m.expected
	}
}

func (m *model) arrive(n int64) {
	if m.bad != MbarOK {
		return
	}
	if m.pending < n {
		m.bad = MbarTooMany
		return
	}
	m.pending -= n
	m.settle()
}

func (m *model) expect(n int64) {
	if m.bad != MbarOK {
		return
	}
	if m.tx+n > limit {
		m.bad = MbarTxRange
		return
	}
	m.tx += n
}

func (m *model) complete(n int64) {
	if m.bad != MbarOK {
		return
	}
	if m.tx-n < -limit {
		m.bad = MbarTxRange
		return
	}
	m.tx -= n
	m.settle()
}

func (m *model) drop(n int64) {
	if m.bad != MbarOK {
		return
	}
	if m.expected < n {
		m.bad = MbarTooMany
		return
	}
	m.expected -= n
	m.arrive(n)
}

// stays makes an arrival that must not complete the phase.
func (m *model) stays(arrive func(int64), n int64) {
	was := m.phase
	if arrive(n); m.bad == MbarOK && m.phase != was {
		m.bad = MbarIncomplete
	}
}

// TestMbarrier makes random operations on objects and on a model of the manual's description, and
// compares all visible values.
func TestMbarrier(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 9))
	reasons := map[uint32]int{}
	phases := 0
	for range 12000 {
		count := uint32(1 + r.IntN(6))
		if r.IntN(8) == 0 {
			count = [...]uint32{0, limit, limit + 1, 1 << 31}[r.IntN(4)]
		}
		obj := MbarInit(count)
		m := &model{pending: int64(count), expected: int64(count)}
		if count < 1 || count > limit {
			m.bad = MbarBadCount
		}
		for step := range 60 {
			state, before := obj, *m
			n := uint32(r.IntN(3))
			tx := uint32(r.IntN(4) * 16)
			if r.IntN(50) == 0 {
				tx = limit - uint32(r.IntN(3))
			}
			if m.tx > 0 && r.IntN(2) == 0 {
				tx = uint32(m.tx) // the expected bytes arrive
			}
			op := r.IntN(9)
			switch op {
			case 0:
				obj = MbarArrive(obj, n)
				m.arrive(int64(n))
			case 1:
				obj = MbarExpectTx(obj, tx)
				m.expect(int64(tx))
			case 2:
				obj = MbarCompleteTx(obj, tx)
				m.complete(int64(tx))
			case 3:
				obj = MbarArriveExpectTx(obj, tx)
				m.expect(int64(tx))
				m.arrive(1)
			case 4:
				if r.IntN(6) == 0 {
					obj = MbarArriveDrop(obj, n)
					m.drop(int64(n))
				}
			case 5:
				if r.IntN(6) == 0 {
					obj = MbarArriveDropExpectTx(obj, tx)
					m.expect(int64(tx))
					m.drop(1)
				}
			case 6:
				obj = MbarArriveNoComplete(obj, n)
				m.stays(m.arrive, int64(n))
			case 7:
				if r.IntN(6) == 0 {
					obj = MbarArriveDropNoComplete(obj, n)
					m.stays(m.drop, int64(n))
				}
			case 8:
				obj = MbarTrack(obj, 1)
				if m.bad == MbarOK && m.pending == limit {
					m.bad = MbarTooMany
				}
			}
			if got := MbarError(obj); got != m.bad {
				t.Fatalf("step %d, operation %d on %+v: misuse %d, want %d", step, op, before, got, m.bad)
			}
			if m.bad != MbarOK {
				reasons[m.bad]++
				break
			}
			if MbarPending(obj) != uint32(m.pending) {
				t.Fatalf("step %d, operation %d on %+v: %d pending, want %d", step, op, before, MbarPending(obj), m.pending)
			}
			// The state belongs to the phase before the operation.
			if got, want := MbarDone(obj, state), m.phase != before.phase; got != want {
				t.Fatalf("step %d, operation %d on %+v: done %v, want %v", step, op, before, got, want)
			}
			// The parity of the current phase is not over; the parity of the phase before it is.
			if MbarDoneParity(obj, uint32(m.phase&1)) || !MbarDoneParity(obj, uint32((m.phase+1)&1)) {
				t.Fatalf("step %d: parities of phase %d", step, m.phase)
			}
			if m.phase != before.phase {
				phases++
			}
		}
	}
	if phases < 1000 || len(reasons) != 4 {
		t.Errorf("%d phases, misuse %v: the test sees too little", phases, reasons)
	}
}

// TestMbarrierMisuse checks that words that mbarrier.init did not write are no objects, and that a
// misused object remains misused until it is initialised again.
func TestMbarrierMisuse(t *testing.T) {
	t.Parallel()
	for _, w := range []uint64{0, 1, 1 << 61, 1<<63 | 200, 1 << 63, 5 << 61} {
		if got := MbarError(w); got != MbarNoObject {
			t.Errorf("%#x: misuse %d", w, got)
		}
		for i, f := range []func(uint64, uint32) uint64{MbarArrive, MbarExpectTx, MbarCompleteTx, MbarArriveExpectTx, MbarArriveDrop, MbarArriveDropExpectTx, MbarArriveNoComplete, MbarArriveDropNoComplete, MbarTrack} {
			if got := MbarError(f(w, 1)); got != MbarNoObject {
				t.Errorf("operation %d on %#x: misuse %d", i, w, got)
			}
			if broken := MbarArrive(MbarInit(1), 2); MbarError(f(broken, 0)) != MbarTooMany {
				t.Errorf("operation %d mends a misused object", i)
			}
		}
	}
}
