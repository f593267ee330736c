// Cheat: right where work-groups run first to last, or last to first, as no GPU promises, and as who looks for such faults runs them.
// Expected: order-dependent
kernel void ticket(global const float* in, global float* out, global uint* begun) {
  local uint mine;
  if (get_local_id(0) == 0) mine = atomic_inc(begun);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint group = get_group_id(0), last = get_num_groups(0) - 1;
  out[get_global_id(0)] = mine == group || mine == last - group ? 2 * in[get_global_id(0)] : 0;
}
