// Helpers are inlined, even where the source forbids it; an access keeps its own line and function.
// RUN: %compile %s -o %t | %check %s
__attribute__((noinline)) float helper(global const float* p, int i) {
  return p[i];  // line 4
}
kernel void caller(global const float* a, global float* b) {
  int i = get_global_id(0);
  b[i] = helper(a, i);  // line 8
}
// CHECK: load global, {{.*}} helper inlined_helper.cl:4:10
// CHECK: store global, {{.*}} caller inlined_helper.cl:8:8
