// Honest: four numbers at a time.
uint with(uint h, float number) { return (h ^ as_uint(number)) * 16777619u; }
kernel void hash(global const float4* in, global uint* out, uint n) {
  const uint i = get_global_id(0);
  uint h = 2166136261u;
  for (uint k = 0; k < n / 4; ++k) {
    const float4 four = in[i * n / 4 + k];
    h = with(with(with(with(h, four.x), four.y), four.z), four.w);
  }
  out[i] = h;
}
