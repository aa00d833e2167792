#!/bin/sh
# Makes the code objects of this folder from its kernels with LLVM 22, and what
# LLVM says about them.
set -e
cd "$(dirname "$0")"
make() { # version kernels name
	clang-22 --target=amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -x cl -cl-std=CL2.0 -O2 -w \
		-mcode-object-version="$1" -c "$2.cl" -o "$3.o"
	ld.lld-22 -shared "$3.o" -o "$3.co"
	llvm-readelf-22 --notes "$3.co" | sed -n '/^ *---$/,$p' | sed 's/^ *---$/---/' >"$3.yaml"
}
make 4 scan scan4
make 5 scan scan5
make 6 args args6
make 5 calls calls5
for o in *.co; do
	llvm-objdump-22 -D -j .rodata "$o" | sed -n '/^\.amdhsa_kernel/,/^\.end_amdhsa_kernel/p' >"${o%.co}.kd.txt"
done
{
	echo '.amdgcn_target "amdgcn-amd-amdhsa--gfx803"'
	echo .amdgpu_metadata
	cat scalars.in.yaml
	echo .end_amdgpu_metadata
} >tmp.s
llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx803 -filetype=obj tmp.s -o tmp.o
llvm-objcopy-22 --dump-section .note=scalars.note tmp.o
llvm-readelf-22 --notes tmp.o | sed -n '/^ *---$/,$p' | sed 's/^ *---$/---/' >scalars.yaml
rm tmp.s tmp.o
printf '.data\n.quad elsewhere\n' >tmp.s
llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx803 -filetype=obj tmp.s -o undefined.o
rm tmp.s
llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx803 -filetype=obj v2.s -o tmp.o
llvm-objcopy-22 --dump-section .text=v2.text tmp.o
rm tmp.o
cd lines # with lines of the source
for v in 4 5; do
	clang-22 --target=amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -x cl -cl-std=CL2.0 -O1 -w -g -gdwarf-$v -fdebug-compilation-dir=/src -c lines.cl -o lines$v.o
done
ld.lld-22 -shared lines5.o -o lines5.co
rm lines5.o
