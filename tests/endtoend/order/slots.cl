kernel void slots(global uint *out, global uint *counter, global uint *bins) {
  uint group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
  atomic_inc(&bins[(group + get_local_id(0)) % 7]);
  if (get_local_id(0) == 0) out[atomic_inc(counter)] = group;
}
