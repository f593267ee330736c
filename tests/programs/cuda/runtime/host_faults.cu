// Faults of the host's own code, next to kernels: pages that its handler repairs, as virtual machines have them, and a
// handler that faults itself.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <thread>

namespace {

constexpr size_t kPage = 4096;
volatile char* pages = nullptr;
std::atomic<int> repaired = 0;
std::atomic<bool> nests = false;

__global__ void sums(int* a, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += a[(i * 7 + threadIdx.x) & 1023];
  a[threadIdx.x] = s;
}

void repair(int, siginfo_t* info, void*) {
  if (nests.exchange(false)) pages[kPage] = 1;
  mprotect(reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(info->si_addr) & ~(kPage - 1)), kPage,
           PROT_READ | PROT_WRITE);
  ++repaired;
}

void touch() {
  mprotect(const_cast<char*>(pages), 2 * kPage, PROT_NONE);
  pages[5] = 1;
}

void install() {
  struct sigaction action = {};
  action.sa_sigaction = repair;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
}

}  // namespace

int main(int argc, char**) {
  pages = static_cast<char*>(mmap(nullptr, 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  int* a = nullptr;
  if (argc > 1) install();
  cudaMalloc(&a, 4096);
  cudaMemset(a, 0, 4096);
  std::atomic<bool> has_ended = false;
  std::thread host([&] {
    install();  // in the middle of a kernel, if the first one has begun
    while (!has_ended) {
      touch();
      usleep(100);
    }
  });
  while (repaired < 20) {
    sums<<<8, 64>>>(a, 1000);
    if (const cudaError_t error = cudaDeviceSynchronize()) std::printf("%s\n", cudaGetErrorName(error));
  }
  has_ended = true;
  host.join();
  repaired = 0;
  nests = true;
  touch();
  std::printf("repaired: %d\n", repaired.load());
}
