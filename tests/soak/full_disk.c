// Preloaded: the SOAK_FAIL_AT-th write to a file in the folder SOAK_FOLDER, counted over all processes, and every one after it
// fails as on a full disk. SOAK_COUNTER is a file of 8 bytes that holds the count.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static _Atomic uint64_t* counter;
static uint64_t fail_at;
static const char* folder;

__attribute__((constructor)) static void start(void) {
  const char* path = getenv("SOAK_COUNTER");
  const char* at = getenv("SOAK_FAIL_AT");
  folder = getenv("SOAK_FOLDER");
  if (path == NULL || at == NULL || folder == NULL) return;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  counter = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (counter == MAP_FAILED) counter = NULL;
  fail_at = strtoull(at, NULL, 10);
}

static int is_full(int file) {
  char link[32], name[4096];
  if (counter == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, name, sizeof name - 1);
  if (length <= 0 || strncmp(name, folder, strlen(folder)) != 0) return 0;
  if (++*counter < fail_at) return 0;
  errno = ENOSPC;
  return 1;
}

#define NEXT(type, name, ...)                                          \
  static type (*next)(__VA_ARGS__);                                    \
  if (next == NULL) next = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t write(int file, const void* bytes, size_t size) {
  NEXT(ssize_t, "write", int, const void*, size_t);
  return is_full(file) ? -1 : next(file, bytes, size);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  NEXT(ssize_t, "pwrite", int, const void*, size_t, off_t);
  return is_full(file) ? -1 : next(file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off_t offset) {
  NEXT(ssize_t, "pwrite64", int, const void*, size_t, off_t);
  return is_full(file) ? -1 : next(file, bytes, size, offset);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  NEXT(ssize_t, "writev", int, const struct iovec*, int);
  return is_full(file) ? -1 : next(file, parts, count);
}

int ftruncate(int file, off_t size) {
  NEXT(int, "ftruncate", int, off_t);
  return is_full(file) ? -1 : next(file, size);
}

int posix_fallocate(int file, off_t offset, off_t size) {
  NEXT(int, "posix_fallocate", int, off_t, off_t);
  return is_full(file) ? ENOSPC : next(file, offset, size);
}

int mkdir(const char* path, mode_t mode) {
  NEXT(int, "mkdir", const char*, mode_t);
  const int is_inside = counter != NULL && strncmp(path, folder, strlen(folder)) == 0;
  if (is_inside && ++*counter >= fail_at) {
    errno = ENOSPC;
    return -1;
  }
  return next(path, mode);
}
