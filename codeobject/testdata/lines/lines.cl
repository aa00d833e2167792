static inline float twice(float x) { return x * 2.0f; }
static inline float four(global float *p, int i) {
  return twice(p[i]);
}
kernel void k(global float *a, global float *b, int n) {
  int i = __builtin_amdgcn_workitem_id_x();
  b[i + n] = four(a, i);
}
