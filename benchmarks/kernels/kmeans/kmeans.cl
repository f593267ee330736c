// The assignment step of k-means: each point looks for its nearest centre. Points lie one after the other.
__kernel void kmeans(__global const float* point, __global const float* centre, __global uint* membership, uint features,
                     uint centres) {
  const uint i = get_global_id(0);
  uint nearest = 0;
  float least = MAXFLOAT;
  for (uint c = 0; c < centres; ++c) {
    float distance = 0.0f;
    for (uint f = 0; f < features; ++f) {
      const float difference = point[i * features + f] - centre[c * features + f];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  membership[i] = nearest;
}
