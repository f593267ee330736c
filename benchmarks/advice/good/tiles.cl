// Data that work-items share in local memory, without bank conflicts.
__kernel void transpose_padded(__global const float* in, __global float* out) {
  __local float tile[32 * 33];
  const uint x = get_local_id(0), y = get_local_id(1), width = get_global_size(0), height = get_global_size(1);
  const uint column = get_group_id(0) * 32, row = get_group_id(1) * 32;
  tile[y * 33 + x] = in[(row + y) * width + column + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(column + y) * height + row + x] = tile[x * 33 + y];
}

__kernel void transpose_swizzled(__global const float* in, __global float* out) {
  __local float tile[32 * 32];
  const uint x = get_local_id(0), y = get_local_id(1), width = get_global_size(0), height = get_global_size(1);
  const uint column = get_group_id(0) * 32, row = get_group_id(1) * 32;
  tile[y * 32 + (x ^ y)] = in[(row + y) * width + column + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(column + y) * height + row + x] = tile[x * 32 + (y ^ x)];
}

__kernel void reverse(__global const float* in, __global float* out) {
  __local float part[256];
  const uint lane = get_local_id(0), first = get_group_id(0) * 256;
  part[lane] = in[first + lane];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + lane] = part[255 - lane];
}

__kernel void group_sum(__global const float* in, __global float* out, uint n) {
  __local float part[256];
  const uint lane = get_local_id(0);
  float sum = 0.0f;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  part[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint width = 128; width > 0; width /= 2) {
    if (lane < width) part[lane] += part[lane + width];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0) out[get_group_id(0)] = part[0];
}

// A tile of A and of B for all work-items of a group; each computes four elements of C.
__kernel void product(__global const float* a, __global const float* b, __global float* c, uint depth) {
  __local float as[32 * 32], bs[32 * 32];
  const uint x = get_local_id(0), y = get_local_id(1), width = get_global_size(0);
  const uint column = get_group_id(0) * 32, row = get_group_id(1) * 32;
  float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (uint k = 0; k < depth; k += 32) {
    for (uint j = 0; j < 4; ++j) {
      as[(y + 8 * j) * 32 + x] = a[(row + y + 8 * j) * depth + k + x];
      bs[(y + 8 * j) * 32 + x] = b[(k + y + 8 * j) * width + column + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 32; ++i)
      for (uint j = 0; j < 4; ++j) sum[j] += as[(y + 8 * j) * 32 + i] * bs[i * 32 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint j = 0; j < 4; ++j) c[(row + y + 8 * j) * width + column + x] = sum[j];
}

// All work-items of a group look at the same bodies, which lie in local memory field by field.
__kernel void forces(__global const float* x, __global const float* y, __global float* out) {
  __local float tx[256], ty[256];
  const uint lane = get_local_id(0), i = get_global_id(0);
  const float px = x[i], py = y[i];
  float sum = 0.0f;
  for (uint first = 0; first < 1024; first += 256) {
    tx[lane] = x[first + lane];
    ty[lane] = y[first + lane];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 256; ++k) {
      const float dx = tx[k] - px, dy = ty[k] - py;
      sum += rsqrt(dx * dx + dy * dy + 0.01f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = sum;
}

// Moving sums over 32 neighbours, from local memory.
__kernel void moving_sum(__global const float* in, __global float* out) {
  __local float part[288];
  const uint lane = get_local_id(0), first = get_group_id(0) * 256;
  part[lane] = in[first + lane];
  if (lane < 32) part[256 + lane] = in[first + 256 + lane];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint k = 0; k < 32; ++k) sum += part[lane + k];
  out[first + lane] = sum;
}

// A row of a matrix for each warp, and a part of the vector for the group.
__kernel void matrix_vector(__global const float* m, __global const float* v, __global float* out) {
  __local float part[8 * 32];
  const uint x = get_local_id(0), y = get_local_id(1), row = get_global_id(1);
  float sum = 0.0f;
  for (uint k = x; k < 512; k += 32) sum += m[row * 512 + k] * v[k];
  part[y * 32 + x] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint width = 16; width > 0; width /= 2) {
    if (x < width) part[y * 32 + x] += part[y * 32 + x + width];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x == 0) out[row] = part[y * 32];
}

// Sums along columns of a block, a running sum per work-item.
__kernel void prefix_columns(__global const float* in, __global float* out, uint rows) {
  const uint i = get_global_id(0), width = get_global_size(0);
  float sum = 0.0f;
  for (uint k = 0; k < rows; ++k) {
    sum += in[k * width + i];
    out[k * width + i] = sum;
  }
}

// Differences of neighbouring rows.
__kernel void rows_difference(__global const float* in, __global float* out) {
  const uint x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  out[y * width + x] = in[(y + 1) * width + x] - in[y * width + x];
}
