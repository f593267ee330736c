// A goto into a loop makes a cycle with two entries: no natural loop, but blocks, edges and post-dominators all the same.
// RUN: %compile %s -o %t | %check %s
kernel void irreducible(global int* a, int n) {
  int i = 0;
  if (a[0] > 0) goto inside;
again:
  a[i] += 1;
  i += 2;
inside:
  a[i] += a[i + 1];
  i += 1;
  if (i < n) goto again;
}
// CHECK: kernel irreducible
// CHECK-NOT: loop 0
// CHECK: block 0: -> [[INSIDE:[0-9]]] -> [[AGAIN:[0-9]]], post-dominator [[INSIDE]]
// CHECK-DAG: block [[AGAIN]]: -> [[INSIDE]], post-dominator [[INSIDE]]
// CHECK-DAG: block [[INSIDE]]: -> [[AGAIN]] -> [[END:[0-9]]], post-dominator [[END]]
// CHECK-DAG: block [[END]]: return
