target triple = "amdgcn-amd-amdhsa"
@lds = internal unnamed_addr addrspace(3) global [64 x float] undef, align 4
define amdgpu_kernel void @saxpy(float %a, float addrspace(1)* noalias %x, float addrspace(1)* %y, i32 %n) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %id, %n
  br i1 %c, label %b, label %e
b:
  %px = getelementptr float, float addrspace(1)* %x, i32 %id
  %py = getelementptr float, float addrspace(1)* %y, i32 %id
  %vx = load float, float addrspace(1)* %px
  %vy = load float, float addrspace(1)* %py
  %m = fmul float %a, %vx
  %s = fadd float %m, %vy
  store float %s, float addrspace(1)* %py
  br label %e
e:
  ret void
}
define void @helper(i32 addrspace(1)* %p) { store i32 1, i32 addrspace(1)* %p 
 ret void }
define amdgpu_kernel void @two(i32 addrspace(1)* %p) {
  %st = alloca [20 x i32], align 4, addrspace(5)
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr [20 x i32], [20 x i32] addrspace(5)* %st, i32 0, i32 %id
  store volatile i32 %id, i32 addrspace(5)* %q
  %l = getelementptr [64 x float], [64 x float] addrspace(3)* @lds, i32 0, i32 %id
  store volatile float 1.0, float addrspace(3)* %l
  call void @helper(i32 addrspace(1)* %p)
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
