extern "C" __global__ void choice(int *a, int k) {
  switch (k) {
    case 0: a[1] = k; break;
    case 1: a[2] = 3; break;
    case 2: a[4] = k * 5; break;
    case 3: __syncthreads(); a[5] = a[6]; break;
    default: a[0] = 4;
  }
}
