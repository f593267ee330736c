// Follows a chain through all places in an order without pattern: a place holds what is added to get to the next one.
__kernel void chase_random(__global const uint* increment, __global uint* end, uint mask, uint stride, uint steps) {
  uint place = 0;
  for (uint step = 0; step < steps; ++step) place = (place * 1664525u + increment[place * stride]) & mask;
  end[get_global_id(0)] = place;
}
