// A long function in a header, all of whose lines become code of the kernels that call it.
template <class T>
__device__ T heavy(T x, int n) {
  x = x * 3 + n;
  x ^= x >> 7;
  x = x * 5 + n;
  x ^= x >> 9;
  x = x * 7 + n;
  x ^= x >> 11;
  x = x * 9 + n;
  x ^= x >> 13;
  x = x * 11 + n;
  x ^= x >> 15;
  x = x * 13 + n;
  x ^= x >> 17;
  return x;
}
/// A kernel that is defined here.
template <class T>
__global__ void of_header(T* numbers) {
  numbers[threadIdx.x] = heavy(numbers[threadIdx.x], 1);
}
