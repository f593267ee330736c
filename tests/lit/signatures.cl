// Kernels' signatures as Clang sees them, typedefs and macros included.
// RUN: %signatures %s -- -DWIDTH=4 | %check %s
typedef uint word;
#define VECTOR(n) float##n
#define MAKE(n) VECTOR(n)
__attribute__((reqd_work_group_size(16, 4, 1)))
kernel void first(global const MAKE(WIDTH)* restrict in, __global volatile word* out, local int* scratch, float s) {
  local float tile[16][17];
  tile[0][get_local_id(0)] = s;
}
void helper(global int* p);
__kernel void second(constant short3* c, read_only image2d_t picture) {}
// CHECK: "line": 7
// CHECK: "bytes": 1088
// CHECK-NEXT: "name": "tile"
// CHECK: "name": "first"
// CHECK: "address_space": "global"
// CHECK-NEXT: "bytes": 16
// CHECK-NEXT: "const": true
// CHECK-NEXT: "element": "float"
// CHECK-NEXT: "kind": "buffer"
// CHECK-NEXT: "name": "in"
// CHECK-NEXT: "pointer": true
// CHECK-NEXT: "restrict": true
// CHECK-NEXT: "type": "const __global float4 *restrict"
// CHECK-NEXT: "vector_width": 4
// CHECK-NEXT: "volatile": false
// CHECK: "element": "uint"
// CHECK: "name": "out"
// CHECK: "type": "volatile __global word *"
// CHECK: "volatile": true
// CHECK: "kind": "local"
// CHECK: "kind": "value"
// CHECK: "reqd_work_group_size": [
// CHECK-NEXT: 16,
// CHECK-NEXT: 4,
// CHECK-NEXT: 1
// CHECK: "line": 12
// CHECK: "name": "second"
// CHECK: "address_space": "constant"
// CHECK-NEXT: "bytes": 8
// CHECK: "element": "short"
// CHECK: "vector_width": 3
// CHECK: "kind": "image"
// CHECK: "reqd_work_group_size": null
// CHECK-NOT: helper
