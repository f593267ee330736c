// A program of CUDA RELEASE (11, 12 or 13) that was linked with its shared runtime, by what the documentation of that release says of the
// binary interface: names with versions, and where cudaDeviceProp has its members. Attributes say what is in them.
#include <stdio.h>
#include <string.h>

#if RELEASE == 12
#define PROPERTIES cudaGetDeviceProperties_v2
enum { BYTES = 1032, CORES = 388, CONSTANT = 352, MAJOR = 360, L2 = 616, OPTIN = 696 };
#elif RELEASE == 11
#define PROPERTIES cudaGetDeviceProperties
enum { BYTES = 728, CORES = 388, CONSTANT = 352, MAJOR = 360, L2 = 616, OPTIN = 696 };
#else
#define PROPERTIES cudaGetDeviceProperties
enum { BYTES = 1008, CORES = 384, CONSTANT = 352, MAJOR = 360, L2 = 596, OPTIN = 672 };
#endif

int PROPERTIES(void *properties, int device);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaRuntimeGetVersion(int *version);
int cudaMalloc(void **pointer, unsigned long bytes);
int cudaMemcpy(void *to, const void *from, unsigned long bytes, int kind);
int cudaGetLastError(void);

static int wrong;
static void expect(const char *what, int holds) {
  if (!holds) ++wrong, printf("%s: does not hold\n", what);
}
static int attribute(int which) {
  int value = -1;
  cudaDeviceGetAttribute(&value, which, 0);
  return value;
}

int main(void) {
  unsigned char found[BYTES + 64];
  int value = 0, bytes = 0;
  memset(found, 0x5a, sizeof found);
  expect("properties", PROPERTIES(found, 0) == 0);
  for (int at = BYTES; at < BYTES + 64; ++at) expect("nothing behind them", found[at] == 0x5a);
  const struct { const char *what; int offset, attribute; } all[] = {
      {"cores", CORES, 16}, {"constant memory", CONSTANT, 9}, {"major", MAJOR, 75}, {"L2", L2, 38}, {"most shared memory", OPTIN, 97}};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) {
    memcpy(&value, found + all[i].offset, 4);
    expect(all[i].what, value == attribute(all[i].attribute));
  }
  expect("version", cudaRuntimeGetVersion(&value) == 0 && value / 1000 == RELEASE);
  void *memory;
  expect("memory", cudaMalloc(&memory, 4) == 0);
  value = 1234;
  expect("to", cudaMemcpy(memory, &value, 4, 1) == 0);
  expect("from", cudaMemcpy(&bytes, memory, 4, 2) == 0 && bytes == 1234);
  expect("no error", cudaGetLastError() == 0);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
