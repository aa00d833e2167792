#!/bin/sh
# Makes code objects of version 2 with LLVM 14, whose assembler and compiler are among
# the last that write them, and the linker of LLVM 22: compiled.s, and NAME.co of every
# NAME.s.
set -e
cd "$(dirname "$0")"
llc-14 -mtriple=amdgcn-amd-amdhsa -mcpu=gfx803 --amdhsa-code-object-version=2 -O2 compiled.ll -o compiled.s
for s in *.s; do
	llvm-mc-14 -triple=amdgcn-amd-amdhsa -mcpu=gfx803 --amdhsa-code-object-version=2 -filetype=obj "$s" -o tmp.o
	ld.lld-22 -shared tmp.o -o "${s%.s}.co"
done
rm tmp.o
