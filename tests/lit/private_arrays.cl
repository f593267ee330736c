// A private array with constant indices after unrolling lives in registers; one that is indexed at run time stays in
// memory, 16-byte aligned, and is recorded. With -O0 semantics both stay.
// RUN: %compile %s -o %t | %check %s
// RUN: %compile %s -o %t --optimize O0 | %check %s --check-prefix=O0
kernel void promoted(global const float* a, global float* b) {
  float v[8];
  int i = get_global_id(0);
  for (int k = 0; k < 8; k++) v[k] = a[i + k];
  float s = 0;
  for (int k = 0; k < 8; k++) s += v[k] * v[7 - k];
  b[i] = s;
}
kernel void indexed(global const float* a, global float* b) {
  float v[8];
  int i = get_global_id(0);
  for (int k = 0; k < 8; k++) v[k] = a[i + k];
  b[i] = v[i & 7];
}
// CHECK-LABEL: kernel promoted
// CHECK-NOT: {{load|store}} private
// CHECK-LABEL: kernel indexed
// CHECK: object v: private, 32 bytes
// CHECK: store private, width 16, align 16, private 0,
// CHECK: store private, width 16, align 16, private 0,
// CHECK: load private, width 4, align 4, private 0,
// O0-LABEL: kernel promoted
// O0: object v: private, 32 bytes
// O0: store private, width 4,
// O0: load private, width 4,
