// Eight bins per work-item, indexed by data: stays in memory.
kernel void private_histogram(global const uchar* in, global uint* out, int n) {
  uint bins[8] = {0};
  const int i = get_global_id(0);
  for (int k = 0; k < n; ++k) ++bins[in[i * n + k] >> 5];
  for (int b = 0; b < 8; ++b) out[b * get_global_size(0) + i] = bins[b];
}
