// How many copies of a barrier unrolling may make: 64 in a kernel, and 6 of branches that decide about one. The loop that
// would exceed a bound stays a loop; its inner loops were unrolled before, its outer ones may not be after it.
// RUN: %compile %s -o %t | %check %s
kernel void guarded(global float* a, int d) {
  local float t[64];
  int l = get_local_id(0);
  t[l] = a[l];
  for (int k = 0; k < 4; ++k)          // line 8: 4 x 2 branches, left rolled
    for (int part = 0; part < 2; ++part)  // unrolled: 2 branches
      for (int s = d; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) t[l] += t[l + s];
      }
  a[l] = t[l];
}
// CHECK-LABEL: kernel guarded
// CHECK: loop 0: header {{[0-9]+}}, 4 iterations left rolled because of its barriers, bound_barriers.cl:8:3{{$}}
// CHECK-NEXT: loop 1: header {{[0-9]+}}, in loop 0, not counted{{$}}
// CHECK-NEXT: loop 2: header {{[0-9]+}}, in loop 0, not counted{{$}}
// CHECK-NOT: loop 3: header

kernel void within(global float* a, int d) {
  local float t[64];
  int l = get_local_id(0);
  t[l] = a[l];
  for (int k = 0; k < 3; ++k)  // 3 x 2 branches
    for (int part = 0; part < 2; ++part)
      for (int s = d; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) t[l] += t[l + s];
      }
  a[l] = t[l];
}
// CHECK-LABEL: kernel within
// CHECK-COUNT-6: loop {{[0-9]}}: header {{[0-9]+}}, not counted{{$}}
// CHECK-NOT: left rolled

kernel void most(global float* a) {
  local float t[64];
  int l = get_local_id(0);
  for (int k = 0; k < 32; ++k) {  // 64 barriers
    t[l] = a[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[63 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
// CHECK-LABEL: kernel most
// CHECK-NOT: loop 0: header
// CHECK-COUNT-64: barrier local (local)

kernel void too_many(global float* a) {
  local float t[64];
  int l = get_local_id(0);
  for (int k = 0; k < 33; ++k) {  // line 55: 66 barriers
    t[l] = a[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[63 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
// CHECK-LABEL: kernel too_many
// CHECK: loop 0: header {{[0-9]+}}, 33 iterations left rolled because of its barriers, bound_barriers.cl:55:3{{$}}
// CHECK-COUNT-2: barrier local (local)
// CHECK-NOT: barrier local (local)

// A pragma asks for copies of a loop whose length is unknown.
kernel void asked(global float* a, int n, int d) {
  local float t[64];
  int l = get_local_id(0);
  t[l] = a[l];
  #pragma unroll 8
  for (int k = 0; k < n; ++k)  // line 73
    for (int s = d; s > 0; s >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      t[l] += t[63 - l];
    }
  a[l] = t[l];
}
// CHECK-LABEL: kernel asked
// CHECK: 8 iterations left rolled because of its barriers, bound_barriers.cl:73:3{{$}}
// CHECK-NOT: loop 2: header
