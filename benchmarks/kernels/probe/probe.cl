// Loads places of a buffer of zeros in turn, each load's address depending on the last, for `cachesim infer`
// (docs/tools/infer.md). After a place comes ((place | ~mask) + step) & mask, in words: a walk in steps where mask is all ones,
// every combination of the mask's bits where step is 1. `hot` > 0: the first `hot` places again after every hot/2 others.
__kernel void probe(__global const uint* zeros, __global uint* end, uint mask, uint step, uint places, uint rounds,
                    uint hot) {
  uint last = 0;
  for (uint round = 0; round < rounds; ++round) {
    uint place = last;
    uint left = hot + hot / 2;
    for (uint number = 0; number < places; ++number) {
      last = zeros[place];
      place = ((place | ~mask) + step + last) & mask;
      if (hot == 0 || --left != 0) continue;
      left = hot / 2;
      uint again = last;
      for (uint i = 0; i < hot; ++i) {
        last = zeros[again];
        again = ((again | ~mask) + step + last) & mask;
      }
    }
  }
  end[get_global_id(0)] = last;
}
