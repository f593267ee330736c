// Lanes of a warp that meet at different __syncwarp(), also of a part of the warp, and wait for each other in loops.
__global__ void meetings(const unsigned* in, unsigned* out) {
  __shared__ unsigned box[32];
  __shared__ volatile unsigned turn;
  __shared__ unsigned lock, sum;
  const unsigned t = threadIdx.x;
  unsigned x = in[t];
  if (t == 0) turn = lock = sum = 0;
  box[t] = 0;
  __syncwarp();
  if (t & 1u) {
    box[t] = x;
    __syncwarp();
    x += box[t - 1u];
  } else {
    box[t] = ~x;
    __syncwarp();
    x ^= box[t + 1u];
  }
  __syncwarp();
  if (t < 8u) {
    if (t < 3u) {
      box[t] = x * 3u;
      __syncwarp(0xffu);
    } else {
      box[t] = x * 5u;
      __syncwarp(0xffu);
    }
    x += box[7u - t];
  }
  __syncwarp();
  // Each lane waits for the one below it.
  while (turn != t) __nanosleep(20);
  box[t] = x + (t != 0 ? box[t - 1u] : 0);
  __threadfence_block();
  turn = t + 1u;
  // One after the other, with the lock of a spin loop.
  while (atomicCAS(&lock, 0u, 1u) != 0u)
    ;
  sum += box[t] * (t + 1u);
  __threadfence_block();
  atomicExch(&lock, 0u);
  __syncthreads();
  out[t] = sum ^ box[t];
}
