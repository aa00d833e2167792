package session

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// Hostcalls of HIP: a wave takes a packet from the stack of free ones, writes a request of 8 words for each of its lanes,
// puts the packet on the stack of ready ones, sends an interrupt, and waits until the ready flag of the packet is clear.
//
// Input: packets in the memory of the launch, at an interrupt of a wave.
// Output: the text of printf; the first words of the requests are the results.
// Invariant: the packets are served within the interrupt, so no wave waits for another thread, and a launch has one worker:
// the same launch prints the same text. There are as many packets as waves that may be in flight.
// Example: printf("%d\n", 7) of one lane is two requests: the format, then the value.
//
// The layouts are those of ROCm 4.3 and later (ROCm-Device-Libs, ockl, "hostcall"; clr, "devhostcall").

// Offsets in the buffer of hostcalls.
const (
	hcHeaders   = 0
	hcPayloads  = 8
	hcDoorbell  = 16
	hcFree      = 24
	hcReady     = 32
	hcIndexMask = 40
	hcSignal    = 64  // amd_signal_t: its value is at 8, the address of the mailbox at 16, the event's number at 24
	hcMailbox   = 128 // what the wave writes before the interrupt
	hcFirst     = 192 // the first header
)

// A header has 24 bytes: the next packet, the mask of lanes, the service, and the control word with the ready flag. A
// payload has 8 words for each of 64 lanes.
const (
	hcHeader  = 24
	hcPayload = 64 * 8 * 8
)

// maxPackets bounds the packets of a launch. A worker has at most 16 waves of a block at work, and those of blocks that
// wait.
const maxPackets = 2048

// Services of hostcalls.
const servicePrintf = 2

// hostcalls is the buffer of one launch.
type hostcalls struct {
	data     []byte
	packets  uint64
	messages map[uint64][]uint64 // that have begun, by their numbers
	last     uint64
	text     []byte
}

// hostcallAddress makes the buffer and returns its address. A kernel that interrupts nothing needs none: it gets the address
// of an absent object.
func hostcallAddress(s *sim.Launch, mem *Memory) uint64 {
	if !slices.ContainsFunc(s.Func.Code, func(in ir.Inst) bool {
		service, _, _ := ir.HostFields(in.Imm)
		return in.Op == ir.HostCall && service == ir.HostInterrupt
	}) {
		return mem.missing("hidden_hostcall_buffer")
	}
	waves := s.Blocks() * ((uint64(s.Block[0])*uint64(s.Block[1])*uint64(s.Block[2]) + 63) / 64)
	h := &hostcalls{packets: uint64(1) << bits.Len64(min(max(waves, 2), maxPackets)-1), messages: map[uint64][]uint64{}}
	payloads := (hcFirst + h.packets*hcHeader + 63) &^ 63
	data := Aligned(int(payloads + h.packets*hcPayload))
	a := mem.fixture("hostcall buffer", data)
	h.data = a.Data
	put := func(at int, v uint64) { binary.LittleEndian.PutUint64(h.data[at:], v) }
	put(hcHeaders, a.Base+hcFirst)
	put(hcPayloads, a.Base+payloads)
	put(hcDoorbell, a.Base+hcSignal)
	put(hcIndexMask, h.packets-1)
	put(hcSignal+16, a.Base+hcMailbox)
	put(hcSignal+24, 1)
	// Packet 0 has a tag, because a packet with tag and index 0 would be no packet.
	next := h.packets
	for i := uint64(1); i < h.packets; i++ {
		put(int(hcFirst+i*hcHeader), next)
		next = i
	}
	put(hcFree, next)
	s.Workers = 1
	s.Interrupt = h.serve
	return a.Base
}

// word is a word of the buffer.
func (h *hostcalls) word(at uint64) *uint64 { return (*uint64)(unsafe.Pointer(&h.data[at])) }

// serve serves all packets that are ready.
func (h *hostcalls) serve() (text []byte, problem string) {
	h.text = h.text[:0]
	payloads := (hcFirst + h.packets*hcHeader + 63) &^ 63
	packet := atomic.SwapUint64(h.word(hcReady), 0)
	for range h.packets {
		if packet == 0 {
			break
		}
		i := packet & (h.packets - 1)
		at := hcFirst + i*hcHeader
		packet = atomic.LoadUint64(h.word(at))
		service := binary.LittleEndian.Uint32(h.data[at+16:])
		if service != servicePrintf {
			return nil, fmt.Sprintf("it asks the host for service %d", service)
		}
		for m := *h.word(at + 8); m != 0; m &= m - 1 {
			slot := payloads + i*hcPayload + uint64(bits.TrailingZeros64(m))*64
			if problem := h.request(unsafe.Slice(h.word(slot), 8)); problem != "" {
				return nil, problem
			}
		}
		atomic.StoreUint32((*uint32)(unsafe.Pointer(&h.data[at+20])), 0)
	}
	return h.text, ""
}

// request serves a lane: a piece of a message. The first word says whether the message begins and ends with it, how many
// words follow, and the number of the message; it becomes the result.
func (h *hostcalls) request(words []uint64) (problem string) {
	const begins, ends = 1, 2
	d := words[0]
	id := d >> 8
	if d&begins != 0 {
		h.last++
		id = h.last
		h.messages[id] = nil
		words[0] = d&^uint64(begins)&0xff | id<<8
	}
	message, ok := h.messages[id]
	if !ok {
		return fmt.Sprintf("it goes on with message %d, which has not begun", id)
	}
	message = append(message, words[1:1+d>>5&7]...)
	h.messages[id] = message
	if d&ends == 0 {
		return ""
	}
	delete(h.messages, id)
	if len(message) == 0 || message[0] > 1 { // the control word: 1 is the standard error stream
		return "its message has no control word of printf"
	}
	text := sim.FormatWords(message[1:])
	h.text = append(h.text, text...)
	words[0] = uint64(len(text))
	return ""
}
