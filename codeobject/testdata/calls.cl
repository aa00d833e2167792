// Calls, a table of constants and a global reached through the offset table.
constant float table[8] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f};
global int shared_counter = 3;

__attribute__((noinline)) float pick(int i, global float *p) {
  volatile float local_copy[4];
  local_copy[i & 3] = table[i & 7];
  p[i] = local_copy[(i + 1) & 3];
  return local_copy[i & 3] + shared_counter;
}

__attribute__((noinline)) float twice(int i, global float *p) { return pick(i, p) + pick(i + 1, p); }

kernel void calls(global float *p, int n) {
  int i = __builtin_amdgcn_workitem_id_x();
  if (i < n)
    p[i] = twice(i, p);
}
