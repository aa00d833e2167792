; The range predicate of a shuffle as an LLVM intrinsic, and a funnel shift.
; One step of a scan for each lane: out[t] = (p ? value below : 0) + own value,
; and the same rotated left by the lane's own distance.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)

define ptx_kernel void @scan_step(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %distance) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %src = getelementptr i32, ptr addrspace(1) %in, i64 %i
  %own = load i32, ptr addrspace(1) %src
  %r = call {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 %own, i32 %distance, i32 0)
  %below = extractvalue {i32, i1} %r, 0
  %p = extractvalue {i32, i1} %r, 1
  %add = select i1 %p, i32 %below, i32 0
  %sum = add i32 %own, %add
  %rot = call i32 @llvm.fshl.i32(i32 %sum, i32 %sum, i32 %t)
  %dst = getelementptr {i32, i32}, ptr addrspace(1) %out, i64 %i, i32 0
  store i32 %sum, ptr addrspace(1) %dst
  %dst2 = getelementptr {i32, i32}, ptr addrspace(1) %out, i64 %i, i32 1
  store i32 %rot, ptr addrspace(1) %dst2
  ret void
}
