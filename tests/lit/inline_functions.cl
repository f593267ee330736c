// A function that is only `inline` needs no other definition, whatever the optimisation and however it is declared.
// RUN: %compile %s -o %t | %check %s
// RUN: %compile %s -o %t --optimize O0 | %check %s
// RUN: %dis %t/optimised.bc -o - | %check %s --check-prefix=LINKED
inline float plain(global const float* p) { return p[0]; }          // line 5
extern inline float external(global const float* p) { return p[1]; }  // line 6
static inline float internal(global const float* p) { return p[2]; }  // line 7
inline float both(global const float* p);
extern inline float both(global const float* p) { return p[3]; }  // line 9
inline float nested(global const float* p) { return plain(p + 4); }
inline __attribute__((noinline)) float apart(global const float* p) { return p[5]; }  // line 11

kernel void first(global const float* a, global float* out) {
  out[get_global_id(0)] = plain(a) + external(a) + internal(a) + both(a) + apart(a);
}
kernel void second(global const float* a, global float* out) { out[get_global_id(0)] = nested(a) + internal(a); }
// CHECK-LABEL: kernel first
// CHECK-DAG: load global, {{.*}} plain inline_functions.cl:5:52
// CHECK-DAG: load global, {{.*}} external inline_functions.cl:6:62
// CHECK-DAG: load global, {{.*}} internal inline_functions.cl:7:62
// CHECK-DAG: load global, {{.*}} both inline_functions.cl:9:58
// CHECK-DAG: load global, {{.*}} apart inline_functions.cl:11:78
// CHECK-LABEL: kernel second
// CHECK-DAG: load global, {{.*}} plain inline_functions.cl:5:52
// CHECK-DAG: load global, {{.*}} internal inline_functions.cl:7:62
// CHECK-NOT: cannot be traced
// LINKED-NOT: @plain
// LINKED-NOT: @nested
