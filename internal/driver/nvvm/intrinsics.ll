; Intrinsics of NVVM that LLVM does not have, or has with another type, by those that LLVM has. The names begin with
; crosslane in place of llvm. A definition is used if a module calls it.

; The mode is 0 for idx, 1 for up, 2 for down and 3 for bfly. It is a constant of the caller.
define linkonce_odr {i32, i1} @crosslane.nvvm.shfl.sync.i32(i32 %mask, i32 %mode, i32 %a, i32 %b, i32 %c) alwaysinline convergent nounwind {
  switch i32 %mode, label %bad [
    i32 0, label %idx
    i32 1, label %up
    i32 2, label %down
    i32 3, label %bfly
  ]
idx:
  %r0 = call {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32 %mask, i32 %a, i32 %b, i32 %c)
  ret {i32, i1} %r0
up:
  %r1 = call {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32 %mask, i32 %a, i32 %b, i32 %c)
  ret {i32, i1} %r1
down:
  %r2 = call {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32 %mask, i32 %a, i32 %b, i32 %c)
  ret {i32, i1} %r2
bfly:
  %r3 = call {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32 %mask, i32 %a, i32 %b, i32 %c)
  ret {i32, i1} %r3
bad:
  call void asm sideeffect "trap;", ""()
  unreachable
}

; The mode is 0 for all, 1 for any, 2 for uni and 3 for ballot. A ballot is the first member, a truth value the second.
define linkonce_odr {i32, i1} @crosslane.nvvm.vote.sync(i32 %mask, i32 %mode, i1 %p) alwaysinline convergent nounwind {
  switch i32 %mode, label %bad [
    i32 0, label %all
    i32 1, label %any
    i32 2, label %uni
    i32 3, label %ballot
  ]
all:
  %p0 = call i1 @llvm.nvvm.vote.all.sync(i32 %mask, i1 %p)
  %r0 = insertvalue {i32, i1} zeroinitializer, i1 %p0, 1
  ret {i32, i1} %r0
any:
  %p1 = call i1 @llvm.nvvm.vote.any.sync(i32 %mask, i1 %p)
  %r1 = insertvalue {i32, i1} zeroinitializer, i1 %p1, 1
  ret {i32, i1} %r1
uni:
  %p2 = call i1 @llvm.nvvm.vote.uni.sync(i32 %mask, i1 %p)
  %r2 = insertvalue {i32, i1} zeroinitializer, i1 %p2, 1
  ret {i32, i1} %r2
ballot:
  %p3 = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 %p)
  %r3 = insertvalue {i32, i1} zeroinitializer, i32 %p3, 0
  ret {i32, i1} %r3
bad:
  call void asm sideeffect "trap;", ""()
  unreachable
}

define linkonce_odr {i32, i1} @crosslane.nvvm.match.all.sync.i32(i32 %mask, i32 %a) alwaysinline convergent nounwind {
  %r = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 %mask, i32 %a)
  ret {i32, i1} %r
}

; The forms of LLVM for 64 bits have a result of another width in some versions.
define linkonce_odr {i32, i1} @crosslane.nvvm.match.all.sync.i64(i32 %mask, i64 %a) alwaysinline convergent nounwind {
  %m = call {i32, i32} asm sideeffect "{ .reg .pred p; match.all.sync.b64 $0|p, $2, $3; selp.u32 $1, 1, 0, p; }", "=r,=r,l,r"(i64 %a, i32 %mask)
  %lanes = extractvalue {i32, i32} %m, 0
  %bit = extractvalue {i32, i32} %m, 1
  %p = icmp ne i32 %bit, 0
  %s = insertvalue {i32, i1} undef, i32 %lanes, 0
  %r = insertvalue {i32, i1} %s, i1 %p, 1
  ret {i32, i1} %r
}

define linkonce_odr i32 @crosslane.nvvm.match.any.sync.i64(i32 %mask, i64 %a) alwaysinline convergent nounwind {
  %r = call i32 asm sideeffect "match.any.sync.b64 $0, $1, $2;", "=r,l,r"(i64 %a, i32 %mask)
  ret i32 %r
}

; Square roots, by -prec-sqrt and -ftz.
define linkonce_odr float @crosslane.nvvm.sqrt.rn.f(float %x) alwaysinline nounwind {
  %r = call float @llvm.nvvm.sqrt.rn.f(float %x)
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.sqrt.approx.f(float %x) alwaysinline nounwind {
  %r = call float @llvm.nvvm.sqrt.approx.f(float %x)
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.sqrt.approx.ftz.f(float %x) alwaysinline nounwind {
  %r = call float @llvm.nvvm.sqrt.approx.ftz.f(float %x)
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.sqrt.rn.ftz.f(float %x) alwaysinline nounwind {
  %r = call float @llvm.nvvm.sqrt.rn.ftz.f(float %x)
  ret float %r
}

; Greatest and least numbers.
define linkonce_odr float @crosslane.nvvm.fmax.f(float %x, float %y) alwaysinline nounwind {
  %r = call float @llvm.nvvm.fmax.f(float %x, float %y)
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.fmax.ftz.f(float %x, float %y) alwaysinline nounwind {
  %r = call float @llvm.nvvm.fmax.ftz.f(float %x, float %y)
  ret float %r
}

define linkonce_odr double @crosslane.nvvm.fmax.d(double %x, double %y) alwaysinline nounwind {
  %r = call double @llvm.nvvm.fmax.d(double %x, double %y)
  ret double %r
}

define linkonce_odr float @crosslane.nvvm.fmin.f(float %x, float %y) alwaysinline nounwind {
  %r = call float @llvm.nvvm.fmin.f(float %x, float %y)
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.fmin.ftz.f(float %x, float %y) alwaysinline nounwind {
  %r = call float @llvm.nvvm.fmin.ftz.f(float %x, float %y)
  ret float %r
}

define linkonce_odr double @crosslane.nvvm.fmin.d(double %x, double %y) alwaysinline nounwind {
  %r = call double @llvm.nvvm.fmin.d(double %x, double %y)
  ret double %r
}

; The fast functions of libdevice with -ftz=1, as the guide of CUDA C++ describes them. The factors are log2(e), log2(10), ln(2)
; and log10(2), rounded to float.
define linkonce_odr float @crosslane.nvvm.__nv_fast_cosf(float %x) alwaysinline nounwind {
  %r = call float @llvm.nvvm.cos.approx.ftz.f(float %x)
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.__nv_fast_sinf(float %x) alwaysinline nounwind {
  %r = call float @llvm.nvvm.sin.approx.ftz.f(float %x)
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.__nv_fast_log2f(float %x) alwaysinline nounwind {
  %r = call float @llvm.nvvm.lg2.approx.ftz.f(float %x)
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.__nv_fast_tanf(float %x) alwaysinline nounwind {
  %s = call float @llvm.nvvm.sin.approx.ftz.f(float %x)
  %c = call float @llvm.nvvm.cos.approx.ftz.f(float %x)
  %r = call float @llvm.nvvm.div.approx.ftz.f(float %s, float %c)
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.__nv_fast_expf(float %x) alwaysinline nounwind {
  %m = fmul float %x, 0x3FF7154760000000
  %r = call float @llvm.nvvm.ex2.approx.ftz.f(float %m)
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.__nv_fast_exp10f(float %x) alwaysinline nounwind {
  %m = fmul float %x, 0x400A934F00000000
  %r = call float @llvm.nvvm.ex2.approx.ftz.f(float %m)
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.__nv_fast_logf(float %x) alwaysinline nounwind {
  %l = call float @llvm.nvvm.lg2.approx.ftz.f(float %x)
  %r = fmul float %l, 0x3FE62E4300000000
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.__nv_fast_log10f(float %x) alwaysinline nounwind {
  %l = call float @llvm.nvvm.lg2.approx.ftz.f(float %x)
  %r = fmul float %l, 0x3FD3441360000000
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.__nv_fast_powf(float %x, float %y) alwaysinline nounwind {
  %l = call float @llvm.nvvm.lg2.approx.ftz.f(float %x)
  %m = fmul float %l, %y
  %r = call float @llvm.nvvm.ex2.approx.ftz.f(float %m)
  ret float %r
}

define linkonce_odr float @crosslane.nvvm.__nv_fast_fdividef(float %x, float %y) alwaysinline nounwind {
  %r = call float @llvm.nvvm.div.approx.ftz.f(float %x, float %y)
  ret float %r
}

declare float @llvm.nvvm.sqrt.rn.f(float)
declare float @llvm.nvvm.sqrt.approx.f(float)
declare float @llvm.nvvm.sqrt.approx.ftz.f(float)
declare float @llvm.nvvm.sqrt.rn.ftz.f(float)
declare {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32, i32, i32, i32)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)
declare float @llvm.nvvm.cos.approx.ftz.f(float)
declare float @llvm.nvvm.sin.approx.ftz.f(float)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
declare float @llvm.nvvm.lg2.approx.ftz.f(float)
declare float @llvm.nvvm.div.approx.ftz.f(float, float)
declare float @llvm.nvvm.fmax.f(float, float)
declare float @llvm.nvvm.fmax.ftz.f(float, float)
declare double @llvm.nvvm.fmax.d(double, double)
declare float @llvm.nvvm.fmin.f(float, float)
declare float @llvm.nvvm.fmin.ftz.f(float, float)
declare double @llvm.nvvm.fmin.d(double, double)
