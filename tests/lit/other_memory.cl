// What a pointer to local or constant memory points to is that memory: one that is made of another's address is named, and the tool exits
// with status 3.
// RUN: %not %compile %s -o %t | %check %s
constant int table[] = {1, 2, 3, 4};
kernel void k(global const int *a, global int *b, constant int *c, local int *d) {
  const int i = get_global_id(0);
  d[i] = a[i];                                     // line 7
  b[i] = c[i] + table[i & 3] + d[i ^ 1];           // line 8
  b[i] += ((const constant int *)(ulong)a)[i];     // line 9
  b[i] += ((const local int *)(ulong)(a + 1))[i];  // line 10
}
// CHECK-DAG: load constant, {{.*}}other_memory.cl:8:
// CHECK-DAG: load local, {{.*}}other_memory.cl:8:
// CHECK-DAG: cannot be traced: {{.*}}:9:{{.*}}access to constant memory by an address of other memory
// CHECK-DAG: cannot be traced: {{.*}}:10:{{.*}}access to local memory by an address of other memory
