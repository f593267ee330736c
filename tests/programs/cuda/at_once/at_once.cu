// Launches of many work-groups, which several threads of the host may execute at once or which have to run in turns. Prints how much of each is wrong,
// and what floating-point sums are, which depend on their order.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

constexpr int kItems = 1 << 16, kSteps = 150;

__device__ float stepped(float value) {
  for (int step = 0; step < kSteps; ++step) value = value * 0.5f + 3;
  return value;
}
__global__ void copies(const float* in, float* out) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  out[item] = stepped(in[item]);
}
__global__ void in_place(int* values) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  values[item] = values[item] * 3 + item;
}
__global__ void sums(const float* in, float* total, int* count) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(total, in[item]);
  atomicAdd(count, item);
}
__global__ void tickets(int* next, int* taken) {
  taken[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(next, 1);
}
__global__ void neighbours(int* values) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item + 256 < kItems) values[item] = values[item + 256] + 1;
}
__global__ void says() {
  if (threadIdx.x == 0 && blockIdx.x % 64 == 0) printf("work-group %d\n", blockIdx.x);
}
__global__ void outside(int* values) {
  if (blockIdx.x % 100 == 37 && threadIdx.x == 5) values[(long long)kItems * 100000] = 1;
}

// The most threads that this process has until `done`.
int most_threads(const volatile bool& done) {
  long most = 0;
  while (!done) {
    const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
    const long now = std::distance(begin(tasks), end(tasks));
    if (now > most) most = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return static_cast<int>(most);
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const dim3 groups(kItems / 256), items(256);
  float *in, *out;
  int *values, *numbers;
  cudaMalloc(&in, kItems * sizeof(float));
  cudaMalloc(&out, kItems * sizeof(float));
  cudaMalloc(&values, kItems * sizeof(int));
  cudaMalloc(&numbers, 3 * sizeof(int));
  std::vector<float> host(kItems);
  for (int item = 0; item < kItems; ++item) host[item] = static_cast<float>(item * 37 % 1001) / 7;
  cudaMemcpy(in, host.data(), kItems * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(values, 0, kItems * sizeof(int));
  cudaMemset(numbers, 0, 3 * sizeof(int));
  if (what == "outside") {
    outside<<<groups, items>>>(values);
    std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
  }
  copies<<<1, items>>>(in, out);
  const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
  const int before = static_cast<int>(std::distance(begin(tasks), end(tasks))) + 1;  // and the one that counts
  volatile bool done = false;
  int most = 0;
  std::thread counts([&] { most = most_threads(done); });
  for (int round = 0; round < 3; ++round) copies<<<groups, items>>>(in, out);
  done = true;
  counts.join();
  if (what == "threads") std::puts(most > before ? "several threads" : "one thread");
  in_place<<<groups, items>>>(values);
  in_place<<<groups, items>>>(values);
  sums<<<groups, items>>>(in, reinterpret_cast<float*>(numbers), numbers + 1);
  says<<<groups, items>>>();
  std::vector<float> stepped_by_gpu(kItems);
  std::vector<int> found(kItems);
  cudaMemcpy(stepped_by_gpu.data(), out, kItems * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(found.data(), values, kItems * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong_copies = 0, wrong_values = 0;
  unsigned expected_count = 0;
  for (int item = 0; item < kItems; ++item) {
    float value = host[item];
    for (int step = 0; step < kSteps; ++step) value = value * 0.5f + 3;  // exact or not, both ways the same
    wrong_copies += value != stepped_by_gpu[item];
    wrong_values += found[item] != 4 * item;
    expected_count += static_cast<unsigned>(item);
  }
  tickets<<<groups, items>>>(numbers + 2, values);
  neighbours<<<groups, items>>>(values);
  cudaMemcpy(found.data(), values, kItems * sizeof(int), cudaMemcpyDeviceToHost);
  std::vector<bool> seen(kItems);
  int last[3], wrong_tickets = 0;
  for (int item = 0; item < kItems; ++item) {
    const int ticket = found[item] - (item + 256 < kItems);
    if (ticket < 0 || ticket >= kItems || seen[ticket]) ++wrong_tickets;
    else seen[ticket] = true;
  }
  cudaMemcpy(last, numbers, sizeof(last), cudaMemcpyDeviceToHost);
  float total;
  std::memcpy(&total, last, sizeof(total));
  std::printf("wrong: %d copies, %d values, %d counts; sum %.9g; %d tickets of %d; %s\n", wrong_copies, wrong_values, static_cast<unsigned>(last[1]) != expected_count,
              total, last[2], kItems, cudaGetErrorString(cudaGetLastError()));
  unsigned hash = 0;
  for (const int one : found) hash = hash * 31 + static_cast<unsigned>(one);
  std::printf("%08x, %d\n", hash, wrong_tickets);
}
