package toolchain

// emptyModule makes LLVM bitcode of a module without functions, in place of NVIDIA's libdevice: calls of
// its functions stay in the PTX, and Crosslane has them (LLVM, "LLVM Bitcode File Format").
//
//	magic, then two blocks
//	IDENTIFICATION_BLOCK  STRING "Crosslane"   EPOCH 0
//	MODULE_BLOCK          VERSION 1            TRIPLE "nvptx64-nvidia-gpulibs"
//
// LLVM links a module of that triple without a look at its data layout.
func emptyModule() []byte {
	const (
		identification, module = 13, 8
		text, epoch            = 1, 2 // of identification
		version, triple        = 1, 2 // of module
	)
	w := &bitWriter{out: []byte{'B', 'C', 0xc0, 0xde}}
	w.block(identification, func() {
		w.record(text, chars("Crosslane")...)
		w.record(epoch, 0)
	})
	w.block(module, func() {
		w.record(version, 1)
		w.record(triple, chars("nvptx64-nvidia-gpulibs")...)
	})
	return w.out
}

func chars(s string) (list []uint32) {
	for _, c := range []byte(s) {
		list = append(list, uint32(c))
	}
	return list
}

// A bitWriter writes bits, the lowest first, in words of 32 bits.
type bitWriter struct {
	out  []byte
	word uint64
	used int // bits of word
}

// The widths of the numbers of abbreviations, outside blocks and in the blocks of this file, and the
// abbreviations that are not defined in the file.
const (
	outerWidth, innerWidth = 2, 3
	endBlock               = 0
	enterSubblock          = 1
	unabbreviated          = 3
)

// fixed writes a number of n bits.
func (w *bitWriter) fixed(v uint32, n int) {
	w.word |= uint64(v) << w.used
	for w.used += n; w.used >= 32; w.used -= 32 {
		w.out = append(w.out, byte(w.word), byte(w.word>>8), byte(w.word>>16), byte(w.word>>24))
		w.word >>= 32
	}
}

// vbr writes a number in chunks of n bits, the highest of which says that there are more.
func (w *bitWriter) vbr(v uint32, n int) {
	high := uint32(1) << (n - 1)
	for ; v >= high; v >>= n - 1 {
		w.fixed(v&(high-1)|high, n)
	}
	w.fixed(v, n)
}

// align fills the word with zeros.
func (w *bitWriter) align() {
	if w.used > 0 {
		w.fixed(0, 32-w.used)
	}
}

// block writes a block with its length.
func (w *bitWriter) block(id uint32, contents func()) {
	w.fixed(enterSubblock, outerWidth)
	w.vbr(id, 8)
	w.vbr(innerWidth, 4)
	w.align()
	start := len(w.out)
	w.fixed(0, 32)
	contents()
	w.fixed(endBlock, innerWidth)
	w.align()
	words := (len(w.out) - start) / 4
	for i := range 4 {
		w.out[start+i] = byte((words - 1) >> (8 * i))
	}
}

// record writes a record of numbers.
func (w *bitWriter) record(code uint32, values ...uint32) {
	w.fixed(unabbreviated, innerWidth)
	w.vbr(code, 6)
	w.vbr(uint32(len(values)), 6)
	for _, v := range values {
		w.vbr(v, 6)
	}
}
