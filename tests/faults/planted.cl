// What is wrong is in the name of each kernel, up to the last underscore; those of clean_ have nothing wrong. All run with 256 work-items in groups of 64.
kernel void out_of_bounds_behind(global int *out) { out[get_global_id(0) + 1] = 1; }
kernel void out_of_bounds_before(global int *out) { out[(int)get_global_id(0) - 1] = 1; }
kernel void out_of_bounds_load(global int *out, global const int *in) { out[get_global_id(0)] = in[get_global_id(0) * 2]; }
kernel void out_of_bounds_local(global int *out) {
  local int a[64], b[64];
  int l = get_local_id(0);
  a[l] = l;
  b[l] = 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  int next = a[l + 1];
  out[get_global_id(0)] = next + b[l];
}
kernel void misaligned_int(global int *out, global const char *in) { out[get_global_id(0)] = *(global const int *)(in + 4 * (get_global_id(0) % 128) + 1); }
kernel void misaligned_vector(global int *out, global const int *in) { out[get_global_id(0)] = (*(global const int4 *)(in + get_local_id(0) + 1)).x; }
kernel void race_local_neighbour(global int *out) {
  local int a[64];
  int l = get_local_id(0);
  a[l] = l;
  out[get_global_id(0)] = a[63 - l];
}
kernel void race_local_second_round(global int *out) {
  local int a[64];
  int l = get_local_id(0), sum = 0;
  for (int k = 0; k < 4; ++k) {
    a[l] = l + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += a[(l + 32) % 64];
  }
  out[get_global_id(0)] = sum;
}
kernel void race_local_common(global int *out) {
  local int last;
  int l = get_local_id(0);
  last = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = last;
}
kernel void race_global_between_groups(global int *out) { out[get_local_id(0)] = get_group_id(0); }
kernel void race_global_neighbour(global int *out) { out[get_global_id(0)] = out[(get_global_id(0) + 64) % 256] + 1; }
kernel void race_global_in_group(global int *out) {
  int l = get_local_id(0);
  out[get_global_id(0)] = l;
  out[get_global_id(0)] += out[get_group_id(0) * 64 + 63 - l];
}
kernel void race_global_lost_update(global int *out) { out[0] += 1; }
kernel void race_global_without_fence(global int *out, global int *part, global int *count) {
  local int last;
  if (get_local_id(0) == 0) {
    part[get_group_id(0)] = get_group_id(0);
    last = atomic_inc(count) == 3;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (last && get_local_id(0) == 0) out[0] = part[0] + part[1] + part[2] + part[3];
}
kernel void race_global_local_fence(global int *out, global int *part, global int *count) {
  local int last;
  if (get_local_id(0) == 0) {
    part[get_group_id(0)] = get_group_id(0);
    mem_fence(CLK_LOCAL_MEM_FENCE);
    last = atomic_inc(count) == 3;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (last && get_local_id(0) == 0) out[0] = part[0] + part[1] + part[2] + part[3];
}
kernel void race_global_flag_first(global int *out, volatile global int *flag) {
  if (get_global_id(0) == 0) {
    flag[0] = 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    out[255] = 7;
  }
  if (get_global_id(0) == 255 && flag[0]) out[0] = out[255];
}
kernel void uninitialised_half(global int *out) {
  local int a[64];
  int l = get_local_id(0);
  if (l < 32) a[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = a[l];
}
kernel void uninitialised_bins(global int *out) {
  local int bins[16];
  int l = get_local_id(0);
  atomic_inc(&bins[l % 16]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = bins[l % 16];
}
kernel void uninitialised_sum(global int *out) {
  local int a[64];
  int l = get_local_id(0);
  a[l] += l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = a[l];
}
kernel void divergent_barrier_half(global int *out) {
  local int a[64];
  int l = get_local_id(0);
  a[l] = l;
  if (l < 16) barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = l;
}

kernel void clean_copy(global int *out, global const int *in) { out[get_global_id(0)] = in[get_global_id(0)]; }
kernel void clean_vector(global int *out, global const int *in) {
  if (get_global_id(0) < 60) vstore4(vload4(get_global_id(0), in + 1), get_global_id(0), out + 1);
}
kernel void clean_tile(global int *out, global const int *in) {
  local int a[64];
  int l = get_local_id(0);
  a[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = a[63 - l];
}
kernel void clean_rounds(global int *out) {
  local int a[64];
  int l = get_local_id(0), sum = 0;
  for (int k = 0; k < 4; ++k) {
    a[l] = l + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += a[(l + 32) % 64];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}
kernel void clean_histogram(global int *out, global const int *in) {
  local int bins[16];
  int l = get_local_id(0);
  if (l < 16) bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&bins[in[get_global_id(0)] & 15]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16) atomic_add(&out[l], bins[l]);
}
kernel void clean_last_group(global int *out, global int *part, global int *count) {
  local int last;
  if (get_local_id(0) == 0) {
    part[get_group_id(0)] = get_group_id(0);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    last = atomic_inc(count) == 3;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (last && get_local_id(0) == 0) out[0] = part[0] + part[1] + part[2] + part[3];
}
kernel void clean_in_place(global int *out) {
  int l = get_local_id(0), g = get_group_id(0) * 64;
  int other = out[g + 63 - l];
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[g + l] = other;
}
kernel void clean_private(global int *out) {
  int a[8];
  for (int k = 0; k < 8; ++k) a[k] = k + get_global_id(0);
  out[get_global_id(0)] = a[get_global_id(0) % 8];
}
kernel void same_value_flag(global int *out) { out[0] = 1; }
kernel void same_value_argument(global int *out, int value) { out[get_local_id(0)] = value; }
kernel void unordered_read_guard(global int *out) { if (out[0] < 1000) atomic_max(out, (int)get_global_id(0)); }
