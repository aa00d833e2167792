// Arguments of every kind, attributes, LDS, scratch, data and hidden arguments.
typedef float f4 __attribute__((ext_vector_type(4)));
struct pair { int a; float b[3]; };
__constant int primes[4] = {2, 3, 5, 7};
__global int counter = 7;
__global int *__global where = &counter;

__attribute__((reqd_work_group_size(64, 2, 1))) kernel void
many(global const float *restrict a, local int *l, struct pair p, char c, f4 v,
     volatile global int *q, constant int *cc, global int *global *w) {
  local int sh[16];
  sh[__builtin_amdgcn_workitem_id_x() & 15] = c;
  l[__builtin_amdgcn_workitem_id_y()] = p.a;
  __builtin_amdgcn_s_barrier();
  q[0] = sh[3] + l[2] + primes[c & 3] + cc[1] + counter + (int)v.x + (int)a[c];
  *w = where;
}

__attribute__((vec_type_hint(float4))) __attribute__((work_group_size_hint(8, 1, 1))) kernel void
scratch(global int *o, int n) {
  volatile int x[40];
  for (int i = 0; i < n; i++)
    x[i] = o[i];
  o[1] = x[n];
}

kernel void hidden(global int *o) {
  o[0] = ((constant int *)__builtin_amdgcn_implicitarg_ptr())[0] + __builtin_amdgcn_workgroup_size_x();
  o[1] = __builtin_amdgcn_workgroup_id_z() + __builtin_amdgcn_workitem_id_z();
}
