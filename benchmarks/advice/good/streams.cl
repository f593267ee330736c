// Every element once, neighbouring lanes at neighbouring elements.
__kernel void copy(__global const float* in, __global float* out) { out[get_global_id(0)] = in[get_global_id(0)]; }

__kernel void copy4(__global const float4* in, __global float4* out) { out[get_global_id(0)] = in[get_global_id(0)]; }

__kernel void saxpy(__global const float* x, __global float* y) {
  const uint i = get_global_id(0);
  y[i] = 2.0f * x[i] + y[i];
}

__kernel void triad(__global const float* a, __global const float* b, __global const float* c, __global float* out) {
  const uint i = get_global_id(0);
  out[i] = a[i] + b[i] * c[i];
}

__kernel void grid_stride(__global const float* in, __global float* out, uint n) {
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = sqrt(in[i]);
}

__kernel void points(__global const float* x, __global const float* y, __global const float* z, __global float* out) {
  const uint i = get_global_id(0);
  out[i] = x[i] * x[i] + y[i] * y[i] + z[i] * z[i];
}

// Long sums of registers: the memory does not matter.
__kernel void series(__global const float* in, __global float* out) {
  const float x = in[get_global_id(0)];
  float term = 1.0f, sum = 1.0f;
  for (uint k = 1; k < 64; ++k) {
    term *= x / k;
    sum += term;
  }
  out[get_global_id(0)] = sum;
}

__kernel void generator(__global uint* out) {
  uint state = get_global_id(0);
  for (uint k = 0; k < 64; ++k) state = state * 1664525u + 1013904223u;
  out[get_global_id(0)] = state;
}

// All lanes read one coefficient at a time, from constant memory.
__kernel void polynomial(__constant float* c, __global const float* in, __global float* out) {
  const float x = in[get_global_id(0)];
  float sum = 0.0f;
  for (int k = 15; k >= 0; --k) sum = sum * x + c[k];
  out[get_global_id(0)] = sum;
}

__kernel void column_sums(__global const float* in, __global float* out, uint rows) {
  const uint i = get_global_id(0), width = get_global_size(0);
  float sum = 0.0f;
  for (uint k = 0; k < rows; ++k) sum += in[k * width + i];
  out[i] = sum;
}
