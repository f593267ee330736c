// Follows pointers (indices) through an array; all work-items of a work-group the same ones. Each load waits for the last.
__kernel void chase(__global const uint* next, __global uint* end, uint first, uint steps) {
  uint place = first;
  for (uint step = 0; step < steps; ++step) place = next[place];
  end[get_global_id(0)] = place;
}
