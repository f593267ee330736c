// What kernels take, typedefs and macros included; sizes are those of OpenCL C (a 3-vector has room for four).
// RUN: %compile %s --signatures -- -DWIDTH=4 | %check %s
typedef uint word;
typedef struct { float x; int n[3]; char c; } plain;
struct __attribute__((packed)) tight { char c; double d; };
struct unknown;
enum colour { red };
#define VECTOR(n) float##n
#define MAKE(n) VECTOR(n)
__attribute__((reqd_work_group_size(16, 4, 1)))
kernel void first(global const MAKE(WIDTH)* restrict in, __global volatile word* out, local int* scratch, float s) {
  scratch[get_local_id(0)] = s;
}
void helper(global int* p);
__kernel void second(constant short3* c, read_only image2d_t picture, sampler_t sampler) {}
kernel void third(plain p, struct tight t, global plain* pp, global struct unknown* u, global void* v, enum colour e, uchar3 u3,
                  unsigned long l, global float (*rows)[16]) {}
kernel void none() {}
// CHECK: "line": 11
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
// CHECK: "address_space": "local"
// CHECK-NEXT: "bytes": 4
// CHECK: "kind": "local"
// CHECK: "address_space": "private"
// CHECK-NEXT: "bytes": 4
// CHECK: "kind": "value"
// CHECK: "reqd_work_group_size": [
// CHECK-NEXT: 16,
// CHECK-NEXT: 4,
// CHECK-NEXT: 1
// CHECK: "line": 15
// CHECK: "name": "second"
// CHECK: "address_space": "constant"
// CHECK-NEXT: "bytes": 8
// CHECK-NEXT: "const": false
// CHECK: "element": "short"
// CHECK: "type": "__constant short3 *"
// CHECK: "vector_width": 3
// CHECK: "kind": "image"
// CHECK: "type": "__read_only image2d_t"
// CHECK: "kind": "sampler"
// CHECK: "reqd_work_group_size": null
// CHECK: "name": "third"
// CHECK: "bytes": 20
// CHECK: "element": "plain"
// CHECK-NEXT: "kind": "struct"
// CHECK: "bytes": 9
// CHECK: "element": "struct tight"
// CHECK: "bytes": 20
// CHECK: "kind": "buffer"
// CHECK: "type": "__global plain *"
// CHECK: "bytes": 0
// CHECK: "name": "u"
// CHECK: "bytes": 0
// CHECK: "element": "void"
// CHECK: "bytes": 4
// CHECK: "kind": "value"
// CHECK: "bytes": 4
// CHECK: "element": "uchar"
// CHECK: "vector_width": 3
// CHECK: "bytes": 8
// CHECK: "element": "ulong"
// CHECK: "type": "ulong"
// CHECK: "bytes": 64
// CHECK: "element": "float[16]"
// CHECK: "name": "none"
// CHECK-NEXT: "parameters": []
// CHECK-NOT: helper
