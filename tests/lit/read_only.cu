// Which loads NVIDIA's compiler makes ld.global.nc: those of __ldg(), of any width; and those through a restrict argument of the kernel
// that nothing is written through.
// RUN: %compile %s | %check %s
__global__ void marked(const float *a, const float4 *b, const float *c, float *out) {
  const int i = threadIdx.x;
  const float4 v = __ldg(b + i);
  const float x = c[i];
  out[i] = v.x + v.y + v.z + v.w + __ldg(a + i) + x;
}
// CHECK-LABEL: kernel marked,
// CHECK-DAG: load global, width 4, align 4, argument 0, read-only, at
// CHECK-DAG: load global, width 16, align 16, argument 1, read-only, at
// CHECK-DAG: load global, width 4, align 4, argument 2, at
// CHECK: store global
__global__ void restricted(const float *__restrict__ a, float *__restrict__ b, const float *c) {
  const int i = threadIdx.x;
  b[i] = b[i + 1] + a[i] + c[i];
}
// CHECK-LABEL: kernel restricted,
// CHECK-DAG: load global, width 4, align 4, argument 0, read-only, at
// CHECK-DAG: load global, width 4, align 4, argument 1, at
// CHECK-DAG: load global, width 4, align 4, argument 2, at
// CHECK: store global
