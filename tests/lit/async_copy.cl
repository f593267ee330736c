// async_work_group_copy is a loop shared by the work-items, wait_group_events a barrier.
// RUN: %compile %s -o %t | %check %s
kernel void copy(global const float* a, global float* b) {
  local float t[64];
  event_t e = async_work_group_copy(t, a + 64 * get_group_id(0), 64, 0);  // line 5
  wait_group_events(1, &e);                                              // line 6
  b[get_global_id(0)] = t[63 - get_local_id(0)];
}
// CHECK: block [[LOOP:[0-9]+]]: {{.*}}loop 0
// CHECK: load global, width 4, align 4, argument 0, {{.*}} async_copy.cl:5:15
// CHECK: store local, width 4, align 4, local 0, {{.*}} async_copy.cl:5:15
// CHECK: barrier local (local|global), {{.*}} async_copy.cl:6:3
// CHECK: load local, width 4, align 4, local 0,
