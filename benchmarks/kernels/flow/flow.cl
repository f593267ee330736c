// Control flow that loop counters cannot describe: a goto out of two loops, a switch whose cases fall through, an early
// return, and a loop with two entries (irreducible).
__kernel void flow(__global const uint* in, __global uint* out, uint rounds) {
  const size_t i = get_global_id(0);
  const size_t items = get_global_size(0);
  uint value = in[i];
  if (value % 11 == 3) {
    out[i] = 7;
    return;
  }

  uint found = 0;
  for (uint a = 0; a < rounds; ++a) {
    for (uint b = 0; b <= a; ++b) {
      found = in[(i + a * 5 + b) % items];
      if (found % 13 == 0) goto leave;
      value += found;
    }
  }
leave:

  switch (value % 5) {
    case 0: value += in[(i + 1) % items];  // falls through
    case 1: value ^= in[(i + 2) % items]; break;
    case 2: value += 17;  // falls through
    case 3: value *= 3; break;
    default: value -= found;
  }

  uint turns = 0;
  if (value % 2 == 0) goto middle;
top:
  value += in[(value + turns) % items];
middle:
  ++turns;
  value ^= turns << 3;
  if (turns < rounds && value % 7 != 0) goto top;
  out[i] = value;
}
