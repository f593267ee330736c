// A function that is called like ours is recorded like any other, and nothing runs when the kernel is loaded.
// RUN: %compile %s -o %t | %check %s
// RUN: %dis %t/instrumented.bc -o - | %check %s --check-prefix=IR
__attribute__((constructor)) void at_start(void) {}
__attribute__((noinline)) int __warpscope_dot(global const int *a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i]; // line 8
  return sum;
}
kernel void k(global int *a, int n) { a[n] = __warpscope_dot(a, n); }
// CHECK-DAG: load global, {{.*}}own_names.cl:8:
// CHECK-DAG: store global, {{.*}}own_names.cl:11:
// IR-NOT: global_ctors
