// One compare-and-swap stage of a bitonic sort.
kernel void bitonic_step(global uint* keys, uint stage, uint pass) {
  const uint i = get_global_id(0), distance = 1u << (stage - pass);
  const uint left = (i % distance) + (i / distance) * 2 * distance, right = left + distance;
  const uint a = keys[left], b = keys[right];
  const bool ascending = ((i >> stage) & 1) == 0;
  keys[left] = ascending ? min(a, b) : max(a, b);
  keys[right] = ascending ? max(a, b) : min(a, b);
}
