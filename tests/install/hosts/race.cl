// Two work-groups store to one place, in no order.
kernel void race(global int *out) { out[get_local_id(0)] = get_group_id(0); }
