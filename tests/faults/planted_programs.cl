// As planted.cl: faults as programs have them, in stencils, scans, histograms and tiles.
kernel void out_of_bounds_stencil(global int *out, global const int *in) {
  int i = get_global_id(0);
  out[i] = in[i] + in[i + 1];
}
kernel void out_of_bounds_pitch(global int *out) {
  int x = get_global_id(0) % 16, y = get_global_id(0) / 16;
  out[y * 17 + x] = x;
}
kernel void out_of_bounds_halo(global int *out, global const int *in) {
  local int tile[64];
  int l = get_local_id(0);
  tile[l + 1] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[l];
}
kernel void misaligned_double(global int *out, global const char *in) { out[get_global_id(0)] = *(global const long *)(in + 8 * (get_global_id(0) % 100) + 4); }
kernel void race_local_scan(global int *out, global const int *in) {
  local int a[64];
  int l = get_local_id(0);
  a[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < 64; step *= 2) {
    if (l >= step) a[l] += a[l - step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = a[l];
}
kernel void race_local_histogram(global int *out, global const int *in) {
  local int bins[16];
  int l = get_local_id(0);
  if (l < 16) bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  bins[in[get_global_id(0)] & 15] += 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16) out[get_group_id(0) * 16 + l] = bins[l];
}
kernel void race_local_tree(global int *out, global const int *in) {
  local int a[64];
  int l = get_local_id(0);
  a[l] = in[get_global_id(0)];
  for (int step = 32; step > 0; step /= 2) {
    if (l < step) a[l] += a[l + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = a[0];
}
kernel void race_global_bins(global int *out, global const int *in) { out[in[get_global_id(0)] & 15] += 1; }
kernel void race_global_smooth(global int *out) {
  int i = get_global_id(0);
  if (i > 0 && i < 255) out[i] = (out[i - 1] + out[i + 1]) / 2;
}
kernel void race_global_most(global int *out, global const int *in) {
  int value = in[get_global_id(0)];
  if (value >= out[0]) out[0] = value;
}
kernel void race_global_append(global int *out, global int *count) {
  int place = count[0];
  out[place & 255] = get_global_id(0);
  count[0] = place + 1;
}
kernel void uninitialised_halo(global int *out, global const int *in) {
  local int tile[66];
  int l = get_local_id(0);
  tile[l + 1] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[l] + tile[l + 2];
}
kernel void uninitialised_other_buffer(global int *out, global const int *in) {
  local int both[2][64];
  int l = get_local_id(0), sum = 0;
  for (int k = 0; k < 4; ++k) {
    both[k & 1][l] = in[get_global_id(0)] + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += both[1 - (k & 1)][63 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}
kernel void divergent_barrier_rounds(global int *out) {
  local int a[64];
  int l = get_local_id(0), sum = 0;
  a[l] = l;
  for (int k = 0; k <= l / 32; ++k) {
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += a[63 - l];
  }
  out[get_global_id(0)] = sum;
}
kernel void clean_stencil(global int *out, global const int *in) {
  int i = get_global_id(0);
  out[i] = in[i] + (i < 255 ? in[i + 1] : 0);
}
kernel void clean_halo(global int *out, global const int *in) {
  local int tile[66];
  int l = get_local_id(0), i = get_global_id(0);
  tile[l + 1] = in[i];
  if (l == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (l == 63) tile[65] = i < 255 ? in[i + 1] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[l] + tile[l + 2];
}
kernel void clean_scan(global int *out, global const int *in) {
  local int both[2][64];
  int l = get_local_id(0), now = 0;
  both[0][l] = in[get_global_id(0)];
  for (int step = 1; step < 64; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    both[1 - now][l] = both[now][l] + (l >= step ? both[now][l - step] : 0);
    now = 1 - now;
  }
  out[get_global_id(0)] = both[now][l];
}
kernel void clean_tree(global int *out, global const int *in) {
  local int a[64];
  int l = get_local_id(0);
  a[l] = in[get_global_id(0)];
  for (int step = 32; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < step) a[l] += a[l + step];
  }
  if (l == 0) out[get_group_id(0)] = a[0];
}
kernel void clean_bins(global int *out, global const int *in) { atomic_inc(&out[in[get_global_id(0)] & 15]); }
kernel void clean_least(global int *out, global const int *in) { atomic_min(&out[0], in[get_global_id(0)]); }
kernel void clean_append(global int *out, global int *count) { out[atomic_inc(count) & 255] = get_global_id(0); }
kernel void clean_every_other(global int *out) {
  int i = get_global_id(0);
  if (i & 1) out[i] += out[i ^ 1];
}
kernel void clean_rounds_of_all(global int *out) {
  local int a[64];
  int l = get_local_id(0), sum = 0;
  for (int k = 0; k < 3; ++k) {
    a[l] = l + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += a[63 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}
