package exec

// snippet is a piece of machine code for tests: src as llvm-mc assembles it.
type snippet struct{ src, hex string }

// addCode adds two words of the frame.
var addCode = snippet{`mov eax, [rbx]
add eax, [rbx+4]
mov [rbx+8], eax
ret`,
	"8b03034304894308c3"}

// spinCode runs a number of rounds, as a loop that counts its budget does.
var spinCode = snippet{`mov rcx, [rbx]
mov rdx, [rbx+8]
round:
add rdx, rcx
imul rdx, rdx, 5
dec rcx
jnz round
mov [rbx+8], rdx
ret`,
	"488b0b488b53084801ca486bd20548ffc975f448895308c3"}

// twoCode has a second entry, at byte 6.
var twoCode = snippet{`mov dword ptr [rbx], 1
mov dword ptr [rbx+4], 2
ret`,
	"c70301000000c7430402000000c3"}

// faultCode reads at the address in the frame.
var faultCode = snippet{`mov rax, [rbx]
mov eax, [rax]
mov [rbx+8], eax
ret`,
	"488b038b00894308c3"}

// clobberCode leaves rubbish in every register that it may.
var clobberCode = snippet{`mov rax, -1
mov rcx, rax
mov rdx, rax
mov rsi, rax
mov rdi, rax
mov r8, rax
mov r9, rax
mov r10, rax
mov r11, rax
mov r12, rax
mov r13, rax
mov r14, rax
mov r15, rax
vpcmpeqd ymm0, ymm0, ymm0
vpcmpeqd ymm1, ymm1, ymm1
vpcmpeqd ymm2, ymm2, ymm2
vpcmpeqd ymm3, ymm3, ymm3
vpcmpeqd ymm4, ymm4, ymm4
vpcmpeqd ymm5, ymm5, ymm5
vpcmpeqd ymm6, ymm6, ymm6
vpcmpeqd ymm7, ymm7, ymm7
vpcmpeqd ymm8, ymm8, ymm8
vpcmpeqd ymm9, ymm9, ymm9
vpcmpeqd ymm10, ymm10, ymm10
vpcmpeqd ymm11, ymm11, ymm11
vpcmpeqd ymm12, ymm12, ymm12
vpcmpeqd ymm13, ymm13, ymm13
vpcmpeqd ymm14, ymm14, ymm14
vpcmpeqd ymm15, ymm15, ymm15
mov rbx, rax
ret`,
	"48c7c0ffffffff4889c14889c24889c64889c74989c04989c14989c24989c34989c44989c54989c64989c7c5fd76c0c5" +
		"f576c9c5ed76d2c5e576dbc5dd76e4c5d576edc5cd76f6c5c576ffc4413d76c0c4413576c9c4412d76d2c4412576dbc4" +
		"411d76e4c4411576edc4410d76f6c4410576ff4889c3c3"}

// clobber512Code does so with the registers of AVX-512.
var clobber512Code = snippet{`mov rax, -1
mov rcx, rax
mov rdx, rax
mov rsi, rax
mov rdi, rax
mov r8, rax
mov r9, rax
mov r10, rax
mov r11, rax
mov r12, rax
mov r13, rax
mov r14, rax
mov r15, rax
vpternlogd zmm0, zmm0, zmm0, 255
vpternlogd zmm1, zmm1, zmm1, 255
vpternlogd zmm2, zmm2, zmm2, 255
vpternlogd zmm3, zmm3, zmm3, 255
vpternlogd zmm4, zmm4, zmm4, 255
vpternlogd zmm5, zmm5, zmm5, 255
vpternlogd zmm6, zmm6, zmm6, 255
vpternlogd zmm7, zmm7, zmm7, 255
vpternlogd zmm8, zmm8, zmm8, 255
vpternlogd zmm9, zmm9, zmm9, 255
vpternlogd zmm10, zmm10, zmm10, 255
vpternlogd zmm11, zmm11, zmm11, 255
vpternlogd zmm12, zmm12, zmm12, 255
vpternlogd zmm13, zmm13, zmm13, 255
vpternlogd zmm14, zmm14, zmm14, 255
vpternlogd zmm15, zmm15, zmm15, 255
vpternlogd zmm16, zmm16, zmm16, 255
vpternlogd zmm17, zmm17, zmm17, 255
vpternlogd zmm18, zmm18, zmm18, 255
vpternlogd zmm19, zmm19, zmm19, 255
vpternlogd zmm20, zmm20, zmm20, 255
vpternlogd zmm21, zmm21, zmm21, 255
vpternlogd zmm22, zmm22, zmm22, 255
vpternlogd zmm23, zmm23, zmm23, 255
vpternlogd zmm24, zmm24, zmm24, 255
vpternlogd zmm25, zmm25, zmm25, 255
vpternlogd zmm26, zmm26, zmm26, 255
vpternlogd zmm27, zmm27, zmm27, 255
vpternlogd zmm28, zmm28, zmm28, 255
vpternlogd zmm29, zmm29, zmm29, 255
vpternlogd zmm30, zmm30, zmm30, 255
vpternlogd zmm31, zmm31, zmm31, 255
kxnorq k0, k0, k0
kxnorq k1, k1, k1
kxnorq k2, k2, k2
kxnorq k3, k3, k3
kxnorq k4, k4, k4
kxnorq k5, k5, k5
kxnorq k6, k6, k6
kxnorq k7, k7, k7
mov rbx, rax
ret`,
	"48c7c0ffffffff4889c14889c24889c64889c74989c04989c14989c24989c34989c44989c54989c64989c762f37d4825" +
		"c0ff62f3754825c9ff62f36d4825d2ff62f3654825dbff62f35d4825e4ff62f3554825edff62f34d4825f6ff62f34548" +
		"25ffff62533d4825c0ff6253354825c9ff62532d4825d2ff6253254825dbff62531d4825e4ff6253154825edff62530d" +
		"4825f6ff6253054825ffff62a37d4025c0ff62a3754025c9ff62a36d4025d2ff62a3654025dbff62a35d4025e4ff62a3" +
		"554025edff62a34d4025f6ff62a3454025ffff62033d4025c0ff6203354025c9ff62032d4025d2ff6203254025dbff62" +
		"031d4025e4ff6203154025edff62030d4025f6ff6203054025ffffc4e1fc46c0c4e1f446c9c4e1ec46d2c4e1e446dbc4" +
		"e1dc46e4c4e1d446edc4e1cc46f6c4e1c446ff4889c3c3"}
