// Programs that do what they should not: `hostile WHAT`. Each makes one good launch first.
#include <dirent.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

__global__ void fill(int* d) {
  d[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
// One thread stores `index` elements from `p`.
__global__ void poke(int* p, long index) {
  if (threadIdx.x == 3) p[index] = 7;
}
// Each of 32 threads loads the element behind its own; the last one's is nobody's.
__global__ void shift(const int* from, int* to) {
  to[threadIdx.x] = from[threadIdx.x + 1];
}
__global__ void follow(int** list) {
  *list[threadIdx.x] = 7;
}
__global__ void deep(int* p, int n) {
  volatile int room[1 << 17];  // as much as a thread may have; eight keep theirs at the barrier
  for (int i = 0; i < n; ++i) room[i * 512] = i;
  __syncthreads();
  p[0] = room[n / 2];
}
__global__ void spin(volatile int* p) {
  while (p[0] != 5) p[1] = p[0];
}

static int *d_A, *d_B;
static bool is(const char* a, const char* b) {
  return std::strcmp(a, b) == 0;
}
static void say(cudaError_t error) {
  std::printf("%s\n", cudaGetErrorName(error));
  std::fflush(stdout);
}

// What a program gets that goes on after a bad address.
static void go_on() {
  int value = 0;
  say(cudaDeviceSynchronize());
  say(cudaGetLastError());
  fill<<<1, 32>>>(d_B);
  say(cudaGetLastError());
  say(cudaMemcpy(&value, d_B, sizeof(value), cudaMemcpyDeviceToHost));
  say(cudaMalloc(&d_B, 64));
}

static bool bad_address(const char* what) {
  if (is(what, "behind"))
    poke<<<1, 32>>>(d_A, 1224);
  else if (is(what, "before"))
    poke<<<1, 32>>>(d_A, -1000);
  else if (is(what, "null"))
    poke<<<1, 32>>>(nullptr, 0);
  else if (is(what, "host"))
    poke<<<1, 32>>>((int*)std::malloc(64), 0);
  else if (is(what, "misaligned"))
    poke<<<1, 32>>>((int*)((char*)d_A + 2), 0);
  else if (is(what, "freed")) {
    int* kept = d_A;
    cudaFree(d_A);
    poke<<<1, 32>>>(kept, 0);
  } else if (is(what, "found")) {  // an address that is in memory
    int** list;
    cudaMallocManaged(&list, 32 * sizeof(int*));
    for (int i = 0; i < 32; ++i) list[i] = d_A + 32 * i;
    list[31] = (int*)0x123456780000;
    follow<<<1, 32>>>(list);
  } else
    return false;
  go_on();
  return true;
}

static void launch_for_ever() {
  for (;;) fill<<<64, 64>>>(d_B);
}

static void close_all() {
  for (int file = 0; file < 1024; ++file) close(file);
}

static int in_child() {
  const pid_t child = fork();
  if (child == 0) {  // CUDA does not work there; the child only has to end
    fill<<<1, 32>>>(d_A);
    _exit(cudaGetLastError());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

int main(int, char** argv) {
  const char* const what = argv[1];
  cudaMalloc(&d_A, 1024 * sizeof(int));
  cudaMalloc(&d_B, 4096 * sizeof(int));
  fill<<<2, 64>>>(d_A);
  say(cudaDeviceSynchronize());
  if (bad_address(what)) return argv[2] != nullptr ? std::atoi(argv[2]) : 0;
  if (is(what, "page")) {
    cudaFree(d_A);
    cudaMalloc(&d_A, 32 * sizeof(int));
    shift<<<1, 32>>>(d_A, d_B);
    say(cudaDeviceSynchronize());
  }
  if (is(what, "twice")) {
    say(cudaFree(d_A));
    say(cudaFree(d_A));
    say(cudaFree(d_B + 1));
  }
  if (is(what, "blocks")) {
    fill<<<1u << 31, 64>>>(d_B);
    say(cudaGetLastError());
    fill<<<dim3(1, 65536), 64>>>(d_B);
    say(cudaGetLastError());
    fill<<<1, 1025>>>(d_B);
    say(cudaGetLastError());
    fill<<<0, 1>>>(d_B);
    say(cudaGetLastError());
  }
  if (is(what, "exit")) std::exit(5);
  if (is(what, "_exit")) _exit(6);
  if (is(what, "abort")) std::abort();
  if (is(what, "stack")) deep<<<1, 8>>>(d_A, 256);
  if (is(what, "endless")) spin<<<1, 32>>>(d_A);
  if (is(what, "fork")) std::printf("%d\n", in_child());
  if (is(what, "closed")) close_all();
  if (is(what, "folder")) {
    char name[] = "hostileXXXXXX";
    if (mkdtemp(name) == nullptr || chdir(name) != 0 || rmdir(("../" + std::string(name)).c_str()) != 0)
      return 8;
  }
  if (is(what, "threads")) {
    for (int i = 0; i < 3; ++i) std::thread(launch_for_ever).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return 4;
  }
  fill<<<2, 64>>>(d_B);
  say(cudaGetLastError());
}
