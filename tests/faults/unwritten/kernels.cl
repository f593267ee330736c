// Global memory that nobody has written (arguments called fresh…): the code of the fault is in the kernel's name, as in planted.cl.
// All run with 256 work-items in groups of 64; kernels.cu has the same in CUDA.
struct pair { int key, value; };
struct padded { double a; int b; };

kernel void uninitialised_input(__global int *out, __global int *fresh) { out[get_global_id(0)] = fresh[get_global_id(0)]; }
kernel void uninitialised_sum(__global int *fresh, __global const int *in) { fresh[get_global_id(0)] += in[get_global_id(0)]; }
kernel void uninitialised_tail(__global int *out, __global int *fresh) {
  int i = get_global_id(0);
  if (i < 255) fresh[i] = i;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = fresh[i];
}
kernel void uninitialised_bins(__global int *fresh, __global const int *in) { atomic_inc(&fresh[in[get_global_id(0)] & 15]); }
kernel void uninitialised_most(__global int *fresh, __global const int *in) { atomic_max(&fresh[0], in[get_global_id(0)]); }
kernel void uninitialised_exchange(__global int *out, __global int *fresh) { out[get_global_id(0)] = atomic_xchg(&fresh[get_global_id(0)], 1); }
kernel void uninitialised_late(__global int *out, __global int *fresh) {
  int l = get_local_id(0), g = get_group_id(0) * 64;
  out[g + l] = fresh[g + 63 - l];
  barrier(CLK_GLOBAL_MEM_FENCE);
  fresh[g + l] = l;
}
kernel void uninitialised_bytes(__global int *out, __global uchar *fresh_bytes) {
  int i = get_global_id(0);
  if ((i & 1) == 0) fresh_bytes[i] = 1;
  out[i] = fresh_bytes[i];
}
kernel void uninitialised_field(__global int *out, __global struct pair *fresh_pairs) {
  int i = get_global_id(0);
  fresh_pairs[i].key = i;
  out[i] = fresh_pairs[i].value;
}
kernel void uninitialised_halves(__global int *out, __global short *fresh_halves) { out[get_global_id(0)] = fresh_halves[get_global_id(0)]; }
kernel void uninitialised_guess(__global int *out, __global int *fresh) { if (fresh[0] == 7) out[get_global_id(0)] = 1; }
// What a later group writes is a race: in another order of the groups it would be there.
kernel void race_global_of_a_later_group(__global int *out, __global int *fresh) {
  int i = get_global_id(0);
  out[i] = fresh[(i + 64) & 255];
  fresh[i] = i;
}

kernel void clean_first_use(__global int *out, __global int *fresh) {
  int l = get_local_id(0), g = get_group_id(0) * 64;
  fresh[g + l] = l;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[g + l] = fresh[g + 63 - l];
}
kernel void clean_last_group_reads(__global int *out, __global int *fresh, __global int *count) {
  local int last;
  if (get_local_id(0) == 0) {
    fresh[get_group_id(0)] = get_group_id(0);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    last = atomic_inc(count) == 3;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (last && get_local_id(0) == 0) out[0] = fresh[0] + fresh[1] + fresh[2] + fresh[3];
}
kernel void clean_zeroed_bins(__global int *fresh, __global const int *in) {
  int l = get_local_id(0), g = get_group_id(0) * 64;
  if (l < 16) fresh[g + l] = 0;
  barrier(CLK_GLOBAL_MEM_FENCE);
  atomic_inc(&fresh[g + (in[g + l] & 15)]);
}
kernel void clean_exchanged(__global int *out, __global int *fresh) {
  int i = get_global_id(0);
  atomic_xchg(&fresh[i], i);
  out[i] = fresh[i];
}
kernel void clean_padding(__global struct padded *fresh_structs, __global struct padded *fresh_copies) {
  int l = get_local_id(0), g = get_group_id(0) * 64;
  fresh_structs[g + l].a = l;
  fresh_structs[g + l].b = l;
  barrier(CLK_GLOBAL_MEM_FENCE);
  fresh_copies[g + l] = fresh_structs[g + 63 - l];
}
kernel void clean_two_buffers(__global int *out, __global int *fresh, __global const int *in) {
  int l = get_local_id(0), g = get_group_id(0) * 64, now = 0;
  fresh[g + l] = in[g + l];
  for (int k = 0; k < 4; ++k) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    __global int *from = now ? out : fresh, *to = now ? fresh : out;
    to[g + l] = from[g + 63 - l] + k;
    now = 1 - now;
  }
}
kernel void clean_only_where_written(__global int *out, __global int *fresh, __global const int *in) {
  int l = get_local_id(0), g = get_group_id(0) * 64;
  if (in[g + l] & 1) fresh[g + l] = l;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (in[g + 63 - l] & 1) out[g + l] = fresh[g + 63 - l];
}
kernel void clean_own_bytes(__global int *out, __global uchar *fresh_bytes) {
  int l = get_local_id(0), g = get_group_id(0) * 64;
  fresh_bytes[g + l] = l;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[g + l] = fresh_bytes[g + 63 - l];
}
kernel void clean_output(__global int *fresh, __global const int *in) { fresh[get_global_id(0)] = in[get_global_id(0)]; }
