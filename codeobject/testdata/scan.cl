// An inclusive scan of 64 lanes with data-parallel primitives.
kernel void scan(global const int *src, global int *dst, global int *total) {
  uint lane = __builtin_amdgcn_workitem_id_x(), wg = __builtin_amdgcn_workgroup_id_x();
  int v = src[wg * 64 + lane];
  v += __builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, 0);
  v += __builtin_amdgcn_update_dpp(0, v, 0x112, 0xf, 0xf, 0);
  v += __builtin_amdgcn_update_dpp(0, v, 0x114, 0xf, 0xe, 0);
  v += __builtin_amdgcn_update_dpp(0, v, 0x118, 0xf, 0xc, 0);
  v += __builtin_amdgcn_update_dpp(0, v, 0x142, 0xa, 0xf, 0);
  v += __builtin_amdgcn_update_dpp(0, v, 0x143, 0xc, 0xf, 0);
  dst[wg * 64 + lane] = v;
  int t = __builtin_amdgcn_readlane(v, 63);
  if (lane == 0)
    total[wg] = t;
}
