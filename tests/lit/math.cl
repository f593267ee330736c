// sincos and its relatives do not pin the variable that receives the second result in private memory.
// RUN: %compile %s -o %t | %check %s
kernel void k(global float* a) {
  int i = get_global_id(0);
  float c, w, f;
  float s = sincos(a[i], &c), m = modf(a[i], &w), r = fract(a[i], &f);
  a[i] = s + c + m + w + r + f;
}
// CHECK-NOT: {{load|store}} private
// CHECK: site 0: load global
// CHECK: site 1: store global
// CHECK-NOT: site 2
