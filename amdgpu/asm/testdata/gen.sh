#!/bin/sh
# Makes the inputs and expected outputs of the assembler's tests with LLVM 22:
# NAME.s from the kernels of package codeobject, and NAME.co from every NAME.s.
set -e
cd "$(dirname "$0")"
kernels=../../../codeobject/testdata
compile() {
	clang-22 --target=amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -x cl -cl-std=CL2.0 -O2 -w \
		-mcode-object-version="$1" -S "$kernels/$2.cl" -o "$3.s"
}
compile 6 args args
compile 4 scan scan4
compile 5 scan scan5
compile 5 calls calls
for s in *.s; do
	llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx803 -filetype=obj "$s" -o tmp.o
	ld.lld-22 -shared tmp.o -o "${s%.s}.co"
done
rm tmp.o
