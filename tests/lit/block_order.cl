// Blocks are numbered in a reverse post-order with the blocks of a loop together and before what follows the loop, and
// the true side of a branch first: divergent paths are replayed lowest block first.
// RUN: %compile %s -o %t | %check %s
kernel void order(global int* a, int n) {
  int i = get_global_id(0);
  while (a[i] > 0) {           // line 6
    if (a[i] == 5) a[i + 1] = 1;    // line 7
    else atomic_inc(a + i);         // line 8
    if (a[i + 3] == 7) break;     // line 9
    i += n;
  }
  a[0] = 9;  // line 12
}
// CHECK: store {{.*}}block_order.cl:7:
// CHECK: atomic {{.*}}block_order.cl:8:
// CHECK: load {{.*}}block_order.cl:9:
// CHECK: store {{.*}}block_order.cl:12:
