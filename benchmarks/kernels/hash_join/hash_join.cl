// The probe side of a hash join. A bucket has four slots with the key's tag, 0 = empty; matching payloads are added up.
__kernel void hash_join(__global const uint* key, __global const uint4* bucket, __global const uint* payload,
                        __global uint* matches, __global uint* sum, uint mask) {
  const uint i = get_global_id(0);
  const uint hash = key[i] * 2654435769u;
  const uint place = hash & mask;
  const uint tag = 1 + (hash >> 28);
  const uint4 tags = bucket[place];
  uint count = 0;
  uint total = 0;
  if (tags.x == tag) { ++count; total += payload[4 * place]; }
  if (tags.y == tag) { ++count; total += payload[4 * place + 1]; }
  if (tags.z == tag) { ++count; total += payload[4 * place + 2]; }
  if (tags.w == tag) { ++count; total += payload[4 * place + 3]; }
  matches[i] = count;
  sum[i] = total;
}
