// Whether the number of iterations can be computed when a loop begins: then GPUs' compilers unroll it.
// RUN: %compile %s -o %t | %check %s

// CHECK-LABEL: kernel counts
// CHECK: loop 0: header {{[0-9]+}}{{$}}
__kernel void counts(__global const float *in, __global float *out, uint n) {
  float sum = 0;
  for (uint j = 0; j < n; ++j)
    sum += in[j * n];
  out[get_global_id(0)] = sum;
}

// CHECK-LABEL: kernel steps_signed
// CHECK: loop 0: header {{[0-9]+}}{{$}}
__kernel void steps_signed(__global const float *in, __global float *out, int n) {
  float sum = 0;
  for (int j = get_local_id(0); j < n; j += 4)
    sum += in[j];
  out[get_global_id(0)] = sum;
}

// An unsigned counter may wrap.
// CHECK-LABEL: kernel steps
// CHECK: loop 0: header {{[0-9]+}}, not counted{{$}}
__kernel void steps(__global const float *in, __global float *out, uint n) {
  float sum = 0;
  for (uint j = get_global_id(0); j < n; j += get_global_size(0))
    sum += in[j];
  out[get_global_id(0)] = sum;
}

// CHECK-LABEL: kernel searches
// CHECK: loop 0: header {{[0-9]+}}, not counted{{$}}
__kernel void searches(__global const uint *in, __global uint *out) {
  uint at = get_global_id(0);
  while (in[at] != 0)
    at = in[at];
  out[get_global_id(0)] = at;
}
